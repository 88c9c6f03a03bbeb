"""The page: its template filled, with style, script and data inside, and a policy against all else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any
from xml.etree.ElementTree import Element

from lightea.alignment import Alignment
from lightea.report import figures, summary
from lightea.report.cautions import cautions, equal_names
from lightea.report.labels import local, script_json, shown
from lightea.report.markup import element, html, table
from lightea.report.selection import DOUBTFUL, LINKED, Selection, select
from lightea.standing import link_counts, without_link

_KINDS = ("matched", "doubtful", "unmatched")
_STATIC_ROWS = 50
"""Rows that are readable without scripts."""


def report_page(alignment: Alignment, manifest: dict[str, Any]) -> bytes:
    """The report of a run as one HTML file; `manifest` is what `run.json` holds.

    The same alignment and manifest give the same bytes.
    """
    chosen = select(alignment)
    style, script = _asset("report.css"), _asset("report.js")
    parts = {
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "data": script_json(_data(alignment, chosen)),
        **_words(alignment, manifest, chosen),
    }
    return "".join(_filled(_asset("template.html"), parts)).encode("utf-8")


def _asset(name: str) -> str:
    return (files("lightea.report") / name).read_text(encoding="utf-8")


def _filled(template: str, parts: dict[str, str]) -> Iterator[str]:
    """The template with `{{name}}` replaced; what is put in is not looked through again."""
    first, *rest = template.split("{{")
    yield first
    for piece in rest:
        name, _, following = piece.partition("}}")
        yield parts[name]
        yield following


def _policy(style: str, script: str) -> str:
    """What the browser may load: the style and the script of this page by their hashes, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _data(alignment: Alignment, chosen: Selection) -> dict[str, Any]:
    return chosen.data | {"by_evidence": alignment.beliefs is not None}


def _words(alignment: Alignment, manifest: dict[str, Any], chosen: Selection) -> dict[str, str]:
    """All parts of the page that are text and charts."""
    alone, counts, equal = without_link(alignment), link_counts(alignment), equal_names(alignment)
    names = [
        local(shown(graph.name)) or side
        for graph, side in ((alignment.left, "left"), (alignment.right, "right"))
    ]
    heading = element("h1", element("bdi", names[0]), " and ", element("bdi", names[1]))
    found = cautions(alignment, manifest, equal)
    return {
        "title": html(f"{names[0]} and {names[1]}: alignment report"),
        "heading": html(heading),
        "subheading": html(_subheading(alignment, manifest)),
        "glance": html(summary.at_a_glance(alignment, counts)),
        "warnings": html(summary.warnings(found), summary.audit(equal)),
        "graphs": html(summary.graphs(alignment)),
        "quality": html(
            figures.precision_recall(alignment),
            figures.reliability(alignment),
            figures.distribution(alignment, alone, "probability"),
            figures.distribution(alignment, alone, "score"),
        ),
        "relations": html(figures.relations(alignment)),
        "coverage": html(_coverage(alignment, chosen)),
        "rows": html(_static_table(alignment, chosen)),
        "time": html(figures.time_and_memory(manifest)),
        "making": html(summary.making(manifest)),
    }


def _subheading(alignment: Alignment, manifest: dict[str, Any]) -> str:
    made = f"lightea {manifest.get('lightea', '')}, preset {alignment.config.preset}"
    finished = manifest.get("finished")
    if not isinstance(finished, str):
        return made
    return f"{made}, finished {shown(finished).replace('T', ' ').replace('+00:00', ' UTC')}"


def _coverage(alignment: Alignment, chosen: Selection) -> Element:
    """What the table holds, and what is left out."""
    is_all = chosen.shown == chosen.in_all
    if is_all:
        first = f"All {sum(chosen.in_all):,} searched entities are here."
    else:
        parts = (
            f"{one:,} of {every:,} {kind}"
            for one, every, kind in zip(chosen.shown, chosen.in_all, _KINDS, strict=True)
        )
        first = (
            f"To keep this file small it holds {', '.join(parts)}: the doubtful ones with the most probable "
            "candidates, and an even sample of the others over all probabilities. All are in links.tsv and "
            "no_match.tsv."
        )
    detailed = ", ".join(
        f"{one:,} of {every:,} {kind}"
        for one, every, kind in zip(chosen.detailed, chosen.in_all, _KINDS, strict=True)
    )
    what = "What speaks for a pair" if alignment.beliefs is not None else "What labels have in common"
    second = f"{what} can be opened for {detailed}; for any pair, run: lightea explain RUN_DIR LEFT RIGHT."
    none = (
        ""
        if alignment.beliefs is not None
        else " This preset decides by sketches alone, so there are no terms of evidence that add up to a "
        "score; shown are the seeds that the labels of both entities contain, as the paper traces them."
    )
    return element("p", f"{first} {second}{none}")


def _static_table(alignment: Alignment, chosen: Selection) -> Element:
    """The first rows as they stand where no script runs: links, then doubtful ones."""
    pairs = chosen.pairs
    wanted = [row for row in range(len(pairs)) if pairs.kind[row] in (LINKED, DOUBTFUL)][:_STATIC_ROWS]
    rows = [
        [
            _KINDS[int(pairs.kind[row])],
            element("bdi", shown(alignment.left.entities[int(pairs.left[row])])),
            element("bdi", shown(alignment.right.entities[int(pairs.right[row])])),
            f"{pairs.probability[row]:.4f}",
        ]
        for row in wanted
    ]
    caption = (
        f"The first {len(rows)} of {len(pairs):,} rows; the others need scripts to be allowed"
        if rows
        else "No links"
    )
    return table(caption, ["<status", "<left", "<right", "probability"], rows)
