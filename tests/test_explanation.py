"""Explanations of a small family in two graphs: what is said of links, seeds, losers and strangers."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import polars as pl
import pytest

from explained import COSINE_WEIGHT, by_evidence, by_sketch, curies
from handmade import alignment as handmade_alignment
from lightea.alignment import Alignment
from lightea.errors import InputError
from lightea.explanation import Branch, Explanation, Lazy
from lightea.naming import close_names
from lightea.wording import as_document, short
from small_graphs import named_graph


@pytest.fixture(scope="module")
def family() -> Alignment:
    return curies()


@pytest.fixture(scope="module")
def plain() -> Alignment:
    made = curies()
    return by_sketch(made.left, made.right, made.seeds)


def assert_adds_up(explanation: Explanation) -> None:
    assert explanation.evidence is not None
    assert explanation.evidence_score is not None
    terms = list(explanation.terms)
    assert sum(term.contribution for term in terms) == pytest.approx(explanation.evidence, rel=1e-9)
    assert sum(term.score_share for term in terms) == pytest.approx(explanation.evidence_score, rel=1e-9)
    for term in terms:
        product = term.probability * term.agreement * term.left.weight * term.right.weight
        assert term.contribution == pytest.approx(product, rel=1e-9)
    if explanation.score is not None and explanation.cosine is not None:
        assert explanation.score == pytest.approx(explanation.evidence_score + explanation.cosine)


def test_every_pair_adds_up_to_its_score(family: Alignment) -> None:
    for left in family.left.entities:
        for right in family.right.entities:
            found = family.explain(left, right)
            assert_adds_up(found)
            if found.score is not None:
                assert found.cosine == pytest.approx(COSINE_WEIGHT * 0.2, abs=1e-6)


def test_a_link_is_explained_by_its_facts(family: Alignment) -> None:
    found = family.explain("Marie_Curie")
    assert (found.left, found.right, found.status) == ("Marie_Curie", "Q7186", "link")
    assert found.probability == family.probability[1]
    texts = [(term.left.text, term.right.text, term.is_seed) for term in found.terms]
    assert texts == [
        ("field Physics", "discipline Fizyka", True),
        ("^spouse Pierre_Curie", "husband Q37463", False),
        ("^mother Irène_Curie", "child Q7504", True),
    ]
    assert found.terms[0].left.weight == pytest.approx(2**-0.25)
    assert found.winner is found.rival is None


def test_an_entity_of_the_right_graph_may_be_asked_for(family: Alignment) -> None:
    assert family.explain("Q7186").key == family.explain("Marie_Curie").key
    assert family.explain("Q7504").left == "Irène_Curie"


def test_a_seed_says_so(family: Alignment) -> None:
    found = family.explain("Irène_Curie")
    assert (found.right, found.status, found.probability, found.score) == ("Q7504", "seed", 1.0, None)
    assert "seed" in found.remarks[0]
    assert len(found.terms) == 4


def test_a_loser_stands_beside_the_winner_and_the_rival(family: Alignment) -> None:
    found = family.explain("Marie_Curie", "Q37463")
    assert found.status == "candidate"
    assert "below the threshold 0.5" in found.remarks[0]
    assert found.winner is not None
    assert found.winner.explanation.right == "Q7186"
    more = [(one.fact.text, one.here, one.there > one.here) for one in found.winner.differences]
    assert more[:2] == [("^spouse Pierre_Curie", 0.0, True), ("^mother Irène_Curie", 0.0, True)]
    assert found.rival is not None
    assert found.rival.explanation.left == "Pierre_Curie"
    assert found.rival.differences[0].fact.text == "birthplace Paryż"


def test_differences_add_up_to_that_of_the_evidence(family: Alignment) -> None:
    found = family.explain("Marie_Curie", "Q37463")
    for comparison in (found.winner, found.rival):
        assert comparison is not None
        total = sum(one.there - one.here for one in comparison.differences)
        assert comparison.explanation.evidence is not None
        assert found.evidence is not None
        assert total == pytest.approx(comparison.explanation.evidence - found.evidence)


def test_a_pair_that_is_no_candidate_has_its_terms_all_the_same(family: Alignment) -> None:
    found = family.explain("Warsaw", "Paryż")
    assert (found.status, found.score, found.probability) == ("not a candidate", None, None)
    assert found.remarks == ("Paryż was given as the same as Paris, so it was not searched.",)
    assert len(found.terms) == 1
    assert found.rival is not None
    assert found.rival.explanation.status == "seed"


def test_a_pair_that_nothing_proposed_says_so(family: Alignment) -> None:
    found = family.explain("Warsaw", "Q7505")
    assert "neither the sketches nor the evidence proposed it" in found.remarks[0]
    assert found.evidence == 0.0


def test_an_entity_that_lost_its_partner_shows_the_best_candidate(family: Alignment) -> None:
    found = family.above(0.9).above(1.0).explain("Marie_Curie")
    assert (found.right, found.status) == ("Q7186", "candidate")
    assert "narrowed down" in found.remarks[0]


def test_terms_open_into_the_pair_of_neighbours(family: Alignment) -> None:
    found = family.explain("Marie_Curie")
    below = found.open(1)
    assert (below.left, below.right) == ("Pierre_Curie", "Q37463")
    assert_adds_up(below)
    with pytest.raises(IndexError, match="there are 3 terms, and none at 3"):
        found.open(3)


def endings(branches: tuple[Branch, ...]) -> list[tuple[str, str]]:
    return [
        pair
        for branch in branches
        for pair in [(branch.term.left.neighbour, branch.ending), *endings(branch.below)]
    ]


def test_a_tree_ends_at_seeds_and_is_cut_at_cycles(family: Alignment) -> None:
    found = endings(family.explain("Pierre_Curie").tree(5, 3))
    assert found == [
        ("Physics", "seed"),
        ("Paris", "seed"),
        ("Marie_Curie", ""),
        ("Physics", "seed"),
        ("Pierre_Curie", "cycle"),
        ("Irène_Curie", "seed"),
    ]


def test_a_tree_of_one_level_opens_nothing(family: Alignment) -> None:
    assert all(not branch.below for branch in family.explain("Pierre_Curie").tree(1, 3))


def test_a_pair_is_opened_once_in_a_tree() -> None:
    """Two ways lead from a to d, over b and over c."""
    ways = [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("b", "s"), ("c", "t"), ("s", "t"), ("d", "s")]
    graph = named_graph([(head, "to", tail) for head, tail in ways])
    seeds = graph.find(["s", "t"])
    found = by_evidence(graph, graph, np.stack([seeds, seeds], axis=1), n_rounds=4)
    tree = endings(found.explain("a", "a").tree(9, 9))
    assert {ending for _, ending in tree} == {"", "seed", "cycle", "shown above"}


# Who cannot be found


def test_an_unknown_name_is_refused_with_names_like_it(family: Alignment) -> None:
    with pytest.raises(InputError, match="no entity of either graph is named 'Marie'") as caught:
        family.explain("Marie")
    assert caught.value.hint == "did you mean 'Marie_Curie'?"
    with pytest.raises(InputError, match="no entity of the right graph is named 'Q718'") as caught:
        family.explain("Marie_Curie", "Q718")
    assert "Q7186" in str(caught.value.hint)
    with pytest.raises(InputError) as caught:
        family.explain("###")
    assert "letter for letter" in str(caught.value.hint)


def test_names_in_the_wrong_order_are_noticed(family: Alignment) -> None:
    with pytest.raises(InputError, match="'Q7186' is not an entity of the left graph, but of the other"):
        family.explain("Q7186", "Marie_Curie")


def test_close_names_are_found_among_many() -> None:
    names = pl.Series([f"http://x.org/resource/E{number:06}" for number in range(200_000)])
    assert close_names(names, "E000123") == ["http://x.org/resource/E000123"]
    assert close_names(names, "resource/e00012")[0] == "http://x.org/resource/E000120"
    assert close_names(names, "http://x.org/ressource/E000123")[0].startswith("http://x.org/resource/E")
    assert close_names(names, "(") == close_names(names, "") == []


def test_who_was_not_searched_is_told_why(family: Alignment) -> None:
    assignment = family.assignment
    candidates = assignment.candidates
    only_first = dataclasses.replace(
        family,
        assignment=dataclasses.replace(
            assignment,
            candidates=dataclasses.replace(
                candidates, left=candidates.left[:1], indptr=candidates.indptr[:2]
            ),
        ),
        left_ids=family.left_ids[:1],
        right_ids=family.right_ids[:1],
        probability=family.probability[:1],
    )
    with pytest.raises(InputError, match="'Warsaw' was not searched") as caught:
        only_first.explain("Warsaw")
    assert caught.value.hint == "the run was limited to other left entities"
    found = only_first.explain("Warsaw", "Warszawa")
    assert found.remarks == ("Warsaw was not searched: the run was limited to other left entities.",)
    assert found.no_match is None


def test_who_has_no_candidates_is_told_why() -> None:
    with pytest.raises(InputError, match="'l001' has no candidates: it has no facts"):
        handmade_alignment({0: [(0, 0.9, 0.5)], 1: []}).explain("l001")


# Without evidence


def test_without_evidence_shared_labels_are_shown(plain: Alignment) -> None:
    found = plain.explain(plain.left.entities[0], plain.right.entities[0])
    assert found.evidence is found.cosine is None
    assert len(found.terms) == 0
    assert [hop.number for hop in found.hops] == [0, 1, 2]
    for hop in found.hops:
        assert sum(seed.product for seed in hop.seeds) == pytest.approx(hop.cosine)
    assert "Labels after 1 hop: cosine" in str(found)


def test_a_shared_seed_is_named(plain: Alignment) -> None:
    found = plain.explain("Marie_Curie", "Q7186").hops[1]
    assert {(seed.left, seed.right) for seed in found.seeds} == {
        ("Physics", "Fizyka"),
        ("Irène_Curie", "Q7504"),
    }
    # one of two labelled neighbours on each side, both once
    assert found.cosine == pytest.approx(1.0)


# Words


def test_the_text_says_what_the_numbers_say(family: Alignment) -> None:
    found = family.explain("Marie_Curie", "Q37463")
    text = str(found)
    adds = [float(number) for number in re.findall(r"^\d+  (\d\.\d{6})", text, re.MULTILINE)]
    assert sum(adds) == pytest.approx(found.evidence, abs=1e-5)
    assert "Instead: Marie_Curie with Q7186" in text
    assert "Instead: Q37463 with Pierre_Curie" in text


def test_the_rest_of_many_terms_is_added_up(family: Alignment) -> None:
    found = family.explain("Irène_Curie")
    document = as_document(found, n_terms=1)
    shown, rest = document["terms"][0]["contribution"], document["more_terms"]
    assert rest["count"] == 3
    assert shown + rest["contribution"] == pytest.approx(found.evidence)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("http://dbpedia.org/resource/Paris", "resource/Paris"),
        ("http://www.w3.org/2002/07/owl#sameAs", "owl#sameAs"),
        ("http://x.org/Paris", "http://x.org/Paris"),
        ("Paris", "Paris"),
        ("a/b/c", "a/b/c"),
    ],
)
def test_iris_are_shown_by_their_last_two_parts(name: str, shown: str) -> None:
    assert short(name) == shown


def test_a_lazy_sequence_is_a_sequence() -> None:
    squares = Lazy(4, lambda number: number**2)
    assert list(squares) == [0, 1, 4, 9]
    assert squares[1:3] == [1, 4]
    assert squares[-1] == 9
    with pytest.raises(IndexError, match="there are 4 items"):
        squares[4]


def test_the_representation_counts(family: Alignment) -> None:
    assert repr(family) == (
        "Alignment('english' with 'polish': 4 links, 0 searched entities without, 4 seeds)"
    )
    assert repr(family.above(0.99)).endswith("2 links, 2 searched entities without, 4 seeds)")


def test_who_has_no_link_is_a_table(family: Alignment) -> None:
    table = family.above(0.99).no_match
    assert table["left"].to_list() == ["Marie_Curie", "Pierre_Curie"]
    np.testing.assert_array_equal(table["probability"], family.assignment.no_match[1:3])
