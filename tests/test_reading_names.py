"""Files of names: what they may look like, and what is said of those that are none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lightea import read_names
from lightea.errors import ReadError


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_an_entity_may_have_several_lines_and_a_name_may_hold_tabs_and_quotes(tmp_path: Path) -> None:
    text = 'a\tAda\r\n<http://x.org/b>\t"B"\twith tab\n\na\tCountess\n'
    table = read_names(written(tmp_path / "names.tsv", text))
    assert table.rows() == [("a", "Ada"), ("http://x.org/b", '"B"\twith tab'), ("a", "Countess")]


def test_packed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv.gz"
    path.write_bytes(gzip.compress("a\tÁda\n".encode()))
    assert read_names(path).rows() == [("a", "Áda")]


def test_translated_names_of_benchmarks_are_read(tmp_path: Path) -> None:
    path = written(tmp_path / "translated_names.json", json.dumps([[7, ["ada", "lovelace"]], [8, []]]))
    assert read_names(path).rows() == [("7", "ada lovelace"), ("8", "")]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("names.tsv", "a\tAda\nb Grace\n", "2: there is no name on this line: 'b Grace'"),
        ("names.tsv", "", "the file is empty"),
        ("names.json", "{", "these are no translated names"),
        ("names.json", "[[1, [2]]]", "these are no translated names"),
        ("names.json", "[1]", "these are no translated names"),
    ],
)
def test_what_is_no_list_of_names_is_said(name: str, text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=problem):
        read_names(written(tmp_path / name, text))
