"""N-Triples read by whole columns are what pyoxigraph alone reads in them."""

from __future__ import annotations

import functools
import io
from pathlib import Path

import polars as pl
import pyoxigraph as ox
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lightea.errors import ReadError
from lightea.graph import KnowledgeGraph
from lightea.graph_builder import GraphBuilder
from lightea.reading import blocks, ntriples
from lightea.reading.literals import XSD_STRING
from lightea.reading.terms import bare_names

PATH = Path("facts.nt")


def read(document: bytes, *, block_size: int = 1 << 20, blank_prefix: str = "") -> KnowledgeGraph:
    builder = GraphBuilder()
    small = functools.partial(blocks.line_blocks, size=block_size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ntriples, "line_blocks", small)
        ntriples.read_lines(PATH, io.BytesIO(document), builder, blank_prefix)
    return builder.build(entity_names=bare_names, relation_names=bare_names)


def facts(graph: KnowledgeGraph) -> tuple[set[tuple[str, ...]], set[tuple[str | None, ...]]]:
    """Triples and literals of a graph by name."""
    names = graph.entities.to_list()
    relations = graph.relations.to_list()
    triples = {
        (names[h], relations[r], names[t])
        for h, r, t in zip(graph.heads, graph.relation_ids, graph.tails, strict=True)
    }
    return triples, {(names[row[0]], *row[1:]) for row in graph.attributes.rows()}


def expected(document: bytes) -> tuple[set[tuple[str, ...]], set[tuple[str | None, ...]]]:
    """The same by pyoxigraph alone, statement by statement."""
    triples: set[tuple[str, ...]] = set()
    literals: set[tuple[str | None, ...]] = set()
    for quad in ox.parse(document, format=ox.RdfFormat.N_TRIPLES):
        head, target = bare(quad.subject), quad.object
        if isinstance(target, ox.Literal):
            plain = target.language is not None or target.datatype.value == XSD_STRING
            datatype = None if plain else target.datatype.value
            literals.add((head, quad.predicate.value, target.value, datatype, target.language))
        elif not isinstance(target, ox.Triple):
            triples.add((head, quad.predicate.value, bare(target)))
    return triples, literals


def bare(term: object) -> str:
    return f"_:{term.value}" if isinstance(term, ox.BlankNode) else term.value  # type: ignore[attr-defined]


iri_texts = st.one_of(
    st.sampled_from(
        [
            "http://a/b",
            "http://a/b#c",
            "urn:x:1",
            "mailto:a@b",
            "http://dbpedia.org/resource/Paris,_Texas_(film)",
            "http://ja.dbpedia.org/resource/香港",
            "http://a:80/?q=1&r=%20",
            "a:",
            "http://é.org/x",
            "http://u@h/",
            "http://[::1]/",
        ]
    ),
    st.text(alphabet="abZ09:/?#[]@!$&'()*+,;=-._~%é香\U0001f600\ue000", max_size=12).map("http://".__add__),
    st.text(alphabet='ab1:/?#%-.é \\u<>{}|^`"', max_size=10),
)
iris = iri_texts.map("<{}>".format)
blanks = st.text(alphabet="aZ0_-.:é", min_size=1, max_size=5).map("_:{}".format)
values = st.one_of(
    st.sampled_from(
        ["", "x", "a b", 'say \\"x\\"', "\\u00e9", "tab\there", "\\n", "\\q", "a # b", " .", "> ."]
    ),
    st.text(max_size=8).filter(lambda text: not set(text) & set('"\\\r\n\x00')),
)
endings = st.sampled_from(
    [
        "",
        "@en",
        "@EN-us",
        "@zh-Hant-TW",
        "@e",
        "@1",
        "@en--ltr",
        "^^<http://www.w3.org/2001/XMLSchema#string>",
        "^^<http://www.w3.org/2001/XMLSchema#integer>",
        "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>",
        "^^<x>",
        "^^",
    ]
)
literals = st.one_of(
    st.sampled_from(['"x"', '"a b"@en', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"\\u00e9"@fr']),
    st.tuples(values, endings).map(lambda parts: f'"{parts[0]}"{parts[1]}'),
)
gaps = st.sampled_from([" ", " ", " ", " ", "\t", "  ", ""])
ends = st.sampled_from([" .", " .", " .", " .", ".", "\t.", " . ", " . # note", "", " . ."])
statements = st.tuples(
    st.one_of(iris, iris, blanks), gaps, st.one_of(iris, iris, iris, blanks), gaps,
    st.one_of(iris, iris, blanks, literals, literals), ends,
).map("".join)  # fmt: skip


def is_valid(line: str) -> bool:
    try:
        list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))
    except SyntaxError:
        return False
    return True


valid_lines = st.one_of(
    statements.filter(is_valid),
    st.sampled_from(["", "# note", "  ", "<x:a> <x:p> <x:b> .", "_:a <x:p> <<( <x:a> <x:p> <x:b> )>> ."]),
)
line_ends = st.sampled_from(["\n", "\n", "\r\n", "\r"])


def document(lines: list[str], line_end: str, is_closed: bool) -> bytes:
    return (line_end.join(lines) + line_end * is_closed).encode()


documents = st.builds(
    document,
    st.one_of(st.lists(valid_lines, max_size=8), st.lists(st.one_of(valid_lines, statements), max_size=8)),
    line_ends,
    st.booleans(),
)


@given(document=documents, block_size=st.sampled_from([1, 40, 1 << 20]))
@settings(max_examples=100, deadline=None)
@example(document=b"<http://a> <http://p>\n<http://b> .", block_size=1)
@example(document=b'<x:a> <x:p> "\x01" .\n', block_size=1)
def test_documents_are_read_or_refused_as_by_pyoxigraph(document: bytes, block_size: int) -> None:
    try:
        wanted = expected(document)
    except SyntaxError:
        with pytest.raises(ReadError):
            read(document, block_size=block_size)
    else:
        assert facts(read(document, block_size=block_size)) == wanted


@given(st.lists(st.one_of(iris, blanks), min_size=1, max_size=20))
@settings(max_examples=100, deadline=None)
def test_names_that_count_as_plain_are_valid(names: list[str]) -> None:
    is_plain = pl.Series(names).str.contains(ntriples.PLAIN_ENTITY)
    for name in pl.Series(names).filter(is_plain):
        (quad,) = ox.parse(f"{name} <x:p> {name} .", format=ox.RdfFormat.N_TRIPLES)
        assert str(quad.subject) == name


@given(st.lists(statements, min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_an_error_names_the_first_faulty_line(lines: list[str]) -> None:
    faulty = [number for number, line in enumerate(lines, start=1) if not is_valid(line)]
    if not faulty:
        return
    with pytest.raises(ReadError) as caught:
        read("\n".join(lines).encode(), block_size=50)
    assert caught.value.line == faulty[0]


def test_an_error_far_down_names_line_and_column() -> None:
    document = b"<x:a> <x:p> <x:b> .\n" * 5000 + b"<x:a> <x:p> oops .\n" + b"<x:a> <x:p> <x:b> .\n" * 100
    with pytest.raises(ReadError, match=r"^facts\.nt:5001:13: not valid RDF: ") as caught:
        read(document, block_size=1000)
    assert (caught.value.line, caught.value.column) == (5001, 13)


def test_lines_that_are_wrong_only_together_are_an_error_with_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ntriples._LineReader, "_check_line", lambda *_: None)
    document = b"<x:a> <x:p> <x:b> .\n" * 6 + b"<x:a>  <x:p> <x:b> .\n<x:a> <x:p> oops .\n"
    with pytest.raises(ReadError, match=r"^facts\.nt:8:"):
        read(document)


def test_bytes_that_are_not_utf8_are_named_with_their_line() -> None:
    document = b"<x:a> <x:p> <x:b> .\n" * 300 + b'<x:a> <x:p> "\xff" .\n'
    with pytest.raises(ReadError, match=r"^facts\.nt:301:.*UTF-8"):
        read(document, block_size=1000)


def test_a_prefix_keeps_blank_nodes_apart_on_every_path() -> None:
    plain, unusual = b"_:a <x:p> _:b .\n", b"_:a  <x:p>  _:c .\n"
    graph = read(plain + unusual, blank_prefix="7.")
    assert graph.entities.to_list() == ["_:7.a", "_:7.b", "_:7.c"]


def test_tabs_between_names_are_read() -> None:
    triples, _ = facts(read(b"<x:a>\t<x:p>\t<x:b>\t.\n"))
    assert triples == {("x:a", "x:p", "x:b")}


def test_statements_about_statements_are_counted_and_left_out() -> None:
    builder = GraphBuilder()
    document = b"<x:a> <x:p> <<( <x:a> <x:p> <x:b> )>> .\n<x:a> <x:p> <x:b> .\n"
    assert ntriples.read_lines(PATH, io.BytesIO(document), builder) == 1
    assert builder.build().n_triples == 1
