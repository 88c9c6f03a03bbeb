"""Relation agreement against a naive count over all pairs of facts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea.adjacency import adjacency
from lightea.assignment import Matches
from lightea.graph import KnowledgeGraph
from lightea.graph_builder import graph_from_names
from lightea.relations import relation_agreement


def graph(facts: list[tuple[str, str, str]], entities: list[str]) -> KnowledgeGraph:
    heads, relations, tails = (list(column) for column in zip(*facts, strict=True))
    return graph_from_names(heads, relations, tails, more_entities=entities)


def matches_of(pairs: dict[int, tuple[int, float]], n_left: int, n_right: int) -> Matches:
    counts = [1 if i in pairs else 0 for i in range(n_left)]
    present = [pairs[i] for i in range(n_left) if i in pairs]
    return Matches(
        n_right,
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.array([right for right, _ in present], np.int32),
        np.array([probability for _, probability in present], np.float32),
    )


def test_relations_that_link_the_same_pairs_agree() -> None:
    left = graph([("a", "r", "b"), ("c", "r", "d")], [])
    right = graph([("A", "s", "B"), ("C", "s", "D")], [])
    edges = adjacency(left, right)
    everybody = matches_of({i: (i, 1.0) for i in range(4)}, 4, 4)
    found = relation_agreement(edges, everybody, caution=2.0)
    # C = 2, N = N' = 2: 2 / sqrt(4 · 4); forward relations are 0 and 1, their inverses 2 and 3
    assert found.offsets.tolist() == [0, 1, 1, 2, 2]
    assert found.right.tolist() == [1, 3]
    assert found.agreement == pytest.approx([0.5, 0.5])
    assert found.support == pytest.approx([2.0, 2.0])


def test_a_relation_agrees_with_the_inverse_that_says_the_same() -> None:
    left = graph([("a", "wrote", "b")], [])
    right = graph([("B", "writtenBy", "A")], [])
    edges = adjacency(left, right)
    found = relation_agreement(edges, matches_of({0: (0, 1.0), 1: (1, 1.0)}, 2, 2))
    written_by_inverse = 1 + edges.n_forward_relations
    assert found.right[found.offsets[0] : found.offsets[1]].tolist() == [written_by_inverse]


def test_without_matches_nothing_agrees() -> None:
    edges = adjacency(graph([("a", "r", "b")], []), graph([("A", "s", "B")], []))
    found = relation_agreement(edges, matches_of({}, 2, 2))
    assert len(found.right) == 0
    assert found.offsets.tolist() == [0] * (edges.n_relations + 1)


facts = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("rst"), st.sampled_from("abcde")),
    min_size=1,
    max_size=12,
)


@settings(max_examples=50, deadline=None)
@given(facts, facts, st.dictionaries(st.integers(0, 4), st.floats(0.125, 1.0, width=32), max_size=5))
def test_agreement_is_what_counting_pairs_of_facts_gives(
    left_facts: list[tuple[str, str, str]],
    right_facts: list[tuple[str, str, str]],
    chances: dict[int, float],
) -> None:
    left, right = graph(left_facts, list("abcde")), graph(right_facts, list("abcde"))
    edges = adjacency(left, right)
    found = relation_agreement(edges, matches_of({i: (i, p) for i, p in chances.items()}, 5, 5), caution=1.5)
    by_pair = {
        (r, int(found.right[j])): (float(found.agreement[j]), float(found.support[j]))
        for r in range(edges.n_relations)
        for j in range(found.offsets[r], found.offsets[r + 1])
    }
    assert by_pair.keys() == _naive(left, right, chances, edges.n_forward_relations).keys()
    for pair, expected in _naive(left, right, chances, edges.n_forward_relations).items():
        assert by_pair[pair] == pytest.approx(expected, rel=1e-4)


def _naive(
    left: KnowledgeGraph, right: KnowledgeGraph, chances: dict[int, float], n_forward: int
) -> dict[tuple[int, int], tuple[float, float]]:
    """Entity i of the left graph is entity i of the right one."""
    doubled = []
    for graph_, shift in ((left, 0), (right, left.n_relations)):
        triples = list(
            zip(graph_.heads.tolist(), graph_.relation_ids.tolist(), graph_.tails.tolist(), strict=True)
        )
        doubled.append(
            {(h, r + shift, t) for h, r, t in triples}
            | {(t, r + shift + n_forward, h) for h, r, t in triples}
        )
    weight = {(h, t): chances.get(h, 0.0) * chances.get(t, 0.0) for h in range(5) for t in range(5)}
    mass = {r: sum(weight[h, t] for h, q, t in edges if q == r) for edges in doubled for _, r, _ in edges}
    together: dict[tuple[int, int], float] = {}
    for h, r, t in doubled[0]:
        for h2, r2, t2 in doubled[1]:
            if (h, t) == (h2, t2) and weight[h, t] > 0:
                together[r, r2] = together.get((r, r2), 0.0) + weight[h, t]
    return {(r, q): (c / np.sqrt((mass[r] + 1.5) * (mass[q] + 1.5)), c) for (r, q), c in together.items()}
