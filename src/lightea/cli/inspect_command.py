"""`lightea inspect`: what is in files, before anything is aligned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lightea.cli.inputs import (
    ColumnsOption,
    ExcludeOption,
    FormatOption,
    GraphOption,
    IncludeOption,
    LangOption,
    ReadingOptions,
)
from lightea.cli.options import QuietOption
from lightea.cli.terminal import Terminal, session

if TYPE_CHECKING:
    from lightea.inspection import Inspection

_ROWS = 15
"""Relations, attributes, … that are shown; all of them are in the JSON."""


def inspect(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Graphs: files, directories of files, or - for stdin."),
    ],
    *,
    together: Annotated[
        bool, typer.Option("--together", help="Read all files as one graph, not as one each.")
    ] = False,
    graph_format: FormatOption = None,
    columns: ColumnsOption = None,
    include: IncludeOption = None,
    exclude: ExcludeOption = None,
    lang: LangOption = None,
    graph: GraphOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Show what graphs hold: entities, relations, literals, languages, degrees, doubles and oddities."""
    options = ReadingOptions(graph_format, columns, include or (), exclude or (), lang or (), graph or ())
    with session(quiet=quiet) as terminal:
        from lightea.writing import to_json

        terminal.refuse_closed_output()
        groups = [files] if together else [[file] for file in files]
        found = [_inspected(terminal, group, options) for group in groups]
        if json:
            terminal.write(to_json({"graphs": [one.to_dict() for one in found]}).encode())
            return
        for one in found:
            _show(terminal, one)


def _inspected(terminal: Terminal, files: Sequence[Path], options: ReadingOptions) -> Inspection:
    from lightea.clock import nobody
    from lightea.inspection import inspect as look
    from lightea.selection import select

    with terminal.progress() as progress:
        report = progress or nobody
        report("reading", 0, 2)
        reading = options.read(files)
        report("reading", 1, 2)
        graph = select(reading.graph, options.selection)
        inspection = look(graph, files=reading.files, repeated_facts=reading.repeated)
        report("reading", 2, 2)
    return inspection


def _show(terminal: Terminal, found: Inspection) -> None:
    """Sizes first, then what makes them up, then what is odd."""
    formats = ", ".join(dict.fromkeys(found.files.values()))
    terminal.say(
        f"{found.name} ({len(found.files):,} {'file' if len(found.files) == 1 else 'files'}: {formats})"
    )
    terminal.table(["<", "count"], [[name, value] for name, value in _sizes(found)])
    if found.relations:
        rows = [[r.name, f"{r.facts:,}", f"{r.heads:,}", f"{r.tails:,}"] for r in found.relations]
        _table(terminal, ["<relation", "facts", "heads", "tails"], rows)
    if found.attributes:
        rows = [[a.name, f"{a.literals:,}", f"{a.entities:,}"] for a in found.attributes]
        _table(terminal, ["<attribute", "literals", "entities"], rows)
    for title, counts in (
        ("class", found.classes),
        ("language", found.languages),
        ("datatype", found.datatypes),
    ):
        _show_counts(terminal, title, counts)
    for one, other in found.same_as.examples:
        terminal.say(f"same as: {one} = {other}")
    for warning in found.warnings:
        terminal.say(f"note: {warning}")
    terminal.say()


def _sizes(found: Inspection) -> list[tuple[str, str]]:
    degrees, doubles = found.degrees, found.duplicates
    return [
        ("entities", f"{found.entities:,}"),
        ("  blank nodes", f"{found.blank_nodes:,}"),
        ("  without facts", f"{degrees.isolated:,}"),
        ("  with the same facts as another", f"{doubles.alike:,}"),
        ("  called like another", f"{doubles.same_label:,}"),
        ("facts between entities", f"{found.facts:,}"),
        ("  repeated in the files", f"{doubles.repeated_facts:,}"),
        ("  from an entity to itself", f"{found.self_loops:,}"),
        ("relations", f"{len(found.relations):,}"),
        ("literals", f"{found.literals:,}"),
        ("facts per entity, median", f"{degrees.median:g}"),
        ("facts per entity, mean", f"{degrees.mean:.1f}"),
        (f"most facts: {degrees.largest_entity or 'nobody'}", f"{degrees.largest:,}"),
        ("connected parts", f"{found.components.count:,}"),
        ("  entities in the largest", f"{found.components.largest:,}"),
        ("statements of what is the same", f"{found.same_as.statements:,}"),
    ]


def _show_counts(terminal: Terminal, title: str, counts: Mapping[str, int]) -> None:
    if counts:
        _table(terminal, [f"<{title}", "count"], [[name, f"{count:,}"] for name, count in counts.items()])


def _table(terminal: Terminal, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The first rows of a table, and how many more there are."""
    terminal.table(columns, rows[:_ROWS])
    if len(rows) > _ROWS:
        terminal.say(f"… and {len(rows) - _ROWS:,} more; --json shows all")
