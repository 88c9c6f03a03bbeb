from __future__ import annotations

from pathlib import Path

import pytest

from lightea.reading.detect import SAMPLE_SIZE, format_of
from lightea.reading.dialect import LINK, TRIPLE, fit_dialect

TYPED = '<x:a> <x:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("f.txt", TYPED, "ntriples"),
        ("f.nt", TYPED, "ntriples"),
        ("f", TYPED + "<x:a> <x:p> <x:b> <x:g> .\n", "nquads"),
        ("f.ttl", "# note\n\n" + TYPED, "turtle"),
        ("f.nt.gz", "<x:a> <x:p> oops\n" + TYPED, "ntriples"),
        ("f.nt", TYPED + "nonsense\n", "ntriples"),
        ("f", TYPED * 3 + "nonsense\n", "ntriples"),
        ("f", "<x:a> <x:p> <x:b> .\n<x:c> <x:p>\n <x:b> ;\n <x:q> 1 .\n", "turtle"),
        ("f.nt", "PREFIX : <http://x/>\n:a :b :c .\n", "turtle"),
        ("f.ttl", "@prefix : <http://x/> .\n:g { :a :b :c }\n", "trig"),
        ("f.dat", "<rdf:RDF xmlns:rdf='…'>", "rdfxml"),
        ("f.owl", "<?xml version='1.0'?>\n<a/>", "rdfxml"),
        ("f.tsv", "base\tprefix\tx\nprefix\tbase\ty\n", "tsv"),
        ("f", "a b\tr\tc, d\ne\tr\tf, g\n", "tsv"),
        ("f", "a,b c,d\ne,f g,h\n", "csv"),
        ("f.parquet", "PAR1", "parquet"),
        ("f.csv", "[[Paris]],in,[[France]]\n[[Rome]],in,[[Italy]]\n", "csv"),
        ("f.csv", "[1],r,[2]\n[2],r,[3]\n", "csv"),
        ("f.tsv", '{"a": 1}\tr\tb\n', "tsv"),
        ("f.ttl", '[] <x:p> "a, b" .\n', "turtle"),
        ("f.ttl", "[ <x:p> <x:b> ] .\n", "turtle"),
        ("f.trig", "{ <x:a> <x:p> <x:b> }\n", "trig"),
        ("f.tsv", '"a"\t"r"\t"b"\n', "tsv"),
    ],
)
def test_name_and_content_tell_the_format(name: str, text: str, wanted: str) -> None:
    assert format_of(Path(name), text.encode(), None, TRIPLE) == wanted


def test_a_line_cut_off_by_the_end_of_the_sample_is_not_judged() -> None:
    lines = b"<http://example.org/a> <x:p> <x:b> .\n" * SAMPLE_SIZE
    assert format_of(Path("f"), lines[:SAMPLE_SIZE], None, TRIPLE) == "ntriples"


@pytest.mark.parametrize(
    ("asked", "wanted"), [("nt", "ntriples"), (".TTL", "turtle"), ("RDFXML", "rdfxml"), ("xml", "rdfxml")]
)
def test_a_format_may_be_asked_for_by_name_or_extension(asked: str, wanted: str) -> None:
    assert format_of(Path("f.csv"), b"a,b,c\n", asked, TRIPLE) == wanted


def test_links_are_told_from_triples_by_their_columns() -> None:
    assert format_of(Path("ent_links"), b"http://a/1,5\thttp://b/1\n", None, LINK) == "tsv"
    assert format_of(Path("links"), b"a,b\nc,d\n", None, LINK) == "csv"


def test_a_line_that_no_csv_reader_takes_is_one_cell() -> None:
    assert fit_dialect(["a\rb,c", "a,b"], LINK, [","]).share == 0.5
