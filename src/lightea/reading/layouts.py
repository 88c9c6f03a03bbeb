"""What the files of a benchmark folder hold, whichever of the usual layouts it has.

JAPE: `triples_1/2` in numbers, `ent_ids_1/2` with the URI of each number, `ref_ent_ids` and perhaps
`sup_ent_ids` with links. OpenEA: `rel_triples_1/2`, `attr_triples_1/2` and `ent_links` in URIs, and folders
with splits ("folds"). ContEA: `base/` and `batchN/` with a growing graph, read with all batches merged.
The numbers of the two sides may overlap, so each side has a table of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lightea.errors import ReadError
from lightea.graph import KnowledgeGraph, Links
from lightea.graph_builder import GraphBuilder
from lightea.reading.attributes import attribute_tables
from lightea.reading.dialect import LINK, TRIPLE, Roles
from lightea.reading.names import TRANSLATED, TRANSLATED_NAME, read_translated
from lightea.reading.sources import refuse_empty, sampled
from lightea.reading.tabular import text_tables
from lightea.reading.terms import bare_names

logger = logging.getLogger(__name__)

_NUMBERED: Roles = {"number": frozenset(), "name": frozenset()}

_TRIPLE_FILES = ("triples", "rel_triples")
_LINK_FILES = (
    "ill_ent_ids",
    "sup_ent_ids",
    "ref_ent_ids",
    "ent_links",
    "train_links",
    "valid_links",
    "test_links",
)
_SPLIT_FILES = (("sup_ent_ids", "ref_ent_ids"), ("train_links", "test_links"))
"""Files of links to learn from, and of links to find, that belong together."""

_USUAL_FOLDS = "721_5fold"


@dataclass(frozen=True, eq=False)
class Split:
    """Links to learn from, and links to find."""

    train: Links
    test: Links


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two graphs, and the names of the numbers in its files (none where files hold names)."""

    graph: KnowledgeGraph
    names: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Folder:
    """Everything a benchmark folder holds; `links` are all that are known, each once, in order of names."""

    left: Side
    right: Side
    links: Links
    own_split: Split | None
    folds: dict[int, Path]

    def read_fold(self, number: int) -> Split:
        """The split in one of the `folds`."""
        train, test = (
            read_pairs([self.folds[number] / name], self.left, self.right)
            for name in ("train_links", "test_links")
        )
        return Split(train, test)


def read_folder(path: Path, *, with_names: bool = True) -> Folder:
    """Read a benchmark folder of any layout, with the translated names in it or without."""
    if not path.is_dir():
        problem = (
            "a benchmark is a folder, but this is a file" if path.exists() else "there is no such folder"
        )
        raise ReadError(path, problem, hint="check the path")
    home = path / "base" if (path / "base").is_dir() else path
    batches = _batches(path)
    title = path.resolve().name
    translated = with_names and _has_translated_names(home)
    left, right = (_side(home, batches, k, f"{title}:{k}", translated=translated) for k in (1, 2))
    folds = _folds(home)
    links = read_pairs(_link_files(home, batches, folds), left, right)
    return Folder(left, right, links, _own_split(home, batches, left, right), folds)


def read_pairs(files: Iterable[Path], left: Side, right: Side) -> Links:
    """The links of several files, each once, in order of the names."""
    pairs = pl.concat(_table(file, LINK) for file in files)
    named = pl.DataFrame({"left": _named(pairs["left"], left), "right": _named(pairs["right"], right)})
    distinct = named.unique().sort("left", "right")
    return Links(distinct["left"], distinct["right"])


def _batches(path: Path) -> list[Path]:
    """The folders by which a growing graph grows, in their order."""
    found = [batch for batch in path.glob("batch*") if batch.name.removeprefix("batch").isdigit()]
    return sorted(found, key=lambda batch: int(batch.name.removeprefix("batch")))


def _folds(home: Path) -> dict[int, Path]:
    """The splits in the folder of splits; of several such folders the usual one, else the first."""
    found = [file.parent for file in home.glob("*/*/train_links") if file.parent.name.isdigit()]
    groups = sorted({fold.parent for fold in found}, key=lambda group: (group.name != _USUAL_FOLDS, group))
    return {int(fold.name): fold for fold in sorted(found) if fold.parent == groups[0]}


def _link_files(home: Path, batches: list[Path], folds: dict[int, Path]) -> list[Path]:
    """Files that together hold all links that are known."""
    here = [home / name for name in _LINK_FILES if (home / name).is_file()]
    if batches:
        return [*(file for file in here if file.name != "test_links"), batches[-1] / "all_test_links"]
    if here:
        return here
    if folds:
        return sorted(folds[min(folds)].glob("*_links"))
    raise ReadError(
        home, "the folder holds no links", hint=f"it should hold one of: {', '.join(_LINK_FILES)}"
    )


def _own_split(home: Path, batches: list[Path], left: Side, right: Side) -> Split | None:
    """The split that the files of the folder make, None if they make none."""
    for train, test in _SPLIT_FILES:
        held_back = batches[-1] / "all_test_links" if batches else home / test
        if (home / train).is_file() and held_back.is_file():
            return Split(read_pairs([home / train], left, right), read_pairs([held_back], left, right))
    return None


def _has_translated_names(home: Path) -> bool:
    """Whether there are translated names, and their numbers say which side's entities they are of."""
    if not (home / TRANSLATED).is_file():
        return False
    numbers = [_optional(home / f"ent_ids_{k}")["number"] for k in (1, 2)]
    shared = numbers[0].is_in(numbers[1].implode()).sum()
    if shared:
        logger.warning(
            "%s is left out: %d of its numbers may be entities of either side", home / TRANSLATED, shared
        )
    return not shared


def _side(home: Path, batches: list[Path], k: int, name: str, *, translated: bool) -> Side:
    """One graph; what its files call by number gets its name, if the folder tells it."""
    builder = GraphBuilder()
    for file in [_triple_file(home, k), *(batch / f"new_triples_{k}" for batch in batches)]:
        builder.add_triples(_table(file, TRIPLE))
    described = home / f"attr_triples_{k}"
    if described.is_file():
        for table in attribute_tables(described):
            builder.add_attributes(table)
    numbered = _optional(home / f"ent_ids_{k}")
    builder.add_entities(numbered["number"])
    if translated:
        builder.add_attributes(_translated(home / TRANSLATED, builder.entities.names()))
    entities = _names(builder.entities.names(), numbered)
    relations = _names(builder.relations.names(), _optional(home / f"rel_ids_{k}"))
    # No name may be added from here on: what follows spells those that are there.
    graph = builder.build(
        name, entity_names=lambda _: entities["name"], relation_names=lambda _: relations["name"]
    )
    return Side(graph, entities)


def _translated(path: Path, known: pl.Series) -> pl.DataFrame:
    """The translated names of a folder as literals, those of entities that are known."""
    names = read_translated(path)
    return names.filter(names["id"].is_in(known.implode())).select(
        entity="id",
        attribute=pl.lit(TRANSLATED_NAME),
        value="name",
        datatype=pl.lit(None, pl.String),
        language=pl.lit(None, pl.String),
    )


def _triple_file(home: Path, k: int) -> Path:
    for name in _TRIPLE_FILES:
        if (home / f"{name}_{k}").is_file():
            return home / f"{name}_{k}"
    inner = sorted({file.parent.name for name in _TRIPLE_FILES for file in home.glob(f"*/{name}_{k}")})
    raise ReadError(
        home,
        f"the folder holds no graph {k} in a layout that is known",
        hint=f"perhaps a folder in it is meant: {', '.join(inner)}"
        if inner
        else f"it should hold triples_{k} (JAPE), rel_triples_{k} (OpenEA) or base/triples_{k} (ContEA)",
    )


def _names(numbers: pl.Series, numbered: pl.DataFrame) -> pl.DataFrame:
    """The name of each number, itself where it has none.

    Where two numbers of a side have one name, the number is added to it: the folder means two entities.
    """
    known = numbered.with_columns(name=bare_names(numbered["name"])).unique("number", keep="first")
    asked = pl.DataFrame({"number": numbers})
    found = asked.join(known, on="number", how="left", maintain_order="left")
    named = found.with_columns(pl.col("name").fill_null(bare_names(numbers)))
    if len(numbered) == 0:
        return named
    is_shared = pl.col("name").is_duplicated()
    apart = pl.concat_str("name", pl.lit(" ("), "number", pl.lit(")"))
    return named.with_columns(name=pl.when(is_shared).then(apart).otherwise("name"))


def _named(numbers: pl.Series, side: Side) -> pl.Series:
    asked = pl.DataFrame({"number": numbers})
    found = asked.join(side.names, on="number", how="left", maintain_order="left")
    return found["name"].fill_null(bare_names(numbers))


def _optional(path: Path) -> pl.DataFrame:
    return (
        _table(path, _NUMBERED)
        if path.is_file()
        else pl.DataFrame(schema=dict.fromkeys(_NUMBERED, pl.String))
    )


def _table(path: Path, roles: Roles) -> pl.DataFrame:
    with sampled(path) as (sample, stream):
        refuse_empty(path, sample)
        tables = list(text_tables(path, stream, sample, roles, None))
    return pl.concat([pl.DataFrame(schema=dict.fromkeys(roles, pl.String)), *tables])
