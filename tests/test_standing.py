"""How searched entities fared: counted, and with their most probable candidate."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from handmade import alignment
from lightea.standing import best_places, link_counts, scores_of, without_link

cells = st.tuples(st.integers(0, 5), st.sampled_from([0.0, 0.1, 0.4, 0.5]), st.just(0.3))
rows = st.lists(cells, max_size=5, unique_by=lambda cell: cell[0])


@given(st.dictionaries(st.integers(0, 6), rows, max_size=5))
def test_the_best_candidate_is_the_first_of_the_most_probable(table: dict[int, list]) -> None:
    found = best_places(alignment(table).assignment)
    start = 0
    for place, entity in zip(found.tolist(), sorted(table), strict=True):
        chances = [chance for _, chance, _ in table[entity]]
        assert place == (start + chances.index(max(chances)) if chances else -1)
        start += len(chances)


def test_every_searched_entity_is_matched_doubtful_or_unmatched() -> None:
    made = alignment({0: [(0, 0.9, 0.8)], 1: [(1, 0.1, 0.7)], 2: [(2, 0.09, 0.6)], 3: []}, links=[(0, 0)])
    assert link_counts(made) == {
        "seeds": 0,
        "searched": 4,
        "matched": 1,
        "links": 1,
        "doubtful": 1,
        "unmatched": 2,
        "candidate_pairs": 3,
    }
    alone = without_link(made)
    assert alone.left.tolist() == [1, 2, 3]
    assert alone.right.tolist() == [1, 2, -1]
    assert alone.is_doubtful.tolist() == [True, False, False]
    np.testing.assert_array_equal(alone.score, np.float32([0.7, 0.6, 0.0]))


def test_a_pair_that_is_no_candidate_has_no_score() -> None:
    made = alignment({0: [(4, 0.9, 0.25), (2, 0.0, 0.5)], 3: []})
    pairs = np.array([(0, 2), (0, 4), (0, 3), (3, 2), (9, 2)], np.int32)
    found = scores_of(made.assignment.candidates, pairs[:, 0], pairs[:, 1])
    np.testing.assert_array_equal(found, np.float32([0.5, 0.25, np.nan, np.nan, np.nan]))
