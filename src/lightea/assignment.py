"""From scores of candidate pairs to probabilities that leave each entity at most one partner.

Sparse Sinkhorn: P(i, j) = exp(S(i, j)/τ − u(i) − v(j)), where the potentials u and v are set in turn so that
rows and columns sum to one. In the log domain nothing underflows at any temperature τ; where |S|/τ is small
enough for exponentials in double precision to be safe, a multiplication takes the place of each exponential.

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

logger = logging.getLogger(__name__)

_CONVERGED = 1e-2
_SAFE_LOGIT = 100.0
"""Potentials stay within a few times the largest |logit|, and e^±700 is the range of double precision."""


@dataclass(frozen=True, eq=False)
class Assignment:
    """The probability of each candidate pair, and how the iteration that found it went."""

    candidates: Candidates
    probabilities: NDArray[np.float32]
    """One for each candidate pair, in the order of `candidates.columns`."""
    iterations: int
    marginal_error: float
    """How far column sums are from what they should be, averaged over the columns; row sums are right."""
    converged: bool


def assign(candidates: Candidates, *, temperature: float, iterations: int) -> Assignment:
    """Probabilities of the candidate pairs by `iterations` rounds of Sinkhorn scaling."""
    indptr, columns = candidates.indptr, candidates.columns
    n_rows, n_columns = len(candidates.left), len(candidates.right)
    logits = candidates.scores.astype(np.float64) / temperature
    least_row = 0.0 if n_rows > n_columns else -np.inf
    least_column = 0.0 if n_rows < n_columns else -np.inf
    balance = _scale if np.max(np.abs(logits), initial=0.0) <= _SAFE_LOGIT else _balance
    u, v = balance(candidates, logits, least_row, least_column, iterations)
    plan = np.exp(logits - np.repeat(u, np.diff(indptr)) - v[columns])
    error = _column_error(columns, plan, n_columns, exact=least_column == -np.inf)
    if error > _CONVERGED:
        logger.debug("Sinkhorn: marginal error %.2g after %d iterations", error, iterations)
    return Assignment(candidates, plan.astype(np.float32), iterations, error, error <= _CONVERGED)


def _balance(
    candidates: Candidates, logits: F64, least_row: float, least_column: float, iterations: int
) -> tuple[F64, F64]:
    """The potentials of rows and columns, in the log domain; rows are set last."""
    indptr, columns = candidates.indptr, candidates.columns
    by_column, rows, positions = _kernels.transpose_pattern(indptr, columns, len(candidates.right))
    logits_by_column = logits[positions]
    u, v = np.zeros(len(candidates.left)), np.zeros(len(candidates.right))
    _kernels.potentials(indptr, columns, logits, v, -np.inf, least_row, u)
    for _ in range(iterations):
        _kernels.potentials(by_column, rows, logits_by_column, u, -np.inf, least_column, v)
        _kernels.potentials(indptr, columns, logits, v, -np.inf, least_row, u)
    return u, v


def _scale(
    candidates: Candidates, logits: F64, least_row: float, least_column: float, iterations: int
) -> tuple[F64, F64]:
    """The same potentials by scalings a = e^−u, b = e^−v."""
    indptr, columns = candidates.indptr, candidates.columns
    by_column, rows, positions = _kernels.transpose_pattern(indptr, columns, len(candidates.right))
    weights = np.exp(logits)
    weights_by_column = weights[positions]
    a, b = np.ones(len(candidates.left)), np.ones(len(candidates.right))
    most_row, most_column = np.exp(-least_row), np.exp(-least_column)
    _kernels.scalings(indptr, columns, weights, b, 0.0, most_row, a)
    for _ in range(iterations):
        _kernels.scalings(by_column, rows, weights_by_column, a, 0.0, most_column, b)
        _kernels.scalings(indptr, columns, weights, b, 0.0, most_row, a)
    return -np.log(a), -np.log(b)


def _column_error(
    columns: NDArray[np.int32], plan: NDArray[np.float64], n_columns: int, *, exact: bool
) -> float:
    """Mean distance of the column sums from one, or from at most one, over columns that are candidates."""
    reached = np.bincount(columns, minlength=n_columns) > 0
    sums = np.bincount(columns, plan, n_columns)[reached]
    if len(sums) == 0:
        return 0.0
    return float(np.mean(np.abs(sums - 1.0) if exact else np.maximum(sums - 1.0, 0.0)))
