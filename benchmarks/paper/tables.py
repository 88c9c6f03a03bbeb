"""Results as Markdown, each figure from the JSON of its experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.paper import published
from benchmarks.paper.experiments import RANKING, Experiment
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
    """For each measure a table: a row for each data set and system, a column for each place on the axis."""
    every = sorted({point["x"] for _, point in _rows(documents)})
    return "\n\n".join(
        f"{_title(measure)} by {experiment.axis}:\n\n{_lines(experiment, documents, every, measure)}"
        for measure in experiment.measures
    )


def _lines(
    experiment: Experiment, documents: Sequence[Document], every: Sequence[float], measure: str
) -> str:
    has_paper = measure in RANKING
    rows = [
        [document.dataset, f"`{series}`", *(_cell(points.get(x), measure) for x in every)]
        + ([_paper_cell(document.dataset, series, measure)] if has_paper else [])
        for document in documents
        for series, points in by_series(document).items()
    ]
    if experiment.name == "ratio":
        rows += _few_seeds(documents, every)
    paper = ["paper, its settings"] if has_paper else []
    return _grid(["data", "system", *(shown_x(experiment, x) for x in every), *paper], rows)


def by_series(document: Document) -> dict[str, dict[float, Record]]:
    """The points of each series by their place on the axis."""
    found: dict[str, dict[float, Record]] = {}
    for _, point in _rows([document]):
        found.setdefault(point["series"], {})[point["x"]] = point
    return found


def _few_seeds(documents: Sequence[Document], every: Sequence[float]) -> list[list[str]]:
    """The best published figures with few seeds."""
    known = published.FEW_SEEDS
    named = {name for name, _ in known}
    return [
        [
            document.dataset,
            "*NeuSymEA*",
            *(_or_unknown(known.get((published.key_of(document.dataset), x))) for x in every),
            _UNKNOWN,
        ]
        for document in documents
        if published.key_of(document.dataset) in named
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


def _paper_cell(dataset: str, system: str, measure: str) -> str:
    figures = published.PAPER.get((published.key_of(dataset), system))
    return _UNKNOWN if figures is None else _or_unknown(figures[RANKING.index(measure)])


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
