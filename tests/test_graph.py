"""Graphs and links as values: what they refuse, and how names are looked up."""

from __future__ import annotations

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
    assert resolved.first_unknown == ["no", "none", "no"]
    assert (resolved.conflicting_left.tolist(), resolved.conflicting_right.tolist()) == ([0], [2])


def test_no_links_resolve_to_no_pairs() -> None:
    nothing = pl.Series([], dtype=pl.String)
    resolved = Links(nothing, nothing).resolve(named_graph([]), named_graph([]))
    assert resolved.pairs.shape == (0, 2)
    assert resolved.n_unknown == resolved.repeated == 0
