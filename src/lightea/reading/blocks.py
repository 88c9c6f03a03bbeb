"""Big text as blocks of whole lines, so that no more than a few of them are in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import BinaryIO, TypeVar

import numpy as np

BLOCK_SIZE = 1 << 22
BOM = b"\xef\xbb\xbf"

T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    """Some whole lines of a file; `first_line` is the number of the first, counted from 1."""

    data: bytes
    first_line: int


def line_blocks(stream: BinaryIO, *, quoted: bool = False, size: int = BLOCK_SIZE) -> Iterator[Block]:
    """Blocks of about `size` bytes; with `quoted`, a line end between two quotes does not end a line."""
    line = 1
    while text := stream.read(size) + stream.readline():
        whole = text + _rest_of_quotes(stream, text) if quoted else text
        yield Block(whole.removeprefix(BOM) if line == 1 else whole, line)
        line += _line_ends(whole)


def one_ahead(items: Iterator[T]) -> Iterator[T]:
    """The same items, the next one being made in another thread while one is worked on."""
    with ThreadPoolExecutor(max_workers=1) as worker:
        coming = worker.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = worker.submit(next, items, None)
            yield item


def _rest_of_quotes(stream: BinaryIO, text: bytes) -> bytes:
    """The lines up to where the last quote of the text is closed."""
    lines, is_open = [], text.count(b'"') % 2
    while is_open and (line := stream.readline()):
        lines.append(line)
        is_open ^= line.count(b'"') % 2
    return b"".join(lines)


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
