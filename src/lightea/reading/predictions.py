"""What another method says of pairs of entities: a table with scores, or vectors of the entities.

A table has the columns of links, `left` and `right`, and of numbers `score`, `probability` or both. Without a
header its columns are left, right and, if there is a third one, score.

Vectors are a directory:

    left.npy, right.npy   a row of numbers for each entity, as wide on both sides
    left.txt, right.txt   the names of these entities, one on each line

Names are read as text, as they stand in the files of the data set. Nothing that is read is ever run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.errors import ReadError
from lightea.reading.detect import format_of, sample_lines
from lightea.reading.dialect import LINK, NAMED_DELIMITERS, Roles, role_positions
from lightea.reading.links import unescaped
from lightea.reading.rdf import RDF_FORMATS
from lightea.reading.sources import refuse_empty, sampled
from lightea.reading.tabular import parquet_table, text_tables
from lightea.reading.terms import bare_names

F64 = NDArray[np.float64]

NUMBERS: Roles = {
    "probability": frozenset({"probability", "prob", "p"}),
    "score": frozenset({"score", "similarity", "sim", "cosine", "confidence", "weight"}),
}
"""What the columns of numbers are called in headers."""

_OWN_HEADERS = ("left\tright\tprobability", "left\tright\tprobability\tscore")
_SIDES = ("left", "right")
_HINT = (
    "a directory of vectors holds left.npy and right.npy, and the names of their rows in left.txt, right.txt"
)


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """Pairs of names in the order of the file, and what speaks for them: the more, the better.

    Pairs are ranked by the first column of `numbers`, where that is equal by the second one.
    """

    left: pl.Series
    right: pl.Series
    numbers: tuple[F64, ...]
    """Probabilities, scores, or both in this order; one of ones where the file has none."""


@dataclass(frozen=True, eq=False)
class NamedVectors:
    """A row of numbers for each named entity of a graph."""

    names: pl.Series
    vectors: NDArray[np.floating]


def read_scored_pairs(path: Path) -> ScoredPairs:
    """Read a table of pairs with scores."""
    with sampled(path) as (sample, stream):
        refuse_empty(path, sample)
        known = format_of(path, sample, None, LINK)
        if known in RDF_FORMATS:
            raise ReadError(
                path,
                "these are RDF statements, which have no scores",
                hint="write a table of three columns: left, right, score",
            )
        if known == "parquet":
            titles = pl.read_parquet_schema(stream).keys()
            stream.seek(0)
            roles = _roles(path, list(titles))
            table = parquet_table(path, stream, roles)
        else:
            roles = _roles_of_text(path, sample)
            tables = text_tables(path, stream, sample, roles, known)
            table = pl.concat([pl.DataFrame(schema=dict.fromkeys(roles, pl.String)), *tables])
        is_own = sample.partition(b"\n")[0].decode("utf-8", errors="replace").rstrip("\r") in _OWN_HEADERS
    if len(table) == 0:
        raise ReadError(path, "there are no pairs in it", hint="check that this is the right file")
    numbers = tuple(_numbers(path, table[role]) for role in roles if role in NUMBERS)
    left, right = (unescaped(table[side]) if is_own else table[side] for side in _SIDES)
    return ScoredPairs(bare_names(left), bare_names(right), numbers or (np.ones(len(table)),))


def read_vectors(directory: Path) -> tuple[NamedVectors, NamedVectors]:
    """Read the vectors of both sides."""
    left, right = (_read_side(directory, side) for side in _SIDES)
    widths = left.vectors.shape[1], right.vectors.shape[1]
    if widths[0] != widths[1]:
        raise ReadError(
            directory,
            f"rows of left.npy have {widths[0]:,} numbers, those of right.npy {widths[1]:,}",
            hint="both sides need vectors of the same width",
        )
    return left, right


# --- tables ------------------------------------------------------------------------------------------


def _roles_of_text(path: Path, sample: bytes) -> Roles:
    first = sample_lines(sample)[0]
    cells = max((first.split(delimiter) for delimiter in NAMED_DELIMITERS), key=len)
    return _roles(path, cells)


def _roles(path: Path, titles: Sequence[str]) -> Roles:
    """The columns that are read: by their titles, else by their number."""
    if role_positions(titles, LINK) is None:
        if len(titles) not in (2, 3):
            raise ReadError(
                path,
                f"{len(titles)} columns without a header that names them",
                hint="write left, right, score; or a header, in which columns may stand in any order",
            )
        return LINK if len(titles) == 2 else {**LINK, "score": NUMBERS["score"]}
    named = {role: names for role, names in NUMBERS.items() if role_positions(titles, {role: names})}
    if not named and len(titles) > 2:
        listed = ", ".join(title.strip() for title in titles)
        raise ReadError(path, f"no column of scores among {listed}", hint="call it score, or probability")
    return {**LINK, **named}


def _numbers(path: Path, column: pl.Series) -> F64:
    """A column of text as numbers; what is none is an error that names its row."""
    values = column.str.strip_chars().cast(pl.Float64, strict=False)
    odd = values.is_null() | ~values.is_finite().fill_null(value=False)
    if odd.any():
        row = int(odd.arg_max() or 0)
        raise ReadError(
            path,
            f"row {row + 1} of the pairs has the {column.name} {column[row]!r}, which is no finite number",
            hint="leave pairs without a score out: whoever is not listed is no candidate",
        )
    return values.to_numpy()


# --- vectors -----------------------------------------------------------------------------------------


def _read_side(directory: Path, side: str) -> NamedVectors:
    vectors, names = _load(directory / f"{side}.npy"), _read_names(directory / f"{side}.txt")
    if len(vectors) != len(names):
        raise ReadError(
            directory,
            f"{side}.npy has {len(vectors):,} rows, but {side}.txt names {len(names):,} entities",
            hint="name the entity of each row, in the same order",
        )
    is_whole = np.isfinite(vectors).all(axis=1)
    if not is_whole.all():
        row = int(np.argmin(is_whole))
        raise ReadError(
            directory / f"{side}.npy",
            f"row {row + 1}, of {names[row]!r}, holds numbers that are not finite (NaN or infinity)",
            hint="leave such entities out of both files, or give them zeros: zeros are like nothing",
        )
    return NamedVectors(names, vectors)


def _load(path: Path) -> NDArray[np.floating]:
    try:
        loaded = np.load(path, allow_pickle=False)
    except FileNotFoundError as problem:
        raise ReadError(path, "there is no such file", hint=_HINT) from problem
    except (OSError, ValueError, EOFError) as problem:
        reason = str(problem).partition(".")[0]
        raise ReadError(
            path, f"this is no NumPy array of numbers: {reason}", hint="write it with numpy.save"
        ) from problem
    if not isinstance(loaded, np.ndarray) or loaded.ndim != 2 or loaded.dtype.kind not in "fiu":
        what = f"{loaded.dtype} of shape {loaded.shape}" if isinstance(loaded, np.ndarray) else "an archive"
        raise ReadError(
            path, f"a table of numbers is needed, but this is {what}", hint="one row for each entity"
        )
    return loaded if loaded.dtype.kind == "f" else loaded.astype(np.float64)


def _read_names(path: Path) -> pl.Series:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as problem:
        raise ReadError(path, "there is no such file", hint=_HINT) from problem
    except UnicodeDecodeError as problem:
        raise ReadError(path, "the text is not UTF-8", hint="save the file again as UTF-8") from problem
    names = pl.Series("name", text.removesuffix("\n").split("\n"), dtype=pl.String).str.strip_chars("\r")
    repeated = names.is_duplicated()
    if (names == "").any() or repeated.any():
        line = int(((names == "") | repeated).arg_max() or 0) + 1
        problem_seen = "it is empty" if names[line - 1] == "" else f"{names[line - 1]!r} stands twice"
        raise ReadError(path, problem_seen, line=line, hint="name each entity once, one on each line")
    return bare_names(names)
