"""Doubled edges of two joined graphs against a naive computation with Python sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from lightea.adjacency import Adjacency, adjacency
from lightea.graph import KnowledgeGraph
from small_graphs import Fact, facts_of, graph_of, graphs

quick = settings(deadline=None, max_examples=100)


def naive_edges(left: KnowledgeGraph, right: KnowledgeGraph) -> set[Fact]:
    """The facts of both graphs with joined numbers, and the inverse of each."""
    moved = {(h + left.n_entities, r + left.n_relations, t + left.n_entities) for h, r, t in facts_of(right)}
    joined, m = set(facts_of(left)) | moved, left.n_relations + right.n_relations
    return joined | {(t, r + m, h) for h, r, t in joined}


def listed(edges: Adjacency) -> list[Fact]:
    """The edges in the order in which they are stored."""
    heads = np.repeat(np.arange(edges.n_entities), np.diff(edges.offsets))
    return list(zip(heads.tolist(), edges.relations.tolist(), edges.tails.tolist(), strict=True))


def inverse(edge: Fact, m: int) -> Fact:
    head, relation, tail = edge
    return tail, relation + m if relation < m else relation - m, head


@quick
@given(left=graphs(), right=graphs())
def test_edges_are_the_facts_of_both_graphs_and_their_inverses(
    left: KnowledgeGraph, right: KnowledgeGraph
) -> None:
    edges = listed(adjacency(left, right))
    assert set(edges) == naive_edges(left, right)
    assert len(edges) == 2 * (left.n_triples + right.n_triples)


@quick
@given(left=graphs(), right=graphs())
def test_edges_are_in_order_of_head_relation_tail(left: KnowledgeGraph, right: KnowledgeGraph) -> None:
    edges = listed(adjacency(left, right))
    assert edges == sorted(edges)


@quick
@given(left=graphs(), right=graphs())
def test_every_edge_has_its_inverse_and_that_one_leads_back(
    left: KnowledgeGraph, right: KnowledgeGraph
) -> None:
    joined = adjacency(left, right)
    edges, m = set(listed(joined)), joined.n_forward_relations
    assert {inverse(edge, m) for edge in edges} == edges
    assert all(inverse(inverse(edge, m), m) == edge for edge in edges)


@quick
@given(left=graphs(), right=graphs())
def test_the_two_graphs_share_nothing(left: KnowledgeGraph, right: KnowledgeGraph) -> None:
    joined = adjacency(left, right)
    for head, relation, tail in listed(joined):
        is_left = head < left.n_entities
        assert is_left == (tail < left.n_entities)
        assert is_left == (relation % joined.n_forward_relations < left.n_relations)


@quick
@given(left=graphs(), right=graphs())
def test_each_relation_lists_its_heads_once_and_in_order(left: KnowledgeGraph, right: KnowledgeGraph) -> None:
    joined = adjacency(left, right)
    for relation in range(joined.n_relations):
        low, high = joined.relation_offsets[relation : relation + 2]
        expected = sorted({head for head, r, _ in listed(joined) if r == relation})
        assert joined.relation_heads[low:high].tolist() == expected


@quick
@given(left=graphs(), right=graphs())
def test_sizes_and_types(left: KnowledgeGraph, right: KnowledgeGraph) -> None:
    joined = adjacency(left, right)
    assert joined.n_entities == left.n_entities + right.n_entities == len(joined.offsets) - 1
    assert joined.n_relations == 2 * (left.n_relations + right.n_relations)
    assert joined.n_relations == len(joined.relation_offsets) - 1
    assert joined.relations.dtype == joined.tails.dtype == joined.relation_heads.dtype == np.int32
    assert joined.offsets.dtype == joined.relation_offsets.dtype == np.int64


def test_a_loop_is_two_edges_and_stands_once_among_the_heads() -> None:
    """Relation 0 of the left graph, 1 of the right one; 2 and 3 are their inverses."""
    loop = graph_of([(0, 0, 0)], n_entities=1)
    other = graph_of([(0, 0, 1)], n_entities=2)
    joined = adjacency(loop, other)
    assert listed(joined) == [(0, 0, 0), (0, 2, 0), (1, 1, 2), (2, 3, 1)]
    assert joined.relation_heads.tolist() == [0, 1, 0, 2]


def test_graphs_stay_as_they_were() -> None:
    graph = graph_of([(0, 0, 1), (1, 0, 2)], n_entities=3)
    before = facts_of(graph)
    adjacency(graph, graph)
    assert facts_of(graph) == before
