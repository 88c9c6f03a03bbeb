"""SSSOM TSV: the table for mappings that people share, with its metadata on top.

https://mapping-commons.github.io/sssom/

Tools for it know ASCII only: what an IRI holds beyond that is percent-encoded here, and here alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import polars as pl

from lightea.exchange.entity_labels import entity_labels
from lightea.exchange.iris import uris
from lightea.exchange.mapping_set import MappingSet, slices
from lightea.exchange.prefixes import BUILT_IN, compact

_SAME = "owl:sameAs"
_NO_TERM = "sssom:NoTermFound"
_JUSTIFICATION = "semapv:StructuralMatching"
"""Links are found by what the graphs say of an entity, not by how it is called."""
_OWN_PREFIXES = {name: f"urn:lightea:{name}:" for name in ("left", "right", "graph")}
"""However rare names in these namespaces are, no other prefix says what they are."""


def sssom_tsv(mappings: MappingSet) -> Iterator[bytes]:
    """The file, piece by piece."""
    rows = _rows(mappings)
    sources = pl.Series([mappings.left_source, mappings.right_source])
    (subjects, objects, told), prefixes = compact(
        [uris(rows["subject_id"]), uris(rows["object_id"].drop_nulls()), uris(sources)],
        _OWN_PREFIXES | mappings.publication.prefixes,
    )
    yield _metadata(mappings, told, prefixes).encode("utf-8")
    filled = pl.concat([objects, pl.Series([_NO_TERM] * (len(rows) - len(objects)), dtype=pl.String)])
    table = rows.with_columns(subjects.alias("subject_id"), filled.alias("object_id"))
    kept = [name for name in table.columns if not (name.endswith("_label") and table[name].is_null().all())]
    yield ("\t".join(kept) + "\n").encode("utf-8")
    for piece in slices(table.select(kept)):
        text = piece.write_csv(
            separator="\t", include_header=False, quote_style="necessary", float_precision=6
        )
        yield text.encode("utf-8")


def _rows(mappings: MappingSet) -> pl.DataFrame:
    """Links, then those without a counterpart, whose object is null; entities by their IRIs."""
    left, right = mappings.alignment.left, mappings.alignment.right
    links, alone = mappings.links, mappings.alone
    found = links.select(
        pl.col("left_iri").alias("subject_id"),
        entity_labels(left, links["left"]).alias("subject_label"),
        pl.lit(_SAME).alias("predicate_id"),
        pl.col("right_iri").alias("object_id"),
        entity_labels(right, links["right"]).alias("object_label"),
        pl.lit(_JUSTIFICATION).alias("mapping_justification"),
        _cardinality().alias("mapping_cardinality"),
        pl.col("probability").alias("confidence"),
    )
    missed = alone.select(
        pl.col("left_iri").alias("subject_id"),
        entity_labels(left, alone["left"]).alias("subject_label"),
        pl.lit(_SAME).alias("predicate_id"),
        pl.lit(None, pl.String).alias("object_id"),
        pl.lit(None, pl.String).alias("object_label"),
        pl.lit(_JUSTIFICATION).alias("mapping_justification"),
        pl.lit("1:0").alias("mapping_cardinality"),
        pl.col("probability").alias("confidence"),
    )
    return pl.concat([found, missed])


def _cardinality() -> pl.Expr:
    """How many the two ends of a link are linked with: 1:1, 1:n, n:1 or n:n."""
    lefts = pl.when(pl.len().over("right_iri") > 1).then(pl.lit("n")).otherwise(pl.lit("1"))
    rights = pl.when(pl.len().over("left_iri") > 1).then(pl.lit("n")).otherwise(pl.lit("1"))
    return lefts + ":" + rights


def _metadata(mappings: MappingSet, sources: pl.Series, prefixes: dict[str, str]) -> str:
    """The commented lines on top: YAML, with every text in the quotes of JSON, which YAML reads as well."""
    used = prefixes | {name: BUILT_IN[name] for name in ("owl", "semapv", "sssom")}
    facts = {
        "mapping_set_id": mappings.iri,
        "mapping_set_title": mappings.title,
        "mapping_set_description": mappings.description,
        "license": mappings.publication.license,
        "subject_type": "owl named individual",
        "subject_source": sources[0],
        "subject_source_version": mappings.left_version,
        "object_type": "owl named individual",
        "object_source": sources[1],
        "object_source_version": mappings.right_version,
        "mapping_tool": "lightea",
        "mapping_tool_version": mappings.tool_version,
    }
    lines = ["#curie_map:", *(f"#  {name}: {_quoted(namespace)}" for name, namespace in sorted(used.items()))]
    lines += [f"#{name}: {_quoted(value)}" for name, value in facts.items()]
    if mappings.publication.date is not None:
        lines.append(f"#mapping_date: {_quoted(mappings.publication.date.isoformat())}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
