"""Which right entities are worth comparing with each left entity: exact search over int8 sketches.

Sketches are compared in whole numbers. One block proposes: every left row against every right row, the best
kept. All blocks decide: the cosine of a proposed pair is averaged over them.

Whole numbers make the search exact on any machine: |left|·|right| stays below 2²⁴, so a float32 product of
the codes has no rounding whatever the order of its sums, and equals what int8 instructions give. Those are
taken where the processor has them; the candidates are the same, at any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numkong
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from lightea import _kernels
from lightea.codes import SPREAD, Codes
from lightea.graph import Ids

_ROWS_AT_ONCE = 32
_COLUMNS_AT_ONCE = 16384
_BLOCKS_BEFORE_HALVING = 2
_WIDEST = int(2**24 / (SPREAD + 0.5) ** 2)
"""Rounding lengthens a code by at most half a step in each dimension."""

Tile = Callable[[NDArray[np.int8]], NDArray[Any]]
Proposals = tuple[NDArray[np.int64], NDArray[np.int32]]
"""CSR: offsets by left row, right rows."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """For every searched left entity the right entities found for it, with scores.

    Row i belongs to the entity `left[i]`; its candidates are the entities `right[columns[j]]` with
    `scores[j]` for j in `indptr[i]:indptr[i + 1]`, best first, equal scores in order of the entity number.
    `left` and `right` are sorted entity numbers. A row may be empty.
    """

    left: Ids
    right: Ids
    indptr: NDArray[np.int64]
    columns: Ids
    scores: NDArray[np.float32]

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of each pair."""
        return np.repeat(np.arange(len(self.left)), np.diff(self.indptr))


def find_candidates(
    left: Ids,
    right: Ids,
    blocks: Iterable[tuple[Codes, Codes]],
    *,
    n_proposals: int,
    n_best: int,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
    propose: Callable[[Codes, Codes], Proposals] | None = None,
) -> Candidates:
    """The best right entities for each left entity by the mean cosine over the blocks of their sketches.

    A block holds the codes of the entities `left` and of the entities `right`. The first one proposes
    `n_proposals` for each left entity; the second one halves them, and all of them order what is left.
    `propose` takes the place of the exact search in the first block.
    """
    numbered = enumerate(blocks, 1)
    _, (left_codes, right_codes) = next(numbered)
    if propose is None:
        indptr, columns = search(left_codes, right_codes, n_proposals, threads=threads, progress=progress)
    else:
        indptr, columns = propose(left_codes, right_codes)
    scores = np.zeros(len(columns), np.float32)
    add_cosines(indptr, columns, left_codes, right_codes, scores)
    n_blocks = 1
    for n_blocks, (left_codes, right_codes) in numbered:
        add_cosines(indptr, columns, left_codes, right_codes, scores)
        if n_blocks == _BLOCKS_BEFORE_HALVING:
            indptr, columns, scores = _best(indptr, columns, scores, max(n_best, n_proposals // 2))
    return Candidates(left, right, *_best(indptr, columns, scores / np.float32(n_blocks), n_best))


def add_cosines(
    indptr: NDArray[np.int64], columns: Ids, left: Codes, right: Codes, scores: NDArray[np.float32]
) -> None:
    """Add the cosine of one block to the score of each pair."""
    _kernels.add_cosines(
        indptr, columns, left.values, left.inverse_norms, right.values, right.inverse_norms, scores
    )


def in_order(
    left: Ids,
    right: Ids,
    indptr: NDArray[np.int64],
    columns: Ids,
    scores: NDArray[np.float32],
) -> Candidates:
    """Candidates with all pairs that are given, best first."""
    return Candidates(left, right, *_best(indptr, columns, scores, len(right)))


def best_candidates(candidates: Candidates, n_best: int) -> Candidates:
    """The best few candidates of each row."""
    kept = _best(candidates.indptr, candidates.columns, candidates.scores, n_best)
    return Candidates(candidates.left, candidates.right, *kept)


def _best(
    indptr: NDArray[np.int64], columns: Ids, scores: NDArray[np.float32], n_best: int
) -> tuple[NDArray[np.int64], Ids, NDArray[np.float32]]:
    """The best `n_best` of each row, best first."""
    kept = np.concatenate([[0], np.cumsum(np.minimum(np.diff(indptr), n_best))])
    best_columns, best_scores = np.empty(kept[-1], np.int32), np.empty(kept[-1], np.float32)
    _kernels.best_of_rows(indptr, columns, scores, kept, best_columns, best_scores)
    return kept, best_columns, best_scores


def search(
    left: Codes,
    right: Codes,
    n_best: int,
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[NDArray[np.int64], Ids]:
    """The `n_best` right rows with the largest inner product for each left row, as CSR (indptr, columns).

    Rows of zeros find nothing and are found by nobody. Memory is O(rows · n_best + tile), never rows × rows.
    """
    searched = np.flatnonzero(left.inverse_norms)
    offered = np.flatnonzero(right.inverse_norms)
    kept = min(n_best, len(offered))
    best = np.empty((len(searched), kept), np.int32)
    tiles = _tiles(right.values[offered])
    starts = range(0, len(searched), _ROWS_AT_ONCE)

    def search_rows(start: int) -> None:
        rows = searched[start : start + _ROWS_AT_ONCE]
        best[start : start + len(rows)] = _best_columns(left.values[rows], tiles, kept)

    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for done, _ in enumerate(pool.map(search_rows, starts), 1):
            if progress is not None:
                progress(min(done * _ROWS_AT_ONCE, len(searched)), len(searched))
    counts = np.zeros(len(left.values), np.int64)
    counts[searched] = kept
    return np.concatenate([[0], np.cumsum(counts)]), offered.astype(np.int32)[best.ravel()]


def _best_columns(rows: NDArray[np.int8], tiles: list[tuple[int, Tile]], n_best: int) -> Ids:
    """The best columns of each row over all tiles, best first."""
    kept = np.empty((len(rows), 2 * n_best + 64), np.int64)
    counts = np.zeros(len(rows), np.int64)
    for first_column, product in tiles:
        _kernels.keep_best(product(rows), first_column, kept, counts, n_best)
    keys = np.sort(kept[:, :n_best], axis=1)[:, ::-1]
    return (0xFFFFFFFF - (keys & 0xFFFFFFFF)).astype(np.int32)


def _tiles(codes: NDArray[np.int8]) -> list[tuple[int, Tile]]:
    """The right side in column tiles, each a function: left codes → exact inner products."""
    if codes.shape[1] > _WIDEST:
        raise ValueError(f"{codes.shape[1]} columns would overflow exact float32; at most {_WIDEST} fit")
    tile = _int8_tile if _has_int8_products() else _float32_tile
    starts = range(0, len(codes), _COLUMNS_AT_ONCE)
    return [(start, tile(codes[start : start + _COLUMNS_AT_ONCE])) for start in starts]


def _has_int8_products() -> bool:
    capabilities = numkong.get_capabilities()
    return any(capabilities.get(name) for name in ("icelake", "alder", "sierra", "neonsdot"))


def _int8_tile(codes: NDArray[np.int8]) -> Tile:
    packed = numkong.dots_pack(np.ascontiguousarray(codes))
    return lambda rows: np.asarray(numkong.dots_packed(rows, packed))


def _float32_tile(codes: NDArray[np.int8]) -> Tile:
    transposed = codes.T.astype(np.float32)
    return lambda rows: (rows.astype(np.float32) @ transposed).astype(np.int32)
