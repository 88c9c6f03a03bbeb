"""The world that both graphs tell of: entities with types and communities, and the facts among them.

Entities of one type and community stand side by side, the most famous first, so that "some entity of this
type in that community" is a stretch of numbers. These numbers never leave this package, since each side names
the entities in an order of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.synthetic.facts import Facts, GroupedChoice, Ids, Ints
from lightea.synthetic.ontology import KINDS
from lightea.synthetic.shape import SyntheticShape
from lightea.synthetic.vocabulary import Vocabulary, draw_vocabulary, type_choice

_MOST_ROUNDS = 6
"""Of statements that follow from others; a tiny world has no room for more."""
_TRIANGLES, _AGAIN, _BACKWARDS = 0.7, 0.15, 0.15
"""Shares of the three ways in which a fact follows from others."""
_COMMUNITY_EXPONENT = 0.7
"""The k-th largest community has k to this power times fewer members than the largest."""


@dataclass(frozen=True, eq=False)
class World:
    """The shared entities; those of one side only are modelled on them."""

    shape: SyntheticShape
    vocabulary: Vocabulary
    type_of: Ids
    community_of: Ids
    starts: Ints
    """Where the stretch of each (type, community) starts."""
    relations_of_type: GroupedChoice
    relations_between: GroupedChoice
    types_of_kind: GroupedChoice

    @property
    def n_entities(self) -> int:
        """How many entities both sides share."""
        return len(self.type_of)

    @property
    def n_communities(self) -> int:
        """How many communities the entities fall into."""
        return (len(self.starts) - 1) // self.vocabulary.n_types

    def kinds_of(self, entities: NDArray[np.integer]) -> Ints:
        """The kinds of entities."""
        kinds: Ints = self.vocabulary.kind_of_type[self.type_of[entities]]
        return kinds

    def stretch_of(self, entities: NDArray[np.integer]) -> tuple[Ints, Ints]:
        """First number, and the one after the last, of all with the type and community of these."""
        stretch = self.type_of[entities].astype(np.int64) * self.n_communities + self.community_of[entities]
        return self.starts[stretch], self.starts[stretch + 1]

    def draw_relations(self, heads: NDArray[np.integer], rng: np.random.Generator) -> Ints:
        """A relation that fits each head, frequent ones more often."""
        return self.relations_of_type.pick(self.type_of[heads], rng)

    def draw_tails(
        self, heads: NDArray[np.integer], relations: NDArray[np.integer], rng: np.random.Generator
    ) -> Ints:
        """A tail that fits each head and relation: mostly of the head's community, mostly famous."""
        words = self.vocabulary
        any_type = self.types_of_kind.pick(words.range_kind[relations], rng)
        types = np.where(words.wide[relations], any_type, words.range_type[relations])
        tails = self._draw_members(types, self._draw_communities(heads, rng), rng)
        return np.where(tails == heads, (tails + 1) % self.n_entities, tails)

    def _draw_communities(self, heads: NDArray[np.integer], rng: np.random.Generator) -> Ids:
        elsewhere = self.community_of[rng.integers(self.n_entities, size=len(heads))]
        at_home = rng.random(len(heads)) < self.shape.locality
        return np.where(at_home, self.community_of[heads], elsewhere)

    def _draw_members(self, types: Ints, communities: Ids, rng: np.random.Generator) -> Ints:
        """A member of each stretch by the power law; an empty stretch borrows one from its neighbours.

        Neighbouring communities borrow the same entity, as towns share a country: so hubs arise.
        """
        stretch = types * self.n_communities + communities
        first, size = self.starts[stretch], self.starts[stretch + 1] - self.starts[stretch]
        exponent = 1 / (1 - 1 / (self.shape.degree_exponent - 1))
        member = first + (size * rng.random(len(types)) ** exponent).astype(np.int64)
        first_of_type = self.starts[types * self.n_communities]
        borrowed = first_of_type + self.vocabulary.type_sizes[types] * communities // self.n_communities
        return np.where(size > 0, member, borrowed)


def draw_world(n: int, shape: SyntheticShape, rng: np.random.Generator) -> World:
    """Types, relations, and n entities spread over communities of unequal size."""
    words = draw_vocabulary(n, shape, rng)
    n_communities = max(1, n // shape.community)
    type_of = np.repeat(np.arange(words.n_types), words.type_sizes)
    popularity = 1 / np.arange(1, n_communities + 1) ** _COMMUNITY_EXPONENT
    drawn = np.searchsorted(np.cumsum(popularity), rng.random(n) * popularity.sum(), side="right")
    stretch = np.sort(type_of * n_communities + np.minimum(drawn, n_communities - 1))
    types, relations, weights = words.uses()
    pairs = types * len(KINDS) + words.range_kind[relations]
    return World(
        shape=shape,
        vocabulary=words,
        type_of=type_of.astype(np.int32),
        community_of=(stretch % n_communities).astype(np.int32),
        starts=np.searchsorted(stretch, np.arange(words.n_types * n_communities + 1)),
        relations_of_type=GroupedChoice(types, relations, weights, words.n_types),
        relations_between=GroupedChoice(pairs, relations, weights, words.n_types * len(KINDS)),
        types_of_kind=type_choice(words.kind_of_type, words.type_sizes),
    )


def draw_facts(world: World, rng: np.random.Generator) -> Facts:
    """The facts of the world: statements, and then statements that follow from others."""
    wanted = round(world.shape.facts * world.n_entities)
    facts = _draw_statements(world, wanted * (1 - world.shape.echoes), rng).distinct()
    for _ in range(_MOST_ROUNDS):
        missing = wanted - len(facts)
        if missing <= 0:
            break
        facts = facts.plus(_draw_echoes(world, facts, 2 * missing, rng)).distinct()
    return facts.thinned(wanted, rng)


def _draw_statements(world: World, wanted: float, rng: np.random.Generator) -> Facts:
    """Each entity has some relations, at least one, and each of them one or more tails."""
    words, spread = world.vocabulary, world.shape.activity_spread
    mean = wanted / world.n_entities / float(words.weights @ words.tails_per_head)
    activity = np.exp(spread * rng.standard_normal(world.n_entities) - spread**2 / 2)
    counts = 1 + (max(0.0, mean - 1) * activity + rng.random(world.n_entities)).astype(np.int64)
    heads = np.repeat(np.arange(world.n_entities), counts)
    relations = world.draw_relations(heads, rng)
    repeats = rng.geometric(1 / words.tails_per_head[relations])
    heads, relations = np.repeat(heads, repeats), np.repeat(relations, repeats)
    return Facts.of(heads, relations, world.draw_tails(heads, relations, rng))


def _draw_echoes(world: World, facts: Facts, wanted: int, rng: np.random.Generator) -> Facts:
    """Facts that follow from these: h→m→t gives h→t, and h→t is told again or backwards."""
    triangles = _friends_of_friends(world, facts, round(_TRIANGLES * wanted), rng)
    again = facts.at(rng.integers(len(facts), size=round(_AGAIN * wanted)))
    backwards = facts.at(rng.integers(len(facts), size=round(_BACKWARDS * wanted)))
    heads = np.concatenate([triangles[0], again.heads, backwards.tails])
    tails = np.concatenate([triangles[1], again.tails, backwards.heads])
    pairs = world.type_of[heads] * len(KINDS) + world.kinds_of(tails)
    sayable = world.relations_between.offers(pairs) & (heads != tails)
    return Facts.of(heads[sayable], world.relations_between.pick(pairs[sayable], rng), tails[sayable])


def _friends_of_friends(world: World, facts: Facts, wanted: int, rng: np.random.Generator) -> tuple[Ids, Ids]:
    """Ends of random paths of two facts; `facts` are in order of their heads."""
    starts = np.searchsorted(facts.heads, np.arange(world.n_entities + 1))
    first = rng.integers(len(facts), size=wanted)
    middle = facts.tails[first]
    counts = starts[middle + 1] - starts[middle]
    second = starts[middle] + (rng.random(wanted) * counts).astype(np.int64)
    walked = counts > 0
    return facts.heads[first[walked]], facts.tails[second[walked]]
