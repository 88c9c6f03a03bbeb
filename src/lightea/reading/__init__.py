"""Files to graphs and links: tables, RDF, benchmark folders, compressed or not."""

from __future__ import annotations

from lightea.reading.benchmark import Benchmark, read_benchmark
from lightea.reading.graphs import read
from lightea.reading.links import read_links
from lightea.reading.names import read_names
from lightea.reading.vectors import word_vectors

__all__ = ["Benchmark", "read", "read_benchmark", "read_links", "read_names", "word_vectors"]
