"""Literals that stand in a cell of a table as N-Triples writes them: `"…"`, `"…"@en`, `"…"^^<…>`."""

from __future__ import annotations

import re

import polars as pl

XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"

_LITERAL = (
    r'(?s)^"(?P<value>.*)"'
    r'(?:@(?P<language>[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)|\^\^<?(?P<datatype>[^<>"\s]+)>?)?$'
)
_ESCAPE = re.compile(r"\\(?:([tbnrf\"'\\])|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def literal_parts(texts: pl.Series) -> pl.DataFrame:
    """Value, datatype and language of each text; the value is null where the text is no literal."""
    parts = texts.to_frame("text").select(pl.col("text").str.extract_groups(_LITERAL)).unnest("text")
    return parts.select(
        pl.Series("value", _unescaped(parts["value"])),
        pl.col("datatype").replace(XSD_STRING, None),
        pl.col("language").str.to_lowercase(),
    )


def _unescaped(values: pl.Series) -> pl.Series:
    if not values.str.contains("\\", literal=True).any():
        return values
    return pl.Series(
        [value if value is None else _ESCAPE.sub(_meaning, value) for value in values], dtype=pl.String
    )


def _meaning(escape: re.Match[str]) -> str:
    letter, short, long = escape.groups()
    code = int(short or long or "0", 16)
    is_character = code < 0xD800 or 0xDFFF < code < 0x110000
    return _ESCAPED[letter] if letter else chr(code) if is_character else escape[0]
