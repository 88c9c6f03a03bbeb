"""IRIs → CURIEs (`dbr:Paris`), with the prefix map that spells them out again.

The namespace of an IRI is what stands before its last `/` or `#`. Namespaces that are rare give up their last
part until they are shared by enough IRIs, so that a map has about a hundred prefixes at most, however many
places the IRIs come from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import accumulate

import polars as pl

BUILT_IN = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "semapv": "https://w3id.org/semapv/vocab/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "sssom": "https://w3id.org/sssom/",
}
"""Prefixes that SSSOM gives this meaning, and no other."""
_CUSTOMARY = {
    **BUILT_IN,
    "dbr": "http://dbpedia.org/resource/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "linkml": "https://w3id.org/linkml/",
    "pav": "http://purl.org/pav/",
    "prov": "http://www.w3.org/ns/prov#",
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
    "schema": "http://schema.org/",
    "wd": "http://www.wikidata.org/entity/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "yago": "http://yago-knowledge.org/resource/",
}
_SCHEMES = {"http", "https", "urn", "file", "ftp", "tag", "info", "did", "mailto", "tel", "geo", "ark", "oid"}
"""No prefix is called so, or a CURIE would look like an IRI."""
_SAYS_LITTLE = {"resource", "resources", "entity", "entities", "id", "ids", "item", "page", "wiki", "www"}
_LONGEST_NAME = 20

_SHARE = 0.01
"""Share of the IRIs that makes a namespace worth a prefix."""

_NAMESPACE = r"^(.*[/#])[^/#]|^((?:[^:/#]*:)+)[^:]"
"""Up to the last `/` or `#`, or, without any, up to the last `:`; something is left behind it."""
_TOP = r"^[^:/#]*:(?://)?$"


def compact(iris: Iterable[pl.Series], given: Mapping[str, str]) -> tuple[list[pl.Series], dict[str, str]]:
    """Columns of IRIs as CURIEs, and the prefixes that they use; those `given` are taken where they fit."""
    columns = [column.rename("iri") for column in iris]
    iri, namespace = pl.col("iri"), pl.col("namespace")
    table = (
        pl.concat(columns)
        .to_frame()
        .with_columns(pl.coalesce(_given_namespace(given), _parent(iri)).alias("namespace"))
    )
    counts = table.group_by("namespace").len().sort("namespace")
    settled = _settled(counts, given.values())
    names = _names(sorted(set(settled.values())), given)
    prefixes = {old: names[new] for old, new in settled.items()}
    lengths = {old: len(new) for old, new in settled.items()}
    prefix = namespace.replace_strict(prefixes, return_dtype=pl.String)
    local = iri.str.slice(namespace.replace_strict(lengths, return_dtype=pl.UInt32))
    curies = table.select((prefix + ":" + local).alias("curie"))["curie"]
    ends = list(accumulate(map(len, columns)))
    short = [curies[end - len(column) : end] for column, end in zip(columns, ends, strict=True)]
    return short, dict(sorted((name, namespace) for namespace, name in names.items()))


def _given_namespace(given: Mapping[str, str]) -> pl.Expr:
    """The longest namespace given that an IRI stands in, null if there is none."""
    found = pl.lit(None, pl.String)
    for namespace in sorted(given.values(), key=len):
        fits = pl.col("iri").str.starts_with(namespace) & (pl.col("iri") != namespace)
        found = pl.when(fits).then(pl.lit(namespace)).otherwise(found)
    return found


def _settled(counts: pl.DataFrame, given: Iterable[str]) -> dict[str, str]:
    """For each namespace the shortest one that it stands in, unless a longer one is shared by enough."""
    namespace, number = pl.col("namespace"), pl.col("len")
    least = max(1.0, _SHARE * float(counts["len"].sum()))
    stays = namespace.str.contains(_TOP) | namespace.is_in(list(given))
    found = counts.with_columns(namespace.alias("before"))
    while True:
        climbs = (number.sum().over("namespace") < least) & ~stays
        if not found.select(climbs.any()).item():
            return dict(found.select("before", "namespace").iter_rows())
        found = found.with_columns(pl.when(climbs).then(_parent(namespace)).otherwise(namespace))


def _parent(name: pl.Expr) -> pl.Expr:
    """The namespace that an IRI or another namespace stands in."""
    scheme = name.str.extract("^([^:]*:)")
    return pl.coalesce(name.str.extract(_NAMESPACE, 1), name.str.extract(_NAMESPACE, 2), scheme)


def _names(namespaces: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """A prefix for each namespace: the one given, the customary one, or one made of its own words."""
    by_namespace = {namespace: name for name, namespace in _CUSTOMARY.items() if name not in given}
    by_namespace |= {namespace: name for name, namespace in given.items()}
    taken = {*_CUSTOMARY, *given, *_SCHEMES}
    names: dict[str, str] = {}
    for namespace in namespaces:
        name = by_namespace.get(namespace) or _free(_suggested(namespace), taken)
        taken.add(name)
        names[namespace] = name
    return names


def _suggested(namespace: str) -> str:
    """The last word of a path that says something, else the words of the host, the general one first.

    Words are joined by dots, since the parts of a URI's scheme are: then every CURIE has the form of a URI.
    """
    host, _, path = (
        namespace.partition("://")[2].partition("/") if "://" in namespace else ("", "", namespace)
    )
    words = [".".join(re.findall("[A-Za-z0-9]+", part)) for part in re.split("[/#:]", path)]
    telling = [word for word in words if word[:1].isalpha() and word.lower() not in _SAYS_LITTLE]
    if telling:
        return telling[-1][:_LONGEST_NAME].rstrip(".")
    labels = [label for label in re.findall("[A-Za-z][A-Za-z0-9]*", host) if label not in _SAYS_LITTLE]
    return ".".join(reversed(labels[:-1] or labels))[:_LONGEST_NAME].rstrip(".") or "ns"


def _free(wanted: str, taken: set[str]) -> str:
    if wanted not in taken:
        return wanted
    return next(
        name for name in (f"{wanted}{number}" for number in range(2, len(taken) + 3)) if name not in taken
    )
