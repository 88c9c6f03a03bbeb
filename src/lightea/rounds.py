"""Rounds of labels, and in each of them the loop evidence ⇄ assignment.

Everybody takes part, asked for or not: who an entity's neighbours are is evidence of who it is itself. Only
at the end `answers` looks at those who were asked for.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.assignment import Assignment, Matches, StayingAlone, assign, believed
from lightea.candidates import Candidates, Proposals, add_cosines, best_candidates, in_order, search
from lightea.clock import Clock
from lightea.codes import Codes, narrow
from lightea.confident import confident_pairs, with_confident_pairs
from lightea.config import Config
from lightea.evidence import Beliefs, Evidence, edge_weights, evidence_score, gather_evidence
from lightea.graph import Ids
from lightea.matchability import Matchability, matchability, staying_alone
from lightea.name_space import NameSpace
from lightea.proposing import is_called_for, propose_by_facts
from lightea.relations import relation_agreement
from lightea.sketching import name_blocks, sketch_blocks
from lightea.weighing import Parts, Weights, fitted

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Sketches = list[tuple[Codes, Codes]]
"""Codes of all entities of the left and of the right graph, in blocks."""

_AFFORDABLE = 2**38
"""Products of numbers that a search may cost before it looks at fewer dimensions: about a second."""
_NARROWEST = 128
_AFFORDABLE_AT_MOST = 2**42
"""What the search in the fewest dimensions may cost, before facts propose instead: about a minute."""
_PASSES = 2
"""Of proposing by facts, since rounds of evidence go on to find candidates."""
_STILL_GROWING = 1.05
"""Rounds go on while each makes this many times the confident pairs of the one before."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """Candidates that are weighed whatever the evidence: CSR of right entities, with their mean cosines."""

    indptr: NDArray[np.int64]
    ids: Ids
    cosines: F32
    similarities: F32
    """Of the names; zero where names are not compared."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a round of labels ends with: an assignment, and what it was weighed by."""

    assignment: Assignment
    evidence: Evidence
    """E of each candidate pair; the order within a row is not that of the candidates."""
    beliefs: Beliefs
    sketches: Sketches
    weights: Weights
    """What the parts of the scores were weighed by."""
    parts: Parts
    """The parts of the scores of the assignment."""
    labels_help: bool = True
    """Whether confident pairs as labels made it better, the last time that this was tried."""


NOBODY = np.empty((0, 2), np.int32)
IsWorse = Callable[[Assignment, Assignment], bool]
"""Whether the second assignment is worse than the first, beyond chance."""
Judge = Callable[[Assignment, Evidence, Beliefs], Assignment]
"""The assignment with the probabilities that deserve belief."""


class Rounds:
    """What stays the same through the rounds: the graphs and who may be whom, as far as seeds tell."""

    def __init__(
        self,
        edges: Adjacency,
        odds: F64,
        seeds: Ids,
        config: Config,
        threads: int,
        clock: Clock,
        names: NameSpace | None = None,
    ) -> None:
        self._edges, self._seeds, self._config, self._names = edges, seeds, config, names
        self._by_name: Sketches = []
        self._threads, self._clock = threads, clock
        self._left = np.setdiff1d(np.arange(edges.n_left, dtype=np.int32), seeds[:, 0])
        self._right = np.setdiff1d(np.arange(edges.n_right, dtype=np.int32), seeds[:, 1])
        self._column = places(self._right, edges.n_right)
        with clock.stage("preparation"):
            self._weights = edge_weights(edges)
            self._chance = matchability(odds, edges.n_left, self._left, self._right, seeds)

    def from_seeds(
        self,
        generator: np.random.Generator,
        is_worse: IsWorse | None = None,
        hidden: Ids = NOBODY,
    ) -> Found:
        """Rounds of labels until confident pairs grow no more.

        A round that is worse than the one before is taken back, and ends the rounds. Where there are names,
        what they count is fitted after each round, to `hidden` seeds if there are enough of them.
        """
        config = self._config
        self._clock.begin_round(1, config.rounds)
        sketches = self._sketches(self._seeds, generator)
        nearest, weights = self._search(sketches), first_weights(config)
        first = self._first(nearest, weights)
        known = None if self._names is None else hidden
        found = self._weigh(
            sketches, nearest, None, config.evidence_rounds, weights, first=first, known=known
        )
        n_confident = len(confident_pairs(found.assignment, config.accept)[0])
        for number in range(2, config.rounds + 1):
            self._clock.begin_round(number, config.rounds)
            pairs = with_confident_pairs(self._seeds, found.assignment, config.accept)
            sketches = self._sketches(pairs, generator)
            # what many seeds lead to is nearly settled by now
            n_rounds = config.evidence_rounds if self._are_few(self._seeds) else config.evidence_rounds - 1
            following = self._from(found, sketches, max(1, n_rounds), known=known)
            if is_worse is not None and is_worse(found.assignment, following.assignment):
                return dataclasses.replace(found, labels_help=False)
            found = following
            n_before, n_confident = n_confident, len(confident_pairs(found.assignment, config.accept)[0])
            if n_confident < _STILL_GROWING * n_before:
                break
        return found

    def following(self, before: Found, n_rounds: int, judge: Judge) -> Found:
        """A few more rounds of evidence by the sketches that are there, by beliefs that were judged."""
        return self._from(before, before.sketches, n_rounds, judge)

    def _from(
        self,
        before: Found,
        sketches: Sketches,
        n_rounds: int,
        judge: Judge | None = None,
        known: Ids | None = None,
    ) -> Found:
        nearest = self._best_of(before.assignment, sketches)
        return self._weigh(sketches, nearest, before, n_rounds, before.weights, judge, known=known)

    def _first(self, nearest: Nearest, weights: Weights) -> Assignment | None:
        """What names and sketches say before there is any evidence; without names only seeds are believed."""
        if self._names is None:
            return None
        scores = (
            np.float32(weights.cosine) * nearest.cosines + np.float32(weights.name) * nearest.similarities
        )
        columns = self._column[nearest.ids]
        candidates = in_order(self._left, self._right, nearest.indptr, columns, scores)
        with self._clock.stage("first assignment"):
            return self._assigned(candidates, weights, None)

    # --- sketches --------------------------------------------------------------------------------------

    def _sketches(self, pairs: Ids, generator: np.random.Generator) -> Sketches:
        edges, config = self._edges, self._config
        everybody = (np.arange(edges.n_left, dtype=np.int32), np.arange(edges.n_right, dtype=np.int32))
        if self._names is not None and not self._by_name:
            codes = self._names.labels(config.label_width)
            self._by_name = list(name_blocks(edges, *everybody, codes, config, generator, self._clock))
        if self._names is not None and len(pairs) == 0:
            return self._by_name
        if self._are_few(pairs):  # they do not reach everybody in two hops
            config = config.replace(hops=config.hops + 1)
        by_pairs = sketch_blocks(edges, *everybody, pairs, config, generator, self._clock)
        return [*self._by_name, *by_pairs]

    def _are_few(self, pairs: Ids) -> bool:
        return len(pairs) < 0.05 * min(self._edges.n_left, self._edges.n_right)

    def _search(self, sketches: Sketches) -> Nearest:
        """Proposals by the first block, or by facts; and by name."""
        with self._clock.stage("candidates"):
            indptr, columns = self._proposals(sketches[0])
            found = indptr, self._right[columns]
            if self._names is not None:
                allowed, n_best = self._column >= 0, self._config.proposals
                named = self._names.nearest(self._left, allowed, n_best, threads=self._threads)
                found = _union(found, named, self._edges.n_right)
            return self._nearest(*found, sketches)

    def _proposals(self, block: tuple[Codes, Codes]) -> Proposals:
        """By as many dimensions of a block as can be afforded; by facts where even the fewest cannot."""
        n_pairs = max(1, len(self._left) * len(self._right))
        width, told = max(_NARROWEST, _AFFORDABLE // n_pairs), self._clock.report_of("candidates")
        n_best = self._config.proposals
        if is_called_for(self._config.search, n_pairs * width, _AFFORDABLE_AT_MOST):
            codes = (block[0].rows(self._left), block[1].rows(self._right))
            return propose_by_facts(
                self._edges, self._left, self._right, self._seeds, codes, n_best, told, most_passes=_PASSES
            )
        left_codes, right_codes = (narrow(codes, width) for codes in block)
        left_codes, right_codes = left_codes.rows(self._left), right_codes.rows(self._right)
        return search(left_codes, right_codes, n_best, threads=self._threads, progress=told)

    def _best_of(self, before: Assignment, sketches: Sketches) -> Nearest:
        """The best candidates of an earlier assignment, for those who still take part."""
        best = best_candidates(before.candidates, self._config.proposals)
        row = places(self._left, self._edges.n_left)[best.left[best.rows]]
        ids = best.right[best.columns]
        kept = (row >= 0) & (self._column[ids] >= 0)
        counts = np.bincount(row[kept], minlength=len(self._left))
        indptr = np.concatenate([[0], np.cumsum(counts)])
        with self._clock.stage("candidates"):
            return self._nearest(indptr, ids[kept], sketches)

    def _nearest(self, indptr: NDArray[np.int64], ids: Ids, sketches: Sketches) -> Nearest:
        cosines = self._cosines(indptr, ids, sketches)
        return Nearest(indptr, ids, cosines, self._similarities(indptr, ids))

    def _similarities(self, indptr: NDArray[np.int64], ids: Ids) -> F32:
        """How much alike the names of pairs are."""
        if self._names is None:
            return np.zeros(len(ids), np.float32)
        return self._names.similarities(self._left, indptr, ids)

    def _cosines(self, indptr: NDArray[np.int64], ids: Ids, sketches: Sketches) -> F32:
        """The mean cosine of pairs over the blocks; row i is that of the i-th who takes part."""
        total = np.zeros(len(ids), np.float32)
        for left_codes, right_codes in sketches:
            add_cosines(indptr, ids, left_codes.rows(self._left), right_codes, total)
        return total / np.float32(len(sketches))

    # --- evidence and assignment -----------------------------------------------------------------------

    def _weigh(
        self,
        sketches: Sketches,
        nearest: Nearest,
        before: Found | None,
        n_rounds: int,
        weights: Weights,
        judge: Judge | None = None,
        first: Assignment | None = None,
        known: Ids | None = None,
    ) -> Found:
        """What is believed gives evidence; evidence, sketches and names give scores; scores give belief.

        `first` is believed where nothing was found before. After the first round the weights are fitted anew,
        to the `known` pairs or without them, unless that is None.
        """
        found = before
        for number in range(n_rounds):
            if found is not None and known is not None and number == 1:
                with self._clock.stage("weighing"):
                    weights = fitted(found.parts, known, weights)
            with self._clock.stage("evidence", number, n_rounds):
                matches = self._believed(found, judge, first)
                evidence, beliefs = self._evidence(matches, nearest, weights)
                parts = self._parts(evidence, nearest, sketches)
                candidates = self._scored(evidence, parts, weights)
            with self._clock.stage("assignment", number, n_rounds):
                start = first if found is None else found.assignment
                assignment = self._assigned(candidates, weights, start)
            found = Found(assignment, evidence, beliefs, sketches, weights, parts)
        assert found is not None  # noqa: S101  (there is at least one round)
        return found

    def _assigned(self, candidates: Candidates, weights: Weights, start: Assignment | None) -> Assignment:
        chance = self._chance
        return assign(
            candidates,
            temperature=weights.temperature,
            iterations=self._config.sinkhorn_iterations,
            no_match=_staying_alone(chance, weights),
            start=start,
        )

    def _believed(self, found: Found | None, judge: Judge | None, first: Assignment | None = None) -> Matches:
        assignment = first if found is None else found.assignment
        if found is not None and judge is not None:
            assignment = judge(found.assignment, found.evidence, found.beliefs)
        return believed(self._seeds, assignment, self._edges.n_left, self._edges.n_right)

    def _evidence(self, matches: Matches, nearest: Nearest, weights: Weights) -> tuple[Evidence, Beliefs]:
        agreement = relation_agreement(self._edges, matches)
        evidence = gather_evidence(
            self._edges,
            self._weights,
            matches,
            agreement,
            self._left,
            (nearest.indptr, nearest.ids),
            self._column >= 0,
        )
        beliefs = Beliefs(self._edges, self._weights, matches, agreement, weights.cosine, weights.name)
        return evidence, beliefs

    def _scored(self, evidence: Evidence, parts: Parts, weights: Weights) -> Candidates:
        columns = parts.candidates.columns
        return in_order(self._left, self._right, evidence.indptr, columns, parts.score(weights))

    def _parts(self, evidence: Evidence, nearest: Nearest, sketches: Sketches) -> Parts:
        """What there is to say of the nearest and of the best by evidence."""
        n_nearest, n_all = np.diff(nearest.indptr), np.diff(evidence.indptr)
        rank = np.arange(len(evidence.ids)) - np.repeat(evidence.indptr[:-1], n_all)
        is_new = rank >= np.repeat(n_nearest, n_all)
        cosines, similarities = np.empty((2, len(evidence.ids)), np.float32)
        cosines[~is_new], similarities[~is_new] = nearest.cosines, nearest.similarities
        new = np.concatenate([[0], np.cumsum(n_all - n_nearest)])
        cosines[is_new] = self._cosines(new, evidence.ids[is_new], sketches)
        similarities[is_new] = self._similarities(new, evidence.ids[is_new])
        columns = self._column[evidence.ids]
        candidates = Candidates(self._left, self._right, evidence.indptr, columns, cosines)
        return Parts(candidates, evidence_score(evidence.values), cosines, similarities)


def answers(
    found: Found,
    odds: F64,
    edges: Adjacency,
    left: Ids,
    right: Ids,
    seeds: Ids,
    config: Config,
    chance: Matchability | None = None,
) -> Assignment:
    """The assignment among those who were asked for, by the scores that all together led to.

    `chance` is that of a counterpart for each of them, where it is known already.
    """
    candidates = found.assignment.candidates
    row, column = places(left, edges.n_left), places(right, edges.n_right)
    rows, columns = row[candidates.left[candidates.rows]], column[candidates.right[candidates.columns]]
    kept = np.flatnonzero((rows >= 0) & (columns >= 0))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(left)))])
    return assign(
        Candidates(left, right, indptr, columns[kept], candidates.scores[kept]),
        temperature=found.weights.temperature,
        iterations=4 * config.sinkhorn_iterations,
        no_match=_staying_alone(
            matchability(odds, edges.n_left, left, right, seeds) if chance is None else chance, found.weights
        ),
        start=found.assignment,
    )


def first_weights(config: Config) -> Weights:
    """What the settings say, before anything is fitted."""
    return Weights(config.cosine_weight, config.name_weight, config.temperature, config.no_match_score)


def _staying_alone(chance: Matchability, weights: Weights) -> StayingAlone:
    """The score of having no partner, by what the seeds say of entities of that kind."""
    score, temperature = weights.no_match, weights.temperature
    return staying_alone(chance.left, score, temperature), staying_alone(chance.right, score, temperature)


def _union(
    first: tuple[NDArray[np.int64], Ids], second: tuple[NDArray[np.int64], Ids], n_right: int
) -> tuple[NDArray[np.int64], Ids]:
    """The pairs of both, each once."""
    keys = np.unique(np.concatenate([_keys(*first, n_right), _keys(*second, n_right)]))
    rows = keys // n_right
    indptr = np.searchsorted(rows, np.arange(len(first[0]))).astype(np.int64)
    return indptr, (keys % n_right).astype(np.int32)


def _keys(indptr: NDArray[np.int64], ids: Ids, n_right: int) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) * n_right + ids


def places(ids: Ids, size: int) -> Ids:
    """Where each of `size` entities stands among these, -1 for those who do not."""
    place = np.full(size, -1, np.int32)
    place[ids] = np.arange(len(ids), dtype=np.int32)
    return place
