"""What is run, by name: for each data set the points of a table or curve, and the runs behind each point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.paper.case import LESS_A_VIEW, ONE_HOT, TRACED, Case, preset_case
from benchmarks.paper.damage import Damage
from benchmarks.paper.datasets import Dataset
from lightea.config import Config

PAPER_SYSTEMS = ("basic", "iterative")
SYSTEMS = (*PAPER_SYSTEMS, "auto")
RUNS = 5
MANY_RUNS = 20

RANKING = ("hits@1", "hits@10", "mrr")
LINKS = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Point:
    """A place in a table: its line (`series`), its place on the line, and the runs whose mean it shows."""

    series: str
    x: str | float
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Experiment:
    """A named set of points, and how it is shown."""

    name: str
    title: str
    about: str
    points: Callable[[Dataset, int], list[Point]]
    """For a data set and the number of runs asked for."""
    axis: str
    """What the points of a line differ in."""
    measures: tuple[str, ...] = ("hits@1",)
    """Those shown, the first of them in the plot."""
    logarithmic: bool = False
    in_percent: bool = False
    kind: str = "curve"
    """How it is shown: curve, table, time, ablation, spread or trace."""


def _main(dataset: Dataset, runs: int) -> list[Point]:
    """Run i has split i and random seed i."""
    return [
        Point(system, system, tuple(preset_case(system, dataset.usual_split(i), i) for i in range(runs)))
        for system in SYSTEMS
    ]


def _sweep(values: dict[float, dict[str, Any]]) -> _Points:
    """One run of `basic` for each value; the settings that a value stands for are given with it."""

    def points(dataset: Dataset, _: int) -> list[Point]:
        split = dataset.usual_split(0)
        return [
            Point("basic", value, (preset_case("basic", split, 0, **changes),))
            for value, changes in values.items()
        ]

    return points


def _ratio(dataset: Dataset, _: int) -> list[Point]:
    """The usual share is that of a random split like the others, also where there are folds."""
    return [
        Point(system, share, (preset_case(system, dataset.random_split(share, 0), 0),))
        for system in SYSTEMS
        for share in (0.01, 0.05, 0.1, 0.2, 0.3, 0.5)
    ]


def _split(dataset: Dataset, runs: int) -> list[Point]:
    n_runs = MANY_RUNS if runs == RUNS else runs
    return [
        Point(
            system,
            system,
            tuple(preset_case(system, dataset.random_split(dataset.share, i), i) for i in range(n_runs)),
        )
        for system in SYSTEMS
    ]


def _damaged(kind: str, systems: tuple[str, ...], shares: tuple[float, ...]) -> _Points:
    def points(dataset: Dataset, _: int) -> list[Point]:
        split = dataset.usual_split(0)
        return [
            Point(system, share, (preset_case(system, split, 0, Damage(kind, share) if share else None),))
            for system in systems
            for share in shares
        ]

    return points


def _ablation(dataset: Dataset, _: int) -> list[Point]:
    split = dataset.usual_split(0)
    config = Config.for_preset("basic", names="none", candidates=500, proposals=1000)
    return [
        Point(system, system, (Case(system, config, split),)) for system in ("basic", *LESS_A_VIEW, ONE_HOT)
    ]


def _trace(dataset: Dataset, _: int) -> list[Point]:
    config = Config.for_preset("basic", names="none")
    return [Point(TRACED, TRACED, (Case(TRACED, config, dataset.usual_split(0)),))]


_Points = Callable[[Dataset, int], list[Point]]

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "main",
            "Main tables",
            "Structure only; the candidates are the entities of the test links; 30 % of the links are "
            "seeds, in folders with folds a fifth. Means of the runs, each with a split and random labels of "
            "its own, and their standard deviation. *Paper* is the published table, *reference* the "
            "published implementation on two CPU cores, run once.",
            _main,
            "system",
            RANKING,
            kind="table",
        ),
        Experiment(
            "time",
            "Time",
            "Seconds from the first byte read to the metrics, without the compilation of a first run: the "
            "mean and the fastest of the runs of the main table, and the processor time of all cores "
            "together. The paper's seconds are those of an RTX 3090, the reference's of two CPU cores.",
            _main,
            "system",
            kind="time",
        ),
        Experiment(
            "dimension",
            "Dimension of the labels",
            "`label_width`; the sketch is four times as wide, as in the preset. One run each.",
            _sweep(
                {d: {"label_width": d, "sketch_width": 4 * d} for d in (64, 128, 256, 512, 1024, 2048, 4096)}
            ),
            "dimension",
            logarithmic=True,
        ),
        Experiment(
            "hops",
            "Rounds of propagation",
            "`hops`, how far labels spread before entities are compared. One run each.",
            _sweep({k: {"hops": k} for k in (1, 2, 3, 4, 5)}),
            "rounds of propagation",
        ),
        Experiment(
            "rounds",
            "Bi-directional rounds",
            "`rounds`: confident pairs of a round are labels of the next; one round is `basic`, three are "
            "`iterative`. One run each.",
            _sweep({k: {"rounds": k} for k in (1, 2, 3, 4, 5)}),
            "rounds",
        ),
        Experiment(
            "candidates",
            "Candidates of an entity (top K)",
            "`candidates`, out of twice as many proposals. One run each.",
            _sweep({k: {"candidates": k, "proposals": 2 * k} for k in (10, 20, 50, 100, 200, 500, 1000)}),
            "candidates",
            ("hits@1", "hits@10"),
            logarithmic=True,
        ),
        Experiment(
            "temperature",
            "Temperature of the assignment",
            "`temperature`, by which scores are divided. One run each.",
            _sweep({t: {"temperature": t} for t in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)}),
            "temperature",
            logarithmic=True,
        ),
        Experiment(
            "sinkhorn",
            "Iterations of the assignment",
            "`sinkhorn_iterations`. One run each.",
            _sweep({k: {"sinkhorn_iterations": k} for k in (1, 2, 5, 10, 20, 50, 100, 200)}),
            "iterations",
            logarithmic=True,
        ),
        Experiment(
            "ratio",
            "Share of pre-aligned pairs",
            "Random splits. In folders with folds a tenth of the links is put aside, as the folds do. One "
            "run each. NeuSymEA (NeurIPS 2025) has the best published figures with few seeds; that for 20 % "
            "did not reproduce (.801).",
            _ratio,
            "seeds",
            logarithmic=True,
            in_percent=True,
        ),
        Experiment(
            "ablation",
            "What each part does",
            "`basic` with a view of the propagation left out; or with exact one-hot labels, a dimension for "
            "each seed, in place of random ones. All with 500 candidates, since exact labels leave more ties "
            "than the preset's 100 have room for. Ranked by cosine alone, and after the assignment. "
            "Without *top* relations have no labels, so the sketch cannot tell them apart and nothing comes "
            "in by *front* either. One run each.",
            _ablation,
            "system",
            RANKING,
            kind="ablation",
        ),
        Experiment(
            "trace",
            "Which seeds speak for a pair",
            "The labels of two entities after each hop, with a dimension for each seed (`lightea.tracing`): "
            "the seeds that both have, by what they add to the cosine. One case that `basic` got right, one "
            "that it got wrong, with the true partner beside: among entities with 5 to 15 facts on each side "
            "those of which it was surest and which the labels explain, since relations decide, too.",
            _trace,
            "pair",
            kind="trace",
        ),
        Experiment(
            "split",
            "Chance of the split",
            "Random splits, each with random labels of its own: how far results differ by chance.",
            _split,
            "system",
            kind="spread",
        ),
        Experiment(
            "noise",
            "Wrong seeds",
            "That share of the seeds is wrong: their right entities have changed places. One run each.",
            _damaged("noisy seeds", SYSTEMS, (0.0, 0.05, 0.1, 0.2)),
            "wrong seeds",
            in_percent=True,
        ),
        Experiment(
            "missing",
            "Missing triples",
            "Each graph has lost that share of its triples at random, independently of the other, so that "
            "30 % lost leave about half of the facts that both had. One run each.",
            _damaged("missing triples", SYSTEMS, (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)),
            "missing triples",
            in_percent=True,
        ),
        Experiment(
            "unmatched",
            "Entities without counterpart",
            "That share of the searched entities of each side has no counterpart: it was deleted from the "
            "other graph, together with its facts, so the graphs get sparser, too. Hits@1 counts those that "
            "have one; precision, recall and F1 judge the reported links, of which any for an entity without "
            "counterpart is wrong. One run each.",
            _damaged("unmatched", SYSTEMS, (0.0, 0.1, 0.3, 0.5, 0.7)),
            "without counterpart",
            ("f1", "hits@1", "precision", "recall"),
            in_percent=True,
        ),
    )
}
