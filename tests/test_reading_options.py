"""What a user may ask of reading: columns by name, relations, languages, named graphs, the standard input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from lightea import reading
from lightea.errors import ConfigError, InputError, ReadError
from lightea.graph import KnowledgeGraph

TURTLE = """@prefix : <http://x/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a :knows :b ; :cites :c ; rdfs:label "A"@en , "Ä"@de , "a"@en-GB , "plain" ; :age 3 .
:c :partOf :d .
"""
TRIG = """@prefix : <http://x/> .
:a :r :b .
:g1 { :b :r :c . }
<http://y/g2> { :c :r :d . }
"""


def facts(graph: KnowledgeGraph) -> list[tuple[str, str, str]]:
    ends = graph.entities.gather(graph.heads), graph.entities.gather(graph.tails)
    return list(zip(ends[0], graph.relations.gather(graph.relation_ids), ends[1], strict=True))


@pytest.fixture
def turtle(tmp_path: Path) -> Path:
    (tmp_path / "g.ttl").write_text(TURTLE, encoding="utf-8")
    return tmp_path / "g.ttl"


@pytest.fixture
def trig(tmp_path: Path) -> Path:
    (tmp_path / "g.trig").write_text(TRIG, encoding="utf-8")
    return tmp_path / "g.trig"


# columns


@pytest.mark.parametrize(
    "text",
    [
        "when,from,what,to\n1999,a,r,b\n,b,r,c\n",
        "when;from;what;to\n1999;a;r;b\n;b;r;c\n",
        "when\tfrom\twhat\tto\n1999\ta\tr\tb\n\tb\tr\tc\n",
        '"when","from","what","to"\n"1999","a","r","b"\n"","b","r","c"\n',
        "from,what,to,when\na,r,b,1999\nb,r,c,\n",
    ],
)
@pytest.mark.parametrize("name", ["edges.csv", "edges.tsv", "edges", "edges.txt"])
def test_columns_are_named_by_their_titles(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / name).write_text(text)
    graph = reading.read(tmp_path / name, columns=["from", "what", "to"])
    assert facts(graph) == [("a", "r", "b"), ("b", "r", "c")]
    assert facts(reading.read(tmp_path / name, columns="to,what,from"))[0] == ("b", "r", "a")


def test_columns_may_be_counted_where_there_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "e.tsv").write_text("1999\ta\tr\tb\n\tb\tr\tc\n")
    assert facts(reading.read(tmp_path / "e.tsv", columns="2,3,4")) == [("a", "r", "b"), ("b", "r", "c")]


def test_columns_of_parquet_may_be_named(tmp_path: Path) -> None:
    pl.DataFrame({"x": ["a"], "y": ["b"], "z": ["r"]}).write_parquet(tmp_path / "e.parquet")
    assert facts(reading.read(tmp_path / "e.parquet", columns="x,z,y")) == [("a", "r", "b")]
    assert facts(reading.read(tmp_path / "e.parquet", columns="1,3,2")) == [("a", "r", "b")]


def test_columns_of_no_table_are_of_no_interest(turtle: Path) -> None:
    assert facts(reading.read(turtle, columns="2,3,4")) == facts(reading.read(turtle))


@pytest.mark.parametrize(
    ("text", "columns", "sentence"),
    [
        ("a,b,c\n1,2,3\n", "a,b,d", "e.csv:1: there is no column 'd' in the table"),
        ("a,b,c\n1,2,3\n", "1,2,4", "e.csv:1: there is no column '4' in the table"),
        ("a,b,c\n1,,3\n", "a,b,c", "e.csv:2: the relation is empty"),
        ("a,b,c,d\n1,2,3\n", "a,b,c", "e.csv:2: 3 columns where 4 are expected"),
        ("a,b,c,d\n1,2,3,\n1,2,3\n", "a,b,c", "e.csv:3: 3 columns where 4 are expected"),
        ("{}", "a,b,c", "e.csv: the format is not known: this is JSON"),
        ("", "a,b,c", "e.csv: the file is empty"),
    ],
)
def test_what_is_wrong_with_columns_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, columns: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("e.csv").write_text(text)
    with pytest.raises(ReadError) as caught:
        reading.read("e.csv", columns=columns)
    assert caught.value.message.startswith(sentence)
    assert caught.value.hint


def test_columns_must_be_three(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="must be three"):
        reading.read(tmp_path / "e.csv", columns="a,b")


# relations, languages


def test_only_the_relations_asked_for_are_read(turtle: Path) -> None:
    graph = reading.read(turtle, include=["http://x/knows", "http://www.w3.org/2000/01/rdf-schema#label"])
    assert facts(graph) == [("http://x/a", "http://x/knows", "http://x/b")]
    assert graph.relations.to_list() == ["http://x/knows"]
    assert len(graph.attributes) == 4
    assert graph.entities.to_list() == ["http://x/a", "http://x/b"]


def test_patterns_and_brackets_are_understood(turtle: Path) -> None:
    graph = reading.read(turtle, include="http://x/*", exclude=["<http://x/partOf>", "*age"])
    assert graph.relations.to_list() == ["http://x/cites", "http://x/knows"]
    assert len(graph.attributes) == 0


def test_what_is_excluded_is_as_if_it_had_never_been_there(turtle: Path, tmp_path: Path) -> None:
    (tmp_path / "h.ttl").write_text(TURTLE.replace(":c :partOf :d .\n", ""), encoding="utf-8")
    one, other = reading.read(turtle, exclude="*partOf", name="g"), reading.read(tmp_path / "h.ttl", name="g")
    assert (facts(one), one.entities.to_list()) == (facts(other), other.entities.to_list())
    assert one.attributes.equals(other.attributes)


@pytest.mark.parametrize(
    ("languages", "values"),
    [("en", ["3", "A", "a", "plain"]), ("EN-gb", ["3", "a", "plain"]), (["de", "fr"], ["3", "plain", "Ä"])],
)
def test_literals_in_other_languages_are_left_out(turtle: Path, languages: str, values: list[str]) -> None:
    assert sorted(reading.read(turtle, languages=languages).attributes["value"]) == values


def test_a_pattern_that_matches_nothing_is_told_with_what_is_like_it(turtle: Path) -> None:
    with pytest.raises(InputError, match="'http://y/knows' matches no relation and no attribute") as caught:
        reading.read(turtle, exclude="http://y/knows")
    assert "http://x/knows" in str(caught.value.hint)


def test_nothing_left_is_an_error(turtle: Path) -> None:
    with pytest.raises(InputError, match="nothing is left of graph 'g'"):
        reading.read(turtle, exclude="*")


# named graphs


@pytest.mark.parametrize(
    ("graphs", "heads"),
    [
        ((), "abc"),
        ("http://x/g1", "b"),
        ("default", "a"),
        (["default", "<http://y/g2>"], "ac"),
        ("http://*", "bc"),
    ],
)
def test_statements_of_the_named_graphs_asked_for_are_read(trig: Path, graphs: str, heads: str) -> None:
    assert [
        head.removeprefix("http://x/") for head, _, _ in facts(reading.read(trig, graphs=graphs))
    ] == list(heads)


def test_quads_and_plain_documents_are_treated_alike(tmp_path: Path, turtle: Path) -> None:
    (tmp_path / "g.nq").write_text("<x:a> <x:r> <x:b> <x:g> .\n<x:b> <x:r> <x:c> <x:h> .\n")
    assert facts(reading.read(tmp_path / "g.nq", graphs="x:h")) == [("x:b", "x:r", "x:c")]
    assert facts(reading.read(turtle, graphs="x:h")) == facts(reading.read(turtle))


def test_named_graphs_of_json_are_graphs(tmp_path: Path) -> None:
    text = '{"@id": "x:g", "@graph": [{"@id": "x:a", "x:r": {"@id": "x:b"}}], "x:r": {"@id": "x:c"}}'
    (tmp_path / "g.jsonld").write_text(text)
    assert facts(reading.read(tmp_path / "g.jsonld", graphs="x:g")) == [("x:a", "x:r", "x:b")]
    assert reading.read(tmp_path / "g.jsonld").n_triples == 2


def test_what_rules_of_n3_speak_of_is_no_fact(tmp_path: Path) -> None:
    (tmp_path / "g.n3").write_text("@prefix : <x:> . :a :r :b . {:a :r :c} => {:d :r :e} .")
    assert ("x:a", "x:r", "x:b") in facts(reading.read(tmp_path / "g.n3"))
    assert "x:c" not in reading.read(tmp_path / "g.n3").entities


def test_a_graph_that_is_not_there_is_told(trig: Path) -> None:
    with pytest.raises(ReadError, match="no statement is in a graph called http://x/g3") as caught:
        reading.read(trig, graphs="http://x/g3")
    assert "http://x/g1" in str(caught.value.hint)


# the standard input, several files


@pytest.mark.parametrize("name", ["g.ttl", "g.trig"])
def test_the_standard_input_is_read_like_a_file(tmp_path: Path, turtle: Path, trig: Path, name: str) -> None:
    code = "import lightea; g = lightea.read('-'); print(g.n_triples, g.name)"
    with (tmp_path / name).open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-c", code], stdin=file, capture_output=True, text=True, check=True
        )
    assert done.stdout == "3 stdin\n"


def test_a_fault_in_the_standard_input_is_told() -> None:
    code = "import lightea; lightea.read('-')"
    for text, sentence in (
        ("a\tb\n", "<stdin>:1: the format is not known"),
        ("", "<stdin>: the file is empty"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code], input=text, capture_output=True, text=True, check=False
        )
        assert sentence in done.stderr


def test_several_files_of_different_formats_are_one_graph(tmp_path: Path, turtle: Path, trig: Path) -> None:
    (tmp_path / "e.csv").write_text("from,what,to\nhttp://x/d,http://x/r,http://x/a\n")
    graph = reading.read([turtle, trig, tmp_path / "e.csv"], columns="from,what,to")
    assert graph.n_triples == 7
