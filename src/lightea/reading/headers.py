"""First rows that look like headers, although no column of them is named as headers name it."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from lightea.graph import KnowledgeGraph

logger = logging.getLogger(__name__)

Fact = tuple[str, str, str]

_FEW_FACTS = 20
"""In a graph of no more facts, many names occur only once."""
_TITLE = re.compile(r"[^\W\d][\w .-]{0,29}")
"""What titles of columns look like: short, and no IRI."""


def warn_of_header(graph: KnowledgeGraph, first_rows: Mapping[Path, Fact]) -> None:
    """Warn of each first row that became a fact, but whose names occur in no other fact.

    The header of many shards is one fact, since facts are kept once.
    """
    if graph.n_triples <= _FEW_FACTS:
        return
    for path, row in first_rows.items():
        if all(_TITLE.fullmatch(cell) for cell in row) and _stands_alone(graph, row):
            logger.warning(
                "%s: the first row, %s, looks like a header, but was read as a fact: if it is one, name the "
                "columns head, relation, tail, or drop it",
                path,
                ", ".join(row),
            )


def _stands_alone(graph: KnowledgeGraph, row: Fact) -> bool:
    """Whether the names of a fact occur nowhere else in the graph."""
    head, relation, tail = row
    relations = graph.relation_ids[graph.relation_ids == _position(graph, relation)]
    if len(relations) != 1:
        return False
    ends = graph.find([head, tail])
    uses = [np.count_nonzero(graph.heads == end) + np.count_nonzero(graph.tails == end) for end in ends]
    return uses == [1, 1] and not np.isin(graph.attributes["entity"].to_numpy(), ends).any()


def _position(graph: KnowledgeGraph, relation: str) -> int:
    found = graph.relations.index_of(relation)
    return -1 if found is None else found
