"""The two inputs of an alignment: knowledge graphs as columns, and links as pairs of names."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.errors import InputError

Ids = NDArray[np.int32]

ATTRIBUTE_SCHEMA = {
    "entity": pl.Int32,
    "attribute": pl.String,
    "value": pl.String,
    "datatype": pl.String,
    "language": pl.String,
}


def no_attributes() -> pl.DataFrame:
    """An empty attribute table."""
    return pl.DataFrame(schema=ATTRIBUTE_SCHEMA)


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """Entities and relations as tables of names, facts as three int32 columns that point into them.

    The number of an entity (relation) is its position in `entities` (`relations`). Both tables are sorted
    and without repetition, so that the same facts in any order give the same graph. Triples are sorted by
    (head, relation, tail) and without repetition. Literals are `attributes`, never entities.
    """

    entities: pl.Series
    relations: pl.Series
    heads: Ids
    relation_ids: Ids
    tails: Ids
    attributes: pl.DataFrame = field(default_factory=no_attributes)
    name: str = ""

    def __post_init__(self) -> None:
        if not len(self.heads) == len(self.relation_ids) == len(self.tails):
            raise InputError("a graph needs columns of equal length for heads, relations and tails")

    @property
    def n_entities(self) -> int:
        """How many entities the graph names, with or without facts."""
        return len(self.entities)

    @property
    def n_relations(self) -> int:
        """How many relations the graph names."""
        return len(self.relations)

    @property
    def n_triples(self) -> int:
        """How many distinct facts between entities the graph holds."""
        return len(self.heads)

    def __repr__(self) -> str:
        return (
            f"KnowledgeGraph({self.name!r}: {self.n_entities:,} entities, {self.n_relations:,} relations, "
            f"{self.n_triples:,} triples, {len(self.attributes):,} attribute values)"
        )


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of entity names as files hold them: seeds or known answers, not yet looked up in any graph."""

    left: pl.Series
    right: pl.Series

    def __len__(self) -> int:
        return len(self.left)
