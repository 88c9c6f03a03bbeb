"""A file as a stream of plain bytes, whatever it was compressed with."""

from __future__ import annotations

import bz2
import contextlib
import io
import itertools
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from lightea.errors import ReadError

STDIN = Path("<stdin>")
"""Stands for the standard input, which commands call `-`."""
SUFFIXES = (".gz", ".bz2", ".zst")
_CHUNK = 1 << 18
_BROKEN = "copy or download the file again"


class _Decompressor(Protocol):
    """What zlib, bz2 and zstandard have in common; each object unpacks one member of a file."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


_Maker = Callable[[], tuple[_Decompressor, type[Exception]]]
"""Makes a decompressor, and tells what it raises when the data is broken."""


def _gzip() -> tuple[_Decompressor, type[Exception]]:
    return zlib.decompressobj(wbits=31), zlib.error


def _bzip2() -> tuple[_Decompressor, type[Exception]]:
    return bz2.BZ2Decompressor(), OSError


def _zstd() -> tuple[_Decompressor, type[Exception]]:
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415  (only there since Python 3.14)

        return zstd.ZstdDecompressor(), zstd.ZstdError
    import zstandard  # noqa: PLC0415  (costs time, and few files need it)

    return zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError


_KINDS: dict[str, tuple[bytes, _Maker]] = {
    "gzip": (b"\x1f\x8b", _gzip),
    "bzip2": (b"BZh", _bzip2),
    "zstd": (b"\x28\xb5\x2f\xfd", _zstd),
}


@contextlib.contextmanager
def open_bytes(path: Path) -> Iterator[io.BufferedReader]:
    """The decompressed bytes of a file; the kind of compression is told by the content, not the name.

    What the system has against the file, at its opening or later, becomes a `ReadError`.
    """
    try:
        with _opened(path) as file:
            yield _plain(path, file)
    except OSError as problem:
        raise _unreadable(path, problem) from problem


def _opened(path: Path) -> contextlib.AbstractContextManager[io.BufferedReader]:
    if path != STDIN:
        return path.open("rb")
    stream = sys.stdin
    if stream is None or stream.closed:
        raise ReadError(path, "there is no standard input", hint="pipe a graph into it, or name a file")
    return contextlib.nullcontext(cast("io.BufferedReader", stream.buffer))


def _plain(path: Path, file: io.BufferedReader) -> io.BufferedReader:
    start = file.read(4)
    whole = rewound(file, start)
    for kind, (magic, make) in _KINDS.items():
        if start.startswith(magic):
            return joined(_unpack(path, whole, kind, make))
    return whole


def rewound(stream: io.BufferedReader, start: bytes) -> io.BufferedReader:
    """The stream as it was before `start` was read from it; a pipe cannot go back, so it is read on."""
    if stream.seekable():
        stream.seek(0)
        return stream
    return joined(itertools.chain([start], chunks_of(stream)))


def chunks_of(stream: io.BufferedReader) -> Iterator[bytes]:
    """What is left of a stream, in pieces."""
    return iter(lambda: stream.read(_CHUNK), b"")


def joined(chunks: Iterator[bytes]) -> io.BufferedReader:
    """Pieces as one stream, each made when it is needed."""
    return io.BufferedReader(_Chunks(chunks), _CHUNK)


def _unreadable(path: Path, problem: OSError) -> ReadError:
    """The error for a file that the system does not hand out."""
    if isinstance(problem, FileNotFoundError):
        return ReadError(path, "there is no such file", hint="check the path, and the working directory")
    if isinstance(problem, IsADirectoryError):
        return ReadError(path, "this is a directory, not a file", hint="name a file in it")
    reason = problem.strerror or str(problem)
    return ReadError(path, f"the file cannot be read: {reason}", hint="check its permissions and the disk")


class _Chunks(io.RawIOBase):
    """Bytes that come in pieces of any size."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]  # the stub says Buffer
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = memoryview(chunk)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _unpack(path: Path, file: BinaryIO, kind: str, make: _Maker) -> Iterator[bytes]:
    """The content of all members, one after the other; a file that ends inside a member is an error."""
    member: _Decompressor | None = None
    error: type[Exception] = OSError
    while data := file.read(_CHUNK):
        while data := data if member is not None else data.lstrip(b"\0"):  # some tools pad with zeros
            if member is None:
                member, error = make()
            try:
                chunk = member.decompress(data)
            except error as problem:
                raise ReadError(path, f"the {kind} data is broken: {problem}", hint=_BROKEN) from problem
            yield chunk
            data, member = (member.unused_data, None) if member.eof else (b"", member)
    if member is not None:
        raise ReadError(path, f"the {kind} data ends too early, the file is cut off", hint=_BROKEN)
