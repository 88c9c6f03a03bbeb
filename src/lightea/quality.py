"""How good links are to be expected to be, and how far probabilities kept their promise, by hidden seeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

DEFAULT_THRESHOLD = 0.5
_BINS = 10


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


def expected_quality(probability: NDArray[np.float32], threshold: float, expected_links: float) -> Quality:
    """Precision, recall and F1 to be expected of the links of at least this probability."""
    kept = probability[probability >= np.float32(threshold)].astype(np.float64)
    right = float(kept.sum())
    all_true = max(expected_links, right, 1e-9)
    precision = right / len(kept) if len(kept) else 0.0
    return Quality(threshold, precision, right / all_true, 2.0 * right / (len(kept) + all_true))


def best_threshold(probability: NDArray[np.float32], expected_links: float) -> float:
    """The probability from which links are worth reporting: where F1 is expected to be best."""
    if not probability.any():
        return DEFAULT_THRESHOLD
    grid = np.arange(1, 100) / 100.0
    return float(max(grid, key=lambda p: expected_quality(probability, float(p), expected_links).f1))


def reliability(
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
