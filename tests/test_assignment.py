"""Sparse Sinkhorn: marginals, limits, extremes, and the same plan by either road."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import assigned
from lightea import assignment
from lightea.assignment import Assignment, Matches, assign, believed
from lightea.candidates import Candidates
from lightea.config import PRESETS

quick = settings(deadline=None, max_examples=60)
sources = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Matrices are so small here that most of the time would go into waking threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before)


def candidates_of(scores: np.ndarray, present: np.ndarray | None = None) -> Candidates:
    """The present entries of a matrix of scores, best first in each row."""
    matrix = np.asarray(scores, np.float32)
    kept = np.ones(matrix.shape, bool) if present is None else present
    rows = [np.flatnonzero(row) for row in kept]
    columns = [row[np.argsort(-matrix[i, row], kind="stable")] for i, row in enumerate(rows)]
    return Candidates(
        left=np.arange(matrix.shape[0], dtype=np.int32),
        right=np.arange(matrix.shape[1], dtype=np.int32),
        indptr=np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        columns=np.concatenate([np.empty(0, np.int32), *columns]).astype(np.int32),
        scores=np.concatenate([np.empty(0, np.float32), *(matrix[i, c] for i, c in enumerate(columns))]),
    )


def plan_of(found: Assignment) -> np.ndarray:
    """The probabilities as a matrix."""
    candidates = found.candidates
    plan = np.zeros((len(candidates.left), len(candidates.right)))
    plan[candidates.rows, candidates.columns] = found.probabilities
    return plan


def solve(
    scores: object,
    present: np.ndarray | None = None,
    *,
    temperature: float,
    iterations: int,
    no_match: float | None = None,
) -> np.ndarray:
    candidates = candidates_of(np.asarray(scores), present)
    return plan_of(assign(candidates, temperature=temperature, iterations=iterations, no_match=no_match))


@st.composite
def sparse_scores(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Scores with ties, and which of them are there: rows and columns may be empty."""
    rng, n_rows, n_columns = draw(sources), draw(st.integers(0, 7)), draw(st.integers(0, 7))
    density = draw(st.sampled_from([0.1, 0.4, 1.0]))
    scores = rng.integers(-4, 5, (n_rows, n_columns)) / 4
    return scores.astype(np.float32), rng.random((n_rows, n_columns)) < density


# --- known answers -------------------------------------------------------------------------------------


def test_two_by_two_by_hand() -> None:
    """With x = P(0, 0), x²/(1 − x)² = e^((1 + 0 − 0 − 0)·log 4) = 4, so x = 2/3."""
    plan = solve([[1.0, 0.0], [0.0, 0.0]], temperature=1 / np.log(4), iterations=100)
    np.testing.assert_allclose(plan, [[2 / 3, 1 / 3], [1 / 3, 2 / 3]], atol=1e-6)


def test_scores_of_both_sides_decide() -> None:
    """Both rows like column 0 best; the row that likes it more gets it."""
    plan = solve([[0.9, 0.1], [0.8, 0.7]], temperature=0.02, iterations=200)
    np.testing.assert_allclose(plan, np.eye(2), atol=5e-3)


def test_equal_scores_share_equally() -> None:
    np.testing.assert_allclose(solve(np.full((4, 4), 0.7), temperature=0.02, iterations=5), 0.25)


def test_one_row_chooses_by_its_scores() -> None:
    scores = np.array([0.3, 0.1, 0.2])
    expected = np.exp(scores / 0.1) / np.exp(scores / 0.1).sum()
    plan = solve([scores], temperature=0.1, iterations=10)
    np.testing.assert_allclose(plan[0], expected, rtol=1e-5)


@quick
@given(rng=sources, temperature=st.sampled_from([0.05, 0.5, 5.0]))
def test_square_matrices_equal_naive_scaling(rng: np.random.Generator, temperature: float) -> None:
    scores = rng.integers(-8, 9, (5, 5)) / 8
    naive = np.exp(scores / temperature)
    for _ in range(30):
        naive /= naive.sum(axis=1, keepdims=True)
        naive /= naive.sum(axis=0, keepdims=True)
    naive /= naive.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(solve(scores, temperature=temperature, iterations=30), naive, atol=1e-6)


@pytest.mark.parametrize("random_seed", range(8))
def test_at_tiny_temperatures_the_best_permutation_is_found(random_seed: int) -> None:
    """Scores that are e^±10000 apart: what the exponential form cannot hold."""
    scores = np.random.default_rng(random_seed).permutation(64)[:16].reshape(4, 4) ** 1.5 / 512
    orders = list(itertools.permutations(range(4)))
    totals = [sum(scores[i, j] for i, j in enumerate(order)) for order in orders]
    plan = solve(scores, temperature=1e-4, iterations=10_000)
    best = orders[int(np.argmax(totals))]
    np.testing.assert_allclose(plan, np.eye(4)[list(best)], atol=1e-3)


# --- marginals -----------------------------------------------------------------------------------------


@quick
@given(
    rng=sources,
    n_rows=st.integers(1, 8),
    n_columns=st.integers(1, 8),
    temperature=st.sampled_from([0.1, 1.0]),
)
def test_the_smaller_side_sums_to_one_and_the_larger_to_at_most_one(
    rng: np.random.Generator, n_rows: int, n_columns: int, temperature: float
) -> None:
    found = assign(
        candidates_of(rng.integers(-4, 5, (n_rows, n_columns)) / 8), temperature=temperature, iterations=3000
    )
    plan = plan_of(found)
    assert plan.sum(axis=0).max() <= 1 + 1e-3
    assert plan.sum(axis=1).max() <= 1 + 1e-3
    np.testing.assert_allclose(plan.sum(axis=1 if n_rows <= n_columns else 0), 1.0, atol=1e-3)
    assert found.converged
    assert found.marginal_error < 1e-3


@quick
@given(matrix=sparse_scores(), iterations=st.integers(1, 20))
def test_rows_are_right_after_any_number_of_iterations(
    matrix: tuple[np.ndarray, np.ndarray], iterations: int
) -> None:
    scores, present = matrix
    sums = solve(scores, present, temperature=0.1, iterations=iterations).sum(axis=1)
    inhabited = present.any(axis=1)
    assert (sums <= 1 + 1e-5).all()
    assert (sums[~inhabited] == 0).all()
    if scores.shape[0] <= scores.shape[1]:
        np.testing.assert_allclose(sums[inhabited], 1.0, rtol=1e-5)


def test_a_side_that_is_larger_leaves_its_worst_without_partner() -> None:
    tall = solve([[0.9], [0.1]], temperature=0.02, iterations=500)
    np.testing.assert_allclose(tall, [[1.0], [0.0]], atol=5e-3)
    wide = solve([[0.9, 0.1]], temperature=0.02, iterations=500)
    np.testing.assert_allclose(wide, [[1.0, 0.0]], atol=5e-3)


def test_the_reported_error_is_that_of_the_columns() -> None:
    """Two rows crowd into one of two columns: its sum is two, and the other one is not reached."""
    crowd = np.array([[True, False], [True, False]])
    found = assign(candidates_of(np.zeros((2, 2)), crowd), temperature=0.02, iterations=10)
    assert found.marginal_error == 1.0
    assert not found.converged
    assert found.iterations == 10


# --- extremes ------------------------------------------------------------------------------------------


@quick
@given(
    matrix=sparse_scores(),
    temperature=st.sampled_from([1e-4, 0.005, 0.02, 1.0, 10.0]),
    iterations=st.sampled_from([1, 2, 40, 1050]),
    no_match=st.sampled_from([None, -100.0, 0.1, 100.0]),
)
def test_probabilities_are_probabilities_whatever_comes(
    matrix: tuple[np.ndarray, np.ndarray], temperature: float, iterations: int, no_match: float | None
) -> None:
    candidates = candidates_of(*matrix)
    found = assign(candidates, temperature=temperature, iterations=iterations, no_match=no_match)
    for chances in (found.probabilities, found.no_match):
        assert np.isfinite(chances).all()
        assert (chances >= 0).all()
        assert (chances <= 1 + 1e-5).all()
    assert np.isfinite(found.marginal_error)


def test_rows_and_columns_without_entries_disturb_nobody() -> None:
    alone = solve([[0.5, 0.2], [0.1, 0.4]], temperature=0.1, iterations=50)
    present = np.zeros((4, 4), bool)
    present[np.ix_([1, 3], [0, 2])] = True
    scores = np.zeros((4, 4))
    scores[np.ix_([1, 3], [0, 2])] = [[0.5, 0.2], [0.1, 0.4]]
    padded = solve(scores, present, temperature=0.1, iterations=50)
    np.testing.assert_allclose(padded[np.ix_([1, 3], [0, 2])], alone, atol=1e-6)
    assert padded[[0, 2]].sum() == padded[:, [1, 3]].sum() == 0


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 3)])
def test_nothing_to_assign(shape: tuple[int, int]) -> None:
    found = assign(candidates_of(np.zeros(shape), np.zeros(shape, bool)), temperature=0.02, iterations=40)
    assert len(found.probabilities) == 0
    assert found.marginal_error == 0.0
    assert found.converged


@pytest.mark.parametrize("iterations", [40, 89, 90, 200])
def test_a_crowd_in_one_column_stays_defined(iterations: int) -> None:
    """The column's potential grows by log 3000 in each iteration and would leave double precision."""
    n = 3000
    crowd = Candidates(
        left=np.arange(n, dtype=np.int32),
        right=np.arange(n, dtype=np.int32),
        indptr=np.arange(n + 1),
        columns=np.zeros(n, np.int32),
        scores=np.ones(n, np.float32),
    )
    found = assign(crowd, temperature=0.02, iterations=iterations)
    np.testing.assert_allclose(found.probabilities, 1.0, rtol=1e-6)


@pytest.mark.parametrize("iterations", [40, 1027, 5000])
def test_a_crowd_drives_away_who_has_a_choice(iterations: int) -> None:
    present = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0]], bool)
    plan = solve(np.zeros((3, 3)), present, temperature=0.02, iterations=iterations)
    np.testing.assert_allclose(plan, [[1, 0, 0], [1, 0, 0], [0, 1, 0]], atol=1e-6)


# --- staying alone -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("score", "alone"), [(0.5, 0.5), (0.9, 0.1), (0.1, 0.9)])
def test_one_pair_against_staying_alone_by_hand(score: float, alone: float) -> None:
    """By symmetry u = v, so e^−u solves weight · x² + x · e^alone = 1."""
    weight, rest = np.exp(score / 0.2), np.exp(alone / 0.2)
    x = (-rest + np.sqrt(rest**2 + 4 * weight)) / (2 * weight)
    plan = solve([[score]], temperature=0.2, iterations=2000, no_match=alone)
    np.testing.assert_allclose(plan, weight * x**2, rtol=1e-4)


@quick
@given(
    matrix=sparse_scores(),
    no_match=st.sampled_from([-1.0, 0.0, 0.5, 2.0]),
    temperature=st.sampled_from([0.1, 1.0]),
)
def test_partners_and_staying_alone_add_up_to_one(
    matrix: tuple[np.ndarray, np.ndarray], no_match: float, temperature: float
) -> None:
    found = assign(candidates_of(*matrix), temperature=temperature, iterations=2000, no_match=no_match)
    plan = plan_of(found)
    np.testing.assert_allclose(plan.sum(axis=1) + found.no_match, 1.0, atol=1e-5)
    assert plan.sum(axis=0).max(initial=0.0) <= 1 + 1e-3
    assert found.marginal_error < 1e-3


@quick
@given(matrix=sparse_scores(), no_match=st.sampled_from([-1.0, 0.0, 0.5]))
def test_staying_alone_equals_naive_scaling_with_a_bin_of_any_size(
    matrix: tuple[np.ndarray, np.ndarray], no_match: float
) -> None:
    """A last row and a last column that take what is left and need not add up to anything."""
    scores, present = matrix
    weights, rest = np.where(present, np.exp(scores / 0.2), 0.0), np.exp(no_match / 0.2)
    a, b = np.ones(len(scores)), np.ones(scores.shape[1])
    for _ in range(30):
        a = 1 / (rest + weights @ b)
        b = 1 / (rest + a @ weights)
    a = 1 / (rest + weights @ b)
    plan = solve(scores, present, temperature=0.2, iterations=30, no_match=no_match)
    np.testing.assert_allclose(plan, a[:, None] * weights * b, atol=1e-5)


def test_who_has_no_candidate_stays_alone_for_certain() -> None:
    present = np.array([[True, True], [False, False]])
    for no_match in (None, -100.0, 0.5):
        found = assign(
            candidates_of(np.zeros((2, 2)), present), temperature=0.02, iterations=40, no_match=no_match
        )
        assert found.no_match[1] == 1.0


def test_a_pair_has_to_beat_the_score_of_both_staying_alone() -> None:
    """Two of them against one pair: twice the score."""
    scores = [[0.9, 0.2], [0.1, 0.4]]
    for no_match, expected in ((0.1, [[1, 0], [0, 1]]), (0.3, [[1, 0], [0, 0]]), (0.6, [[0, 0], [0, 0]])):
        plan = solve(scores, temperature=0.01, iterations=500, no_match=no_match)
        np.testing.assert_allclose(plan, expected, atol=0.01)


def test_without_a_score_for_it_only_the_larger_side_stays_alone() -> None:
    tall = assign(candidates_of(np.full((4, 2), 0.5)), temperature=0.02, iterations=100)
    np.testing.assert_allclose(tall.no_match, 0.5, atol=1e-3)
    wide = assign(candidates_of(np.full((2, 4), 0.5)), temperature=0.02, iterations=100)
    np.testing.assert_allclose(wide.no_match, 0.0, atol=1e-3)


def test_who_has_no_candidate_does_not_make_a_side_the_larger_one() -> None:
    scores = np.array([[0.5, 0.4], [0.4, 0.5], [0.0, 0.0]])
    present = np.array([[1, 1], [1, 1], [0, 0]], bool)
    plan = solve(scores, present, temperature=0.1, iterations=50)
    np.testing.assert_allclose(plan[:2], solve(scores[:2], temperature=0.1, iterations=50), atol=1e-6)


def test_each_entity_may_have_its_own_score_for_staying_alone() -> None:
    scores = np.array([[0.5, 0.0], [0.0, 0.5]])
    everybody = candidates_of(scores)
    own = (np.array([0.0, 0.9]), np.array([0.0, 0.0]))
    found = assign(everybody, temperature=0.05, iterations=500, no_match=own)
    assert found.no_match[0] < 0.1
    assert found.no_match[1] > 0.9


# --- two roads -----------------------------------------------------------------------------------------


def both_roads(
    candidates: Candidates, temperature: float, iterations: int, no_match: float | None
) -> list[np.ndarray]:
    plans = []
    for limit in (np.inf, -np.inf):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(assignment, "_LARGEST_EXPONENT", limit)
            found = assign(candidates, temperature=temperature, iterations=iterations, no_match=no_match)
            plans.append(plan_of(found))
    return plans


def bound_of(candidates: Candidates, temperature: float, no_match: float | None) -> float:
    logits = candidates.scores.astype(np.float64) / temperature
    sums = assignment._sums(candidates, no_match, temperature)
    return assignment._largest_exponent(candidates, logits, sums)


temperatures = st.sampled_from([0.01, 0.1, 1.0])
alones = st.sampled_from([None, -3.0, 0.1, 3.0])


@quick
@given(matrix=sparse_scores(), temperature=temperatures, iterations=st.integers(1, 150), no_match=alones)
def test_scaling_and_log_domain_give_the_same_plan(
    matrix: tuple[np.ndarray, np.ndarray], temperature: float, iterations: int, no_match: float | None
) -> None:
    candidates = candidates_of(*matrix)
    if bound_of(candidates, temperature, no_match) <= assignment._LARGEST_EXPONENT:
        scaled, balanced = both_roads(candidates, temperature, iterations, no_match)
        np.testing.assert_allclose(scaled, balanced, atol=1e-6)


@quick
@given(matrix=sparse_scores(), temperature=temperatures, iterations=st.integers(1, 32), no_match=alones)
def test_potentials_stay_within_the_bound_for_a_stretch_of_iterations(
    matrix: tuple[np.ndarray, np.ndarray], temperature: float, iterations: int, no_match: float | None
) -> None:
    candidates = candidates_of(*matrix)
    logits = candidates.scores.astype(np.float64) / temperature
    sums = assignment._sums(candidates, no_match, temperature)
    assert iterations <= assignment._STRETCH
    potentials = assignment._balance(candidates, logits, sums, iterations, np.zeros(len(candidates.right)))
    largest = max(np.abs(values).max(initial=0.0) for values in potentials) + np.abs(logits).max(initial=0.0)
    assert largest <= bound_of(candidates, temperature, no_match) + 1e-9


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_the_usual_settings_take_the_fast_road(preset: str) -> None:
    config = PRESETS[preset]
    temperature, no_match = config.temperature, config.no_match_score if config.evidence_rounds else None
    candidates = candidates_of(np.random.default_rng(0).uniform(-1, 1, (300, 300)))
    assert bound_of(candidates, temperature, no_match) <= assignment._LARGEST_EXPONENT


# --- where to start ------------------------------------------------------------------------------------


def restarted(
    candidates: Candidates, start: Assignment | None, iterations: int, no_match: float | None = 0.1
) -> Assignment:
    return assign(candidates, temperature=0.2, iterations=iterations, no_match=no_match, start=start)


@quick
@given(matrix=sparse_scores(), no_match=alones)
def test_from_its_own_end_one_iteration_finds_the_same(
    matrix: tuple[np.ndarray, np.ndarray], no_match: float | None
) -> None:
    candidates = candidates_of(*matrix)
    ended = restarted(candidates, None, 2000, no_match)
    again = restarted(candidates, ended, 1, no_match)
    np.testing.assert_allclose(plan_of(again), plan_of(ended), atol=2e-3)


@quick
@given(matrix=sparse_scores(), other=sparse_scores(), no_match=st.sampled_from([0.0, 0.1, 1.0]))
def test_where_everybody_may_stay_alone_the_start_does_not_change_the_end(
    matrix: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray], no_match: float
) -> None:
    scores, present = matrix
    before = np.zeros_like(scores)
    n_rows, n_columns = (min(size) for size in zip(scores.shape, other[0].shape, strict=True))
    before[:n_rows, :n_columns] = other[0][:n_rows, :n_columns]
    start = restarted(candidates_of(before), None, 7, no_match)
    found = restarted(candidates_of(scores, present), start, 2000, no_match)
    fresh = restarted(candidates_of(scores, present), None, 2000, no_match)
    np.testing.assert_allclose(plan_of(found), plan_of(fresh), atol=1e-4)


def test_from_a_similar_assignment_few_iterations_come_nearer_than_from_nothing() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(0, 1, (40, 40))
    before = restarted(candidates_of(scores + rng.uniform(-0.01, 0.01, scores.shape)), None, 2000)
    end = plan_of(restarted(candidates_of(scores), None, 2000))
    errors = [
        np.abs(plan_of(restarted(candidates_of(scores), start, 2)) - end).sum() for start in (before, None)
    ]
    assert errors[0] < 0.1 * errors[1]


def test_it_may_start_from_an_assignment_of_more_entities() -> None:
    """Potentials belong to entities, not to columns: here those numbered 5 and 9 are left."""
    scores = np.array([[0.9, 0.1, 0.3], [0.2, 0.8, 0.6]])
    many = dataclasses.replace(candidates_of(scores), right=np.array([5, 7, 9], np.int32))
    few = dataclasses.replace(candidates_of(scores[:, [0, 2]]), right=np.array([5, 9], np.int32))
    before = restarted(many, None, 500)
    sums = assignment._sums(few, 0.1, 0.2)
    assert assignment._start(few, before, sums).tolist() == before.potentials[1][[0, 2]].tolist()
    found, fresh = (restarted(few, start, 500) for start in (before, None))
    np.testing.assert_allclose(plan_of(found), plan_of(fresh), atol=1e-5)


@pytest.mark.parametrize("limit", [np.inf, -np.inf], ids=["scaling", "log domain"])
def test_the_plan_is_what_scores_and_potentials_say(limit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "_LARGEST_EXPONENT", limit)
    scores = np.random.default_rng(3).integers(-4, 5, (6, 5)) / 4
    found = restarted(candidates_of(scores), None, 45)
    u, v = found.potentials
    np.testing.assert_allclose(plan_of(found), np.exp(scores / 0.2 - u[:, None] - v), rtol=1e-5)


@quick
@given(
    matrix=sparse_scores(),
    temperature=st.sampled_from([1e-4, 0.02, 1.0]),
    no_match=st.sampled_from([None, -100.0, 0.1, 100.0]),
    before=st.sampled_from([-1e5, -800.0, -3.0, 0.5, 800.0, 1e5]),
)
def test_probabilities_are_probabilities_wherever_it_starts(
    matrix: tuple[np.ndarray, np.ndarray], temperature: float, no_match: float | None, before: float
) -> None:
    """Potentials of a crowd grow without end, so an earlier assignment may bring any."""
    candidates = candidates_of(*matrix)
    first = assign(candidates, temperature=temperature, iterations=1, no_match=no_match)
    u, v = first.potentials
    odd = np.where(np.arange(len(v)) % 2 == 0, before, 0.0)
    start = dataclasses.replace(first, potentials=(u, v + odd))
    found = assign(candidates, temperature=temperature, iterations=3, no_match=no_match, start=start)
    for chances in (found.probabilities, found.no_match):
        assert np.isfinite(chances).all()
        assert (chances >= 0).all()
        assert (chances <= 1 + 1e-5).all()
    inhabited = matrix[1].any(axis=1)
    if no_match is None and len(inhabited) <= matrix[1].shape[1]:
        np.testing.assert_allclose(plan_of(found).sum(axis=1)[inhabited], 1.0, rtol=1e-4)


def test_a_crowd_in_one_of_too_many_columns_is_no_cause_for_a_warning() -> None:
    n = 3000
    crowd = Candidates(
        left=np.arange(n, dtype=np.int32),
        right=np.arange(n + 1, dtype=np.int32),
        indptr=np.arange(n + 1),
        columns=np.zeros(n, np.int32),
        scores=np.ones(n, np.float32),
    )
    found = assign(crowd, temperature=0.02, iterations=200)
    np.testing.assert_allclose(found.probabilities, 1.0, rtol=1e-6)


def test_after_a_crowd_whoever_is_left_finds_a_partner() -> None:
    """Three thousand rows want one column; its potential is far out of range when all but one have gone."""
    n = 3000
    crowd = Candidates(
        left=np.arange(n, dtype=np.int32),
        right=np.arange(n, dtype=np.int32),
        indptr=np.arange(n + 1),
        columns=np.zeros(n, np.int32),
        scores=np.ones(n, np.float32),
    )
    before = assign(crowd, temperature=0.02, iterations=200)
    left = candidates_of([[1.0, 0.9]])
    found = assign(left, temperature=0.02, iterations=200, start=before)
    np.testing.assert_allclose(found.probabilities.sum(), 1.0, rtol=1e-5)


# --- what is left alone --------------------------------------------------------------------------------


@quick
@given(matrix=sparse_scores(), temperature=st.sampled_from([1e-4, 0.02, 1.0]))
def test_candidates_stay_as_they_were(matrix: tuple[np.ndarray, np.ndarray], temperature: float) -> None:
    candidates = candidates_of(*matrix)
    arrays = (candidates.indptr, candidates.columns, candidates.scores)
    before = [array.copy() for array in arrays]
    found = assign(candidates, temperature=temperature, iterations=5)
    assert found.candidates is candidates
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


# --- what is believed ----------------------------------------------------------------------------------


@st.composite
def beliefs(draw: st.DrawFn) -> tuple[np.ndarray, Assignment]:
    """Seeds, and an assignment of entities that need not be apart from them; few different probabilities."""
    rng = draw(sources)
    seeds = np.unique(rng.integers(0, 8, (rng.integers(0, 4), 2)), axis=0).astype(np.int32)
    candidates = candidates_of(*draw(sparse_scores()))
    chances = rng.choice([0.0, 0.02, 0.1, 0.5, 1.0], len(candidates.columns)).astype(np.float32)
    return seeds, assigned(candidates, chances)


def naive_matches(seeds: np.ndarray, found: Assignment | None, n_best: int) -> list[tuple[int, int, float]]:
    cells = [(int(i), int(j), 1.0) for i, j in seeds]
    own, other = set(seeds[:, 0].tolist()), set(seeds[:, 1].tolist())
    if found is not None:
        rows, columns = found.candidates.rows.tolist(), found.candidates.columns.tolist()
        pairs = zip(rows, columns, found.probabilities.tolist(), strict=True)
        cells += [
            cell
            for cell in pairs
            if cell[2] > np.float32(0.02) and cell[0] not in own and cell[1] not in other
        ]
    cells.sort(key=lambda cell: (cell[0], -cell[2], cell[1]))
    return [cell for k, cell in enumerate(cells) if sum(other[0] == cell[0] for other in cells[:k]) < n_best]


def listed(matches: Matches) -> list[tuple[int, int, float]]:
    return list(zip(matches.left.tolist(), matches.right.tolist(), matches.probability.tolist(), strict=True))


@quick
@given(given_beliefs=beliefs(), n_best=st.integers(1, 5))
def test_the_seeds_and_the_most_probable_pairs_are_believed(
    given_beliefs: tuple[np.ndarray, Assignment], n_best: int
) -> None:
    seeds, found = given_beliefs
    for before in (None, found):
        matches = believed(seeds, before, 8, 8, n_best=n_best, least=0.02)
        assert listed(matches) == naive_matches(seeds, before, n_best)
        assert len(matches.offsets) == 9


@quick
@given(given_beliefs=beliefs())
def test_best_partners_are_the_most_probable_and_of_these_the_first(
    given_beliefs: tuple[np.ndarray, Assignment],
) -> None:
    matches = believed(*given_beliefs, 8, 8)
    for found, own, other in ((matches.best_of_left(), 0, 1), (matches.best_of_right(), 1, 0)):
        for entity, (partner, chance) in enumerate(zip(*found, strict=True)):
            cells = [(-cell[2], cell[other]) for cell in listed(matches) if cell[own] == entity]
            assert (-chance, partner) == min(cells, default=(0.0, -1))
