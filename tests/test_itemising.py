"""The terms of a pair add up to its evidence: against a naive double loop, and against the run's own sum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea.adjacency import Adjacency, adjacency
from lightea.assignment import Matches
from lightea.evidence import Beliefs, edge_weights, gather_evidence
from lightea.graph import KnowledgeGraph
from lightea.itemising import Items, itemise, keys_of
from lightea.relations import relation_agreement
from small_graphs import graphs, random_graph


def matches_of(rng: np.random.Generator, n_left: int, n_right: int) -> Matches:
    """Up to three random partners for each left entity, the most probable first."""
    counts = rng.integers(0, min(3, n_right) + 1, n_left)
    partners = [rng.choice(n_right, count, replace=False) for count in counts]
    probabilities = [np.sort(rng.random(count))[::-1] for count in counts]
    return Matches(
        n_right,
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([*partners, []]).astype(np.int32),
        np.concatenate([*probabilities, []]).astype(np.float32),
    )


def beliefs_of(left: KnowledgeGraph, right: KnowledgeGraph, rng: np.random.Generator) -> Beliefs:
    edges = adjacency(left, right)
    matches = matches_of(rng, left.n_entities, right.n_entities)
    return Beliefs(edges, edge_weights(edges), matches, relation_agreement(edges, matches), 0.5)


def items_of(beliefs: Beliefs, left: int, right: int) -> Items:
    return itemise(beliefs, keys_of(beliefs.agreement, beliefs.edges.n_relations), left, right)


def naive_terms(beliefs: Beliefs, left: int, right: int) -> dict[tuple[int, int], float]:
    """The formula, read aloud: every edge of one beside every edge of the other."""
    edges, matches, agreement = beliefs.edges, beliefs.matches, beliefs.agreement
    terms = {}
    for j in range(*edges.offsets[left : left + 2]):
        for e in range(*edges.offsets[edges.n_left + right : edges.n_left + right + 2]):
            t, other = edges.tails[j], edges.tails[e] - edges.n_left
            believed = [p for p in range(*matches.offsets[t : t + 2]) if matches.right[p] == other]
            r = edges.relations[j]
            agreed = [
                p for p in range(*agreement.offsets[r : r + 2]) if agreement.right[p] == edges.relations[e]
            ]
            if believed and agreed:
                terms[j, e] = (
                    float(matches.probability[believed[0]])
                    * float(agreement.agreement[agreed[0]])
                    * float(heads(edges, j) ** -0.25)
                    * float(heads(edges, e) ** -0.25)
                )
    return terms


def heads(edges: Adjacency, edge: int) -> int:
    """How many entities have this edge's relation and tail."""
    same = (edges.relations == edges.relations[edge]) & (edges.tails == edges.tails[edge])
    return int(same.sum())


@settings(deadline=None, max_examples=60)
@given(graphs(prefix="l", least_facts=1), graphs(prefix="r", least_facts=1), st.integers(0, 2**32))
def test_terms_are_those_of_a_naive_double_loop(
    left: KnowledgeGraph, right: KnowledgeGraph, seed: int
) -> None:
    beliefs = beliefs_of(left, right, np.random.default_rng(seed))
    for h in range(left.n_entities):
        for other in range(right.n_entities):
            items, naive = items_of(beliefs, h, other), naive_terms(beliefs, h, other)
            keys = list(zip(items.left_edge.tolist(), items.right_edge.tolist(), strict=True))
            assert dict(zip(keys, items.contribution, strict=True)) == pytest.approx(naive, rel=1e-6)
            assert len(keys) == len(naive)
            assert np.all(np.diff(items.contribution) <= 0)
            assert items.evidence == pytest.approx(sum(naive.values()), rel=1e-6)


@settings(deadline=None, max_examples=60)
@given(graphs(prefix="l", least_facts=1), graphs(prefix="r", least_facts=1), st.integers(0, 2**32))
def test_terms_add_up_to_the_evidence_that_a_run_finds(
    left: KnowledgeGraph, right: KnowledgeGraph, seed: int
) -> None:
    check_sums(left, right, beliefs_of(left, right, np.random.default_rng(seed)))


def check_sums(left: KnowledgeGraph, right: KnowledgeGraph, beliefs: Beliefs) -> None:
    """Single precision in the run, double here: equal to five digits."""
    rows = np.arange(left.n_entities, dtype=np.int32)
    everybody = np.tile(np.arange(right.n_entities, dtype=np.int32), left.n_entities)
    found = gather_evidence(
        beliefs.edges,
        beliefs.weights,
        beliefs.matches,
        beliefs.agreement,
        rows,
        (np.arange(left.n_entities + 1) * right.n_entities, everybody),
        np.ones(right.n_entities, np.bool_),
    )
    sums = [items_of(beliefs, h, other).evidence for h in rows for other in range(right.n_entities)]
    np.testing.assert_allclose(sums, found.values, rtol=1e-5)


def test_the_sums_agree_on_graphs_with_parallel_edges_and_many_relations() -> None:
    rng = np.random.default_rng(5)
    left, right = (
        random_graph(rng, 400, n_entities=25, n_relations=6, prefix=prefix) for prefix in ("l", "r")
    )
    check_sums(left, right, beliefs_of(left, right, rng))


def test_two_entities_without_facts_have_no_terms() -> None:
    rng = np.random.default_rng(0)
    left, right = (random_graph(rng, 3, n_entities=50, prefix=prefix) for prefix in ("l", "r"))
    lonely = [np.setdiff1d(np.arange(50), [*graph.heads, *graph.tails])[0] for graph in (left, right)]
    assert len(items_of(beliefs_of(left, right, rng), *lonely)) == 0
