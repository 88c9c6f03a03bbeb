"""How names of entities and relations are spelled, whatever format they come from."""

from __future__ import annotations

import re

import polars as pl

_BRACKETED = r"^<[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>$"
_MADE_UP = re.compile(r"[a-f][0-9a-f]{19,31}")


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
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
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
        if _MADE_UP.fullmatch(label):
            self._anonymous += 1
            wanted = f"anonymous{self._anonymous}"
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return f"_:{self.prefix}{wanted}"
