"""Files of word vectors: those of word2vec (text or binary), GloVe and fastText, compressed or not.

A text file has a word and its numbers on each line, parted by blanks, perhaps after a line with two counts;
a binary one has these counts, and after each word its numbers as float32.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lightea.errors import ReadError
from lightea.reading.compression import open_bytes
from lightea.reading.sources import as_path

F32 = NDArray[np.float32]
_LONGEST_WORD = 4096
_HINT = "files of word2vec, GloVe and fastText (.vec) are read, and .npy files with vectors of your own"


def word_vectors(path: Path | str, is_wanted: Callable[[str], bool]) -> Iterator[tuple[str, F32]]:
    """The wanted words of a file and their vectors, all of one width."""
    file = as_path(path)
    with open_bytes(file) as stream:
        first = stream.readline(1 << 20)
        counts = first.split()
        if len(counts) == 2 and all(part.isdigit() for part in counts):
            width = int(counts[1])
            lines = _is_text(stream.peek(_LONGEST_WORD), width)
            yield from (
                _of_text(file, stream, 2, width, is_wanted)
                if lines
                else _of_binary(file, stream, int(counts[0]), width, is_wanted)
            )
        else:
            width = len(counts) - 1
            if width < 1 or not _are_numbers(counts[-1:]):
                raise ReadError(file, f"these are no word vectors: {first[:60]!r}", hint=_HINT)
            yield from _of_text(file, io.BytesIO(first), 1, width, is_wanted)
            yield from _of_text(file, stream, 2, width, is_wanted)


def _is_text(start: bytes, width: int) -> bool:
    """Whether what follows the counts is a line of a word and numbers."""
    parts = start.split(b"\n")[0].split()[1:][:width]
    return bool(parts) and _are_numbers(parts[:-1] if len(parts) > 1 else parts)


def _are_numbers(parts: list[bytes]) -> bool:
    try:
        return bool([float(part) for part in parts]) or not parts
    except ValueError:
        return False


def _of_text(
    path: Path, stream: io.BufferedIOBase, first_line: int, width: int, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, F32]]:
    for number, line in enumerate(stream, first_line):
        parts = line.rstrip().rsplit(b" ", width)
        if parts == [b""]:
            continue
        word = parts[0].decode("utf-8", errors="replace").strip()
        if len(parts) != width + 1:
            given = len(line.split()) - 1
            raise ReadError(
                path, f"the vector of {word[:40]!r} has {given} numbers, others have {width}", line=number
            )
        if is_wanted(word):
            try:
                yield word, np.array([float(part) for part in parts[1:]], np.float32)
            except ValueError as problem:
                raise ReadError(path, f"the vector of {word[:40]!r}: {problem}", line=number) from problem


def _of_binary(
    path: Path, stream: io.BufferedReader, n_words: int, width: int, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, F32]]:
    for number in range(n_words):
        letters = bytearray()
        while (letter := stream.read(1)) not in (b" ", b"") and len(letters) < _LONGEST_WORD:
            letters += letter
        content = stream.read(4 * width)
        if len(content) < 4 * width:
            raise ReadError(
                path,
                f"the file ends after {number:,} of {n_words:,} vectors of {width} numbers",
                hint="copy or download the file again",
            )
        word = bytes(letters).decode("utf-8", errors="replace").strip()
        if is_wanted(word):
            yield word, np.frombuffer(content, "<f4").astype(np.float32)
