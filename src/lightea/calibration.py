"""Seeds held back tell how far a run can be trusted: from scores to probabilities.

A part of the seeds is hidden while the rounds of evidence run. Of a hidden entity it is known whether its
best candidate is right, so the chance to be right can be fitted as a logistic function of what the rounds say
of the candidate (`traits.py`), by maximum likelihood:

    everybody has a counterpart:   P(right | traits) = σ(w · traits), fitted on the hidden entities;
    otherwise:                     P(hidden and right | traits) = α · σ(w · traits), fitted on all entities.

In the second case entities without counterpart are wrong answers that no seed shows. But if the seeds are a
random sample of the true links, right answers are hidden seeds with the same chance α everywhere, so that
where few of the answers are hidden seeds, few are right. α is the share of hidden entities among the surest
links; if it is not larger than it must be anyhow, the first case holds.

A few dozen hidden seeds cannot tell weights from chance. Then the fit is drawn to the weights that other runs
had (`FEW_SEEDS`), as strongly as `_PRIOR_PRECISION` says they agree.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.assignment import Assignment
from lightea.evidence import Beliefs, Evidence
from lightea.fitting import fit_logistic, predictor, sigmoid
from lightea.graph import Ids
from lightea.quality import ReliabilityBin, reliability
from lightea.traits import N_BASIC, Best, best_of_rows, traits_of

F64 = NDArray[np.float64]

LEAST_SEEDS = 50
"""With fewer there is nothing to hide."""
HIDDEN_SHARE = 0.2
_ENOUGH_FOR_ALL_TRAITS = 300
"""Hidden seeds below which only the first few traits are weighed."""
FEW_SEEDS = (-0.9, 0.45, 1.2)
"""Weights of one, the log-odds and being mutual, in runs with few seeds; see docs/evidence.md."""
_PRIOR_PRECISION = 16.0
"""Such weights differed by about a quarter from one data set to the next."""
_SHRINKAGE = 10.0
"""Penalty on the weights of traits and their products, all on a common scale; there are about a hundred."""
_FURTHEST = 6.0
"""Standard deviations."""
_SUREST = 0.25
_PARTS = 2
_BEYOND_CHANCE = 2.0
"""Standard errors."""


@dataclass(frozen=True)
class Calibration:
    """A fitted calibration, and what it was fitted from."""

    n_hidden: int
    hidden_share_of_true: float
    """α: the share of the true links that were hidden seeds."""
    everybody_has_counterpart: bool
    weights: tuple[float, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    labels_help: bool
    """Whether confident pairs were worth taking for labels."""
    expected_links: float
    """True links among the entities that were searched, by the seeds."""
    reliability: tuple[ReliabilityBin, ...] = ()


# --- hiding -------------------------------------------------------------------------------------------


def split_seeds(seeds: Ids, generator: np.random.Generator) -> tuple[Ids, Ids]:
    """Seeds to learn from and seeds to hide; entities that stand in several seeds are not hidden."""
    once = np.ones(len(seeds), np.bool_)
    for side in (0, 1):
        _, place, counts = np.unique(seeds[:, side], return_inverse=True, return_counts=True)
        once &= counts[place] == 1
    offered = np.flatnonzero(once)
    n_hidden = min(len(offered), round(HIDDEN_SHARE * len(seeds)))
    is_hidden = np.zeros(len(seeds), np.bool_)
    is_hidden[generator.permutation(offered)[:n_hidden]] = True
    return seeds[~is_hidden], seeds[is_hidden]


def worse_for(hidden: Ids) -> Callable[[Assignment, Assignment], bool]:
    """A judge of whether a second assignment ranks the partners of the hidden lower, beyond chance."""

    def is_worse(first: Assignment, second: Assignment) -> bool:
        gain = reciprocal_ranks(second, hidden) - reciprocal_ranks(first, hidden)
        return bool(gain.mean() < -_BEYOND_CHANCE * gain.std() / np.sqrt(len(gain)))

    return is_worse


def reciprocal_ranks(assignment: Assignment, pairs: Ids) -> F64:
    """1 / rank of the right entity among the candidates of the left one, 0 where it is none of them.

    Ranks are by probability, and equal candidates share the middle of their ranks.
    """
    candidates = assignment.candidates
    rows = np.searchsorted(candidates.left, pairs[:, 0])
    columns = np.searchsorted(candidates.right, pairs[:, 1])
    ranks = np.zeros(len(pairs))
    for i, (row, column) in enumerate(zip(rows, columns, strict=True)):
        stretch = slice(candidates.indptr[row], candidates.indptr[row + 1])
        chances = assignment.probabilities[stretch]
        own = chances[candidates.columns[stretch] == column]
        if len(own):
            better, level = np.count_nonzero(chances > own[0]), np.count_nonzero(chances == own[0])
            ranks[i] = 1.0 / (better + (level + 1) / 2)
    return ranks


# --- fitting ------------------------------------------------------------------------------------------


def fit(
    assignment: Assignment,
    evidence: Evidence,
    beliefs: Beliefs,
    hidden: Ids,
    odds_of_counterpart: F64,
    *,
    labels_help: bool,
) -> Calibration:
    """Fit the chance of each row's best candidate to be right, by the hidden seeds (at least one)."""
    best = best_of_rows(assignment)
    traits = traits_of(assignment, evidence, beliefs, odds_of_counterpart, best)
    are_few = len(hidden) < _ENOUGH_FOR_ALL_TRAITS
    made = _inputs(traits, are_few=are_few)
    inputs = made.values
    candidates = assignment.candidates
    is_hidden = np.isin(candidates.left[best.rows], hidden[:, 0])
    is_right = _is_right(assignment, best, hidden)
    least_alpha = len(hidden) / max(1, min(len(candidates.left), len(candidates.right)))
    linear = inputs[:, : 1 + len(made.centre)]
    alpha, error = _share_among_surest(linear, best, is_hidden, is_right)
    everybody = alpha <= least_alpha + _BEYOND_CHANCE * error
    if everybody:
        alpha = least_alpha
        weights = _weights(inputs[is_hidden], is_right[is_hidden], 1.0, are_few=are_few)
    else:
        weights = _weights(inputs, is_right, alpha, are_few=are_few)
    calibration = Calibration(
        n_hidden=len(hidden),
        hidden_share_of_true=float(alpha),
        everybody_has_counterpart=bool(everybody),
        weights=tuple(weights.tolist()),
        centre=tuple(made.centre.tolist()),
        scale=tuple(made.scale.tolist()),
        labels_help=labels_help,
        expected_links=float(len(hidden) / alpha - len(hidden)),
    )
    chances = sigmoid(predictor(inputs, weights))
    table = reliability(chances, best.is_mutual, is_hidden, is_right, None if everybody else float(alpha))
    return dataclasses.replace(calibration, reliability=table)


@dataclass(frozen=True, eq=False)
class _Inputs:
    """What goes into the fit, after a column of ones: traits as they are, or on a common scale."""

    values: F64
    centre: F64
    scale: F64


def _inputs(traits: F64, *, are_few: bool) -> _Inputs:
    """The basic traits alone where there is little to learn from, since there are weights to draw them to."""
    if are_few or len(traits) == 0:
        centre, scale = np.zeros(N_BASIC), np.ones(N_BASIC)
    else:
        centre, scale = traits.mean(axis=0), np.maximum(traits.std(axis=0), 1e-6)
    return _Inputs(_values(traits, centre, scale), centre, scale)


def _values(traits: F64, centre: F64, scale: F64) -> F64:
    """One, the traits, and where all of them count the products of any two of them."""
    ones, scaled = np.ones((len(traits), 1)), (traits[:, : len(centre)] - centre) / scale
    if len(centre) == N_BASIC:
        return np.concatenate([ones, scaled], axis=1)
    limited = np.clip(scaled, -_FURTHEST, _FURTHEST)  # so that nobody stands out
    first, second = np.triu_indices(len(centre))
    return np.concatenate([ones, limited, limited[:, first] * limited[:, second]], axis=1)


def _weights(inputs: F64, is_right: NDArray[np.bool_], ceiling: float, *, are_few: bool) -> F64:
    if are_few:
        prior = np.array(FEW_SEEDS)
        return fit_logistic(inputs, is_right, ceiling=ceiling, shrinkage=_PRIOR_PRECISION, towards=prior)
    return fit_logistic(inputs, is_right, ceiling=ceiling, shrinkage=_SHRINKAGE)


def _is_right(assignment: Assignment, best: Best, hidden: Ids) -> NDArray[np.bool_]:
    """Whether the best candidate of a row is its partner in a hidden seed."""
    candidates = assignment.candidates
    n_right = int(max(candidates.right.max(initial=0), hidden[:, 1].max(initial=0))) + 1
    left = candidates.left[best.rows].astype(np.int64)
    right = candidates.right[candidates.columns[best.places]]
    return np.isin(left * n_right + right, hidden[:, 0].astype(np.int64) * n_right + hidden[:, 1])


def _share_among_surest(
    inputs: F64, best: Best, is_hidden: NDArray[np.bool_], is_right: NDArray[np.bool_]
) -> tuple[float, float]:
    """The share of hidden entities among the links most like those of hidden ones, and its standard error."""
    likeness = _likeness(inputs, is_right)
    links = np.flatnonzero(best.is_mutual)
    n_surest = max(1, int(_SUREST * len(links)))
    surest = links[np.argsort(-likeness[links], kind="stable")[:n_surest]]
    share = float(is_hidden[surest].mean()) if len(surest) else 0.0
    return share, float(np.sqrt(share * (1.0 - share) / n_surest))


def _likeness(inputs: F64, is_right: NDArray[np.bool_]) -> F64:
    """How much each row is like those of right answers, by those that others of its part were not fitted on.

    A fit flatters the rows that it was made of.
    """
    part = np.arange(len(inputs)) % _PARTS
    likeness = np.empty(len(inputs))
    for number in range(_PARTS):
        inside = part == number
        likeness[inside] = predictor(inputs[inside], fit_logistic(inputs[~inside], is_right[~inside]))
    return likeness


# --- applying -----------------------------------------------------------------------------------------


def calibrated(
    assignment: Assignment,
    evidence: Evidence,
    beliefs: Beliefs,
    odds_of_counterpart: F64,
    calibration: Calibration,
) -> Assignment:
    """The assignment with fitted probabilities: candidates keep their order, rows still add up to one.

    Where the best candidate loses, all its row loses in proportion, and having no partner gains; where it
    gains, the others and having no partner pay for it in proportion.
    """
    best = best_of_rows(assignment)
    traits = traits_of(assignment, evidence, beliefs, odds_of_counterpart, best)
    inputs = _values(traits, np.array(calibration.centre), np.array(calibration.scale))
    wanted = sigmoid(predictor(inputs, np.array(calibration.weights)))
    candidates = assignment.candidates
    top = np.zeros(len(candidates.left))
    target, n_level = np.zeros(len(candidates.left)), np.ones(len(candidates.left))
    top[best.rows] = assignment.probabilities[best.places]
    target[best.rows], n_level[best.rows] = np.minimum(wanted, 1.0 / best.n_level), best.n_level
    of_top = np.where(top > 0.0, target / np.maximum(top, 1e-30), 0.0)
    rest, wanted_rest = 1.0 - n_level * top, 1.0 - n_level * target
    of_rest = np.where(of_top <= 1.0, of_top, wanted_rest / np.maximum(rest, 1e-30))
    rows, old = candidates.rows, assignment.probabilities.astype(np.float64)
    is_top = old == top[rows]
    new = np.where(is_top, target[rows], old * np.clip(of_rest, 0.0, None)[rows])
    new = np.where(old > 0.0, new, 0.0)
    taken = np.bincount(rows, new, len(candidates.left))
    new /= np.maximum(taken, 1.0)[rows]
    alone = np.clip(1.0 - np.minimum(taken, 1.0), 0.0, 1.0)
    return dataclasses.replace(
        assignment, probabilities=new.astype(np.float32), no_match=alone.astype(np.float32)
    )
