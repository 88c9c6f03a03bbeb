"""The search against brute force: in any tiles, with either kind of product, at any number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import candidates, config
from lightea.candidates import Candidates, find_candidates, search
from lightea.codes import Codes, quantise

quick = settings(deadline=None, max_examples=60)
widths = st.sampled_from([1, 3, 64, 65, 100])


# --- made-up codes -------------------------------------------------------------------------------------


def codes_of(values: np.ndarray) -> Codes:
    lengths = np.linalg.norm(values.astype(np.float64), axis=1)
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return Codes(values.astype(np.int8), inverse.astype(np.float32))


@dataclass(frozen=True)
class Sides:
    """Two sides to be compared; some rows are zero, and with small values many products are equal."""

    left: Codes
    right: Codes


@st.composite
def sides(draw: st.DrawFn, *, most_rows: int = 50) -> Sides:
    rng, width = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(widths)
    largest = draw(st.sampled_from([1, 3, 127]))
    both = []
    for _ in range(2):
        n = draw(st.integers(0, most_rows))
        values = rng.integers(-largest, largest + 1, (n, width))
        values[rng.random(n) < 0.2] = 0
        both.append(codes_of(values))
    return Sides(*both)


def brute_force(left: Codes, right: Codes, n_best: int) -> list[list[int]]:
    """Right rows of each left row: largest product first, then smallest number; zeros take no part."""
    products = left.values.astype(np.int64) @ right.values.astype(np.int64).T
    offered = np.flatnonzero((right.values != 0).any(axis=1))
    rows = []
    for own, product in zip(left.values, products, strict=True):
        order = offered[np.argsort(-product[offered], kind="stable")] if own.any() else offered[:0]
        rows.append(order[:n_best].tolist())
    return rows


def as_rows(indptr: np.ndarray, columns: np.ndarray) -> list[list[int]]:
    return [columns[low:high].tolist() for low, high in pairwise(indptr)]


@contextmanager
def changed(**values: object) -> Iterator[None]:
    """Other values for names of the module, for a while."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setattr(candidates, name, value)
        yield


tiny_tiles = {"_ROWS_AT_ONCE": 3, "_COLUMNS_AT_ONCE": 5}
float_products = {"_has_int8_products": lambda: False}


# --- search --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "setting",
    [{}, tiny_tiles, float_products, tiny_tiles | float_products],
    ids=["as it is", "tiny tiles", "float32", "tiny tiles in float32"],
)
@quick
@given(both=sides(), n_best=st.integers(1, 70))
def test_search_finds_what_brute_force_finds(setting: dict[str, object], both: Sides, n_best: int) -> None:
    with changed(**setting):
        indptr, columns = search(both.left, both.right, n_best)
    assert as_rows(indptr, columns) == brute_force(both.left, both.right, n_best)


@quick
@given(both=sides(), n_best=st.integers(1, 20))
def test_search_finds_the_same_at_two_threads(both: Sides, n_best: int) -> None:
    with changed(_ROWS_AT_ONCE=3):
        one, two = (search(both.left, both.right, n_best, threads=threads) for threads in (1, 2))
    for first, second in zip(one, two, strict=True):
        assert first.tobytes() == second.tobytes()


def test_full_tiles_and_full_codes_are_searched_exactly() -> None:
    """Products at the edge of what float32 holds exactly."""
    rng = np.random.default_rng(0)
    left, right = (quantise(rng.standard_normal((n, 4096)).astype(np.float32)) for n in (40, 500))
    expected = brute_force(left, right, 30)
    for setting in ({}, float_products):
        with changed(**setting):
            assert as_rows(*search(left, right, 30)) == expected


def test_equal_rows_are_found_in_order_of_their_numbers() -> None:
    same = codes_of(np.ones((100, 8)))
    indptr, columns = search(codes_of(np.ones((1, 8))), same, 7)
    assert as_rows(indptr, columns) == [[0, 1, 2, 3, 4, 5, 6]]


def test_rows_of_zeros_find_nothing_and_are_found_by_nobody() -> None:
    left = codes_of(np.array([[0, 0], [1, 2]]))
    right = codes_of(np.array([[-1, -2], [0, 0], [1, 0]]))
    assert as_rows(*search(left, right, 5)) == [[], [2, 0]]


def test_nothing_to_search_or_nothing_to_find() -> None:
    nobody, zeros, somebody = (
        codes_of(np.empty((0, 4))),
        codes_of(np.zeros((3, 4))),
        codes_of(np.ones((2, 4))),
    )
    assert as_rows(*search(nobody, somebody, 5)) == []
    assert as_rows(*search(somebody, nobody, 5)) == [[], []]
    assert as_rows(*search(zeros, somebody, 5)) == [[], [], []]
    assert as_rows(*search(somebody, zeros, 5)) == [[], []]


@quick
@given(both=sides())
def test_search_tells_how_far_it_is(both: Sides) -> None:
    told: list[tuple[int, int]] = []
    with changed(_ROWS_AT_ONCE=3):
        search(both.left, both.right, 5, threads=2, progress=lambda done, total: told.append((done, total)))
    total = np.count_nonzero(both.left.inverse_norms)
    assert told == [(min(done, total), total) for done in range(3, total + 3, 3)]


def test_codes_too_wide_for_exact_products_are_refused() -> None:
    wide = codes_of(np.ones((1, candidates._WIDEST + 1)))
    with pytest.raises(ValueError, match="would overflow"):
        search(wide, wide, 1)


def test_no_width_that_the_settings_allow_is_refused() -> None:
    assert config._RANGES["label_width"][1] <= candidates._WIDEST


def test_products_of_the_widest_codes_stay_exact() -> None:
    """A code is at most half a step longer than what it rounds."""
    longest = (candidates.SPREAD + 0.5) * np.sqrt(candidates._WIDEST)
    assert longest**2 <= 2**24


# --- all blocks decide ---------------------------------------------------------------------------------


def numbers(n: int) -> np.ndarray:
    """Entity numbers that are not row numbers."""
    return 3 * np.arange(n, dtype=np.int32) + 1


def find(blocks: list[Sides], n_proposals: int, n_best: int, threads: int = 1) -> Candidates:
    left, right = (numbers(len(side.values)) for side in (blocks[0].left, blocks[0].right))
    pairs = [(block.left, block.right) for block in blocks]
    return find_candidates(left, right, pairs, n_proposals=n_proposals, n_best=n_best, threads=threads)


def random_blocks(n_blocks: int, n_left: int = 20, n_right: int = 30, width: int = 64) -> list[Sides]:
    rng = np.random.default_rng(n_blocks)
    drawn = [[rng.integers(-127, 128, (n, width)) for n in (n_left, n_right)] for _ in range(n_blocks)]
    return [Sides(codes_of(left), codes_of(right)) for left, right in drawn]


def mean_cosines(blocks: list[Sides]) -> np.ndarray:
    units = [
        [side.values / np.linalg.norm(side.values.astype(float), axis=1, keepdims=True) for side in sides]
        for sides in ((block.left, block.right) for block in blocks)
    ]
    return np.mean([left @ right.T for left, right in units], axis=0)


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 5])
def test_candidates_have_the_best_mean_cosines(n_blocks: int) -> None:
    """With as many proposals as there are right entities nothing is left out."""
    blocks = random_blocks(n_blocks)
    found, cosines = find(blocks, n_proposals=60, n_best=9), mean_cosines(blocks)
    best = np.argsort(-cosines, axis=1)[:, :9]
    assert as_rows(found.indptr, found.columns) == best.tolist()
    np.testing.assert_allclose(found.scores, np.take_along_axis(cosines, best, axis=1).ravel(), atol=1e-6)


@pytest.mark.parametrize("n_blocks", [1, 2, 3, 5])
def test_the_first_block_proposes(n_blocks: int) -> None:
    blocks = random_blocks(n_blocks)
    found = find(blocks, n_proposals=6, n_best=50)
    proposed = brute_force(blocks[0].left, blocks[0].right, 6)
    for row, allowed in zip(as_rows(found.indptr, found.columns), proposed, strict=True):
        assert sorted(row) == sorted(allowed)


@quick
@given(both=sides(most_rows=20), n_proposals=st.integers(1, 30), n_best=st.integers(1, 30))
def test_candidates_are_in_order_and_equal_scores_in_order_of_their_numbers(
    both: Sides, n_proposals: int, n_best: int
) -> None:
    found = find([both, both, both], n_proposals, n_best)
    most = min(n_proposals, n_best, np.count_nonzero(both.right.inverse_norms))
    assert np.diff(found.indptr).tolist() == [most if row.any() else 0 for row in both.left.values]
    for low, high in pairwise(found.indptr):
        keys = list(zip((-found.scores[low:high]).tolist(), found.columns[low:high].tolist(), strict=True))
        assert keys == sorted(keys)
        assert len(set(found.columns[low:high].tolist())) == high - low


@quick
@given(both=sides(most_rows=20), n_proposals=st.integers(1, 30), n_best=st.integers(1, 30))
def test_candidates_are_the_same_at_two_threads(both: Sides, n_proposals: int, n_best: int) -> None:
    with changed(_ROWS_AT_ONCE=3):
        one, two = (find([both, both], n_proposals, n_best, threads) for threads in (1, 2))
    assert one.columns.tobytes() == two.columns.tobytes()
    assert one.scores.tobytes() == two.scores.tobytes()


def test_candidates_name_entities_and_rows() -> None:
    found = find(random_blocks(1, n_left=3, n_right=4), n_proposals=2, n_best=2)
    assert found.left.tolist() == [1, 4, 7]
    assert found.right.tolist() == [1, 4, 7, 10]
    assert found.rows.tolist() == [0, 0, 1, 1, 2, 2]
