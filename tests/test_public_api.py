"""The names users may rely on, and what it costs to import them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import lightea

HEAVY = ("numpy", "polars", "numba", "scipy", "pyoxigraph", "rich", "typer", "threadpoolctl", "numkong")


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh Python has loaded after a statement."""
    script = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_public_names_are_these() -> None:
    assert lightea.__all__ == [
        "Alignment",
        "Benchmark",
        "Config",
        "KnowledgeGraph",
        "LighteaError",
        "Links",
        "Publication",
        "Scores",
        "Update",
        "__version__",
        "align",
        "evaluate",
        "read",
        "read_benchmark",
        "read_links",
        "read_names",
        "update",
        "write_links",
    ]


@pytest.mark.parametrize("name", lightea.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(lightea, name)


def test_public_names_are_listed_for_completion() -> None:
    assert dir(lightea) == lightea.__all__


def test_a_misspelt_name_says_so() -> None:
    with pytest.raises(AttributeError, match="'lightea' has no attribute 'allign'"):
        lightea.allign  # noqa: B018  (the access is the test)


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not modules_after("import lightea") & set(HEAVY)


def test_the_settings_and_errors_load_nothing_heavy() -> None:
    statement = "import lightea; lightea.Config, lightea.LighteaError"
    assert not modules_after(statement) & set(HEAVY)


def test_the_help_text_loads_nothing_that_computes() -> None:
    statement = "from lightea.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not modules_after(statement) & {"numpy", "polars", "numba", "scipy", "pyoxigraph", "rich"}
