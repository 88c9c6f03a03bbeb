"""`basic` without any chance: every seed pair has a dimension of its own instead of a random label.

Random labels of width d estimate inner products with an error of about 1/√d; here these are taken exactly
(in single precision), so this is what `basic` tends to as its labels get wider. The similarity of two
entities is the cosine of F(h) = Σ_(r,t) x(t) ⊗ w(r), that is

    ⟨F(h), F(h')⟩ = Σ_(r,t) Σ_(r',t') X(t, t')·W(r, r'),   X = Σ_k E(k)·E'(k)ᵀ,   W = Σ_k R(k)·R'(k)ᵀ

With s seeds, E(0) and E(1) are sparse and only E(2) is full: entities × s. No array is entities × entities:
X is made for the tails of a few left entities at a time, used, and dropped; of the similarities the best are
kept. A relation of the left entity is one row of the inner sum, whatever the number of its tails.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.paper.datasets import Problem
from benchmarks.paper.views import asked, decided, pairs_of, view_matrices
from lightea.adjacency import Adjacency, adjacency
from lightea.alignment import Alignment
from lightea.candidates import Candidates, in_order
from lightea.config import Config
from lightea.graph import Ids

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]
_ROWS_AT_ONCE = 1024
_TOO_FULL = 0.1
"""Labels with more than this share of entries are kept as a full matrix."""


@dataclass(frozen=True, eq=False)
class Exact:
    """Labels of all rounds, the sparse ones side by side, the full ones side by side."""

    thin: sparse.csr_array
    full: F32

    def products(self, rows: sparse.csr_array, others: slice) -> F32:
        """The inner products of weighted sums of rows with the rows `others`."""
        thin = (rows @ self.thin) @ self.thin[others].T
        full: F32 = (rows @ self.full) @ self.full[others].T + thin.toarray()
        return full


def align_one_hot(problem: Problem, config: Config) -> Alignment:
    """What the preset `basic` estimates, exactly."""
    edges = adjacency(problem.left, problem.right)
    seeds = pairs_of(problem, config)
    left, right = asked(problem, seeds)
    entities, relations = one_hot_labels(edges, seeds, config.hops)
    candidates = exact_candidates(edges, entities, relations, left, right, config.candidates)
    return decided(problem, seeds, candidates, config)


def one_hot_labels(edges: Adjacency, seeds: Ids, hops: int) -> tuple[Exact, F32]:
    """Labels of entities, and the inner products of those of relations."""
    side, front, top = view_matrices(edges)
    n_seeds = len(seeds)
    ends = np.concatenate([seeds[:, 0], seeds[:, 1] + np.int32(edges.n_left)])
    places = np.tile(np.arange(n_seeds), 2)
    ones = np.ones(len(ends), np.float32)
    entities = [_unit(sparse.csr_array((ones, (ends, places)), (edges.n_entities, n_seeds)))]
    relations = [sparse.csr_array((edges.n_relations, n_seeds), dtype=np.float32)]
    for _ in range(hops):
        before, of_relations = entities[-1], relations[-1]
        entities.append(_unit(side @ before + front @ of_relations))
        relations.append(_unit(top @ before))
    agreement = sum((_gram(labels) for labels in relations[1:]), np.zeros((), np.float32))
    return _exact(entities), np.asarray(agreement, np.float32)


def _exact(rounds: list[sparse.csr_array]) -> Exact:
    thin = [labels for labels in rounds if labels.nnz <= _TOO_FULL * np.prod(labels.shape)]
    full = [labels.toarray() for labels in rounds if labels.nnz > _TOO_FULL * np.prod(labels.shape)]
    n = rounds[0].shape[0]
    return Exact(
        sparse.csr_array(sparse.hstack([*thin, sparse.csr_array((n, 1), dtype=np.float32)], format="csr")),
        np.hstack([*full, np.zeros((n, 1), np.float32)]),
    )


def _gram(labels: sparse.csr_array) -> F32:
    full: F32 = labels.toarray()
    return full @ full.T


def _unit(matrix: sparse.csr_array) -> sparse.csr_array:
    lengths = np.sqrt(np.asarray((matrix * matrix).sum(axis=1)).ravel())
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0).astype(np.float32)
    return sparse.csr_array(sparse.diags_array(inverse, format="csr") @ matrix)


def exact_candidates(
    edges: Adjacency, entities: Exact, agreement: F32, left: Ids, right: Ids, n_best: int
) -> Candidates:
    """The right entities with the largest cosine for each left one."""
    left_lengths = lengths(edges, entities, agreement, left)
    right_lengths = lengths(edges, entities, agreement, right + np.int32(edges.n_left))
    offered = slice(edges.n_left, edges.n_entities)
    right_edges = _edges_of(edges, right + np.int32(edges.n_left))
    kept = min(n_best, len(right))
    columns, scores = np.empty((len(left), kept), np.int32), np.empty((len(left), kept), np.float32)
    for start in range(0, len(left), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        tails, groups, places, gates = _groups(edges, left[rows])
        pick = sparse.csr_array(
            (np.ones(len(tails), np.float32), (np.arange(len(tails)), tails)), (len(tails), edges.n_entities)
        )
        near = groups @ entities.products(pick, offered)
        found = np.zeros((len(left[rows]), len(right)), np.float32)
        _add_products(near, places, agreement[gates], *right_edges, edges.n_left, found)
        found *= _inverted(left_lengths[rows])[:, None] * _inverted(right_lengths)
        best = np.argpartition(-found, kept - 1, axis=1)[:, :kept]
        columns[rows], scores[rows] = best, np.take_along_axis(found, best, axis=1)
    indptr = np.arange(len(left) + 1, dtype=np.int64) * kept
    return in_order(left, right, indptr, columns.ravel(), scores.ravel())


def _edges_of(edges: Adjacency, entities: Ids) -> tuple[I64, Ids, Ids]:
    """The edges of some entities, laid end to end: offsets, relations, tails."""
    counts = np.diff(edges.offsets)[entities]
    offsets = np.concatenate([[0], np.cumsum(counts)])
    at = np.arange(offsets[-1]) + np.repeat(edges.offsets[entities] - offsets[:-1], counts)
    return offsets, edges.relations[at], edges.tails[at]


def _groups(edges: Adjacency, entities: Ids) -> tuple[Ids, sparse.csr_array, I64, Ids]:
    """The edges of some entities, summed over each relation.

    Returns the distinct tails; a matrix of which of them belong to each group (entity, relation); the groups
    of each entity, as offsets; and the relation of each group.
    """
    offsets, relations, ends = _edges_of(edges, entities)
    tails, tail = np.unique(ends, return_inverse=True)
    owner = np.repeat(np.arange(len(entities)), np.diff(offsets))
    keys, group = np.unique(owner * np.int64(edges.n_relations) + relations, return_inverse=True)
    owners, gates = keys // edges.n_relations, (keys % edges.n_relations).astype(np.int32)
    belongs = sparse.csr_array((np.ones(len(ends), np.float32), (group, tail)), (len(keys), len(tails)))
    return tails, belongs, np.searchsorted(owners, np.arange(len(entities) + 1)), gates


@numba.njit(parallel=True, fastmath=False)
def _add_products(
    near: F32,
    places: I64,
    gates: F32,
    offsets: I64,
    relations: Ids,
    tails: Ids,
    first: int,
    out: F32,
) -> None:  # pragma: no cover
    """out(h, h') = Σ_groups of h Σ_edges (r', t') of h' near(group, t')·gates(group, r')."""
    for row in numba.prange(len(places) - 1):
        for group in range(places[row], places[row + 1]):
            for column in range(len(offsets) - 1):
                total = np.float32(0.0)
                for j in range(offsets[column], offsets[column + 1]):
                    total += near[group, tails[j] - first] * gates[group, relations[j]]
                out[row, column] += total


def lengths(edges: Adjacency, entities: Exact, agreement: F32, rows: Ids) -> F32:
    """|F(h)| of some entities (numbers in the joined graph)."""
    squares = np.zeros(len(rows))
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        block = rows[start : start + _ROWS_AT_ONCE]
        tails, groups, places, gates = _groups(edges, block)
        thin, full = groups @ entities.thin[tails], groups @ entities.full[tails]
        for row in range(len(block)):
            own = slice(places[row], places[row + 1])
            similar = full[own] @ full[own].T + (thin[own] @ thin[own].T).toarray()
            squares[start + row] = np.sum(similar * agreement[np.ix_(gates[own], gates[own])])
    return np.sqrt(np.maximum(squares, 0.0)).astype(np.float32)


def _inverted(values: F32) -> F32:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)
