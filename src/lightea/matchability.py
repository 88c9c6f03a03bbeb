"""How likely an entity is to have a counterpart at all, judged by how many facts it has.

Where one graph knows more than the other, its little-known entities are mostly missing there. The seeds show
it: if they are a random sample of the true links, then among entities with d facts

    share of seeds(d) = α · P(counterpart | d),     α = share of the true links that are seeds.

α is the same for every d and for both sides, and no probability exceeds one: so the largest share seen,
less its uncertainty, is α. Numbers of facts are taken together by powers of two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.graph import Ids

F64 = NDArray[np.float64]

_CAUTION = 5.0
"""Entities with the average share of seeds that are added to each class, so that a few prove nothing."""
_STANDARD_ERRORS = 2.0
_LEAST = 0.02


@dataclass(frozen=True, eq=False)
class Matchability:
    """The chance of a counterpart for the searched entities of both sides, in their order."""

    left: F64
    right: F64


def matchability(edges: Adjacency, left: Ids, right: Ids, seeds: Ids) -> Matchability:
    """P(counterpart | number of facts) of the entities `left` and `right`, learnt from the seeds."""
    facts = np.diff(edges.offsets)
    sides = [
        (_classes(facts[: edges.n_left]), left, seeds[:, 0]),
        (_classes(facts[edges.n_left :]), right, seeds[:, 1]),
    ]
    shares = [_seed_share(*side) for side in sides]
    alpha = max(lower.max(initial=0.0) for _, lower in shares)
    if alpha <= 0.0:
        return Matchability(np.ones(len(left)), np.ones(len(right)))
    chances = (np.clip(share / alpha, _LEAST, 1.0) for share, _ in shares)
    of_left, of_right = (
        chance[classes[ids]] for chance, (classes, ids, _) in zip(chances, sides, strict=True)
    )
    return Matchability(of_left, of_right)


def staying_alone(chance: F64, no_match: float, temperature: float) -> F64:
    """The score of having no partner: `no_match`, and more where the odds are against a counterpart."""
    return no_match + temperature * np.maximum(0.0, np.log((1.0 - chance + 1e-12) / chance))


def _classes(facts: NDArray[np.integer]) -> NDArray[np.int64]:
    """The power of two that the number of facts lies under: 0 for none, 1 for one, 2 up to three."""
    classes: NDArray[np.int64] = np.ceil(np.log2(facts + 1.0)).astype(np.int64)
    return classes


def _seed_share(classes: NDArray[np.int64], searched: Ids, seeds: Ids) -> tuple[F64, F64]:
    """For each class the share of seeds among its entities that take part, and a lower bound of it."""
    n_classes = int(classes.max(initial=0)) + 1
    known = np.unique(seeds)
    n_seeds = np.bincount(classes[known], minlength=n_classes).astype(np.float64)
    n_all = np.bincount(classes[np.union1d(searched, known)], minlength=n_classes).astype(np.float64)
    average = n_seeds.sum() / max(n_all.sum(), 1.0)
    share = (n_seeds + _CAUTION * average) / (n_all + _CAUTION)
    error = np.sqrt(share * (1.0 - share) / (n_all + _CAUTION))
    return share, share - _STANDARD_ERRORS * error
