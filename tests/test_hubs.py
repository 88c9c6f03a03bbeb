"""A matched hub with very many facts on both sides: it proposes nobody, and still counts for candidates."""

from __future__ import annotations

import numpy as np
import pytest

from lightea.adjacency import Adjacency, adjacency
from lightea.assignment import Matches, believed
from lightea.evidence import HUB, Evidence, edge_weights, gather_evidence
from lightea.relations import RelationAgreement, relation_agreement
from small_graphs import graph_of

N = 100_000
"""Facts of the hub on each side; all pairs of them would be ten thousand million."""


def star(prefix: str, n: int = N) -> Adjacency:
    """Entities 1 … n have one fact each, which leads to entity 0; on both sides."""
    side = graph_of([(head, 0, 0) for head in range(1, n + 1)], n_entities=n + 1, prefix=prefix)
    return adjacency(side, side)


def beliefs(edges: Adjacency) -> tuple[Matches, RelationAgreement]:
    """The hubs are each other, and so are the first ten entities around them."""
    known = np.arange(11, dtype=np.int32)
    matches = believed(np.stack([known, known], axis=1), None, edges.n_left, edges.n_right)
    return matches, relation_agreement(edges, matches)


def gathered(edges: Adjacency, candidates_of_each: int) -> Evidence:
    """The evidence of everybody around the hub, each with the next few entities as candidates."""
    rows = np.arange(11, edges.n_left, dtype=np.int32)
    offsets = np.arange(len(rows) + 1, dtype=np.int64) * candidates_of_each
    ids = (1 + (rows[:, None] + np.arange(candidates_of_each)) % (edges.n_right - 1)).astype(np.int32)
    matches, agreement = beliefs(edges)
    return gather_evidence(
        edges,
        edge_weights(edges),
        matches,
        agreement,
        rows,
        (offsets, np.ascontiguousarray(ids.ravel())),
        np.ones(edges.n_right, np.bool_),
    )


def test_a_hub_of_a_hundred_thousand_facts_proposes_nobody() -> None:
    """Nor is every pair of its facts looked at, or this would take minutes."""
    found = gathered(star("hub"), 0)
    assert len(found.ids) == 0


def test_candidates_that_are_there_are_scored_by_the_hub() -> None:
    edges = star("hub")
    found = gathered(edges, 3)
    assert len(found.ids) == 3 * (N - 10)
    matches, agreement = beliefs(edges)
    assert matches.probability[0] == 1.0
    # P · ρ · n^-¼ · n^-¼ for everybody alike
    expected = agreement.agreement[0] * N**-0.5
    assert found.values == pytest.approx(np.full(len(found.ids), expected, np.float32), rel=1e-4)


@pytest.mark.parametrize(("n", "proposed"), [(HUB, 30), (HUB + 1, 0)])
def test_the_cap_is_the_number_of_entities_that_share_relation_and_tail(n: int, proposed: int) -> None:
    found = gathered(star("hub", n), 0)
    assert np.diff(found.indptr).tolist() == [proposed] * (n - 10)
