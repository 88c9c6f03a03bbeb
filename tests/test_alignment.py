"""The result record: links as a table, those above a probability, and where they are written."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handmade import alignment
from lightea.alignment import Alignment

CHANCES = {(1, 4): 0.9, (2, 0): 0.6, (5, 2): 0.5}


def some_alignment() -> Alignment:
    rows = {left: [(right, chance, 0.0)] for (left, right), chance in CHANCES.items()}
    return alignment(rows, list(CHANCES))


def test_its_length_is_the_number_of_links() -> None:
    assert len(some_alignment()) == 3


def test_as_a_table_it_holds_names_and_probabilities() -> None:
    table = some_alignment().to_polars()
    assert table.schema == {"left": pl.String, "right": pl.String, "probability": pl.Float32}
    assert table["left"].to_list() == ["l001", "l002", "l005"]
    assert table["right"].to_list() == ["r004", "r000", "r002"]
    np.testing.assert_allclose(table["probability"], [0.9, 0.6, 0.5])


@given(least=st.floats(0, 1))
def test_above_keeps_links_of_at_least_this_probability(least: float) -> None:
    kept = some_alignment().above(least)
    expected = [pair for pair, chance in CHANCES.items() if np.float32(chance) >= np.float32(least)]
    assert list(zip(kept.left_ids.tolist(), kept.right_ids.tolist(), strict=True)) == expected
    assert len(kept) == len(kept.probability) == len(expected)


@pytest.mark.parametrize(("least", "n_kept"), [(0.9, 1), (0.6, 2), (0.5, 3)])
def test_a_probability_is_above_itself(least: float, n_kept: int) -> None:
    """Although 0.9 and 0.6 are not the same in single and in double precision."""
    assert len(some_alignment().above(least)) == n_kept


def test_above_leaves_everything_else_and_the_original_alone() -> None:
    whole = some_alignment()
    kept = whole.above(0.7)
    assert len(whole) == 3
    for field in dataclasses.fields(whole):
        if field.name not in {"left_ids", "right_ids", "probability"}:
            assert getattr(kept, field.name) is getattr(whole, field.name)


def test_an_alignment_may_be_empty() -> None:
    empty = some_alignment().above(1.0)
    assert len(empty) == 0
    assert empty.to_polars().shape == (0, 3)


def test_it_writes_itself(tmp_path: Path) -> None:
    place = some_alignment().above(0.6).write(tmp_path / "run")
    assert place == tmp_path / "run"
    lines = (place / "links.tsv").read_text(encoding="utf-8").splitlines()
    assert lines == ["left\tright\tprobability", "l001\tr004\t0.900000", "l002\tr000\t0.600000"]


def test_it_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        some_alignment().seeds = np.empty((0, 2), np.int32)  # type: ignore[misc]
