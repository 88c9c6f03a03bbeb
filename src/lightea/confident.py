"""Pairs of an assignment to be sure of: what is reported as links, and what becomes labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lightea.assignment import Assignment
from lightea.graph import Ids
from lightea.seeds import sorted_pairs

F32 = NDArray[np.float32]


def with_confident_pairs(seeds: Ids, assignment: Assignment, least: float) -> Ids:
    """The seeds, and the confident pairs of entities that are in none of them."""
    left_ids, right_ids, _ = confident_pairs(assignment, least)
    free = ~(np.isin(left_ids, seeds[:, 0]) | np.isin(right_ids, seeds[:, 1]))
    return sorted_pairs(np.concatenate([seeds, np.stack([left_ids, right_ids], axis=1)[free]]))


def confident_pairs(assignment: Assignment, least: float) -> tuple[Ids, Ids, F32]:
    """Pairs of at least this probability that are each other's best: left, right, probability, by left.

    One-to-one. Where two partners are equally probable neither is taken: that would be tossing a coin.
    """
    candidates, probability = assignment.candidates, assignment.probabilities
    kept = np.flatnonzero((probability >= np.float32(least)) & (probability > 0))
    rows, columns, chance = candidates.rows[kept], candidates.columns[kept], probability[kept]
    both = np.flatnonzero(is_single_best(rows, chance) & is_single_best(columns, chance))
    both = both[np.argsort(rows[both], kind="stable")]
    return candidates.left[rows[both]], candidates.right[columns[both]], chance[both]


def is_single_best(keys: NDArray[np.integer], values: F32) -> NDArray[np.bool_]:
    """Whether a value is larger than all others with the same key."""
    n_keys = int(keys.max(initial=-1)) + 1
    best = np.zeros(n_keys, np.float32)
    np.maximum.at(best, keys, values)
    is_best = values == best[keys]
    is_single: NDArray[np.bool_] = is_best & (np.bincount(keys[is_best], minlength=n_keys)[keys] == 1)
    return is_single
