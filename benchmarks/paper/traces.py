"""Why a pair was found and another was not: the seeds in the labels of both, hop by hop."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency, adjacency
from lightea.alignment import Alignment
from lightea.graph import Links
from lightea.tracing import MOST_HOPS, OneHot, SharedLabels, one_hot, trace

_DEGREES = (5, 15)
"""Facts of an entity that a person can look through."""
_SHOWN = 8
_LOOKED_AT = 50
"""Cases among which one is sought that the labels explain."""

Traced = dict[str, Any]


def trace_cases(alignment: Alignment, test: Links) -> dict[str, Traced]:
    """The traces of a right and of a wrong case; empty where no entity fits."""
    edges = adjacency(alignment.left, alignment.right)
    labels = one_hot(edges, alignment.seeds)
    partner, chance = _winners(alignment)
    pairs = test.resolve(alignment.left, alignment.right).pairs
    fits = _is_readable(edges, pairs[:, 0], pairs[:, 1] + edges.n_left)
    fits &= _is_readable(edges, pairs[:, 0], np.maximum(partner[pairs[:, 0]], 0) + edges.n_left)
    is_right = partner[pairs[:, 0]] == pairs[:, 1]
    cases = {}
    for name, chosen in (("right", fits & is_right), ("wrong", fits & ~is_right)):
        rows = np.flatnonzero(chosen & (partner[pairs[:, 0]] >= 0))
        surest_first = rows[np.argsort(-chance[pairs[rows, 0]], kind="stable")][:_LOOKED_AT]
        traced = [
            {
                "left": alignment.left.entities[left],
                "probability": float(chance[left]),
                "winner": _traced(alignment, labels, left, int(partner[left])),
                "truth": _traced(alignment, labels, left, truth),
            }
            for left, truth in pairs[surest_first].tolist()
        ]
        if traced:
            cases[name] = next((case for case in traced if _speaks_for_winner(case)), traced[0])
    return cases


def _speaks_for_winner(case: Traced) -> bool:
    """Whether the labels say what the answer says; the relations may have decided otherwise."""
    labels: list[float] = [case[pair]["hops"][-1]["cosine"] for pair in ("winner", "truth")]
    return labels[0] >= labels[1]


def _winners(alignment: Alignment) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Each left entity's most probable partner, -1 for none, and its probability; of equals the first."""
    candidates, probability = alignment.assignment.candidates, alignment.assignment.probabilities
    rows = candidates.rows
    best = np.lexsort((candidates.columns, -probability, rows))
    first = best[np.unique(rows[best], return_index=True)[1]]
    partner = np.full(alignment.left.n_entities, -1, np.int64)
    chance = np.zeros(alignment.left.n_entities, np.float32)
    partner[candidates.left[rows[first]]] = candidates.right[candidates.columns[first]]
    chance[candidates.left[rows[first]]] = probability[first]
    return partner, chance


def _is_readable(edges: Adjacency, *entities: NDArray[np.integer]) -> NDArray[np.bool_]:
    degrees = [np.diff(edges.offsets)[side] for side in entities]
    inside = [(degree >= _DEGREES[0]) & (degree <= _DEGREES[1]) for degree in degrees]
    fits: NDArray[np.bool_] = np.logical_and.reduce(inside)
    return fits


def _traced(alignment: Alignment, labels: OneHot, left: int, right: int) -> Traced:
    hops = trace(labels, left, right, MOST_HOPS)
    return {"right": alignment.right.entities[right], "hops": [_shared(alignment, hop) for hop in hops]}


def _shared(alignment: Alignment, shared: SharedLabels) -> Traced:
    pairs = alignment.seeds[shared.seeds[:_SHOWN]]
    return {
        "cosine": shared.cosine,
        "n_seeds": len(shared.seeds),
        "seeds": [
            {
                "left": alignment.left.entities[int(left)],
                "right": alignment.right.entities[int(right)],
                "adds": adds,
            }
            for (left, right), adds in zip(pairs, shared.products[:_SHOWN].tolist(), strict=True)
        ],
    }
