"""`lightea update`: new facts in, the links of a run brought up to date, and what changed."""

from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lightea.cli.align_command import show_summary
from lightea.cli.inputs import FormatOption, ReadingOptions
from lightea.cli.options import LogJsonOption, QuietOption, ThreadsOption, threads_to_use
from lightea.cli.terminal import Terminal, session
from lightea.clock import Progress, nobody

if TYPE_CHECKING:
    from lightea.changes import Changes
    from lightea.exchange import Publication
    from lightea.graph import KnowledgeGraph

_SHOWN = 10
"""Changes of each kind that are printed."""


def update(
    run: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A directory written by align --out.")],
    *,
    left_add: Annotated[
        list[Path] | None,
        typer.Option("--left-add", metavar="FILE", help="New facts of the left graph. May be repeated."),
    ] = None,
    right_add: Annotated[
        list[Path] | None,
        typer.Option("--right-add", metavar="FILE", help="New facts of the right graph. May be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Write a new run directory. [default: RUN_DIR itself is replaced]",
            show_default=False,
        ),
    ] = None,
    graph_format: FormatOption = None,
    threads: ThreadsOption = None,
    quiet: QuietOption = False,
    log_json: LogJsonOption = False,
) -> None:
    """Bring a run up to date by new facts, without aligning everything again.

    Accepted links stay; what is new is aligned, and only what the new facts touch is decided anew. Files are
    read as those of the run were. What changed is written to diff.tsv and diff.json, with reasons.
    """
    given = [*(left_add or []), *(right_add or [])]
    if not given:
        raise typer.BadParameter("nothing was added: give --left-add FILE, --right-add FILE or both")
    if [str(file) for file in given].count("-") > 1:
        raise typer.BadParameter("only one input can be the standard input (-)")
    with session(quiet=quiet, log_json=log_json) as terminal:
        import lightea
        from lightea.run_store import load_alignment
        from lightea.writing import check_writable, read_manifest, write_run

        target = run if out is None else out
        before = load_alignment(run, attributes=True)
        manifest = read_manifest(run)
        check_writable(target)
        reading = _record(manifest, "reading")
        options = ReadingOptions.recorded(reading)
        if graph_format is not None or "format" not in reading:
            options = dataclasses.replace(options, format=graph_format)
        with terminal.progress() as progress:
            left = _added(left_add, options, progress or nobody)
            right = _added(right_add, options, progress or nobody)
            updated = lightea.update(
                before,
                left,
                right,
                classes=reading.get("types", ()),
                threads=threads_to_use(threads),
                progress=progress,
            )
            written = write_run(
                updated.alignment,
                target,
                also=_formats(manifest),
                publication=_publication(manifest),
                inputs=_inputs(manifest, left_add or [], right_add or []),
                reading=_grown_record(reading, left_add or [], right_add or []),
                changes=updated.changes,
                threads=threads_to_use(threads),
                progress=progress,
            )
        _show_changes(terminal, updated.changes)
        show_summary(terminal, updated.alignment)
        terminal.say(f"All changes are in {written / 'diff.tsv'}, the links in {written / 'links.tsv'}.")


def _added(files: list[Path] | None, options: ReadingOptions, report: Progress) -> KnowledgeGraph | None:
    """The new facts of one side, as much of them as is wanted of the graphs."""
    from lightea.selection import matched_part, select

    if not files:
        return None
    report("reading", 0, 1)
    graph = options.read(files).graph
    report("reading", 1, 1)
    return select(graph, matched_part(graph, options.selection))


def _record(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    found = manifest.get(name)
    return found if isinstance(found, dict) else {}


def _formats(manifest: dict[str, Any]) -> list[str]:
    """The formats for the links that the run has beside those that every run has."""
    from lightea.exchange import FORMATS

    return [name for name, one in FORMATS.items() if not one.always and one.file in manifest["files"]]


def _publication(manifest: dict[str, Any]) -> Publication | None:
    """What the run told of its graphs; versions that were hashes of files are made anew."""
    from lightea.exchange import Publication

    kept = _record(manifest, "publication")
    if not kept:
        return None
    day = kept.get("date")
    date = None if day is None else datetime.date.fromisoformat(day)
    return Publication(**{**kept, "date": date})


def _inputs(manifest: dict[str, Any], left: list[Path], right: list[Path]) -> dict[str, Path]:
    """The files of the run that are still there, and those that were added, by what they are."""
    named = {
        name: Path(facts["path"])
        for name, facts in _record(manifest, "inputs").items()
        if isinstance(facts, dict) and "path" in facts
    }
    for side, files in (("left", left), ("right", right)):
        n_before = sum(name == side or name.startswith(f"{side}_") for name in named)
        for number, file in enumerate(files, start=n_before + 1):
            named[side if number == 1 else f"{side}_{number}"] = file
    return named


def _grown_record(reading: dict[str, Any], left: list[Path], right: list[Path]) -> dict[str, Any]:
    added = {"left": left, "right": right}
    files = {side: [*reading.get(side, []), *map(str, more)] for side, more in added.items()}
    return {**reading, **files}


def _show_changes(terminal: Terminal, changes: Changes) -> None:
    """The counts, and the first changes of each kind with their reasons."""
    counts = changes.counts
    for side in ("left", "right"):
        terminal.say(
            f"{side}: {counts[f'new_{side}_facts']:,} new facts, "
            f"{counts[f'new_{side}_entities']:,} new entities"
        )
    terminal.say(
        f"opened: {counts['opened_left']:,} left entities, {counts['opened_links']:,} of "
        f"{counts['links_before']:,} links"
    )
    terminal.say(f"links: {changes.summary}")
    for kind in ("changed", "dropped", "added"):
        of_kind = changes.table.filter(change=kind)
        if len(of_kind):
            rows = of_kind.head(_SHOWN).select("left", "right", "reason").rows()
            title = f"<{kind}, {min(_SHOWN, len(of_kind))} of {len(of_kind):,}"
            terminal.table([title, "<right", "<reason"], rows)
