"""`lightea evaluate`: align a benchmark with a known answer, and say how good and how fast that was."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from lightea.cli.options import (
    ConfigOption,
    LogJsonOption,
    MemoryOption,
    NameIdsOption,
    NamesFileOption,
    NamesOption,
    PresetOption,
    QuietOption,
    RandomSeedOption,
    ThreadsOption,
    refuse_both,
    settings,
    threads_to_use,
)
from lightea.cli.predicted import predictions_report
from lightea.cli.protocol import MEASURES, TRUST, Protocol, report, timed_run
from lightea.cli.settings_file import SettingsFile
from lightea.cli.terminal import Terminal, session


class CandidateSet(StrEnum):
    """Who is searched and may be an answer."""

    test = "test"
    all = "all"


def _share_below_one(train: float | None) -> float | None:
    if train is not None and not 0 <= train < 1:
        raise typer.BadParameter(
            f"{train:g} is not at least 0 and less than 1; some links must be left to find"
        )
    return train


def evaluate(
    dataset: Annotated[
        Path,
        typer.Argument(
            metavar="DATASET", help="A benchmark folder in JAPE, OpenEA or growing (ContEA) layout."
        ),
    ],
    *,
    preset: PresetOption = None,
    names: NamesOption = None,
    names_file: NamesFileOption = None,
    names_from_ids: NameIdsOption = False,
    train: Annotated[
        float | None,
        typer.Option(
            "--train",
            metavar="SHARE",
            callback=_share_below_one,
            help="Share of the links given as seeds. [default: the data set's own split, or 0.3]",
            show_default=False,
        ),
    ] = None,
    fold: Annotated[
        int | None, typer.Option("--fold", metavar="K", min=1, help="The data set's own split number K.")
    ] = None,
    runs: Annotated[
        int, typer.Option("--runs", metavar="N", min=1, help="Runs, each with the next random seed.")
    ] = 1,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions",
            metavar="PATH",
            help="Score what another method found instead: a table (left, right, score), or a directory "
            "of vectors. See docs/your-own-method.md.",
        ),
    ] = None,
    assign: Annotated[
        bool,
        typer.Option(
            "--assign", help="With --predictions: let the assignment of `basic` decide by the scores."
        ),
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", metavar="S", help="With --predictions: the least score of a link. [default: none]"
        ),
    ] = None,
    candidates: Annotated[
        CandidateSet,
        typer.Option("--candidates", help="Match the entities of the test links only, or all but the seeds."),
    ] = CandidateSet.test,
    random_seed: RandomSeedOption = None,
    threads: ThreadsOption = None,
    memory: MemoryOption = None,
    config: ConfigOption = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures to a file as well.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="FILE", help="Write all candidate pairs, in the form of --predictions."
        ),
    ] = None,
    quiet: QuietOption = False,
    log_json: LogJsonOption = False,
) -> None:
    """Align a benchmark, or take what another method found, and compare with its known links."""
    refuse_both("--preset", "--config", given=bool(preset and config), why="the file names its preset")
    both_splits = train is not None and fold is not None
    refuse_both("--train", "--fold", given=both_splits, why="a fold is a split already")
    _check_predictions(predictions, assign, threshold, preset, config, names, runs, export)
    if export is not None and runs > 1:
        raise typer.BadParameter("--export and --runs exclude each other: a file holds one run")
    with session(quiet=quiet, log_json=log_json) as terminal:
        from lightea import outputs
        from lightea.writing import to_json

        for file in (json, export):
            if file is not None:
                outputs.check_file(file)
        chosen = settings(preset, config, names=names, from_ids=names_from_ids, random_seed=random_seed)
        chosen.replace(
            random_seed=chosen.random_seed + runs - 1
        )  # refused now rather than before the last run
        protocol = Protocol(
            dataset,
            train,
            fold,
            candidates.value,
            chosen,
            threads_to_use(threads),
            export,
            memory,
            names_file,
        )
        if predictions is not None:
            document = predictions_report(protocol, predictions, threshold=threshold, assigned=assign)
        else:
            with terminal.progress() as progress:
                document = report(protocol, [timed_run(protocol, number, progress) for number in range(runs)])
        if json is not None:
            outputs.write_text(json, to_json(document))
        if predictions is not None:
            _show_predictions(terminal, document)
        else:
            _show(terminal, document)


def _check_predictions(
    predictions: Path | None,
    assign: bool,
    threshold: float | None,
    preset: str | None,
    config: SettingsFile | None,
    names: str | None,
    runs: int,
    export: Path | None,
) -> None:
    """End with a usage error where options do not go with, or without, those of another method."""
    if predictions is None:
        for option, given in (("--assign", assign), ("--threshold", threshold is not None)):
            if given:
                raise typer.BadParameter(f"{option} goes with --predictions alone")
        return
    others = {
        "--preset": preset,
        "--config": config,
        "--names": names,
        "--runs": runs > 1 or None,
        "--export": export,
    }
    for option, value in others.items():
        refuse_both("--predictions", option, given=value is not None, why="nothing is aligned here")
    if threshold is not None and math.isnan(threshold):
        raise typer.BadParameter("--threshold is no number")


def _show_predictions(terminal: Terminal, document: dict[str, Any]) -> None:
    """Quality, and how much of what was asked for the method has answered."""
    run = document["runs"][0]
    terminal.table([*MEASURES], [[f"{run[measure]:.4f}" for measure in MEASURES]])
    terminal.say(
        f"{run['n_test']:,} test links, of which {run['n_not_retrieved']:,} are not among the candidates; "
        f"{run['n_predicted']:,} links predicted"
    )


def _show(terminal: Terminal, document: dict[str, Any]) -> None:
    """Quality, time and memory of each run and their mean; then where the time went."""
    runs, mean = document["runs"], document["mean"]
    rows = [_row(str(run["random_seed"]), run) for run in runs]
    if len(runs) > 1:
        rows.append(_row("mean", mean))
    terminal.table(["seed", *MEASURES, "seconds", "peak MB"], rows)
    trusted = [f"{name.replace('_', ' ')} {mean[name]:.4f}" for name in TRUST if mean[name] is not None]
    if trusted:
        terminal.say(", ".join(trusted) + " (ece: calibration error of the predicted links)")
    terminal.table(["<stage", "seconds"], [[name, f"{value:.2f}"] for name, value in mean["seconds"].items()])
    terminal.say("total runs from the first byte read to the metrics, without compile")


def _row(name: str, figures: dict[str, Any]) -> list[str]:
    peak = figures["peak_rss_mb"]
    measures = [f"{figures[measure]:.4f}" for measure in MEASURES]
    return [name, *measures, f"{figures['seconds']['total']:.2f}", "?" if peak is None else f"{peak:.0f}"]
