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
from lightea.matchability import matchability, staying_alone
from lightea.proposing import is_called_for, propose_by_facts
from lightea.relations import relation_agreement
from lightea.sketching import sketch_blocks

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


@dataclass(frozen=True, eq=False)
class Found:
    """What a round of labels ends with: an assignment, and what it was weighed by."""

    assignment: Assignment
    evidence: Evidence
    """E of each candidate pair; the order within a row is not that of the candidates."""
    beliefs: Beliefs
    sketches: Sketches
    labels_help: bool = True
    """Whether confident pairs as labels made it better, the last time that this was tried."""


IsWorse = Callable[[Assignment, Assignment], bool]
"""Whether the second assignment is worse than the first, beyond chance."""
Judge = Callable[[Assignment, Evidence, Beliefs], Assignment]
"""The assignment with the probabilities that deserve belief."""


class Rounds:
    """What stays the same through the rounds: the graphs and who may be whom, as far as seeds tell."""

    def __init__(
        self, edges: Adjacency, odds: F64, seeds: Ids, config: Config, threads: int, clock: Clock
    ) -> None:
        self._edges, self._seeds, self._config = edges, seeds, config
        self._threads, self._clock = threads, clock
        self._left = np.setdiff1d(np.arange(edges.n_left, dtype=np.int32), seeds[:, 0])
        self._right = np.setdiff1d(np.arange(edges.n_right, dtype=np.int32), seeds[:, 1])
        self._column = places(self._right, edges.n_right)
        with clock.stage("preparation"):
            self._weights = edge_weights(edges)
            self._alone = _staying_alone(odds, edges, self._left, self._right, seeds, config)

    def from_seeds(
        self,
        generator: np.random.Generator,
        is_worse: IsWorse | None = None,
    ) -> Found:
        """Rounds of labels until confident pairs grow no more.

        A round that is worse than the one before is taken back, and ends the rounds.
        """
        config = self._config
        self._clock.begin_round(1, config.rounds)
        sketches = self._sketches(self._seeds, generator)
        found = self._weigh(sketches, self._search(sketches), None, config.evidence_rounds)
        n_confident = len(confident_pairs(found.assignment, config.accept)[0])
        for number in range(2, config.rounds + 1):
            self._clock.begin_round(number, config.rounds)
            pairs = with_confident_pairs(self._seeds, found.assignment, config.accept)
            sketches = self._sketches(pairs, generator)
            following = self._from(found, sketches, config.evidence_rounds)
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

    def _from(self, before: Found, sketches: Sketches, n_rounds: int, judge: Judge | None = None) -> Found:
        return self._weigh(sketches, self._best_of(before.assignment, sketches), before, n_rounds, judge)

    # --- sketches --------------------------------------------------------------------------------------

    def _sketches(self, pairs: Ids, generator: np.random.Generator) -> Sketches:
        edges, config = self._edges, self._config
        if len(pairs) < 0.05 * min(edges.n_left, edges.n_right):  # so few do not reach everybody in two hops
            config = config.replace(hops=config.hops + 1)
        everybody = (np.arange(edges.n_left, dtype=np.int32), np.arange(edges.n_right, dtype=np.int32))
        return list(sketch_blocks(edges, *everybody, pairs, config, generator, self._clock))

    def _search(self, sketches: Sketches) -> Nearest:
        """Proposals, with the cosines of all blocks."""
        with self._clock.stage("candidates"):
            indptr, columns = self._proposals(sketches[0])
            ids = self._right[columns]
            return Nearest(indptr, ids, self._cosines(indptr, ids, sketches))

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
            return Nearest(indptr, ids[kept], self._cosines(indptr, ids[kept], sketches))

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
        judge: Judge | None = None,
    ) -> Found:
        """What is believed gives evidence; evidence and sketches give scores; scores give belief."""
        found = before
        for number in range(n_rounds):
            with self._clock.stage("evidence", number, n_rounds):
                matches = self._believed(found, judge)
                evidence, beliefs = self._evidence(matches, nearest)
                candidates = self._scored(evidence, nearest, sketches)
            with self._clock.stage("assignment", number, n_rounds):
                assignment = assign(
                    candidates,
                    temperature=self._config.temperature,
                    iterations=self._config.sinkhorn_iterations,
                    no_match=self._alone,
                    start=None if found is None else found.assignment,
                )
            found = Found(assignment, evidence, beliefs, sketches)
        assert found is not None  # noqa: S101  (there is at least one round)
        return found

    def _believed(self, found: Found | None, judge: Judge | None) -> Matches:
        assignment = None if found is None else found.assignment
        if found is not None and judge is not None:
            assignment = judge(found.assignment, found.evidence, found.beliefs)
        return believed(self._seeds, assignment, self._edges.n_left, self._edges.n_right)

    def _evidence(self, matches: Matches, nearest: Nearest) -> tuple[Evidence, Beliefs]:
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
        beliefs = Beliefs(self._edges, self._weights, matches, agreement, self._config.cosine_weight)
        return evidence, beliefs

    def _scored(self, evidence: Evidence, nearest: Nearest, sketches: Sketches) -> Candidates:
        """The nearest and the best by evidence; score = evidence score + weight · mean cosine."""
        n_nearest, n_all = np.diff(nearest.indptr), np.diff(evidence.indptr)
        rank = np.arange(len(evidence.ids)) - np.repeat(evidence.indptr[:-1], n_all)
        is_new = rank >= np.repeat(n_nearest, n_all)
        cosines = np.empty(len(evidence.ids), np.float32)
        cosines[~is_new] = nearest.cosines
        new = np.concatenate([[0], np.cumsum(n_all - n_nearest)])
        cosines[is_new] = self._cosines(new, evidence.ids[is_new], sketches)
        scores = evidence_score(evidence.values) + np.float32(self._config.cosine_weight) * cosines
        return in_order(self._left, self._right, evidence.indptr, self._column[evidence.ids], scores)


def answers(
    found: Found, odds: F64, edges: Adjacency, left: Ids, right: Ids, seeds: Ids, config: Config
) -> Assignment:
    """The assignment among those who were asked for, by the scores that all together led to."""
    candidates = found.assignment.candidates
    row, column = places(left, edges.n_left), places(right, edges.n_right)
    rows, columns = row[candidates.left[candidates.rows]], column[candidates.right[candidates.columns]]
    kept = np.flatnonzero((rows >= 0) & (columns >= 0))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(left)))])
    return assign(
        Candidates(left, right, indptr, columns[kept], candidates.scores[kept]),
        temperature=config.temperature,
        iterations=4 * config.sinkhorn_iterations,
        no_match=_staying_alone(odds, edges, left, right, seeds, config),
        start=found.assignment,
    )


def _staying_alone(
    odds: F64, edges: Adjacency, left: Ids, right: Ids, seeds: Ids, config: Config
) -> StayingAlone:
    """The score of having no partner, by what the seeds say of entities of that kind."""
    chance = matchability(odds, edges.n_left, left, right, seeds)
    score, temperature = config.no_match_score, config.temperature
    return staying_alone(chance.left, score, temperature), staying_alone(chance.right, score, temperature)


def places(ids: Ids, size: int) -> Ids:
    """Where each of `size` entities stands among these, -1 for those who do not."""
    place = np.full(size, -1, np.int32)
    place[ids] = np.arange(len(ids), dtype=np.int32)
    return place
