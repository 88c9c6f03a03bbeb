"""Links in every format, read back by readers of others: rdflib, pyoxigraph, ElementTree, csv, Polars."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import re
import uuid
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import quote

import numpy as np
import polars as pl
import pyoxigraph
import pytest
import rdflib
from rdflib.namespace import OWL, PROV, RDF

import lightea
from lightea.alignment import Alignment
from lightea.errors import ConfigError, OutputError
from lightea.exchange import FORMATS, MappingSet, Publication, chosen_formats, mapping_set, write_links
from links_to_write import LEFT, RIGHT, graph, linked

ALIGN = "{http://knowledgeweb.semanticweb.org/heterogeneity/alignment}"
RDF_XML = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
ASKED = Publication(no_term_found=True, date=datetime.date(2026, 2, 3), left_version="2016-10")
"""With everything on request."""


def expected() -> list[tuple[str, str, float]]:
    """The links by IRIs, in order."""
    links = MappingSet(linked()).links
    return list(zip(links["left_iri"], links["right_iri"], links["probability"].to_list(), strict=True))


ASCII = "".join(map(chr, range(128)))


def written(name: str, made: Alignment | None = None, publication: Publication | None = None) -> bytes:
    mappings = MappingSet(linked() if made is None else made, publication or Publication())
    return b"".join(FORMATS[name].pieces(mappings))


# SSSOM (the validator of the standard itself reads it in test_exchange_sssom.py)


def sssom(data: bytes) -> tuple[list[str], list[dict[str, str]]]:
    """The lines of metadata and the rows."""
    lines = data.decode().splitlines(keepends=True)
    n_metadata = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    rows = csv.DictReader(io.StringIO("".join(lines[n_metadata:])), delimiter="\t")
    return [line[1:].rstrip("\n") for line in lines[:n_metadata]], list(rows)


def curie_map(metadata: list[str]) -> dict[str, str]:
    return {match[1]: match[2] for line in metadata if (match := re.fullmatch(r'  ([\w.]+): "(.*)"', line))}


def test_sssom_rows_spell_out_to_the_links() -> None:
    metadata, rows = sssom(written("sssom"))
    prefixes = curie_map(metadata)

    def iri(curie: str) -> str:
        prefix, local = curie.split(":", 1)
        return prefixes[prefix] + local

    found = [(iri(row["subject_id"]), iri(row["object_id"]), float(row["confidence"])) for row in rows]
    for (left, right, chance), (wanted_left, wanted_right, wanted) in zip(found, expected(), strict=True):
        assert (left, right) == (quote(wanted_left, safe=ASCII), quote(wanted_right, safe=ASCII))
        assert chance == pytest.approx(wanted, abs=1e-6)
    assert {row["predicate_id"] for row in rows} == {"owl:sameAs"}
    assert {row["mapping_justification"] for row in rows} == {"semapv:StructuralMatching"}
    assert {row["mapping_cardinality"] for row in rows} == {"1:1"}


def test_sssom_says_what_was_compared_and_with_what() -> None:
    metadata, _ = sssom(written("sssom", publication=ASKED))
    facts = dict(line.split(": ", 1) for line in metadata if not line.startswith((" ", "curie_map")))
    assert facts["subject_source"] == '"graph:left.nt"'
    assert facts["object_source"] == '"graph:right.tsv"'
    assert facts["subject_source_version"] == '"2016-10"'
    assert re.fullmatch('"facts-sha256:[0-9a-f]{64}"', facts["object_source_version"])
    assert facts["license"] == '"https://w3id.org/sssom/license/unspecified"'
    assert facts["mapping_tool_version"] == f'"{lightea.__version__}"'
    assert facts["mapping_date"] == '"2026-02-03"'
    assert facts["mapping_set_id"].startswith('"urn:uuid:')
    assert uuid.UUID(facts["mapping_set_id"].strip('"'))


def test_sssom_keeps_prefixes_for_the_few_names_that_are_no_iris() -> None:
    many = [f"http://dbpedia.org/resource/{number:03}" for number in range(300)]
    metadata, rows = sssom(written("sssom", linked([*many, "Q 1"], [*many, "http://x.org/1"])))
    assert (rows[-1]["subject_id"], rows[-1]["object_id"]) == ("left:Q%201", "ns:x.org/1")
    assert '#subject_source: "graph:left.nt"'[1:] in metadata
    assert set(curie_map(metadata)) == {"dbr", "graph", "left", "ns", "owl", "semapv", "sssom"}


def test_sssom_lists_who_has_no_counterpart_on_request_unless_that_is_doubtful() -> None:
    """Of the two without a link one is more probably without a counterpart, one with."""
    assert all(row["object_id"] != "sssom:NoTermFound" for row in sssom(written("sssom"))[1])
    _, rows = sssom(written("sssom", publication=ASKED))
    missed = [row for row in rows if row["object_id"] == "sssom:NoTermFound"]
    assert [(row["subject_id"], row["mapping_cardinality"]) for row in missed] == [("dbr:Alone", "1:0")]
    assert float(missed[0]["confidence"]) == pytest.approx(0.9)


def test_sssom_shows_labels_where_the_graph_has_them() -> None:
    made = linked(["http://x.org/1", "http://x.org/2"], ["http://y.org/1", "http://y.org/2"])
    said = [
        (0, "http://www.w3.org/2000/01/rdf-schema#label", "Wien", None, "de"),
        (0, "http://www.w3.org/2000/01/rdf-schema#label", "Vienna\n\t, the  city", None, "en"),
        (0, "http://xmlns.com/foaf/0.1/name", "Aaa", None, "en"),
        (1, "http://x.org/height", "7", None, None),
    ]
    attributes = pl.DataFrame(said, schema=made.left.attributes.schema, orient="row")
    labelled = dataclasses.replace(made, left=dataclasses.replace(made.left, attributes=attributes))
    _, rows = sssom(written("sssom", labelled))
    assert [row["subject_label"] for row in rows] == ["Vienna , the city", ""]
    assert "object_label" not in rows[0]


def test_sssom_shows_names_that_are_not_readable_as_uris() -> None:
    _, rows = sssom(written("sssom"))
    shown = [(row["subject_label"], row["object_label"]) for row in rows]
    assert shown[:3] == [("", ""), ("", ""), ("北京", "urn:uuid:0e3ff1f6-7cdf-4b69-9a93-15a1fb6bd4ae")]
    assert shown[5] == ("HP:0001250", "tab and line")
    assert shown[7] == ("", "x" * 200)


def test_sssom_tells_how_many_each_end_is_linked_with() -> None:
    made = linked(["a", "b", "c", "d"], ["p", "q", "r", "s"])
    ends = np.array([(0, 0), (0, 1), (1, 2), (2, 2), (3, 3)], np.int32)
    many = dataclasses.replace(
        made, left_ids=ends[:, 0], right_ids=ends[:, 1], probability=np.full(5, 0.5, np.float32)
    )
    _, rows = sssom(written("sssom", many))
    assert [row["mapping_cardinality"] for row in rows] == ["1:n", "1:n", "n:1", "n:1", "1:1"]


# OAEI


def test_oaei_cells_are_the_links_for_an_xml_reader() -> None:
    root = ET.fromstring(written("oaei"))
    assert root.tag == f"{RDF_XML}RDF"
    found = []
    for cell in root.iter(f"{ALIGN}Cell"):
        ends = [cell.find(f"{ALIGN}entity{side}").attrib[f"{RDF_XML}resource"] for side in (1, 2)]
        measure = float(cell.find(f"{ALIGN}measure").text)
        assert 0.0 <= measure <= 1.0
        assert cell.find(f"{ALIGN}relation").text == "="
        found.append((*ends, pytest.approx(measure, abs=1e-6)))
    assert found == expected()
    assert root.find(f"{ALIGN}Alignment/{ALIGN}type").text == "??"


def test_oaei_cells_are_the_links_for_an_rdf_reader() -> None:
    read = rdflib.Graph().parse(data=written("oaei"), format="xml")
    align = rdflib.Namespace(ALIGN.strip("{}"))
    found = {
        (str(read.value(cell, align.entity1)), str(read.value(cell, align.entity2)))
        for cell in read.subjects(RDF.type, align.Cell)
    }
    assert found == {(left, right) for left, right, _ in expected()}
    measures = [float(measure) for measure in read.objects(None, align.measure)]
    assert sorted(measures) == pytest.approx(sorted(chance for _, _, chance in expected()), abs=1e-6)
    assert len(list(read.objects(None, align.onto1))) == 1


def test_oaei_measures_never_leave_zero_to_one() -> None:
    made = linked(["a", "b"], ["p", "q"])
    odd = dataclasses.replace(made, probability=np.array([1.0000001, -0.0], np.float32))
    root = ET.fromstring(written("oaei", odd))
    assert [measure.text for measure in root.iter(f"{ALIGN}measure")] == ["1.000000", "0.000000"]


def test_oaei_says_that_left_entities_have_several_partners() -> None:
    made = linked(["a", "b"], ["p", "q"])
    many = dataclasses.replace(made, left_ids=np.array([0, 0], np.int32))
    assert b"<type>*?</type>" in written("oaei", many)


# RDF


def test_n_triples_are_the_links_for_two_readers() -> None:
    wanted = {(left, right) for left, right, _ in expected()}
    read = rdflib.Graph().parse(data=written("nt"), format="nt")
    assert {(str(left), str(right)) for left, right in read.subject_objects(OWL.sameAs)} == wanted
    assert len(read) == len(wanted)
    quads = pyoxigraph.parse(written("nt"), pyoxigraph.RdfFormat.N_TRIPLES)
    assert {(quad.subject.value, quad.object.value) for quad in quads} == wanted


def test_turtle_holds_the_links_and_the_run_that_they_come_from() -> None:
    read = rdflib.Graph().parse(data=written("turtle", publication=ASKED), format="turtle")
    wanted = expected()
    assert {(str(left), str(right)) for left, right in read.subject_objects(OWL.sameAs)} == {
        (left, right) for left, right, _ in wanted
    }
    confidence = rdflib.URIRef("https://w3id.org/sssom/confidence")
    chances = {
        (str(read.value(axiom, OWL.annotatedSource)), float(read.value(axiom, confidence)))
        for axiom in read.subjects(RDF.type, OWL.Axiom)
    }
    assert chances == {(left, round(chance, 6)) for left, _, chance in wanted}
    (run,) = read.subjects(RDF.type, PROV.Activity)
    assert {str(used) for used in read.objects(run, PROV.used)} == {
        "urn:lightea:graph:left.nt",
        "urn:lightea:graph:right.tsv",
    }
    axioms = set(read.subjects(RDF.type, OWL.Axiom))
    (made,) = set(read.subjects(PROV.wasGeneratedBy, run)) - axioms
    assert str(made) == MappingSet(linked(), ASKED).iri


def test_turtle_keeps_the_settings_of_the_run() -> None:
    read = rdflib.Graph().parse(data=written("turtle"), format="turtle")
    (plan,) = read.objects(None, PROV.value)
    assert lightea.Config.loads(str(plan)) == linked().config


# Tables


def test_parquet_holds_names_iris_and_probabilities(tmp_path: Path) -> None:
    table = pl.read_parquet(write_links(linked(), tmp_path / "links.parquet"))
    assert table["left"].to_list() == LEFT
    assert table["right"].to_list() == RIGHT
    assert list(zip(table["left_iri"], table["right_iri"], table["probability"], strict=True)) == expected()


def test_the_table_is_that_of_the_run_directory() -> None:
    rows = written("tsv").decode().splitlines()
    assert rows[0] == "left\tright\tprobability"
    assert rows[1] == "http://dbpedia.org/resource/Paris\thttp://www.wikidata.org/entity/Q90\t1.000000"
    assert len(rows) == 1 + len(LEFT)


# All of them


@pytest.mark.parametrize("name", FORMATS)
def test_no_links_are_a_valid_file(name: str) -> None:
    empty = linked().above(2.0)
    data = written(name, empty)
    match name:
        case "sssom":
            assert sssom(data)[1] == []
        case "oaei":
            assert not list(ET.fromstring(data).iter(f"{ALIGN}Cell"))
        case "nt" | "turtle":
            assert not list(rdflib.Graph().parse(data=data, format=name).subject_objects(OWL.sameAs))
        case "parquet":
            assert pl.read_parquet(io.BytesIO(data)).shape == (0, 5)
        case _:
            assert data == b"left\tright\tprobability\n"


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_links_are_the_same_bytes_in_pieces_of_any_size(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = written(name)
    monkeypatch.setattr(mapping_set, "ROWS_AT_ONCE", 3)
    assert written(name) == whole


def test_other_links_are_another_set() -> None:
    assert MappingSet(linked()).iri == MappingSet(linked()).iri
    assert MappingSet(linked()).iri != MappingSet(linked().above(0.6)).iri


def test_graphs_of_the_same_name_are_told_apart() -> None:
    made = dataclasses.replace(linked(["a"], ["b"]), left=graph(["a", "", ""]), right=graph(["b"]))
    same = MappingSet(
        dataclasses.replace(
            made,
            left=dataclasses.replace(made.left, name="x.nt"),
            right=dataclasses.replace(made.right, name="x.nt"),
        )
    )
    assert same.left_source == "urn:lightea:graph:left-x.nt"
    assert same.right_source == "urn:lightea:graph:right-x.nt"


def test_the_version_of_a_graph_changes_with_its_facts() -> None:
    one, other = MappingSet(linked()), MappingSet(linked(["a"], ["b"]))
    assert one.left_version == MappingSet(linked()).left_version != other.left_version


# Which format, and where


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("links.tsv", "tsv"),
        ("links.sssom.tsv", "sssom"),
        ("LINKS.SSSOM.TSV", "sssom"),
        ("same.nt", "nt"),
        ("same.ttl", "turtle"),
        ("alignment.rdf", "oaei"),
        ("alignment.xml", "oaei"),
        ("links.parquet", "parquet"),
    ],
)
def test_the_suffix_tells_the_format(file: str, name: str, tmp_path: Path) -> None:
    path = lightea.write_links(linked(), tmp_path / "new" / file)
    assert path.read_bytes() == written(name)


def test_a_named_format_is_written_into_any_file(tmp_path: Path) -> None:
    path = write_links(linked(), tmp_path / "mapping.txt", format="sssom", publication=ASKED)
    assert path.read_bytes() == written("sssom", publication=ASKED)


def test_a_suffix_that_tells_nothing_is_refused_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"links\.docx: the name does not tell") as caught:
        write_links(linked(), tmp_path / "links.docx")
    assert ".sssom.tsv" in str(caught.value.hint)
    with pytest.raises(ConfigError, match="unknown format 'word'") as caught:
        write_links(linked(), tmp_path / "links.docx", format="word")
    assert caught.value.hint == "the formats are: tsv, sssom, nt, turtle, oaei, parquet"


def test_a_file_that_cannot_be_made_is_a_sentence_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there.nt").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        write_links(linked(), tmp_path / "there.nt")
    monkeypatch.setattr(MappingSet, "links", property(lambda _: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        write_links(linked(), tmp_path / "links.nt")
    assert [path.name for path in tmp_path.iterdir()] == ["there.nt"]


def test_a_run_directory_has_the_usual_formats_and_those_asked_for() -> None:
    assert [one.file for one in chosen_formats([])] == ["links.tsv", "links.sssom.tsv", "links.nt"]
    assert [one.file for one in chosen_formats(["parquet", "nt", "oaei"])] == [
        "links.tsv",
        "links.sssom.tsv",
        "links.nt",
        "links.rdf",
        "links.parquet",
    ]
    with pytest.raises(ConfigError, match="unknown format 'csv'"):
        chosen_formats(["csv"])


# What is said of the links


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"left_namespace": "example"}, "left_namespace is 'example', but must be an IRI"),
        ({"right_source": "http://a b"}, "right_source is 'http://a b', but must be an IRI"),
        ({"license": "CC0"}, "license is 'CC0', but must be an IRI"),
        ({"prefixes": {"1x": "http://x.org/"}}, "the prefix '1x' is no name"),
        ({"prefixes": {"a:b": "http://x.org/"}}, "the prefix 'a:b' is no name"),
        ({"prefixes": {"x": "there"}}, "the prefix x stands for 'there', but must stand for an IRI"),
        ({"prefixes": {"skos": "http://x.org/"}}, "the prefix skos belongs to"),
    ],
)
def test_what_is_no_iri_is_refused(settings: dict[str, object], complaint: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(complaint)):
        Publication(**settings)  # type: ignore[arg-type]


def test_names_that_are_no_iris_go_into_the_namespaces_that_are_given() -> None:
    told = Publication(
        left_namespace="http://left.org/id/",
        right_namespace="http://right.org/id/",
        prefixes={"HP": "http://hp.org/"},
    )
    found = MappingSet(linked(["HP:7", "Q 1"], ["HP:7", "x"]), told).links
    assert found["left_iri"].to_list() == ["http://hp.org/7", "http://left.org/id/Q%201"]
    assert found["right_iri"].to_list() == ["http://hp.org/7", "http://right.org/id/x"]
