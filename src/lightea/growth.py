"""A graph with more facts: what it holds then, and which of its entities the new facts name.

Numbers of entities change when a graph grows, since names are numbered in their order; names do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.graph import ATTRIBUTE_SCHEMA, Ids, KnowledgeGraph
from lightea.graph_builder import GraphBuilder

_FACT = ["head", "relation", "tail"]


@dataclass(frozen=True, eq=False)
class Growth:
    """A grown graph, and how it differs from what it was."""

    graph: KnowledgeGraph
    numbers: Ids
    """The number of each earlier entity, -1 where it is gone."""
    new_facts: NDArray[np.int64]
    """How many new facts name each entity."""
    n_facts: int
    """New facts between entities; those known before do not count."""
    n_literals: int
    """New attribute values."""

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """Which entities the earlier graph did not have."""
        new = np.ones(self.graph.n_entities, np.bool_)
        new[self.numbers[self.numbers >= 0]] = False
        return new

    @property
    def n_entities(self) -> int:
        """How many entities are new."""
        return int(np.count_nonzero(self.is_new))

    @property
    def is_nothing(self) -> bool:
        """Whether nothing is new."""
        return not (self.n_facts or self.n_literals or self.n_entities)


def united(graph: KnowledgeGraph, added: KnowledgeGraph | None) -> KnowledgeGraph:
    """A graph with the facts of another, under its own name."""
    if added is None:
        return graph
    builder = GraphBuilder()
    for part in (graph, added):
        entities = builder.entities.encode(part.entities)
        relations = builder.relations.encode(part.relations)
        builder.add_numbers(entities[part.heads], relations[part.relation_ids], entities[part.tails])
        builder.add_entities(part.entities)
        builder.add_attributes(
            part.attributes.with_columns(entity=part.entities.gather(part.attributes["entity"]))
        )
    return builder.build(graph.name)


def growth(before: KnowledgeGraph, graph: KnowledgeGraph) -> Growth:
    """How a graph differs from what it was before."""
    numbers = graph.find(before.entities)
    facts = _facts(graph).join(_facts(before), on=_FACT, how="anti") if graph is not before else None
    new_facts = np.zeros(graph.n_entities, np.int64)
    if facts is not None:
        ends = graph.find(pl.concat([facts["head"], facts["tail"]]))
        new_facts += np.bincount(ends, minlength=graph.n_entities)
    return Growth(
        graph,
        numbers,
        new_facts,
        0 if facts is None else len(facts),
        0 if graph is before else _n_new_literals(before, graph),
    )


def _facts(graph: KnowledgeGraph) -> pl.DataFrame:
    """The facts by name."""
    return pl.DataFrame(
        {
            "head": graph.entities.gather(graph.heads),
            "relation": graph.relations.gather(graph.relation_ids),
            "tail": graph.entities.gather(graph.tails),
        }
    )


def _n_new_literals(before: KnowledgeGraph, graph: KnowledgeGraph) -> int:
    named = [
        one.attributes.with_columns(entity=one.entities.gather(one.attributes["entity"]))
        for one in (graph, before)
    ]
    return len(named[0].join(named[1], on=list(ATTRIBUTE_SCHEMA), how="anti", nulls_equal=True))
