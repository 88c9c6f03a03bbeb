"""Propagation and the gated sketch against dense matrices built edge by edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import propagation
from lightea.adjacency import Adjacency, adjacency
from lightea.graph import KnowledgeGraph
from lightea.labels import Labels, draw_labels, seed_labels
from lightea.propagation import Propagated, edge_ends, gated_sketch, propagate
from small_graphs import facts_of, graph_of, graphs, random_graph, reordered

quick = settings(deadline=None, max_examples=50)


# --- the formulas, naively -----------------------------------------------------------------------------


def views(left: KnowledgeGraph, right: KnowledgeGraph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The views *side*, *top* and *front* of the doubled triples."""
    n, m = left.n_entities + right.n_entities, left.n_relations + right.n_relations
    side, top, front = np.zeros((n, n)), np.zeros((2 * m, n)), np.zeros((n, 2 * m))
    moved = [(h + left.n_entities, r + left.n_relations, t + left.n_entities) for h, r, t in facts_of(right)]
    for h, r, t in [*facts_of(left), *moved]:
        for head, relation, tail in ((h, r, t), (t, r + m, h)):
            side[head, tail] += 1
            side[head, head] += 2
            top[relation, head] = 1
            front[tail, relation] = 1
    return side, top, front


def unit(matrix: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)


def dense(labels: Labels) -> np.ndarray:
    found = labels.table[np.maximum(labels.place, 0)].astype(np.float64)
    found[labels.place < 0] = 0.0
    return found


def some_labels(n: int, width: int, random_seed: int) -> Labels:
    """Every other entity or so has one of four labels."""
    rng = np.random.default_rng(random_seed)
    return Labels(draw_labels(4, width, rng), rng.integers(-4, 4, n).astype(np.int32))


def everybody(edges: Adjacency) -> np.ndarray:
    return np.arange(edges.n_entities, dtype=np.int32)


def whole_sketch(edges: Adjacency, labels: Propagated, rows: np.ndarray) -> np.ndarray:
    ends = edge_ends(edges, labels, np.random.default_rng(1))
    return gated_sketch(edges, ends, rows, np.random.default_rng(2))


def surroundings(edges: Adjacency, labels: Propagated) -> np.ndarray:
    """Σ_(r,t) x(t) ⊗ w(r) of every entity, with x and w the labels of all rounds side by side."""
    x = np.concatenate([dense(entry) for entry in labels.entities], axis=1)
    w = np.concatenate([dense(entry) for entry in labels.relations], axis=1)
    found = np.zeros((edges.n_entities, x.shape[1] * w.shape[1]))
    for head in range(edges.n_entities):
        for j in range(edges.offsets[head], edges.offsets[head + 1]):
            found[head] += np.outer(x[edges.tails[j]], w[edges.relations[j]]).ravel()
    return found


# --- propagation ---------------------------------------------------------------------------------------


@quick
@given(left=graphs(), right=graphs(), random_seed=st.integers(0, 99), width=st.sampled_from([8, 65, 128]))
def test_three_rounds_equal_the_dense_formulas(
    left: KnowledgeGraph, right: KnowledgeGraph, random_seed: int, width: int
) -> None:
    edges, (side, top, front) = adjacency(left, right), views(left, right)
    first = some_labels(edges.n_entities, width, random_seed)
    found = propagate(edges, first, 3)
    entities, relations = dense(first), np.zeros((edges.n_relations, width))
    for number in range(3):
        entities, relations = unit(side @ entities + front @ relations), unit(top @ entities)
        np.testing.assert_allclose(dense(found.entities[number + 1]), entities, atol=1e-5)
        np.testing.assert_allclose(dense(found.relations[number]), relations, atol=1e-5)


def test_two_rounds_of_a_chain_computed_by_hand() -> None:
    """a –r→ b –s→ c with labels on a and c; the right graph has one loop and no label."""
    chain = graph_of([(0, 0, 1), (1, 1, 2)], n_entities=3, n_relations=2)
    loop = graph_of([(0, 0, 0)], n_entities=1)
    first = Labels(np.eye(2, dtype=np.float32), np.array([0, -1, 1, -1], np.int32))
    found = propagate(adjacency(chain, loop), first, 2)
    half = np.sqrt(0.5)
    once = [[1, 0], [half, half], [0, 1], [0, 0]]
    twice = unit(np.array([[2 + half, half], [1, 1], [half, 2 + half], [0, 0]]))
    np.testing.assert_allclose(dense(found.entities[1]), once, atol=1e-6)
    np.testing.assert_allclose(dense(found.entities[2]), twice, atol=1e-6)
    # in order: r, s, the loop's relation, and their inverses
    heads_once = [[1, 0], [0, 0], [0, 0], [0, 0], [0, 1], [0, 0]]
    heads_twice = [[1, 0], [half, half], [0, 0], [half, half], [0, 1], [0, 0]]
    np.testing.assert_allclose(dense(found.relations[0]), heads_once, atol=1e-6)
    np.testing.assert_allclose(dense(found.relations[1]), heads_twice, atol=1e-6)


@quick
@given(left=graphs(), right=graphs())
def test_who_has_no_facts_has_no_label_after_a_round(left: KnowledgeGraph, right: KnowledgeGraph) -> None:
    edges = adjacency(left, right)
    everyone = Labels(draw_labels(1, 8, np.random.default_rng(0)), np.zeros(edges.n_entities, np.int32))
    found = dense(propagate(edges, everyone, 1).entities[1])
    lone = np.diff(edges.offsets) == 0
    assert (found[lone] == 0).all()
    np.testing.assert_allclose(np.linalg.norm(found[~lone], axis=1), 1.0, rtol=1e-5)


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
        np.testing.assert_allclose(dense(one), dense(other)[ranks], atol=1e-5)
    sketches = [
        whole_sketch(joined, labels, rows)
        for joined, labels, rows in (
            (edges, before, everybody(edges)),
            (renamed, after, ranks.astype(np.int32)),
        )
    ]
    np.testing.assert_allclose(*sketches, atol=1e-5)


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
    """F_b(h) = Σ x(t) ∘ w_b(r), each round read at the shift that was drawn for it."""
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
    for i, head in enumerate(rows):
        own = slice(edges.offsets[head], edges.offsets[head + 1])
        expected = (x[edges.tails[own]] * w[edges.relations[own]]).sum(axis=0)
        np.testing.assert_allclose(found[i], expected, atol=1e-5)


def test_the_sketch_can_be_written_to_a_given_place() -> None:
    chain = graph_of([(0, 0, 1), (1, 0, 2)], n_entities=3)
    edges = adjacency(chain, chain)
    ends = edge_ends(edges, propagate(edges, some_labels(6, 130, 0), 2), np.random.default_rng(0))
    room = np.full((6, 130), np.nan, np.float32)
    written = gated_sketch(edges, ends, everybody(edges), np.random.default_rng(1), room)
    assert written is room
    np.testing.assert_array_equal(room, gated_sketch(edges, ends, everybody(edges), np.random.default_rng(1)))


def test_products_of_sketches_approach_those_of_the_surroundings() -> None:
    """Width · mean over blocks of ⟨F_b(h), F_b(h')⟩ → Σ Σ ⟨x(t), x(t')⟩ · ⟨w(r), w(r')⟩."""
    exact, sketched = mean_products(np.random.default_rng(1), width=256, n_draws=20, n_blocks=20)
    assert np.linalg.norm(sketched - exact) < 0.05 * np.linalg.norm(exact)
    assert np.abs(as_cosines(sketched) - as_cosines(exact)).max() < 0.05


def mean_products(
    rng: np.random.Generator, *, width: int, n_draws: int, n_blocks: int
) -> tuple[np.ndarray, np.ndarray]:
    """Products of surroundings and of sketches, over several draws of labels and blocks of each."""
    facts = rng.integers(0, (8, 3, 8), (20, 3))
    left, right = (graph_of(kept.tolist(), n_entities=8, n_relations=3) for kept in (facts[:16], facts[4:]))
    edges = adjacency(left, right)
    pairs = np.array([[0, 0], [3, 3], [5, 5]], np.int32)
    exact, sketched = np.zeros((2, 16, 16))
    for _ in range(n_draws):
        labels = propagate(edges, seed_labels(pairs, 8, 16, width, rng), 2)
        whole, ends = surroundings(edges, labels), edge_ends(edges, labels, rng)
        exact += whole @ whole.T / n_draws
        for _ in range(n_blocks):
            block = gated_sketch(edges, ends, everybody(edges), rng)
            sketched += width * block @ block.T / (n_draws * n_blocks)
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
