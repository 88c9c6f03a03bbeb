"""The benchmark folders in a directory, and how the known links of each are split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import lightea
from lightea.errors import InputError
from lightea.graph import Ids, KnowledgeGraph, Links
from lightea.writing import input_facts

_GRAPHS = ("triples_1", "rel_triples_1")
_DEEPEST = 3
_VALIDATION = 0.1
"""OpenEA keeps a tenth of the links for choosing settings; neither seeds nor test links here."""


@dataclass(frozen=True)
class Split:
    """How a run uses the known links: a fold of the folder, or a random share as seeds.

    Of a random split the share `unused` is neither given nor asked for.
    """

    fold: int | None = None
    train: float | None = None
    unused: float = 0.0
    random_seed: int = 0


@dataclass(frozen=True)
class Dataset:
    """A benchmark folder; its name is that of the folder and of the one around it, as `dbp15k/zh_en`."""

    name: str
    path: Path
    folds: tuple[int, ...]

    @property
    def share(self) -> float:
        """The usual share of seeds: a fifth where there are folds, as in OpenEA; else three tenths."""
        return 0.2 if self.folds else 0.3

    @property
    def slug(self) -> str:
        """The name as part of a file name."""
        return self.name.lower().replace("/", "-")

    @cached_property
    def digest(self) -> str:
        """A hash of all its files."""
        return str(input_facts(self.path)["sha256"])

    def usual_split(self, run: int) -> Split:
        """The split of a run by the protocol of the paper: the folder's folds in turn, or random ones."""
        if self.folds:
            return Split(fold=self.folds[run % len(self.folds)])
        return self.random_split(self.share, run)

    def random_split(self, share: float, random_seed: int) -> Split:
        """A random share of seeds; where there are folds, a tenth of the links is put aside as they do."""
        return Split(train=share, unused=_VALIDATION if self.folds else 0.0, random_seed=random_seed)


@dataclass(frozen=True, eq=False)
class Problem:
    """Two graphs, the pairs that are given, those that are asked for, and who takes part in the search."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: Links
    test: Links
    searched: tuple[Ids, Ids]


def find_datasets(directory: Path, only: str = "") -> list[Dataset]:
    """The benchmark folders in a directory, or the directory itself, whose names contain a text."""
    if not directory.is_dir():
        raise InputError(
            f"{directory} is no directory", hint="name the directory of benchmark folders: --data"
        )
    found = sorted(_folders(directory.resolve(), 0))
    datasets = [Dataset("/".join(path.parts[-2:]), path, _folds(path)) for path in found]
    chosen = [dataset for dataset in datasets if only.lower() in dataset.name.lower()]
    if not chosen:
        names = ", ".join(dataset.name for dataset in datasets) or "none at all"
        raise InputError(
            f"{directory} holds no benchmark folder whose name contains {only!r}",
            hint=f"benchmark folders in it: {names}",
        )
    return chosen


def _folders(directory: Path, depth: int) -> Iterator[Path]:
    homes = (directory, directory / "base")
    if any((home / name).is_file() for home in homes for name in _GRAPHS):
        yield directory
    elif depth < _DEEPEST:
        for inner in directory.iterdir():
            if inner.is_dir() and not inner.name.startswith("."):
                yield from _folders(inner, depth + 1)


def _folds(path: Path) -> tuple[int, ...]:
    numbers = {file.parent.name for file in path.glob("*/*/train_links")}
    return tuple(sorted(int(number) for number in numbers if number.isdigit()))


def load(dataset: Dataset, split: Split) -> Problem:
    """Read a data set and split its links; searched are the entities of the test links, as in the paper."""
    data = lightea.read_benchmark(
        dataset.path, fold=split.fold, train=split.train, random_seed=split.random_seed
    )
    test = data.test
    if split.train is not None and split.unused:
        share = min(1.0, split.unused / (1 - split.train))
        test = test.split(share, random_seed=split.random_seed)[1]
    return asked_for(data.left, data.right, data.train, test)


def asked_for(left: KnowledgeGraph, right: KnowledgeGraph, seeds: Links, test: Links) -> Problem:
    """A problem in which the entities of the test links take part, and nobody else."""
    return Problem(left, right, seeds, test, (left.find(test.left), right.find(test.right)))
