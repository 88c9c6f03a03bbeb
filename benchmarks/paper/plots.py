"""Results as SVG: small panels side by side, one for each data set; the same results give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.paper import published
from benchmarks.paper.experiments import RANKING, Experiment
from benchmarks.paper.records import Document, Record
from benchmarks.paper.tables import mean, short, shown_x, spread, values
from lightea import outputs

_STYLE: Any = {
    "svg.hashsalt": "lightea",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
_COLOURS = {"basic": "#4477aa", "iterative": "#ee7733", "auto": "#228833"}
_OTHER_COLOUR = "#777777"
_BEYOND_DRAWING = "\u0590"
"""Letters from here on are not in the font by whose widths text is laid out."""
_SEEDS_DRAWN = 5

Panel = Callable[[Axes, Experiment, Document], None]


def draw(experiment: Experiment, documents: Sequence[Document], path: Path) -> None:
    """Write the plot of an experiment."""
    with mpl.rc_context(_STYLE):
        figure = _figure(experiment, documents)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    lines = (line.rstrip() for line in text.getvalue().splitlines())
    outputs.write_text(path, "\n".join(lines) + "\n")


def _figure(experiment: Experiment, documents: Sequence[Document]) -> Figure:
    if experiment.kind == "trace":
        return _traces(documents)
    columns = max(1, min(4, len(documents)))
    rows = -(-len(documents) // columns)
    figure = Figure(figsize=(3.0 * columns, 2.6 * rows), layout="constrained")
    panels = np.atleast_1d(figure.subplots(rows, columns, squeeze=False).ravel())
    for axes in panels[len(documents) :]:
        axes.set_visible(False)
    for axes, document in zip(panels, documents, strict=False):
        axes.set_title(document.dataset)
        _PANELS[experiment.kind](axes, experiment, document)
    return figure


# --- panels ------------------------------------------------------------------------------------------


def _curves(axes: Axes, experiment: Experiment, document: Document) -> None:
    measure = experiment.measures[0]
    for series, points in _lines(document).items():
        ordered = sorted(points, key=lambda point: float(point["x"]))
        x = [float(point["x"]) for point in ordered]
        axes.errorbar(
            x,
            [mean(point, measure) for point in ordered],
            [spread(point, measure) for point in ordered],
            marker="o",
            markersize=3,
            label=series,
            color=_colour(series),
        )
        paper = published.PAPER.get((published.key_of(document.dataset), series))
        if paper is not None and measure == "hits@1":
            axes.axhline(paper.hits_at_1, color=_colour(series), linestyle=":", linewidth=1)
    if experiment.logarithmic:
        axes.set_xscale("log")
    ticks = sorted({float(point["x"]) for point in document.points})
    axes.set_xticks(ticks, [shown_x(experiment, x) for x in ticks], rotation=45)
    axes.minorticks_off()
    axes.set_xlabel(experiment.axis)
    axes.set_ylabel("Hits@1 (dotted: paper)" if measure == "hits@1" else measure.title())
    axes.legend()


def _bars(axes: Axes, _: Experiment, document: Document) -> None:
    """Hits@1, Hits@10 and MRR of each system, with the paper's as short lines."""
    lines = _lines(document)
    width = 0.8 / len(lines)
    for place, (series, points) in enumerate(lines.items()):
        x = np.arange(len(RANKING)) + (place - (len(lines) - 1) / 2) * width
        heights = [mean(points[0], measure) for measure in RANKING]
        errors = [spread(points[0], measure) for measure in RANKING]
        axes.bar(x, heights, width, yerr=errors, label=series, color=_colour(series))
        paper = published.PAPER.get((published.key_of(document.dataset), series))
        known = [(at, value) for at, value in zip(x, paper or (), strict=False) if value is not None]
        for at, value in known:
            axes.hlines(value, at - width / 2, at + width / 2, color="black", linewidth=1.5)
    axes.set_xticks(np.arange(len(RANKING)), ["Hits@1", "Hits@10", "MRR"])
    axes.set_ylim(0, 1.25)
    axes.set_ylabel("black: paper")
    axes.legend(ncols=3, fontsize=6)


def _times(axes: Axes, _: Experiment, document: Document) -> None:
    """Mean seconds of each system, with the paper's on an RTX 3090 as short lines."""
    family = published.family_of(document.dataset)
    for place, (series, points) in enumerate(_lines(document).items()):
        axes.bar(place, mean(points[0], "seconds.total"), 0.7, color=_colour(series))
        paper = published.PAPER_SECONDS.get((family, series))
        if paper is not None:
            axes.hlines(paper, place - 0.35, place + 0.35, color="black", linewidth=1.5)
    axes.set_xticks(range(len(_lines(document))), list(_lines(document)))
    axes.set_ylabel("seconds (black: paper, RTX 3090)")


def _parts(axes: Axes, _: Experiment, document: Document) -> None:
    """Hits@1 of each ablation, by cosine and after the assignment."""
    points = document.points
    places = np.arange(len(points))[::-1]
    axes.barh(places + 0.2, [mean(point, "by_cosine.hits@1") for point in points], 0.4, label="by cosine")
    axes.barh(places - 0.2, [mean(point, "hits@1") for point in points], 0.4, label="with assignment")
    axes.set_yticks(places, [point["series"].removeprefix("basic, ") for point in points])
    axes.set_xlabel("Hits@1")
    axes.legend(fontsize=6, ncols=2, loc="upper center", bbox_to_anchor=(0.4, -0.2))


def _dots(axes: Axes, _: Experiment, document: Document) -> None:
    """Hits@1 of each run, side by side in order of the seed, and the mean."""
    for place, (series, points) in enumerate(_lines(document).items()):
        found = values(points[0], "hits@1")
        offsets = np.linspace(-0.25, 0.25, len(found)) if len(found) > 1 else np.zeros(1)
        axes.plot(place + offsets, found, ".", markersize=3, color=_colour(series))
        axes.hlines(float(np.mean(found)), place - 0.35, place + 0.35, color=_colour(series))
    axes.set_xticks(range(len(_lines(document))), list(_lines(document)))
    axes.set_ylabel("Hits@1")


_PANELS: dict[str, Panel] = {
    "curve": _curves,
    "table": _bars,
    "time": _times,
    "ablation": _parts,
    "spread": _dots,
}


def _traces(documents: Sequence[Document]) -> Figure:
    """For each data set the seeds of the last hop: of a right pair, a wrong one, and the true one instead."""
    figure = Figure(figsize=(12, max(1.0, 1.9 * len(documents))), layout="constrained")
    panels = figure.subplots(max(1, len(documents)), 3, squeeze=False)
    for row, document in zip(panels, documents, strict=False):
        traced = document.points[0]["runs"][0]["figures"]["trace"] if document.points else {}
        asked = (
            ("right", "winner", "rightly found"),
            ("wrong", "winner", "wrongly found"),
            ("wrong", "truth", "the true one"),
        )
        for axes, (case, pair, title) in zip(row, asked, strict=True):
            axes.set_title(f"{document.dataset}: {title}")
            if case in traced:
                _seed_bars(axes, traced[case], pair)
            else:
                axes.set_axis_off()
    return figure


def _seed_bars(axes: Axes, traced: Record, pair: str) -> None:
    shared = traced[pair]["hops"][-1]
    seeds = shared["seeds"][:_SEEDS_DRAWN]
    places = np.arange(len(seeds))[::-1]
    axes.barh(places, [seed["adds"] for seed in seeds], color=_COLOURS["basic"])
    axes.set_yticks(places, [_drawn(seed) for seed in seeds], fontsize=7, parse_math=False)
    left, right = (_drawable(short(name)) for name in (traced["left"], traced[pair]["right"]))
    axes.set_xlabel(f"{left} = {right}: {shared['cosine']:.2f}", parse_math=False)


def _drawn(seed: Record) -> str:
    """The name of a seed in the language that can be drawn better."""
    names = [_drawable(short(seed[side])) for side in ("right", "left")]
    return min(names, key=lambda name: name.count("?"))


def _drawable(name: str) -> str:
    plain = "".join(letter if letter < _BEYOND_DRAWING and letter.isprintable() else "?" for letter in name)
    return plain if len(plain) <= 30 else plain[:29] + "…"


def _lines(document: Document) -> dict[str, list[Record]]:
    """The points of each series, in order."""
    lines: dict[str, list[Record]] = {}
    for point in document.points:
        if point["runs"]:
            lines.setdefault(point["series"], []).append(point)
    return lines


def _colour(series: str) -> str:
    return _COLOURS.get(series, _OTHER_COLOUR)
