"""Files of any format to one knowledge graph."""

from __future__ import annotations

import io
import logging
from pathlib import Path

import polars as pl

from lightea.errors import ReadError
from lightea.graph import KnowledgeGraph
from lightea.graph_builder import GraphBuilder
from lightea.reading.detect import Format, format_of
from lightea.reading.dialect import TRIPLE
from lightea.reading.headers import Fact, warn_of_header
from lightea.reading.literals import literal_parts
from lightea.reading.ntriples import read_lines
from lightea.reading.rdf import RDF_FORMATS, facts_of, statements
from lightea.reading.sources import Paths, files_of, listed, plain_name, refuse_empty, sampled
from lightea.reading.tabular import parquet_table, text_tables
from lightea.reading.terms import BlankNames, WrittenLabels, bare_names

logger = logging.getLogger(__name__)

_ROWS = 1 << 20


def read(
    path_or_paths: Paths,
    *,
    format: str | None = None,  # noqa: A002  (what the option is called everywhere)
    name: str | None = None,
) -> KnowledgeGraph:
    """Read a knowledge graph from a file, a directory of files, or several of either.

    Tables of triples (TSV, CSV, Parquet) and RDF (N-Triples, N-Quads, Turtle, TriG, RDF/XML) are told apart
    by name and content, unless `format` says what they are; each may be compressed (.gz, .bz2, .zst).
    Literals become `attributes`; the graphs of N-Quads and TriG are read as one.
    """
    paths = listed(path_or_paths)
    files = files_of(paths)
    builder = GraphBuilder()
    first_rows: dict[Path, Fact] = {}
    for number, file in enumerate(files, start=1):
        with sampled(file) as (sample, stream):
            if len(files) == 1:
                refuse_empty(file, sample)
            elif not sample.strip():
                logger.info("%s: the file is empty", file)
                continue
            prefix = "" if len(files) == 1 else f"{number}."
            first_row = _add_file(builder, file, sample, stream, asked=format, blank_prefix=prefix)
            if first_row is not None:
                first_rows[file] = first_row
    if builder.is_empty:
        raise ReadError(paths[0], "there are no facts in it", hint="check that this is the right file")
    title = plain_name(paths[0]) if name is None else name
    graph = builder.build(title, entity_names=bare_names, relation_names=bare_names)
    if len(graph.attributes):
        logger.info("%s: literals kept apart as attributes: %d", title, len(graph.attributes))
    warn_of_header(graph, first_rows)
    return graph


def _add_file(
    builder: GraphBuilder,
    path: Path,
    sample: bytes,
    stream: io.BufferedReader,
    *,
    asked: str | None,
    blank_prefix: str,
) -> Fact | None:
    """Add the facts of one file, which begins with the sample, its blank nodes marked with the prefix.

    Returns the first fact of a table of text, which might be a header.
    """
    known = format_of(path, sample, asked, TRIPLE)
    logger.debug("%s: reading as %s", path, known)
    if known in RDF_FORMATS:
        _add_rdf(builder, path, stream, known, blank_prefix)
    elif known == "parquet":
        for table in parquet_table(path, stream, TRIPLE).iter_slices(_ROWS):
            add_table(builder, table)
    else:
        first_row: Fact | None = None
        for table in text_tables(path, stream, sample, TRIPLE, known if asked else None):
            if first_row is None and len(table):
                head, relation, tail = table.row(0)
                first_row = head, relation, tail
            add_table(builder, table)
        return first_row
    return None


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


def _add_rdf(
    builder: GraphBuilder, path: Path, stream: io.BufferedReader, known: Format, blank_prefix: str
) -> None:
    if known == "ntriples":
        left_out = read_lines(path, stream, builder, blank_prefix)
    else:
        written = WrittenLabels()
        names = BlankNames(blank_prefix, written)
        left_out = 0
        for facts in facts_of(statements(path, stream, RDF_FORMATS[known], written), names.name):
            builder.add_triples(facts.triples)
            builder.add_attributes(facts.attributes)
            left_out += facts.left_out
    if left_out:
        logger.warning("%s: statements about statements left out: %d", path, left_out)
