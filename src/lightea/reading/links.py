"""Files of pairs: seeds, and known answers."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pyoxigraph as ox

from lightea.errors import ReadError
from lightea.graph import Links
from lightea.reading.compression import open_bytes
from lightea.reading.detect import Format, format_of
from lightea.reading.dialect import LINK
from lightea.reading.rdf import RDF_FORMATS, statements
from lightea.reading.sources import sample_of
from lightea.reading.tabular import parquet_table, text_tables
from lightea.reading.terms import BlankNames, bare_names

SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"

_NAMES = dict.fromkeys(LINK, pl.String)


def read_links(path: Path | str, *, format: str | None = None) -> Links:  # noqa: A002  (as in `read`)
    """Read pairs of entity names: a table of two columns (a third is ignored), or owl:sameAs statements.

    The format is told by name and content as in `read`.
    """
    file = Path(path)
    sample = sample_of(file)
    known = format_of(file, sample, format, LINK)
    with open_bytes(file) as stream:
        if known in RDF_FORMATS:
            pairs = _same_as(file, stream, known)
        elif known == "parquet":
            pairs = parquet_table(file, stream, LINK)
        else:
            tables = list(text_tables(file, stream, sample, LINK, known if format else None))
            pairs = pl.concat([pl.DataFrame(schema=_NAMES), *tables])
    if len(pairs) == 0:
        raise ReadError(file, "there are no links in it", hint="check that this is the right file")
    return Links(bare_names(pairs["left"]), bare_names(pairs["right"]))


def _same_as(path: Path, stream: io.BufferedReader, known: Format) -> pl.DataFrame:
    """The pairs of all owl:sameAs statements; other statements are passed over."""
    blank = BlankNames()
    pairs = [
        tuple(
            blank.name(end.value) if isinstance(end, ox.BlankNode) else str(end)
            for end in (quad.subject, quad.object)
        )
        for quad in statements(path, stream, RDF_FORMATS[known])
        if quad.predicate.value == SAME_AS and isinstance(quad.object, (ox.NamedNode, ox.BlankNode))
    ]
    return pl.DataFrame(pairs, schema=_NAMES, orient="row")
