"""Files of every format and state of compression become the same graph."""

from __future__ import annotations

import bz2
import gzip
import logging
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyoxigraph as ox
import pytest
import zstandard

from lightea import reading
from lightea.errors import ReadError
from lightea.graph import KnowledgeGraph
from lightea.reading import blocks
from lightea.reading.terms import WrittenLabels

FACTS = [("http://a/1", "http://r/p", "http://a/2"), ("http://a/2", "http://r/q", "http://a/é,3")]
TSV = "".join("\t".join(fact) + "\n" for fact in FACTS).encode()
NTRIPLES = "".join("<{}> <{}> <{}> .\n".format(*fact) for fact in FACTS).encode()
RDF_XML = (
    '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:r="http://r/">\n'
    '<rdf:Description rdf:about="http://a/1"><r:p rdf:resource="http://a/2"/></rdf:Description>\n'
    '<rdf:Description rdf:about="http://a/2"><r:q rdf:resource="http://a/é,3"/></rdf:Description>\n</rdf:RDF>\n'
).encode()
TURTLE = (
    "@prefix a: <http://a/> .\n@prefix r: <http://r/> .\na:1 r:p a:2 .\na:2 r:q <http://a/é,3> .\n".encode()
)
JSON_LD = (
    '{"@context": {"r": "http://r/"}, "@id": "http://a/1",\n'
    ' "r:p": {"@id": "http://a/2", "r:q": {"@id": "http://a/é,3"}}}\n'
).encode()
DOCUMENTS = {
    "tsv": TSV,
    "csv": b'http://a/1,http://r/p,http://a/2\nhttp://a/2,http://r/q,"http://a/\xc3\xa9,3"\n',
    "nt": NTRIPLES,
    "nq": NTRIPLES.replace(b" .\n", b" <http://g/> .\n"),
    "ttl": TURTLE,
    "trig": TURTLE.replace(b"a:1 r:p a:2 .", b"a:g { a:1 r:p a:2 . }"),
    "n3": TURTLE,
    "rdf": RDF_XML,
    "jsonld": JSON_LD,
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
}


def write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def facts_of(graph: KnowledgeGraph) -> list[tuple[str, str, str]]:
    entities, relations = graph.entities.to_list(), graph.relations.to_list()
    columns = zip(graph.heads, graph.relation_ids, graph.tails, strict=True)
    return [(entities[h], relations[r], entities[t]) for h, r, t in columns]


def read_text(folder: Path, text: str | bytes, name: str = "facts.tsv") -> KnowledgeGraph:
    return reading.read(write(folder, name, text if isinstance(text, bytes) else text.encode()))


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("extension", DOCUMENTS)
def test_every_format_and_compression_gives_the_same_graph(
    tmp_path: Path, extension: str, compression: str
) -> None:
    content = COMPRESSIONS[compression](DOCUMENTS[extension])
    graph = reading.read(write(tmp_path, f"dbpedia.{extension}{compression}", content))
    assert facts_of(graph) == FACTS
    assert graph.name == "dbpedia"


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("extension", DOCUMENTS)
def test_a_name_that_says_nothing_leaves_the_content_to_tell(
    tmp_path: Path, extension: str, compression: str
) -> None:
    content = COMPRESSIONS[compression](DOCUMENTS[extension])
    assert facts_of(reading.read(write(tmp_path, "facts.txt", content))) == FACTS


@pytest.mark.parametrize("claimed", ["tsv", "csv", "nt", "ttl", "rdf", "parquet", "tsv.gz"])
@pytest.mark.parametrize("extension", ["tsv", "csv", "nt", "ttl", "rdf"])
def test_a_name_that_lies_is_not_believed(tmp_path: Path, extension: str, claimed: str) -> None:
    assert facts_of(reading.read(write(tmp_path, f"facts.{claimed}", DOCUMENTS[extension]))) == FACTS


@pytest.mark.parametrize("name", ["facts.parquet", "facts.tsv", "facts"])
def test_parquet_is_read(tmp_path: Path, name: str) -> None:
    table = pl.DataFrame(FACTS, schema=["subject", "predicate", "object"], orient="row")
    table.write_parquet(tmp_path / name)
    assert facts_of(reading.read(tmp_path / name)) == FACTS
    write(tmp_path, f"{name}.gz", gzip.compress((tmp_path / name).read_bytes()))
    assert facts_of(reading.read(tmp_path / f"{name}.gz")) == FACTS


def test_parquet_of_numbers_is_read_by_position(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1, 2], "y": [0, 0], "z": [2, 10]}).write_parquet(tmp_path / "facts.parquet")
    assert facts_of(reading.read(tmp_path / "facts.parquet")) == [("1", "0", "2"), ("2", "0", "10")]


@pytest.mark.parametrize(
    "header",
    ["head\trelation\ttail", "Subject\tPredicate\tObject", "h\tr\tt", "?s\t?p\t?o", "source\trel\ttarget"],
)
def test_a_header_is_not_a_fact(tmp_path: Path, header: str) -> None:
    assert facts_of(read_text(tmp_path, f"{header}\na\tr\tb\n")) == [("a", "r", "b")]


def test_a_header_says_which_column_is_what(tmp_path: Path) -> None:
    text = "id,tail,note,head,relation\n1,b,,a,r\n2,d,x,c,r\n"
    assert facts_of(read_text(tmp_path, text, "facts.csv")) == [("a", "r", "b"), ("c", "r", "d")]


def test_a_table_may_be_parted_by_semicolons_or_blanks(tmp_path: Path) -> None:
    assert facts_of(read_text(tmp_path, "a;r;b\nc;r;d\n", "facts.csv")) == [("a", "r", "b"), ("c", "r", "d")]
    assert facts_of(read_text(tmp_path, "1 2 3\n4 2 1\n", "triples_1")) == [("1", "2", "3"), ("4", "2", "1")]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa\tr\tb\nc\tr\td\n",
        "a\tr\tb\r\nc\tr\td\r\n",
        "a\tr\tb\n\n  \nc\tr\td",
        "\n\na\tr\tb\nc\tr\td\n\n",
        "a\tr\tb\rc\tr\td\r",
        "a\tr\tb\rc\tr\td",
    ],
)
def test_marks_blank_lines_and_foreign_line_ends_do_no_harm(tmp_path: Path, text: str) -> None:
    assert facts_of(read_text(tmp_path, text)) == [("a", "r", "b"), ("c", "r", "d")]


def test_a_csv_file_from_an_old_mac_is_read(tmp_path: Path) -> None:
    text = 'head,relation,tail\ra,r,"b,\rb"\rc,r,d\r'
    assert facts_of(read_text(tmp_path, text, "facts.csv")) == [("a", "r", "b,\nb"), ("c", "r", "d")]


def test_a_stray_carriage_return_in_a_good_table_is_data(tmp_path: Path) -> None:
    text = "a\tr\tb\rb\nc\tr\td\ne\tr\tf\n"
    assert ("a", "r", "b\rb") in facts_of(read_text(tmp_path, text))


def test_statements_parted_by_carriage_returns_are_read(tmp_path: Path) -> None:
    text = "<x:a> <x:r> <x:b> .\r<x:c> <x:r> <x:d> .\r"
    for name in ("facts.nt", "facts"):
        assert facts_of(read_text(tmp_path, text, name)) == [("x:a", "x:r", "x:b"), ("x:c", "x:r", "x:d")]


def test_a_text_between_commas_may_be_very_long(tmp_path: Path) -> None:
    long = "x" * 200_000
    graph = read_text(tmp_path, f'a,r,"{long}"\n\nb,r,c\n', "facts.csv")  # the empty line: read cell by cell
    assert long in graph.entities


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["tsv", "csv", "nt", "nq", "ttl", "rdf", "tsv.gz", "ttl.zst"])
def test_a_pipe_is_read_like_a_file(tmp_path: Path, name: str) -> None:
    extension, _, compression = name.partition(".")
    content = COMPRESSIONS[f".{compression}" if compression else ""](DOCUMENTS[extension])
    file = write(tmp_path, f"facts.{name}", content)
    pipe = tmp_path / f"pipe.{name}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(content))
    writer.start()
    assert facts_of(reading.read(pipe)) == facts_of(reading.read(file))
    writer.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_fault_in_a_pipe_is_told(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.rdf"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(b"<?xml version='1.0'?>\n<a>&b;</a>"))
    writer.start()
    with pytest.raises(ReadError, match=r"pipe\.rdf.*: not valid RDF"):
        reading.read(pipe)
    writer.join()


def test_only_line_ends_end_lines(tmp_path: Path) -> None:
    names = ["a\u2028b", "c\x0bd", "e\x85f", "g h "]
    text = "".join(f"{name}\tr\tx\n" for name in names)
    for tail in ("", "\n\n"):
        assert [head for head, _, _ in facts_of(read_text(tmp_path, text + tail))] == sorted(names)


def test_quotes_are_data_between_tabs(tmp_path: Path) -> None:
    assert facts_of(read_text(tmp_path, 'a "x"\tr\t"half\nb"\tr\t5" disk\n')) == [
        ('a "x"', "r", '"half'),
        ('b"', "r", '5" disk'),
    ]


def test_quotes_hide_commas_and_line_ends_between_commas(tmp_path: Path) -> None:
    text = 'a,r,"b, ""c""\nd"\n"e",r,"f"\n'
    assert facts_of(read_text(tmp_path, text, "facts.csv")) == [("a", "r", 'b, "c"\nd'), ("e", "r", "f")]


def test_a_stray_quote_in_a_csv_file_is_data(tmp_path: Path) -> None:
    assert facts_of(read_text(tmp_path, 'a,r,5" disk\nb,r,c\n', "facts.csv")) == [
        ("a", "r", '5" disk'),
        ("b", "r", "c"),
    ]


def test_literals_in_tables_are_attributes(tmp_path: Path) -> None:
    text = (
        'a\tlabel\t"Paris"@FR\na\tpopulation\t"2"^^<http://www.w3.org/2001/XMLSchema#integer>\n'
        'a\tnote\t"a \\"b\\" \\u00e9"\na\tr\tParis\n'
    )
    graph = read_text(tmp_path, text)
    assert facts_of(graph) == [("a", "r", "Paris")]
    assert graph.attributes.rows() == [
        (1, "label", "Paris", None, "fr"),
        (1, "note", 'a "b" é', None, None),
        (1, "population", "2", "http://www.w3.org/2001/XMLSchema#integer", None),
    ]


@pytest.mark.parametrize("extension", ["nt", "ttl", "nq"])
def test_literals_in_rdf_are_attributes_of_an_entity(tmp_path: Path, extension: str) -> None:
    text = (
        '<x:a> <x:label> "Par\\u00eds"@es .\n<x:a> <x:label> "Paris"@FR .\n'
        '<x:a> <x:n> "1"^^<http://www.w3.org/2001/XMLSchema#string> .\n<x:a> <x:n> "2"^^<x:dt> .\n'
    )
    graph = read_text(tmp_path, text, f"facts.{extension}")
    assert graph.entities.to_list() == ["x:a"]
    assert graph.n_triples == 0
    assert graph.attributes.rows() == [
        (0, "x:label", "Paris", None, "fr"),
        (0, "x:label", "París", None, "es"),
        (0, "x:n", "1", None, None),
        (0, "x:n", "2", "x:dt", None),
    ]


def test_iris_in_brackets_and_without_are_the_same_entity(tmp_path: Path) -> None:
    write(tmp_path, "a.tsv", b"<http://a/1>\tr\t<Albert_Einstein>\n")
    write(tmp_path, "b.nt", b"<http://a/1> <x:r> <http://a/2> .\n")
    graph = reading.read([tmp_path / "b.nt", tmp_path / "a.tsv"])
    assert graph.entities.to_list() == ["<Albert_Einstein>", "http://a/1", "http://a/2"]


def test_shards_of_a_directory_are_read_together_in_any_depth(tmp_path: Path) -> None:
    write(tmp_path, "kg/part-1.nt", NTRIPLES.splitlines(keepends=True)[0])
    write(tmp_path, "kg/deep/part-2.tsv.gz", gzip.compress(TSV.splitlines(keepends=True)[1]))
    for name in ("kg/.hidden.nt", "kg/_SUCCESS", "kg/README.md", "kg/part-3.nt", "kg/.git/x.nt"):
        write(tmp_path, name, b"" if name.endswith("3.nt") else b"not a graph")
    graph = reading.read(tmp_path / "kg")
    assert facts_of(graph) == FACTS
    assert graph.name == "kg"


def test_shards_of_any_extension_are_read_beside_those_of_a_known_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first, second = TSV.splitlines(keepends=True)
    write(tmp_path, "kg/part-0.tsv", first)
    write(tmp_path, "kg/part-1.txt", second)
    write(tmp_path, "kg/citation.nt", b"<x:a> <x:p> <x:b> .\n")
    assert facts_of(reading.read(tmp_path / "kg")) == sorted([*FACTS, ("x:a", "x:p", "x:b")])
    assert caplog.text == ""


def test_what_is_left_out_of_a_directory_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(tmp_path, "kg/part-0.tsv", TSV)
    for name in ("README", "_SUCCESS", ".part-0.tsv.crc", "part-0.tsv.md5", "meta.json.gz", ".git/config"):
        write(tmp_path, f"kg/{name}", b"not a graph")
    assert facts_of(reading.read(tmp_path / "kg")) == FACTS
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "no data: 4 (README, _SUCCESS, meta.json.gz, part-0.tsv.md5)" in record.getMessage()


def test_a_file_of_a_directory_that_is_no_graph_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "kg/part-0.tsv", TSV)
    write(tmp_path, "kg/part-1", b"Please read the notes.\n")
    with pytest.raises(ReadError, match="part-1:1: the format is not known"):
        reading.read(tmp_path / "kg")


@pytest.mark.parametrize("suffix", ["tsv", "csv"])
def test_a_header_of_unknown_names_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, suffix: str
) -> None:
    mark = "\t" if suffix == "tsv" else ","
    rows = [f"e{i}{mark}r{mark}e{i + 1}\n" for i in range(30)]
    header = mark.join(("von", "art", "nach")) + "\n"
    for name in ("1", "2"):
        write(tmp_path, f"kg/{name}.{suffix}", (header + "".join(rows)).encode())
    reading.read(tmp_path / "kg")
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 2
    assert all("the first row, von, art, nach, looks like a header" in message for message in messages)


@pytest.mark.parametrize(
    "first", ["e1\tart\tnach", "von\tr\tnach", "von\tart\te1", "x:von\tx:art\tx:nach", "head\trelation\ttail"]
)
def test_a_first_fact_is_not_taken_for_a_header(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, first: str
) -> None:
    rows = "".join(f"e{i}\tr\te{i + 1}\n" for i in range(30))
    read_text(tmp_path, f"{first}\n{rows}")
    assert caplog.records == []


def test_a_short_table_is_not_searched_for_a_header(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    read_text(tmp_path, "von\tart\tnach\na\tr\tb\n")
    assert caplog.records == []


def test_quotes_around_every_cell_are_no_part_of_the_names(tmp_path: Path) -> None:
    text = '"head"\t"relation"\t"tail"\n"a"\t"r"\t"b ""c"""\n"a"\t"label"\t"""Paris""@fr"\n'
    graph = read_text(tmp_path, text)
    assert facts_of(graph) == [("a", "r", 'b "c"')]
    assert graph.attributes.rows() == [(0, "label", "Paris", None, "fr")]


def test_quotes_around_some_cells_are_kept_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = 'head\trelation\ttail\n"a"\t"r"\t"b"@en\n"a"\t"r"\tb\n'
    assert facts_of(read_text(tmp_path, text)) == [('"a"', '"r"', "b")]
    assert "facts.tsv: names are in quotes, which are taken as part of them" in caplog.text


def test_shards_without_extension_are_read(tmp_path: Path) -> None:
    write(tmp_path, "kg/part-00000", TSV)
    assert facts_of(reading.read(tmp_path / "kg", name="mine")) == FACTS
    assert reading.read(tmp_path / "kg", name="mine").name == "mine"


def test_blank_nodes_of_different_files_are_different(tmp_path: Path) -> None:
    one = write(tmp_path, "kg/1.nt", b"_:x <x:p> <x:a> .\n")
    two = write(tmp_path, "kg/2.ttl", b"_:x <x:p> <x:b> .\n")
    graph = reading.read(tmp_path / "kg")
    assert graph.entities.to_list() == ["_:1.x", "_:2.x", "x:a", "x:b"]
    assert facts_of(reading.read([two, one])) == facts_of(graph)
    assert reading.read(one).entities.to_list() == ["_:x", "x:a"]


def test_blank_nodes_without_label_get_the_same_names_every_time(tmp_path: Path) -> None:
    text = "[] <x:p> [ <x:q> _:anonymous1 ] .\n_:b <x:p> [] .\n"
    graphs = [read_text(tmp_path, text, "facts.ttl") for _ in range(2)]
    assert facts_of(graphs[0]) == facts_of(graphs[1])
    assert graphs[0].n_entities == 5
    assert "_:b" in graphs[0].entities


WRITTEN = "b0123456789abcdef0123456789abcdef"[:32]
"""A label that a document may hold, in the shape of those that the parser makes up."""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("facts.ttl", f"_:{WRITTEN} <x:p> [ <x:q> <x:b> ] ."),
        ("facts.trig", f"<x:g> {{ [] <x:p> _:{WRITTEN} }}"),
        ("facts.nq", f"_:{WRITTEN} <x:p> <x:b> <x:g> .\n"),
        (
            "facts.rdf",
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">'
            f'<rdf:Description rdf:nodeID="{WRITTEN}"><x:a rdf:resource="http://b"/></rdf:Description></rdf:RDF>',
        ),
    ],
)
def test_labels_of_blank_nodes_that_are_written_are_kept(tmp_path: Path, name: str, text: str) -> None:
    graph = read_text(tmp_path, text, name)
    assert f"_:{WRITTEN}" in graph.entities
    assert not any(len(entity) > 30 for entity in graph.entities if entity != f"_:{WRITTEN}")


def test_a_label_is_found_where_one_piece_of_a_document_ends_and_the_next_begins() -> None:
    text = f"<x:a> <x:p> _:{WRITTEN} .\n".encode()
    for cut in range(len(text)):
        labels = WrittenLabels()
        labels.watch(text[:cut])
        labels.watch(text[cut:])
        assert WRITTEN in labels


def test_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    lines = [f"<x:{i % 17}> <x:p{i % 3}> <x:{i * 7 % 23}> .\n" for i in range(200)]
    one = read_text(tmp_path, "".join(lines), "facts.nt")
    random.Random(1).shuffle(lines)
    other = read_text(tmp_path, "".join(lines), "facts.nt")
    assert one.entities.equals(other.entities)
    assert facts_of(one) == facts_of(other)


@pytest.mark.parametrize("extension", ["tsv", "csv"])
@pytest.mark.parametrize("size", [1, 30, 1000])
def test_tables_read_block_by_block_are_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, extension: str, size: int
) -> None:
    facts = [(f"e{i:03}", "r", f"e{i * 3 % 200:03}") for i in range(200)]
    separator = "\t" if extension == "tsv" else ","
    monkeypatch.setitem(blocks.line_blocks.__kwdefaults__, "size", size)
    text = "".join(separator.join(fact) + "\n" for fact in facts) + separator.join(('"q"', "r", "z")) + "\n"
    graph = read_text(tmp_path, text, f"facts.{extension}")
    last = ('"q"', "r", "z") if extension == "tsv" else ("q", "r", "z")
    assert facts_of(graph) == sorted([*facts, last])


def test_an_asked_format_settles_it(tmp_path: Path) -> None:
    path = write(tmp_path, "facts.csv", b"a,1\tr\tb,2\nc,1\tr\td,2\n")
    assert facts_of(reading.read(path, format="csv")) == [("a", "1\tr\tb", "2"), ("c", "1\tr\td", "2")]
    assert facts_of(reading.read(path, format=".TSV")) == [("a,1", "r", "b,2"), ("c,1", "r", "d,2")]


def test_what_pyoxigraph_writes_comes_back(tmp_path: Path) -> None:
    quads = list(ox.parse(TURTLE, format=ox.RdfFormat.TURTLE))
    for extension in ("nt", "nq", "ttl", "trig", "rdf"):
        content = ox.serialize(quads, format=ox.RdfFormat.from_extension(extension))
        assert content is not None
        assert facts_of(reading.read(write(tmp_path, f"facts.{extension}", content))) == FACTS


def test_the_log_says_what_is_kept_apart_or_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = '<x:a> <x:p> "v" .\n<x:a> <x:p> <<( <x:a> <x:p> <x:b> )>> .\n'
    with caplog.at_level(logging.INFO, "lightea"):
        read_text(tmp_path, text, "facts.nt")
    messages = [record.getMessage() for record in caplog.records]
    assert "facts: literals kept apart as attributes: 1" in messages
    assert f"{tmp_path / 'facts.nt'}: statements about statements left out: 1" in messages
