"""Compiled loops over names; the rules are those of `_kernels.py`, the twins stand in `_plain_names.py`.

A name is a stretch of character codes, each with a class: it ends the name, parts two words, is a letter, or
is a letter that is a word by itself (as in Chinese). Grams are hashed, and a name becomes a row of grams with
weights. Several names may belong to one entity; the similarity of two entities is that of their most similar
names.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lightea._kernels import F32, I8, I32, I64, _largest_last, _parallel, _serial, prange

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
Rows = tuple[I64, I32, F32]
"""Offsets by name, grams in rising order, weights."""
Owned = tuple[I64, I64, I32, F32]
"""Offsets of the names of each entity, and the rows of these names."""

APART, LETTER, WORD, END = 0, 1, 2, 3
"""Classes of characters."""
SIGNS = 8
"""Dimensions that a gram is spread over by a projection."""


@_serial
def _stirred(state: np.uint64, value: np.uint64) -> np.uint64:
    """One step of a multiplicative hash over whole numbers."""
    mixed = (state ^ value) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@_serial
def _hash(codes: U32, low: int, high: int) -> np.uint64:
    state = np.uint64(high - low)
    for i in range(low, high):
        state = _stirred(state, np.uint64(codes[i]))
    return state


@_serial
def text_grams(codes: U32, classes: U8, mask: int, offsets: I64, out_grams: I32, out_counts: F32) -> int:
    """Each name's distinct grams, in rising order, with how often each is in it; returns how many in all.

    Grams of a word: every two and every three neighbouring characters, its beginning and its end counting as
    characters, the word as a whole, and each character that is a word by itself.
    """
    word = np.empty(len(codes) + 2, np.uint32)
    found = np.empty(8 * len(codes) + 8, np.int64)
    n_found, n_out, name, i = 0, 0, 0, 0
    while i < len(codes):
        if classes[i] == END:
            grams = found[:n_found]
            grams.sort()
            for k in range(n_found):
                if k > 0 and grams[k] == grams[k - 1]:
                    out_counts[n_out - 1] += np.float32(1.0)
                else:
                    out_grams[n_out] = grams[k]
                    out_counts[n_out] = np.float32(1.0)
                    n_out += 1
            n_found = 0
            name += 1
            offsets[name] = n_out
            i += 1
        elif classes[i] == APART:
            i += 1
        else:
            word[0] = 1
            n = 1
            while classes[i] == LETTER or classes[i] == WORD:
                word[n] = codes[i]
                n += 1
                if classes[i] == WORD:
                    found[n_found] = np.int32(_stirred(np.uint64(1), np.uint64(codes[i])) & np.uint64(mask))
                    n_found += 1
                i += 1
            word[n] = 2
            n += 1
            for size in range(2, 4):
                for low in range(n - size + 1):
                    found[n_found] = np.int32(_hash(word, low, low + size) & np.uint64(mask))
                    n_found += 1
            if n > 3:  # a word of one character is its own gram of three
                found[n_found] = np.int32(_hash(word, 0, n) & np.uint64(mask))
                n_found += 1
    return n_out


@_parallel
def project_grams(owned: Owned, width: int, out: F32) -> None:
    """out(h) = Σ over the names of h, Σ over their grams g of weight · s(g), s(g) in `SIGNS` dimensions ±1.

    s(g) is hashed from g, so that products of sums are on average products of weights.
    """
    offsets, rows, grams, weights = owned
    for h in prange(len(offsets) - 1):
        out[h] = np.float32(0.0)
        for j in range(rows[offsets[h]], rows[offsets[h + 1]]):
            state = _stirred(np.uint64(3), np.uint64(grams[j]))
            for _ in range(SIGNS):
                state = _stirred(state, np.uint64(5))
                place = np.int64((state >> np.uint64(8)) % np.uint64(width))
                if state & np.uint64(1):
                    out[h, place] += weights[j]
                else:
                    out[h, place] -= weights[j]


@_serial
def _product(left: Rows, a: int, right: Rows, b: int) -> np.float32:
    """The inner product of two rows, whose grams are merged."""
    offsets, grams, weights = left
    other_offsets, other_grams, other_weights = right
    i, last = offsets[a], offsets[a + 1]
    j, other_last = other_offsets[b], other_offsets[b + 1]
    total = np.float32(0.0)
    while i < last and j < other_last:
        if grams[i] == other_grams[j]:
            total += weights[i] * other_weights[j]
            i += 1
            j += 1
        elif grams[i] < other_grams[j]:
            i += 1
        else:
            j += 1
    return total


@_parallel
def name_similarities(rows: I32, indptr: I64, ids: I32, left: Owned, right: Owned, out: F32) -> None:
    """out(j) = the largest product of a name of `rows[i]` with one of `ids[j]`, j in row i, or 0."""
    own, other = left[0], right[0]
    for i in prange(len(rows)):
        h = rows[i]
        for j in range(indptr[i], indptr[i + 1]):
            best = np.float32(0.0)
            for a in range(own[h], own[h + 1]):
                for b in range(other[ids[j]], other[ids[j] + 1]):
                    best = max(best, _product(left[1:], a, right[1:], b))
            out[j] = best


@_parallel
def nearest_names(  # noqa: PLR0912  (the loops share their working rows)
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
    """For each entity of `rows` the `n_best` others with the most similar names, best first.

    `lists` hold for each gram the names that have it, with its weight in them; `owners` says whose they are.
    Grams are numbered from rare to frequent. A name follows its rarest ones until their lists are longer than
    the budget, so the products are partial sums; frequent grams tell little, and no pair of entities is
    compared that has only these in common. Row i writes to `out_ids[i * n_best:]`.
    """
    offsets, gram_offsets, grams, weights = left
    list_offsets, names, name_weights = lists
    step = max(64, len(rows) // 64)
    for part in prange((len(rows) + step - 1) // step):
        of_name, of_entity = np.zeros(len(owners), np.float32), np.zeros(len(allowed), np.float32)
        met, met_entities = np.empty(len(owners), np.int32), np.empty(len(allowed), np.int32)
        for i in range(part * step, min((part + 1) * step, len(rows))):
            n_entities = 0
            for a in range(offsets[rows[i]], offsets[rows[i] + 1]):
                n_met, spent = 0, 0
                for j in range(gram_offsets[a], gram_offsets[a + 1]):
                    first, last = list_offsets[grams[j]], list_offsets[grams[j] + 1]
                    if spent > 0 and spent + last - first > budget:
                        break
                    spent += last - first
                    for k in range(first, last):
                        if of_name[names[k]] == 0.0:
                            met[n_met] = names[k]
                            n_met += 1
                        of_name[names[k]] += weights[j] * name_weights[k]
                for k in range(n_met):
                    owner = owners[met[k]]
                    if allowed[owner]:
                        if of_entity[owner] == 0.0:
                            met_entities[n_entities] = owner
                            n_entities += 1
                        of_entity[owner] = max(of_entity[owner], of_name[met[k]])
                    of_name[met[k]] = np.float32(0.0)
            keys = np.empty(n_entities, np.int64)
            for k in range(n_entities):
                # products are positive, so their bits are ordered like themselves
                bits = of_entity[met_entities[k] : met_entities[k] + 1].view(np.int32)[0]
                keys[k] = (np.int64(bits) << 32) + (0xFFFFFFFF - met_entities[k])
                of_entity[met_entities[k]] = np.float32(0.0)
            n_kept = min(n_best, n_entities)
            if n_kept < n_entities:
                _largest_last(keys, n_kept)
            best = keys[n_entities - n_kept :]
            best.sort()
            for k in range(n_kept):
                out_ids[i * n_best + k] = 0xFFFFFFFF - (best[n_kept - 1 - k] & 0xFFFFFFFF)
            out_counts[i] = n_kept


@_parallel
def dense_similarities(
    rows: I32,
    indptr: I64,
    ids: I32,
    left: tuple[I64, I8, F32],
    right: tuple[I64, I8, F32],
    out: F32,
) -> None:
    """The same as `name_similarities` for names in int8 codes with the inverse of their length."""
    own, codes, inverse = left
    other, other_codes, other_inverse = right
    width = codes.shape[1]
    for i in prange(len(rows)):
        h = rows[i]
        for j in range(indptr[i], indptr[i + 1]):
            best = np.float32(0.0)
            for a in range(own[h], own[h + 1]):
                for b in range(other[ids[j]], other[ids[j] + 1]):
                    total = np.int32(0)
                    for c in range(width):
                        total = np.int32(total + np.int32(codes[a, c]) * np.int32(other_codes[b, c]))
                    best = max(best, np.float32(total) * inverse[a] * other_inverse[b])
            out[j] = best
