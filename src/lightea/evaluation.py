"""How good an alignment is, measured against links that it has never seen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from lightea.alignment import Alignment
from lightea.assignment import Assignment
from lightea.errors import InputError
from lightea.graph import Links

Counts = NDArray[np.int64]

_BINS = 10
_BLOCK = 4_000_000
"""Candidate pairs compared at once: keeps the working arrays small whatever the number of links."""


@dataclass(frozen=True)
class Scores:
    """Ranking and link quality over a set of test links; all measures lie between 0 and 1."""

    hits_at_1: float
    """Share of test links whose true partner ranks first."""
    hits_at_10: float
    """Share of test links whose true partner is among the first ten."""
    mrr: float
    """Mean of 1 / rank of the true partner."""
    precision: float
    """Share of predicted links that are test links; 0 when nothing is predicted."""
    recall: float
    """Share of test links that are predicted."""
    f1: float
    """Harmonic mean of precision and recall."""
    n_test: int
    """Distinct test links."""
    n_predicted: int
    """Predicted links."""
    n_correct: int
    """Predicted links that are test links."""
    n_not_retrieved: int
    """Test links whose true partner is not among the candidates: misses, and counted in all measures."""
    n_unknown: int
    """Those of them that name an entity which its graph does not have."""
    n_unasked: int = 0
    """Predicted links left out of precision and F1, since they name an entity of links that are not asked."""
    ece: float | None = None
    """Expected calibration error of the predicted links, ten bins; None where nothing is predicted."""

    def to_dict(self) -> dict[str, float]:
        """The measures under the names used in tables and JSON."""
        return {
            "hits@1": self.hits_at_1,
            "hits@10": self.hits_at_10,
            "mrr": self.mrr,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }


def evaluate(
    alignment: Alignment, test: Links | ArrayLike, *, unasked: Links | ArrayLike | None = None
) -> Scores:
    """Score an alignment against test links, given as names or as rows (left number, right number).

    Every distinct test link counts, also where several share an entity. Hits and MRR rank the candidates of
    the left entity by probability, then by score. Candidates equal in both are tied, and a tie counts with
    the expected value under a random order, so neither file order nor entity numbers can flatter a result.
    A true partner that was not retrieved, and a left entity that was not searched, are misses.

    Precision, recall and F1 look at the predicted links of `alignment`, which leave out the seeds. A
    predicted link that is not a test link is wrong. Where entities without a counterpart were searched too,
    each link predicted for one of them is therefore an error.
    """
    pairs, n_unknown = _distinct_pairs(alignment, test)
    n_test = len(pairs) + n_unknown
    if n_test == 0:
        raise InputError("there are no test links to score against", hint="give links that are not seeds")
    better, tied = _ranks(alignment.assignment, pairs)
    is_right = _is_right(alignment, pairs)
    counts = is_right | ~_is_unasked(alignment, unasked)
    n_predicted, n_correct = int(counts.sum()), int(is_right.sum())
    return Scores(
        hits_at_1=_expected_hits(better, tied, 1) / n_test,
        hits_at_10=_expected_hits(better, tied, 10) / n_test,
        mrr=_expected_reciprocal_ranks(better, tied) / n_test,
        precision=n_correct / n_predicted if n_predicted else 0.0,
        recall=n_correct / n_test,
        f1=2 * n_correct / (n_predicted + n_test),
        n_test=n_test,
        n_predicted=n_predicted,
        n_correct=n_correct,
        n_not_retrieved=int(np.count_nonzero(tied == 0)) + n_unknown,
        n_unknown=n_unknown,
        n_unasked=len(alignment) - n_predicted,
        ece=calibration_error(alignment.probability[counts], is_right[counts]),
    )


def calibration_error(probability: NDArray[np.float32], is_right: NDArray[np.bool_]) -> float | None:
    """Σ over ten bins of (links in the bin / all links) · |mean probability − share of right links|."""
    if len(probability) == 0:
        return None
    place = np.clip((probability.astype(np.float64) * _BINS).astype(np.int64), 0, _BINS - 1)
    surplus = np.bincount(place, probability.astype(np.float64) - is_right, _BINS)
    return math.fsum(np.abs(surplus)) / len(probability)


def _distinct_pairs(alignment: Alignment, test: Links | ArrayLike) -> tuple[Counts, int]:
    """The test links as distinct rows of entity numbers, and how many more name an unknown entity."""
    if isinstance(test, Links):
        distinct = _distinct_links(test)
        resolved = distinct.resolve(alignment.left, alignment.right)
        return resolved.pairs.astype(np.int64), resolved.n_unknown
    return np.unique(_checked_pairs(alignment, test), axis=0), 0


def _distinct_links(links: Links) -> Links:
    table = pl.DataFrame({"left": links.left, "right": links.right}).unique(maintain_order=True)
    return Links(table["left"], table["right"])


def _checked_pairs(alignment: Alignment, test: ArrayLike) -> Counts:
    """Entity numbers from a caller, refused where they cannot be meant."""
    given: NDArray[Any] = np.asarray(test)
    if given.size == 0:
        return np.empty((0, 2), np.int64)
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise InputError(
            f"test pairs must be rows of two whole numbers, but are {given.dtype} of shape {given.shape}",
            hint="for pairs of names use lightea.Links",
        )
    sizes = (alignment.left.n_entities, alignment.right.n_entities)
    if given.min() < 0 or np.any(given.max(axis=0) >= sizes):
        raise InputError(
            f"a test pair names an entity number outside the graphs of {sizes[0]} and {sizes[1]} entities"
        )
    return given.astype(np.int64)


def _ranks(assignment: Assignment, pairs: Counts) -> tuple[Counts, Counts]:
    """For each pair, how many candidates beat the true partner, and how many are level with it.

    The true partner is level with itself, so a count of zero level candidates says: not retrieved.
    """
    candidates = assignment.candidates
    rows = _positions(candidates.left, pairs[:, 0])
    targets = _positions(candidates.right, pairs[:, 1])
    searched = (rows >= 0) & (targets >= 0)
    starts = np.where(searched, candidates.indptr[rows], 0)
    lengths = np.where(searched, candidates.indptr[rows + 1] - starts, 0)
    better, tied = np.zeros(len(pairs), np.int64), np.zeros(len(pairs), np.int64)
    for block in _blocks(lengths):
        better[block], tied[block] = _block_ranks(assignment, starts[block], lengths[block], targets[block])
    return better, tied


def _positions(table: NDArray[np.int32], wanted: Counts) -> Counts:
    """Where each wanted number stands in a sorted table; -1 where it does not."""
    if len(table) == 0:
        return np.full(len(wanted), -1, np.int64)
    found = np.minimum(np.searchsorted(table, wanted), len(table) - 1).astype(np.int64)
    return np.where(table[found] == wanted, found, -1)


def _blocks(lengths: Counts) -> Iterator[slice]:
    if len(lengths) == 0:
        return
    step = max(1, _BLOCK // max(1, int(lengths.max())))
    for start in range(0, len(lengths), step):
        yield slice(start, start + step)


def _block_ranks(
    assignment: Assignment, starts: Counts, lengths: Counts, targets: Counts
) -> tuple[Counts, Counts]:
    """`_ranks` for a block of pairs, with the candidates of all its rows laid end to end."""
    candidates, n = assignment.candidates, len(starts)
    owner = np.repeat(np.arange(n), lengths)
    at = np.arange(len(owner)) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    is_target = candidates.columns[at] == targets[owner]
    probability, score = assignment.probabilities[at], candidates.scores[at]
    true_probability, true_score = np.full(n, np.inf, np.float32), np.full(n, np.inf, np.float32)
    true_probability[owner[is_target]] = probability[is_target]
    true_score[owner[is_target]] = score[is_target]
    level = probability == true_probability[owner]
    beats = (probability > true_probability[owner]) | (level & (score > true_score[owner]))
    ties = level & (score == true_score[owner])
    return np.bincount(owner[beats], minlength=n), np.bincount(owner[ties], minlength=n)


def _expected_hits(better: Counts, tied: Counts, k: int) -> float:
    """Expected number of true partners among the first k, ties in random order."""
    found = tied > 0
    return math.fsum(np.clip(k - better[found], 0, tied[found]) / tied[found])


def _expected_reciprocal_ranks(better: Counts, tied: Counts) -> float:
    """Expected sum of 1 / rank, ties in random order: the mean of 1 / r over the ranks a tie spans."""
    found = tied > 0
    first, last = better[found], better[found] + tied[found]
    longest = int(last.max()) if len(last) else 0
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, longest + 1))))
    return math.fsum((harmonic[last] - harmonic[first]) / tied[found])


def _is_right(alignment: Alignment, pairs: Counts) -> NDArray[np.bool_]:
    """Which predicted links are among the pairs."""
    width = max(1, alignment.right.n_entities)
    predicted = alignment.left_ids.astype(np.int64) * width + alignment.right_ids
    return np.isin(predicted, pairs[:, 0] * width + pairs[:, 1])


def _is_unasked(alignment: Alignment, unasked: Links | ArrayLike | None) -> NDArray[np.bool_]:
    """Which predicted links name an entity of a link that is not asked for."""
    if unasked is None:
        return np.zeros(len(alignment), np.bool_)
    pairs, _ = _distinct_pairs(alignment, unasked)
    return np.isin(alignment.left_ids, pairs[:, 0]) | np.isin(alignment.right_ids, pairs[:, 1])
