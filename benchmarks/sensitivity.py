"""What the constants of `auto` decide: `python -m benchmarks.sensitivity [PART-OF-A-NAME]`.

Each constant in turn is halved and doubled, and `auto` is run by structure alone. A constant after which
nothing moves needs no better value; one that moves much should be fitted, or have a reason in
docs/evidence.md, which shows the table. Leaves benchmarks/results/sensitivity.json after every run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numba
import numpy as np

import lightea
from benchmarks.ablation import Set, calibration_error, of_auto, problem_of
from benchmarks.paper.datasets import Dataset, Problem, Split
from benchmarks.run import RESULTS
from lightea import calibration, evidence, machine, matchability, rehearsal, rounds
from lightea.config import PRESETS, Config
from lightea.synthetic import make_pair

RESULT = RESULTS / "sensitivity.json"

Figures = dict[str, float]


@dataclass(frozen=True)
class Change:
    """A constant and another value for it: a setting, a module's own, or an argument of a function there."""

    name: str
    value: float
    module: ModuleType | None = None
    argument_of: str = ""

    def config(self) -> Config:
        """The settings of `auto`, with the change if it is one of them."""
        config = Config.for_preset("auto", names="none")
        return config if self.module else config.replace(**{self.name: self.value})

    def inside(self) -> AbstractContextManager[object]:
        """The change for the time of a run, if it is one of a module."""
        if self.module is None:
            return nullcontext()
        if not self.argument_of:
            return patch.object(self.module, self.name, self.value)
        changed = partial(getattr(self.module, self.argument_of), **{self.name: self.value})
        return patch.object(self.module, self.argument_of, changed)


_SETTINGS = (
    *("label_width", "sketch_width", "proposals", "temperature", "sinkhorn_iterations", "rounds"),
    *("evidence_rounds", "cosine_weight", "no_match_score"),
)
_OF_MODULES: tuple[tuple[ModuleType, tuple[str, ...]], ...] = (
    (rehearsal, ("_MORE_ROUNDS",)),
    (matchability, ("_CAUTION", "_STANDARD_ERRORS", "_LEAST", "_KINDS", "_LEAST_HEADS", "_SHRINKAGE")),
    (calibration, ("HIDDEN_SHARE", "_SHRINKAGE", "_PRIOR_PRECISION", "_SUREST", "_FURTHEST")),
)
_ARGUMENTS: tuple[tuple[str, str, float], ...] = (
    ("believed", "n_best", 10),
    ("believed", "least", 0.01),
    ("relation_agreement", "caution", 2.0),
    ("gather_evidence", "n_new", 30),
    ("gather_evidence", "hub", evidence.HUB),
)
_LESS, _MORE = 0.8, 0.95
_LITTLE, _MUCH = 1.025, 1.1

_MADE_UP, _SHARED = "synthetic", 3_000
"""A pair in the likeness of DBP15K with that many entities in common; a fifth of all have no counterpart."""

SETS = (
    Set("srprs/fr_en", Split(train=0.3)),
    Set(_MADE_UP, Split(train=0.3), everybody=True),
)


def changes() -> Iterator[Change]:
    """Every constant halved and doubled; a probability near one is moved instead."""
    for module, names in _OF_MODULES:
        for name in names:
            yield from _both(name, getattr(module, name), module)
    auto = PRESETS["auto"]
    for name in _SETTINGS:
        yield from _both(name, getattr(auto, name))
    for name, value in (("accept", _LESS), ("accept", _MORE)):
        yield Change(name, value)
    for value in (_LITTLE, _MUCH):
        yield Change("_STILL_GROWING", value, rounds)
    for function, name, value in _ARGUMENTS:
        yield from _both(name, value, rounds, function)


def _both(name: str, value: float, module: ModuleType | None = None, function: str = "") -> Iterator[Change]:
    half = value // 2 if isinstance(value, int) else value / 2
    yield Change(name, half, module, function)
    yield Change(name, 2 * value, module, function)


def measured(change: Change, problem: Problem, threads: int) -> Figures:
    """Quality with one constant changed."""
    with change.inside():
        alignment = of_auto("auto", problem, change.config(), threads)
    scores = lightea.evaluate(alignment, problem.test)
    return {"hits@1": scores.hits_at_1, "f1": scores.f1, "error": calibration_error(alignment, problem)}


def title(change: Change) -> str:
    """The constant as the table calls it."""
    home = "config" if change.module is None else change.module.__name__.rpartition(".")[2]
    if change.argument_of:
        return f"{change.argument_of}({change.name})"
    return f"{home}.{change.name}"


def table(results: dict[str, dict[str, Figures]]) -> str:
    """Points of Hits@1 and F1 gained or lost, and the calibration error, in Markdown."""
    lines = [
        "| constant | value | " + " | ".join(results) + " |",
        "|---|---|" + "---|" * len(results),
        "| (as it is) | | " + " | ".join(_absolute(of_set["as it is"]) for of_set in results.values()) + " |",
    ]
    for key in dict.fromkeys(key for of_set in results.values() for key in of_set if key != "as it is"):
        name, value = key.rsplit(" = ", 1)
        cells = [_relative(of_set.get(key), of_set["as it is"]) for of_set in results.values()]
        lines.append(f"| `{name}` | {value} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _absolute(figures: Figures) -> str:
    return f"{100 * figures['hits@1']:.1f} / {100 * figures['f1']:.1f} / {figures['error']:.3f}"


def _relative(figures: Figures | None, base: Figures) -> str:
    if figures is None:
        return "–"
    hits, f1 = (100 * (figures[name] - base[name]) for name in ("hits@1", "f1"))
    return f"{hits:+.1f} / {f1:+.1f} / {figures['error']:.3f}"


def _folder(chosen: Set) -> Dataset:
    return Dataset(chosen.name, Path(os.environ["LIGHTEA_DATA"]) / chosen.name, ())


def _made_up(split: Split) -> Problem:
    pair = make_pair(_SHARED, random_seed=0)
    seeds, hidden = pair.links.split(split.train or 0.0, random_seed=split.random_seed)
    sides = (np.arange(graph.n_entities, dtype=np.int32) for graph in (pair.left, pair.right))
    return Problem(pair.left, pair.right, seeds, hidden, (next(sides), next(sides)))


def main() -> None:
    """Measure, print the table and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("only", nargs="?", default="", help="a part of the names of the data sets to run")
    parser.add_argument("--threads", type=int, default=machine.available_cores())
    arguments = parser.parse_args()
    if "LIGHTEA_DATA" not in os.environ:
        sys.exit("error: LIGHTEA_DATA is not set; it names the folder of benchmark data")
    numba.set_num_threads(arguments.threads)
    document: dict[str, Any] = {"results": {}}
    if RESULT.exists():
        document = json.loads(RESULT.read_text(encoding="utf-8"))
    document |= {"commit": machine.commit(), "versions": machine.versions()}
    nothing = Change("random_seed", 0)
    for chosen in SETS:
        if arguments.only not in chosen.name:
            continue
        problem = _made_up(chosen.split) if chosen.name == _MADE_UP else problem_of(chosen, _folder(chosen))
        share = f"{chosen.name}, {chosen.split.train:.0%}"
        of_set = document["results"][share] = {"as it is": measured(nothing, problem, arguments.threads)}
        for change in changes():
            key = f"{title(change)} = {change.value:g}"
            of_set[key] = measured(change, problem, arguments.threads)
            print(share, key, _relative(of_set[key], of_set["as it is"]), file=sys.stderr, flush=True)
            RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(table(document["results"]))


if __name__ == "__main__":
    main()
