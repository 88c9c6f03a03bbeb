"""What cannot be read is told in one sentence with its place, and in a hint what to do."""

from __future__ import annotations

import bz2
import gzip
import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import zstandard

from lightea import reading
from lightea.errors import ConfigError, InputError, ReadError
from lightea.reading import blocks

RDF_XML = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">\n'
    b'<rdf:Description rdf:about="http://x">\n<x:a>v</x:a>\n</rdf:Description>\n'
)
BYTES_OF_NO_TEXT = bytes(range(128, 256)) * 4

CASES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("f.tsv", b"", "f.tsv: the file is empty"),
    "only white space": ("f.txt", b" \n\n", "f.txt: the file is empty"),
    "empty when unpacked": ("f.nt.gz", gzip.compress(b""), "f.nt.gz: the file is empty"),
    "only a comment": ("f.nt", b"# nothing\n", "f.nt: there are no facts in it"),
    "only a header": ("f.csv", b"head,relation,tail\n", "f.csv: there are no facts in it"),
    "too few columns": ("f.tsv", b"a\tb\tc\nd\te\n", "f.tsv:2: 2 columns where 3 are expected"),
    "one column": ("f.tsv", b"a\n", "f.tsv:1: 1 column where 3 are expected"),
    "too many columns": ("f.csv", b"a,b,c\n\na,b,c,d\n", "f.csv:3: 4 columns where 3 are expected"),
    "not as the header": ("f.csv", b"h,r,t\na,b\n", "f.csv:2: 2 columns where 3 are expected (as in"),
    "after a quoted line end": ("f.csv", b'"a\nb",r,c\nd,e\n', "f.csv:3: 2 columns"),
    "no name": ("f.tsv", b"a\tr\tb\na\t\tb\n", "f.tsv:2: the relation is empty"),
    "not UTF-8": ("f.tsv", b"a\tb\tc\nd\te\t\xe9\n", "f.tsv:2:5: the text is not UTF-8 (byte 0xe9)"),
    "not UTF-8 between commas": ("f.csv", b"a,b,c\nd,\xe9,f\n", "f.csv:2:3: the text is not UTF-8"),
    "UTF-16": ("f.tsv", "a\tb\tc\n".encode("utf-16"), "f.tsv: the text is UTF-16"),
    "UTF-16 without a mark": ("f.tsv", "a\tb\tc\n".encode("utf-16-le"), "f.tsv: the text is UTF-16"),
    "UTF-16 the other way round": ("f.tsv", "東\t京\tc\n".encode("utf-16-be"), "f.tsv: the text is UTF-16"),
    "a page in place of N-Triples": (
        "f.nt",
        b"\n<!DOCTYPE html>\n<html><head>",
        "f.nt: this is an HTML page",
    ),
    "a page in place of XML": (
        "f.xml",
        b'<?xml version="1.0"?>\n<!-- 404 -->\n<html xmlns="http://www.w3.org/1999/xhtml">',
        "f.xml: this is an HTML page",
    ),
    "a page in place of Turtle": ("f.ttl", b"<HTML>\n<title>404", "f.ttl: this is an HTML page"),
    "a page in place of a table": ("f.tsv", b"<!doctype HTML><p>a\tb\tc", "f.tsv: this is an HTML page"),
    "JSON": ("f.json", b'{"a": [1, 2, 3]}', "f.json: the format is not known: this is JSON"),
    "JSON-LD": (
        "f.jsonld",
        b'{"@id": "x:a",\n "x:p": [}',
        "f.jsonld:2:10: not valid RDF: Unexpected closing",
    ),
    "JSON-LD without facts": ("f.jsonld", b'{"@context": {}}', "f.jsonld: there are no facts in it"),
    "JSON-LD of elsewhere": (
        "f.jsonld",
        b'{"@context": "https://schema.org/", "name": "x"}',
        "f.jsonld: its @context stands elsewhere, and nothing is fetched from there",
    ),
    "JSON that claims to be JSON-LD": (
        "f.jsonld",
        b'{"a": 1}',
        "f.jsonld: the format is not known: this is JSON",
    ),
    "JSON under a wrong name": ("f.csv", b'[\n  ["a","r","b"],\n', "f.csv: the format is not known: this is"),
    "JSON on lines": ("f", b'["a","r","b"]\n["c","r","d"]\n', "f: the format is not known: this is JSON"),
    "JSON cut off": (
        "f.csv",
        b'{"a": [' + b"1,2,3," * 20_000,
        "f.csv: the format is not known: this is JSON",
    ),
    "a cell of blanks": ("f.tsv", b"a\tr\tb\na\tr\t  \n", "f.tsv:2: the tail is empty"),
    "a cell of blanks between commas": ("f.csv", b"a,r,b\na, ,c\n", "f.csv:2: the relation is empty"),
    "a cell of foreign blanks": ("f.tsv", "a\tr\tb\n\u3000\tr\tb\n".encode(), "f.tsv:2: the head is empty"),
    "a quoted cell of blanks": ("f.tsv", b'"a"\t"r"\t"b"\n"a"\t"r"\t" "\n', "f.tsv:2: the tail is empty"),
    "a NUL byte": ("f.nt", b"<x:a>\n\0", "f.nt:2: the file is binary"),
    "no text": ("f", BYTES_OF_NO_TEXT, "f:1: the file is not UTF-8 text"),
    "prose": ("f.txt", b"Hello world\n", "f.txt:1: the format is not known"),
    "two columns without a name": ("f.txt", b"a\tb\nc\td\n", "f.txt:1: the format is not known"),
    "N-Triples": ("f.nt", b"<x:a> <x:p> <x:b> .\n<x:a> <x:p> <x:b>\n", "f.nt:2:18: not valid RDF: Triples"),
    "N-Quads": ("f.nq", b"<x:a> <x:p> <x:b> .\n<x:a> oops .\n", "f.nq:2:"),
    "Turtle": ("f.ttl", b"@prefix : <http://x/> .\n:a :b :c .\n:a :b ] .\n", "f.ttl:3:7: not valid RDF: ]"),
    "TriG": ("f.trig", b"<x:g> { <x:a> <x:b> <x:c> .\n <x:a> oops }\n", "f.trig:2:8: not valid RDF"),
    "XML": ("f.rdf", RDF_XML + b"<oops>\n</rdf:RDF>", "f.rdf:"),
    "an IRI in XML": (
        "f.rdf",
        RDF_XML.replace(b'"http://x"', b'"x"') + b"</rdf:RDF>",
        "f.rdf:2: not valid RDF",
    ),
    "an IRI with a line end in XML": (
        "f.rdf",
        RDF_XML.replace(b'"http://x"', b'"http://x\ny"') + b"</rdf:RDF>",
        "f.rdf:3: not valid RDF: error while parsing IRI 'http://x\\ny'",
    ),
    "an entity in XML": (
        "f.rdf",
        RDF_XML.replace(b">v<", b">&b;<") + b"</rdf:RDF>",
        "f.rdf:3: not valid RDF: unrecognized entity `b`",
    ),
    "an attribute in XML": (
        "f.rdf",
        RDF_XML.replace(b"<x:a>", b"<x:a x:b=v>") + b"</rdf:RDF>",
        "f.rdf:3: not valid RDF: error while parsing attribute: attribute value must be enclosed",
    ),
    "a literal over lines": (
        "f.ttl",
        b"@prefix : <http://x/> .\n:a :b <http://a\nb> .\n",
        "f.ttl:2:7: not valid RDF: Invalid IRI code point",
    ),
    "XML cut off": ("f.rdf", RDF_XML, "f.rdf: the XML ends before its root element does"),
    "random bytes with returns": ("f", b"\xe9\r\xff,\r\x80;\r" * 9, "f:1: the file is not UTF-8 text"),
    "N-Triples between returns": ("f.nt", b"<x:a> <x:p> <x:b> .\r<x:a> oops .\r", "f.nt:2:7: not valid RDF"),
    "a wrong line on a Mac": ("f.tsv", b"a\tb\tc\rd\te\r", "f.tsv:2: 2 columns where 3 are expected"),
    "a quote never closed": (
        "f.csv",
        b'a,b,"5"" disk"\nc,"d,e\nf,g,h\n',
        "f.csv:2: a quote opens a cell here",
    ),
    "Parquet": ("f.parquet", b"PAR1 nonsense", "f.parquet: the Parquet data cannot be used"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_names_the_place_and_the_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    name, content, sentence = CASES[case]
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(ReadError) as caught:
        reading.read(name)
    assert caught.value.message.startswith(sentence)
    assert "\n" not in caught.value.message
    assert caught.value.hint is not None


def test_one_open_quote_does_not_read_the_file_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "LONGEST_QUOTE", 100)
    monkeypatch.setitem(blocks.line_blocks.__kwdefaults__, "size", 50)
    lines = [b"a,b,c\n"] * 400
    lines[30] = b'a,"b,c\n'
    lines[200] = b'a,b",c\n'
    path = tmp_path / "facts.csv"
    path.write_bytes(b"".join(lines))
    with pytest.raises(ReadError, match=r"facts\.csv:31: a quote opens a cell here and is never closed"):
        reading.read(path)


def test_hints_can_be_followed_from_the_command_line_and_from_python(tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_bytes(b"Hello world\n")
    for read, ways in ((reading.read, ["--format", "format=…"]), (reading.read_links, [".tsv", "format=…"])):
        path.write_bytes(b"Hello big wide world\n")
        with pytest.raises(ReadError) as caught:
            read(path)
        assert all(way in str(caught.value.hint) for way in ways)
        assert "ntriples" in str(caught.value.hint)
    path.write_bytes(b"<x:a> <x:p> oops .\n")
    with pytest.raises(ReadError) as caught:
        reading.read(path, format="nt")
    assert "--format" in str(caught.value.hint)


@pytest.mark.parametrize("line", [1, 17, 400])
@pytest.mark.parametrize("bad", [b"a\tb\n", b"a\tb\t\xff\n", b"a\tb\tc\0\n", b"a\tb\tc\td\n", b"\tb\tc\n"])
def test_the_line_is_right_in_a_file_of_many_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: bytes, line: int
) -> None:
    monkeypatch.setitem(blocks.line_blocks.__kwdefaults__, "size", 50)
    lines = [b"a\tb\tc\n"] * 400
    lines[line - 1] = bad
    path = tmp_path / "facts.tsv"
    path.write_bytes(b"".join(lines))
    with pytest.raises(ReadError) as caught:
        reading.read(path, format="tsv")
    assert caught.value.line == line


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": lambda content: zstandard.ZstdCompressor(write_checksum=True).compress(content),
}
TRIPLES = b"".join(b"<x:%d> <x:p> <x:%d> .\n" % (i, i * i % 991) for i in range(30_000))


@pytest.mark.parametrize("extension", COMPRESSIONS)
@pytest.mark.parametrize("format_", ["nt", "ttl"])
def test_a_compressed_file_that_is_cut_off_is_an_error(tmp_path: Path, extension: str, format_: str) -> None:
    whole = COMPRESSIONS[extension](TRIPLES)
    path = tmp_path / f"facts.{format_}.{extension}"
    for length in (len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:length])
        with pytest.raises(ReadError, match="ends too early"):
            reading.read(path)


@pytest.mark.parametrize("extension", COMPRESSIONS)
def test_a_compressed_file_that_is_damaged_is_an_error(tmp_path: Path, extension: str) -> None:
    whole = bytearray(COMPRESSIONS[extension](TRIPLES))
    middle = len(whole) // 2
    whole[middle : middle + 40] = random.Random(0).randbytes(40)
    path = tmp_path / f"facts.nt.{extension}"
    path.write_bytes(whole)
    with pytest.raises(ReadError):
        reading.read(path)


@pytest.mark.parametrize("extension", COMPRESSIONS)
def test_compressed_files_joined_to_one_are_read_whole(tmp_path: Path, extension: str) -> None:
    half = len(TRIPLES.splitlines()) // 2
    lines = TRIPLES.splitlines(keepends=True)
    parts = [COMPRESSIONS[extension](b"".join(part)) for part in (lines[:half], lines[half:])]
    path = tmp_path / f"facts.nt.{extension}"
    path.write_bytes(b"".join(parts))
    assert reading.read(path).n_triples == 30_000


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"nowhere\.tsv: there is no such file"):
        reading.read(tmp_path / "nowhere.tsv")


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "facts.tsv"
    path.write_bytes(b"a\tb\tc\n")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReadError, match=r"facts\.tsv: the file cannot be read: Permission denied"):
        reading.read(path)


def test_a_disk_that_fails_on_the_way_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    path = tmp_path / "facts.tsv"
    path.write_bytes(b"a\tb\tc\n")
    monkeypatch.setattr("lightea.reading.tabular.line_blocks", fail)
    with pytest.raises(ReadError, match=r"facts\.tsv: the file cannot be read: Input/output error"):
        reading.read(path)


@pytest.mark.parametrize("names", [[], [".hidden.nt", "_SUCCESS"], ["empty.nt"]])
def test_a_directory_without_shards_is_an_error(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(ReadError, match="the directory holds"):
        reading.read(tmp_path)


def test_shards_that_are_all_empty_when_unpacked_are_an_error(tmp_path: Path) -> None:
    for name in ("1.nt.gz", "2.nt.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b""))
    with pytest.raises(ReadError, match="there are no facts in it"):
        reading.read(tmp_path)


def test_a_benchmark_folder_is_not_taken_for_one_graph(tmp_path: Path) -> None:
    (tmp_path / "triples_1").write_bytes(b"1\t2\t3\n")
    with pytest.raises(ReadError, match="this is a benchmark folder"):
        reading.read(tmp_path)


@pytest.mark.parametrize("given", [None, 3, b"facts.tsv", ["facts.tsv", 3], "", object()])
@pytest.mark.parametrize("read", [reading.read, reading.read_links, reading.read_benchmark])
def test_what_is_no_path_is_told(read: Callable[..., object], given: object) -> None:
    with pytest.raises(InputError, match="is not the path of a file") as caught:
        read(given)
    assert "\n" not in caught.value.message
    assert caught.value.hint is not None


def test_a_format_that_is_no_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "facts.tsv").write_bytes(b"a\tb\tc\n")
    with pytest.raises(ConfigError, match="the format is 3, but must be a name"):
        reading.read(tmp_path / "facts.tsv", format=3)  # type: ignore[arg-type]


def test_parquet_with_cells_of_blanks_is_an_error(tmp_path: Path) -> None:
    pl.DataFrame({"h": ["x", "x"], "r": ["y", "y"], "t": ["z", " "]}).write_parquet(tmp_path / "f.parquet")
    with pytest.raises(ReadError, match="row 2 has no tail"):
        reading.read(tmp_path / "f.parquet")


def test_no_path_and_an_unknown_format_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file was named"):
        reading.read([])
    (tmp_path / "facts.tsv").write_bytes(b"a\tb\tc\n")
    with pytest.raises(ConfigError, match="unknown format 'docx'") as caught:
        reading.read(tmp_path / "facts.tsv", format="docx")
    assert "ntriples" in str(caught.value.hint)


def test_parquet_without_the_columns_or_with_gaps_is_an_error(tmp_path: Path) -> None:
    pl.DataFrame({"a": ["x"], "b": ["y"]}).write_parquet(tmp_path / "facts.parquet")
    with pytest.raises(ReadError, match="no columns for head, relation, tail among a, b"):
        reading.read(tmp_path / "facts.parquet")
    pl.DataFrame({"h": ["x", "x"], "r": ["y", "y"], "t": ["z", None]}).write_parquet(tmp_path / "gap.parquet")
    with pytest.raises(ReadError, match="row 2 has no tail"):
        reading.read(tmp_path / "gap.parquet")
