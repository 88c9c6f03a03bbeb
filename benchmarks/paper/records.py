"""Results on disk: a JSON file for each experiment and data set, so that what was run is not run again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.paper.case import Case, Figures
from lightea import outputs
from lightea.errors import ReadError
from lightea.writing import to_json

Record = dict[str, Any]
"""`case`: what was run; `figures`: what came of it."""


@dataclass(frozen=True)
class Document:
    """One file: the experiment, the data set with the hash of its files, and the points with their runs."""

    experiment: str
    dataset: str
    data_sha256: str
    points: list[Record]
    """Each with `series`, `x` and `runs`, a list of records."""


def place(results: Path, experiment: str, slug: str) -> Path:
    """Where the file of an experiment and a data set is."""
    return results / experiment / f"{slug}.json"


def read(path: Path) -> Document:
    """Read a file of results."""
    try:
        return Document(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as problem:
        raise ReadError(
            path, f"this is no file of results: {problem}", hint="delete it, and run the experiment again"
        ) from problem


def write(path: Path, document: Document) -> None:
    """Write a file of results, whole or not at all."""
    outputs.write_text(path, to_json(vars(document)))


def documents(results: Path, experiment: str) -> list[Document]:
    """The results of an experiment, by data set."""
    return [read(path) for path in sorted((results / experiment).glob("*.json"))]


class Known:
    """What was run before on these data, by any experiment."""

    def __init__(self, results: Path, slug: str, data_sha256: str) -> None:
        self._figures = {
            _text(record["case"]): record["figures"] for record in _records(results, slug, data_sha256)
        }

    def find(self, case: Case) -> Figures | None:
        """The figures of a case, None if it was not run."""
        return self._figures.get(_text(case.key()))

    def add(self, case: Case, figures: Figures) -> None:
        """Remember a case that was run now."""
        self._figures[_text(case.key())] = figures


def _records(results: Path, slug: str, data_sha256: str) -> Iterator[Record]:
    for path in sorted(results.glob(f"*/{slug}.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if content.get("data_sha256") == data_sha256:
            for point in content.get("points", []):
                yield from point["runs"]


def _text(key: Record) -> str:
    return json.dumps(key, sort_keys=True)
