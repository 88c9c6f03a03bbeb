"""Random labels: each pre-aligned pair gets a unit vector of its own, nearly orthogonal to all others.

Labels are kept in whole numbers (see `codes.py`), so all have the length that stands for one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.codes import SPREAD, quantise
from lightea.graph import Ids

I8 = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Labels:
    """The label of entity i is `table[place[i]]`, or zero where `place[i]` is negative.

    Few entities have a label at first, so zeros are not stored.
    """

    table: I8
    place: Ids


def draw_labels(n_pairs: int, width: int, generator: np.random.Generator) -> I8:
    """One random vector for each pair, of signs: all of one length, with cosines ~ 1/√width."""
    n_bytes = -(-width // 8)
    bits = np.unpackbits(generator.integers(0, 256, (n_pairs, n_bytes), np.uint8), axis=1)[:, :width]
    labels: I8 = (2 * bits.view(np.int8) - 1) * np.int8(SPREAD)
    return labels


def seed_labels(
    pairs: Ids, n_left: int, n_entities: int, width: int, generator: np.random.Generator
) -> Labels:
    """E(0): each pair's random label for both its entities (numbers of their own graphs).

    An entity that stands in several pairs gets the normalised sum of their labels.
    """
    table = draw_labels(len(pairs), width, generator)
    both_ends = np.concatenate([pairs[:, 0], pairs[:, 1] + np.int32(n_left)])
    pair_of_end = np.tile(np.arange(len(pairs), dtype=np.int32), 2)
    place = np.full(n_entities, -1, np.int32)
    place[both_ends] = pair_of_end
    repeated = np.flatnonzero(np.bincount(both_ends, minlength=n_entities) > 1)
    if len(repeated) == 0:
        return Labels(table, place)
    place[repeated] = len(table) + np.arange(len(repeated), dtype=np.int32)
    sums = np.zeros((len(repeated), width), np.float32)
    shared = place[both_ends] >= len(table)
    np.add.at(sums, place[both_ends[shared]] - len(table), table[pair_of_end[shared]])
    return Labels(np.concatenate([table, quantise(sums).values]), place)
