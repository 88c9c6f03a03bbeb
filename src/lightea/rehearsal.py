"""Rehearse with a part of the seeds hidden and learn from how that went; then once more with all of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.assignment import Assignment
from lightea.calibration import LEAST_SEEDS, Calibration, calibrated, fit, split_seeds, worse_for
from lightea.clock import Clock
from lightea.config import Config
from lightea.evidence import Beliefs
from lightea.graph import Ids
from lightea.matchability import likeness
from lightea.name_space import NameSpace
from lightea.rounds import Found, Judge, Rounds, answers

logger = logging.getLogger(__name__)

_MORE_ROUNDS = 2
"""Rounds of evidence after a change of what is believed; what is left to gain after that is noise."""

_STEPS = 4
"""Times that something is learnt from hidden seeds."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The assignment among those who were asked for, and what it rests on."""

    assignment: Assignment
    beliefs: Beliefs
    calibration: Calibration | None
    """None where there were too few seeds to hide some."""


def by_evidence(
    edges: Adjacency,
    asked: tuple[Ids, Ids],
    seeds: Ids,
    config: Config,
    threads: int,
    clock: Clock,
    names: NameSpace | None = None,
    *,
    rounds_of: type[Rounds] = Rounds,
) -> Outcome:
    """Rounds of labels and evidence, with settings and probabilities that hidden seeds were asked about.

    The last rounds start from what the rehearsal believed, so that a few of them are enough. `rounds_of` may
    be rounds with a part taken out, to see what it is worth.
    """
    generator = np.random.default_rng(config.random_seed)
    known, hidden = split_seeds(seeds, generator)
    if len(seeds) < LEAST_SEEDS or len(hidden) == 0:
        if names is None or len(seeds):
            _say_why_not(seeds)
        return _without_rehearsal(edges, asked, seeds, config, threads, clock, generator, names)
    with clock.stage("calibration", 0, _STEPS):
        odds = likeness(edges, known)
    rounds = rounds_of(edges, odds, known, config, threads, clock, names)
    found = rounds.from_seeds(generator, worse_for(hidden), hidden)
    judge = _judge(found, hidden, odds, clock)
    clock.begin_part("rehearsed")
    found = rounds.following(found, _MORE_ROUNDS, judge)
    clock.begin_part("")
    with clock.stage("calibration", 2, _STEPS):
        to_learn_from = (np.union1d(asked[0], hidden[:, 0]), np.union1d(asked[1], hidden[:, 1]))
        tried = answers(found, odds, edges, *to_learn_from, known, config)
        calibration = fit(tried, found.evidence, found.beliefs, hidden, odds, labels_help=found.labels_help)
    clock.begin_part("at last")
    last = rounds_of(edges, odds, seeds, config, threads, clock, names).following(found, _MORE_ROUNDS, judge)
    clock.begin_part("")
    with clock.stage("calibration", 3, _STEPS):
        chances = answers(last, odds, edges, *asked, seeds, config)
        trusted = calibrated(chances, last.evidence, last.beliefs, odds, calibration)
    return Outcome(trusted, last.beliefs, calibration)


def _judge(found: Found, hidden: Ids, odds: NDArray[np.float64], clock: Clock) -> Judge:
    """What the hidden seeds say of probabilities among everybody, asked for or not."""
    clock.begin_part("")
    with clock.stage("calibration", 1, _STEPS):
        calibration = fit(
            found.assignment,
            found.evidence,
            found.beliefs,
            hidden,
            odds,
            labels_help=found.labels_help,
        )
    return partial(calibrated, odds_of_counterpart=odds, calibration=calibration)


def _without_rehearsal(
    edges: Adjacency,
    asked: tuple[Ids, Ids],
    seeds: Ids,
    config: Config,
    threads: int,
    clock: Clock,
    generator: np.random.Generator,
    names: NameSpace | None,
) -> Outcome:
    odds = np.zeros(edges.n_entities)
    if len(seeds):
        with clock.stage("calibration"):
            odds = likeness(edges, seeds)
    found = Rounds(edges, odds, seeds, config, threads, clock, names).from_seeds(generator)
    return Outcome(answers(found, odds, edges, *asked, seeds, config), found.beliefs, None)


def _say_why_not(seeds: Ids) -> None:
    if len(seeds) < LEAST_SEEDS:
        logger.warning(
            "%d seeds are too few to hold some back: probabilities are not calibrated, and settings are the "
            "defaults (%d seeds would be enough)",
            len(seeds),
            LEAST_SEEDS,
        )
    else:
        logger.warning(
            "none of the %d seeds can be held back, since each shares an entity with another: probabilities "
            "are not calibrated, and settings are the defaults",
            len(seeds),
        )
