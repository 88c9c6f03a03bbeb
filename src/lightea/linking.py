"""Which candidate pairs are reported as links: how many partners an entity may have, and how sure to be.

An assignment leaves each entity at most one partner, by the probabilities P(i, j), and by n(i) and m(j) that
a left or a right entity stays alone. The odds of a pair against both its ends staying alone are then
P(i, j) / (n(i) · m(j)), whatever rivals it has. Where one side may have several partners, its rivals do not
count: the other side chooses by itself, among its candidates and staying alone.

    one-to-one     P(i, j)                                                    each is the other's single best
    one-to-many    Q(i, j) = (P(i, j) / n(i)) / (m(j) + Σᵢ P(i, j) / n(i))    each right entity chooses
    many-to-one    R(i, j) = (P(i, j) / m(j)) / (n(i) + Σⱼ P(i, j) / m(j))    each left entity chooses
    many-to-many   the larger of Q and R: one of the two is that sure of the other
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.assignment import Assignment
from lightea.calibration import LEAST_SEEDS, Calibration
from lightea.confident import confident_pairs, is_single_best
from lightea.config import Config
from lightea.errors import ConfigError
from lightea.graph import Ids
from lightea.quality import DEFAULT_THRESHOLD, best_threshold

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]

_LEAST_ALONE = 0.2
"""However sure an entity is of one partner, it is taken to be open for others with this probability: without
it, Q and R promise several points more than they keep (measured on DBP15K, with copies of a fifth of the
entities and without any)."""

_ROUNDING = 1e-6
"""Probabilities are single precision: 0.9 is a little less, and the mean of 1 and 0.9 less than 0.95."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Selection:
    """Links in order of the left, then of the right number, and the probability that each had to reach."""

    left_ids: Ids
    right_ids: Ids
    probability: F32
    threshold: float


def select_links(
    assignment: Assignment,
    calibration: Calibration | None = None,
    *,
    cardinality: str = "one-to-one",
    threshold: float | None = None,
    precision: float | None = None,
) -> Selection:
    """The links of at least a probability: the threshold, or that which keeps the precision, or the best one.

    The best one is where F1 is expected to be best; without a calibration, or where nobody knows how many
    partners there are to find, it is one half.
    """
    left, right, probability = eligible_pairs(assignment, cardinality)
    least = DEFAULT_THRESHOLD
    if threshold is not None:
        least = threshold
    elif precision is not None:
        least = threshold_for_precision(probability, precision)
    elif calibration is not None and cardinality == "one-to-one":
        least = best_threshold(probability, calibration.expected_links)
    kept = probability >= np.float32(least)
    return Selection(left[kept], right[kept], probability[kept], least)


def eligible_pairs(assignment: Assignment, cardinality: str) -> tuple[Ids, Ids, F32]:
    """The pairs that may be links if they are probable enough, and how probable they are.

    Where an entity may have one partner only, and two are equally probable, neither is taken.
    """
    if cardinality == "one-to-one":
        return confident_pairs(assignment, 0.0)
    candidates = assignment.candidates
    rows, columns = candidates.rows, candidates.columns
    by_right, by_left = own_choices(assignment)
    if cardinality == "one-to-many":
        chance, taken = by_right, is_single_best(columns, by_right)
    elif cardinality == "many-to-one":
        chance, taken = by_left, is_single_best(rows, by_left)
    else:
        chance, taken = np.maximum(by_right, by_left), np.ones(len(rows), np.bool_)
    places = np.flatnonzero(taken & (chance > 0))
    left, right = candidates.left[rows[places]], candidates.right[columns[places]]
    order = np.lexsort((right, left))
    return left[order], right[order], chance[places][order]


def own_choices(assignment: Assignment) -> tuple[F32, F32]:
    """Q and R: how sure the right entity of each pair is, choosing by itself, and how sure the left one."""
    candidates = assignment.candidates
    rows, columns = candidates.rows, candidates.columns
    chance = assignment.probabilities.astype(np.float64)
    taken = np.bincount(columns, chance, len(candidates.right))
    alone_left = np.maximum(assignment.no_match.astype(np.float64), _LEAST_ALONE)
    alone_right = np.maximum(1.0 - taken, _LEAST_ALONE)
    by_right = _chosen(columns, chance / alone_left[rows], alone_right)
    by_left = _chosen(rows, chance / alone_right[columns], alone_left)
    return by_right.astype(np.float32), by_left.astype(np.float32)


def _chosen(chooser: NDArray[np.integer], weights: F64, alone: F64) -> F64:
    """The share of each weight in those of its chooser and of staying alone."""
    total = alone + np.bincount(chooser, weights, len(alone))
    share: F64 = weights / total[chooser]
    return share


def threshold_for_precision(probability: F32, precision: float) -> float:
    """The lowest threshold from which the mean probability of the links is at least the precision."""
    levels, counts = np.unique(probability, return_counts=True)
    levels, counts = levels[::-1].astype(np.float64), counts[::-1]
    means = np.cumsum(levels * counts) / np.maximum(np.cumsum(counts), 1)
    enough = np.flatnonzero(means >= precision - _ROUNDING)
    if len(enough):
        return float(levels[enough[-1]])
    surest = f"the surest has {levels[0]:.3f}" if len(levels) else "there is none to begin with"
    logger.warning(
        "no link is probable enough for a precision of %g (%s), so there are none", precision, surest
    )
    return 1.0


def check_precision(config: Config, n_seeds: int) -> None:
    """Raise `ConfigError` if a precision is asked for that nothing in the run can estimate."""
    if config.precision is None:
        return
    if config.threshold is not None:
        raise ConfigError(
            f"precision {config.precision:g} and threshold {config.threshold:g} exclude each other",
            hint="a precision chooses the threshold",
        )
    if not config.evidence_rounds:
        raise ConfigError(
            f"a precision of {config.precision:g} cannot be aimed at with preset {config.preset!r}: its "
            "probabilities are not calibrated",
            hint="take the preset auto, or give a threshold instead",
        )
    if n_seeds < LEAST_SEEDS:
        raise ConfigError(
            f"a precision of {config.precision:g} cannot be aimed at with {n_seeds:,} seeds: too few to hold "
            "some back and see how often links are right",
            hint=f"give {LEAST_SEEDS} seeds or more, or a threshold instead",
        )
