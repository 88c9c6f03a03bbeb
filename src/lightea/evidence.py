"""Evidence that two entities are the same: the pairs of facts that speak for it, added up exactly.

    E(h, h') = Σ over (h, r, t), (h', r', t') of  P(t, t') · ρ(r, r') · w(r, t) · w(r', t')

P(t, t') is the probability that the neighbours are the same, ρ the agreement of the relations, and
w(r, t) = (number of heads sharing (r, t))^-¼: a fact that singles an entity out says more. Each term can be
read by a person, and their sum is the evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea import _evidence_kernels
from lightea.adjacency import Adjacency
from lightea.assignment import Matches
from lightea.graph import Ids
from lightea.relations import RelationAgreement

HUB = 300
"""More entities sharing a relation and a tail are not proposed to each other; they are still scored."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Evidence of candidate pairs: that of `left[i]` and `ids[j]` is `values[j]`.

    j is in `indptr[i]:indptr[i + 1]`.
    """

    left: Ids
    indptr: NDArray[np.int64]
    ids: Ids
    values: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What one round of evidence went by: with the edges, all that is needed to add up any pair again."""

    edges: Adjacency
    weights: NDArray[np.float32]
    """w(r, t) of every edge."""
    matches: Matches
    """P(t, t')."""
    agreement: RelationAgreement
    """ρ(r, r')."""
    cosine_weight: float
    """What the mean cosine of the sketches counts in a score beside the evidence."""
    name_weight: float = 0.0
    """What the similarity of the names counts."""


def edge_weights(edges: Adjacency) -> NDArray[np.float32]:
    """w(r, t) of every edge."""
    sharing = np.empty(len(edges.relations), np.int32)
    _evidence_kernels.heads_sharing(
        edges.offsets, edges.relations, edges.tails, edges.n_forward_relations, sharing
    )
    return sharing.astype(np.float32) ** np.float32(-0.25)


def gather_evidence(
    edges: Adjacency,
    weights: NDArray[np.float32],
    matches: Matches,
    agreement: RelationAgreement,
    rows: Ids,
    known: tuple[NDArray[np.int64], Ids],
    allowed: NDArray[np.bool_],
    *,
    n_new: int = 30,
    hub: int = HUB,
) -> Evidence:
    """The evidence of the left entities `rows` for their known candidates and for the best that it finds.

    `known` is CSR (offsets, right entities), `allowed` says which right entities may be an answer.
    """
    known_offsets, known_ids = known
    room = len(known_ids) + len(rows) * n_new
    counts, ids, values = np.zeros(len(rows), np.int64), np.empty(room, np.int32), np.empty(room, np.float32)
    _evidence_kernels.push_evidence(
        rows,
        edges.n_left,
        edges.n_forward_relations,
        (edges.offsets, edges.relations, edges.tails),
        weights,
        (matches.offsets, matches.right, matches.probability),
        (agreement.offsets, agreement.right, agreement.agreement),
        known_offsets,
        known_ids,
        allowed,
        hub,
        n_new,
        counts,
        ids,
        values,
    )
    starts = known_offsets[:-1] + np.arange(len(rows)) * n_new
    indptr = np.concatenate([[0], np.cumsum(counts)])
    filled = np.repeat(starts - indptr[:-1], counts) + np.arange(indptr[-1])
    return Evidence(rows, indptr, ids[filled], values[filled])


def evidence_score(evidence: NDArray[np.float32]) -> NDArray[np.float32]:
    """log(1 + 30·E) / 3: the first facts count most, and scores stay in the range of cosines."""
    score: NDArray[np.float32] = np.log1p(np.float32(30.0) * evidence) / np.float32(3.0)
    return score
