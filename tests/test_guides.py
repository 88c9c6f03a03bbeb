"""The pages of docs/ run as written: their blocks in order, each page in a directory of its own."""

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
from lightea.synthetic import make_pair, write_pair

PAGES = sorted((Path(__file__).parent.parent / "docs").glob("*.md"))
OF_THEIR_OWN = {"inputs", "your-own-method"}
"""Pages whose examples make their own files, and are run by tests of their own."""
BLOCK = re.compile(r"```(sh|python|toml)\n(.*?)```", re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """The files that the pages speak of: two graphs, and seeds enough for a calibration."""
    write_pair(tmp_path / "pair", 200, layout="nt")
    (tmp_path / "dbpedia.nt.gz").write_bytes(gzip.compress((tmp_path / "pair" / "left.nt").read_bytes()))
    write_pair(tmp_path / "table", 200, layout="tsv")
    (tmp_path / "wikidata.tsv").write_bytes((tmp_path / "table" / "right.tsv").read_bytes())
    pair = make_pair(200)
    lines = [f"{left}\t{right}\n" for left, right in zip(pair.links.left, pair.links.right, strict=True)]
    (tmp_path / "links.tsv").write_text("".join(lines[:100]), encoding="utf-8")
    (tmp_path / "more-dbpedia.nt").write_text("<http://new/1> <http://new/r> <http://new/2> .\n")
    (tmp_path / "more-wikidata.tsv").write_text("new 1\tnew r\tnew 2\n")
    return tmp_path


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.stem not in OF_THEIR_OWN], ids=lambda page: page.stem
)
def test_the_blocks_of_a_page_run_in_order(
    page: Path, workplace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In this process, so that compiled code is loaded once."""
    monkeypatch.chdir(workplace)
    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "toml":
            (workplace / "settings.toml").write_text(text, encoding="utf-8")
        elif language == "python":
            exec(compile(text, page.name, "exec"), {})
        else:
            for line in text.splitlines():
                command, *arguments = shlex.split(line, comments=True)
                assert command == "lightea", f"{page.name}: only lightea is run, not {line}"
                assert cli.main(arguments) == 0, f"{line}\n{capfd.readouterr().err}"


def test_the_reference_is_built_of_all_public_names(tmp_path: Path) -> None:
    build = [sys.executable, "-W", "error", "-m", "pdoc", "lightea", "--output-directory", str(tmp_path)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "lightea.html").read_text(encoding="utf-8")
    for name in set(lightea.__all__) - {"__version__"}:
        assert f'id="{name}"' in page, name
