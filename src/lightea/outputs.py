"""Files and directories that appear whole or not at all.

Everything is written beside its final place under a hidden name, flushed to disk, and then renamed. An error
or Ctrl-C on the way removes the hidden copy and leaves what stood there before.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from lightea.errors import OutputError

Guard = Callable[[Path], None]
"""Raises `OutputError` if an existing, non-empty directory must not be replaced."""

_MOUNTED = "is a mount point, which cannot be replaced by a finished result"


def write_text(path: Path | str, text: str) -> Path:
    """Write a UTF-8 text file in one step, in place of an earlier one."""
    return write_pieces(path, [text.encode("utf-8")])


def write_pieces(path: Path | str, pieces: Iterable[bytes]) -> Path:
    """Write a file, piece by piece, that appears in one step in place of an earlier one."""
    target = _real(path)
    with _output_errors(path):
        _refuse_special_file(target)
        staging = _sibling(target, "partial")
        with _parents(target), _kept_only_if_done(staging):
            with staging.open("wb") as file:
                file.writelines(pieces)
            _flush(staging)
            staging.replace(target)
            _flush(target.parent)
    return target


@contextlib.contextmanager
def new_directory(path: Path | str, guard: Guard) -> Iterator[Path]:
    """Fill a directory inside a `with` block; when the block ends well it becomes `path`, in one step.

    An existing directory is moved aside, and back if anything fails; `guard` says whether that is allowed.
    """
    target = _real(path)
    with _output_errors(path):
        staging = _sibling(target, "partial")
        with _parents(target), _kept_only_if_done(staging):
            staging.mkdir()
            yield staging
            _flush_tree(staging)
            _publish(staging, target, guard)
            _flush(target.parent)


def check_file(path: Path | str) -> None:
    """Raise `OutputError` unless a file could be written at `path` now; leaves nothing behind."""
    target = _real(path)
    with _output_errors(path):
        _refuse_special_file(target)
        _probe(target.parent)


def check_directory(path: Path | str, guard: Guard) -> None:
    """Raise `OutputError` unless `new_directory` could succeed at `path` now; leaves nothing behind."""
    target = _real(path)
    with _output_errors(path):
        _check_replaceable(target, guard)
        _probe(target.parent)


def _real(path: Path | str) -> Path:
    """The place a path leads to, so that a link to a directory is kept and its directory replaced."""
    return Path(os.path.realpath(path))


@contextlib.contextmanager
def _output_errors(path: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise OutputError(
            f"{path}: cannot be written: {problem.strerror or problem}",
            hint="check that the place exists, has room and is yours to write to",
        ) from problem


def _sibling(target: Path, purpose: str) -> Path:
    return target.with_name(f".{target.name[:200]}-{secrets.token_hex(4)}.{purpose}")


@contextlib.contextmanager
def _kept_only_if_done(staging: Path) -> Iterator[None]:
    """Remove the hidden copy when the block fails, Ctrl-C included."""
    try:
        yield
    except BaseException:
        if staging.is_dir():
            shutil.rmtree(staging, ignore_errors=True)
        else:
            staging.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _parents(target: Path) -> Iterator[None]:
    """Make the directories above `target`; take away those made here if the block fails."""
    missing = [parent for parent in target.parents if not parent.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for parent in missing:
            with contextlib.suppress(OSError):
                parent.rmdir()
        raise


def _refuse_special_file(target: Path) -> None:
    if target.exists() and not target.is_file():
        kind = "a directory" if target.is_dir() else "not a regular file"
        raise OutputError(f"{target} is {kind}", hint="name a file to be written")
    if os.path.ismount(target):
        raise OutputError(f"{target} {_MOUNTED}", hint="mount a directory, and name a file inside it")


def _check_replaceable(target: Path, guard: Guard) -> None:
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"{target} is a file", hint="name a directory to be written")
    if os.path.ismount(target):
        raise OutputError(f"{target} {_MOUNTED}", hint="name a directory inside it")
    if target == _real(Path.cwd()):
        raise OutputError(f"{target} is the current directory", hint="name a directory inside it")
    if any(target.iterdir()):
        guard(target)


def _probe(wanted: Path) -> None:
    """Try to write in the nearest directory that exists; permission bits alone do not tell."""
    nearest = next(place for place in (wanted, *wanted.parents) if place.exists())
    with tempfile.TemporaryDirectory(dir=nearest, prefix=".lightea-"):
        pass


def _publish(staging: Path, target: Path, guard: Guard) -> None:
    """Put the finished directory in place; an earlier one is moved aside first, and back on failure."""
    _check_replaceable(target, guard)
    if not target.exists():
        staging.rename(target)
        return
    aside = _sibling(target, "old")
    try:
        target.rename(aside)
        staging.rename(target)
    except BaseException:
        if aside.exists() and not target.exists():
            aside.rename(target)
        raise
    finally:
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)


def _flush_tree(directory: Path) -> None:
    for path in sorted(directory.rglob("*")):
        _flush(path)
    _flush(directory)


def _flush(path: Path) -> None:
    """Have the system put a file or directory on disk, so that a power cut cannot leave it empty."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
