"""Tables whose header names many columns, most of which may be empty in a row."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from lightea.errors import ReadError
from lightea.reading.blocks import Block, OpenQuoteError, line_blocks, one_ahead
from lightea.reading.property_headers import Header
from lightea.reading.tabular import (
    OPEN_QUOTE,
    QUOTE_HINT,
    SEPARATORS,
    rows_of,
    with_line_feeds,
)


def records(
    path: Path, stream: io.BufferedReader, sample: bytes, header: Header, required: Sequence[int]
) -> Iterator[pl.DataFrame]:
    """Blocks of a table as columns "0", "1", …; empty cells are null, but an error where one is required."""
    return one_ahead(_tables(path, with_line_feeds(stream, sample), header, required))


def _tables(
    path: Path, stream: io.BufferedReader, header: Header, required: Sequence[int]
) -> Iterator[pl.DataFrame]:
    try:
        for block in line_blocks(stream, quoted_between=header.delimiter if header.quoted else None):
            body = _below(block, header.line) if block.first_line == 1 else block
            table = _quick_table(body, header, required)
            yield _careful_table(path, body, header, required) if table is None else table
    except OpenQuoteError as problem:
        raise ReadError(path, OPEN_QUOTE, line=problem.line, hint=QUOTE_HINT) from problem


def _below(block: Block, line: int) -> Block:
    """The block without its first lines."""
    parts = block.data.split(b"\n", line)
    return Block(parts[line] if len(parts) > line else b"", line + 1)


def _quick_table(block: Block, header: Header, required: Sequence[int]) -> pl.DataFrame | None:
    """The cells of a block of faultless lines, None if it needs a closer look."""
    if not block.data.strip():
        return pl.DataFrame(schema=_schema(header))
    if b"\0" in block.data:
        return None
    may_quote = header.quoted and b'"' in block.data
    try:
        table = pl.read_csv(
            block.data,
            has_header=False,
            separator=header.delimiter,
            quote_char='"' if may_quote else None,
            schema=_schema(header),
        )
    except pl.exceptions.PolarsError:
        return None
    filled = table.select(_none_if_blank(name) for name in table.columns)
    if any(filled[str(position)].null_count() for position in required):
        return None
    return filled


def _careful_table(path: Path, block: Block, header: Header, required: Sequence[int]) -> pl.DataFrame:
    """The cells of a block, line by line, so that an error can name its line."""
    rows: list[list[str | None]] = []
    for line, cells in rows_of(path, block, header.delimiter, quoted=header.quoted):
        if not any(cell.strip() for cell in cells):
            continue
        _check_row(path, line, cells, header, required)
        filled: list[str | None] = [cell if cell.strip() else None for cell in cells]
        rows.append(filled + [None] * (len(header.titles) - len(cells)))
    return pl.DataFrame(rows, schema=_schema(header), orient="row")


def _check_row(path: Path, line: int, cells: list[str], header: Header, required: Sequence[int]) -> None:
    if len(cells) > len(header.titles):
        raise ReadError(
            path,
            f"{len(cells)} columns where the header has {len(header.titles)}",
            line=line,
            hint=f"columns are parted by {SEPARATORS[header.delimiter]} here",
        )
    if any("\0" in cell for cell in cells):
        raise ReadError(path, "a NUL byte: the file is binary or damaged", line=line, hint="copy it again")
    for position in required:
        if position >= len(cells) or not cells[position].strip():
            title = header.titles[position].strip()
            raise ReadError(path, f"the {title} is empty", line=line, hint="fill it, or drop the line")


def _schema(header: Header) -> dict[str, type[pl.String]]:
    return {str(position): pl.String for position in range(len(header.titles))}


def _none_if_blank(name: str) -> pl.Expr:
    return pl.when(pl.col(name).str.strip_chars() != "").then(pl.col(name)).alias(name)
