"""Three-view label propagation and the gated sketch: how an entity's surroundings become numbers.

Propagation, with all labels of round k on the right-hand side, rows scaled to length one:

    E(k+1)(h) = unit( Σ_(r,t) E(k)(t) + 2·|edges of h|·E(k)(h) + Σ_distinct r into h R(k)(r) )
    R(k+1)(r) = unit( Σ_distinct heads h of r E(k)(h) )

What tells two entities apart is the sum over their edges of x(t) ⊗ w(r), with x an entity's and w a
relation's labels of all rounds. The sketch compares these sums without forming the outer products:

    F_b(h) = Σ_(r,t) x(t) ∘ w_b(r),   x(t)_c = Σ_k E(k)(t)_(c + s_k),   w_b(r)_c = Σ_k R(k)(r)_(c + z_bk)

A random projection of x and of w would do; but labels are independent from one dimension to the next, so
reading each round at a shift of its own has the same expectation and costs no matrix product. Every block b
of the sketch pairs the dimensions of x and w anew, and the mean over blocks is as sharp as one wide sketch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea import _kernels
from lightea.adjacency import Adjacency
from lightea.codes import SPREAD, Codes, no_codes, quantise
from lightea.graph import Ids
from lightea.labels import Labels

I16 = NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Propagated:
    """Labels of every round: of entities from round 0, of relations from round 1 (before, they are zero)."""

    entities: tuple[Labels, ...]
    relations: tuple[Labels, ...]

    @property
    def width(self) -> int:
        """Dimensions of the labels."""
        return int(self.entities[0].table.shape[1])


def propagate(edges: Adjacency, first_labels: Labels, hops: int) -> Propagated:
    """Spread labels `hops` rounds over the three views."""
    width = first_labels.table.shape[1]
    entities = [first_labels]
    relations = [_whole_table(np.zeros((edges.n_relations, width), np.int8))]
    sums = np.empty((edges.n_relations, width), np.float32)
    for _ in range(hops):
        labels, relation_labels = entities[-1], relations[-1]
        next_entities = np.empty((edges.n_entities, width), np.int8)
        _kernels.hop_entities(
            edges.offsets,
            edges.relations,
            edges.tails,
            labels.table,
            labels.place,
            relation_labels.table,
            SPREAD,
            next_entities,
        )
        _kernels.hop_relations(edges.relation_offsets, edges.relation_heads, labels.table, labels.place, sums)
        entities.append(_whole_table(next_entities))
        relations.append(_whole_table(quantise(sums).values))
    return Propagated(tuple(entities), tuple(relations[1:]))


def _whole_table(table: NDArray[np.int8]) -> Labels:
    return Labels(table, np.arange(len(table), dtype=np.int32))


@dataclass(frozen=True, eq=False)
class EdgeEnds:
    """What an edge (r, t) adds to the sketch of its head: x(t), and the rounds of r."""

    entities: I16
    """x(t), a row for each entity."""
    relations: tuple[Labels, ...]
    taken: NDArray[np.int64]
    """The shifts at which x reads the rounds of entity labels; relations are read at others."""


def edge_ends(edges: Adjacency, labels: Propagated, generator: np.random.Generator) -> EdgeEnds:
    """Sum the rounds of entity labels, each read at a shift of its own."""
    shifts = _draw_shifts(labels.width, len(labels.entities), generator)
    return EdgeEnds(_sum_of_rounds(labels.entities, shifts, edges.n_entities), labels.relations, shifts)


def gated_sketch(edges: Adjacency, ends: EdgeEnds, rows: Ids, generator: np.random.Generator) -> Codes:
    """One block of the sketch, F_b, for the entities `rows` (numbers in the joined graph)."""
    width = ends.entities.shape[1]
    shifts = _draw_shifts(width, len(ends.relations), generator, ends.taken)
    gates = _sum_of_rounds(ends.relations, shifts, edges.n_relations)
    codes = no_codes(len(rows), width)
    _kernels.gate_edges(
        rows,
        edges.offsets,
        edges.relations,
        edges.tails,
        ends.entities,
        gates,
        SPREAD,
        codes.values,
        codes.inverse_norms,
    )
    return codes


def _draw_shifts(
    width: int, n_rounds: int, generator: np.random.Generator, taken: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Different shifts for each round, none of them among those taken, as far as the width allows."""
    every = np.arange(width)
    free = every if taken is None else np.setdiff1d(every, taken)
    offered = free if len(free) else every
    return generator.choice(offered, n_rounds, replace=len(offered) < n_rounds).astype(np.int64)


def _sum_of_rounds(rounds: tuple[Labels, ...], shifts: NDArray[np.int64], n_rows: int) -> I16:
    """Σ_k of the labels of round k, read at a shift; int16 holds a hundred rounds and more."""
    total = np.zeros((n_rows, rounds[0].table.shape[1]), np.int16)
    for labels, shift in zip(rounds, shifts.tolist(), strict=True):
        _kernels.add_shifted(labels.table, labels.place, shift, total)
    return total
