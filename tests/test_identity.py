"""What two graphs say about each other by owl:sameAs: never structure, and seeds only where asked."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lightea
from lightea.errors import InputError, SeedError
from lightea.graph import KnowledgeGraph
from lightea.graph_builder import graph_from_names
from lightea.identity import identities_set_apart, set_apart

SAME = "http://www.w3.org/2002/07/owl#sameAs"
Fact = tuple[str, str, str]


def graph(*facts: Fact, literals: Any = None) -> KnowledgeGraph:
    import polars as pl  # noqa: PLC0415

    columns = [list(column) for column in zip(*facts, strict=True)]
    table = None
    if literals is not None:
        rows = [(*literal, None, None) for literal in literals]
        table = pl.DataFrame(
            rows,
            schema=dict.fromkeys(("entity", "attribute", "value", "datatype", "language"), pl.String),
            orient="row",
        )
    return graph_from_names(*columns, attributes=table, name="g")


def facts(of: KnowledgeGraph) -> set[Fact]:
    columns = (
        of.entities.gather(of.heads),
        of.relations.gather(of.relation_ids),
        of.entities.gather(of.tails),
    )
    return set(zip(*columns, strict=True))


def told(left: KnowledgeGraph, right: KnowledgeGraph) -> list[tuple[str, str]]:
    links = set_apart(left, right).links
    return list(zip(links.left, links.right, strict=True))


LEFT = graph(("a", "p", "b"), ("b", "p", "c"), ("a", SAME, "A"), ("c", SAME, "x"), ("d", SAME, "y"))
RIGHT = graph(("A", "p", "B"), ("B", "p", "C"), ("B", SAME, "b"), ("C", SAME, "x"))


def test_statements_that_cross_or_meet_are_taken_out_with_what_only_they_named() -> None:
    apart = set_apart(LEFT, RIGHT)
    assert told(LEFT, RIGHT) == [("a", "A"), ("b", "B"), ("c", "C")]
    assert apart.n_statements == 4
    assert facts(apart.left) == {("a", "p", "b"), ("b", "p", "c"), ("d", SAME, "y")}
    assert apart.left.entities.to_list() == ["a", "b", "c", "d", "y"]
    assert facts(apart.right) == {("A", "p", "B"), ("B", "p", "C")}
    assert apart.right.entities.to_list() == ["A", "B", "C"]


def test_graphs_without_such_statements_are_left_as_they_are() -> None:
    left, right = graph(("a", "p", "b")), graph(("A", "p", "B"), ("A", SAME, "B"))
    apart = set_apart(left, right)
    assert (apart.left, apart.right, len(apart.links)) == (left, right, 0)


def test_an_entity_of_which_nothing_else_is_known_stays_in_its_own_graph() -> None:
    left = graph(("a", "p", "b"), ("l", SAME, "A"))
    apart = set_apart(left, graph(("A", "p", "B")))
    assert apart.left.entities.to_list() == ["a", "b", "l"]
    backward = set_apart(graph(("a", "p", "b")), graph(("A", "p", "B"), ("a", SAME, "R")))
    assert backward.right.entities.to_list() == ["A", "B", "R"]
    assert list(backward.links.left) == ["a"]


def test_an_entity_of_the_other_graph_that_is_described_here_too_stays_but_not_as_its_link() -> None:
    left = graph(("a", "p", "b"), ("a", SAME, "A"), ("A", "p", "q"))
    apart = set_apart(left, graph(("A", "p", "B")))
    assert facts(apart.left) == {("a", "p", "b"), ("A", "p", "q")}


def test_a_literal_may_name_the_other_entity() -> None:
    left = graph(("a", "p", "b"), literals=[("a", "https://schema.org/sameAs", "A"), ("a", "label", "A")])
    apart = set_apart(left, graph(("A", "p", "B")))
    assert list(apart.links.right) == ["A"]
    assert apart.left.attributes["attribute"].to_list() == ["label"]


def test_blank_nodes_of_one_name_are_not_the_same_node() -> None:
    left, right = graph(("a", "p", "b"), ("a", SAME, "_:n")), graph(("_:n", "p", "B"), ("B", SAME, "_:m"))
    assert told(left, right) == []
    left, right = graph(("a", "p", "b"), ("a", SAME, "_:x")), graph(("A", "p", "B"), ("A", SAME, "_:x"))
    assert told(left, right) == []


def test_where_several_meet_nobody_knows_who_is_who() -> None:
    left = graph(("a", "p", "b"), ("a", SAME, "x"), ("b", SAME, "x"))
    right = graph(("A", "p", "B"), ("A", SAME, "x"))
    apart = set_apart(left, right)
    assert (told(left, right), apart.n_statements) == ([], 3)
    assert facts(apart.left) == {("a", "p", "b")}


def test_duplicates_within_a_graph_are_structure() -> None:
    left, right = graph(("a", "p", "b"), ("a", SAME, "b")), graph(("A", "p", "B"))
    assert set_apart(left, right).left is left


names = st.sampled_from(["a", "b", "c", "A", "B", "x", "_:n"])
some_facts = st.lists(st.tuples(names, st.sampled_from(["p", SAME]), names), min_size=1, max_size=8)


@given(some_facts, some_facts)
@settings(max_examples=150, deadline=None)
def test_no_statement_about_an_entity_of_the_other_graph_alone_remains(
    left_facts: list[Fact], right_facts: list[Fact]
) -> None:
    """Against the definition, written out with sets."""
    sides = [set(left_facts), set(right_facts)]
    own = [{end for head, r, tail in side if r != SAME for end in (head, tail)} for side in sides]
    apart = set_apart(graph(*left_facts), graph(*right_facts))
    for side, theirs, part in zip(sides, own[::-1], (apart.left, apart.right), strict=True):
        kept = facts(part)
        assert {fact for fact in side if fact[1] != SAME} <= kept <= side
        for head, relation, tail in kept:
            if relation == SAME and head != tail:
                crossing = {(end in theirs and not end.startswith("_:")) for end in (head, tail)}
                assert crossing != {True, False}


# the decorator


def seen(left: KnowledgeGraph, right: KnowledgeGraph, **options: Any) -> dict[str, Any]:
    @identities_set_apart
    def align(left: Any, right: Any, seeds: Any = None, *, left_entities: Any = None) -> dict[str, Any]:
        return {"left": left, "right": right, "seeds": seeds, "left_entities": left_entities}

    return align(left, right, **options)


def test_the_statements_are_never_used_silently(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "lightea"):
        call = seen(LEFT, RIGHT, seeds="seeds.tsv")
    assert call["seeds"] == "seeds.tsv"
    assert call["left"].n_triples == 3
    (warning,) = caplog.messages
    assert "4 statements, for example a = A" in warning
    assert "--seeds same-as" in warning


def test_same_as_makes_seeds_of_them(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "lightea"):
        call = seen(LEFT, RIGHT, seeds="same-as")
    assert list(call["seeds"].left) == ["a", "b", "c"]
    assert caplog.messages == []


def test_same_as_without_any_is_an_error() -> None:
    with pytest.raises(SeedError, match="in the left graph: 1, in the right one: 0") as caught:
        seen(graph(("a", "p", "b"), ("a", SAME, "x")), graph(("A", "p", "B")), seeds="same-as")
    assert "--seeds FILE" in str(caught.value.hint)


def test_entity_numbers_follow_their_entities() -> None:
    wanted = LEFT.find(["c", "A", "y"])
    call = seen(LEFT, RIGHT, left_entities=wanted)
    assert [call["left"].entities[int(number)] for number in call["left_entities"]] == ["c", "y"]
    assert seen(LEFT, RIGHT, left_entities=np.array([99]))["left_entities"].tolist() == [99]


def test_align_takes_the_graphs_own_word_as_seeds() -> None:
    ring = [(f"{k}", "p", f"{(k + 1) % 8}") for k in range(8)]
    left = graph(*((f"l{h}", r, f"l{t}") for h, r, t in ring), *((f"l{k}", SAME, f"r{k}") for k in range(6)))
    right = graph(*((f"r{h}", r, f"r{t}") for h, r, t in ring))
    alignment = lightea.align(left, right, "same-as", preset="basic", threads=1)
    assert len(alignment.seeds) == 6
    assert not any(name.startswith("r") for name in alignment.left.entities)


def test_what_is_no_graph_is_told() -> None:
    with pytest.raises(InputError, match=r"right is 'right\.nt', which is no graph") as caught:
        seen(LEFT, "right.nt")  # type: ignore[arg-type]
    assert caught.value.hint == "read it before: right = lightea.read(…)"
