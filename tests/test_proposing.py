"""Proposals by facts: worked out by hand, nearly complete, and the same at any number of threads."""

from __future__ import annotations

import functools

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligned_pair import Example, example, free_of, silent
from lightea.adjacency import Adjacency, adjacency
from lightea.codes import Codes, quantise
from lightea.config import Config
from lightea.graph import Ids
from lightea.graph_builder import graph_from_names
from lightea.paper import paper_rounds
from lightea.proposing import is_called_for, propose_by_facts
from lightea.rounds import Rounds
from lightea.synthetic import DBP1M, DBP15K, SyntheticShape, make_pair
from small_graphs import graphs

FACTS = Config(label_width=64, sketch_width=256, proposals=60, candidates=40, search="facts")


def any_codes(n_left: int, n_right: int, width: int = 16) -> tuple[Codes, Codes]:
    noise = np.random.default_rng(0)
    left, right = (quantise(noise.standard_normal((n, width), np.float32)) for n in (n_left, n_right))
    return left, right


def propose(edges: Adjacency, seeds: Ids, n_best: int = 30) -> dict[int, list[int]]:
    left, right = free_of(edges, seeds)
    indptr, columns = propose_by_facts(edges, left, right, seeds, any_codes(len(left), len(right)), n_best)
    bounds = zip(left.tolist(), indptr[:-1], indptr[1:], strict=True)
    return {entity: right[columns[low:high]].tolist() for entity, low, high in bounds}


def chain(side: str) -> list[tuple[str, str, str]]:
    """The seed a, to which b leads, to which c leads; x and y know only each other."""
    return [("b", f"{side}1", "a"), ("c", f"{side}2", "b"), ("d", f"{side}1", "e"), ("x", f"{side}3", "y")]


def test_partners_of_neighbours_are_proposed_and_then_those_of_their_neighbours() -> None:
    # relations agree by the seeds a, d and e; b is found by a in the first pass, c by b in the second
    edges = adjacency(*(graph_from_names(*map(list, zip(*chain(side), strict=True))) for side in ("l", "r")))
    a, b, c, d, e, x, y = (
        graph_from_names(*map(list, zip(*chain("l"), strict=True))).entities.to_list().index(name)
        for name in ("a", "b", "c", "d", "e", "x", "y")
    )
    found = propose(edges, np.array(sorted([[a, a], [d, d], [e, e]]), np.int32))
    assert found[b] == [b]
    assert found[x] == found[y] == []
    assert c in found


def test_most_partners_are_among_few_proposals() -> None:
    pair, seeds = example(), example().seeds(60)
    found = propose(pair.edges, seeds)
    asked = [(i, j) for i, j in pair.truth.tolist() if i in found]
    right = sum(j in found[i] for i, j in asked)
    assert right > 0.9 * len(asked)
    assert max(map(len, found.values())) <= 30


@settings(deadline=None, max_examples=25)
@given(left=graphs(prefix="l", least_facts=1), right=graphs(prefix="r", least_facts=1), data=st.data())
def test_any_graphs_have_proposals_in_order_and_of_nobody_in_seeds(left, right, data) -> None:  # type: ignore[no-untyped-def]
    edges = adjacency(left, right)
    n_seeds = data.draw(st.integers(0, min(edges.n_left, edges.n_right)))
    seeds = np.stack([np.arange(n_seeds, dtype=np.int32)] * 2, axis=1)
    found = propose(edges, seeds, n_best=3)
    assert len(found) == edges.n_left - n_seeds
    for proposed in found.values():
        assert len(set(proposed)) == len(proposed) <= 3
        assert all(n_seeds <= other < edges.n_right for other in proposed)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="only one core is allowed to this process")
def test_proposals_are_the_same_at_any_number_of_threads() -> None:
    pair, seeds = example(), example().seeds(60)
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(2)
        two = propose(pair.edges, seeds)
        numba.set_num_threads(1)
        assert propose(pair.edges, seeds) == two
    finally:
        numba.set_num_threads(before)


@functools.cache
def hard_pair(shape: SyntheticShape) -> Example:
    """Most facts of one side are missing on the other, as in real pairs."""
    made = make_pair(2000, shape=shape)
    truth = made.links.resolve(made.left, made.right).pairs
    return Example(adjacency(made.left, made.right), np.random.default_rng(0).permutation(truth))


def hits(pair: Example, config: Config) -> float:
    """The share of the true partners that stand first, with a third of them as seeds."""
    seeds = pair.seeds(600)
    found = paper_rounds(pair.edges, *pair.free(seeds), seeds, config, 1, silent())
    candidates, right = found.candidates, 0
    partners = dict(pair.truth[600:].tolist())
    for row, entity in enumerate(candidates.left.tolist()):
        low, high = candidates.indptr[row], candidates.indptr[row + 1]
        if high > low:
            best = candidates.columns[low + int(np.argmax(found.probabilities[low:high]))]
            right += partners.get(entity) == int(candidates.right[best])
    return right / len(partners)


@pytest.mark.parametrize("shape", [DBP1M, DBP15K], ids=["DBP1M", "DBP15K"])
def test_the_published_method_loses_nothing_by_proposals_of_facts(shape: SyntheticShape) -> None:
    pair = hard_pair(shape)
    assert hits(pair, FACTS) >= hits(pair, FACTS.replace(search="exact"))


def test_rounds_of_evidence_can_start_from_proposals_of_facts() -> None:
    pair, seeds = example(), example().seeds(60)
    config = Config.for_preset("auto", label_width=64, sketch_width=128, rounds=1, search="facts")
    odds = np.zeros(pair.edges.n_entities)
    found = Rounds(pair.edges, odds, seeds, config, 1, silent()).from_seeds(np.random.default_rng(0))
    partners = dict(pair.truth.tolist())
    candidates = found.assignment.candidates
    sure = np.flatnonzero(found.assignment.probabilities > 0.9)
    pairs = zip(
        candidates.left[candidates.rows[sure]], candidates.right[candidates.columns[sure]], strict=True
    )
    right = [partners.get(int(i)) == int(j) for i, j in pairs]
    assert len(right) > 60
    assert np.mean(right) > 0.9


def test_cost_decides_unless_something_else_is_asked_for() -> None:
    assert [is_called_for("auto", products, 100) for products in (99, 100, 101)] == [False, False, True]
    assert is_called_for("facts", 1, 100)
    assert not is_called_for("exact", 10**30, 100)
