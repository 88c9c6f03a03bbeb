"""How near each stage comes to what the machine can do: `python -m benchmarks.roofline`.

On DBP15K ZH-EN, 30 % of the links being seeds, with the settings of the preset `basic`. The search is held
against the fastest float32 matrix product of its shape, in operations per second; int8 instructions may do
more. All else is held against the fastest copy of an array too large for the cache, in bytes per second read
and written. Stages and roofs take turns, so that a busy minute of the machine hits all of them.

The bytes that a stage must move (w columns of int8, so a row is w bytes, and 2w where it is int16; a row
counts whenever it is needed, so a stage whose rows are still in the cache can be faster than memory):

    hop_entities   w · (edges to a labelled tail + labelled heads + distinct (head, relation) + entities)
                   + 12 per edge (relation, tail, its place) + 12 per entity (offset, its place)
    hop_relations  w · (labelled distinct (relation, head) + 4 · relations, whose sums are float32)
                   + 8 per (relation, head) (head, its place) + 8 per relation
    edge_ends      w · (labelled entities over all rounds + 2 · entities) + 4 per entity and round (place)
    gated_sketch   one block: w · (2 · 2 · edges of its rows + its rows + (rounds + 2) · relations)
                   + 8 per edge (relation, tail) + 16 per row (number, offset, inverse length)
    quantise       (4w + w + 4) per row of float32
    sinkhorn       (1 + 2 · iterations) sweeps of 20 per candidate pair (weight, number and scaling of the
                   other side) + 32 per row (offset, staying alone, bound, result); what `assign` does before
                   and after counts as time, not as bytes
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from benchmarks.run import PRODUCT, RESULTS
from lightea import _kernels, machine, read_benchmark
from lightea.adjacency import Adjacency, adjacency
from lightea.assignment import assign
from lightea.candidates import find_candidates, search
from lightea.codes import SPREAD, quantise
from lightea.config import Config
from lightea.labels import Labels, seed_labels
from lightea.propagation import edge_ends, gated_sketch, propagate

RESULT = RESULTS / "roofline.json"

_FOLDER = "dbp15k/zh_en"
_CORETYPES = (os.environ.get("OPENBLAS_CORETYPE"), None, "SkylakeX")
"""BLAS kernels: as the environment has it, as OpenBLAS chooses by itself, and with 512-bit vectors."""
_COPIED = 1 << 26
_BLOCK = 1024


class Task(NamedTuple):
    """Something to time, and how much work it is, in Gop or GB. The best of the roofs is the measure."""

    name: str
    unit: str
    work: float
    run: Callable[[], object]
    is_roof: bool = False


def tasks(folder: Path, threads: int) -> Iterator[Task]:
    """The roofs, and the stages with inputs as `align` would give them."""
    config, generator = Config(), np.random.default_rng(0)
    data = read_benchmark(folder, train=0.3)
    edges = adjacency(data.left, data.right)
    seeds, links = (part.resolve(data.left, data.right).pairs for part in (data.train, data.test))
    left, right = np.sort(links, axis=0).T
    rows = np.concatenate([left, right + np.int32(edges.n_left)])
    n_rows, width = len(rows), config.label_width
    first = seed_labels(seeds, edges.n_left, edges.n_entities, width, generator)
    labels = propagate(edges, first, config.hops)
    ends = edge_ends(edges, labels, generator)
    floats = generator.standard_normal((n_rows, width), np.float32)
    n_blocks = config.sketch_width // width
    codes = [gated_sketch(edges, ends, rows, generator) for _ in range(n_blocks)]
    blocks = [(both.rows(slice(0, len(left))), both.rows(slice(len(left), None))) for both in codes]
    sought = partial(find_candidates, n_proposals=config.proposals, n_best=config.candidates)
    found = sought(left, right, blocks, threads=threads)
    labelled = sum(np.count_nonzero(of_round.place >= 0) for of_round in labels.entities)
    n_edges, n_entities = int(np.diff(edges.offsets)[rows].sum()), edges.n_entities
    n_gates = (config.hops + 2) * edges.n_relations
    sweeps = 1 + 2 * config.sinkhorn_iterations
    searched = partial(search, *blocks[0], config.proposals, threads=threads)
    summed = partial(edge_ends, edges, labels, generator)
    gated = partial(gated_sketch, edges, ends, rows, generator)
    scaled = partial(assign, found, temperature=config.temperature, iterations=config.sinkhorn_iterations)
    of_ends = width * (labelled + 2 * n_entities) + 4 * n_entities * len(labels.entities)
    of_gates = width * (4 * n_edges + n_rows + n_gates) + 8 * n_edges + 16 * n_rows
    of_sweeps = sweeps * 20 * len(found.columns) + 32 * (sweeps * n_rows // 2)
    yield from _roofs(len(left), len(right), width, threads)
    yield Task("search", "Gop", 2e-9 * len(left) * len(right) * width, searched)
    for number, of_round in enumerate(labels.entities[: config.hops], 1):
        yield from _hops(edges, of_round, number)
    yield Task("edge_ends", "GB", of_ends / 1e9, summed)
    yield Task("gated_sketch", "GB", of_gates / 1e9, gated)
    yield Task("quantise", "GB", (5 * width + 4) * n_rows / 1e9, partial(quantise, floats))
    yield Task("sinkhorn", "GB", of_sweeps / 1e9, scaled)


def _hops(edges: Adjacency, labels: Labels, number: int) -> Iterator[Task]:
    """Both halves of one round of `propagate`."""
    width, n_relations = labels.table.shape[1], edges.n_relations
    before, sums = np.ones((n_relations, width), np.int8), np.empty((n_relations, width), np.float32)
    entities = np.empty((edges.n_entities, width), np.int8)
    has_label, n_edges, n_pairs = labels.place >= 0, len(edges.tails), len(edges.relation_heads)
    needed = has_label[edges.tails].sum() + has_label.sum() + n_pairs + edges.n_entities
    moved = width * needed + 12 * (n_edges + edges.n_entities)
    side = edges.offsets, edges.relations, edges.tails, labels.table, labels.place
    hop = partial(_kernels.hop_entities, *side)
    yield Task(f"hop_entities {number}", "GB", moved / 1e9, partial(hop, before, SPREAD, entities))
    needed = has_label[edges.relation_heads].sum() + 4 * n_relations
    moved = width * needed + 8 * (n_pairs + n_relations)
    top = edges.relation_offsets, edges.relation_heads, labels.table, labels.place, sums
    yield Task(f"hop_relations {number}", "GB", moved / 1e9, partial(_kernels.hop_relations, *top))


def _roofs(n_left: int, n_right: int, width: int, threads: int) -> Iterator[Task]:
    """Two ways to multiply float32 matrices, two ways to copy."""
    left, right = (np.random.default_rng(0).random((n, width), np.float32) for n in (n_left, n_right))
    product = np.empty((n_left, n_right), np.float32)
    source, target = np.ones((2, _COPIED), np.float32)
    parts = [np.array_split(array, threads) for array in (target, source)]
    pool = ThreadPoolExecutor(threads)

    def by_blocks() -> None:
        for low in range(0, n_left, _BLOCK):
            rows = left[low : low + _BLOCK]
            np.matmul(rows, right.T, out=product[: len(rows)])

    operations, moved = 2e-9 * n_left * n_right * width, 2e-9 * source.nbytes
    yield Task("float32 product, blocks", "Gop", operations, by_blocks, True)
    yield Task("float32 product", "Gop", operations, partial(np.matmul, left, right.T, product), True)
    yield Task("copy, NumPy", "GB", moved, lambda: list(pool.map(np.copyto, *parts)), True)
    yield Task("copy, compiled", "GB", moved, partial(_copy, source, target), True)


@numba.njit(parallel=True)
def _copy(source: Any, target: Any) -> None:
    for i in numba.prange(len(source)):
        target[i] = source[i]


def measure(folder: Path, runs: int) -> list[dict[str, Any]]:
    """Time every task `runs` times in turn, after one round that does not count."""
    every = list(tasks(folder, machine.available_cores()))
    seconds = np.empty((len(every), runs + 1))
    for run in range(runs + 1):
        for number, task in enumerate(every):
            start = time.perf_counter()
            task.run()
            seconds[number, run] = time.perf_counter() - start
    counted = seconds[:, 1:]
    work = np.array([task.work for task in every])
    best, median = work / counted.min(1), work / np.median(counted, axis=1)
    results = []
    for number, task in enumerate(every):
        roofs = [i for i, other in enumerate(every) if other.is_roof and other.unit == task.unit]
        results.append(
            {
                **{name: value for name, value in task._asdict().items() if name != "run"},
                "seconds": counted[number].min(),
                "median_seconds": float(np.median(counted[number])),
                "giga_per_second": best[number],
                "share_of_roof": best[number] / best[roofs].max(),
                "median_share_of_roof": median[number] / median[roofs].max(),
                "all_seconds": counted[number].tolist(),
            }
        )
    return results


def table(results: list[dict[str, Any]]) -> str:
    """The results as a table in Markdown."""
    lines = [
        "| stage | work | best | median | rate | of the roof | by medians |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in results:
        cells = [
            f"*{row['name']}*" if row["is_roof"] else row["name"],
            f"{row['work']:.2f} {row['unit']}",
            f"{1e3 * row['seconds']:.0f} ms",
            f"{1e3 * row['median_seconds']:.0f} ms",
            f"{row['giga_per_second']:.0f} {row['unit']}/s",
            f"{row['share_of_roof']:.0%}",
            f"{row['median_share_of_roof']:.0%}",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _with_fastest_blas() -> dict[str, str]:
    """The environment under which OpenBLAS multiplies fastest; it chooses its kernel when it is loaded."""
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    timed = []
    for kernel in 2 * _CORETYPES:
        chosen = others if kernel is None else {**others, "OPENBLAS_CORETYPE": kernel}
        command = [sys.executable, "-c", PRODUCT, "10500", "10500"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=chosen)
        if done.returncode == 0:
            timed.append((float(done.stdout), chosen))
    return min(timed, key=lambda pair: pair[0])[1]


def main() -> None:
    """Measure, print the table and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--here", action="store_true", help="in this process, with the BLAS kernel it has")
    arguments = parser.parse_args()
    if "LIGHTEA_DATA" not in os.environ:
        sys.exit("error: LIGHTEA_DATA is not set; it names the folder of benchmark data")
    if not arguments.here:
        command = [sys.executable, "-m", "benchmarks.roofline", "--here", "--runs", str(arguments.runs)]
        sys.exit(subprocess.run(command, check=False, env=_with_fastest_blas()).returncode)
    results = measure(Path(os.environ["LIGHTEA_DATA"]) / _FOLDER, arguments.runs)
    openblas = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    document = {
        "config": {"dataset": _FOLDER, "runs": arguments.runs, "environment": openblas},
        "commit": machine.commit(),
        "machine": machine.machine_facts(),
        "versions": machine.versions(),
        "results": results,
    }
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
