"""The README runs as written: its shell and Python blocks, on small files with the names that it uses."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lightea
from lightea.reading.dialect import LINK, TRIPLE
from lightea.synthetic import make_pair, write_pair

README = Path(__file__).parent.parent / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A directory with the files that the README names."""
    write_pair(tmp_path / "pair", 60, layout="nt")
    (tmp_path / "dbpedia.nt.gz").write_bytes(gzip.compress((tmp_path / "pair" / "left.nt").read_bytes()))
    write_pair(tmp_path / "table", 60, layout="tsv")
    (tmp_path / "wikidata.tsv").write_bytes((tmp_path / "table" / "right.tsv").read_bytes())
    pair = make_pair(60)
    lines = [f"{left}\t{right}\n" for left, right in zip(pair.links.left, pair.links.right, strict=True)]
    (tmp_path / "links.tsv").write_text("".join(lines[:30]), encoding="utf-8")
    names = [
        f"{one}\t{one.partition(':')[2].replace('_', ' ')}\n" for one in (*pair.links.left, *pair.links.right)
    ]
    (tmp_path / "names.tsv").write_text("".join(names), encoding="utf-8")
    (tmp_path / "more-dbpedia.nt").write_text("<http://new/1> <http://new/r> <http://new/2> .\n")
    (tmp_path / "more-wikidata.tsv").write_text("new 1\tnew r\tnew 2\n")
    return tmp_path


def test_the_align_and_update_commands_of_the_readme_run(workplace: Path) -> None:
    commands = [
        line
        for block in blocks("sh")
        for line in block.splitlines()
        if line.startswith(("lightea align", "lightea update"))
    ]
    assert any("update" in command for command in commands)
    for command in commands:
        finished = subprocess.run(
            [sys.executable, "-m", *command.split()],
            cwd=workplace,
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        assert (workplace / "run" / "links.tsv").exists()


def test_the_python_of_the_readme_runs(workplace: Path) -> None:
    for block in blocks("python"):
        small = block.replace("1_000_000", "60")  # so that the test takes seconds
        finished = subprocess.run(
            [sys.executable, "-c", small], cwd=workplace, capture_output=True, text=True, check=False
        )
        assert finished.returncode == 0, finished.stderr
        assert finished.stdout.strip()


def test_the_readme_names_every_title_of_columns_that_is_recognised() -> None:
    rows = re.findall(
        r"\| (head|relation|tail|left|right)(?:, of seeds)? \| (.*) \|", README.read_text("utf-8")
    )
    named = {role: set(names.split(", ")) for role, names in rows}
    assert named == {**TRIPLE, **LINK}


def test_the_tables_of_the_readme_are_read(tmp_path: Path) -> None:
    facts, seeds = blocks("text")
    (tmp_path / "facts.tsv").write_text(facts, encoding="utf-8")
    (tmp_path / "seeds.tsv").write_text(seeds, encoding="utf-8")
    graph = lightea.read(tmp_path / "facts.tsv")
    assert (graph.n_triples, graph.attributes["language"].to_list()) == (1, ["fr"])
    links = lightea.read_links(tmp_path / "seeds.tsv")
    assert links.left[0] in graph.entities
    (tmp_path / "facts.csv").write_text('a,r,b\na,label,"""Paris""@fr"\n', encoding="utf-8")
    assert lightea.read(tmp_path / "facts.csv").attributes["value"].to_list() == ["Paris"]


def test_the_make_targets_of_the_readme_exist() -> None:
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`?make ([a-z-]+)", README.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_evaluate_commands_of_the_readme_run(tmp_path: Path) -> None:
    """On a made-up folder in OpenEA layout under both names, without the fold that it lacks."""
    commands = [line.split() for block in blocks("sh") for line in block.splitlines() if "evaluate" in line]
    assert commands
    for command in commands:
        folder = tmp_path / command[2]
        if not folder.exists():
            write_pair(folder, 60, layout="openea")
        split = folder / "721_5fold" / "1"
        if not split.exists():
            split.mkdir(parents=True)
            links = (folder / "ent_links").read_text(encoding="utf-8").splitlines(keepends=True)
            for name, part in (("train", links[:20]), ("valid", links[20:25]), ("test", links[25:])):
                (split / f"{name}_links").write_text("".join(part), encoding="utf-8")
        finished = subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert finished.returncode == 0, finished.stderr
        assert "hits@1" in finished.stdout
