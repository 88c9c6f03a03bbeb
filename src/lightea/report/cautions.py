"""What a reader should know before trusting the links: warnings, each with a figure and a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lightea.alignment import Alignment
from lightea.graph import Ids, KnowledgeGraph
from lightea.report.labels import shown

_MANY_EQUAL = 0.2
"""Share of seeds with equal names from which names give the answer away."""
_UNEQUAL = 1.5
_FEW_SEEDS = 50
_FEW_HIDDEN = 100
_LEAST_PRECISION = 0.8
_MANY_WITHOUT_FACTS = 0.05


@dataclass(frozen=True)
class Caution:
    """A warning: what it is about, and what it means here."""

    title: str
    sentence: str


@dataclass(frozen=True)
class EqualNames:
    """The leak audit: how many names say by themselves who is who."""

    n_left: int
    """Left entities whose name is also that of a right entity."""
    share_of_left: float
    share_of_seeds: float | None
    """Share of seeds whose names are equal, as a whole or in their last part; None without seeds."""


def cautions(alignment: Alignment, manifest: dict[str, Any], equal: EqualNames) -> list[Caution]:
    """All that is to be warned of."""
    return [
        *_of_names(equal),
        *_of_sides(alignment),
        *_of_seeds(alignment),
        *_of_probabilities(alignment),
        *_of_the_run(alignment, manifest),
    ]


def equal_names(alignment: Alignment) -> EqualNames:
    """Compare the names of both sides, and those of the seeds."""
    left, right, seeds = alignment.left, alignment.right, alignment.seeds
    n_left = int(left.entities.is_in(right.entities.implode()).sum())
    share = None
    if len(seeds):
        share = int((_last_parts(left, seeds[:, 0]) == _last_parts(right, seeds[:, 1])).sum()) / len(seeds)
    return EqualNames(n_left, n_left / max(left.n_entities, 1), share)


def _of_names(equal: EqualNames) -> Iterator[Caution]:
    share = max(equal.share_of_left, equal.share_of_seeds or 0.0)
    if share >= _MANY_EQUAL:
        of_seeds = (
            ""
            if equal.share_of_seeds is None
            else f", and {equal.share_of_seeds:.0%} of the seeds join equal names"
        )
        yield Caution(
            "Names give the answer away",
            f"{equal.share_of_left:.0%} of the left entities have a namesake on the right{of_seeds}. Where "
            "names are equal on both sides, comparing them may find the links without any facts; and a test "
            "on such data says little about data without such names.",
        )


def _of_sides(alignment: Alignment) -> Iterator[Caution]:
    sizes = alignment.left.n_entities, alignment.right.n_entities
    small, large = sorted(sizes)
    if large >= _UNEQUAL * max(small, 1):
        side = "left" if sizes[0] == large else "right"
        yield Caution(
            "The sides are of unequal size",
            f"The left graph has {sizes[0]:,} entities and the right one {sizes[1]:,}: at least "
            f"{1 - small / large:.0%} of the {side} entities cannot have a counterpart of their own.",
        )
    for graph, side in ((alignment.left, "left"), (alignment.right, "right")):
        n_without = graph.n_entities - _n_with_facts(graph)
        if n_without >= max(1, _MANY_WITHOUT_FACTS * graph.n_entities):
            yield Caution(
                f"Entities without facts on the {side}",
                f"{n_without:,} of {graph.n_entities:,} {side} entities have no fact that joins them to "
                "another entity, so nothing but a name could tell who they are.",
            )


def _of_seeds(alignment: Alignment) -> Iterator[Caution]:
    seeds = alignment.seeds
    n_conflicting = sum(_n_repeated(seeds[:, side]) for side in (0, 1))
    if n_conflicting:
        example = _example(alignment)
        yield Caution(
            "Entities in several seeds",
            f"{n_conflicting:,} {'entity stands' if n_conflicting == 1 else 'entities stand'} in more than "
            f"one seed, for example {example}. All their seeds were used; a wrong one misleads what is "
            "around it.",
        )
    if len(seeds) < _FEW_SEEDS:
        yield Caution(
            "Few seeds",
            f"{len(seeds):,} known pairs were given. With fewer than {_FEW_SEEDS} none can be held back to "
            "check the result, and what the links start from is narrow.",
        )


def _of_probabilities(alignment: Alignment) -> Iterator[Caution]:
    calibration, quality = alignment.calibration, alignment.quality
    if calibration is None or quality is None:
        yield Caution(
            "Probabilities are not calibrated",
            "They come from the assignment as they are, since no seeds were held back to compare them with. "
            "They put links in order; they do not promise how many are right.",
        )
        return
    if calibration.n_hidden < _FEW_HIDDEN:
        yield Caution(
            "Estimates are rough",
            f"The estimated quality rests on {calibration.n_hidden:,} seeds that were held back; a few "
            "hundred would make it firmer.",
        )
    if len(alignment) and quality.precision < _LEAST_PRECISION:
        yield Caution(
            "Many links may be wrong",
            f"About {quality.precision:.0%} of the links are expected to be right. A higher --threshold "
            "leaves fewer and surer ones.",
        )


def _of_the_run(alignment: Alignment, manifest: dict[str, Any]) -> Iterator[Caution]:
    assignment = manifest.get("assignment") or {}
    if assignment.get("converged") is False:
        yield Caution(
            "The assignment was not finished",
            f"After {assignment.get('iterations')} iterations some entities are still promised to several "
            "partners. More sinkhorn_iterations or a higher temperature would settle it.",
        )
    if len(alignment) == 0:
        yield Caution(
            "No links",
            "No pair was probable enough. Look at the doubtful ones below, lower --threshold, or give "
            "more seeds.",
        )


def _last_parts(graph: KnowledgeGraph, ids: Ids) -> pl.Series:
    """The last parts of names that are IRIs, and other names as they are."""
    return graph.entities.gather(ids).str.replace(r"^[a-z][a-z0-9+.-]*://\S*[/#]([^/#\s]+)$", "$1")


def _n_with_facts(graph: KnowledgeGraph) -> int:
    has_facts = np.zeros(graph.n_entities, np.bool_)
    has_facts[graph.heads] = True
    has_facts[graph.tails] = True
    return int(np.count_nonzero(has_facts))


def _n_repeated(ids: Ids) -> int:
    return int(np.count_nonzero(np.unique(ids, return_counts=True)[1] > 1))


def _example(alignment: Alignment) -> str:
    """The name of the first entity in several seeds."""
    for side, graph in enumerate((alignment.left, alignment.right)):
        ids, counts = np.unique(alignment.seeds[:, side], return_counts=True)
        if np.any(counts > 1):
            return shown(graph.entities[int(ids[counts > 1][0])])
    return ""
