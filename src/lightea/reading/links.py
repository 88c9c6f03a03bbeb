"""Files of pairs: seeds, and known answers."""

from __future__ import annotations

import io
import re
from pathlib import Path

import polars as pl
import pyoxigraph as ox

from lightea.errors import ReadError
from lightea.graph import Links
from lightea.reading.detect import Format, format_of
from lightea.reading.dialect import LINK
from lightea.reading.mappings import SAME, Cells, read_sssom, sssom_header
from lightea.reading.rdf import RDF_FORMATS, statements
from lightea.reading.sources import as_path, refuse_empty, sampled
from lightea.reading.tabular import parquet_table, text_tables
from lightea.reading.terms import BlankNames, WrittenLabels, bare_names

SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"

_BASE = "file:///"
"""Alignments often name themselves by nothing at all, which needs something to be relative to."""
_NAMES = dict.fromkeys(LINK, pl.String)
_OWN_HEADERS = ("left\tright\tprobability", "left\tright")
_ESCAPE = re.compile(r"\\([\\tnr])")
_ESCAPED = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}


def read_links(path: Path | str, *, format: str | None = None) -> Links:  # noqa: A002  (as in `read`)
    r"""Read pairs of entity names from a file.

    That is a table of two columns (a third is ignored), a SSSOM table, an OAEI alignment, or RDF with
    statements of owl:sameAs, skos:exactMatch, owl:equivalentClass or owl:equivalentProperty. The format is
    told by name and content as in `read`. In the tables of a run directory, which are known by
    their header, `\t`, `\n`, `\r` and `\\` stand for the characters that would break a line in two.
    """
    file = as_path(path)
    with sampled(file) as (sample, stream):
        refuse_empty(file, sample)
        links = _links(file, sample, stream, format)
    if len(links) == 0:
        raise ReadError(file, "there are no links in it", hint="check that this is the right file")
    return Links(bare_names(links.left), bare_names(links.right), prefixes=links.prefixes)


def _links(path: Path, sample: bytes, stream: io.BufferedReader, asked: str | None) -> Links:
    if asked is None and (header := sssom_header(sample)) is not None:
        return read_sssom(path, stream, sample, header)
    if asked is None and _is_own(sample):
        own = _table(path, sample, stream, "tsv")
        return Links(unescaped(own["left"]), unescaped(own["right"]))
    known = format_of(path, sample, asked, LINK)
    if known in RDF_FORMATS:
        return _stated(path, stream, known)
    pairs = (
        parquet_table(path, stream, LINK)
        if known == "parquet"
        else _table(path, sample, stream, known if asked else None)
    )
    return Links(pairs["left"], pairs["right"])


def _table(path: Path, sample: bytes, stream: io.BufferedReader, asked: str | None) -> pl.DataFrame:
    tables = list(text_tables(path, stream, sample, LINK, asked))
    return pl.concat([pl.DataFrame(schema=_NAMES), *tables])


def _is_own(sample: bytes) -> bool:
    """Whether a table is one of a run directory, of which only the header is sure to say so."""
    header = sample.partition(b"\n")[0].removesuffix(b"\r")
    return header.decode("utf-8", errors="replace") in _OWN_HEADERS


def unescaped(names: pl.Series) -> pl.Series:
    """The names as they were before `writing` put them on one line each."""
    if not names.str.contains("\\", literal=True).any():
        return names
    whole = [_ESCAPE.sub(lambda escape: _ESCAPED[escape[1]], name) for name in names]
    return pl.Series(names.name, whole, dtype=pl.String)


def _stated(path: Path, stream: io.BufferedReader, known: Format) -> Links:
    """The pairs of all statements that two things are the same, or else those of OAEI alignments.

    Other statements are passed over, unless there are only others.
    """
    written = WrittenLabels()
    blank = BlankNames(written=written)
    pairs: list[tuple[str, ...]] = []
    cells = Cells()
    other = ""
    for quad in statements(
        path, stream, RDF_FORMATS[known], written, base=_BASE if known == "rdfxml" else None
    ):
        ends = (quad.subject, quad.object)
        if quad.predicate.value not in SAME:
            is_known = cells.take(quad)
            other = other or ("" if is_known else quad.predicate.value)
        elif isinstance(quad.object, (ox.NamedNode, ox.BlankNode)):
            pairs.append(tuple(blank.name(e.value) if isinstance(e, ox.BlankNode) else str(e) for e in ends))
    if len(cells) and not pairs:
        return cells.links(path)
    if other and not pairs:
        raise ReadError(
            path,
            f"there are no links in it: of its statements none is owl:sameAs, but for example {other}",
            hint=f"write the pairs with <{SAME_AS}> between them, or as a table of two columns",
        )
    return Links([left for left, _ in pairs], [right for _, right in pairs])
