"""The command line: arguments in; results to stdout; progress and log to stderr; a code at exit.

0 done · 1 the data or the request is wrong · 2 usage · 130 interrupted · 141 the reader of our output left.

One module for each command. They import what computes inside their functions, so that `--help` is quick.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from lightea.cli.align_command import align
from lightea.cli.demo_command import demo
from lightea.cli.evaluate_command import evaluate
from lightea.cli.explain_command import explain
from lightea.cli.inspect_command import inspect
from lightea.cli.report_command import report
from lightea.cli.terminal import INTERRUPTED, WRONG
from lightea.cli.update_command import update
from lightea.cli.version import version_lines

app = typer.Typer(
    name="lightea",
    help="Read two knowledge graphs, say which entities are the same, and how sure.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(align)
app.command()(evaluate)
app.command()(explain)
app.command()(inspect)
app.command()(report)
app.command()(update)
app.command()(demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        for line in version_lines():
            typer.echo(line)
        raise typer.Exit


@app.callback()
def _lightea(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_show_version,
            is_eager=True,
            help="Show versions and the machine, and exit.",
        ),
    ] = False,
) -> None:
    """Read two knowledge graphs, say which entities are the same, and how sure."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line (default: that of the process) and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name must not fail for want of a code page
    try:
        app(args=None if arguments is None else list(arguments), prog_name="lightea")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as problem:  # help or version into a full disk; commands see to their own
        sys.stderr.write(f"error: the output cannot be written: {problem.strerror}\n")
        return WRONG
    return 0
