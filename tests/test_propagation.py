"""Propagation and the gated sketch against dense matrices built edge by edge.

Labels and sketches are whole numbers, so two things are tested: that each is its own formula, rounded; and
that roundings do not add up to another direction.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense import assert_rounded, dense, one_round, unit, views
from lightea import propagation
from lightea.adjacency import Adjacency, adjacency
from lightea.codes import SPREAD, Codes
from lightea.graph import KnowledgeGraph
from lightea.labels import Labels, draw_labels, seed_labels
from lightea.propagation import Propagated, edge_ends, gated_sketch, propagate
from small_graphs import graph_of, graphs, random_graph, reordered

quick = settings(deadline=None, max_examples=50)


# --- labels and sketches to test with ------------------------------------------------------------------


def some_labels(n: int, width: int, random_seed: int) -> Labels:
    """Every other entity or so has one of four labels."""
    rng = np.random.default_rng(random_seed)
    return Labels(draw_labels(4, width, rng), rng.integers(-4, 4, n).astype(np.int32))


def everybody(edges: Adjacency) -> np.ndarray:
    return np.arange(edges.n_entities, dtype=np.int32)


def whole_sketch(edges: Adjacency, labels: Propagated, rows: np.ndarray) -> Codes:
    ends = edge_ends(edges, labels, np.random.default_rng(1))
    return gated_sketch(edges, ends, rows, np.random.default_rng(2))


def products_of_surroundings(edges: Adjacency, labels: Propagated) -> np.ndarray:
    """Of all pairs of entities: ⟨Σ x(t) ⊗ w(r), Σ x(t') ⊗ w(r')⟩, with x and w the labels of all rounds."""
    x = np.concatenate([dense(entry) for entry in labels.entities], axis=1)
    w = np.concatenate([dense(entry) for entry in labels.relations], axis=1)
    of_edges = (x @ x.T)[np.ix_(edges.tails, edges.tails)] * (w @ w.T)[
        np.ix_(edges.relations, edges.relations)
    ]
    heads = np.repeat(np.arange(edges.n_entities), np.diff(edges.offsets))
    belongs = (heads == np.arange(edges.n_entities)[:, None]).astype(np.float64)
    products: np.ndarray = belongs @ of_edges @ belongs.T
    return products


# --- propagation ---------------------------------------------------------------------------------------


@quick
@given(left=graphs(), right=graphs(), random_seed=st.integers(0, 99), width=st.sampled_from([8, 65, 128]))
def test_each_round_is_the_dense_formula_rounded(
    left: KnowledgeGraph, right: KnowledgeGraph, random_seed: int, width: int
) -> None:
    edges = adjacency(left, right)
    found = propagate(edges, some_labels(edges.n_entities, width, random_seed), 3)
    relations = [np.zeros((edges.n_relations, width)), *(dense(entry) for entry in found.relations)]
    for number in range(3):
        sums = one_round(views(left, right), dense(found.entities[number]), relations[number])
        assert_rounded(found.entities[number + 1].table, sums[0])
        assert_rounded(found.relations[number].table, sums[1])


@quick
@given(left=graphs(), right=graphs(), random_seed=st.integers(0, 99), width=st.sampled_from([64, 65, 128]))
def test_after_three_rounds_labels_point_where_those_of_full_precision_do(
    left: KnowledgeGraph, right: KnowledgeGraph, random_seed: int, width: int
) -> None:
    edges = adjacency(left, right)
    first = some_labels(edges.n_entities, width, random_seed)
    found = propagate(edges, first, 3)
    entities, relations = unit(dense(first)), np.zeros((edges.n_relations, width))
    for number in range(3):
        entities, relations = (unit(sums) for sums in one_round(views(left, right), entities, relations))
        for exact, rounded in ((entities, found.entities[number + 1]), (relations, found.relations[number])):
            cosines = (exact * unit(dense(rounded))).sum(axis=1)
            is_zero = ~exact.any(axis=1)
            assert not rounded.table[is_zero].any()
            assert (cosines[~is_zero] > 0.998).all()


def test_two_rounds_of_a_chain_computed_by_hand() -> None:
    """a –r→ b –s→ c with labels on a and c; the right graph has one loop and no label.

    Two dimensions, so all labels have the length 21·√2 = 29.7. Round two of a adds that of b to
    twice its own, as it has one edge: (30, 0) + 2·(21, 21) = (72, 42), which is (25.7, 15.0) at that length.
    """
    chain = graph_of([(0, 0, 1), (1, 1, 2)], n_entities=3, n_relations=2)
    loop = graph_of([(0, 0, 0)], n_entities=1)
    table = np.array([[21, 21], [21, -21]], np.int8)
    found = propagate(adjacency(chain, loop), Labels(table, np.array([0, -1, 1, -1], np.int32)), 2)
    assert found.entities[1].table.tolist() == [[21, 21], [30, 0], [21, -21], [0, 0]]
    assert found.entities[2].table.tolist() == [[26, 15], [30, 0], [26, -15], [0, 0]]
    # in order: r, s, the loop's relation, and their inverses
    assert found.relations[0].table.tolist() == [[21, 21], [0, 0], [0, 0], [0, 0], [21, -21], [0, 0]]
    assert found.relations[1].table.tolist() == [[21, 21], [30, 0], [0, 0], [30, 0], [21, -21], [0, 0]]


@quick
@given(left=graphs(), right=graphs())
def test_who_has_no_facts_has_no_label_after_a_round(left: KnowledgeGraph, right: KnowledgeGraph) -> None:
    edges = adjacency(left, right)
    everyone = Labels(draw_labels(1, 8, np.random.default_rng(0)), np.zeros(edges.n_entities, np.int32))
    found = dense(propagate(edges, everyone, 1).entities[1])
    lone = np.diff(edges.offsets) == 0
    assert (found[lone] == 0).all()
    assert set(np.abs(found[~lone]).ravel().tolist()) <= {SPREAD}


@quick
@given(left=graphs(), right=graphs(), random=st.randoms(use_true_random=False))
def test_another_order_of_names_permutes_labels_and_sketch(
    left: KnowledgeGraph, right: KnowledgeGraph, random: object
) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    left_ranks, right_ranks = rng.permutation(left.n_entities), rng.permutation(right.n_entities)
    edges = adjacency(left, right)
    renamed = adjacency(reordered(left, left_ranks), reordered(right, right_ranks))
    ranks = np.concatenate([left_ranks, right_ranks + left.n_entities])
    first = some_labels(edges.n_entities, 64, 0)
    moved = np.empty_like(first.place)
    moved[ranks] = first.place
    before, after = propagate(edges, first, 2), propagate(renamed, Labels(first.table, moved), 2)
    for one, other in zip(before.entities, after.entities, strict=True):
        np.testing.assert_array_equal(dense(one), dense(other)[ranks])
    sketches = [
        whole_sketch(joined, labels, rows)
        for joined, labels, rows in (
            (edges, before, everybody(edges)),
            (renamed, after, ranks.astype(np.int32)),
        )
    ]
    np.testing.assert_array_equal(*(sketch.values for sketch in sketches))
    np.testing.assert_array_equal(*(sketch.inverse_norms for sketch in sketches))


def test_first_labels_stay_as_they_were() -> None:
    chain = graph_of([(0, 0, 1), (1, 0, 2)], n_entities=3)
    first = some_labels(6, 16, 0)
    table, place = first.table.copy(), first.place.copy()
    edges = adjacency(chain, chain)
    labels = propagate(edges, first, 2)
    whole_sketch(edges, labels, everybody(edges))
    np.testing.assert_array_equal(first.table, table)
    np.testing.assert_array_equal(first.place, place)
    assert labels.entities[0] is first


# --- gated sketch --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [8, 100, 128, 130, 300])
def test_a_block_is_the_sum_over_edges_of_shifted_labels(width: int) -> None:
    """F_b(h) = Σ x(t) ∘ w_b(r), each round read at the shift that was drawn for it; then rounded."""
    rng = np.random.default_rng(width)
    left, right = (random_graph(rng, 12, n_entities=6, n_relations=2) for _ in range(2))
    edges = adjacency(left, right)
    labels = propagate(edges, some_labels(12, width, 3), 2)
    ends = edge_ends(edges, labels, np.random.default_rng(5))
    rows = np.array([11, 0, 4], np.int32)
    found = gated_sketch(edges, ends, rows, np.random.default_rng(6))
    shifts = propagation._draw_shifts(width, 2, np.random.default_rng(6), ends.taken)
    x = sum(np.roll(dense(entry), -s, axis=1) for entry, s in zip(labels.entities, ends.taken, strict=True))
    w = sum(np.roll(dense(entry), -s, axis=1) for entry, s in zip(labels.relations, shifts, strict=True))
    own = [slice(edges.offsets[head], edges.offsets[head + 1]) for head in rows]
    sums = [(x[edges.tails[entry]] * w[edges.relations[entry]]).sum(axis=0) for entry in own]
    assert_rounded(found.values, np.array(sums))
    lengths = np.linalg.norm(found.values.astype(np.float64), axis=1)
    np.testing.assert_allclose(found.inverse_norms[lengths > 0], 1 / lengths[lengths > 0], rtol=1e-6)
    assert not found.inverse_norms[lengths == 0].any()


def test_who_else_is_sketched_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    left, right = (random_graph(rng, 12, n_entities=6, n_relations=2) for _ in range(2))
    edges = adjacency(left, right)
    labels = propagate(edges, some_labels(12, 130, 0), 2)
    whole, rows = whole_sketch(edges, labels, everybody(edges)), np.array([11, 0, 0, 4], np.int32)
    some = whole_sketch(edges, labels, rows)
    np.testing.assert_array_equal(some.values, whole.values[rows])
    np.testing.assert_array_equal(some.inverse_norms, whole.inverse_norms[rows])


def test_cosines_of_sketches_approach_those_of_the_surroundings() -> None:
    """⟨F_b(h), F_b(h')⟩ → Σ Σ ⟨x(t), x(t')⟩ · ⟨w(r), w(r')⟩, both by rows of length one."""
    exact, sketched = mean_cosines(np.random.default_rng(1), width=1024, n_draws=10, n_blocks=20)
    assert np.abs(sketched - exact).max() < 0.05
    np.testing.assert_allclose(sketched[exact == 0], 0.0, atol=0.05)


def mean_cosines(
    rng: np.random.Generator, *, width: int, n_draws: int, n_blocks: int
) -> tuple[np.ndarray, np.ndarray]:
    """Cosines of surroundings and of sketches, over several draws of labels and blocks of each."""
    facts = rng.integers(0, (8, 3, 8), (20, 3))
    left, right = (graph_of(kept.tolist(), n_entities=8, n_relations=3) for kept in (facts[:16], facts[4:]))
    edges = adjacency(left, right)
    pairs = np.array([[0, 0], [3, 3], [5, 5]], np.int32)
    exact, sketched = np.zeros((2, 16, 16))
    for _ in range(n_draws):
        labels = propagate(edges, seed_labels(pairs, 8, 16, width, rng), 2)
        ends = edge_ends(edges, labels, rng)
        exact += as_cosines(products_of_surroundings(edges, labels)) / n_draws
        for _ in range(n_blocks):
            block = unit(gated_sketch(edges, ends, everybody(edges), rng).values.astype(np.float64))
            sketched += block @ block.T / (n_draws * n_blocks)
    return exact, sketched


def as_cosines(gram: np.ndarray) -> np.ndarray:
    lengths = np.sqrt(gram.diagonal())
    products = np.outer(lengths, lengths)
    return np.divide(gram, products, out=np.zeros_like(gram), where=products > 0)


@pytest.mark.parametrize(("width", "n_rounds"), [(8, 8), (8, 11), (11, 11), (12, 11), (1, 3)])
def test_where_rounds_outnumber_dimensions_they_share_shifts(width: int, n_rounds: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        taken = propagation._draw_shifts(width, n_rounds, rng)
        others = propagation._draw_shifts(width, n_rounds - 1, rng, taken)
        assert (len(taken), len(others)) == (n_rounds, n_rounds - 1)
        assert 0 <= min(*taken, *others) <= max(*taken, *others) < width


def test_rounds_are_read_at_different_shifts() -> None:
    """Otherwise the dimensions of entities and relations would pair up the same way in every block."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        taken = propagation._draw_shifts(8, 3, rng)
        others = propagation._draw_shifts(8, 2, rng, taken)
        assert len({*taken.tolist(), *others.tolist()}) == 5
