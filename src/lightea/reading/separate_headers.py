"""Headers for Neo4j that stand in files of their own, as its manual has them for large tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from lightea.reading.property_headers import Header, neo4j_header
from lightea.reading.sources import plain_name, sampled


def separate_headers(files: Sequence[Path]) -> dict[Path, Header]:
    """The Neo4j headers that stand in files of their own, for the files of rows that they belong to.

    The file is called like those of the rows, with `header` behind: `films-header.csv`, `films.csv`,
    `films-part2.csv`.
    """
    found: dict[Path, Header] = {}
    for file in files:
        stem = _header_stem(file)
        if stem is None:
            continue
        with sampled(file) as (sample, _):
            header = neo4j_header(sample)
            is_alone = sum(bool(line.strip()) for line in sample.splitlines()) == 1
        if header is not None and is_alone:
            rows = [other for other in files if other != file and _goes_with(other, file, stem)]
            found |= dict.fromkeys(rows, replace(header, line=0))
    return found


def _header_stem(file: Path) -> str | None:
    """What stands before `header` in the name of a file, None if that is not its end."""
    name = plain_name(file)
    stem = name.lower().removesuffix("header")
    return name[: len(stem)].rstrip("-_. ") if len(stem) < len(name) else None


def _goes_with(rows: Path, header: Path, stem: str) -> bool:
    name = plain_name(rows)
    rest = name.removeprefix(stem)
    return (
        rows.parent == header.parent
        and name.startswith(stem)
        and _header_stem(rows) is None
        and not rest[:1].isalpha()
    )
