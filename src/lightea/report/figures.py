"""The charts of the report, each with a sentence on how to read it and its numbers as a table."""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from lightea.alignment import Alignment
from lightea.calibration import Calibration
from lightea.confident import confident_pairs
from lightea.quality import Quality, expected_quality
from lightea.report.charts import Axis, Series, bars, columns, curve, dots, heat_map
from lightea.report.labels import shown
from lightea.report.markup import Child, element, folded, scrolled, table
from lightea.standing import DOUBTFUL, Standings, best_places

_BINS = 25
_MOST_RELATIONS = 24
"""Relations of either side in the heat map; those with the most support."""
_MOST_PAIRS = 60
"""Rows of the table beside the heat map."""

_UNCALIBRATED = (
    "It cannot be drawn for this run: its probabilities were not compared with seeds that were held back. "
    "That takes the preset auto and at least 50 seeds."
)


def figure(title: str, *content: Child) -> Element:
    """A chart with its words, under a heading."""
    return element("section", element("h3", title), *content, class_="figure")


# --- quality -----------------------------------------------------------------------------------------


def precision_recall(alignment: Alignment) -> Element:
    """Precision against recall to be expected at every threshold."""
    title = "Precision and recall to expect"
    calibration = alignment.calibration
    if calibration is None:
        return figure(title, element("p", _UNCALIBRATED, class_="absent"))
    chances = confident_pairs(alignment.assignment, 0.0)[2]
    found = [expected_quality(chances, number / 100, calibration.expected_links) for number in range(100)]
    points = [(one.recall, one.precision) for one in found if one.recall > 0]
    own = alignment.quality
    mark = None if own is None or len(alignment) == 0 else (own.recall, own.precision)
    lowest = min([0.9, *(precision for _, precision in points)])
    precision = Axis("precision", math.floor(lowest * 5) / 5, 1.0)
    description = (
        "Each point is a threshold; further right more of the true links are found, further up fewer links "
        "are wrong."
    )
    chart = curve("quality", title, description, (Axis("recall"), precision), points, mark)
    return figure(
        title,
        element("p", _of_quality(own, calibration)),
        chart,
        folded("Numbers", _quality_table(found)),
    )


def _of_quality(quality: Quality | None, calibration: Calibration) -> str:
    base = f"Estimated with {calibration.n_hidden:,} seeds that were held back; no test link was seen."
    if quality is None:
        return base
    return (
        f"At this run's threshold {quality.threshold:.2f} (the dot) about {quality.precision:.1%} of the "
        f"links are right and {quality.recall:.1%} of the true links are found. {base}"
    )


def _quality_table(found: list[Quality]) -> Element:
    rows = [
        [f"{one.threshold:.2f}", f"{one.precision:.4f}", f"{one.recall:.4f}", f"{one.f1:.4f}"]
        for one in found[::5]
    ]
    return table("Estimated quality by threshold", ["threshold", "precision", "recall", "F1"], rows)


def reliability(alignment: Alignment) -> Element:
    """Probability against the estimated share of right links."""
    title = "Do probabilities mean what they say?"
    if alignment.calibration is None:
        return figure(title, element("p", _UNCALIBRATED, class_="absent"))
    bins = [one for one in alignment.calibration.reliability if one.n_links]
    most = max([1, *(one.n_links for one in bins)])
    points = [
        (
            one.mean_probability,
            one.estimated_precision,
            3.0 + 7.0 * (one.n_links / most) ** 0.5,
            f"{one.n_links:,} links around {one.mean_probability:.2f}: {one.estimated_precision:.2f} right",
        )
        for one in bins
        if one.estimated_precision is not None
    ]
    rows = [
        [
            f"{one.lowest:.1f} to {one.highest:.1f}",
            f"{one.n_links:,}",
            f"{one.mean_probability:.4f}",
            "–" if one.estimated_precision is None else f"{one.estimated_precision:.4f}",
            f"{one.n_hidden:,}",
        ]
        for one in bins
    ]
    names = ["<probability", "links", "mean probability", "estimated precision", "held-back seeds"]
    axes = Axis("probability of a link"), Axis("share that is right")
    words = (
        "Of links with probability p a share of p should be right: dots near the diagonal. Larger dots stand "
        "for more links."
    )
    return figure(
        title,
        element("p", words),
        dots("reliability", title, words, axes, points),
        folded("Numbers", table("Reliability by probability", names, rows)),
    )


# --- distributions -----------------------------------------------------------------------------------


def distribution(alignment: Alignment, alone: Standings, kind: str) -> Element:
    """How the scores or the probabilities of the best candidates lie, by how the entities fared."""
    assignment = alignment.assignment
    places = best_places(assignment)
    of_places = assignment.candidates.scores if kind == "score" else assignment.probabilities
    is_matched = np.isin(assignment.candidates.left, alignment.left_ids) & (places >= 0)
    with_best = alone.right >= 0
    values = alone.score if kind == "score" else alone.probability
    groups = {
        "matched": of_places[places[is_matched]],
        "doubtful": values[alone.is_doubtful],
        "unmatched": values[~alone.is_doubtful & with_best],
    }
    title = "Scores" if kind == "score" else "Probabilities"
    description = (
        "Scores of the best candidate of each searched entity: what the assignment goes by."
        if kind == "score"
        else "Probabilities of the best candidates. Matched are links; doubtful is no link, but at least "
        f"{DOUBTFUL:g}."
    )
    axis = _span(groups, kind)
    heights = {name: np.histogram(group, _BINS, (axis.low, axis.high))[0] for name, group in groups.items()}
    series = [Series(name, name, found.tolist()) for name, found in heights.items()]
    step = (axis.high - axis.low) / _BINS
    rows = [
        [f"{axis.low + place * step:.2f}", *(f"{found[place]:,}" for found in heights.values())]
        for place in range(_BINS)
    ]
    numbers = table(f"{title} of best candidates", ["from", *heights], rows)
    n_none = int(np.count_nonzero(~with_best))
    none = f" {n_none:,} searched entities have no candidate at all." if n_none else ""
    return figure(
        title,
        element("p", description + none),
        columns(f"{kind}-distribution", title, description, axis, series),
        folded("Numbers", numbers),
    )


def _span(groups: dict[str, NDArray[np.float32]], kind: str) -> Axis:
    if kind != "score":
        return Axis("probability of the best candidate")
    values = np.concatenate(list(groups.values()))
    if len(values) == 0:
        return Axis("score of the best candidate")
    low, high = min(0.0, float(values.min())), float(values.max())
    return Axis("score of the best candidate", low, max(high, low + 0.1))


# --- relations ---------------------------------------------------------------------------------------


def relations(alignment: Alignment) -> Element:
    """Which left relation says what which right one says."""
    title = "Relations that say the same"
    if alignment.beliefs is None:
        return element(
            "p",
            "Relations are compared by evidence, and this preset uses none. The preset auto compares them.",
            class_="absent",
        )
    pairs = _relation_pairs(alignment)
    if not pairs:
        return element("p", "No two relations join matched entities on both sides.", class_="absent")
    rows = [
        [shown(left), shown(right), f"{rho:.4f}", f"{support:,.1f}", "inverse" if inverse else ""]
        for left, right, rho, support, inverse in pairs[:_MOST_PAIRS]
    ]
    names = ["<left relation", "<right relation", "agreement", "support", "<direction"]
    listed = table("Pairs of relations, the best supported first", names, rows)
    return element(
        "div", _map(title, pairs), folded(f"The {len(rows)} best supported pairs as a table", listed)
    )


RelationPair = tuple[str, str, float, float, bool]


def _relation_pairs(alignment: Alignment) -> list[RelationPair]:
    """Left relation, right relation, agreement, support, whether inverse; the best supported first."""
    beliefs = alignment.beliefs
    if beliefs is None:
        return []
    agreement, n_left = beliefs.agreement, alignment.left.n_relations
    n_forward = beliefs.edges.n_forward_relations
    last = int(agreement.offsets[n_left])
    left = np.repeat(np.arange(n_left), np.diff(agreement.offsets[: n_left + 1]))
    best = np.argsort(-agreement.support[:last] * agreement.agreement[:last], kind="stable")[:400]
    names = alignment.left.relations, alignment.right.relations
    return [
        (
            names[0][int(left[place])],
            names[1][int(agreement.right[place]) % n_forward - n_left],
            float(agreement.agreement[place]),
            float(agreement.support[place]),
            bool(agreement.right[place] >= n_forward),
        )
        for place in best.tolist()
    ]


def _map(title: str, pairs: list[RelationPair]) -> Element:
    rows = list(dict.fromkeys(left for left, *_ in pairs))[:_MOST_RELATIONS]
    across = list(dict.fromkeys(right for left, right, *_ in pairs if left in rows))[:_MOST_RELATIONS]
    cells: dict[tuple[str, str], tuple[float, float, bool]] = {}
    for left, right, rho, support, inverse in pairs:
        known = left in rows and right in across
        if known and ((left, right) not in cells or rho > cells[left, right][0]):
            cells[left, right] = rho, support, inverse
    squares = [
        (
            rows.index(left),
            across.index(right),
            rho,
            inverse,
            f"{shown(left)} says what {'the inverse of ' if inverse else ''}{shown(right)} says: "
            f"agreement {rho:.2f}, support {support:,.1f}",
        )
        for (left, right), (rho, support, inverse) in cells.items()
    ]
    description = (
        f"{len(rows)} left relations down, {len(across)} right ones across; darker squares agree more. "
        "A notch marks a relation that says the inverse."
    )
    chart = heat_map("relations", title, description, rows, across, squares)
    return element("div", element("p", description), scrolled(chart, "Heat map of relations"))


# --- time and memory ---------------------------------------------------------------------------------


def time_and_memory(manifest: dict[str, Any]) -> Element:
    """What each stage took."""
    seconds = _numbers(manifest.get("seconds"))
    memory = _numbers(manifest.get("stage_peak_mb"))
    times = [(stage, value, f"{value:.2f} s") for stage, value in seconds.items()]
    peaks = [(stage, value, f"{value:,.0f} MB") for stage, value in memory.items()]
    rows = [
        [stage, f"{value:.3f}", f"{memory[stage]:,.0f}" if stage in memory else "–"]
        for stage, value in seconds.items()
    ]
    charts: list[Child] = []
    if times:
        total = sum(seconds.values())
        words = f"{total:.2f} seconds in all. Stages come in order of their first end, and some run often."
        charts.append(
            figure(
                "Time of each stage", element("p", words), bars("times", "Time of each stage", words, times)
            )
        )
    if peaks:
        words = "The most memory that the process had held by the end of each stage."
        charts.append(figure("Memory", element("p", words), bars("memory", "Memory by stage", words, peaks)))
    if not charts:
        return element("p", "This run did not record the time and memory of its stages.", class_="absent")
    listed = table("Stages", ["<stage", "seconds", "peak memory, MB"], rows)
    return element("div", element("div", *charts, class_="figures"), folded("Numbers", listed))


def _numbers(kept: object) -> dict[str, float]:
    """A record of numbers, whatever a manifest holds in its place."""
    if not isinstance(kept, dict):
        return {}
    return {shown(str(name)): float(value) for name, value in kept.items() if isinstance(value, int | float)}
