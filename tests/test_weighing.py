"""The weights of evidence, sketches and names: fitted to answers that are known, or to each other's."""

from __future__ import annotations

import numpy as np

from lightea.candidates import Candidates
from lightea.weighing import Parts, Weights, fitted, places_of, unambiguous

BEFORE = Weights(1.0, 1.0, 0.1, 0.2)
N, WIDTH = 300, 5


def parts(rng: np.random.Generator, evidence: float, cosine: float, name: float) -> Parts:
    """N entities with candidates of which the right one is ahead by so much in each part, in the mean."""
    columns = np.stack([np.roll(np.arange(N), -shift)[:N] for shift in range(WIDTH)], axis=1).astype(np.int32)
    is_right = np.zeros((N, WIDTH), np.bool_)
    is_right[:, 0] = True
    noisy = [
        (0.3 + 0.1 * rng.standard_normal((N, WIDTH)) + lead * is_right).clip(0).astype(np.float32).ravel()
        for lead in (evidence, cosine, name)
    ]
    everybody = np.arange(N, dtype=np.int32)
    indptr = (np.arange(N + 1) * WIDTH).astype(np.int64)
    return Parts(Candidates(everybody, everybody, indptr, columns.ravel(), noisy[0]), *noisy)


def known(n: int) -> np.ndarray:
    return np.stack([np.arange(n), np.arange(n)], axis=1).astype(np.int32)


def test_what_tells_answers_apart_counts_more() -> None:
    rng = np.random.default_rng(0)
    by_name = fitted(parts(rng, 0.1, 0.1, 0.5), known(200), BEFORE)
    by_structure = fitted(parts(rng, 0.5, 0.1, 0.0), known(200), BEFORE)
    assert by_name.name > 1.5
    assert by_structure.name < 0.3
    assert by_structure.no_match == BEFORE.no_match


def test_names_and_structure_teach_each_other_without_any_seed() -> None:
    rng, nobody = np.random.default_rng(1), np.empty((0, 2), np.int32)
    both = fitted(parts(rng, 0.5, 0.3, 0.5), nobody, BEFORE)
    names_are_noise = fitted(parts(rng, 0.5, 0.3, 0.0), nobody, BEFORE)
    assert both.name > 0.5
    assert names_are_noise.name < 0.5 * both.name


def test_without_anything_to_learn_from_weights_are_the_usual_ones() -> None:
    rng, nobody = np.random.default_rng(2), np.empty((0, 2), np.int32)
    assert fitted(parts(rng, 0.0, 0.0, 0.0), nobody, BEFORE) == Weights(1.0, 1.0, 0.1, 0.2)


def test_unambiguous_names_lead_on_both_sides_by_a_margin() -> None:
    """0 is clear; 1 has a rival of its own, 2 shares its right entity with 3, 4 is too little alike."""
    pairs = [(0, 0, 0.9), (0, 1, 0.2), (1, 1, 0.9), (1, 2, 0.85), (2, 3, 0.8), (3, 3, 0.8), (4, 4, 0.25)]
    left = np.array([row for row, _, _ in pairs])
    everybody = np.arange(5, dtype=np.int32)
    indptr = np.searchsorted(left, np.arange(6)).astype(np.int64)
    columns = np.array([column for _, column, _ in pairs], np.int32)
    similarity = np.array([value for _, _, value in pairs], np.float32)
    found = unambiguous(Candidates(everybody, everybody, indptr, columns, similarity), similarity)
    assert found.tolist() == [0]


def test_places_of_pairs_that_are_no_candidates_are_left_out() -> None:
    candidates = parts(np.random.default_rng(0), 0, 0, 0).candidates
    places = places_of(candidates, np.array([3, 3, 7]), np.array([3, 200, 8]))
    assert places.tolist() == [3 * WIDTH, 7 * WIDTH + 1]
