"""How long an alignment would take and how much memory, told before it runs.

The model counts the work of the stages that take most of the time, each with a measured price:

    spreading   2 · facts · label width · (hops + sketch blocks)    each time that labels are spread
    search      left · right · label width                          each time that all are compared
    weighing    2 · facts                                           each round of evidence
    assignment  left · candidates · iterations                      each time that partners are assigned

    memory = base + entities · label width · (bytes for each) + 2 · facts · (bytes that evidence keeps)

Prices are those of two busy cores of one machine, from made-up pairs of graphs of 1,000 to 40,000 links
(`python -m benchmarks.forecast` measures them again), and are divided by the threads. How often labels are
spread depends on the data: rounds end when they bring nothing new; the usual number is assumed. Names and
reading are not in it. Expect the time within a factor of three, not better; the memory within a third.
"""

from __future__ import annotations

from dataclasses import dataclass

from lightea.config import Config
from lightea.graph import KnowledgeGraph

_MEASURED_THREADS = 2
_SPREADING, _SEARCH, _WEIGHING, _ASSIGNMENT = 8.0e-10, 1.0e-11, 1.5e-6, 7.0e-9
"""Seconds for a unit of work."""
_FIXED = 1.0
"""Seconds to load the compiled code."""
_USUAL_ROUNDS = 4
"""Rounds of labels, of those allowed, after which evidence brings nothing new."""
_AFFORDABLE, _NARROWEST = 2**38, 128
"""What a search that only proposes may cost, before it looks at fewer dimensions; and how few."""
_BASE_MEMORY = 250e6
_BYTES_PER_LABEL, _BYTES_PER_FACT = 4.4, 450.0
"""For each dimension of the labels of an entity, and for each way of a fact."""


@dataclass(frozen=True)
class Forecast:
    """Seconds for each part, and the memory at its peak, in bytes."""

    seconds: dict[str, float]
    memory: float

    @property
    def total(self) -> float:
        """Seconds from the graphs to the links."""
        return sum(self.seconds.values())


def forecast(left: KnowledgeGraph, right: KnowledgeGraph, config: Config, threads: int) -> Forecast:
    """What `align` would take for two graphs by these settings."""
    facts = left.n_triples + right.n_triples
    rounds = min(config.rounds, _USUAL_ROUNDS) if config.evidence_rounds else config.rounds
    searches = 1 if config.evidence_rounds else rounds
    n_assignments = rounds * max(config.evidence_rounds, 1)
    blocks = max(1, config.sketch_width // config.label_width)
    speed = threads / _MEASURED_THREADS
    seconds = {
        "compile": _FIXED,
        "spreading": rounds * 2 * facts * config.label_width * (config.hops + blocks) * _SPREADING / speed,
        "search": searches * _products(left, right, config) * _SEARCH / speed,
        "weighing": n_assignments * 2 * facts * _WEIGHING / speed if config.evidence_rounds else 0.0,
        "assignment": n_assignments
        * (left.n_entities * config.candidates * config.sinkhorn_iterations * _ASSIGNMENT / speed),
    }
    labels = (left.n_entities + right.n_entities) * config.label_width * _BYTES_PER_LABEL
    evidence = 2 * facts * _BYTES_PER_FACT if config.evidence_rounds else 0.0
    return Forecast(seconds, _BASE_MEMORY + labels + evidence)


def _products(left: KnowledgeGraph, right: KnowledgeGraph, config: Config) -> float:
    """How many numbers the search multiplies: all with all, in as many dimensions as it looks at."""
    pairs = left.n_entities * right.n_entities
    affordable = max(_NARROWEST, _AFFORDABLE // max(pairs, 1))
    width = min(config.label_width, affordable) if config.evidence_rounds else config.label_width
    return float(pairs) * width
