"""What speaks for a pair, as short lists of numbers for the page: terms, labels in common, surroundings.

A term is [left fact, right fact, P, seed, ρ, w, w', share of the score]; a fact is (relation, neighbour), and
relation is twice the number of its name, one more where it is read against its direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import adjacency
from lightea.alignment import Alignment
from lightea.evidence import evidence_score
from lightea.itemising import Items, edges_of, itemise, keys_of
from lightea.report.labels import Names
from lightea.tracing import SharedLabels, one_hot, trace

I64 = NDArray[np.int64]

MOST_TERMS = 8
MOST_LONELY = 3
"""Neighbours of each side that are drawn although nothing was matched with them."""
_MOST_SEEDS = 4
_MOST_EDGES = 2_000
"""Of a hub so many facts are looked through for lonely neighbours."""


class Detailer:
    """Details of pairs of one alignment; what they name goes into `names`."""

    def __init__(self, alignment: Alignment, names: Names) -> None:
        self._alignment, self._names = alignment, names
        beliefs = alignment.beliefs
        self._edges = adjacency(alignment.left, alignment.right) if beliefs is None else beliefs.edges
        self._seeds = set(map(tuple, alignment.seeds.tolist()))
        self._agreement_keys = (
            np.empty(0, np.int64) if beliefs is None else keys_of(beliefs.agreement, self._edges.n_relations)
        )
        self._labels = one_hot(self._edges, alignment.seeds) if beliefs is None else None
        self._partner, self._chance = _partners(alignment)

    def of(self, left: int, right: int, score: float | None) -> dict[str, Any]:
        """The details of a pair."""
        beliefs = self._alignment.beliefs
        if beliefs is None:
            joined = self._joined(left, right)
            said: dict[str, Any] = {"terms": [self._join(*one) for one in joined[:MOST_TERMS]]}
            if len(joined) > MOST_TERMS:
                said["more"] = [len(joined) - MOST_TERMS, 0.0]
            said["hops"] = self._hops(left, right)
            ends = np.array([one[:2] for one in joined], np.int64).reshape(-1, 2)
            return said | self._lonely(left, right, ends[:, 0], ends[:, 1])
        items = itemise(beliefs, self._agreement_keys, left, right)
        return self._evidence(items, score) | self._lonely(left, right, items.left_edge, items.right_edge)

    # --- with evidence -------------------------------------------------------------------------------

    def _evidence(self, items: Items, score: float | None) -> dict[str, Any]:
        total = items.evidence
        of_evidence = float(evidence_score(np.array([total], np.float32))[0])
        shares = items.contribution * (of_evidence / total if total else 0.0)
        said: dict[str, Any] = {
            "terms": [
                self._term(items, place, float(shares[place])) for place in range(min(MOST_TERMS, len(items)))
            ],
            "evidence": _short(total, 6),
            "of_evidence": _short(of_evidence, 6),
        }
        if len(items) > MOST_TERMS:
            said["more"] = [len(items) - MOST_TERMS, _short(float(shares[MOST_TERMS:].sum()), 6)]
        if score is not None:
            said["cosine"] = _short(score - of_evidence, 6)
        return said

    def _term(self, items: Items, place: int, share: float) -> list[float]:
        left, right = int(items.left_edge[place]), int(items.right_edge[place])
        tails, n_left = self._edges.tails, self._edges.n_left
        is_seed = (int(tails[left]), int(tails[right]) - n_left) in self._seeds
        figures = (items.agreement[place], items.left_weight[place], items.right_weight[place])
        return [
            *self._fact(left),
            *self._fact(right),
            _short(float(items.probability[place]), 4),
            int(is_seed),
            *(_short(float(value), 4) for value in figures),
            _short(share, 6),
        ]

    # --- without -------------------------------------------------------------------------------------

    def _joined(self, left: int, right: int) -> list[tuple[int, int, float]]:
        """Facts of both whose neighbours are seeds or links of each other: two edges and the probability."""
        tails = self._edges.tails
        own, others = (edges_of(self._edges, end)[:_MOST_EDGES] for end in (left, right + self._edges.n_left))
        at = {int(tails[edge]) - self._edges.n_left: int(edge) for edge in others[::-1]}
        found = []
        for edge in own.tolist():
            tail = int(tails[edge])
            partner = int(self._partner[tail]) if tail < self._edges.n_left else -1
            if partner in at:
                found.append((edge, at[partner], float(self._chance[tail])))
        return sorted(found, key=lambda one: -one[2])

    def _join(self, left: int, right: int, chance: float) -> list[float]:
        pair = int(self._edges.tails[left]), int(self._edges.tails[right]) - self._edges.n_left
        return [*self._fact(left), *self._fact(right), _short(chance, 4), int(pair in self._seeds)]

    def _hops(self, left: int, right: int) -> list[list[Any]]:
        if self._labels is None:
            return []
        traced = trace(self._labels, left, right, self._alignment.config.hops)
        return [[one.hop, _short(one.cosine, 4), len(one.seeds), self._shared(one)] for one in traced]

    def _shared(self, labels: SharedLabels) -> list[list[float]]:
        pairs = self._alignment.seeds[labels.seeds[:_MOST_SEEDS]].tolist()
        graphs = self._alignment.left, self._alignment.right
        return [
            [
                *(self._names.number(graph.entities[end]) for graph, end in zip(graphs, pair, strict=True)),
                _short(float(product), 4),
            ]
            for pair, product in zip(pairs, labels.products, strict=False)
        ]

    # --- surroundings --------------------------------------------------------------------------------

    def _lonely(self, left: int, right: int, left_edges: I64, right_edges: I64) -> dict[str, Any]:
        """A few neighbours of either side without a partner on the other one, and how many there are."""
        said: dict[str, Any] = {}
        for side, entity, taken in (
            ("left", left, left_edges),
            ("right", right + self._edges.n_left, right_edges),
        ):
            edges = edges_of(self._edges, entity)
            near = edges[:_MOST_EDGES]
            lonely = near[~np.isin(self._edges.tails[near], self._edges.tails[taken])]
            if len(lonely):
                few = [number for edge in lonely[:MOST_LONELY].tolist() for number in self._fact(edge)]
                said[side] = [len(edges) - len(near) + len(lonely), *few]
        return said

    def _fact(self, edge: int) -> tuple[int, int]:
        edges, graphs = self._edges, self._alignment
        relation, tail = int(edges.relations[edge]), int(edges.tails[edge])
        forward, inverse = relation % edges.n_forward_relations, relation >= edges.n_forward_relations
        if tail < edges.n_left:
            names = graphs.left.relations[forward], graphs.left.entities[tail]
        else:
            names = (
                graphs.right.relations[forward - graphs.left.n_relations],
                graphs.right.entities[tail - edges.n_left],
            )
        return 2 * self._names.number(names[0]) + inverse, self._names.number(names[1])


def _partners(alignment: Alignment) -> tuple[I64, NDArray[np.float32]]:
    """For each left entity its partner by a seed or a link, -1 for none, and how probable that is."""
    partner = np.full(alignment.left.n_entities, -1, np.int64)
    chance = np.zeros(alignment.left.n_entities, np.float32)
    partner[alignment.left_ids], chance[alignment.left_ids] = alignment.right_ids, alignment.probability
    partner[alignment.seeds[:, 0]], chance[alignment.seeds[:, 0]] = alignment.seeds[:, 1], 1.0
    return partner, chance


def _short(value: float, digits: int) -> float:
    """The number with few digits; whole ones without any."""
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded
