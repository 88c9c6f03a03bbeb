"""Files of names: one line for each, identifier and name, or the translated names of benchmark folders."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

from lightea.errors import ReadError
from lightea.reading.blocks import line_blocks
from lightea.reading.compression import open_bytes
from lightea.reading.sources import as_path, refuse_empty, sampled
from lightea.reading.tabular import decoded
from lightea.reading.terms import bare_names

NAME_SCHEMA = {"id": pl.String, "name": pl.String}
TRANSLATED = "translated_names.json"
TRANSLATED_NAME = "translated_name"
"""The attribute that translated names of benchmark folders become."""


def read_names(path: Path | str) -> pl.DataFrame:
    """Read names of entities: `id`, a tab, `name` on each line; or a JSON list of `[id, [word, …]]`.

    An entity may have several lines. What follows the first tab is the name, quotes and all.
    """
    file = as_path(path)
    if file.name.removesuffix(".gz").endswith(".json"):
        return read_translated(file)
    with sampled(file) as (sample, stream):
        refuse_empty(file, sample)
        blocks = [decoded(file, block) for block in line_blocks(stream)]
    lines = pl.Series("line", "".join(blocks).replace("\r\n", "\n").split("\n"))
    filled = lines.filter(lines.str.strip_chars() != "")
    parts = filled.str.splitn("\t", 2).struct.rename_fields(["id", "name"]).struct.unnest()
    if parts["name"].null_count():
        number = int(
            (lines.str.contains("\t", literal=True) | (lines.str.strip_chars() == "")).arg_min() or 0
        )
        raise ReadError(
            file,
            f"there is no name on this line: {lines[number][:60]!r}",
            line=number + 1,
            hint="each line holds an identifier, a tab and a name",
        )
    return parts.with_columns(bare_names(parts["id"].str.strip_chars()).alias("id"))


def read_translated(path: Path) -> pl.DataFrame:
    """The names of a JSON list of `[id, [word, …]]`, the words parted by blanks."""
    with open_bytes(path) as stream:
        content = stream.read()
    try:
        rows = [_row(entry) for entry in json.loads(content)]
    except (ValueError, TypeError) as problem:
        raise ReadError(
            path,
            f"these are no translated names: {problem}",
            hint='the file holds a list of entries such as [12, ["ada", "lovelace"]]',
        ) from problem
    return pl.DataFrame(rows, schema=NAME_SCHEMA, orient="row")


def _row(entry: Any) -> tuple[str, str]:
    number, words = entry
    if isinstance(words, str):
        return str(number), words
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"the words of {number} are {str(words)[:60]}")
    return str(number), " ".join(words)
