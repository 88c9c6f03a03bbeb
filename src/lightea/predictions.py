"""What another method predicts, brought into the form that `evaluate` scores: same candidates, same ties.

Who takes part is the same as for `align`: candidates with anybody else are left out, as if the method had
never named them. Of vectors the nearest `NEAREST` by cosine are candidates.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.alignment import Alignment
from lightea.assignment import Assignment, assign
from lightea.candidates import Candidates, in_order
from lightea.confident import confident_pairs
from lightea.config import PRESETS
from lightea.errors import InputError, ReadError
from lightea.graph import Ids, KnowledgeGraph
from lightea.quality import DEFAULT_THRESHOLD
from lightea.reading.layouts import read_folder
from lightea.reading.predictions import NamedVectors, ScoredPairs, read_scored_pairs, read_vectors

F64 = NDArray[np.float64]
logger = logging.getLogger(__name__)

NEAREST = PRESETS["basic"].candidates
"""Candidates of an entity, where a method gives vectors: as many as the preset `basic` has."""

_ROWS_AT_ONCE = 512
_DECIMALS = 6
"""Of a cosine: what is beyond is rounding, and must not decide between equal vectors."""


@dataclass(frozen=True, eq=False)
class Task:
    """Two graphs, who is searched and who may answer; and the folder that numbers them, if one does."""

    folder: Path | None
    left: KnowledgeGraph
    right: KnowledgeGraph
    searched: Ids
    answers: Ids


@dataclass(frozen=True, eq=False)
class _Scored:
    """Pairs of entity numbers, each once, with the columns of numbers that rank them."""

    left: Ids
    right: Ids
    numbers: tuple[F64, ...]


def predicted_alignment(
    path: Path, task: Task, *, threshold: float | None = None, assigned: bool = False
) -> Alignment:
    """Read predictions, a file or a directory of vectors, as an alignment with their ranks.

    Links are the pairs of which each is the single best of the other, with a first number of at least
    `threshold`. With `assigned`, the scores go through the assignment of the preset `basic` first, and its
    probabilities rank the candidates and decide on the links.
    """
    pairs = _taking_part(_scored_pairs(path, task), path, task)
    candidates = _candidates(pairs, task)
    nothing = np.empty((0, 2), np.int32)
    if assigned:
        basic = PRESETS["basic"]
        assignment = assign(candidates, temperature=basic.temperature, iterations=basic.sinkhorn_iterations)
        links = confident_pairs(assignment, DEFAULT_THRESHOLD if threshold is None else threshold)
    else:
        assignment = _ranked(pairs, candidates)
        links = _links(pairs, threshold)
    return Alignment(task.left, task.right, nothing, assignment, *links, PRESETS["basic"])


def candidates_tsv(alignment: Alignment) -> str:
    """Every candidate pair of an alignment in the form that predictions are read in."""
    candidates = alignment.assignment.candidates
    left = alignment.left.entities.gather(candidates.left[candidates.rows])
    right = alignment.right.entities.gather(candidates.right[candidates.columns])
    table = pl.DataFrame(
        {
            "left": _escaped(left),
            "right": _escaped(right),
            "probability": alignment.assignment.probabilities,
            "score": candidates.scores,
        }
    )
    return table.write_csv(separator="\t", quote_style="never")


# --- pairs -------------------------------------------------------------------------------------------


def _scored_pairs(path: Path, task: Task) -> _Scored:
    if path.is_dir():
        return _nearest(path, *read_vectors(path), task)
    return _looked_up(path, read_scored_pairs(path), task)


def _looked_up(path: Path, pairs: ScoredPairs, task: Task) -> _Scored:
    left = _find(path, "left", pairs.left, task)
    right = _find(path, "right", pairs.right, task)
    table = pl.DataFrame(
        {"left": left, "right": right, **{f"number {i}": values for i, values in enumerate(pairs.numbers)}}
    ).unique(maintain_order=True)
    repeated = table.select(pl.struct("left", "right").is_duplicated()).to_series()
    if repeated.any():
        row = table.row(int(repeated.arg_max() or 0))
        names = f"{task.left.entities[row[0]]!r} and {task.right.entities[row[1]]!r}"
        raise ReadError(path, f"the pair of {names} stands there twice, with different scores")
    columns = tuple(table[:, 2 + i].to_numpy() for i in range(len(pairs.numbers)))
    return _Scored(table["left"].to_numpy(), table["right"].to_numpy(), columns)


def _find(path: Path, side: str, names: pl.Series, task: Task) -> Ids:
    """The numbers of named entities; a name may be that in the data set's own files of numbers, too."""
    graph, other = _graph(side, task), task.right if side == "left" else task.left
    found = graph.find(names)
    if (found < 0).any() and task.folder is not None:
        found = np.where(found < 0, graph.find(_spelled_out(side, names, task.folder)), found)
    unknown = names.filter(found < 0)
    if len(unknown) == 0:
        return found
    first = ", ".join(repr(name) for name in unknown.unique(maintain_order=True).head(3))
    is_swapped = np.mean(other.find(names) >= 0) > 0.5
    raise InputError(
        f"{path}: {len(unknown):,} of {len(names):,} names on the {side} are unknown to the {side} graph: "
        f"{first}",
        hint="the sides seem to be swapped: names of the left graph come first"
        if is_swapped
        else f"names are written as in the data set, for example {graph.entities[0]!r}",
    )


def _graph(side: str, task: Task) -> KnowledgeGraph:
    return task.left if side == "left" else task.right


def _spelled_out(side: str, names: pl.Series, benchmark: Path) -> pl.Series:
    """What a folder that numbers its entities calls these numbers."""
    folder = read_folder(benchmark)
    numbered = (folder.left if side == "left" else folder.right).names
    asked = pl.DataFrame({"number": names}, schema={"number": pl.String})
    found = asked.join(numbered, on="number", how="left", maintain_order="left")
    return found["name"].fill_null("")


def _taking_part(pairs: _Scored, path: Path, task: Task) -> _Scored:
    """The pairs of those who take part, in order of the left entity, best first."""
    kept = np.flatnonzero(np.isin(pairs.left, task.searched) & np.isin(pairs.right, task.answers))
    n_missing = len(task.searched) - len(np.unique(pairs.left[kept]))
    if len(kept) == 0:
        raise InputError(
            f"{path}: none of its pairs is between entities that take part",
            hint="the test links decide who takes part: check that the split is the same "
            "(--train and --random-seed, or --fold), or use --candidates all",
        )
    if n_missing:
        logger.warning(
            "%s: no candidates for %s of the %s entities that are searched; each is a miss",
            path,
            f"{n_missing:,}",
            f"{len(task.searched):,}",
        )
    keys: list[NDArray[Any]] = [pairs.right[kept], *(-values[kept] for values in reversed(pairs.numbers))]
    order = kept[np.lexsort([*keys, pairs.left[kept]])]
    return _Scored(pairs.left[order], pairs.right[order], tuple(values[order] for values in pairs.numbers))


def _candidates(pairs: _Scored, task: Task) -> Candidates:
    rows, columns = np.searchsorted(task.searched, pairs.left), np.searchsorted(task.answers, pairs.right)
    counts = np.bincount(rows, minlength=len(task.searched))
    indptr = np.concatenate([[0], np.cumsum(counts)])
    scores = pairs.numbers[-1].astype(np.float32)
    return in_order(task.searched, task.answers, indptr, columns.astype(np.int32), scores)


def _ranked(pairs: _Scored, candidates: Candidates) -> Assignment:
    """The order of the candidates as an assignment, in which equals are equally probable.

    Single precision might make equals of numbers that are not; so places take their part: 1, 1/2, 1/3, …
    """
    rows = np.searchsorted(candidates.left, pairs.left)
    starts_row = np.diff(rows, prepend=-1) > 0
    differs = np.logical_or.reduce([np.diff(values, prepend=np.nan) != 0 for values in pairs.numbers])
    level = np.cumsum(starts_row | differs)
    place = (
        level - np.repeat(level[starts_row], np.diff(np.append(np.flatnonzero(starts_row), len(rows)))) + 1
    )
    scores = (1.0 / place).astype(np.float32)
    columns = np.searchsorted(candidates.right, pairs.right).astype(np.int32)
    placed = Candidates(candidates.left, candidates.right, candidates.indptr, columns, scores)
    alone = np.zeros(len(candidates.left), np.float32)
    potentials = np.zeros(len(candidates.left)), np.zeros(len(candidates.right))
    return Assignment(placed, scores, alone, potentials, 0, 0.0, converged=True)


def _links(pairs: _Scored, threshold: float | None) -> tuple[Ids, Ids, NDArray[np.float32]]:
    """The pairs of which each is the single best of the other: left, right, number, by left."""
    number = pl.col("number")
    is_best = [
        (number == number.max().over(side)) & ((number == number.max().over(side)).sum().over(side) == 1)
        for side in ("left", "right")
    ]
    table = pl.DataFrame({"left": pairs.left, "right": pairs.right, "number": pairs.numbers[0]})
    kept = table.filter(*is_best, number >= (-np.inf if threshold is None else threshold)).sort("left")
    return (
        kept["left"].to_numpy(),
        kept["right"].to_numpy(),
        kept["number"].cast(pl.Float32).to_numpy(),
    )


# --- vectors -----------------------------------------------------------------------------------------


def _nearest(path: Path, left: NamedVectors, right: NamedVectors, task: Task) -> _Scored:
    """The nearest right entities of each left one by cosine, among those who take part."""
    left_ids, left_units = _units(path, "left", left, task.searched, task)
    right_ids, right_units = _units(path, "right", right, task.answers, task)
    kept = min(NEAREST, len(right_ids))
    columns, cosines = np.empty((len(left_ids), kept), np.int64), np.empty((len(left_ids), kept))
    for start in range(0, len(left_ids) if kept else 0, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        found = np.round((left_units[rows] @ right_units.T).astype(np.float64), _DECIMALS)
        columns[rows] = np.argpartition(-found, kept - 1, axis=1)[:, :kept]
        cosines[rows] = np.take_along_axis(found, columns[rows], axis=1)
    return _Scored(
        np.repeat(left_ids, kept), right_ids[columns.ravel()].astype(np.int32), (cosines.ravel() + 0.0,)
    )


def _units(
    path: Path, side: str, given: NamedVectors, taking_part: Ids, task: Task
) -> tuple[Ids, NDArray[np.float32]]:
    """The entities that take part, in order, with their vectors at length one; zeros are like nobody."""
    ids = _find(path / f"{side}.txt", side, given.names, task)
    if len(np.unique(ids)) < len(ids):
        twice = _graph(side, task).entities[int(np.argmax(np.bincount(ids)))]
        raise ReadError(path / f"{side}.txt", f"{twice!r} stands there twice, by its name and by its number")
    order = np.argsort(ids, kind="stable")
    chosen = order[np.isin(ids[order], taking_part)]
    vectors = given.vectors[chosen].astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1)
    with_length = lengths > 0
    units = vectors[with_length] / lengths[with_length, None]
    return ids[chosen][with_length], units.astype(np.float32)


def _escaped(names: pl.Series) -> pl.Series:
    r"""The names with what would break a row written as `\t`, `\n`, `\r` and `\\`."""
    escaped = names
    for character, written in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        escaped = escaped.str.replace_all(character, written, literal=True)
    return escaped
