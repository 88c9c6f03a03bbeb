"""How long an alignment would take and how much memory, told before it runs.

The model counts the work of the stages that take most of the time, each with a measured price:

    spreading   2 · facts · label width · (hops + sketch blocks)    each time that labels are spread
    search      left · right · label width                          each time that all are compared
                passes · 2 · facts                                  where facts propose instead
    weighing    2 · facts                                           each round of evidence
    assignment  left · candidates · iterations                      each time that partners are assigned

Memory is that of the stage that holds most; n entities of both graphs, d the label width:

    base        the program, the graphs and their edges, and the labels of relations
    spreading   n · d · (hops + 2)              labels of each round in a byte, their sum in two
    comparing   n · (3 · d + sketch width kept) + left · proposals · (bytes of a pair that is compared)
    assigning   left · candidates · (bytes of a pair that is assigned)
    weighing    n · (d + sketch width) + left · pairs of each · (bytes of a pair that is weighed)

Prices of time are those of two busy cores of one machine, from made-up pairs of graphs of 1,000 to 40,000
links (`python -m benchmarks.forecast` measures them again), and are divided by the threads. How often labels
are spread depends on the data: rounds end when they bring nothing new; the usual number is assumed. Names
and reading are not in it. Expect the time within a factor of three, not better; the memory within a quarter
(docs/scale.md says how far it was off).
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
_USUAL_PASSES = 3
_AFFORDABLE, _NARROWEST = 2**38, 128
"""What a search that only proposes may cost, before it looks at fewer dimensions; and how few."""
_MOST_PRODUCTS = {"exact": 2**44, "proposing": 2**42}
"""What a search may cost, before facts propose instead: where it decides, and where it only proposes."""
_BASE_MEMORY, _BYTES_PER_TRIPLE = 250e6, 92.0
_COMPARED, _ASSIGNED, _WEIGHED = 15.0, 60.0, 200.0
"""Bytes for a pair at each of these stages."""
_BYTES_PER_SEARCHED = 400.0
"""For each left entity that is compared, beside its pairs."""
_SHARING = 40
"""Candidates of an entity where facts propose, as there are no more who share any."""
_FOUND = 30
"""Pairs of each entity that a round of evidence adds."""


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
        "search": searches * _search_seconds(left, right, config) / speed,
        "weighing": n_assignments * 2 * facts * _WEIGHING / speed if config.evidence_rounds else 0.0,
        "assignment": n_assignments
        * (left.n_entities * config.candidates * config.sinkhorn_iterations * _ASSIGNMENT / speed),
    }
    return Forecast(seconds, _memory(left, right, config))


def _search_seconds(left: KnowledgeGraph, right: KnowledgeGraph, config: Config) -> float:
    if _facts_propose(left, right, config):
        return _USUAL_PASSES * 2 * (left.n_triples + right.n_triples) * _WEIGHING
    return _products(left, right, config) * _SEARCH


def _products(left: KnowledgeGraph, right: KnowledgeGraph, config: Config) -> float:
    """How many numbers the search multiplies: all with all, in as many dimensions as it looks at."""
    pairs = left.n_entities * right.n_entities
    affordable = max(_NARROWEST, _AFFORDABLE // max(pairs, 1))
    width = min(config.label_width, affordable) if config.evidence_rounds else config.label_width
    return float(pairs) * width


def _facts_propose(left: KnowledgeGraph, right: KnowledgeGraph, config: Config) -> bool:
    if config.search == "auto":
        most = _MOST_PRODUCTS["proposing" if config.evidence_rounds else "exact"]
        return _products(left, right, config) > most
    return config.search == "facts"


def _memory(left: KnowledgeGraph, right: KnowledgeGraph, config: Config) -> float:
    """The bytes of the stage that holds most, above what all of them hold."""
    entities, width = left.n_entities + right.n_entities, config.label_width
    facts = left.n_triples + right.n_triples
    stages = [entities * width * (config.hops + 2.0)]
    if config.evidence_rounds:
        pairs = left.n_entities * (config.proposals + _FOUND) * _WEIGHED
        stages.append(entities * (2.0 * width + config.sketch_width) + pairs)
        stages.append(entities * (width + config.sketch_width) + entities * width * (config.hops + 2.0))
    else:
        stages.append(
            entities * width * 3.0 + left.n_entities * (_BYTES_PER_SEARCHED + config.proposals * _COMPARED)
        )
        most = _SHARING if _facts_propose(left, right, config) else config.candidates
        stages.append(left.n_entities * min(config.candidates, most) * _ASSIGNED)
    relations = 2 * (left.n_relations + right.n_relations) * width * (config.hops + 6.0)
    return _BASE_MEMORY + facts * _BYTES_PER_TRIPLE + relations + max(stages)
