from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import polars as pl
import pytest

from lightea.errors import ReadError
from lightea.graph import Links
from lightea.reading import read_links

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
        ("links.nt", "<x:a> <x:p> <x:b> .\n", "there are no links in it"),
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
