"""What is told of a graph before anything is aligned."""

from __future__ import annotations

import json
from collections import Counter

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import reading
from lightea.graph import ATTRIBUTE_SCHEMA, KnowledgeGraph
from lightea.graph_builder import graph_from_names
from lightea.inspection import AttributeFacts, Inspection, RelationFacts, inspect

Fact = tuple[str, str, str]


def graph(
    facts: list[Fact], literals: list[tuple[str, str, str, str | None]] | None = None
) -> KnowledgeGraph:
    heads, relations, tails = ([fact[i] for fact in facts] for i in range(3))
    rows = [(entity, attribute, value, None, tag) for entity, attribute, value, tag in literals or []]
    table = pl.DataFrame(rows, schema=ATTRIBUTE_SCHEMA | {"entity": pl.String}, orient="row")
    return graph_from_names(heads, relations, tails, attributes=table, name="g")


@pytest.fixture
def seen() -> Inspection:
    facts = [("a", "r", "b"), ("a", "r", "c"), ("b", "r", "b"), ("a", "s", "b"), ("d", "t", "_:e")]
    literals = [
        ("a", "x#label", "A", "en"),
        ("b", "x#label", "A", "en"),
        ("c", "x#label", "A", "de"),
        ("f", "y", "1", None),
    ]
    return inspect(graph(facts, literals))


def test_relations_and_attributes_are_counted(seen: Inspection) -> None:
    assert seen.relations == (
        RelationFacts("r", 3, 2, 2),
        RelationFacts("s", 1, 1, 1),
        RelationFacts("t", 1, 1, 1),
    )
    assert seen.attributes == (AttributeFacts("x#label", 3, 3), AttributeFacts("y", 1, 1))
    assert (seen.entities, seen.facts, seen.literals, seen.blank_nodes, seen.self_loops) == (6, 5, 4, 1, 1)
    assert seen.languages == {"en": 2, "de": 1}


def test_degrees_components_and_names_shared_are_told(seen: Inspection) -> None:
    degrees = seen.degrees
    assert (degrees.isolated, degrees.median, degrees.largest) == (1, 1.0, 4)
    assert degrees.mean == pytest.approx(10 / 6)
    assert degrees.largest_entity == "b"
    assert (seen.components.count, seen.components.largest) == (3, 3)
    assert seen.duplicates.same_label == 2


def test_it_is_ready_for_json(seen: Inspection) -> None:
    assert json.loads(json.dumps(seen.to_dict()))["degrees"]["largest"] == 4


names = st.sampled_from("abcde")
some_facts = st.lists(st.tuples(names, st.sampled_from("rs"), names), min_size=1, max_size=12)


@given(some_facts)
@settings(max_examples=100, deadline=None)
def test_who_has_the_same_facts_as_another_is_found(facts: list[Fact]) -> None:
    """Against the sets of facts of each entity."""
    around: dict[str, set[tuple[str, str, str]]] = {}
    for head, relation, tail in facts:
        around.setdefault(head, set()).add(("from", relation, tail))
        around.setdefault(tail, set()).add(("to", relation, head))
    groups = Counter(frozenset(one) for one in around.values())
    assert inspect(graph(facts)).duplicates.alike == sum(n for n in groups.values() if n > 1)


def test_repeated_facts_are_counted_by_the_reader(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "f.tsv").write_text("a\tr\tb\na\tr\tb\nb\tr\tc\na\tr\tb\n")
    assert reading.graphs.read_whole(tmp_path / "f.tsv").repeated == 2


@pytest.mark.parametrize(
    ("facts", "literals", "warning"),
    [
        ([], [("a", "label", "A", None)], "there are no facts between entities"),
        ([("a", "r", "b"), ("c", "r", "d"), ("e", "r", "f")], [], "the largest connected part has only 2"),
        ([("_:a", "r", "_:b"), ("_:b", "r", "c")], [], "2 entities are blank nodes"),
        ([("x:a", "r", "x:b"), ("x:a", "born", "1867-11-07")], [], "1 tails look like numbers or dates"),
        ([("hub", "r", f"n{k}") for k in range(20)], [], "hub stands in 20 of 20 facts"),
        ([("a", "r", "b")], [(f"n{k}", "y", "1", None) for k in range(9)], "9 entities have no facts"),
    ],
)
def test_oddities_are_told(
    facts: list[Fact], literals: list[tuple[str, str, str, str | None]], warning: str
) -> None:
    assert any(warning in found for found in inspect(graph(facts, literals)).warnings)


def test_statements_of_what_is_the_same_are_counted() -> None:
    same = "http://www.w3.org/2002/07/owl#sameAs"
    found = inspect(graph([("a", "r", "b"), ("a", same, "x:1"), ("a", same, "b")])).same_as
    assert (found.statements, found.to_entities) == (2, 1)
    assert found.examples == (("a", "b"), ("a", "x:1"))
