"""Property graphs as tables: CSV for Neo4j's admin import, and KGX.

Nodes and relationships stand in tables of their own, told apart by their headers:

    Neo4j   personId:ID(Person),name,born:int,:LABEL      :START_ID(Person),:END_ID(Film),:TYPE
    KGX     id  category  name                            subject  predicate  object  id

A node is an entity; labels, categories and properties are its attributes; a relationship is a fact, whose
own properties no graph of entities can hold. The ids of a Neo4j id space are written `space/id`, since other
spaces may have the same ones.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import polars as pl

from lightea.errors import ReadError
from lightea.graph import ATTRIBUTE_SCHEMA, FACT_COLUMNS
from lightea.reading.property_headers import (
    KGX_EDGE,
    NEO4J_DATATYPES,
    NEO4J_ROLES,
    Field,
    Header,
    neo4j_fields,
)
from lightea.reading.records import records

_LABEL = ":LABEL"

_KGX_LISTS = {
    *("category", "synonym", "exact_synonym", "related_synonym", "broad_synonym", "narrow_synonym"),
    *("xref", "same_as", "publications", "provided_by", "in_taxon", "aggregator_knowledge_source"),
}
"""Columns of nodes that may hold several values with | between them."""


@dataclass(frozen=True)
class Part:
    """Some rows of such a table, by name: facts, literals, and all nodes, those without either included."""

    facts: pl.DataFrame
    attributes: pl.DataFrame
    nodes: pl.Series


@dataclass(frozen=True)
class _Column:
    """One property column: which attribute it is, and how a cell is read."""

    position: int
    attribute: str
    datatype: str | None = None
    separator: str | None = None


def neo4j_parts(
    path: Path, stream: io.BufferedReader, sample: bytes, header: Header, name: str
) -> Iterator[Part]:
    """The rows of a table for Neo4j; relationships without a :TYPE column are all of the type `name`."""
    fields = neo4j_fields(header)
    places = {role: [i for i, field in enumerate(fields) if field.kind == role] for role in NEO4J_ROLES}
    _check_fields(path, header, places)
    if places["ID"]:
        node = places["ID"][0]
        read = partial(_nodes, _entity(fields, node), _columns(fields))
        required = [node]
    else:
        start, end = places["START_ID"][0], places["END_ID"][0]
        kind = pl.col(str(places["TYPE"][0])) if places["TYPE"] else pl.lit(name)
        read = partial(_edges, _entity(fields, start), kind, _entity(fields, end))
        required = [start, end, *places["TYPE"]]
    yield from map(read, records(path, stream, sample, header, required))


def kgx_parts(path: Path, stream: io.BufferedReader, sample: bytes, header: Header) -> Iterator[Part]:
    """The rows of a KGX table of nodes or edges."""
    titles = [title.strip() for title in header.titles]
    if set(titles) >= KGX_EDGE:
        required = [titles.index(role) for role in ("subject", "predicate", "object")]
        head, relation, tail = (pl.col(str(position)) for position in required)
        read = partial(_edges, head, relation, tail)
    else:
        required = [titles.index("id")]
        columns = [
            _Column(position, title, separator="|" if title in _KGX_LISTS else None)
            for position, title in enumerate(titles)
            if title != "id"
        ]
        read = partial(_nodes, pl.col(str(required[0])), columns)
    yield from map(read, records(path, stream, sample, header, required))


def _entity(fields: Sequence[Field], position: int) -> pl.Expr:
    """The names of the nodes that a column tells."""
    column, space = pl.col(str(position)), fields[position].space
    return pl.lit(f"{space}/") + column if space else column


def _columns(fields: Sequence[Field]) -> list[_Column]:
    """The columns of a table of nodes that say something of them; an id with a name is a property, too."""
    columns: list[_Column] = []
    for position, field in enumerate(fields):
        if field.kind == "LABEL":
            columns.append(_Column(position, _LABEL, separator=";"))
        elif field.name and (field.kind == "ID" or field.kind not in NEO4J_ROLES):
            separator = ";" if field.is_list else None
            columns.append(_Column(position, field.name, NEO4J_DATATYPES.get(field.kind), separator))
    return columns


def _nodes(node: pl.Expr, columns: Sequence[_Column], table: pl.DataFrame) -> Part:
    named = table.with_columns(node=node)
    literals = [_literals(named, column) for column in columns]
    attributes = pl.concat([_no_literals(), *literals])
    return Part(pl.DataFrame(schema=dict.fromkeys(FACT_COLUMNS, pl.String)), attributes, named["node"])


def _literals(table: pl.DataFrame, column: _Column) -> pl.DataFrame:
    cells = table.select(entity="node", value=str(column.position)).drop_nulls()
    values = (
        cells
        if column.separator is None
        else cells.with_columns(pl.col("value").str.split(column.separator)).explode("value")
    )
    return values.filter(pl.col("value").str.strip_chars() != "").select(
        "entity",
        pl.lit(column.attribute).alias("attribute"),
        "value",
        pl.lit(column.datatype, pl.String).alias("datatype"),
        pl.lit(None, pl.String).alias("language"),
    )


def _edges(head: pl.Expr, relation: pl.Expr, tail: pl.Expr, table: pl.DataFrame) -> Part:
    facts = table.select(head=head, relation=relation, tail=tail)
    return Part(facts, _no_literals(), pl.Series([], dtype=pl.String))


def _no_literals() -> pl.DataFrame:
    return pl.DataFrame(schema=ATTRIBUTE_SCHEMA | {"entity": pl.String})


def _check_fields(path: Path, header: Header, places: dict[str, list[int]]) -> None:
    """Complain of a header that does not say which nodes its rows are about."""
    shown = header.delimiter.join(title.strip() for title in header.titles)
    if places["ID"] and (places["START_ID"] or places["END_ID"]):
        raise ReadError(
            path,
            f"the header names both a node (:ID) and a relationship (:START_ID, :END_ID): {shown}",
            line=header.line or None,
            hint="nodes and relationships stand in tables of their own",
        )
    missing = "" if places["ID"] else next((k for k in ("START_ID", "END_ID") if not places[k]), "")
    if missing:
        raise ReadError(
            path,
            f"the header has no :{missing}: {shown}",
            line=header.line or None,
            hint="a table of relationships needs :START_ID, :END_ID and :TYPE",
        )
    for role in ("ID", "START_ID", "END_ID", "TYPE"):
        if len(places[role]) > 1:
            raise ReadError(
                path,
                f"the header has {len(places[role])} columns :{role}, but there must be one: {shown}",
                line=header.line or None,
                hint="join them to one column",
            )
