"""Tables of facts by name, added to a graph."""

from __future__ import annotations

import polars as pl

from lightea.graph_builder import GraphBuilder
from lightea.reading.literals import literal_parts


def add_table(builder: GraphBuilder, table: pl.DataFrame) -> None:
    """Add facts given by name; a tail written as a literal becomes an attribute."""
    quoted = table["tail"].str.starts_with('"')
    if not quoted.any():
        builder.add_triples(table)
        return
    literals = literal_parts(table["tail"].set(~quoted, None))
    is_literal = literals["value"].is_not_null()
    builder.add_triples(table.filter(~is_literal))
    described = table.select(entity="head", attribute="relation").hstack(literals)
    builder.add_attributes(described.filter(is_literal))
