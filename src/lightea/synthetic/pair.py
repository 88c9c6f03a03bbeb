"""Pairs of knowledge graphs with a known answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
import polars as pl

from lightea.errors import ConfigError
from lightea.graph import KnowledgeGraph, Links, no_attributes
from lightea.synthetic.facts import Facts, Ids
from lightea.synthetic.files import Layout, check_layout, write_files
from lightea.synthetic.literals import Values, draw_values, tell_literals
from lightea.synthetic.naming import (
    Language,
    Words,
    draw_words,
    numbered_names,
    partly_renamed,
    readable_names,
    readable_relations,
)
from lightea.synthetic.shape import DEMO, MAX_SHARED, SyntheticShape
from lightea.synthetic.side import Side, tell
from lightea.synthetic.world import World, draw_facts, draw_world

NameStyle = Literal["numbers", "readable"]


@dataclass(frozen=True, eq=False)
class SyntheticPair:
    """Two graphs, the whole truth about them, and the parameters that made them."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    links: Links
    """All pairs of names of the same entity, in order of the left name; no other entity has a counterpart."""
    shape: SyntheticShape
    random_seed: int
    names: NameStyle

    def write(self, directory: Path | str, *, layout: Layout = "tsv") -> Path:
        """Write the pair to a directory, whole or not at all; the text is never in memory as a whole.

        Layouts: "tsv" and "nt" are `left`, `right` and `links.tsv`; "openea" is a benchmark folder.
        An earlier pair in the directory is replaced; a directory that holds anything else is left alone.
        """
        return write_files(directory, self.left, self.right, self.links, layout)

    def __repr__(self) -> str:
        return (
            f"SyntheticPair({self.left.n_entities:,} and {self.right.n_entities:,} entities, "
            f"{self.left.n_triples:,} and {self.right.n_triples:,} triples, {len(self.links):,} links, "
            f"random_seed={self.random_seed}, names={self.names!r})"
        )


class _Lore(NamedTuple):
    """What the names and literals of the shared entities are made of."""

    words: Words
    values: Values


class _Named(NamedTuple):
    """A side with names: of entities, the shared ones first; of relations; and with literals."""

    side: Side
    entities: pl.Series
    relations: pl.Series
    literals: pl.DataFrame


def make_pair(
    n: int, *, random_seed: int = 0, shape: SyntheticShape | None = None, names: NameStyle = "numbers"
) -> SyntheticPair:
    """A pair of graphs that share n entities; by default it resembles DBP15K ZH-EN.

    The same arguments give the same pair. With names "numbers", names tell nothing about the answer.
    """
    _check(n, random_seed, names)
    chosen = SyntheticShape.for_size(n) if shape is None else shape
    _check_size(n, chosen)
    for_world, for_left, for_right, for_names = (
        np.random.default_rng(source) for source in np.random.SeedSequence(random_seed).spawn(4)
    )
    world = draw_world(n, chosen, for_world)
    facts = draw_facts(world, for_world)
    left, right = tell(world, facts, chosen.left, for_left), tell(world, facts, chosen.right, for_right)
    name_sides = _name_with_words if names == "readable" else _name_with_numbers
    named_left, named_right = name_sides(world, left, right, for_names)
    return SyntheticPair(
        left=_graph(named_left, "left"),
        right=_graph(named_right, "right"),
        links=_links(named_left.entities[:n], named_right.entities[:n]),
        shape=chosen,
        random_seed=random_seed,
        names=names,
    )


def write_pair(
    directory: Path | str,
    n: int,
    *,
    random_seed: int = 0,
    shape: SyntheticShape | None = None,
    names: NameStyle = "numbers",
    layout: Layout = "tsv",
) -> Path:
    """Make the pair that `make_pair` gives for the same arguments, and write it as its `write` does."""
    check_layout(layout)  # before a long computation
    return make_pair(n, random_seed=random_seed, shape=shape, names=names).write(directory, layout=layout)


def demo_pair(random_seed: int = 0) -> SyntheticPair:
    """A small pair with readable names, whose two sides agree on most facts."""
    return make_pair(1200, random_seed=random_seed, shape=DEMO, names="readable")


def _check(n: int, random_seed: int, names: str) -> None:
    if isinstance(n, bool) or not isinstance(n, int):
        raise ConfigError(f"n is {n!r}, but must be a whole number", hint="n is how many entities both share")
    if not 1 <= n <= MAX_SHARED:
        raise ConfigError(f"n is {n:,}, but must lie between 1 and {MAX_SHARED:,}")
    if isinstance(random_seed, bool) or not isinstance(random_seed, int) or random_seed < 0:
        raise ConfigError(f"random_seed is {random_seed!r}, but must be a whole number from 0 upwards")
    if names not in get_args(NameStyle):
        known = ", ".join(get_args(NameStyle))
        raise ConfigError(f"unknown names {names!r}", hint=f"names can be: {known}")


def _check_size(n: int, shape: SyntheticShape) -> None:
    """Facts are counted by one 64-bit number each."""
    entities = n * (1 + max(shape.left.strays, shape.right.strays))
    relations = 2 * max(shape.left.relations, shape.right.relations, 100)
    if entities**2 * relations >= 2**63:
        raise ConfigError(
            f"{entities:,.0f} entities with {relations // 2:,} relations are too many together",
            hint="ask for fewer of either",
        )


def _name_with_numbers(
    world: World, left: Side, right: Side, rng: np.random.Generator
) -> tuple[_Named, _Named]:
    n = world.n_entities
    taken = (n + len(left.models), len(left.origins))
    return (
        _Named(left, *numbered_names(left, n, (0, 0), "left", rng), no_attributes()),
        _Named(right, *numbered_names(right, n, taken, "right", rng), no_attributes()),
    )


def _name_with_words(
    world: World, left: Side, right: Side, rng: np.random.Generator
) -> tuple[_Named, _Named]:
    lore = _Lore(
        draw_words(world.kinds_of(np.arange(world.n_entities)), rng), draw_values(world.n_entities, rng)
    )
    return (
        _in_words(world, left, lore, "left", rng),
        _in_words(world, right, lore._replace(words=partly_renamed(lore.words, rng)), "right", rng),
    )


def _in_words(world: World, side: Side, lore: _Lore, language: Language, rng: np.random.Generator) -> _Named:
    words = lore.words.followed_by(draw_words(world.kinds_of(side.models), rng))
    values = lore.values.followed_by(draw_values(len(side.models), rng))
    entities = readable_names(words, language, rng)
    literals = tell_literals(entities, words.kinds, values, language, rng)
    return _Named(side, entities, readable_relations(world, side, language), literals)


def _graph(named: _Named, name: str) -> KnowledgeGraph:
    """The graph, in which numbers follow the order of the names."""
    entities, entity_ranks = _in_order(named.entities)
    relations, relation_ranks = _in_order(named.relations)
    told, literals = named.side.facts, named.literals
    facts = Facts(
        entity_ranks[told.heads], relation_ranks[told.relations], entity_ranks[told.tails]
    ).distinct()
    described = pl.Series(entity_ranks[literals["entity"].to_numpy()])
    return KnowledgeGraph(
        entities=entities,
        relations=relations,
        heads=facts.heads,
        relation_ids=facts.relations,
        tails=facts.tails,
        attributes=literals.with_columns(entity=described).sort(literals.columns),
        name=name,
    )


def _in_order(names: pl.Series) -> tuple[pl.Series, Ids]:
    """The names sorted, and the rank of each name."""
    order = names.arg_sort().to_numpy()
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return names.gather(order), ranks


def _links(left: pl.Series, right: pl.Series) -> Links:
    """The pairs in order of the left names, so that their order tells nothing about the right ones."""
    pairs = pl.DataFrame({"left": left, "right": right}).sort("left")
    return Links(pairs["left"], pairs["right"])
