"""Tables of facts or links as columns of names: delimited text and Parquet."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from lightea.errors import ReadError
from lightea.reading.blocks import BOM, Block, OpenQuoteError, line_blocks, one_ahead
from lightea.reading.columns import Columns, chosen_dialect, positions_of
from lightea.reading.compression import chunks_of, joined
from lightea.reading.detect import named_format, sample_lines
from lightea.reading.dialect import (
    DELIMITERS,
    NAMED_DELIMITERS,
    Dialect,
    Roles,
    fit_dialect,
    role_positions,
    width_without_titles,
)

logger = logging.getLogger(__name__)

OPEN_QUOTE = "a quote opens a cell here and is never closed"
QUOTE_HINT = "close the quote, double it if it is part of the name, or write the table with tabs"
_QUOTES_KEPT = (
    "%s: names are in quotes, which are taken as part of them, since not every cell is: "
    "take them off, or put them around every cell, those of the header, too"
)
SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", " ": "blanks"}


def text_tables(
    path: Path,
    stream: io.BufferedReader,
    sample: bytes,
    roles: Roles,
    asked: str | None,
    columns: Columns | None = None,
) -> Iterator[pl.DataFrame]:
    """Blocks of a delimited file as tables with one column of names for each role.

    Where the `columns` are named, they hold the roles, whatever the table looks like.
    """
    dialect = (
        _dialect(path, sample, roles, asked)
        if columns is None
        else chosen_dialect(path, sample_lines(sample), columns)
    )
    return one_ahead(_tables(path, with_line_feeds(stream, sample), dialect, roles))


def parquet_table(
    path: Path, stream: io.BufferedReader, roles: Roles, columns: Columns | None = None
) -> pl.DataFrame:
    """The columns of a Parquet file that hold the roles, by name, else by position."""
    try:
        return names_in(path, pl.read_parquet(stream), roles, columns)
    except pl.exceptions.PolarsError as problem:
        reason = str(problem).partition("\n")[0]
        hint = "copy the file again, or write its columns as text"
        raise ReadError(path, f"the Parquet data cannot be used: {reason}", hint=hint) from problem


def names_in(path: Path | str, table: pl.DataFrame, roles: Roles, columns: Columns | None) -> pl.DataFrame:
    """The columns of a table that hold the roles, as text: those named, or found by title, or by position."""
    positions = (
        _positions(path, table.columns, roles)
        if columns is None
        else positions_of(path, columns, table.columns)
    )
    chosen = table.select(
        pl.col(table.columns[position]).cast(pl.String).alias(role)
        for role, position in zip(roles, positions, strict=True)
    )
    for role, column in chosen.to_dict().items():
        is_empty = (column.str.strip_chars() == "").fill_null(value=True)
        if is_empty.any():
            row = int(is_empty.arg_max() or 0) + 1
            raise ReadError(path, f"row {row} has no {role}", hint="fill or drop the rows with gaps")
    return chosen


def decoded(path: Path, block: Block) -> str:
    """The text of a block; bytes that are not UTF-8 are an error that names the place."""
    try:
        return block.data.decode("utf-8")
    except UnicodeDecodeError as problem:
        line_start = block.data.rfind(b"\n", 0, problem.start) + 1
        raise ReadError(
            path,
            f"the text is not UTF-8 (byte 0x{block.data[problem.start]:02x})",
            line=block.first_line + block.data.count(b"\n", 0, problem.start),
            column=problem.start - line_start + 1,
            hint="save the file again as UTF-8",
        ) from problem


def _dialect(path: Path, sample: bytes, roles: Roles, asked: str | None) -> Dialect:
    lines, named = sample_lines(sample), asked or named_format(path)
    if asked is not None:
        choice: tuple[str, ...] = (",", ";") if asked == "csv" else ("\t",)
    else:
        choice = DELIMITERS if named is None else NAMED_DELIMITERS
    fit = fit_dialect(lines, roles, choice)
    usual = "," if named == "csv" else "\t"
    chosen = fit.dialect if fit.share > 0 else fit_dialect(lines, roles, [usual]).dialect
    if not chosen.quoted and len(lines) > 1 and all(line.startswith('"') for line in lines[1:]):
        logger.warning(_QUOTES_KEPT, path)
    return chosen


def with_line_feeds(stream: io.BufferedReader, sample: bytes) -> io.BufferedReader:
    """The stream, with line feeds where carriage returns alone end the lines, as they did on old Macs."""
    if b"\n" in sample or b"\r" not in sample[:-1]:
        return stream
    return joined(chunk.replace(b"\r", b"\n") for chunk in chunks_of(stream))


def _tables(path: Path, stream: io.BufferedReader, dialect: Dialect, roles: Roles) -> Iterator[pl.DataFrame]:
    try:
        for block in line_blocks(stream, quoted_between=dialect.delimiter if dialect.quoted else None):
            table = _plain_table(block, dialect, roles)
            yield _careful_table(path, block, dialect, roles) if table is None else table
    except OpenQuoteError as problem:
        raise ReadError(path, OPEN_QUOTE, line=problem.line, hint=QUOTE_HINT) from problem


def _plain_table(block: Block, dialect: Dialect, roles: Roles) -> pl.DataFrame | None:
    """The names in a block of faultless lines, None if it needs a closer look."""
    if b"\0" in block.data or block.data.startswith(BOM):
        return None
    columns = [f"column {i}" for i in range(dialect.width)]
    may_quote = dialect.quoted and b'"' in block.data
    try:
        table = pl.read_csv(
            block.data,
            has_header=False,
            separator=dialect.delimiter,
            quote_char='"' if may_quote else None,
            schema=dict.fromkeys(columns, pl.String),
        )
    except pl.exceptions.PolarsError:
        return None
    chosen = table.select(
        pl.col(columns[position]).alias(role) for role, position in zip(roles, dialect.positions, strict=True)
    )
    if any(column.null_count() or _has_blank(column) for column in chosen):
        return None
    if dialect.width > len(roles) and not (
        table[columns[-1]].null_count() == 0 or _is_full(block, table, dialect)
    ):
        return None
    return chosen.slice(1) if dialect.has_header and block.first_line == 1 else chosen


def _is_full(block: Block, table: pl.DataFrame, dialect: Dialect) -> bool:
    """Whether every line has all its delimiters; a missing cell looks like an empty one."""
    return block.data.count(dialect.delimiter.encode()) == len(table) * (dialect.width - 1)


def _has_blank(column: pl.Series) -> bool:
    """Whether a cell holds nothing but blanks. Comparing first letters is ten times faster than stripping."""
    if not ((column < "!").any() or (column > "\x7f").any()):
        return False
    return (column.str.strip_chars() == "").any()


def _careful_table(path: Path, block: Block, dialect: Dialect, roles: Roles) -> pl.DataFrame:
    """The names in a block, line by line, so that an error can name its line."""
    lines = rows_of(path, block, dialect.delimiter, quoted=dialect.quoted)
    rows = [(line, cells) for line, cells in lines if any(cell.strip() for cell in cells)]
    facts = rows[1:] if dialect.has_header and block.first_line == 1 else rows
    for line, cells in facts:
        _check_row(path, line, cells, dialect, roles)
    columns = [[cells[position] for _, cells in facts] for position in dialect.positions]
    return pl.DataFrame(dict(zip(roles, columns, strict=True)), schema=dict.fromkeys(roles, pl.String))


def rows_of(path: Path, block: Block, delimiter: str, *, quoted: bool) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line, with its number."""
    text = decoded(path, block)
    if not quoted:
        for number, line in enumerate(text.split("\n"), start=block.first_line):
            yield number, line.removesuffix("\r").split(delimiter)
        return
    if len(text) > csv.field_size_limit():  # a long text is none the worse for it
        csv.field_size_limit(len(text))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    number = block.first_line
    try:
        for cells in reader:
            yield number, cells
            number = block.first_line + reader.line_num
    except csv.Error as problem:
        sentence = f"the table is not valid CSV: {problem}"
        raise ReadError(path, sentence, line=number, hint=QUOTE_HINT) from problem


def _check_row(path: Path, line: int, cells: list[str], dialect: Dialect, roles: Roles) -> None:
    if len(cells) != dialect.width:
        found = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
        named = "as in the header" if dialect.has_header else ", ".join(roles)
        raise ReadError(
            path,
            f"{found} where {dialect.width} are expected ({named})",
            line=line,
            hint=f"columns are parted by {SEPARATORS[dialect.delimiter]} here; "
            "if the file is of another kind, name its format: --format, or format=… in Python",
        )
    if any("\0" in cell for cell in cells):
        raise ReadError(path, "a NUL byte: the file is binary or damaged", line=line, hint="copy it again")
    for role, position in zip(roles, dialect.positions, strict=True):
        if not cells[position].strip():
            raise ReadError(path, f"the {role} is empty", line=line, hint="name it, or drop the line")


def _positions(path: Path | str, titles: list[str], roles: Roles) -> tuple[int, ...]:
    named = role_positions(titles, roles)
    if named is None and len(titles) != width_without_titles(len(titles), roles):
        raise ReadError(
            path,
            f"no columns for {', '.join(roles)} among {', '.join(titles)}",
            hint=f"name the columns {', '.join(roles)}",
        )
    return tuple(range(len(roles))) if named is None else named
