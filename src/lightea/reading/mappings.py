"""Mappings in the formats that tools exchange them in: SSSOM tables, and OAEI alignments in RDF.

Both carry more than pairs of the same: other relations, negations, and how sure their makers were. Only what
says "the same" becomes a link; the rest is counted in a warning.
"""

from __future__ import annotations

import io
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pyoxigraph as ox

from lightea.errors import ReadError
from lightea.graph import Links
from lightea.reading.property_headers import Header, header_of
from lightea.reading.records import records

logger = logging.getLogger(__name__)

SAME = {
    "http://www.w3.org/2002/07/owl#sameAs": "owl:sameAs",
    "http://www.w3.org/2004/02/skos/core#exactMatch": "skos:exactMatch",
    "http://www.w3.org/2002/07/owl#equivalentClass": "owl:equivalentClass",
    "http://www.w3.org/2002/07/owl#equivalentProperty": "owl:equivalentProperty",
}
"""Predicates by which two things are the same."""

_OAEI = "http://knowledgeweb.semanticweb.org/heterogeneity/alignment"
"""Written with or without # behind it."""
_EQUIVALENT = {"=", "==", "≡", "equivrelation", "equivalence", "equivalent"}
_NOTHING = {"sssom:NoTermFound", "https://w3id.org/sssom/NoTermFound"}
_SHORT_SAME = {"owl": "http://www.w3.org/2002/07/owl#", "skos": "http://www.w3.org/2004/02/skos/core#"}
_UNSURE = 0.5


def sssom_header(sample: bytes) -> Header | None:
    """The header of a SSSOM table, None if the text is none."""
    for header in header_of(sample, ("\t", ","), quoted=("\t", ","), comments=True):
        titles = {title.strip() for title in header.titles}
        if {"subject_id", "object_id"} <= titles and ({"predicate_id", "mapping_justification"} & titles):
            return header
    return None


def read_sssom(path: Path, stream: io.BufferedReader, sample: bytes, header: Header) -> Links:
    """The pairs of a SSSOM table whose predicate says "the same"; short names become whole IRIs."""
    columns = [
        header.position(name)
        for name in ("subject_id", "object_id", "predicate_id", "predicate_modifier", "confidence")
    ]
    ends = [position for position in columns[:2] if position is not None]
    tables = list(records(path, stream, sample, header, ends))
    rows = pl.concat(tables).select(
        pl.lit(None, pl.String).alias(name) if position is None else pl.col(str(position)).alias(name)
        for name, position in zip(("left", "right", "predicate", "modifier", "measure"), columns, strict=True)
    )
    return _links(path, rows, _prefixes(path, sample, header))


@dataclass
class Cells:
    """The cells of OAEI alignments, gathered statement by statement."""

    _cells: dict[str, dict[str, str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._cells)

    def take(self, quad: ox.Quad) -> bool:
        """Whether the statement is part of an alignment; if so, it is kept."""
        if not quad.predicate.value.startswith(_OAEI):
            return False
        part = quad.predicate.value.removeprefix(_OAEI).removeprefix("#")
        if part in {"entity1", "entity2", "relation", "measure"} and not isinstance(quad.object, ox.Triple):
            self._cells.setdefault(str(quad.subject), {})[part] = quad.object.value
        return True

    def links(self, path: Path) -> Links:
        """The pairs of all cells whose relation is equivalence."""
        for number, cell in enumerate(self._cells.values(), start=1):
            for end in ("entity1", "entity2"):
                if not cell.get(end):
                    raise ReadError(
                        path, f"cell {number} has no {end}", hint="name both entities of each cell"
                    )
        parts = {"left": "entity1", "right": "entity2", "predicate": "relation", "measure": "measure"}
        rows = pl.DataFrame(
            {name: [cell.get(part) for cell in self._cells.values()] for name, part in parts.items()},
            schema=dict.fromkeys(parts, pl.String),
        )
        equivalent = rows["predicate"].fill_null("=").str.split(".").list.last().str.to_lowercase()
        marked = rows.with_columns(
            modifier=pl.lit(None, pl.String),
            predicate=pl.when(equivalent.is_in(list(_EQUIVALENT))).then(None).otherwise("predicate"),
        )
        return _links(path, marked, {})


def _links(path: Path, rows: pl.DataFrame, prefixes: Mapping[str, str]) -> Links:
    """The rows that say "the same"; one that names no predicate does."""
    predicates = _whole(rows["predicate"], _SHORT_SAME | dict(prefixes))
    is_same = predicates.is_null() | predicates.is_in([*SAME, *SAME.values()])
    is_denied = (rows["modifier"].str.to_lowercase() == "not").fill_null(value=False)
    names_both = ~(rows["left"].is_in(list(_NOTHING)) | rows["right"].is_in(list(_NOTHING)))
    used = rows.filter(is_same & ~is_denied & names_both)
    others = Counter(rows.filter(~is_same)["predicate"].to_list())
    if is_denied.any():
        others["a negation"] = int(is_denied.sum())
    if not names_both.all():
        others["no counterpart"] = int((~names_both).sum())
    if len(used) == 0:
        raise ReadError(
            path,
            f"none of its {len(rows):,} mappings says that two things are the same, but {_counted(others)}"
            if len(rows)
            else "there are no links in it",
            hint=f"seeds are mappings by {', '.join(SAME.values())}, or = in OAEI alignments",
        )
    if others:
        logger.warning(
            "%s: mappings left out, since they do not say that two things are the same: %d (%s)",
            *(path, len(rows) - len(used), _counted(others)),
        )
    _check_measures(path, used["measure"])
    return Links(_whole(used["left"], prefixes), _whole(used["right"], prefixes), prefixes=prefixes)


def _check_measures(path: Path, measures: pl.Series) -> None:
    """Warn of mappings that their makers were not sure of."""
    numbers = measures.drop_nulls().cast(pl.Float64, strict=False)
    if numbers.null_count() or ((numbers < 0) | (numbers > 1)).any():
        odd = measures.drop_nulls().filter(numbers.is_null() | ~numbers.is_between(0, 1))[0]
        raise ReadError(
            path, f"a confidence is {odd!r}, but must be from 0 to 1", hint="mend it, or drop the column"
        )
    n_unsure = int((numbers < _UNSURE).sum())
    if n_unsure:
        logger.warning(
            "%s: links whose own confidence is below %g: %d; they are used like the others",
            *(path, _UNSURE, n_unsure),
        )


def _whole(names: pl.Series, prefixes: Mapping[str, str]) -> pl.Series:
    """Short names as whole IRIs, where their prefix is known; everything else as it is."""
    if not prefixes or len(names) == 0:
        return names
    known = {f"{prefix}:": namespace for prefix, namespace in prefixes.items()}
    frame = pl.DataFrame({"name": names}).with_columns(
        prefix=pl.col("name").str.extract(r"^([^:/\s]*:)"),
        rest=pl.col("name").str.extract(r"^[^:/\s]*:(.*)$"),
    )
    namespace = pl.col("prefix").replace_strict(known, default=None, return_dtype=pl.String)
    whole = pl.when(namespace.is_not_null()).then(namespace + pl.col("rest")).otherwise("name")
    return frame.select(whole).to_series()


def _prefixes(path: Path, sample: bytes, header: Header) -> dict[str, str]:
    """The map of prefixes in the comment lines above a SSSOM table."""
    import yaml  # noqa: PLC0415  (few files need it)

    text = sample.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = [line.removeprefix("#") for line in text.split("\n")[: header.line - 1]]
    indent = " " if all(line.startswith(" ") or not line.strip() for line in lines) else ""
    try:
        metadata = yaml.safe_load("\n".join(line.removeprefix(indent) for line in lines))
    except yaml.YAMLError as problem:
        place = getattr(problem, "problem_mark", None)
        reason = getattr(problem, "problem", None) or "it is no YAML"
        raise ReadError(
            path,
            f"the metadata above the table cannot be read: {reason}",
            line=None if place is None else place.line + 1,
            hint="mend it, or drop the lines that begin with #; names must then be whole",
        ) from problem
    given = metadata.get("curie_map") if isinstance(metadata, dict) else None
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise ReadError(
            path, f"the curie_map is {given!r}, but must be a map of prefixes to IRIs", hint="mend it"
        )
    return {str(prefix): str(namespace) for prefix, namespace in given.items() if namespace}


def _counted(counts: Mapping[str, int]) -> str:
    """Up to three kinds of mappings with their number, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{name}: {count:,}" for name, count in ordered[:3]]
    return ", ".join([*shown, "…"] if len(ordered) > 3 else shown)
