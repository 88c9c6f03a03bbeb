"""How names of entities and relations are spelled, whatever format they come from."""

from __future__ import annotations

import re
from collections.abc import Container

import polars as pl

_BRACKETED = r"^<[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>$"
_HEX = "[a-f][0-9a-f]{19,31}"
_MADE_UP = re.compile(_HEX)
_WRITTEN = [
    re.compile(rf"{before}({_HEX})(?![\w.-]*\w)".encode()) for before in ("_:", "nodeID\\s*=\\s*[\"']")
]
"""In Turtle and in XML. Two patterns that begin with plain text are ten times faster than one without."""
_LONGEST = 64
"""Bytes in which a label with what stands before and after it has room, if no one played with blanks."""


def bare_names(names: pl.Series) -> pl.Series:
    """IRIs without the angle brackets around them; everything else as it is."""
    name = pl.col("name")
    bare = name.str.slice(1).str.head(-1)  # cheaper than stripping: the text is shared, not copied
    return (
        names.to_frame("name")
        .select(pl.when(name.str.contains(_BRACKETED)).then(bare).otherwise(name))
        .to_series()
    )


class BlankNames:
    """Names for the blank nodes of one file.

    A prefix keeps the nodes of several files apart. Nodes without a label get random ones from the parser;
    they are numbered instead, in the order of the document, so that reading twice gives the same graph.
    Labels that look random but are `written` in the document are kept.
    """

    def __init__(self, prefix: str = "", written: Container[str] = ()) -> None:
        self.prefix = prefix
        self._written = written
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._anonymous = 0

    def name(self, label: str) -> str:
        """The name of the node that the parser calls `label`."""
        if label not in self._names:
            self._names[label] = self._new_name(label)
        return self._names[label]

    def _new_name(self, label: str) -> str:
        wanted = label
        if _MADE_UP.fullmatch(label) and label not in self._written:
            self._anonymous += 1
            wanted = f"anonymous{self._anonymous}"
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return f"_:{self.prefix}{wanted}"


class WrittenLabels:
    """The labels of blank nodes that stand in a document and look like those that the parser makes up."""

    def __init__(self) -> None:
        self._labels: set[str] = set()
        self._end = b""

    def __contains__(self, label: object) -> bool:
        return label in self._labels

    def watch(self, data: bytes) -> None:
        """Note the labels in the next piece of the document, and those that begin in the piece before."""
        text = self._end + data
        found = (match for pattern in _WRITTEN for match in pattern.finditer(text))
        self._labels.update(match[1].decode() for match in found)
        self._end = text[-_LONGEST:]
