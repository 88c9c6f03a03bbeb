"""RDF documents as facts, one statement after the other, through pyoxigraph."""

from __future__ import annotations

import contextlib
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, BinaryIO, cast

import polars as pl
import pyoxigraph as ox

from lightea.errors import ReadError
from lightea.graph import ATTRIBUTE_SCHEMA, FACT_COLUMNS
from lightea.reading.blocks import BOM
from lightea.reading.compression import open_bytes
from lightea.reading.literals import XSD_STRING
from lightea.reading.terms import WrittenLabels

RDF_FORMATS = {
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "nquads": ox.RdfFormat.N_QUADS,
    "turtle": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "n3": ox.RdfFormat.N3,
    "rdfxml": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}

BlankNamer = Callable[[str], str]

_BATCH = 1 << 17
_KEPT = 1 << 16
_XML_ROOT = re.compile(rb"<([\w.-]+:RDF)[\s>]")
_PLACE = re.compile(
    r"^Parser error (?:at line \d+ (?:column \d+|between [^:]*)|between [^:]*): | \(line \d+\)$"
    r"|^at \d+\.\.\d+: |(?<=: )position \d+: "  # of XML it counts from the start of a tag, which tells nobody
)
_REMOTE = "LoadDocumentCallback"
"""What the parser says where JSON-LD keeps its context at another place."""
_HINT = "mend the file; if it is of another kind, name its format: --format, or format=… in Python"


@dataclass(frozen=True)
class Facts:
    """Some statements, names written as N-Triples writes them: facts between entities, and literals."""

    triples: pl.DataFrame
    attributes: pl.DataFrame
    left_out: int = 0
    """Statements about statements, which a graph of entities cannot hold."""


def statements(
    path: Path,
    stream: io.BufferedReader,
    format_: ox.RdfFormat,
    written: WrittenLabels,
    base: str | None = None,
) -> Iterator[ox.Quad]:
    """The statements of a document; a syntax error names its place. Labels of blank nodes go to `written`.

    IRIs may be relative to `base`; without it, they must be whole.
    """
    skip_bom(stream)
    source = _Watched(stream, written)
    quads = ox.parse(cast("IO[bytes]", source), format=format_, base_iri=base)
    while True:
        try:
            quad = next(quads, None)
        except SyntaxError as problem:
            raise _located(path, problem, format_) from problem
        if quad is None:
            break
        yield quad
    if format_ is ox.RdfFormat.RDF_XML and source.is_cut_off():
        raise ReadError(path, "the XML ends before its root element does", hint="copy the file again")


def skip_bom(stream: io.BufferedReader) -> None:
    """Step over the mark that some editors put at the start of UTF-8 text."""
    if stream.peek(len(BOM)).startswith(BOM):
        stream.read(len(BOM))


def facts_of(quads: Iterable[ox.Quad], blank_name: BlankNamer) -> Iterator[Facts]:
    """The statements as tables, in batches."""
    remaining = iter(quads)
    while batch := list(islice(remaining, _BATCH)):
        yield _facts(batch, blank_name)


def literal_kind(literal: ox.Literal) -> tuple[str | None, str | None]:
    """Datatype and language; a plain string has neither, and text in a language needs no datatype."""
    datatype = None if literal.language or literal.datatype.value == XSD_STRING else literal.datatype.value
    return datatype, literal.language


def syntax_error(path: Path, problem: SyntaxError, *, lines_before: int = 0) -> ReadError:
    """The parser's complaint, with the place in the whole file."""
    if _REMOTE in problem.msg:
        return ReadError(
            path,
            "its @context stands elsewhere, and nothing is fetched from there",
            hint="write the context into the file, or convert it to N-Triples",
        )
    line = None if problem.lineno is None else problem.lineno + lines_before
    return ReadError(path, f"not valid RDF: {_what(problem)}", line=line, column=problem.offset, hint=_HINT)


def _what(problem: SyntaxError) -> str:
    """The complaint without its place, on one line, whatever it quotes from the document."""
    text = _PLACE.sub("", _PLACE.sub("", problem.msg))
    return text.replace("\r", "\\r").replace("\n", "\\n")


def _facts(quads: list[ox.Quad], blank_name: BlankNamer) -> Facts:
    triples: list[tuple[str, str, str]] = []
    literals: list[tuple[str, str, str, str | None, str | None]] = []
    for quad in quads:
        target = quad.object
        if isinstance(quad.subject, ox.Triple) or isinstance(target, ox.Triple):
            continue
        head, relation = _name(quad.subject, blank_name), str(quad.predicate)
        if isinstance(target, ox.Literal):
            literals.append((head, relation, target.value, *literal_kind(target)))
        else:
            triples.append((head, relation, _name(target, blank_name)))
    return Facts(
        pl.DataFrame(triples, schema=dict.fromkeys(FACT_COLUMNS, pl.String), orient="row"),
        pl.DataFrame(literals, schema=ATTRIBUTE_SCHEMA | {"entity": pl.String}, orient="row"),
        len(quads) - len(triples) - len(literals),
    )


def _located(path: Path, problem: SyntaxError, format_: ox.RdfFormat) -> ReadError:
    """The complaint with its place; of XML the parser tells none, so the document is read by lines again."""
    if problem.lineno is not None or _REMOTE in problem.msg or not path.is_file():  # pipes are read once
        return syntax_error(path, problem)
    with open_bytes(path) as stream:
        source = _LineByLine(stream)
        with contextlib.suppress(SyntaxError):
            deque(ox.parse(cast("IO[bytes]", source), format=format_), maxlen=0)
    return ReadError(path, f"not valid RDF: {_what(problem)}", line=source.line, hint=_HINT)


class _LineByLine:
    """A source that hands out one line at a time, so that its position tells how far the parser came."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.line = 0

    def read(self, _size: int = -1) -> bytes:
        self.line += 1
        return self._stream.readline()


class _Watched:
    """A source that remembers its start and its end, since the XML parser takes half a document for whole.

    And which labels of blank nodes were in it, since the parser does not say which it made up.
    """

    def __init__(self, stream: BinaryIO, written: WrittenLabels) -> None:
        self._stream = stream
        self._written = written
        self._start = b""
        self._end = b""

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._written.watch(data)
        self._start = self._start or data
        self._end = (self._end + data)[-_KEPT:] if len(data) < _KEPT else data[-_KEPT:]
        return data

    def is_cut_off(self) -> bool:
        root = _XML_ROOT.search(self._start)
        return root is not None and b"</" + root[1] not in self._end


def _name(term: ox.NamedNode | ox.BlankNode, blank_name: BlankNamer) -> str:
    return blank_name(term.value) if isinstance(term, ox.BlankNode) else str(term)
