"""`basic` put together from its public stages, with a view of the propagation left out.

The views are matrices of the doubled edges (see `lightea.propagation`):

    E(k+1) = unit(side·E(k) + front·R(k)),   R(k+1) = unit(top·E(k))

Without *side*, entities hear of others through relations alone; without *front*, through their neighbours
alone. Without *top* relations have no labels at all: nothing reaches entities through *front* either, and one
label for all of them takes the place of theirs in the sketch, which then cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.paper.datasets import Problem
from lightea.adjacency import Adjacency, adjacency
from lightea.alignment import Alignment
from lightea.assignment import assign
from lightea.candidates import Candidates, find_candidates
from lightea.codes import Codes, quantise
from lightea.confident import confident_pairs
from lightea.config import Config
from lightea.graph import Ids
from lightea.labels import Labels, draw_labels, seed_labels
from lightea.propagation import Propagated, edge_ends, gated_sketch, propagate
from lightea.quality import DEFAULT_THRESHOLD
from lightea.seeds import known_pairs

F32 = NDArray[np.float32]
VIEWS = frozenset({"side", "front", "top"})


def align_by_views(problem: Problem, config: Config, views: Collection[str], threads: int) -> Alignment:
    """What the preset `basic` does, by these views only."""
    edges = adjacency(problem.left, problem.right)
    seeds = pairs_of(problem, config)
    generator = np.random.default_rng(config.random_seed)
    first = seed_labels(seeds, edges.n_left, edges.n_entities, config.label_width, generator)
    labels = propagate_by(views, edges, first, config.hops, generator)
    left, right = asked(problem, seeds)
    candidates = find_candidates(
        left,
        right,
        _blocks(edges, labels, left, right, config.sketch_width // config.label_width, generator),
        n_proposals=config.proposals,
        n_best=config.candidates,
        threads=threads,
    )
    return decided(problem, seeds, candidates, config)


def pairs_of(problem: Problem, config: Config) -> Ids:
    """The seeds as pairs of entity numbers."""
    return known_pairs(problem.seeds, problem.left, problem.right, config, strict=False)


def asked(problem: Problem, seeds: Ids) -> tuple[Ids, Ids]:
    """Who takes part: in order, each once, no seed."""
    left, right = (np.setdiff1d(side, taken) for side, taken in zip(problem.searched, seeds.T, strict=True))
    return left, right


def decided(problem: Problem, seeds: Ids, candidates: Candidates, config: Config) -> Alignment:
    """The alignment after the assignment, with the links that `align` would report."""
    assignment = assign(candidates, temperature=config.temperature, iterations=config.sinkhorn_iterations)
    links = confident_pairs(assignment, DEFAULT_THRESHOLD)
    return Alignment(problem.left, problem.right, seeds, assignment, *links, config)


def propagate_by(
    views: Collection[str], edges: Adjacency, first: Labels, hops: int, generator: np.random.Generator
) -> Propagated:
    """Spread labels over some of the three views."""
    if set(views) >= VIEWS:
        return propagate(edges, first, hops)
    side, front, top = (
        matrix * np.float32(name in views)
        for name, matrix in zip(("side", "front", "top"), view_matrices(edges), strict=True)
    )
    entities = [first]
    relations = [_whole(np.zeros((edges.n_relations, first.table.shape[1]), np.float32))]
    for _ in range(hops):
        of_entities, of_relations = _dense(entities[-1]), _dense(relations[-1])
        entities.append(_whole(side @ of_entities + front @ of_relations))
        relations.append(_whole(top @ of_entities))
    if "top" not in views:
        one = Labels(draw_labels(1, first.table.shape[1], generator), np.zeros(edges.n_relations, np.int32))
        return Propagated(tuple(entities), (one,))
    return Propagated(tuple(entities), tuple(relations[1:]))


def view_matrices(edges: Adjacency) -> tuple[sparse.csr_array, sparse.csr_array, sparse.csr_array]:
    """The matrices side (entities × entities), front (entities × relations), top (relations × entities)."""
    n, m, n_forward = edges.n_entities, edges.n_relations, edges.n_forward_relations
    degrees = np.diff(edges.offsets)
    heads = np.repeat(np.arange(n), degrees)
    ones = np.ones(len(heads), np.float32)
    side = sparse.csr_array((ones, (heads, edges.tails)), (n, n)) + sparse.diags_array(
        2 * degrees.astype(np.float32), format="csr"
    )
    inverse = np.where(edges.relations < n_forward, edges.relations + n_forward, edges.relations - n_forward)
    front = sparse.csr_array((ones, (heads, inverse)), (n, m))
    front.data[:] = 1.0  # a relation counts once, however many facts it has
    owners = np.repeat(np.arange(m), np.diff(edges.relation_offsets))
    top = sparse.csr_array((np.ones(len(owners), np.float32), (owners, edges.relation_heads)), (m, n))
    return sparse.csr_array(side), front, top


def _blocks(
    edges: Adjacency,
    labels: Propagated,
    left: Ids,
    right: Ids,
    n_blocks: int,
    generator: np.random.Generator,
) -> Iterator[tuple[Codes, Codes]]:
    ends = edge_ends(edges, labels, generator)
    rows = np.concatenate([left, right + np.int32(edges.n_left)])
    for _ in range(max(1, n_blocks)):
        codes = gated_sketch(edges, ends, rows, generator)
        yield codes.rows(slice(0, len(left))), codes.rows(slice(len(left), None))


def _whole(matrix: F32) -> Labels:
    return Labels(quantise(matrix.astype(np.float32)).values, np.arange(len(matrix), dtype=np.int32))


def _dense(labels: Labels) -> F32:
    dense = np.zeros((len(labels.place), labels.table.shape[1]), np.float32)
    has_one = labels.place >= 0
    dense[has_one] = labels.table[labels.place[has_one]]
    return dense
