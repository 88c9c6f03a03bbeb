"""What an entity is called by its own graph: the label that people would read."""

from __future__ import annotations

import polars as pl

from lightea.graph import KnowledgeGraph

_SAYING = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "rdfs:label",
    "skos:prefLabel",
    "label",
    "name",
)
"""Attributes that hold labels, the most telling first."""
_LONGEST = 200
_READABLE_URI = r"^[A-Za-z][A-Za-z0-9+.\-]*://[\x21-\x7E]*$"


def entity_labels(graph: KnowledgeGraph, names: pl.Series) -> pl.Series:
    """The label of each named entity, on one line; null for those without.

    English goes before no language, and that before others; then the alphabet decides. An entity without a
    label is called by its name where its URI is not readable: by all of it, or by the last part of an IRI.
    """
    name = pl.col("name")
    readable = name.str.contains(_READABLE_URI)
    last = pl.when(name.str.contains("://")).then(name.str.extract("([^/#]*)[/#]*$")).otherwise(name)
    called = names.to_frame("name").select(pl.when(~readable).then(_on_one_line(last)))
    return pl.select(pl.coalesce(_said(graph, names), called.to_series())).to_series()


def _said(graph: KnowledgeGraph, names: pl.Series) -> pl.Series:
    """The label of each named entity by its graph, null for those without."""
    said = graph.attributes.filter(pl.col("attribute").is_in(_SAYING))
    language = pl.col("language").fill_null("").str.to_lowercase()
    ranked = said.select(
        "entity",
        pl.col("attribute").replace_strict({one: rank for rank, one in enumerate(_SAYING)}).alias("saying"),
        pl.when(language.str.contains("^en(-|$)"))
        .then(0)
        .when(language == "")
        .then(1)
        .otherwise(2)
        .alias("tongue"),
        language.alias("language"),
        _on_one_line(pl.col("value")).alias("label"),
    ).filter(pl.col("label") != "")
    best = ranked.sort("entity", "saying", "tongue", "language", "label").unique("entity", keep="first")
    wanted = pl.DataFrame({"entity": graph.find(names)})
    return wanted.join(best, on="entity", how="left", maintain_order="left")["label"]


def _on_one_line(text: pl.Expr) -> pl.Expr:
    return text.str.replace_all(r"[\s\x00-\x1F]+", " ").str.strip_chars().str.head(_LONGEST)
