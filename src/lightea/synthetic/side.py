"""What one side tells of the world: some facts, some errors, things of its own, in relations of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.synthetic.facts import Facts, Ids, Ints
from lightea.synthetic.shape import SideShape
from lightea.synthetic.vocabulary import Vocabulary
from lightea.synthetic.world import World


@dataclass(frozen=True, eq=False)
class Side:
    """Facts of one side: the shared entities come first, then the strays, which the other side lacks."""

    facts: Facts
    models: Ids
    """For each stray the shared entity whose type and community it has."""
    origins: Ints
    """For each relation of this side the relation of the world that it stands for."""
    one_off: NDArray[np.bool_]
    """Whether a relation of this side is a second word for its origin, used only once."""


def tell(world: World, facts: Facts, shape: SideShape, rng: np.random.Generator) -> Side:
    """One side's telling of the facts of the world."""
    known = _err(world, _keep(world, facts, shape.kept, rng), shape.noise, rng)
    shared = known.plus(_cover(world, known, rng))
    models = np.sort(rng.integers(world.n_entities, size=round(shape.strays * world.n_entities)))
    everything = shared.plus(_tell_of_strays(world, shared, models, shape, rng))
    lent = _lend_words(world.vocabulary, everything, shape.renamed, rng).distinct()
    relations, origins, one_off = _fit_words(world.vocabulary, lent.relations, shape.relations, rng)
    told = Facts.of(lent.heads, relations, lent.tails).distinct()
    return Side(told, models.astype(np.int32), origins, one_off)


def _keep(world: World, facts: Facts, share: float, rng: np.random.Generator) -> Facts:
    """Exactly this share of the facts; some relations and some heads are known better than others."""
    patchiness, fame = world.shape.patchiness, world.shape.fame
    by_relation = rng.standard_normal(world.vocabulary.n_relations, dtype=np.float32)
    by_head = rng.standard_normal(world.n_entities, dtype=np.float32)
    chance = max(0.0, 1 - patchiness - fame)
    obscurity = rng.standard_normal(len(facts), dtype=np.float32) * np.float32(chance**0.5)
    obscurity += by_relation[facts.relations] * np.float32(patchiness**0.5)
    obscurity += by_head[facts.heads] * np.float32(fame**0.5)
    count = round(share * len(facts))
    if count == len(facts):
        return facts
    return facts.at(np.sort(np.argpartition(obscurity, count)[:count]))


def _err(world: World, facts: Facts, share: float, rng: np.random.Generator) -> Facts:
    """The facts, a share of them with any entity as tail."""
    wrong = rng.random(len(facts)) < share
    anything = rng.integers(world.n_entities, size=len(facts))
    return Facts.of(facts.heads, facts.relations, np.where(wrong, anything, facts.tails))


def _cover(world: World, facts: Facts, rng: np.random.Generator) -> Facts:
    """A new fact for each shared entity that these say nothing of."""
    seen = np.zeros(world.n_entities, dtype=np.bool_)
    seen[facts.heads] = seen[facts.tails] = True
    heads = np.flatnonzero(~seen)
    relations = world.draw_relations(heads, rng)
    return Facts.of(heads, relations, world.draw_tails(heads, relations, rng))


def _tell_of_strays(
    world: World, shared: Facts, models: Ints, shape: SideShape, rng: np.random.Generator
) -> Facts:
    """Facts about the strays, at least one each, in which a stray stands where its model could stand."""
    counts = rng.geometric(1 / shape.facts_per_stray, size=len(models))
    strays = np.repeat(np.arange(len(models)), counts)
    starts_here = rng.random(len(strays)) < shape.stray_heads
    return _from_strays(world, models, strays[starts_here], rng).plus(
        _to_strays(world, shared, models, strays[~starts_here], rng)
    )


def _from_strays(world: World, models: Ints, strays: Ints, rng: np.random.Generator) -> Facts:
    """Facts that start at strays; they lead to other strays as often as there are strays."""
    relations = world.draw_relations(models[strays], rng)
    tails = world.draw_tails(models[strays], relations, rng)
    alike = np.minimum(np.searchsorted(models, tails), len(models) - 1)
    leads_to_stray = rng.random(len(strays)) < len(models) / (len(models) + world.n_entities)
    n = world.n_entities
    return Facts.of(n + strays, relations, np.where(leads_to_stray, n + alike, tails))


def _to_strays(world: World, shared: Facts, models: Ints, strays: Ints, rng: np.random.Generator) -> Facts:
    """Facts that point to strays, in the manner of those that point to entities like their models."""
    by_tail = shared.at(np.argsort(shared.tails, kind="stable"))
    first_entity, beyond = world.stretch_of(models[strays])
    first, last = np.searchsorted(by_tail.tails, first_entity), np.searchsorted(by_tail.tails, beyond)
    unseen = first == last
    low, high = np.where(unseen, 0, first), np.where(unseen, len(shared), last)
    like = by_tail.at(low + (rng.random(len(strays)) * (high - low)).astype(np.int64))
    return Facts.of(like.heads, like.relations, world.n_entities + strays)


def _lend_words(words: Vocabulary, facts: Facts, share: float, rng: np.random.Generator) -> Facts:
    """The facts, with half of those of some relations told in the words of a related relation."""
    kinship = np.lexsort((rng.random(words.n_relations), words.range_kind, words.domain_kind))
    related = np.empty(words.n_relations, dtype=np.int64)
    related[kinship] = np.roll(kinship, 1)
    lends = (rng.random(words.n_relations) < share)[facts.relations] & (rng.random(len(facts)) < 0.5)
    return Facts.of(facts.heads, np.where(lends, related[facts.relations], facts.relations), facts.tails)


def _fit_words(
    words: Vocabulary, relations: Ids, wanted: int, rng: np.random.Generator
) -> tuple[Ids, Ints, NDArray[np.bool_]]:
    """Exactly the wanted number of relations: the rarest join a related one, or single facts get a new word.

    Returns the new relations of the facts, their origins, and which of them are such new words.
    """
    size = min(wanted, len(relations))
    counts = np.bincount(relations, minlength=words.n_relations)
    frequent = np.argsort(-counts, kind="stable")[: min(size, np.count_nonzero(counts))]
    origins = np.sort(frequent)
    joined = np.searchsorted(origins, _nearest_relative(words, origins))[relations]
    spare = np.ones(len(joined), dtype=np.bool_)
    spare[_firsts(joined, len(origins))] = False
    chosen = rng.permutation(np.flatnonzero(spare))[: size - len(origins)]
    renumbered = joined.astype(np.int32)
    renumbered[chosen] = len(origins) + np.arange(len(chosen))
    one_off = np.repeat([False, True], [len(origins), len(chosen)])
    return renumbered, np.concatenate([origins, origins[joined[chosen]]]), one_off


def _firsts(numbers: Ints, count: int) -> Ints:
    """Where each of the first `count` numbers stands first; all of them occur."""
    first = np.zeros(count, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first


def _nearest_relative(words: Vocabulary, kept: Ints) -> Ints:
    """For each relation of the world itself if kept, else a kept one between the same or similar kinds."""
    kinship = np.lexsort((words.range_kind, words.domain_kind))
    place = np.argsort(kinship)
    kept_places = np.sort(place[kept])
    following = np.minimum(np.searchsorted(kept_places, place), len(kept_places) - 1)
    return kinship[kept_places[following]]
