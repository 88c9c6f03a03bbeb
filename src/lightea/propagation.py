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
from lightea.graph import Ids
from lightea.labels import Labels

F32 = NDArray[np.float32]

_COLUMNS_AT_ONCE = 128


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
    relations = [_whole_table(np.zeros((edges.n_relations, width), np.float32))]
    for _ in range(hops):
        labels, relation_labels = entities[-1], relations[-1]
        next_entities = np.empty((edges.n_entities, width), np.float32)
        next_relations = np.empty((edges.n_relations, width), np.float32)
        _kernels.hop_entities(
            edges.offsets,
            edges.relations,
            edges.tails,
            labels.table,
            labels.place,
            relation_labels.table,
            next_entities,
        )
        _kernels.hop_relations(
            edges.relation_offsets, edges.relation_heads, labels.table, labels.place, next_relations
        )
        _kernels.unit_rows(next_relations)
        entities.append(_whole_table(next_entities))
        relations.append(_whole_table(next_relations))
    return Propagated(tuple(entities), tuple(relations[1:]))


def _whole_table(table: F32) -> Labels:
    return Labels(table, np.arange(len(table), dtype=np.int32))


@dataclass(frozen=True, eq=False)
class EdgeEnds:
    """What an edge (r, t) adds to the sketch of its head: x(t) in slabs of columns, and the rounds of r."""

    entities: F32
    """(slabs, entities, columns): a slab fits into the cache, a whole row of all columns would not."""
    relations: tuple[Labels, ...]
    taken: NDArray[np.int64]
    """The shifts at which x reads the rounds of entity labels; relations are read at others."""

    @property
    def width(self) -> int:
        """Dimensions of one block of the sketch."""
        return int(self.relations[0].table.shape[1])


def edge_ends(edges: Adjacency, labels: Propagated, generator: np.random.Generator) -> EdgeEnds:
    """Sum the rounds of entity labels, each read at a shift of its own."""
    shifts = _draw_shifts(labels.width, len(labels.entities), generator)
    columns = min(_COLUMNS_AT_ONCE, labels.width)
    entities = np.zeros((-(-labels.width // columns), edges.n_entities, columns), np.float32)
    for slab, low in zip(entities, range(0, labels.width, columns), strict=True):
        _add_rounds(labels.entities, shifts, low, slab[:, : labels.width - low])
    return EdgeEnds(entities, labels.relations, shifts)


def gated_sketch(
    edges: Adjacency, ends: EdgeEnds, rows: Ids, generator: np.random.Generator, out: F32 | None = None
) -> F32:
    """One block of the sketch, F_b, for the entities `rows` (numbers in the joined graph), into `out`."""
    shifts = _draw_shifts(ends.width, len(ends.relations), generator, ends.taken)
    columns = ends.entities.shape[2]
    sketch = np.empty((len(rows), ends.width), np.float32) if out is None else out
    gates = np.empty((edges.n_relations, columns), np.float32)
    for slab, low in zip(ends.entities, range(0, ends.width, columns), strict=True):
        part = slice(0, ends.width - low)
        _add_rounds(ends.relations, shifts, low, gates[:, part])
        _kernels.gate_edges(
            rows, edges.offsets, edges.relations, edges.tails, slab[:, part], gates[:, part], low, sketch
        )
    return sketch


def _draw_shifts(
    width: int, n_rounds: int, generator: np.random.Generator, taken: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Different shifts for each round, none of them among those taken, as far as the width allows."""
    every = np.arange(width)
    free = every if taken is None else np.setdiff1d(every, taken)
    offered = free if len(free) else every
    return generator.choice(offered, n_rounds, replace=len(offered) < n_rounds).astype(np.int64)


def _add_rounds(rounds: tuple[Labels, ...], shifts: NDArray[np.int64], low: int, out: F32) -> None:
    tables = tuple(labels.table for labels in rounds)
    places = tuple(labels.place for labels in rounds)
    _kernels.shifted_sum(tables, places, shifts, low, out)
