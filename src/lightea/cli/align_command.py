"""`lightea align`: two graphs in, links out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lightea.cli.options import (
    ConfigOption,
    NamesOption,
    PresetOption,
    QuietOption,
    RandomSeedOption,
    ThreadsOption,
    ThresholdOption,
    refuse_both,
    settings,
    threads_to_use,
)
from lightea.cli.terminal import Terminal, session
from lightea.clock import nobody
from lightea.errors import ConfigError

if TYPE_CHECKING:
    from lightea.alignment import Alignment
    from lightea.config import Config


def _known_format(asked: str | None) -> str | None:
    if asked is not None:
        from lightea.reading.detect import format_named

        try:
            format_named(asked)
        except ConfigError as problem:
            raise typer.BadParameter(f"{problem.message}; {problem.hint}") from problem
    return asked


def align(
    left: Annotated[Path, typer.Argument(metavar="LEFT", help="A graph: a file, or a directory of shards.")],
    right: Annotated[Path, typer.Argument(metavar="RIGHT", help="The other graph.")],
    *,
    seeds: Annotated[
        Path | None,
        typer.Option("--seeds", metavar="FILE", help="Pairs known to be the same: left, tab, right."),
    ] = None,
    graph_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            callback=_known_format,
            help="Format of both graphs: tsv, csv, ntriples, nquads, turtle, trig, rdfxml or parquet. "
            "[default: told by name and content]",
            show_default=False,
        ),
    ] = None,
    preset: PresetOption = None,
    names: NamesOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write a run directory instead of links to stdout."),
    ] = None,
    threshold: ThresholdOption = None,
    random_seed: RandomSeedOption = None,
    threads: ThreadsOption = None,
    config: ConfigOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse seeds that the graphs do not know.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Find which entities of two graphs are the same.

    Prints a table of left, right and probability; with --out writes a run directory and prints a summary.
    """
    refuse_both("--preset", "--config", given=bool(preset and config), why="the file names its preset")
    with session(quiet=quiet) as terminal:
        chosen = settings(preset, config, names=names, threshold=threshold, random_seed=random_seed)
        if out is not None:
            from lightea.writing import check_writable

            check_writable(out)
        else:
            terminal.refuse_closed_output()
        inputs = {"left": left, "right": right} | ({} if seeds is None else {"seeds": seeds})
        alignment = _run(
            terminal, inputs, graph_format, chosen, threads=threads_to_use(threads), strict=strict
        )
        if out is None:
            _print_links(terminal, alignment)
        else:
            _write_and_summarise(terminal, alignment, out, inputs=inputs, threads=threads_to_use(threads))


def _run(
    terminal: Terminal,
    inputs: dict[str, Path],
    graph_format: str | None,
    config: Config,
    *,
    threads: int,
    strict: bool,
) -> Alignment:
    import lightea

    with terminal.progress() as progress:
        report = progress or nobody
        report("reading", 0, 2)
        seeds = lightea.read_links(inputs["seeds"]) if "seeds" in inputs else None
        left = lightea.read(inputs["left"], format=graph_format)
        report("reading", 1, 2)
        right = lightea.read(inputs["right"], format=graph_format)
        report("reading", 2, 2)
        return lightea.align(
            left, right, seeds, config=config, threads=threads, strict=strict, progress=progress
        )


def _print_links(terminal: Terminal, alignment: Alignment) -> None:
    from lightea.writing import links_tsv

    terminal.write(links_tsv(alignment))


def _write_and_summarise(
    terminal: Terminal, alignment: Alignment, out: Path, *, inputs: dict[str, Path], threads: int
) -> None:
    from lightea.writing import write_run

    written = write_run(alignment, out, inputs=inputs, threads=threads)
    show_summary(terminal, alignment)
    terminal.say(f"Links are in {written / 'links.tsv'}, how they were found in {written / 'run.json'}.")
    terminal.say(f"To look at in a browser: {written / 'report.html'}")


def show_summary(terminal: Terminal, alignment: Alignment) -> None:
    """How many entities were matched, and how long each stage took."""
    from lightea.standing import DOUBTFUL, link_counts

    counts = link_counts(alignment)
    terminal.table(
        ["<left entities", "count", "<meaning"],
        [
            ["searched", f"{counts['searched']:,}", f"all but the {counts['seeds']:,} given as seeds"],
            ["matched", f"{counts['matched']:,}", f"probability at least {alignment.config.threshold:g}"],
            ["doubtful", f"{counts['doubtful']:,}", f"no link, but a candidate of at least {DOUBTFUL:g}"],
            ["unmatched", f"{counts['unmatched']:,}", "no candidate worth a look"],
        ],
    )
    seconds = [[stage, f"{value:.2f}"] for stage, value in alignment.seconds.items()]
    terminal.table(["<stage", "seconds"], seconds)
