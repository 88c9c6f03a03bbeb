"""What a graph looks like from afar: its sizes, names, degrees, doubles and oddities."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.graph import KnowledgeGraph
from lightea.identity import IDENTITY
from lightea.selection import CLASS_ATTRIBUTES, TYPE_NAMES

U64 = NDArray[np.uint64]

_LABELS = ("label", "preflabel", "name", "title")
"""How the names of attributes end that hold what an entity is called."""
_NUMBER_OR_DATE = r"^[-+]?\d+(\.\d+)?$|^\d{4}-\d{2}-\d{2}"
_IRI = r"^[A-Za-z][A-Za-z0-9+.-]*:"
_LAST_PART = re.compile(r"[^/#:]*$")
_LONE_SHARE, _HUB_SHARE, _LARGEST_SHARE = 0.5, 0.5, 0.5
_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True)
class RelationFacts:
    """One relation: how many facts it has, of how many heads, to how many tails."""

    name: str
    facts: int
    heads: int
    tails: int


@dataclass(frozen=True)
class AttributeFacts:
    """One attribute: how many values it has, of how many entities."""

    name: str
    literals: int
    entities: int


@dataclass(frozen=True)
class Degrees:
    """In how many facts entities stand; one that only points at itself stands in two."""

    isolated: int
    median: float
    mean: float
    largest: int
    largest_entity: str | None


@dataclass(frozen=True)
class Components:
    """The parts of the graph that no fact connects; entities without facts are parts of their own."""

    count: int
    largest: int


@dataclass(frozen=True)
class Duplicates:
    """What is there twice."""

    repeated_facts: int
    """Facts that stood in the files more than once."""
    alike: int
    """Entities that have exactly the facts of another one, so that no structure tells them apart."""
    same_label: int
    """Entities that are called like another one, in the same language."""


@dataclass(frozen=True)
class SameAs:
    """Statements that say what is the same (owl:sameAs and the like)."""

    statements: int
    to_entities: int
    """Those whose other end this graph knows more about; all others lead elsewhere."""
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Inspection:
    """Everything that `lightea inspect` tells of a graph."""

    name: str
    entities: int
    blank_nodes: int
    facts: int
    literals: int
    self_loops: int
    relations: tuple[RelationFacts, ...]
    attributes: tuple[AttributeFacts, ...]
    classes: Mapping[str, int]
    languages: Mapping[str, int]
    datatypes: Mapping[str, int]
    degrees: Degrees
    components: Components
    duplicates: Duplicates
    same_as: SameAs
    warnings: tuple[str, ...]
    files: Mapping[str, str]
    """The format of each file that was read."""

    def to_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return dataclasses.asdict(self)


def inspect(
    graph: KnowledgeGraph, *, files: Mapping[Path, str] | None = None, repeated_facts: int = 0
) -> Inspection:
    """Look a graph over; what only its reading knows is given along."""
    degrees = _degrees(graph)
    attributes = graph.attributes
    components = _components(graph)
    return Inspection(
        name=graph.name,
        entities=graph.n_entities,
        blank_nodes=int(graph.entities.str.starts_with("_:").sum()),
        facts=graph.n_triples,
        literals=len(attributes),
        self_loops=int(np.count_nonzero(graph.heads == graph.tails)),
        relations=_relations(graph),
        attributes=_attributes(attributes),
        classes=_classes(graph),
        languages=_counts(attributes["language"].drop_nulls()),
        datatypes=_counts(attributes["datatype"].drop_nulls()),
        degrees=degrees,
        components=components,
        duplicates=Duplicates(repeated_facts, _alike(graph), _same_label(attributes)),
        same_as=_same_as(graph),
        warnings=tuple(_warnings(graph, degrees, components)),
        files={str(path): known for path, known in (files or {}).items()},
    )


def _relations(graph: KnowledgeGraph) -> tuple[RelationFacts, ...]:
    """The most frequent first."""
    facts = pl.DataFrame({"relation": graph.relation_ids, "head": graph.heads, "tail": graph.tails})
    counted = facts.group_by("relation").agg(
        facts=pl.len(), heads=pl.col("head").n_unique(), tails=pl.col("tail").n_unique()
    )
    named = counted.with_columns(name=graph.relations.gather(counted["relation"]))
    ordered = named.sort("facts", "name", descending=[True, False]).select("name", "facts", "heads", "tails")
    return tuple(RelationFacts(*row) for row in ordered.iter_rows())


def _attributes(attributes: pl.DataFrame) -> tuple[AttributeFacts, ...]:
    counted = attributes.group_by(name="attribute").agg(
        literals=pl.len(), entities=pl.col("entity").n_unique()
    )
    ordered = counted.sort("literals", "name", descending=[True, False])
    return tuple(AttributeFacts(*row) for row in ordered.select("name", "literals", "entities").iter_rows())


def _classes(graph: KnowledgeGraph) -> dict[str, int]:
    """How many instances each class has, as far as said directly."""
    says_type = graph.relations.is_in(list(TYPE_NAMES)).to_numpy()[graph.relation_ids]
    by_fact = graph.entities.gather(graph.tails[says_type])
    is_class = pl.col("attribute").is_in(list(CLASS_ATTRIBUTES))
    return _counts(pl.concat([by_fact, graph.attributes.filter(is_class)["value"]]))


def _counts(values: pl.Series) -> dict[str, int]:
    """How often each value occurs, the most frequent first."""
    counted = (
        values.rename("value").value_counts(name="count").sort("count", "value", descending=[True, False])
    )
    return dict(counted.iter_rows())


def _degrees(graph: KnowledgeGraph) -> Degrees:
    degree = np.bincount(np.concatenate([graph.heads, graph.tails]), minlength=graph.n_entities)
    if len(degree) == 0:
        return Degrees(0, 0.0, 0.0, 0, None)
    hub = int(degree.argmax())
    return Degrees(
        isolated=int(np.count_nonzero(degree == 0)),
        median=float(np.median(degree)),
        mean=float(degree.mean()),
        largest=int(degree[hub]),
        largest_entity=str(graph.entities[hub]) if degree[hub] else None,
    )


def _components(graph: KnowledgeGraph) -> Components:
    from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, and only looked at here)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    if graph.n_entities == 0:
        return Components(0, 0)
    ones = np.ones(graph.n_triples, dtype=np.int8)
    edges = coo_array((ones, (graph.heads, graph.tails)), shape=(graph.n_entities, graph.n_entities))
    count, member = connected_components(edges, directed=False)
    return Components(int(count), int(np.bincount(member).max()))


def _alike(graph: KnowledgeGraph) -> int:
    """Entities whose facts are all those of another one: equal sums of 64-bit hashes of their facts."""
    sums = np.zeros(graph.n_entities, dtype=np.uint64)
    n_relations = np.uint64(max(graph.n_relations, 1))
    relations = graph.relation_ids.astype(np.uint64)
    for ends, others, way in (
        (graph.heads, graph.tails, relations),
        (graph.tails, graph.heads, relations + n_relations),
    ):
        np.add.at(sums, ends, _hashed(way << np.uint64(32) | others.astype(np.uint64)))
    _, counts = np.unique(sums[sums > 0], return_counts=True)
    return int(counts[counts > 1].sum())


def _hashed(keys: U64) -> U64:
    """Well spread 64-bit numbers for numbers (the finaliser of SplitMix64)."""
    mixed = keys + _MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[1]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[2]
    hashed: U64 = mixed ^ (mixed >> np.uint64(31))
    return hashed


def _same_label(attributes: pl.DataFrame) -> int:
    names = attributes["attribute"].unique()
    labels = [name for name in names if _last_part(name) in _LABELS]
    named = (
        attributes.filter(pl.col("attribute").is_in(labels)).select("entity", "value", "language").unique()
    )
    shared = named.filter(pl.len().over("value", "language") > 1)
    return shared["entity"].n_unique()


def _last_part(name: str) -> str:
    found = _LAST_PART.search(name)
    return found.group().lower() if found else ""


def _same_as(graph: KnowledgeGraph) -> SameAs:
    is_same = graph.relations.is_in(list(IDENTITY)).to_numpy()[graph.relation_ids]
    heads, tails = graph.heads[is_same], graph.tails[is_same]
    described = np.zeros(graph.n_entities, dtype=np.bool_)
    described[graph.heads[~is_same]] = described[graph.tails[~is_same]] = True
    described[graph.attributes["entity"].to_numpy()] = True
    pairs = zip(graph.entities.gather(heads[:3]), graph.entities.gather(tails[:3]), strict=True)
    return SameAs(len(heads), int(np.count_nonzero(described[heads] & described[tails])), tuple(pairs))


def _warnings(graph: KnowledgeGraph, degrees: Degrees, components: Components) -> list[str]:
    """What is odd enough to look at before aligning."""
    found = []
    if graph.n_triples == 0:
        found.append("there are no facts between entities, so that there is no structure to align by")
    elif components.largest < _LARGEST_SHARE * graph.n_entities:
        found.append(f"the largest connected part has only {components.largest:,} entities")
    if degrees.isolated > _LONE_SHARE * graph.n_entities and graph.n_triples:
        found.append(f"{degrees.isolated:,} entities have no facts, only literals or nothing")
    if graph.n_triples and degrees.largest > _HUB_SHARE * graph.n_triples and graph.n_entities > 10:
        found.append(f"{degrees.largest_entity} stands in {degrees.largest:,} of {graph.n_triples:,} facts")
    tails = graph.entities.gather(np.unique(graph.tails))
    values = tails.filter(tails.str.contains(_NUMBER_OR_DATE))
    if len(values) and graph.entities.str.contains(_IRI).sum() > _LARGEST_SHARE * graph.n_entities:
        found.append(
            f"{len(values):,} tails look like numbers or dates, but are read as entities, for example "
            f"{values[0]}: write them as literals, in quotes"
        )
    blank = int(graph.entities.str.starts_with("_:").sum())
    if blank > _LONE_SHARE * graph.n_entities:
        found.append(f"{blank:,} entities are blank nodes, which have no names to go by")
    return found
