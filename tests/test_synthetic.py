"""Synthetic pairs: sizes as asked, a valid answer, no leaks, the same bytes for the same arguments."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea.errors import ConfigError, OutputError
from lightea.graph import KnowledgeGraph
from lightea.reading import read
from lightea.synthetic import (
    DBP1M,
    SideShape,
    SyntheticPair,
    SyntheticShape,
    demo_pair,
    make_pair,
    write_pair,
)
from lightea.synthetic.facts import Facts, GroupedChoice
from lightea.synthetic.lexicon import transliterate
from lightea.synthetic.ontology import BASE_RELATIONS, KINDS

TINY = (1, 2, 5)


@pytest.fixture(scope="module")
def pair() -> SyntheticPair:
    return make_pair(15_000, random_seed=1)


@pytest.fixture(scope="module")
def readable() -> SyntheticPair:
    return demo_pair(random_seed=1)


def shaped(left: dict[str, Any], right: dict[str, Any] | None = None, **changes: Any) -> SyntheticShape:
    shape = SyntheticShape.for_size(500)
    return shape.replace(
        left=dataclasses.replace(shape.left, **left),
        right=dataclasses.replace(shape.right, **(left if right is None else right)),
        **changes,
    )


def triples(graph: KnowledgeGraph) -> np.ndarray:
    return np.stack([graph.heads, graph.relation_ids, graph.tails], axis=1).astype(np.int64)


def same_graph(one: KnowledgeGraph, other: KnowledgeGraph) -> bool:
    return (
        one.entities.equals(other.entities)
        and one.relations.equals(other.relations)
        and np.array_equal(triples(one), triples(other))
        and one.attributes.equals(other.attributes)
    )


def numbers(pair: SyntheticPair) -> tuple[np.ndarray, np.ndarray]:
    return pair.left.find(pair.links.left), pair.right.find(pair.links.right)


def shared_share(pair: SyntheticPair) -> float:
    """Share of the left pairs of linked neighbours that are neighbours on the right as well."""
    left_ids, right_ids = numbers(pair)
    partner = np.full(pair.left.n_entities, -1)
    partner[left_ids] = right_ids
    linked = np.zeros(pair.right.n_entities, dtype=bool)
    linked[right_ids] = True
    there = {
        (min(head, tail), max(head, tail))
        for head, tail in zip(pair.right.heads.tolist(), pair.right.tails.tolist(), strict=True)
        if linked[head] and linked[tail]
    }
    heads, tails = partner[pair.left.heads], partner[pair.left.tails]
    both = (heads >= 0) & (tails >= 0)
    here = {
        (min(head, tail), max(head, tail))
        for head, tail in zip(heads[both].tolist(), tails[both].tolist(), strict=True)
    }
    return len(here & there) / len(here)


def degrees(graph: KnowledgeGraph) -> np.ndarray:
    return np.bincount(np.concatenate([graph.heads, graph.tails]), minlength=graph.n_entities)


# Sizes and laws


def test_default_pair_has_the_sizes_of_dbp15k(pair: SyntheticPair) -> None:
    assert (pair.left.n_entities, pair.right.n_entities) == (19_388, 19_572)
    assert (pair.left.n_relations, pair.right.n_relations) == (1701, 1323)
    assert pair.left.n_triples == pytest.approx(70_414, rel=0.03)
    assert pair.right.n_triples == pytest.approx(95_142, rel=0.03)
    assert len(pair.links) == 15_000


def test_pair_of_the_dbp1m_shape_keeps_its_proportions() -> None:
    pair = make_pair(5000, shape=DBP1M)
    assert pair.left.n_entities == pytest.approx(5 * 1365.118, rel=0.001)
    assert pair.right.n_entities == pytest.approx(5 * 1877.793, rel=0.001)
    assert (pair.left.n_relations, pair.right.n_relations) == (380, 603)
    assert pair.left.n_triples == pytest.approx(5 * 2997.457, rel=0.05)
    assert pair.right.n_triples == pytest.approx(5 * 7031.172, rel=0.05)


def test_relation_counts_follow_zipf(pair: SyntheticPair) -> None:
    counts = np.sort(np.bincount(pair.left.relation_ids))[::-1][:300]
    slope = np.polyfit(np.log(np.arange(1, 301)), np.log(counts), 1)[0]
    assert -1.5 < slope < -0.8


def test_few_entities_are_pointed_to_by_many(pair: SyntheticPair) -> None:
    pointed = np.sort(np.bincount(pair.right.tails))[::-1]
    assert pointed[0] > 300
    assert np.median(pointed[pointed > 0]) <= 4


def test_heads_often_share_relation_and_tail(pair: SyntheticPair) -> None:
    distinct = len(np.unique(triples(pair.left)[:, 1:], axis=0)) / pair.left.n_triples
    assert 0.4 < distinct < 0.75


def test_sides_share_about_two_thirds_of_the_left_facts(pair: SyntheticPair) -> None:
    assert 0.6 < shared_share(pair) < 0.75


def test_entities_of_one_side_are_told_little_of(pair: SyntheticPair) -> None:
    left_ids, _ = numbers(pair)
    stray = np.ones(pair.left.n_entities, dtype=bool)
    stray[left_ids] = False
    assert degrees(pair.left)[stray].mean() == pytest.approx(1.78, abs=0.1)
    assert degrees(pair.left)[~stray].mean() > 6


@pytest.mark.data
def test_default_pair_resembles_the_benchmark_it_imitates(pair: SyntheticPair) -> None:
    place = os.environ.get("LIGHTEA_DATA")
    if place is None:
        pytest.skip("set LIGHTEA_DATA to the folder of benchmark data to compare with DBP15K")
    for graph, side in ((pair.left, 1), (pair.right, 2)):
        facts = np.loadtxt(Path(place, "dbp15k", "zh_en", f"triples_{side}"), dtype=np.int64)
        true_degrees = np.bincount(facts[:, [0, 2]].ravel())
        true_degrees = true_degrees[true_degrees > 0]
        assert degrees(graph).mean() == pytest.approx(true_degrees.mean(), rel=0.05)
        for share in (0.25, 0.5, 0.75, 0.9):
            assert np.quantile(degrees(graph), share) == pytest.approx(
                np.quantile(true_degrees, share), abs=2
            )


@pytest.mark.parametrize("relations", [1, 3, 40, 2000])
def test_each_side_has_the_number_of_relations_asked_for(relations: int) -> None:
    pair = make_pair(500, shape=shaped({"relations": relations}))
    for graph in (pair.left, pair.right):
        assert graph.n_relations == min(relations, graph.n_triples)
        assert len(np.unique(graph.relation_ids)) == graph.n_relations


def test_more_relations_than_facts_gives_one_fact_to_each() -> None:
    pair = make_pair(30, shape=shaped({"relations": 100_000}))
    assert pair.left.n_relations == pair.left.n_triples


def test_keeping_less_makes_the_sides_agree_less() -> None:
    shares = [shared_share(make_pair(2000, shape=shaped({"kept": kept}))) for kept in (0.95, 0.6, 0.2)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] > 0.3


def test_noise_makes_the_sides_agree_less() -> None:
    quiet, loud = (make_pair(2000, shape=shaped({"kept": 0.9, "noise": noise})) for noise in (0.0, 0.5))
    assert shared_share(loud) < shared_share(quiet) - 0.2


def test_nothing_need_be_left_to_chance() -> None:
    pair = make_pair(200, shape=shaped({"kept": 0.5}, patchiness=0.9, fame=0.1))
    assert pair.left.n_triples > 500


def test_one_side_can_be_many_times_the_other() -> None:
    pair = make_pair(50, shape=shaped({"strays": 100.0}, {"strays": 0.0}))
    assert (pair.left.n_entities, pair.right.n_entities) == (5050, 50)


def test_strays_can_tell_facts_and_know_each_other() -> None:
    pair = make_pair(500, shape=shaped({"strays": 1.0, "stray_heads": 1.0}))
    stray = np.ones(pair.left.n_entities, dtype=bool)
    stray[numbers(pair)[0]] = False
    assert (stray[pair.left.heads] & stray[pair.left.tails]).any()


# The answer


@settings(deadline=None, max_examples=25)
@given(
    n=st.integers(1, 60),
    random_seed=st.integers(0, 2**32),
    kept=st.floats(0.01, 1.0),
    noise=st.floats(0.0, 1.0),
    strays=st.floats(0.0, 3.0),
    stray_heads=st.floats(0.0, 1.0),
    echoes=st.floats(0.0, 0.9),
    facts=st.floats(1.0, 15.0),
    relations=st.integers(1, 300),
    names=st.sampled_from(["numbers", "readable"]),
)
def test_any_pair_is_two_sound_graphs_and_links_between_them(
    n: int, random_seed: int, facts: float, echoes: float, names: Any, **side: float
) -> None:
    shape = shaped(side, facts=facts, echoes=echoes)
    pair = make_pair(n, random_seed=random_seed, shape=shape, names=names)
    assert len(pair.links) == pair.links.left.n_unique() == pair.links.right.n_unique() == n
    assert all((ids >= 0).all() for ids in numbers(pair))
    for graph in (pair.left, pair.right):
        assert graph.entities.equals(graph.entities.unique().sort())
        assert graph.relations.equals(graph.relations.unique().sort())
        assert np.array_equal(triples(graph), np.unique(triples(graph), axis=0))
        assert (degrees(graph) > 0).all()


@pytest.mark.parametrize("n", TINY)
@pytest.mark.parametrize("names", ["numbers", "readable"])
def test_tiny_pairs_work(n: int, names: Any) -> None:
    pair = make_pair(n, names=names)
    assert len(pair.links) == n
    assert pair.left.n_triples >= 1
    assert pair.right.n_triples >= 1


def test_links_name_the_same_entity() -> None:
    """With everything kept and nothing wrong, the left facts are the right facts under the links."""
    side = {"kept": 1.0, "noise": 0.0, "strays": 0.0, "renamed": 0.0}
    pair = make_pair(300, shape=shaped(side))
    left_ids, right_ids = numbers(pair)
    partner = np.empty(300, dtype=np.int64)
    partner[left_ids] = right_ids
    here = np.unique(partner[triples(pair.left)[:, [0, 2]]], axis=0)
    assert np.array_equal(here, np.unique(triples(pair.right)[:, [0, 2]], axis=0))


# Names


def test_numbers_stand_on_one_side_only(pair: SyntheticPair) -> None:
    for left, right in (
        (pair.left.entities, pair.right.entities),
        (pair.left.relations, pair.right.relations),
    ):
        left_numbers, right_numbers = (names.str.extract(r"(\d+)$").cast(pl.Int64) for names in (left, right))
        assert not set(left_numbers) & set(right_numbers)


def test_order_of_names_and_links_tells_nothing(pair: SyntheticPair) -> None:
    left_ids, right_ids = numbers(pair)
    assert abs(np.corrcoef(left_ids, right_ids)[0, 1]) < 0.04
    assert abs(np.corrcoef(np.arange(len(right_ids)), right_ids)[0, 1]) < 0.04
    assert abs(np.corrcoef(left_ids, degrees(pair.left)[left_ids])[0, 1]) < 0.04


def test_numbers_do_not_tell_who_lacks_a_counterpart(pair: SyntheticPair) -> None:
    left_ids, _ = numbers(pair)
    assert np.mean(left_ids) == pytest.approx(pair.left.n_entities / 2, rel=0.02)


def test_names_leave_the_structure_as_it_is() -> None:
    plain, words = (make_pair(200, random_seed=5, names=names) for names in ("numbers", "readable"))
    assert plain.left.n_triples == words.left.n_triples
    assert np.array_equal(np.sort(degrees(plain.left)), np.sort(degrees(words.left)))


def test_readable_names_are_kin_but_seldom_equal(readable: SyntheticPair) -> None:
    left, right = (names.str.replace(r"^\w+:", "") for names in (readable.links.left, readable.links.right))
    assert readable.left.entities.str.starts_with("en:").all()
    assert readable.right.entities.str.starts_with("lu:").all()
    assert (left == right).mean() < 0.05
    begin_alike = left.str.slice(0, 3) == right.str.slice(0, 3)
    assert begin_alike.mean() > 0.2
    assert (left.str.slice(0, 3) == right.reverse().str.slice(0, 3)).mean() < 0.1


def test_names_that_mean_several_things_say_which(readable: SyntheticPair) -> None:
    marked = readable.left.entities.filter(readable.left.entities.str.contains("(", literal=True))
    assert len(marked) > 0
    plain = marked.str.replace(r"_\(.*\)$", "")
    assert plain.is_in(readable.left.entities.to_list()).all()


def test_relations_have_a_word_in_each_language() -> None:
    for words in ([entry.left for entry in BASE_RELATIONS], [entry.right for entry in BASE_RELATIONS]):
        assert len(set(words)) == len(words)
    assert {entry.domain for entry in BASE_RELATIONS} == {kind.left for kind in KINDS}


def test_many_relations_get_different_words() -> None:
    pair = make_pair(500, shape=shaped({"relations": 1500}), names="readable")
    assert pair.left.relations.n_unique() == 1500
    assert "en:birthPlace" in pair.left.relations


def test_right_language_ends_words_in_vowels() -> None:
    assert transliterate("Marlen", "u") == "Marlenu"
    assert transliterate("Tovak", "i") == "Tovaki"
    assert transliterate("Cathwell", "i") == "Katvelli"


def test_literals_are_told_in_both_languages(readable: SyntheticPair) -> None:
    for graph, label, language in ((readable.left, "en:label", "en"), (readable.right, "lu:nomo", "lu")):
        labels = graph.attributes.filter(pl.col("attribute") == label)
        assert labels["entity"].to_list() == list(range(graph.n_entities))
        assert (labels["language"] == language).all()
        assert graph.attributes["datatype"].drop_nulls().n_unique() == 2


def test_numbered_names_come_without_literals(pair: SyntheticPair) -> None:
    assert len(pair.left.attributes) == len(pair.right.attributes) == 0


# The same again


@pytest.mark.parametrize("names", ["numbers", "readable"])
def test_same_arguments_give_the_same_pair(names: Any) -> None:
    one, other, different = (make_pair(300, random_seed=seed, names=names) for seed in (7, 7, 8))
    assert same_graph(one.left, other.left)
    assert same_graph(one.right, other.right)
    assert one.links.right.equals(other.links.right)
    assert not same_graph(one.left, different.left)


@pytest.mark.parametrize("layout", ["tsv", "nt", "openea"])
def test_same_arguments_give_the_same_bytes(tmp_path: Path, layout: Any) -> None:
    first, second = (
        write_pair(tmp_path / name, 100, random_seed=3, names="readable", layout=layout) for name in "ab"
    )
    names = sorted(path.name for path in first.iterdir())
    assert len(names) >= 3
    assert [(first / name).read_bytes() for name in names] == [(second / name).read_bytes() for name in names]


# Files


@pytest.mark.parametrize("names", ["numbers", "readable"])
@pytest.mark.parametrize("layout", ["tsv", "nt"])
@pytest.mark.parametrize("n", [*TINY, 200])
def test_files_hold_the_pair(tmp_path: Path, n: int, layout: Any, names: Any) -> None:
    pair = make_pair(n, random_seed=2, names=names)
    directory = write_pair(tmp_path / "pair", n, random_seed=2, names=names, layout=layout)
    assert same_graph(read(directory / f"left.{layout}"), pair.left)
    assert same_graph(read(directory / f"right.{layout}"), pair.right)
    lines = (directory / "links.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t") for line in lines] == [
        list(row) for row in zip(pair.links.left, pair.links.right, strict=True)
    ]


@pytest.mark.parametrize("layout", ["tsv", "nt", "openea"])
def test_a_pair_writes_itself_as_write_pair_does(tmp_path: Path, layout: Any) -> None:
    made = make_pair(50, random_seed=3, names="readable").write(tmp_path / "made", layout=layout)
    written = write_pair(tmp_path / "written", 50, random_seed=3, names="readable", layout=layout)
    assert made == tmp_path / "made"
    names = sorted(path.name for path in written.iterdir())
    assert sorted(path.name for path in made.iterdir()) == names
    assert all((made / name).read_bytes() == (written / name).read_bytes() for name in names)


def test_an_unknown_layout_is_refused_before_the_pair_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("lightea.synthetic.pair.make_pair")
    with pytest.raises(ConfigError, match="unknown layout 'xml'"):
        write_pair(tmp_path / "pair", 5, layout="xml")  # type: ignore[arg-type]


def test_a_pair_is_shown_on_one_line() -> None:
    shown = repr(make_pair(50))
    assert "50 links" in shown
    assert "\n" not in shown
    assert len(shown) < 160


def test_text_is_written_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = write_pair(tmp_path / "whole", 50, names="readable")
    monkeypatch.setattr("lightea.synthetic.files._ROWS_AT_ONCE", 7)
    pieces = write_pair(tmp_path / "pieces", 50, names="readable")
    assert (whole / "left.tsv").read_bytes() == (pieces / "left.tsv").read_bytes()


def test_benchmark_folder_keeps_literals_apart(tmp_path: Path) -> None:
    directory = write_pair(tmp_path / "pair", 50, names="readable", layout="openea")
    assert sorted(path.name for path in directory.iterdir()) == [
        "attr_triples_1",
        "attr_triples_2",
        "ent_links",
        "rel_triples_1",
        "rel_triples_2",
    ]
    facts = (directory / "rel_triples_1").read_text(encoding="utf-8").splitlines()
    assert len(facts) == make_pair(50).left.n_triples
    assert all(line.count("\t") == 2 and '"' not in line for line in facts)


def test_an_earlier_pair_is_replaced_whole(tmp_path: Path) -> None:
    write_pair(tmp_path / "pair", 20, layout="nt")
    write_pair(tmp_path / "pair", 20, layout="tsv")
    assert sorted(path.name for path in (tmp_path / "pair").iterdir()) == [
        "left.tsv",
        "links.tsv",
        "right.tsv",
    ]


def test_other_peoples_files_are_left_alone(tmp_path: Path) -> None:
    note = tmp_path / "pair" / "thesis.txt"
    note.parent.mkdir()
    note.write_text("mine", encoding="utf-8")
    with pytest.raises(OutputError, match=r"thesis\.txt"):
        write_pair(note.parent, 5)
    assert [path.name for path in tmp_path.rglob("*")] == ["pair", "thesis.txt"]


def test_nothing_is_left_of_an_interrupted_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lightea.synthetic.files._literal_rows", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_pair(tmp_path / "pair", 5)
    assert list(tmp_path.iterdir()) == []


# Bad requests


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n": 0}, "n is 0, but must lie between 1 and 20,000,000"),
        ({"n": 10**9}, "n is 1,000,000,000, but must lie"),
        ({"n": 1.5}, r"n is 1\.5, but must be a whole number"),
        ({"n": True}, "n is True, but must be a whole number"),
        ({"n": 5, "random_seed": -1}, "random_seed is -1, but must be a whole number from 0"),
        ({"n": 5, "names": "latin"}, "unknown names 'latin'"),
    ],
)
def test_bad_requests_are_sentences(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        make_pair(**arguments)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kept": 0.0}, r"left\.kept is 0\.0, but must lie between 0\.01 and 1\.0"),
        ({"noise": 1.5}, r"left\.noise is 1\.5"),
        ({"noise": float("nan")}, r"left\.noise is nan"),
        ({"strays": -1}, r"left\.strays is -1"),
        ({"relations": 0}, r"left\.relations is 0"),
        ({"relations": 2.5}, r"left\.relations is 2\.5, but must be a whole number"),
        ({"facts_per_stray": "two"}, r"left\.facts_per_stray is 'two', but must be a number"),
    ],
)
def test_bad_sides_are_sentences(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        SyntheticShape(left=dataclasses.replace(SideShape(), **changes))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"degree_exponent": 2.0}, r"degree_exponent is 2\.0"),
        ({"facts": 0.5}, r"facts is 0\.5"),
        ({"patchiness": 0.8, "fame": 0.4}, r"add up to 1\.2"),
        ({"colour": 1}, "unknown parameter 'colour'"),
    ],
)
def test_bad_shapes_are_sentences(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        SyntheticShape().replace(**changes)


def test_too_many_entities_and_relations_together_are_refused() -> None:
    shape = shaped({"relations": 1_000_000, "strays": 10.0})
    with pytest.raises(ConfigError, match="too many together"):
        make_pair(20_000_000, shape=shape)


def test_unknown_layout_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown layout 'xml'"):
        write_pair(tmp_path / "pair", 5, layout="xml")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


# Parts


def test_distinct_facts_are_sorted_and_each_stands_once() -> None:
    facts = Facts.of(np.array([2, 0, 2, 0]), np.array([1, 5, 1, 0]), np.array([3, 0, 3, 9])).distinct()
    assert list(zip(facts.heads, facts.relations, facts.tails, strict=True)) == [
        (0, 0, 9),
        (0, 5, 0),
        (2, 1, 3),
    ]


def test_choice_stays_in_its_group_and_follows_the_weights() -> None:
    choice = GroupedChoice(np.array([2, 0, 0]), np.array([7, 8, 9]), np.array([1.0, 1.0, 3.0]), 3)
    assert choice.offers(np.array([0, 1, 2])).tolist() == [True, False, True]
    picked = choice.pick(np.repeat([0, 2], 4000), np.random.default_rng(0))
    assert set(picked[:4000]) == {8, 9}
    assert set(picked[4000:]) == {7}
    assert np.mean(picked[:4000] == 9) == pytest.approx(0.75, abs=0.03)
