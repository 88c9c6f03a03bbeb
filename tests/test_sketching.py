"""Blocks of codes: those of the stages one after the other, made when asked for, left and right apart."""

from __future__ import annotations

import numpy as np
import pytest

from aligned_pair import Example, example, silent
from lightea.clock import Clock, nobody
from lightea.codes import Codes
from lightea.config import Config
from lightea.labels import seed_labels
from lightea.propagation import edge_ends, gated_sketch, propagate
from lightea.sketching import sketch_blocks

SMALL = Config(label_width=64, sketch_width=192)


def blocks_of(
    pair: Example, left: np.ndarray, right: np.ndarray, config: Config = SMALL, clock: Clock | None = None
) -> list[tuple[Codes, Codes]]:
    made = sketch_blocks(
        pair.edges, left, right, pair.seeds(20), config, np.random.default_rng(5), clock or silent()
    )
    return list(made)


def assert_same(one: Codes, other: Codes) -> None:
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.inverse_norms, other.inverse_norms)


def test_blocks_are_those_of_the_stages_one_after_the_other() -> None:
    pair = example()
    left, right = np.array([3, 0, 7], np.int32), np.array([5, 2], np.int32)
    generator = np.random.default_rng(5)
    labels = seed_labels(pair.seeds(20), pair.edges.n_left, pair.edges.n_entities, 64, generator)
    ends = edge_ends(pair.edges, propagate(pair.edges, labels, SMALL.hops), generator)
    rows = np.array([3, 0, 7, pair.edges.n_left + 5, pair.edges.n_left + 2], np.int32)
    for own, other in blocks_of(pair, left, right):
        expected = gated_sketch(pair.edges, ends, rows, generator)
        assert_same(own, expected.rows(slice(0, 3)))
        assert_same(other, expected.rows(slice(3, 5)))


@pytest.mark.parametrize(
    ("label_width", "sketch_width", "n_blocks"), [(64, 256, 4), (64, 200, 3), (64, 8, 1)]
)
def test_there_are_as_many_blocks_as_fit_into_the_sketch_but_at_least_one(
    label_width: int, sketch_width: int, n_blocks: int
) -> None:
    everybody = np.arange(4, dtype=np.int32)
    config = Config(label_width=label_width, sketch_width=sketch_width)
    blocks = blocks_of(example(), everybody, everybody, config)
    assert [left.values.shape for left, _ in blocks] == [(4, label_width)] * n_blocks


def test_blocks_differ() -> None:
    everybody = np.arange(4, dtype=np.int32)
    one, other, *_ = blocks_of(example(), everybody, everybody)
    assert not np.array_equal(one[0].values, other[0].values)


def test_who_else_takes_part_does_not_matter() -> None:
    """What is sketched is the surroundings in the whole graphs."""
    pair = example()
    left, right = (np.arange(n, dtype=np.int32) for n in (pair.edges.n_left, pair.edges.n_right))
    for whole, part in zip(blocks_of(pair, left, right), blocks_of(pair, left[5:9], right[:0]), strict=True):
        assert_same(whole[0].rows(slice(5, 9)), part[0])
        assert part[1].values.shape == (0, 64)


def test_a_block_is_made_when_it_is_asked_for() -> None:
    told: list[tuple[str, int, int]] = []
    clock = Clock(lambda *what: told.append(what))
    everybody = np.arange(4, dtype=np.int32)
    blocks = sketch_blocks(
        example().edges, everybody, everybody, example().seeds(20), SMALL, np.random.default_rng(0), clock
    )
    assert told == []
    next(blocks)
    assert told[-1] == ("sketch", 1, 3)
    assert set(clock.seconds) == {"labels", "propagation", "sketch"}
    next(blocks)
    assert told[-1] == ("sketch", 2, 3)


def test_time_between_blocks_is_not_that_of_the_sketch() -> None:
    clock = Clock(nobody)
    everybody = np.arange(4, dtype=np.int32)
    for _ in sketch_blocks(
        example().edges, everybody, everybody, example().seeds(20), SMALL, np.random.default_rng(0), clock
    ):
        with clock.stage("search"):
            pass
    assert set(clock.seconds) == {"labels", "propagation", "sketch", "search"}
