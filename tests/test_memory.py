"""The promise of `memory`: a run stays below it, or is refused before it starts; the links are the same."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from lightea import cli, pipeline
from lightea.cli.options import bytes_of
from lightea.config import Config
from lightea.errors import MemoryLimitError
from lightea.forecast import forecast
from lightea.pipeline import align
from lightea.synthetic import DBP1M, make_pair, write_pair

PAIR = make_pair(300, random_seed=0)
SMALL = Config.for_preset("basic", label_width=64, sketch_width=64)

_RUN = """
import hashlib, json, resource, sys
import lightea
from lightea.synthetic import DBP1M, make_pair
from lightea.config import Config
pair = make_pair(int(sys.argv[1]), shape=DBP1M)
seeds, _ = pair.links.split(0.3, random_seed=0)
memory = float(sys.argv[3]) if len(sys.argv) > 3 else None
config = Config.for_preset(sys.argv[2], search="facts")
found = lightea.align(pair.left, pair.right, seeds, config=config, memory=memory)
pairs = found.left_ids.tobytes() + found.right_ids.tobytes() + found.probability.tobytes()
from lightea.forecast import forecast
print(json.dumps({
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    "links": hashlib.sha256(pairs).hexdigest(),
    "forecast": forecast(pair.left, pair.right, found.config, 2).memory,
}))
"""


@pytest.mark.parametrize(
    ("said", "meant"),
    [("4GB", 4e9), ("1.5 G", 1.5e9), ("800mb", 8e8), ("2GiB", 2 * 1024**3), ("5000", 5e3), ("1TB", 1e12)],
)
def test_sizes_are_read_as_people_write_them(said: str, meant: float) -> None:
    assert bytes_of(said) == meant


@pytest.mark.parametrize("said", ["", "much", "-1GB", "0GB", "4 apples", "GB", "nan"])
def test_what_is_no_size_is_a_usage_error(said: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a size of memory such as 4GB"):
        bytes_of(said)


def test_a_run_that_needs_more_is_refused_at_the_start() -> None:
    with pytest.raises(MemoryLimitError, match=r"needs about 0\.\d\d GB of memory, but may hold 0\.05 GB"):
        align(PAIR.left, PAIR.right, PAIR.links, config=SMALL, memory=5e7)


def test_without_a_limit_it_only_warns(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pipeline, "free_memory_mb", lambda: 1)
    monkeypatch.setattr(pipeline, "peak_rss_mb", lambda: 100.0)
    seeds, _ = PAIR.links.split(0.5, random_seed=0)
    with caplog.at_level(logging.WARNING):
        align(PAIR.left, PAIR.right, seeds, config=SMALL)
    assert "this run needs about 0.3 GB of memory, and 0.1 GB are free" in caplog.text


def test_the_command_line_refuses_in_one_sentence_and_writes_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_pair(tmp_path / "pair", 200)
    files = [str(tmp_path / "pair" / name) for name in ("left.tsv", "right.tsv")]
    arguments = [
        "align",
        *files,
        "--seeds",
        str(tmp_path / "pair" / "links.tsv"),
        "--out",
        str(tmp_path / "run"),
    ]
    assert cli.main([*arguments, "--memory", "10MB", "--quiet"]) == 1
    said = capfd.readouterr().err
    assert said.startswith("error: this run needs about")
    assert "hint: allow more with --memory" in said
    assert not (tmp_path / "run").exists()


def measured(*arguments: str) -> dict[str, float | str]:
    """A run in a process of its own, since memory is counted for a process."""
    done = subprocess.run([sys.executable, "-c", _RUN, *arguments], check=True, capture_output=True)
    found: dict[str, float | str] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["basic", "auto"])
def test_a_run_stays_below_its_limit_with_the_same_links_and_as_was_forecast(preset: str) -> None:
    free = measured("20000", preset)
    limit = 1.05 * max(float(free["forecast"]), float(free["peak"]))
    limited = measured("20000", preset, str(limit))
    assert limited["links"] == free["links"]
    assert float(limited["peak"]) <= limit
    assert float(limited["forecast"]) == pytest.approx(float(limited["peak"]), rel=0.25)


def test_larger_graphs_are_forecast_to_need_more() -> None:
    small, large = (make_pair(n, shape=DBP1M) for n in (1000, 4000))
    needs = [forecast(pair.left, pair.right, SMALL, 2).memory for pair in (small, large)]
    assert needs[0] < needs[1]
