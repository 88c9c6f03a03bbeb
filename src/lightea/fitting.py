"""Logistic regression, with a known ceiling to the chances: the one fit that everything learnt here needs.

    P(one | inputs) = α · σ(w · inputs)

By maximum likelihood, with a penalty on the size of the weights, which keeps them finite.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

F64 = NDArray[np.float64]


def fit_logistic(
    inputs: F64 | sparse.csr_array,
    is_one: NDArray[np.bool_],
    *,
    ceiling: float = 1.0,
    shrinkage: float | F64 = 1.0,
    towards: F64 | None = None,
) -> F64:
    """The weights w under which what is seen is most likely; `ceiling` is α.

    Inputs are a row for each case. `shrinkage` is the penalty on the squared distance of each weight from
    that in `towards`. Without `towards` it is the distance from zero, and the first weight is free.
    """
    from scipy.optimize import minimize  # noqa: PLC0415  (takes a quarter of a second to import)

    start = np.zeros(inputs.shape[1]) if towards is None else towards
    penalty = np.full(inputs.shape[1], shrinkage)
    if towards is None:
        penalty[0] = 0.0

    def loss(weights: F64) -> tuple[float, F64]:
        share = sigmoid(inputs @ weights)
        chance = np.clip(ceiling * share, 1e-12, 1.0 - 1e-12)
        away = weights - start
        likelihood = np.log(chance[is_one]).sum() + np.log1p(-chance[~is_one]).sum()
        slope = np.where(is_one, 1.0 / chance, -1.0 / (1.0 - chance)) * ceiling * share * (1.0 - share)
        value = -likelihood + 0.5 * (penalty * away) @ away
        return float(value), -(inputs.T @ slope) + penalty * away

    def curvature(weights: F64) -> F64:
        """The expected second derivatives, which are never negative."""
        share = sigmoid(inputs @ weights)
        chance = np.clip(ceiling * share, 1e-12, 1.0 - 1e-12)
        information = (ceiling * share * (1.0 - share)) ** 2 / (chance * (1.0 - chance))
        curved: F64 = inputs.T @ (inputs * information[:, None]) + np.diag(penalty + 1e-9)
        return curved

    with threadpool_limits(1, user_api="blas"):  # sums must not depend on the number of threads
        if sparse.issparse(inputs):
            found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
        else:  # few inputs: a handful of steps by their curvature
            options = {"maxiter": 100, "gtol": 1e-3, "initial_trust_radius": 10.0}
            found = minimize(loss, start, jac=True, hess=curvature, method="trust-exact", options=options)
    weights: F64 = found.x
    return weights


def predictor(inputs: F64 | sparse.csr_array, weights: F64) -> F64:
    """The log-odds w · inputs of each case, before the ceiling."""
    with threadpool_limits(1, user_api="blas"):
        odds: F64 = inputs @ weights
    return odds


def sigmoid(values: F64) -> F64:
    """1 / (1 + e^−value), in range for every value."""
    return 1.0 / (1.0 + np.exp(-np.clip(values, -500.0, 500.0)))
