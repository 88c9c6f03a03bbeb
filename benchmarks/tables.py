"""Put the tables into the pages, from benchmarks/results/*.json: `python -m benchmarks.tables`."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import ablation, growth, names, reading, roofline, sensitivity
from benchmarks.run import CASES, RESULTS, Case

_ROOT = Path(__file__).parent.parent
README = _ROOT / "README.md"
NAMES = _ROOT / "docs" / "names.md"
EVIDENCE = _ROOT / "docs" / "evidence.md"

_REFERENCE = {
    "dbp15k-zh_en-basic": ".757, 36 s",
    "dbp15k-zh_en-iterative": ".812, 113 s",
    "dbp15k-ja_en-basic": ".752",
    "dbp15k-ja_en-iterative": ".817",
    "dbp15k-ja_en-auto-20": ".789",
    "dbp15k-ja_en-auto-1": ".319",
    "srprs-fr_en-basic": ".460",
    "srprs-fr_en-iterative": ".477, 124 s",
    "openea-en_fr_15k_v1-basic": ".643",
    "openea-en_fr_15k_v1-iterative": ".693",
    "contea-zh_en-auto-all": "out of memory",
}
"""The published reference implementation, run once on two cores of such a machine: Hits@1 and seconds. Beside
`auto` on other splits, that of its iteration."""

_COLUMNS = (
    *("data", "seeds", "preset", "Hits@1", "Hits@10", "MRR", "precision", "recall", "F1"),
    *("calibration error", "estimated precision", "estimated recall"),
    *("seconds", "in products", "memory", "reference"),
)
_QUALITY = ("hits@1", "hits@10", "mrr", "precision", "recall", "f1")
_BY_HIDDEN_SEEDS = ("ece", "estimated_precision", "estimated_recall")


def alignment_table() -> str:
    """Quality, time and memory of every case that was measured."""
    lines = ["| " + " | ".join(_COLUMNS) + " |", "|---" * len(_COLUMNS) + "|"]
    for case in CASES:
        path = RESULTS / f"{case.name}.json"
        if path.exists():
            lines.append(alignment_row(case, json.loads(path.read_text(encoding="utf-8"))))
    return "\n".join(lines)


def alignment_row(case: Case, document: dict[str, Any]) -> str:
    """A case as a row; what its document does not have is a dash."""
    mean = document["mean"]
    cells = [
        f"{document['dataset']}{', all' if document['candidates'] == 'all' else ''}",
        f"{document['train']:.0%}",
        f"`{document['preset']}`",
        *(_share(mean.get(name)) for name in (*_QUALITY, *_BY_HIDDEN_SEEDS)),
        f"{mean['seconds']['total']:.2f}",
        f"{document['yardstick']['total_in_products']:.1f}",
        "–" if mean["peak_rss_mb"] is None else f"{mean['peak_rss_mb']:.0f} MB",
        _REFERENCE.get(case.name, "–"),
    ]
    return "| " + " | ".join(cells) + " |"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def with_tables(text: str, tables: dict[str, str], page: str = "the page") -> str:
    """The text with what stands between `<!-- NAME -->` and `<!-- end NAME -->` replaced."""
    for name, table in tables.items():
        pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if not pattern.search(text):
            sys.exit(f"error: {page} has no place for the table {name!r}")
        text = pattern.sub(rf"\g<1>{_escaped(table)}\n\g<2>", text)
    return text


def _escaped(replacement: str) -> str:
    return replacement.replace("\\", r"\\")


def _measured(tables: dict[str, Callable[[Any], str]]) -> dict[str, str]:
    """The tables of what was measured; what was not keeps the table that is there."""
    found = {name: RESULTS / f"{name}.json" for name in tables}
    return {
        name: tables[name](json.loads(path.read_text(encoding="utf-8")))
        for name, path in found.items()
        if path.exists()
    }


def main() -> None:
    """Rewrite README.md and the pages of docs/ that have tables."""
    of_readme = {
        "alignment": alignment_table(),
        **_measured(
            {
                "reading": lambda document: reading.table(document["results"]),
                "roofline": lambda document: roofline.table(document["results"]),
            }
        ),
    }
    of_evidence = _measured(
        {
            "ablation": lambda document: ablation.table(document["results"]),
            "sensitivity": lambda document: sensitivity.table(document["results"]),
            "growth": growth.table,
        }
    )
    of_names = {"names": names.table()} if names.RESULT.exists() else {}
    for page, tables in ((README, of_readme), (EVIDENCE, of_evidence), (NAMES, of_names)):
        page.write_text(with_tables(page.read_text(encoding="utf-8"), tables, page.name), encoding="utf-8")


if __name__ == "__main__":
    main()
