"""Names → IRIs, by which alone other tools know entities.

A name that is an IRI stays as it is; characters in it that no IRI may hold are percent-encoded. Every other
name (`Q90`, `_:b0`, `Film: The Movie`, `HP:0001250`) is percent-encoded as a whole behind a namespace, so
that decoding gives the name back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

import polars as pl

_OPAQUE = "urn|tag|info|did|mailto|tel|geo|ark|oid"
"""Of names with a colon only those with one of these schemes, or with `://`, are IRIs, not `Film:Alien`."""

_BEYOND_ASCII = "".join(
    f"{chr(first)}-{chr(last)}"
    for first, last in [
        (0xA0, 0xD7FF),
        (0xF900, 0xFDCF),
        (0xFDF0, 0xFFEF),
        *((plane << 16, (plane << 16) + 0xFFFD) for plane in range(1, 14)),
        (0xE1000, 0xEFFFD),
    ]
)
"""Characters as such, not as escapes, which the two engines that use the pattern spell differently."""
_IN_HOST = rf"A-Za-z0-9\-._~!$&'()*+,;={_BEYOND_ASCII}"
_IN_PATH = rf"{_IN_HOST}:@/"
_CODED = "%[0-9A-Fa-f]{2}"
_HOST = rf"(?:(?:[{_IN_HOST}:]|{_CODED})*@)?(?:[{_IN_HOST}]|{_CODED})*(?::[0-9]*)?"
_PATH, _QUERY = (rf"(?:[{known}]|{_CODED})*" for known in (_IN_PATH, _IN_PATH + "?"))
_REST = rf"(?:\?{_QUERY})?(?:#{_QUERY})?"
_IRI = (
    rf"^(?:[A-Za-z][A-Za-z0-9+.\-]*://{_HOST}(?:/{_PATH})?|"
    rf"(?:(?i:{_OPAQUE})):(?:[{_IN_HOST}:@]|{_CODED}){_PATH}){_REST}$"
)
_ASCII = "".join(map(chr, range(128)))
_UNRESERVED = r"^[A-Za-z0-9\-._~]*$"

_EXACT = re.compile(_IRI.removesuffix("$") + r"\Z")
_PARTS = re.compile(
    rf"((?:[A-Za-z][A-Za-z0-9+.\-]*://[^/?#]*)|(?:(?i:{_OPAQUE}):))([^#]*)(?:#(.*))?", re.DOTALL
)
_FORBIDDEN = re.compile(rf"%(?![0-9A-Fa-f]{{2}})|[^{_IN_PATH}?%]")


def is_iri(name: str) -> bool:
    """Whether a name is an IRI, letter for letter."""
    return _EXACT.match(name) is not None


def iris(names: pl.Series, namespace: str, prefixes: Mapping[str, str] | None = None) -> pl.Series:
    """The IRI of each name; those that are none go behind `namespace`.

    `prefixes` tells how to spell out names that are written short, such as `HP:0001250`.
    """
    spelt_out = _spelt_out(names, prefixes or {})
    name = pl.col("name")
    minted = pl.when(name.str.contains(_UNRESERVED)).then(pl.lit(namespace) + name)
    known = spelt_out.to_frame("name").select(
        name, pl.when(name.str.contains(_IRI)).then(name).otherwise(minted).alias("iri")
    )
    odd = known["iri"].is_null()
    mended = pl.Series([_mended(one, namespace) for one in known["name"].filter(odd)], dtype=pl.String)
    return known["iri"].scatter(odd.arg_true(), mended) if len(mended) else known["iri"]


def uris(iris: pl.Series) -> pl.Series:
    """The same in ASCII, with all that is beyond percent-encoded (RFC 3987, 3.1)."""
    beyond = iris.str.contains(r"[^\x00-\x7F]")
    if not beyond.any():
        return iris
    coded = [quote(iri, safe=_ASCII) for iri in iris.filter(beyond)]
    return iris.scatter(beyond.arg_true(), pl.Series(coded, dtype=pl.String))


def _spelt_out(names: pl.Series, prefixes: Mapping[str, str]) -> pl.Series:
    name = pl.col("name")
    expression = name
    for prefix, namespace in prefixes.items():
        is_short = name.str.starts_with(f"{prefix}:") & ~name.str.starts_with(f"{prefix}://")
        whole = pl.lit(namespace) + name.str.slice(len(prefix) + 1)
        expression = pl.when(is_short).then(whole).otherwise(expression)
    return names.to_frame("name").select(expression.alias("name")).to_series()


def _mended(name: str, namespace: str) -> str:
    """An IRI with what is forbidden encoded, or the name behind the namespace if that does not help."""
    parts = _PARTS.fullmatch(name)
    if parts is not None:
        start, path, fragment = parts.groups()
        iri = start + _encoded(path) + ("" if fragment is None else "#" + _encoded(fragment))
        if is_iri(iri):
            return iri
    return namespace + quote(name, safe="")


def _encoded(text: str) -> str:
    return _FORBIDDEN.sub(lambda match: quote(match.group(), safe=""), text)
