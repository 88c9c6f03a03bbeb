"""Evidence against its own formula, and against a sum worked out by hand."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lightea import _evidence_kernels, _plain_evidence
from lightea.adjacency import Adjacency, adjacency
from lightea.assignment import Matches, believed
from lightea.evidence import edge_weights, evidence_score, gather_evidence
from lightea.graph_builder import graph_from_names
from lightea.relations import RelationAgreement, relation_agreement

KERNELS = ["heads_sharing", "push_evidence", "agreeing_edges", "matched_mass"]


def joined(left: list[tuple[str, str, str]], right: list[tuple[str, str, str]]) -> Adjacency:
    graphs = [
        graph_from_names(*(list(column) for column in zip(*facts, strict=True)), more_entities=list("abcde"))
        for facts in (left, right)
    ]
    return adjacency(*graphs)


def known_as_nobody(n_rows: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    return np.zeros(n_rows + 1, np.int64), np.zeros(0, np.int32)


@pytest.mark.parametrize("name", KERNELS)
def test_each_kernel_has_a_twin_with_the_same_arguments(name: str) -> None:
    compiled = inspect.signature(getattr(_evidence_kernels, name).py_func)
    assert list(compiled.parameters) == list(inspect.signature(getattr(_plain_evidence, name)).parameters)


def test_a_sum_worked_out_by_hand() -> None:
    # a and b share (r, c) on both sides, c is known to be c
    edges = joined([("a", "r", "c"), ("b", "r", "c")], [("a", "s", "c"), ("b", "s", "c")])
    seeds = np.array([[2, 2]], np.int32)
    agreement = RelationAgreement(
        np.array([0, 1, 1, 2, 2], np.int64),
        np.array([1, 3], np.int32),
        np.array([0.5, 0.5], np.float32),
        np.ones(2, np.float32),
    )
    found = gather_evidence(
        edges,
        edge_weights(edges),
        believed(seeds, None, 5, 5),
        agreement,
        np.array([0], np.int32),
        known_as_nobody(1),
        np.ones(5, np.bool_),
    )
    assert found.ids.tolist() == [0, 1]
    # 1 · ½ · 2^-¼ · 2^-¼ for each
    assert found.values == pytest.approx([0.5 * 2**-0.5] * 2)


facts = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("rst"), st.sampled_from("abcde")),
    min_size=1,
    max_size=14,
)
pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4, unique=True)


@settings(max_examples=100, deadline=None)
@given(facts, facts, pairs, pairs, st.integers(0, 3), st.integers(0, 4), st.data())
def test_evidence_is_the_sum_that_its_formula_says(
    left: list[tuple[str, str, str]],
    right: list[tuple[str, str, str]],
    seeds: list[tuple[int, int]],
    known: list[tuple[int, int]],
    hub: int,
    n_new: int,
    data: st.DataObject,
) -> None:
    edges = joined(left, right)
    matches = believed(np.array(seeds, np.int32).reshape(-1, 2), None, 5, 5)
    agreement = relation_agreement(edges, matches)
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, 4), min_size=1))), np.int32)
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=5, max_size=5)), np.bool_)
    by_row = [sorted(other for row, other in known if row == h and allowed[other]) for h in rows.tolist()]
    offsets = np.concatenate([[0], np.cumsum([len(others) for others in by_row])]).astype(np.int64)
    ids = np.array([other for others in by_row for other in others], np.int32)
    results = []
    for module in (_evidence_kernels, _plain_evidence):
        room = len(ids) + len(rows) * n_new
        counts, found, values = (
            np.zeros(len(rows), np.int64),
            np.zeros(room, np.int32),
            np.zeros(room, np.float32),
        )
        module.push_evidence(
            rows,
            edges.n_left,
            edges.n_forward_relations,
            (edges.offsets, edges.relations, edges.tails),
            edge_weights(edges),
            (matches.offsets, matches.right, matches.probability),
            (agreement.offsets, agreement.right, agreement.agreement),
            offsets,
            ids,
            allowed,
            hub,
            n_new,
            counts,
            found,
            values,
        )
        results.append((counts, found, values))
    compiled, plain = results
    np.testing.assert_array_equal(compiled[0], plain[0])
    np.testing.assert_allclose(compiled[2], plain[2], rtol=1e-4)


@settings(max_examples=50, deadline=None)
@given(facts, facts)
def test_heads_that_share_a_fact_are_counted(
    left: list[tuple[str, str, str]], right: list[tuple[str, str, str]]
) -> None:
    edges = joined(left, right)
    compiled, plain = np.zeros(len(edges.tails), np.int32), np.zeros(len(edges.tails), np.int32)
    structure = (edges.offsets, edges.relations, edges.tails, edges.n_forward_relations)
    _evidence_kernels.heads_sharing(*structure, compiled)
    _plain_evidence.heads_sharing(*structure, plain)
    np.testing.assert_array_equal(compiled, plain)


def test_a_matched_hub_proposes_nobody_but_still_counts() -> None:
    facts_of_hub = [(head, "r", "e") for head in "abcd"]
    edges = joined(facts_of_hub, facts_of_hub)
    matches: Matches = believed(np.array([[4, 4], [3, 3]], np.int32), None, 5, 5)
    agreement = relation_agreement(edges, matches)
    rows, allowed = np.array([0], np.int32), np.ones(5, np.bool_)
    alone = gather_evidence(
        edges, edge_weights(edges), matches, agreement, rows, known_as_nobody(1), allowed, hub=3
    )
    assert len(alone.ids) == 0
    proposed = (np.array([0, 1], np.int64), np.array([2], np.int32))
    kept = gather_evidence(edges, edge_weights(edges), matches, agreement, rows, proposed, allowed, hub=3)
    assert kept.ids.tolist() == [2]
    assert kept.values[0] > 0


def test_the_score_grows_with_evidence_and_starts_at_zero() -> None:
    scores = evidence_score(np.array([0.0, 0.1, 1.0, 10.0], np.float32))
    assert scores[0] == 0.0
    assert np.all(np.diff(scores) > 0)
