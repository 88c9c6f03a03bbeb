"""Tiny graphs for tests of the numeric core: loops, parallel edges, lone entities, one relation, nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from lightea.graph import Ids, KnowledgeGraph
from lightea.graph_builder import graph_from_names

Fact = tuple[int, int, int]
"""Head, relation, tail as numbers."""


def graph_of(
    facts: Iterable[Sequence[int]], *, n_entities: int, n_relations: int = 1, prefix: str = "e"
) -> KnowledgeGraph:
    """The graph of these facts, whose entities are named prefix and number."""
    columns = np.array(sorted({tuple(fact) for fact in facts}), np.int32).reshape(-1, 3)
    return KnowledgeGraph(
        pl.Series([f"{prefix}{number:03}" for number in range(n_entities)], dtype=pl.String),
        pl.Series([f"r{number:03}" for number in range(n_relations)], dtype=pl.String),
        *(np.ascontiguousarray(column) for column in columns.T),
        name=prefix,
    )


@st.composite
def graphs(draw: st.DrawFn, *, prefix: str = "e", least_facts: int = 0) -> KnowledgeGraph:
    """Any small graph; some entities may have no facts."""
    n_entities, n_relations = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    entity, relation = st.integers(0, n_entities - 1), st.integers(0, n_relations - 1)
    facts = draw(st.sets(st.tuples(entity, relation, entity), min_size=least_facts, max_size=14))
    return graph_of(facts, n_entities=n_entities, n_relations=n_relations, prefix=prefix)


def random_graph(
    rng: np.random.Generator, n_facts: int, *, n_entities: int, n_relations: int = 1, prefix: str = "e"
) -> KnowledgeGraph:
    """A graph of that many random facts, less those drawn twice."""
    facts = rng.integers(0, (n_entities, n_relations, n_entities), (n_facts, 3))
    return graph_of(facts.tolist(), n_entities=n_entities, n_relations=n_relations, prefix=prefix)


def facts_of(graph: KnowledgeGraph) -> list[Fact]:
    """The facts as numbers."""
    return list(zip(graph.heads.tolist(), graph.relation_ids.tolist(), graph.tails.tolist(), strict=True))


def reordered(graph: KnowledgeGraph, ranks: Ids) -> KnowledgeGraph:
    """The same graph after entity i got a name that sorts at place `ranks[i]`."""
    facts = [(int(ranks[h]), r, int(ranks[t])) for h, r, t in facts_of(graph)]
    return graph_of(
        facts, n_entities=graph.n_entities, n_relations=graph.n_relations, prefix=f"{graph.name}-renamed"
    )


def named_graph(facts: Sequence[tuple[str, str, str]], **more: Any) -> KnowledgeGraph:
    """The graph of these facts given by name; `more` are options of `graph_from_names`."""
    heads, relations, tails = (list(column) for column in zip(*facts, strict=True)) if facts else ([], [], [])
    return graph_from_names(heads, relations, tails, **more)
