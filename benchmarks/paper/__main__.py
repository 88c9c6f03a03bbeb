"""The command line: `python -m benchmarks.paper NAME --data DIR`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.paper import page, records
from benchmarks.paper.datasets import Dataset, find_datasets
from benchmarks.paper.experiments import EXPERIMENTS, RUNS
from benchmarks.paper.running import Laboratory, carry_out
from lightea import outputs
from lightea.errors import InputError, LighteaError
from lightea.machine import available_cores

_MORE = {
    "all": "every experiment",
    "page": f"only the tables and plots again, and {page.PAGE.name}",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run experiments and show them; returns the exit code."""
    asked = _parser().parse_args(arguments)
    try:
        _obey(asked)
    except LighteaError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what was finished is kept", file=sys.stderr)
        return 130
    return 0


def _obey(asked: argparse.Namespace) -> None:
    names = list(EXPERIMENTS) if asked.name in _MORE else [asked.name]
    if asked.name != "page":
        if asked.data is None:
            raise LighteaError("no data named", hint="name the directory of benchmark folders: --data DIR")
        laboratory = Laboratory(asked.out, asked.runs, asked.threads or available_cores(), asked.again, _tell)
        for dataset in find_datasets(asked.data, asked.only):
            for name in names:
                _carry_out(name, dataset, laboratory)
    for name in names:
        if records.documents(asked.out, name):
            page.write_shown(name, asked.out)
            print(asked.out / name / "table.md")
    if asked.out == page.RESULTS:
        outputs.write_text(page.PAGE, page.page(asked.out, page.PAGE.parent))
        print(page.PAGE)


def _carry_out(name: str, dataset: Dataset, laboratory: Laboratory) -> None:
    try:
        carry_out(EXPERIMENTS[name], dataset, laboratory)
    except InputError as problem:
        laboratory.tell(f"{name} is left out: {problem}")
    except MemoryError:
        laboratory.tell(f"{name} is left out on {dataset.name}: there is not enough memory")


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    listed = [f"  {name:<12}{experiment.title}" for name, experiment in EXPERIMENTS.items()]
    listed += [f"  {name:<12}{text}" for name, text in _MORE.items()]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description="The tables and figures of the LightEA paper, on your data.",
        epilog="names:\n" + "\n".join(listed),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    default = os.environ.get("LIGHTEA_DATA")
    parser.add_argument("name", metavar="NAME", choices=[*EXPERIMENTS, *_MORE], help="what to run; see below")
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(default) if default else None,
        help="directory of benchmark folders [default: $LIGHTEA_DATA]",
    )
    parser.add_argument("--only", default="", help="only data sets whose name contains this")
    parser.add_argument(
        "--out", type=Path, default=page.RESULTS, help="where results go [default: %(default)s]"
    )
    parser.add_argument(
        "--runs",
        type=_at_least_one,
        default=RUNS,
        help="runs of what is repeated [default: 5, of `split` 20]",
    )
    parser.add_argument("--again", action="store_true", help="run also what was run before")
    parser.add_argument("--threads", type=_at_least_one, help="[default: all cores allowed]")
    return parser


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not at least 1")
    return number


if __name__ == "__main__":
    sys.exit(main())
