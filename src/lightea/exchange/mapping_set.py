"""What all exchange formats write: links by IRIs, and what is known of them as a whole."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote

import numpy as np
import polars as pl

from lightea._version import __version__
from lightea.alignment import Alignment
from lightea.exchange.iris import iris
from lightea.exchange.publication import Publication
from lightea.graph import KnowledgeGraph

ROWS_AT_ONCE = 100_000
"""Rows that become text together; more would only take memory."""

_GRAPHS = "urn:lightea:graph:"
_MORE_PROBABLE_THAN_NOT = 0.5


@dataclass(frozen=True, eq=False)
class MappingSet:
    """The links of an alignment, ready to be written in any format; everything is made when asked for."""

    alignment: Alignment
    publication: Publication = field(default_factory=Publication)
    tool_version: str = __version__

    @cached_property
    def named(self) -> pl.DataFrame:
        """`left`, `right` (names) and `probability` of the links, in order of the left, then right name."""
        found = self.alignment
        order = np.lexsort((found.right_ids, found.left_ids))
        return pl.DataFrame(
            {
                "left": found.left.entities.gather(found.left_ids[order]),
                "right": found.right.entities.gather(found.right_ids[order]),
                "probability": found.probability[order],
            }
        )

    @cached_property
    def links(self) -> pl.DataFrame:
        """The same with `left_iri` and `right_iri`."""
        left_iri, right_iri = self._left_iris(self.named["left"]), self._right_iris(self.named["right"])
        return self.named.with_columns(left_iri.alias("left_iri"), right_iri.alias("right_iri"))

    @cached_property
    def alone(self) -> pl.DataFrame:
        """`left`, `left_iri` and `probability` of having no counterpart; only where they were asked for."""
        table = self.alignment.no_match
        probable = table["probability"] >= _MORE_PROBABLE_THAN_NOT
        kept = table.filter(probable & self.publication.no_term_found)
        return kept.select("left", self._left_iris(kept["left"]).alias("left_iri"), "probability")

    @cached_property
    def iri(self) -> str:
        """A name for the set: the same for the same links, and for no others."""
        digest = hashlib.sha256()
        for table in (self.links, self.alone):
            for column in table:
                if column.dtype == pl.String:
                    _add_names(digest, column)
                else:
                    digest.update(np.ascontiguousarray(column.to_numpy(), "<f4").tobytes())
        return f"urn:uuid:{uuid.UUID(bytes=digest.digest()[:16], version=5)}"

    @cached_property
    def left_version(self) -> str:
        """Which state of the left graph this is."""
        return self.publication.left_version or fingerprint(self.alignment.left)

    @cached_property
    def right_version(self) -> str:
        """Which state of the right graph this is."""
        return self.publication.right_version or fingerprint(self.alignment.right)

    @property
    def left_source(self) -> str:
        """An IRI for the left graph."""
        return self.publication.left_source or self._source("left", self.left_name)

    @property
    def right_source(self) -> str:
        """An IRI for the right graph."""
        return self.publication.right_source or self._source("right", self.right_name)

    @property
    def left_name(self) -> str:
        """What the left graph is called."""
        return self.alignment.left.name or "left"

    @property
    def right_name(self) -> str:
        """What the right graph is called."""
        return self.alignment.right.name or "right"

    @property
    def title(self) -> str:
        """One line on what this is."""
        return f"Same entities of {self.left_name} and {self.right_name}"

    @property
    def description(self) -> str:
        """How many links, and how their probabilities are to be read."""
        calibrated = self.alignment.calibration is not None
        how = "calibrated on seeds that were held back" if calibrated else "as assigned, not calibrated"
        found = f"{len(self.named)} links found by lightea {self.tool_version}"
        return f"{found}. Their confidence is the probability of being right, {how}."

    def _source(self, side: str, name: str) -> str:
        """Graphs of the same name are told apart by their side."""
        is_shared = self.left_name == self.right_name
        return _GRAPHS + quote(f"{side}-{name}" if is_shared else name, safe="")

    def _left_iris(self, names: pl.Series) -> pl.Series:
        return iris(names, self.publication.left_namespace, self.publication.prefixes)

    def _right_iris(self, names: pl.Series) -> pl.Series:
        return iris(names, self.publication.right_namespace, self.publication.prefixes)


def slices(table: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """A table piece by piece."""
    for start in range(0, len(table), ROWS_AT_ONCE):
        yield table.slice(start, ROWS_AT_ONCE)


def fingerprint(graph: KnowledgeGraph) -> str:
    """A hash of what a graph says between entities, whatever files it came from."""
    digest = hashlib.sha256()
    for names in (graph.entities, graph.relations):
        _add_names(digest, names)
    for ids in (graph.heads, graph.relation_ids, graph.tails):
        digest.update(np.ascontiguousarray(ids, "<i4").tobytes())
    return f"facts-sha256:{digest.hexdigest()}"


def _add_names(digest: hashlib._Hash, names: pl.Series) -> None:
    """Names with their lengths, so that no two columns are alike by chance."""
    digest.update(np.ascontiguousarray(names.str.len_bytes().to_numpy(), "<u4").tobytes())
    for start in range(0, len(names), ROWS_AT_ONCE):
        digest.update(names.slice(start, ROWS_AT_ONCE).str.join().item().encode("utf-8"))
