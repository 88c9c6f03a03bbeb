"""What each part of `auto` is worth: `python -m benchmarks.ablation [PART-OF-A-NAME]`.

`auto` as it is, and with one part taken out at a time:

    without labels         no sketches: neither candidates nor cosines; evidence starts from seeds alone
    without evidence       E is zero for every pair: sketches, assignment and calibration decide
    without staying alone  having no partner scores so little that nobody chooses it
    without calibration    no rehearsal: the defaults, the probabilities of the assignment, threshold 0.5

and the paper's own: `basic` as it is, without one of its views, and without the assignment (ranks by cosine).

One run each by structure alone; leaves benchmarks/results/ablation.json. What is there from before is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import lightea
from benchmarks.paper import case as paper
from benchmarks.paper.datasets import Dataset, Problem, Split, load
from benchmarks.paper.views import asked, pairs_of
from benchmarks.run import RESULTS
from lightea import machine
from lightea.adjacency import Adjacency, adjacency
from lightea.alignment import Alignment
from lightea.assignment import Matches
from lightea.clock import Clock, nobody
from lightea.config import Config
from lightea.evidence import Beliefs, Evidence
from lightea.graph import Ids
from lightea.linking import select_links
from lightea.matchability import likeness
from lightea.rehearsal import Outcome, by_evidence
from lightea.rounds import Nearest, Rounds, Sketches, answers
from lightea.weighing import Weights

RESULT = RESULTS / "ablation.json"

NOBODY_ALONE = -10.0
"""A score that every pair beats by far."""

Figures = dict[str, Any]
Method = Callable[[Adjacency, tuple[Ids, Ids], Ids, Config, int, Clock], Outcome]


class WithoutLabels(Rounds):
    """Rounds in which nobody has a label: there is nothing to search by, and every cosine is zero."""

    def _sketches(self, pairs: Ids, generator: np.random.Generator) -> Sketches:
        del pairs, generator
        return []

    def _search(self, sketches: Sketches) -> Nearest:
        del sketches
        indptr = np.zeros(len(self._left) + 1, np.int64)
        nothing = np.empty(0, np.float32)
        return Nearest(indptr, np.empty(0, np.int32), nothing, nothing)

    def _cosines(self, indptr: NDArray[np.int64], ids: Ids, sketches: Sketches) -> NDArray[np.float32]:
        del indptr, sketches
        return np.zeros(len(ids), np.float32)


class WithoutEvidence(Rounds):
    """Rounds in which no fact speaks for anybody: candidates are the nearest, and E is zero."""

    def _evidence(self, matches: Matches, nearest: Nearest, weights: Weights) -> tuple[Evidence, Beliefs]:
        _, beliefs = super()._evidence(matches, nearest, weights)
        none = np.zeros(len(nearest.ids), np.float32)
        return Evidence(self._left, nearest.indptr, nearest.ids, none), beliefs


def rehearsed(kind: type[Rounds] = Rounds, **changes: Any) -> Method:
    """What `auto` does, by these rounds and with some settings changed."""

    def run(
        edges: Adjacency, sides: tuple[Ids, Ids], seeds: Ids, config: Config, threads: int, clock: Clock
    ) -> Outcome:
        changed = config.replace(**changes)
        return by_evidence(edges, sides, seeds, changed, threads, clock, rounds_of=kind)

    return run


def unrehearsed(
    edges: Adjacency, sides: tuple[Ids, Ids], seeds: Ids, config: Config, threads: int, clock: Clock
) -> Outcome:
    """What `auto` does where there are too few seeds to hold some back."""
    odds = likeness(edges, seeds)
    rounds = Rounds(edges, odds, seeds, config, threads, clock)
    found = rounds.from_seeds(np.random.default_rng(config.random_seed))
    return Outcome(answers(found, odds, edges, *sides, seeds, config), found.beliefs, None)


OF_AUTO: dict[str, Method] = {
    "auto": rehearsed(),
    "without labels": rehearsed(WithoutLabels),
    "without evidence": rehearsed(WithoutEvidence),
    "without staying alone": rehearsed(no_match_score=NOBODY_ALONE),
    "without calibration": unrehearsed,
}
OF_PAPER = ("basic", *paper.LESS_A_VIEW)


@dataclass(frozen=True)
class Set:
    """A data set, its split, and whether all entities take part or only those of the test links."""

    name: str
    split: Split
    everybody: bool = False
    paper: bool = True
    """Whether the paper's own ablations are run, too: not where a full matrix of labels is too much."""


SETS = (
    Set("dbp15k/zh_en", Split(train=0.3)),
    Set("srprs/fr_en", Split(train=0.3)),
    Set("openea/EN_FR_15K_V1", Split(fold=1)),
    Set("contea/zh_en", Split(train=0.3), everybody=True, paper=False),
)


def of_auto(name: str, problem: Problem, config: Config, threads: int) -> Alignment:
    """The alignment by `auto` with or without the part that the name says."""
    edges, seeds = adjacency(problem.left, problem.right), pairs_of(problem, config)
    outcome = OF_AUTO[name](edges, asked(problem, seeds), seeds, config, threads, Clock(nobody))
    chosen = select_links(
        outcome.assignment,
        outcome.calibration,
        cardinality=config.cardinality,
        threshold=None,
        precision=None,
    )
    return Alignment(
        problem.left,
        problem.right,
        seeds,
        outcome.assignment,
        chosen.left_ids,
        chosen.right_ids,
        chosen.probability,
        config.replace(threshold=chosen.threshold),
        beliefs=outcome.beliefs,
        calibration=outcome.calibration,
    )


def calibration_error(alignment: Alignment, problem: Problem, n_bins: int = 10) -> float:
    """Mean distance of probability and precision of the links, over bins of equal width."""
    if len(alignment) == 0:
        return 0.0
    test = problem.test.resolve(problem.left, problem.right).pairs
    true = dict(test.tolist())
    pairs = zip(alignment.left_ids.tolist(), alignment.right_ids.tolist(), strict=True)
    is_right = np.array([true.get(left) == right for left, right in pairs])
    chance = alignment.probability.astype(np.float64)
    place = np.minimum((chance * n_bins).astype(np.int64), n_bins - 1)
    return float(np.abs(np.bincount(place, chance - is_right, n_bins)).sum() / len(alignment))


def measured(name: str, chosen: Set, problem: Problem, dataset: Dataset, threads: int) -> Figures:
    """Quality and processor time of one run."""
    start = time.process_time()
    if name in OF_PAPER:
        config = Config.for_preset("basic", names="none")
        return paper.run(paper.Case(name, config, chosen.split), dataset, threads)
    alignment = of_auto(name, problem, Config.for_preset("auto", names="none"), threads)
    taken = time.process_time() - start
    scores = lightea.evaluate(alignment, problem.test)
    return {
        **scores.to_dict(),
        "n_predicted": scores.n_predicted,
        "calibration_error": calibration_error(alignment, problem),
        "threshold": alignment.config.threshold,
        "cpu_seconds": taken,
    }


def problem_of(chosen: Set, dataset: Dataset) -> Problem:
    """The data read and split, and who takes part."""
    problem = load(dataset, chosen.split)
    if not chosen.everybody:
        return problem
    sides = (np.arange(graph.n_entities, dtype=np.int32) for graph in (problem.left, problem.right))
    return Problem(problem.left, problem.right, problem.seeds, problem.test, (next(sides), next(sides)))


def table(results: dict[str, dict[str, Figures]]) -> str:
    """Hits@1 / F1 / calibration error of each variant on each data set, in Markdown."""
    names = [name for name in (*OF_AUTO, *OF_PAPER) if any(name in of_set for of_set in results.values())]
    lines = ["| | " + " | ".join(results) + " |", "|---|" + "---|" * len(results)]
    for name in names:
        cells = [_cell(of_set.get(name)) for of_set in results.values()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        if name == "basic":
            cells = [_hits(of_set.get(name, {}).get("by_cosine")) for of_set in results.values()]
            lines.append("| basic, without assignment | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(figures: Figures | None) -> str:
    if figures is None or "calibration_error" not in figures:
        return _hits(figures)
    return f"{figures['hits@1']:.3f} / {figures['f1']:.3f} / {figures['calibration_error']:.3f}"


def _hits(figures: Figures | None) -> str:
    return f"{figures['hits@1']:.3f}" if figures else "–"


def main() -> None:
    """Run what is asked for, print the table and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("only", nargs="?", default="", help="a part of the names of the data sets to run")
    parser.add_argument("--threads", type=int, default=machine.available_cores())
    arguments = parser.parse_args()
    if "LIGHTEA_DATA" not in os.environ:
        sys.exit("error: LIGHTEA_DATA is not set; it names the folder of benchmark data")
    numba.set_num_threads(arguments.threads)
    document = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {"results": {}}
    document |= {
        "commit": machine.commit(),
        "machine": machine.machine_facts(arguments.threads),
        "versions": machine.versions(),
    }
    for chosen in SETS:
        if arguments.only not in chosen.name:
            continue
        dataset = Dataset(chosen.name, Path(os.environ["LIGHTEA_DATA"]) / chosen.name, ())
        problem = problem_of(chosen, dataset)
        of_set = document["results"].setdefault(chosen.name, {})
        for name in (*OF_AUTO, *(OF_PAPER if chosen.paper else ())):
            of_set[name] = measured(name, chosen, problem, dataset, arguments.threads)
            print(f"{chosen.name}, {name}: {_cell(of_set[name])}", file=sys.stderr, flush=True)
            RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(table(document["results"]))


if __name__ == "__main__":
    main()
