"""How far the forecast of `--dry-run` is from the truth: `python -m benchmarks.forecast [--links N ...]`.

Aligns made-up pairs of graphs, each in a process of its own, and prints what was forecast beside what was
measured, and for each part the price of a unit of its work: the constants of `lightea.forecast`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

_LINKS = [1000, 5000, 15_000]
_PRESETS = ["basic", "auto"]
_PARTS = {
    "spreading": ("propagation", "sketch"),
    "search": ("candidates",),
    "weighing": ("evidence",),
    "assignment": ("assignment",),
}
"""The stages of a run whose time each part of the forecast is about."""

_RUN = """
import json, sys
import lightea
from lightea.config import PRESETS
from lightea.forecast import forecast
from lightea.machine import available_cores, peak_rss_mb
from lightea.synthetic import make_pair
links, preset = int(sys.argv[1]), sys.argv[2]
pair = make_pair(links, random_seed=0)
seeds, _ = pair.links.split(0.3, random_seed=0)
expected = forecast(pair.left, pair.right, PRESETS[preset], available_cores())
found = lightea.align(pair.left, pair.right, seeds, preset=preset)
print(json.dumps({
    "expected": expected.seconds, "expected_mb": expected.memory / 1e6,
    "measured": found.seconds, "measured_mb": peak_rss_mb(),
}))
"""


def measure(links: int, preset: str) -> dict[str, Any]:
    """Forecast and align one pair in a new process."""
    command = [sys.executable, "-c", _RUN, str(links), preset]
    run: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return run


def show(links: int, preset: str, run: dict[str, Any]) -> None:
    """One line for the whole, one for each part: forecast, measured, and their quotient."""
    whole = sum(run["expected"].values()), sum(run["measured"].values())
    print(
        f"{preset} {links:,} links: {_beside(*whole)} s, {_beside(run['expected_mb'], run['measured_mb'])} MB"
    )
    for part, stages in _PARTS.items():
        taken = sum(run["measured"].get(stage, 0.0) for stage in stages)
        print(f"  {part:<11}{_beside(run['expected'][part], taken)} s")


def _beside(expected: float, measured: float) -> str:
    quotient = f"{measured / expected:.2f}" if expected else "-"
    return f"{expected:,.1f} forecast, {measured:,.1f} measured ({quotient})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--links", type=int, nargs="+", default=_LINKS, help="sizes of the pairs")
    for links in parser.parse_args().links:
        for preset in _PRESETS:
            show(links, preset, measure(links, preset))


if __name__ == "__main__":
    main()
