"""Names as character grams: what is alike in any script, and what is the same however Unicode spells it."""

from __future__ import annotations

import unicodedata

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea.characters import encode_characters
from lightea.name_space import SparseNames
from lightea.names import NameTable
from lightea.spelling import LONGEST, characters, in_latin, plain, scripts_differ

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def table(*names: str | list[str]) -> NameTable:
    """An entity for each name, or for each list of names."""
    lists = [[name] if isinstance(name, str) else name for name in names]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return NameTable(offsets, pl.Series([name for one in lists for name in one], dtype=pl.String))


def similarities(space: SparseNames, n_left: int, n_right: int) -> np.ndarray:
    """Of every left with every right entity."""
    rows = np.arange(n_left, dtype=np.int32)
    ids = np.tile(np.arange(n_right, dtype=np.int32), n_left)
    return space.similarities(rows, np.arange(n_left + 1) * n_right, ids).reshape(n_left, n_right)


def alike(left: str, right: str, *others: str) -> float:
    """How alike two names are among others."""
    more = [*others, "Rome", "Vienna", "Oslo", "Tokyo"]
    return float(similarities(encode_characters(table(left, *more), table(right, *more)), 1, 1)[0, 0])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("José", "JOSE"),
        ("José", unicodedata.normalize("NFD", "José")),
        ("Paris (Texas)", "Paris, Texas"),
        ("ＡＢＣ", "abc"),
        ("Straße", "STRASSE"),
        ("محمّد", "محمد"),
        ("soft\u00adhyphen", "softhyphen"),
        ("&", "&"),
        ("!!!", "!!!"),
        ("+44", "44"),
    ],
)
def test_names_that_differ_in_spelling_alone_are_the_same(left: str, right: str) -> None:
    assert alike(left, right) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    ("name", "nearer", "farther"),
    [
        ("Dr. Marie Curie", "Marie Curie", "Marie Antoinette"),
        ("松山區", "松山区", "大安區"),
        ("ジョン・レノン", "ジョンレノン", "ポール"),
        ("ירושלים", "ירושלים העתיקה", "תל אביב"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien", "John Steinbeck"),
        ("Paris", "Paris (Texas)", "Perugia"),
    ],
)
def test_the_better_of_two_names_is_nearer(name: str, nearer: str, farther: str) -> None:
    space = encode_characters(table(name, "Oslo", "Rome"), table(nearer, farther, "Oslo", "Rome"))
    found = similarities(space, 1, 2)[0]
    assert found[0] > found[1] + 0.05


def test_an_entity_is_as_near_as_its_nearest_name() -> None:
    one = encode_characters(table(["Londres", "London"], "Rome"), table("London", "Rome"))
    assert similarities(one, 2, 2)[0, 0] == pytest.approx(1.0, abs=1e-5)


def test_entities_without_a_name_are_like_nobody() -> None:
    space = encode_characters(table([], "Rome"), table([], "Rome"))
    assert similarities(space, 2, 2)[0].tolist() == [0, 0]
    codes = space.labels(64)
    assert (codes.inverse_norms == 0).tolist() == [True, False, True, False]


def test_a_literal_of_a_megabyte_is_a_name_like_its_beginning() -> None:
    long = "abcdefghij " * 100_000
    assert alike(long, long[:LONGEST]) == pytest.approx(1.0, abs=1e-5)


def test_names_of_other_scripts_are_put_into_latin_letters() -> None:
    left, right = table("Москва", "Владимир"), table("Moskva", "Vladimir")
    in_latin_letters = similarities(encode_characters(left, right), 2, 2)
    as_written = similarities(encode_characters(left, right, transliterate="never"), 2, 2)
    assert (np.argmax(in_latin_letters, axis=1) == [0, 1]).all()
    assert (as_written == 0).all()
    assert scripts_differ("Москва\n", "Moskva\n")
    assert not scripts_differ("Paris, London, Москва\n", "Paris\n")
    assert not scripts_differ("123\n", "Paris\n")


@settings(deadline=None, max_examples=100)
@given(st.lists(texts, max_size=5))
def test_each_name_is_a_line_whatever_it_is_made_of(names: list[str]) -> None:
    text = plain(names)
    assert text.count("\n") == in_latin(text).count("\n") == len(names)
    codes, classes = characters(text)
    assert np.count_nonzero(classes == 3) == len(names)
    assert len(codes) == len(text)


@settings(deadline=None, max_examples=50)
@given(st.lists(texts, min_size=1, max_size=6), st.lists(texts, min_size=1, max_size=6))
def test_similarity_is_that_of_the_vectors_and_the_nearest_are_the_most_similar(
    left: list[str], right: list[str]
) -> None:
    space = encode_characters(table(*left), table(*right))
    found = similarities(space, len(left), len(right))
    assert ((found >= 0) & (found <= 1)).all()
    turned = similarities(encode_characters(table(*right), table(*left)), len(right), len(left))
    if not any(ord(letter) > 127 for name in (*left, *right) for letter in name):
        np.testing.assert_allclose(found, turned.T, atol=1e-5)
    rows = np.arange(len(left), dtype=np.int32)
    indptr, ids = space.nearest(rows, np.ones(len(right), np.bool_), 3, threads=1)
    for row in rows:
        own = found[row, ids[indptr[row] : indptr[row + 1]]]
        others = np.delete(found[row], ids[indptr[row] : indptr[row + 1]])
        assert (np.diff(own) <= 1e-5).all()
        assert len(own) == 3 or (others == 0).all()
        assert len(others) == 0 or len(own) == 0 or others.max() <= own.min() + 1e-5


def test_labels_keep_the_similarity_of_names() -> None:
    names = [
        f"{first} {last}" for first in ("Ada", "Grace", "Alan") for last in ("Lovelace", "Hopper", "Turing")
    ]
    space = encode_characters(table(*names), table(*names))
    codes = space.labels(4096)
    unit = codes.values * codes.inverse_norms[:, None]
    np.testing.assert_allclose(unit[:9] @ unit[9:].T, similarities(space, 9, 9), atol=0.08)
