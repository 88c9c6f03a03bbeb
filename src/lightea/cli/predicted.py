"""The protocol of `lightea evaluate --predictions`: same split, candidates and ties for another method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lightea.cli.protocol import MEASURES, Protocol, taking_part
from lightea.machine import commit, versions

if TYPE_CHECKING:
    from lightea.graph import Ids, KnowledgeGraph, Links
    from lightea.predictions import Task
    from lightea.reading import Benchmark


def predictions_report(
    protocol: Protocol, path: Path, *, threshold: float | None, assigned: bool
) -> dict[str, Any]:
    """Score predictions; the document of `--json`, with one run and without times."""
    import lightea
    from lightea.errors import ReadError
    from lightea.predictions import predicted_alignment
    from lightea.writing import input_facts

    if not path.exists():
        raise ReadError(path, "there is no such file", hint="check the path")
    seed = protocol.config.random_seed
    data = lightea.read_benchmark(
        protocol.dataset, train=protocol.train, fold=protocol.fold, random_seed=seed
    )
    alignment = predicted_alignment(path, _task(protocol, data), threshold=threshold, assigned=assigned)
    scores = lightea.evaluate(alignment, data.test, unasked=data.unasked)
    measures = scores.to_dict()
    counts = {
        name: getattr(scores, name)
        for name in ("n_test", "n_predicted", "n_correct", "n_not_retrieved", "n_unasked")
    }
    share = len(data.train) / len(data.links) if protocol.train is None else protocol.train
    return {
        "dataset": str(protocol.dataset),
        "preset": None,
        "predictions": input_facts(path),
        "assigned": assigned,
        "threshold": threshold,
        "train": round(share, 4),
        "fold": protocol.fold,
        "candidates": protocol.candidates,
        "versions": versions(),
        "commit": commit(),
        "runs": [{"random_seed": seed, **measures, **counts}],
        "mean": {name: measures[name] for name in MEASURES},
    }


def _task(protocol: Protocol, data: Benchmark) -> Task:
    """The graphs, and who takes part, as `align` would see it: nobody who is a seed."""
    from lightea.predictions import Task

    chosen = taking_part(protocol, data)
    return Task(
        protocol.dataset,
        data.left,
        data.right,
        _without_seeds(chosen.get("left_entities"), data.left, data.train, "left"),
        _without_seeds(chosen.get("right_entities"), data.right, data.train, "right"),
    )


def _without_seeds(asked: Ids | None, graph: KnowledgeGraph, seeds: Links, side: str) -> Ids:
    import numpy as np

    everybody = np.arange(graph.n_entities, dtype=np.int32)
    names = seeds.left if side == "left" else seeds.right
    return np.setdiff1d(everybody if asked is None else asked, graph.find(names))
