"""A made-up pair of graphs with its known links as numbers, small enough for a test to run rounds on."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from lightea.adjacency import Adjacency, adjacency
from lightea.clock import Clock, nobody
from lightea.graph import Ids
from lightea.seeds import sorted_pairs
from lightea.synthetic import DEMO, make_pair


@dataclass(frozen=True, eq=False)
class Example:
    """The joined graphs; the known links in random order."""

    edges: Adjacency
    truth: Ids

    def seeds(self, n: int) -> Ids:
        """The first few links, as seeds stand."""
        return sorted_pairs(self.truth[:n])

    def free(self, seeds: Ids) -> tuple[Ids, Ids]:
        """All entities that stand in none of the seeds, of the left and of the right graph."""
        return free_of(self.edges, seeds)


def free_of(edges: Adjacency, seeds: Ids) -> tuple[Ids, Ids]:
    """All entities that stand in none of the seeds, of the left and of the right graph."""
    left, right = (np.arange(n, dtype=np.int32) for n in (edges.n_left, edges.n_right))
    return np.setdiff1d(left, seeds[:, 0]), np.setdiff1d(right, seeds[:, 1])


@functools.cache
def example(n: int = 200) -> Example:
    """The pair of the demo, so many entities large."""
    made = make_pair(n, shape=DEMO)
    truth = made.links.resolve(made.left, made.right).pairs
    return Example(adjacency(made.left, made.right), np.random.default_rng(0).permutation(truth))


def silent() -> Clock:
    """A clock at which nobody looks."""
    return Clock(nobody)
