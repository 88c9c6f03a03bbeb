"""Parts of graphs: instances of classes."""

from __future__ import annotations

import polars as pl
import pytest

from lightea.graph import ATTRIBUTE_SCHEMA, KnowledgeGraph
from lightea.graph_builder import graph_from_names
from lightea.selection import instances_of

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"


def graph(*facts: tuple[str, str, str], labels: dict[str, str] | None = None) -> KnowledgeGraph:
    heads, relations, tails = (list(column) for column in zip(*facts, strict=True))
    rows = [(node, ":LABEL", label, None, None) for node, label in (labels or {}).items()]
    attributes = pl.DataFrame(rows, schema=ATTRIBUTE_SCHEMA | {"entity": pl.String}, orient="row")
    return graph_from_names(heads, relations, tails, attributes=attributes)


def names(of: KnowledgeGraph, *classes: str) -> list[str]:
    return of.entities.gather(instances_of(of, classes)).to_list()


TYPED = graph(
    ("ann", RDF_TYPE, "x:Writer"),
    ("bob", RDF_TYPE, "x:Person"),
    ("sun", RDF_TYPE, "x:Star"),
    ("x:Writer", SUBCLASS, "x:Artist"),
    ("x:Artist", SUBCLASS, "x:Person"),
    ("x:Person", SUBCLASS, "x:Person"),
    ("ann", "knows", "x:Star"),
)


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (["x:Star"], ["sun"]),
        (["x:Person"], ["ann", "bob"]),
        (["<x:Writer>"], ["ann"]),
        (["x:S*", "x:Artist"], ["ann", "sun"]),
        (["x:Nothing"], []),
    ],
)
def test_instances_of_classes_and_of_their_subclasses(classes: list[str], expected: list[str]) -> None:
    assert names(TYPED, *classes) == expected


def test_labels_of_nodes_are_classes() -> None:
    labelled = graph(("a", "r", "b"), labels={"a": "Person", "b": "Star"})
    assert names(labelled, "Person") == ["a"]
    assert names(labelled, "*") == ["a", "b"]


def test_instances_in_wikidata_are_found() -> None:
    p31 = "http://www.wikidata.org/prop/direct/P31"
    assert names(graph(("q", p31, "http://www.wikidata.org/entity/Q5")), "*/Q5") == ["q"]
