"""What notebooks show of a graph, an alignment and an explanation: tables in which names are only text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lightea.wording import Grid, pieces

if TYPE_CHECKING:
    from lightea.alignment import Alignment
    from lightea.explanation import Explanation
    from lightea.graph import KnowledgeGraph

_ROWS = 10
_LONGEST_NAME, _LONGEST_SENTENCE = 120, 1_000
"""Characters that are shown; some names are texts of their own."""


def graph_html(graph: KnowledgeGraph) -> str:
    """How much a graph holds, and its first facts."""
    counts = [
        f"{graph.n_entities:,} entities",
        f"{graph.n_relations:,} relations",
        f"{graph.n_triples:,} facts",
        f"{len(graph.attributes):,} attribute values",
    ]
    names = (
        graph.entities.gather(graph.heads[:_ROWS]),
        graph.relations.gather(graph.relation_ids[:_ROWS]),
        graph.entities.gather(graph.tails[:_ROWS]),
    )
    return _whole(
        [
            _title(f"KnowledgeGraph {graph.name}", ", ".join(counts)),
            _table(["<head", "<relation", "<tail"], zip(*names, strict=True)),
            _more(graph.n_triples, "facts"),
        ]
    )


def alignment_html(alignment: Alignment) -> str:
    """How many links there are and how good they are expected to be, and the surest of them."""
    n_alone = int(np.count_nonzero(~np.isin(alignment.assignment.candidates.left, alignment.left_ids)))
    counts = (
        f"{len(alignment):,} links, {n_alone:,} searched entities without, {len(alignment.seeds):,} seeds"
    )
    quality = alignment.quality
    expected = (
        "Probabilities are not calibrated, so nothing is known of the quality."
        if quality is None
        else f"Expected: precision {quality.precision:.3f}, recall {quality.recall:.3f}, F1 {quality.f1:.3f}."
    )
    order = np.argsort(-alignment.probability, kind="stable")[:_ROWS]
    rows = zip(
        alignment.left.entities.gather(alignment.left_ids[order]),
        alignment.right.entities.gather(alignment.right_ids[order]),
        (f"{chance:.4f}" for chance in alignment.probability[order].tolist()),
        strict=True,
    )
    return _whole(
        [
            _title(f"Alignment of {alignment.left.name} and {alignment.right.name}", counts),
            _paragraph(expected),
            _table(["<left", "<right", "probability"], rows),
            _more(len(alignment), "links"),
        ]
    )


def explanation_html(explanation: Explanation) -> str:
    """The sentences and tables of an explanation."""
    parts = (
        _table(piece.columns, piece.rows) if isinstance(piece, Grid) else _paragraph(piece)
        for piece in pieces(explanation)
    )
    return _whole([_title("Explanation", ""), *parts])


def _whole(parts: Iterable[str]) -> str:
    return "<div>" + "".join(parts) + "</div>"


def _title(name: str, about: str) -> str:
    said = f": {_text(about)}" if about else ""
    return f"<p><b>{_text(name.strip())}</b>{said}</p>"


def _paragraph(text: str) -> str:
    return "<p>" + "<br>".join(_text(line, _LONGEST_SENTENCE) for line in text.split("\n")) + "</p>"


def _more(n_all: int, things: str) -> str:
    return _paragraph(f"{_ROWS} of {n_all:,} {things} are shown.") if n_all > _ROWS else ""


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A column whose name starts with `<` holds text, the others numbers."""
    sides = ["left" if name.startswith("<") else "right" for name in columns]
    head = "".join(
        f'<th scope="col" style="text-align:{side}">{_text(name.removeprefix("<"))}</th>'
        for name, side in zip(columns, sides, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="text-align:{side}">{_text(cell)}</td>' for cell, side in zip(row, sides, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str, longest: int = _LONGEST_NAME) -> str:
    """Text that is shown and never obeyed, set apart from what stands around it in its direction, too."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return f"<bdi>{html.escape(cut)}</bdi>"
