"""Hits, MRR, precision and recall, against hand-computed values and a naive oracle."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import Row, alignment, named
from lightea.errors import InputError
from lightea.evaluation import Scores, evaluate


def naive(rows: dict[int, Row], links: set[tuple[int, int]], test: set[tuple[int, int]]) -> dict[str, float]:
    """The definition, link by link and rank by rank."""
    hits1 = hits10 = mrr = 0.0
    for left, right in test:
        row = rows.get(left, [])
        own = [(probability, score) for column, probability, score in row if column == right]
        if not own:
            continue
        better = sum((probability, score) > own[0] for _, probability, score in row)
        tied = sum((probability, score) == own[0] for _, probability, score in row)
        ranks = range(better + 1, better + tied + 1)
        hits1 += sum(rank <= 1 for rank in ranks) / tied
        hits10 += sum(rank <= 10 for rank in ranks) / tied
        mrr += sum(1 / rank for rank in ranks) / tied
    correct, n = len(links & test), len(test)
    precision, recall = correct / len(links) if links else 0.0, correct / n
    return {
        "hits@1": hits1 / n,
        "hits@10": hits10 / n,
        "mrr": mrr / n,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if correct else 0.0,
    }


levels = st.sampled_from([0.0, 0.25, 0.5])
row = st.dictionaries(st.integers(0, 14), st.tuples(levels, levels), max_size=14).map(
    lambda cells: [(column, *values) for column, values in cells.items()]
)
tables = st.dictionaries(st.integers(0, 9), row, max_size=8)
pair_sets = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 14)), max_size=12)


@given(tables, pair_sets, pair_sets.filter(bool))
def test_scores_equal_the_naive_definition(
    rows: dict[int, Row], links: set[tuple[int, int]], test: set[tuple[int, int]]
) -> None:
    scores = evaluate(alignment(rows, sorted(links)), sorted(test))
    assert scores.to_dict() == pytest.approx(naive(rows, links, test), abs=1e-12)


@given(tables, pair_sets.filter(bool), st.permutations(range(15)))
def test_renumbering_the_right_entities_changes_nothing(
    rows: dict[int, Row], test: set[tuple[int, int]], order: list[int]
) -> None:
    renamed = {left: [(order[c], p, s) for c, p, s in row] for left, row in rows.items()}
    moved = [(left, order[right]) for left, right in test]
    assert evaluate(alignment(renamed), moved) == evaluate(alignment(rows), sorted(test))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 14)), min_size=1), st.randoms())
def test_the_order_of_test_links_changes_nothing(test: list[tuple[int, int]], random: object) -> None:
    found = alignment({left: [(left, 0.9, 0.5), (left + 1, 0.1, 0.4)] for left in range(8)})
    shuffled = sorted(test, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert evaluate(found, shuffled) == evaluate(found, test)


@settings(max_examples=20)
@given(tables, pair_sets.filter(bool))
def test_many_small_blocks_give_what_one_large_block_gives(
    rows: dict[int, Row], test: set[tuple[int, int]]
) -> None:
    whole = evaluate(alignment(rows), sorted(test))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lightea.evaluation._BLOCK", 20)
        assert evaluate(alignment(rows), sorted(test)) == whole


def test_hand_computed_example() -> None:
    found = alignment(
        {
            0: [(0, 0.9, 0.8), (1, 0.05, 0.3)],  # rank 1
            1: [(0, 0.6, 0.9), (1, 0.3, 0.2)],  # rank 2
            2: [(3, 0.4, 0.5)],  # true partner 2 not retrieved
        },
        links=[(0, 0), (1, 0)],
    )
    scores = evaluate(found, [(0, 0), (1, 1), (2, 2), (9, 9)])  # 9 was not searched
    assert scores == Scores(
        hits_at_1=1 / 4,
        hits_at_10=2 / 4,
        mrr=1.5 / 4,
        precision=1 / 2,
        recall=1 / 4,
        f1=1 / 3,
        n_test=4,
        n_predicted=2,
        n_correct=1,
        n_not_retrieved=2,
        n_unknown=0,
        ece=pytest.approx(0.35),  # (0.5 + 0.2) / 2: see the rows above
    )


def test_a_tie_counts_with_its_expected_value() -> None:
    four_level = [(column, 0.25, 0.5) for column in range(4)]
    scores = evaluate(alignment({0: four_level}), [(0, 2)])
    assert scores.hits_at_1 == pytest.approx(1 / 4)
    assert scores.hits_at_10 == 1
    assert scores.mrr == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)


def test_the_score_decides_where_probabilities_are_equal() -> None:
    scores = evaluate(alignment({0: [(0, 0.0, 0.1), (1, 0.0, 0.2)]}), [(0, 1)])
    assert scores.hits_at_1 == 1


def test_the_probability_decides_before_the_score() -> None:
    scores = evaluate(alignment({0: [(0, 0.2, 0.9), (1, 0.8, 0.1)]}), [(0, 1)])
    assert scores.hits_at_1 == 1


def test_each_link_of_an_entity_with_several_counts_by_itself() -> None:
    scores = evaluate(alignment({0: [(0, 0.6, 0.5), (1, 0.4, 0.5)]}), [(0, 0), (0, 1)])
    assert (scores.n_test, scores.hits_at_1, scores.mrr) == (2, 0.5, 0.75)


def test_a_repeated_test_link_counts_once() -> None:
    found = alignment({0: [(0, 0.6, 0.5)]})
    assert evaluate(found, [(0, 0), (0, 0), (1, 1)]).n_test == 2
    assert evaluate(found, named(("l000", "r000"), ("l000", "r000"))).n_test == 1


def test_a_predicted_link_outside_the_test_links_is_wrong() -> None:
    found = alignment({0: [(0, 0.9, 0.9)], 5: [(1, 0.9, 0.9)]}, links=[(0, 0), (5, 1)])
    assert evaluate(found, [(0, 0)]).precision == 0.5


def test_nothing_predicted_has_precision_zero() -> None:
    scores = evaluate(alignment({0: [(0, 0.1, 0.9)]}), [(0, 0)])
    assert (scores.precision, scores.recall, scores.f1) == (0.0, 0.0, 0.0)


def test_a_partner_who_could_not_answer_is_a_miss() -> None:
    scores = evaluate(alignment({0: [(0, 0.9, 0.9)]}, answers=[0, 3]), [(0, 3), (0, 4), (0, 29)])
    assert (scores.hits_at_10, scores.n_not_retrieved) == (0.0, 3)


def test_nothing_searched_at_all_is_all_misses() -> None:
    scores = evaluate(alignment({}), [(0, 3)])
    assert (scores.hits_at_10, scores.mrr, scores.n_not_retrieved) == (0.0, 0.0, 1)


def test_named_links_score_as_numbered_pairs_do() -> None:
    found = alignment({0: [(0, 0.9, 0.8)], 1: [(0, 0.6, 0.9), (1, 0.3, 0.2)]}, links=[(0, 0)])
    links = named(("l001", "r001"), ("l000", "r000"))
    assert evaluate(found, links) == evaluate(found, [(0, 0), (1, 1)])


def test_a_link_with_an_unknown_name_is_a_miss_and_counted() -> None:
    scores = evaluate(alignment({0: [(0, 0.9, 0.8)]}), named(("l000", "r000"), ("nobody", "r001")))
    assert (scores.hits_at_1, scores.n_test, scores.n_unknown, scores.n_not_retrieved) == (0.5, 2, 1, 1)


def test_filtering_by_probability_leaves_the_ranks_alone() -> None:
    found = alignment({0: [(0, 0.9, 0.8)]}, links=[(0, 0)])
    none_left = dataclasses.replace(found, probability=np.array([0.5], np.float32)).above(0.6)
    scores = evaluate(none_left, [(0, 0)])
    assert (scores.hits_at_1, scores.recall) == (1.0, 0.0)


def test_measures_have_the_names_used_in_tables() -> None:
    scores = evaluate(alignment({0: [(0, 0.9, 0.8)]}), [(0, 0)])
    assert list(scores.to_dict()) == ["hits@1", "hits@10", "mrr", "precision", "recall", "f1"]


@pytest.mark.parametrize("nothing", [[], np.empty((0, 2), np.int32), named()])
def test_no_test_links_are_refused(nothing: object) -> None:
    with pytest.raises(InputError, match="no test links"):
        evaluate(alignment({0: [(0, 0.9, 0.8)]}), nothing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ([(0, 30)], "outside the graphs of 30 and 30 entities"),
        ([(-1, 0)], "outside the graphs"),
        ([0, 1], "rows of two whole numbers"),
        ([(0, 1, 2)], "rows of two whole numbers"),
        ([(0.5, 1.0)], "float64"),
        ([("l000", "r000")], "rows of two whole numbers"),
    ],
)
def test_pairs_that_cannot_be_meant_are_refused(pairs: list[object], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        evaluate(alignment({0: [(0, 0.9, 0.8)]}), pairs)


def test_inputs_are_left_as_they_were() -> None:
    found, test = alignment({0: [(0, 0.9, 0.8)]}, links=[(0, 0)]), np.array([(1, 1), (0, 0)])
    before = found.assignment.probabilities.copy(), found.assignment.candidates.columns.copy(), test.copy()
    evaluate(found, test)
    after = found.assignment.probabilities, found.assignment.candidates.columns, test
    assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))


# What is neither right nor wrong


def test_a_link_with_an_entity_of_an_unasked_link_is_neither_right_nor_wrong() -> None:
    rows: dict[int, Row] = {number: [(number, 0.9, 1.0)] for number in range(5)}
    made = alignment(rows, [(0, 0), (1, 7), (2, 2), (3, 9), (4, 4)])
    scores = evaluate(made, [(0, 0)], unasked=[(1, 1), (2, 2), (8, 9)])
    assert (scores.n_predicted, scores.n_correct, scores.n_unasked) == (2, 1, 3)  # 0-0 right, 4-4 wrong
    assert scores.precision == 0.5
    assert scores.recall == 1.0


def test_a_test_link_counts_even_where_its_entity_has_an_unasked_link_too() -> None:
    made = alignment({0: [(0, 0.9, 1.0)]}, [(0, 0)])
    assert evaluate(made, [(0, 0)], unasked=[(0, 5)]).n_correct == 1


def test_unasked_links_change_no_rank() -> None:
    made = alignment({0: [(1, 0.9, 1.0), (0, 0.1, 0.5)]}, [(0, 1)])
    with_them, without = (evaluate(made, [(0, 0)], unasked=unasked) for unasked in ([(5, 1)], None))
    assert (with_them.hits_at_1, with_them.mrr) == (without.hits_at_1, without.mrr) == (0.0, 0.5)


def test_the_calibration_error_by_hand() -> None:
    rows: dict[int, Row] = {0: [(0, 0.95, 1.0)], 1: [(1, 0.91, 1.0)], 2: [(2, 0.25, 1.0)], 3: [(3, 1.0, 1.0)]}
    made = alignment(rows, [(0, 0), (1, 1), (2, 2), (3, 3)])
    scores = evaluate(made, [(0, 0), (2, 2), (3, 3)])
    # in the last bin 0.95 + 0.91 + 1.0 were promised and 2 are right; in the third 0.25 and 1
    assert scores.ece == pytest.approx((0.86 + 0.75) / 4, abs=1e-6)
    assert evaluate(alignment({0: []}), [(0, 0)]).ece is None


@given(tables, pair_sets, pair_sets.filter(bool), pair_sets)
def test_unasked_links_equal_the_naive_definition(
    rows: dict[int, Row],
    links: set[tuple[int, int]],
    test: set[tuple[int, int]],
    unasked: set[tuple[int, int]],
) -> None:
    scores = evaluate(alignment(rows, sorted(links)), sorted(test), unasked=sorted(unasked) or None)
    left, right = {pair[0] for pair in unasked}, {pair[1] for pair in unasked}
    counted = {pair for pair in links if pair in test or not (pair[0] in left or pair[1] in right)}
    assert scores.to_dict() == pytest.approx(naive(rows, counted, test), abs=1e-12)
    assert scores.n_unasked == len(links) - len(counted)
