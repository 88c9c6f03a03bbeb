"""Which pairs the table of the report holds, and of which it shows the evidence, within a budget of bytes.

All links, doubtful and unmatched entities, where they fit. Otherwise all doubtful ones as far as they fill no
more than half of the table, and an even sample of the others over all probabilities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lightea.alignment import Alignment
from lightea.graph import Ids, KnowledgeGraph
from lightea.report.details import Detailer
from lightea.report.labels import Names, script_json
from lightea.standing import Standings, scores_of, without_link

I64 = NDArray[np.int64]

LINKED, DOUBTFUL, UNMATCHED = 0, 1, 2

MOST_ROWS = 20_000
_MOST_UNMATCHED = 2_000
_ROW_BYTES = 1_800_000
"""Bytes of the page for the rows of the table; it starts with fewer where names are long."""
_BYTES_OF_A_ROW = 30
_DETAIL_BYTES = 2_400_000
MOST_DETAILED = 4_000
"""Rows whose evidence is shown: some links, and all doubtful ones as far as this goes."""
_ENOUGH_DETAILED = 2_000
"""More only if they are doubtful."""
_MOST_TRACED = 500
"""Both where labels are traced, which takes ten times as long as adding up evidence."""
_SAMPLED_LINKS = 300
"""Links whose evidence is shown before that of all doubtful entities."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows of the table; `right` is -1, and the score NaN, where there is none."""

    kind: NDArray[np.int8]
    left: Ids
    right: Ids
    probability: NDArray[np.float32]
    score: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True, eq=False)
class Selection:
    """What the page knows of single pairs: ready for JSON, and how much of all it is."""

    data: dict[str, Any]
    pairs: Pairs
    shown: tuple[int, int, int]
    """Rows of each kind: linked, doubtful, unmatched."""
    in_all: tuple[int, int, int]
    detailed: tuple[int, int, int]


def select(alignment: Alignment) -> Selection:
    """Choose rows and details of an alignment."""
    alone = without_link(alignment)
    n_doubtful = int(np.count_nonzero(alone.is_doubtful))
    in_all = len(alignment), n_doubtful, len(alone.left) - n_doubtful
    pairs, names, named = _fitting_rows(alignment, alone, in_all)
    details, order = _details(alignment, pairs, names)
    data = {
        "names": names.columns(),
        "kind": pairs.kind.tolist(),
        "left": named[0],
        "right": named[1],
        "probability": _in_parts(pairs.probability, 4),
        "score": _in_parts(pairs.score, 4),
        "detailed": order.tolist(),
        "details": details,
    }
    return Selection(data, pairs, _counted(pairs.kind), in_all, _counted(pairs.kind[order]))


def _fitting_rows(
    alignment: Alignment, alone: Standings, in_all: tuple[int, int, int]
) -> tuple[Pairs, Names, tuple[list[int], list[int]]]:
    """As many rows as fit into their bytes, a table of their names, and the numbers of these."""
    most = MOST_ROWS
    while True:
        pairs, names = _rows(alignment, alone, _shares(in_all, most)), Names()
        named = _numbers(alignment.left, pairs.left, names), _numbers(alignment.right, pairs.right, names)
        size = names.n_bytes + _BYTES_OF_A_ROW * len(pairs)
        if size <= _ROW_BYTES:
            return pairs, names, named
        most = int(min(most, len(pairs)) * 0.9 * _ROW_BYTES / size)


def _shares(in_all: tuple[int, int, int], most: int) -> tuple[int, int, int]:
    """How many rows of each kind there may be: linked, doubtful, unmatched."""
    if sum(in_all) <= most:
        return in_all
    linked, doubtful, unmatched = in_all
    few_unmatched = min(unmatched, most // 10)
    some_doubtful = min(doubtful, max(most // 2, most - few_unmatched - linked))
    some_linked = min(linked, most - few_unmatched - some_doubtful)
    return some_linked, some_doubtful, min(unmatched, most - some_linked - some_doubtful, _MOST_UNMATCHED)


def _rows(alignment: Alignment, alone: Standings, shares: tuple[int, int, int]) -> Pairs:
    """Linked, then doubtful, then unmatched; each sample even over the probabilities, surest first."""
    linked = _sample(alignment.probability, shares[0])
    of_doubtful, of_unmatched = np.flatnonzero(alone.is_doubtful), np.flatnonzero(~alone.is_doubtful)
    doubtful = of_doubtful[_surest(alone.probability[of_doubtful], shares[1])]
    unmatched = of_unmatched[_sample(alone.probability[of_unmatched], shares[2])]
    others = np.concatenate([doubtful, unmatched])
    left, right = alignment.left_ids[linked], alignment.right_ids[linked]
    return Pairs(
        np.repeat(
            np.array([LINKED, DOUBTFUL, UNMATCHED], np.int8), [len(linked), len(doubtful), len(unmatched)]
        ),
        np.concatenate([left, alone.left[others]]),
        np.concatenate([right, alone.right[others]]),
        np.concatenate([alignment.probability[linked], alone.probability[others]]),
        np.concatenate([scores_of(alignment.assignment.candidates, left, right), alone.score[others]]),
    )


def _surest(chances: NDArray[np.float32], most: int) -> I64:
    return np.argsort(-chances, kind="stable")[:most]


def _sample(chances: NDArray[np.float32], most: int) -> I64:
    """At most so many of these, evenly over all probabilities; the surest first."""
    order = np.argsort(-chances, kind="stable")
    return order if len(order) <= most else order[_evenly(len(order), most)]


def _evenly(size: int, wanted: int) -> I64:
    """At most so many of the numbers below `size`, evenly spread, first and last among them."""
    return np.unique(np.linspace(0, size - 1, min(size, wanted)).astype(np.int64))


def _details(alignment: Alignment, pairs: Pairs, names: Names) -> tuple[list[dict[str, Any]], I64]:
    """Details of some rows, and which rows these are: as many as fit into their bytes."""
    detailer = Detailer(alignment, names)
    found: list[dict[str, Any]] = []
    limits = (_MOST_TRACED, _MOST_TRACED) if alignment.beliefs is None else (_ENOUGH_DETAILED, MOST_DETAILED)
    order = _order(pairs, *limits)
    before, used = names.n_bytes, 0
    for row in order.tolist():
        score = None if np.isnan(pairs.score[row]) else float(pairs.score[row])
        found.append(detailer.of(int(pairs.left[row]), int(pairs.right[row]), score))
        used += len(script_json(found[-1])) + 1
        if used + names.n_bytes - before > _DETAIL_BYTES:
            break
    return found, order[: len(found)]


def _order(pairs: Pairs, enough: int, most: int) -> I64:
    """Rows in the order in which details are worked out: some links, all doubtful, other links, the rest."""
    linked, doubtful = np.flatnonzero(pairs.kind == LINKED), np.flatnonzero(pairs.kind == DOUBTFUL)
    unmatched = np.flatnonzero((pairs.kind == UNMATCHED) & (pairs.right >= 0))
    first = linked[_evenly(len(linked), _SAMPLED_LINKS)]
    urgent = np.concatenate([first, doubtful])[:most]
    later = np.setdiff1d(linked, first)
    n_later = max(0, enough - len(urgent))
    return np.concatenate(
        [urgent, np.concatenate([later[_evenly(len(later), n_later)], unmatched])[:n_later]]
    )


def _numbers(graph: KnowledgeGraph, ids: Ids, names: Names) -> list[int]:
    """The entities by their numbers in the table of names; -1 for none."""
    texts = graph.entities.gather(np.maximum(ids, 0)).to_list()
    return [
        names.number(text) if number >= 0 else -1 for number, text in zip(ids.tolist(), texts, strict=True)
    ]


def _in_parts(values: NDArray[np.float32], digits: int) -> list[int | None]:
    """The numbers as whole ones, in parts of 10^-digits; None for NaN."""
    return [None if math.isnan(value) else round(value * 10**digits) for value in values.tolist()]


def _counted(kinds: NDArray[np.int8]) -> tuple[int, int, int]:
    counts = np.bincount(kinds, minlength=3).tolist()
    return counts[0], counts[1], counts[2]
