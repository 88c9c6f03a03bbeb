"""Two graphs as one set of doubled edges, laid out for the three views.

Every triple (h, r, t) also yields its inverse (t, r⁻¹, h). Entities of the left graph keep their numbers,
those of the right graph follow them; the same for relations, and r⁻¹ = r + m for m relations in all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea import _kernels
from lightea.graph import Ids, KnowledgeGraph

Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Adjacency:
    """The doubled edges by head, and the heads of each relation.

    *side*  edges of entity h: `relations[j]`, `tails[j]` for j in `offsets[h]:offsets[h + 1]`,
            in order of (relation, tail);
    *front* the distinct relations that lead into h are the inverses of those that leave it, so they
            are read off the same edges;
    *top*   distinct heads of relation r: `relation_heads[j]` for j in
            `relation_offsets[r]:relation_offsets[r + 1]`.
    """

    n_left: int
    n_right: int
    n_forward_relations: int
    """Relations of both graphs together, before doubling; the inverse of r is r ± this."""
    offsets: Offsets
    relations: Ids
    tails: Ids
    relation_offsets: Offsets
    relation_heads: Ids

    @property
    def n_entities(self) -> int:
        """Entities of both graphs together."""
        return self.n_left + self.n_right

    @property
    def n_relations(self) -> int:
        """Relations of both graphs together, inverses included."""
        return 2 * self.n_forward_relations


def adjacency(left: KnowledgeGraph, right: KnowledgeGraph) -> Adjacency:
    """Join two graphs, disjointly, and double their edges."""
    heads = np.concatenate([left.heads, right.heads + np.int32(left.n_entities)])
    relations = np.concatenate([left.relation_ids, right.relation_ids + np.int32(left.n_relations)])
    tails = np.concatenate([left.tails, right.tails + np.int32(left.n_entities)])
    n_entities = left.n_entities + right.n_entities
    n_forward = left.n_relations + right.n_relations
    offsets, edge_relations, edge_tails = _kernels.double_edges(
        heads, relations, tails, n_entities, n_forward
    )
    relation_offsets, relation_heads = _kernels.heads_of_relations(offsets, edge_relations, 2 * n_forward)
    return Adjacency(
        n_left=left.n_entities,
        n_right=right.n_entities,
        n_forward_relations=n_forward,
        offsets=offsets,
        relations=edge_relations,
        tails=edge_tails,
        relation_offsets=relation_offsets,
        relation_heads=relation_heads,
    )
