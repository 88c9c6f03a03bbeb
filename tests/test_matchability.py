"""The chance of a counterpart by the kind of entity: its formula, and what it recovers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea.adjacency import adjacency
from lightea.graph import Ids
from lightea.matchability import Matchability, likeness, matchability, staying_alone
from small_graphs import graph_of

quick = settings(deadline=None, max_examples=60)


def odds(left: list[int], right: list[int]) -> np.ndarray:
    """How much each entity is like those in seeds; the left ones first."""
    return np.array([*left, *right], np.float64)


def ids(numbers: object) -> np.ndarray:
    return np.array(sorted(numbers), np.int32)  # type: ignore[call-overload]


def without(n: int, seeds: np.ndarray) -> np.ndarray:
    return np.setdiff1d(np.arange(n, dtype=np.int32), seeds)


def as_pairs(left: object, right: object) -> np.ndarray:
    return np.stack([ids(left), ids(right)], axis=1)


# --- the formula -----------------------------------------------------------------------------------------


def test_two_kinds_computed_by_hand() -> None:
    """Left: of 100 with low odds no seed, of 100 with high ones 50. Right: of 100 alike 50.

    Five entities with the average share are added to each kind: on the right (50 + 2.5) / 105 = ½, less two
    standard errors √(¼ / 105) each, which is α. On the left (0 + 1.25) / 105 and (50 + 1.25) / 105.
    """
    given_odds = odds([1] * 100 + [3] * 100, [2] * 100)
    seeds = as_pairs(range(100, 150), range(50))
    left, right = without(200, seeds[:, 0]), without(100, seeds[:, 1])
    found = matchability(given_odds, 200, left, right, seeds)
    alpha = 0.5 - 2 * math.sqrt(0.25 / 105)
    assert alpha < 51.25 / 105
    np.testing.assert_allclose(found.left, [1.25 / 105 / alpha] * 100 + [1.0] * 50, rtol=1e-12)
    np.testing.assert_allclose(found.right, [1.0] * 50)


def naive(
    given_odds: np.ndarray, n_left: int, asked: list[np.ndarray], seeds: np.ndarray
) -> list[list[float]]:
    """Entity by entity; kinds are sixteenths of those who take part."""
    of_sides = [given_odds[:n_left], given_odds[n_left:]]
    shares: list[dict[int, float]] = []
    kinds: list[list[int]] = []
    lower: list[float] = []
    for side in (0, 1):
        known = set(seeds[:, side].tolist())
        everybody = sorted(known | set(asked[side].tolist()))
        borders = np.quantile(of_sides[side][everybody], [k / 16 for k in range(1, 16)]) if everybody else []
        kinds.append([sum(bool(border < value) for border in borders) for value in of_sides[side]])
        average = len(known) / max(len(everybody), 1)
        share = {}
        for kind in range(16):
            members = [entity for entity in everybody if kinds[side][entity] == kind]
            n_all = len(members) + 5
            share[kind] = (len(set(members) & known) + 5 * average) / n_all
            lower.append(share[kind] - 2 * math.sqrt(share[kind] * (1 - share[kind]) / n_all))
        shares.append(share)
    alpha = max(lower)
    return [
        [
            1.0 if alpha <= 0 else min(1.0, max(0.02, shares[side][kinds[side][entity]] / alpha))
            for entity in asked[side].tolist()
        ]
        for side in (0, 1)
    ]


values = st.lists(st.integers(0, 9), min_size=1, max_size=40)


@quick
@given(of_left=values, of_right=values, data=st.data())
def test_it_is_the_formula_counted_naively(
    of_left: list[int], of_right: list[int], data: st.DataObject
) -> None:
    n = [len(of_left), len(of_right)]
    pair = st.tuples(st.integers(0, n[0] - 1), st.integers(0, n[1] - 1))
    drawn = data.draw(st.lists(pair, max_size=30, unique=True))
    seeds = np.array(sorted(drawn), np.int32).reshape(-1, 2)
    asked = []
    for side in (0, 1):
        free = without(n[side], seeds[:, side])
        asked.append(free[: data.draw(st.integers(0, len(free)))])
    found = matchability(odds(of_left, of_right), n[0], asked[0], asked[1], seeds)
    expected = naive(odds(of_left, of_right), n[0], asked, seeds)
    np.testing.assert_allclose(found.left, expected[0], rtol=1e-9)
    np.testing.assert_allclose(found.right, expected[1], rtol=1e-9)


# --- what it means ---------------------------------------------------------------------------------------


def test_without_seeds_nothing_is_held_against_anybody() -> None:
    everybody = np.arange(5, dtype=np.int32)
    found = matchability(odds([0, 1, 2, 3, 4], [1] * 5), 5, everybody, everybody, np.empty((0, 2), np.int32))
    assert found.left.tolist() == found.right.tolist() == [1.0] * 5


def test_seeds_that_are_a_random_sample_of_everybody_say_that_everybody_has_a_counterpart() -> None:
    rng = np.random.default_rng(0)
    n = 2000
    facts = rng.integers(0, 20, n).tolist()
    seeds = as_pairs(*[rng.permutation(n)[:600]] * 2)
    free = without(n, seeds[:, 0])
    found = matchability(odds(facts, facts), n, free, free, seeds)
    assert min(found.left.min(), found.right.min()) > 0.85


def test_it_recovers_the_chances_that_the_seeds_were_drawn_by() -> None:
    """Of the left entities with low odds a fifth has a counterpart, of those with high ones all have."""
    rng = np.random.default_rng(1)
    n = 5000
    linked = np.concatenate([rng.permutation(n)[: n // 5], n + np.arange(n)])
    chosen = np.flatnonzero(rng.random(len(linked)) < 0.3)
    seeds = np.stack([linked[chosen], chosen], axis=1).astype(np.int32)
    given_odds = odds([1] * n + [5] * n, [5] * len(linked))
    left = without(2 * n, seeds[:, 0])
    found = matchability(given_odds, 2 * n, left, without(len(linked), seeds[:, 1]), seeds)
    np.testing.assert_allclose(found.left[left < n], 0.2, atol=0.03)
    np.testing.assert_allclose(found.left[left >= n], 1.0, atol=0.03)
    np.testing.assert_allclose(found.right, 1.0, atol=0.03)


def test_who_is_not_asked_for_is_no_sign_that_counterparts_are_missing() -> None:
    """Else a search among a few entities would take everybody else for unmatched."""
    given_odds = odds([1] * 1000, [1] * 40)
    seeds = as_pairs(range(20), range(20))
    asked = np.arange(20, 40, dtype=np.int32)
    assert matchability(given_odds, 1000, asked, asked, seeds).left.min() == 1.0
    many = matchability(given_odds, 1000, without(1000, seeds[:, 0]), asked, seeds)
    assert many.left.max() < 0.3


def test_entities_that_stand_in_several_seeds_count_once() -> None:
    given_odds = odds([1, 1, 1, 3, 3], [1, 1, 2, 2, 2])
    one_each, crossed = np.array([[0, 0], [1, 1]], np.int32), np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    free = np.arange(2, 5, dtype=np.int32)
    once, more = (matchability(given_odds, 5, free, free, seeds) for seeds in (one_each, crossed))
    np.testing.assert_array_equal(once.left, more.left)
    np.testing.assert_array_equal(once.right, more.right)


def test_chances_are_neither_nothing_nor_more_than_one() -> None:
    given_odds = odds([1] * 5000 + [3] * 500, [3] * 500)
    seeds = as_pairs(range(5000, 5400), range(400))
    found = matchability(given_odds, 5500, without(5500, seeds[:, 0]), without(500, seeds[:, 1]), seeds)
    assert found.left.min() == 0.02
    assert max(found.left.max(), found.right.max()) == 1.0


# --- likeness --------------------------------------------------------------------------------------------


def kinds_of_entities() -> tuple[np.ndarray, Ids, Matchability]:
    """Left entities with relation 0 have a counterpart, those with relation 1 have none; facts as many.

    Returned are the likeness of all, the seeds, and what comes of them.
    """
    rng = np.random.default_rng(2)
    n = 400
    left = [(i, i % 2, int(rng.integers(0, 2 * n))) for i in range(2 * n)]
    right = [(i, 0, int(rng.integers(0, n))) for i in range(n)]
    linked = np.flatnonzero(np.arange(2 * n) % 2 == 0)
    chosen = np.sort(rng.permutation(n)[: n // 4])
    seeds = np.stack([linked[chosen], chosen], axis=1).astype(np.int32)
    edges = adjacency(graph_of(left, n_entities=2 * n), graph_of(right, n_entities=n))
    found = likeness(edges, seeds)
    everybody = np.arange(2 * n, dtype=np.int32)
    return found, seeds, matchability(found, 2 * n, everybody, everybody[:n], seeds)


def test_kinds_of_entities_that_stand_in_no_seed_are_told_by_their_relations() -> None:
    found, _, chances = kinds_of_entities()
    has_seeds = np.arange(800) % 2 == 0
    with_seeds, without_seeds = found[:800][has_seeds], found[:800][~has_seeds]
    assert (with_seeds[:, None] > without_seeds).mean() > 0.9
    assert chances.left[~has_seeds].mean() < 0.2
    assert chances.left[has_seeds].mean() > 0.8


def test_nobody_is_judged_by_whether_it_stands_in_a_seed_itself() -> None:
    """Of entities of one kind, those in seeds are as likely as the others."""
    found, seeds, _ = kinds_of_entities()
    is_seed = np.isin(np.arange(800), seeds[:, 0])
    of_kind = np.arange(800) % 2 == 0
    inside, outside = found[:800][of_kind & is_seed], found[:800][of_kind & ~is_seed]
    assert abs(inside.mean() - outside.mean()) < 0.2 * found[:800].std()


def test_likeness_of_graphs_without_seeds_tells_nobody_from_another() -> None:
    edges = adjacency(graph_of([(0, 0, 1), (1, 0, 2)], n_entities=3), graph_of([(0, 0, 1)], n_entities=2))
    found = likeness(edges, np.empty((0, 2), np.int32))
    assert np.isfinite(found).all()


# --- the score of staying alone --------------------------------------------------------------------------


def test_even_odds_or_better_leave_the_score_as_it_is() -> None:
    assert staying_alone(np.array([0.5, 0.7, 1.0]), 0.2, 0.1).tolist() == pytest.approx([0.2, 0.2, 0.2])


def test_odds_against_a_counterpart_raise_the_score_by_their_logarithm() -> None:
    found = staying_alone(np.array([0.1, 0.02]), 0.2, 0.1)
    assert found.tolist() == pytest.approx([0.2 + 0.1 * math.log(9), 0.2 + 0.1 * math.log(49)])


@quick
@given(chances=st.lists(st.floats(0.02, 1.0), min_size=2, max_size=9), temperature=st.floats(1e-4, 10.0))
def test_the_less_likely_a_counterpart_the_higher_the_score(chances: list[float], temperature: float) -> None:
    found = staying_alone(np.array(sorted(chances)), -1.0, temperature)
    assert np.isfinite(found).all()
    assert (np.diff(found) <= 0).all()
