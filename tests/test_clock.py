"""Where time and memory go: each stage is charged with its own."""

from __future__ import annotations

import pytest

from lightea import clock
from lightea.clock import Clock, nobody
from lightea.errors import MemoryLimitError


def test_a_stage_is_not_charged_with_those_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0.0, 1.0, 4.0, 6.0])
    monkeypatch.setattr(clock.time, "perf_counter", lambda: next(ticks))
    watch = Clock(nobody)
    with watch.stage("outer"), watch.stage("inner"):
        pass
    assert watch.seconds == {"outer": 3.0, "inner": 3.0}


def test_a_stage_has_the_memory_held_by_its_last_end(monkeypatch: pytest.MonkeyPatch) -> None:
    peaks = iter([10.0, 20.0, 30.0])
    monkeypatch.setattr(clock, "peak_rss_mb", lambda: next(peaks))
    watch = Clock(nobody)
    for name in ("first", "second", "first"):
        with watch.stage(name):
            pass
    assert watch.peak_mb == {"first": 30.0, "second": 20.0}


def test_where_nobody_counts_memory_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "peak_rss_mb", lambda: None)
    watch = Clock(nobody)
    with watch.stage("only"):
        pass
    assert watch.peak_mb == {}


def test_a_stage_that_holds_more_than_is_allowed_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    peaks = iter([10.0, 2500.0])
    monkeypatch.setattr(clock, "peak_rss_mb", lambda: next(peaks))
    watch = Clock(nobody, most_mb=2000.0)
    with watch.stage("first"):
        pass
    told = r"has held 2\.50 GB of memory, but may hold 2\.00 GB"
    with pytest.raises(MemoryLimitError, match=told), watch.stage("second"):
        pass
