from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import vocabulary
from lightea.errors import InputError
from lightea.vocabulary import Vocabulary

blocks = st.lists(st.lists(st.text(max_size=3), max_size=30), max_size=6)


def series(names: list[str]) -> pl.Series:
    return pl.Series(names, dtype=pl.String)


@given(blocks)
@settings(max_examples=60, deadline=None)
def test_names_come_back_from_their_numbers(blocks: list[list[str]]) -> None:
    names = Vocabulary()
    numbers = [names.encode(series(block)) for block in blocks]
    known = names.names()
    assert names.size == len(known) == len({name for block in blocks for name in block})
    for block, encoded in zip(blocks, numbers, strict=True):
        assert known.gather(encoded).to_list() == block


def test_a_table_that_grows_keeps_the_numbers_given_out() -> None:
    names = Vocabulary()
    first = [
        names.encode(series([f"name {i}" for i in range(start, start + 700)]))
        for start in range(0, 20_000, 700)
    ]
    again = [
        names.encode(series([f"name {i}" for i in range(start, start + 700)]))
        for start in range(0, 20_000, 700)
    ]
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert names.size == 20_300


def test_names_whose_hashes_begin_alike_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    class Alike(pl.Series):
        def hash(self, seed: int = 0) -> pl.Series:
            first_half = pl.Series(np.zeros(len(self), dtype=np.uint64))
            return first_half if seed == vocabulary._SEEDS[0] else super().hash(seed)

    names = Vocabulary()
    texts = [f"name {i % 40}" for i in range(100)]
    numbers = names.encode(Alike(texts, dtype=pl.String))
    assert names.size == 40
    assert names.names().gather(numbers).to_list() == texts


def test_a_missing_name_is_refused() -> None:
    with pytest.raises(InputError, match="lacks a name"):
        Vocabulary().encode(pl.Series(["a", None]))
