"""`lightea align --dry-run`: what would be read and done, and what it would take."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lightea.cli.inputs import Inputs, Sides
from lightea.cli.terminal import Terminal
from lightea.clock import nobody

if TYPE_CHECKING:
    from lightea.config import Config
    from lightea.identity import Apart

DryRunOption = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Read and check everything, align nothing, write nothing; say what would be done and what it "
        "would take.",
    ),
]


def rehearse(
    terminal: Terminal, inputs: Inputs, config: Config, *, threads: int, memory: float | None, strict: bool
) -> None:
    """Do all but the alignment: the graphs and seeds are read and checked as they would be."""
    from lightea.encoding import encoded_names, uses_names
    from lightea.forecast import forecast
    from lightea.identity import set_apart
    from lightea.machine import memory_mb
    from lightea.seeds import known_pairs
    from lightea.sizing import settings_for_size

    with terminal.progress() as progress:
        sides = inputs.read(progress or nobody)
    rest = set_apart(sides.left, sides.right)
    named = uses_names(config) and encoded_names(rest.left, rest.right, config, inputs.names) is not None
    pairs = known_pairs(sides.seeds, rest.left, rest.right, config, strict=strict, needed=not named)
    n_seeds = len(pairs)
    _show_files(terminal, sides)
    _show_graphs(terminal, sides, rest)
    _show_told(terminal, sides.apart or rest)
    sized = settings_for_size(config, rest.left.n_entities, rest.right.n_entities)
    expected = forecast(rest.left, rest.right, sized, threads)
    rows = [[part, f"{value:,.1f}"] for part, value in expected.seconds.items() if value >= 0.05]
    terminal.table(["<part", "seconds"], [*rows, ["all", f"{expected.total:,.0f}"]])
    has = memory_mb()
    of = "" if has is None else f", of {has / 1e3:.1f} GB there are"
    terminal.say(
        f"preset {config.preset}, {threads} threads, {n_seeds:,} seeds: about {_time(expected.total)} and "
        f"{expected.memory / 1e9:.1f} GB of memory{of}; the time may be off by a factor "
        "of three, the memory by a quarter"
    )
    if memory is not None and expected.memory > memory:
        terminal.say(f"note: that is more memory than the {memory / 1e9:,.1f} GB that it may hold")
    if has is not None and expected.memory > has * 1e6:
        terminal.say("note: that is more memory than this machine has")
    terminal.say("nothing was aligned or written")


def _show_files(terminal: Terminal, sides: Sides) -> None:
    rows = [
        [side, str(path), known, _size(path)]
        for side, reading in zip(("left", "right"), sides.readings, strict=True)
        for path, known in reading.files.items()
    ]
    terminal.table(["<side", "<file", "<format", "size"], rows)


def _size(path: Path) -> str:
    try:
        return f"{path.stat().st_size / 1e6:,.1f} MB" if path.is_file() else ""
    except OSError:
        return ""


def _show_graphs(terminal: Terminal, sides: Sides, rest: Apart) -> None:
    graphs = (rest.left, rest.right)
    asked = [
        graph.n_entities if chosen is None else len(chosen)
        for graph, chosen in zip(graphs, (sides.left_entities, sides.right_entities), strict=True)
    ]
    rows: list[Sequence[str]] = [
        ["entities", *(f"{graph.n_entities:,}" for graph in graphs)],
        ["  to be aligned, seeds included", *(f"{count:,}" for count in asked)],
        ["relations", *(f"{graph.n_relations:,}" for graph in graphs)],
        ["facts between entities", *(f"{graph.n_triples:,}" for graph in graphs)],
        ["literals", *(f"{len(graph.attributes):,}" for graph in graphs)],
    ]
    terminal.table(["<", "left", "right"], rows)


def _show_told(terminal: Terminal, apart: Apart) -> None:
    """What the graphs tell of each other."""
    if apart.n_statements:
        terminal.say(
            f"{apart.n_statements:,} statements of what is the same (owl:sameAs and the like) tell "
            f"{len(apart.links):,} pairs; they are seeds with --seeds same-as, and else left aside"
        )


def _time(seconds: float) -> str:
    return f"{seconds:,.0f} seconds" if seconds < 120 else f"{seconds / 60:,.0f} minutes"
