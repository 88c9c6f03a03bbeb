"""Graphs and links as values: what they refuse, and how names are looked up."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from lightea.errors import InputError
from lightea.graph import KnowledgeGraph, Links
from small_graphs import named_graph


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(InputError, match="equal length"):
        Links(pl.Series(["a"]), pl.Series(["b", "c"]))
    ids = np.zeros(1, np.int32)
    with pytest.raises(InputError, match="equal length"):
        KnowledgeGraph(pl.Series(["a"]), pl.Series(["r"]), ids, ids, ids[:0])


def test_links_take_any_sequence_of_names() -> None:
    links = Links(["a", "b"], ("x", "y"))
    assert links.left.equals(pl.Series(["a", "b"]))
    assert links.right.equals(pl.Series(["x", "y"]))
    assert Links([], []).left.dtype == pl.String
    assert Links(pl.Series([1, 2]), ["x", "y"]).left.to_list() == ["1", "2"]


@pytest.mark.parametrize(
    ("left", "sentence"),
    [
        ("a", "the left side of links is 'a', which is no sequence of names"),
        (7, "the left side of links is 7"),
        (["a", 1], "the left side of links holds what is no name"),
        ([["a"], ["b"]], "the left side of links holds what is no name"),
        (["a", None], "link 2 has no left name"),
    ],
)
def test_what_is_no_sequence_of_names_makes_no_links(left: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        Links(left, ["x", "y"])
    assert caught.value.hint is not None


def test_a_split_is_a_random_share_and_the_rest() -> None:
    names = [f"{number:03}" for number in range(100)]
    given, rest = Links(names, names).split(0.3, random_seed=0)
    assert len(given) == 30
    assert sorted([*given.left, *rest.left]) == names
    assert given.left.equals(given.right)
    assert given.left.to_list() == Links(names, names).split(0.3, random_seed=0)[0].left.to_list()
    assert given.left.to_list() != Links(names, names).split(0.3, random_seed=1)[0].left.to_list()


def test_find_gives_the_number_of_each_name_in_the_order_asked() -> None:
    graph = named_graph([("a", "r", "b"), ("c", "r", "é")])
    assert graph.find(["é", "x", "a", "é", ""]).tolist() == [3, -1, 0, 3, -1]
    assert graph.find([]).tolist() == []


def test_links_are_looked_up_and_what_does_not_fit_is_told() -> None:
    left, right = (
        named_graph([("a", "r", "b")], more_entities=["c"]),
        named_graph([("x", "r", "y")], more_entities=["z"]),
    )
    pairs = [
        ("c", "z"),
        ("a", "x"),
        ("a", "x"),
        ("no", "y"),
        ("b", "no"),
        ("none", "no"),
        ("a", "y"),
        ("b", "z"),
    ]
    resolved = Links(pl.Series([p[0] for p in pairs]), pl.Series([p[1] for p in pairs])).resolve(left, right)
    assert resolved.pairs.tolist() == [[2, 2], [0, 0], [0, 1], [1, 2]]
    assert resolved.pairs.dtype == np.int32
    assert (resolved.n_unknown, resolved.repeated, resolved.n_conflicting) == (3, 1, 2)
    assert resolved.unknown_left.to_list() == ["no", "none"]
    assert resolved.unknown_right.to_list() == ["no"]
    assert resolved.first_unknown == ["no", "none"]
    assert (resolved.conflicting_left.tolist(), resolved.conflicting_right.tolist()) == ([0], [2])


def test_unknown_names_are_told_in_the_order_of_the_links() -> None:
    graph = named_graph([("a", "r", "b")])
    links = Links(["a", "n1", "n1", "n3", "n5"], ["n0", "a", "b", "n4", "a"])
    assert links.resolve(graph, graph).first_unknown == ["n0", "n1", "n3"]


def test_links_are_shown_on_one_line() -> None:
    assert repr(Links([], [])) == "Links(no pairs)"
    assert repr(Links(["a"], ["b\n"])) == "Links(1 pair, the first 'a' = 'b\\n')"
    assert repr(Links(["a"] * 1200, ["b"] * 1200)) == "Links(1,200 pairs, the first 'a' = 'b')"


def test_no_links_resolve_to_no_pairs() -> None:
    nothing = pl.Series([], dtype=pl.String)
    resolved = Links(nothing, nothing).resolve(named_graph([]), named_graph([]))
    assert resolved.pairs.shape == (0, 2)
    assert resolved.n_unknown == resolved.repeated == 0
