"""Rounds of labels and evidence: who takes part, what the scores are, when they end, and the same bytes."""

from __future__ import annotations

import dataclasses
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aligned_pair import example, free_of, silent
from lightea import rounds
from lightea.adjacency import Adjacency, adjacency
from lightea.assignment import Assignment
from lightea.confident import confident_pairs, with_confident_pairs
from lightea.config import Config
from lightea.evidence import Beliefs, Evidence, evidence_score
from lightea.graph import Ids, KnowledgeGraph
from lightea.rounds import Found, IsWorse, Rounds, answers, places
from small_graphs import graphs

AUTO = Config.for_preset("auto", label_width=64, sketch_width=256)
ONCE = AUTO.replace(rounds=1)


def run(config: Config = AUTO, n_seeds: int = 50, is_worse: IsWorse | None = None, threads: int = 1) -> Found:
    made = Rounds(example().edges, flat(example().edges), example().seeds(n_seeds), config, threads, silent())
    return made.from_seeds(np.random.default_rng(config.random_seed), is_worse)


def flat(edges: Adjacency) -> np.ndarray:
    """Nobody is more like those in seeds than others."""
    return np.zeros(edges.n_entities)


def believe_it(assignment: Assignment, evidence: Evidence, beliefs: Beliefs) -> Assignment:
    """A judge who takes every probability as it is."""
    return assignment


def bytes_of(found: Assignment) -> list[bytes]:
    candidates = found.candidates
    arrays = (candidates.left, candidates.right, candidates.indptr, candidates.columns, candidates.scores)
    return [array.tobytes() for array in (*arrays, found.probabilities, found.no_match, *found.potentials)]


def pairs_of(found: Found) -> list[tuple[int, int]]:
    """The candidate pairs, in their order."""
    candidates = found.assignment.candidates
    left, right = candidates.left[candidates.rows], candidates.right[candidates.columns]
    return list(zip(left.tolist(), right.tolist(), strict=True))


def evidence_by_pair(found: Found) -> dict[tuple[int, int], float]:
    evidence = found.evidence
    left = np.repeat(evidence.left, np.diff(evidence.indptr)).tolist()
    return dict(zip(zip(left, evidence.ids.tolist(), strict=True), evidence.values.tolist(), strict=True))


# --- who takes part --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_seeds", [5, 50, 120])
def test_seeds_never_appear_among_candidates(n_seeds: int) -> None:
    pair, seeds = example(), example().seeds(n_seeds)
    left, right = pair.free(seeds)
    found = run(n_seeds=n_seeds)
    candidates = found.assignment.candidates
    np.testing.assert_array_equal(candidates.left, left)
    np.testing.assert_array_equal(candidates.right, right)
    assert not {i for i, _ in pairs_of(found)} & set(seeds[:, 0].tolist())
    assert not {j for _, j in pairs_of(found)} & set(seeds[:, 1].tolist())


@settings(deadline=None, max_examples=25)
@given(left=graphs(prefix="l", least_facts=1), right=graphs(prefix="r", least_facts=1), data=st.data())
def test_any_graphs_and_seeds_give_chances_that_add_up(
    left: KnowledgeGraph, right: KnowledgeGraph, data: st.DataObject
) -> None:
    pair = st.tuples(st.integers(0, left.n_entities - 1), st.integers(0, right.n_entities - 1))
    drawn = data.draw(st.lists(pair, min_size=1, max_size=4, unique=True))
    seeds, edges = np.array(sorted(drawn), np.int32), adjacency(left, right)
    config = AUTO.replace(rounds=3)
    found = Rounds(edges, flat(edges), seeds, config, 1, silent()).from_seeds(np.random.default_rng(0))
    free = free_of(edges, seeds)
    asked = tuple(side[: data.draw(st.integers(0, len(side)))] for side in free)
    for chances in (found.assignment, answers(found, flat(edges), edges, *asked, seeds, config)):
        sums = np.bincount(
            chances.candidates.rows, chances.probabilities, minlength=len(chances.candidates.left)
        )
        np.testing.assert_allclose(sums + chances.no_match, 1.0, atol=1e-5)
        assert not np.isin(chances.candidates.left, seeds[:, 0]).any()
        assert not np.isin(chances.candidates.right, seeds[:, 1]).any()


def test_no_pair_is_a_candidate_twice_and_rows_are_in_order() -> None:
    found = run()
    pairs = pairs_of(found)
    assert len(set(pairs)) == len(pairs)
    candidates = found.assignment.candidates
    for row in range(len(candidates.left)):
        scores = candidates.scores[candidates.indptr[row] : candidates.indptr[row + 1]]
        assert (np.diff(scores) <= 0).all()


# --- what is weighed -------------------------------------------------------------------------------------


def test_scores_are_those_of_evidence_and_the_mean_cosine_of_the_sketches() -> None:
    found = run(AUTO.replace(cosine_weight=0.75))
    evidence, scores = evidence_by_pair(found), found.assignment.candidates.scores
    pairs = pairs_of(found)
    assert set(evidence) == set(pairs)
    units = [
        [codes.values.astype(np.float64) * codes.inverse_norms[:, None] for codes in block]
        for block in found.sketches
    ]
    for place in range(0, len(pairs), 37):
        i, j = pairs[place]
        cosine = np.mean([left[i] @ right[j] for left, right in units])
        of_evidence = float(evidence_score(np.array([evidence[i, j]], np.float32))[0])
        assert scores[place] == pytest.approx(of_evidence + 0.75 * cosine, abs=1e-5)


def test_what_was_believed_are_the_seeds_and_nobody_twice() -> None:
    seeds = example().seeds(50)
    matches = run().beliefs.matches
    certain = matches.probability == 1.0
    believed = set(zip(matches.left[certain].tolist(), matches.right[certain].tolist(), strict=True))
    assert {tuple(pair) for pair in seeds.tolist()} <= believed
    of_seeds = np.isin(matches.left, seeds[:, 0])
    assert np.count_nonzero(of_seeds) == len(seeds)
    assert not np.isin(matches.right[~of_seeds], seeds[:, 1]).any()


def test_evidence_finds_candidates_that_sketches_do_not_propose() -> None:
    few = run(ONCE.replace(proposals=1))
    assert np.diff(few.assignment.candidates.indptr).max() > 1


def test_most_of_an_easy_pair_is_found() -> None:
    truth = {tuple(pair) for pair in example().truth[50:].tolist()}
    left, right, _ = confident_pairs(run().assignment, 0.5)
    n_right = len(truth & set(zip(left.tolist(), right.tolist(), strict=True)))
    assert n_right > 0.75 * len(truth)
    assert n_right > 0.75 * len(left)


# --- rounds of labels ------------------------------------------------------------------------------------


@pytest.fixture
def labels_of_rounds(monkeypatch: pytest.MonkeyPatch) -> list[Ids]:
    """The pairs that each round starts from, of whatever is run."""
    pairs_of_rounds: list[Ids] = []
    original = rounds.sketch_blocks

    def spy(edges: Any, left: Ids, right: Ids, pairs: Ids, *rest: Any) -> Any:
        pairs_of_rounds.append(pairs.copy())
        return original(edges, left, right, pairs, *rest)

    monkeypatch.setattr(rounds, "sketch_blocks", spy)
    return pairs_of_rounds


def test_each_round_starts_from_the_seeds_and_what_the_one_before_was_sure_of(
    labels_of_rounds: list[Ids],
) -> None:
    seeds = example().seeds(20)
    run(AUTO.replace(rounds=2), 20)
    first, second = labels_of_rounds
    np.testing.assert_array_equal(first, seeds)
    np.testing.assert_array_equal(second, with_confident_pairs(seeds, run(ONCE, 20).assignment, AUTO.accept))


def test_rounds_end_when_confident_pairs_grow_no_more(labels_of_rounds: list[Ids]) -> None:
    run(AUTO.replace(rounds=50))
    assert 2 <= len(labels_of_rounds) < 10
    sizes = [len(pairs) for pairs in labels_of_rounds]
    assert sizes[1] > sizes[0]


def test_there_are_never_more_rounds_than_asked_for(labels_of_rounds: list[Ids]) -> None:
    run(AUTO.replace(rounds=2), 5)
    assert len(labels_of_rounds) == 2


def test_a_round_that_is_worse_is_taken_back_and_ends_the_rounds(labels_of_rounds: list[Ids]) -> None:
    compared: list[tuple[Assignment, Assignment]] = []

    def is_worse(first: Assignment, second: Assignment) -> bool:
        compared.append((first, second))
        return True

    found = run(is_worse=is_worse)
    assert len(labels_of_rounds) == 2
    ((first, _),) = compared
    assert found.assignment is first
    assert not found.labels_help
    assert bytes_of(found.assignment) == bytes_of(run(ONCE).assignment)


def test_rounds_that_are_not_worse_are_kept() -> None:
    kept = run(is_worse=lambda first, second: False)
    assert kept.labels_help
    assert bytes_of(kept.assignment) == bytes_of(run().assignment)


def test_few_seeds_are_spread_one_hop_further(monkeypatch: pytest.MonkeyPatch) -> None:
    hops: list[int] = []
    original = rounds.sketch_blocks

    def spy(edges: Any, left: Ids, right: Ids, pairs: Ids, config: Config, *rest: Any) -> Any:
        hops.append(config.hops)
        return original(edges, left, right, pairs, config, *rest)

    monkeypatch.setattr(rounds, "sketch_blocks", spy)
    run(ONCE, 5)
    run(ONCE, 50)
    assert hops == [AUTO.hops + 1, AUTO.hops]


# --- after a rehearsal -----------------------------------------------------------------------------------


def test_after_a_rehearsal_the_sketches_stay_and_the_seeds_no_longer_hidden_take_no_part() -> None:
    known, everything = example().seeds(40), example().seeds(50)
    before = run(n_seeds=40)
    again = Rounds(example().edges, flat(example().edges), everything, AUTO, 1, silent()).following(
        before, 2, believe_it
    )
    assert again.sketches is before.sketches
    for side, ids in enumerate((again.assignment.candidates.left, again.assignment.candidates.right)):
        np.testing.assert_array_equal(ids, example().free(everything)[side])
    matches = again.beliefs.matches
    assert np.count_nonzero(matches.probability == 1.0) >= len(everything) > len(known)


def test_what_was_rehearsed_is_left_as_it_was() -> None:
    before = run(n_seeds=40)
    bytes_before = bytes_of(before.assignment)
    Rounds(example().edges, flat(example().edges), example().seeds(50), AUTO, 1, silent()).following(
        before, 2, believe_it
    )
    assert bytes_of(before.assignment) == bytes_before


# --- answers ---------------------------------------------------------------------------------------------


def test_answers_are_among_those_asked_for_by_the_scores_that_all_led_to() -> None:
    pair, seeds = example(), example().seeds(50)
    found = run()
    left, right = (side[::2] for side in pair.free(seeds))
    asked = answers(found, flat(pair.edges), pair.edges, left, right, seeds, AUTO)
    np.testing.assert_array_equal(asked.candidates.left, left)
    np.testing.assert_array_equal(asked.candidates.right, right)
    score = dict(zip(pairs_of(found), found.assignment.candidates.scores.tolist(), strict=True))
    wanted = {(i, j) for i, j in score if i in set(left.tolist()) and j in set(right.tolist())}
    pairs = pairs_of(dataclasses.replace(found, assignment=asked))
    assert set(pairs) == wanted
    assert [score[place] for place in pairs] == asked.candidates.scores.tolist()
    sums = np.bincount(asked.candidates.rows, asked.probabilities, minlength=len(left))
    np.testing.assert_allclose(sums + asked.no_match, 1.0, atol=1e-5)


def test_nobody_may_be_asked_for() -> None:
    pair, seeds = example(), example().seeds(50)
    nobody, (left, right) = np.empty(0, np.int32), pair.free(seeds)
    for sides in ((nobody, right), (left, nobody), (nobody, nobody)):
        asked = answers(run(), flat(pair.edges), pair.edges, *sides, seeds, AUTO)
        assert len(asked.probabilities) == 0
        assert asked.no_match.tolist() == [1.0] * len(sides[0])


def test_places_say_where_each_entity_stands() -> None:
    assert places(np.array([4, 1], np.int32), 6).tolist() == [-1, 1, -1, -1, 0, -1]


# --- the same result -------------------------------------------------------------------------------------


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="only one core is allowed to this process")
def test_the_same_random_seed_gives_the_same_bytes_at_any_number_of_threads() -> None:
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(2)
        two = bytes_of(run(threads=2).assignment)
        numba.set_num_threads(1)
        assert bytes_of(run(threads=1).assignment) == two
    finally:
        numba.set_num_threads(before)
    assert bytes_of(run(AUTO.replace(random_seed=1)).assignment) != two


def test_graphs_and_seeds_stay_as_they_were() -> None:
    pair, seeds = example(), example().seeds(50)
    arrays = (seeds, pair.edges.offsets, pair.edges.relations, pair.edges.tails, pair.edges.relation_heads)
    before = [array.copy() for array in arrays]
    made = Rounds(pair.edges, flat(pair.edges), seeds, AUTO, 1, silent())
    found = made.from_seeds(np.random.default_rng(0))
    answers(found, flat(pair.edges), pair.edges, *pair.free(seeds), seeds, AUTO)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)
