"""Rounds of evidence that decide anew about open entities only, from what was believed before.

Labels come once, from the seeds and the links that were sure; then evidence and assignment take turns as in
`rounds.py`, among those who are open, while what is believed of all others stays.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.assignment import Assignment, Matches
from lightea.calibration import Calibration, calibrated, fit, split_seeds
from lightea.clock import Clock
from lightea.confident import confident_pairs
from lightea.config import Config
from lightea.evidence import Beliefs, evidence_score, gather_evidence
from lightea.graph import Ids
from lightea.inheritance import joined, together, with_chances, without
from lightea.matchability import Matchability, likeness
from lightea.name_space import NameSpace
from lightea.reopening import Opened, opened_further
from lightea.rounds import NOBODY, Found, Judge, Rounds, answers, first_weights, places
from lightea.seeds import sorted_pairs

F64 = NDArray[np.float64]

_MUCH = 0.2
"""Share of the left entities from which, if opened, they are too many to go by the earlier calibration."""
_LOST = 0.5
"""Share of its score below which an accepted link has lost what it was accepted for."""
_STEPS = 3
"""Times that something is learnt from hidden seeds."""
_FIRST_ROUNDS = 3
_FURTHER_ROUNDS = 2
_FURTHER_TIMES = 2
"""Times that what has changed may open more."""
_ODDS_TRAITS = slice(-2, None)
"""The last two traits of a calibration: how much both are like entities in seeds."""


@dataclass(frozen=True, eq=False)
class Earlier:
    """What an earlier run ended with, by the numbers of the grown graphs."""

    assignment: Assignment
    matches: Matches
    links: Ids
    """The accepted links."""
    probability: NDArray[np.float32]
    """How probable each of them was."""
    seeds: Ids
    edges: Adjacency
    """The graphs as they were, with numbers of their own."""
    seeds_before: Ids
    """The seeds by these numbers."""
    left_numbers: Ids
    right_numbers: Ids
    """For each entity of the earlier graphs its number in those that have grown, -1 where it is gone."""
    threshold: float
    cosine_weight: float
    name_weight: float
    calibration: Calibration | None


@dataclass(frozen=True, eq=False)
class Revised:
    """The assignment among those asked for, what it rests on, and who was open."""

    assignment: Assignment
    beliefs: Beliefs
    calibration: Calibration | None
    opened: Opened


class _OpenRounds(Rounds):
    """Rounds in which only open entities take part."""

    def __init__(
        self,
        edges: Adjacency,
        odds: F64,
        earlier: Earlier,
        seeds: Ids,
        config: Config,
        threads: int,
        clock: Clock,
        names: NameSpace | None,
    ) -> None:
        super().__init__(edges, odds, seeds, config, threads, clock, names)
        self._earlier = earlier
        self._everybody, self._chance_of_all = (self._left, self._right), self._chance
        self._start = self._settled = earlier.matches

    def open_up(self, opened: Opened, start: Matches) -> None:
        """Let these take part from now on; of all others it stays believed what is believed at the start."""
        left, right = self._everybody
        rows, columns = opened.left[left], opened.right[right]
        chance = self._chance_of_all
        self._left, self._right = left[rows], right[columns]
        self._chance = Matchability(chance.left[rows], chance.right[columns])
        self._column = places(self._right, self._edges.n_right)
        seeds = np.zeros(self._edges.n_left, np.bool_)
        seeds[self._seeds[:, 0]] = True
        nobody = np.zeros(self._edges.n_right, np.bool_)
        self._start = start
        self._settled = without(start, opened.left | seeds, nobody)

    @property
    def everybody(self) -> tuple[Ids, Ids]:
        """All entities but those of seeds, open or not."""
        return self._everybody

    def beliefs_after(self, found: Found, judge: Judge | None) -> Matches:
        """What is believed of everybody once a round has ended."""
        return self._believed(found, judge)

    def first(
        self, pairs: Ids, generator: np.random.Generator, judge: Judge | None, hidden: Ids = NOBODY
    ) -> Found:
        """Labels of these pairs, a search for those who are open, and rounds of evidence."""
        sketches = self._sketches(pairs, generator)
        nearest = self._best_of(self._earlier.assignment, sketches)
        known = None if self._names is None else hidden
        weights = dataclasses.replace(
            first_weights(self._config), cosine=self._earlier.cosine_weight, name=self._earlier.name_weight
        )
        return self._weigh(sketches, nearest, None, _FIRST_ROUNDS, weights, judge, known=known)

    def further(self, known: Assignment, before: Found, judge: Judge | None) -> Found:
        """A few more rounds by the same sketches, among the candidates that are known."""
        nearest = self._best_of(known, before.sketches)
        return self._weigh(before.sketches, nearest, None, _FURTHER_ROUNDS, before.weights, judge)

    def rescored(self, assignment: Assignment, found: Found) -> Assignment:
        """The same with scores by what is believed at last; probabilities stay as they are."""
        candidates, beliefs = assignment.candidates, found.beliefs
        ids = candidates.right[candidates.columns]
        allowed = np.ones(self._edges.n_right, np.bool_)
        evidence = gather_evidence(
            self._edges,
            beliefs.weights,
            beliefs.matches,
            beliefs.agreement,
            candidates.left,
            (candidates.indptr, ids),
            allowed,
            n_new=0,
        )
        open_left, self._left = self._left, candidates.left
        cosines = self._cosines(candidates.indptr, ids, found.sketches)
        similarities = self._similarities(candidates.indptr, ids)
        self._left = open_left
        scores = evidence_score(evidence.values) + np.float32(beliefs.cosine_weight) * cosines
        scores += np.float32(beliefs.name_weight) * similarities
        return dataclasses.replace(assignment, candidates=dataclasses.replace(candidates, scores=scores))

    def answers(self, found: Found, odds: F64, asked: tuple[Ids, Ids]) -> Assignment:
        """The assignment among those open ones who were asked for."""
        left, right = np.isin(self._left, asked[0]), np.isin(self._right, asked[1])
        chance = Matchability(self._chance.left[left], self._chance.right[right])
        those = (self._left[left], self._right[right])
        return answers(found, odds, self._edges, *those, self._seeds, self._config, chance)

    def _believed(self, found: Found | None, judge: Judge | None, first: Assignment | None = None) -> Matches:
        if found is None:
            return self._start
        return together(super()._believed(found, judge, first), self._settled)


def by_revision(
    edges: Adjacency,
    asked: tuple[Ids, Ids],
    earlier: Earlier,
    opened: Opened,
    config: Config,
    threads: int,
    clock: Clock,
    names: NameSpace | None = None,
) -> Revised:
    """Decide anew about those who are opened, and about those whom the changes open in turn.

    `config` are the settings of the earlier run.
    """
    parts = _Parts(edges, asked, earlier, config, threads, clock, names)
    share = np.count_nonzero(opened.left) / max(1, edges.n_left)
    if earlier.calibration is not None and (share > _MUCH or names is not None):
        revised = _rehearsed(parts, opened)
        if share > _MUCH:
            return revised
        # a few open entities are fitted anew for the sake of names, but say little of all others
        return dataclasses.replace(revised, calibration=earlier.calibration)
    return _by_earlier_calibration(parts, opened)


@dataclass(frozen=True, eq=False)
class _Parts:
    """What every part of a revision needs."""

    edges: Adjacency
    asked: tuple[Ids, Ids]
    earlier: Earlier
    config: Config
    threads: int
    clock: Clock
    names: NameSpace | None

    def rounds(self, odds: F64, seeds: Ids) -> _OpenRounds:
        return _OpenRounds(
            self.edges, odds, self.earlier, seeds, self.config, self.threads, self.clock, self.names
        )


def _by_earlier_calibration(parts: _Parts, opened: Opened) -> Revised:
    edges, earlier, clock = parts.edges, parts.earlier, parts.clock
    with clock.stage("calibration"):
        odds = np.zeros(edges.n_entities)
        if len(earlier.seeds):
            odds = _likeness_as_before(edges, earlier)
        judge = _judge(earlier.calibration, odds)
    rounds = parts.rounds(odds, earlier.seeds)
    rounds.open_up(opened, earlier.matches)
    generator = np.random.default_rng(parts.config.random_seed)
    found = rounds.first(_labelled(earlier, earlier.seeds, parts.config), generator, judge)
    for _ in range(_FURTHER_TIMES):
        wider = _opened_by_changes(opened, found, judge, edges, earlier)
        if wider.left.sum() == opened.left.sum():
            break
        known = joined(earlier.assignment, found.assignment, *rounds.everybody)
        rounds.open_up(wider, rounds.beliefs_after(found, judge))
        found, opened = rounds.further(known, found, judge), wider
    return _revised(parts, rounds, found, odds, earlier.calibration, opened)


def _rehearsed(parts: _Parts, opened: Opened) -> Revised:
    """As `rehearsal.py` does it: some seeds are hidden, and probabilities are fitted anew by them."""
    edges, earlier, config, clock = parts.edges, parts.earlier, parts.config, parts.clock
    generator = np.random.default_rng(config.random_seed)
    known, hidden = split_seeds(earlier.seeds, generator)
    with clock.stage("calibration", 0, _STEPS):
        odds = likeness(edges, known)
    rounds = parts.rounds(odds, known)
    tried = _with_pairs(opened, hidden)
    rounds.open_up(tried, without(earlier.matches, *_members(hidden, edges)))
    found = rounds.first(_labelled(earlier, known, config), generator, None, hidden)
    with clock.stage("calibration", 1, _STEPS):
        to_learn_from = (np.union1d(parts.asked[0], hidden[:, 0]), np.union1d(parts.asked[1], hidden[:, 1]))
        answered = rounds.answers(found, odds, to_learn_from)
        calibration = fit(answered, found.evidence, found.beliefs, hidden, odds, labels_help=True)
    judge = _judge(calibration, odds)
    clock.begin_part("at last")
    start = rounds.beliefs_after(found, judge)
    last = parts.rounds(odds, earlier.seeds)
    last.open_up(opened, start)
    found = last.further(found.assignment, found, judge)
    clock.begin_part("")
    return _revised(parts, last, found, odds, calibration, opened)


def _revised(
    parts: _Parts,
    rounds: _OpenRounds,
    found: Found,
    odds: F64,
    calibration: Calibration | None,
    opened: Opened,
) -> Revised:
    """The answers of the open ones and, for all others, those of the earlier run."""
    chances = rounds.answers(found, odds, parts.asked)
    if calibration is not None:
        with parts.clock.stage("calibration", _STEPS - 1, _STEPS):
            chances = calibrated(chances, found.evidence, found.beliefs, odds, calibration)
    with parts.clock.stage("evidence"):
        settled = rounds.rescored(joined(parts.earlier.assignment, chances, *parts.asked), found)
    return Revised(_with_standing_links(settled, parts.earlier), found.beliefs, calibration, opened)


def _with_standing_links(assignment: Assignment, earlier: Earlier) -> Assignment:
    """Let accepted links keep their probability, unless the evidence is against them now.

    It is where one of the two has a likelier partner, or where the score is less than half of what it was. A
    probability that fell for other reasons, as seeds are fewer of all, tells nothing of this pair.
    """
    left, right, chances = confident_pairs(assignment, 0.0)
    n_right = int(max(right.max(initial=0), earlier.links[:, 1].max(initial=0))) + 1
    keys = left.astype(np.int64) * n_right + right
    wanted = earlier.links[:, 0].astype(np.int64) * n_right + earlier.links[:, 1]
    place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    is_best = keys[place] == wanted if len(keys) else np.zeros(len(wanted), np.bool_)
    then, now = (_scores(one, earlier.links) for one in (earlier.assignment, assignment))
    stands = is_best & (now >= _LOST * then)
    stands[stands] &= chances[place[stands]] < earlier.probability[stands]
    return with_chances(assignment, earlier.links[stands], earlier.probability[stands])


def _scores(assignment: Assignment, pairs: Ids) -> NDArray[np.float32]:
    """The score of each pair; that of no candidate is less than any."""
    candidates = assignment.candidates
    width = int(max(candidates.right.max(initial=0), pairs[:, 1].max(initial=0))) + 1
    keys = candidates.left[candidates.rows].astype(np.int64) * width + candidates.right[candidates.columns]
    order = np.argsort(keys)
    wanted = pairs[:, 0].astype(np.int64) * width + pairs[:, 1]
    place = np.minimum(np.searchsorted(keys[order], wanted), max(0, len(keys) - 1))
    scores = np.full(len(pairs), -np.inf, np.float32)
    if len(keys):
        found = keys[order[place]] == wanted
        scores[found] = candidates.scores[order[place[found]]]
    return scores


def _with_pairs(opened: Opened, pairs: Ids) -> Opened:
    left, right = opened.left.copy(), opened.right.copy()
    left[pairs[:, 0]] = right[pairs[:, 1]] = True
    return Opened(left, right)


def _members(pairs: Ids, edges: Adjacency) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    left, right = np.zeros(edges.n_left, np.bool_), np.zeros(edges.n_right, np.bool_)
    left[pairs[:, 0]] = right[pairs[:, 1]] = True
    return left, right


def _labelled(earlier: Earlier, seeds: Ids, config: Config) -> Ids:
    """The pairs that labels are drawn for: these seeds, and what was sure."""
    left, right, _ = confident_pairs(earlier.assignment, config.accept)
    free = ~(np.isin(left, earlier.seeds[:, 0]) | np.isin(right, earlier.seeds[:, 1]))
    return sorted_pairs(np.concatenate([seeds, np.stack([left, right], axis=1)[free]]))


def _judge(calibration: Calibration | None, odds: F64) -> Judge | None:
    return (
        None
        if calibration is None
        else partial(calibrated, odds_of_counterpart=odds, calibration=calibration)
    )


def _likeness_as_before(edges: Adjacency, earlier: Earlier) -> F64:
    """How much each entity is like those in seeds, on the scale that the calibration was fitted on.

    In larger graphs the same seeds are fewer of all, which says nothing of the entities that were there.
    """
    odds, once = likeness(edges, earlier.seeds), likeness(earlier.edges, earlier.seeds_before)
    known = earlier.left_numbers, earlier.right_numbers
    return np.concatenate(
        [
            now + (then[numbers >= 0].mean() - now[numbers[numbers >= 0]].mean())
            for now, then, numbers in zip(
                np.split(odds, [edges.n_left]), np.split(once, [earlier.edges.n_left]), known, strict=True
            )
        ]
    )


def _opened_by_changes(
    opened: Opened, found: Found, judge: Judge | None, edges: Adjacency, earlier: Earlier
) -> Opened:
    """Who is open once it is seen which links of open entities are gone, and which are new."""
    trusted = found.assignment if judge is None else judge(found.assignment, found.evidence, found.beliefs)
    left, right, _ = confident_pairs(trusted, earlier.threshold)
    links = np.stack([left, right], axis=1)
    were = earlier.links[opened.left[earlier.links[:, 0]]]
    keys = [pairs[:, 0].astype(np.int64) * edges.n_right + pairs[:, 1] for pairs in (links, were)]
    gone, new = were[~np.isin(keys[1], keys[0])], links[~np.isin(keys[0], keys[1])]
    return opened_further(opened, gone, new, edges, earlier.links, earlier.seeds)
