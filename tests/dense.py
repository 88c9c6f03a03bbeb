"""The formulas of propagation on dense matrices, in full precision: what rounded labels come near to."""

from __future__ import annotations

import numpy as np

from lightea.codes import SPREAD
from lightea.graph import KnowledgeGraph
from lightea.labels import Labels
from small_graphs import facts_of

Views = tuple[np.ndarray, np.ndarray, np.ndarray]


def views(left: KnowledgeGraph, right: KnowledgeGraph) -> Views:
    """The views *side*, *top* and *front* of the doubled triples."""
    n, m = left.n_entities + right.n_entities, left.n_relations + right.n_relations
    side, top, front = np.zeros((n, n)), np.zeros((2 * m, n)), np.zeros((n, 2 * m))
    moved = [(h + left.n_entities, r + left.n_relations, t + left.n_entities) for h, r, t in facts_of(right)]
    for h, r, t in [*facts_of(left), *moved]:
        for head, relation, tail in ((h, r, t), (t, r + m, h)):
            side[head, tail] += 1
            side[head, head] += 2
            top[relation, head] = 1
            front[tail, relation] = 1
    return side, top, front


def one_round(views_of_pair: Views, entities: np.ndarray, relations: np.ndarray) -> list[np.ndarray]:
    """The sums of one round for entities and for relations, before they are brought to one length."""
    side, top, front = views_of_pair
    return [side @ entities + front @ relations, top @ entities]


def unit(matrix: np.ndarray) -> np.ndarray:
    """Rows of length one, but for zeros."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.divide(matrix, lengths, out=np.zeros_like(matrix), where=lengths > 0)


def scaled(matrix: np.ndarray) -> np.ndarray:
    """Rows of the length of codes: what these are the rounding of."""
    return np.clip(SPREAD * np.sqrt(matrix.shape[1]) * unit(matrix), -127.0, 127.0)


def assert_rounded(codes: np.ndarray, exact: np.ndarray) -> None:
    """Codes are at most half a unit from what they round, but for the rounding of single precision."""
    assert codes.dtype == np.int8
    np.testing.assert_allclose(codes.astype(np.float64), scaled(exact), rtol=0.0, atol=0.5 + 2e-3)


def dense(labels: Labels) -> np.ndarray:
    """The label of every entity, zeros included."""
    found = labels.table[np.maximum(labels.place, 0)].astype(np.float64)
    found[labels.place < 0] = 0.0
    return found
