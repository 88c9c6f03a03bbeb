"""IRIs become short names that spell out to the same IRIs, with a map of few prefixes."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightea.exchange.iris import iris
from lightea.exchange.prefixes import BUILT_IN, compact
from links_to_write import LEFT, RIGHT


def spelt_out(curies: pl.Series, prefixes: dict[str, str]) -> list[str]:
    parts = (curie.split(":", 1) for curie in curies)
    return [prefixes[prefix] + local for prefix, local in parts]


def short(*names: str, **given: str) -> tuple[list[str], dict[str, str]]:
    (column,), prefixes = compact([pl.Series(names)], given)
    return column.to_list(), prefixes


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", "/", "#", ":", "?", "é", "1"]), max_size=8).map(
            lambda parts: "http://x.org/" + "".join(parts)
        )
        | st.text(max_size=5)
    )
)
def test_every_short_name_spells_out_to_its_iri(names: list[str]) -> None:
    left = iris(pl.Series(names, dtype=pl.String), "urn:lightea:left:")
    (found, same), prefixes = compact([left, left], {"ab": "http://x.org/a"})
    assert spelt_out(found, prefixes) == left.to_list()
    assert found.equals(same)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9.]*", prefix) for prefix in prefixes)


def test_customary_prefixes_are_used() -> None:
    names, prefixes = short("http://dbpedia.org/resource/Paris", "http://www.wikidata.org/entity/Q90")
    assert names == ["dbr:Paris", "wd:Q90"]
    assert list(prefixes) == ["dbr", "wd"]


@pytest.mark.parametrize(
    ("iri", "curie"),
    [
        ("http://fr.dbpedia.org/resource/Paris", "dbpedia.fr:Paris"),
        ("http://example.org/person/7", "person:7"),
        ("http://www.geonames.org/7", "geonames:7"),
        ("urn:lightea:left:Q90", "left:Q90"),
        ("http://example.org/owl/7", "owl2:7"),
        ("http://1.2.3.4/7", "ns:7"),
        ("http://x.org/a/", "x:a/"),
        ("https://x.org", "ns:x.org"),
        ("http://www.w3.org/2004/02/skos/core#Concept", "skos:Concept"),
    ],
)
def test_other_prefixes_are_made_of_the_words_of_their_namespace(iri: str, curie: str) -> None:
    assert short(iri)[0] == [curie]


def test_given_prefixes_come_first_and_the_longest_fits_best() -> None:
    names, prefixes = short(
        "http://x.org/obo/HP_1", "http://x.org/obo/MP_1", HP="http://x.org/obo/HP_", obo="http://x.org/obo/"
    )
    assert names == ["HP:1", "obo:MP_1"]
    assert prefixes == {"HP": "http://x.org/obo/HP_", "obo": "http://x.org/obo/"}


def test_two_namespaces_of_the_same_words_have_different_prefixes() -> None:
    names, prefixes = short("http://a.org/person/1", "http://b.org/person/1")
    assert names == ["person:1", "person2:1"]
    assert len(prefixes) == 2


def test_ten_thousand_places_have_few_prefixes() -> None:
    """Each IRI of a place of its own, and many places on a host of their own."""
    names = [f"http://x.org/{number}/home" for number in range(5_000)]
    names += [f"http://host{number}.org/home" for number in range(5_000)]
    (found,), prefixes = compact([pl.Series(names)], {})
    assert spelt_out(found, prefixes) == names
    assert set(prefixes.values()) == {"http://x.org/", "http://"}


def test_odd_iris_among_many_are_short_names_too() -> None:
    names = [f"http://x.org/{number}" for number in range(1_000)]
    names += ["urn::", "urn:::a", "http:///x", "http://x.org//", "http://", "tag:a:#b", "file:////"]
    (found,), prefixes = compact([pl.Series(names)], {})
    assert spelt_out(found, prefixes) == names


def test_no_iris_need_no_prefixes() -> None:
    (nothing,), prefixes = compact([pl.Series([], dtype=pl.String)], {})
    assert (len(nothing), prefixes) == (0, {})


def test_built_in_prefixes_keep_their_meaning() -> None:
    namespaces = iris(pl.Series(LEFT + RIGHT), "http://x.org/skos/")
    _, prefixes = compact([namespaces], {})
    assert all(BUILT_IN.get(prefix, namespace) == namespace for prefix, namespace in prefixes.items())
