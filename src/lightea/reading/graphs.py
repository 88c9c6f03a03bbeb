"""Files of any format, or objects that hold a graph, to one knowledge graph."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from lightea.errors import ReadError
from lightea.graph import KnowledgeGraph
from lightea.graph_builder import GraphBuilder
from lightea.reading.columns import Columns, as_columns
from lightea.reading.detect import Format, format_of
from lightea.reading.dialect import TRIPLE
from lightea.reading.fact_tables import add_table
from lightea.reading.headers import Fact, warn_of_header
from lightea.reading.named_graphs import DEFAULT, NamedGraphs
from lightea.reading.ntriples import read_lines
from lightea.reading.objects import graph_of_object, holds_graph
from lightea.reading.property_headers import Header, kgx_header, neo4j_header
from lightea.reading.property_tables import kgx_parts, neo4j_parts
from lightea.reading.rdf import RDF_FORMATS, facts_of, statements
from lightea.reading.separate_headers import separate_headers
from lightea.reading.sources import Paths, files_of, listed, plain_name, refuse_empty, sampled
from lightea.reading.tabular import parquet_table, text_tables
from lightea.reading.terms import BlankNames, WrittenLabels, bare_names
from lightea.selection import Selection, select

logger = logging.getLogger(__name__)

Patterns = str | Sequence[str]
"""One name or pattern, or several."""

_ROWS = 1 << 20


@dataclass(frozen=True, eq=False)
class Reading:
    """A graph, and what reading it met."""

    graph: KnowledgeGraph
    files: Mapping[Path, Format]
    """The format of each file that was read, in their order; none for an object."""
    repeated: int
    """Facts that stood in the files before, and were read once."""


@dataclass(frozen=True)
class _Request:
    """How files are to be read, which is the same for all files of a graph."""

    asked: str | None
    columns: Columns | None
    graphs: NamedGraphs
    headers: Mapping[Path, Header]
    """Those that stand in files of their own, by the files they belong to."""


def read(
    source: Paths | Any,
    *,
    format: str | None = None,  # noqa: A002  (what the option is called everywhere)
    name: str | None = None,
    columns: Sequence[str] | str | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    languages: Patterns = (),
    graphs: Patterns = (),
) -> KnowledgeGraph:
    """Read a knowledge graph from a file, a directory of files, several of either, or an object.

    Tables of triples (TSV, CSV, Parquet), RDF (N-Triples, N-Quads, Turtle, TriG, N3, RDF/XML, JSON-LD), CSV
    for Neo4j's admin import and KGX are told apart by name and content, unless `format` says what they are;
    each may be compressed (.gz, .bz2, .zst), and `-` is the standard input. Objects are tables of pandas,
    Polars or Arrow, directed graphs of NetworkX, and HeteroData of PyTorch Geometric. Literals become
    `attributes`.

    `columns` are the titles (or numbers, from 1) of the columns of a table that hold head, relation and
    tail. `include` and `exclude` are relations and attributes, `languages` tags of literals, `graphs` named
    graphs of N-Quads, TriG and JSON-LD; see `Selection`. All of them may have `*` for what may be anything.
    """
    selection = Selection(several(include), several(exclude), several(languages))
    asked = None if columns is None else as_columns(columns)
    return select(read_whole(source, format, name, asked, several(graphs)).graph, selection)


def several(patterns: Patterns) -> tuple[str, ...]:
    """One pattern or several as a tuple."""
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def read_whole(
    source: Paths | Any,
    asked: str | None = None,
    name: str | None = None,
    columns: Columns | None = None,
    graphs: Sequence[str] = (),
) -> Reading:
    """Read all of a graph, and tell what was met on the way; the options are those of `read`."""
    if holds_graph(source):
        return Reading(graph_of_object(source, name, columns), {}, 0)
    paths = listed(source)
    files = files_of(paths)
    builder = GraphBuilder()
    first_rows: dict[Path, Fact] = {}
    formats: dict[Path, Format] = {}
    request = _Request(asked, columns, NamedGraphs(graphs), separate_headers(files))
    for number, file in enumerate(files, start=1):
        with sampled(file) as (sample, stream):
            if len(files) == 1:
                refuse_empty(file, sample)
            elif not sample.strip():
                logger.info("%s: the file is empty", file)
                continue
            prefix = "" if len(files) == 1 else f"{number}."
            formats[file] = _format(file, sample, request)
            first_row = _add_file(builder, file, sample, stream, formats[file], request, prefix)
            if first_row is not None:
                first_rows[file] = first_row
    request.graphs.refuse_none(paths[0])
    if builder.is_empty:
        raise ReadError(paths[0], "there are no facts in it", hint="check that this is the right file")
    title = plain_name(paths[0]) if name is None else name
    n_added = builder.n_triples
    graph = builder.build(title, entity_names=bare_names, relation_names=bare_names)
    if len(graph.attributes):
        logger.info("%s: literals kept apart as attributes: %d", title, len(graph.attributes))
    warn_of_header(graph, first_rows)
    return Reading(graph, formats, n_added - graph.n_triples)


def _format(path: Path, sample: bytes, request: _Request) -> Format:
    if path in request.headers and request.asked is None:
        return "neo4j"
    known = format_of(path, sample, request.asked, TRIPLE, else_table=request.columns is not None)
    return known if request.columns is None or known in RDF_FORMATS or known == "parquet" else "csv"


def _add_file(
    builder: GraphBuilder,
    path: Path,
    sample: bytes,
    stream: io.BufferedReader,
    known: Format,
    request: _Request,
    blank_prefix: str,
) -> Fact | None:
    """Add the facts of one file, which begins with the sample, its blank nodes marked with the prefix.

    Returns the first fact of a table of text, which might be a header.
    """
    logger.debug("%s: reading as %s", path, known)
    if known in RDF_FORMATS:
        _add_rdf(builder, path, stream, known, request.graphs, blank_prefix)
    elif known == "parquet":
        for table in parquet_table(path, stream, TRIPLE, request.columns).iter_slices(_ROWS):
            add_table(builder, table)
    elif known in {"neo4j", "kgx"}:
        _add_properties(builder, path, sample, stream, known, request)
    else:
        first_row: Fact | None = None
        asked = known if request.asked else None
        for table in text_tables(path, stream, sample, TRIPLE, asked, request.columns):
            if first_row is None and len(table):
                head, relation, tail = table.row(0)
                first_row = head, relation, tail
            add_table(builder, table)
        return None if request.columns else first_row
    return None


def _add_properties(
    builder: GraphBuilder,
    path: Path,
    sample: bytes,
    stream: io.BufferedReader,
    known: Format,
    request: _Request,
) -> None:
    find = neo4j_header if known == "neo4j" else kgx_header
    header = request.headers.get(path) or find(sample)
    if header is None:
        raise ReadError(
            path,
            "its first line is no header of "
            + (
                "Neo4j's admin import, with :ID, or :START_ID and :END_ID"
                if known == "neo4j"
                else "KGX, with id and category, or subject, predicate and object"
            ),
            line=1,
            hint="add the header, or leave --format (format=… in Python) to be told by the content",
        )
    parts = (
        neo4j_parts(path, stream, sample, header, plain_name(path))
        if known == "neo4j"
        else kgx_parts(path, stream, sample, header)
    )
    for part in parts:
        add_table(builder, part.facts)
        builder.add_entities(part.nodes)
        builder.add_attributes(part.attributes)


def _add_rdf(
    builder: GraphBuilder,
    path: Path,
    stream: io.BufferedReader,
    known: Format,
    graphs: NamedGraphs,
    blank_prefix: str,
) -> None:
    if known == "ntriples":
        left_out = read_lines(path, stream, builder, blank_prefix)
    else:
        written = WrittenLabels()
        names = BlankNames(blank_prefix, written)
        left_out = 0
        quads = statements(path, stream, RDF_FORMATS[known], written)
        for facts in facts_of(_wanted(quads, known, graphs), names.name):
            builder.add_triples(facts.triples)
            builder.add_attributes(facts.attributes)
            left_out += facts.left_out
    if left_out:
        logger.warning("%s: statements about statements left out: %d", path, left_out)


def _wanted(quads: Iterator[ox.Quad], known: Format, graphs: NamedGraphs) -> Iterator[ox.Quad]:
    """The statements of the graphs asked for; of N3 those that hold, not those that its rules speak of."""
    if known == "n3":
        return NamedGraphs([DEFAULT]).of(quads)
    return graphs.of(quads) if known in {"nquads", "trig", "jsonld"} else quads
