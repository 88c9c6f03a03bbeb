"""Which columns of a table hold head, relation and tail, where the user says it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lightea.errors import ConfigError, ReadError
from lightea.reading.dialect import NAMED_DELIMITERS, QUOTING, Dialect, split_cells

Columns = tuple[str, str, str]

_SHOWN = 12


def as_columns(given: Sequence[str] | str) -> Columns:
    """Three titles or numbers of columns, in the order head, relation, tail; text has commas between them."""
    titles = [title.strip() for title in given.split(",")] if isinstance(given, str) else list(given)
    if len(titles) != 3 or not all(isinstance(title, (str, int)) and str(title) for title in titles):
        raise ConfigError(
            f"the columns are {given!r}, but must be three: of head, relation and tail",
            hint="name the titles in the header, such as from,kind,to, or count them from 1: 1,2,3",
        )
    head, relation, tail = map(str, titles)
    if len({head, relation, tail}) < 3:
        raise ConfigError(f"the columns are {given!r}, but must be three different ones")
    return head, relation, tail


def chosen_dialect(path: Path, lines: Sequence[str], columns: Columns) -> Dialect:
    """The layout of a table of text whose columns are named; the titles tell the delimiter."""
    by_number = all(column.isdecimal() for column in columns)
    first = lines[0] if lines else ""
    for delimiter in NAMED_DELIMITERS:
        titles = split_cells(first, delimiter, quoted=delimiter in QUOTING)
        positions = numbered(columns, len(titles)) if by_number else titled(columns, titles)
        if positions is not None:
            quoted = delimiter in QUOTING
            return Dialect(delimiter, positions, len(titles), has_header=not by_number, quoted=quoted)
    widest = max((split_cells(first, d, quoted=d in QUOTING) for d in NAMED_DELIMITERS), key=len)
    raise no_such_columns(path, columns, widest, line=1)


def positions_of(path: Path | str, columns: Columns, titles: Sequence[str]) -> tuple[int, ...]:
    """The places of the columns in a table whose titles are known for sure."""
    by_number = all(column.isdecimal() for column in columns)
    positions = titled(columns, titles) or (numbered(columns, len(titles)) if by_number else None)
    if positions is None:
        raise no_such_columns(path, columns, titles)
    return positions


def titled(columns: Columns, titles: Sequence[str]) -> tuple[int, ...] | None:
    """Where the titles stand, None where one is missing."""
    plain = [title.strip() for title in titles]
    return tuple(plain.index(column) for column in columns) if set(columns) <= set(plain) else None


def numbered(columns: Columns, width: int) -> tuple[int, ...] | None:
    """The columns counted from 1 as positions, None if there are not so many."""
    positions = tuple(int(column) - 1 for column in columns)
    return positions if min(positions) >= 0 and max(positions) < width else None


def no_such_columns(
    path: Path | str, columns: Columns, titles: Sequence[str], *, line: int | None = None
) -> ReadError:
    """The error for columns that a table does not have; tells those it has."""
    missing = [
        column
        for column in columns
        if column not in titles and not (column.isdecimal() and 1 <= int(column) <= len(titles))
    ]
    shown = ", ".join(repr(title.strip()[:40]) for title in titles[:_SHOWN])
    more = ", …" if len(titles) > _SHOWN else ""
    return ReadError(
        path,
        f"there is no column {missing[0] if missing else columns[0]!r} in the table",
        line=line,
        hint=f"its columns are: {shown}{more}",
    )
