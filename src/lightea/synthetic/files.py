"""Synthetic pairs as files, written piece by piece: the text of all facts is never in memory at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

import polars as pl

from lightea.errors import ConfigError, OutputError
from lightea.graph import KnowledgeGraph
from lightea.outputs import new_directory
from lightea.synthetic.pair import NameStyle, SyntheticPair, make_pair
from lightea.synthetic.shape import SyntheticShape

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


def write_pair(
    directory: Path | str,
    n: int,
    *,
    random_seed: int = 0,
    shape: SyntheticShape | None = None,
    names: NameStyle = "numbers",
    layout: Layout = "tsv",
) -> Path:
    """Write the pair that `make_pair` gives for the same arguments to a directory, whole or not at all.

    Layouts: "tsv" and "nt" are `left`, `right` and `links.tsv`; "openea" is a benchmark folder.
    An earlier pair in the directory is replaced; a directory that holds anything else is left alone.
    """
    if layout not in get_args(Layout):
        known = ", ".join(get_args(Layout))
        raise ConfigError(f"unknown layout {layout!r}", hint=f"the layouts are: {known}")
    pair = make_pair(n, random_seed=random_seed, shape=shape, names=names)
    with new_directory(directory, _holds_only_a_pair) as staging:
        _write_files(staging, pair, layout)
    return Path(directory)


def _holds_only_a_pair(directory: Path) -> None:
    ours = {name for files in _FILE_NAMES.values() for name in files if name}
    strangers = sorted({path.name for path in directory.iterdir()} - ours)
    if strangers:
        raise OutputError(
            f"{directory} holds other things than a synthetic pair, such as {strangers[0]}",
            hint="name a new directory",
        )


def _write_files(directory: Path, pair: SyntheticPair, layout: Layout) -> None:
    files = _FILE_NAMES[layout]
    sides = ((pair.left, files.left, files.left_literals), (pair.right, files.right, files.right_literals))
    for graph, name, literals_name in sides:
        with (directory / name).open("wb") as file:
            _write_rows(file, _fact_rows(graph, layout), layout)
            if literals_name is None:
                _write_rows(file, _literal_rows(graph, layout), layout)
        if literals_name is not None and len(graph.attributes):
            with (directory / literals_name).open("wb") as file:
                _write_rows(file, _literal_rows(graph, layout), layout)
    links = pl.DataFrame({"left": pair.links.left, "right": pair.links.right})
    with (directory / files.links).open("wb") as file:
        _write_rows(file, iter([links]), "tsv")


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
