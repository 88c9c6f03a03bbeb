"""How a table of text is laid out: what parts its columns, and which column is what."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

Roles = dict[str, frozenset[str]]

TRIPLE: Roles = {
    "head": frozenset({"head", "h", "subject", "subj", "s", "source", "src", "from"}),
    "relation": frozenset(
        {"relation", "relationship", "rel", "r", "predicate", "pred", "p", "property", "edge"}
    ),
    "tail": frozenset({"tail", "t", "object", "obj", "o", "target", "tgt", "dst", "to"}),
}
"""What the columns of a triple are called in headers, an ending such as `_id` aside."""

LINK: Roles = {
    "left": frozenset(
        {"left", "source", "src", "subject", "entity1", "entity_1", "e1", "kg1", "head", "from", "srcentity"}
    ),
    "right": frozenset(
        {"right", "target", "tgt", "object", "entity2", "entity_2", "e2", "kg2", "tail", "to", "tgtentity"}
    ),
}
"""What the columns of a link are called in headers."""

NAMED_DELIMITERS = ("\t", ",", ";")
DELIMITERS = (*NAMED_DELIMITERS, " ")
"""Blanks part columns only where no name speaks for another format."""
QUOTING = (",", ";")
_WHOLE_QUOTE = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Dialect:
    """The layout of a table; `positions` are the columns that hold the roles asked for."""

    delimiter: str
    positions: tuple[int, ...]
    width: int
    has_header: bool = False
    quoted: bool = False
    """Whether quotes around a value are no part of it; in a table with tabs only if all values have them."""


@dataclass(frozen=True)
class Fit:
    """A layout, and the share of the sampled lines that keep to it."""

    dialect: Dialect
    share: float


def fit_dialect(lines: Sequence[str], roles: Roles, delimiters: Sequence[str] = DELIMITERS) -> Fit:
    """The layout that most of the sampled lines keep to; of equals the delimiter named first."""
    fits = [_fit(lines, roles, delimiter) for delimiter in delimiters]
    return max(fits, key=lambda fit: fit.share)


def _fit(lines: Sequence[str], roles: Roles, delimiter: str) -> Fit:
    rows = [split_cells(line, delimiter, quoted=delimiter in QUOTING) for line in lines]
    quoted = delimiter in QUOTING or (delimiter == "\t" and _all_in_quotes(rows))
    dialect = _dialect(rows[0] if rows else [], roles, delimiter, quoted=quoted)
    fitting = sum(len(row) == dialect.width and all(cell.strip() for cell in row) for row in rows)
    return Fit(dialect, fitting / max(len(rows), 1))


def split_cells(line: str, delimiter: str, *, quoted: bool) -> list[str]:
    """The cells of one line; where they may be `quoted`, a delimiter in quotes parts nothing."""
    if not quoted:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter))
    except csv.Error:  # a line that no table with quotes has, such as binary data
        return [line]


def _all_in_quotes(rows: Sequence[Sequence[str]]) -> bool:
    """Whether every cell is in quotes, as some programs write tables; quotes of some cells mark literals."""
    cells = [cell for row in rows for cell in row]
    return len(cells) > len(rows) and all(_WHOLE_QUOTE.fullmatch(cell) for cell in cells)


def role_positions(titles: Sequence[str], roles: Roles) -> tuple[int, ...] | None:
    """Which column holds each role according to the titles, None where they do not say it of all."""
    plain = [_plain(title) for title in titles]
    found = [next((i for i, title in enumerate(plain) if title in names), None) for names in roles.values()]
    positions = tuple(position for position in found if position is not None)
    return positions if len(set(positions)) == len(roles) else None


def _plain(title: str) -> str:
    return title.strip().strip('"').lstrip("?").lower().replace(" ", "_").removesuffix("_id")


def width_without_titles(width: int, roles: Roles) -> int:
    """The columns of a table without titles: a link may carry a third that is of no use here."""
    return 3 if roles is LINK and width == 3 else len(roles)


def _dialect(first: list[str], roles: Roles, delimiter: str, *, quoted: bool) -> Dialect:
    positions = role_positions(first, roles)
    if positions is not None:
        return Dialect(delimiter, positions, len(first), has_header=True, quoted=quoted)
    width = width_without_titles(len(first), roles)
    return Dialect(delimiter, tuple(range(len(roles))), width, quoted=quoted)
