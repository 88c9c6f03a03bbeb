"""Looks up a pair of an alignment and says what speaks for it: names in, an `Explanation` out.

Everything that grows with the graphs is prepared once, when an explainer is made. A pair then costs about as
much as its two entities have facts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import adjacency
from lightea.alignment import Alignment
from lightea.errors import InputError
from lightea.evidence import evidence_score
from lightea.explanation import (
    Comparison,
    Difference,
    Explanation,
    Fact,
    Hop,
    Lazy,
    NameTerm,
    SharedSeed,
    Status,
    Term,
)
from lightea.graph import KnowledgeGraph
from lightea.itemising import Items, edges_of, itemise, keys_of, no_items
from lightea.naming import close_names, number_of
from lightea.tracing import SharedLabels, one_hot, trace

Side = Literal["left", "right"]
Pair = tuple[int, int]

_NOT_WEIGHED = "neither the sketches nor the evidence proposed it, so it was not weighed"
_NOT_KEPT = "it is not among the candidates that the run directory keeps, the best ones of each left entity"


class Explainer:
    """Explains the pairs of one alignment.

    `kept_only` says that only the best candidates of a run are at hand.
    """

    def __init__(self, alignment: Alignment, *, kept_only: bool = False) -> None:
        self._alignment = alignment
        self._beliefs = alignment.beliefs
        self._not_a_candidate = _NOT_KEPT if kept_only else _NOT_WEIGHED
        beliefs, seeds = alignment.beliefs, alignment.seeds
        self._edges = adjacency(alignment.left, alignment.right) if beliefs is None else beliefs.edges
        self._agreement_keys = (
            np.empty(0, np.int64) if beliefs is None else keys_of(beliefs.agreement, self._edges.n_relations)
        )
        self._labels = one_hot(self._edges, seeds) if beliefs is None else None
        self._seed_keys = np.sort(_keys(seeds[:, 0], seeds[:, 1]))

    def explain(self, left: str, right: str | None = None) -> Explanation:
        """A pair by name; without `right`, an entity (of either graph) and what it is matched with."""
        pair = self._sought(left) if right is None else (self._find(left, "left"), self._find(right, "right"))
        found = self.pair(*pair)
        if found.status in ("seed", "link"):
            return found
        return replace(found, winner=self._winner(found), rival=self._rival(found))

    def pair(self, left: int, right: int) -> Explanation:
        """The pair of these numbers, by itself."""
        items = self._items(left, right)
        status, place = self._status(left, right), self._place(left, right)
        score = None if place is None else float(self._alignment.assignment.candidates.scores[place])
        evidence = None if self._beliefs is None else items.evidence
        of_evidence = None if evidence is None else float(evidence_score(np.array([evidence], np.float32))[0])
        names = self._names(left, right, place)
        of_names = 0.0 if names is None else names.contribution
        return Explanation(
            left=self._name(left, "left"),
            right=self._name(right, "right"),
            status=status,
            probability=self._probability(left, right, status, place),
            no_match=self._no_match(left),
            score=score,
            evidence=evidence,
            evidence_score=of_evidence,
            cosine=None if score is None or of_evidence is None else score - of_evidence - of_names,
            terms=Lazy(len(items), partial(self._term, items, of_evidence or 0.0)),
            hops=self._hops(left, right),
            remarks=tuple(self._remarks(left, right, status, place)),
            names=names,
            key=(left, right),
            opener=partial(self._open, items),
        )

    # --- names and numbers ---------------------------------------------------------------------------

    def _graph(self, side: Side) -> KnowledgeGraph:
        return self._alignment.left if side == "left" else self._alignment.right

    def _name(self, number: int, side: Side) -> str:
        name: str = self._graph(side).entities[int(number)]
        return name

    def _find(self, name: str, side: Side) -> int:
        number = number_of(self._graph(side), name)
        if number is not None:
            return number
        if number_of(self._graph("right" if side == "left" else "left"), name) is not None:
            raise InputError(
                f"{name!r} is not an entity of the {side} graph, but of the other one",
                hint="name the left entity first, then the right one",
            )
        raise _unknown(name, close_names(self._graph(side).entities, name), f"the {side} graph")

    def _sought(self, name: str) -> Pair:
        """The entity of this name, of the left graph if both know it, and its partner or best candidate."""
        left, right = (number_of(self._graph(side), name) for side in ("left", "right"))
        if left is not None:
            return left, self._partner_of_left(left)
        if right is not None:
            return self._partner_of_right(right), right
        close = [like for side in ("left", "right") for like in close_names(self._graph(side).entities, name)]
        raise _unknown(name, close, "either graph")

    # --- who belongs to whom -------------------------------------------------------------------------

    def _given_to(self, number: int, side: Side) -> int | None:
        """The partner of an entity by a seed."""
        own, other = (0, 1) if side == "left" else (1, 0)
        partners = self._alignment.seeds[self._alignment.seeds[:, own] == number, other]
        return int(partners[0]) if len(partners) else None

    def _linked_to(self, number: int, side: Side) -> int | None:
        """The partner of an entity by a link, the most probable one where there are several."""
        ids = (self._alignment.left_ids, self._alignment.right_ids)
        own, other = ids if side == "left" else ids[::-1]
        places = np.flatnonzero(own == number)
        return int(other[places[np.argmax(self._alignment.probability[places])]]) if len(places) else None

    def _link(self, left: int, right: int) -> int | None:
        """The place of a pair among the links."""
        alignment = self._alignment
        places = np.flatnonzero((alignment.left_ids == left) & (alignment.right_ids == right))
        return int(places[0]) if len(places) else None

    def _settled(self, number: int, side: Side) -> int | None:
        """The partner of an entity by a seed or a link."""
        given = self._given_to(number, side)
        return self._linked_to(number, side) if given is None else given

    def _partner_of_left(self, left: int) -> int:
        settled = self._settled(left, "left")
        best = self._best_of_left(left) if settled is None else settled
        if best is None:
            raise self._alone(left, "left", self._row(left) is not None)
        return best

    def _partner_of_right(self, right: int) -> int:
        settled = self._settled(right, "right")
        best = self._best_of_right(right) if settled is None else settled
        if best is None:
            raise self._alone(right, "right", self._column(right) is not None)
        return best

    def _best_of_left(self, left: int) -> int | None:
        """The most probable candidate of a left entity."""
        row, assignment = self._row(left), self._alignment.assignment
        if row is None:
            return None
        low, high = assignment.candidates.indptr[row : row + 2]
        if low == high:
            return None
        place = low + int(np.argmax(assignment.probabilities[low:high]))
        return int(assignment.candidates.right[assignment.candidates.columns[place]])

    def _best_of_right(self, right: int) -> int | None:
        """The left entity for which a right entity is most probable."""
        column, assignment = self._column(right), self._alignment.assignment
        places = np.flatnonzero(assignment.candidates.columns == (-1 if column is None else column))
        if len(places) == 0:
            return None
        place = places[np.argmax(assignment.probabilities[places])]
        row = int(np.searchsorted(assignment.candidates.indptr, place, "right")) - 1
        return int(assignment.candidates.left[row])

    def _alone(self, number: int, side: Side, searched: bool) -> InputError:
        """Nothing can be shown for an entity: the reason, as an error."""
        name = self._name(number, side)
        joined = number if side == "left" else number + self._edges.n_left
        if not searched:
            return InputError(
                f"{name!r} was not searched", hint=f"the run was limited to other {side} entities"
            )
        if len(edges_of(self._edges, joined)) == 0:
            return InputError(
                f"{name!r} has no candidates: it has no facts", hint="only facts between entities count"
            )
        return InputError(
            f"{name!r} has no candidates: nothing around it is like what is around others",
            hint="name two entities, to see what little they have in common",
        )

    # --- one pair ------------------------------------------------------------------------------------

    def _row(self, left: int) -> int | None:
        return _position(self._alignment.assignment.candidates.left, left)

    def _column(self, right: int) -> int | None:
        return _position(self._alignment.assignment.candidates.right, right)

    def _place(self, left: int, right: int) -> int | None:
        """Where a pair stands among the candidates."""
        row, column, candidates = self._row(left), self._column(right), self._alignment.assignment.candidates
        if row is None or column is None:
            return None
        low, high = candidates.indptr[row : row + 2]
        places = np.flatnonzero(candidates.columns[low:high] == column)
        return int(low + places[0]) if len(places) else None

    def _status(self, left: int, right: int) -> Status:
        if self._are_seeds(np.array([left]), np.array([right]))[0]:
            return "seed"
        if self._link(left, right) is not None:
            return "link"
        return "not a candidate" if self._place(left, right) is None else "candidate"

    def _are_seeds(self, left: NDArray[np.integer], right: NDArray[np.integer]) -> NDArray[np.bool_]:
        wanted = _keys(left, right)
        if len(self._seed_keys) == 0:
            return np.zeros(len(wanted), np.bool_)
        place = np.minimum(np.searchsorted(self._seed_keys, wanted), len(self._seed_keys) - 1)
        known: NDArray[np.bool_] = self._seed_keys[place] == wanted
        return known

    def _probability(self, left: int, right: int, status: Status, place: int | None) -> float | None:
        alignment = self._alignment
        if status == "seed":
            return 1.0
        if (link := self._link(left, right)) is not None:
            return float(alignment.probability[link])
        return None if place is None else float(alignment.assignment.probabilities[place])

    def _no_match(self, left: int) -> float | None:
        row = self._row(left)
        return None if row is None else float(self._alignment.assignment.no_match[row])

    def _names(self, left: int, right: int, place: int | None) -> NameTerm | None:
        """What the names of a candidate pair add; where sketches alone decided, they are part of these."""
        used, beliefs = self._alignment.names, self._beliefs
        if used is None or place is None:
            return None
        weight = 0.0 if beliefs is None else beliefs.name_weight
        alike = float(used.similarity[place])
        own, other = tuple(used.left.of(left)), tuple(used.right.of(right))
        return NameTerm(own, other, alike, weight, weight * alike)

    def _items(self, left: int, right: int) -> Items:
        beliefs = self._beliefs
        return no_items() if beliefs is None else itemise(beliefs, self._agreement_keys, left, right)

    def _term(self, items: Items, of_evidence: float, place: int) -> Term:
        left, right = self._neighbours(items, place)
        contribution = float(items.contribution[place])
        return Term(
            self._fact(int(items.left_edge[place]), "left", float(items.left_weight[place])),
            self._fact(int(items.right_edge[place]), "right", float(items.right_weight[place])),
            float(items.probability[place]),
            bool(self._are_seeds(np.array([left]), np.array([right]))[0]),
            float(items.agreement[place]),
            contribution,
            contribution / items.evidence * of_evidence if items.evidence else 0.0,
        )

    def _neighbours(self, items: Items, place: int) -> Pair:
        tails = self._edges.tails
        return int(tails[items.left_edge[place]]), int(tails[items.right_edge[place]]) - self._edges.n_left

    def _open(self, items: Items, place: int) -> Explanation:
        return self.pair(*self._neighbours(items, place))

    def _fact(self, edge: int, side: Side, weight: float) -> Fact:
        edges, graph = self._edges, self._graph(side)
        relation, tail = int(edges.relations[edge]), int(edges.tails[edge])
        forward = relation % edges.n_forward_relations
        first_relation, first_entity = (
            (0, 0) if side == "left" else (self._alignment.left.n_relations, edges.n_left)
        )
        return Fact(
            graph.relations[forward - first_relation],
            relation >= edges.n_forward_relations,
            graph.entities[tail - first_entity],
            weight,
        )

    def _hops(self, left: int, right: int) -> tuple[Hop, ...]:
        if self._labels is None:
            return ()
        traced = trace(self._labels, left, right, self._alignment.config.hops)
        return tuple(
            Hop(one.hop, one.cosine, Lazy(len(one.seeds), partial(self._shared, one)), one.left_out)
            for one in traced
        )

    def _shared(self, labels: SharedLabels, place: int) -> SharedSeed:
        left, right = self._alignment.seeds[labels.seeds[place]].tolist()
        return SharedSeed(
            self._name(left, "left"),
            self._name(right, "right"),
            float(labels.left[place]),
            float(labels.right[place]),
            float(labels.products[place]),
        )

    # --- why not -------------------------------------------------------------------------------------

    def _remarks(self, left: int, right: int, status: Status, place: int | None) -> list[str]:
        if status == "seed":
            return ["Given as a seed; what follows would speak for it."]
        if status == "link":
            return []
        bars = [bar for side in ("left", "right") if (bar := self._barred((left, right), side)) is not None]
        if place is None:
            return bars or [f"Not a candidate: {self._not_a_candidate}."]
        chance = float(self._alignment.assignment.probabilities[place])
        return [*bars, f"No link: {self._obstacle(left, right, chance)}."]

    def _obstacle(self, left: int, right: int, chance: float) -> str:
        """What keeps a candidate from being a link."""
        threshold = self._alignment.config.threshold
        if threshold is not None and chance < np.float32(threshold):
            return f"its probability {chance:.4f} is below the threshold {threshold:g}"
        if self._best_of_left(left) != right or self._best_of_right(right) != left:
            return "for one of them another partner is at least as probable"
        return (
            f"its probability {chance:.4f} is below the threshold of the run, or the links were narrowed down"
        )

    def _barred(self, pair: Pair, side: Side) -> str | None:
        """Why an entity could not be matched with any partner but its own."""
        number = pair[0] if side == "left" else pair[1]
        name, given = self._name(number, side), self._given_to(number, side)
        if given is not None:
            partner = self._name(given, "right" if side == "left" else "left")
            return f"{name} was given as the same as {partner}, so it was not searched."
        if (self._row(number) if side == "left" else self._column(number)) is None:
            return f"{name} was not searched: the run was limited to other {side} entities."
        return None

    def _winner(self, lost: Explanation) -> Comparison | None:
        """What the left entity is matched with, or would be with more probability."""
        left, right = lost.key
        settled = self._settled(left, "left")
        best = self._best_of_left(left) if settled is None else settled
        if best is None or best == right:
            return None
        return self._against(lost, self.pair(left, best), "left")

    def _rival(self, lost: Explanation) -> Comparison | None:
        """Who took the right entity."""
        left, right = lost.key
        settled = self._settled(right, "right")
        if settled is None or settled == left:
            return None
        return self._against(lost, self.pair(settled, right), "right")

    def _against(self, here: Explanation, there: Explanation, common: Side) -> Comparison:
        """Two pairs with an entity in common, compared by its facts."""
        items = [self._items(*one.key) for one in (here, there)]
        edges = [one.left_edge if common == "left" else one.right_edge for one in items]
        facts = np.unique(np.concatenate(edges))
        sums = [
            np.bincount(np.searchsorted(facts, edge), one.contribution, len(facts))
            for edge, one in zip(edges, items, strict=True)
        ]
        order = np.argsort(sums[0] - sums[1], kind="stable")

        def difference(place: int) -> Difference:
            number = order[place]
            edge = int(facts[number])
            weight = 0.0 if self._beliefs is None else float(self._beliefs.weights[edge])
            return Difference(
                self._fact(edge, common, weight), float(sums[0][number]), float(sums[1][number])
            )

        return Comparison(there, Lazy(len(facts), difference))


def _keys(left: NDArray[np.integer], right: NDArray[np.integer]) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = left.astype(np.int64) << 32 | right.astype(np.int64)
    return keys


def _position(ordered: NDArray[np.int32], wanted: int) -> int | None:
    place = int(np.searchsorted(ordered, wanted))
    return place if place < len(ordered) and ordered[place] == wanted else None


def _unknown(name: str, close: list[str], where: str) -> InputError:
    meant = " or ".join(repr(one) for one in close[:3])
    return InputError(
        f"no entity of {where} is named {name!r}",
        hint=f"did you mean {meant}?" if close else "names are those of the input files, letter for letter",
    )
