"""Compiled loops. Each has a plain NumPy twin of the same name and signature in `_plain.py`.

Rules that keep results the same at any number of threads: a parallel loop runs over rows of its output,
each row is computed by one thread in a fixed order, and nothing is summed across threads. Fast-math flags
allow reordering inside one row ("reassoc", "contract"), never the assumption that NaN or infinity is absent.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
"""Threads that wait for work must sleep. Spinning, OpenMP's default, makes everything several times slower as
soon as another process wants the same cores. Read when the first parallel loop starts. Set here, not by the
command line, as those who call from Python share their machines, too. README.md says so under Limits."""

logger = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])
F32 = NDArray[np.float32]
I8 = NDArray[np.int8]
I16 = NDArray[np.int16]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

_REORDER = {"reassoc", "contract", "nsz"}
_STRETCH = 16
_ROWS_IN_A_PART = 128
"""Rows that a thread does one after the other, in one working row."""
prange = numba.prange


def _can_cache() -> bool:
    """Whether there is a place to keep compiled code; a read-only install without a home has none."""
    try:
        numba.njit(cache=True)(_can_cache)
    except RuntimeError:
        logger.warning(
            "there is no place to keep compiled code, so every run compiles anew; "
            "set NUMBA_CACHE_DIR to a directory that you may write to"
        )
        return False
    return True


_CACHE = _can_cache()


def _compiled(**options: Any) -> Callable[[Function], Function]:
    """The decorator of every compiled loop."""

    def compiled(function: Function) -> Function:
        return cast(Function, numba.njit(cache=_CACHE, nogil=True, **options)(function))

    return compiled


_serial = _compiled()
_parallel = _compiled(parallel=True, fastmath=_REORDER)


# --- edges -------------------------------------------------------------------------------------------


@_serial
def double_edges(
    heads: I32, relations: I32, tails: I32, n_entities: int, n_relations: int
) -> tuple[I64, I32, I32]:
    """Triples sorted by (head, relation, tail) → offsets, relations and tails of the doubled edges by head.

    Edges of one head are in order of relation: its own first, then inverses (relation + n_relations).
    """
    offsets = np.zeros(n_entities + 1, np.int64)
    for j in range(len(heads)):
        offsets[heads[j] + 1] += 1
        offsets[tails[j] + 1] += 1
    for i in range(n_entities):
        offsets[i + 1] += offsets[i]
    free = offsets[:-1].copy()
    edge_relations = np.empty(2 * len(heads), np.int32)
    edge_tails = np.empty(2 * len(heads), np.int32)
    for j in range(len(heads)):
        place = free[heads[j]]
        edge_relations[place] = relations[j]
        edge_tails[place] = tails[j]
        free[heads[j]] += 1
    by_relation = np.zeros(n_relations + 1, np.int64)
    for j in range(len(relations)):
        by_relation[relations[j] + 1] += 1
    for r in range(n_relations):
        by_relation[r + 1] += by_relation[r]
    order = np.empty(len(relations), np.int64)
    for j in range(len(relations)):
        order[by_relation[relations[j]]] = j
        by_relation[relations[j]] += 1
    for i in range(len(order)):
        j = order[i]
        place = free[tails[j]]
        edge_relations[place] = relations[j] + n_relations
        edge_tails[place] = heads[j]
        free[tails[j]] += 1
    return offsets, edge_relations, edge_tails


@_serial
def heads_of_relations(offsets: I64, relations: I32, n_relations: int) -> tuple[I64, I32]:
    """Edges by head, each head's in order of relation → the distinct heads of each relation, as CSR."""
    relation_offsets = np.zeros(n_relations + 1, np.int64)
    for h in range(len(offsets) - 1):
        for j in range(offsets[h], offsets[h + 1]):
            if j == offsets[h] or relations[j] != relations[j - 1]:
                relation_offsets[relations[j] + 1] += 1
    for r in range(n_relations):
        relation_offsets[r + 1] += relation_offsets[r]
    free = relation_offsets[:-1].copy()
    heads = np.empty(relation_offsets[n_relations], np.int32)
    for h in range(len(offsets) - 1):
        for j in range(offsets[h], offsets[h + 1]):
            if j == offsets[h] or relations[j] != relations[j - 1]:
                heads[free[relations[j]]] = h
                free[relations[j]] += 1
    return relation_offsets, heads


# --- three views, in whole numbers -----------------------------------------------------------------------


@_compiled(fastmath=_REORDER)
def _to_codes(row: F32, spread: float, codes: I8) -> np.float32:
    """A row scaled to standard deviation `spread`, rounded and clipped to int8; returns 1/|codes|, or 0."""
    total = np.float32(0.0)
    for c in range(len(row)):
        total += row[c] * row[c]
    scale = np.float32(spread) * np.sqrt(np.float32(len(row)) / total) if total > 0.0 else np.float32(0.0)
    norm = np.float32(0.0)
    for c in range(len(row)):
        value = np.rint(min(max(row[c] * scale, np.float32(-127.0)), np.float32(127.0)))
        codes[c] = np.int8(value)
        norm += value * value
    return np.float32(1.0) / np.sqrt(norm) if norm > 0.0 else np.float32(0.0)


@_parallel
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
    """One round for entities: codes(h) of Σ_(r,t) E(t) + 2·|edges of h|·E(h) + Σ_distinct r R(r⁻¹).

    E(t) is `labels[place[t]]`, or zero where `place[t]` is negative.
    """
    n_entities, n_forward, width = len(offsets) - 1, len(relation_labels) // 2, labels.shape[1]
    for part in prange((n_entities + _ROWS_IN_A_PART - 1) // _ROWS_IN_A_PART):
        row = np.empty(width, np.float32)
        for h in range(part * _ROWS_IN_A_PART, min((part + 1) * _ROWS_IN_A_PART, n_entities)):
            for c in range(width):
                row[c] = np.float32(0.0)
            if place[h] >= 0:
                own, times = labels[place[h]], np.float32(2 * (offsets[h + 1] - offsets[h]))
                for c in range(width):
                    row[c] += times * np.float32(own[c])
            for j in range(offsets[h], offsets[h + 1]):
                if place[tails[j]] >= 0:
                    label = labels[place[tails[j]]]
                    for c in range(width):
                        row[c] += np.float32(label[c])
                if j == offsets[h] or relations[j] != relations[j - 1]:
                    back = relations[j] + n_forward if relations[j] < n_forward else relations[j] - n_forward
                    label = relation_labels[back]
                    for c in range(width):
                        row[c] += np.float32(label[c])
            _to_codes(row, spread, codes[h])


@_parallel
def hop_relations(relation_offsets: I64, relation_heads: I32, labels: I8, place: I32, out: F32) -> None:
    """One round for relations, before normalisation: out(r) = Σ_distinct heads h E(h), E as above.

    Parallel over columns, because a few relations hold most of the heads.
    """
    width = labels.shape[1]
    for block in prange((width + 127) // 128):
        low, high = 128 * block, min(128 * block + 128, width)
        for r in range(len(relation_offsets) - 1):
            row = out[r, low:high]
            for c in range(len(row)):
                row[c] = np.float32(0.0)
            for j in range(relation_offsets[r], relation_offsets[r + 1]):
                if place[relation_heads[j]] >= 0:
                    label = labels[place[relation_heads[j]], low:high]
                    for c in range(len(row)):
                        row[c] += np.float32(label[c])


# --- gated sketch ------------------------------------------------------------------------------------


@_parallel
def add_shifted(table: I8, place: I32, shift: int, out: I16) -> None:
    """out(i, c) += E(i)_((c + shift) mod width).

    E(i) is `table[place[i]]`, or zero where the place is negative.
    """
    width = out.shape[1]
    for i in prange(len(out)):
        if place[i] >= 0:
            source, row = table[place[i]], out[i]
            ahead, rest = source[shift:], row[width - shift :]
            for c in range(width - shift):
                row[c] += np.int16(ahead[c])
            for c in range(shift):
                rest[c] += np.int16(source[c])


@_parallel
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
    width = entities.shape[1]
    for part in prange((len(rows) + _ROWS_IN_A_PART - 1) // _ROWS_IN_A_PART):
        row = np.empty(width, np.float32)
        for i in range(part * _ROWS_IN_A_PART, min((part + 1) * _ROWS_IN_A_PART, len(rows))):
            for c in range(width):
                row[c] = np.float32(0.0)
            for j in range(offsets[rows[i]], offsets[rows[i] + 1]):
                entity, gate = entities[tails[j]], gates[relations[j]]
                for c in range(width):
                    row[c] += np.float32(np.int32(entity[c]) * np.int32(gate[c]))
            inverse_norms[i] = _to_codes(row, spread, codes[i])


# --- comparing sketches in whole numbers ---------------------------------------------------------------


@_parallel
def quantise_rows(matrix: F32, spread: float, codes: I8, inverse_norms: F32) -> None:
    """Rows scaled to standard deviation `spread`, rounded and clipped to int8, with 1/|codes|.

    A row of zeros gets zero codes and the inverse norm zero.
    """
    for i in prange(len(matrix)):
        inverse_norms[i] = _to_codes(matrix[i], spread, codes[i])


@_serial
def _largest_last(values: NDArray[Any], n: int) -> None:
    """Rearrange in place so that the `n` largest values stand at the end, the least of them first.

    Quickselect. np.partition does the same here, but takes ten seconds to compile.
    """
    low, high, place = 0, len(values) - 1, len(values) - n
    while low < high:
        a, b, c = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return


@_serial
def _least(values: I64) -> int:
    """The least of some values. np.min does the same here, but takes a second to compile."""
    least = np.int64(values[0])
    for i in range(1, len(values)):
        least = min(least, values[i])
    return int(least)


@_serial
def _move_to_front(values: I64, start: int, n: int) -> None:
    """The `n` values from `start` on, to the front; the two stretches may overlap."""
    for k in range(n):
        values[k] = values[start + k]


@_serial
def keep_best(scores: NDArray[np.int32], first_column: int, kept: I64, counts: I64, n_best: int) -> None:
    """Merge a tile of scores into each row's best `n_best`, smaller columns first among equals.

    A row of `kept` is a buffer of keys `score · 2³² + (2³² - 1 - column)`, of which `counts` are filled. The
    n-th largest of the maxima of short stretches bounds the n-th best score from below, so one pass at vector
    speed finds the bound and a second one looks only into the few stretches that reach it.
    """
    room = kept.shape[1]
    n_columns = scores.shape[1]
    n_stretches = (n_columns + _STRETCH - 1) // _STRETCH
    tops, least = np.empty(n_stretches, np.int32), np.empty(n_stretches, np.int32)
    for i in range(len(scores)):
        count = counts[i]
        for s in range(n_stretches):
            stretch = scores[i, s * _STRETCH : min((s + 1) * _STRETCH, n_columns)]
            top = stretch[0]
            for c in range(len(stretch)):
                top = max(top, stretch[c])
            tops[s] = top
        bound = _least(kept[i, :count]) >> 32 if count >= n_best else np.int64(-(2**31))
        if n_stretches >= n_best:
            for s in range(n_stretches):
                least[s] = tops[s]
            _largest_last(least, n_best)
            bound = max(bound, np.int64(least[n_stretches - n_best]))
        for s in range(n_stretches):
            if tops[s] < bound:
                continue
            for c in range(s * _STRETCH, min((s + 1) * _STRETCH, n_columns)):
                score = np.int64(scores[i, c])
                if score >= bound:
                    kept[i, count] = (score << 32) + (0xFFFFFFFF - (first_column + c))
                    count += 1
                    if count == room:
                        _largest_last(kept[i], n_best)
                        _move_to_front(kept[i], room - n_best, n_best)
                        count = n_best
                        bound = max(bound, _least(kept[i, :n_best]) >> 32)
        if count > n_best:
            _largest_last(kept[i, :count], n_best)
            _move_to_front(kept[i], count - n_best, n_best)
            count = n_best
        counts[i] = count


@_parallel
def add_cosines(
    indptr: I64,
    columns: I32,
    left_codes: I8,
    left_inverse: F32,
    right_codes: I8,
    right_inverse: F32,
    out: F32,
) -> None:
    """out(j) += cosine of the codes of pair j; the dot product is exact in int32."""
    width = left_codes.shape[1]
    for i in prange(len(indptr) - 1):
        for j in range(indptr[i], indptr[i + 1]):
            other = columns[j]
            total = np.int32(0)
            for c in range(width):
                total = np.int32(total + np.int32(left_codes[i, c]) * np.int32(right_codes[other, c]))
            out[j] += np.float32(total) * left_inverse[i] * right_inverse[other]


@_parallel
def best_of_rows(
    indptr: I64, columns: I32, scores: F32, kept_indptr: I64, kept_columns: I32, kept_scores: F32
) -> None:
    """The entries of each row with the best scores, best first, smaller column first among equals.

    `kept_indptr` says how many are kept. Score and column are packed into one whole number to sort by.
    """
    for i in prange(len(indptr) - 1):
        low, high = indptr[i], indptr[i + 1]
        keys = np.empty(high - low, np.int64)
        bits = scores[low:high].view(np.int32)
        for j in range(high - low):
            ordered = np.int64(bits[j]) if bits[j] >= 0 else -np.int64(bits[j] & 0x7FFFFFFF)
            keys[j] = (ordered << 32) + (0xFFFFFFFF - columns[low + j])
        n_kept = kept_indptr[i + 1] - kept_indptr[i]
        if n_kept < len(keys):
            _largest_last(keys, n_kept)
            keys = keys[len(keys) - n_kept :]
        keys.sort()
        best_columns = kept_columns[kept_indptr[i] : kept_indptr[i + 1]]
        best_scores = kept_scores[kept_indptr[i] : kept_indptr[i + 1]]
        best_bits = best_scores.view(np.int32)
        for j in range(n_kept):
            key = keys[n_kept - 1 - j]
            ordered = key >> 32
            best_columns[j] = 0xFFFFFFFF - (key & 0xFFFFFFFF)
            best_bits[j] = ordered if ordered >= 0 else (-ordered) | -0x80000000


# --- Sinkhorn ------------------------------------------------------------------------------------------


@_parallel
def potentials(
    indptr: I64, others: I32, logits: F64, other_potentials: F64, outside: F64, least: float, out: F64
) -> None:
    """out(i) = max(least, log( e^outside(i) + Σ_j e^(logits(j) − other_potentials(others(j))) )).

    A row with nothing in it gets max(least, 0) so that it stays defined.
    """
    for i in prange(len(indptr) - 1):
        top = outside[i]
        for j in range(indptr[i], indptr[i + 1]):
            top = max(top, logits[j] - other_potentials[others[j]])
        if top == -np.inf:
            out[i] = max(least, 0.0)
            continue
        total = np.exp(outside[i] - top)
        for j in range(indptr[i], indptr[i + 1]):
            total += np.exp(logits[j] - other_potentials[others[j]] - top)
        out[i] = max(least, top + np.log(total))


@_parallel
def scalings(
    indptr: I64, others: I32, weights: F64, other_scalings: F64, outside: F64, most: F64, out: F64
) -> None:
    """The same as `potentials`, by scalings e^−potential and weights e^logit where these are in range.

    out(i) = min(most(i), 1 / (outside(i) + Σ_j weights(j) · other_scalings(others(j)))).
    """
    for i in prange(len(indptr) - 1):
        total = outside[i]
        for j in range(indptr[i], indptr[i + 1]):
            total += weights[j] * other_scalings[others[j]]
        out[i] = min(most[i], 1.0 / total) if total > 0.0 else min(most[i], 1.0)


@_serial
def transpose_pattern(indptr: I64, columns: I32, n_columns: int) -> tuple[I64, I32, I64]:
    """The pattern by column: offsets, the row of each entry, and its position in the pattern by row."""
    offsets = np.zeros(n_columns + 1, np.int64)
    for j in range(len(columns)):
        offsets[columns[j] + 1] += 1
    for c in range(n_columns):
        offsets[c + 1] += offsets[c]
    free = offsets[:-1].copy()
    rows = np.empty(len(columns), np.int32)
    positions = np.empty(len(columns), np.int64)
    for i in range(len(indptr) - 1):
        for j in range(indptr[i], indptr[i + 1]):
            place = free[columns[j]]
            rows[place], positions[place] = i, j
            free[columns[j]] += 1
    return offsets, rows, positions
