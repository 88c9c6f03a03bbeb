"""The method as published: its stages one after the other, and rounds whose labels grow."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from aligned_pair import example, silent
from lightea import paper
from lightea.assignment import Assignment, assign
from lightea.candidates import find_candidates
from lightea.confident import confident_pairs, with_confident_pairs
from lightea.config import Config
from lightea.graph import Ids
from lightea.paper import paper_rounds
from lightea.sketching import sketch_blocks

SMALL = Config(label_width=64, sketch_width=256, proposals=60, candidates=40)
ITERATIVE = SMALL.replace(rounds=3)


def run(config: Config, n_seeds: int = 50, threads: int = 1) -> Assignment:
    pair = example()
    seeds = pair.seeds(n_seeds)
    return paper_rounds(pair.edges, *pair.free(seeds), seeds, config, threads, silent())


def bytes_of(found: Assignment) -> list[bytes]:
    candidates = found.candidates
    arrays = (candidates.left, candidates.right, candidates.indptr, candidates.columns, candidates.scores)
    return [array.tobytes() for array in (*arrays, found.probabilities, found.no_match, *found.potentials)]


def test_one_round_is_its_stages_one_after_the_other() -> None:
    pair, seeds = example(), example().seeds(50)
    left, right = pair.free(seeds)
    generator = np.random.default_rng(SMALL.random_seed)
    blocks = sketch_blocks(pair.edges, left, right, seeds, SMALL, generator, silent())
    candidates = find_candidates(left, right, blocks, n_proposals=60, n_best=40)
    expected = assign(candidates, temperature=SMALL.temperature, iterations=SMALL.sinkhorn_iterations)
    assert bytes_of(run(SMALL)) == bytes_of(expected)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="only one core is allowed to this process")
@pytest.mark.parametrize("config", [SMALL, ITERATIVE], ids=["one round", "three rounds"])
def test_the_same_random_seed_gives_the_same_bytes_at_any_number_of_threads(config: Config) -> None:
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(2)
        two = bytes_of(run(config, threads=2))
        numba.set_num_threads(1)
        assert bytes_of(run(config, threads=1)) == two
    finally:
        numba.set_num_threads(before)
    assert bytes_of(run(config.replace(random_seed=1))) != two


def labels_of_rounds(monkeypatch: pytest.MonkeyPatch, config: Config) -> list[Ids]:
    """The pairs that each round starts from."""
    rounds: list[Ids] = []

    def spy(edges: Any, left: Ids, right: Ids, pairs: Ids, *rest: Any) -> Any:
        rounds.append(pairs.copy())
        return sketch_blocks(edges, left, right, pairs, *rest)

    monkeypatch.setattr(paper, "sketch_blocks", spy)
    run(config)
    return rounds


def test_each_round_takes_what_the_one_before_was_sure_of_for_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = labels_of_rounds(monkeypatch, ITERATIVE)
    seeds = example().seeds(50)
    np.testing.assert_array_equal(first, seeds)
    np.testing.assert_array_equal(second, with_confident_pairs(seeds, run(SMALL), ITERATIVE.accept))
    after_two = run(SMALL.replace(rounds=2))
    np.testing.assert_array_equal(third, with_confident_pairs(seeds, after_two, ITERATIVE.accept))
    assert len(first) < len(second)


def test_who_is_never_sure_starts_every_round_from_the_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = labels_of_rounds(monkeypatch, ITERATIVE.replace(accept=1.0, temperature=1.0))
    for pairs in rounds:
        np.testing.assert_array_equal(pairs, example().seeds(50))
    assert len(rounds) == 3


def test_more_rounds_find_more_of_the_truth() -> None:
    truth = {tuple(pair) for pair in example().truth[20:].tolist()}

    def n_right(found: Assignment) -> int:
        left, right, _ = confident_pairs(found, 0.5)
        return len(truth & set(zip(left.tolist(), right.tolist(), strict=True)))

    assert n_right(run(ITERATIVE, 20)) > n_right(run(SMALL, 20))


def test_only_those_asked_for_take_part() -> None:
    pair, seeds = example(), example().seeds(50)
    left, right = (side[::3] for side in pair.free(seeds))
    found = paper_rounds(pair.edges, left, right, seeds, ITERATIVE, 1, silent())
    np.testing.assert_array_equal(found.candidates.left, left)
    np.testing.assert_array_equal(found.candidates.right, right)


def test_the_seeds_stay_as_they_were() -> None:
    pair, seeds = example(), example().seeds(50)
    before = seeds.copy()
    paper_rounds(pair.edges, *pair.free(seeds), seeds, ITERATIVE, 1, silent())
    np.testing.assert_array_equal(seeds, before)
