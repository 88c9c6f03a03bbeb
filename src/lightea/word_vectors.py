"""Names by vectors from a file: word vectors as word2vec, GloVe and fastText write them, or your own (.npy).

A word vector file lists words; the vector of a name is the mean of its words' vectors, rare words counting
more: a / (a + share of the names with the word), less their common direction. A .npy file holds a row for
each entity: those of the left graph in the order of their identifiers, then those of the right one; or any
rows, with a file of the same name and the ending .ids beside it that names the entity of each row.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.codes import quantise
from lightea.config import OWN_VECTORS
from lightea.errors import InputError, ReadError
from lightea.graph import KnowledgeGraph
from lightea.name_space import DenseNames, DenseRows
from lightea.names import NameTable
from lightea.reading import word_vectors
from lightea.spelling import plain

F32 = NDArray[np.float32]

_COMMON = 1e-3
"""A word in this share of the names counts half."""
_WORD = re.compile(r"[^\W_]+")


def encode_by_vectors(
    path: Path, left: NameTable, right: NameTable, graphs: tuple[KnowledgeGraph, KnowledgeGraph]
) -> DenseNames:
    """The names of both graphs as vectors of a file."""
    if path.suffix == OWN_VECTORS:
        return _own_vectors(path, graphs)
    return _by_words(path, left, right)


# --- vectors of your own ------------------------------------------------------------------------------


def _own_vectors(path: Path, graphs: tuple[KnowledgeGraph, KnowledgeGraph]) -> DenseNames:
    matrix = _matrix(path)
    beside = path.with_suffix(".ids")
    if beside.is_file():
        ids = pl.Series("id", beside.read_text(encoding="utf-8").splitlines(), dtype=pl.String)
        if len(ids) != len(matrix):
            raise ReadError(
                path, f"there are {len(matrix):,} vectors, but {len(ids):,} lines in {beside.name}"
            )
        own, other = (_rows_by_id(graph.find(ids), graph, matrix) for graph in graphs)
        if own.offsets[-1] == 0 or other.offsets[-1] == 0:
            raise ReadError(
                beside, "it names no entity of one of the graphs", hint="one identifier on each line"
            )
        return DenseNames(own, other)
    n_left, n_right = (graph.n_entities for graph in graphs)
    if len(matrix) != n_left + n_right:
        raise ReadError(
            path,
            f"there are {len(matrix):,} vectors, but {n_left:,} + {n_right:,} entities",
            hint=f"give a row for each, in the order of the identifiers, or name the rows in {beside.name}",
        )
    return DenseNames(_one_each(matrix[:n_left]), _one_each(matrix[n_left:]))


def _matrix(path: Path) -> F32:
    try:
        loaded = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as problem:
        raise ReadError(
            path, f"the vectors cannot be read: {problem}", hint="write them with numpy.save"
        ) from problem
    if not isinstance(loaded, np.ndarray) or loaded.ndim != 2 or loaded.dtype.kind not in "fiu":
        shape = getattr(loaded, "shape", "no shape")
        raise ReadError(
            path,
            f"these are no vectors: {shape}",
            hint="a matrix of numbers is needed, a row for each entity",
        )
    matrix = loaded.astype(np.float32)
    _refuse_odd(path, matrix)
    return matrix


def _refuse_odd(path: Path, matrix: F32) -> None:
    odd = ~np.isfinite(matrix).all(axis=1)
    if odd.any():
        raise ReadError(
            path,
            f"{int(odd.sum()):,} of {len(matrix):,} vectors hold NaN or infinity, "
            f"the first in row {int(odd.argmax())}",
            hint="leave out such rows, or write zeros for entities without a vector",
        )


def _one_each(matrix: F32) -> DenseRows:
    """A row for each entity; zeros are no vector."""
    has_one = np.any(matrix != 0, axis=1)
    return DenseRows(np.concatenate([[0], np.cumsum(has_one)]).astype(np.int64), quantise(matrix[has_one]))


def _rows_by_id(numbers: NDArray[np.int32], graph: KnowledgeGraph, matrix: F32) -> DenseRows:
    known = np.flatnonzero((numbers >= 0) & np.any(matrix != 0, axis=1))
    order = known[np.argsort(numbers[known], kind="stable")]
    counts = np.bincount(numbers[order], minlength=graph.n_entities)
    return DenseRows(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), quantise(matrix[order]))


# --- word vectors --------------------------------------------------------------------------------------


def _by_words(path: Path, left: NameTable, right: NameTable) -> DenseNames:
    words = [_words(table) for table in (left, right)]
    wanted: dict[str, int] = {}
    for line in (*words[0], *words[1]):
        for word in line:
            wanted.setdefault(word, len(wanted))
    vectors, known = _vectors(path, wanted)
    if not known.any():
        raise InputError(
            f"{path}: none of the {len(wanted):,} words in the names has a vector there",
            hint="take vectors of the language that the names are in",
        )
    frequency = np.bincount([wanted[word] for line in (*words[0], *words[1]) for word in set(line)])
    weight = _COMMON / (_COMMON + frequency / max(1, len(words[0]) + len(words[1]))) * known
    sums = [_sums(lines, wanted, vectors, weight) for lines in words]
    centre = np.concatenate(sums).mean(axis=0)
    own, other = (
        _named(table, np.where(np.any(rows != 0, axis=1, keepdims=True), rows - centre, 0).astype(np.float32))
        for table, rows in zip((left, right), sums, strict=True)
    )
    return DenseNames(own, other)


def _words(table: NameTable) -> list[list[str]]:
    return [_WORD.findall(line) for line in plain(table.texts.to_list()).split("\n")[: len(table.texts)]]


def _sums(lines: list[list[str]], number: dict[str, int], vectors: F32, weight: NDArray[np.float64]) -> F32:
    """The weighted mean of the unit vectors of each line's words."""
    owner = np.repeat(np.arange(len(lines)), [len(line) for line in lines])
    words = np.array([number[word] for line in lines for word in line], np.int64)
    total = np.zeros((len(lines), vectors.shape[1]), np.float32)
    np.add.at(total, owner, vectors[words] * weight[words, None].astype(np.float32))
    lengths = np.linalg.norm(total, axis=1, keepdims=True)
    units: F32 = np.divide(total, lengths, where=lengths > 0, out=np.zeros_like(total))
    return units


def _named(table: NameTable, matrix: F32) -> DenseRows:
    """Only names with a vector count."""
    has_one = np.any(matrix != 0, axis=1)
    owners = np.repeat(np.arange(table.n_entities), np.diff(table.offsets))
    counts = np.bincount(owners[has_one], minlength=table.n_entities)
    return DenseRows(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), quantise(matrix[has_one]))


def _vectors(path: Path, wanted: dict[str, int]) -> tuple[F32, NDArray[np.bool_]]:
    """The vectors of the wanted words, scaled to length one, and which of them have one.

    Words are wanted in plain spelling; of several words that are spelt so, the first counts.
    """
    found: dict[int, F32] = {}
    for word, vector in word_vectors(path, lambda word: _plain_word(word) in wanted):
        found.setdefault(wanted[_plain_word(word)], vector)
    width = len(next(iter(found.values()))) if found else 1
    matrix = np.zeros((len(wanted), width), np.float32)
    for number, vector in found.items():
        matrix[number] = vector
    _refuse_odd(path, matrix)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.divide(matrix, lengths, where=lengths > 0, out=matrix.copy()), lengths[:, 0] > 0


def _plain_word(word: str) -> str:
    return word.lower() if word.isascii() else plain([word]).strip()
