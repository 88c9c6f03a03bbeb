"""Synthetic pairs as files, written piece by piece: the text of all facts is never in memory at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

import polars as pl

from lightea.errors import ConfigError, OutputError
from lightea.graph import KnowledgeGraph, Links
from lightea.outputs import new_directory

Layout = Literal["tsv", "nt", "openea"]

_ROWS_AT_ONCE = 1_000_000


class _FileNames(NamedTuple):
    """Where a layout keeps things; literals may have files of their own."""

    left: str
    right: str
    links: str
    left_literals: str | None = None
    right_literals: str | None = None


_FILE_NAMES: dict[str, _FileNames] = {
    "tsv": _FileNames("left.tsv", "right.tsv", "links.tsv"),
    "nt": _FileNames("left.nt", "right.nt", "links.tsv"),
    "openea": _FileNames("rel_triples_1", "rel_triples_2", "ent_links", "attr_triples_1", "attr_triples_2"),
}


def check_layout(layout: str) -> None:
    """Raise `ConfigError` for a layout that there is not."""
    if layout not in get_args(Layout):
        known = ", ".join(get_args(Layout))
        raise ConfigError(f"unknown layout {layout!r}", hint=f"the layouts are: {known}")


def write_files(
    directory: Path | str, left: KnowledgeGraph, right: KnowledgeGraph, links: Links, layout: Layout
) -> Path:
    """Write two graphs and the links between them to a directory, whole or not at all."""
    check_layout(layout)
    with new_directory(directory, _holds_only_a_pair) as staging:
        _write_files(staging, left, right, links, layout)
    return Path(directory)


def _holds_only_a_pair(directory: Path) -> None:
    ours = {name for files in _FILE_NAMES.values() for name in files if name}
    strangers = sorted({path.name for path in directory.iterdir()} - ours)
    if strangers:
        raise OutputError(
            f"{directory} holds other things than a synthetic pair, such as {strangers[0]}",
            hint="name a new directory",
        )


def _write_files(
    directory: Path, left: KnowledgeGraph, right: KnowledgeGraph, links: Links, layout: Layout
) -> None:
    files = _FILE_NAMES[layout]
    sides = ((left, files.left, files.left_literals), (right, files.right, files.right_literals))
    for graph, name, literals_name in sides:
        with (directory / name).open("wb") as file:
            _write_rows(file, _fact_rows(graph, layout), layout)
            if literals_name is None:
                _write_rows(file, _literal_rows(graph, layout), layout)
        if literals_name is not None and len(graph.attributes):
            with (directory / literals_name).open("wb") as file:
                _write_rows(file, _literal_rows(graph, layout), layout)
    pairs = pl.DataFrame({"left": links.left, "right": links.right})
    with (directory / files.links).open("wb") as file:
        _write_rows(file, iter([pairs]), "tsv")


def _write_rows(file: BinaryIO, tables: Iterator[pl.DataFrame], layout: Layout) -> None:
    for table in tables:
        table.write_csv(
            file,
            include_header=False,
            separator=" " if layout == "nt" else "\t",
            line_terminator=" .\n" if layout == "nt" else "\n",
            quote_style="never",
        )


def _fact_rows(graph: KnowledgeGraph, layout: Layout) -> Iterator[pl.DataFrame]:
    entities, relations = _spelled(graph.entities, layout), _spelled(graph.relations, layout)
    for start in range(0, graph.n_triples, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        yield pl.DataFrame(
            {
                "head": entities.gather(graph.heads[rows]),
                "relation": relations.gather(graph.relation_ids[rows]),
                "tail": entities.gather(graph.tails[rows]),
            }
        )


def _literal_rows(graph: KnowledgeGraph, layout: Layout) -> Iterator[pl.DataFrame]:
    entities = _spelled(graph.entities, layout)
    for rows in graph.attributes.iter_slices(_ROWS_AT_ONCE):
        yield pl.DataFrame(
            {
                "head": entities.gather(rows["entity"]),
                "relation": _spelled(rows["attribute"], layout),
                "tail": rows.select(_literal()).to_series(),
            }
        )


def _spelled(names: pl.Series, layout: Layout) -> pl.Series:
    """Names as a layout writes them; N-Triples wants angle brackets."""
    return pl.select(pl.format("<{}>", names)).to_series() if layout == "nt" else names


def _literal() -> pl.Expr:
    """A literal as N-Triples writes it; the values made here hold nothing that needs escaping."""
    quoted = pl.format('"{}"', "value")
    return (
        pl.when(pl.col("language").is_not_null())
        .then(pl.format("{}@{}", quoted, "language"))
        .when(pl.col("datatype").is_not_null())
        .then(pl.format("{}^^<{}>", quoted, "datatype"))
        .otherwise(quoted)
    )
