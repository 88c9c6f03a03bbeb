"""Benchmark folders: two graphs with the links known to be true, split into seeds and held-back links.

Three layouts are in use. JAPE: `triples_1/2` in numbers, `ent_ids_1/2` with the URI of each number,
`ref_ent_ids` and perhaps `sup_ent_ids` with links. OpenEA: `rel_triples_1/2` and `ent_links` in URIs, folders
with splits ("folds"). ContEA: `base/` and `batchN/` with a growing graph, read with all batches merged.
The numbers of the two sides may overlap, so each side has a table of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from lightea.errors import ConfigError, ReadError
from lightea.graph import KnowledgeGraph, Links, graph_from_names
from lightea.reading.compression import open_bytes
from lightea.reading.dialect import LINK, TRIPLE, Roles
from lightea.reading.literals import literal_parts
from lightea.reading.sources import sample_of
from lightea.reading.tabular import text_tables
from lightea.reading.terms import bare_names

_NUMBERED: Roles = {"number": frozenset(), "name": frozenset()}
_ATTRIBUTE: Roles = {"entity": frozenset(), "attribute": frozenset(), "value": frozenset()}

_DEFAULT_TRAIN = 0.3


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Two graphs, the links to learn from and the links to find."""

    name: str
    left: KnowledgeGraph
    right: KnowledgeGraph
    train: Links
    test: Links
    links: Links
    """Every link that is known, in order of the names; also those in neither `train` nor `test`."""


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of a benchmark: its graph, and what the numbers in its files stand for."""

    graph: KnowledgeGraph
    entity_names: pl.DataFrame


@dataclass(frozen=True, eq=False)
class _Split:
    """A split that the folder brings along."""

    train: Links
    test: Links


def read_benchmark(
    folder: Path | str, *, train: float | None = None, fold: int | None = None, random_seed: int = 0
) -> Benchmark:
    """Read a benchmark folder.

    With `train` all known links are shuffled by `random_seed`, and that share of them becomes seeds; with
    `fold` the folder's split of that number is used. With neither, the folder's own split, or `train=0.3`.
    """
    path = Path(folder)
    _check_request(path, train, fold)
    if (path / "base").is_dir():
        return _growing(path, train, fold, random_seed)
    if (path / "rel_triples_1").exists():
        return _openea(path, train, fold, random_seed)
    if (path / "triples_1").exists():
        return _jape(path, train, fold, random_seed)
    raise ReadError(
        path,
        "this is not a benchmark folder of a known layout",
        hint="it should hold triples_1 (JAPE), rel_triples_1 (OpenEA) or base/triples_1 (ContEA); "
        "two graphs of your own go to `lightea align`",
    )


def _check_request(path: Path, train: float | None, fold: int | None) -> None:
    if not path.exists():
        raise ReadError(path, "there is no such folder", hint="check the path")
    if not path.is_dir():
        raise ReadError(path, "a benchmark is a folder, and this is a file", hint="name the folder it is in")
    if train is not None and fold is not None:
        raise ConfigError("train and fold exclude each other", hint="a fold is a split already")
    if train is not None and not 0 <= train < 1:
        raise ConfigError(f"train is {train:g}, but must be at least 0 and less than 1, for example 0.3")


# --- layouts -----------------------------------------------------------------------------------------


def _jape(path: Path, train: float | None, fold: int | None, random_seed: int) -> Benchmark:
    sides = [_numbered_side(path, [path / f"triples_{k}"], k, path.name) for k in (1, 2)]
    held_back = _links([path / "ref_ent_ids"], sides)
    given = _links([path / "sup_ent_ids"], sides) if (path / "sup_ent_ids").exists() else None
    own = None if given is None else _Split(given, held_back)
    known = held_back if given is None else _together([given, held_back])
    _refuse_fold(path, fold, [])
    return _benchmark(path, sides, known, own, train, random_seed)


def _openea(path: Path, train: float | None, fold: int | None, random_seed: int) -> Benchmark:
    sides = [_named_side(path, k) for k in (1, 2)]
    folds = _folds(path)
    _refuse_fold(path, fold, list(folds))
    chosen = folds.get(1 if fold is None else fold)
    own = None
    if chosen is not None:
        own = _Split(*(_links([chosen / f"{part}_links"], sides) for part in ("train", "test")))
    return _benchmark(path, sides, _links([path / "ent_links"], sides), own, train, random_seed)


def _growing(path: Path, train: float | None, fold: int | None, random_seed: int) -> Benchmark:
    batches = sorted((b for b in path.glob("batch*") if b.is_dir()), key=lambda b: (len(b.name), b.name))
    sides = [
        _numbered_side(
            path / "base",
            [path / "base" / f"triples_{k}", *(batch / f"new_triples_{k}" for batch in batches)],
            k,
            path.name,
        )
        for k in (1, 2)
    ]
    last = batches[-1] / "all_test_links" if batches else path / "base" / "test_links"
    own = _Split(_links([path / "base" / "train_links"], sides), _links([last], sides))
    validation = _links([path / "base" / "valid_links"], sides)
    _refuse_fold(path, fold, [])
    known = _together([own.train, validation, own.test])
    return _benchmark(path, sides, known, own, train, random_seed)


def _folds(path: Path) -> dict[int, Path]:
    """The splits of a folder by number."""
    found = sorted(split.parent for split in path.glob("*/*/train_links") if split.parent.name.isdigit())
    return {int(split.name): split for split in reversed(found)}


def _refuse_fold(path: Path, fold: int | None, known: list[int]) -> None:
    if fold is None or fold in known:
        return
    numbers = ", ".join(str(number) for number in sorted(known)) or "none"
    raise ConfigError(
        f"{path}: there is no fold {fold}; the folds are: {numbers}",
        hint="name one of them, or split at random with --train 0.3",
    )


# --- splitting ---------------------------------------------------------------------------------------


def _benchmark(
    path: Path,
    sides: list[_Side],
    known: Links,
    own: _Split | None,
    train: float | None,
    random_seed: int,
) -> Benchmark:
    links = _together([known])
    split = own if train is None and own is not None else _random_split(links, train, random_seed)
    return Benchmark(path.name, sides[0].graph, sides[1].graph, split.train, split.test, links)


def _random_split(links: Links, train: float | None, random_seed: int) -> _Split:
    """Shuffle the links, which are in order of their names, so that only content and seed matter."""
    order = np.random.default_rng(random_seed).permutation(len(links))
    given, held_back = np.split(order, [round((_DEFAULT_TRAIN if train is None else train) * len(links))])
    return _Split(_some(links, np.sort(given)), _some(links, np.sort(held_back)))


def _some(links: Links, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Links:
    return Links(links.left.gather(rows), links.right.gather(rows))


def _together(parts: list[Links]) -> Links:
    """All links of the parts, each once, in order of their names."""
    table = pl.concat(pl.DataFrame({"left": part.left, "right": part.right}) for part in parts)
    distinct = table.unique().sort("left", "right")
    return Links(distinct["left"], distinct["right"])


# --- files -------------------------------------------------------------------------------------------


def _numbered_side(path: Path, triples: list[Path], k: int, name: str) -> _Side:
    """A graph whose files hold numbers; those that stand for nothing else are names themselves."""
    entity_names = _distinct_names(_optional(path / f"ent_ids_{k}"))
    relation_names = _distinct_names(_optional(path / f"rel_ids_{k}"))
    facts = pl.concat(_table(file, TRIPLE) for file in triples)
    graph = graph_from_names(
        _named(facts["head"], entity_names),
        _named(facts["relation"], relation_names),
        _named(facts["tail"], entity_names),
        more_entities=entity_names["name"],
        name=f"{name}:{k}",
    )
    return _Side(graph, entity_names)


def _named_side(path: Path, k: int) -> _Side:
    facts = _table(path / f"rel_triples_{k}", TRIPLE)
    described = path / f"attr_triples_{k}"
    graph = graph_from_names(
        *(bare_names(facts[column]) for column in ("head", "relation", "tail")),
        attributes=_attributes(described) if described.exists() else None,
        name=f"{path.name}:{k}",
    )
    return _Side(graph, _no_names())


def _attributes(path: Path) -> pl.DataFrame:
    """Attribute values; those not written as N-Triples literals are taken as they stand."""
    table = _table(path, _ATTRIBUTE)
    literals = literal_parts(table["value"])
    plain = literals["value"].is_null()
    return pl.DataFrame(
        {
            "entity": bare_names(table["entity"]),
            "attribute": bare_names(table["attribute"]),
            "value": literals["value"].zip_with(~plain, table["value"]),
            "datatype": literals["datatype"],
            "language": literals["language"],
        }
    )


def _distinct_names(table: pl.DataFrame) -> pl.DataFrame:
    """Numbers with names; a name that two numbers share gets the number added, so that nothing merges."""
    distinct = table.unique(maintain_order=True)
    bare = distinct.with_columns(bare_names(distinct["name"]).alias("name"))
    told_apart = pl.format("{} ({})", "name", "number")
    return bare.with_columns(
        pl.when(pl.col("name").is_duplicated()).then(told_apart).otherwise("name").alias("name")
    )


def _named(numbers: pl.Series, names: pl.DataFrame) -> pl.Series:
    """The name of each number, or the number where it has none."""
    if len(names) == 0:
        return numbers
    asked = pl.DataFrame({"number": numbers})
    found = asked.join(
        names.unique("number", keep="first", maintain_order=True),
        on="number",
        how="left",
        maintain_order="left",
    )
    return found["name"].fill_null(found["number"])


def _links(files: list[Path], sides: list[_Side]) -> Links:
    pairs = pl.concat(_table(file, LINK) for file in files)
    left, right = (
        bare_names(_named(pairs[column], side.entity_names)) for column, side in zip(LINK, sides, strict=True)
    )
    return Links(left, right)


def _optional(path: Path) -> pl.DataFrame:
    return _table(path, _NUMBERED) if path.exists() else _no_names()


def _no_names() -> pl.DataFrame:
    return pl.DataFrame(schema={"number": pl.String, "name": pl.String})


def _table(path: Path, roles: Roles) -> pl.DataFrame:
    """The columns of a tab-separated file."""
    if not path.exists():
        raise ReadError(path, "the benchmark folder lacks this file", hint="copy the folder again, whole")
    with open_bytes(path) as stream:
        tables = list(text_tables(path, stream, sample_of(path), roles, "tsv"))
    return pl.concat([pl.DataFrame(schema=dict.fromkeys(roles, pl.String)), *tables])
