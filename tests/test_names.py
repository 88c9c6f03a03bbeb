"""Which names an entity has: those of a file, stated ones, or its identifier; how many are equal."""

from __future__ import annotations

import polars as pl
import pytest

from lightea.graph import ATTRIBUTE_SCHEMA, KnowledgeGraph
from lightea.graph_builder import graph_from_names
from lightea.names import MOST, NameTable, audit, has_words, names_of, readable_parts

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALT = "http://www.w3.org/2004/02/skos/core#altLabel"


def labelled(ids: list[str], *stated: tuple[str, str, str, str | None]) -> KnowledgeGraph:
    """A graph of these entities in a chain, with literals entity, attribute, value, language."""
    table = pl.DataFrame(
        [(entity, attribute, value, None, language) for entity, attribute, value, language in stated],
        schema=ATTRIBUTE_SCHEMA | {"entity": pl.String},
        orient="row",
    )
    return graph_from_names(ids[:-1], ["next"] * (len(ids) - 1), ids[1:], attributes=table)


def by_entity(graph: KnowledgeGraph, names: NameTable) -> dict[str, list[str]]:
    return {entity: names.of(number) for number, entity in enumerate(graph.entities)}


def test_stated_names_come_first_then_readable_identifiers() -> None:
    graph = labelled(
        ["http://x.org/Q1", "http://x.org/Ada_Lovelace", "http://x.org/Grace_Hopper"],
        ("http://x.org/Q1", LABEL, "Marie Curie", "en"),
        ("http://x.org/Q1", ALT, "Maria Skłodowska", "pl"),
        ("http://x.org/Q1", "http://x.org/note", "no name", None),
        ("http://x.org/Ada_Lovelace", LABEL, "  ", None),
    )
    names = names_of(graph)
    assert by_entity(graph, names) == {
        "http://x.org/Q1": ["Marie Curie", "Maria Skłodowska"],
        "http://x.org/Ada_Lovelace": ["Ada Lovelace"],
        "http://x.org/Grace_Hopper": ["Grace Hopper"],
    }
    assert (names.n_stated, names.n_read, names.n_named) == (1, 2, 3)


def test_numbers_of_a_catalogue_are_no_names() -> None:
    graph = labelled(["http://w.org/Q1", "http://w.org/Q2", "http://w.org/Q3"])
    assert names_of(graph).n_named == 0


def test_identifiers_are_left_alone_if_asked() -> None:
    assert names_of(labelled(["x:Ada", "x:Grace"]), read_ids=False).n_named == 0


def test_names_of_a_file_replace_stated_ones() -> None:
    graph = labelled(["a1", "a2"], ("a1", LABEL, "old", None), ("a2", LABEL, "kept", None))
    given = pl.DataFrame({"entity": pl.Series([0], dtype=pl.Int32), "text": ["new"]})
    assert by_entity(graph, names_of(graph, given)) == {"a1": ["new"], "a2": ["kept"]}


def test_of_very_many_names_the_first_are_kept_and_equal_ones_count_once() -> None:
    many = [("a1", LABEL, f"name {i:02}", f"x{i}") for i in range(30)]
    graph = labelled(["a1", "a2"], *many, ("a2", LABEL, "same", "de"), ("a2", LABEL, "same", "en"))
    names = by_entity(graph, names_of(graph))
    assert names["a1"] == [f"name {i:02}" for i in range(MOST)]
    assert names["a2"] == ["same"]


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        ("http://dbpedia.org/resource/AC/DC", "AC/DC"),
        ("http://x.org/a#Ada_Lovelace", "Ada Lovelace"),
        ("http://zh.dbpedia.org/resource/民族陣線_(法國)", "民族陣線 (法國)"),
        ("http://dbpedia.org/resource/Caf%C3%A9", "Café"),
        ("dbr:Marie_Curie", "Marie Curie"),
        ("Paris", "Paris"),
        ("", ""),
    ],
)
def test_the_readable_part_of_an_identifier(identifier: str, name: str) -> None:
    assert readable_parts(pl.Series([identifier])).to_list() == [name]


def test_what_counts_as_a_word() -> None:
    words = {
        "Ada": True,
        "7 Seconds": True,
        "民族": True,
        "Q42": False,
        "l12": False,
        "+44": False,
        "": False,
    }
    assert dict(zip(words, has_words(pl.Series(list(words))), strict=True)) == words


def test_the_audit_counts_equal_names_and_equal_identifiers() -> None:
    left = labelled(["e:Ada", "e:Grace", "e:Alan", "e:Same"])
    right = labelled(["f:ada", "f:Grace", "f:Turing", "e:Same"])
    found = audit(left, right, names_of(left), names_of(right))
    assert (found.left_named, found.right_named) == (1.0, 1.0)
    assert (found.equal, found.equal_ids) == (0.75, 0.25)
    assert (found.left_stated, found.right_stated) == (0, 0)
