"""The two inputs of an alignment: knowledge graphs as columns, and links as pairs of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.errors import InputError

Ids = NDArray[np.int32]
Names = pl.Series | Sequence[str]

ATTRIBUTE_SCHEMA = {
    "entity": pl.Int32,
    "attribute": pl.String,
    "value": pl.String,
    "datatype": pl.String,
    "language": pl.String,
}
"""Columns of a table of literals. A plain string has neither datatype nor language (both null)."""

FACT_COLUMNS = ("head", "relation", "tail")


def no_attributes() -> pl.DataFrame:
    """An empty attribute table."""
    return pl.DataFrame(schema=ATTRIBUTE_SCHEMA)


@dataclass(frozen=True, eq=False)
class KnowledgeGraph:
    """Entities and relations as tables of names, facts as three int32 columns that point into them.

    The number of an entity (relation) is its position in `entities` (`relations`). Both tables are sorted
    and without repetition, so that the same facts in any order give the same graph. Triples are sorted by
    (head, relation, tail) and without repetition. Literals are `attributes`, never entities.
    """

    entities: pl.Series
    relations: pl.Series
    heads: Ids
    relation_ids: Ids
    tails: Ids
    attributes: pl.DataFrame = field(default_factory=no_attributes)
    name: str = ""

    def __post_init__(self) -> None:
        if not len(self.heads) == len(self.relation_ids) == len(self.tails):
            raise InputError("a graph needs columns of equal length for heads, relations and tails")

    @property
    def n_entities(self) -> int:
        """How many entities the graph names, with or without facts."""
        return len(self.entities)

    @property
    def n_relations(self) -> int:
        """How many relations the graph names."""
        return len(self.relations)

    @property
    def n_triples(self) -> int:
        """How many distinct facts between entities the graph holds."""
        return len(self.heads)

    def find(self, names: Names) -> Ids:
        """The number of each named entity, -1 where the graph has no such entity."""
        wanted = pl.DataFrame({"name": names}, schema={"name": pl.String})
        known = pl.DataFrame({"name": self.entities, "number": np.arange(self.n_entities, dtype=np.int32)})
        found = wanted.join(known, on="name", how="left", maintain_order="left")
        return found["number"].fill_null(-1).to_numpy()

    def _repr_html_(self) -> str:
        from lightea.notebook import graph_html  # noqa: PLC0415  (shows this module's type)

        return graph_html(self)

    def __repr__(self) -> str:
        return (
            f"KnowledgeGraph({self.name!r}: {self.n_entities:,} entities, {self.n_relations:,} relations, "
            f"{self.n_triples:,} triples, {len(self.attributes):,} attribute values)"
        )


@dataclass(frozen=True, eq=False)
class ResolvedLinks:
    """Links looked up in two graphs, with what did not fit told apart."""

    pairs: Ids
    """Rows (left number, right number) in the order of the links, each pair once."""
    unknown_left: pl.Series
    """Left names that the left graph does not know, each once, in the order of the links."""
    unknown_right: pl.Series
    """Right names that the right graph does not know, each once, in the order of the links."""
    first_unknown: list[str]
    """Up to three unknown names, of either side, in the order of the links, for a message."""
    n_unknown: int
    """Links left out because a name on either side is unknown."""
    repeated: int
    """Links left out because the same pair stands before them."""
    conflicting_left: Ids
    """Left entities in more than one pair; the pairs stay in `pairs`."""
    conflicting_right: Ids
    """Right entities in more than one pair; the pairs stay in `pairs`."""

    @property
    def n_conflicting(self) -> int:
        """Entities, of both sides, that are in more than one pair."""
        return len(self.conflicting_left) + len(self.conflicting_right)


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs of entity names as files hold them: seeds or known answers, not yet looked up in any graph.

    `prefixes` tell how names may be shortened: {"ex": "http://example.org/"} has http://example.org/a found
    in a graph that calls it ex:a.
    """

    left: pl.Series
    right: pl.Series
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def __init__(self, left: Names, right: Names, *, prefixes: Mapping[str, str] | None = None) -> None:
        object.__setattr__(self, "left", _as_names("left", left))
        object.__setattr__(self, "right", _as_names("right", right))
        object.__setattr__(self, "prefixes", dict(prefixes or {}))
        if len(self.left) != len(self.right):
            raise InputError("links need columns of equal length for left and right")

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        if len(self) == 0:
            return "Links(no pairs)"
        return f"Links({_counted(len(self), 'pair')}, the first {self.left[0]!r} = {self.right[0]!r})"

    def split(self, share: float, *, random_seed: int) -> tuple[Links, Links]:
        """A random share of the links, and the rest; only their order and `random_seed` matter."""
        order = np.random.default_rng(random_seed).permutation(len(self))
        given, held_back = np.split(order, [round(share * len(self))])
        return self._rows(given), self._rows(held_back)

    def _rows(self, rows: NDArray[np.int64]) -> Links:
        return Links(self.left.gather(rows), self.right.gather(rows), prefixes=self.prefixes)

    def _find(self, graph: KnowledgeGraph, names: pl.Series) -> Ids:
        """The number of each name, or of its short form where the graph knows that one only."""
        numbers = graph.find(names)
        for prefix, namespace in self.prefixes.items():
            open_rows = np.flatnonzero((numbers < 0) & names.str.starts_with(namespace).to_numpy())
            short = f"{prefix}:" + names.gather(open_rows).str.strip_prefix(namespace)
            numbers = _filled(numbers, open_rows, graph.find(short))
        return numbers

    def _unknown(self, numbers: Ids) -> Iterator[str]:
        """The names without a number, link by link."""
        for row in np.flatnonzero((numbers < 0).any(axis=1)).tolist():
            for names, number in zip((self.left, self.right), numbers[row], strict=True):
                if number < 0:
                    yield names[row]

    def resolve(self, left: KnowledgeGraph, right: KnowledgeGraph) -> ResolvedLinks:
        """Look the names up in their graphs."""
        numbers = np.stack([self._find(left, self.left), self._find(right, self.right)], axis=1)
        known = (numbers >= 0).all(axis=1)
        found = numbers[known]
        pairs = _without_repeats(found)
        return ResolvedLinks(
            pairs=pairs,
            unknown_left=self.left.filter(numbers[:, 0] < 0).unique(maintain_order=True),
            unknown_right=self.right.filter(numbers[:, 1] < 0).unique(maintain_order=True),
            first_unknown=list(islice(dict.fromkeys(self._unknown(numbers)), 3)),
            n_unknown=len(self) - len(found),
            repeated=len(found) - len(pairs),
            conflicting_left=_repeated_values(pairs[:, 0]),
            conflicting_right=_repeated_values(pairs[:, 1]),
        )


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def _as_names(side: str, given: object) -> pl.Series:
    """One side of links as a column of text."""
    hint = "give a list of names, or a column of a table"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"the {side} side of links is {given!r}, which is no sequence of names", hint=hint)
    try:
        names = (given if isinstance(given, pl.Series) else pl.Series(list(given))).cast(pl.String)
    except (TypeError, pl.exceptions.PolarsError) as problem:
        raise InputError(f"the {side} side of links holds what is no name: {problem}", hint=hint) from problem
    if names.null_count():
        row = int(names.is_null().arg_max() or 0) + 1
        raise InputError(f"link {row} has no {side} name", hint="name both sides of every link, or drop it")
    return names


def _filled(numbers: Ids, rows: NDArray[np.int64], found: Ids) -> Ids:
    filled = numbers.copy()
    filled[rows] = found
    return filled


def _without_repeats(pairs: Ids) -> Ids:
    _, first = np.unique(pairs[:, 0].astype(np.int64) << 32 | pairs[:, 1], return_index=True)
    distinct: Ids = pairs[np.sort(first)]
    return distinct


def _repeated_values(values: Ids) -> Ids:
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[counts > 1]
