"""Names become IRIs that other tools accept, and can be told from each other and restored."""

from __future__ import annotations

from urllib.parse import unquote

import polars as pl
import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightea.exchange.iris import iris, is_iri
from links_to_write import LEFT, RIGHT

NAMESPACE = "urn:lightea:left:"


def iri(name: str, **prefixes: str) -> str:
    return str(iris(pl.Series([name]), NAMESPACE, prefixes)[0])


@pytest.mark.parametrize(
    "name",
    [
        "http://dbpedia.org/resource/Paris",
        "http://zh.dbpedia.org/resource/北京",
        "https://example.org",
        "https://user:word@example.org:8080/a/b?c=d/e#f",
        "http://dbpedia.org/resource/AT%26T",
        "urn:isbn:0451450523",
        "URN:isbn:0451450523",
        "mailto:someone@example.org",
        "file:///home/a.ttl",
    ],
)
def test_an_iri_stays_as_it_is(name: str) -> None:
    assert is_iri(name)
    assert iri(name) == name


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("http://x.org/a b", "http://x.org/a%20b"),
        ("http://x.org/a|b", "http://x.org/a%7Cb"),
        ("http://x.org/100%", "http://x.org/100%25"),
        ("http://x.org/%41%4", "http://x.org/%41%254"),
        ("http://x.org/a#b#c", "http://x.org/a#b%23c"),
        ("http://x.org/[a]\n", "http://x.org/%5Ba%5D%0A"),
        ("urn:a b", "urn:a%20b"),
    ],
)
def test_what_no_iri_may_hold_is_encoded(name: str, written: str) -> None:
    assert not is_iri(name)
    assert iri(name) == written


@pytest.mark.parametrize(
    "name",
    [
        "Q90",
        "plain name",
        "_:b0",
        "HP:0001250",
        "Film:Alien",
        "http://my host/x",
        "http://[::1]/x",
        "://x",
        "a/b",
        "",
        "é\n%41",
    ],
)
def test_every_other_name_goes_encoded_behind_the_namespace(name: str) -> None:
    assert iri(name).startswith(NAMESPACE)
    assert unquote(iri(name).removeprefix(NAMESPACE)) == name


def test_a_short_name_is_spelt_out_by_its_prefix() -> None:
    assert iri("HP:0001250", HP="http://purl.obolibrary.org/obo/HP_") == (
        "http://purl.obolibrary.org/obo/HP_0001250"
    )
    assert iri("HP:a b", HP="http://purl.org/HP_") == "http://purl.org/HP_a%20b"
    assert iri("http://x.org/a", http="http://wrong.org/") == "http://x.org/a"
    assert iri("HPO:1", HP="http://purl.org/HP_").startswith(NAMESPACE)


@given(
    st.text(max_size=12)
    | st.tuples(st.sampled_from(["http://x.org/", "http://", "urn:", "a:"]), st.text(max_size=8)).map("".join)
)
def test_any_name_becomes_an_iri_that_an_independent_parser_accepts(name: str) -> None:
    written = iri(name)
    assert is_iri(written)
    text = f"<{written}> <{written}> <{written}> .\n".encode()
    quads = list(pyoxigraph.parse(text, pyoxigraph.RdfFormat.N_TRIPLES))
    assert [str(quad.subject.value) for quad in quads] == [written]


@given(st.lists(st.text(max_size=6), unique=True, max_size=5))
def test_different_plain_names_are_different_iris(names: list[str]) -> None:
    plain = [name for name in names if "/" not in name and ":" not in name]
    written = iris(pl.Series(plain, dtype=pl.String), NAMESPACE)
    assert written.n_unique() == len(plain)


def test_a_column_is_what_its_names_are_one_by_one() -> None:
    for names in (LEFT, RIGHT):
        assert iris(pl.Series(names), NAMESPACE).to_list() == [iri(name) for name in names]
