"""Names of entities and relations: plain numbers that tell nothing, or words of two related languages."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.synthetic import lexicon
from lightea.synthetic.facts import Ints
from lightea.synthetic.lexicon import Lexicon
from lightea.synthetic.ontology import BASE_RELATIONS, KINDS
from lightea.synthetic.side import Side
from lightea.synthetic.world import World

Language = Literal["left", "right"]

_PREFIX: dict[Language, str] = {"left": "en:", "right": "lu:"}
_OWN_NAMES = 0.1
"""Share of shared entities that the right language calls by a name of its own."""


class _Rule(NamedTuple):
    """How the two languages build the name of a thing from two words."""

    left: str
    right: str
    first: Lexicon
    second: Lexicon


_RULES = {
    "person": _Rule("{a}_{b}", "{a}_{b}", lexicon.GIVEN_NAMES, lexicon.FAMILY_NAMES),
    "city": _Rule("{a}{b}", "{a}{b}", lexicon.STEMS, lexicon.CITY_ENDINGS),
    "country": _Rule("{a}{b}", "{a}{b}", lexicon.STEMS, lexicon.COUNTRY_ENDINGS),
    "film": _Rule("The_{a}_{b}", "{b}_{a}", lexicon.ADJECTIVES, lexicon.NOUNS),
    "company": _Rule("{a}_{b}", "{b}_{a}", lexicon.STEMS, lexicon.COMPANY_WORDS),
    "band": _Rule("{a}_{b}s", "La_{b}j_{a}j", lexicon.ADJECTIVES, lexicon.NOUNS),
    "album": _Rule("{b}_of_{a}", "{b}_de_{a}", lexicon.STEMS, lexicon.NOUNS),
    "club": _Rule("{a}_{b}", "{b}_{a}", lexicon.STEMS, lexicon.CLUB_WORDS),
    "university": _Rule("{a}_{b}", "{b}_{a}", lexicon.STEMS, lexicon.UNIVERSITY_WORDS),
    "genre": _Rule("{a}_{b}", "{b}_{a}", lexicon.GENRE_FIRST, lexicon.GENRE_SECOND),
    "book": _Rule("A_{a}_{b}", "Iu_{b}_{a}", lexicon.ADJECTIVES, lexicon.NOUNS),
    "river": _Rule("{a}_{b}", "{b}_{a}", lexicon.STEMS, lexicon.RIVER_WORDS),
    "award": _Rule("{a}_{b}", "{b}_{a}", lexicon.STEMS, lexicon.AWARD_WORDS),
    "language": _Rule("{a}{b}", "{a}{b}", lexicon.STEMS, lexicon.LANGUAGE_ENDINGS),
}


def numbered_names(
    side: Side, n_shared: int, taken: tuple[int, int], language: Language, rng: np.random.Generator
) -> tuple[pl.Series, pl.Series]:
    """Names of entities and relations that are numbers given at random, from `taken` upwards.

    With the other side's counts as `taken`, no number stands on both sides.
    """
    counts = (n_shared + len(side.models), len(side.origins))
    prefixes = (f"{language}:e", f"{language}:r")
    entities, relations = (
        _padded(prefix, first + rng.permutation(count))
        for prefix, first, count in zip(prefixes, taken, counts, strict=True)
    )
    return entities, relations


def _padded(prefix: str, numbers: Ints) -> pl.Series:
    """Numbers of equal width, so that names sort as numbers do."""
    width = len(str(int(numbers.max(initial=0))))
    return pl.select(pl.lit(prefix) + pl.Series(numbers).cast(pl.String).str.zfill(width)).to_series()


class Words(NamedTuple):
    """The two words in the name of each entity, as places in the lexicons of its kind."""

    kinds: Ints
    first: Ints
    second: Ints

    def followed_by(self, others: Words) -> Words:
        """These words, then the others."""
        return Words(*(np.concatenate(columns) for columns in zip(self, others, strict=True)))


def draw_words(kinds: NDArray[np.integer], rng: np.random.Generator) -> Words:
    """Words for entities of these kinds."""
    rules = [_RULES[kind.left] for kind in KINDS]
    sizes = np.array([(len(rule.first.left), len(rule.second.left)) for rule in rules])[kinds]
    first, second = (rng.random(sizes.shape) * sizes).astype(np.int64).T
    return Words(kinds.astype(np.int64), first, second)


def partly_renamed(words: Words, rng: np.random.Generator) -> Words:
    """The same words, but for some entities others that have nothing to do with them."""
    fresh = draw_words(words.kinds, rng)
    own = rng.random(len(words.kinds)) < _OWN_NAMES
    return Words(
        words.kinds,
        np.where(own, fresh.first, words.first),
        np.where(own, fresh.second, words.second),
    )


def readable_names(words: Words, language: Language, rng: np.random.Generator) -> pl.Series:
    """Names in one language; of those that mean several things all but one say which."""
    parts = []
    for number, kind in enumerate(KINDS):
        members = np.flatnonzero(words.kinds == number)
        texts = _compose(_RULES[kind.left], words.first[members], words.second[members], language)
        label = kind.left if language == "left" else kind.right
        parts.append(pl.DataFrame({"entity": members, "name": texts}).with_columns(kind=pl.lit(label)))
    table = pl.concat(parts).sort("entity").with_columns(turn=pl.Series(rng.permutation(len(words.kinds))))
    return table.select(_told_apart(_PREFIX[language])).to_series()


def _compose(rule: _Rule, first: Ints, second: Ints, language: Language) -> pl.Series:
    template = rule.left if language == "left" else rule.right
    columns = {
        "a": pl.Series(getattr(rule.first, language), dtype=pl.String).gather(first),
        "b": pl.Series(getattr(rule.second, language), dtype=pl.String).gather(second),
    }
    order = re.findall(r"{([ab])}", template)
    blank = template.replace("{a}", "{}").replace("{b}", "{}")
    return pl.select(pl.format(blank, *(columns[key] for key in order))).to_series()


def _told_apart(prefix: str) -> pl.Expr:
    """The name, with the kind behind it if others of that name had their turn, and how many if several."""
    earlier = pl.col("turn").rank("ordinal").over("name") - 1
    kind = pl.col("kind")
    return (
        pl.when(earlier == 0)
        .then(pl.format(prefix + "{}", "name"))
        .when(earlier == 1)
        .then(pl.format(prefix + "{}_({})", "name", kind))
        .otherwise(pl.format(prefix + "{}_({}_{})", "name", kind, earlier))
        .alias("name")
    )


def readable_relations(world: World, side: Side, language: Language) -> pl.Series:
    """Words for the relations of a side; a variation of another relation has a modifier before its word."""
    new_words = 1 + world.vocabulary.lap.max() + np.cumsum(side.one_off)
    laps = np.where(side.one_off, new_words, world.vocabulary.lap[side.origins])
    modifiers = getattr(lexicon.MODIFIERS, language)
    names = []
    for origin, lap in zip(side.origins.tolist(), laps.tolist(), strict=True):
        word = getattr(BASE_RELATIONS[world.vocabulary.base[origin]], language)
        modifier = modifiers[lap % len(modifiers)]
        modified = modifier + word[0].upper() + word[1:] if modifier else word
        again = lap // len(modifiers)
        names.append(_PREFIX[language] + modified + (f"_{again + 1}" if again else ""))
    return pl.Series(names, dtype=pl.String)
