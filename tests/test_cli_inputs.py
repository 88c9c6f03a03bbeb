"""What the command line is told of its inputs: files, seeds, relations, classes; `inspect`, `--dry-run`."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import lightea
from lightea import cli
from test_cli import Aligner

SAME_AS = ["--seeds", "same-as"]
ALIGN = ["align", "left.nt", "right.nt"]
SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


def statements(side: str, other: str) -> str:
    """A graph of four people in a ring; the first two are tied to those of the other side."""
    lines = [f"<x:{side}{k}> <x:knows-{side}> <x:{side}{(k + 1) % 4}> ." for k in range(4)]
    lines += [f"<x:{side}{k}> {TYPE} <x:Person-{side}> ." for k in range(3)]
    lines += [f'<x:{side}{k}> {LABEL} "name"@en .' for k in range(2)] + [f'<x:{side}0> {LABEL} "Name"@de .']
    lines += [f"<x:{side}{k}> {SAME} <x:{other}{k}> ." for k in range(2) if side == "l"]
    return "\n".join([*lines, ""])


@pytest.fixture
def aligner(monkeypatch: pytest.MonkeyPatch) -> Aligner:
    stand_in = Aligner()
    monkeypatch.setitem(vars(lightea), "align", stand_in)
    return stand_in


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "left.nt").write_text(statements("l", "r"))
    (tmp_path / "right.nt").write_text(statements("r", "l"))
    (tmp_path / "seeds.tsv").write_text("x:l3\tx:r3\n")
    (tmp_path / "more.tsv").write_text("x:l9\tx:knows-l\tx:l0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def named(graph: Any, numbers: Any) -> list[str]:
    return list(graph.entities.gather(numbers))


def test_seeds_may_be_the_graphs_own_word(aligner: Aligner) -> None:
    assert cli.main([*ALIGN, "--seeds", "same-as"]) == 0
    assert list(aligner.calls[0]["seeds"].left) == ["x:l0", "x:l1"]
    assert not aligner.calls[0]["left"].entities.str.starts_with("x:r").any()


def test_the_graphs_own_word_is_heard_before_relations_are_left_out(aligner: Aligner) -> None:
    assert cli.main([*ALIGN, *SAME_AS, "--include", "x:knows-*"]) == 0
    call = aligner.calls[0]
    assert list(call["seeds"].left) == ["x:l0", "x:l1"]
    assert call["left"].entities.to_list() == ["x:l0", "x:l1", "x:l2", "x:l3"]


def test_a_file_called_same_as_is_named_by_its_path(aligner: Aligner, files: Path) -> None:
    (files / "same-as").write_text("x:l2\tx:r2\n")
    assert cli.main([*ALIGN, "--seeds", "./same-as"]) == 0
    assert list(aligner.calls[0]["seeds"].left) == ["x:l2"]


def test_a_side_may_have_several_files(aligner: Aligner) -> None:
    assert cli.main([*ALIGN, "--more-left", "more.tsv", "--out", "run"]) == 0
    assert "x:l9" in aligner.calls[0]["left"].entities
    manifest = json.loads(Path("run/run.json").read_text(encoding="utf-8"))
    assert list(manifest["inputs"]) == ["left", "left_2", "right"]


def test_relations_are_taken_or_left_by_whichever_graph_has_them(
    aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*ALIGN, "--include", "x:knows-*", "--exclude", "x:knows-r", "--include", "*label"]) == 0
    call = aligner.calls[0]
    assert call["left"].relations.to_list() == ["x:knows-l"]
    assert (call["right"].n_triples, len(call["right"].attributes)) == (0, 3)
    assert cli.main([*ALIGN, "--include", "x:knows-l"]) == 0
    assert aligner.calls[1]["right"].n_triples == 7
    assert "the right graph has none of the relations to include" in capfd.readouterr().err


def test_languages_and_classes_are_chosen(aligner: Aligner, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*ALIGN, "--lang", "de", "--type", "x:Person-l", "--type", "x:Person-r"]) == 0
    call = aligner.calls[0]
    assert call["left"].attributes["value"].to_list() == ["Name"]
    assert named(call["left"], call["left_entities"]) == ["x:l0", "x:l1", "x:l2"]
    assert named(call["right"], call["right_entities"]) == ["x:r0", "x:r1", "x:r2"]
    assert capfd.readouterr().err == ""


def test_classes_are_known_although_what_says_so_is_left_out(aligner: Aligner) -> None:
    assert cli.main([*ALIGN, "--type", "x:Person-*", "--exclude", "*type"]) == 0
    call = aligner.calls[0]
    assert named(call["left"], call["left_entities"]) == ["x:l0", "x:l1", "x:l2"]
    assert "x:Person-l" not in call["left"].entities


def test_a_graph_without_the_classes_is_aligned_whole(
    aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*ALIGN, "--type", "x:Person-l"]) == 0
    assert aligner.calls[0]["right_entities"] is None
    assert "the right graph has no instances of the classes" in capfd.readouterr().err


def test_columns_and_named_graphs_are_handed_on(aligner: Aligner, files: Path) -> None:
    (files / "e.csv").write_text("to,via,from\nx:b,x:r,x:a\n")
    (files / "g.nq").write_text("<x:a> <x:r> <x:b> <x:g> .\n<x:b> <x:r> <x:c> <x:h> .\n")
    assert cli.main(["align", "e.csv", "g.nq", "--columns", "from,via,to", "--graph", "x:h"]) == 0
    call = aligner.calls[0]
    assert [call[side].entities.to_list() for side in ("left", "right")] == [["x:a", "x:b"], ["x:b", "x:c"]]


def test_a_graph_may_come_through_the_standard_input(
    aligner: Aligner, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with io.TextIOWrapper((files / "left.nt").open("rb")) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert cli.main(["align", "-", "right.nt", "--out", "run"]) == 0
    assert aligner.calls[0]["left"].n_entities == 7
    manifest = json.loads(Path("run/run.json").read_text(encoding="utf-8"))
    assert manifest["inputs"]["left"] == {"path": "-", "bytes": None, "sha256": None}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["align", "-", "-"], "only one input can be the standard input"),
        (["align", "-", "right.nt", "--seeds", "-"], "only one input can be the standard input"),
        (["align", "left.nt", "-", "--more-left", "-"], "only one input can be the standard input"),
        ([*ALIGN, "--columns", "a,b"], "must be three"),
        (["inspect"], "Missing argument"),
    ],
)
def test_wrong_usage_ends_with_2(
    arguments: list[str], problem: str, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    assert problem in capfd.readouterr().err
    assert aligner.calls == []


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([*ALIGN, "--include", "x:knows"], "'x:knows' matches no relation and no attribute of 'left' or"),
        ([*ALIGN, "--exclude", "*"], "nothing is left of graph 'left'"),
        ([*ALIGN, "--type", "x:Dog"], "no entity of either graph is an instance of 'x:Dog'"),
        (["align", "more.tsv", "right.nt", "--columns", "a,b,c"], "more.tsv:1: there is no column 'a'"),
        ([*ALIGN, "--more-left", "gone.nt"], "gone.nt: there is no such file"),
        (["align", "right.nt", "more.tsv", *SAME_AS, "--dry-run"], "neither graph says of an entity"),
        ([*ALIGN, "--seeds", "gone.tsv", "--dry-run"], "gone.tsv: there is no such file"),
        (["inspect", "gone.nt"], "gone.nt: there is no such file"),
    ],
)  # fmt: skip
def test_wrong_data_ends_with_1(
    arguments: list[str], problem: str, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 1
    out, err = capfd.readouterr()
    assert (out, aligner.calls) == ("", [])
    assert problem in err
    assert "hint:" in err
    assert "Traceback" not in err


# --dry-run


def test_a_dry_run_reads_and_checks_but_aligns_and_writes_nothing(
    aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    before = sorted(Path().iterdir())
    arguments = [
        *ALIGN,
        "--more-left",
        "more.tsv",
        "--seeds",
        "same-as",
        "--type",
        "x:Person-*",
        "--out",
        "run",
    ]
    assert cli.main([*arguments, "--preset", "basic", "--threads", "1", "--dry-run"]) == 0
    out, err = capfd.readouterr()
    assert (err, aligner.calls, sorted(Path().iterdir())) == ("", [], before)
    words = [line.split() for line in out.splitlines()]
    assert ["left", "more.tsv", "tsv", "0.0", "MB"] in words
    assert ["entities", "6", "5"] in words
    assert ["to", "be", "aligned,", "seeds", "included", "3", "3"] in words
    assert ["facts", "between", "entities", "8", "7"] in words
    assert "tell 2 pairs" in out
    assert "preset basic, 1 threads, 2 seeds: about" in out
    assert "nothing was aligned or written" in out


def test_a_dry_run_finds_what_the_run_would_complain_of(
    files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "seeds.tsv").write_text("x:l3\tx:r3\nx:l3\tx:r2\n")
    assert cli.main([*ALIGN, "--seeds", "seeds.tsv", "--strict", "--dry-run"]) == 1
    assert "more than one seed" in capfd.readouterr().err


# inspect


def test_inspect_shows_each_file_by_itself(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", "left.nt", "right.nt"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert "left (1 file: ntriples)" in out
    assert "right (1 file: ntriples)" in out
    assert "x:Person-l" in out
    assert "same as: x:l0 = x:r0" in out


def test_inspect_reads_files_together_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", "left.nt", "more.tsv", "--together", "--json"]) == 0
    (graph,) = json.loads(capfd.readouterr().out)["graphs"]
    assert graph["files"] == {"left.nt": "ntriples", "more.tsv": "tsv"}
    assert graph["entities"] == 8


def test_inspect_takes_the_options_of_reading(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["inspect", "left.nt", "--json", "--exclude", "*knows*", "--lang", "en"]) == 0
    (graph,) = json.loads(capfd.readouterr().out)["graphs"]
    assert [relation["facts"] for relation in graph["relations"]] == [3, 2]
    assert graph["languages"] == {"en": 2}


def test_names_that_steer_terminals_are_shown_as_text(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (files / "odd.tsv").write_text("a\x1b[31m\t[red]r[/red]\tb\n")
    assert cli.main(["inspect", "odd.tsv"]) == 0
    out = capfd.readouterr().out
    assert "\x1b" not in out
    assert "[red]r[/red]" in out
