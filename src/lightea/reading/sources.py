"""Which files stand behind the paths that a user gives."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from lightea.errors import InputError, ReadError
from lightea.reading.compression import SUFFIXES, open_bytes, rewound
from lightea.reading.detect import EXTENSIONS, SAMPLE_SIZE, named_format

Paths = str | Path | Iterable[str | Path]


def listed(paths: Paths) -> list[Path]:
    """One path or several as a list."""
    given = [paths] if isinstance(paths, (str, Path)) else list(paths)
    if not given:
        raise InputError("no file was named", hint="give a path, or several")
    return [Path(path) for path in given]


def files_of(paths: list[Path]) -> list[Path]:
    """The files behind the paths, sorted; directories are searched with all they contain."""
    return sorted({file for path in paths for file in _expanded(path)})


def plain_name(path: Path) -> str:
    """The file name without the extensions that tell format and compression."""
    name = path.name or path.resolve().name
    for extensions in (SUFFIXES, (*EXTENSIONS, ".txt")):
        ending = Path(name).suffix
        name = name.removesuffix(ending) if ending.lower() in extensions else name
    return name


@contextlib.contextmanager
def sampled(path: Path) -> Iterator[tuple[bytes, io.BufferedReader]]:
    """The beginning of a file, to tell its format by, and all its bytes, decompressed.

    The file is opened once, so that it may be a pipe.
    """
    with open_bytes(path) as stream:
        sample = stream.read(SAMPLE_SIZE)
        yield sample, rewound(stream, sample)


def refuse_empty(path: Path, sample: bytes) -> None:
    """A file that begins with nothing holds nothing, which is an error."""
    if not sample.strip():
        raise ReadError(path, "the file is empty", hint="check that it was written or copied to the end")


def _expanded(path: Path) -> list[Path]:
    return _shards(path) if path.is_dir() else [path]


def _shards(directory: Path) -> list[Path]:
    """The visible files below a directory; only those of a known format where some are, never empty ones."""
    visible = [file for file in directory.rglob("*") if file.is_file() and not _is_hidden(file, directory)]
    known = [file for file in visible if named_format(file)] or visible
    shards = [file for file in known if file.stat().st_size > 0]
    if any((directory / table).exists() for table in ("triples_1", "rel_triples_1", "base/triples_1")):
        raise ReadError(
            directory,
            "this is a benchmark folder with two graphs and their links, not one graph",
            hint="read it with read_benchmark, or `lightea evaluate`",
        )
    if not shards:
        found = "only empty files" if known else "no files"
        raise ReadError(directory, f"the directory holds {found} to read", hint="check the path")
    return shards


def _is_hidden(file: Path, directory: Path) -> bool:
    return any(part.startswith((".", "_")) for part in file.relative_to(directory).parts)
