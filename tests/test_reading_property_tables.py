"""Property graphs: CSV for Neo4j's admin import, and KGX."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from lightea import reading
from lightea.errors import ReadError
from lightea.graph import KnowledgeGraph

XSD = "http://www.w3.org/2001/XMLSchema#"
NODES = (
    "personId:ID(Person),name,born:int,tags:string[],secret:IGNORE,:LABEL\n"
    '1,"Reeves, Keanu",1964,a;b,x,Actor;Person\n2,,,,,\n'
)
FILMS = "filmId:ID(Film)\ttitle\n1\tThe Matrix\n"
ROLES = ":START_ID(Person),role,:END_ID(Film),:TYPE\n1,Neo,1,ACTED_IN\n2,,1,SAW\n"
KGX_NODES = (
    "id\tcategory\tname\tsynonym\n"
    'HP:1\tbiolink:PhenotypicFeature|biolink:NamedThing\ta "b" | c\tone|two\n'
    "HP:2\tbiolink:Disease\t\t\n"
)
KGX_EDGES = (
    "id\tobject\tpredicate\trelation\tsubject\tpublications\nx\tHP:2\tbiolink:related_to\tRO:1\tHP:1\t\n"
)


def facts(graph: KnowledgeGraph) -> list[tuple[str, str, str]]:
    ends = graph.entities.gather(graph.heads), graph.entities.gather(graph.tails)
    return list(zip(ends[0], graph.relations.gather(graph.relation_ids), ends[1], strict=True))


def literals(graph: KnowledgeGraph) -> list[tuple[str, str, str, str | None]]:
    table = graph.attributes
    return list(
        zip(
            graph.entities.gather(table["entity"]),
            table["attribute"],
            table["value"],
            table["datatype"],
            strict=True,
        )
    )


def folder(path: Path, **files: str) -> Path:
    for name, text in files.items():
        (path / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return path


def test_a_directory_of_neo4j_tables_is_one_graph(tmp_path: Path) -> None:
    graph = reading.read(folder(tmp_path, people__csv=NODES, films__tsv=FILMS, roles__csv=ROLES))
    assert facts(graph) == [("Person/1", "ACTED_IN", "Film/1"), ("Person/2", "SAW", "Film/1")]
    assert literals(graph) == [
        ("Film/1", "filmId", "1", None),
        ("Film/1", "title", "The Matrix", None),
        ("Person/1", ":LABEL", "Actor", None),
        ("Person/1", ":LABEL", "Person", None),
        ("Person/1", "born", "1964", f"{XSD}integer"),
        ("Person/1", "name", "Reeves, Keanu", None),
        ("Person/1", "personId", "1", None),
        ("Person/1", "tags", "a", None),
        ("Person/1", "tags", "b", None),
        ("Person/2", "personId", "2", None),
    ]


def test_a_node_without_anything_is_an_entity(tmp_path: Path) -> None:
    graph = reading.read(
        folder(tmp_path, nodes__csv=":ID,:LABEL\na,\nb,X\n", e__csv=":START_ID,:END_ID,:TYPE\nb,c,R\n")
    )
    assert graph.entities.to_list() == ["a", "b", "c"]


def test_relationships_without_a_type_are_called_as_their_file(tmp_path: Path) -> None:
    (tmp_path / "KNOWS.csv.gz").write_bytes(gzip.compress(b":START_ID;:END_ID;since:int\na;b;1999\n"))
    assert facts(reading.read(tmp_path / "KNOWS.csv.gz")) == [("a", "KNOWS", "b")]


@pytest.mark.parametrize("header", ["roles-header.csv", "roles_header.csv", "ROLES_HEADER.csv"])
def test_headers_may_stand_in_files_of_their_own(tmp_path: Path, header: str) -> None:
    line, _, rows = ROLES.partition("\n")
    name = "ROLES" if header.isupper() or header.startswith("R") else "roles"
    (tmp_path / header).write_text(line + "\n")
    (tmp_path / f"{name}.csv").write_text(rows)
    (tmp_path / f"{name}-part2.csv").write_text("2,,7,LIKED\n")
    assert sorted(relation for _, relation, _ in facts(reading.read(tmp_path))) == [
        "ACTED_IN",
        "LIKED",
        "SAW",
    ]


def test_options_of_neo4j_titles_are_no_part_of_them(tmp_path: Path) -> None:
    text = "uuid:ID(P){label:Person},at:datetime{timezone:Europe/Stockholm},a:b\nx,2020-01-01T00:00,c\n"
    graph = reading.read(folder(tmp_path, n__csv=text, e__csv=":START_ID(P),:END_ID(P),:TYPE\nx,x,R\n"))
    assert [row[1] for row in literals(graph)] == ["a:b", "at", "uuid"]


def test_what_a_csv_writer_writes_comes_back(tmp_path: Path) -> None:
    values = ['a "quoted" word', "comma, semicolon; tab\t", "two\nlines", "é"]
    with (tmp_path / "n.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([":ID", "name"])
        writer.writerows([[str(number), value] for number, value in enumerate(values)])
    assert [row[2] for row in literals(reading.read(tmp_path / "n.csv"))] == values


def test_kgx_tables_are_one_graph(tmp_path: Path) -> None:
    graph = reading.read(folder(tmp_path, kg_nodes__tsv=KGX_NODES, kg_edges__tsv=KGX_EDGES))
    assert facts(graph) == [("HP:1", "biolink:related_to", "HP:2")]
    assert literals(graph) == [
        ("HP:1", "category", "biolink:NamedThing", None),
        ("HP:1", "category", "biolink:PhenotypicFeature", None),
        ("HP:1", "name", 'a "b" | c', None),
        ("HP:1", "synonym", "one", None),
        ("HP:1", "synonym", "two", None),
        ("HP:2", "category", "biolink:Disease", None),
    ]


def test_kgx_of_three_columns_is_not_taken_for_facts(tmp_path: Path) -> None:
    text = "id\tcategory\tname\nA:1\tbiolink:Gene\tone\n"
    graph = reading.read(folder(tmp_path, nodes__tsv=text))
    assert (graph.n_triples, graph.entities.to_list()) == (0, ["A:1"])


def test_a_format_that_is_asked_for_settles_it(tmp_path: Path) -> None:
    path = folder(tmp_path, n__tsv="id\tcategory\tname\na\tb\tc\n") / "n.tsv"
    assert reading.read(path, format="tsv").n_triples == 2
    assert reading.read(path, format="kgx").n_triples == 0


@pytest.mark.parametrize(
    ("name", "text", "asked", "sentence"),
    [
        ("n.csv", ":ID,name\n,x\n", None, "n.csv:2: the :ID is empty"),
        ("n.csv", ":ID,name\nb,y,z\n", None, "n.csv:2: 3 columns where the header has 2"),
        ("e.csv", ":START_ID,:TYPE\na,R\n", None, "e.csv:1: the header has no :END_ID: :START_ID,:TYPE"),
        ("e.csv", ":START_ID,:END_ID,:TYPE\na,b,R\na,b,\n", None, "e.csv:3: the :TYPE is empty"),
        ("e.csv", ":START_ID,:END_ID,:TYPE\na\n", None, "e.csv:2: the :END_ID is empty"),
        ("e.csv", ":ID,:START_ID,:END_ID\na,b,c\n", None, "e.csv:1: the header names both a node"),
        ("n.csv", "a:ID,b:ID\na,b\n", None, "n.csv:1: the header has 2 columns :ID"),
        ("n.csv", ':ID,name\na,"x\n', None, "n.csv:2: a quote opens a cell here"),
        ("n.csv", ":ID,name\na,\xff\n", None, "n.csv:2:3: the text is not UTF-8"),
        ("n.csv", ":ID,name\n", None, "n.csv: there are no facts in it"),
        ("n.csv", "a,r,b\n", "neo4j", "n.csv:1: its first line is no header of Neo4j"),
        ("n.tsv", "a\tr\tb\n", "kgx", "n.tsv:1: its first line is no header of KGX"),
        ("n.tsv", KGX_NODES + "\tx\ty\tz\n", None, "n.tsv:4: the id is empty"),
        ("e.tsv", KGX_EDGES.replace("HP:1", ""), None, "e.tsv:2: the subject is empty"),
        ("n.tsv", KGX_NODES + "a\tb\tc\td\te\n", None, "n.tsv:4: 5 columns where the header has 4"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, asked: str | None, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(text.encode("latin-1"))
    with pytest.raises(ReadError) as caught:
        reading.read(name, format=asked)
    assert caught.value.message.startswith(sentence)
    assert "\n" not in caught.value.message
    assert caught.value.hint
