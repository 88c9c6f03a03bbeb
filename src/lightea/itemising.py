"""The evidence of one pair, term by term: the sum that `evidence.py` adds up, taken apart.

    E(h, h') = Σ over (h, r, t), (h', r', t') of  P(t, t') · ρ(r, r') · w(r, t) · w(r', t')

Each term is a fact of h beside a fact of h'. The facts are joined by their tails: from each edge of h over
the matches of its tail to the edges of h' with such a tail. That costs the number of facts of both, however
large the graphs are, and no more than a sort where both are hubs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.evidence import Beliefs
from lightea.relations import RelationAgreement

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Items:
    """The terms of one pair as columns, largest first; edges are numbered as in `Adjacency`."""

    left_edge: I64
    right_edge: I64
    probability: F64
    """P(t, t')."""
    agreement: F64
    """ρ(r, r')."""
    left_weight: F64
    """w(r, t)."""
    right_weight: F64
    """w(r', t')."""
    contribution: F64
    """The product of the four."""

    def __len__(self) -> int:
        return len(self.contribution)

    @property
    def evidence(self) -> float:
        """E: what the terms add up to."""
        return float(self.contribution.sum())


def no_items() -> Items:
    """The terms of a pair for which nothing speaks."""
    nothing, zero = np.empty(0, np.int64), np.empty(0)
    return Items(nothing, nothing, zero, zero, zero, zero, zero)


def itemise(beliefs: Beliefs, agreement_keys: I64, left: int, right: int) -> Items:
    """All terms of E(left, right); both are numbers of their own graphs.

    Sums are taken in double precision; the run takes them in single precision and in another order, so the
    two differ in the sixth digit, or in the fourth where hubs add up thousands of terms. `agreement_keys` is
    what `keys_of` makes of the agreement.
    """
    edges, matches = beliefs.edges, beliefs.matches
    right_edges = edges_of(edges, edges.n_left + right)
    edge, match = _believed_tails(beliefs, edges_of(edges, left), right_edges)
    item, right_edge = _joined(matches.right[match] + edges.n_left, edges.tails, right_edges)
    edge, match = edge[item], match[item]
    place = _places(agreement_keys, edges, edge, right_edge)
    agrees = place >= 0
    edge, match, right_edge, place = edge[agrees], match[agrees], right_edge[agrees], place[agrees]
    probability = matches.probability[match].astype(np.float64)
    rho = beliefs.agreement.agreement[place].astype(np.float64)
    weight, other_weight = (beliefs.weights[ends].astype(np.float64) for ends in (edge, right_edge))
    sizes = probability * rho * weight * other_weight
    by_size = np.argsort(-sizes, kind="stable")
    return Items(
        edge[by_size],
        right_edge[by_size],
        probability[by_size],
        rho[by_size],
        weight[by_size],
        other_weight[by_size],
        sizes[by_size],
    )


def keys_of(agreement: RelationAgreement, n_relations: int) -> I64:
    """The pairs of relations that agree as sorted numbers r · n + r'."""
    left = np.repeat(np.arange(n_relations), np.diff(agreement.offsets))
    keys: I64 = left * n_relations + agreement.right
    return keys


def edges_of(edges: Adjacency, entity: int) -> I64:
    """The edges of an entity of the joined graphs."""
    return np.arange(edges.offsets[entity], edges.offsets[entity + 1])


def stretches(starts: I64, counts: I64) -> tuple[I64, I64]:
    """All numbers of the stretches `starts[i]`, `starts[i] + 1`, … and which stretch each is of."""
    owner = np.repeat(np.arange(len(counts)), counts)
    first = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - first[owner] + starts[owner]


def _believed_tails(beliefs: Beliefs, left_edges: I64, right_edges: I64) -> tuple[I64, I64]:
    """Each left edge with each match of its tail, as far as that is a tail of a right edge."""
    edges, matches = beliefs.edges, beliefs.matches
    tails = edges.tails[left_edges]
    starts = matches.offsets[tails]
    owner, match = stretches(starts, matches.offsets[tails + 1] - starts)
    is_tail = np.zeros(edges.n_right, np.bool_)
    is_tail[edges.tails[right_edges] - edges.n_left] = True
    meets = is_tail[matches.right[match]]
    return left_edges[owner[meets]], match[meets]


def _joined(wanted: NDArray[np.int32], tails: NDArray[np.int32], right_edges: I64) -> tuple[I64, I64]:
    """Each wanted tail (by position) with each right edge that leads there."""
    by_tail = right_edges[np.argsort(tails[right_edges], kind="stable")]
    ordered = tails[by_tail]
    low, high = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    item, place = stretches(low, high - low)
    return item, by_tail[place]


def _places(keys: I64, edges: Adjacency, left_edges: I64, right_edges: I64) -> I64:
    """Where the agreement of the relations of two edges stands, -1 where they do not agree."""
    wanted = edges.relations[left_edges].astype(np.int64) * edges.n_relations + edges.relations[right_edges]
    place = np.searchsorted(keys, wanted)
    known = place < len(keys)
    known[known] = keys[place[known]] == wanted[known]
    return np.where(known, place, -1)
