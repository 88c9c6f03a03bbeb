"""`align`: the only place that knows the order of the stages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency, adjacency
from lightea.alignment import Alignment
from lightea.assignment import Assignment, Matches, assign, believed
from lightea.candidates import Candidates, Codes, add_cosines, find_candidates, in_order, quantise, search
from lightea.clock import Clock, Progress, nobody
from lightea.config import Config
from lightea.errors import ConfigError, InputError
from lightea.evidence import edge_weights, evidence_score, gather_evidence
from lightea.graph import Ids, KnowledgeGraph
from lightea.graph_builder import graph_from_names
from lightea.labels import seed_labels
from lightea.machine import available_cores
from lightea.propagation import EdgeEnds, edge_ends, gated_sketch, propagate
from lightea.relations import relation_agreement
from lightea.seeds import Seeds, known_pairs, sorted_pairs

_warm: set[tuple[int, bool]] = set()
"""For which numbers of hops, without and with evidence, kernels are compiled and loaded in this process."""

_one_at_a_time = threading.Lock()
"""The number of compiled threads is a setting of the process."""


def align(
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    seeds: Seeds = None,
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
    `preset`. Searched are all left entities, or `left_entities` (entity numbers), but for the seeds';
    possible answers are all right entities, or `right_entities`, but for the seeds'. `strict` refuses seeds
    that name unknown entities or one entity twice, instead of warning. The result does not depend on
    `threads`.
    """
    settings = config or Config.for_preset(preset)
    if random_seed is not None:
        settings = settings.replace(random_seed=random_seed)
    n_threads = available_cores() if threads is None else threads
    if n_threads < 1:
        raise ConfigError(f"threads is {n_threads}, but must be at least 1")
    for graph, side in ((left, "left"), (right, "right")):
        _refuse_empty(graph, side)
    pairs = known_pairs(seeds, left, right, settings, strict=strict)
    with _one_at_a_time, _compiled_threads(n_threads):
        clock = Clock(progress or nobody)
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

    @property
    def rows(self) -> Ids:
        """Everybody who takes part, in the numbers of the joined graphs: left, then right."""
        return np.concatenate([self.left, self.right + np.int32(self.edges.n_left)])


def _iterate(searched: _Searched, seeds: Ids, config: Config, threads: int, clock: Clock) -> Assignment:
    """Bi-directional iteration: what a round is sure of, the next one takes for labels; labels are new."""
    generator = np.random.default_rng(config.random_seed)
    clock.round = f" 1/{config.rounds}" if config.rounds > 1 else ""
    clock.begin_round(1, config.rounds)
    assignment = _one_round(searched, seeds, seeds, None, config, generator, threads, clock)
    for number in range(2, config.rounds + 1):
        clock.begin_round(number, config.rounds)
        left_ids, right_ids, _ = confident_pairs(assignment, config.accept)
        free = ~(np.isin(left_ids, seeds[:, 0]) | np.isin(right_ids, seeds[:, 1]))
        pairs = sorted_pairs(np.concatenate([seeds, np.stack([left_ids, right_ids], axis=1)[free]]))
        assignment = _one_round(searched, pairs, seeds, assignment, config, generator, threads, clock)
    return assignment


def _one_round(
    searched: _Searched,
    pairs: Ids,
    seeds: Ids,
    before: Assignment | None,
    config: Config,
    generator: np.random.Generator,
    threads: int,
    clock: Clock,
) -> Assignment:
    """Labels of the pairs → propagation → sketch → candidates and assignment, with evidence or without."""
    edges = searched.edges
    with clock.stage("labels"):
        labels = seed_labels(pairs, edges.n_left, edges.n_entities, config.label_width, generator)
    with clock.stage("propagation"):
        ends = edge_ends(edges, propagate(edges, labels, config.hops), generator)
    blocks = _sketch_blocks(searched, ends, config, generator, clock)
    if config.evidence_rounds:
        return _by_evidence(searched, blocks, seeds, before, config, threads, clock)
    return _by_sketch(searched, blocks, config, threads, clock)


def _sketch_blocks(
    searched: _Searched, ends: EdgeEnds, config: Config, generator: np.random.Generator, clock: Clock
) -> Iterator[tuple[Codes, Codes]]:
    """The codes of both sides, block by block; a block is made when it is asked for."""
    rows = searched.rows
    n_blocks = max(1, config.sketch_width // config.label_width)
    room = np.empty((len(rows), ends.width), np.float32)
    for number in range(n_blocks):
        with clock.stage("sketch", number, n_blocks):
            codes = quantise(gated_sketch(searched.edges, ends, rows, generator, room))
        yield codes.rows(slice(0, len(searched.left))), codes.rows(slice(len(searched.left), None))


def _by_sketch(
    searched: _Searched,
    blocks: Iterator[tuple[Codes, Codes]],
    config: Config,
    threads: int,
    clock: Clock,
) -> Assignment:
    """Candidates and scores by sketch alone."""
    with clock.stage("candidates"):
        candidates = find_candidates(
            searched.left,
            searched.right,
            blocks,
            n_proposals=config.proposals,
            n_best=config.candidates,
            threads=threads,
            progress=clock.report_of("candidates"),
        )
    with clock.stage("assignment"):
        return assign(candidates, temperature=config.temperature, iterations=config.sinkhorn_iterations)


def _by_evidence(
    searched: _Searched,
    blocks: Iterator[tuple[Codes, Codes]],
    seeds: Ids,
    before: Assignment | None,
    config: Config,
    threads: int,
    clock: Clock,
) -> Assignment:
    """The loop of evidence and assignment: what is believed gives evidence, evidence gives belief."""
    edges = searched.edges
    with clock.stage("candidates"):
        sketches = list(blocks)
        nearest = search(
            *sketches[0], config.proposals, threads=threads, progress=clock.report_of("candidates")
        )
    n_parts = config.evidence_rounds + 1
    with clock.stage("evidence", 0, n_parts):
        weights = edge_weights(edges)

    def weigh(assignment: Assignment | None, number: int) -> Assignment:
        with clock.stage("evidence", number + 1, n_parts):
            matches = believed(seeds, assignment, edges.n_left, edges.n_right)
            candidates = _candidates_by_evidence(searched, weights, matches, nearest, sketches, config)
        with clock.stage("assignment", number, config.evidence_rounds):
            return assign(
                candidates,
                temperature=config.temperature,
                iterations=config.sinkhorn_iterations,
                no_match=config.no_match_score,
            )

    assignment = weigh(before, 0)
    for number in range(1, config.evidence_rounds):
        assignment = weigh(assignment, number)
    return assignment


def _candidates_by_evidence(
    searched: _Searched,
    weights: NDArray[np.float32],
    matches: Matches,
    nearest: tuple[NDArray[np.int64], Ids],
    sketches: list[tuple[Codes, Codes]],
    config: Config,
) -> Candidates:
    """The nearest by sketch and the best by evidence; score = evidence score + weight · mean cosine."""
    edges, right = searched.edges, searched.right
    column = np.full(edges.n_right, -1, np.int32)
    column[right] = np.arange(len(right), dtype=np.int32)
    found = gather_evidence(
        edges,
        weights,
        matches,
        relation_agreement(edges, matches),
        searched.left,
        (nearest[0], right[nearest[1]]),
        column >= 0,
    )
    columns = column[found.ids]
    cosines = np.zeros(len(columns), np.float32)
    for left_codes, right_codes in sketches:
        add_cosines(found.indptr, columns, left_codes, right_codes, cosines)
    scores = evidence_score(found.values) + np.float32(config.cosine_weight / len(sketches)) * cosines
    return in_order(searched.left, right, found.indptr, columns, scores)


def confident_pairs(assignment: Assignment, least: float) -> tuple[Ids, Ids, NDArray[np.float32]]:
    """Pairs of at least this probability that are each other's best: left, right, probability, by left.

    One-to-one. Where two partners are equally probable neither is taken: that would be tossing a coin.
    """
    candidates, probability = assignment.candidates, assignment.probabilities
    kept = np.flatnonzero((probability >= np.float32(least)) & (probability > 0))
    rows, columns, chance = candidates.rows[kept], candidates.columns[kept], probability[kept]
    both = np.flatnonzero(_is_single_best(rows, chance) & _is_single_best(columns, chance))
    both = both[np.argsort(rows[both], kind="stable")]
    return candidates.left[rows[both]], candidates.right[columns[both]], chance[both]


def _is_single_best(keys: NDArray[np.integer], values: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether a value is larger than all others with the same key."""
    n_keys = int(keys.max(initial=-1)) + 1
    best = np.zeros(n_keys, np.float32)
    np.maximum.at(best, keys, values)
    is_best = values == best[keys]
    is_single: NDArray[np.bool_] = is_best & (np.bincount(keys[is_best], minlength=n_keys)[keys] == 1)
    return is_single


# --- what is asked for -------------------------------------------------------------------------------


def _refuse_empty(graph: KnowledgeGraph, side: str) -> None:
    if graph.n_triples == 0:
        raise InputError(
            f"the {side} graph {graph.name!r} has no facts between entities, so there is nothing to align by",
            hint=f"entities in it: {graph.n_entities:,}, attribute values: {len(graph.attributes):,}; "
            "check the column order and the format of the file",
        )


def _side(wanted: Ids | None, seeds: Ids, graph: KnowledgeGraph, side: str) -> Ids:
    """Who takes part: those asked for, or all; never a seed; sorted, each once."""
    if wanted is None:
        return np.setdiff1d(np.arange(graph.n_entities, dtype=np.int32), seeds)
    chosen = np.unique(np.asarray(wanted))
    if not np.issubdtype(chosen.dtype, np.integer) and len(chosen):
        raise InputError(f"{side}_entities must hold entity numbers, not values of type {chosen.dtype}")
    if len(chosen) and (chosen[0] < 0 or chosen[-1] >= graph.n_entities):
        odd = int(chosen[0] if chosen[0] < 0 else chosen[-1])
        raise InputError(
            f"{side}_entities holds {odd}, but the {side} graph has entities 0 to {graph.n_entities - 1}"
        )
    return np.setdiff1d(chosen.astype(np.int32), seeds)


# --- threads and compilation ---------------------------------------------------------------------


@contextmanager
def _compiled_threads(wanted: int) -> Iterator[None]:
    before = numba.get_num_threads()
    most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    numba.set_num_threads(min(wanted, most))
    try:
        yield
    finally:
        numba.set_num_threads(before)


def _warm_up(config: Config, clock: Clock) -> None:
    """Compile every kernel, or load it compiled, by aligning two graphs of one fact; once per process.

    The number of hops is part of the compiled types.
    """
    with clock.stage("compile"):
        kind = config.hops, config.evidence_rounds > 0
        if kind in _warm:
            return
        tiny = graph_from_names(["a"], ["r"], ["b"])
        everybody = np.arange(2, dtype=np.int32)
        small = config.replace(
            rounds=1, label_width=16, sketch_width=32, candidates=1, proposals=1, evidence_rounds=int(kind[1])
        )
        searched = _Searched(adjacency(tiny, tiny), everybody, everybody)
        for temperature in (1.0, 1e-3):  # the second one takes the road of the log domain
            _iterate(
                searched,
                np.zeros((1, 2), np.int32),
                small.replace(temperature=temperature),
                1,
                Clock(nobody),
            )
        _warm.add(kind)
