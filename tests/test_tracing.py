"""Tracing with one-hot labels, against propagation of such labels over whole graphs in full precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense import dense, one_round, unit, views
from lightea import tracing
from lightea.adjacency import adjacency
from lightea.graph import Ids, KnowledgeGraph
from lightea.labels import seed_labels
from lightea.propagation import propagate
from lightea.tracing import SharedLabels, one_hot, trace
from small_graphs import graph_of, graphs, random_graph


def whole(left: KnowledgeGraph, right: KnowledgeGraph, pairs: Ids) -> list[np.ndarray]:
    """The labels of all entities after 0, 1 and 2 hops, dense and in full precision."""
    n_relations = 2 * (left.n_relations + right.n_relations)
    first = np.zeros((left.n_entities + right.n_entities, max(len(pairs), 1)))
    for number, (one, other) in enumerate(pairs.tolist()):
        first[one, number] = first[left.n_entities + other, number] = 1.0
    rounds, relations = [unit(first)], np.zeros((n_relations, first.shape[1]))
    for _ in range(2):
        entities, relations = (unit(sums) for sums in one_round(views(left, right), rounds[-1], relations))
        rounds.append(entities)
    return rounds


def traced(
    left: KnowledgeGraph, right: KnowledgeGraph, pairs: Ids, i: int, j: int
) -> tuple[SharedLabels, ...]:
    return trace(one_hot(adjacency(left, right), pairs), i, j, 2)


@settings(deadline=None, max_examples=60)
@given(graphs(prefix="l", least_facts=1), graphs(prefix="r", least_facts=1), st.data())
def test_it_is_propagation_with_one_dimension_for_each_seed(
    left: KnowledgeGraph, right: KnowledgeGraph, data: st.DataObject
) -> None:
    some = st.tuples(st.integers(0, left.n_entities - 1), st.integers(0, right.n_entities - 1))
    pairs = np.array(sorted(data.draw(st.sets(some, max_size=5))), np.int32).reshape(-1, 2)
    expected_rounds = whole(left, right, pairs)
    for i in range(left.n_entities):
        for j in range(right.n_entities):
            for hop in traced(left, right, pairs, i, j):
                ours, theirs = expected_rounds[hop.hop][i], expected_rounds[hop.hop][left.n_entities + j]
                expected = np.zeros_like(ours)
                expected[hop.seeds] = hop.products
                np.testing.assert_allclose(expected, ours * theirs, atol=1e-12)
                np.testing.assert_allclose(ours[hop.seeds], hop.left, atol=1e-12)
                np.testing.assert_allclose(theirs[hop.seeds], hop.right, atol=1e-12)
                assert hop.cosine == pytest.approx(float(ours @ theirs), abs=1e-12)
                assert hop.left_out == 0
                assert np.all(np.diff(hop.products) <= 0)


def test_random_labels_share_what_tracing_says() -> None:
    """The cosine of two labels estimates the sum of the products that tracing itemises."""
    rng = np.random.default_rng(0)
    left, right = (random_graph(rng, 25, n_entities=10, n_relations=3) for _ in range(2))
    pairs, edges = np.array([[0, 0], [3, 4], [7, 7], [8, 2]], np.int32), adjacency(left, right)
    rounds = propagate(edges, seed_labels(pairs, 10, 20, 16_384, rng), 2).entities
    for number, labels in enumerate(rounds):
        sketched = unit(dense(labels))[:10] @ unit(dense(labels))[10:].T
        exact = [[traced(left, right, pairs, i, j)[number].cosine for j in range(10)] for i in range(10)]
        np.testing.assert_allclose(sketched, exact, atol=0.04)


def test_what_is_too_large_is_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # entity 0 leads to a hub (1) and to a quiet entity (2); each has a labelled neighbour of its own
    facts = [(0, 0, 1), (0, 0, 2), (2, 0, 3), *((1, 0, number) for number in range(4, 12))]
    graph = graph_of(facts, n_entities=12)
    pairs = np.array([[3, 3], [4, 4]], np.int32)
    assert traced(graph, graph, pairs, 0, 0)[2].left_out == 0
    monkeypatch.setattr(tracing, "BUDGET", 5)
    capped = traced(graph, graph, pairs, 0, 0)[2]
    assert capped.left_out == 2  # the hub, on both sides
    # over the hub nothing comes; the relation that leads to the entity still knows both seeds
    assert capped.seeds.tolist() == [0, 1]
    assert capped.products[0] > capped.products[1]


def test_more_hops_than_two_are_not_traced() -> None:
    graph = graph_of([(0, 0, 1)], n_entities=2)
    labels = one_hot(adjacency(graph, graph), np.array([[1, 1]], np.int32))
    assert [hop.hop for hop in trace(labels, 0, 0, 7)] == [0, 1, 2]
    assert [hop.hop for hop in trace(labels, 0, 0, 1)] == [0, 1]
