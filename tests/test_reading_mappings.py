"""SSSOM tables and OAEI alignments as files of links."""

from __future__ import annotations

import gzip
import logging
from pathlib import Path

import pytest

from lightea.errors import ReadError
from lightea.graph import Links
from lightea.graph_builder import graph_from_names
from lightea.reading import read_links

SSSOM = """# curie_map:
#   A: http://a.org/A_
#   B: "http://b.org/"
# license: https://creativecommons.org/publicdomain/zero/1.0/
# comment: "a # in it, and a tab\\t"
subject_id\tsubject_label\tpredicate_id\tobject_id\tmapping_justification\tconfidence
A:1\tone\tskos:exactMatch\tB:x\tsemapv:LexicalMatching\t0.9
A:2\t\towl:sameAs\thttp://b.org/y\tsemapv:ManualMappingCuration\t
"""
OAEI = """<?xml version='1.0' encoding='utf-8' standalone='no'?>
<rdf:RDF xmlns='http://knowledgeweb.semanticweb.org/heterogeneity/alignment{mark}'
         xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<Alignment{about}>
  <xml>yes</xml><level>0</level><type>??</type>
  <onto1>http://a.org</onto1><onto2>http://b.org</onto2>
  <map><Cell>
    <entity1 rdf:resource='http://a.org/1'/><entity2 rdf:resource='http://b.org/x'/>
    <relation>=</relation><measure rdf:datatype='http://www.w3.org/2001/XMLSchema#float'>0.75</measure>
  </Cell></map>
  <map><Cell>
    <entity1 rdf:resource='http://a.org/2'/><entity2 rdf:resource='http://b.org/y'/>
    <measure rdf:datatype='xsd:float'>1.0</measure><relation>{relation}</relation>
  </Cell></map>
</Alignment>
</rdf:RDF>
"""
EQUAL = OAEI.format(mark="", about="", relation="=")


def pairs(links: Links) -> list[tuple[str, str]]:
    return list(zip(links.left, links.right, strict=True))


def read(folder: Path, text: str | bytes, name: str) -> list[tuple[str, str]]:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return pairs(read_links(folder / name))


@pytest.mark.parametrize("name", ["m.sssom.tsv", "m.tsv", "m", "m.txt"])
def test_a_sssom_table_is_known_by_its_content_and_its_names_become_whole(tmp_path: Path, name: str) -> None:
    expected = [("http://a.org/A_1", "http://b.org/x"), ("http://a.org/A_2", "http://b.org/y")]
    assert read(tmp_path, SSSOM, name) == expected
    assert read(tmp_path, SSSOM.replace("# ", "#"), name) == expected
    assert read(tmp_path, SSSOM.replace("\n", "\r\n"), name) == expected
    assert read(tmp_path, SSSOM.replace("\n", "\r"), name) == expected
    assert read(tmp_path, gzip.compress(SSSOM.encode()), f"{name}.gz") == expected


def test_a_sssom_table_may_have_commas_and_quotes(tmp_path: Path) -> None:
    text = (
        'subject_id,subject_label,predicate_id,object_id,mapping_justification\na,"x, y",owl:sameAs,b,m:L\n'
    )
    assert read(tmp_path, text, "m.csv") == [("a", "b")]
    quoted = text.replace(",", "\t").replace("x\t y", "x\ny")
    assert read(tmp_path, quoted, "m.tsv") == [("a", "b")]


def test_names_without_a_known_prefix_stay_as_they_are(tmp_path: Path) -> None:
    text = SSSOM.replace("#   A: http://a.org/A_\n", "")
    assert read(tmp_path, text, "m.tsv")[0] == ("A:1", "http://b.org/x")


def test_a_graph_that_uses_the_short_names_knows_them(tmp_path: Path) -> None:
    (tmp_path / "m.tsv").write_text(SSSOM)
    left = graph_from_names(["A:1", "A:2"], ["r", "r"], ["A:2", "A:1"])
    right = graph_from_names(["http://b.org/x"], ["r"], ["http://b.org/y"])
    found = read_links(tmp_path / "m.tsv").resolve(left, right)
    assert found.pairs.tolist() == [[0, 0], [1, 1]]
    half, rest = read_links(tmp_path / "m.tsv").split(0.5, random_seed=0)
    assert len(half.resolve(left, right).pairs) == len(rest.resolve(left, right).pairs) == 1


def test_only_what_says_the_same_becomes_a_link(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    header = "subject_id\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\n"
    rows = [
        ("a", "skos:exactMatch", "", "b"),
        ("a", "skos:exactMatch", "Not", "c"),
        ("a", "skos:broadMatch", "", "d"),
        ("a", "skos:closeMatch", "", "e"),
        ("a", "skos:exactMatch", "", "sssom:NoTermFound"),
        ("f", "http://www.w3.org/2002/07/owl#equivalentClass", "", "g"),
    ]
    text = header + "".join("\t".join((*row, "m:L")) + "\n" for row in rows)
    with caplog.at_level(logging.WARNING, "lightea"):
        assert read(tmp_path, text, "m.tsv") == [("a", "b"), ("f", "g")]
    (warning,) = caplog.messages
    assert "mappings left out, since they do not say that two things are the same: 4" in warning
    assert "skos:broadMatch: 1" in warning


def test_links_that_their_makers_doubt_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "lightea"):
        assert len(read(tmp_path, SSSOM.replace("0.9", "0.25"), "m.tsv")) == 2
    assert "whose own confidence is below 0.5: 1" in caplog.text


@pytest.mark.parametrize("mark", ["", "#"])
@pytest.mark.parametrize("about", ["", ' rdf:about=""', ' rdf:about="http://a-b.org"'])
def test_an_oaei_alignment_is_read(tmp_path: Path, mark: str, about: str) -> None:
    text = OAEI.format(mark=mark, about=about, relation="=")
    expected = [("http://a.org/1", "http://b.org/x"), ("http://a.org/2", "http://b.org/y")]
    assert read(tmp_path, text, "reference.rdf") == expected
    assert read(tmp_path, text, "reference") == expected


def test_of_an_oaei_alignment_only_equivalence_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "lightea"):
        text = OAEI.format(mark="", about="", relation="&lt;")
        assert read(tmp_path, text, "a.rdf") == [("http://a.org/1", "http://b.org/x")]
    assert "left out, since they do not say that two things are the same: 1 (<: 1)" in caplog.text
    text = OAEI.format(mark="", about="", relation="fr.inrialpes.exmo.align.impl.rel.EquivRelation")
    assert len(read(tmp_path, text, "a.rdf")) == 2


def test_the_tables_of_ontology_matchers_are_known(tmp_path: Path) -> None:
    assert read(tmp_path, "SrcEntity\tTgtEntity\tScore\na\tb\t1.0\n", "m.tsv") == [("a", "b")]


@pytest.mark.parametrize("predicate", ["http://www.w3.org/2004/02/skos/core#exactMatch"])
def test_rdf_may_use_other_words_for_the_same(tmp_path: Path, predicate: str) -> None:
    assert read(tmp_path, f"<x:a> <{predicate}> <x:b> .\n", "m.nt") == [("x:a", "x:b")]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("m.tsv", SSSOM.replace("A:2", ""), "m.tsv:8: the subject_id is empty"),
        ("m.tsv", SSSOM + "A:3\n", "m.tsv:9: the object_id is empty"),
        ("m.tsv", SSSOM + "\t".join("abcdefgh") + "\n", "m.tsv:9: 8 columns where the header has 6"),
        ("m.tsv", SSSOM.replace("0.9", "high"), "m.tsv: a confidence is 'high', but must be from 0 to 1"),
        ("m.tsv", SSSOM.replace("0.9", "90"), "m.tsv: a confidence is '90'"),
        ("m.tsv", SSSOM.replace("curie_map:", "curie_map: ["), "the metadata above the table cannot be read"),
        ("m.tsv", "# curie_map: A\n" + SSSOM[SSSOM.index("subject") :], "m.tsv: the curie_map is 'A'"),
        ("m.tsv", SSSOM[: SSSOM.index("A:1")], "m.tsv: there are no links in it"),
        (
            "m.tsv",
            SSSOM.replace("skos:exactMatch", "skos:closeMatch").replace("owl:sameAs", "skos:relatedMatch"),
            "m.tsv: none of its 2 mappings says that two things are the same, but skos:closeMatch: 1",
        ),
        (
            "a.rdf",
            EQUAL.replace("<entity2 rdf:resource='http://b.org/y'/>", ""),
            "a.rdf: cell 2 has no entity2",
        ),
        ("a.rdf", EQUAL.replace("0.75", "7"), "a.rdf: a confidence is '7'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(tmp_path, text, name)
    assert sentence in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.hint
