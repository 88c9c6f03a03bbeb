"""Results as Markdown, each figure from the JSON of its experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.paper import published
from benchmarks.paper.experiments import PAPER_SYSTEMS, RANKING, Experiment
from benchmarks.paper.records import Document, Record

_UNKNOWN = "–"


def values(point: Record, measure: str) -> list[float]:
    """What the runs of a point measured; a dot leads into what a run measured in several ways."""
    return [float(_within(run["figures"], measure.split("."))) for run in point["runs"]]


def mean(point: Record, measure: str) -> float:
    """The mean over the runs of a point."""
    return float(np.mean(values(point, measure)))


def spread(point: Record, measure: str) -> float:
    """The standard deviation over the runs of a point; zero of a single one."""
    found = values(point, measure)
    return float(np.std(found, ddof=1)) if len(found) > 1 else 0.0


def table(experiment: Experiment, documents: Sequence[Document]) -> str:
    """The tables of an experiment."""
    return _SHOWN[experiment.kind](experiment, documents)


def shown_x(experiment: Experiment, x: float | str) -> str:
    """A place on the axis as people read it."""
    if isinstance(x, str):
        return x
    return f"{100 * x:g} %" if experiment.in_percent else f"{x:g}"


def _within(figures: Any, path: Sequence[str]) -> Any:
    return figures if not path else _within(figures[path[0]], path[1:])


# --- kinds of tables -------------------------------------------------------------------------------


def _main(_: Experiment, documents: Sequence[Document]) -> str:
    head = ["data", "system", "runs", "Hits@1", "Hits@10", "MRR", "F1", "paper", "reference"]
    return _grid(head, (_main_row(document, point) for document, point in _rows(documents)))


def _main_row(document: Document, point: Record) -> list[str]:
    asked = published.key_of(document.dataset), point["series"]
    return [
        document.dataset,
        f"`{point['series']}`",
        str(len(point["runs"])),
        *(_with_spread(point, measure) for measure in (*RANKING, "f1")),
        _figures(published.PAPER.get(asked)),
        _figures(published.REFERENCE.get(asked)),
    ]


def _time(_: Experiment, documents: Sequence[Document]) -> str:
    head = ["data", "system", "mean", "fastest", "processor", "paper", "reference"]
    return _grid(head, (_time_row(document, point) for document, point in _rows(documents)))


def _time_row(document: Document, point: Record) -> list[str]:
    system = point["series"]
    paper = published.PAPER_SECONDS.get((published.family_of(document.dataset), system))
    reference = published.REFERENCE_SECONDS.get((published.key_of(document.dataset), system))
    return [
        document.dataset,
        f"`{system}`",
        f"{mean(point, 'seconds.total'):.1f} s",
        f"{min(values(point, 'seconds.total')):.1f} s",
        f"{mean(point, 'cpu_seconds'):.1f} s",
        _UNKNOWN if paper is None else f"{paper:g} s",
        _UNKNOWN if reference is None else f"{reference:g} s",
    ]


def _ablation(_: Experiment, documents: Sequence[Document]) -> str:
    head = ["data", "system", "Hits@1 by cosine", "Hits@1", "Hits@10", "MRR"]
    return _grid(head, (_ablation_row(document, point) for document, point in _rows(documents)))


def _ablation_row(document: Document, point: Record) -> list[str]:
    return [
        document.dataset,
        point["series"],
        *(_with_spread(point, measure) for measure in ("by_cosine.hits@1", *RANKING)),
    ]


def _spread(_: Experiment, documents: Sequence[Document]) -> str:
    head = ["data", "system", "runs", "mean Hits@1", "standard deviation", "lowest", "highest"]
    return _grid(head, (_spread_row(document, point) for document, point in _rows(documents)))


def _spread_row(document: Document, point: Record) -> list[str]:
    found = values(point, "hits@1")
    deviation = f"{spread(point, 'hits@1'):.4f}" if len(found) > 1 else _UNKNOWN
    shown = [_share(float(np.mean(found))), deviation, _share(min(found)), _share(max(found))]
    return [document.dataset, f"`{point['series']}`", str(len(found)), *shown]


def _curve(experiment: Experiment, documents: Sequence[Document]) -> str:
    """A table for each system and measure: a row for each place on the axis, a column for each data set."""
    lines = _distinct(point["series"] for _, point in _rows(documents))
    return "\n\n".join(
        f"{_title(measure)}, `{series}`:\n\n{_pivot(experiment, documents, series, measure)}"
        for measure in experiment.measures
        for series in lines
    )


def _pivot(experiment: Experiment, documents: Sequence[Document], series: str, measure: str) -> str:
    chosen = {
        (document.dataset, point["x"]): point
        for document, point in _rows(documents)
        if point["series"] == series
    }
    names = _distinct(document.dataset for document in documents)
    rows = [
        [shown_x(experiment, x), *(_cell(chosen.get((name, x)), measure) for name in names)]
        for x in sorted({x for _, x in chosen})
    ]
    if measure == "hits@1" and series in PAPER_SYSTEMS:
        rows.append(["*paper, its settings*", *(_paper_cell(name, series) for name in names)])
    if experiment.name == "ratio" and series == "auto":
        rows += _few_seeds(experiment, names)
    return _grid([experiment.axis, *names], rows)


def _few_seeds(experiment: Experiment, names: Sequence[str]) -> list[list[str]]:
    """The best published figures with few seeds."""
    known = published.FEW_SEEDS
    keys = [published.key_of(name) for name in names]
    shares = sorted({share for name, share in known if name in keys})
    return [
        [f"*NeuSymEA, {shown_x(experiment, share)}*", *(_or_unknown(known.get((key, share))) for key in keys)]
        for share in shares
    ]


def _trace(_: Experiment, documents: Sequence[Document]) -> str:
    return "\n\n".join(
        _trace_of(document.dataset, case, run["figures"]["trace"][case])
        for document, point in _rows(documents)
        for run in point["runs"]
        for case in run["figures"]["trace"]
    )


def _trace_of(dataset: str, case: str, traced: Record) -> str:
    """A case as a sentence and a table of the seeds after two hops."""
    asked = [("found", traced["winner"])] + ([("true", traced["truth"])] if case == "wrong" else [])
    verdict = "rightly" if case == "right" else "wrongly"
    text = (
        f"{dataset}: {_code(traced['left'])} is {verdict} taken for {_code(traced['winner']['right'])} "
        f"(probability {traced['probability']:.2f})"
    )
    truth = f"; it is {_code(traced['truth']['right'])}" if case == "wrong" else ""
    rows = [
        [name, str(hop), f"{shared['cosine']:.3f}", str(shared["n_seeds"]), _seeds(shared["seeds"][:4])]
        for name, pair in asked
        for hop, shared in enumerate(pair["hops"])
        if shared["n_seeds"]
    ]
    return f"{text}{truth}.\n\n" + _grid(
        ["pair", "hop", "cosine", "shared seeds", "those that add most"], rows
    )


def _seeds(seeds: Sequence[Record]) -> str:
    return ", ".join(f"{_code(short(seed['right']))} {seed['adds']:.3f}" for seed in seeds)


_SHOWN: dict[str, Callable[[Experiment, Sequence[Document]], str]] = {
    "table": _main,
    "time": _time,
    "ablation": _ablation,
    "spread": _spread,
    "curve": _curve,
    "trace": _trace,
}


# --- cells -------------------------------------------------------------------------------------------


def short(name: str) -> str:
    """The last part of an IRI."""
    return name.rstrip("/").rpartition("/")[2] or name


def _rows(documents: Sequence[Document]) -> Iterable[tuple[Document, Record]]:
    return ((document, point) for document in documents for point in document.points if point["runs"])


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def _with_spread(point: Record, measure: str) -> str:
    centre = _share(mean(point, measure))
    return f"{centre} ± {_share(spread(point, measure))}" if len(point["runs"]) > 1 else centre


def _cell(point: Record | None, measure: str) -> str:
    return _UNKNOWN if point is None else _with_spread(point, measure)


def _paper_cell(dataset: str, system: str) -> str:
    figures = published.PAPER.get((published.key_of(dataset), system))
    return _UNKNOWN if figures is None else _share(figures.hits_at_1)


def _figures(figures: published.Figures | None) -> str:
    return _UNKNOWN if figures is None else " / ".join(_or_unknown(value) for value in figures)


def _or_unknown(value: float | None) -> str:
    return _UNKNOWN if value is None else _share(value)


def _share(value: float) -> str:
    """A share with three decimals and no zero before them."""
    return f"{value:.3f}".removeprefix("0")


def _title(measure: str) -> str:
    return {"hits@1": "Hits@1", "hits@10": "Hits@10", "mrr": "MRR", "f1": "F1"}.get(measure, measure.title())


def _code(name: str) -> str:
    """A name from the data, which may hold anything, as code inside a table."""
    shown = name.replace("`", "'").replace("|", "\\|").replace("\n", " ")
    return f"`{shown}`"


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
