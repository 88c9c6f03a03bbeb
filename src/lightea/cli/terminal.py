"""How a command talks to the one who runs it: tables, progress, warnings, errors and exit codes."""

from __future__ import annotations

import _thread
import contextlib
import logging
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

import typer

from lightea.cli.json_log import JsonLog
from lightea.clock import Progress
from lightea.errors import LighteaError, OutputError

if TYPE_CHECKING:
    from rich.console import Console

WRONG, INTERRUPTED, PIPE_CLOSED = 1, 130, 141

_LESS_MEMORY = "lower sketch_width, label_width or candidates in --config, or use a machine with more memory"

_SHORTLY = 0.05
"""Seconds until an interrupt that was dropped is repeated."""
_PIPED_WIDTH = 200
"""Columns of a table that goes to a file or a pipe, where no window limits it."""

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that steer a terminal or reorder its text instead of being shown."""


def printable(text: str, keep: str = "") -> str:
    """The text with all characters that would steer a terminal shown as escapes, but for those in `keep`."""

    def shown(match: re.Match[str]) -> str:
        character = match.group()
        if character in keep:
            return character
        return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"

    return _UNSAFE.sub(shown, text)


class Terminal:
    """Results go to stdout; progress, warnings and errors go to stderr."""

    def __init__(self, *, quiet: bool, log_json: bool = False) -> None:
        self._quiet = quiet
        self._log = JsonLog(sys.stderr) if log_json and sys.stderr is not None else None
        self._out = _console(width=None if _is_screen(sys.stdout) else _PIPED_WIDTH)
        self._err = _console(stderr=True)

    def say(self, text: str = "") -> None:
        """A line of results."""
        self._out.print(printable(text, keep="\n"), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table of results; a column whose name starts with `<` holds text, the others numbers."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for name in columns:
            title, is_text = name.removeprefix("<"), name.startswith("<")
            # Where a window is too narrow, Rich shrinks the columns that may wrap: text, never numbers.
            table.add_column(title, justify="left" if is_text else "right", no_wrap=not is_text, max_width=60)
        for row in rows:
            table.add_row(*(Text(printable(cell), no_wrap=True, overflow="ellipsis") for cell in row))
        self._out.print(table)

    def write(self, data: bytes) -> None:
        """Results as bytes: as they are into a file or pipe, made harmless on a screen."""
        self.refuse_closed_output()
        if _is_screen(sys.stdout):
            sys.stdout.write(printable(data.decode("utf-8"), keep="\t\n"))
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)

    def refuse_closed_output(self) -> None:
        """Raise `OutputError` if stdout was closed by who started us, so that results would go nowhere."""
        if sys.stdout is None:
            raise OutputError(
                "stdout is closed, so the results cannot be printed",
                hint="give --out DIR, or leave stdout open",
            )

    def tell(self, kind: str, message: str) -> None:
        """A message on stderr: `kind: message`."""
        if self._log is not None:
            self._log.message(kind, message)
            return
        self._err.print(printable(f"{kind}: {message}", keep="\n"), soft_wrap=True)

    def complain(self, message: str, hint: str | None) -> None:
        """What is wrong, and what to do about it."""
        if self._log is not None:
            self._log.message("error", message, hint)
            return
        self.tell("error", message)
        if hint is not None:
            self.tell("hint", hint)

    @contextlib.contextmanager
    def progress(self) -> Iterator[Progress | None]:
        """Bars on a screen, one for each stage, gone when done; None where nobody looks."""
        if self._log is not None:
            yield None if self._quiet else self._log.stage
            return
        if self._quiet or not _is_screen(sys.stderr) or self._err.is_dumb_terminal:
            yield None
            return
        from rich import progress as rich

        columns = (rich.TextColumn("{task.description:<12}"), rich.BarColumn(), rich.TimeElapsedColumn())
        with rich.Progress(*columns, console=self._err, transient=True) as bars:
            stages: dict[str, rich.TaskID] = {}

            def show(stage: str, done: int, total: int) -> None:
                if stage not in stages:
                    stages[stage] = bars.add_task(stage)
                elif done == 0:
                    bars.reset(stages[stage])
                bars.update(stages[stage], completed=done, total=total or None)

            yield show


def _is_screen(stream: TextIO | None) -> bool:
    """Whether somebody looks at a stream; it is None where the shell closed it (`>&-`)."""
    return stream is not None and stream.isatty()


def _console(*, width: int | None = None, stderr: bool = False) -> Console:
    """A Rich console that prints data as it is and leaves it to `session` what a closed pipe means."""
    from rich.console import Console

    class DataConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return DataConsole(width=width, stderr=stderr, highlight=False, markup=False, emoji=False)


@contextlib.contextmanager
def session(*, quiet: bool, log_json: bool = False) -> Iterator[Terminal]:
    """A terminal for one command, in which errors become a sentence and an exit code."""
    terminal = Terminal(quiet=quiet, log_json=log_json)
    try:
        with _log_shown(terminal, logging.ERROR if quiet else logging.WARNING), _no_interrupt_lost():
            yield terminal
            if sys.stdout is not None:
                sys.stdout.flush()
    except (Exception, KeyboardInterrupt) as problem:
        end = _end(terminal, problem)
        if end is None:
            raise
        raise end from problem


def _end(terminal: Terminal, problem: BaseException) -> typer.Exit | None:
    """Say what went wrong; returns the exit to raise, None for what is a fault of the program."""
    if _comes_from_interrupt(problem):
        terminal.tell("error", "interrupted")
        return typer.Exit(INTERRUPTED)
    match problem:
        case LighteaError():
            return _failed(terminal, problem.message, problem.hint)
        case BrokenPipeError():
            _drop_output()
            return typer.Exit(PIPE_CLOSED)
        case OSError():
            return _failed(terminal, _os_sentence(problem), None)
        case MemoryError():
            return _failed(terminal, "there is not enough memory for this run", _LESS_MEMORY)
    return None


def _comes_from_interrupt(problem: BaseException) -> bool:
    """Whether Ctrl-C stands at the root; compiled code, and what cleans up, may make another error of it."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [problem]
    while waiting:
        error = waiting.pop()
        if isinstance(error, KeyboardInterrupt):
            return True
        if error is not None and id(error) not in seen:
            seen.add(id(error))
            waiting += [error.__cause__, error.__context__]
    return False


@contextlib.contextmanager
def _no_interrupt_lost() -> Iterator[None]:
    """Let Ctrl-C end the run also where a compiler calls back into Python and drops what is raised there.

    Python tells only of the drop, and drops what the hook raises: so the interrupt is repeated shortly after.
    """
    usual, repeated = sys.unraisablehook, list[threading.Timer]()

    def hook(dropped: sys.UnraisableHookArgs) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            repeated.append(threading.Timer(_SHORTLY, _thread.interrupt_main))
            repeated[-1].start()
        else:
            usual(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = usual
        for interrupt in repeated:
            interrupt.join()


def _failed(terminal: Terminal, message: str, hint: str | None) -> typer.Exit:
    """Say what is wrong and what to do; returns the exit to raise."""
    terminal.complain(message, hint)
    return typer.Exit(WRONG)


def _os_sentence(problem: OSError) -> str:
    reason = problem.strerror or str(problem)
    return f"{problem.filename}: {reason}" if problem.filename else f"the output cannot be written: {reason}"


def _drop_output() -> None:
    """Point stdout nowhere, or the flush at the end of Python would fail on the closed pipe once more."""
    if sys.stdout is None:
        return
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class _TerminalHandler(logging.Handler):
    def __init__(self, terminal: Terminal, level: int) -> None:
        super().__init__(level)
        self._terminal = terminal

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record of the library as a line on stderr."""
        self._terminal.tell(record.levelname.lower(), record.getMessage())


@contextlib.contextmanager
def _log_shown(terminal: Terminal, level: int) -> Iterator[None]:
    """Show what the library logs from `level` on, and nothing of it twice."""
    logger, handler = logging.getLogger("lightea"), _TerminalHandler(terminal, level)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
