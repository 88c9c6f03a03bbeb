"""Names as vectors: whose names are alike, how much, and what labels they give their entities.

Two kinds share one interface: rows of weighted character grams, which stay sparse, and dense vectors in
whole numbers. An entity may have several names, or none; two entities are as similar as their most similar
names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lightea import _name_kernels
from lightea.candidates import search
from lightea.codes import Codes, quantise
from lightea.graph import Ids

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]

_BUDGET = 3_000
"""Names that one name is compared with by rare grams, before frequent ones are left out."""


class NameSpace(Protocol):
    """What the rounds ask of names."""

    def nearest(self, rows: Ids, allowed: NDArray[np.bool_], n_best: int, *, threads: int) -> tuple[I64, Ids]:
        """The right entities with the most similar names for each left one, as CSR."""

    def similarities(self, rows: Ids, indptr: I64, ids: Ids) -> F32:
        """The similarity of pairs, 0 to 1: row i holds those of the left entity `rows[i]`."""

    def labels(self, width: int) -> Codes:
        """A vector for each entity, left ones first, whose products are on average those of the names."""


@dataclass(frozen=True, eq=False)
class GramRows:
    """Names of one graph: those of entity i are the rows `offsets[i]:offsets[i + 1]`, of grams with weights.

    Grams are numbered from rare to frequent, and a row has them in rising order; rows have length one, grams
    that only one graph has left out.
    """

    offsets: I64
    rows: I64
    grams: Ids
    weights: F32

    @property
    def columns(self) -> tuple[I64, I64, Ids, F32]:
        """As the kernels take them."""
        return self.offsets, self.rows, self.grams, self.weights


@dataclass(frozen=True, eq=False)
class SparseNames:
    """Names as character grams."""

    left: GramRows
    right: GramRows

    def nearest(self, rows: Ids, allowed: NDArray[np.bool_], n_best: int, *, threads: int) -> tuple[I64, Ids]:
        """See `NameSpace`; pairs that have only frequent grams in common may be missed."""
        del threads  # those of the kernels are set for the process
        counts, ids = np.zeros(len(rows), np.int64), np.zeros(len(rows) * n_best, np.int32)
        owners = _owners(self.right.offsets)
        _name_kernels.nearest_names(
            rows,
            self.left.columns,
            _lists(self.right),
            owners,
            allowed,
            _BUDGET,
            n_best,
            counts,
            ids,
        )
        kept = np.arange(n_best) < counts[:, None]
        return np.concatenate([[0], np.cumsum(counts)]), ids.reshape(len(rows), n_best)[kept]

    def similarities(self, rows: Ids, indptr: I64, ids: Ids) -> F32:
        """See `NameSpace`; the cosine of the grams."""
        out = np.empty(len(ids), np.float32)
        _name_kernels.name_similarities(rows, indptr, ids, self.left.columns, self.right.columns, out)
        return np.minimum(out, np.float32(1.0))

    def labels(self, width: int) -> Codes:
        """See `NameSpace`."""
        parts = []
        for side in (self.left, self.right):
            table = np.empty((len(side.offsets) - 1, width), np.float32)
            _name_kernels.project_grams(side.columns, width, table)
            parts.append(quantise(table))
        return _joined(*parts)


@dataclass(frozen=True, eq=False)
class DenseRows:
    """Names of one graph as codes: those of entity i are the rows `offsets[i]:offsets[i + 1]`."""

    offsets: I64
    codes: Codes

    @property
    def columns(self) -> tuple[I64, NDArray[np.int8], F32]:
        """As the kernels take them."""
        return self.offsets, self.codes.values, self.codes.inverse_norms


@dataclass(frozen=True, eq=False)
class DenseNames:
    """Names as dense vectors."""

    left: DenseRows
    right: DenseRows

    def nearest(self, rows: Ids, allowed: NDArray[np.bool_], n_best: int, *, threads: int) -> tuple[I64, Ids]:
        """See `NameSpace`; exact, by the sum of each entity's names."""
        whole = self._of_entities()
        answers = np.flatnonzero(allowed).astype(np.int32)
        indptr, columns = search(whole[0].rows(rows), whole[1].rows(answers), n_best, threads=threads)
        return indptr, answers[columns]

    def similarities(self, rows: Ids, indptr: I64, ids: Ids) -> F32:
        """See `NameSpace`; the cosine, and 0 for one below it."""
        out = np.empty(len(ids), np.float32)
        _name_kernels.dense_similarities(rows, indptr, ids, self.left.columns, self.right.columns, out)
        return np.minimum(out, np.float32(1.0))

    def labels(self, width: int) -> Codes:
        """See `NameSpace`: a random projection with a fixed seed."""
        own_width = self.left.codes.values.shape[1]
        signs = np.random.default_rng(own_width).choice(np.array([-1, 1], np.float32), (own_width, width))
        return _joined(*(quantise(part.values.astype(np.float32) @ signs) for part in self._of_entities()))

    def _of_entities(self) -> tuple[Codes, Codes]:
        """The sum of the names of each entity."""
        left, right = (_sums(side) for side in (self.left, self.right))
        return left, right


Encoder = Callable[..., NameSpace]


def _sums(side: DenseRows) -> Codes:
    sums = np.zeros((len(side.offsets) - 1, side.codes.values.shape[1]), np.float32)
    np.add.at(sums, _owners(side.offsets), side.codes.values.astype(np.float32))
    return quantise(sums)


def _joined(left: Codes, right: Codes) -> Codes:
    return Codes(
        np.concatenate([left.values, right.values]),
        np.concatenate([left.inverse_norms, right.inverse_norms]),
    )


def _owners(offsets: I64) -> Ids:
    """Whose each name is."""
    return np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))


def _lists(side: GramRows) -> tuple[I64, Ids, F32]:
    """For each gram the names that have it, in order, and its weight in each."""
    order = np.argsort(side.grams, kind="stable")
    n_grams = int(side.grams.max(initial=-1)) + 1
    offsets = np.concatenate([[0], np.cumsum(np.bincount(side.grams, minlength=n_grams))])
    names = np.repeat(np.arange(len(side.rows) - 1, dtype=np.int32), np.diff(side.rows))
    return offsets, names[order], side.weights[order]
