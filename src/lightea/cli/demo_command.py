"""`lightea demo`: a pair of graphs with a known answer, aligned before your eyes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lightea.cli.align_command import show_names, show_summary
from lightea.cli.explain_command import show_explanation
from lightea.cli.options import QuietOption, threads_to_use
from lightea.cli.terminal import Terminal, session

if TYPE_CHECKING:
    from lightea.alignment import Alignment
    from lightea.evaluation import Scores
    from lightea.graph import Links

_GIVEN = 0.3
"""Share of the known links given as seeds; the rest is hidden, to be found again."""

_TERMS = 5
"""Terms of the explanation that are shown."""

_ROWS = 15
"""Links shown: spread over all probabilities, the surest first."""


def demo(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where the run directory is written.")
    ] = Path("lightea-demo"),
    quiet: QuietOption = False,
) -> None:
    """Align a small made-up pair of graphs with a known answer."""
    with session(quiet=quiet) as terminal:
        import lightea
        from lightea.synthetic import demo_pair
        from lightea.writing import check_writable, write_run

        check_writable(out)
        pair = demo_pair(random_seed=0)
        seeds, hidden = pair.links.split(_GIVEN, random_seed=0)
        with terminal.progress() as progress:
            alignment = lightea.align(
                pair.left, pair.right, seeds, preset="auto", threads=threads_to_use(None), progress=progress
            )
            written = write_run(alignment, out, threads=threads_to_use(None), progress=progress)
        terminal.say(f"left:  {pair.left!r}\nright: {pair.right!r}")
        terminal.say(f"{len(pair.links):,} pairs are known: {len(seeds):,} are given, the others are hidden.")
        _show_links(terminal, alignment, hidden)
        show_summary(terminal, alignment)
        _show_scores(terminal, lightea.evaluate(alignment, hidden), alignment)
        with terminal.progress() as progress:
            seedless = lightea.align(pair.left, pair.right, threads=threads_to_use(None), progress=progress)
        _show_seedless(terminal, seedless, pair.links)
        _show_way_on(terminal, written)
        _show_explanation(terminal, alignment)


def _show_links(terminal: Terminal, alignment: Alignment, hidden: Links) -> None:
    """A sample of the links with their probability and whether each is right."""
    import numpy as np

    answer = dict(zip(hidden.left, hidden.right, strict=True))
    order = np.argsort(-alignment.probability, kind="stable")
    shown = order[np.unique(np.linspace(0, len(order) - 1, min(_ROWS, len(order))).astype(int))]
    links = alignment.to_polars()[shown].iter_rows()
    rows = [(left, right, f"{chance:.2f}", _verdict(answer, left, right)) for left, right, chance in links]
    terminal.table(["<left", "<right", "probability", "<"], rows)
    terminal.say(f"{len(rows)} of {len(alignment):,} links found, from the surest to the least sure.")


def _verdict(answer: dict[str, str], left: str, right: str) -> str:
    if left not in answer:
        return "wrong: has no counterpart"
    return "right" if answer[left] == right else f"wrong: is {answer[left]}"


def _show_scores(terminal: Terminal, scores: Scores, alignment: Alignment) -> None:
    """The true figures, and beside them what the run itself estimates without having seen the answer."""
    measures, quality = scores.to_dict(), alignment.quality
    guessed: dict[str, float] = {}
    if quality is not None:
        guessed = {"precision": quality.precision, "recall": quality.recall, "f1": quality.f1}
    rows = [
        ["known answer", *(f"{value:.3f}" for value in measures.values())],
        ["estimate", *(f"{guessed[name]:.3f}" if name in guessed else "" for name in measures)],
    ]
    terminal.table(["<", *measures], rows)
    found, hidden = scores.n_correct, scores.n_test
    terminal.say(f"{found:,} of {hidden:,} hidden links found, {scores.n_predicted - found:,} links wrong.")


def _show_seedless(terminal: Terminal, alignment: Alignment, links: Links) -> None:
    """The same graphs with no pair given: names are enough to start from."""
    import lightea

    terminal.say("\nNow with no pair given: names say where to start, and structure does the rest.")
    show_names(terminal, alignment)
    _show_scores(terminal, lightea.evaluate(alignment, links), alignment)


def _show_explanation(terminal: Terminal, alignment: Alignment) -> None:
    """Why one of the links is one: that in the middle, neither the surest nor the least sure."""
    import numpy as np

    if len(alignment) == 0:
        return
    middle = int(np.argsort(-alignment.probability, kind="stable")[len(alignment) // 2])
    left, right, _ = alignment.to_polars().row(middle)
    terminal.say()
    show_explanation(terminal, alignment.explain(left, right), _TERMS)


def _show_way_on(terminal: Terminal, directory: Path) -> None:
    terminal.say()
    terminal.say(
        f"All links are in {directory / 'links.tsv'}, how they were found in {directory / 'run.json'}."
    )
    terminal.say(f"To look at in a browser: {directory / 'report.html'}")
    terminal.say("With your own graphs: lightea align LEFT RIGHT --seeds PAIRS.tsv --out DIR")
    terminal.say("All options: lightea align --help")
