"""`lightea report`: a finished run as one page to look at in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lightea.cli.terminal import session
from lightea.clock import nobody


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A directory written by align --out.")],
) -> None:
    """Write the report of a run anew: report.html, one file for any browser, without network."""
    with session(quiet=False) as terminal:
        from lightea.run_store import load_alignment
        from lightea.writing import rewrite_report

        with terminal.progress() as progress:
            tell = progress or nobody
            tell("reading", 0, 1)
            alignment = load_alignment(run)
            tell("reading", 1, 1)
            tell("report", 0, 0)
            written = rewrite_report(alignment, run)
        terminal.say(f"The report is in {written}.")
