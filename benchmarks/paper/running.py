"""Runs what an experiment asks for and has not been run, and keeps what came of it after every run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.paper import records
from benchmarks.paper.case import Case, Figures, run
from benchmarks.paper.datasets import Dataset, load
from benchmarks.paper.experiments import Experiment
from lightea.errors import InputError

LARGEST_ABLATION = 100_000
"""Entities above which the ablation is left out: it keeps labels of all entities as full matrices."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Laboratory:
    """Where results are kept, and how runs are made."""

    results: Path
    runs: int
    threads: int
    again: bool
    """Whether to run also what was run before."""
    tell: Tell


def carry_out(experiment: Experiment, dataset: Dataset, laboratory: Laboratory) -> None:
    """Run an experiment on a data set; its file grows with every run."""
    if experiment.kind == "ablation":
        _refuse_large(dataset)
    known = records.Known(laboratory.results, dataset.slug, dataset.digest)
    points = experiment.points(dataset, laboratory.runs)
    done: list[records.Record] = []
    for number, point in enumerate(points):
        entry: records.Record = {"series": point.series, "x": point.x, "runs": []}
        done.append(entry)
        for case in point.cases:
            figures = None if laboratory.again else known.find(case)
            if figures is None:
                laboratory.tell(
                    f"{experiment.name} {dataset.name}: {_described(case)} ({number + 1}/{len(points)})"
                )
                figures = run(case, dataset, laboratory.threads)
                known.add(case, figures)
                laboratory.tell(_told(figures))
            entry["runs"].append({"case": case.key(), "figures": figures})
            _keep(experiment, dataset, laboratory, done)


def _refuse_large(dataset: Dataset) -> None:
    problem = load(dataset, dataset.usual_split(0))
    entities = problem.left.n_entities + problem.right.n_entities
    if entities > LARGEST_ABLATION:
        raise InputError(
            f"{dataset.name} has {entities:,} entities, too many for labels as full matrices",
            hint=f"the ablation takes up to {LARGEST_ABLATION:,}",
        )


def _keep(
    experiment: Experiment, dataset: Dataset, laboratory: Laboratory, points: list[records.Record]
) -> None:
    document = records.Document(experiment.name, dataset.name, dataset.digest, points)
    records.write(records.place(laboratory.results, experiment.name, dataset.slug), document)


def _described(case: Case) -> str:
    damage = f", {case.damage.kind} {case.damage.share:.0%}" if case.damage else ""
    split = f"fold {case.split.fold}" if case.split.fold else f"{case.split.train:.0%} seeds"
    return f"{case.system}, {split}{damage}, random seed {case.config.random_seed}"


def _told(figures: Figures) -> str:
    return (
        f"    hits@1 {figures['hits@1']:.3f}, mrr {figures['mrr']:.3f}, f1 {figures['f1']:.3f}, "
        f"{figures['seconds']['total']:.1f} s ({figures['cpu_seconds']:.1f} s of processor time)"
    )
