"""Which names an entity has: those of a file, those that the graph states, or else its readable identifier.

A file of names comes first, then the values of the name properties (all languages), and where an entity has
neither, the last part of its identifier, if most identifiers of the graph are words and not just numbers.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.config import NAME_PROPERTIES
from lightea.graph import KnowledgeGraph

logger = logging.getLogger(__name__)

MOST = 16
"""Names of one entity that are kept: those of the property named first, then in order of their text."""

_READABLE_SHARE = 0.5
_LETTERS = r"\p{L}"
_CODE = r"^[^\p{L}]*\p{L}{0,3}[^\p{L}]*\d[\p{L}\d_.:-]*$"
"""Up to three letters and then digits: a number of a catalogue, not a name."""
_BLANK_NODE = "_:"
_PAGE = r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*/(?:resource|page|wiki)/"
"""In such IRIs all that follows is a title, slashes and colons included."""


@dataclass(frozen=True, eq=False)
class NameTable:
    """The names of one graph: those of entity i are `texts[offsets[i]:offsets[i + 1]]`."""

    offsets: NDArray[np.int64]
    texts: pl.Series
    n_stated: int = 0
    """Entities named by a file or by name properties."""
    n_read: int = 0
    """Entities named by their identifiers."""

    @property
    def n_entities(self) -> int:
        """Entities of the graph, with and without names."""
        return len(self.offsets) - 1

    @property
    def n_named(self) -> int:
        """Entities with a name."""
        return self.n_stated + self.n_read

    def of(self, entity: int) -> list[str]:
        """The names of one entity."""
        low, high = self.offsets[entity : entity + 2].tolist()
        return self.texts[low:high].to_list()


@dataclass(frozen=True)
class NameAudit:
    """What is to be known about the names before any figure is believed."""

    left_named: float
    """Share of the left entities that have a name."""
    right_named: float
    equal: float
    """Share of the smaller side's entities that have a name in common with one of the other side, letter for
    letter: what comparing text would find."""
    equal_ids: float
    """The same share for whole identifiers."""
    left_stated: int
    """Left entities named by a file or by name properties, and not by their identifiers."""
    right_stated: int


@dataclass(frozen=True, eq=False)
class NamesUsed:
    """What a run made of names: enough to say it again."""

    left: NameTable
    right: NameTable
    encoder: str
    audit: NameAudit
    similarity: NDArray[np.float32]
    """How much alike the names of each candidate pair are, in the order of the candidates."""


def names_of(
    graph: KnowledgeGraph,
    given: pl.DataFrame | None = None,
    properties: Sequence[str] = NAME_PROPERTIES,
    *,
    read_ids: bool = True,
) -> NameTable:
    """The names of all entities of a graph; `given` are those of a file, in columns entity and text."""
    stated = _stated(graph, properties)
    if given is not None:
        stated = pl.concat([given, stated.join(given, on="entity", how="anti")])
    filled = stated.with_columns(pl.col("text").str.strip_chars()).filter(pl.col("text") != "")
    chosen = _first_few(filled)
    has_name = np.zeros(graph.n_entities, np.bool_)
    has_name[chosen["entity"].to_numpy()] = True
    read = _readable(graph, ~has_name) if read_ids else chosen.clear()
    table = pl.concat([chosen, read]).sort("entity", maintain_order=True)
    counts = np.bincount(table["entity"].to_numpy(), minlength=graph.n_entities)
    return NameTable(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        table["text"],
        int(has_name.sum()),
        len(read),
    )


def _stated(graph: KnowledgeGraph, properties: Sequence[str]) -> pl.DataFrame:
    """The values of the name properties: entity, text; those of the property named first come first."""
    rank = pl.DataFrame({"attribute": list(properties), "rank": range(len(properties))})
    found = graph.attributes.join(rank.cast({"attribute": pl.String}), on="attribute")
    ordered = found.sort("entity", "rank", "value")
    return ordered.select(pl.col("entity").cast(pl.Int32), pl.col("value").alias("text"))


def _first_few(names: pl.DataFrame) -> pl.DataFrame:
    """Each entity's distinct names, as many as are kept."""
    distinct = names.unique(maintain_order=True)
    place = pl.int_range(pl.len()).over("entity")
    return distinct.filter(place < MOST)


def _readable(graph: KnowledgeGraph, wanted: NDArray[np.bool_]) -> pl.DataFrame:
    """The readable parts of the wanted entities' identifiers, if most of the graph's are readable."""
    parts = readable_parts(graph.entities)
    is_blank = graph.entities.str.starts_with(_BLANK_NODE)
    is_readable = (has_words(parts) & ~is_blank).sum() >= _READABLE_SHARE * max(1, graph.n_entities)
    is_name = (parts != "") & ~is_blank & is_readable
    rows = np.flatnonzero(is_name.to_numpy() & wanted).astype(np.int32)
    return pl.DataFrame({"entity": rows, "text": parts.gather(rows)}, schema=_COLUMNS)


_COLUMNS = {"entity": pl.Int32, "text": pl.String}


def readable_parts(ids: pl.Series) -> pl.Series:
    """The last part of each identifier, with blanks for underscores: `…/Ada_Lovelace` → `Ada Lovelace`."""
    whole = pl.col("id").str.strip_chars_end("/#")
    last = whole.str.replace(r"^.*[#/]", "").str.replace(r"^[A-Za-z][\w.-]*:(.*\p{L})", "$1")
    part = pl.when(whole.str.contains(_PAGE)).then(whole.str.replace(_PAGE, "")).otherwise(last)
    parts = ids.to_frame("id").select(part).to_series()
    if parts.str.contains("%", literal=True).any():
        parts = parts.map_elements(_unquoted, return_dtype=pl.String)
    return parts.str.replace_all("_", " ", literal=True).str.strip_chars()


def _unquoted(text: str) -> str:
    from urllib.parse import unquote  # noqa: PLC0415  (few graphs need it)

    return unquote(text)


def has_words(names: pl.Series) -> pl.Series:
    """Whether a name has letters that are more than the mark of a catalogue number, such as Q42."""
    return names.str.contains(_LETTERS) & ~names.str.contains(_CODE)


def audit(
    left: KnowledgeGraph, right: KnowledgeGraph, left_names: NameTable, right_names: NameTable
) -> NameAudit:
    """How many have names, and how many of these are literally equal on both sides."""
    sides = [_owned(table) for table in (left_names, right_names)]
    common = sides[0].join(sides[1].unique("text"), on="text", how="semi")["entity"].n_unique()
    back = sides[1].join(sides[0].unique("text"), on="text", how="semi")["entity"].n_unique()
    smaller = max(1, min(left.n_entities, right.n_entities))
    same = int(left.entities.is_in(right.entities.implode()).sum())
    return NameAudit(
        left_names.n_named / max(1, left.n_entities),
        right_names.n_named / max(1, right.n_entities),
        min(1.0, min(common, back) / smaller),
        float(same) / smaller,
        left_names.n_stated,
        right_names.n_stated,
    )


def _owned(names: NameTable) -> pl.DataFrame:
    owners = np.repeat(np.arange(names.n_entities, dtype=np.int32), np.diff(names.offsets))
    return pl.DataFrame({"entity": owners, "text": names.texts.str.to_lowercase()})
