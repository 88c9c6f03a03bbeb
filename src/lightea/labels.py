"""Random labels: each pre-aligned pair gets a unit vector of its own, nearly orthogonal to all others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.graph import Ids

F32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Labels:
    """The label of entity i is `table[place[i]]`, or zero where `place[i]` is negative.

    Few entities have a label at first, so zeros are not stored.
    """

    table: F32
    place: Ids


def draw_labels(n_pairs: int, width: int, generator: np.random.Generator) -> F32:
    """One random unit vector of `width` dimensions for each pair; inner products are ~ 1/√width."""
    labels = generator.standard_normal((n_pairs, width), dtype=np.float32)
    labels /= np.linalg.norm(labels, axis=1, keepdims=True)
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
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return Labels(np.concatenate([table, sums]), place)
