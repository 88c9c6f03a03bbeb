"""Cost by size: `python -m benchmarks.scale [--only TEXT] [--again]`, or `make bench-scale`.

Pairs with the degree law, relation counts and overlap of DBP1M FR-EN, from ten thousand entities to its full
size, are written as files. Each case then runs from reading to links in a process of its own, at low
priority, one after the other, with 30 % of the links as seeds; the others score it, among all entities. What
was measured before by the same settings is kept. Wall time says what it took beside whatever else the machine
did, processor time what it cost; on a machine with nothing else to do wall time lies between a half of the
processor time (two cores) and all of it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lightea.machine import commit, machine_facts, versions

RESULTS = Path(__file__).parent / "results" / "scale.json"
PAGE = Path(__file__).parent.parent / "docs" / "scale.md"

_LINKS = [3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
_NARROW = {"label_width": 256, "sketch_width": 256, "search": "facts"}
_LOW_PRIORITY = 1

_MAKE = """
import sys
from lightea.synthetic import DBP1M, write_pair
write_pair(sys.argv[1], int(sys.argv[2]), shape=DBP1M)
"""

_RUN = """
import json, os, resource, sys, time
import polars as pl
import lightea
from lightea.config import Config
from lightea.graph import Links
folder, preset, changes = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
os.nice(int(sys.argv[4]))
names = pl.read_csv(folder + "/links.tsv", separator="\\t", has_header=False, new_columns=["left", "right"])
seeds, others = Links(names["left"], names["right"]).split(0.3, random_seed=0)
config = Config.for_preset(preset, **changes)
start, start_cpu = time.perf_counter(), time.process_time()
def tell(stage, done, total):
    print(f"\\r{time.perf_counter() - start:7.0f} s  {stage} {done}/{total}   ", end="", file=sys.stderr)
left, right = lightea.read(folder + "/left.tsv"), lightea.read(folder + "/right.tsv")
read = time.perf_counter() - start
alignment = lightea.align(left, right, seeds, config=config, progress=tell)
wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
measures = lightea.evaluate(alignment, others).to_dict()
print(json.dumps({
    "entities": [left.n_entities, right.n_entities], "relations": [left.n_relations, right.n_relations],
    "triples": [left.n_triples, right.n_triples], "label_width": alignment.config.label_width,
    "sketch_width": alignment.config.sketch_width, "wall": wall, "cpu": cpu, "peak_bytes": peak,
    "seconds": {"read": read, **alignment.seconds}, "stage_peak_mb": alignment.stage_peak_mb,
    **{name: measures[name] for name in ("hits@1", "hits@10", "mrr", "precision", "recall", "f1")},
}))
"""


@dataclass(frozen=True)
class Case:
    """One size by one preset; `changes` are settings that differ from it."""

    links: int
    preset: str
    changes: dict[str, Any]

    @property
    def name(self) -> str:
        """Its name in the results."""
        return f"{self.preset}-{self.links}"


CASES = [Case(links, "basic", _NARROW) for links in _LINKS] + [Case(links, "auto", {}) for links in _LINKS]


def measure(case: Case, folder: Path) -> dict[str, Any]:
    """Make the pair, then read and align it in another process."""
    pair = folder / str(case.links)
    if not pair.exists():
        subprocess.run([sys.executable, "-c", _MAKE, str(pair), str(case.links)], check=True)
    settings = [case.preset, json.dumps(case.changes), str(_LOW_PRIORITY)]
    load = os.getloadavg()[0]
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(pair), *settings], check=True, stdout=subprocess.PIPE
    )
    found: dict[str, Any] = json.loads(done.stdout)
    facts = {"links": case.links, "preset": case.preset, "changes": case.changes, "load_at_start": load}
    return {**facts, **found, "machine": machine_facts(), "versions": versions(), "commit": commit()}


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The slope of log cost over log size, by least squares: 1 where cost grows as size does."""
    x, y = ([math.log(value) for value in values] for values in (sizes, costs))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    across = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return across / sum((a - mean_x) ** 2 for a in x)


_STAGES = {
    "read": ("read",),
    "labels": ("adjacency", "labels", "propagation", "sketch"),
    "search": ("candidates",),
    "evidence": ("evidence", "preparation"),
    "assignment": ("assignment",),
    "calibration": ("calibration",),
}


def table(results: dict[str, dict[str, Any]]) -> str:
    """A row for each case, and the exponents below."""
    head = ["preset", "entities", "triples", "width", "wall s", "CPU s", "memory", "Hits@1", "Hits@10", "F1"]
    lines = ["| " + " | ".join([*head, *(f"{stage} s" for stage in _STAGES)]) + " |"]
    lines.append("|" + "---|" * (len(head) + len(_STAGES)))
    rows = [results[case.name] for case in CASES if case.name in results]
    lines += [_row(row) for row in rows]
    for preset in ("basic", "auto"):
        sizes = [row for row in rows if row["preset"] == preset and row["links"] >= 100_000]
        if len(sizes) > 1:
            entities = [float(sum(row["entities"])) for row in sizes]
            grows = exponent(entities, [row["cpu"] for row in sizes])
            memory = exponent(entities, [row["peak_bytes"] for row in sizes])
            lines += [
                "",
                f"`{preset}`, from {entities[0]:,.0f} to {entities[-1]:,.0f} entities: processor time grows "
                f"with their number to the power {grows:.2f}, memory to the power {memory:.2f}.",
            ]
    return "\n".join(lines)


def _row(row: dict[str, Any]) -> str:
    stages = [sum(row["seconds"].get(part, 0.0) for part in parts) for parts in _STAGES.values()]
    cells = [
        f"`{row['preset']}`",
        f"{sum(row['entities']):,}",
        f"{sum(row['triples']):,}",
        f"{row['label_width']} / {row['sketch_width']}",
        f"{row['wall']:,.0f}",
        f"{row['cpu']:,.0f}",
        f"{row['peak_bytes'] / 1e9:.1f} GB",
        *(f"{row[name]:.3f}" for name in ("hits@1", "hits@10", "f1")),
        *(f"{seconds:,.1f}" for seconds in stages),
    ]
    return "| " + " | ".join(cells) + " |"


def write_page(results: dict[str, dict[str, Any]]) -> None:
    """Put the table into docs/scale.md."""
    place = re.compile(r"(<!-- scale -->\n).*?(<!-- end scale -->)", re.DOTALL)
    made = table(results)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(place.sub(lambda found: f"{found[1]}{made}\n{found[2]}", text), encoding="utf-8")


def main() -> None:
    """Measure what is missing, and write the JSON after each case."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default=[""], nargs="+", help="parts of the names of the cases to run")
    parser.add_argument("--again", action="store_true", help="also what was measured before")
    parser.add_argument("--scratch", type=Path, help="where the files of the pairs are kept, 700 MB in all")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for case in CASES:
            if not any(part in case.name for part in arguments.only) or (
                case.name in _measured() and not arguments.again
            ):
                continue
            row = measure(case, arguments.scratch or Path(scratch))
            text = json.dumps({**_measured(), case.name: row}, indent=1, sort_keys=True) + "\n"
            RESULTS.write_text(text, encoding="utf-8")
            print(f"{case.name}: {_row(row)}", flush=True)
    if PAGE.exists():
        write_page(_measured())


def _measured() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    if RESULTS.exists():
        found = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    main()
