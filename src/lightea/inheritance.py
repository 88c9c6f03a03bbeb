"""What an earlier run found, carried over to graphs that have grown: under other numbers, the same names."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from lightea.assignment import Assignment, Matches
from lightea.candidates import Candidates
from lightea.graph import Ids

Mask = NDArray[np.bool_]


def carried_pairs(pairs: Ids, left: Ids, right: Ids) -> Ids:
    """Pairs by the new numbers of their entities, without those of which one is gone."""
    moved = np.stack([left[pairs[:, 0]], right[pairs[:, 1]]], axis=1)
    kept: Ids = moved[(moved >= 0).all(axis=1)]
    return kept


def carried_matches(matches: Matches, left: Ids, right: Ids, n_left: int, n_right: int) -> Matches:
    """What was believed, by the new numbers."""
    pairs = carried_pairs(np.stack([matches.left, matches.right], axis=1), left, right)
    stays = (left[matches.left] >= 0) & (right[matches.right] >= 0)
    return _matches(pairs[:, 0], pairs[:, 1], matches.probability[stays], n_left, n_right)


def without(matches: Matches, left: Mask, right: Mask) -> Matches:
    """What is believed of other left and right entities than these."""
    owners = matches.left
    kept = ~(left[owners] | right[matches.right])
    return _matches(owners[kept], matches.right[kept], matches.probability[kept], len(left), matches.n_right)


def together(one: Matches, other: Matches) -> Matches:
    """What either believes; no left entity may be in both."""
    left = np.concatenate([one.left, other.left])
    right = np.concatenate([one.right, other.right])
    probability = np.concatenate([one.probability, other.probability])
    return _matches(left, right, probability, len(one.offsets) - 1, one.n_right)


def _matches(left: Ids, right: Ids, probability: NDArray[np.float32], n_left: int, n_right: int) -> Matches:
    """Matches in the order of the left entities; those of an entity stay in their order."""
    order = np.argsort(left, kind="stable")
    counts = np.bincount(left, minlength=n_left)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Matches(n_right, offsets, right[order], probability[order])


def carried_assignment(assignment: Assignment, left: Ids, right: Ids) -> Assignment:
    """An assignment by the new numbers, without the entities that are gone."""
    candidates = assignment.candidates
    numbers, answers = left[candidates.left], right[candidates.right]
    kept = np.flatnonzero((numbers >= 0)[candidates.rows] & (answers >= 0)[candidates.columns])
    pairs = numbers[candidates.rows[kept]], answers[candidates.columns[kept]]
    return assembled(
        (*pairs, candidates.scores[kept], assignment.probabilities[kept]),
        np.sort(numbers[numbers >= 0]),
        np.sort(answers[answers >= 0]),
        (numbers, assignment.no_match),
        assignment,
    )


def joined(settled: Assignment, opened: Assignment, left: Ids, right: Ids) -> Assignment:
    """Rows of two assignments as one among the entities `left` and `right` (sorted).

    Where both have a row, that of `opened` counts; who has none in either is alone.
    """
    is_open = np.isin(settled.candidates.left, opened.candidates.left)
    parts = [_listed(settled, ~is_open), _listed(opened, np.ones(len(opened.candidates.left), np.bool_))]
    pairs = tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))
    kept = np.isin(pairs[0], left) & np.isin(pairs[1], right)
    alone = (
        np.concatenate([settled.candidates.left[~is_open], opened.candidates.left]),
        np.concatenate([settled.no_match[~is_open], opened.no_match]),
    )
    of_pairs = (pairs[0][kept], pairs[1][kept], pairs[2][kept], pairs[3][kept])
    return assembled(of_pairs, left, right, alone, opened)


def _listed(assignment: Assignment, rows: Mask) -> tuple[NDArray[np.generic], ...]:
    """The pairs of some rows: left, right, score, probability."""
    candidates = assignment.candidates
    kept = np.flatnonzero(rows[candidates.rows])
    return (
        candidates.left[candidates.rows[kept]],
        candidates.right[candidates.columns[kept]],
        candidates.scores[kept],
        assignment.probabilities[kept],
    )


def assembled(
    pairs: tuple[NDArray[np.generic], ...],
    left: Ids,
    right: Ids,
    alone: tuple[Ids, NDArray[np.float32]],
    like: Assignment,
) -> Assignment:
    """An assignment of pairs (left, right, score, probability), best first; iterations are those of `like`.

    `alone` are left entities and the probability of each that it has no partner.
    """
    rows, columns = np.searchsorted(left, pairs[0]), np.searchsorted(right, pairs[1])
    order = np.lexsort((columns, -pairs[2].astype(np.float32), rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(left)))])
    candidates = Candidates(
        left, right, indptr, columns[order].astype(np.int32), pairs[2][order].astype(np.float32)
    )
    no_match = np.ones(len(left), np.float32)
    known = np.isin(alone[0], left)
    no_match[np.searchsorted(left, alone[0][known])] = alone[1][known]
    return Assignment(
        candidates,
        pairs[3][order].astype(np.float32),
        no_match,
        (np.zeros(len(left)), np.zeros(len(right))),
        like.iterations,
        like.marginal_error,
        like.converged,
    )


def with_chances(assignment: Assignment, pairs: Ids, chances: NDArray[np.float32]) -> Assignment:
    """The assignment with these probabilities of some candidate pairs, of each row at most one.

    What else a row may choose keeps its proportions, and the row its sum.
    """
    candidates = assignment.candidates
    rows, width = candidates.rows, len(candidates.right)
    row = np.searchsorted(candidates.left, pairs[:, 0]).astype(np.int64)
    column = np.searchsorted(candidates.right, pairs[:, 1])
    keys = rows * width + candidates.columns
    order = np.argsort(keys)
    places = order[np.searchsorted(keys[order], row * width + column)]
    rest = np.ones(len(candidates.left))
    old = assignment.probabilities[places].astype(np.float64)
    rest[row] = (1.0 - chances) / np.maximum(1.0 - old, 1e-9)
    probabilities = assignment.probabilities * rest[rows]
    probabilities[places] = chances
    return dataclasses.replace(
        assignment,
        probabilities=probabilities.astype(np.float32),
        no_match=np.minimum(assignment.no_match * rest, 1.0).astype(np.float32),
    )
