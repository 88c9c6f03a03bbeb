"""Links of many kinds, made by hand, for tests of the formats that they are written in."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import polars as pl

import handmade
from lightea.alignment import Alignment
from lightea.graph import KnowledgeGraph

LEFT = [
    "http://dbpedia.org/resource/Paris",
    "http://dbpedia.org/resource/AC/DC",
    "http://zh.dbpedia.org/resource/北京",
    "http://example.org/a b|c&d<e>\"f'%zz",
    "plain name",
    "HP:0001250",
    "_:b0",
    "http://dbpedia.org/resource/",
]
RIGHT = [
    "http://www.wikidata.org/entity/Q90",
    "http://www.wikidata.org/entity/Q27593",
    "urn:uuid:0e3ff1f6-7cdf-4b69-9a93-15a1fb6bd4ae",
    "https://example.org#x?y#z",
    "plain name",
    "tab\tand\nline",
    "<script>alert(1)</script>",
    "x" * 10_000,
]


def graph(names: Sequence[str], name: str = "") -> KnowledgeGraph:
    """A graph of entities with these names, in this order, and nothing else."""
    made = handmade.graph("e", len(names))
    return dataclasses.replace(made, entities=pl.Series(names, dtype=pl.String), name=name)


def linked(left: Sequence[str] = LEFT, right: Sequence[str] = RIGHT) -> Alignment:
    """Each left entity is the right one of the same place, the first more probably; two more are alone."""
    n = len(left)
    chances = [1.0 - number / (2 * n) for number in range(n)]
    rows: dict[int, handmade.Row] = {number: [(number, chances[number], 1.0)] for number in range(n)}
    rows |= {n: [(0, 0.1, 0.1)], n + 1: [(0, 0.7, 0.1)]}
    return handmade.alignment(
        rows,
        [(number, number) for number in range(n)],
        left=graph([*left, "http://dbpedia.org/resource/Alone", "doubtful"], "left.nt"),
        right=graph([*right], "right.tsv"),
    )
