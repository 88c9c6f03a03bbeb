"""The compiled loops of `_kernels.py` as plain NumPy: what they compute, without how to be fast at it.

Every function has the name and signature of its compiled counterpart and follows the formula there; the
tests compare the two. Dense matrices are allowed and speed does not matter. Sums are taken in double
precision, so a compiled result may differ by its rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
I8 = NDArray[np.int8]
I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


# --- edges -------------------------------------------------------------------------------------------


def double_edges(
    heads: I32, relations: I32, tails: I32, n_entities: int, n_relations: int
) -> tuple[I64, I32, I32]:
    """(h, r, t) and (t, r + n_relations, h), in order of head, relation, tail; offsets by head."""
    all_heads = np.concatenate([heads, tails])
    all_relations = np.concatenate([relations, relations + np.int32(n_relations)])
    all_tails = np.concatenate([tails, heads])
    order = np.lexsort((all_tails, all_relations, all_heads))
    return _offsets(all_heads, n_entities), all_relations[order], all_tails[order]


def heads_of_relations(offsets: I64, relations: I32, n_relations: int) -> tuple[I64, I32]:
    """Each pair (relation, head) once, in this order; offsets by relation."""
    pairs = np.unique(np.stack([relations, _rows(offsets)], axis=1), axis=0)
    return _offsets(pairs[:, 0], n_relations), pairs[:, 1].astype(np.int32)


# --- three views -------------------------------------------------------------------------------------


def hop_entities(
    offsets: I64,
    relations: I32,
    tails: I32,
    labels: I8,
    place: I32,
    relation_labels: I8,
    spread: float,
    codes: I8,
) -> None:
    """Matrices of the views: the codes of side·E + front·R."""
    heads, n_relations = _rows(offsets), len(relation_labels)
    side = np.diag(2.0 * np.diff(offsets))
    np.add.at(side, (heads, tails), 1.0)
    front = np.zeros((len(codes), n_relations))
    front[heads, _inverse(relations, n_relations)] = 1.0
    codes[:] = _codes(side @ _placed(labels, place) + front @ relation_labels, spread)


def hop_relations(relation_offsets: I64, relation_heads: I32, labels: I8, place: I32, out: F32) -> None:
    """Matrix of the view: out = top·E."""
    top = np.zeros((len(out), len(place)))
    top[_rows(relation_offsets), relation_heads] = 1.0
    out[:] = top @ _placed(labels, place)


# --- gated sketch ------------------------------------------------------------------------------------


def add_shifted(table: I8, place: I32, shift: int, out: I16) -> None:
    """out(i, c) += E(i)_((c + shift) mod width)."""
    columns = np.arange(out.shape[1])
    out += _placed(table, place)[:, (columns + shift) % table.shape[1]].astype(np.int16)


def gate_edges(
    rows: I32,
    offsets: I64,
    relations: I32,
    tails: I32,
    entities: I16,
    gates: I16,
    spread: float,
    codes: I8,
    inverse_norms: F32,
) -> None:
    """The codes of Σ over edges (r, t) of rows[i] of entities(t) ∘ gates(r), with 1/|codes|."""
    sums = np.zeros((len(rows), entities.shape[1]))
    for i, row in enumerate(rows):
        edges = slice(offsets[row], offsets[row + 1])
        terms = entities[tails[edges]].astype(np.float64) * gates[relations[edges]]
        sums[i] = terms.sum(axis=0)
    _quantise(sums, spread, codes, inverse_norms)


# --- comparing sketches in whole numbers ---------------------------------------------------------------


def quantise_rows(matrix: F32, spread: float, codes: I8, inverse_norms: F32) -> None:
    """Codes are round(spread · row / root mean square of the row), clipped to ±127; with 1/|codes|."""
    _quantise(matrix, spread, codes, inverse_norms)


def keep_best(scores: NDArray[np.int32], first_column: int, kept: I64, counts: I64, n_best: int) -> None:
    """kept(i) = the `n_best` largest of what was kept and `score · 2³² + (2³² - 1 - column)`."""
    columns = first_column + np.arange(scores.shape[1], dtype=np.int64)
    keys = (scores.astype(np.int64) << 32) + (2**32 - 1 - columns)
    for i in range(len(scores)):
        merged = np.sort(np.concatenate([kept[i, : counts[i]], keys[i]]))[::-1][:n_best]
        kept[i, : len(merged)] = merged
        counts[i] = len(merged)


def add_cosines(
    indptr: I64,
    columns: I32,
    left_codes: I8,
    left_inverse: F32,
    right_codes: I8,
    right_inverse: F32,
    out: F32,
) -> None:
    """out(j) += ⟨left code, right code⟩ / (|left code| · |right code|) of pair j."""
    rows = _rows(indptr)
    products = np.einsum("jc,jc->j", left_codes[rows].astype(np.int64), right_codes[columns].astype(np.int64))
    out += (products * left_inverse[rows].astype(np.float64) * right_inverse[columns]).astype(np.float32)


def best_of_rows(
    indptr: I64, columns: I32, scores: F32, kept_indptr: I64, kept_columns: I32, kept_scores: F32
) -> None:
    """The first entries of each row in order of (largest score, smallest column)."""
    rows = _rows(indptr)
    order = np.lexsort((columns, -scores, rows))
    rank = np.arange(len(rows)) - indptr[rows]
    kept = order[rank < np.diff(kept_indptr)[rows]]
    kept_columns[:] = columns[kept]
    kept_scores[:] = scores[kept]


# --- Sinkhorn ------------------------------------------------------------------------------------------


def potentials(
    indptr: I64, others: I32, logits: F64, other_potentials: F64, outside: F64, least: float, out: F64
) -> None:
    """out(i) = max(least, log( e^outside(i) + Σ_j e^(logits(j) − other_potentials(others(j))) ))."""
    totals = outside.copy()
    np.logaddexp.at(totals, _rows(indptr), logits - other_potentials[others])
    out[:] = np.maximum(least, np.where(np.isneginf(totals), 0.0, totals))


def scalings(
    indptr: I64, others: I32, weights: F64, other_scalings: F64, outside: F64, most: F64, out: F64
) -> None:
    """out(i) = min(most(i), 1 / (outside(i) + Σ_j weights(j) · other_scalings(others(j))))."""
    totals = outside.copy()
    np.add.at(totals, _rows(indptr), weights * other_scalings[others])
    out[:] = np.minimum(most, _inverted(totals, where_zero=1.0))


def transpose_pattern(indptr: I64, columns: I32, n_columns: int) -> tuple[I64, I32, I64]:
    """The entries in order of (column, row): offsets by column, row and position of each."""
    positions = np.argsort(columns, kind="stable")
    return _offsets(columns, n_columns), _rows(indptr)[positions].astype(np.int32), positions


# --- shared --------------------------------------------------------------------------------------------


def _offsets(keys: NDArray[np.integer], n: int) -> I64:
    """Where the entries of each of n keys start once they are in order, and where the last ones end."""
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=n))]).astype(np.int64)


def _rows(offsets: I64) -> I64:
    """The row of each entry."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _inverse(relations: I32, n_relations: int) -> I32:
    return (relations + np.int32(n_relations // 2)) % np.int32(n_relations)


def _placed(labels: I8, place: I32) -> F64:
    """E(i) for all i: `labels[place[i]]`, or zero where `place[i]` is negative."""
    return np.where(place[:, None] >= 0, labels[np.maximum(place, 0)], 0.0).astype(np.float64)


def _quantise(matrix: NDArray[Any], spread: float, codes: I8, inverse_norms: F32) -> None:
    codes[:] = _codes(matrix, spread)
    inverse_norms[:] = _inverted(np.linalg.norm(codes.astype(np.float64), axis=1), where_zero=0.0)


def _codes(matrix: NDArray[Any], spread: float) -> F64:
    codes: F64 = np.clip(np.rint(spread * np.sqrt(matrix.shape[1]) * _unit(matrix)), -127, 127)
    return codes


def _unit(matrix: NDArray[Any]) -> F64:
    lengths = np.linalg.norm(matrix.astype(np.float64), axis=1)
    return matrix * _inverted(lengths, where_zero=0.0)[:, None]


def _inverted(values: F64, *, where_zero: float) -> F64:
    zero = values == 0.0
    return np.where(zero, where_zero, 1.0 / np.where(zero, 1.0, values))
