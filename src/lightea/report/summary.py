"""What stands at the top and at the bottom of the report: figures at a glance, warnings, how it was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from lightea.alignment import Alignment
from lightea.report.cautions import Caution, EqualNames
from lightea.report.labels import shown
from lightea.report.markup import element, folded, table
from lightea.standing import DOUBTFUL

_KINDS = ("matched", "doubtful", "unmatched")


def at_a_glance(alignment: Alignment, counts: dict[str, int]) -> Element:
    """How many entities fared how, and how good the links may be."""
    searched = max(counts["searched"], 1)
    meanings = {
        "matched": f"linked, with a probability of at least {alignment.config.threshold or 0:.2f}",
        "doubtful": f"no link, but a candidate of at least {DOUBTFUL:g}",
        "unmatched": "no candidate worth a look",
    }
    tiles = [
        _tile(
            f"{counts[kind]:,}",
            kind,
            f"{counts[kind] / searched:.1%} of those searched: {meanings[kind]}",
            kind,
        )
        for kind in _KINDS
    ]
    quality = alignment.quality
    if quality is not None and len(alignment):
        tiles += [
            _tile(f"{quality.precision:.1%}", "precision", "of the links are right, by estimate"),
            _tile(f"{quality.recall:.1%}", "recall", "of the true links are found, by estimate"),
        ]
    words = f"{counts['searched']:,} left entities were searched, beside {counts['seeds']:,} seed pairs."
    return element("div", element("p", words), _proportions(counts), element("dl", *tiles, class_="tiles"))


def _tile(figure: str, name: str, meaning: str, kind: str | None = None) -> Element:
    return element(
        "div",
        element("dt", name, class_=kind),
        element("dd", element("strong", figure), element("span", meaning)),
        class_="tile",
    )


def _proportions(counts: dict[str, int]) -> Element:
    """One bar, parted as the searched entities are."""
    total = max(sum(counts[kind] for kind in _KINDS), 1)
    words = ", ".join(f"{counts[kind]:,} {kind}" for kind in _KINDS)
    start, parts = 0.0, []
    for kind in _KINDS:
        width = 1000 * counts[kind] / total
        if width:
            parts.append(element("rect", x=start, y=0, width=max(width - 2, 0.5), height=14, class_=kind))
        start += width
    return element(
        "svg",
        element("title", words),
        *parts,
        viewBox="0 0 1000 14",
        role="img",
        aria_label=words,
        preserveAspectRatio="none",
        class_="proportions",
    )


def warnings(found: Sequence[Caution]) -> Element:
    """The warnings as a list, or a sentence that there are none."""
    if not found:
        return element("p", "Nothing stood out: no warnings.", class_="absent")
    items = (element("li", element("strong", one.title + "."), " " + one.sentence) for one in found)
    return element("ul", *items, class_="cautions")


def graphs(alignment: Alignment) -> Element:
    """The sizes of both sides."""
    sides = {"left": alignment.left, "right": alignment.right}
    rows = [
        [
            side,
            element("bdi", shown(graph.name or "–")),
            f"{graph.n_entities:,}",
            f"{graph.n_relations:,}",
            f"{graph.n_triples:,}",
        ]
        for side, graph in sides.items()
    ]
    return table("The two graphs", ["<side", "<name", "entities", "relations", "facts"], rows)


def audit(equal: EqualNames) -> Element:
    """The figures of the leak audit."""
    seeds = (
        ""
        if equal.share_of_seeds is None
        else f" Of the seeds {equal.share_of_seeds:.1%} join equal names (or last parts of IRIs)."
    )
    return element(
        "p",
        f"Leak audit: {equal.n_left:,} left entities ({equal.share_of_left:.1%}) have exactly the name of a "
        f"right entity.{seeds}",
    )


def making(manifest: dict[str, Any]) -> Element:
    """How the run was made: settings, inputs, machine, versions."""
    machine, config = _record(manifest, "machine"), _record(manifest, "config")
    run = {
        "finished": manifest.get("finished"),
        "lightea": manifest.get("lightea"),
        "commit": manifest.get("commit"),
        "processor": machine.get("cpu"),
        "threads": machine.get("threads"),
        "peak memory, MB": _rounded(manifest.get("peak_rss_mb")),
    }
    inputs = [
        [
            shown(name),
            shown(str(facts.get("path"))),
            _rounded(facts.get("bytes")),
            shown(str(facts.get("sha256") or "–")),
        ]
        for name, facts in _record(manifest, "inputs").items()
        if isinstance(facts, dict)
    ]
    parts = [
        _pairs("Run", run),
        _pairs("Settings", config),
        _pairs("Versions", _record(manifest, "versions")),
    ]
    if inputs:
        parts.append(table("Inputs", ["<input", "<path", "bytes", "<SHA-256"], inputs))
    return folded("Settings, inputs, machine and versions", *parts)


def _pairs(caption: str, record: dict[str, Any]) -> Element:
    rows = [[shown(str(name)), shown(str(value))] for name, value in record.items() if value is not None]
    return table(caption, ["<name", "<value"], rows)


def _record(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    found = manifest.get(name)
    return found if isinstance(found, dict) else {}


def _rounded(value: object) -> str | None:
    return f"{value:,.0f}" if isinstance(value, int | float) else None
