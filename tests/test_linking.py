"""Which pairs become links, and from which probability: by hand, and against plain loops."""

from __future__ import annotations

import dataclasses
import logging

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handmade
from lightea.assignment import Assignment, assign
from lightea.calibration import Calibration
from lightea.config import Config
from lightea.errors import ConfigError
from lightea.linking import (
    check_precision,
    eligible_pairs,
    own_choices,
    select_links,
    threshold_for_precision,
)

SURE_OF_ONE = {0: [(0, 0.5, 1.0), (1, 0.5, 1.0)], 1: [(2, 0.9, 1.0), (0, 0.02, 0.1)]}
"""The left entity 0 has two partners that are equally good, 1 has one."""


def made(rows: dict[int, handmade.Row]) -> Assignment:
    return handmade.alignment(rows).assignment


def pairs(
    rows: dict[int, handmade.Row], cardinality: str, least: float = 0.5
) -> dict[tuple[int, int], float]:
    chosen = select_links(made(rows), cardinality=cardinality, threshold=least)
    ids = zip(chosen.left_ids.tolist(), chosen.right_ids.tolist(), strict=True)
    return dict(zip(ids, chosen.probability.tolist(), strict=True))


def test_one_to_one_takes_neither_of_two_equal_partners() -> None:
    assert pairs(SURE_OF_ONE, "one-to-one") == {(1, 2): pytest.approx(0.9)}


def test_one_to_many_takes_both_and_is_as_sure_of_each_as_the_right_entity_is() -> None:
    """Left 0 is certain to have a partner, so it counts as open by 0.2; right 1 is left alone with 0.5."""
    found = pairs(SURE_OF_ONE, "one-to-many")
    assert set(found) == {(0, 0), (0, 1), (1, 2)}
    assert found[0, 1] == pytest.approx((0.5 / 0.2) / (0.5 + 0.5 / 0.2))
    by_rival = 0.02 / 0.2
    assert found[0, 0] == pytest.approx((0.5 / 0.2) / (0.48 + 0.5 / 0.2 + by_rival), rel=1e-5)


def test_many_to_one_is_one_to_many_seen_from_the_other_side() -> None:
    turned = {0: [(0, 0.5, 1.0)], 1: [(0, 0.5, 1.0)], 2: [(1, 0.9, 1.0)]}
    assert set(pairs(turned, "many-to-one")) == {(0, 0), (1, 0), (2, 1)}
    assert set(pairs(turned, "one-to-one")) == {(2, 1)}
    assert set(pairs(turned, "one-to-many")) == {(2, 1)}


def test_many_to_many_takes_what_either_side_is_sure_of() -> None:
    several = {0: [(0, 0.5, 1.0), (1, 0.5, 1.0)], 1: [(2, 0.5, 1.0)], 2: [(2, 0.5, 1.0)]}
    assert set(pairs(several, "many-to-many")) == {(0, 0), (0, 1), (1, 2), (2, 2)}
    assert set(pairs(several, "one-to-many")) == {(0, 0), (0, 1)}
    assert set(pairs(several, "many-to-one")) == {(1, 2), (2, 2)}


def test_a_rival_that_is_better_off_elsewhere_is_no_second_partner() -> None:
    """Left 0 is a little like right 1, which has a partner of its own."""
    rows = {0: [(0, 0.9, 1.0), (1, 0.05, 0.5)], 1: [(1, 0.93, 1.0)]}
    assert set(pairs(rows, "one-to-many")) == {(0, 0), (1, 1)}
    assert set(pairs(rows, "many-to-many")) == {(0, 0), (1, 1)}


@st.composite
def assignments(draw: st.DrawFn) -> Assignment:
    n_rows, n_columns = draw(st.integers(0, 5)), draw(st.integers(1, 5))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = {
        row: [
            (int(column), 0.0, float(generator.normal()))
            for column in np.flatnonzero(generator.random(n_columns) < 0.7)
        ]
        for row in range(n_rows)
    }
    candidates = handmade.alignment(rows, answers=range(n_columns)).assignment.candidates
    return assign(candidates, temperature=draw(st.sampled_from([0.1, 1.0])), iterations=50, no_match=0.1)


def naive_choices(assignment: Assignment) -> tuple[list[float], list[float]]:
    """The formulas of the module, pair by pair."""
    candidates = assignment.candidates
    pairs = list(zip(candidates.rows.tolist(), candidates.columns.tolist(), strict=True))
    chance = dict(zip(pairs, assignment.probabilities.tolist(), strict=True))
    n = [max(alone, 0.2) for alone in assignment.no_match.tolist()]
    m = [
        max(1.0 - sum(p for (_, column), p in chance.items() if column == j), 0.2)
        for j in range(len(candidates.right))
    ]
    by_right, by_left = [], []
    for i, j in pairs:
        rivals_of_j = sum(p / n[row] for (row, column), p in chance.items() if column == j)
        rivals_of_i = sum(p / m[column] for (row, column), p in chance.items() if row == i)
        by_right.append(chance[i, j] / n[i] / (m[j] + rivals_of_j))
        by_left.append(chance[i, j] / m[j] / (n[i] + rivals_of_i))
    return by_right, by_left


@given(assignments())
def test_own_choices_are_those_of_a_plain_loop(assignment: Assignment) -> None:
    for fast, slow in zip(own_choices(assignment), naive_choices(assignment), strict=True):
        np.testing.assert_allclose(fast, slow, rtol=1e-5, atol=1e-7)


@given(assignments())
def test_each_cardinality_keeps_its_promise(assignment: Assignment) -> None:
    for cardinality in ("one-to-one", "one-to-many", "many-to-one", "many-to-many"):
        left, right, chance = eligible_pairs(assignment, cardinality)
        assert np.all((chance > 0) & (chance <= 1))
        if cardinality in {"one-to-one", "many-to-one"}:
            assert len(np.unique(left)) == len(left)
        if cardinality in {"one-to-one", "one-to-many"}:
            assert len(np.unique(right)) == len(right)
        keys = left.astype(np.int64) << 32 | right
        assert np.all(np.diff(keys) > 0)


# The threshold


def fitted(expected_links: float = 10.0) -> Calibration:
    return Calibration(100, 0.1, False, (0.0,), (), (), True, expected_links)


@pytest.mark.parametrize(
    ("precision", "threshold"),
    [(0.99, 1.0), (0.95, 0.9), (0.9, 0.8), (0.8, 0.8), (0.75, 0.6), (0.0, 0.4), (0.5, 0.4)],
)
def test_the_threshold_for_a_precision_is_the_lowest_that_keeps_it(
    precision: float, threshold: float
) -> None:
    chances = np.array([0.6, 1.0, 0.9, 0.8, 0.6, 0.4], np.float32)
    assert threshold_for_precision(chances, precision) == pytest.approx(threshold)


@given(st.lists(st.floats(0.0, 1.0, width=32), min_size=1), st.floats(0, 1))
def test_no_lower_threshold_would_keep_the_precision(chances: list[float], precision: float) -> None:
    values = np.array(chances, np.float32)
    threshold = threshold_for_precision(values, precision)
    kept = values[values >= np.float32(threshold)].astype(np.float64)
    if len(kept):
        assert kept.mean() >= precision - 1e-5
    for lower in np.unique(values[values < np.float32(threshold)]):
        assert values[values >= lower].astype(np.float64).mean() < precision + 1e-5


def test_a_precision_that_nothing_reaches_gives_no_links_and_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        chosen = select_links(made({0: [(0, 0.6, 1.0)]}), precision=0.9)
    assert (len(chosen.left_ids), chosen.threshold) == (0, 1.0)
    assert "no link is probable enough for a precision of 0.9 (the surest has 0.600)" in caplog.text
    assert threshold_for_precision(np.empty(0, np.float32), 0.5) == 1.0


def test_the_precision_chooses_the_threshold() -> None:
    rows = {0: [(0, 0.99, 1.0)], 1: [(1, 0.93, 1.0)], 2: [(2, 0.6, 1.0)]}
    chosen = select_links(made(rows), fitted(), precision=0.95)
    assert chosen.left_ids.tolist() == [0, 1]
    assert chosen.threshold == pytest.approx(0.93)


def test_without_either_the_best_f1_decides_and_otherwise_one_half() -> None:
    rows = {0: [(0, 0.9, 1.0)], 1: [(1, 0.45, 1.0)], 2: [(2, 0.05, 1.0)]}
    assert select_links(made(rows)).threshold == 0.5
    assert select_links(made(rows), fitted(2.0)).left_ids.tolist() == [0, 1]
    assert select_links(made(rows), fitted(2.0), cardinality="many-to-many").threshold == 0.5


def test_a_precision_is_refused_where_nothing_can_estimate_it() -> None:
    auto = Config.for_preset("auto", precision=0.95)
    check_precision(auto, 50)
    check_precision(Config(), 0)
    with pytest.raises(ConfigError, match="cannot be aimed at with 49 seeds") as caught:
        check_precision(auto, 49)
    assert caught.value.hint == "give 50 seeds or more, or a threshold instead"
    with pytest.raises(ConfigError, match="preset 'basic': its probabilities are not calibrated"):
        check_precision(Config(precision=0.95), 1_000)
    with pytest.raises(ConfigError, match=r"precision 0\.95 and threshold 0\.5 exclude each other"):
        check_precision(auto.replace(threshold=0.5), 1_000)


def test_precision_and_cardinality_are_checked_when_set() -> None:
    with pytest.raises(ConfigError, match=r"precision is 1\.5, but must lie between 0\.0 and 1\.0"):
        Config(precision=1.5)
    with pytest.raises(
        ConfigError, match="cardinality is 'one', but must be one of: one-to-one, one-to-many"
    ):
        Config(cardinality="one")  # type: ignore[arg-type]
    kept = Config(precision=0.9, cardinality="many-to-many")
    assert dataclasses.asdict(Config.loads(kept.replace().dumps()))["cardinality"] == "many-to-many"
