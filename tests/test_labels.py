"""Random labels: unit length, nearly orthogonal, shared by both ends of a pair and by nobody else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea.labels import Labels, draw_labels, seed_labels

N_LEFT, N_RIGHT = 6, 5
WIDTH = 32

seed_pairs = st.lists(
    st.tuples(st.integers(0, N_LEFT - 1), st.integers(0, N_RIGHT - 1)), min_size=1, unique=True
).map(lambda pairs: np.array(pairs, np.int32))


def labels_of(pairs: np.ndarray, random_seed: int = 0) -> Labels:
    return seed_labels(pairs, N_LEFT, N_LEFT + N_RIGHT, WIDTH, np.random.default_rng(random_seed))


def dense(labels: Labels) -> np.ndarray:
    """The label of every entity, zeros included."""
    rows = [labels.table[i] if i >= 0 else np.zeros(labels.table.shape[1]) for i in labels.place]
    return np.array(rows)


def test_labels_are_unit_vectors_of_single_precision() -> None:
    labels = draw_labels(50, 64, np.random.default_rng(0))
    assert labels.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(labels, axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("width", [64, 256, 1024])
def test_labels_are_nearly_orthogonal(width: int) -> None:
    """Inner products have mean zero and standard deviation 1/√width."""
    labels = draw_labels(200, width, np.random.default_rng(1))
    products = (labels @ labels.T)[np.triu_indices(200, 1)] * np.sqrt(width)
    assert abs(products.mean()) < 0.05
    assert abs(products.std() - 1.0) < 0.05


def test_the_generator_decides_the_labels() -> None:
    first, again, other = (draw_labels(3, 16, np.random.default_rng(seed)) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@settings(deadline=None)
@given(pairs=seed_pairs)
def test_each_entity_has_the_normalised_sum_of_the_labels_of_its_pairs(pairs: np.ndarray) -> None:
    own = draw_labels(len(pairs), WIDTH, np.random.default_rng(0)).astype(np.float64)
    expected = np.zeros((N_LEFT + N_RIGHT, WIDTH))
    for label, (left, right) in zip(own, pairs, strict=True):
        expected[left] += label
        expected[N_LEFT + right] += label
    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    expected = np.divide(expected, lengths, out=expected, where=lengths > 0)
    np.testing.assert_allclose(dense(labels_of(pairs)), expected, rtol=1e-5, atol=1e-6)


@settings(deadline=None)
@given(pairs=seed_pairs)
def test_who_is_in_no_pair_has_no_label(pairs: np.ndarray) -> None:
    seeded = {*pairs[:, 0].tolist(), *(pairs[:, 1] + N_LEFT).tolist()}
    assert set(np.flatnonzero(labels_of(pairs).place >= 0).tolist()) == seeded


def test_both_ends_of_a_pair_have_the_same_label() -> None:
    labels = dense(labels_of(np.array([[1, 3], [4, 0]], np.int32)))
    np.testing.assert_array_equal(labels[1], labels[N_LEFT + 3])
    np.testing.assert_array_equal(labels[4], labels[N_LEFT])
    assert abs(labels[1] @ labels[4]) < 0.9


def test_the_pairs_stay_as_they_were() -> None:
    pairs = np.array([[1, 3], [1, 0]], np.int32)
    labels_of(pairs)
    assert pairs.tolist() == [[1, 3], [1, 0]]
