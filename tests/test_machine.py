"""What a run may use of its machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lightea import machine


@pytest.mark.parametrize(
    ("limit", "cores"),
    [
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("20000 100000\n", 1),
        ("9900000 100000\n", 8),
        ("max 100000\n", 8),
        ("nonsense", 8),
        (None, 8),
    ],
)
def test_the_limit_of_a_container_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str | None, cores: int
) -> None:
    quota = tmp_path / "cpu.max"
    if limit is not None:
        quota.write_text(limit)
    monkeypatch.setattr(machine, "_CPU_QUOTA", quota)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert machine.available_cores() == cores
