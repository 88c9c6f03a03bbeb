"""The alignment format of the Ontology Alignment Evaluation Initiative: RDF/XML, a cell for each link.

https://moex.gitlabpages.inria.fr/alignapi/format.html
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

import polars as pl

from lightea.exchange.mapping_set import MappingSet, slices

_START = """\
<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment"
         xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
         xmlns:xsd="http://www.w3.org/2001/XMLSchema#">
<Alignment rdf:about={iri}>
  <xml>yes</xml>
  <level>0</level>
  <type>{kind}</type>
  <onto1><Ontology rdf:about={left}/></onto1>
  <onto2><Ontology rdf:about={right}/></onto2>
"""
_END = "</Alignment>\n</rdf:RDF>\n"
_CELL = (
    '  <map><Cell><entity1 rdf:resource="{}"/><entity2 rdf:resource="{}"/>'
    '<measure rdf:datatype="http://www.w3.org/2001/XMLSchema#float">{}</measure>'
    "<relation>=</relation></Cell></map>\n"
)
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
"""The ampersand stands first, so that those made by the others are not replaced."""


def oaei_rdf(mappings: MappingSet) -> Iterator[bytes]:
    """The file, piece by piece."""
    yield _START.format(
        iri=quoteattr(mappings.iri),
        kind=_kind(mappings.links),
        left=quoteattr(mappings.left_source),
        right=quoteattr(mappings.right_source),
    ).encode("utf-8")
    for piece in slices(mappings.links):
        cells = pl.format(_CELL, _escaped("left_iri"), _escaped("right_iri"), decimals("probability"))
        yield "".join(piece.select(cells).to_series()).encode("utf-8")
    yield _END.encode("utf-8")


def decimals(column: str) -> pl.Expr:
    """Probabilities with six decimals, and never outside of 0 to 1."""
    whole = (pl.col(column).cast(pl.Float64).clip(0.0, 1.0) * 1e6).round().cast(pl.Int64)
    return pl.format("{}.{}", whole // 1_000_000, (whole % 1_000_000).cast(pl.String).str.zfill(6))


def _kind(links: pl.DataFrame) -> str:
    """How often the left entities, and the right ones, are linked: ? at most once, * any number of times."""
    repeats = (links[side].is_duplicated().any() for side in ("left_iri", "right_iri"))
    return "".join("*" if repeated else "?" for repeated in repeats)


def _escaped(column: str) -> pl.Expr:
    expression = pl.col(column)
    for character, written in _ENTITIES.items():
        expression = expression.str.replace_all(character, written, literal=True)
    return expression
