"""`update`: new facts for graphs that were aligned before, without aligning everything again.

Accepted links stay; what is new is aligned; of the rest only what the new facts touch is decided anew (the
rule stands in `reopening.py`). Threshold and calibration are those of the earlier run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.adjacency import adjacency
from lightea.alignment import Alignment
from lightea.calibration import Calibration
from lightea.changes import Changes, changes
from lightea.clock import Clock, Progress, nobody
from lightea.encoding import encoded_names
from lightea.errors import ConfigError, InputError
from lightea.graph import Ids, KnowledgeGraph
from lightea.growth import Growth, growth, united
from lightea.identity import identities_set_apart
from lightea.inheritance import carried_assignment, carried_matches, carried_pairs
from lightea.linking import select_links
from lightea.machine import available_cores
from lightea.pipeline import compiled, names_used
from lightea.reading import read
from lightea.reopening import opened_by
from lightea.revision import Earlier, Revised, by_revision
from lightea.run_store import load_alignment
from lightea.seeds import sorted_pairs
from lightea.selection import instances_of

Mask = NDArray[np.bool_]
Addition = KnowledgeGraph | Path | str | Any | None


@dataclass(frozen=True, eq=False)
class Update:
    """The alignment of grown graphs, and how it differs from the earlier one."""

    alignment: Alignment
    changes: Changes

    def write(self, directory: Path | str) -> Path:
        """Write a run directory with the changes as `diff.tsv` and `diff.json`."""
        from lightea.writing import write_run  # noqa: PLC0415  (heavy: it brings the report)

        return write_run(self.alignment, directory, changes=self.changes)

    def __repr__(self) -> str:
        return f"Update({self.changes.summary}; {self.alignment!r})"


def update(
    earlier: Alignment | Path | str,
    left_add: Addition = None,
    right_add: Addition = None,
    *,
    classes: Sequence[str] = (),
    threads: int | None = None,
    progress: Progress | None = None,
) -> Update:
    """Align what is new in two graphs since an earlier run, and decide anew about what it touches.

    `earlier` is an alignment of the preset `auto`, or its run directory; `left_add` and `right_add` are new
    facts for either graph: a graph, or what `read` takes. `classes` are those that the earlier run was
    restricted to, if it was: of what is new, only their instances are aligned. The result does not depend on
    `threads`.
    """
    if left_add is None and right_add is None:
        raise InputError(
            "nothing was added",
            hint="give new facts: --left-add FILE, --right-add FILE, or left_add=… in Python",
        )
    n_threads = available_cores() if threads is None else threads
    if n_threads < 1:
        raise ConfigError(f"threads is {n_threads}, but must be at least 1")
    tell = progress or nobody
    tell("reading", 0, 1)
    before = earlier if isinstance(earlier, Alignment) else load_alignment(earlier, attributes=True)
    _refuse_without_beliefs(before)
    left, right = (
        united(graph, None if added is None else _graph(added))
        for graph, added in ((before.left, left_add), (before.right, right_add))
    )
    tell("reading", 1, 1)
    return _updated(left, right, before=before, classes=classes, threads=n_threads, progress=progress)


@identities_set_apart
def _updated(
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    *,
    before: Alignment,
    classes: Sequence[str],
    threads: int,
    progress: Progress | None,
) -> Update:
    """The update for graphs that hold the new facts, and tell nothing of each other."""
    clock = Clock(progress or nobody)
    with clock.stage("growth"):
        grown = growth(before.left, left), growth(before.right, right)
    if grown[0].is_nothing and grown[1].is_nothing:
        raise InputError(
            "the added files hold nothing new: every fact in them is in the graphs of the run already",
            hint="check that these are the right files; nothing has to be done",
        )
    with compiled(before.config, threads, clock):
        encoded = None
        if before.names is not None:
            with clock.stage("names"):
                encoded = encoded_names(left, right, before.config, _known_names(before))
        with clock.stage("adjacency"):
            edges, edges_before = adjacency(left, right), adjacency(before.left, before.right)
        old = _carried(before, grown, edges_before)
        with clock.stage("reopening"):
            touched = tuple((one.new_facts > 0) | one.is_new for one in grown)
            opened = opened_by((touched[0], touched[1]), edges, old.links, old.seeds, old.matches)
        asked = _asked(before, grown, old.seeds, classes)
        space = None if encoded is None else encoded.space
        revised = by_revision(edges, asked, old, opened, before.config, threads, clock, space)
    alignment = _alignment(before, left, right, old, revised, clock)
    if encoded is not None:
        alignment = dataclasses.replace(alignment, names=names_used(encoded, alignment.assignment))
    return Update(alignment, changes(before, alignment, grown, revised.opened, old.links))


def _known_names(before: Alignment) -> pl.DataFrame:
    """The names that the earlier run compared, which may not all stand in the graphs."""
    assert before.names is not None  # noqa: S101  (asked before)
    sides = ((before.left, before.names.left), (before.right, before.names.right))
    tables = [
        pl.DataFrame(
            {
                "entity": graph.entities.gather(
                    np.repeat(np.arange(names.n_entities), np.diff(names.offsets))
                ),
                "name": names.texts,
            }
        )
        for graph, names in sides
    ]
    return pl.concat(tables)


def _carried(before: Alignment, grown: tuple[Growth, Growth], edges: Any) -> Earlier:
    """What the earlier run ended with, by the new numbers."""
    numbers = grown[0].numbers, grown[1].numbers
    sizes = grown[0].graph.n_entities, grown[1].graph.n_entities
    assert before.beliefs is not None  # noqa: S101  (refused before)
    links = carried_pairs(np.stack([before.left_ids, before.right_ids], axis=1), *numbers)
    stays = (numbers[0][before.left_ids] >= 0) & (numbers[1][before.right_ids] >= 0)
    return Earlier(
        assignment=carried_assignment(before.assignment, *numbers),
        matches=carried_matches(before.beliefs.matches, *numbers, *sizes),
        links=links,
        probability=before.probability[stays],
        seeds=sorted_pairs(carried_pairs(before.seeds, *numbers)),
        edges=edges,
        seeds_before=before.seeds,
        left_numbers=numbers[0],
        right_numbers=numbers[1],
        threshold=before.config.threshold or 0.5,
        cosine_weight=before.beliefs.cosine_weight,
        name_weight=before.beliefs.name_weight,
        calibration=before.calibration,
    )


def _asked(
    before: Alignment, grown: tuple[Growth, Growth], seeds: Ids, classes: Sequence[str]
) -> tuple[Ids, Ids]:
    """Who is searched and who may answer: those of the earlier run, and those who are new."""
    candidates = before.assignment.candidates
    sides = []
    for side, (one, were) in enumerate(zip(grown, (candidates.left, candidates.right), strict=True)):
        numbers = one.numbers[were]
        new = np.flatnonzero(one.is_new).astype(np.int32)
        if classes:
            instances = instances_of(one.graph, list(classes))
            new = new if len(instances) == 0 else np.intersect1d(new, instances).astype(np.int32)
        sides.append(np.setdiff1d(np.union1d(numbers[numbers >= 0], new), seeds[:, side]).astype(np.int32))
    return sides[0], sides[1]


def _alignment(
    before: Alignment,
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    old: Earlier,
    revised: Revised,
    clock: Clock,
) -> Alignment:
    """The links of those who were not opened as they were, and those of the others by the same threshold."""
    config, opened = before.config, revised.opened
    chosen = select_links(revised.assignment, cardinality=config.cardinality, threshold=old.threshold)
    new = opened.left[chosen.left_ids]
    stays = ~opened.left[old.links[:, 0]]
    left_ids = np.concatenate([old.links[stays, 0], chosen.left_ids[new]])
    right_ids = np.concatenate([old.links[stays, 1], chosen.right_ids[new]])
    order = np.lexsort((right_ids, left_ids))
    return Alignment(
        left=left,
        right=right,
        seeds=old.seeds,
        assignment=revised.assignment,
        left_ids=left_ids[order],
        right_ids=right_ids[order],
        probability=np.concatenate([old.probability[stays], chosen.probability[new]])[order],
        config=config,
        seconds=clock.seconds,
        stage_peak_mb=clock.peak_mb,
        beliefs=revised.beliefs,
        calibration=_calibration(before, revised),
    )


def _calibration(before: Alignment, revised: Revised) -> Calibration | None:
    """The calibration; where it is the earlier one, with more links to be expected as more are promised."""
    if revised.calibration is None or revised.calibration is not before.calibration:
        return revised.calibration
    promised = max(1e-9, float(before.assignment.probabilities.sum()))
    more = float(revised.assignment.probabilities.sum()) / promised
    return dataclasses.replace(before.calibration, expected_links=before.calibration.expected_links * more)


def _graph(added: Addition) -> KnowledgeGraph:
    return added if isinstance(added, KnowledgeGraph) else read(added)


def _refuse_without_beliefs(before: Alignment) -> None:
    if before.beliefs is None:
        raise InputError(
            f"the run was made with preset {before.config.preset!r}, which keeps nothing that an update "
            "could start from: sketches alone decided",
            hint="align everything anew with the preset auto, which can be updated later",
        )
