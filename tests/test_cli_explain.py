"""`lightea explain` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explained import by_sketch, curies
from lightea import cli
from lightea.writing import write_run
from small_graphs import named_graph


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(curies(), tmp_path_factory.mktemp("runs") / "run")


def test_a_link_is_explained(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", str(run), "Marie_Curie"]) == 0
    shown = capfd.readouterr()
    assert shown.err == ""
    assert "right  Q7186" in shown.out
    assert "score 1.252445 = 1.152444 evidence + 0.100000 cosine" in shown.out
    assert "^spouse Pierre_Curie" in shown.out


def test_a_loser_is_shown_beside_the_winner(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", str(run), "Marie_Curie", "Q37463", "--terms", "1"]) == 0
    shown = capfd.readouterr().out
    assert "Instead: Marie_Curie with Q7186" in shown
    assert "Instead: Q37463 with Pierre_Curie" in shown
    assert "… and 2 more facts, with a difference of +0.271329 in all." in shown


def test_a_tree_is_printed_down_to_the_seeds(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", str(run), "Pierre_Curie", "--depth", "3"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert (
        "   2. 0.306939 = P 0.7187 · ρ 0.4271 · w 1.0000 · w' 1.0000  [leads back to a pair above it]"
        in lines
    )
    assert sum("[seed]" in line for line in lines) == 4


def test_json_is_one_document_with_everything(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", str(run), "Marie_Curie", "Q37463", "--json", "--depth", "2"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["status"] == "candidate"
    assert document["winner"]["right"] == "Q7186"
    assert document["rival"]["left"] == "Pierre_Curie"
    assert document["tree"][0]["ending"] == "seed"
    total = sum(term["contribution"] for term in document["winner"]["terms"])
    assert total == pytest.approx(document["winner"]["evidence"])


def test_a_run_without_evidence_shows_labels(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made = curies()
    directory = write_run(by_sketch(made.left, made.right, made.seeds), tmp_path / "run")
    assert cli.main(["explain", str(directory), "Marie_Curie", "Q7186"]) == 0
    shown = capfd.readouterr().out
    assert "Labels after 1 hop: cosine 1.0000, 2 seeds in common" in shown
    assert cli.main(["explain", str(directory), "Marie_Curie", "Q7186", "--json"]) == 0
    assert [hop["hop"] for hop in json.loads(capfd.readouterr().out)["hops"]] == [0, 1, 2]


def test_an_unknown_entity_ends_with_one_and_a_suggestion(
    run: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", str(run), "Marie"]) == 1
    shown = capfd.readouterr()
    assert shown.out == ""
    assert shown.err == (
        "error: no entity of either graph is named 'Marie'\nhint: did you mean 'Marie_Curie'?\n"
    )


def test_what_is_no_run_directory_ends_with_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", str(tmp_path), "Marie"]) == 1
    assert "is not a run directory of lightea" in capfd.readouterr().err


def test_names_cannot_steer_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    graph = named_graph([("a\x1b[2J", "r", "b\x1b[2J")])
    directory = write_run(by_sketch(graph, graph, curies().seeds[:0]), tmp_path / "run")
    assert cli.main(["explain", str(directory), "a\x1b[2J"]) == 0
    shown = capfd.readouterr()
    assert "\x1b" not in shown.out
    assert "a\\x1b[2J" in shown.out


@pytest.mark.parametrize("arguments", [[], ["--depth", "21"], ["--terms", "0"]])
def test_wrong_usage_ends_with_two(arguments: list[str], run: Path) -> None:
    assert cli.main(["explain", str(run), *(["Marie_Curie"] if arguments else []), *arguments]) == 2
