"""Speed and memory of reading: `python -m benchmarks.reading [--triples N]`.

Writes made-up facts with URIs as long as DBpedia's, as TSV and N-Triples, plain and packed with gzip. Each
file is read in new processes, of which the fastest counts; memory is the peak of that process less what it
took after its imports, compared with the columns that the graph keeps: names, and int32 numbers.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lightea import machine

RESULT = Path(__file__).parent / "results" / "reading.json"

_TRIPLES = 10_000_000
_RUNS = 3
_BLOCK = 500_000
_RELATIONS = 600
_WORDS = ["Marie", "Battle", "List_of", "University", "County", "River", "station", "album", "film_1998"]

_READ = """
import json, sys, time
from lightea.machine import peak_rss_mb
from lightea.reading import read
before, start = peak_rss_mb(), time.perf_counter()
graph = read(sys.argv[1])
seconds = time.perf_counter() - start
names = graph.entities.estimated_size() + graph.relations.estimated_size()
columns = graph.heads.nbytes + graph.relation_ids.nbytes + graph.tails.nbytes
print(json.dumps({
    "seconds": seconds,
    "triples": graph.n_triples,
    "entities": graph.n_entities,
    "peak_mb": peak_rss_mb() - before,
    "kept_mb": (names + columns) / 1e6,
}))
"""


def write_files(folder: Path, triples: int) -> list[Path]:
    """The same facts in every kind of file that is measured."""
    paths = [folder / "facts.tsv", folder / "facts.nt"]
    with paths[0].open("wb") as table, paths[1].open("wb") as statements:
        for facts in _facts(triples):
            facts.write_csv(table, separator="\t", include_header=False, quote_style="never")
            line = pl.format("<{}> <{}> <{}> .", "head", "relation", "tail")
            facts.select(line).write_csv(statements, include_header=False, quote_style="never")
    return [*paths, *(_packed(path) for path in paths)]


def _facts(triples: int) -> Iterator[pl.DataFrame]:
    """Facts by name, block by block: few entities and relations have many of them, as in real graphs."""
    random = np.random.default_rng(0)
    entities = _names("http://dbpedia.org/resource/", max(triples // 5, 1))
    relations = _names("http://dbpedia.org/ontology/", _RELATIONS)
    for start in range(0, triples, _BLOCK):
        count = min(_BLOCK, triples - start)
        heads, predicates, tails = (
            (random.random(count) ** power * len(names)).astype(np.int64)
            for power, names in ((2, entities), (3, relations), (3, entities))
        )
        yield pl.DataFrame(
            {
                "head": entities.gather(np.sort(heads)),
                "relation": relations.gather(predicates),
                "tail": entities.gather(tails),
            }
        )


def _names(prefix: str, count: int) -> pl.Series:
    numbers = np.arange(count)
    words = pl.Series(_WORDS)
    parts = [words.gather(numbers % len(_WORDS)), words.gather(numbers // 9 % 7), pl.Series(numbers)]
    table = pl.DataFrame({"a": parts[0], "b": parts[1], "c": parts[2]})
    return table.select(pl.format(f"{prefix}{{}}_{{}}_{{}}", "a", "b", "c")).to_series()


def _packed(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    with path.open("rb") as source, gzip.open(packed, "wb", compresslevel=1) as target:
        shutil.copyfileobj(source, target, 1 << 20)
    return packed


def measure(path: Path) -> dict[str, Any]:
    """Read a file in several new processes; the fastest is the result."""
    runs = [
        json.loads(
            subprocess.run([sys.executable, "-c", _READ, str(path)], check=True, capture_output=True).stdout
        )
        for _ in range(_RUNS)
    ]
    best: dict[str, Any] = min(runs, key=lambda run: run["seconds"])
    return {
        "file": path.name,
        "file_mb": path.stat().st_size / 1e6,
        **best,
        "triples_per_second": best["triples"] / best["seconds"],
        "peak_to_kept": max(run["peak_mb"] for run in runs) / best["kept_mb"],
        "all_seconds": [run["seconds"] for run in runs],
    }


def table(results: list[dict[str, Any]]) -> str:
    """The results as a table in Markdown."""
    lines = ["| file | size | triples/s | peak memory | kept columns | ratio |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row['file']} | {row['file_mb']:,.0f} MB | {row['triples_per_second'] / 1e6:.2f} M "
        f"| {row['peak_mb']:,.0f} MB | {row['kept_mb']:,.0f} MB | {row['peak_to_kept']:.1f} |"
        for row in results
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print the table and keep the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--triples", type=int, default=_TRIPLES, help="facts to write and read")
    triples = parser.parse_args().triples
    with tempfile.TemporaryDirectory() as scratch:
        results = [measure(path) for path in write_files(Path(scratch), triples)]
    document = {
        "config": {"triples": triples, "runs": _RUNS, "relations": _RELATIONS},
        "commit": machine.commit(),
        "machine": machine.machine_facts(),
        "versions": machine.versions(),
        "results": results,
    }
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(table(results))


if __name__ == "__main__":
    main()
