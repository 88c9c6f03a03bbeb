"""An update by new facts against a full rerun: `python -m benchmarks.update [BATCH ...]`.

The graphs of ContEA grow by batches. The base is aligned once; then come all facts up to a batch, by
`lightea.update` and by `lightea.align`, in one process and in turn, so that their times can be compared.
Writes benchmarks/results/update.json and the table of docs/update.md.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import lightea
from benchmarks.run import RESULTS
from benchmarks.tables import with_tables
from lightea.evaluation import evaluate
from lightea.machine import commit, machine_facts, versions

FOLDER = "contea/zh_en"
PAGE = Path(__file__).parent.parent / "docs" / "update.md"
BATCHES = (1, 5)
T = TypeVar("T")


def read(folder: Path, side: int, last: int, first: int = 0) -> lightea.KnowledgeGraph:
    """The facts of one side from one batch to another; batch 0 is the base."""
    files = [
        folder / "base" / f"triples_{side}"
        if number == 0
        else folder / f"batch{number}" / f"new_triples_{side}"
        for number in range(first, last + 1)
    ]
    return lightea.read(files, format="tsv", name=f"contea:{side}")


def timed(work: Callable[[], T]) -> tuple[T, dict[str, float]]:
    """What a function returns, and its seconds on the wall and of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def measure(folder: Path, run: Path, last: int, seeds: lightea.Links) -> dict[str, Any]:
    """Bring the run up to a batch, and align everything up to it anew."""
    updated, update_seconds = timed(
        lambda: lightea.update(run, read(folder, 1, last, 1), read(folder, 2, last, 1))
    )
    rerun, rerun_seconds = timed(lambda: lightea.align(read(folder, 1, last), read(folder, 2, last), seeds))
    test = lightea.read_links(folder / f"batch{last}" / "all_test_links")
    unasked = lightea.read_links(folder / "base" / "valid_links")
    counts = updated.changes.counts
    return {
        "batch": last,
        "update": {"seconds": update_seconds, **_figures(updated.alignment, test, unasked)},
        "rerun": {"seconds": rerun_seconds, **_figures(rerun, test, unasked)},
        "ratio": {clock: update_seconds[clock] / rerun_seconds[clock] for clock in ("wall", "cpu")},
        "counts": counts,
        "share_of_links_changed": 1.0 - counts["kept"] / counts["links_before"],
    }


def _figures(alignment: lightea.Alignment, test: lightea.Links, unasked: lightea.Links) -> dict[str, Any]:
    quality = alignment.quality
    return {
        **evaluate(alignment, test, unasked=unasked).to_dict(),
        "links": len(alignment),
        "estimated_precision": None if quality is None else quality.precision,
    }


def table(document: dict[str, Any]) -> str:
    """The figures as rows of Markdown."""
    lines = [
        "| base to batch | | Hits@1 | F1 | links | CPU seconds | wall seconds | earlier links changed |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for case in document["cases"]:
        for kind in ("update", "rerun"):
            one, is_update = case[kind], kind == "update"
            shares = {
                clock: f"{seconds:.1f}" + (f" ({case['ratio'][clock]:.0%})" if is_update else "")
                for clock, seconds in one["seconds"].items()
            }
            changed = f"{case['share_of_links_changed']:.1%}" if is_update else ""
            cells = [
                str(case["batch"]),
                kind,
                f"{one['hits@1']:.3f}",
                f"{one['f1']:.3f}",
                f"{one['links']:,}",
            ]
            lines.append("| " + " | ".join([*cells, shares["cpu"], shares["wall"], changed]) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure, and put the table into the page."""
    if "LIGHTEA_DATA" not in os.environ:
        sys.exit("error: LIGHTEA_DATA is not set; it names the folder of benchmark data")
    folder = Path(os.environ["LIGHTEA_DATA"]) / FOLDER
    seeds = lightea.read_links(folder / "base" / "train_links")
    with tempfile.TemporaryDirectory() as scratch:
        run = lightea.align(read(folder, 1, 0), read(folder, 2, 0), seeds).write(Path(scratch) / "run")
        cases = [measure(folder, run, int(last), seeds) for last in sys.argv[1:] or BATCHES]
    document = {
        "dataset": FOLDER,
        "machine": machine_facts(None),
        "versions": versions(),
        "commit": commit(),
        "cases": cases,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "update.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(table(document))
    PAGE.write_text(
        with_tables(PAGE.read_text(encoding="utf-8"), {"update": table(document)}), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
