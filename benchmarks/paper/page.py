"""docs/results.md: everything that was run, each figure from its JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.paper import plots, published, records, tables
from benchmarks.paper.differences import Difference, differences
from benchmarks.paper.experiments import EXPERIMENTS, Experiment
from benchmarks.paper.records import Document
from lightea import outputs

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent.parent / "docs" / "results.md"

_INTRODUCTION = """# Results
The tables and figures of the LightEA paper, run again here, and some that it does not have. This page is
written by `python -m benchmarks.paper page` from the JSON files that it links to; nothing in it is written by
hand but the explanations.

- `basic` and `iterative` are the paper's systems, `auto` is lightea's own. All by structure alone: names and
  attributes are not looked at.
- Figures of others come from their papers, but for *reference*: the published implementation of the paper,
  run on two CPU cores, once.
- To repeat an experiment: `python -m benchmarks.paper NAME --data DIR`, where DIR holds benchmark folders as
  their publishers pack them. What was run before on the same files is not run again; `--again` does so."""


def write_shown(name: str, results: Path) -> None:
    """Write the table and the plot of an experiment beside its JSON."""
    experiment, found = EXPERIMENTS[name], records.documents(results, name)
    outputs.write_text(results / name / "table.md", tables.table(experiment, found) + "\n")
    plots.draw(experiment, found, results / name / "plot.svg")


def page(results: Path, home: Path) -> str:
    """The page, as it stands in the directory `home`."""
    by_name = {name: records.documents(results, name) for name in EXPERIMENTS}
    sections = [_section(EXPERIMENTS[name], found, results, home) for name, found in by_name.items() if found]
    main = by_name["main"]
    return "\n\n".join([_INTRODUCTION, *sections, _explained(differences(main)), _not_run(by_name)]) + "\n"


def _section(experiment: Experiment, found: Sequence[Document], results: Path, home: Path) -> str:
    folder = Path(os.path.relpath(results / experiment.name, home)).as_posix()
    files = ", ".join(
        f"[{document.dataset}]({folder}/{document.dataset.lower().replace('/', '-')}.json)"
        for document in found
    )
    return "\n\n".join(
        [
            f"## {experiment.title}\n{experiment.about}",
            tables.table(experiment, found),
            f"![{experiment.title}]({folder}/plot.svg)",
            f"`python -m benchmarks.paper {experiment.name}`; JSON: {files}. {_commits(found)}",
        ]
    )


def _commits(found: Sequence[Document]) -> str:
    """Which state of the code the figures are of."""
    commits = {
        run["figures"]["ran"]["commit"] or "unknown"
        for document in found
        for point in document.points
        for run in point["runs"]
    }
    shown = sorted({commit[:10] + ("-dirty" if commit.endswith("-dirty") else "") for commit in commits})
    return f"Commit{'s' if len(shown) > 1 else ''}: {', '.join(shown)}."


def _explained(found: Sequence[Difference]) -> str:
    head = "## Differences from the paper\n"
    if not found:
        return head + "No figure of the main tables is more than a point off the paper's."
    lines = [head + "Figures of the main tables that are more than a point (0.01) off the paper's:\n"]
    for dataset in dict.fromkeys(each.dataset for each in found):
        own = [each for each in found if each.dataset == dataset]
        figures = "; ".join(
            f"`{each.system}` {each.measure} {each.ours:.3f}, paper {each.paper:.3f}" for each in own
        )
        lines.append(f"- **{dataset}**: {figures}. {own[0].reason or 'Not explained yet.'}")
    return "\n".join(lines)


def _not_run(by_name: dict[str, list[Document]]) -> str:
    """What the paper has and this page has not."""
    return "\n".join(["## What was not run", *(f"- {line}" for line in _gaps(by_name))])


def _gaps(by_name: dict[str, list[Document]]) -> Iterator[str]:
    here = {published.key_of(document.dataset) for document in by_name["main"]}
    missing = sorted({name for name, _ in published.PAPER} - here)
    if missing:
        yield (
            f"Data sets of the paper that were not at hand: {', '.join(missing)}. The commands above take "
            "their folders as they are published; that is tested on made-up folders of the same layouts."
        )
    yield "The systems with names (LightEA-L): this page is about structure alone."
    for name, experiment in EXPERIMENTS.items():
        ran = {published.key_of(document.dataset) for document in by_name[name]}
        lacking = sorted(here - ran)
        if lacking:
            yield f"{experiment.title}: {', '.join(lacking)}."
    yield (
        "Of the paper's curves only the headline figures stand here: they are the dotted lines and the "
        "columns *paper, its settings*."
    )
