"""Seeds in every shape that users hold them in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import handmade
from lightea.config import Config
from lightea.errors import InputError, SeedError
from lightea.graph import Links
from lightea.seeds import Seeds, known_pairs


def numbers(seeds: Any) -> list[list[int]]:
    pairs = known_pairs(seeds, handmade.graph("l", 9), handmade.graph("r", 9), Config(), strict=True)
    return pairs.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "seeds",
    [
        [("l005", "r006"), ("l001", "r002")],
        (["l001", "r002"], ["l005", "r006"]),
        np.array([["l001", "r002"], ["l005", "r006"]]),
        {"l001": "r002", "l005": "r006"}.items(),
        Links(["l001", "l005"], ["r002", "r006"]),
        Links(("l001", "l005"), np.array(["r002", "r006"])),  # type: ignore[arg-type]
        pl.DataFrame({"a": ["l001", "l005"], "b": ["r002", "r006"]}),
    ],
)
def test_pairs_of_names_are_taken_as_they_come(seeds: Seeds) -> None:
    assert numbers(seeds) == [[1, 2], [5, 6]]


def test_a_path_is_read(tmp_path: Path) -> None:
    (tmp_path / "seeds.tsv").write_text("l001\tr002\n")
    for path in (tmp_path / "seeds.tsv", str(tmp_path / "seeds.tsv")):
        assert numbers(path) == [[1, 2]]


def test_swapped_columns_are_recognised() -> None:
    swapped = [("r006", "l005"), ("r002", "l001"), ("r003", "nobody")]
    with pytest.raises(SeedError, match="3 of 3 seeds name entities unknown") as caught:
        numbers(swapped)
    assert "the columns seem to be swapped: the other way round, 1 would be unknown" in str(caught.value.hint)


def test_unknown_seeds_that_are_not_swapped_are_not_called_so() -> None:
    with pytest.raises(SeedError, match="1 of 2 seeds name entities unknown") as caught:
        numbers([("l005", "r006"), ("r002", "l001")])
    assert "swapped" not in str(caught.value.hint)


def test_refused_seeds_are_not_said_to_be_used(caplog: pytest.LogCaptureFixture) -> None:
    twice = [("l001", "r002"), ("l001", "r003")]
    with pytest.raises(SeedError, match="entities that stand in more than one seed: 1,") as caught:
        numbers(twice)
    assert "all their seeds are used" not in str(caught.value.hint)
    assert "--strict" in str(caught.value.hint)
    known_pairs(twice, handmade.graph("l", 9), handmade.graph("r", 9), Config(), strict=False)
    assert "all their seeds are used" in caplog.text


@pytest.mark.parametrize(
    ("seeds", "sentence"),
    [
        (7, "the seeds are 7, which are no pairs of names"),
        ([("l001", "r002"), ("l001",)], r"seed 2 is \('l001',\), but must be a pair of names"),
        ([("l001", "r002", "0.9")], "seed 1 is .*, but must be a pair of names"),
        ([(1, 2)], r"seed 1 is \(1, 2\), but must be a pair of names"),
        (["ab"], "seed 1 is 'ab', but must be a pair of names"),
        ({"l001": "r002"}, "seed 1 is 'l001', but must be a pair of names"),
        (pl.DataFrame({"a": ["l001", None], "b": ["r001", "r002"]}), "link 2 has no left name"),
    ],
)
def test_what_is_no_pair_of_names_is_told_with_a_way_out(seeds: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        numbers(seeds)
    assert caught.value.hint is not None
