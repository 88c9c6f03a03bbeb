"""Files to graphs and links: tables, RDF, benchmark folders, compressed or not."""

from __future__ import annotations

from lightea.reading.benchmark import Benchmark, read_benchmark
from lightea.reading.graphs import read
from lightea.reading.links import read_links

__all__ = ["Benchmark", "read", "read_benchmark", "read_links"]
