"""An explanation in words and tables, for a screen, and as plain values for JSON.

What is said is a list of sentences and `Grid`s, so that the command line and `str(explanation)` say the same.
Names that are IRIs are shown by their last two parts, since a table has no room for more; JSON has them
whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from lightea.explanation import Branch, Comparison, Explanation, Fact, Hop, NameTerm, Term

N_TERMS = 10
"""Terms shown unless asked otherwise; in a tree, three for each pair."""
N_TREE_TERMS = 3

_FEW_NAMES = 3
_NAME_ROOM = 60
_IRI = re.compile(r"[a-z][a-z0-9+.-]*://[^/]*/(?:.*/)?([^/#]*[/#][^/#]+)")
_KINDS = {
    "seed": "given as a seed",
    "link": "linked",
    "candidate": "not linked",
    "not a candidate": "not linked, and not a candidate",
}


@dataclass(frozen=True)
class Grid:
    """A table: a column whose name starts with `<` holds text, the others numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


Piece = str | Grid


def short(name: str) -> str:
    """The last two parts of an IRI; any other name as it is."""
    found = _IRI.fullmatch(name)
    return name if found is None else found[1]


def pieces(explanation: Explanation, n_terms: int = N_TERMS, depth: int = 0) -> Iterator[Piece]:
    """What there is to say, in order: the pair, its score, its terms, and what it lost to."""
    yield f"left   {explanation.left}\nright  {explanation.right}"
    yield _verdict(explanation)
    yield from explanation.remarks
    yield from _body(explanation, n_terms, depth)
    for comparison, lost in ((explanation.winner, "left"), (explanation.rival, "right")):
        if comparison is not None:
            yield from _against(explanation, comparison, lost, n_terms)


def as_text(explanation: Explanation) -> str:
    """All of it as text, with columns in line."""
    parts = (piece if isinstance(piece, str) else _aligned(piece) for piece in pieces(explanation))
    return "\n".join(parts)


def as_document(explanation: Explanation, n_terms: int = N_TERMS, depth: int = 0) -> dict[str, Any]:
    """All of it as values that JSON has, with names in full."""
    return {
        **_own_values(explanation, n_terms),
        "tree": [_branch_values(branch) for branch in explanation.tree(depth, n_terms)] if depth else [],
        "winner": _comparison_values(explanation.winner, n_terms),
        "rival": _comparison_values(explanation.rival, n_terms),
    }


# --- words -------------------------------------------------------------------------------------------


def _verdict(explanation: Explanation) -> str:
    said = [f"status {_KINDS[explanation.status]}"]
    if explanation.probability is not None:
        said.append(f"probability {explanation.probability:.4f}")
    if explanation.no_match is not None:
        said.append(f"probability that the left one has no match {explanation.no_match:.4f}")
    return " · ".join(said)


def _sum(explanation: Explanation) -> str:
    """The score and its parts."""
    evidence, of_evidence = explanation.evidence, explanation.evidence_score
    if evidence is None or of_evidence is None:
        if explanation.score is None:
            return "No sketches were compared."
        said = f"score {explanation.score:.6f}, the mean cosine of the two sketches"
        return said if explanation.names is None else f"{said} and of the names\n{_alike(explanation.names)}"
    fine = f"log(1 + 30 · {evidence:.6f}) / 3 = {of_evidence:.6f}"
    if explanation.score is None or explanation.cosine is None:
        return f"evidence score {fine}"
    parts = f"{of_evidence:.6f} evidence + {explanation.cosine:.6f} cosine"
    names = explanation.names
    if names is not None:
        parts += f" + {names.contribution:.6f} names"
        fine += f"\n{_alike(names)} · {names.weight:.4f} = {names.contribution:.6f}"
    return f"score {explanation.score:.6f} = {parts}\n{fine}"


def _alike(names: NameTerm) -> str:
    """The names of both, and how much alike they are."""
    left, right = (_quoted(side) for side in (names.left, names.right))
    return f"names: {left} and {right} are alike by {names.similarity:.4f}"


def _quoted(names: Sequence[str]) -> str:
    """The first few names, as far as a line has room."""
    cut = [name if len(name) <= _NAME_ROOM else f"{name[:_NAME_ROOM]}…" for name in names[:_FEW_NAMES]]
    more = [] if len(names) <= _FEW_NAMES else [f"{len(names) - _FEW_NAMES} more"]
    return ", ".join([*(f"“{name}”" for name in cut), *more]) or "no name"


def _body(explanation: Explanation, n_terms: int, depth: int) -> Iterator[Piece]:
    yield _sum(explanation)
    if explanation.evidence is None:
        for hop in explanation.hops:
            yield from _hop(hop, n_terms)
        return
    if len(explanation.terms) == 0:
        yield "No pair of facts speaks for it."
    elif depth:
        yield from _tree(explanation, depth, n_terms)
    else:
        yield from _terms(explanation, n_terms)


def _terms(explanation: Explanation, n_terms: int) -> Iterator[Piece]:
    shown = explanation.terms[:n_terms]
    yield Grid(
        ["#", "adds", "of score", "<left fact", "<right fact", "P", "ρ", "w", "w'", "<"],
        [_term_row(str(number), term) for number, term in enumerate(shown, 1)],
    )
    rest = _rest(explanation, shown)
    if rest:
        yield rest


def _rest(explanation: Explanation, shown: Sequence[Term]) -> str:
    n_more = len(explanation.terms) - len(shown)
    if not n_more:
        return ""
    left = (explanation.evidence or 0.0) - sum(term.contribution for term in shown)
    return f"… and {n_more:,} more, which add {max(left, 0.0):.6f}."


def _term_row(number: str, term: Term) -> list[str]:
    return [
        number,
        f"{term.contribution:.6f}",
        f"{term.score_share:.6f}",
        _fact(term.left),
        _fact(term.right),
        f"{term.probability:.4f}",
        f"{term.agreement:.4f}",
        f"{term.left.weight:.4f}",
        f"{term.right.weight:.4f}",
        "seed" if term.is_seed else "",
    ]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def _fact(fact: Fact) -> str:
    return f"{'^' if fact.inverse else ''}{short(fact.relation)} {short(fact.neighbour)}"


def _tree(explanation: Explanation, depth: int, n_terms: int) -> Iterator[Piece]:
    branches = explanation.tree(depth, n_terms)
    rest = _rest(explanation, explanation.terms[: len(branches)])
    yield "\n".join(_branch_lines(branches, "")) + (f"\n{rest}" if rest else "")


def _branch_lines(branches: Sequence[Branch], indent: str) -> Iterator[str]:
    for branch in branches:
        term, below = branch.term, indent + "   "
        factors = (
            f"P {term.probability:.4f} · ρ {term.agreement:.4f} · "
            f"w {term.left.weight:.4f} · w' {term.right.weight:.4f}"
        )
        number = f"{indent}{branch.number + 1}."
        yield f"{number} {term.contribution:.6f} = {factors}{_ENDINGS[branch.ending]}"
        yield f"{below}{_fact(term.left)}"
        yield f"{below}{_fact(term.right)}"
        yield from _branch_lines(branch.below, below)
        if branch.below and branch.hidden:
            yield f"{below}… and {branch.hidden:,} more"


_ENDINGS = {
    "": "",
    "seed": "  [seed]",
    "cycle": "  [leads back to a pair above it]",
    "shown above": "  [opened above]",
    "too many": "  [not opened: the tree is full]",
}


def _hop(hop: Hop, n_terms: int) -> Iterator[Piece]:
    shown = hop.seeds[:n_terms]
    common = f"{_count(len(hop.seeds), 'seed')} in common"
    title = f"Labels after {_count(hop.number, 'hop')}: cosine {hop.cosine:.4f}, {common}"
    if hop.left_out:
        title += f"; not exact, {hop.left_out:,} facts or neighbours with too many facts were not followed"
    yield title
    if shown:
        yield Grid(
            ["product", "in left", "in right", "<seed, left", "<seed, right"],
            [
                [
                    f"{one.product:.4f}",
                    f"{one.of_left:.4f}",
                    f"{one.of_right:.4f}",
                    short(one.left),
                    short(one.right),
                ]
                for one in shown
            ],
        )
    if len(hop.seeds) > len(shown):
        rest = hop.cosine - sum(one.product for one in shown)
        yield f"… and {len(hop.seeds) - len(shown):,} more, which add {max(rest, 0.0):.4f}."


def _against(lost: Explanation, comparison: Comparison, common: str, n_terms: int) -> Iterator[Piece]:
    other = comparison.explanation
    name = other.right if common == "left" else other.left
    shared = other.left if common == "left" else other.right
    title = "Instead" if other.status in ("seed", "link") else "More probable"
    yield f"\n{title}: {short(shared)} with {name}"
    yield _verdict(other)
    yield _sum(other)
    if other.evidence is None:
        for hop in other.hops:
            yield from _hop(hop, n_terms)
        return
    shown = comparison.differences[:n_terms]
    yield f"Where each has its evidence, by the facts of {short(shared)}:"
    yield Grid(
        ["here", "there", "there has more", "<fact"],
        [
            [f"{one.here:.6f}", f"{one.there:.6f}", f"{one.there - one.here:+.6f}", _fact(one.fact)]
            for one in shown
        ],
    )
    more = len(comparison.differences) - len(shown)
    left = (other.evidence - (lost.evidence or 0.0)) - sum(one.there - one.here for one in shown)
    if more:
        yield f"… and {_count(more, 'more fact')}, with a difference of {left + 1e-12:+.6f} in all."


def _aligned(grid: Grid) -> str:
    """A grid as lines, each column as wide as its longest cell."""
    titles = [name.removeprefix("<") for name in grid.columns]
    widths = [max(len(cell) for cell in column) for column in zip(titles, *grid.rows, strict=True)]
    is_text = [name.startswith("<") for name in grid.columns]
    lines = [
        "  ".join(
            cell.ljust(width) if text else cell.rjust(width)
            for cell, width, text in zip(row, widths, is_text, strict=True)
        ).rstrip()
        for row in (titles, *grid.rows)
    ]
    return "\n".join(lines)


# --- values ------------------------------------------------------------------------------------------


def _own_values(explanation: Explanation, n_terms: int) -> dict[str, Any]:
    shown = explanation.terms[:n_terms]
    rest = (explanation.evidence or 0.0) - sum(term.contribution for term in shown)
    return {
        "left": explanation.left,
        "right": explanation.right,
        "status": explanation.status,
        "probability": explanation.probability,
        "no_match": explanation.no_match,
        "score": explanation.score,
        "evidence": explanation.evidence,
        "evidence_score": explanation.evidence_score,
        "cosine": explanation.cosine,
        "names": None if explanation.names is None else asdict(explanation.names),
        "remarks": list(explanation.remarks),
        "terms": [asdict(term) for term in shown],
        "more_terms": {
            "count": len(explanation.terms) - len(shown),
            "contribution": max(rest, 0.0) if len(explanation.terms) > len(shown) else 0.0,
        },
        "hops": [_hop_values(hop, n_terms) for hop in explanation.hops],
    }


def _hop_values(hop: Hop, n_terms: int) -> dict[str, Any]:
    return {
        "hop": hop.number,
        "cosine": hop.cosine,
        "shared_seeds": len(hop.seeds),
        "left_out": hop.left_out,
        "seeds": [asdict(seed) for seed in hop.seeds[:n_terms]],
    }


def _branch_values(branch: Branch) -> dict[str, Any]:
    return {
        **asdict(branch.term),
        "ending": branch.ending,
        "below": [_branch_values(one) for one in branch.below],
        "hidden": branch.hidden,
    }


def _comparison_values(comparison: Comparison | None, n_terms: int) -> dict[str, Any] | None:
    if comparison is None:
        return None
    return {
        **_own_values(comparison.explanation, n_terms),
        "differences": [
            {**asdict(one), "difference": one.there - one.here} for one in comparison.differences[:n_terms]
        ],
    }
