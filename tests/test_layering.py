"""Which module may know which: read from the import statements, wherever in a file they stand."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import lightea

PACKAGE = Path(lightea.__file__).parent

VALUES = {"errors", "graph"}
TYPES = {"alignment", "assignment", "candidates", "config", *VALUES}
KERNELS = {"_kernels", "_evidence_kernels", "_name_kernels"}
STAGES = (
    *("codes", "adjacency", "labels", "propagation", "candidates", "assignment"),
    *("relations", "evidence", "proposing", "fitting", "matchability", "quality", "traits", "calibration"),
)
"""In the order of a run: a stage may use the types of an earlier one, never of a later one, nor `Config`."""

METHODS = ("sketching", "paper", "rounds", "rehearsal", "inheritance", "reopening", "revision")
"""Stages put together by the settings; each may use those before it."""

MAY_IMPORT: dict[str, set[str]] = {
    "_version": set(),
    "_kernels": set(),
    "_plain": set(),
    "_evidence_kernels": {"_kernels"},
    "_plain_evidence": set(),
    "_name_kernels": {"_kernels"},
    "_plain_names": set(),
    "clock": {"errors", "machine"},
    "errors": set(),
    "machine": {"_version"},
    "outputs": {"errors"},
    "config": {"errors"},
    "vocabulary": {"errors"},
    "graph": {"errors", "notebook"},
    "graph_builder": {"vocabulary", *VALUES},
    "reading": {"graph_builder", "selection", "vocabulary", *VALUES},
    "selection": VALUES,
    "identity": {"selection", *VALUES},
    "inspection": {"identity", "selection", *VALUES},
    "forecast": {"config", *VALUES},
    "sizing": {"config"},
    "synthetic": {"outputs", *VALUES},
    **{stage: {*KERNELS, *STAGES[:place], *VALUES} for place, stage in enumerate(STAGES)},
    "seeds": {"config", "reading", *VALUES},
    "confident": {"assignment", "seeds", *VALUES},
    **{
        method: {
            *("clock", "config", "confident", "name_space", "seeds", "weighing"),
            *(*METHODS[:place], *STAGES, *VALUES),
        }
        for place, method in enumerate(METHODS)
    },
    "names": {"config", *VALUES},
    "spelling": {"_name_kernels"},
    "name_space": {"_name_kernels", "candidates", "codes", *VALUES},
    "characters": {"_name_kernels", "name_space", "names", "spelling"},
    "word_vectors": {"codes", "config", "name_space", "names", "reading", "spelling", *VALUES},
    "sentence_encoder": {"codes", "name_space", "names", "spelling", *VALUES},
    "encoding": {
        *("characters", "name_space", "names", "sentence_encoder", "word_vectors"),
        *("config", "reading", *VALUES),
    },
    "weighing": {"assignment", "candidates", "confident"},
    "alignment": {
        "assignment",
        "names",
        "calibration",
        "config",
        "evidence",
        "exchange",
        "explainer",
        "explanation",
        "notebook",
        "quality",
        "writing",
        *VALUES,
    },
    "exchange": {"_version", "alignment", "outputs", *VALUES},
    "itemising": {"adjacency", "evidence", "relations"},
    "tracing": {"adjacency", "itemising", *VALUES},
    "naming": VALUES,
    "notebook": {"alignment", "explanation", "graph", "wording"},
    "explanation": {"notebook", "wording"},
    "explainer": {
        "adjacency",
        "alignment",
        "evidence",
        "explanation",
        "itemising",
        "naming",
        "tracing",
        *VALUES,
    },
    "wording": {"explanation"},
    "run_store": {"calibration", "quality", "adjacency", "evidence", "names", "relations", *TYPES},
    "pipeline": {
        *(
            "alignment",
            "clock",
            "config",
            "forecast",
            "graph_builder",
            "identity",
            "machine",
            "seeds",
            "sizing",
            "linking",
        ),
        *("characters", "encoding", "name_space", "names"),
        *METHODS,
        *STAGES,
        *VALUES,
    },
    "growth": {"graph_builder", *VALUES},
    "changes": {"growth", "reopening", *TYPES},
    "renewal": {
        *("changes", "clock", "encoding", "growth", "identity", "linking", "machine", "pipeline", "reading"),
        *("run_store", "seeds", "selection", "writing"),
        *METHODS,
        *STAGES,
        *TYPES,
    },
    "linking": {"calibration", "confident", "quality", *TYPES},
    "evaluation": TYPES,
    "standing": TYPES,
    "report": {
        "adjacency",
        "calibration",
        "confident",
        "evidence",
        "itemising",
        "quality",
        "standing",
        "tracing",
        *TYPES,
    },
    "predictions": {"confident", "quality", "reading", *TYPES},
    "writing": {
        "_version",
        "changes",
        "clock",
        "exchange",
        "machine",
        "outputs",
        "report",
        "run_store",
        "standing",
        *TYPES,
    },
}
"""A module not named here has no place in the design yet: give it one before adding it."""

FREE = {"__init__", "__main__", "cli"}
"""The public names, and the command line: they see everything and nobody may import them."""


def modules() -> dict[str, list[Path]]:
    """The source files of every module of the package; the files of a sub-package count as one."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        found.setdefault(path.relative_to(PACKAGE).with_suffix("").parts[0], []).append(path)
    return found


def imported(path: Path) -> set[str]:
    """The modules of this package that a file imports; `__init__` stands for the package itself."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are written in full"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {_module(name) for name in names if name.partition(".")[0] == "lightea"}


def _module(name: str) -> str:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in modules() else "__init__"


def test_each_module_imports_only_what_its_layer_may() -> None:
    for name, files in modules().items():
        for path in files:
            if name in FREE:
                continue
            surplus = imported(path) - MAY_IMPORT[name] - {name}
            assert not surplus, f"{path.relative_to(PACKAGE)} must not import {sorted(surplus)}"


def test_every_module_has_its_place() -> None:
    homeless = set(modules()) - set(MAY_IMPORT) - FREE
    assert not homeless, f"not in the table of layers: {sorted(homeless)}"


def test_nobody_imports_the_command_line() -> None:
    for name, files in modules().items():
        if name in {"cli", "__main__"}:
            continue
        assert not any("cli" in imported(path) for path in files), name


def test_only_the_command_line_prints() -> None:
    for name, files in modules().items():
        if name == "cli":
            continue
        for path in files:
            calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if _prints(node)]
            assert not calls, f"{path.relative_to(PACKAGE)}:{calls[0].lineno} prints"


@pytest.mark.parametrize(
    "code",
    [
        "print('x')",
        "sys.stdout.write('x')",
        "sys.stderr.buffer.write(b'x')",
        "out = sys.stdout",
        "from sys import stderr",
        "os.write(1, b'x')",
        "typer.echo('x')",
        "import click",
        "from rich.console import Console",
    ],
)
def test_every_way_to_print_is_caught(code: str) -> None:
    assert any(_prints(node) for node in ast.walk(ast.parse(code)))


def _prints(node: ast.AST) -> bool:
    """Whether code prints, or gets hold of what prints."""
    match node:
        case ast.Call(func=ast.Name(id="print")) | ast.Attribute(attr="echo"):
            return True
        case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr"):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr="write")):
            return True
        case ast.Import(names=names):
            return any(_is_printer(alias.name) for alias in names)
        case ast.ImportFrom(module=module, names=names):
            return _is_printer(module or "") or any(alias.name in {"stdout", "stderr"} for alias in names)
    return False


def _is_printer(module: str) -> bool:
    return module.partition(".")[0] in {"typer", "click", "rich"}
