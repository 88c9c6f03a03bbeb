"""The experiments of `benchmarks.paper`: run as they are said, and once; every figure is from its JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from benchmarks.paper import __main__ as command
from benchmarks.paper import damage, onehot, page, plots, published, records, running, tables, views
from benchmarks.paper.case import preset_case
from benchmarks.paper.datasets import Dataset, Problem, Split, asked_for, find_datasets, load
from benchmarks.paper.differences import differences
from benchmarks.paper.experiments import EXPERIMENTS, RUNS
from hypothesis import given, settings
from hypothesis import strategies as st

import lightea
from lightea import _plain
from lightea.adjacency import adjacency
from lightea.config import Config
from lightea.errors import InputError
from lightea.graph import KnowledgeGraph
from lightea.labels import seed_labels
from lightea.propagation import propagate
from lightea.synthetic import make_pair, write_pair
from small_graphs import graphs, random_graph

SMALL = Config(names="none", label_width=64, sketch_width=128, candidates=20, proposals=30)


def write_jape(folder: Path, n: int) -> Path:
    """A made-up pair in the layout of DBP15K, SRPRS and DWY100K: numbers, and the names of the numbers."""
    pair = make_pair(n)
    folder.mkdir(parents=True)
    for side, graph in ((1, pair.left), (2, pair.right)):
        offset = 0 if side == 1 else pair.left.n_entities
        ids = np.arange(graph.n_entities) + offset
        pl.DataFrame({"id": ids, "name": graph.entities}).write_csv(
            folder / f"ent_ids_{side}", separator="\t", include_header=False
        )
        facts = {"h": graph.heads + offset, "r": graph.relation_ids, "t": graph.tails + offset}
        pl.DataFrame(facts).write_csv(folder / f"triples_{side}", separator="\t", include_header=False)
    numbers = pair.left.find(pair.links.left), pair.right.find(pair.links.right) + pair.left.n_entities
    pl.DataFrame(dict(zip("lr", numbers, strict=True))).write_csv(
        folder / "ref_ent_ids", separator="\t", include_header=False
    )
    return folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """DWY100K and DBP1M as they are laid out, made up and small."""
    write_jape(tmp_path / "data" / "DWY100K" / "dbp_wd", 60)
    write_pair(tmp_path / "data" / "DBP1M" / "fr_en", 60, layout="openea")
    return tmp_path / "data"


def problem_of(n: int = 60, share: float = 0.3) -> Problem:
    pair = make_pair(n)
    train, test = pair.links.split(share, random_seed=0)
    return asked_for(pair.left, pair.right, train, test)


def laboratory(results: Path, *, again: bool = False) -> running.Laboratory:
    return running.Laboratory(results, 1, 1, again, lambda line: None)


# Data sets


def test_folders_of_all_layouts_are_found_and_named(data: Path) -> None:
    split = data / "openea" / "EN_FR_15K_V1" / "721_5fold"
    write_pair(split.parent, 20, layout="openea")
    for fold in ("1", "2"):
        (split / fold).mkdir(parents=True)
        (split / fold / "train_links").write_text("a\tb\n")
    found = {dataset.name: dataset for dataset in find_datasets(data)}
    assert list(found) == ["DBP1M/fr_en", "DWY100K/dbp_wd", "openea/EN_FR_15K_V1"]
    assert found["openea/EN_FR_15K_V1"].usual_split(2) == Split(fold=1)
    assert found["DBP1M/fr_en"].usual_split(2) == Split(train=0.3, random_seed=2)
    assert [dataset.name for dataset in find_datasets(data / "DBP1M" / "fr_en")] == ["DBP1M/fr_en"]
    assert [dataset.name for dataset in find_datasets(data, "dwy")] == ["DWY100K/dbp_wd"]


@pytest.mark.parametrize(("only", "problem"), [("zh", "DBP1M/fr_en, DWY100K/dbp_wd"), ("", "none at all")])
def test_nothing_found_is_a_sentence(only: str, problem: str, data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError) as raised:
        find_datasets(data if only else tmp_path / "empty", only)
    assert problem in str(raised.value)


def test_a_part_of_the_links_is_put_aside_as_folds_do(data: Path) -> None:
    dataset = Dataset("x/y", data / "DBP1M" / "fr_en", (1,))
    problem = load(dataset, dataset.random_split(0.2, 7))
    assert (len(problem.seeds), len(problem.test)) == (12, 42)
    assert not set(problem.seeds.left) & set(problem.test.left)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("dbp15k/zh_en", "dbp15k/zh_en"),
        ("DBP15K/zh_en", "dbp15k/zh_en"),
        ("SRPRS/en_fr", "srprs/fr_en"),
        ("openea/EN_FR_15K_V1", "openea/en_fr_15k_v1"),
        ("OpenEA_dataset_v1.1/D_W_15K_V2", "openea/d_w_15k_v2"),
        ("DWY100K/dbp_wd", "dwy100k/wd"),
        ("DBP1M/fr_en", "dbp1m/fr_en"),
    ],
)
def test_published_figures_are_found_by_the_usual_names_of_folders(name: str, key: str) -> None:
    assert published.key_of(name) == key
    assert (key, "basic") in published.PAPER


# Damage


@given(st.floats(0, 1))
@settings(deadline=None)
def test_the_share_of_wrong_seeds_is_the_one_asked_for(share: float) -> None:
    problem = problem_of(40)
    true = dict(zip(problem.seeds.left, problem.seeds.right, strict=True))
    seeds = damage.with_noisy_seeds(problem, share, np.random.default_rng(0)).seeds
    n_wrong = sum(true[left] != right for left, right in zip(seeds.left, seeds.right, strict=True))
    assert n_wrong == (max(2, round(share * 12)) if round(share * 12) else 0)
    assert sorted(seeds.right) == sorted(problem.seeds.right)


def test_missing_triples_are_about_the_share_asked_for_and_the_rest_is_as_before() -> None:
    problem = problem_of(300)
    thinner = damage.with_missing_triples(problem, 0.4, np.random.default_rng(0))
    for before, after in ((problem.left, thinner.left), (problem.right, thinner.right)):
        assert after.n_triples / before.n_triples == pytest.approx(0.6, abs=0.05)
        assert after.n_entities == before.n_entities
        assert facts(after) <= facts(before)


@given(st.floats(0, 0.9))
@settings(max_examples=20, deadline=None)
def test_the_share_without_counterpart_is_the_one_asked_for(share: float) -> None:
    problem = problem_of(100)
    found = damage.with_unmatched(problem, share, np.random.default_rng(0))
    pairs = found.test.resolve(found.left, found.right)
    assert pairs.n_unknown == 0
    for searched, matched in zip(found.searched, pairs.pairs.T, strict=True):
        assert len(np.setdiff1d(searched, matched)) / len(searched) == pytest.approx(
            share, abs=1 / len(searched)
        )
        assert (searched >= 0).all()
        assert np.isin(matched, searched).all()
    assert facts(found.left) <= facts(problem.left)
    assert found.seeds.resolve(found.left, found.right).n_unknown == 0


@given(graphs(), st.data())
@settings(deadline=None)
def test_a_graph_without_some_entities_has_the_facts_of_the_others(
    graph: KnowledgeGraph, draw: st.DataObject
) -> None:
    gone = draw.draw(st.sets(st.integers(0, graph.n_entities - 1)))
    rest = damage.without(graph, np.array(sorted(gone), np.int32))
    names = {graph.entities[number] for number in gone}
    assert set(rest.entities) == set(graph.entities) - names
    assert facts(rest) == {fact for fact in facts(graph) if not names & {fact[0], fact[2]}}


def facts(graph: KnowledgeGraph) -> set[tuple[str, str, str]]:
    """The facts by name."""
    columns = (
        graph.entities.gather(graph.heads),
        graph.relations.gather(graph.relation_ids),
        graph.entities.gather(graph.tails),
    )
    return set(zip(*columns, strict=True))


# Ablation


def test_the_stages_put_together_by_hand_are_the_preset() -> None:
    problem = problem_of(80)
    left, right = problem.searched
    whole = lightea.align(
        problem.left, problem.right, problem.seeds, config=SMALL, left_entities=left, right_entities=right
    )
    parts = views.align_by_views(problem, SMALL, views.VIEWS, 1)
    for name in ("columns", "scores"):
        assert np.array_equal(
            getattr(parts.assignment.candidates, name), getattr(whole.assignment.candidates, name)
        )
    assert np.array_equal(parts.assignment.probabilities, whole.assignment.probabilities)
    assert np.array_equal(parts.left_ids, whole.left_ids)


@given(graphs(), graphs(prefix="f"))
@settings(max_examples=25, deadline=None)
def test_the_matrices_of_the_views_propagate_as_the_kernels_do(
    left: KnowledgeGraph, right: KnowledgeGraph
) -> None:
    edges = adjacency(left, right)
    first = seed_labels(
        np.zeros((1, 2), np.int32), edges.n_left, edges.n_entities, 32, np.random.default_rng(0)
    )
    side, front, top = views.view_matrices(edges)
    labels = propagate(edges, first, 2)
    before, of_relations = _plain._placed(*table(labels.entities[1])), labels.relations[0].table
    by_matrix = views._whole(side @ before + front @ of_relations.astype(np.float32)).table
    assert np.abs(by_matrix.astype(int) - labels.entities[2].table).max() <= 1
    assert np.abs(views._whole(top @ before).table.astype(int) - labels.relations[1].table).max() <= 1


def table(labels: Any) -> tuple[Any, Any]:
    return labels.table, labels.place


def test_a_view_left_out_leaves_out_what_comes_by_it() -> None:
    graph = random_graph(np.random.default_rng(0), 40, n_entities=12, n_relations=3)
    edges = adjacency(graph, graph)
    seeds = np.array([[0, 0], [1, 1]], np.int32)

    def reached(*names: str) -> tuple[set[int], bool]:
        """Entities with a label after one hop, and whether relations are told apart."""
        rng = np.random.default_rng(0)
        labels = views.propagate_by(names, edges, seed_labels(seeds, 12, 24, 16, rng), 1, rng)
        relations = labels.relations[-1]
        gates = relations.table[relations.place]
        return set(np.flatnonzero(labels.entities[1].table.any(axis=1)).tolist()), len(
            np.unique(gates, axis=0)
        ) > 1

    own = {0, 1, 12, 13}
    assert reached("front", "top") == (set(), True)  # relations have no labels yet in the first hop
    assert own < reached("side", "top")[0]
    assert reached("side", "front")[1] is False


def naive_cosines(left: KnowledgeGraph, right: KnowledgeGraph, seeds: Any) -> Any:
    """cos(F(h), F(h')) with F(h) = Σ x(t) ⊗ w(r) written out, by dense one-hot labels."""
    edges = adjacency(left, right)
    side, front, top = (matrix.toarray().astype(float) for matrix in views.view_matrices(edges))
    unit = _plain._unit
    first = np.zeros((edges.n_entities, len(seeds)))
    for number, (a, b) in enumerate(seeds):
        first[a, number] = first[b + edges.n_left, number] = 1
    entities, relations = [unit(first)], [np.zeros((edges.n_relations, len(seeds)))]
    for _ in range(2):
        before = entities[-1], relations[-1]
        entities.append(unit(side @ before[0] + front @ before[1]))
        relations.append(unit(top @ before[0]))
    sketches = []
    for head in range(edges.n_entities):
        own = range(edges.offsets[head], edges.offsets[head + 1])
        # Inner products are taken within a round, so the rounds stand apart.
        parts = [
            sum(
                (np.outer(x[edges.tails[j]], w[edges.relations[j]]) for j in own), np.zeros((len(seeds),) * 2)
            )
            for x in entities
            for w in relations[1:]
        ]
        sketches.append(np.concatenate([part.ravel() for part in parts]))
    units = unit(np.array(sketches))
    return units[: edges.n_left] @ units[edges.n_left :].T


@given(graphs(least_facts=1), graphs(prefix="f", least_facts=1), st.integers(1, 3), st.booleans())
@settings(max_examples=40, deadline=None)
def test_one_hot_labels_give_the_cosines_that_outer_products_give(
    left: KnowledgeGraph, right: KnowledgeGraph, n_seeds: int, keep_full: bool
) -> None:
    n = min(n_seeds, left.n_entities, right.n_entities)
    seeds = np.stack([np.arange(n), np.arange(n)[::-1]], axis=1).astype(np.int32)
    everybody = [np.arange(graph.n_entities, dtype=np.int32) for graph in (left, right)]
    edges = adjacency(left, right)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onehot, "_TOO_FULL", 0.0 if keep_full else 2.0)
        patch.setattr(onehot, "_ROWS_AT_ONCE", 2)
        entities, relations = onehot.one_hot_labels(edges, seeds, 2)
        found = onehot.exact_candidates(edges, entities, relations, *everybody, n_best=100)
    dense = np.zeros((left.n_entities, right.n_entities))
    dense[found.rows, found.columns] = found.scores
    assert dense == pytest.approx(naive_cosines(left, right, seeds), abs=2e-3)


# Runs and records


def test_what_was_run_is_not_run_again_unless_asked_or_the_data_changed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def pretend(case: Any, dataset: Dataset, threads: int) -> dict[str, Any]:
        ran.append(case.system)
        return made_up(0.5)

    monkeypatch.setattr(running, "run", pretend)
    results = tmp_path / "results"
    (dataset,) = find_datasets(data, "dbp1m")
    running.carry_out(EXPERIMENTS["main"], dataset, laboratory(results))
    assert ran == ["basic", "iterative", "auto"]
    running.carry_out(EXPERIMENTS["time"], dataset, laboratory(results))  # the same runs, shown otherwise
    assert len(ran) == 3
    running.carry_out(EXPERIMENTS["main"], dataset, laboratory(results, again=True))
    assert len(ran) == 6
    with (dataset.path / "ent_links").open("a") as file:
        file.write("a\tb\n")
    (changed,) = find_datasets(data, "dbp1m")
    running.carry_out(EXPERIMENTS["main"], changed, laboratory(results))
    assert len(ran) == 9


def test_what_was_finished_before_an_interrupt_is_kept(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def interrupted(case: Any, dataset: Dataset, threads: int) -> dict[str, Any]:
        if len(ran) == 1:
            raise KeyboardInterrupt
        ran.append(case.system)
        return made_up(0.5)

    monkeypatch.setattr(running, "run", interrupted)
    arguments = ["main", "--data", str(data), "--out", str(tmp_path / "r"), "--only", "dbp1m"]
    assert command.main(arguments) == 130
    assert len(records.documents(tmp_path / "r", "main")[0].points[0]["runs"]) == 1


def test_runs_differ_in_everything_that_is_said_to_differ() -> None:
    dataset = Dataset("x/y", Path(), ())
    for experiment in EXPERIMENTS.values():
        points = experiment.points(dataset, RUNS)
        keys = [json.dumps(case.key()) for point in points for case in point.cases]
        assert len(set(keys)) == len(keys), experiment.name
        assert len({(point.series, point.x) for point in points}) == len(points)
        assert all(case.config.names == "none" for point in points for case in point.cases)


def test_a_larger_pair_than_the_ablation_takes_is_refused(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LARGEST_ABLATION", 100)
    (dataset,) = find_datasets(data, "dbp1m")
    with pytest.raises(InputError, match="too many for labels as full matrices"):
        running.carry_out(EXPERIMENTS["ablation"], dataset, laboratory(tmp_path))


# What is shown


def made_up(hits: float) -> dict[str, Any]:
    """Figures as a run returns them."""
    ranks = {"hits@1": hits, "hits@10": hits + 0.1, "mrr": hits + 0.05}
    hop = {
        "cosine": 0.75,
        "n_seeds": 1,
        "seeds": [{"left": "http://x/日本|$a_1$", "right": "http://x/日本`$b^2$", "adds": 0.75}],
    }
    pair = {"right": "http://x/$c_0$", "hops": [hop]}
    case = {"left": "http://x/東京", "probability": 0.5, "winner": pair, "truth": pair}
    return {
        **ranks,
        "precision": hits,
        "recall": hits,
        "f1": hits,
        "by_cosine": ranks,
        "seconds": {"total": 1.25},
        "cpu_seconds": 2.5,
        "ran": {"commit": "abc"},
        "trace": {"right": case, "wrong": case},
    }


def made_up_results(results: Path) -> None:
    """Results of all experiments on two data sets, without running anything."""
    for dataset in (Dataset("dbp15k/zh_en", Path(), ()), Dataset("openea/EN_FR_15K_V1", Path(), (1, 2))):
        for name, experiment in EXPERIMENTS.items():
            points = [
                {
                    "series": point.series,
                    "x": point.x,
                    "runs": [
                        {"case": case.key(), "figures": made_up(0.7 + 0.01 * i)}
                        for i, case in enumerate(point.cases)
                    ],
                }
                for point in experiment.points(dataset, 2)
            ]
            document = records.Document(name, dataset.name, "", points)
            records.write(records.place(results, name, dataset.slug), document)


def test_tables_show_means_and_spreads_beside_the_paper(tmp_path: Path) -> None:
    made_up_results(tmp_path)
    main = tables.table(EXPERIMENTS["main"], records.documents(tmp_path, "main"))
    assert (
        "| dbp15k/zh_en | `basic` | 2 | .705 ± .007 | .805 ± .007 | .755 ± .007 | .705 ± .007 "
        "| .756 / .905 / .811 | .757 / .909 / .813 |"
    ) in main
    time = tables.table(EXPERIMENTS["time"], records.documents(tmp_path, "time"))
    assert "| dbp15k/zh_en | `basic` | 1.2 s | 1.2 s | 2.5 s | 2.8 s | 36 s |" in time
    ratio = tables.table(EXPERIMENTS["ratio"], records.documents(tmp_path, "ratio"))
    assert "| data | system | 1 % | 5 % | 10 % | 20 % | 30 % | 50 % | paper, its settings |" in ratio
    assert "| dbp15k/zh_en | `iterative` |" + 6 * " .700 |" + " .812 |" in ratio


def test_all_figures_of_a_point_are_in_its_row(tmp_path: Path) -> None:
    made_up_results(tmp_path)
    path = records.place(tmp_path, "split", "dbp15k-zh_en")
    document = json.loads(path.read_text())
    document["points"][0]["runs"][1]["figures"]["hits@1"] = 0.1234
    path.write_text(json.dumps(document))
    assert ".123" in tables.table(EXPERIMENTS["split"], records.documents(tmp_path, "split"))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_plots_are_the_same_bytes_each_time_whatever_letters_are_in_them(name: str, tmp_path: Path) -> None:
    made_up_results(tmp_path)
    found = records.documents(tmp_path, name)
    for copy in ("one.svg", "two.svg"):
        plots.draw(EXPERIMENTS[name], found, tmp_path / copy)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.svg").read_text().startswith("<?xml")


def test_differences_of_more_than_a_point_are_listed(tmp_path: Path) -> None:
    made_up_results(tmp_path)
    found = differences(records.documents(tmp_path, "main"))
    assert ("dbp15k/zh_en", "basic", "hits@1") in {
        (each.dataset, each.system, each.measure) for each in found
    }
    assert all(abs(each.ours - each.paper) > 0.01 for each in found)
    text = page.page(tmp_path, tmp_path)
    assert "`basic` hits@1 0.705, paper 0.756" in text
    assert "dwy100k/wd" in text.partition("## What was not run")[2]


def test_a_broken_file_of_results_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "x.json").write_text("{}")
    with pytest.raises(InputError, match="no file of results"):
        records.documents(tmp_path, "main")


def test_the_page_of_results_says_what_the_json_says() -> None:
    assert page.PAGE.read_text(encoding="utf-8") == page.page(page.RESULTS, page.PAGE.parent)
    for name, experiment in EXPERIMENTS.items():
        if found := records.documents(page.RESULTS, name):
            shown = (page.RESULTS / name / "table.md").read_text(encoding="utf-8")
            assert shown == tables.table(experiment, found) + "\n"


def test_every_committed_difference_from_the_paper_is_explained() -> None:
    found = differences(records.documents(page.RESULTS, "main"))
    unexplained = [each for each in found if each.reason is None]
    assert unexplained == []


# The command


def test_layouts_of_data_that_are_not_at_hand_run_the_whole_way(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results"
    assert command.main(["main", "--data", str(data), "--out", str(out), "--runs", "1"]) == 0
    assert command.main(["trace", "--data", str(data), "--out", str(out), "--only", "dwy"]) == 0
    shown = (out / "main" / "table.md").read_text()
    assert "| DBP1M/fr_en | `basic` | 1 |" in shown
    assert "| .861 / – / – |" in next(
        line for line in shown.splitlines() if "DWY100K/dbp_wd | `basic`" in line
    )
    assert (out / "main" / "plot.svg").exists()
    assert "hop" in (out / "trace" / "table.md").read_text()


@pytest.mark.slow
def test_every_experiment_runs(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    assert (
        command.main(["all", "--data", str(data), "--out", str(out), "--runs", "1", "--only", "dbp1m"]) == 0
    )
    assert {path.parent.name for path in out.glob("*/plot.svg")} == set(EXPERIMENTS)


@pytest.mark.parametrize(
    ("arguments", "code", "problem"),
    [
        (["nothing"], 2, "invalid choice"),
        (["main", "--runs", "0"], 2, "not at least 1"),
        (["main", "--data", "gone"], 1, "error: gone is no directory"),
    ],
)
def test_a_wrong_command_is_a_sentence(
    arguments: list[str], code: int, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        ended = command.main([*arguments, "--out", str(tmp_path)])
    except SystemExit as usage:
        ended = int(str(usage.code))
    assert ended == code
    assert problem in capsys.readouterr().err


def test_the_case_says_everything_that_decides_it() -> None:
    case = preset_case("basic", Split(train=0.3), 0, damage.Damage("noisy seeds", 0.1), hops=3)
    key = case.key()
    assert (key["config"]["hops"], key["damage"]["share"], key["split"]["train"]) == (3, 0.1, 0.3)
