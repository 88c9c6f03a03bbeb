"""The protocol of `lightea evaluate`: what one run does under the clock, and the report over several."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from lightea.clock import Progress, nobody
from lightea.config import Config
from lightea.errors import SeedError
from lightea.machine import commit, machine_facts, peak_rss_mb, versions

if TYPE_CHECKING:
    from lightea.alignment import Alignment
    from lightea.evaluation import Scores
    from lightea.graph import Ids
    from lightea.reading import Benchmark

TRUST = ("ece", "estimated_precision", "estimated_recall")
MEASURES = ("hits@1", "hits@10", "mrr", "precision", "recall", "f1")


@dataclass(frozen=True)
class Protocol:
    """What is evaluated, and how the known links are split and used."""

    dataset: Path
    train: float | None
    fold: int | None
    candidates: str
    """`test`: match the entities of the test links only, as papers do. `all`: all but the seeds."""
    config: Config
    threads: int
    export: Path | None = None
    """Where to write the candidates of a run, in the form of predictions."""
    memory: float | None = None
    """The bytes that a run may hold at most."""
    names_file: Path | None = None


class TakingPart(TypedDict, total=False):
    """Who is searched and who may answer, where it is not everybody."""

    left_entities: Ids
    right_entities: Ids


@dataclass(frozen=True)
class Run:
    """One run: its figures as `--json` shows them, and the share of the known links that were seeds."""

    figures: dict[str, Any]
    train_share: float


def timed_run(protocol: Protocol, number: int, progress: Progress | None) -> Run:
    """Read, align and score once, with the random seed that belongs to the run's number.

    Each run reads the data again, so that its times are those of a run by itself.
    """
    import lightea
    from lightea.encoding import uses_names

    align, evaluate, read = lightea.align, lightea.evaluate, lightea.read_benchmark  # loaded before the clock
    config = protocol.config.replace(random_seed=protocol.config.random_seed + number)
    report_to = progress or nobody
    report_to("reading", 0, 1)
    start = time.perf_counter()
    data = read(
        protocol.dataset,
        train=protocol.train,
        fold=protocol.fold,
        random_seed=config.random_seed,
        with_names=uses_names(config),
    )
    has_read = time.perf_counter()
    report_to("reading", 1, 1)
    try:
        alignment = align(
            data.left,
            data.right,
            data.train,
            config=config,
            threads=protocol.threads,
            memory=protocol.memory,
            names=protocol.names_file,
            progress=progress,
            **taking_part(protocol, data),
        )
    except SeedError as problem:
        if len(data.train):
            raise
        raise SeedError(
            problem.message, hint="give a share of the known links as seeds: --train 0.3"
        ) from None
    has_aligned = time.perf_counter()
    scores = evaluate(alignment, data.test, unasked=data.unasked)
    end = time.perf_counter()
    if protocol.export is not None:
        _export(alignment, protocol.export)
    stages = {name: value for name, value in alignment.seconds.items() if name != "compile"}
    compilation = alignment.seconds.get("compile", 0.0)
    seconds = {
        "read": has_read - start,
        **stages,
        "metrics": end - has_aligned,
        "total": end - start - compilation,
        "compile": compilation,
    }
    figures = {
        "random_seed": config.random_seed,
        **scores.to_dict(),
        **trust(alignment, scores),
        "seconds": seconds,
        "peak_rss_mb": peak_rss_mb(),
    }
    return Run(figures, len(data.train) / len(data.links))


def trust(alignment: Alignment, scores: Scores) -> dict[str, float | None]:
    """How far probabilities can be trusted: their error, and precision and recall as the run estimates them.

    Estimates are None where nothing was calibrated.
    """
    quality = alignment.quality
    return {
        "ece": scores.ece,
        "estimated_precision": None if quality is None else quality.precision,
        "estimated_recall": None if quality is None else quality.recall,
    }


def _export(alignment: Alignment, file: Path) -> None:
    from lightea import outputs
    from lightea.predictions import candidates_tsv

    outputs.write_text(file, candidates_tsv(alignment))


def report(protocol: Protocol, runs: Sequence[Run]) -> dict[str, Any]:
    """The document of `--json`: the protocol, where it ran, each run and their mean.

    `train` is the share of the known links that were seeds, also where the data set's own split was used.
    """
    figures = [run.figures for run in runs]
    return {
        "dataset": str(protocol.dataset),
        "preset": protocol.config.preset,
        "train": round(runs[0].train_share, 4) if protocol.train is None else protocol.train,
        "fold": protocol.fold,
        "candidates": protocol.candidates,
        "config": dataclasses.asdict(protocol.config),
        "machine": machine_facts(protocol.threads),
        "versions": versions(),
        "commit": commit(),
        "runs": figures,
        "mean": _mean(figures),
    }


def taking_part(protocol: Protocol, data: Benchmark) -> TakingPart:
    """What `align` is told of the test links: at most who takes part, each side sorted by itself.

    With whom, it never hears; the pairs go to `evaluate` alone.
    """
    if protocol.candidates == "all":
        return {}
    import numpy as np

    pairs = data.test.resolve(data.left, data.right).pairs
    return {"left_entities": np.unique(pairs[:, 0]), "right_entities": np.unique(pairs[:, 1])}


def _mean(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean of every figure of the runs; the random seed is none."""
    stages = list(dict.fromkeys(stage for run in runs for stage in run["seconds"]))
    return {
        **{name: _mean_of(runs, name) for name in MEASURES},
        **{name: _mean_where_known(runs, name) for name in TRUST},
        "seconds": {stage: _mean_of([run["seconds"] for run in runs], stage) for stage in stages},
        "peak_rss_mb": None if runs[0]["peak_rss_mb"] is None else _mean_of(runs, "peak_rss_mb"),
    }


def _mean_where_known(runs: Sequence[Mapping[str, Any]], name: str) -> float | None:
    known = [run for run in runs if run[name] is not None]
    return _mean_of(known, name) if known else None


def _mean_of(figures: Sequence[Mapping[str, Any]], name: str) -> float:
    return float(sum(figure.get(name, 0.0) for figure in figures) / len(figures))
