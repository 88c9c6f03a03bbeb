"""Put the tables into README.md, from benchmarks/results/*.json: `python -m benchmarks.tables`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from benchmarks import names, reading, roofline
from benchmarks.run import CASES, RESULTS

README = Path(__file__).parent.parent / "README.md"
NAMES = README.parent / "docs" / "names.md"

_REFERENCE = {
    ("dbp15k/zh_en", "basic"): (".757", "36 s"),
    ("dbp15k/zh_en", "iterative"): (".812", "113 s"),
    ("dbp15k/ja_en", "basic"): (".752", "-"),
    ("dbp15k/ja_en", "iterative"): (".817", "-"),
    ("srprs/fr_en", "basic"): (".460", "-"),
    ("srprs/fr_en", "iterative"): (".477", "124 s"),
    ("openea/EN_FR_15K_V1", "basic"): (".643", "-"),
    ("openea/EN_FR_15K_V1", "iterative"): (".693", "-"),
}
"""The published reference implementation, run once on two cores of such a machine: Hits@1 and seconds."""


def alignment_table() -> str:
    """Quality, time and memory of every case that was measured."""
    lines = [
        "| data | preset | Hits@1 | Hits@10 | MRR | seconds | in products | memory | reference |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for case in CASES:
        path = RESULTS / f"{case.name}.json"
        if path.exists():
            lines.append(_alignment_row(json.loads(path.read_text(encoding="utf-8"))))
    return "\n".join(lines)


def _alignment_row(document: dict[str, Any]) -> str:
    mean = document["mean"]
    hits, seconds = _REFERENCE[document["dataset"], document["preset"]]
    cells = [
        document["dataset"],
        f"`{document['preset']}`",
        f"{mean['hits@1']:.3f}",
        f"{mean['hits@10']:.3f}",
        f"{mean['mrr']:.3f}",
        f"{mean['seconds']['total']:.2f}",
        f"{document['yardstick']['total_in_products']:.1f}",
        f"{mean['peak_rss_mb']:.0f} MB",
        f"{hits}, {seconds}",
    ]
    return "| " + " | ".join(cells) + " |"


def with_tables(text: str, tables: dict[str, str]) -> str:
    """The text with what stands between `<!-- NAME -->` and `<!-- end NAME -->` replaced."""
    for name, table in tables.items():
        pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if not pattern.search(text):
            sys.exit(f"error: there is no place for the table {name!r}")
        text = pattern.sub(rf"\g<1>{_escaped(table)}\n\g<2>", text)
    return text


def _escaped(replacement: str) -> str:
    return replacement.replace("\\", r"\\")


def main() -> None:
    """Rewrite README.md."""
    tables = {"alignment": alignment_table()}
    for name, table in (("reading", reading.table), ("roofline", roofline.table)):
        measured = RESULTS / f"{name}.json"
        if measured.exists():
            tables[name] = table(json.loads(measured.read_text(encoding="utf-8"))["results"])
    if names.RESULT.exists():
        filled = with_tables(NAMES.read_text(encoding="utf-8"), {"names": names.table()})
        NAMES.write_text(filled, encoding="utf-8")
    README.write_text(with_tables(README.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
