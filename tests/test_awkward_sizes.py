"""Graphs of awkward shapes: a hub, more relations than usual, one side far larger than the other."""

from __future__ import annotations

import numpy as np
import pytest

from lightea import align, evaluate
from lightea.alignment import Alignment
from lightea.config import Config
from lightea.graph import KnowledgeGraph, Links
from lightea.graph_builder import graph_from_names
from lightea.synthetic import DEMO, make_pair

SETTINGS = {"label_width": 64, "sketch_width": 128, "search": "facts"}
PRESETS = ["basic", "auto"]


def names_of(graph: KnowledgeGraph) -> tuple[list[str], list[str], list[str]]:
    entities, relations = graph.entities.to_numpy(), graph.relations.to_numpy()
    columns = entities[graph.heads], relations[graph.relation_ids], entities[graph.tails]
    return tuple(column.tolist() for column in columns)  # type: ignore[return-value]


def with_facts(
    graph: KnowledgeGraph, heads: list[str], relations: list[str], tails: list[str]
) -> KnowledgeGraph:
    known = names_of(graph)
    return graph_from_names(known[0] + heads, known[1] + relations, known[2] + tails)


def aligned(
    left: KnowledgeGraph, right: KnowledgeGraph, links: Links, preset: str
) -> tuple[Alignment, float]:
    """The alignment by a third of the links, and the share of the others that it puts first."""
    seeds, others = links.split(0.35, random_seed=0)
    found = align(left, right, seeds, config=Config.for_preset(preset, **SETTINGS))
    return found, evaluate(found, others).hits_at_1


@pytest.mark.parametrize("preset", PRESETS)
def test_a_hub_linked_to_a_third_of_all_entities_does_no_harm(preset: str) -> None:
    pair = make_pair(900, shape=DEMO)
    with_hub = []
    for side, graph in (("left", pair.left), ("right", pair.right)):
        heads = graph.entities.to_list()[::3]
        with_hub.append(with_facts(graph, heads, ["in"] * len(heads), [f"hub of {side}"] * len(heads)))
    _, without = aligned(pair.left, pair.right, pair.links, preset)
    _, found = aligned(*with_hub, pair.links, preset)
    assert found > without - 0.05


@pytest.mark.parametrize("preset", PRESETS)
def test_a_side_that_is_many_times_the_other_is_searched(preset: str) -> None:
    pair = make_pair(300, shape=DEMO)
    noise = np.random.default_rng(0).integers(0, 30_000, (2, 45_000))
    strangers = [[f"stranger {number}" for number in end] for end in noise]
    large = with_facts(pair.right, strangers[0], ["knows"] * 45_000, strangers[1])
    assert large.n_entities > 80 * pair.left.n_entities
    assert aligned(pair.left, large, pair.links, preset)[1] > 0.5
    swapped = Links(pair.links.right, pair.links.left)
    assert aligned(large, pair.left, swapped, preset)[1] > 0.5


@pytest.mark.parametrize("preset", PRESETS)
def test_a_hundred_thousand_relations_are_no_trouble(preset: str) -> None:
    pair = make_pair(300, shape=DEMO)
    many = [
        with_facts(
            graph, [first] * 50_000, [f"{first} {number}" for number in range(50_000)], [last] * 50_000
        )
        for graph, first, last in (
            (graph, graph.entities[0], graph.entities[-1]) for graph in (pair.left, pair.right)
        )
    ]
    assert sum(graph.n_relations for graph in many) > 100_000
    assert aligned(*many, pair.links, preset)[1] > 0.5
