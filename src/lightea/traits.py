"""What the rounds say of each entity's best candidate: numbers that its chance to be right is judged by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.assignment import Assignment
from lightea.evidence import Beliefs, Evidence, evidence_score

F64 = NDArray[np.float64]

N_BASIC = 2
"""The first few traits, which are enough where there is little to learn from."""


@dataclass(frozen=True, eq=False)
class Best:
    """The most probable candidate of each row that has one."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    """Where it stands in the columns of the candidates."""
    n_level: NDArray[np.int64]
    """Candidates exactly as probable, itself included."""
    is_mutual: NDArray[np.bool_]
    """Whether the row is the only most probable one of the candidate's column, too."""


def best_of_rows(assignment: Assignment) -> Best:
    """The most probable candidate of each row; the first where several are."""
    candidates, chances = assignment.candidates, assignment.probabilities
    rows = np.flatnonzero(np.diff(candidates.indptr))
    if len(rows) == 0:
        nothing = np.empty(0, np.int64)
        return Best(nothing, nothing, nothing, np.empty(0, np.bool_))
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
    return Best(rows, places, n_level, is_mutual)


def traits_of(
    assignment: Assignment, evidence: Evidence, beliefs: Beliefs, odds_of_counterpart: F64, best: Best
) -> F64:
    """What the rounds say of each row's best candidate: one row of numbers each.

    The first two are the log-odds of its probability, and whether each is the other's best. Then come the
    evidence, the cosine, how much evidence there could be at most on either side, how many facts the two
    have, how many of their neighbours are matched, and how much the two are like entities with a counterpart.
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
    columns += [matched[left], matched[other], odds_of_counterpart[left], odds_of_counterpart[other]]
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
