"""`align`: the only place that knows the order of the stages."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numba
import numpy as np
import polars as pl

from lightea.adjacency import adjacency
from lightea.alignment import Alignment
from lightea.assignment import Assignment
from lightea.calibration import Calibration
from lightea.characters import encode_characters
from lightea.clock import Clock, Progress, nobody
from lightea.config import DEFAULT_PRESET, Config
from lightea.encoding import EncodedNames, GivenNames, encoded_names, uses_names
from lightea.errors import ConfigError, InputError, MemoryLimitError
from lightea.evidence import Beliefs
from lightea.fitting import fit_logistic
from lightea.forecast import forecast
from lightea.graph import Ids, KnowledgeGraph
from lightea.graph_builder import graph_from_names
from lightea.identity import identities_set_apart
from lightea.linking import check_precision, select_links
from lightea.machine import available_cores, free_memory_mb, peak_rss_mb
from lightea.name_space import NameSpace
from lightea.names import NamesUsed, NameTable
from lightea.paper import paper_rounds
from lightea.rehearsal import by_evidence
from lightea.rounds import Rounds
from lightea.seeds import Seeds, known_pairs
from lightea.sizing import settings_for_size

logger = logging.getLogger(__name__)

_warm: set[tuple[bool, bool, bool]] = set()
"""For which runs, with evidence, names and the log domain or without, kernels are loaded in this process."""

_LOG_DOMAIN = 0.05
"""Temperature below which scores may be so many temperatures large that only logarithms are in range."""

_SHARE_OF_FREE = 0.8
"""What a run may take of the free memory before it says so."""

_one_at_a_time = threading.Lock()
"""The number of compiled threads is a setting of the process."""


@identities_set_apart
def align(
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    seeds: Seeds = None,
    *,
    preset: str | None = None,
    config: Config | None = None,
    random_seed: int | None = None,
    left_entities: Ids | None = None,
    right_entities: Ids | None = None,
    threads: int | None = None,
    memory: float | None = None,
    strict: bool = False,
    names: GivenNames = None,
    progress: Progress | None = None,
) -> Alignment:
    """Find which entities of two graphs are the same.

    `seeds` are pairs known to be the same: links, a table of two columns, a file, or "same-as": what the
    graphs say themselves by owl:sameAs and the like, which is set apart otherwise. The settings are those of
    `preset` (default: auto), or `config`. Searched are all left entities, or `left_entities` (entity
    numbers), but for the seeds'; possible answers are all right entities, or `right_entities`, but for the
    seeds'. `memory` is how many bytes the process may hold at most: a run that would need more is refused at
    the start, and one that turns out to need more ends; without it, a warning is all. `strict` refuses seeds
    that name unknown entities or one entity twice, instead of warning. `names` are names of entities, a table
    of identifier and name or a file, in place of those that the graphs state. Where there are names to start
    from no seeds are needed. The result does not depend on `threads`.
    """
    if preset is not None and config is not None:
        raise ConfigError("preset and config exclude each other", hint="use Config.for_preset(preset, ...)")
    settings = config or Config.for_preset(preset or DEFAULT_PRESET)
    if random_seed is not None:
        settings = settings.replace(random_seed=random_seed)
    n_threads = available_cores() if threads is None else threads
    if n_threads < 1:
        raise ConfigError(f"threads is {n_threads}, but must be at least 1")
    for graph, side in ((left, "left"), (right, "right")):
        _refuse_empty(graph, side)
    settings = settings_for_size(settings, left.n_entities, right.n_entities)
    _weigh_need(left, right, settings, n_threads, memory)
    clock = Clock(progress or nobody, most_mb=None if memory is None else memory / 1e6)
    with compiled(settings, n_threads, clock):
        encoded: EncodedNames | None = None
        if uses_names(settings) or names is not None:
            with clock.stage("names"):
                encoded = encoded_names(left, right, settings, names)
        space = None if encoded is None else encoded.space
        pairs = known_pairs(seeds, left, right, settings, strict=strict, needed=encoded is None)
        check_precision(settings, len(pairs))
        with clock.stage("adjacency"):
            edges = adjacency(left, right)
        asked = (
            _side(left_entities, pairs[:, 0], left, "left"),
            _side(right_entities, pairs[:, 1], right, "right"),
        )
        beliefs: Beliefs | None = None
        calibration: Calibration | None = None
        if settings.evidence_rounds:
            outcome = by_evidence(edges, asked, pairs, settings, n_threads, clock, space)
            assignment, beliefs, calibration = outcome.assignment, outcome.beliefs, outcome.calibration
        else:
            assignment = paper_rounds(edges, *asked, pairs, settings, n_threads, clock, space)
    return _alignment(left, right, pairs, assignment, settings, clock, beliefs, calibration, encoded)


def _alignment(
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    seeds: Ids,
    assignment: Assignment,
    config: Config,
    clock: Clock,
    beliefs: Beliefs | None,
    calibration: Calibration | None,
    names: EncodedNames | None,
) -> Alignment:
    """The links of at least the threshold, which is chosen here where it was left open."""
    chosen = select_links(
        assignment,
        calibration,
        cardinality=config.cardinality,
        threshold=config.threshold,
        precision=config.precision,
    )
    return Alignment(
        left=left,
        right=right,
        seeds=seeds,
        assignment=assignment,
        left_ids=chosen.left_ids,
        right_ids=chosen.right_ids,
        probability=chosen.probability,
        config=config.replace(threshold=chosen.threshold),
        seconds=clock.seconds,
        stage_peak_mb=clock.peak_mb,
        beliefs=beliefs,
        calibration=calibration,
        names=None if names is None else names_used(names, assignment),
    )


def names_used(names: EncodedNames, assignment: Assignment) -> NamesUsed:
    """The names, and how much alike those of the candidates are."""
    candidates = assignment.candidates
    ids = candidates.right[candidates.columns]
    similarity = names.space.similarities(candidates.left, candidates.indptr, ids)
    return NamesUsed(names.left, names.right, names.encoder, names.audit, similarity)


# --- what is asked for -------------------------------------------------------------------------------


def _refuse_empty(graph: KnowledgeGraph, side: str) -> None:
    if graph.n_triples == 0:
        raise InputError(
            f"the {side} graph {graph.name!r} has no facts between entities, so there is nothing to align by",
            hint=f"entities in it: {graph.n_entities:,}, attribute values: {len(graph.attributes):,}; "
            "check the column order and the format of the file",
        )


def _weigh_need(
    left: KnowledgeGraph, right: KnowledgeGraph, config: Config, threads: int, memory: float | None
) -> None:
    """Refuse a run that will need more memory than it may hold; warn of one that may not find it free."""
    needed = forecast(left, right, config, threads).memory
    if memory is not None and needed > memory:
        raise MemoryLimitError(
            f"this run needs about {needed / 1e9:,.2f} GB of memory, but may hold {memory / 1e9:,.2f} GB",
            hint=f"allow more with --memory, or take fewer dimensions: label_width is {config.label_width}, "
            f"sketch_width {config.sketch_width}",
        )
    free = free_memory_mb()
    held = peak_rss_mb() or 0.0
    if memory is None and free is not None and needed / 1e6 - held > _SHARE_OF_FREE * free:
        logger.warning(
            "this run needs about %.1f GB of memory, and %.1f GB are free", needed / 1e9, (free + held) / 1e3
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
def compiled(config: Config, threads: int, clock: Clock) -> Iterator[None]:
    """Have everything compiled and run on so many threads inside, one run at a time."""
    with _one_at_a_time, _compiled_threads(threads):
        _warm_up(config, clock)
        yield


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
    """Compile every kernel, or load it compiled, by aligning two graphs of one fact; once per process."""
    with clock.stage("compile"):
        kind = config.evidence_rounds > 0, uses_names(config), config.temperature < _LOG_DOMAIN
        if kind in _warm:
            return
        tiny = graph_from_names(["a"], ["r"], ["b"])
        everybody = np.arange(2, dtype=np.int32)
        edges = adjacency(tiny, tiny)
        names = _tiny_names() if uses_names(config) else None
        seeds = np.zeros((1, 2), np.int32)
        small = config.replace(rounds=1, label_width=16, sketch_width=32, candidates=1, proposals=1)
        for temperature in (1.0, 1e-3) if kind[-1] else (1.0,):
            settings = small.replace(temperature=temperature)
            if config.evidence_rounds:
                again, odds = settings.replace(evidence_rounds=1), np.zeros(edges.n_entities)
                rounds = Rounds(edges, odds, seeds, again, 1, Clock(nobody), names)
                rounds.from_seeds(np.random.default_rng(0))
                fit_logistic(np.ones((2, 1)), np.array([True, False]))  # loads what it needs to minimise
            else:
                paper_rounds(edges, everybody, everybody, seeds, settings, 1, Clock(nobody), names)
        _warm.add(kind)


def _tiny_names() -> NameSpace:
    """The names of the two entities of the graph that kernels are warmed up with."""
    table = NameTable(np.arange(3), pl.Series(["a", "b"]), n_stated=2)
    return encode_characters(table, table, transliterate="never")
