"""Which labels two entities share, hop by hop: the paper's own tracing (LightEA, figure 5).

Every seed pair gets a dimension of its own instead of a random vector, so a label is a list of seeds with
weights that a person can read. Propagation is that of `propagation.py`, exactly, on the neighbourhood of the
pair only: a row of E(2) needs the facts of the entity and those of its neighbours, nothing else.

    E(1)(h) = unit( Σ_(r,t) E(0)(t) + 2·|edges of h|·E(0)(h) )
    E(2)(h) = unit( Σ_(r,t) E(1)(t) + 2·|edges of h|·E(1)(h) + Σ_distinct r into h R(1)(r) )
    R(1)(r) = unit( Σ_distinct heads h of r E(0)(h) )

With random labels the cosine of two sketches estimates such inner products; here they are itemised.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.graph import Ids
from lightea.itemising import stretches

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]

MOST_HOPS = 2
"""The third hop of an entity is most of the graph."""

BUDGET = 200_000
"""Facts of an entity, of its neighbours, and labelled heads of its relations that are followed.

Neighbours and relations with the most are left out first: their labels have length one like all others, but
spread so thin that hardly any seed stands out.
"""


@dataclass(frozen=True, eq=False)
class SharedLabels:
    """The seeds in the labels of both entities after some hops, the largest product first."""

    hop: int
    cosine: float
    """The sum of all products."""
    seeds: I64
    """Which seed pairs."""
    left: F64
    right: F64
    products: F64
    left_out: int
    """Facts, neighbours and relations of both entities that are too many to be followed; see `BUDGET`."""


@dataclass(frozen=True, eq=False)
class OneHot:
    """E(0) and R(1) with one dimension for each seed pair."""

    edges: Adjacency
    n_seeds: int
    offsets: I64
    """Entity i (of the joined graphs) is in the seeds `seeds[j]`, j in `offsets[i]:offsets[i + 1]`."""
    seeds: I64
    relation_offsets: I64
    """Relation r has among its heads the labelled ones `heads[j]`, in the same manner."""
    heads: Ids


@dataclass(frozen=True, eq=False)
class _Rows:
    """Sparse rows, in order of (row, seed); a row that is empty is zero."""

    n_seeds: int
    rows: I64
    seeds: I64
    values: F64


def one_hot(edges: Adjacency, pairs: Ids) -> OneHot:
    """Labels for these seed pairs (numbers of their own graphs)."""
    ends = np.concatenate([pairs[:, 0], pairs[:, 1] + np.int32(edges.n_left)])
    order = np.argsort(ends, kind="stable")
    counts = np.bincount(ends, minlength=edges.n_entities)
    is_labelled = counts[edges.relation_heads] > 0
    before = np.concatenate([[0], np.cumsum(is_labelled)])
    return OneHot(
        edges,
        len(pairs),
        np.concatenate([[0], np.cumsum(counts)]),
        np.tile(np.arange(len(pairs)), 2)[order],
        before[edges.relation_offsets],
        edges.relation_heads[is_labelled],
    )


def trace(labels: OneHot, left: int, right: int, hops: int) -> tuple[SharedLabels, ...]:
    """The labels that two entities (numbers of their own graphs) share after 0, 1, … hops."""
    sides = [_hops(labels, entity, min(hops, MOST_HOPS)) for entity in (left, right + labels.edges.n_left)]
    return tuple(_shared(number, *both) for number, both in enumerate(zip(*sides, strict=True)))


def _shared(hop: int, left: tuple[_Rows, int], right: tuple[_Rows, int]) -> SharedLabels:
    seeds, i, j = np.intersect1d(left[0].seeds, right[0].seeds, assume_unique=True, return_indices=True)
    of_left, of_right = left[0].values[i], right[0].values[j]
    products = of_left * of_right
    order = np.argsort(-products, kind="stable")
    return SharedLabels(
        hop,
        float(products.sum()),
        seeds[order],
        of_left[order],
        of_right[order],
        products[order],
        left[1] + right[1],
    )


def _hops(labels: OneHot, entity: int, hops: int) -> list[tuple[_Rows, int]]:
    """The label of an entity after each hop, with the number of those not followed on the way."""
    edges = labels.edges
    every = np.arange(edges.offsets[entity], edges.offsets[entity + 1])
    own, not_own = every[:BUDGET], max(0, len(every) - BUDGET)
    at_first = _entity_labels(labels, np.array([entity]))
    around = _flat(_entity_labels(labels, edges.tails[own].astype(np.int64)))
    at_one = _unit(_sum(around, _scaled(at_first, np.array([2.0 * len(every)]))))
    rounds = [(at_first, 0), (at_one, not_own)][: hops + 1]
    if hops >= MOST_HOPS:
        moved, left_out = _second_hop(labels, own)
        at_two = _unit(_sum(moved, _scaled(at_one, np.array([2.0 * len(every)]))))
        rounds.append((at_two, not_own + left_out))
    return rounds


def _second_hop(labels: OneHot, own: I64) -> tuple[_Rows, int]:
    """What comes to an entity over these edges, Σ E(1)(t) + Σ R(1)(r); and how much was not followed."""
    edges = labels.edges
    neighbours, times = np.unique(edges.tails[own], return_counts=True)
    near, not_near = _affordable(edges.offsets, neighbours.astype(np.int64))
    leading = np.unique(edges.relations[own]).astype(np.int64)
    n_forward = edges.n_forward_relations
    into = np.where(leading < n_forward, leading + n_forward, leading - n_forward)
    gates, not_gates = _affordable(labels.relation_offsets, into)
    repeats = times[np.searchsorted(neighbours, near)].astype(np.float64)
    around = _scaled(_first_hop(labels, near), repeats)
    return _sum(_flat(around), _flat(_relation_labels(labels, gates))), not_near + not_gates


def _first_hop(labels: OneHot, entities: I64) -> _Rows:
    """E(1) of some entities."""
    edges = labels.edges
    degrees = edges.offsets[entities + 1] - edges.offsets[entities]
    row, edge = stretches(edges.offsets[entities], degrees)
    around = _gathered(_entity_labels(labels, edges.tails[edge].astype(np.int64)), row)
    own = _entity_labels(labels, entities)
    return _unit(_sum(around, _scaled(own, 2.0 * degrees.astype(np.float64))))


def _affordable(offsets: I64, wanted: I64) -> tuple[I64, int]:
    """The smallest of those wanted, as many as the budget allows; and how many are not among them."""
    cost = offsets[wanted + 1] - offsets[wanted]
    order = np.argsort(cost, kind="stable")
    n_kept = int(np.searchsorted(np.cumsum(cost[order]), BUDGET, "right"))
    return np.sort(wanted[order[:n_kept]]), len(wanted) - n_kept


def _entity_labels(labels: OneHot, entities: I64) -> _Rows:
    """E(0): one over the root of the number of an entity's seeds for each of them."""
    counts = labels.offsets[entities + 1] - labels.offsets[entities]
    row, place = stretches(labels.offsets[entities], counts)
    return _Rows(labels.n_seeds, row, labels.seeds[place], 1.0 / np.sqrt(counts[row]))


def _relation_labels(labels: OneHot, relations: I64) -> _Rows:
    """R(1) of some relations."""
    starts = labels.relation_offsets[relations]
    row, place = stretches(starts, labels.relation_offsets[relations + 1] - starts)
    return _unit(_gathered(_entity_labels(labels, labels.heads[place].astype(np.int64)), row))


def _gathered(parts: _Rows, row: I64) -> _Rows:
    """The sums of rows that belong together: part i is of row `row[i]`."""
    return _summed(parts.n_seeds, row[parts.rows], parts.seeds, parts.values)


def _sum(one: _Rows, other: _Rows) -> _Rows:
    return _summed(
        one.n_seeds,
        np.concatenate([one.rows, other.rows]),
        np.concatenate([one.seeds, other.seeds]),
        np.concatenate([one.values, other.values]),
    )


def _summed(n_seeds: int, rows: I64, seeds: I64, values: F64) -> _Rows:
    keys, place = np.unique(rows * n_seeds + seeds, return_inverse=True)
    return _Rows(
        n_seeds,
        keys // max(n_seeds, 1),
        keys % max(n_seeds, 1),
        np.bincount(place, values, len(keys)).astype(np.float64),
    )


def _scaled(rows: _Rows, factors: F64) -> _Rows:
    return _Rows(rows.n_seeds, rows.rows, rows.seeds, rows.values * factors[rows.rows])


def _flat(rows: _Rows) -> _Rows:
    """All rows added up to one."""
    return _summed(rows.n_seeds, np.zeros_like(rows.rows), rows.seeds, rows.values)


def _unit(rows: _Rows) -> _Rows:
    n_rows = int(rows.rows.max(initial=-1)) + 1
    lengths = np.sqrt(np.bincount(rows.rows, rows.values**2, n_rows))
    return _Rows(rows.n_seeds, rows.rows, rows.seeds, rows.values / np.maximum(lengths, 1e-300)[rows.rows])
