"""What a run directory keeps for explanations: restored as it was, the same bytes again, and checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from explained import KNOWN, by_sketch, curies
from handmade import alignment as handmade_alignment
from lightea import run_store
from lightea.alignment import Alignment
from lightea.errors import ReadError
from lightea.run_store import load_alignment
from lightea.writing import write_run


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(curies(), tmp_path / "run")


def stored(run: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (run / "evidence").iterdir()}


def assert_same(one: Alignment, other: Alignment) -> None:
    for name in ("left_ids", "right_ids", "probability", "seeds"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("left", "right", "indptr", "columns", "scores"):
        np.testing.assert_array_equal(
            getattr(one.assignment.candidates, name), getattr(other.assignment.candidates, name)
        )
    for name in ("probabilities", "no_match"):
        np.testing.assert_array_equal(getattr(one.assignment, name), getattr(other.assignment, name))
    for side in ("left", "right"):
        assert getattr(one, side).entities.to_list() == getattr(other, side).entities.to_list()
        assert getattr(one, side).name == getattr(other, side).name
    assert one.config == other.config


def test_an_alignment_with_beliefs_comes_back_as_it_was(run: Path) -> None:
    before, after = curies(), load_alignment(run)
    assert_same(before, after)
    assert before.beliefs is not None
    assert after.beliefs is not None
    assert after.beliefs.cosine_weight == before.beliefs.cosine_weight
    for part, names in {
        "edges": ("offsets", "relations", "tails"),
        "matches": ("offsets", "right", "probability"),
        "agreement": ("offsets", "right", "agreement", "support"),
    }.items():
        for name in names:
            np.testing.assert_array_equal(
                getattr(getattr(after.beliefs, part), name), getattr(getattr(before.beliefs, part), name)
            )
    np.testing.assert_array_equal(after.beliefs.weights, before.beliefs.weights)


def test_its_explanations_are_the_same_words(run: Path) -> None:
    before, after = curies(), load_alignment(run)
    for left in before.left.entities:
        for right in before.right.entities:
            ours, theirs = str(before.explain(left, right)), str(after.explain(left, right))
            assert ours == theirs


def test_an_alignment_without_beliefs_comes_back_too(tmp_path: Path) -> None:
    made = curies()
    plain = by_sketch(made.left, made.right, made.seeds)
    back = load_alignment(write_run(plain, tmp_path / "run"))
    assert_same(plain, back)
    assert back.beliefs is None
    assert not (tmp_path / "run" / "evidence" / "matches.parquet").exists()


def test_an_alignment_of_nothing_comes_back(tmp_path: Path) -> None:
    assert_same(handmade_alignment({}), load_alignment(write_run(handmade_alignment({}), tmp_path / "run")))


def test_only_the_best_and_the_probable_candidates_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_store, "KEPT", 2)
    row = [(5, 0.2, 0.9), (4, 0.0, 0.8), (3, 0.0, 0.7), (2, 0.6, 0.6), (1, 0.0, 0.5)]
    made = handmade_alignment({0: row, 1: [], 2: row[:1]})
    back = load_alignment(write_run(made, tmp_path / "run")).assignment.candidates
    assert back.indptr.tolist() == [0, 3, 3, 4]
    assert back.right[back.columns].tolist() == [5, 4, 2, 5]


def test_the_same_alignment_gives_the_same_bytes_at_any_number_of_threads(tmp_path: Path) -> None:
    script = (
        "import sys; from explained import curies; from lightea.writing import write_run;"
        "write_run(curies(), sys.argv[1])"
    )
    found = []
    for threads in ("1", "3"):
        place = tmp_path / threads
        environment = {
            **os.environ,
            "POLARS_MAX_THREADS": threads,
            "NUMBA_NUM_THREADS": threads,
            "PYTHONPATH": str(Path(__file__).parent),
        }
        subprocess.run([sys.executable, "-c", script, str(place)], check=True, env=environment)
        found.append(stored(place))
    assert found[0] == found[1]


def test_the_bytes_do_not_depend_on_how_columns_lie_in_memory(tmp_path: Path, run: Path) -> None:
    made = curies()
    names = made.left.entities
    object.__setattr__(made.left, "entities", pl.concat([names[:3], names[3:]], rechunk=False))
    assert stored(write_run(made, tmp_path / "again")) == stored(run)


# Broken and foreign directories


def no_run(run: Path) -> None:
    for path in [*(run / "evidence").iterdir(), run / "run.json"]:
        path.unlink()


def older_run(run: Path) -> None:
    (run / "evidence" / "about.json").unlink()


def newer_format(run: Path) -> None:
    change(run, format=99)


def unknown_setting(run: Path) -> None:
    change(run, config={"preset": "basic", "spin": 1})


def no_settings(run: Path) -> None:
    change(run, config=None)


def no_object(run: Path) -> None:
    (run / "evidence" / "about.json").write_text("[1]")


def no_json(run: Path) -> None:
    (run / "evidence" / "about.json").write_bytes(b"\xff{")


def missing_table(run: Path) -> None:
    (run / "evidence" / "matches.parquet").unlink()


def cut_table(run: Path) -> None:
    path = run / "evidence" / "candidates.parquet"
    path.write_bytes(path.read_bytes()[:-20])


def other_columns(run: Path) -> None:
    rewrite(run, "seeds", lambda table: table.rename({"left": "links"}))


def empty_cell(run: Path) -> None:
    rewrite(run, "left_entities", lambda table: table.with_columns(name=pl.lit(None, pl.String)))


def number_out_of_range(run: Path) -> None:
    rewrite(run, "left_triples", lambda table: table.with_columns(tail=pl.lit(1000, pl.Int32)))


def negative_number(run: Path) -> None:
    rewrite(run, "matches", lambda table: table.with_columns(right=pl.lit(-1, pl.Int32)))


def lost_rows(run: Path) -> None:
    rewrite(run, "candidates", lambda table: table[1:])


def disorder(run: Path) -> None:
    rewrite(run, "searched", lambda table: table[::-1])


def disorder_of_names(run: Path) -> None:
    rewrite(run, "right_entities", lambda table: table[::-1])


def disorder_of_relations(run: Path) -> None:
    rewrite(run, "agreement", lambda table: table[::-1])


def change(run: Path, **changes: object) -> None:
    path = run / "evidence" / "about.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def rewrite(run: Path, name: str, how: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    path = run / "evidence" / f"{name}.parquet"
    how(pl.read_parquet(path)).write_parquet(path)


ACCIDENTS = [
    (no_run, "is not a run directory of lightea"),
    (older_run, "holds nothing to explain links by"),
    (newer_format, "has format 99"),
    (unknown_setting, "unknown setting 'spin'"),
    (no_settings, r"about\.json: is broken"),
    (no_object, "has format None"),
    (no_json, "is broken"),
    (missing_table, r"matches\.parquet: is broken"),
    (cut_table, r"candidates\.parquet: is broken"),
    (other_columns, "its columns are not left, right"),
    (empty_cell, "its columns are not name, all filled"),
    (number_out_of_range, r"left_triples\.parquet: is broken: it holds a number outside 0 to 7"),
    (negative_number, "a number outside"),
    (lost_rows, r"not hold as many pairs as searched\.parquet"),
    (disorder, r"searched\.parquet: is broken: its rows are not in order"),
    (disorder_of_names, "its names are not in order"),
    (disorder_of_relations, r"agreement\.parquet: is broken: its rows are not in order"),
]


@pytest.mark.parametrize(("accident", "problem"), ACCIDENTS)
def test_a_broken_or_foreign_directory_is_refused(
    accident: Callable[[Path], None], problem: str, run: Path
) -> None:
    accident(run)
    with pytest.raises(ReadError, match=problem) as caught:
        load_alignment(run)
    assert caught.value.hint


def test_the_seeds_are_kept(run: Path) -> None:
    back = load_alignment(run)
    names = [(back.left.entities[left], back.right.entities[right]) for left, right in back.seeds.tolist()]
    assert names == KNOWN
