"""`lightea.update`: what stays, what is found, what changes and why, and requests that make no sense."""

from __future__ import annotations

import functools
import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import lightea
from lightea import cli
from lightea.errors import InputError, ReadError
from lightea.graph import KnowledgeGraph, Links
from lightea.graph_builder import graph_from_names
from lightea.renewal import Update
from lightea.run_store import load_alignment
from lightea.synthetic import DEMO, make_pair
from lightea.writing import links_tsv, write_run

SMALL = {"label_width": 64, "sketch_width": 256}


def facts(graph: KnowledgeGraph, rows: np.ndarray) -> KnowledgeGraph:
    """Some of the facts of a graph, and nothing else."""
    return graph_from_names(
        graph.entities.gather(graph.heads[rows]),
        graph.relations.gather(graph.relation_ids[rows]),
        graph.entities.gather(graph.tails[rows]),
        name=graph.name,
    )


@functools.cache
def halves() -> tuple[tuple[KnowledgeGraph, KnowledgeGraph], tuple[KnowledgeGraph, KnowledgeGraph], Links]:
    """The left and the right graph, each without its last entities and with the facts of these apart."""
    made = make_pair(400, shape=DEMO)
    generator = np.random.default_rng(0)
    new = generator.random(len(made.links)) < 0.1
    parts = []
    for graph, names in ((made.left, made.links.left), (made.right, made.links.right)):
        is_new = np.zeros(graph.n_entities, np.bool_)
        is_new[graph.find(names.filter(pl.Series(new)))] = True
        later = is_new[graph.heads] | is_new[graph.tails]
        parts.append((facts(graph, np.flatnonzero(~later)), facts(graph, np.flatnonzero(later))))
    known = Links(made.links.left.filter(pl.Series(~new)), made.links.right.filter(pl.Series(~new)))
    (left, left_new), (right, right_new) = parts
    return (left, right), (left_new, right_new), known


@functools.cache
def earlier() -> lightea.Alignment:
    (left, right), _, known = halves()
    seeds, _ = known.split(0.5, random_seed=0)
    return lightea.align(left, right, seeds, config=lightea.Config.for_preset("auto", **SMALL))


@functools.cache
def updated() -> Update:
    _, added, _ = halves()
    return lightea.update(earlier(), *added)


def one_new_entity() -> Update:
    """A new entity on either side, with one fact each that names a linked pair."""
    left, right = earlier().to_polars().sort("probability").row(-1)[:2]
    names = earlier().left.relations[0], earlier().right.relations[0]
    return lightea.update(
        earlier(),
        graph_from_names(["new left"], [names[0]], [left]),
        graph_from_names(["new right"], [names[1]], [right]),
    )


def pairs(alignment: lightea.Alignment) -> dict[str, tuple[str, float]]:
    return {left: (right, chance) for left, right, chance in alignment.to_polars().iter_rows()}


def test_entities_that_are_new_on_both_sides_are_found() -> None:
    made = make_pair(400, shape=DEMO)
    truth = dict(zip(made.links.left, made.links.right, strict=True))
    new = [left for left in updated().alignment.left.entities if left not in set(earlier().left.entities)]
    found = pairs(updated().alignment)
    right = [left for left in new if left in found and found[left][0] == truth.get(left)]
    assert len(right) > 0.5 * len([left for left in new if left in truth])


def test_links_that_no_new_fact_touches_stay_as_they_were() -> None:
    before, after = pairs(earlier()), pairs(one_new_entity().alignment)
    touched = {left for left in before if before[left] != after.get(left)}
    assert len(touched) <= 1
    assert len(before) > 50


def test_the_changes_are_the_difference_of_the_links() -> None:
    before, after = pairs(earlier()), pairs(updated().alignment)
    table = updated().changes.table
    of_kind = {kind: set(table.filter(change=kind)["left"]) for kind in ("added", "dropped", "changed")}
    assert of_kind["added"] == set(after) - set(before)
    assert of_kind["dropped"] == set(before) - set(after)
    both = set(before) & set(after)
    assert of_kind["changed"] == {left for left in both if before[left][0] != after[left][0]}
    counts = updated().changes.counts
    assert counts["kept"] == len(both) - len(of_kind["changed"])
    assert counts["links"] == len(after)
    assert table["reason"].str.len_chars().min() > 10


def test_an_accepted_link_goes_only_where_there_is_a_likelier_partner_or_less_to_say_for_it() -> None:
    after = updated().alignment
    partners = set(after.right.entities.gather(after.right_ids))
    for left, right, reason in (
        updated().changes.table.filter(change="dropped").select("left", "right_before", "reason").iter_rows()
    ):
        assert "likelier" in reason or "fell" in reason, (left, right)
        assert "likelier" not in reason or right in partners


def test_new_entities_are_called_new() -> None:
    reasons = dict(updated().changes.table.filter(change="added").select("left", "reason").iter_rows())
    known = set(earlier().left.entities)
    assert all(("new" in reason) for left, reason in reasons.items() if left not in known)


def test_an_updated_link_is_explained_by_terms_that_add_up() -> None:
    after = updated().alignment
    for number in range(0, len(after), 40):
        left, right, _ = after.to_polars().row(number)
        found = after.explain(left, right)
        assert found.evidence is not None
        assert sum(term.contribution for term in found.terms) == pytest.approx(found.evidence, abs=1e-5)


def test_rows_of_the_assignment_do_not_promise_more_than_one() -> None:
    assignment = updated().alignment.assignment
    sums = np.bincount(assignment.candidates.rows, assignment.probabilities, len(assignment.no_match))
    assert np.all(sums + assignment.no_match <= 1.0 + 1e-3)


def test_the_number_of_threads_changes_nothing() -> None:
    _, added, _ = halves()
    one, two = (lightea.update(earlier(), *added, threads=n) for n in (1, 2))
    assert links_tsv(one.alignment) == links_tsv(two.alignment)
    assert one.changes.table.equals(two.changes.table)


def test_a_run_directory_gives_what_the_alignment_gives_and_is_updated_again(tmp_path: Path) -> None:
    _, added, _ = halves()
    run = earlier().write(tmp_path / "run")
    stored = lightea.update(run, *added)
    assert set(pairs(stored.alignment)) == set(pairs(updated().alignment))
    again = stored.write(tmp_path / "again")
    further = graph_from_names([earlier().left.entities[0]], ["r"], ["somebody"])
    assert lightea.update(again, further).changes.counts["new_left_entities"] == 1


def test_attributes_are_kept_for_the_next_update(tmp_path: Path) -> None:
    attributes = pl.DataFrame(
        {"entity": ["a"], "attribute": ["name"], "value": ["A"], "datatype": [None], "language": ["en"]},
        schema_overrides={"datatype": pl.String},
    )
    made = earlier()
    left = made.left
    named = lightea.update(
        made, graph_from_names([left.entities[0]], ["r"], ["a"], attributes=attributes)
    ).write(tmp_path / "run")
    assert load_alignment(named, attributes=True).left.attributes["value"].to_list() == ["A"]
    assert len(load_alignment(named).left.attributes) == 0


# Requests that make no sense


def test_facts_that_are_all_known_are_nothing_new() -> None:
    (left, _), _, _ = halves()
    with pytest.raises(InputError, match="hold nothing new"):
        lightea.update(earlier(), left)


def test_nothing_added_is_said() -> None:
    with pytest.raises(InputError, match="nothing was added"):
        lightea.update(earlier())


def test_a_run_by_sketches_alone_cannot_be_updated() -> None:
    (left, right), (left_new, _), known = halves()
    config = lightea.Config.for_preset("basic", **SMALL)
    basic = lightea.align(left, right, known, config=config)
    with pytest.raises(InputError, match="preset 'basic'") as raised:
        lightea.update(basic, left_new)
    assert "auto" in str(raised.value.hint)


def test_runs_of_other_formats_are_refused(tmp_path: Path) -> None:
    run = earlier().write(tmp_path / "run")
    about = run / "evidence" / "about.json"
    about.write_text(about.read_text().replace('"format": 2', '"format": 1'))
    with pytest.raises(ReadError, match="has format 1, and this version of lightea reads format 2"):
        lightea.update(run, halves()[1][0])


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="not a run directory"):
        lightea.update(tmp_path, halves()[1][0])


# The command


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a run, and new facts of both sides."""
    write_run(earlier(), tmp_path / "run", also=["oaei"])
    for side, graph in zip(("left", "right"), halves()[1], strict=True):
        lines = zip(
            graph.entities.gather(graph.heads),
            graph.relations.gather(graph.relation_ids),
            graph.entities.gather(graph.tails),
            strict=True,
        )
        (tmp_path / f"{side}.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_writes_links_and_what_changed(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = (place / "run" / "links.tsv").read_bytes()
    assert (
        cli.main(["update", "run", "--left-add", "left.tsv", "--right-add", "right.tsv", "--out", "new"]) == 0
    )
    out, err = capfd.readouterr()
    assert err == ""
    assert "kept" in out
    assert "Estimated precision" in out
    assert (place / "run" / "links.tsv").read_bytes() == before
    table = pl.read_csv(place / "new" / "diff.tsv", separator="\t", quote_char=None, infer_schema=False)
    document = json.loads((place / "new" / "diff.json").read_text())
    assert table.columns == [
        *("change", "left", "right", "probability", "right_before", "probability_before", "reason")
    ]
    assert (
        len(table)
        == len(document["changes"])
        == sum(document["counts"][kind] for kind in ("added", "dropped", "changed"))
    )
    assert "opened" in document["rule"]
    manifest = json.loads((place / "new" / "run.json").read_text())
    assert manifest["update"] == document["counts"]
    assert set(manifest["files"]) >= {"diff.tsv", "diff.json", "links.rdf"}
    assert manifest["inputs"]["left"]["path"] == "left.tsv"


def test_without_a_place_the_run_is_replaced(place: Path) -> None:
    assert cli.main(["update", "run", "--left-add", "left.tsv", "--quiet"]) == 0
    assert (place / "run" / "diff.json").exists()
    assert cli.main(["update", "run", "--right-add", "right.tsv", "--quiet"]) == 0
    assert json.loads((place / "run" / "diff.json").read_text())["counts"]["new_left_facts"] == 0


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run"], 2, "nothing was added"),
        (["run", "--left-add", "gone.tsv"], 1, "gone.tsv"),
        (["run", "--left-add", "noise.xyz"], 1, "noise.xyz"),
        (["nowhere", "--left-add", "left.tsv"], 1, "not a run directory"),
        (["run", "--left-add", "known.tsv"], 1, "hold nothing new"),
        (["run", "--left-add", "-", "--right-add", "-"], 2, "standard input"),
    ],
)
def test_bad_requests_end_with_a_sentence_and_leave_the_run(
    place: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    (place / "noise.xyz").write_bytes(bytes(range(256)))
    old = earlier().left
    row = (
        old.entities[int(old.heads[0])],
        old.relations[int(old.relation_ids[0])],
        old.entities[int(old.tails[0])],
    )
    (place / "known.tsv").write_text("\t".join(row) + "\n")
    before = (place / "run" / "links.tsv").read_bytes()
    assert cli.main(["update", *arguments]) == code
    err = capfd.readouterr().err
    assert words in err
    assert "Traceback" not in err
    assert (place / "run" / "links.tsv").read_bytes() == before
    shutil.rmtree(place / "run")
