"""The run directory: its tables, its manifest, and that it appears whole or not at all."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explained import curies
from handmade import alignment
from lightea import outputs
from lightea.alignment import Alignment
from lightea.errors import ConfigError, OutputError
from lightea.exchange import Publication
from lightea.graph import KnowledgeGraph
from lightea.standing import link_counts
from lightea.writing import (
    check_writable,
    input_facts,
    links_tsv,
    no_match_tsv,
    relations_tsv,
    rewrite_report,
    seeds_tsv,
    to_json,
    write_run,
)


@pytest.fixture
def found() -> Alignment:
    """Two links, given out of order, and a seed."""
    made = alignment(
        {
            0: [(0, 0.9, 0.8)],
            1: [(0, 0.6, 0.9), (1, 0.3, 0.2)],
            2: [(3, 0.1, 0.5)],
            3: [(3, 0.01, 0.5)],
            4: [],
        },
        links=[(1, 1), (0, 0)],
    )
    return dataclasses.replace(
        made,
        seeds=np.array([(8, 7), (5, 6)], np.int32),
        probability=np.array([0.3, 0.9], np.float32),
        seconds={"labels": 0.25, "compile": 1.5},
    )


def named_entities(made: Alignment, names: list[str]) -> Alignment:
    """The alignment with the first left entities named so."""
    graph = made.left
    entities = pl.Series(names + graph.entities.to_list()[len(names) :], dtype=pl.String)
    renamed = KnowledgeGraph(entities, graph.relations, graph.heads, graph.relation_ids, graph.tails)
    return dataclasses.replace(made, left=renamed)


def unescaped(text: str) -> str:
    """The reverse of what the tables do to a name."""
    parts = text.split("\\\\")
    for written, character in (("\\t", "\t"), ("\\n", "\n"), ("\\r", "\r")):
        parts = [part.replace(written, character) for part in parts]
    return "\\".join(parts)


def contents(directory: Path) -> dict[str, bytes]:
    """The files below a directory, by their path there."""
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


# The tables


def test_links_stand_in_order_of_the_left_name_with_six_decimals(found: Alignment) -> None:
    assert links_tsv(found).decode() == (
        "left\tright\tprobability\nl000\tr000\t0.900000\nl001\tr001\t0.300000\n"
    )


def test_seeds_stand_in_order_of_the_left_name(found: Alignment) -> None:
    assert seeds_tsv(found).decode() == "left\tright\nl005\tr006\nl008\tr007\n"


def test_no_links_and_no_seeds_are_tables_with_a_header_alone() -> None:
    nothing = alignment({})
    assert links_tsv(nothing) == b"left\tright\tprobability\n"
    assert seeds_tsv(nothing) == b"left\tright\n"


@given(st.text(st.sampled_from("\\tnr\t\n\r\"', é$"), max_size=8))
def test_any_name_is_one_field_and_can_be_restored(name: str) -> None:
    made = named_entities(alignment({0: [(0, 0.9, 0.8)]}, links=[(0, 0)]), [name])
    lines = links_tsv(made).decode().split("\n")
    assert len(lines) == 3
    field, right, probability = lines[1].split("\t")
    assert (unescaped(field), right, probability) == (name, "r000", "0.900000")
    assert "\r" not in field


def test_ordinary_names_are_written_as_they_are() -> None:
    made = named_entities(
        alignment({0: [(0, 0.9, 0.8)]}, links=[(0, 0)]), ['http://x.org/a?b="c",d#é [bold] \x1b']
    )
    assert links_tsv(made).decode().split("\n")[1].startswith('http://x.org/a?b="c",d#é [bold] \x1b\tr000\t')


def test_who_has_no_link_is_listed_with_the_probability_of_that(found: Alignment) -> None:
    lines = no_match_tsv(found).decode().splitlines()
    assert lines == ["left\tprobability", "l002\t0.900000", "l003\t0.990000", "l004\t1.000000"]


def test_relations_that_say_the_same_stand_in_order_of_their_agreement() -> None:
    lines = relations_tsv(curies()).decode().splitlines()
    assert lines[0] == "left\tright\tagreement\tsupport\tinverse"
    rows = [line.split("\t") for line in lines[1:]]
    assert [(left, right, inverse) for left, right, _, _, inverse in rows] == [
        ("field", "discipline", "no"),
        ("born_in", "birthplace", "no"),
        ("spouse", "husband", "yes"),
        ("mother", "child", "yes"),
    ]
    agreements = [float(row[2]) for row in rows]
    assert agreements == sorted(agreements, reverse=True)


def test_relations_are_written_only_where_evidence_compared_them(found: Alignment, tmp_path: Path) -> None:
    assert (write_run(curies(), tmp_path / "with") / "relations.tsv").exists()
    directory = write_run(found, tmp_path / "without")
    assert not (directory / "relations.tsv").exists()
    assert "relations.tsv" not in json.loads((directory / "run.json").read_text())["files"]
    with pytest.raises(ValueError, match="by evidence only"):
        relations_tsv(found)


# The run directory


def test_a_run_directory_holds_its_tables_and_the_manifest(found: Alignment, tmp_path: Path) -> None:
    directory = write_run(found, tmp_path / "deep" / "down" / "run")
    assert sorted(path.name for path in directory.iterdir()) == [
        "evidence",
        "links.nt",
        "links.sssom.tsv",
        "links.tsv",
        "no_match.tsv",
        "report.html",
        "run.json",
        "seeds.tsv",
    ]
    assert (directory / "links.tsv").read_bytes() == links_tsv(found)
    assert (directory / "seeds.tsv").read_bytes() == seeds_tsv(found)


def test_more_formats_are_written_on_request_and_listed(found: Alignment, tmp_path: Path) -> None:
    directory = write_run(found, tmp_path / "run", also=["oaei", "turtle", "parquet"])
    for file in ("links.rdf", "links.ttl", "links.parquet"):
        assert (directory / file).exists()
        assert file in json.loads((directory / "run.json").read_text())["files"]
    assert (found.write(tmp_path / "run", also=["oaei"]) / "links.rdf").exists()
    assert not (directory / "links.ttl").exists()


def test_an_unknown_format_is_refused_before_anything_is_written(found: Alignment, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown format 'excel'"):
        write_run(found, tmp_path / "run", also=["excel"])
    assert not list(tmp_path.iterdir())


def test_the_version_of_a_graph_is_the_hash_of_its_file_unless_one_is_given(
    found: Alignment, tmp_path: Path
) -> None:
    left = tmp_path / "left.tsv"
    left.write_bytes(b"a\tb\tc\n")
    told = Publication(right_version="2016-10")
    directory = write_run(found, tmp_path / "run", inputs={"left": left, "right": left}, publication=told)
    text = (directory / "links.sssom.tsv").read_text()
    assert f'subject_source_version: "sha256:{hashlib.sha256(left.read_bytes()).hexdigest()}"' in text
    assert 'object_source_version: "2016-10"' in text


def test_the_alignment_writes_itself(found: Alignment, tmp_path: Path) -> None:
    assert (found.write(tmp_path / "run") / "links.tsv").exists()


def test_the_tables_of_two_runs_are_the_same_bytes(found: Alignment, tmp_path: Path) -> None:
    again = dataclasses.replace(found, seconds={"labels": 7.0})
    one, two = (
        contents(write_run(run, tmp_path / name, also=["oaei", "turtle", "parquet"]))
        for run, name in ((found, "one"), (again, "two"))
    )
    assert {name for name in one if one[name] != two[name]} == {"report.html", "run.json"}
    (tmp_path / "two" / "run.json").write_bytes(one["run.json"])  # which has the times that the report shows
    assert rewrite_report(again, tmp_path / "two").read_bytes() == one["report.html"]


def test_the_manifest_says_how_the_run_was_made(found: Alignment, tmp_path: Path) -> None:
    left = tmp_path / "left.tsv"
    left.write_bytes(b"a\tb\tc\n")
    directory = write_run(found, tmp_path / "run", inputs={"left": left}, threads=3)
    manifest = json.loads((directory / "run.json").read_text(encoding="utf-8"))
    assert manifest["inputs"] == {
        "left": {"path": str(left), "bytes": 6, "sha256": hashlib.sha256(b"a\tb\tc\n").hexdigest()}
    }
    assert manifest["files"] == sorted(contents(directory))
    assert "evidence/candidates.parquet" in manifest["files"]
    assert manifest["config"] == json.loads(json.dumps(dataclasses.asdict(found.config)))
    assert manifest["names"] is None
    assert manifest["seconds"] == {"labels": 0.25, "compile": 1.5}
    assert manifest["machine"]["threads"] == 3
    assert manifest["graphs"]["left"]["entities"] == 30
    assert {"python", "lightea", "numpy", "numba", "polars"} <= set(manifest["versions"])
    assert {"commit", "finished", "lightea", "peak_rss_mb", "assignment"} <= set(manifest)


def test_every_searched_entity_is_matched_doubtful_or_unmatched(found: Alignment) -> None:
    assert link_counts(found) == {
        "seeds": 2,
        "searched": 5,
        "matched": 2,
        "links": 2,
        "doubtful": 1,
        "unmatched": 2,
        "candidate_pairs": 5,
    }


def test_numbers_that_json_cannot_hold_become_null() -> None:
    text = to_json({"a": math.nan, "b": [math.inf, np.float32(0.5)], "c": {"d": np.int64(3)}})
    assert json.loads(text) == {"a": None, "b": [None, 0.5], "c": {"d": 3}}


def test_a_directory_of_shards_has_one_hash_over_names_and_contents(tmp_path: Path) -> None:
    shards = tmp_path / "shards"
    shards.mkdir()
    (shards / "b.nt").write_bytes(b"bb")
    (shards / "a.nt").write_bytes(b"a")
    first = input_facts(shards)
    assert first["bytes"] == 3
    (shards / "a.nt").rename(shards / "c.nt")
    assert input_facts(shards)["sha256"] != first["sha256"]


def test_an_input_that_is_gone_has_no_hash(tmp_path: Path) -> None:
    assert input_facts(tmp_path / "gone") == {"path": str(tmp_path / "gone"), "bytes": None, "sha256": None}


# Whole or not at all


def test_an_earlier_run_is_replaced(found: Alignment, tmp_path: Path) -> None:
    write_run(alignment({}), tmp_path / "run")
    write_run(found, tmp_path / "run")
    assert (tmp_path / "run" / "links.tsv").read_bytes() == links_tsv(found)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_an_empty_directory_may_become_a_run(found: Alignment, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    assert (write_run(found, tmp_path / "run") / "run.json").exists()


def test_a_link_to_a_run_stays_a_link(found: Alignment, tmp_path: Path) -> None:
    write_run(alignment({}), tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_run(found, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "links.tsv").read_bytes() == links_tsv(found)


def occupied_by_other_files(place: Path) -> None:
    place.mkdir()
    (place / "thesis.tex").write_text("years of work")


def occupied_by_a_foreign_manifest(place: Path) -> None:
    place.mkdir()
    (place / "run.json").write_text('{"tool": "another"}')


def occupied_by_a_broken_manifest(place: Path) -> None:
    place.mkdir()
    (place / "run.json").write_text("[1,")


def occupied_by_a_run_with_notes(place: Path) -> None:
    write_run(alignment({}), place)
    (place / "notes.txt").write_text("good run")


def occupied_by_a_run_with_notes_deep_down(place: Path) -> None:
    write_run(alignment({}), place)
    (place / "evidence" / "notes.txt").write_text("good run")


def occupied_by_a_run_with_an_empty_folder(place: Path) -> None:
    write_run(alignment({}), place)
    (place / "plots").mkdir()


def occupied_by_a_file(place: Path) -> None:
    place.write_text("a file")


OCCUPATIONS = [
    (occupied_by_other_files, "exists and is not a run directory"),
    (occupied_by_a_foreign_manifest, "exists and is not a run directory"),
    (occupied_by_a_broken_manifest, "exists and is not a run directory"),
    (occupied_by_a_run_with_notes, r"holds 'notes.txt', which lightea did not write"),
    (occupied_by_a_run_with_notes_deep_down, r"holds 'evidence/notes.txt', which lightea did not write"),
    (occupied_by_a_run_with_an_empty_folder, r"holds 'plots', which lightea did not write"),
    (occupied_by_a_file, "is a file"),
]


@pytest.mark.parametrize(("occupy", "problem"), OCCUPATIONS)
def test_what_is_not_ours_is_never_replaced(
    occupy: object, problem: str, found: Alignment, tmp_path: Path
) -> None:
    place = tmp_path / "out"
    occupy(place)  # type: ignore[operator]
    before = place.read_bytes() if place.is_file() else contents(place)
    for attempt in (check_writable, lambda target: write_run(found, target)):
        with pytest.raises(OutputError, match=problem) as caught:
            attempt(place)
        assert caught.value.hint
    assert (place.read_bytes() if place.is_file() else contents(place)) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_current_directory_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OutputError, match="is the current directory"):
        check_writable(".")


@pytest.mark.parametrize("place", ["/proc/nowhere/out", "/dev/null/out"])
def test_a_place_that_cannot_be_written_is_found_before_the_work(place: str, found: Alignment) -> None:
    for attempt in (check_writable, lambda target: write_run(found, target)):
        with pytest.raises(OutputError, match="cannot be written"):
            attempt(place)


def test_the_check_leaves_nothing_behind(tmp_path: Path) -> None:
    check_writable(tmp_path / "deep" / "run")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("accident", [KeyboardInterrupt, OSError, MemoryError])
@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("moment", ["flush", "swap", "second table"])
def test_an_accident_on_the_way_leaves_what_was_there(
    accident: type[BaseException],
    earlier: bool,
    moment: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = tmp_path / "deep" / "run"
    if earlier:
        write_run(alignment({}), place)
    before = contents(place) if earlier else None

    def fail(*_: object) -> None:
        raise accident("in the middle")

    if moment == "second table":
        monkeypatch.setattr("lightea.writing.seeds_tsv", fail)
    elif moment == "flush":
        monkeypatch.setattr(outputs, "_flush_tree", fail)
    else:
        rename = Path.rename

        def fail_for_the_new(self: Path, target: Path) -> Path:
            return fail() if self.suffix == ".partial" else rename(self, target)  # type: ignore[return-value]

        monkeypatch.setattr(Path, "rename", fail_for_the_new)
    with pytest.raises(OutputError if accident is OSError else accident):
        write_run(alignment({0: [(0, 0.9, 0.8)]}, links=[(0, 0)]), place)
    assert [path.name for path in tmp_path.rglob("*") if path.name.startswith(".")] == []
    assert (contents(place) if earlier else None) == before
    assert place.exists() == earlier
    assert (tmp_path / "deep").exists() == earlier


# Single files


def test_a_text_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    outputs.write_text(tmp_path / "a.json", "old\n")
    outputs.write_text(tmp_path / "a.json", "né\n")
    assert (tmp_path / "a.json").read_bytes() == b"n\xc3\xa9\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_failed_text_file_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs.write_text(tmp_path / "a.json", "old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(outputs, "_flush", fail)
    with pytest.raises(OutputError, match="No space left on device"):
        outputs.write_text(tmp_path / "a.json", "new")
    assert contents(tmp_path) == {"a.json": b"old"}


@pytest.mark.parametrize("place", ["/dev/null", "/", "/proc/nowhere/a.json"])
def test_a_place_that_is_no_file_is_refused(place: str) -> None:
    for attempt in (outputs.check_file, lambda target: outputs.write_text(target, "x")):
        with pytest.raises(OutputError):
            attempt(place)
