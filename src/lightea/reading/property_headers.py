"""What the header of a table says, where it is more than which column is head, relation and tail."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lightea.reading.blocks import BOM
from lightea.reading.dialect import split_cells

_XSD = "http://www.w3.org/2001/XMLSchema#"
NEO4J_DATATYPES = {
    **dict.fromkeys(("int", "long", "short", "byte"), f"{_XSD}integer"),
    **dict.fromkeys(("float", "double"), f"{_XSD}double"),
    "boolean": f"{_XSD}boolean",
    "date": f"{_XSD}date",
    **dict.fromkeys(("time", "localtime"), f"{_XSD}time"),
    **dict.fromkeys(("datetime", "localdatetime"), f"{_XSD}dateTime"),
    "duration": f"{_XSD}duration",
    **dict.fromkeys(("string", "char", "point", "vector", ""), None),
}
NEO4J_ROLES = ("ID", "LABEL", "START_ID", "END_ID", "TYPE", "IGNORE")
_FIELD = re.compile(r"(?P<name>.*?)(?::(?P<kind>\w+)(?P<list>\[\])?(?:\((?P<space>.*)\))?)?(?:\{.*\})?")

KGX_NODE, KGX_EDGE = {"id", "category"}, {"subject", "predicate", "object"}
_KGX_MORE = {
    *("id", "category", "relation", "knowledge_source", "primary_knowledge_source", "provided_by"),
    *("aggregator_knowledge_source", "knowledge_level", "agent_type", "publications"),
}
"""Columns that a table of statements has only if it is KGX."""


@dataclass(frozen=True)
class Header:
    """The titles of a table, and where they stand: what is above them is not part of the table."""

    titles: tuple[str, ...]
    delimiter: str
    line: int
    quoted: bool

    def position(self, *names: str) -> int | None:
        """The column with the first of these titles that there is."""
        plain = [title.strip().lower() for title in self.titles]
        return next((plain.index(name) for name in names if name in plain), None)


@dataclass(frozen=True)
class Field:
    """One title of a Neo4j header in its parts."""

    name: str
    kind: str
    is_list: bool
    space: str | None


def header_of(
    sample: bytes, delimiters: Sequence[str], *, quoted: Sequence[str], comments: bool = False
) -> list[Header]:
    """The first line of a table as each delimiter would part it, if it makes two columns or more.

    Blank lines above it are passed over, and with `comments` lines that begin with #. In tables with one of
    the `quoted` delimiters, quotes may enclose a cell.
    """
    text = (
        sample.removeprefix(BOM).decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    )
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and not (comments and line.startswith("#")):
            return [
                Header(tuple(cells), delimiter, number, delimiter in quoted)
                for delimiter in delimiters
                if len(cells := split_cells(line, delimiter, quoted=delimiter in quoted)) > 1
            ]
    return []


def neo4j_header(sample: bytes) -> Header | None:
    """The header of a table for Neo4j's admin import, None if the text has none."""
    for header in header_of(sample, (",", "\t", ";", "|"), quoted=(",", "\t", ";", "|")):
        kinds = {field.kind for field in neo4j_fields(header)}
        if "ID" in kinds or {"START_ID", "END_ID"} & kinds:
            return header
    return None


def kgx_header(sample: bytes) -> Header | None:
    """The header of a KGX table, None if the text has none."""
    for header in header_of(sample, ("\t", ","), quoted=(",",)):
        titles = {title.strip() for title in header.titles}
        if titles >= KGX_NODE or (titles >= KGX_EDGE and _KGX_MORE & titles):
            return header
    return None


def neo4j_fields(header: Header) -> list[Field]:
    """The titles of a header for Neo4j in their parts."""
    return [_field(title.strip()) for title in header.titles]


def _field(title: str) -> Field:
    """The parts of a title; a colon before what is no type is part of the name."""
    match = _FIELD.fullmatch(title)
    kind = match["kind"] if match else None
    if match is None or kind is None or (kind not in NEO4J_ROLES and kind.lower() not in NEO4J_DATATYPES):
        return Field(title, "", is_list=False, space=None)
    known = kind if kind in NEO4J_ROLES else kind.lower()
    return Field(match["name"], known, is_list=match["list"] is not None, space=match["space"])
