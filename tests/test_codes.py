"""Codes: rows in whole numbers that point where the rows point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dense import assert_rounded
from lightea.codes import SPREAD, Codes, narrow, no_codes, quantise

quick = settings(deadline=None, max_examples=60)


def rows_of(random_seed: int, n: int = 20, width: int = 1024) -> np.ndarray:
    return np.random.default_rng(random_seed).standard_normal((n, width)).astype(np.float32)


def test_a_row_by_hand() -> None:
    """(3, 4) has length 5; codes in two dimensions have length 21·√2, so they are (17.8, 23.8), rounded."""
    codes = quantise(np.array([[3.0, 4.0], [0.0, 0.0], [-1.0, 0.0]], np.float32))
    assert codes.values.tolist() == [[18, 24], [0, 0], [-30, 0]]
    np.testing.assert_allclose(codes.inverse_norms, [1 / 30, 0.0, 1 / 30])


@quick
@given(random_seed=st.integers(0, 999), n=st.integers(0, 5), width=st.sampled_from([1, 2, 63, 64, 65, 130]))
def test_codes_are_rows_of_one_length_rounded(random_seed: int, n: int, width: int) -> None:
    rows = rows_of(random_seed, n, width)
    codes = quantise(rows)
    assert_rounded(codes.values, rows.astype(np.float64))
    lengths = np.linalg.norm(codes.values.astype(np.float64), axis=1)
    np.testing.assert_allclose(codes.inverse_norms * lengths, lengths > 0, rtol=1e-6)


def test_codes_point_where_their_rows_point() -> None:
    rows = rows_of(0)
    codes = quantise(rows)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose((codes.values * units).sum(axis=1) * codes.inverse_norms, 1.0, atol=1e-3)
    np.testing.assert_allclose(codes.values.std(), SPREAD, rtol=0.01)


def test_cosines_of_codes_are_those_of_rows() -> None:
    rows = rows_of(1, 40)
    codes = quantise(rows)
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    coded = codes.values.astype(np.float64) * codes.inverse_norms[:, None]
    noise_of_labels = 1 / np.sqrt(rows.shape[1])
    assert np.abs(coded @ coded.T - units @ units.T).max() < 0.2 * noise_of_labels


def test_the_length_of_a_row_does_not_matter() -> None:
    rows = rows_of(0, 3, 64)
    for factor in (2.0**-30, 2.0**30):
        np.testing.assert_array_equal(quantise(rows).values, quantise(rows * np.float32(factor)).values)


def test_outliers_are_clipped_and_zeros_stay() -> None:
    rows = np.zeros((3, 1024), np.float32)
    rows[0, 5], rows[1, 6] = 3.0, -2.0
    codes = quantise(rows)
    assert (codes.values.max(), codes.values.min()) == (127, -127)
    assert not codes.values[2].any()
    np.testing.assert_allclose(codes.inverse_norms, [1 / 127, 1 / 127, 0.0])


def test_the_rows_stay_as_they_were() -> None:
    rows = rows_of(0, 3, 64)
    before = rows.copy()
    quantise(rows)
    np.testing.assert_array_equal(rows, before)


def test_there_is_room_for_codes() -> None:
    room = no_codes(3, 5)
    assert (room.values.shape, room.values.dtype) == ((3, 5), np.int8)
    assert (room.inverse_norms.shape, room.inverse_norms.dtype) == ((3,), np.float32)


@pytest.mark.parametrize("chosen", [slice(1, 4), np.array([4, 0, 0])])
def test_some_rows_keep_their_codes_and_lengths(chosen: slice | np.ndarray) -> None:
    codes = quantise(rows_of(2, 5, 16))
    some = codes.rows(chosen)
    np.testing.assert_array_equal(some.values, codes.values[chosen])
    np.testing.assert_array_equal(some.inverse_norms, codes.inverse_norms[chosen])


def test_narrow_codes_are_the_first_dimensions() -> None:
    codes = quantise(rows_of(3, 5, 16))
    few = narrow(codes, 6)
    np.testing.assert_array_equal(few.values, codes.values[:, :6])
    assert few.values.flags.c_contiguous


def test_no_row_of_narrow_codes_counts_as_nothing_or_as_something_else_than_before() -> None:
    """Lengths are those of the whole rows: a row of zeros is told by them."""
    codes = Codes(
        np.array([[0, 0, 5], [3, 0, 0], [0, 0, 0]], np.int8), np.array([0.2, 1 / 3, 0.0], np.float32)
    )
    assert narrow(codes, 2).inverse_norms.tolist() == codes.inverse_norms.tolist()


@pytest.mark.parametrize("width", [16, 17, 1000])
def test_codes_that_are_narrow_already_stay(width: int) -> None:
    codes = quantise(rows_of(3, 5, 16))
    assert narrow(codes, width) is codes
