"""How much names, sketches and evidence count in a score: fitted, since it differs from data to data.

    score(h, h') = evidence score + a · cosine of the sketches + b · similarity of the names,

and the chance of h' among the candidates of h is that of a softmax of score / τ. All three numbers follow
from a conditional logit over candidates, whose coefficients make the known answers most likely.

With enough hidden seeds the answers are theirs. Without, names and structure teach each other: pairs that
evidence and sketches are sure of, names unseen, say how far names can be trusted; and pairs whose names are
each other's only good match, whatever is around them, say the same of evidence and sketches. Neither is
judged by answers that it chose itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from lightea.assignment import assign
from lightea.candidates import Candidates
from lightea.confident import confident_pairs

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I64 = NDArray[np.int64]

_ENOUGH = 50
"""Known answers that a fit needs."""
_MOST = 2_000
"""Known answers that a fit looks at: three coefficients need no more."""
_SHRINKAGE = 0.01
_PRIOR = 10.0
"""Coefficients before anything is known: about those that every data set tried comes near to."""
_LARGEST = 60.0
_SHARPEST, _SOFTEST = 0.05, 0.2
_NAME_MARGIN = 0.1
_LEAST_NAME = 0.3
"""A name is unambiguous if no other comes as near as the margin; if less alike, it is another name."""


@dataclass(frozen=True)
class Weights:
    """What each part counts in a score beside the evidence, and the temperature that scores are read at."""

    cosine: float
    name: float
    temperature: float
    no_match: float
    """Score of each side of a pair for staying alone."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Candidates, and the parts of their scores in the order of their columns."""

    candidates: Candidates
    evidence: F32
    cosine: F32
    name: F32

    def score(self, weights: Weights) -> F32:
        """The score of each candidate."""
        return _total(self.evidence, self.cosine, self.name, weights)


def _total(evidence: F32, cosine: F32, name: F32, weights: Weights) -> F32:
    total = evidence + np.float32(weights.cosine) * cosine + np.float32(weights.name) * name
    scores: F32 = total.astype(np.float32)
    return scores


def fitted(parts: Parts, known: NDArray[np.int32], before: Weights) -> Weights:
    """Weights by known pairs that nothing was fitted to, or else by what names and structure say apart."""
    places = places_of(parts.candidates, known[:, 0], known[:, 1])
    columns = np.stack([parts.evidence, parts.cosine, parts.name], axis=1).astype(np.float64)
    with threadpool_limits(1, user_api="blas"):  # sums must not depend on the number of threads
        if len(places) >= _ENOUGH:
            coefficients = _conditional_logit(columns, parts.candidates.indptr, places)
        else:
            coefficients = _by_two_views(parts, columns, before)
    scale = max(float(coefficients[0]), 1e-3)
    temperature = float(np.clip(1.0 / scale, _SHARPEST, _SOFTEST))
    cosine, name = (float(value * temperature) for value in coefficients[1:])
    return Weights(cosine, name, temperature, before.no_match)


def _by_two_views(parts: Parts, columns: F64, before: Weights) -> F64:
    """Structure by unambiguous names, names by what structure is sure of; without such, what is usual."""
    by_name = unambiguous(parts.candidates, parts.name)
    structure = np.array([_PRIOR, _PRIOR])
    if len(by_name) >= _ENOUGH:
        structure = _conditional_logit(columns[:, :2], parts.candidates.indptr, by_name)
    seen = parts.evidence * structure[0] + parts.cosine * structure[1]
    by_structure = _sure_of((seen / _PRIOR).astype(np.float32), parts.candidates, before)
    name = np.array([_PRIOR])
    if len(by_structure) >= _ENOUGH:
        name = _conditional_logit(columns[:, 2:], parts.candidates.indptr, by_structure)
    return np.concatenate([structure, name])


def _sure_of(scores: F32, candidates: Candidates, weights: Weights) -> I64:
    """Candidates that are each other's best by such scores, with a probability of nine tenths."""
    scored = Candidates(candidates.left, candidates.right, candidates.indptr, candidates.columns, scores)
    assignment = assign(scored, temperature=0.1, iterations=15, no_match=weights.no_match)
    left, right, _ = confident_pairs(assignment, 0.9)
    return places_of(candidates, left, right)


def unambiguous(candidates: Candidates, similarity: F32) -> I64:
    """Candidates whose names are each other's best, by a clear margin on both sides."""
    rows, columns = candidates.rows, candidates.columns.astype(np.int64)
    clear = _leads(rows, similarity) & _leads(columns, similarity)
    return np.flatnonzero(clear & (similarity > _LEAST_NAME))


def _leads(keys: NDArray[np.int64], values: F32) -> NDArray[np.bool_]:
    """Whether a value exceeds all others with its key by the margin."""
    n_keys = int(keys.max(initial=-1)) + 1
    best, second = np.full(n_keys, -1.0, np.float32), np.zeros(n_keys, np.float32)
    np.maximum.at(best, keys, values)
    is_best = values == best[keys]
    np.maximum.at(second, keys[~is_best], values[~is_best])
    alone = np.bincount(keys[is_best], minlength=n_keys) == 1
    leads: NDArray[np.bool_] = is_best & alone[keys] & ((best - second)[keys] > np.float32(_NAME_MARGIN))
    return leads


def places_of(candidates: Candidates, left: NDArray[np.integer], right: NDArray[np.integer]) -> I64:
    """Where pairs stand among the candidates; those that do not are left out."""
    n_right = int(max(candidates.right.max(initial=0), right.max(initial=0))) + 1
    keys = candidates.left[candidates.rows].astype(np.int64) * n_right + candidates.right[candidates.columns]
    order = np.argsort(keys, kind="stable")
    wanted = left.astype(np.int64) * n_right + right
    place = np.searchsorted(keys[order], wanted)
    known = place < len(keys)
    known[known] = keys[order[place[known]]] == wanted[known]
    return order[place[known]]


def _conditional_logit(columns: F64, indptr: I64, answers: I64) -> F64:
    """The coefficients w ≥ 0 that make Σ log softmax(w · columns) over the rows of the answers largest."""
    from scipy.optimize import minimize  # noqa: PLC0415  (takes a quarter of a second to import)

    few = answers[:: -(-len(answers) // _MOST)]
    rows = np.searchsorted(indptr, few, "right") - 1
    counts = np.diff(indptr)[rows]
    first = np.cumsum(counts) - counts
    owner = np.repeat(np.arange(len(rows)), counts)
    offered = columns[np.arange(counts.sum()) - first[owner] + indptr[rows][owner]]
    chosen = columns[few]

    def loss(weights: F64) -> tuple[float, F64]:
        scores = offered @ weights
        top = np.maximum.reduceat(scores, first)
        exponentials = np.exp(scores - top[owner])
        sums = np.add.reduceat(exponentials, first)
        shares = exponentials / sums[owner]
        pull = weights - _PRIOR
        value = (top + np.log(sums)).sum() - (chosen @ weights).sum() + 0.5 * _SHRINKAGE * pull @ pull
        slope = shares @ offered - chosen.sum(axis=0) + _SHRINKAGE * pull
        return float(value), slope

    start = np.full(columns.shape[1], _PRIOR)
    bounds = [(0.0, _LARGEST)] * columns.shape[1]
    found: F64 = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return found
