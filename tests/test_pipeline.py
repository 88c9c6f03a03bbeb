"""`align` from end to end on small pairs: the same result however it is run, and sense in every odd case."""

from __future__ import annotations

import functools
import inspect
import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import sketching
from lightea.alignment import Alignment
from lightea.calibration import LEAST_SEEDS
from lightea.config import DEFAULT_PRESET, PRESETS, Config
from lightea.errors import ConfigError, InputError, SeedError
from lightea.evaluation import evaluate
from lightea.graph import Ids, KnowledgeGraph, Links
from lightea.graph_builder import graph_from_names
from lightea.pipeline import align
from lightea.quality import DEFAULT_THRESHOLD
from lightea.synthetic import DEMO, make_pair
from lightea.writing import links_tsv
from small_graphs import graph_of, graphs, reordered

SMALL = Config(label_width=64, sketch_width=256, proposals=60, candidates=40)
ITERATIVE = SMALL.replace(rounds=3)
AUTO = Config.for_preset("auto", label_width=64, sketch_width=256)
every_preset = pytest.mark.parametrize("config", [SMALL, ITERATIVE, AUTO], ids=["basic", "iterative", "auto"])
N = 200

Pairs = list[tuple[int, int]]


# --- pairs of graphs -----------------------------------------------------------------------------------


@functools.cache
def example() -> tuple[KnowledgeGraph, KnowledgeGraph, Ids]:
    """Two graphs of which most entities can be aligned, and the true pairs as numbers in random order."""
    made = make_pair(N, shape=DEMO)
    truth = made.links.resolve(made.left, made.right).pairs
    return made.left, made.right, np.random.default_rng(0).permutation(truth)


def named(left: KnowledgeGraph, right: KnowledgeGraph, pairs: Any) -> Links:
    """Pairs of numbers as pairs of names."""
    numbers = np.asarray(pairs, np.int32).reshape(-1, 2)
    return Links(left.entities.gather(numbers[:, 0]), right.entities.gather(numbers[:, 1]))


def example_seeds() -> Links:
    left, right, truth = example()
    return named(left, right, truth[: N // 4])


def run(config: Config = SMALL, **options: Any) -> Alignment:
    """The example aligned; one thread where nothing else is asked for, since it is so small."""
    left, right, _ = example()
    return align(left, right, example_seeds(), config=config, **({"threads": 1} | options))


def fingerprint(alignment: Alignment) -> tuple[bytes, ...]:
    """Everything that was found, to the last bit."""
    candidates = alignment.assignment.candidates
    arrays = (
        *(alignment.left_ids, alignment.right_ids, alignment.probability, alignment.seeds),
        *(candidates.left, candidates.right, candidates.indptr, candidates.columns, candidates.scores),
        alignment.assignment.probabilities,
    )
    return (links_tsv(alignment), *(array.tobytes() for array in arrays))


def links_of(alignment: Alignment) -> set[tuple[int, int]]:
    return set(zip(alignment.left_ids.tolist(), alignment.right_ids.tolist(), strict=True))


def star(n_leaves: int, prefix: str) -> KnowledgeGraph:
    """Entity 0 points to all others."""
    facts = [(0, 0, leaf) for leaf in range(1, n_leaves + 1)]
    return graph_of(facts, n_entities=n_leaves + 1, prefix=prefix)


# --- the same result -----------------------------------------------------------------------------------


@every_preset
def test_the_same_seed_gives_the_same_bytes_at_any_number_of_threads(config: Config) -> None:
    once = fingerprint(run(config))
    assert once == fingerprint(run(config))
    assert once == fingerprint(run(config, threads=2))
    assert once == fingerprint(run(config, threads=None))


def test_another_random_seed_draws_other_labels() -> None:
    one, other = run(), run(random_seed=1)
    assert fingerprint(one) != fingerprint(other)
    assert len(links_of(one) & links_of(other)) > 0.8 * len(one)


def test_the_order_of_seeds_and_repetitions_do_not_matter() -> None:
    left, right, truth = example()
    seeds = truth[: N // 4]
    shuffled = named(left, right, np.concatenate([seeds[::-1], seeds[:5]]))
    assert fingerprint(align(left, right, shuffled, config=SMALL, threads=1)) == fingerprint(run())


@every_preset
def test_other_names_of_the_right_entities_change_nothing_but_names(config: Config) -> None:
    """Labels belong to the seeds in order of their left entity, so that only roundings differ."""
    left, right, truth = example()
    ranks = np.random.default_rng(1).permutation(right.n_entities).astype(np.int32)
    moved = np.stack([truth[:, 0], ranks[truth[:, 1]]], axis=1)
    renamed = reordered(right, ranks)
    again = align(left, renamed, named(left, renamed, moved[: N // 4]), config=config, threads=1)
    before = {(i, int(ranks[j])) for i, j in links_of(run(config))}
    assert len(before & links_of(again)) >= 0.95 * len(before | links_of(again))
    hits = [
        evaluate(found, test[N // 4 :]).hits_at_1 for found, test in ((run(config), truth), (again, moved))
    ]
    assert abs(hits[0] - hits[1]) <= 0.02


def test_other_names_of_the_left_entities_give_the_same_quality() -> None:
    left, right, truth = example()
    ranks = np.random.default_rng(2).permutation(left.n_entities).astype(np.int32)
    moved = np.stack([ranks[truth[:, 0]], truth[:, 1]], axis=1)
    renamed = reordered(left, ranks)
    again = align(renamed, right, named(renamed, right, moved[: N // 4]), config=SMALL, threads=1)
    before, after = evaluate(run(), truth[N // 4 :]), evaluate(again, moved[N // 4 :])
    assert abs(before.hits_at_1 - after.hits_at_1) <= 0.1


def test_left_and_right_may_change_places() -> None:
    left, right, truth = example()
    turned = align(right, left, named(right, left, truth[: N // 4, ::-1]), config=SMALL, threads=1)
    before, after = evaluate(run(), truth[N // 4 :]), evaluate(turned, truth[N // 4 :, ::-1])
    assert abs(before.hits_at_1 - after.hits_at_1) <= 0.1


def test_calls_from_two_threads_do_not_disturb_each_other() -> None:
    expected = [fingerprint(run(config)) for config in (SMALL, ITERATIVE, AUTO)] * 2
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(run, config, threads=2) for config in (SMALL, ITERATIVE, AUTO) * 2]
        assert [fingerprint(call.result()) for call in calls] == expected


def test_calls_from_two_threads_work_where_compiled_threads_allow_one_caller_only() -> None:
    """Numba's simplest threading layer, in some places the only one, ends a process that enters twice."""
    script = "import test_pipeline; test_pipeline.test_calls_from_two_threads_do_not_disturb_each_other()"
    environment = {**os.environ, "NUMBA_THREADING_LAYER": "workqueue"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_nothing_that_is_given_is_changed() -> None:
    left, right, _ = example()
    arrays = [column for graph in (left, right) for column in (graph.heads, graph.relation_ids, graph.tails)]
    wanted = np.array([5, 3, 3, 60], np.int32)
    before = [array.copy() for array in (*arrays, wanted)]
    for config in (ITERATIVE, AUTO):
        run(config, left_entities=wanted, right_entities=wanted)
    for array, copy in zip((*arrays, wanted), before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_what_can_be_seen_cannot_be_changed_by_accident() -> None:
    with pytest.raises(AttributeError):
        run().config = SMALL  # type: ignore[misc]


# --- quality -------------------------------------------------------------------------------------------


def test_most_of_an_easy_pair_is_found_and_other_presets_find_more() -> None:
    _, _, truth = example()
    basic, *better = (evaluate(run(config), truth[N // 4 :]) for config in (SMALL, ITERATIVE, AUTO))
    assert basic.hits_at_1 > 0.7
    assert min(scores.f1 for scores in better) > basic.f1 - 0.02


@every_preset
def test_links_are_one_to_one_sure_and_without_seeds(config: Config) -> None:
    found = run(config)
    assert len(set(found.left_ids.tolist())) == len(set(found.right_ids.tolist())) == len(found)
    assert (found.probability >= np.float32(found.config.threshold)).all()
    assert not set(found.left_ids.tolist()) & set(found.seeds[:, 0].tolist())
    assert not set(found.right_ids.tolist()) & set(found.seeds[:, 1].tolist())
    assert (np.diff(found.left_ids) > 0).all()


def test_the_truth_has_no_way_in() -> None:
    assert list(inspect.signature(align).parameters) == [
        *("left", "right", "seeds", "preset", "config", "random_seed"),
        *("left_entities", "right_entities", "threads", "memory", "strict", "names", "progress"),
    ]


def test_a_graph_aligned_with_itself_finds_itself() -> None:
    left, _, _ = example()
    seeds = named(left, left, [(i, i) for i in range(0, left.n_entities, 4)])
    found = align(left, left, seeds, config=SMALL, threads=1)
    identical = int(np.count_nonzero(found.left_ids == found.right_ids))
    assert identical > 0.9 * len(found) > 0.5 * len(found.assignment.candidates.left)


# --- threshold, calibration, quality -------------------------------------------------------------------


def test_the_threshold_is_chosen_where_seeds_can_be_held_back() -> None:
    found = run(AUTO)
    assert found.calibration is not None
    assert found.config.threshold in (np.arange(1, 100) / 100).tolist()
    assert (found.probability >= np.float32(found.config.threshold)).all()
    assert found.config.replace(threshold=None) == AUTO


@every_preset
def test_a_threshold_that_is_given_is_kept(config: Config) -> None:
    least = 0.875
    found = run(config.replace(threshold=least))
    assert found.config.threshold == least
    everything = run(config.replace(threshold=0.0))
    kept = everything.above(least)
    assert links_of(found) == links_of(kept)
    assert 0 < len(found) < len(everything)


def test_what_the_held_back_seeds_promise_is_about_what_the_test_links_show() -> None:
    _, _, truth = example()
    found = run(AUTO)
    promised, shown = found.quality, evaluate(found, truth[N // 4 :])
    assert promised is not None
    assert abs(promised.precision - shown.precision) < 0.15
    assert 0.0 <= promised.recall <= 1.0
    assert promised.threshold >= (found.config.threshold or 0.0)


@pytest.mark.parametrize("config", [SMALL, ITERATIVE], ids=["basic", "iterative"])
def test_the_presets_of_the_paper_calibrate_nothing(config: Config) -> None:
    found = run(config)
    assert found.calibration is found.quality is found.beliefs is None


def test_few_seeds_are_a_warning_and_leave_probabilities_as_they_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    left, right, truth = example()
    seeds = named(left, right, truth[: LEAST_SEEDS - 1])
    with caplog.at_level(logging.WARNING, "lightea"):
        found = align(left, right, seeds, config=AUTO, threads=1)
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{LEAST_SEEDS - 1} seeds are too few to hold some back")
    assert f"{LEAST_SEEDS} seeds would be enough" in record.getMessage()
    assert found.calibration is found.quality is None
    assert found.config.threshold == DEFAULT_THRESHOLD
    assert len(found) > 0


def test_seeds_that_all_contradict_each_other_leave_nothing_to_hide() -> None:
    """Sixty pairs of only five left entities: a result, if a poor one, and nothing calibrated."""
    left, right, truth = example()
    seeds = [(i, j) for i in truth[:5, 0] for j in truth[:12, 1]]
    found = align(left, right, named(left, right, seeds), config=AUTO, threads=1)
    assert found.calibration is None


def test_where_nothing_is_proposed_nothing_is_calibrated() -> None:
    """Many seeds, and hardly a fact."""
    left, right = (graph_of([(0, 0, 0)], n_entities=80, prefix=prefix) for prefix in ("l", "r"))
    found = align(left, right, named(left, right, [(i, i) for i in range(60)]), config=AUTO, threads=1)
    assert len(found) == 0


def test_seeds_for_everybody_leave_nobody_to_find() -> None:
    left, _, _ = example()
    everybody = named(left, left, [(i, i) for i in range(left.n_entities)])
    assert len(align(left, left, everybody, config=AUTO, threads=1)) == 0


@pytest.mark.parametrize(
    "extreme",
    [
        *(
            {"temperature": 1e-4},
            {"temperature": 10.0},
            {"no_match_score": 100.0},
            {"no_match_score": -100.0},
        ),
        *({"label_width": 8, "sketch_width": 8}, {"proposals": 10_000}, {"accept": 0.0}),
        *({"cosine_weight": 0.0}, {"threshold": 1.0}, {"sinkhorn_iterations": 1}),
    ],
    ids=str,
)
def test_extreme_settings_give_a_result(extreme: dict[str, Any]) -> None:
    found = run(AUTO.replace(**extreme))
    chances = found.assignment
    sums = np.bincount(
        chances.candidates.rows, chances.probabilities.astype(float), len(chances.candidates.left)
    )
    np.testing.assert_allclose(sums + chances.no_match, 1.0, atol=1e-5)
    assert len(set(found.right_ids.tolist())) == len(found)


def test_enough_seeds_are_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    run(AUTO)
    assert not caplog.records


# --- ties ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_leaves", [2, 7, 30])
def test_entities_that_nothing_tells_apart_share_equally(n_leaves: int) -> None:
    left, right = star(n_leaves, "left"), star(n_leaves, "right")
    found = align(left, right, named(left, right, [(0, 0)]), config=SMALL, threads=1)
    np.testing.assert_allclose(found.assignment.probabilities, 1 / n_leaves, rtol=1e-5)
    test = [(leaf, leaf) for leaf in range(1, n_leaves + 1)]
    assert evaluate(found, test).hits_at_1 == pytest.approx(1 / n_leaves)
    assert len(found) <= (1 if n_leaves == 2 else 0)


def test_where_ties_are_cut_off_the_expected_score_stays_what_chance_gives() -> None:
    """Of 30 equal leaves every row keeps the same ten."""
    left, right = star(30, "left"), star(30, "right")
    config = SMALL.replace(candidates=10)
    found = align(left, right, named(left, right, [(0, 0)]), config=config, threads=1)
    assert set(found.assignment.candidates.columns.tolist()) == set(range(10))
    test = [(leaf, leaf) for leaf in range(1, 31)]
    assert evaluate(found, test).hits_at_1 == pytest.approx(1 / 30)
    assert len(found) == 0


def test_twins_beside_distinct_entities_stay_undecided() -> None:
    """Leaves 1 and 2 have the same edges; leaf 3 has a relation of its own."""
    facts = [(0, 0, 1), (0, 0, 2), (0, 1, 3)]
    left, right = (graph_of(facts, n_entities=4, n_relations=2, prefix=prefix) for prefix in ("l", "r"))
    seeds = named(left, right, [(0, 0)])
    found = align(left, right, seeds, config=SMALL, threads=1)
    chances = dict(
        zip(
            zip(
                found.assignment.candidates.rows.tolist(),
                found.assignment.candidates.columns.tolist(),
                strict=True,
            ),
            found.assignment.probabilities.tolist(),
            strict=True,
        )
    )
    assert chances[0, 0] == chances[0, 1] == chances[1, 0] == chances[1, 1]
    assert chances[0, 0] <= 0.5


# --- odd graphs ----------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=40)
@given(data=st.data(), left=graphs(prefix="l", least_facts=1), right=graphs(prefix="r", least_facts=1))
def test_any_two_graphs_give_a_result(
    data: st.DataObject, left: KnowledgeGraph, right: KnowledgeGraph
) -> None:
    entity = st.tuples(st.integers(0, left.n_entities - 1), st.integers(0, right.n_entities - 1))
    seeds = data.draw(st.lists(entity, min_size=1, max_size=4, unique=True))
    config = data.draw(st.sampled_from([SMALL, ITERATIVE, ITERATIVE.replace(temperature=1e-3), AUTO]))
    found = align(left, right, named(left, right, seeds), config=config, threads=1)
    for chances in (found.assignment.probabilities, found.assignment.no_match):
        assert np.isfinite(chances).all()
        assert (chances >= 0).all()
        assert (chances <= 1 + 1e-5).all()
    highest = 1 + 1e-5 if config.evidence_rounds == 0 else np.inf
    assert (np.abs(found.assignment.candidates.scores) <= highest).all()
    assert len(set(found.left_ids.tolist())) == len(set(found.right_ids.tolist())) == len(found)


def test_a_graph_without_facts_is_refused() -> None:
    left, right, _ = example()
    empty = graph_of([], n_entities=3, prefix="nothing")
    for first, second, side in ((empty, right, "left"), (left, empty, "right")):
        with pytest.raises(InputError, match=f"the {side} graph 'nothing' has no facts") as problem:
            align(first, second, named(first, second, [(0, 0)]), config=SMALL)
        assert "entities in it: 3," in str(problem.value.hint)


def test_entities_without_facts_find_nothing_and_are_found_by_nobody() -> None:
    facts = [(0, 0, 1), (1, 0, 2), (2, 0, 3), (0, 0, 3)]
    left, right = (graph_of(facts, n_entities=6, prefix=prefix) for prefix in ("l", "r"))
    found = align(left, right, named(left, right, [(0, 0), (2, 2)]), config=SMALL, threads=1)
    candidates = found.assignment.candidates
    lone = np.isin(candidates.left, [4, 5])
    assert (np.diff(candidates.indptr)[lone] == 0).all()
    assert not set(candidates.right[candidates.columns].tolist()) & {4, 5}
    assert not {4, 5} & set(found.left_ids.tolist())


def test_seeds_may_have_no_facts() -> None:
    facts = [(0, 0, 1), (1, 0, 2)]
    left, right = (graph_of(facts, n_entities=5, prefix=prefix) for prefix in ("l", "r"))
    found = align(left, right, named(left, right, [(4, 4)]), config=SMALL, threads=1)
    assert len(found) == len(found.assignment.candidates.columns) == 0


def test_one_relation_is_enough() -> None:
    """A tree of one relation, in which all entities differ."""
    facts = [(0, 0, 1), (0, 0, 2), (1, 0, 3), (3, 0, 4), (2, 0, 5), (5, 0, 5)]
    left, right = (graph_of(facts, n_entities=6, prefix=prefix) for prefix in ("l", "r"))
    found = align(left, right, named(left, right, [(0, 0), (3, 3)]), config=SMALL, threads=1)
    assert links_of(found) == {(1, 1), (2, 2), (4, 4), (5, 5)}


def test_fewer_entities_than_candidates_are_wanted() -> None:
    left, right = star(3, "left"), star(5, "right")
    config = SMALL.replace(candidates=500, proposals=500)
    found = align(left, right, named(left, right, [(0, 0)]), config=config, threads=1)
    assert np.diff(found.assignment.candidates.indptr).tolist() == [5, 5, 5]


def test_more_candidates_than_proposals_are_wanted() -> None:
    found = run(SMALL.replace(candidates=40, proposals=3))
    assert np.diff(found.assignment.candidates.indptr).max() == 3


def test_one_entity_on_each_side_leaves_nothing_to_find() -> None:
    left, right = (graph_of([(0, 0, 0)], n_entities=1, prefix=prefix) for prefix in ("l", "r"))
    found = align(left, right, named(left, right, [(0, 0)]), config=ITERATIVE, threads=1)
    assert len(found) == len(found.assignment.candidates.left) == 0
    assert links_tsv(found) == b"left\tright\tprobability\n"


def test_the_same_names_on_both_sides_do_not_mix() -> None:
    """Names tell nothing: the right graph calls everything by its neighbour's name."""
    left = graph_of([(0, 0, 1), (1, 1, 2), (2, 1, 3)], n_entities=4, n_relations=2)
    right = reordered(left, np.array([1, 2, 3, 0], np.int32))
    found = align(left, right, named(left, right, [(0, 1), (3, 0)]), config=SMALL, threads=1)
    assert links_of(found) == {(1, 2), (2, 3)}


def test_long_and_foreign_names_pass_through() -> None:
    names = ["北京\t市", "é" * 5000, "🦀", "plain"]
    left = graph_from_names(names[:3], ["r", "s", "r"], names[1:])
    right = graph_from_names(
        [f"{name}!" for name in names[:3]], ["r", "s", "r"], [f"{name}!" for name in names[1:]]
    )
    seeds = Links(pl.Series([names[0], names[3]]), pl.Series([f"{names[0]}!", f"{names[3]}!"]))
    table = align(left, right, seeds, config=SMALL, threads=1).to_polars()
    assert dict(zip(table["left"], table["right"], strict=True)) == {name: f"{name}!" for name in names[1:3]}


# --- who takes part ------------------------------------------------------------------------------------


def test_by_default_all_but_the_seeds_take_part() -> None:
    left, right, truth = example()
    candidates = run().assignment.candidates
    assert candidates.left.tolist() == sorted(set(range(left.n_entities)) - set(truth[: N // 4, 0].tolist()))
    assert candidates.right.tolist() == sorted(
        set(range(right.n_entities)) - set(truth[: N // 4, 1].tolist())
    )


def test_only_those_asked_for_take_part() -> None:
    _, _, truth = example()
    chosen = truth[N // 4 :][:30]
    found = run(left_entities=chosen[:, 0], right_entities=chosen[:, 1])
    assert found.assignment.candidates.left.tolist() == sorted(chosen[:, 0].tolist())
    assert found.assignment.candidates.right.tolist() == sorted(chosen[:, 1].tolist())
    assert set(found.left_ids.tolist()) <= set(chosen[:, 0].tolist())
    assert set(found.right_ids.tolist()) <= set(chosen[:, 1].tolist())


def test_order_and_repetition_of_those_asked_for_do_not_matter() -> None:
    _, _, truth = example()
    chosen = truth[N // 4 :][:30]
    other = np.concatenate([chosen[::-1], chosen[:7]])
    one, two = (run(left_entities=rows[:, 0], right_entities=rows[:, 1]) for rows in (chosen, other))
    assert fingerprint(one) == fingerprint(two)


@every_preset
@pytest.mark.parametrize("side", ["left_entities", "right_entities"])
def test_nobody_may_be_asked_for(side: str, config: Config) -> None:
    assert len(run(config, **{side: []})) == 0


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("odd", [-1, 10_000])
def test_numbers_outside_the_graph_are_refused(side: str, odd: int) -> None:
    with pytest.raises(InputError, match=f"{side}_entities holds {odd}"):
        run(**{f"{side}_entities": [0, odd]})


def test_a_later_round_keeps_the_seeds_and_adds_pairs_of_free_entities(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where seeds are searched themselves."""
    left, right, _ = example()
    rounds: list[np.ndarray] = []
    original = sketching.seed_labels

    def spy(pairs: Ids, *rest: Any) -> Any:
        rounds.append(pairs.copy())
        return original(pairs, *rest)

    run()  # so that the kernels are warm, which is a run of its own
    monkeypatch.setattr(sketching, "seed_labels", spy)
    run(ITERATIVE, left_entities=np.arange(left.n_entities), right_entities=np.arange(right.n_entities))
    seeds = {tuple(pair) for pair in rounds[0].tolist()}
    assert len(rounds) == 3
    for pairs in rounds[1:]:
        assert seeds < {tuple(pair) for pair in pairs.tolist()}
        assert len(set(pairs[:, 0].tolist())) == len(set(pairs[:, 1].tolist())) == len(pairs)


# --- seeds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "none", [None, Links(pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.String))]
)
def test_no_seeds_are_refused(none: Links | None) -> None:
    left, right, _ = example()
    with pytest.raises(SeedError, match="'basic' starts from pairs known to be the same") as problem:
        align(left, right, none, config=SMALL)
    assert "--seeds" in str(problem.value.hint)


def with_unknown() -> Links:
    seeds = example_seeds()
    strangers = [f"nobody {number}" for number in range(4)]
    return Links(
        pl.concat([seeds.left, pl.Series(strangers)]), pl.concat([seeds.right, seeds.right[: len(strangers)]])
    )


def test_unknown_seeds_are_counted_and_named_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    left, right, _ = example()
    with caplog.at_level(logging.WARNING, "lightea"):
        found = align(left, right, with_unknown(), config=SMALL, threads=1)
    assert fingerprint(found) == fingerprint(run())
    (record,) = caplog.records
    assert "4 of 54 seeds name entities" in record.getMessage()
    assert "'nobody 0', 'nobody 1', 'nobody 2'" in record.getMessage()
    assert "nobody 3" not in record.getMessage()


def test_unknown_seeds_are_refused_if_strict() -> None:
    left, right, _ = example()
    with pytest.raises(SeedError, match="4 of 54 seeds"):
        align(left, right, with_unknown(), config=SMALL, strict=True)


def test_seeds_of_which_none_is_known_are_refused() -> None:
    left, right, _ = example()
    strangers = Links(pl.Series(["a", "b"]), pl.Series(["c", "d"]))
    with pytest.raises(SeedError, match=r"2 of 2 seeds .* 'a', 'c', 'b'"):
        align(left, right, strangers, config=SMALL)


def conflicting() -> tuple[Links, str]:
    """The seeds and one more partner for the first of them."""
    left, right, truth = example()
    more = [*truth[: N // 4].tolist(), (truth[0, 0], truth[-1, 1])]
    return named(left, right, more), left.entities[int(truth[0, 0])]


def test_conflicting_seeds_are_counted_and_named_and_used(caplog: pytest.LogCaptureFixture) -> None:
    left, right, _ = example()
    seeds, name = conflicting()
    with caplog.at_level(logging.WARNING, "lightea"):
        found = align(left, right, seeds, config=SMALL, threads=1)
    (record,) = caplog.records
    assert "entities that stand in more than one seed: 1," in record.getMessage()
    assert repr(name) in record.getMessage()
    assert len(found.seeds) == N // 4 + 1


def test_conflicting_seeds_are_refused_if_strict() -> None:
    left, right, _ = example()
    seeds, name = conflicting()
    with pytest.raises(SeedError, match=name):
        align(left, right, seeds, config=SMALL, strict=True)


def test_good_seeds_pass_if_strict(caplog: pytest.LogCaptureFixture) -> None:
    assert fingerprint(run(strict=True)) == fingerprint(run())
    assert not caplog.records


def test_seeds_may_be_a_table_or_a_file(tmp_path: Path) -> None:
    left, right, _ = example()
    seeds = example_seeds()
    table = pl.DataFrame({"l": seeds.left, "r": seeds.right, "more": 1})
    file = tmp_path / "seeds.tsv"
    file.write_text(
        "".join(f"{a}\t{b}\n" for a, b in zip(seeds.left, seeds.right, strict=True)), encoding="utf-8"
    )
    for given_seeds in (table, file, str(file)):
        assert fingerprint(align(left, right, given_seeds, config=SMALL, threads=1)) == fingerprint(run())


def test_a_table_of_one_column_is_refused() -> None:
    left, right, _ = example()
    with pytest.raises(SeedError, match="needs two columns, left and right; it has 1"):
        align(left, right, pl.DataFrame({"l": ["a"]}), config=SMALL)


# --- settings, threads, progress -----------------------------------------------------------------------


def test_the_settings_are_those_of_the_config_with_the_random_seed_on_top() -> None:
    assert run().config == SMALL.replace(threshold=DEFAULT_THRESHOLD)
    assert run(SMALL.replace(random_seed=4)).config.random_seed == 4
    both = run(SMALL.replace(random_seed=4, threshold=0.75), random_seed=5)
    assert both.config == SMALL.replace(random_seed=5, threshold=0.75)


@pytest.mark.parametrize(
    ("preset", "expected"), [(None, DEFAULT_PRESET), *((name, name) for name in PRESETS)]
)
def test_without_a_config_the_settings_are_those_of_a_preset(preset: str | None, expected: str) -> None:
    left, right = star(3, "left"), star(3, "right")
    found = align(left, right, named(left, right, [(0, 0)]), preset=preset, threads=1)
    assert found.config == PRESETS[expected].replace(threshold=DEFAULT_THRESHOLD)


def test_a_preset_and_a_config_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match="preset and config exclude each other"):
        run(preset="iterative")


def test_an_unknown_preset_is_refused() -> None:
    left, right, _ = example()
    with pytest.raises(ConfigError, match="unknown preset 'fast'"):
        align(left, right, example_seeds(), preset="fast")


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_are_refused(threads: int) -> None:
    with pytest.raises(ConfigError, match=f"threads is {threads}"):
        run(threads=threads)


def test_more_threads_than_cores_are_allowed() -> None:
    assert fingerprint(run(threads=64)) == fingerprint(run())


def test_the_number_of_compiled_threads_is_put_back() -> None:
    most = numba.config.NUMBA_NUM_THREADS
    numba.set_num_threads(most)
    run(threads=1)
    assert numba.get_num_threads() == most
    with pytest.raises(InputError):
        run(threads=1, left_entities=[-1])
    assert numba.get_num_threads() == most


def test_every_stage_is_timed() -> None:
    stages = {"compile", "adjacency", "labels", "propagation", "sketch", "candidates", "assignment"}
    for config, more in ((ITERATIVE, set()), (AUTO, {"names", "preparation", "evidence", "calibration"})):
        seconds = run(config).seconds
        assert set(seconds) == stages | more
        assert all(value >= 0 for value in seconds.values())


@every_preset
def test_progress_grows_to_the_end_of_each_stage(config: Config) -> None:
    shares = shares_told(config)
    for stage, told in shares.items():
        assert told == sorted(told), stage
        assert (told[0], told[-1]) == (0.0, 1.0), stage


def shares_told(config: Config) -> dict[str, list[float]]:
    """How much of each stage was said to be done, time after time."""
    shares: dict[str, list[float]] = {}
    run(config, progress=lambda stage, done, total: shares.setdefault(stage, []).append(done / total))
    return shares


@every_preset
def test_progress_names_stages_and_rounds(config: Config) -> None:
    shares, stages = shares_told(config), ("labels", "propagation", "sketch", "candidates", "assignment")
    told = {name for name in shares if name.partition(" ")[0] in stages}
    if config.rounds == 1:
        assert told == set(stages)
    elif config.evidence_rounds == 0:
        numbers = [f"{number}/{config.rounds}" for number in range(1, config.rounds + 1)]
        assert told == {f"{stage} {number}" for stage in stages for number in numbers}
    else:  # rounds end when they gain no more
        numbers = [name.partition(" ")[2] for name in shares if name.startswith("sketch ")]
        assert numbers == [f"{number}/{config.rounds}" for number in range(1, len(numbers) + 1)]
        assert {f"{stage} {number}" for stage in stages for number in numbers} <= told
    assert all(0.0 <= share <= 1.0 for told_shares in shares.values() for share in told_shares)


def test_a_run_that_is_interrupted_leaves_the_next_one_alone() -> None:
    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "candidates":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(progress=interrupt)
    assert fingerprint(run()) == fingerprint(run())
