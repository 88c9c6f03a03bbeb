"""`lightea explain`: why two entities of a finished run are linked, or are not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lightea.cli.terminal import Terminal, session

if TYPE_CHECKING:
    from lightea.explanation import Explanation


def explain(
    run: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A directory written by align --out.")],
    left: Annotated[
        str, typer.Argument(metavar="LEFT_ENTITY", help="An entity, by its name in the input files.")
    ],
    right: Annotated[
        str | None,
        typer.Argument(
            metavar="[RIGHT_ENTITY]",
            help="The entity to compare it with. [default: what it is matched with]",
            show_default=False,
        ),
    ] = None,
    *,
    depth: Annotated[
        int,
        typer.Option("--depth", metavar="N", min=0, max=20, help="Open the terms, N levels down to seeds."),
    ] = 0,
    terms: Annotated[
        int | None,
        typer.Option(
            "--terms",
            metavar="N",
            min=1,
            help="Terms to show of each pair. [default: 10, or 3 with --depth]",
            show_default=False,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document, with names in full.")
    ] = False,
) -> None:
    """Say why two entities are linked, or why not: what speaks for them, and what they lost to.

    With one entity, of either graph, it is compared with what it is matched with.
    """
    with session(quiet=False) as terminal:
        terminal.refuse_closed_output()
        from lightea.explainer import Explainer
        from lightea.run_store import load_alignment
        from lightea.wording import N_TERMS, N_TREE_TERMS, as_document
        from lightea.writing import to_json

        found = Explainer(load_alignment(run), kept_only=True).explain(left, right)
        n_terms = terms or (N_TREE_TERMS if depth else N_TERMS)
        if json:
            terminal.write(to_json(as_document(found, n_terms, depth)).encode("utf-8"))
        else:
            show_explanation(terminal, found, n_terms, depth)


def show_explanation(terminal: Terminal, explanation: Explanation, n_terms: int, depth: int = 0) -> None:
    """Print an explanation as sentences and tables."""
    from lightea.wording import Grid, pieces

    for piece in pieces(explanation, n_terms, depth):
        if isinstance(piece, Grid):
            terminal.table(piece.columns, piece.rows)
        else:
            terminal.say(piece)
