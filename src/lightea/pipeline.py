"""`align`: the only place that knows the order of the stages."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numba
import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.adjacency import Adjacency, adjacency
from lightea.alignment import Alignment
from lightea.assignment import Assignment, assign
from lightea.candidates import Candidates, Codes, find_candidates, quantise
from lightea.config import Config
from lightea.errors import ConfigError, InputError, SeedError
from lightea.graph import Ids, KnowledgeGraph, Links, graph_from_names
from lightea.labels import seed_labels
from lightea.machine import available_cores
from lightea.propagation import EdgeEnds, edge_ends, gated_sketch, propagate
from lightea.reading import read_links

logger = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]
"""Called with the name of a stage, how much of it is done, and how much there is."""

_warm: set[int] = set()
"""Numbers of hops whose kernels are compiled and loaded in this process."""

_one_at_a_time = threading.Lock()
"""The number of compiled threads is a setting of the process."""


def align(
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    seeds: Links | pl.DataFrame | Path | str | None = None,
    *,
    preset: str = "basic",
    config: Config | None = None,
    random_seed: int | None = None,
    left_entities: Ids | None = None,
    right_entities: Ids | None = None,
    threads: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Alignment:
    """Find which entities of two graphs are the same.

    `seeds` are pairs known to be the same: links, a table of two columns, or a file. `config` overrides
    `preset`. Searched are all left entities but the seeds', or `left_entities` (entity numbers); possible
    answers are all right entities but the seeds', or `right_entities`. `strict` refuses seeds that name
    unknown entities or one entity twice, instead of warning. The result does not depend on `threads`.
    """
    settings = config or Config.for_preset(preset)
    if random_seed is not None:
        settings = settings.replace(random_seed=random_seed)
    n_threads = available_cores() if threads is None else threads
    if n_threads < 1:
        raise ConfigError(f"threads is {n_threads}, but must be at least 1")
    for graph, side in ((left, "left"), (right, "right")):
        _refuse_empty(graph, side)
    pairs = _known_pairs(seeds, left, right, settings, strict=strict)
    with _one_at_a_time, _compiled_threads(n_threads):
        clock = _Clock(progress or _nobody)
        _warm_up(settings, clock)
        with clock.stage("adjacency"):
            edges = adjacency(left, right)
        searched = _Searched(
            edges,
            _side(left_entities, pairs[:, 0], left, "left"),
            _side(right_entities, pairs[:, 1], right, "right"),
        )
        assignment = _iterate(searched, pairs, settings, n_threads, clock)
    left_ids, right_ids, probability = confident_pairs(assignment, settings.threshold)
    return Alignment(
        left=left,
        right=right,
        seeds=pairs,
        assignment=assignment,
        left_ids=left_ids,
        right_ids=right_ids,
        probability=probability,
        config=settings,
        seconds=clock.seconds,
    )


@dataclass(frozen=True, eq=False)
class _Searched:
    """The joined graphs, and who of each side takes part in the search (numbers of their own graph)."""

    edges: Adjacency
    left: Ids
    right: Ids


def _iterate(searched: _Searched, seeds: Ids, config: Config, threads: int, clock: _Clock) -> Assignment:
    """Bi-directional iteration: what a round is sure of, the next one takes for labels; labels are new."""
    generator = np.random.default_rng(config.random_seed)
    pairs = seeds
    for number in range(config.rounds):
        clock.round = f" {number + 1}/{config.rounds}" if config.rounds > 1 else ""
        assignment = _one_round(searched, pairs, config, generator, threads, clock)
        left_ids, right_ids, _ = confident_pairs(assignment, config.accept)
        pairs = _sorted_pairs(np.concatenate([seeds, np.stack([left_ids, right_ids], axis=1)]))
    return assignment


def _one_round(
    searched: _Searched,
    pairs: Ids,
    config: Config,
    generator: np.random.Generator,
    threads: int,
    clock: _Clock,
) -> Assignment:
    """Labels → propagation → sketch and candidates → assignment."""
    edges = searched.edges
    with clock.stage("labels"):
        labels = seed_labels(pairs, edges.n_left, edges.n_entities, config.label_width, generator)
    with clock.stage("propagation"):
        ends = edge_ends(edges, propagate(edges, labels, config.hops), generator)
    candidates = _find_candidates(searched, ends, config, generator, threads, clock)
    with clock.stage("assignment"):
        return assign(candidates, temperature=config.temperature, iterations=config.sinkhorn_iterations)


def _find_candidates(
    searched: _Searched,
    ends: EdgeEnds,
    config: Config,
    generator: np.random.Generator,
    threads: int,
    clock: _Clock,
) -> Candidates:
    """Sketch block by block and compare; no block is kept once the next one is made."""
    rows = np.concatenate([searched.left, searched.right + np.int32(searched.edges.n_left)])
    n_blocks = max(1, config.sketch_width // config.label_width)

    def blocks() -> Iterator[tuple[Codes, Codes]]:
        room = np.empty((len(rows), ends.width), np.float32)
        for number in range(n_blocks):
            with clock.stage("sketch", number, n_blocks):
                codes = quantise(gated_sketch(searched.edges, ends, rows, generator, room))
            yield codes.rows(slice(0, len(searched.left))), codes.rows(slice(len(searched.left), None))

    with clock.stage("candidates"):
        return find_candidates(
            searched.left,
            searched.right,
            blocks(),
            n_proposals=config.proposals,
            n_best=config.candidates,
            threads=threads,
            progress=clock.report_of("candidates"),
        )


def confident_pairs(assignment: Assignment, least: float) -> tuple[Ids, Ids, NDArray[np.float32]]:
    """Pairs of at least this probability that are each other's best: left, right, probability, by left.

    One-to-one; among equally probable partners the one with the smaller number is taken.
    """
    candidates, probability = assignment.candidates, assignment.probabilities
    kept = np.flatnonzero((probability >= np.float32(least)) & (probability > 0))
    rows, columns, chance = candidates.rows[kept], candidates.columns[kept], probability[kept]
    best_of_row = _first_of_each(rows, np.lexsort((columns, -chance, rows)))
    best_of_column = _first_of_each(columns, np.lexsort((rows, -chance, columns)))
    both = np.intersect1d(best_of_row, best_of_column)
    both = both[np.argsort(rows[both], kind="stable")]
    return candidates.left[rows[both]], candidates.right[columns[both]], chance[both]


def _first_of_each(keys: NDArray[np.integer], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first position, in the given order, of each run of equal keys."""
    ordered = keys[order]
    return order[np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])[: len(order)])]


def _sorted_pairs(pairs: Ids) -> Ids:
    return np.ascontiguousarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


# --- what is asked for -------------------------------------------------------------------------------


def _refuse_empty(graph: KnowledgeGraph, side: str) -> None:
    if graph.n_triples == 0:
        raise InputError(
            f"the {side} graph {graph.name!r} has no facts between entities, so there is nothing to align by",
            hint=f"it names {graph.n_entities:,} entities and {len(graph.attributes):,} attribute values; "
            "check the column order and the format of the file",
        )


def _known_pairs(
    seeds: Links | pl.DataFrame | Path | str | None,
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    config: Config,
    *,
    strict: bool,
) -> Ids:
    """The seeds as pairs of entity numbers, sorted; complains about those that do not fit."""
    links = _as_links(seeds)
    if len(links) == 0:
        raise SeedError(
            f"preset {config.preset!r} starts from pairs known to be the same, and none were given",
            hint="give a file with two columns, left and right entity: --seeds FILE, or seeds=... in Python",
        )
    found = links.resolve(left, right)
    if found.n_unknown:
        names = ", ".join(repr(name) for name in found.first_unknown)
        _complain(
            f"{found.n_unknown:,} of {len(links):,} seeds name entities unknown to their graph: {names}",
            "left names must be entities of the left graph, right names of the right one, letter for letter",
            refuse=strict or len(found.pairs) == 0,
        )
    if found.n_conflicting:
        _complain(
            f"{found.n_conflicting:,} entities stand in more than one seed, for example "
            + repr(_conflicting_name(found.conflicting_left, left, found.conflicting_right, right)),
            "all their seeds are used; remove the wrong ones for better results",
            refuse=strict,
        )
    return _sorted_pairs(found.pairs)


def _as_links(seeds: Links | pl.DataFrame | Path | str | None) -> Links:
    if seeds is None:
        return Links(pl.Series([], dtype=pl.String), pl.Series([], dtype=pl.String))
    if isinstance(seeds, Links):
        return seeds
    if isinstance(seeds, pl.DataFrame):
        if seeds.width < 2:
            raise SeedError(f"a table of seeds needs two columns, left and right; it has {seeds.width}")
        return Links(seeds[:, 0].cast(pl.String), seeds[:, 1].cast(pl.String))
    return read_links(seeds)


def _complain(problem: str, remedy: str, *, refuse: bool) -> None:
    if refuse:
        raise SeedError(problem, hint=remedy)
    logger.warning("%s (%s)", problem, remedy)


def _conflicting_name(left_ids: Ids, left: KnowledgeGraph, right_ids: Ids, right: KnowledgeGraph) -> str:
    name: str = left.entities[int(left_ids[0])] if len(left_ids) else right.entities[int(right_ids[0])]
    return name


def _side(wanted: Ids | None, seeds: Ids, graph: KnowledgeGraph, side: str) -> Ids:
    """Who takes part: those asked for, or all but the seeds; sorted, each once."""
    if wanted is None:
        return np.setdiff1d(np.arange(graph.n_entities, dtype=np.int32), seeds)
    chosen = np.unique(np.asarray(wanted))
    if len(chosen) and (chosen[0] < 0 or chosen[-1] >= graph.n_entities):
        odd = int(chosen[0] if chosen[0] < 0 else chosen[-1])
        raise InputError(
            f"{side}_entities holds {odd}, but the {side} graph has entities 0 to {graph.n_entities - 1}"
        )
    return chosen.astype(np.int32)


# --- threads, clock, compilation ---------------------------------------------------------------------


@contextmanager
def _compiled_threads(wanted: int) -> Iterator[None]:
    before = numba.get_num_threads()
    most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    numba.set_num_threads(min(wanted, most))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def _nobody(stage: str, done: int, total: int) -> None:
    """Progress where nobody looks."""


@dataclass(eq=False)
class _Clock:
    """Wall time of each stage, without that of stages inside it; tells progress on the way."""

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)
    round: str = ""
    _running: list[str] = field(default_factory=list)
    _since: float = 0.0

    @contextmanager
    def stage(self, name: str, done: int = 0, total: int = 1) -> Iterator[None]:
        self.progress(name + self.round, done, total)
        self._charge()
        self._running.append(name)
        try:
            yield
        finally:
            self._charge()
            self._running.pop()
        self.progress(name + self.round, done + 1, total)

    def report_of(self, name: str) -> Callable[[int, int], None]:
        """Progress inside a stage."""
        return lambda done, total: self.progress(name + self.round, done, total)

    def _charge(self) -> None:
        now = time.perf_counter()
        if self._running:
            name = self._running[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now


def _warm_up(config: Config, clock: _Clock) -> None:
    """Compile every kernel, or load it compiled, by aligning two graphs of one fact; once per process.

    The number of hops is part of the compiled types.
    """
    with clock.stage("compile"):
        if config.hops in _warm:
            return
        tiny = graph_from_names(["a"], ["r"], ["b"])
        everybody = np.arange(2, dtype=np.int32)
        small = config.replace(rounds=1, label_width=16, sketch_width=32, candidates=1, proposals=1)
        searched = _Searched(adjacency(tiny, tiny), everybody, everybody)
        for temperature in (1.0, 1e-3):  # the second one takes the road of the log domain
            _iterate(
                searched,
                np.zeros((1, 2), np.int32),
                small.replace(temperature=temperature),
                1,
                _Clock(_nobody),
            )
        _warm.add(config.hops)
