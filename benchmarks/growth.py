"""How the cost of `auto` grows with the graphs: `python -m benchmarks.growth`.

Synthetic pairs of 10⁴ to 10⁶ triples (both graphs together), 30 % of the links being seeds, everybody taking
part. What counts is processor time of all threads, since the machine may be busy with other things. Growth is
the exponent b of the power law time = a · triples^b, fitted to the sizes by least squares of the logarithms:
1 is linear. The least of a few runs counts where they are
short. Leaves benchmarks/results/growth.json.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import lightea
from benchmarks.run import RESULTS
from lightea import machine
from lightea.clock import Progress
from lightea.config import Config
from lightea.synthetic import make_pair

RESULT = RESULTS / "growth.json"
TRIPLES = (10_000, 30_000, 100_000, 300_000, 1_000_000)

_PER_SHARED = 11
"""Triples of both graphs for each entity that they share, by the default shape."""
_SEARCH = "candidates"
_SHORT, _REPEATED = 100_000, 3


class StageTimes:
    """Processor time of each stage, by the progress of a run; a stage lasts until the next one is told."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage = "reading"
        self._since = time.process_time()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """What has passed since the last call belongs to the stage that was told then."""
        del done, total
        now = time.process_time()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self._stage, self._since = stage.partition(" ")[0], now


def measure(n_triples: int, threads: int) -> dict[str, Any]:
    """One run on a pair of about this many triples."""
    pair = make_pair(max(60, n_triples // _PER_SHARED), random_seed=0)
    seeds, hidden = pair.links.split(0.3, random_seed=0)
    stages = StageTimes()
    progress: Progress = stages
    start = time.process_time()
    config = Config.for_preset("auto", names="none")
    alignment = lightea.align(pair.left, pair.right, seeds, config=config, threads=threads, progress=progress)
    total = time.process_time() - start
    triples = pair.left.n_triples + pair.right.n_triples
    return {
        "triples": triples,
        "entities": [pair.left.n_entities, pair.right.n_entities],
        "hits@1": lightea.evaluate(alignment, hidden).hits_at_1,
        "cpu_seconds": total,
        "cpu_seconds_of_stages": stages.seconds,
        "peak_rss_mb": machine.peak_rss_mb(),
    }


def best_of(n_triples: int, threads: int) -> dict[str, Any]:
    """The run that took least, of several where they are short: others can only disturb."""
    runs = [measure(n_triples, threads) for _ in range(1 if n_triples > _SHORT else _REPEATED)]
    return min(runs, key=lambda run: run["cpu_seconds"])


def exponent(triples: Sequence[float], seconds: Sequence[float]) -> float:
    """The b of a · triples^b, by least squares of the logarithms."""
    return float(np.polyfit(np.log(triples), np.log(seconds), 1)[0])


def growth(sizes: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The exponents of the whole, of the search, and of all but the search."""
    triples = [size["triples"] for size in sizes]
    whole = [size["cpu_seconds"] for size in sizes]
    search = [size["cpu_seconds_of_stages"].get(_SEARCH, 0.0) for size in sizes]
    rest = [total - part for total, part in zip(whole, search, strict=True)]
    return {
        "all": exponent(triples, whole),
        "search": exponent(triples, search),
        "all but the search": exponent(triples, rest),
    }


def table(document: dict[str, Any]) -> str:
    """Processor time of each size, and the exponents."""
    lines = [
        "| triples | entities | Hits@1 | CPU seconds | µs per triple | of that the search | memory |",
        "|---|---|---|---|---|---|---|",
    ]
    for size in document["results"]:
        search = size["cpu_seconds_of_stages"].get(_SEARCH, 0.0)
        left, right = size["entities"]
        cells = [
            f"{size['triples']:,}",
            f"{left:,} + {right:,}",
            f"{size['hits@1']:.3f}",
            f"{size['cpu_seconds']:.1f}",
            f"{1e6 * size['cpu_seconds'] / size['triples']:.0f}",
            f"{1e6 * search / size['triples']:.0f}",
            f"{size['peak_rss_mb']:.0f} MB",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    fitted = ", ".join(f"{what} {power:.2f}" for what, power in document["exponents"].items())
    return "\n".join([*lines, "", f"Fitted exponents: {fitted}."])


def main() -> None:
    """Measure, print the table and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=int, default=TRIPLES[-1], help="triples of the largest pair")
    parser.add_argument("--threads", type=int, default=machine.available_cores())
    arguments = parser.parse_args()
    measure(TRIPLES[0] // 10, arguments.threads)  # compiles
    results = [best_of(n, arguments.threads) for n in TRIPLES if n <= arguments.most]
    document = {
        "commit": machine.commit(),
        "machine": machine.machine_facts(arguments.threads),
        "versions": machine.versions(),
        "results": results,
        "exponents": growth(results),
    }
    RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(table(document))


if __name__ == "__main__":
    main()
