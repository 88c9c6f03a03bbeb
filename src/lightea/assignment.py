"""From scores of candidate pairs to probabilities that leave each entity at most one partner."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.candidates import Candidates


@dataclass(frozen=True, eq=False)
class Assignment:
    """The probability of each candidate pair, and how the iteration that found it went."""

    candidates: Candidates
    probabilities: NDArray[np.float32]
    """One for each candidate pair, in the order of `candidates.columns`."""
    iterations: int
    marginal_error: float
    converged: bool
