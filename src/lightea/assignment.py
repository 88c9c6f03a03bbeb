"""From scores of candidate pairs to probabilities that leave each entity at most one partner.

Sparse Sinkhorn: P(i, j) = exp(S(i, j)/τ − u(i) − v(j)), where the potentials u and v are set in turn so that
rows and columns sum to one. In the log domain nothing underflows at any temperature τ; where |S|/τ is small
enough for exponentials in double precision to be safe, a multiplication takes the place of each exponential,
for a stretch of iterations whose scalings then go into the potentials.

Where the sides are unequal not everybody can have a partner: the smaller side's sums are one, the larger
side's at most one (its potentials stay non-negative, which is the projection onto that inequality).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea import _kernels
from lightea.candidates import Candidates

F64 = NDArray[np.float64]
StayingAlone = float | tuple[NDArray[np.floating], NDArray[np.floating]]
"""The score of having no partner: one for everybody, or one for each left and each right entity."""

logger = logging.getLogger(__name__)

_CONVERGED = 1e-2
_LARGEST_EXPONENT = 700.0
"""e^±700 is within the range of double precision."""
_STRETCH = 32
"""Iterations by multiplication before the scalings go into the potentials, so that they stay in range."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """The probability of each candidate pair, and how the iteration that found it went."""

    candidates: Candidates
    probabilities: NDArray[np.float32]
    """One for each candidate pair, in the order of `candidates.columns`."""
    no_match: NDArray[np.float32]
    """The probability of each row that its entity has no partner: what its candidates leave of one."""
    potentials: tuple[F64, F64]
    """u of the rows and v of the columns, from which a similar assignment can start."""
    iterations: int
    marginal_error: float
    """How far column sums are from what they should be, averaged over the columns; row sums are right."""
    converged: bool


@dataclass(frozen=True)
class _Sums:
    """What rows and columns add up to: the logits of staying alone, and the least potential of each side."""

    alone_rows: F64
    alone_columns: F64
    least_row: float
    least_column: float


def assign(
    candidates: Candidates,
    *,
    temperature: float,
    iterations: int,
    no_match: StayingAlone | None = None,
    start: Assignment | None = None,
) -> Assignment:
    """Probabilities of the candidate pairs by `iterations` rounds of Sinkhorn scaling.

    With `no_match`, every row and every column may stay alone instead, at this score; so a pair has to beat
    the sum of the two. `start` is an earlier assignment, at the same temperature, of at least these entities:
    where scores have changed little, a few iterations are enough.
    """
    indptr, columns = candidates.indptr, candidates.columns
    logits = candidates.scores.astype(np.float64) / temperature
    sums = _sums(candidates, no_match, temperature)
    first = _start(candidates, start, sums)
    largest = _largest_exponent(candidates, logits, sums) + 2.0 * np.abs(first).max(initial=0.0)
    balance = _scale if largest <= _LARGEST_EXPONENT else _balance
    u, v = balance(candidates, logits, sums, iterations, first)
    plan = np.exp(logits - np.repeat(u, np.diff(indptr)) - v[columns])
    taken = np.bincount(candidates.rows, plan, len(candidates.left))
    error = _column_error(columns, plan, v, sums)
    if error > _CONVERGED:
        logger.debug("Sinkhorn: marginal error %.2g after %d iterations", error, iterations)
    return Assignment(
        candidates,
        plan.astype(np.float32),
        np.clip(1.0 - taken, 0.0, 1.0).astype(np.float32),
        (u, v),
        iterations,
        error,
        error <= _CONVERGED,
    )


def _sums(candidates: Candidates, no_match: StayingAlone | None, temperature: float) -> _Sums:
    n_rows, n_columns = len(candidates.left), len(candidates.right)
    if no_match is None:
        n_with_candidates = np.count_nonzero(np.diff(candidates.indptr))  # the others crowd nobody out
        least_row = 0.0 if n_with_candidates > n_columns else -np.inf
        least_column = 0.0 if n_with_candidates < n_columns else -np.inf
        return _Sums(np.full(n_rows, -np.inf), np.full(n_columns, -np.inf), least_row, least_column)
    rows, columns = no_match if isinstance(no_match, tuple) else (no_match, no_match)
    alone_rows = np.broadcast_to(np.asarray(rows, np.float64) / temperature, n_rows)
    alone_columns = np.broadcast_to(np.asarray(columns, np.float64) / temperature, n_columns)
    return _Sums(alone_rows.copy(), alone_columns.copy(), -np.inf, -np.inf)


def _start(candidates: Candidates, before: Assignment | None, sums: _Sums) -> F64:
    """The potentials of the columns to start from: those of an earlier assignment, or none."""
    if before is None:
        return np.zeros(len(candidates.right))
    v = before.potentials[1][np.searchsorted(before.candidates.right, candidates.right)]
    return np.maximum(v, sums.least_column)


def _largest_exponent(candidates: Candidates, logits: F64, sums: _Sums) -> float:
    """A bound on |logit| + |potential| within a stretch of iterations.

    Whoever may stay alone has a potential between the logit of that and the sum of all that is offered.
    Otherwise, where rows crowd into too few columns, potentials grow without end: in each iteration by the
    logarithm of a sum of probabilities, which is at most that of the number of entries in its row or column.
    """
    entries = np.diff(candidates.indptr).max(initial=1), np.bincount(candidates.columns).max(initial=1)
    alone = np.concatenate([sums.alone_rows, sums.alone_columns])
    may_stay_alone = bool(np.isfinite(alone).any())
    rounds = 2 if may_stay_alone else _STRETCH + 1
    largest = max(np.abs(logits).max(initial=0.0), np.abs(alone).max(initial=0.0) if may_stay_alone else 0.0)
    return float(3 * largest + rounds * np.log(max(entries) + 1))


def _balance(candidates: Candidates, logits: F64, sums: _Sums, iterations: int, v: F64) -> tuple[F64, F64]:
    """The potentials of rows and columns, in the log domain; rows are set last."""
    indptr, columns = candidates.indptr, candidates.columns
    by_column, rows, positions = _kernels.transpose_pattern(indptr, columns, len(candidates.right))
    logits_by_column = logits[positions]
    u, v = np.zeros(len(candidates.left)), v.copy()
    _kernels.potentials(indptr, columns, logits, v, sums.alone_rows, sums.least_row, u)
    for _ in range(iterations):
        _kernels.potentials(by_column, rows, logits_by_column, u, sums.alone_columns, sums.least_column, v)
        _kernels.potentials(indptr, columns, logits, v, sums.alone_rows, sums.least_row, u)
    return u, v


def _scale(candidates: Candidates, logits: F64, sums: _Sums, iterations: int, v: F64) -> tuple[F64, F64]:
    """The same potentials by scalings: in each stretch e^−u and e^−v are multiplied by a and b."""
    indptr, columns = candidates.indptr, candidates.columns
    by_column, rows, positions = _kernels.transpose_pattern(indptr, columns, len(candidates.right))
    owners = candidates.rows
    u = np.zeros(len(candidates.left))
    for done in range(0, iterations, _STRETCH):
        weights = np.exp(logits - u[owners] - v[columns])
        weights_by_column = weights[positions]
        alone_rows, alone_columns = np.exp(sums.alone_rows - u), np.exp(sums.alone_columns - v)
        with np.errstate(over="ignore"):  # a bound out of range bounds nothing
            most_row, most_column = np.exp(u - sums.least_row), np.exp(v - sums.least_column)
        a, b = np.ones(len(u)), np.ones(len(v))
        _kernels.scalings(indptr, columns, weights, b, alone_rows, most_row, a)
        for _ in range(min(_STRETCH, iterations - done)):
            _kernels.scalings(by_column, rows, weights_by_column, a, alone_columns, most_column, b)
            _kernels.scalings(indptr, columns, weights, b, alone_rows, most_row, a)
        u, v = u - np.log(a), v - np.log(b)
    return u, v


def _column_error(columns: NDArray[np.int32], plan: F64, v: F64, sums: _Sums) -> float:
    """Mean distance of the column sums from one, or from at most one, over columns that are candidates."""
    reached = np.bincount(columns, minlength=len(v)) > 0
    if not reached.any():
        return 0.0
    surplus = np.bincount(columns, plan, len(v))[reached] + np.exp(sums.alone_columns - v)[reached] - 1.0
    exact = sums.least_column == -np.inf
    return float(np.mean(np.abs(surplus) if exact else np.maximum(surplus, 0.0)))


@dataclass(frozen=True, eq=False)
class Matches:
    """Who is believed to be whom: for each left entity its most probable partners, best first.

    Those of entity i are the right entities `right[j]` with `probability[j]` for j in
    `offsets[i]:offsets[i + 1]`.
    """

    n_right: int
    offsets: NDArray[np.int64]
    right: NDArray[np.int32]
    probability: NDArray[np.float32]

    @property
    def left(self) -> NDArray[np.int32]:
        """The left entity of each match."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int32), np.diff(self.offsets))

    def best_of_left(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Each left entity's most probable partner, -1 for none, and its probability."""
        has_one = np.diff(self.offsets) > 0
        first = self.offsets[:-1][has_one]
        partner = np.full(len(has_one), -1, np.int32)
        probability = np.zeros(len(has_one), np.float32)
        partner[has_one], probability[has_one] = self.right[first], self.probability[first]
        return partner, probability

    def best_of_right(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The same for each right entity."""
        order = np.lexsort((self.left, -self.probability, self.right))
        entities, first = np.unique(self.right[order], return_index=True)
        partner = np.full(self.n_right, -1, np.int32)
        probability = np.zeros(self.n_right, np.float32)
        partner[entities], probability[entities] = self.left[order[first]], self.probability[order[first]]
        return partner, probability


def believed(
    seeds: NDArray[np.int32],
    assignment: Assignment | None,
    n_left: int,
    n_right: int,
    *,
    n_best: int = 10,
    least: float = 0.01,
) -> Matches:
    """The seeds, which are certain, and the probable pairs of an assignment, at most `n_best` an entity.

    Pairs of the assignment with an entity of a seed are left out.
    """
    left, right, probability = seeds[:, 0], seeds[:, 1], np.ones(len(seeds), np.float32)
    if assignment is not None:
        kept = np.flatnonzero(assignment.probabilities > np.float32(least))
        candidates = assignment.candidates
        more_left = candidates.left[candidates.rows[kept]]
        more_right = candidates.right[candidates.columns[kept]]
        free = ~(_members(left, n_left)[more_left] | _members(right, n_right)[more_right])
        left = np.concatenate([left, more_left[free]])
        right = np.concatenate([right, more_right[free]])
        probability = np.concatenate([probability, assignment.probabilities[kept][free]])
    order = np.lexsort((right, -probability, left))
    ordered = left[order]
    rank = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    best = order[rank < n_best]
    offsets = np.searchsorted(left[best], np.arange(n_left + 1)).astype(np.int64)
    return Matches(n_right, offsets, right[best], probability[best])


def _members(ids: NDArray[np.int32], size: int) -> NDArray[np.bool_]:
    is_member = np.zeros(size, np.bool_)
    is_member[ids] = True
    return is_member
