"""The tables of the pages come from the JSON of the benchmarks, and say where something is missing."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks import tables
from benchmarks.run import CASES, Case, yardstick

MEAN = {"hits@1": 0.5, "hits@10": 0.7, "mrr": 0.6, "precision": 0.9, "recall": 0.4, "f1": 0.55}


def document(**more: float) -> dict[str, Any]:
    return {
        "dataset": "a/b",
        "preset": "auto",
        "train": 0.01,
        "candidates": "all",
        "mean": {**MEAN, **more, "seconds": {"total": 3.0}, "peak_rss_mb": None},
        "yardstick": {"total_in_products": 2.0},
    }


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_a_row_has_a_cell_for_each_column() -> None:
    case = Case("a/b", "auto", (), (10, 10))
    row = dict(zip(tables._COLUMNS, cells(tables.alignment_row(case, document())), strict=True))
    assert (row["data"], row["seeds"], row["F1"], row["seconds"]) == ("a/b, all", "1%", "0.550", "3.00")
    assert row["calibration error"] == row["estimated recall"] == row["memory"] == row["reference"] == "–"


def test_what_a_run_says_of_itself_is_shown_where_it_is_measured() -> None:
    case = Case("a/b", "auto", (), (10, 10))
    measured = document(ece=0.02, estimated_precision=0.91, estimated_recall=0.42)
    row = dict(zip(tables._COLUMNS, cells(tables.alignment_row(case, measured)), strict=True))
    assert (row["calibration error"], row["estimated precision"], row["estimated recall"]) == (
        "0.020",
        "0.910",
        "0.420",
    )


def test_every_case_has_a_file_of_its_own() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert set(tables._REFERENCE) <= set(names)
    assert {case.preset for case in CASES} == {"basic", "iterative", "auto"}


def test_the_yardstick_of_a_large_search_is_scaled_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.run.product_seconds", lambda rows, columns: rows * columns * 1e-9)
    small, large = yardstick(10_000, 10_000, 1.0), yardstick(60_000, 120_000, 72.0)
    assert small["seconds"] == pytest.approx(0.1)
    assert large["seconds"] == pytest.approx(7.2)
    assert large["total_in_products"] == pytest.approx(10.0)


def test_a_table_stands_between_its_marks() -> None:
    text = "before\n<!-- a -->\nold\n<!-- end a -->\nafter\n"
    assert (
        tables.with_tables(text, {"a": "| \\d |"}) == "before\n<!-- a -->\n| \\d |\n<!-- end a -->\nafter\n"
    )
    with pytest.raises(SystemExit, match="no place for the table 'b'"):
        tables.with_tables(text, {"b": ""})
