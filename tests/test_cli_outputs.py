"""`lightea align` as those use it who hand links over: formats, namespaces, cardinality, precision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

import handmade
import lightea
from lightea import cli
from lightea.alignment import Alignment
from lightea.cli.publication_options import OPTIONAL_FORMATS
from lightea.cli.settings_file import SETTINGS, option_keys
from lightea.exchange import FORMATS

TRIPLES = "a{0}\tr\tb{0}\nb{0}\tr\tc{0}\nc{0}\ts\td{0}\n"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What `lightea.align` was called with; it answers with a link, and an entity that is alone."""
    calls: list[dict[str, Any]] = []

    def align(left: Any, right: Any, seeds: Any = None, **options: Any) -> Alignment:
        calls.append(options)
        report = options.get("progress")
        for done in (0, 1, 2) if report else ():
            report("evidence", done, 2)
        rows: dict[int, handmade.Row] = {0: [(0, 0.875, 0.8)], 1: [(1, 0.25, 0.4)]}
        return handmade.alignment(rows, links=[(0, 0)], left=left, right=right)

    monkeypatch.setitem(vars(lightea), "align", align)
    return calls


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "left.tsv").write_text(TRIPLES.format("1"))
    (tmp_path / "right.tsv").write_text(TRIPLES.format("2"))
    (tmp_path / "seeds.tsv").write_text("b1\tb2\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def align(*options: str) -> int:
    return cli.main(["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv", *options])


def test_the_optional_formats_are_those_that_no_run_has_anyway() -> None:
    assert tuple(name for name, one in FORMATS.items() if not one.always) == OPTIONAL_FORMATS


def test_more_formats_are_written_on_request(folder: Path, asked: list[dict[str, Any]]) -> None:
    assert align("--out", "run", "--also", "oaei,parquet, turtle") == 0
    files = {path.name for path in (folder / "run").iterdir()}
    assert {"links.rdf", "links.parquet", "links.ttl", "links.nt", "links.sssom.tsv", "links.tsv"} <= files


def test_what_the_options_say_of_the_links_stands_in_the_files(
    folder: Path, asked: list[dict[str, Any]]
) -> None:
    options = [
        *("--left-namespace", "http://left.org/id/", "--right-namespace", "http://right.org/id/"),
        *("--left-source", "http://left.org", "--right-source", "http://right.org"),
        *("--left-version", "one", "--right-version", "two"),
        *("--license", "https://creativecommons.org/publicdomain/zero/1.0/"),
        *("--prefix", "L=http://left.org/id/", "--prefix", "R=http://right.org/id/"),
        *("--date", "2026-01-31", "--no-term-found"),
    ]
    assert align("--out", "run", *options) == 0
    text = (folder / "run" / "links.sssom.tsv").read_text()
    for line in (
        '#subject_source_version: "one"',
        '#object_source_version: "two"',
        '#license: "https://creativecommons.org/publicdomain/zero/1.0/"',
        '#mapping_date: "2026-01-31"',
        '#  L: "http://left.org/id/"',
    ):
        assert line in text
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    assert rows[1][0] == "L:a1"
    assert rows[2][0] == "L:b1"
    assert "sssom:NoTermFound" in rows[2]
    assert (folder / "run" / "links.nt").read_text() == (
        "<http://left.org/id/a1> <http://www.w3.org/2002/07/owl#sameAs> <http://right.org/id/a2> .\n"
    )


def test_today_is_a_date(folder: Path, asked: list[dict[str, Any]]) -> None:
    assert align("--out", "run", "--date", "today") == 0
    assert '#mapping_date: "20' in (folder / "run" / "links.sssom.tsv").read_text()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--out", "run", "--also", "excel"], "'excel' is not one of turtle, oaei, parquet"),
        (["--also", "oaei"], "--also and --no-term-found need --out"),
        (["--cardinality", "some"], "'some' is not one of one-to-one, one-to-many"),
        (["--threshold", "0.5", "--precision", "0.9"], "--threshold and --precision exclude each other"),
        (["--precision", "1.5"], "'--precision'"),
        (["--prefix", "HP"], "'HP' is not like HP=http"),
        (["--date", "tomorrow"], "'tomorrow' is neither a day"),
    ],
)
def test_wrong_usage_ends_with_2(
    folder: Path,
    asked: list[dict[str, Any]],
    options: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert align(*options) == 2
    assert complaint in " ".join(capsys.readouterr().err.split())
    assert not asked


def test_what_is_no_iri_is_refused_before_the_work(
    folder: Path, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert align("--out", "run", "--left-namespace", "mine") == 1
    assert "left_namespace is 'mine', but must be an IRI" in capsys.readouterr().err
    assert not asked


def test_cardinality_and_precision_are_handed_on(folder: Path, asked: list[dict[str, Any]]) -> None:
    assert align("--cardinality", "one-to-many", "--precision", "0.95") == 0
    assert (asked[0]["config"].cardinality, asked[0]["config"].precision) == ("one-to-many", 0.95)


def test_a_precision_without_a_way_to_estimate_it_is_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "settings.toml").write_text('preset = "auto"\n')
    assert align("--config", "settings.toml", "--precision", "0.95") == 1
    assert "a precision of 0.95 cannot be aimed at with 1 seeds" in capsys.readouterr().err


# The settings file


def test_every_option_has_its_key_in_the_settings_file() -> None:
    command = typer.main.get_command(cli.app).commands["align"]  # type: ignore[attr-defined]
    keys = set(option_keys(command)) | set(SETTINGS)
    for parameter in command.params:
        for name in parameter.opts:
            if name.startswith("--") and name not in {"--config", "--help"}:
                assert name[2:].replace("-", "_") in keys, name
    assert {"left", "right", "seeds", "out", "also", "quiet", "log_json", "format", "strict"} <= keys


def test_options_stand_in_the_settings_file(folder: Path, asked: list[dict[str, Any]]) -> None:
    (folder / "settings.toml").write_text(
        """
        preset = "auto"
        hops = 3
        left = "left.tsv"
        right = "right.tsv"
        seeds = "seeds.tsv"
        format = "tsv"
        out = "run"
        also = ["oaei", "turtle"]
        prefix = { L = "http://left.org/id/" }
        left-namespace = "http://left.org/id/"
        date = 2026-01-31
        threads = 1
        strict = true
        no-term-found = true
        cardinality = "many-to-one"
        """
    )
    assert cli.main(["align", "--config", "settings.toml"]) == 0
    assert (asked[0]["config"].hops, asked[0]["config"].cardinality) == (3, "many-to-one")
    assert (asked[0]["threads"], asked[0]["strict"]) == (1, True)
    assert (folder / "run" / "links.ttl").exists()
    text = (folder / "run" / "links.sssom.tsv").read_text()
    assert "L:a1" in text
    assert "sssom:NoTermFound" in text
    assert '#mapping_date: "2026-01-31"' in text


def test_the_command_line_goes_before_the_file(folder: Path, asked: list[dict[str, Any]]) -> None:
    (folder / "settings.toml").write_text(
        'out = "one"\nthreads = 2\nthreshold = 0.7\nprefix = ["A=http://a.org/"]'
    )
    assert align("--config", "settings.toml", "--out", "two", "--threads", "1", "--precision", "0.9") == 0
    assert (folder / "two").exists()
    assert not (folder / "one").exists()
    assert asked[0]["threads"] == 1
    assert (asked[0]["config"].threshold, asked[0]["config"].precision) == (None, 0.9)


@pytest.mark.parametrize(
    ("text", "complaint", "code"),
    [
        ("outt = 3", "settings.toml: unknown setting 'outt'", 1),
        ("hops = = 3", "settings.toml: the settings are not valid TOML", 1),
        ("hops = 300", "settings.toml: hops is 300, but must lie between", 1),
        ("runs = 3", "unknown setting 'runs'", 1),
        ("threads = 0", "'--threads'", 2),
        ('also = ["excel"]', "'excel' is not one of", 2),
        ("config = 'other.toml'", "unknown setting 'config'", 1),
    ],
)
def test_a_wrong_settings_file_is_a_sentence(
    folder: Path,
    asked: list[dict[str, Any]],
    text: str,
    complaint: str,
    code: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (folder / "settings.toml").write_text(text)
    assert align("--config", "settings.toml") == code
    assert complaint in " ".join(capsys.readouterr().err.split())
    assert not asked


def test_a_settings_file_that_is_not_there_is_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert align("--config", "missing.toml") == 1
    assert "missing.toml: the settings cannot be read" in capsys.readouterr().err


def test_evaluate_takes_its_options_from_a_file_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "settings.toml").write_text('preset = "basic"\ndataset = "nowhere"\nruns = 2\nout = "x"')
    assert cli.main(["evaluate", "--config", "settings.toml"]) == 1
    assert "unknown setting 'out'" in capsys.readouterr().err


# The log as JSON


def test_the_log_is_lines_of_json_on_request(
    folder: Path, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert align("--log-json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    stages = [(line["stage"], line["message"]) for line in lines if "stage" in line]
    assert stages[-2:] == [("evidence", "evidence begins"), ("evidence", "evidence done")]
    assert all(line["time"].endswith("+00:00") and line["level"] == "info" for line in lines)


def test_errors_and_warnings_are_lines_of_json_with_their_hints(
    folder: Path, asked: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "right.tsv").write_text("\n")
    assert align("--log-json", "--quiet") == 1
    (line,) = capsys.readouterr().err.splitlines()
    told = json.loads(line)
    assert told["level"] == "error"
    assert "right.tsv" in told["message"]


# Version and completion


def test_the_version_comes_with_what_a_report_of_a_fault_needs(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    first, packages, machine, threads, *blas = capfd.readouterr().out.splitlines()
    assert first.startswith(f"lightea {lightea.__version__}")
    assert "numpy " in packages
    assert "python 3." in packages
    assert machine
    assert threads.startswith("threads: ")
    assert all(line.startswith("BLAS: ") for line in blas)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_completion_is_shown(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--show-completion", shell]) == 0
    assert "_LIGHTEA_COMPLETE" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("lightea al", "align"),
        ("lightea align --car", "--cardinality"),
        ("lightea align a b --cardinality many-to-m", "many-to-many"),
        ("lightea align a b --preset a", "auto"),
        ("lightea align a b --also oaei,p", "oaei,parquet"),
    ],
)
def test_words_are_completed(
    words: str, offered: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_LIGHTEA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert cli.main([]) == 0
    assert offered in capfd.readouterr().out.split()
