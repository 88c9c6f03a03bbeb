"""One run of an experiment: a system, its settings, the split, the damage; and what came of it."""

from __future__ import annotations

import dataclasses
import json
import time
from dataclasses import dataclass
from typing import Any

import lightea
from benchmarks.paper.damage import Damage, damaged
from benchmarks.paper.datasets import Dataset, Problem, Split, load
from benchmarks.paper.onehot import align_one_hot
from benchmarks.paper.traces import trace_cases
from benchmarks.paper.views import VIEWS, align_by_views
from lightea.alignment import Alignment
from lightea.assignment import Assignment
from lightea.config import PRESETS, Config
from lightea.machine import available_cores, commit, cpu_model

Figures = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """What is run. The system is a preset; or `basic` with its stages put together in another way."""

    system: str
    config: Config
    split: Split
    damage: Damage | None = None

    def key(self) -> Figures:
        """Everything that decides the outcome but the data, as JSON holds it."""
        plain: Figures = json.loads(json.dumps(dataclasses.asdict(self)))
        return plain


def preset_case(
    system: str, split: Split, random_seed: int, damage: Damage | None = None, **changes: Any
) -> Case:
    """A preset with some settings changed; by structure alone, whatever the names might tell."""
    config = Config.for_preset(system, names="none", random_seed=random_seed, **changes)
    return Case(system, config, split, damage)


def run(case: Case, dataset: Dataset, threads: int) -> Figures:
    """Read, align and score; all figures of the run."""
    start, start_cpu = time.perf_counter(), time.process_time()
    problem = damaged(load(dataset, case.split), case.damage)
    has_read = time.perf_counter()
    alignment = align(case, problem, threads)
    has_aligned = time.perf_counter()
    scores = lightea.evaluate(alignment, problem.test)
    end = time.perf_counter()
    compilation = alignment.seconds.get("compile", 0.0)
    stages = {name: seconds for name, seconds in alignment.seconds.items() if name != "compile"}
    return {
        **scores.to_dict(),
        "n_test": scores.n_test,
        "n_predicted": scores.n_predicted,
        "n_not_retrieved": scores.n_not_retrieved,
        **_counts(problem),
        **_without_assignment(alignment, problem, case.system),
        **({"trace": trace_cases(alignment, problem.test)} if case.system == TRACED else {}),
        "seconds": {
            "read": has_read - start,
            **stages,
            "metrics": end - has_aligned,
            "total": end - start - compilation,
            "compile": compilation,
        },
        "cpu_seconds": time.process_time() - start_cpu,
        "ran": {
            "lightea": lightea.__version__,
            "commit": commit(),
            "cpu": cpu_model(),
            "cores": available_cores(),
            "threads": threads,
        },
    }


def align(case: Case, problem: Problem, threads: int) -> Alignment:
    """The alignment that a case asks for."""
    if case.system in PRESETS or case.system == TRACED:
        left, right = problem.searched
        return lightea.align(
            problem.left,
            problem.right,
            problem.seeds,
            config=case.config,
            left_entities=left,
            right_entities=right,
            threads=threads,
        )
    if case.system == ONE_HOT:
        return align_one_hot(problem, case.config)
    return align_by_views(problem, case.config, VIEWS - {LESS_A_VIEW[case.system]}, threads)


def _counts(problem: Problem) -> Figures:
    return {
        "n_seeds": len(problem.seeds),
        "n_searched": [len(side) for side in problem.searched],
        "n_triples": [problem.left.n_triples, problem.right.n_triples],
    }


def _without_assignment(alignment: Alignment, problem: Problem, system: str) -> Figures:
    """The ranks by cosine alone, where one search and one assignment are all there is."""
    if system != "basic" and system in PRESETS:
        return {}
    by_cosine = dataclasses.replace(alignment, assignment=_undecided(alignment.assignment))
    ranked = lightea.evaluate(by_cosine, problem.test).to_dict()
    return {"by_cosine": {name: ranked[name] for name in ("hits@1", "hits@10", "mrr")}}


def _undecided(assignment: Assignment) -> Assignment:
    """The same candidates, all equally probable, so that their scores decide."""
    return dataclasses.replace(assignment, probabilities=0 * assignment.probabilities)


TRACED = "basic, traced"
ONE_HOT = "basic, one-hot labels"
LESS_A_VIEW = {f"basic, without {view}": view for view in sorted(VIEWS)}
