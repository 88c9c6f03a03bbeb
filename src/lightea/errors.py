"""Every error a user can meet.

LighteaError                 what happened, the value seen, and a hint what to do
├── InputError               a file or a graph is not what was asked for
│   ├── ReadError            ... and the place is known: path, line, column
│   └── SeedError            the pre-aligned pairs do not fit the graphs
├── ConfigError              a setting is out of range or unknown
├── MemoryLimitError         the run needs more memory than it is allowed
├── OutputError              results could not be written
└── MissingExtraError        an optional dependency is needed; names the pip command
"""

from __future__ import annotations

from pathlib import Path


class LighteaError(Exception):
    """Base of all errors that are the user's to mend; `hint` says how."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class InputError(LighteaError):
    """A file or a graph is not what was asked for."""


class ReadError(InputError):
    """A file could not be read; the message starts with its path and, where known, line and column."""

    def __init__(
        self,
        path: Path | str,
        problem: str,
        *,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
    ) -> None:
        place = ":".join(str(part) for part in (path, line, column) if part is not None)
        super().__init__(f"{place}: {problem}", hint=hint)
        self.path = Path(path)
        self.line = line
        self.column = column


class SeedError(InputError):
    """The pre-aligned pairs do not fit the graphs."""


class ConfigError(LighteaError):
    """A setting is out of range or unknown."""


class MemoryLimitError(LighteaError):
    """The run needs more memory than it is allowed."""


class OutputError(LighteaError):
    """Results could not be written."""


class MissingExtraError(LighteaError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional dependency that is not installed",
            hint=f"pip install 'lightea[{extra}]'",
        )
