"""Benchmarks: two graphs and the links known to be true, some of them to learn from, some to find."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import Path

import polars as pl

from lightea.errors import ConfigError
from lightea.graph import KnowledgeGraph, Links
from lightea.reading.layouts import Folder, Split, read_folder
from lightea.reading.sources import as_path

_USUAL_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Two graphs, the links to learn from, and the links to find."""

    name: str
    left: KnowledgeGraph
    right: KnowledgeGraph
    train: Links
    test: Links
    links: Links
    """All known links, each once, in order of the names; some may be in neither `train` nor `test`."""

    @property
    def unasked(self) -> Links:
        """The known links that are in neither `train` nor `test`, as those for validation in a fold."""
        tables = [
            pl.DataFrame({"left": links.left, "right": links.right})
            for links in (self.links, self.train, self.test)
        ]
        rest = tables[0].join(pl.concat(tables[1:]), on=["left", "right"], how="anti")
        return Links(rest["left"], rest["right"])

    def __repr__(self) -> str:
        return (
            f"Benchmark({self.name!r}: {self.left.n_entities:,} and {self.right.n_entities:,} entities, "
            f"{len(self.links):,} links, {len(self.train):,} to learn from, {len(self.test):,} to find)"
        )


def read_benchmark(
    folder: Path | str,
    *,
    train: float | None = None,
    fold: int | None = None,
    random_seed: int = 0,
    with_names: bool = True,
) -> Benchmark:
    """Read a benchmark folder in the layout of JAPE, OpenEA or ContEA (see `lightea.reading.layouts`).

    With `train`, all known links are shuffled by `random_seed` and that share of them becomes `train`, the
    rest `test`. With `fold`, the folder's split of that number is taken. With neither, the folder's own
    split, its first fold, or `train=0.3`, whichever there is first. Translated names in the folder are read
    unless `with_names` says that nobody needs them.
    """
    _check_request(train, fold, random_seed)
    path = as_path(folder)
    content = read_folder(path, with_names=with_names)
    split = _split(path, content, train, fold, random_seed)
    return Benchmark(
        path.resolve().name, content.left.graph, content.right.graph, split.train, split.test, content.links
    )


def _check_request(train: float | None, fold: int | None, random_seed: int) -> None:
    if train is not None:
        _check_number("train", train, Real)
    if fold is not None:
        _check_number("fold", fold, Integral)
    _check_number("random_seed", random_seed, Integral)
    if train is not None and fold is not None:
        raise ConfigError(
            f"train ({train:g}) and fold ({fold}) cannot both be given",
            hint="a fold is a split already: leave one of them out",
        )
    if train is not None and not 0 <= train < 1:
        raise ConfigError(
            f"train is {train:g}, but must be at least 0 and less than 1",
            hint="--train 0.3, or train=0.3 in Python, learns from 30 % of the known links",
        )
    if random_seed < 0:
        raise ConfigError(f"random_seed is {random_seed}, but must not be negative")


def _check_number(name: str, given: object, kind: type[Real] | type[Integral]) -> None:
    if isinstance(given, bool) or not isinstance(given, kind):
        said = "a number" if kind is Real else "a whole number"
        raise ConfigError(f"{name} is {given!r}, but must be {said}")


def _split(path: Path, content: Folder, train: float | None, fold: int | None, random_seed: int) -> Split:
    if train is not None:
        return Split(*content.links.split(train, random_seed=random_seed))
    if fold is not None:
        _check_fold(path, fold, sorted(content.folds))
        return content.read_fold(fold)
    if content.own_split is not None:
        return content.own_split
    if content.folds:
        return content.read_fold(min(content.folds))
    return Split(*content.links.split(_USUAL_SHARE, random_seed=random_seed))


def _check_fold(path: Path, fold: int, known: list[int]) -> None:
    if fold in known:
        return
    if not known:
        raise ConfigError(
            f"{path} has no folds, but fold {fold} was asked for",
            hint="have the links split at random: --train 0.3, or train=0.3 in Python",
        )
    listed = ", ".join(str(number) for number in known)
    raise ConfigError(f"{path} has no fold {fold}", hint=f"its folds are: {listed}")
