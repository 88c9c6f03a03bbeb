"""How each searched left entity fared: matched, doubtful, or unmatched; and its most probable candidate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.alignment import Alignment
from lightea.assignment import Assignment
from lightea.candidates import Candidates
from lightea.graph import Ids

DOUBTFUL = 0.1
"""A searched entity without a link counts as doubtful if one of its candidates is at least this probable."""


@dataclass(frozen=True, eq=False)
class Standings:
    """The searched left entities without a link, in order of their number, with the best that they found.

    `right` is -1, and probability and score are 0, where an entity has no candidates.
    """

    left: Ids
    right: Ids
    probability: NDArray[np.float32]
    score: NDArray[np.float32]
    is_doubtful: NDArray[np.bool_]


def link_counts(alignment: Alignment) -> dict[str, int]:
    """How the searched left entities fared: each is matched, doubtful or unmatched."""
    candidates = alignment.assignment.candidates
    alone = without_link(alignment)
    n_doubtful = int(np.count_nonzero(alone.is_doubtful))
    return {
        "seeds": len(alignment.seeds),
        "searched": len(candidates.left),
        "matched": len(candidates.left) - len(alone.left),
        "links": len(alignment),
        "doubtful": n_doubtful,
        "unmatched": len(alone.left) - n_doubtful,
        "candidate_pairs": len(candidates.columns),
    }


def without_link(alignment: Alignment) -> Standings:
    """Every searched left entity without a link."""
    assignment, candidates = alignment.assignment, alignment.assignment.candidates
    rows = np.flatnonzero(~np.isin(candidates.left, alignment.left_ids))
    places = best_places(assignment)[rows]
    found = places >= 0
    place = places[found]
    right = np.full(len(rows), -1, np.int32)
    probability, score = np.zeros(len(rows), np.float32), np.zeros(len(rows), np.float32)
    right[found] = candidates.right[candidates.columns[place]]
    probability[found], score[found] = assignment.probabilities[place], candidates.scores[place]
    return Standings(candidates.left[rows], right, probability, score, probability >= np.float32(DOUBTFUL))


def best_places(assignment: Assignment) -> NDArray[np.int64]:
    """Where the most probable candidate of each row stands among all candidates; -1 for a row without any.

    Of equal ones the first counts, which is the one with the highest score.
    """
    indptr, chances = assignment.candidates.indptr, assignment.probabilities
    counts = np.diff(indptr)
    places = np.full(len(counts), -1, np.int64)
    rows = np.flatnonzero(counts)
    if len(rows) == 0:
        return places
    tops = np.maximum.reduceat(chances, indptr[rows])
    is_top = chances == np.repeat(tops, counts[rows])
    at_top = np.flatnonzero(is_top)
    places[rows] = at_top[np.searchsorted(at_top, indptr[rows])]
    return places


def scores_of(candidates: Candidates, left: Ids, right: Ids) -> NDArray[np.float32]:
    """The score of each of these pairs; NaN for one that is no candidate."""
    rows = np.searchsorted(candidates.left, left.astype(np.int32))
    scores = np.full(len(left), np.nan, np.float32)
    for place, row in enumerate(rows.tolist()):
        if row < len(candidates.left) and candidates.left[row] == left[place]:
            low, high = candidates.indptr[row : row + 2]
            own = np.flatnonzero(candidates.right[candidates.columns[low:high]] == right[place])
            if len(own):
                scores[place] = candidates.scores[low + own[0]]
    return scores
