"""Seeds held back tell how far a run can be trusted: from scores to probabilities, and how good they are.

A fifth of the seeds is hidden while the rounds of evidence run. Of a hidden entity it is known whether its
best candidate is right, so the chance to be right can be fitted as a logistic function of what the rounds say
of the candidate (`traits`), by maximum likelihood:

    everybody has a counterpart:   P(right | traits) = σ(w · traits), fitted on the hidden entities;
    otherwise:                     P(hidden and right | traits) = α · σ(w · traits), fitted on all entities.

In the second case entities without counterpart are wrong answers that no seed shows. But if the seeds are a
random sample of the true links, right answers are hidden seeds with the same chance α everywhere, so that
where few of the answers are hidden seeds, few are right. α is the share of hidden entities among the surest
links; if it is not larger than it must be anyhow, the first case holds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from lightea.assignment import Assignment
from lightea.evidence import Beliefs, Evidence, evidence_score
from lightea.graph import Ids

F64 = NDArray[np.float64]

LEAST_SEEDS = 50
"""With fewer there is nothing to hide."""
HIDDEN_SHARE = 0.2
_ENOUGH_FOR_ALL_TRAITS = 300
"""Hidden seeds below which only the first few traits are weighed."""
_BASIC_TRAITS = 2
_SUREST = 0.25
_SHRINKAGE = 1.0
_BINS = 10
_PARTS = 5


@dataclass(frozen=True)
class ReliabilityBin:
    """Links of about the same probability, and what share of them is right by the hidden seeds."""

    lowest: float
    highest: float
    n_links: int
    mean_probability: float
    estimated_precision: float | None
    n_hidden: int
    """Hidden seeds that the estimate rests on."""


@dataclass(frozen=True)
class Quality:
    """Estimated quality of the links, with no test link seen."""

    threshold: float
    precision: float
    recall: float
    f1: float


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
    """A judge of two assignments: whether the second ranks partners of the hidden lower, beyond chance."""

    def is_worse(first: Assignment, second: Assignment) -> bool:
        gain = reciprocal_ranks(second, hidden) - reciprocal_ranks(first, hidden)
        return bool(gain.mean() < -gain.std() / np.sqrt(max(len(gain), 1)))

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


# --- traits -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Best:
    """The most probable candidate of each row that has one."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    """Where it stands in the columns of the candidates."""
    n_level: NDArray[np.int64]
    """Candidates exactly as probable, itself included."""
    is_mutual: NDArray[np.bool_]
    """Whether the row is the only most probable one of the candidate's column, too."""


def _best_of_rows(assignment: Assignment) -> _Best:
    candidates, chances = assignment.candidates, assignment.probabilities
    rows = np.flatnonzero(np.diff(candidates.indptr))
    if len(rows) == 0:
        nothing = np.empty(0, np.int64)
        return _Best(nothing, nothing, nothing, np.empty(0, np.bool_))
    starts = candidates.indptr[rows]
    tops = np.maximum.reduceat(chances, starts)
    owner = np.repeat(np.arange(len(rows)), np.diff(candidates.indptr)[rows])
    level = np.flatnonzero(chances == tops[owner])
    n_level = np.bincount(owner[level], minlength=len(rows))
    places = level[np.searchsorted(owner[level], np.arange(len(rows)))]
    columns = candidates.columns
    column_tops = np.zeros(len(candidates.right), np.float32)
    np.maximum.at(column_tops, columns, chances)
    n_at_top = np.bincount(columns[chances == column_tops[columns]], minlength=len(column_tops))
    own = columns[places]
    is_mutual = (tops == column_tops[own]) & (n_at_top[own] == 1) & (n_level == 1) & (tops > 0)
    return _Best(rows, places, n_level, is_mutual)


def _traits(assignment: Assignment, evidence: Evidence, beliefs: Beliefs, best: _Best) -> F64:
    """What the rounds say of each row's best candidate: one row of numbers each.

    The first two are the log-odds of its probability, and whether each is the other's best. Then come the
    evidence, the cosine, how much evidence there could be at most on either side, how many facts the two
    have, how many of their neighbours are matched, and products of these.
    """
    candidates = assignment.candidates
    left = candidates.left[best.rows].astype(np.int64)
    right = candidates.right[candidates.columns[best.places]].astype(np.int64)
    edges = beliefs.edges
    chance = assignment.probabilities[best.places].astype(np.float64)
    odds = np.log(np.maximum(chance, 1e-4) / np.maximum(1.0 - chance, 1e-4))
    of_pairs = _evidence_of(evidence, left, right, edges.n_right)
    shown = 3.0 * evidence_score(of_pairs).astype(np.float64)
    cosine = candidates.scores[best.places] - shown / 3.0
    possible, matched = _possible_evidence(beliefs)
    facts = np.log1p(np.diff(edges.offsets))
    other = right + edges.n_left
    columns = [
        odds,
        best.is_mutual,
        shown,
        cosine,
        possible[left],
        possible[other],
        facts[left],
        facts[other],
    ]
    columns += [matched[left], matched[other], odds**2, shown**2, shown * possible[left]]
    columns += [facts[left] ** 2, facts[other] ** 2]
    return np.stack([column.astype(np.float64) for column in columns], axis=1)


def _evidence_of(
    evidence: Evidence, left: NDArray[np.int64], right: NDArray[np.int64], n_right: int
) -> NDArray[np.float32]:
    """E of some of the candidate pairs."""
    keys = np.repeat(evidence.left.astype(np.int64), np.diff(evidence.indptr)) * n_right + evidence.ids
    order = np.argsort(keys)
    values: NDArray[np.float32] = evidence.values[order[np.searchsorted(keys[order], left * n_right + right)]]
    return values


def _possible_evidence(beliefs: Beliefs) -> tuple[F64, F64]:
    """For each entity log(1 + 30·E) of a counterpart with all its facts, and log(1 + matched neighbours)."""
    edges, matches, agreement = beliefs.edges, beliefs.matches, beliefs.agreement
    believed = np.concatenate([matches.best_of_left()[1], matches.best_of_right()[1]]).astype(np.float64)
    best = np.zeros(edges.n_relations)
    left = np.repeat(np.arange(edges.n_relations), np.diff(agreement.offsets))
    np.maximum.at(best, left, agreement.agreement)
    np.maximum.at(best, agreement.right, agreement.agreement)
    heads = np.repeat(np.arange(edges.n_entities), np.diff(edges.offsets))
    weights = beliefs.weights.astype(np.float64)
    terms = believed[edges.tails] * best[edges.relations] * weights * weights
    possible = np.bincount(heads, terms, edges.n_entities)
    matched = np.bincount(heads, believed[edges.tails], edges.n_entities)
    return np.log1p(30.0 * possible), np.log1p(matched)


# --- fitting ------------------------------------------------------------------------------------------


def fit(
    assignment: Assignment, evidence: Evidence, beliefs: Beliefs, hidden: Ids, *, labels_help: bool
) -> Calibration:
    """Fit the chance of each row's best candidate to be right, by the hidden seeds."""
    best = _best_of_rows(assignment)
    traits = _traits(assignment, evidence, beliefs, best)
    if len(hidden) < _ENOUGH_FOR_ALL_TRAITS:
        traits = traits[:, :_BASIC_TRAITS]
    centre, scale = traits.mean(axis=0), np.maximum(traits.std(axis=0), 1e-6)
    inputs = _standardised(traits, centre, scale)
    candidates = assignment.candidates
    is_hidden = np.isin(candidates.left[best.rows], hidden[:, 0])
    is_right = _is_right(assignment, best, hidden)
    least_alpha = len(hidden) / max(1, min(len(candidates.left), len(candidates.right)))
    with threadpool_limits(1, user_api="blas"):  # sums must not depend on the number of threads
        alpha, error = _share_among_surest(inputs, best, is_hidden, is_right)
        everybody = alpha <= least_alpha + 2.0 * error
        if everybody:
            alpha = least_alpha
            weights = _fit_logistic(inputs[is_hidden], is_right[is_hidden], 1.0)
        else:
            weights = _fit_logistic(inputs, is_right, alpha)
    calibration = Calibration(
        n_hidden=len(hidden),
        hidden_share_of_true=float(alpha),
        everybody_has_counterpart=bool(everybody),
        weights=tuple(weights.tolist()),
        centre=tuple(centre.tolist()),
        scale=tuple(scale.tolist()),
        labels_help=labels_help,
        expected_links=float(len(hidden) / alpha - len(hidden)),
    )
    chances = _sigmoid(inputs @ weights)
    table = _reliability(chances, best.is_mutual, is_hidden, is_right, None if everybody else float(alpha))
    return dataclasses.replace(calibration, reliability=table)


def _standardised(traits: F64, centre: F64, scale: F64) -> F64:
    """Traits on a common scale, after a column of ones; none stands out further than six deviations."""
    scaled = np.clip((traits - centre) / scale, -6.0, 6.0)
    return np.concatenate([np.ones((len(traits), 1)), scaled], axis=1)


def _is_right(assignment: Assignment, best: _Best, hidden: Ids) -> NDArray[np.bool_]:
    """Whether the best candidate of a row is its partner in a hidden seed."""
    candidates = assignment.candidates
    n_right = int(max(candidates.right.max(initial=0), hidden[:, 1].max(initial=0))) + 1
    left = candidates.left[best.rows].astype(np.int64)
    right = candidates.right[candidates.columns[best.places]]
    return np.isin(left * n_right + right, hidden[:, 0].astype(np.int64) * n_right + hidden[:, 1])


def _share_among_surest(
    inputs: F64, best: _Best, is_hidden: NDArray[np.bool_], is_right: NDArray[np.bool_]
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
        likeness[inside] = inputs[inside] @ _fit_logistic(inputs[~inside], is_right[~inside], 1.0)
    return likeness


def _fit_logistic(inputs: F64, is_one: NDArray[np.bool_], alpha: float) -> F64:
    """The weights w under which P(one) = α · σ(w · inputs) makes what is seen most likely.

    A penalty on the squares of all weights but the first keeps them finite.
    """
    from scipy.optimize import minimize  # noqa: PLC0415  (takes a quarter of a second to import)

    def loss(weights: F64) -> tuple[float, F64]:
        sigma = _sigmoid(inputs @ weights)
        chance = np.clip(alpha * sigma, 1e-12, 1.0 - 1e-12)
        penalised = np.concatenate([[0.0], weights[1:]])
        likelihood = np.log(chance[is_one]).sum() + np.log1p(-chance[~is_one]).sum()
        slope = np.where(is_one, 1.0 / chance, -1.0 / (1.0 - chance)) * alpha * sigma * (1.0 - sigma)
        value = -likelihood + 0.5 * _SHRINKAGE * penalised @ penalised
        return float(value), -(inputs.T @ slope) + _SHRINKAGE * penalised

    start = np.zeros(inputs.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    weights: F64 = found.x
    return weights


def _sigmoid(values: F64) -> F64:
    return 1.0 / (1.0 + np.exp(-np.clip(values, -500.0, 500.0)))


def _reliability(
    chances: F64,
    is_link: NDArray[np.bool_],
    is_hidden: NDArray[np.bool_],
    is_right: NDArray[np.bool_],
    alpha: float | None,
) -> tuple[ReliabilityBin, ...]:
    """Probability against estimated precision of the links, in ten bins."""
    place = np.minimum((chances * _BINS).astype(np.int64), _BINS - 1)
    bins = []
    for number in range(_BINS):
        inside = is_link & (place == number)
        n_links, n_hidden = np.count_nonzero(inside), np.count_nonzero(inside & is_hidden)
        base = n_hidden if alpha is None else alpha * n_links
        right = np.count_nonzero(inside & is_right)
        bins.append(
            ReliabilityBin(
                number / _BINS,
                (number + 1) / _BINS,
                int(n_links),
                float(chances[inside].mean()) if n_links else 0.0,
                min(1.0, right / base) if base else None,
                int(n_hidden),
            )
        )
    return tuple(bins)


# --- applying -----------------------------------------------------------------------------------------


def calibrated(
    assignment: Assignment, evidence: Evidence, beliefs: Beliefs, calibration: Calibration
) -> Assignment:
    """The assignment with fitted probabilities: candidates keep their order, rows still add up to one.

    Where the best candidate loses, all its row loses in proportion, and having no partner gains; where it
    gains, the others and having no partner pay for it in proportion.
    """
    best = _best_of_rows(assignment)
    traits = _traits(assignment, evidence, beliefs, best)[:, : len(calibration.centre)]
    inputs = _standardised(traits, np.array(calibration.centre), np.array(calibration.scale))
    with threadpool_limits(1, user_api="blas"):
        wanted = _sigmoid(inputs @ np.array(calibration.weights))
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


# --- quality ------------------------------------------------------------------------------------------


def expected_quality(probability: NDArray[np.float32], threshold: float, expected_links: float) -> Quality:
    """Precision, recall and F1 to be expected of the links of at least this probability."""
    kept = probability[probability >= np.float32(threshold)].astype(np.float64)
    right = float(kept.sum())
    all_true = max(expected_links, right, 1e-9)
    precision = right / len(kept) if len(kept) else 0.0
    return Quality(threshold, precision, right / all_true, 2.0 * right / (len(kept) + all_true))


def best_threshold(probability: NDArray[np.float32], expected_links: float) -> float:
    """The probability from which links are worth reporting: where F1 is expected to be best."""
    grid = np.arange(1, 100) / 100.0
    return float(max(grid, key=lambda p: expected_quality(probability, float(p), expected_links).f1))
