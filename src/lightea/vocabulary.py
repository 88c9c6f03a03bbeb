"""Numbers for names, given out while the names stream by."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.errors import InputError

Ids = NDArray[np.int32]
Hashes = NDArray[np.uint64]
"""Two rows: each name has a first and a second hash of 64 bits."""

_EMPTY = -1
_SEEDS = (1, 2)


class Vocabulary:
    """Gives each distinct name a number, 0, 1, 2, … in no meaningful order.

    Names are told apart by 128 bits of hash and not compared as text: among a hundred million names, two are
    confused with a probability of 10⁻²³. In return a whole column is looked up at once, a lookup costs three
    memory accesses, and a name costs little more memory than its text.

    `_slots` is a hash table of numbers, with linear probing; `_hashes` holds the hashes of each number.
    """

    def __init__(self) -> None:
        self.size = 0
        self._names: list[pl.Series] = []
        self._hashes = np.empty((2, 1 << 10), dtype=np.uint64)
        self._slots = np.full(1 << 12, _EMPTY, dtype=np.int32)

    def encode(self, names: pl.Series) -> Ids:
        """The number of each name; new names get new numbers."""
        if names.null_count():
            raise InputError("a fact lacks a name", hint="give every fact a head, a relation and a tail")
        hashes = np.stack([names.hash(seed=seed).to_numpy() for seed in _SEEDS])
        numbers = self._find(hashes)
        # One round adds all new names, unless two of them share the first half of their hash.
        while len(rows := np.flatnonzero(numbers == _EMPTY)):
            added = rows[_distinct(hashes[0, rows])]
            # Without the empty text, the names would keep the whole block in memory that they came from.
            self._names.append(names.gather(added) + "")
            self._add(hashes[:, added])
            numbers[rows] = self._find(hashes[:, rows])
        return numbers

    def names(self) -> pl.Series:
        """The name of each number."""
        return pl.concat(self._names) if self._names else pl.Series([], dtype=pl.String)

    def _find(self, hashes: Hashes) -> Ids:
        """The numbers of hashes, `_EMPTY` for those not met yet."""
        last_slot = len(self._slots) - 1
        places = hashes[0].view(np.int64) & last_slot
        numbers: Ids = self._slots.take(places)
        rows = np.flatnonzero(self._hold_others(numbers, hashes))
        places = places[rows]
        while len(rows):
            places = (places + 1) & last_slot
            held = self._slots.take(places)
            numbers[rows] = held
            going_on = self._hold_others(held, hashes[:, rows])
            rows, places = rows[going_on], places[going_on]
        return numbers

    def _hold_others(self, numbers: Ids, hashes: Hashes) -> NDArray[np.bool_]:
        """Where a slot is taken by a name with another hash."""
        differs: NDArray[np.bool_] = self._hashes[0].take(numbers, mode="wrap") != hashes[0]
        differs |= self._hashes[1].take(numbers, mode="wrap") != hashes[1]
        differs &= numbers != _EMPTY
        return differs

    def _add(self, hashes: Hashes) -> None:
        """Give numbers to hashes that are new and different."""
        start, self.size = self.size, self.size + hashes.shape[1]
        if self.size > self._hashes.shape[1]:
            room = np.empty((2, max(self.size, 2 * start)), dtype=np.uint64)
            room[:, :start] = self._hashes[:, :start]
            self._hashes = room
        self._hashes[:, start : self.size] = hashes
        if 2 * self.size <= len(self._slots):
            self._fill_slots(start)
        else:
            self._slots = np.full(1 << (2 * self.size).bit_length(), _EMPTY, dtype=np.int32)
            self._fill_slots(0)

    def _fill_slots(self, start: int) -> None:
        """Put the numbers from `start` on into the table: all at once, those that collide one slot on."""
        last_slot = len(self._slots) - 1
        numbers = np.arange(start, self.size, dtype=np.int32)
        places = self._hashes[0, start : self.size].view(np.int64) & last_slot
        while len(numbers):
            is_free = self._slots.take(places) == _EMPTY
            self._slots[places[is_free]] = numbers[is_free]
            is_left = self._slots.take(places) != numbers
            numbers, places = numbers[is_left], (places[is_left] + 1) & last_slot


def _distinct(keys: Hashes) -> NDArray[np.int64]:
    """One position of each distinct key."""
    order = np.argsort(keys)
    ordered = keys[order]
    is_new = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return order[is_new]
