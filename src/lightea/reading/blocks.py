"""Big text as blocks of whole lines, so that no more than a few of them are in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

import numpy as np

BLOCK_SIZE = 1 << 22
LONGEST_QUOTE = 1 << 26
"""Bytes after which a quote counts as never closed, so that the file is not read to its end for it."""
BOM = b"\xef\xbb\xbf"

T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    """Some whole lines of a file; `first_line` is the number of the first, counted from 1."""

    data: bytes
    first_line: int


class OpenQuoteError(Exception):
    """A quote that opens in this line, counted from 1, is not closed."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def line_blocks(
    stream: BinaryIO, *, quoted_between: str | None = None, size: int = BLOCK_SIZE
) -> Iterator[Block]:
    """Blocks of about `size` bytes.

    With the delimiter of cells that may be quoted, a line end between two quotes does not end a line.
    """
    line = 1
    while text := stream.read(size) + stream.readline():
        whole = text
        if quoted_between is not None and (opening := _open_quote(text, quoted_between)) is not None:
            rest = _rest_of_quote(stream)
            if rest is None:
                raise OpenQuoteError(line + _line_ends(text[:opening]))
            whole += rest
        yield Block(whole.removeprefix(BOM) if line == 1 else whole, line)
        line += _line_ends(whole)


def one_ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, the next one being made in another thread while one is worked on."""
    with ThreadPoolExecutor(max_workers=1) as worker:
        coming = worker.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = worker.submit(next, items, None)
            yield item


def _open_quote(text: bytes, delimiter: str) -> int | None:
    """Where the cell begins that is still open at the end; a quote amid a cell is a character like others."""
    if text.count(b'"') % 2 == 0:
        return None
    cells = re.finditer(rb'(?m)(?:^|%b)"[^"]*(?:""[^"]*)*("|\Z)' % re.escape(delimiter.encode()), text)
    return next((cell.start() for cell in cells if not cell[1]), None)


def _rest_of_quote(stream: BinaryIO) -> bytes | None:
    """The lines up to where an open quote is closed, None if that does not happen."""
    lines, size = [], 0
    while size < LONGEST_QUOTE and (line := stream.readline(LONGEST_QUOTE)):
        lines.append(line)
        size += len(line)
        if line.count(b'"') % 2:
            return b"".join(lines)
    return None


def _line_ends(text: bytes) -> int:
    """Lines end with LF, CR LF or CR alone."""
    return _count(text, b"\n") + lone_returns(text)


def lone_returns(text: bytes) -> int:
    """How many carriage returns are not part of a Windows line end."""
    return _count(text, b"\r") - text.count(b"\r\n") if b"\r" in text else 0


def _count(text: bytes, byte: bytes) -> int:
    """The same as `text.count(byte)`, several times faster."""
    found = np.frombuffer(text, dtype=np.uint8) == byte[0]
    return int(np.count_nonzero(found))
