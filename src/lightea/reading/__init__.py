"""Files to graphs and links: tables, RDF, benchmark folders, compressed or not."""

from __future__ import annotations

from lightea.reading.graphs import read

__all__ = ["read"]
