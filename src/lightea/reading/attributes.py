"""Attribute tables of benchmark folders: entity, attribute, value, parted by tabs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from lightea.reading.blocks import Block, line_blocks, one_ahead
from lightea.reading.compression import open_bytes
from lightea.reading.literals import literal_parts
from lightea.reading.tabular import decoded

logger = logging.getLogger(__name__)


def attribute_tables(path: Path) -> Iterator[pl.DataFrame]:
    """Literals in the columns that a graph has for them, block by block.

    A value may be written as in N-Triples, or as it is; tabs in it belong to it. Lines without a value say
    nothing and are passed over.
    """
    with open_bytes(path) as stream:
        yield from one_ahead(_table(path, block) for block in line_blocks(stream))


def _table(path: Path, block: Block) -> pl.DataFrame:
    lines = pl.Series("line", decoded(path, block).replace("\r\n", "\n").split("\n"))
    parts = (
        lines.filter(lines != "")
        .str.splitn("\t", 3)
        .struct.rename_fields(["entity", "attribute", "text"])
        .struct.unnest()
    )
    whole = parts.drop_nulls()
    if len(whole) < len(parts):
        logger.info("%s: lines without a value passed over: %d", path, len(parts) - len(whole))
    literals = literal_parts(whole["text"])
    value = pl.coalesce("value", "text").alias("value")
    return whole.hstack(literals).select("entity", "attribute", value, "datatype", "language")
