"""The loops of `_name_kernels.py` in plain Python: same names, same arguments, to compare them with."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
I8 = NDArray[np.int8]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
Owned = tuple[I64, I64, I32, F32]
Dense = tuple[I64, I8, F32]

_ALL = 2**64 - 1


def _stirred(state: int, value: int) -> int:
    mixed = ((state ^ value) * 0x9E3779B97F4A7C15) & _ALL
    return mixed ^ (mixed >> 29)


def _hash(codes: list[int]) -> int:
    state = len(codes)
    for code in codes:
        state = _stirred(state, code)
    return state


def text_grams(codes: U32, classes: U8, mask: int, offsets: I64, out_grams: I32, out_counts: F32) -> int:
    """Names end at class 3, words at 0; of each word the grams of two and of three, itself, and its signs."""
    n_out, name = 0, 0
    words: list[list[tuple[int, int]]] = [[]]
    for code, kind in zip(codes.tolist(), classes.tolist(), strict=True):
        if kind in {1, 2}:
            words[-1].append((code, kind))
        elif kind == 0:
            words.append([])
        else:
            counted = Counter(gram & mask for word in words if word for gram in _grams_of(word))
            for gram in sorted(counted):
                out_grams[n_out], out_counts[n_out] = gram, counted[gram]
                n_out += 1
            name += 1
            offsets[name] = n_out
            words = [[]]
    return n_out


def _grams_of(word: list[tuple[int, int]]) -> list[int]:
    framed = [1, *(code for code, _ in word), 2]
    parts = [framed[low : low + size] for size in (2, 3) for low in range(len(framed) - size + 1)]
    whole = [framed] if len(framed) > 3 else []
    return [_hash(part) for part in parts + whole] + [_stirred(1, code) for code, kind in word if kind == 2]


def project_grams(owned: Owned, width: int, out: F32) -> None:
    """Each gram adds its weight, with a sign, to eight dimensions; both are hashed from it."""
    offsets, rows, grams, weights = owned
    out[:] = 0.0
    for h in range(len(offsets) - 1):
        for j in range(rows[offsets[h]], rows[offsets[h + 1]]):
            state = _stirred(3, int(grams[j]))
            for _ in range(8):
                state = _stirred(state, 5)
                out[h, (state >> 8) % width] += weights[j] if state & 1 else -weights[j]


def _matrix(owned: Owned, n_grams: int) -> NDArray[np.float64]:
    """The names as rows of a dense matrix."""
    _, rows, grams, weights = owned
    dense = np.zeros((len(rows) - 1, n_grams))
    dense[np.repeat(np.arange(len(rows) - 1), np.diff(rows)), grams] = weights
    return dense


def name_similarities(rows: I32, indptr: I64, ids: I32, left: Owned, right: Owned, out: F32) -> None:
    """The largest product of the names of each pair, at least 0."""
    n_grams = int(max(left[2].max(initial=-1), right[2].max(initial=-1))) + 1
    products = _matrix(left, n_grams) @ _matrix(right, n_grams).T
    _best_products(rows, indptr, ids, left[0], right[0], products, out)


def dense_similarities(rows: I32, indptr: I64, ids: I32, left: Dense, right: Dense, out: F32) -> None:
    """The largest cosine of the names of each pair, at least 0."""
    unit, other = (codes.astype(np.float64) * inverse[:, None] for _, codes, inverse in (left, right))
    _best_products(rows, indptr, ids, left[0], right[0], unit @ other.T, out)


def _best_products(
    rows: I32, indptr: I64, ids: I32, own: I64, other: I64, products: NDArray[np.float64], out: F32
) -> None:
    for i, h in enumerate(rows):
        for j in range(indptr[i], indptr[i + 1]):
            block = products[own[h] : own[h + 1], other[ids[j]] : other[ids[j] + 1]]
            out[j] = block.max(initial=0.0)


def nearest_names(
    rows: I32,
    left: Owned,
    lists: tuple[I64, I32, F32],
    owners: I32,
    allowed: NDArray[np.bool_],
    budget: int,
    n_best: int,
    out_counts: I64,
    out_ids: I32,
) -> None:
    """The best entities by the products over the rarest grams that the budget has room for."""
    offsets, gram_offsets, grams, weights = left
    list_offsets, names, name_weights = lists
    for i, h in enumerate(rows):
        best: dict[int, np.float32] = {}
        for a in range(offsets[h], offsets[h + 1]):
            sums: dict[int, np.float32] = {}
            spent = 0
            for j in range(gram_offsets[a], gram_offsets[a + 1]):
                first, last = list_offsets[grams[j]], list_offsets[grams[j] + 1]
                if spent and spent + last - first > budget:
                    break
                spent += last - first
                for k in range(first, last):
                    sums[names[k]] = sums.get(names[k], np.float32(0.0)) + weights[j] * name_weights[k]
            for name, total in sums.items():
                owner = int(owners[name])
                if allowed[owner]:
                    best[owner] = max(best.get(owner, np.float32(0.0)), total)
        kept = sorted(best, key=lambda owner: (-best[owner], owner))[:n_best]
        out_counts[i] = len(kept)
        out_ids[i * n_best : i * n_best + len(kept)] = kept
