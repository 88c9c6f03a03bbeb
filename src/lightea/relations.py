"""Relation agreement: how far a left and a right relation say the same, judged by matched entities.

    ρ(r, r') = C(r, r') / √((N(r) + c) · (N(r') + c))

N(r) is the weighted count of r-edges with both ends matched, C(r, r') of those whose counterparts are linked
by r'; the weight of an edge is the product of the match probabilities of its ends. c keeps a relation seen
once or twice from agreeing fully.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea import _evidence_kernels
from lightea.adjacency import Adjacency
from lightea.assignment import Matches
from lightea.graph import Ids


@dataclass(frozen=True, eq=False)
class RelationAgreement:
    """For each left relation r, inverses included, the right relations that agree with it.

    Those of r are `right[j]` with `agreement[j]` and `support[j]` = C(r, r') for j in
    `offsets[r]:offsets[r + 1]`, in order of the relation; relations are numbered as in `Adjacency`.
    """

    offsets: NDArray[np.int64]
    right: Ids
    agreement: NDArray[np.float32]
    support: NDArray[np.float32]


def relation_agreement(edges: Adjacency, matches: Matches, caution: float = 2.0) -> RelationAgreement:
    """ρ of all pairs of relations that link matched entities, with `caution` as c."""
    left, right, support = _together(edges, matches)
    mass = _matched_mass(edges, matches)
    agreement = support / np.sqrt((mass[left] + caution) * (mass[right] + caution))
    both = (np.concatenate([left, _inverse(left, edges)]), np.concatenate([right, _inverse(right, edges)]))
    order = np.lexsort(both[::-1])
    offsets = np.searchsorted(both[0][order], np.arange(edges.n_relations + 1))
    return RelationAgreement(
        offsets.astype(np.int64),
        both[1][order].astype(np.int32),
        np.tile(agreement, 2)[order].astype(np.float32),
        np.tile(support, 2)[order].astype(np.float32),
    )


def _together(edges: Adjacency, matches: Matches) -> tuple[NDArray[np.int64], ...]:
    """Each pair of relations that link matched entities (the left one forward), with its weight C."""
    partner, probability = matches.best_of_left()
    structure = (edges.n_left, edges.n_forward_relations, edges.offsets, edges.relations, edges.tails)
    nothing = (np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
    n_pairs = _evidence_kernels.agreeing_edges(*structure, partner, probability, *nothing)
    left, right, weight = np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32), np.empty(n_pairs)
    _evidence_kernels.agreeing_edges(*structure, partner, probability, left, right, weight)
    keys, pair = np.unique(left.astype(np.int64) * edges.n_relations + right, return_inverse=True)
    return keys // edges.n_relations, keys % edges.n_relations, np.bincount(pair, weight, len(keys))


def _matched_mass(edges: Adjacency, matches: Matches) -> NDArray[np.float64]:
    """N of every relation of both graphs."""
    mass = np.zeros(edges.n_relations)
    probability = np.concatenate([matches.best_of_left()[1], matches.best_of_right()[1]])
    _evidence_kernels.matched_mass(edges.offsets, edges.relations, edges.tails, probability, mass)
    return mass


def _inverse(relations: NDArray[np.int64], edges: Adjacency) -> NDArray[np.int64]:
    n_forward = edges.n_forward_relations
    return np.where(relations < n_forward, relations + n_forward, relations - n_forward)
