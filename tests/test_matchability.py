"""The chance of a counterpart by the number of facts: its formula, and what it recovers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea.adjacency import Adjacency
from lightea.matchability import matchability, staying_alone

quick = settings(deadline=None, max_examples=60)


def edges_with(left_facts: list[int], right_facts: list[int]) -> Adjacency:
    """Entities with so many facts each; nothing else is told of them."""
    nothing = np.empty(0, np.int32)
    offsets = np.concatenate([[0], np.cumsum([*left_facts, *right_facts])]).astype(np.int64)
    return Adjacency(
        n_left=len(left_facts),
        n_right=len(right_facts),
        n_forward_relations=1,
        offsets=offsets,
        relations=nothing,
        tails=nothing,
        relation_offsets=np.zeros(3, np.int64),
        relation_heads=nothing,
    )


def ids(numbers: object) -> np.ndarray:
    return np.array(sorted(numbers), np.int32)  # type: ignore[call-overload]


def without(n: int, seeds: np.ndarray) -> np.ndarray:
    return np.setdiff1d(np.arange(n, dtype=np.int32), seeds)


def as_pairs(left: object, right: object) -> np.ndarray:
    return np.stack([ids(left), ids(right)], axis=1)


# --- the formula -----------------------------------------------------------------------------------------


def test_two_classes_computed_by_hand() -> None:
    """Left: of 100 with one fact no seed, of 100 with three facts 50. Right: of 100 with two facts 50.

    Five entities with the average share are added to each class: on the right (50 + 2.5) / 105 = ½, less two
    standard errors √(¼ / 105) each, which is α. On the left (0 + 1.25) / 105 and (50 + 1.25) / 105.
    """
    edges = edges_with([1] * 100 + [3] * 100, [2] * 100)
    seeds = as_pairs(range(100, 150), range(50))
    left, right = without(200, seeds[:, 0]), without(100, seeds[:, 1])
    found = matchability(edges, left, right, seeds)
    alpha = 0.5 - 2 * math.sqrt(0.25 / 105)
    assert alpha < 51.25 / 105
    np.testing.assert_allclose(found.left, [1.25 / 105 / alpha] * 100 + [1.0] * 50, rtol=1e-12)
    np.testing.assert_allclose(found.right, [1.0] * 50)


def naive(edges: Adjacency, asked: list[np.ndarray], seeds: np.ndarray) -> list[list[float]]:
    """Entity by entity; classes are numbers of binary digits."""
    n = [edges.n_left, edges.n_right]
    classes = [int(count).bit_length() for count in np.diff(edges.offsets)]
    of_sides = [classes[: n[0]], classes[n[0] :]]
    shares: list[dict[int, float]] = []
    lower: list[float] = []
    for side in (0, 1):
        known = set(seeds[:, side].tolist())
        everybody = known | set(asked[side].tolist())
        average = len(known) / max(len(everybody), 1)
        share = {}
        for kind in range(max(of_sides[side], default=0) + 1):
            members = [entity for entity in everybody if of_sides[side][entity] == kind]
            n_all = len(members) + 5
            share[kind] = (len(set(members) & known) + 5 * average) / n_all
            lower.append(share[kind] - 2 * math.sqrt(share[kind] * (1 - share[kind]) / n_all))
        shares.append(share)
    alpha = max(lower)
    return [
        [
            1.0 if alpha <= 0 else min(1.0, max(0.02, shares[side][of_sides[side][entity]] / alpha))
            for entity in asked[side].tolist()
        ]
        for side in (0, 1)
    ]


counts = st.lists(st.integers(0, 9), min_size=1, max_size=40)


@quick
@given(left_facts=counts, right_facts=counts, data=st.data())
def test_it_is_the_formula_counted_naively(
    left_facts: list[int], right_facts: list[int], data: st.DataObject
) -> None:
    n = [len(left_facts), len(right_facts)]
    pair = st.tuples(st.integers(0, n[0] - 1), st.integers(0, n[1] - 1))
    drawn = data.draw(st.lists(pair, max_size=30, unique=True))
    seeds = np.array(sorted(drawn), np.int32).reshape(-1, 2)
    asked = []
    for side in (0, 1):
        free = without(n[side], seeds[:, side])
        asked.append(free[: data.draw(st.integers(0, len(free)))])
    edges = edges_with(left_facts, right_facts)
    found = matchability(edges, asked[0], asked[1], seeds)
    expected = naive(edges, asked, seeds)
    np.testing.assert_allclose(found.left, expected[0], rtol=1e-9)
    np.testing.assert_allclose(found.right, expected[1], rtol=1e-9)


# --- what it means ---------------------------------------------------------------------------------------


def test_without_seeds_nothing_is_held_against_anybody() -> None:
    everybody = np.arange(5, dtype=np.int32)
    found = matchability(
        edges_with([0, 1, 2, 3, 4], [1] * 5), everybody, everybody, np.empty((0, 2), np.int32)
    )
    assert found.left.tolist() == found.right.tolist() == [1.0] * 5


def test_seeds_that_are_a_random_sample_of_everybody_say_that_everybody_has_a_counterpart() -> None:
    rng = np.random.default_rng(0)
    n = 2000
    facts = rng.integers(0, 20, n).tolist()
    seeds = as_pairs(*[rng.permutation(n)[:600]] * 2)
    free = without(n, seeds[:, 0])
    found = matchability(edges_with(facts, facts), free, free, seeds)
    assert min(found.left.min(), found.right.min()) > 0.85


def test_it_recovers_the_chances_that_the_seeds_were_drawn_by() -> None:
    """Of the left entities with one fact a fifth has a counterpart, of those with five facts all have."""
    rng = np.random.default_rng(1)
    n = 5000
    linked = np.concatenate([rng.permutation(n)[: n // 5], n + np.arange(n)])
    chosen = np.flatnonzero(rng.random(len(linked)) < 0.3)
    seeds = np.stack([linked[chosen], chosen], axis=1).astype(np.int32)
    edges = edges_with([1] * n + [5] * n, [5] * len(linked))
    left = without(2 * n, seeds[:, 0])
    found = matchability(edges, left, without(len(linked), seeds[:, 1]), seeds)
    np.testing.assert_allclose(found.left[left < n], 0.2, atol=0.03)
    np.testing.assert_allclose(found.left[left >= n], 1.0, atol=0.03)
    np.testing.assert_allclose(found.right, 1.0, atol=0.03)


def test_who_is_not_asked_for_is_no_sign_that_counterparts_are_missing() -> None:
    """Else a search among a few entities would take everybody else for unmatched."""
    edges = edges_with([1] * 1000, [1] * 40)
    seeds = as_pairs(range(20), range(20))
    asked = np.arange(20, 40, dtype=np.int32)
    assert matchability(edges, asked, asked, seeds).left.min() == 1.0
    many = matchability(edges, without(1000, seeds[:, 0]), asked, seeds)
    assert many.left.max() < 0.3


def test_entities_that_stand_in_several_seeds_count_once() -> None:
    edges = edges_with([1, 1, 1, 3, 3], [1, 1, 2, 2, 2])
    one_each, crossed = np.array([[0, 0], [1, 1]], np.int32), np.array([[0, 0], [0, 1], [1, 1]], np.int32)
    free = np.arange(2, 5, dtype=np.int32)
    once, more = (matchability(edges, free, free, seeds) for seeds in (one_each, crossed))
    np.testing.assert_array_equal(once.left, more.left)
    np.testing.assert_array_equal(once.right, more.right)


def test_chances_are_neither_nothing_nor_more_than_one() -> None:
    edges = edges_with([1] * 5000 + [3] * 500, [3] * 500)
    seeds = as_pairs(range(5000, 5400), range(400))
    found = matchability(edges, without(5500, seeds[:, 0]), without(500, seeds[:, 1]), seeds)
    assert found.left.min() == 0.02
    assert max(found.left.max(), found.right.max()) == 1.0


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
