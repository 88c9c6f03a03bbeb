"""Random labels: whole numbers of one length, nearly orthogonal, shared by both ends of a pair alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense import assert_rounded, dense
from lightea.codes import SPREAD
from lightea.labels import Labels, draw_labels, seed_labels

N_LEFT, N_RIGHT = 6, 5
WIDTH = 32

seed_pairs = st.lists(
    st.tuples(st.integers(0, N_LEFT - 1), st.integers(0, N_RIGHT - 1)), min_size=1, unique=True
).map(lambda pairs: np.array(pairs, np.int32))


def labels_of(pairs: np.ndarray, random_seed: int = 0) -> Labels:
    return seed_labels(pairs, N_LEFT, N_LEFT + N_RIGHT, WIDTH, np.random.default_rng(random_seed))


def test_labels_are_signs_that_all_have_the_length_of_codes() -> None:
    labels = draw_labels(50, 65, np.random.default_rng(0))
    assert labels.dtype == np.int8
    assert labels.shape == (50, 65)
    assert set(np.unique(labels).tolist()) == {-SPREAD, SPREAD}


@pytest.mark.parametrize("width", [64, 256, 1024])
def test_labels_are_nearly_orthogonal(width: int) -> None:
    """Cosines have mean zero and standard deviation 1/√width."""
    labels = draw_labels(200, width, np.random.default_rng(1)) / (SPREAD * np.sqrt(width))
    cosines = (labels @ labels.T)[np.triu_indices(200, 1)] * np.sqrt(width)
    assert abs(cosines.mean()) < 0.05
    assert abs(cosines.std() - 1.0) < 0.05


def test_both_signs_are_equally_frequent_in_every_dimension() -> None:
    """Also in the last ones of a width that is no whole number of bytes."""
    share = (draw_labels(4000, 21, np.random.default_rng(2)) > 0).mean(axis=0)
    assert np.abs(share - 0.5).max() < 0.05


def test_the_generator_decides_the_labels() -> None:
    first, again, other = (draw_labels(3, 16, np.random.default_rng(seed)) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@settings(deadline=None)
@given(pairs=seed_pairs)
def test_each_entity_has_the_normalised_sum_of_the_labels_of_its_pairs(pairs: np.ndarray) -> None:
    """Exactly its label where there is one; a sum is rounded."""
    own = draw_labels(len(pairs), WIDTH, np.random.default_rng(0)).astype(np.float64)
    expected = np.zeros((N_LEFT + N_RIGHT, WIDTH))
    for label, (left, right) in zip(own, pairs, strict=True):
        expected[left] += label
        expected[N_LEFT + right] += label
    found = labels_of(pairs)
    assert_rounded(dense(found).astype(np.int8), expected)
    counts = np.bincount([*pairs[:, 0], *(pairs[:, 1] + N_LEFT)], minlength=N_LEFT + N_RIGHT)
    np.testing.assert_array_equal(dense(found)[counts == 1], expected[counts == 1])


@settings(deadline=None)
@given(pairs=seed_pairs)
def test_who_is_in_no_pair_has_no_label(pairs: np.ndarray) -> None:
    seeded = {*pairs[:, 0].tolist(), *(pairs[:, 1] + N_LEFT).tolist()}
    assert set(np.flatnonzero(labels_of(pairs).place >= 0).tolist()) == seeded


def test_both_ends_of_a_pair_have_the_same_label() -> None:
    labels = dense(labels_of(np.array([[1, 3], [4, 0]], np.int32)))
    np.testing.assert_array_equal(labels[1], labels[N_LEFT + 3])
    np.testing.assert_array_equal(labels[4], labels[N_LEFT])
    assert not np.array_equal(labels[1], labels[4])


def test_the_pairs_stay_as_they_were() -> None:
    pairs = np.array([[1, 3], [1, 0]], np.int32)
    labels_of(pairs)
    assert pairs.tolist() == [[1, 3], [1, 0]]
