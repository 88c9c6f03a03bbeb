"""The command line as its users meet it: what it prints where, and how it ends."""

from __future__ import annotations

import ctypes
import json
import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import handmade
import lightea
from lightea import cli
from lightea.cli.terminal import Terminal, printable
from lightea.config import DEFAULT_PRESET, PRESETS
from lightea.errors import InputError
from lightea.machine import available_cores
from lightea.reading.detect import FORMATS
from lightea.synthetic import write_pair

TRIPLES = "a{0}\tr\tb{0}\nb{0}\tr\tc{0}\nc{0}\ts\td{0}\nd{0}\tr\ta{0}\ne{0}\ts\ta{0}\n"


class Aligner:
    """Stands in for `lightea.align`: remembers what it was asked, and answers with one sure link."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []
        self.accident: BaseException | None = None

    def __call__(self, left: Any, right: Any, seeds: Any = None, **options: Any) -> Any:
        self.calls.append({"left": left, "right": right, "seeds": seeds, **options})
        if options.get("progress") is not None:
            options["progress"]("propagation", 1, 2)
        if self.accident is not None:
            raise self.accident
        made = handmade.alignment(
            {0: [(0, 0.875, 0.8)], 1: [(1, 0.25, 0.4)], 2: []}, links=[(0, 0)], left=left, right=right
        )
        made.seconds.update({"compile": 0.5, "labels": 0.0, "propagation": 0.0})
        return made


@pytest.fixture
def aligner(monkeypatch: pytest.MonkeyPatch) -> Aligner:
    stand_in = Aligner()
    monkeypatch.setitem(vars(lightea), "align", stand_in)
    return stand_in


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with two graphs of five entities, seeds and settings."""
    (tmp_path / "left.tsv").write_text(TRIPLES.format("1"))
    (tmp_path / "right.tsv").write_text(TRIPLES.format("2"))
    (tmp_path / "seeds.tsv").write_text("a1\ta2\nb1\tb2\n")
    (tmp_path / "settings.toml").write_text('preset = "iterative"\nhops = 3\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """A benchmark folder in JAPE layout: ten entities a side, i on the left is 100 + i on the right."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    for side, first in (("1", 0), ("2", 100)):
        ids = range(first, first + 10)
        (folder / f"ent_ids_{side}").write_text("".join(f"{i}\thttp://{side}.org/{i}\n" for i in ids))
        (folder / f"triples_{side}").write_text(
            "".join(f"{i}\t{first}\t{first + (i + 1) % 10}\n" for i in ids)
        )
    (folder / "ref_ent_ids").write_text("".join(f"{i}\t{100 + i}\n" for i in range(10)))
    return folder


ALIGN = ["align", "left.tsv", "right.tsv", "--seeds", "seeds.tsv"]


# Help, version, usage


def test_the_version_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capfd.readouterr().out.startswith(f"lightea {lightea.__version__}")


@pytest.mark.parametrize("command", [[], ["align"], ["evaluate"], ["demo"]])
def test_help_names_every_option_in_plain_text(command: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "--help"]) == 0
    out, err = capfd.readouterr()
    assert "Usage: lightea" in out
    assert err == ""
    assert "\x1b" not in out


def test_python_m_lightea_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lightea", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"lightea {lightea.__version__}")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--no-such"], "No such option"),
        (["frobnicate"], "No such command"),
        (["align"], "Missing argument"),
        (["align", "left.tsv"], "Missing argument"),
        ([*ALIGN, "--preset", "magic"], "'magic' is not one of auto, basic, iterative"),
        ([*ALIGN, "--names", "chars"], "must be one of: auto, none, char, encoder, vectors:FILE"),
        (["evaluate", "tiny", "--names", "vectors:"], "must be one of: auto, none, char"),
        ([*ALIGN, "--preset", "basic", "--config", "settings.toml"], "exclude each other"),
        ([*ALIGN, "--threshold", "1.5"], "--threshold"),
        ([*ALIGN, "--threads", "0"], "--threads"),
        ([*ALIGN, "--random-seed", "-1"], "--random-seed"),
        ([*ALIGN, "--random-seed", "few"], "--random-seed"),
        (["evaluate"], "Missing argument"),
        (["evaluate", "tiny", "--train", "0.3", "--fold", "1"], "exclude each other"),
        ([*ALIGN, "--format", "docx"], "unknown format 'docx'"),
        (["evaluate", "tiny", "--train", "30"], "--train"),
        (["evaluate", "tiny", "--train", "1.0"], "less than 1"),
        (["evaluate", "tiny", "--train", "nan"], "--train"),
        (["evaluate", "tiny", "--fold", "0"], "--fold"),
        (["evaluate", "tiny", "--runs", "0"], "--runs"),
        (["evaluate", "tiny", "--candidates", "some"], "--candidates"),
        (["evaluate", "tiny", "--preset", "basic", "--config", "settings.toml"], "exclude each other"),
        (["demo", "--preset", "basic"], "No such option"),
    ],
)
def test_wrong_usage_ends_with_2(
    arguments: list[str], problem: str, files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    out, err = capfd.readouterr()
    assert (out, aligner.calls) == ("", [])
    assert problem in err
    assert "Traceback" not in err


def test_the_help_names_every_layout_of_benchmarks(capfd: pytest.CaptureFixture[str]) -> None:
    cli.main(["evaluate", "--help"])
    text = capfd.readouterr().out
    assert all(layout in text for layout in ("JAPE", "OpenEA", "ContEA"))


# align


def test_align_prints_the_links_and_nothing_else(
    files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(ALIGN) == 0
    assert capfd.readouterr() == ("left\tright\tprobability\na1\ta2\t0.875000\n", "")


def test_align_hands_on_what_it_was_told(files: Path, aligner: Aligner) -> None:
    assert cli.main([*ALIGN, "--strict", "--threads", "1", "--threshold", "0.25", "--random-seed", "7"]) == 0
    call = aligner.calls[0]
    assert (call["strict"], call["threads"], call["progress"]) == (True, 1, None)
    assert call["config"] == PRESETS[DEFAULT_PRESET].replace(threshold=0.25, random_seed=7)
    assert call["seeds"].left.to_list() == ["a1", "b1"]
    assert call["left"].n_entities == call["right"].n_entities == 5


def test_align_takes_settings_from_a_file_and_the_command_line_on_top(files: Path, aligner: Aligner) -> None:
    assert cli.main([*ALIGN, "--config", "settings.toml", "--threshold", "0.75"]) == 0
    assert aligner.calls[0]["config"] == PRESETS["iterative"].replace(hops=3, threshold=0.75)


@pytest.mark.parametrize("names", ["auto", "none"])
def test_align_and_evaluate_hand_on_what_is_made_of_names(
    names: str, files: Path, benchmark: Path, aligner: Aligner
) -> None:
    (files / "settings.toml").write_text('names = "none"\n')
    for arguments in (ALIGN, [*ALIGN, "--config", "settings.toml"], ["evaluate", str(benchmark)]):
        assert cli.main([*arguments, "--names", names]) == 0
        assert aligner.calls[-1]["config"] == PRESETS[DEFAULT_PRESET].replace(names=names)


@pytest.mark.parametrize("command", ["align", "evaluate"])
def test_the_help_names_the_presets_and_the_one_that_is_taken(
    command: str, files: Path, benchmark: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    cli.main([command, "--help"])
    text = " ".join(capfd.readouterr().out.split())
    assert f"--preset {'|'.join(PRESETS)}" in text
    assert f"The system to run. [default: {DEFAULT_PRESET}]" in text
    assert "--names auto|none" in text
    cli.main(ALIGN if command == "align" else ["evaluate", str(benchmark)])
    assert aligner.calls[0]["config"] == PRESETS[DEFAULT_PRESET]


@pytest.mark.parametrize("preset", list(PRESETS))
def test_each_preset_can_be_asked_for(preset: str, files: Path, aligner: Aligner) -> None:
    assert cli.main([*ALIGN, "--preset", preset]) == 0
    assert aligner.calls[0]["config"] == PRESETS[preset]


def test_align_uses_all_cores_allowed_unless_told(files: Path, aligner: Aligner) -> None:
    assert cli.main(["align", "left.tsv", "right.tsv", "--preset", "iterative"]) == 0
    call = aligner.calls[0]
    assert (call["seeds"], call["threads"]) == (None, available_cores())
    assert call["config"] == PRESETS["iterative"]


def test_align_reads_both_graphs_in_the_format_that_is_named(files: Path, aligner: Aligner) -> None:
    for side in ("left", "right"):
        (files / side).write_text("h t\tr\tx, y\n")
    assert cli.main(["align", "left", "right", "--format", "csv"]) == 1
    assert cli.main(["align", "left", "right", "--format", "tsv"]) == 0
    assert all(aligner.calls[0][side].entities.to_list() == ["h t", "x, y"] for side in ("left", "right"))


def test_the_help_names_every_format(capfd: pytest.CaptureFixture[str]) -> None:
    cli.main(["align", "--help"])
    text = capfd.readouterr().out
    assert all(name in text for name in FORMATS)


def test_align_with_out_writes_a_run_and_prints_a_summary(
    files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([*ALIGN, "--out", "run"]) == 0
    out, err = capfd.readouterr()
    counts = {line.split()[0]: line.split()[1] for line in out.splitlines() if len(line.split()) > 1}
    assert (counts["matched"], counts["doubtful"], counts["unmatched"]) == ("1", "1", "1")
    assert "run/links.tsv" in out
    assert err == ""
    manifest = json.loads((files / "run" / "run.json").read_text(encoding="utf-8"))
    assert {name: facts["path"] for name, facts in manifest["inputs"].items()} == {
        "left": "left.tsv",
        "right": "right.tsv",
        "seeds": "seeds.tsv",
    }
    assert all(len(facts["sha256"]) == 64 for facts in manifest["inputs"].values())


def test_align_replaces_an_earlier_run(files: Path, aligner: Aligner) -> None:
    assert [cli.main([*ALIGN, "--out", "run"]) for _ in range(2)] == [0, 0]


# Errors


def fails(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> list[str]:
    """The lines on stderr of a command that must end with 1 and print no result."""
    assert cli.main(arguments) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert "Traceback" not in err
    return err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["align", "gone.tsv", "right.tsv"], "gone.tsv"),
        (["align", "left.tsv", "gone.tsv"], "gone.tsv"),
        (["align", "left.tsv", "right.tsv", "--seeds", "gone.tsv"], "gone.tsv"),
        ([*ALIGN, "--config", "gone.toml"], "gone.toml"),
        ([*ALIGN, "--config", "left.tsv"], "left.tsv: the settings are not valid TOML"),
        ([*ALIGN, "--config", "odd.toml"], "odd.toml: unknown setting 'hopps'"),
        ([*ALIGN, "--out", "left.tsv"], "is a file"),
        ([*ALIGN, "--out", "full"], "not a run directory"),
        ([*ALIGN, "--out", "."], "current directory"),
        ([*ALIGN, "--out", "/proc/nowhere/run"], "cannot be written"),
        (["evaluate", "gone"], "gone"),
        (["evaluate", ".", "--json", "full"], "is a directory"),
        (["evaluate", ".", "--json", "/proc/nowhere/a.json"], "cannot be written"),
        (["demo", "--out", "full"], "not a run directory"),
    ],
)
def test_a_wrong_request_is_a_sentence_and_ends_with_1(
    arguments: list[str], problem: str, files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    (files / "full").mkdir()
    (files / "odd.toml").write_text("hopps = 3\n")
    (files / "full" / "thesis.tex").write_text("years of work")
    lines = fails(arguments, capfd)
    assert lines[0].startswith("error: ")
    assert problem in lines[0]
    assert aligner.calls == []


def test_an_error_of_the_library_comes_with_its_hint(
    files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    aligner.accident = InputError("the left graph has no triples", hint="check the columns")
    assert fails([*ALIGN, "--out", "run"], capfd) == [
        "error: the left graph has no triples",
        "hint: check the columns",
    ]
    assert not (files / "run").exists()


def test_too_little_memory_is_a_sentence(
    files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    aligner.accident = MemoryError("Unable to allocate 8 EiB")
    lines = fails(ALIGN, capfd)
    assert lines[0] == "error: there is not enough memory for this run"
    assert lines[1].startswith("hint: ")


def test_an_error_of_the_system_is_a_sentence(
    files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    aligner.accident = OSError(28, "No space left on device")
    assert fails(ALIGN, capfd) == ["error: the output cannot be written: No space left on device"]


def test_an_interrupted_run_ends_with_130_and_leaves_nothing(
    files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    aligner.accident = KeyboardInterrupt()
    before = sorted(files.iterdir())
    assert cli.main([*ALIGN, "--out", "deep/run"]) == 130
    assert capfd.readouterr() == ("", "error: interrupted\n")
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize("way", ["cause", "context"])
def test_an_interrupt_inside_compiled_code_ends_with_130(
    way: str, files: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    aligner.accident = SystemError("CPUDispatcher(...) returned a result with an exception set")
    between = RuntimeError("on the way")
    setattr(aligner.accident, f"__{way}__", between)
    setattr(between, f"__{way}__", KeyboardInterrupt())
    assert cli.main(ALIGN) == 130
    assert capfd.readouterr() == ("", "error: interrupted\n")


def test_an_interrupt_dropped_by_a_callback_ends_with_130(
    files: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Compiler(Aligner):
        def __call__(self, *arguments: Any, **options: Any) -> Any:
            ctypes.CFUNCTYPE(None)(self.interrupted)()
            for _ in range(3000):  # the interrupt ends it
                time.sleep(0.01)
            return super().__call__(*arguments, **options)

        def interrupted(self) -> None:
            raise KeyboardInterrupt

    usual = sys.unraisablehook
    monkeypatch.setitem(vars(lightea), "align", Compiler())
    assert cli.main(ALIGN) == 130
    assert capfd.readouterr() == ("", "error: interrupted\n")
    assert sys.unraisablehook is usual


def test_a_fault_of_the_program_is_not_hidden(files: Path, aligner: Aligner) -> None:
    aligner.accident = SystemError("a bug")
    aligner.accident.__context__ = aligner.accident.__cause__ = ValueError("its cause")
    with pytest.raises(SystemError, match="a bug"):
        cli.main(ALIGN)


def test_a_closed_stdout_is_refused_before_the_work(
    files: Path, aligner: Aligner, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(ALIGN) == 1
    assert "error: stdout is closed" in capfd.readouterr().err
    assert aligner.calls == []


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_run_directory_is_written_though_a_stream_is_closed(
    stream: str, files: Path, aligner: Aligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, stream, None)
    assert cli.main([*ALIGN, "--out", "run"]) == 0
    assert (files / "run" / "links.tsv").exists()


def test_warnings_of_the_library_go_to_stderr_unless_quiet(
    files: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Warner(Aligner):
        def __call__(self, *arguments: Any, **options: Any) -> Any:
            logging.getLogger("lightea.pipeline").warning("%d seeds are unknown", 3)
            return super().__call__(*arguments, **options)

    monkeypatch.setitem(vars(lightea), "align", Warner())
    assert cli.main(ALIGN) == 0
    assert capfd.readouterr().err == "warning: 3 seeds are unknown\n"
    assert cli.main([*ALIGN, "--quiet"]) == 0
    assert capfd.readouterr().err == ""
    assert logging.getLogger("lightea").handlers == []


# What names can do to a screen


def test_control_characters_are_shown_not_obeyed() -> None:
    assert printable("a\x1b[31mred\x07\x9b\u202eb\r\n") == r"a\x1b[31mred\x07\x9b\u202eb\x0d\x0a"
    assert printable("Ärzte 東京 [bold] \t", keep="\t") == "Ärzte 東京 [bold] \t"


def test_markup_in_names_is_printed_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(quiet=False)
    terminal.table(["<left", "n"], [["[bold]x[/bold] :smile:", "1"], ["\x1b[31mred", "2"]])
    terminal.say("[red]said[/red] \x1b[2J")
    terminal.tell("error", "[red]told[/red] \x1b[2J")
    out, err = capsys.readouterr()
    assert "[bold]x[/bold] :smile:" in out
    assert r"\x1b[31mred" in out
    assert "[red]said[/red]" in out
    assert "[red]told[/red]" in err
    assert "\x1b" not in out + err


def test_a_very_long_name_is_cut_in_tables(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal(quiet=False).table(["<left", "probability"], [["x" * 10_000, "0.50"]])
    out = capsys.readouterr().out
    assert "0.50" in out
    assert max(len(line) for line in out.splitlines()) < 200


def test_links_on_a_screen_are_made_harmless(
    files: Path, aligner: Aligner, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "left.tsv").write_text("a\x1b[2J\tr\tb\nb\tr\tc\n")
    assert cli.main(["align", "left.tsv", "right.tsv"]) == 0
    assert "a\x1b[2J\ta2\t0.875000\n" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.main(["align", "left.tsv", "right.tsv"]) == 0
    assert "a\\x1b[2J\ta2\t0.875000\n" in capsys.readouterr().out


# Progress


def pretend_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make stderr say that it is a screen."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")


def test_stages_are_shown_on_a_screen(
    files: Path, aligner: Aligner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_screen(monkeypatch)
    assert cli.main(ALIGN) == 0
    out, err = capsys.readouterr()
    assert out == "left\tright\tprobability\na1\ta2\t0.875000\n"
    assert "reading" in err
    assert "propagation" in err


def test_quiet_shows_no_stages(
    files: Path, aligner: Aligner, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_screen(monkeypatch)
    assert cli.main([*ALIGN, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert aligner.calls[0]["progress"] is None


# evaluate


def test_evaluate_writes_every_figure_as_json(
    benchmark: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    target = benchmark.parent / "figures.json"
    arguments = ["evaluate", str(benchmark), "--train", "0.3", "--runs", "2", "--json", str(target)]
    assert cli.main([*arguments, "--random-seed", "4"]) == 0
    document = json.loads(target.read_text(encoding="utf-8"))
    assert set(document) == {
        *("dataset", "preset", "train", "fold", "candidates", "config"),
        *("machine", "versions", "commit", "runs", "mean"),
    }
    assert (document["dataset"], document["preset"]) == (str(benchmark), DEFAULT_PRESET)
    assert (document["train"], document["candidates"]) == (0.3, "test")
    assert [run["random_seed"] for run in document["runs"]] == [4, 5]
    figures = {"hits@1", "hits@10", "mrr", "precision", "recall", "f1", "seconds", "peak_rss_mb"}
    figures |= {"ece", "estimated_precision", "estimated_recall"}
    assert all(set(run) == figures | {"random_seed"} for run in document["runs"])
    assert set(document["mean"]) == figures
    assert {"read", "labels", "propagation", "metrics", "total", "compile"} == set(
        document["mean"]["seconds"]
    )
    out, err = capfd.readouterr()
    assert "hits@1" in out
    assert "mean" in out
    assert err == ""


def test_the_share_of_seeds_is_reported_also_for_a_split_of_the_data_set(
    benchmark: Path, aligner: Aligner
) -> None:
    (benchmark / "sup_ent_ids").write_text("0\t100\n1\t101\n")
    (benchmark / "ref_ent_ids").write_text("".join(f"{i}\t{100 + i}\n" for i in range(2, 10)))
    target = benchmark.parent / "figures.json"
    assert cli.main(["evaluate", str(benchmark), "--json", str(target)]) == 0
    assert json.loads(target.read_text())["train"] == 0.2


def test_compilation_is_not_part_of_the_total(
    benchmark: Path, aligner: Aligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    target = benchmark.parent / "figures.json"
    assert cli.main(["evaluate", str(benchmark), "--json", str(target)]) == 0
    seconds = json.loads(target.read_text())["runs"][0]["seconds"]
    assert seconds["compile"] == 0.5
    assert seconds["total"] % 1 == 0.5


def test_each_run_splits_anew_and_says_its_seed_to_align(benchmark: Path, aligner: Aligner) -> None:
    assert cli.main(["evaluate", str(benchmark), "--train", "0.3", "--runs", "2"]) == 0
    one, two = aligner.calls
    assert (one["config"].random_seed, two["config"].random_seed) == (0, 1)
    assert len(one["seeds"]) == len(two["seeds"]) == 3
    assert one["seeds"].left.to_list() != two["seeds"].left.to_list()


def test_candidates_test_restricts_to_the_entities_of_the_test_links(
    benchmark: Path, aligner: Aligner
) -> None:
    assert cli.main(["evaluate", str(benchmark), "--train", "0.3"]) == 0
    call = aligner.calls[0]
    seeds = call["seeds"].resolve(call["left"], call["right"]).pairs
    for column, name in enumerate(("left_entities", "right_entities")):
        assert call[name].tolist() == sorted(set(range(10)) - set(seeds[:, column].tolist()))


def test_candidates_all_restricts_nobody(benchmark: Path, aligner: Aligner) -> None:
    assert cli.main(["evaluate", str(benchmark), "--train", "0.3", "--candidates", "all"]) == 0
    assert not {"left_entities", "right_entities"} & set(aligner.calls[0])


def test_no_seeds_can_be_asked_for(benchmark: Path, aligner: Aligner) -> None:
    assert cli.main(["evaluate", str(benchmark), "--train", "0"]) == 0
    assert len(aligner.calls[0]["seeds"]) == 0


def hang_up(*_: object, **__: object) -> None:
    """What printing comes to when nobody reads it."""
    raise BrokenPipeError


def test_figures_are_written_though_nobody_reads_the_table(
    benchmark: Path, aligner: Aligner, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = benchmark.parent / "figures.json"
    monkeypatch.setattr(Terminal, "table", hang_up)
    monkeypatch.setattr(cli.terminal, "_drop_output", lambda: None)
    assert cli.main(["evaluate", str(benchmark), "--json", str(target)]) == 141
    assert json.loads(target.read_text(encoding="utf-8"))["runs"]


def test_a_random_seed_too_large_for_the_last_run_is_refused_before_the_first(
    benchmark: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = fails(["evaluate", str(benchmark), "--runs", "2", "--random-seed", str(2**63 - 1)], capfd)
    assert "random_seed" in lines[0]
    assert aligner.calls == []


def test_a_failed_evaluation_leaves_the_old_figures(
    benchmark: Path, aligner: Aligner, capfd: pytest.CaptureFixture[str]
) -> None:
    target = benchmark.parent / "figures.json"
    target.write_text("old")
    aligner.accident = InputError("no")
    fails(["evaluate", str(benchmark), "--json", str(target)], capfd)
    assert target.read_text() == "old"


# Processes

SCRIPT = """
import sys, time, lightea, handmade
from lightea import cli
def align(left, right, *_, **__):
    {accident}
    return handmade.alignment({{0: [(0, 0.9, 0.8)]}}, links=[(0, 0)] * 50_000, left=left, right=right)
lightea.align = align
sys.exit(cli.main(sys.argv[1:]))
"""


def process(accident: str, *arguments: str, stdout: int | Any = subprocess.PIPE) -> subprocess.Popen[str]:
    """The command in a process of its own, with a stand-in for `align`."""
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(accident=accident), *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )


def test_a_reader_who_leaves_early_is_no_error(files: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = process("pass", *ALIGN, stdout=theirs)
    os.close(theirs)
    assert command.communicate()[1] == ""
    assert command.returncode == 141


def test_a_full_disk_is_a_sentence(files: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = process("pass", *ALIGN, stdout=full)
    assert command.communicate()[1] == "error: the output cannot be written: No space left on device\n"
    assert command.returncode == 1


def test_ctrl_c_ends_a_run_with_130(files: Path) -> None:
    wait = "print('waiting', flush=True); time.sleep(60)"
    command = process(wait, *ALIGN, "--out", "run")
    assert command.stdout is not None
    command.stdout.readline()
    command.send_signal(2)
    _, err = command.communicate(timeout=30)
    assert (command.returncode, err) == (130, "error: interrupted\n")
    assert not (files / "run").exists()


def test_names_that_the_screen_cannot_show_do_not_fail(files: Path) -> None:
    (files / "left.tsv").write_text("東京\tr\tb\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "lightea", "align", "left.tsv", "東京.tsv"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=False,
    )
    assert done.returncode == 1
    assert rb"\u6771\u4eac.tsv" in done.stderr


# The whole way, nothing stood in for


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic pair as files `left.tsv` and `right.tsv`, with some of its links as `seeds.tsv`."""
    folder = write_pair(tmp_path_factory.mktemp("synthetic") / "pair", 200)
    lines = (folder / "links.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "seeds.tsv").write_text("".join(lines[:81]), encoding="utf-8")
    return folder


def test_the_same_seed_gives_the_same_bytes_at_one_and_two_threads(
    pair: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files = [str(pair / "left.tsv"), str(pair / "right.tsv"), "--seeds", str(pair / "seeds.tsv")]
    for threads in ("1", "2"):
        assert cli.main(["align", *files, "--threads", threads, "--out", str(tmp_path / threads)]) == 0
    one, two = ((tmp_path / threads / "links.tsv").read_bytes() for threads in ("1", "2"))
    assert one == two
    assert len(one.splitlines()) > 20
    capfd.readouterr()
    assert cli.main(["align", *files, "--quiet"]) == 0
    assert capfd.readouterr().out.encode() == one


def test_no_seeds_are_refused_with_a_hint(pair: Path, capfd: pytest.CaptureFixture[str]) -> None:
    lines = fails(["align", str(pair / "left.tsv"), str(pair / "right.tsv")], capfd)
    assert "none were given" in lines[0]
    assert "--seeds" in lines[1]


def test_counts_in_hints_read_well_for_one_entity(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("left.tsv", "right.tsv"):
        (tmp_path / name).write_text('a\tlabel\t"A"\n')
    (tmp_path / "seeds.tsv").write_text("a\ta\n")
    paths = [str(tmp_path / name) for name in ("left.tsv", "right.tsv", "seeds.tsv")]
    lines = fails(["align", *paths[:2], "--seeds", paths[2]], capfd)
    assert "entities in it: 1, attribute values: 1" in lines[1]


def test_strict_refuses_an_unknown_seed_that_is_otherwise_a_warning(
    pair: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    seeds = tmp_path / "seeds.tsv"
    seeds.write_bytes((pair / "seeds.tsv").read_bytes() + b"nobody\tno one\n")
    arguments = ["align", str(pair / "left.tsv"), str(pair / "right.tsv"), "--seeds", str(seeds)]
    assert cli.main(arguments) == 0
    assert "warning: 1 of " in capfd.readouterr().err
    assert "nobody" in fails([*arguments, "--strict"], capfd)[0]


def test_evaluate_without_seeds_is_refused_with_an_option_that_it_has(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = write_pair(tmp_path / "openea", 50, layout="openea")
    lines = fails(["evaluate", str(folder), "--train", "0"], capfd)
    assert "none were given" in lines[0]
    assert "--train 0.3" in lines[1]
    assert "--seeds" not in lines[1]


def test_evaluate_runs_the_whole_way(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder = write_pair(tmp_path / "openea", 200, layout="openea")
    target = tmp_path / "figures.json"
    arguments = ["evaluate", str(folder), "--train", "0.3", "--json", str(target)]
    for candidates in ("test", "all"):
        assert cli.main([*arguments, "--candidates", candidates]) == 0
        document = json.loads(target.read_text(encoding="utf-8"))
        figures = document["mean"]
        assert 0 <= figures["ece"] <= 1
        assert 0 < figures["estimated_precision"] <= 1
        assert 0 < figures["estimated_recall"] <= 1
        assert set(document["runs"][0]) >= {"ece", "estimated_precision", "estimated_recall"}
        assert 0.2 < figures["hits@1"] <= figures["hits@10"] <= 1
        seconds = figures["seconds"]
        parts = [value for name, value in seconds.items() if name not in {"total", "compile"}]
        assert sum(parts) <= seconds["total"]
    assert capfd.readouterr().err == ""


def test_the_demo_writes_its_run_though_nobody_reads_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "say", hang_up)
    monkeypatch.setattr(cli.terminal, "_drop_output", lambda: None)
    assert cli.main(["demo", "--out", str(tmp_path / "run")]) == 141
    assert (tmp_path / "run" / "links.tsv").exists()


def test_the_demo_shows_links_scores_and_where_to_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["demo"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    parts = ["probability", "right", "hits@1", "known answer", "estimate", "lightea-demo/links.tsv"]
    for part in [*parts, "lightea align", "Estimated precision"]:
        assert part in out
    explained = out[out.index("log(1 + 30") :]
    assert "left fact" in explained
    assert "lightea align" not in explained
    assert json.loads((tmp_path / "lightea-demo" / "run.json").read_text())["config"]["preset"] == "auto"
    written = {path.name for path in (tmp_path / "lightea-demo").iterdir()}
    assert written >= {"evidence", "links.tsv", "no_match.tsv", "run.json", "seeds.tsv"}
