"""Which files stand behind the paths that a user gives."""

from __future__ import annotations

import contextlib
import io
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lightea.errors import InputError, ReadError
from lightea.reading.compression import STDIN, SUFFIXES, open_bytes, rewound
from lightea.reading.detect import EXTENSIONS, SAMPLE_SIZE, named_format

logger = logging.getLogger(__name__)

Paths = str | Path | Iterable[str | Path]

_NAMED = 5
"""Files that a warning names."""
_NO_DATA_NAMES = {
    *("readme", "license", "licence", "copying", "notice", "authors", "changelog", "changes", "citation"),
    *("manifest", "checksums", "md5sums", "sha1sums", "sha256sums", "sha512sums"),
}
_NO_DATA_ENDINGS = {
    *(".md", ".rst", ".pdf", ".doc", ".docx", ".html", ".htm", ".png", ".jpg", ".svg", ".log"),
    *(".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".py", ".sh", ".ipynb"),
    *(".crc", ".md5", ".sha1", ".sha256", ".sha512", ".asc", ".sig"),
}
"""What lies beside data in a directory and is clearly none; everything else is read, or is an error."""

_WAYS = (
    "give the path of a file or directory as text or pathlib.Path, a list of paths, or a table or graph that "
    "docs/inputs.md names"
)


def listed(paths: Paths) -> list[Path]:
    """One path or several as a list."""
    if isinstance(paths, (str, os.PathLike)):
        return [as_path(paths)]
    is_other = isinstance(paths, (bytes, Mapping)) or hasattr(paths, "read")  # whose members are no paths
    if is_other or not isinstance(paths, Iterable):
        raise _no_path(paths)
    given = [as_path(path) for path in paths]
    if not given:
        raise InputError("no file was named", hint=_WAYS)
    return given


def as_path(given: object) -> Path:
    """A path in any shape that Python has for it, `-` for the standard input; anything else is an error."""
    if isinstance(given, (str, Path)) and str(given) == "-":
        return STDIN
    if isinstance(given, str) and not given:  # which Path would take for the current directory
        raise _no_path(given)
    try:
        return Path(given)  # type: ignore[arg-type]  # that is the question
    except TypeError as problem:
        raise _no_path(given) from problem


def _no_path(given: object) -> InputError:
    shown = repr(given)
    if len(shown) > 60 or "\n" in shown:
        shown = f"a value of type {type(given).__name__}"
    return InputError(f"{shown} is not the path of a file", hint=_WAYS)


def files_of(paths: list[Path]) -> list[Path]:
    """The files behind the paths, sorted; directories are searched with all they contain."""
    return sorted({file for path in paths for file in _expanded(path)})


def plain_name(path: Path) -> str:
    """The file name without the extensions that tell format and compression."""
    if path == STDIN:
        return "stdin"
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
    """The files below a directory that are not hidden, not empty, and not clearly something else."""
    visible = [file for file in directory.rglob("*") if file.is_file() and not _is_hidden(file, directory)]
    filled = [file for file in visible if file.stat().st_size > 0]
    other = sorted(file for file in filled if _is_no_data(file, directory))
    if any((directory / table).exists() for table in ("triples_1", "rel_triples_1", "base/triples_1")):
        raise ReadError(
            directory,
            "this is a benchmark folder with two graphs and their links, not one graph",
            hint="read it with read_benchmark, or `lightea evaluate`",
        )
    if len(other) == len(filled):
        found = "no files to read" if other or not visible else "only empty files"
        raise ReadError(directory, f"the directory holds {found}", hint="check the path")
    if other:
        _warn_of_left_out(directory, other)
    return [file for file in filled if file not in set(other)]


def _is_hidden(file: Path, directory: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(directory).parts)


def _is_no_data(file: Path, directory: Path) -> bool:
    """Notes, checksums and the like; names with `_` in front are marks of programs that write shards."""
    if any(part.startswith("_") for part in file.relative_to(directory).parts):
        return True
    if named_format(file) is not None:
        return False
    plain = Path(plain_name(file).lower())
    return plain.name in _NO_DATA_NAMES or plain.suffix in _NO_DATA_ENDINGS


def _warn_of_left_out(directory: Path, files: list[Path]) -> None:
    names = ", ".join(str(file.relative_to(directory)) for file in files[:_NAMED])
    more = ", …" if len(files) > _NAMED else ""
    logger.warning(
        "%s: files left out, since they seem to be no data: %d (%s%s)", directory, len(files), names, more
    )
