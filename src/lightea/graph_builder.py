"""From facts by name to a graph of sorted columns, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.graph import ATTRIBUTE_SCHEMA, FACT_COLUMNS, Ids, KnowledgeGraph, Names, no_attributes
from lightea.vocabulary import Vocabulary

Triples = tuple[Ids, Ids, Ids]
_AT_ONCE = 1 << 18


def graph_from_names(
    heads: Names,
    relations: Names,
    tails: Names,
    *,
    more_entities: Names | None = None,
    attributes: pl.DataFrame | None = None,
    name: str = "",
) -> KnowledgeGraph:
    """The graph of facts given by name; `attributes` holds names, too, in its column `entity`."""
    builder = GraphBuilder()
    builder.add_triples(pl.DataFrame(dict(zip(FACT_COLUMNS, (heads, relations, tails), strict=True))))
    if more_entities is not None:
        builder.add_entities(pl.Series(more_entities))
    if attributes is not None:
        builder.add_attributes(attributes)
    return builder.build(name)


class _FactChunks:
    """Three int32 columns that grow by large chunks, which go back to the system one by one when popped."""

    _ROWS = 1 << 22

    def __init__(self) -> None:
        self._chunks: list[NDArray[np.int32]] = []
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    def append(self, heads: Ids, relations: Ids, tails: Ids) -> None:
        start = 0
        while start < len(heads):
            place = self._rows % self._ROWS
            if place == 0:
                self._chunks.append(np.empty((3, self._ROWS), dtype=np.int32))
            count = min(len(heads) - start, self._ROWS - place)
            for column, values in zip(self._chunks[-1], (heads, relations, tails), strict=True):
                column[place : place + count] = values[start : start + count]
            start += count
            self._rows += count

    def parts(self) -> Iterator[Triples]:
        """The columns, chunk by chunk."""
        for i, (heads, relations, tails) in enumerate(self._chunks):
            count = min(self._ROWS, self._rows - i * self._ROWS)
            yield heads[:count], relations[:count], tails[:count]

    def pop(self) -> Triples:
        """The last chunk, which is gone from here."""
        *_, last = self.parts()
        del self._chunks[-1]
        self._rows -= len(last[0])
        return last


class GraphBuilder:
    """Collects facts block by block and numbers them at the end.

    Names leave memory as soon as their block is added, except one copy of each; so a graph can be built
    from text many times its size. `build` empties the builder while it works, for the same reason.
    """

    def __init__(self) -> None:
        self.entities = Vocabulary()
        self.relations = Vocabulary()
        """Names of relations and of attributes."""
        self._triples = _FactChunks()
        self._lone: list[Ids] = []
        self._attributes: list[pl.DataFrame] = []

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been added."""
        return not (self._triples or self._lone or self._attributes)

    @property
    def n_triples(self) -> int:
        """How many facts have been added, the same one twice counted twice."""
        return len(self._triples)

    def add_triples(self, facts: pl.DataFrame) -> None:
        """Add facts given by name in columns head, relation, tail."""
        names = facts.select(pl.col(*FACT_COLUMNS).cast(pl.String))
        self.add_numbers(
            self.entities.encode(names["head"]),
            self.relations.encode(names["relation"]),
            self.entities.encode(names["tail"]),
        )

    def add_numbers(self, heads: Ids, relations: Ids, tails: Ids) -> None:
        """Add facts whose names the vocabularies have numbered already."""
        self._triples.append(heads, relations, tails)

    def add_entities(self, names: pl.Series) -> None:
        """Add entities that may have no facts."""
        if len(names):
            self._lone.append(np.unique(self.entities.encode(names.cast(pl.String))))

    def add_attributes(self, facts: pl.DataFrame) -> None:
        """Add literals in the columns of `ATTRIBUTE_SCHEMA`, the entity given by name."""
        entities = self.entities.encode(facts["entity"].cast(pl.String))
        attributes = self.relations.encode(facts["attribute"].cast(pl.String))
        self.add_literals(entities, attributes, facts.select("value", "datatype", "language"))

    def add_literals(self, entities: Ids, attributes: Ids, values: pl.DataFrame) -> None:
        """Add literals in columns value, datatype, language, whose names are numbered already."""
        if len(values):
            texts = values.select(pl.all().cast(pl.String))
            columns = {"entity": pl.Series(entities), "attribute": pl.Series(attributes)}
            self._attributes.append(texts.with_columns(**columns))

    def build(
        self,
        name: str = "",
        *,
        entity_names: Callable[[pl.Series], pl.Series] | None = None,
        relation_names: Callable[[pl.Series], pl.Series] | None = None,
    ) -> KnowledgeGraph:
        """The graph of everything added; the functions may spell its names differently, once for each name.

        Two names that come to be spelled the same are one from then on.
        """
        used_entities, used_relations = self._used_entities(), self._used_relations()
        known_entities = _spelled(self.entities.names(), entity_names)
        known_relations = _spelled(self.relations.names(), relation_names)
        self.entities, self.relations = Vocabulary(), Vocabulary()
        entities, entity_ranks = _table(known_entities, used_entities)
        relations, relation_ranks = _table(known_relations, used_relations)
        attributes = _attribute_table(self._attributes, entity_ranks, known_relations)
        self._attributes, self._lone = [], []
        bits = (max(len(table) - 1, 0).bit_length() for table in (entities, relations))
        columns = _sorted_triples(self._triples, entity_ranks, relation_ranks, *bits)
        return KnowledgeGraph(entities, relations, *columns, attributes, name)

    def _used_entities(self) -> NDArray[np.bool_]:
        ends = (column for heads, _, tails in self._triples.parts() for column in (heads, tails))
        described = (block["entity"].to_numpy() for block in self._attributes)
        return _marked(self.entities.size, [*ends, *described, *self._lone])

    def _used_relations(self) -> NDArray[np.bool_]:
        return _marked(self.relations.size, (relations for _, relations, _ in self._triples.parts()))


def _marked(size: int, columns: Iterable[Ids]) -> NDArray[np.bool_]:
    marks = np.zeros(size, dtype=np.bool_)
    for column in columns:
        marks[column] = True
    return marks


def _spelled(names: pl.Series, spell: Callable[[pl.Series], pl.Series] | None) -> pl.Series:
    return names if spell is None else spell(names)


def _table(known: pl.Series, used: NDArray[np.bool_]) -> tuple[pl.Series, Ids]:
    """The sorted names in use, and for each number of a vocabulary the position of its name there."""
    names = known if used.all() else known.filter(pl.Series(used))
    numbers = np.flatnonzero(used).astype(np.int32)
    # With a second key Polars sorts by encoded rows, three times faster than by the strings alone.
    ordered = pl.DataFrame({"name": names, "number": numbers}).sort("name", "number")
    is_new = (ordered["name"] != ordered["name"].shift(1)).fill_null(value=True)
    ranks = np.full(len(used), -1, dtype=np.int32)
    ranks[ordered["number"].to_numpy()] = np.cumsum(is_new.to_numpy(), dtype=np.int32) - 1
    table = ordered["name"] if is_new.all() else ordered["name"].filter(is_new)
    return table.rename(""), ranks


def _sorted_triples(
    facts: _FactChunks, entity_ranks: Ids, relation_ranks: Ids, entity_bits: int, relation_bits: int
) -> Triples:
    """The facts with their final numbers, sorted and without repetition. Empties `facts` on the way.

    A fact is packed into one 64-bit number where it fits, since sorting these is many times faster.
    """
    if len(facts) and 2 * entity_bits + relation_bits > 64:
        return _sorted_columns(facts, entity_ranks, relation_ranks)
    keys = _packed(facts, entity_ranks, relation_ranks, entity_bits, relation_bits)
    keys.sort()
    return _unpacked(_without_equal_neighbours(keys), entity_bits, relation_bits)


def _packed(
    facts: _FactChunks, entity_ranks: Ids, relation_ranks: Ids, entity_bits: int, relation_bits: int
) -> NDArray[np.uint64]:
    keys = np.empty(len(facts), dtype=np.uint64)
    while len(facts):
        heads, relations, tails = facts.pop()
        packed = keys[len(facts) : len(facts) + len(heads)]
        packed[:] = entity_ranks[heads]
        packed <<= np.uint64(relation_bits)
        packed |= relation_ranks[relations].view(np.uint32)
        packed <<= np.uint64(entity_bits)
        packed |= entity_ranks[tails].view(np.uint32)
    return keys


def _without_equal_neighbours(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    is_new = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return keys if is_new.all() else keys[is_new]


def _unpacked(keys: NDArray[np.uint64], entity_bits: int, relation_bits: int) -> Triples:
    """The columns of packed facts. Eats up the keys from the end, so that both are never there in full."""
    heads, relations, tails = (np.empty(len(keys), dtype=np.int32) for _ in range(3))
    while len(keys):
        start = max(len(keys) - _AT_ONCE, 0)
        rows, part = slice(start, len(keys)), keys[start:].copy()
        keys.resize(start, refcheck=False)  # nothing points into it
        tails[rows] = part & np.uint64((1 << entity_bits) - 1)
        relations[rows] = part >> np.uint64(entity_bits) & np.uint64((1 << relation_bits) - 1)
        heads[rows] = part >> np.uint64(entity_bits + relation_bits)
    return heads, relations, tails


def _sorted_columns(facts: _FactChunks, entity_ranks: Ids, relation_ranks: Ids) -> Triples:
    """The same as `_sorted_triples` for graphs so large that a fact does not fit into 64 bits."""
    heads, relations, tails = (np.concatenate(column) for column in zip(*facts.parts(), strict=True))
    rows = np.stack([entity_ranks[heads], relation_ranks[relations], entity_ranks[tails]])
    ordered = rows[:, np.lexsort(rows[::-1])]
    is_new = np.ones(ordered.shape[1], dtype=np.bool_)
    is_new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    distinct = ordered[:, is_new]
    return distinct[0], distinct[1], distinct[2]


def _attribute_table(
    blocks: list[pl.DataFrame], entity_ranks: Ids, attribute_names: pl.Series
) -> pl.DataFrame:
    """The literals with final entity numbers, sorted and without repetition."""
    if not blocks:
        return no_attributes()
    table = pl.concat(blocks)
    order = attribute_names.rank("dense")
    numbered = table.with_columns(
        entity=pl.Series(entity_ranks[table["entity"].to_numpy()]),
        attribute_rank=order.gather(table["attribute"]),
        attribute=attribute_names.gather(table["attribute"]),
    )
    keys = ["entity", "attribute_rank", "value", "datatype", "language"]
    ordered = numbered.sort(keys)
    is_new = ~pl.all_horizontal(pl.col(key).eq_missing(pl.col(key).shift(1)) for key in keys)
    return ordered.filter(is_new).select(*ATTRIBUTE_SCHEMA)
