"""Names by themselves, without any structure: `python -m benchmarks.names`.

All links of a folder are to be found and no seeds are given. The nearest names are the candidates; *greedy*
takes the most similar, *assigned* gives each entity one partner at most. The other columns of the table are
those of `benchmarks.run`: names with structure.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.run import NAME_CASES, NAME_FOLDERS, RESULTS, SEEDED_NAME_CASES, VECTORS, Case
from lightea import machine, read_benchmark
from lightea.assignment import assign
from lightea.calibration import reciprocal_ranks
from lightea.candidates import Candidates, in_order
from lightea.config import Config
from lightea.encoding import encoded_names
from lightea.graph import Ids
from lightea.reading import Benchmark

RESULT = RESULTS / "names.json"

_NEAREST = 100
_TEMPERATURE = 0.05


def measure(data: Benchmark, names: str, *, from_ids: bool) -> dict[str, Any]:
    """Hits@1 of names alone, and how many names are encoded in a second."""
    settings = Config.for_preset("auto", names=names)
    config = settings.replace(name_properties=()) if from_ids else settings
    encoded_names(data.left, data.right, config)  # compiles and loads
    start = time.perf_counter()
    found = encoded_names(data.left, data.right, config)
    seconds = time.perf_counter() - start
    if found is None:
        raise ValueError("there are no names")
    pairs = data.links.resolve(data.left, data.right).pairs
    candidates = _nearest(found.space, pairs, data)
    assignment = assign(candidates, temperature=_TEMPERATURE, iterations=100)
    return {
        "encoder": names,
        "from_ids": from_ids,
        "greedy": float(np.mean(_is_first(candidates, pairs))),
        "assigned": float(np.mean(reciprocal_ranks(assignment, pairs) == 1.0)),
        "names_per_second": (len(found.left.texts) + len(found.right.texts)) / seconds,
        "equal": found.audit.equal,
    }


def _nearest(space: Any, pairs: Ids, data: Benchmark) -> Candidates:
    left, right = np.unique(pairs[:, 0]), np.unique(pairs[:, 1])
    allowed = np.zeros(data.right.n_entities, np.bool_)
    allowed[right] = True
    indptr, ids = space.nearest(left, allowed, _NEAREST, threads=machine.available_cores())
    scores = space.similarities(left, indptr, ids)
    return in_order(left, right, indptr, np.searchsorted(right, ids).astype(np.int32), scores)


def _is_first(candidates: Candidates, pairs: Ids) -> Any:
    """For each pair the chance that it is first among equals of its row."""
    scores = candidates.scores
    partner = dict(pairs.tolist())
    shares = np.zeros(len(pairs))
    for row, left in enumerate(candidates.left.tolist()):
        stretch = slice(candidates.indptr[row], candidates.indptr[row + 1])
        own = scores[stretch][candidates.right[candidates.columns[stretch]] == partner[left]]
        if len(own) and own[0] == scores[stretch].max():
            shares[row] = 1.0 / np.count_nonzero(scores[stretch] == own[0])
    return shares


def main() -> None:
    """Measure every encoder that is at hand on every folder with names."""
    if "LIGHTEA_DATA" not in os.environ:
        sys.exit("error: LIGHTEA_DATA is not set; it names the folder of benchmark data")
    encoders = [
        "char",
        *(["encoder"] if _has_encoder() else []),
        *([f"vectors:{VECTORS}"] if VECTORS else []),
    ]
    rows = []
    for folder in NAME_FOLDERS:
        data = read_benchmark(Path(os.environ["LIGHTEA_DATA"]) / folder, train=0)
        for names in encoders:
            for from_ids in (False, True) if names == "char" else (False,):
                rows.append({"dataset": folder, **measure(data, names, from_ids=from_ids)})
                print(rows[-1])
    document = {"machine": machine.machine_facts(machine.available_cores()), "results": rows}
    RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _has_encoder() -> bool:
    return any("encoder" in case.label for case in NAME_CASES)


def table() -> str:
    """Names alone, by the preset of the paper, and by `auto`, side by side."""
    alone = json.loads(RESULT.read_text(encoding="utf-8"))["results"]
    lines = [
        "| data | names | encoder | equal | alone, greedy | alone, assigned | `literal` | `auto` | "
        "`auto`, 30 % seeds | `auto`, in products |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in alone:
        encoder = row["encoder"].partition(":")[0]
        label = f"{encoder}-ids" if row["from_ids"] else encoder
        literal, auto, seeded = (
            _measured(row["dataset"], preset, which)
            for preset, which in (("literal", label), ("auto", label), ("auto", f"{label}-30"))
        )
        cells = [
            row["dataset"],
            "identifiers" if row["from_ids"] else "translated",
            f"`{encoder}`",
            f"{row['equal']:.1%}",
            f"{row['greedy']:.3f}",
            f"{row['assigned']:.3f}",
            *(f"{found['mean']['hits@1']:.3f}" if found else "" for found in (literal, auto, seeded)),
            f"{auto['yardstick']['total_in_products']:.1f}" if auto else "",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _measured(folder: str, preset: str, label: str) -> dict[str, Any] | None:
    """The document of a case, if it was measured."""
    cases: list[Case] = [*NAME_CASES, *SEEDED_NAME_CASES]
    for case in cases:
        path = RESULTS / f"{case.name}.json"
        if (case.folder, case.preset, case.label) == (folder, preset, label) and path.exists():
            document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return document
    return None


if __name__ == "__main__":
    main()
