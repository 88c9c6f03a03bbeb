"""Every example of docs/inputs.md is read or run, and says what the page says."""

from __future__ import annotations

import gzip
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import lightea
from lightea import cli

PAGE = Path(__file__).parent.parent / "docs" / "inputs.md"
BLOCKS = re.findall(
    r"^```(\w+) ?(\S*)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
FILES = {name: text for _, name, text in BLOCKS if name}
GRAPHS = sorted(
    {name.partition("/")[0] for name in FILES if re.match(r"triples|edges|people|neo4j|kgx", name)}
)
SEEDS = sorted(name for name in FILES if name.startswith("pairs"))


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files of the page."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "more.nt.gz").write_bytes(gzip.compress(FILES["people.nt"].encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(language: str) -> list[str]:
    return [line for kind, _, text in BLOCKS if kind == language for line in text.splitlines()]


def test_there_are_examples() -> None:
    assert len(GRAPHS) == 10
    assert len(SEEDS) == 4


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_of_the_page_says_the_same(workplace: Path, name: str) -> None:
    graph = lightea.read(name, columns="from,what,to" if name == "edges.csv" else None)
    heads, tails = (graph.entities.gather(ends) for ends in (graph.heads, graph.tails))
    facts = zip(heads, graph.relations.gather(graph.relation_ids), tails, strict=True)
    plain = {tuple(re.split("[/:]", part)[-1] for part in fact) for fact in facts}
    assert plain == {("marie", "bornIn", "warsaw"), ("warsaw", "capitalOf", "poland")}
    assert "Marie Curie" in graph.attributes["value"]


@pytest.mark.parametrize("name", SEEDS)
def test_every_file_of_seeds_is_read(workplace: Path, name: str) -> None:
    links = lightea.read_links(name)
    assert list(links.left) == ["http://x/marie", "http://x/warsaw"]
    assert [right.rpartition("/")[2] for right in links.right] == ["marie", "warsaw"]


@pytest.mark.parametrize("command", [line for line in lines("sh") if line.startswith("lightea")])
def test_every_command_runs(workplace: Path, command: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(shlex.split(command)[1:]) == 0
    assert capfd.readouterr().out


@pytest.mark.parametrize("command", [line for line in lines("sh") if not line.startswith("lightea")])
def test_every_pipe_runs(workplace: Path, command: str) -> None:
    ours = f"{shlex.quote(sys.executable)} -m lightea"
    done = subprocess.run(
        command.replace("lightea", ours, 1), shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("code", [text for kind, _, text in BLOCKS if kind == "python"])
def test_the_python_runs(workplace: Path, code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_linked_graphs_are_aligned_without_a_word_of_it_by_default(
    workplace: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["align", "linked.ttl", "other.ttl", "--seeds", "pairs.nt", "--preset", "basic"]) == 0
    assert "2 statements, for example http://x/marie = http://y/marie" in capfd.readouterr().err
