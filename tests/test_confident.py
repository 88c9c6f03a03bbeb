"""Confident pairs: each other's single best, one-to-one, and never beside a seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import assigned
from lightea.assignment import Assignment
from lightea.candidates import Candidates
from lightea.confident import confident_pairs, with_confident_pairs


@st.composite
def assignments(draw: st.DrawFn) -> Assignment:
    """Few different probabilities, so that many are equal; entity numbers are not row numbers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows, n_columns = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    present = rng.random((n_rows, n_columns)) < 0.6
    columns = [rng.permutation(np.flatnonzero(row)).astype(np.int32) for row in present]
    n = int(present.sum())
    candidates = Candidates(
        left=np.sort(rng.permutation(20)[:n_rows]).astype(np.int32),
        right=np.sort(rng.permutation(20)[:n_columns]).astype(np.int32),
        indptr=np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int64),
        columns=np.concatenate([np.empty(0, np.int32), *columns]),
        scores=np.zeros(n, np.float32),
    )
    chances = rng.choice([0.0, 0.1, 0.5, 0.75, 1.0], n).astype(np.float32)
    return assigned(candidates, chances)


def as_cells(found: Assignment) -> dict[tuple[int, int], float]:
    candidates = found.candidates
    rows, columns = candidates.left[candidates.rows].tolist(), candidates.right[candidates.columns].tolist()
    return dict(zip(zip(rows, columns, strict=True), found.probabilities.tolist(), strict=True))


thresholds = st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0])


@settings(deadline=None)
@given(found=assignments(), least=thresholds)
def test_confident_pairs_are_one_to_one_and_probable_enough(found: Assignment, least: float) -> None:
    left, right, probability = confident_pairs(found, least)
    cells = as_cells(found)
    assert (np.diff(left) > 0).all()
    assert len(set(right.tolist())) == len(right)
    for i, j, chance in zip(left.tolist(), right.tolist(), probability.tolist(), strict=True):
        assert cells[i, j] == chance
        assert chance >= np.float32(least)
        assert chance > 0


@settings(deadline=None)
@given(found=assignments(), least=thresholds)
def test_confident_pairs_are_each_others_best(found: Assignment, least: float) -> None:
    left, right, _ = confident_pairs(found, least)
    cells, pairs = as_cells(found), set(zip(left.tolist(), right.tolist(), strict=True))
    for i, j in pairs:
        assert cells[i, j] == max(chance for (a, b), chance in cells.items() if a == i or b == j)
    for (i, j), chance in cells.items():
        rivals = [other for (a, b), other in cells.items() if (a == i) != (b == j)]
        if chance >= least and chance > max(rivals, default=0.0):
            assert (i, j) in pairs


def test_confident_pairs_of_a_hand_made_table() -> None:
    """Rows 0 and 1 both want column 0, which wants row 1; row 2 is not sure enough."""
    candidates = Candidates(
        left=np.array([10, 11, 12], np.int32),
        right=np.array([20, 21, 22], np.int32),
        indptr=np.array([0, 2, 3, 4]),
        columns=np.array([0, 1, 0, 2], np.int32),
        scores=np.zeros(4, np.float32),
    )
    found = assigned(candidates, np.array([0.6, 0.4, 0.9, 0.3]))
    left, right, probability = confident_pairs(found, 0.5)
    assert (left.tolist(), right.tolist()) == ([11], [20])
    assert probability.tolist() == [np.float32(0.9)]


def test_equally_probable_partners_are_no_pair() -> None:
    """Row 0 cannot choose between columns 0 and 1; rows 1 and 2 are equally probable for column 2."""
    found = hand_made([[0.5, 0.5, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.5]])
    assert len(confident_pairs(found, 0.0)[0]) == 0


def test_a_probability_of_zero_is_no_pair_however_little_is_asked_for() -> None:
    assert confident_pairs(hand_made([[0.0]]), 0.0)[0].tolist() == []


@pytest.mark.parametrize(("least", "expected"), [(0.6, [0]), (0.59, [0]), (0.61, [])])
def test_a_probability_is_at_least_itself(least: float, expected: list[int]) -> None:
    """Although 0.6 is not the same in single and in double precision."""
    assert confident_pairs(hand_made([[0.6]]), least)[0].tolist() == expected


def hand_made(chances: list[list[float]]) -> Assignment:
    """All pairs of a matrix; entities are numbered as rows and columns."""
    matrix = np.array(chances, np.float32)
    n_rows, n_columns = matrix.shape
    candidates = Candidates(
        left=np.arange(n_rows, dtype=np.int32),
        right=np.arange(n_columns, dtype=np.int32),
        indptr=np.arange(n_rows + 1, dtype=np.int64) * n_columns,
        columns=np.tile(np.arange(n_columns, dtype=np.int32), n_rows),
        scores=np.zeros(matrix.size, np.float32),
    )
    return assigned(candidates, matrix.ravel())


def test_pairs_with_an_entity_of_a_seed_are_left_out() -> None:
    """Entities 0 and 1 are each other's best, but right entity 1 has a seed; so has left entity 2."""
    found = hand_made([[0.0, 0.9, 0.0], [0.8, 0.0, 0.0], [0.0, 0.0, 0.7]])
    seeds = np.array([[2, 5], [7, 1]], np.int32)
    assert with_confident_pairs(seeds, found, 0.5).tolist() == [[1, 0], [2, 5], [7, 1]]


@settings(deadline=None)
@given(found=assignments(), least=thresholds, random_seed=st.integers(0, 99))
def test_seeds_stay_and_only_free_pairs_are_added(found: Assignment, least: float, random_seed: int) -> None:
    rng = np.random.default_rng(random_seed)
    seeds = np.unique(rng.integers(0, 20, (4, 2)), axis=0).astype(np.int32)
    before = seeds.copy()
    every = with_confident_pairs(seeds, found, least)
    np.testing.assert_array_equal(seeds, before)
    assert every.dtype == np.int32
    pairs, given_pairs = [tuple(pair) for pair in every.tolist()], {tuple(pair) for pair in seeds.tolist()}
    assert pairs == sorted(set(pairs))
    left, right, _ = confident_pairs(found, least)
    confident = set(zip(left.tolist(), right.tolist(), strict=True))
    taken = [{pair[side] for pair in given_pairs} for side in (0, 1)]
    free = {pair for pair in confident if pair[0] not in taken[0] and pair[1] not in taken[1]}
    assert set(pairs) == given_pairs | free
