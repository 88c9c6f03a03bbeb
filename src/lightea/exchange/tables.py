"""Links as tables for programs and people: TSV and Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterator

import polars as pl

from lightea.exchange.mapping_set import MappingSet, slices

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
"""The backslash stands first, so that those made by the others are not doubled."""


def links_tsv(mappings: MappingSet) -> Iterator[bytes]:
    """Left, right and probability, in order of the left name."""
    yield b"left\tright\tprobability\n"
    for piece in slices(mappings.named):
        yield tsv(piece, header=False)


def links_parquet(mappings: MappingSet) -> Iterator[bytes]:
    """Names, IRIs and probability of the two ends of each link."""
    file = io.BytesIO()
    mappings.links.write_parquet(file, compression="zstd", statistics=False, row_group_size=1 << 20)
    yield file.getvalue()


def tsv(table: pl.DataFrame, *, header: bool = True) -> bytes:
    r"""A table as TSV: each row is one line, with `\t`, `\n`, `\r` and `\\` for what would break it."""
    text = io.BytesIO()
    table.with_columns(_escaped(name) for name, kind in table.schema.items() if kind == pl.String).write_csv(
        text, separator="\t", quote_style="never", float_precision=6, include_header=header
    )
    return text.getvalue()


def _escaped(name: str) -> pl.Expr:
    expression = pl.col(name)
    for character, written in _ESCAPES.items():
        expression = expression.str.replace_all(character, written, literal=True)
    return expression
