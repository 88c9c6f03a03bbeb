"""Entities by name: the number of one, and names like one that is unknown."""

from __future__ import annotations

import difflib

import polars as pl

from lightea.graph import KnowledgeGraph

_ALL_AT_MOST = 5_000
"""Of so many names each is compared; of more, only those that look like it at first glance."""
_AROUND = 200
_SUGGESTED = 3


def number_of(graph: KnowledgeGraph, name: str) -> int | None:
    """The number of a named entity, found by halving the sorted table of names."""
    place = int(graph.entities.search_sorted(name, "left"))
    return place if place < graph.n_entities and graph.entities[place] == name else None


def close_names(names: pl.Series, name: str) -> list[str]:
    """Up to three names that may have been meant: those that contain it, or else those spelt alike."""
    if not name:
        return []
    containing = names.filter(names.str.contains(f"(?i){_as_pattern(name)}")).head(_AROUND)
    if len(containing):
        return sorted(containing, key=lambda one: (len(one), one))[:_SUGGESTED]
    return difflib.get_close_matches(name, _at_first_glance(names, name), n=_SUGGESTED, cutoff=0.6)


def _at_first_glance(names: pl.Series, name: str) -> list[str]:
    """The names to compare letter by letter: the neighbours in the alphabet, and few tables as a whole."""
    if len(names) <= _ALL_AT_MOST:
        return names.to_list()
    place = int(names.search_sorted(name, "left"))
    around = names.slice(max(0, place - _AROUND), 2 * _AROUND)
    tail = _as_pattern(name[-8:])
    ending = names.filter(names.str.contains(f"(?i){tail}$")).head(_AROUND)
    return [*around, *ending]


def _as_pattern(text: str) -> str:
    """A regular expression for exactly this text."""
    return "".join(character if character.isalnum() else f"\\x{{{ord(character):X}}}" for character in text)
