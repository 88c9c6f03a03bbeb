"""Facts by name become sorted columns, in whatever order and blocks they come."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import graph_builder
from lightea.errors import InputError
from lightea.graph import ATTRIBUTE_SCHEMA, KnowledgeGraph
from lightea.graph_builder import GraphBuilder, graph_from_names
from small_graphs import named_graph

Fact = tuple[str, str, str]

names = st.text(alphabet="abc é\U0001f600", min_size=1, max_size=2)
fact_lists = st.lists(st.tuples(names, names, names), max_size=30)


def facts_of(graph: KnowledgeGraph) -> list[Fact]:
    entities, relations = graph.entities.to_list(), graph.relations.to_list()
    columns = zip(graph.heads, graph.relation_ids, graph.tails, strict=True)
    return [(entities[h], relations[r], entities[t]) for h, r, t in columns]


def literals(*rows: tuple[str | None, ...]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=ATTRIBUTE_SCHEMA | {"entity": pl.String}, orient="row")


@given(fact_lists)
@settings(max_examples=60, deadline=None)
def test_a_graph_holds_each_fact_once_and_all_in_order(facts: list[Fact]) -> None:
    graph = named_graph(facts)
    assert facts_of(graph) == sorted(set(facts))
    assert graph.entities.to_list() == sorted({end for head, _, tail in facts for end in (head, tail)})
    assert graph.relations.to_list() == sorted({relation for _, relation, _ in facts})
    assert all(column.dtype == np.int32 for column in (graph.heads, graph.relation_ids, graph.tails))


@given(fact_lists, st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_facts_does_not_matter(facts: list[Fact], shuffler: random.Random) -> None:
    one, other = named_graph(facts), named_graph(shuffler.sample(facts, len(facts)))
    assert one.entities.equals(other.entities)
    assert facts_of(one) == facts_of(other)


@given(fact_lists)
@settings(max_examples=30, deadline=None)
def test_facts_too_wide_to_pack_are_sorted_the_same(facts: list[Fact]) -> None:
    ranks = np.random.default_rng(0).permutation(50).astype(np.int32)
    numbers = [
        np.array([sum(map(ord, text)) % 50 for text in column], np.int32)
        for column in zip(*facts, strict=True)
    ]
    packed, wide = graph_builder._FactChunks(), graph_builder._FactChunks()
    for chunks in (packed, wide):
        chunks.append(*(numbers or [np.empty(0, np.int32)] * 3))
    columns = graph_builder._sorted_triples(packed, ranks, ranks, 6, 6)
    for column, same in zip(columns, graph_builder._sorted_triples(wide, ranks, ranks, 30, 30), strict=True):
        assert np.array_equal(column, same)


def test_facts_spread_over_several_chunks_are_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_builder._FactChunks, "_ROWS", 7)
    monkeypatch.setattr(graph_builder, "_AT_ONCE", 5)
    facts = [(str(i), "r", str(i + 1)) for i in range(40)]
    builder = GraphBuilder()
    for start in range(0, len(facts), 9):
        part = facts[start : start + 9]
        builder.add_triples(pl.DataFrame(part, schema=["head", "relation", "tail"], orient="row"))
    assert facts_of(builder.build()) == sorted(facts)


def test_nothing_at_all_is_a_graph() -> None:
    graph = named_graph([])
    assert (graph.n_entities, graph.n_relations, graph.n_triples) == (0, 0, 0)


def test_entities_without_facts_loops_and_long_names_are_kept() -> None:
    long = "é" * 10_000
    graph = named_graph([(long, "r", long)], more_entities=["lonely", long])
    assert graph.entities.to_list() == ["lonely", long]
    assert facts_of(graph) == [(long, "r", long)]


def test_names_may_be_numbers() -> None:
    graph = graph_from_names(pl.Series([2, 10]), pl.Series([0, 0]), pl.Series([10, 2]))
    assert graph.entities.to_list() == ["10", "2"]


def test_literals_are_attributes_sorted_and_without_repetition() -> None:
    rows = [
        ("b", "p", "2", None, "en"),
        ("a", "q", "1", "int", None),
        ("b", "p", "2", None, "en"),
        ("b", "p", "10", None, None),
    ]
    graph = named_graph([("a", "r", "c")], attributes=literals(*rows))
    assert graph.entities.to_list() == ["a", "b", "c"]
    assert graph.relations.to_list() == ["r"]
    assert graph.attributes.schema == ATTRIBUTE_SCHEMA
    assert graph.attributes.rows() == [
        (0, "q", "1", "int", None),
        (1, "p", "10", None, None),
        (1, "p", "2", None, "en"),
    ]


def in_small_letters(names: pl.Series) -> pl.Series:
    return names.str.to_lowercase()


def test_names_that_come_to_be_spelled_alike_are_merged() -> None:
    builder = GraphBuilder()
    builder.add_triples(pl.DataFrame({"head": ["A", "a"], "relation": ["r", "R"], "tail": ["b", "B"]}))
    graph = builder.build(entity_names=in_small_letters, relation_names=in_small_letters)
    assert facts_of(graph) == [("a", "r", "b")]


def test_a_fact_without_a_name_is_refused() -> None:
    with pytest.raises(InputError, match="lacks a name"):
        graph_from_names(["a"], ["r"], pl.Series([None], dtype=pl.String))
