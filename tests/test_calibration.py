"""Held-back seeds: how they are chosen, what they teach, and what probabilities and thresholds come of it."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import assigned
from lightea.adjacency import adjacency
from lightea.assignment import Assignment, Matches
from lightea.calibration import (
    HIDDEN_SHARE,
    Calibration,
    calibrated,
    fit,
    reciprocal_ranks,
    split_seeds,
    worse_for,
)
from lightea.candidates import Candidates
from lightea.evidence import Beliefs, Evidence
from lightea.graph import Ids
from lightea.quality import best_threshold, expected_quality
from lightea.relations import RelationAgreement
from small_graphs import graph_of

quick = settings(deadline=None, max_examples=60)
sources = st.integers(0, 2**32 - 1).map(np.random.default_rng)


# --- hiding ----------------------------------------------------------------------------------------------


def as_set(pairs: Ids) -> set[tuple[int, ...]]:
    return {tuple(pair) for pair in pairs.tolist()}


@quick
@given(rng=sources, n=st.integers(0, 60), n_entities=st.sampled_from([5, 40, 1000]))
def test_seeds_are_either_known_or_hidden_and_hidden_entities_stand_in_one_seed(
    rng: np.random.Generator, n: int, n_entities: int
) -> None:
    seeds = np.unique(rng.integers(0, n_entities, (n, 2)), axis=0).astype(np.int32)
    before = seeds.copy()
    known, hidden = split_seeds(seeds, rng)
    np.testing.assert_array_equal(seeds, before)
    assert as_set(known) | as_set(hidden) == as_set(seeds)
    assert len(known) + len(hidden) == len(seeds)
    for side in (0, 1):
        counts = np.bincount(seeds[:, side], minlength=n_entities)
        assert (counts[hidden[:, side]] == 1).all()
    n_alone = sum(
        np.count_nonzero(seeds[:, 0] == i) == 1 and np.count_nonzero(seeds[:, 1] == j) == 1
        for i, j in seeds.tolist()
    )
    assert len(hidden) == min(n_alone, round(HIDDEN_SHARE * len(seeds)))
    for part in (known, hidden):
        assert part.tolist() == sorted(part.tolist())


def test_the_generator_decides_who_is_hidden_and_everybody_has_the_same_chance() -> None:
    seeds = np.stack([np.arange(50)] * 2, axis=1).astype(np.int32)
    one, same, other = (split_seeds(seeds, np.random.default_rng(seed))[1] for seed in (3, 3, 4))
    assert one.tolist() == same.tolist() != other.tolist()
    times = np.zeros(50)
    for random_seed in range(400):
        times[split_seeds(seeds, np.random.default_rng(random_seed))[1][:, 0]] += 1
    assert np.abs(times / 400 - HIDDEN_SHARE).max() < 0.1


# --- ranks -----------------------------------------------------------------------------------------------


def table(chances: list[list[float | None]]) -> Assignment:
    """An assignment of all pairs that have a chance; left entities are 10, 11, …, right ones 20, 21, …"""
    cells = [[(j, chance) for j, chance in enumerate(row) if chance is not None] for row in chances]
    ordered = [sorted(row, key=lambda cell: -cell[1]) for row in cells]
    candidates = Candidates(
        left=np.arange(10, 10 + len(chances), dtype=np.int32),
        right=np.arange(20, 20 + len(chances[0]), dtype=np.int32),
        indptr=np.concatenate([[0], np.cumsum([len(row) for row in ordered])]).astype(np.int64),
        columns=np.array([j for row in ordered for j, _ in row], np.int32),
        scores=np.array([chance for row in ordered for _, chance in row], np.float32),
    )
    return assigned(candidates, candidates.scores)


def test_ranks_by_hand() -> None:
    """First, third, one of two in second place, one of three in first place, not among the candidates."""
    found = table(
        [
            [0.7, 0.2, 0.1],
            [0.5, 0.2, 0.3],
            [0.4, 0.3, 0.3],
            [0.25, 0.25, 0.25],
            [0.9, None, None],
        ]
    )
    pairs = np.array([[10, 20], [11, 21], [12, 22], [13, 20], [14, 21]], np.int32)
    assert reciprocal_ranks(found, pairs).tolist() == pytest.approx([1.0, 1 / 3, 1 / 2.5, 1 / 2, 0.0])


@quick
@given(rng=sources)
def test_equal_candidates_share_the_middle_of_their_ranks(rng: np.random.Generator) -> None:
    n_rows, n_columns = rng.integers(1, 6, 2)
    drawn = rng.choice([0.0, 0.25, 0.5], (n_rows, n_columns)).tolist()
    present = (rng.random((n_rows, n_columns)) < 0.7).tolist()
    rows: list[list[float | None]] = [
        [chance if there else None for chance, there in zip(*row, strict=True)]
        for row in zip(drawn, present, strict=True)
    ]
    pairs = [(i, j) for i in range(n_rows) for j in range(n_columns)]
    expected = []
    for i, j in pairs:
        own, others = rows[i][j], [chance for chance in rows[i] if chance is not None]
        if own is None:
            expected.append(0.0)
            continue
        possible = [k + 1 for k, chance in enumerate(sorted(others, reverse=True)) if chance == own]
        expected.append(1.0 / (sum(possible) / len(possible)))
    found = reciprocal_ranks(table(rows), np.array(pairs, np.int32) + np.array([10, 20], np.int32))
    np.testing.assert_allclose(found, expected)


# --- is a round worse? -----------------------------------------------------------------------------------


def ranked(n_first: int, n_second: int) -> Assignment:
    """Entities whose partner, the first right entity, is in first place, and others who rank it second."""
    rows: list[list[float | None]] = [[0.6, 0.3]] * n_first + [[0.3, 0.6]] * n_second
    return table(rows)


def everybody_with_the_first(found: Assignment) -> Ids:
    left = found.candidates.left
    return np.stack([left, np.full(len(left), 20, np.int32)], axis=1)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((30, 0), (30, 0), False),  # nothing changed
        ((10, 20), (30, 0), False),  # better
        ((30, 0), (10, 20), True),  # two thirds fell
        ((30, 0), (0, 30), True),  # all fell, by the same
        ((30, 0), (29, 1), False),  # one fell, of thirty
    ],
)
def test_worse_is_who_ranks_the_hidden_lower_beyond_chance(
    first: tuple[int, int], second: tuple[int, int], expected: bool
) -> None:
    hidden = everybody_with_the_first(ranked(*first))
    assert worse_for(hidden)(ranked(*first), ranked(*second)) is expected


# --- fitting ---------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Rehearsed:
    """A rehearsal in which each left entity has one candidate, with odds that say how likely it is right."""

    assignment: Assignment
    evidence: Evidence
    beliefs: Beliefs
    hidden: Ids
    truth: np.ndarray
    """P(right) of each row's candidate."""


def no_beliefs(n_left: int, n_right: int) -> Beliefs:
    """Of graphs without facts."""
    edges = adjacency(graph_of([], n_entities=n_left), graph_of([], n_entities=n_right))
    nothing, no_chance = np.empty(0, np.int32), np.empty(0, np.float32)
    matches = Matches(n_right, np.zeros(n_left + 1, np.int64), nothing, no_chance)
    agreement = RelationAgreement(np.zeros(edges.n_relations + 1, np.int64), nothing, no_chance, no_chance)
    return Beliefs(edges, no_chance, matches, agreement, 1.0)


def no_evidence(candidates: Candidates) -> Evidence:
    """Zero for each pair of the candidates, in order of the right entity."""
    ids = candidates.right[candidates.columns]
    return Evidence(candidates.left, candidates.indptr, ids, np.zeros(len(ids), np.float32))


def rehearsed(n: int, share_hidden: float, share_matchable: float, random_seed: int = 0) -> Rehearsed:
    """n left entities whose only candidate has the log-odds z, and is right with chance σ(2z − 1).

    Who has no counterpart has low odds and is always wrong. Hidden is a share of those who have one.
    """
    rng = np.random.default_rng(random_seed)
    has_one = rng.random(n) < share_matchable
    odds = np.where(has_one, rng.normal(1.0, 1.5, n), rng.normal(-2.0, 1.0, n))
    truth = np.where(has_one, 1 / (1 + np.exp(-(2 * odds - 1))), 0.0)
    is_right = rng.random(n) < truth
    everybody = np.arange(n, dtype=np.int32)
    candidates = Candidates(everybody, everybody, np.arange(n + 1), everybody, np.zeros(n, np.float32))
    partner = np.where(is_right, everybody, (everybody + 1) % n).astype(np.int32)
    is_hidden = has_one & (rng.random(n) < share_hidden)
    return Rehearsed(
        assigned(candidates, 1 / (1 + np.exp(-odds))),
        no_evidence(candidates),
        no_beliefs(n, n),
        np.stack([everybody, partner], axis=1)[is_hidden],
        truth,
    )


def fitted(made: Rehearsed) -> Calibration:
    return fit(
        made.assignment,
        made.evidence,
        made.beliefs,
        made.hidden,
        nothing_known(made.beliefs),
        labels_help=True,
    )


def applied(made: Rehearsed, calibration: Calibration) -> Assignment:
    return calibrated(made.assignment, made.evidence, made.beliefs, nothing_known(made.beliefs), calibration)


def nothing_known(beliefs: Beliefs) -> np.ndarray:
    """Nobody is more like those in seeds than others."""
    return np.zeros(beliefs.edges.n_entities)


@pytest.mark.parametrize("n", [250, 3000], ids=["few traits", "all traits"])
def test_where_everybody_has_a_counterpart_the_chances_are_recovered(n: int) -> None:
    made = rehearsed(n, share_hidden=1.0, share_matchable=1.0)
    calibration = fitted(made)
    assert calibration.everybody_has_counterpart
    assert calibration.n_hidden == n
    found = applied(made, calibration).probabilities
    assert np.abs(found - made.truth).mean() < (
        0.07 if n == 250 else 0.03
    )  # few are drawn to the weights of other runs
    raw = made.assignment.probabilities
    assert np.abs(found - made.truth).mean() < (0.6 if n == 250 else 0.5) * np.abs(raw - made.truth).mean()


def test_where_many_have_none_the_share_of_hidden_seeds_is_recovered_and_the_rest_is_unlikely() -> None:
    n = 6000
    made = rehearsed(n, share_hidden=0.2, share_matchable=0.4)
    calibration = fitted(made)
    assert not calibration.everybody_has_counterpart
    assert calibration.hidden_share_of_true == pytest.approx(0.2, abs=0.04)
    n_true = 0.4 * n
    assert calibration.expected_links == pytest.approx(n_true - len(made.hidden), rel=0.2)
    found = applied(made, calibration).probabilities
    assert np.abs(found - made.truth).mean() < 0.1
    by_chance = [float(made.truth[(low <= found) & (found < low + 0.2)].mean()) for low in (0.0, 0.4, 0.8)]
    assert by_chance[0] < 0.15
    assert 0.25 < by_chance[1] < 0.75
    assert by_chance[2] > 0.8


def test_the_table_of_reliability_covers_all_links_and_rises() -> None:
    made = rehearsed(3000, share_hidden=1.0, share_matchable=1.0)
    bins = fitted(made).reliability
    assert [entry.lowest for entry in bins] == pytest.approx([number / 10 for number in range(10)])
    assert [entry.highest for entry in bins] == pytest.approx([number / 10 for number in range(1, 11)])
    assert sum(entry.n_links for entry in bins) == sum(entry.n_hidden for entry in bins) == 3000
    for entry in bins:
        assert entry.estimated_precision is not None
        assert entry.lowest <= entry.mean_probability <= entry.highest
        assert entry.estimated_precision == pytest.approx(entry.mean_probability, abs=0.12)


def test_a_fit_is_the_same_to_the_last_bit_and_changes_nothing() -> None:
    made = rehearsed(400, share_hidden=0.3, share_matchable=0.7)
    before = made.assignment.probabilities.copy()
    assert fitted(made) == fitted(made)
    np.testing.assert_array_equal(made.assignment.probabilities, before)


def test_whether_labels_helped_is_kept() -> None:
    made = rehearsed(100, share_hidden=0.5, share_matchable=1.0)
    for labels_help in (True, False):
        calibration = fit(
            made.assignment,
            made.evidence,
            made.beliefs,
            made.hidden,
            nothing_known(made.beliefs),
            labels_help=labels_help,
        )
        assert calibration.labels_help is labels_help


@pytest.mark.parametrize("all_right", [True, False])
def test_a_fit_of_nothing_but_right_or_wrong_answers_stays_finite(all_right: bool) -> None:
    made = rehearsed(200, share_hidden=1.0, share_matchable=1.0)
    everybody = np.arange(200, dtype=np.int32)
    partner = everybody if all_right else np.roll(everybody, 1)
    calibration = fitted(dataclasses.replace(made, hidden=np.stack([everybody, partner], axis=1)))
    assert np.isfinite(calibration.weights).all()
    found = applied(made, calibration).probabilities
    assert (found.mean() > 0.9) if all_right else (found.mean() < 0.1)


def test_who_has_no_candidates_is_no_obstacle() -> None:
    made = rehearsed(60, share_hidden=1.0, share_matchable=1.0)
    old = made.assignment.candidates
    counts = np.arange(60) % 3 > 0  # every third row is empty
    indptr = np.concatenate([[0], np.cumsum(counts)])
    candidates = Candidates(old.left, old.right, indptr, old.columns[counts], old.scores[counts])
    gaps = dataclasses.replace(
        made,
        assignment=assigned(candidates, made.assignment.probabilities[counts]),
        evidence=no_evidence(candidates),
    )
    found = applied(gaps, fitted(gaps))
    assert (found.no_match[~counts] == 1.0).all()


# --- applying --------------------------------------------------------------------------------------------


def some_calibration(weights: tuple[float, ...]) -> Calibration:
    """The log-odds and being each other's best, weighed like this."""
    return Calibration(
        n_hidden=10,
        hidden_share_of_true=0.2,
        everybody_has_counterpart=True,
        weights=weights,
        centre=(0.0, 0.0),
        scale=(1.0, 1.0),
        labels_help=True,
        expected_links=40.0,
    )


def calibrate(found: Assignment, *weights: float) -> Assignment:
    candidates = found.candidates
    n_left, n_right = (int(side.max(initial=0)) + 1 for side in (candidates.left, candidates.right))
    beliefs = no_beliefs(n_left, n_right)
    odds = nothing_known(beliefs)
    return calibrated(found, no_evidence(candidates), beliefs, odds, some_calibration(weights))


def test_a_row_by_hand() -> None:
    """Candidates .6 and .3, none .1. The best gets ¾: the others keep ¼ of all, 5/8 of what they had."""
    found = calibrate(table([[0.6, 0.3]]), math.log(3), 0.0, 0.0)
    assert found.probabilities.tolist() == pytest.approx([0.75, 0.3 * 0.625])
    assert found.no_match.tolist() == pytest.approx([0.1 * 0.625])


def test_where_the_best_loses_its_row_loses_in_proportion_and_having_none_gains() -> None:
    """From .6 to ¼: all candidates keep 5/12 of what they had."""
    found = calibrate(table([[0.6, 0.3]]), -math.log(3), 0.0, 0.0)
    assert found.probabilities.tolist() == pytest.approx([0.25, 0.3 * 5 / 12])
    assert found.no_match.tolist() == pytest.approx([1 - 0.25 - 0.125])


def test_candidates_that_nothing_tells_apart_stay_so_and_share_at_most_all() -> None:
    found = calibrate(table([[0.3, 0.3, 0.1]]), 9.0, 0.0, 0.0)
    assert found.probabilities[0] == found.probabilities[1] == pytest.approx(0.5, abs=1e-3)
    assert found.probabilities.sum() <= 1 + 1e-6


@st.composite
def assignments(draw: st.DrawFn) -> Assignment:
    """Rows that add up to at most one, with ties and zeros; some are empty."""
    rng = draw(sources)
    n_rows, n_columns = rng.integers(1, 7, 2)
    rows: list[list[float | None]] = []
    for _ in range(n_rows):
        chances = rng.choice([0.0, 1e-6, 0.1, 0.1, 0.5, 1.0], n_columns)
        chances = chances / max(chances.sum(), 1.0)
        rows.append([float(chance) if rng.random() < 0.7 else None for chance in chances])
    return table(rows)


weights = st.floats(-8, 8)


@quick
@given(found=assignments(), first=weights, of_odds=weights, of_mutual=weights)
def test_rows_add_up_to_one_and_candidates_keep_their_order(
    found: Assignment, first: float, of_odds: float, of_mutual: float
) -> None:
    before = found.probabilities.copy()
    after = calibrate(found, first, of_odds, of_mutual)
    np.testing.assert_array_equal(found.probabilities, before)
    assert after.candidates is found.candidates
    candidates = found.candidates
    sums = np.bincount(candidates.rows, after.probabilities.astype(np.float64), len(candidates.left))
    np.testing.assert_allclose(sums + after.no_match, 1.0, atol=1e-6)
    assert (after.probabilities >= 0).all()
    assert (after.no_match >= 0).all()
    for row in range(len(candidates.left)):
        stretch = slice(candidates.indptr[row], candidates.indptr[row + 1])
        old, new = found.probabilities[stretch], after.probabilities[stretch]
        for i in range(len(old)):
            assert (new[i] > 0) <= (old[i] > 0)
            for j in range(len(old)):
                if old[i] > old[j]:
                    assert new[i] >= new[j]
                if old[i] == old[j]:
                    assert new[i] == new[j]


# --- quality ---------------------------------------------------------------------------------------------


def test_quality_by_hand() -> None:
    """Links of .9 and .8 are kept: 1.7 of two are right, and of two true links."""
    found = expected_quality(np.array([0.9, 0.3, 0.8], np.float32), 0.5, 2.0)
    assert found.threshold == 0.5
    assert (found.precision, found.recall, found.f1) == pytest.approx((0.85, 0.85, 0.85))
    lower = expected_quality(np.array([0.9, 0.3, 0.8], np.float32), 0.0, 4.0)
    assert (lower.precision, lower.recall, lower.f1) == pytest.approx((2 / 3, 0.5, 2 * 2 / 7))


def test_a_link_at_the_threshold_is_kept() -> None:
    assert expected_quality(np.array([0.6], np.float32), 0.6, 1.0).recall == pytest.approx(0.6)


def test_no_links_have_no_quality() -> None:
    found = expected_quality(np.empty(0, np.float32), 0.5, 10.0)
    assert (found.precision, found.recall, found.f1) == (0.0, 0.0, 0.0)
    nothing_true = expected_quality(np.empty(0, np.float32), 0.5, 0.0)
    assert (nothing_true.precision, nothing_true.recall, nothing_true.f1) == (0.0, 0.0, 0.0)


chances = st.lists(st.floats(0, 1, width=32), max_size=30).map(lambda values: np.array(values, np.float32))
n_expected = st.floats(0, 50)


@quick
@given(probability=chances, threshold=st.floats(0, 1), expected_links=n_expected)
def test_measures_are_shares_and_f1_is_their_harmonic_mean(
    probability: np.ndarray, threshold: float, expected_links: float
) -> None:
    found = expected_quality(probability, threshold, expected_links)
    assert 0 <= found.precision <= 1
    assert 0 <= found.recall <= 1
    if found.precision + found.recall > 0:
        harmonic = 2 * found.precision * found.recall / (found.precision + found.recall)
        assert found.f1 == pytest.approx(harmonic, abs=1e-6)


@quick
@given(probability=chances, expected_links=n_expected)
def test_no_threshold_promises_more_than_the_best(probability: np.ndarray, expected_links: float) -> None:
    best = best_threshold(probability, expected_links)
    assert 0 < best < 1
    if not probability.any():
        assert best == 0.5
        return
    promised = expected_quality(probability, best, expected_links).f1
    for percent in range(1, 100):
        assert promised >= expected_quality(probability, percent / 100, expected_links).f1 - 1e-12


@pytest.mark.parametrize(
    ("made", "lowest", "highest"),
    [
        # eleven links, of which the sure ones are all that there is to find
        ([0.99] * 10 + [0.05] * 40, 0.05, 0.99),
        # all are worth it: half of them right, and many to find
        ([0.5] * 30, 0.0, 0.5),
    ],
)
def test_the_best_threshold_keeps_what_is_worth_it(made: Any, lowest: float, highest: float) -> None:
    best = best_threshold(np.array(made, np.float32), float(np.sum(made)))
    assert lowest < best <= highest
