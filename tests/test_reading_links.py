from __future__ import annotations

import bz2
import dataclasses
import gzip
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import handmade
from lightea.errors import ReadError
from lightea.graph import Links
from lightea.reading import read_links
from lightea.writing import links_tsv, seeds_tsv

PAIRS = [("http://a/1", "http://b/1"), ("http://a/2,3", "http://b/é")]
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"


def pairs(links: Links) -> list[tuple[str, str]]:
    return list(zip(links.left, links.right, strict=True))


def read(folder: Path, text: str | bytes, name: str = "links.tsv") -> list[tuple[str, str]]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return pairs(read_links(path))


@pytest.mark.parametrize("header", ["", "left\tright\n", "Source\tTarget\n", "entity1\tentity2\n"])
def test_two_columns_are_pairs(tmp_path: Path, header: str) -> None:
    text = header + "".join(f"{left}\t{right}\n" for left, right in PAIRS)
    assert read(tmp_path, text) == PAIRS
    assert read(tmp_path, gzip.compress(text.encode()), "links.gz") == PAIRS
    assert read(tmp_path, bz2.compress(text.encode()), "links.tsv.bz2") == PAIRS


@pytest.mark.parametrize("header", ["", "left,right,probability\n"])
def test_a_third_column_is_of_no_interest(tmp_path: Path, header: str) -> None:
    assert read(tmp_path, f"{header}a,b,0.9\nc,d,\n", "links.csv") == [("a", "b"), ("c", "d")]


def test_a_header_says_which_column_is_which(tmp_path: Path) -> None:
    text = "predicate_id,object_id,subject_id\nskos:exactMatch,b,a\n"
    assert read(tmp_path, text, "links.csv") == [("a", "b")]


@pytest.mark.parametrize("extension", ["nt", "ttl", "txt"])
def test_same_as_statements_are_pairs(tmp_path: Path, extension: str) -> None:
    text = "".join(f"<{left}> <{SAME_AS}> <{right}> .\n" for left, right in PAIRS)
    other = '<x:a> <x:p> <x:b> .\n<x:a> <x:label> "a" .\n'
    assert read(tmp_path, other + text, f"links.{extension}") == PAIRS


def test_names_are_spelled_as_in_graphs(tmp_path: Path) -> None:
    assert read(tmp_path, "<http://a/1>\thttp://b/1\n") == [("http://a/1", "http://b/1")]


def test_seeds_name_blank_nodes_as_the_graph_does(tmp_path: Path) -> None:
    label = "b0123456789abcdef0123456789abcde"
    text = f"_:{label} <{SAME_AS}> <x:b> .\n"
    assert read(tmp_path, text, "links.nt") == [(f"_:{label}", "x:b")]


def test_seeds_from_an_old_mac_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "a\tb\rc\td\r") == [("a", "b"), ("c", "d")]


names = st.text(alphabet='ab\\tnr\t\n\r,;"<é\u2028 ', min_size=1, max_size=6).filter(str.strip)


@given(st.lists(st.tuples(names, names), min_size=1, max_size=6, unique_by=(lambda p: p[0], lambda p: p[1])))
@settings(max_examples=60, deadline=None)
@example([("base <x", "a\\tb")])
@example([("C:\\new", "\\\\t\t")])
def test_the_tables_of_a_run_are_read_as_they_were_written(written: list[tuple[str, str]]) -> None:
    sides = [pl.Series(sorted(side), dtype=pl.String) for side in zip(*written, strict=True)]
    left, right = (dataclasses.replace(handmade.graph("", 0), entities=side) for side in sides)
    place = [(left.find([one])[0], right.find([other])[0]) for one, other in sorted(written)]
    rows = {int(one): [(int(other), 0.5, 0.5)] for one, other in place}
    made = handmade.alignment(rows, links=place, left=left, right=right)
    seeded = dataclasses.replace(made, seeds=np.array(place, np.int32))
    with tempfile.TemporaryDirectory() as folder:
        for content, name in ((links_tsv(made), "links.tsv"), (seeds_tsv(seeded), "other")):
            assert read(Path(folder), content, name) == sorted(written)


def test_only_the_tables_of_a_run_have_escapes(tmp_path: Path) -> None:
    assert read(tmp_path, "source\ttarget\nC:\\new\tb\n") == [("C:\\new", "b")]
    assert read(tmp_path, "left\tright\nC:\\\\new\tb\\qc\n") == [("C:\\new", "b\\qc")]


def test_the_order_and_repetitions_of_the_file_are_kept(tmp_path: Path) -> None:
    assert read(tmp_path, "b\t1\na\t2\nb\t1\n") == [("b", "1"), ("a", "2"), ("b", "1")]


def test_parquet_is_read(tmp_path: Path) -> None:
    pl.DataFrame({"left": [1, 2], "right": ["x", "y"]}).write_parquet(tmp_path / "links.parquet")
    assert pairs(read_links(tmp_path / "links.parquet")) == [("1", "x"), ("2", "y")]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("links.tsv", "", "the file is empty"),
        ("links.tsv", "left\tright\n", "there are no links in it"),
        ("links.nt", "<x:a> <x:p> <x:b> .\n", "of its statements none is owl:sameAs, but for example x:p"),
        ("links.nt", "# nothing\n", "there are no links in it"),
        ("links.tsv", "a\tb\nc\n", "links.tsv:2: 1 column where 2 are expected"),
        ("links.tsv", "a\tb\tc\td\n", "links.tsv:1: 4 columns where 2 are expected"),
        ("links.tsv", "a\tb\n\tc\n", "links.tsv:2: the left is empty"),
        ("links.ttl", "<x:a> <x:b> ] .\n", "links.ttl:1:13: not valid RDF"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(tmp_path, text, name)
    assert sentence in caught.value.message


def test_a_directory_is_no_file_of_links(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="this is a directory, not a file"):
        read_links(tmp_path)
