"""The worked example of docs/evidence.md: its numbers add up as it says, and are those of a run."""

from __future__ import annotations

import contextlib
import io
import math
import re
from pathlib import Path

import pytest

from lightea.config import PRESETS

PAGE = (Path(__file__).parent.parent / "docs" / "evidence.md").read_text(encoding="utf-8")
CODE, SHOWN = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL).groups()  # type: ignore[union-attr]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the example prints now."""
    out = io.StringIO()
    with contextlib.chdir(tmp_path_factory.mktemp("page")), contextlib.redirect_stdout(out):
        exec(compile(CODE, "evidence.md", "exec"), {})
    return out.getvalue()


@pytest.fixture(params=["page", "run"])
def text(request: pytest.FixtureRequest) -> str:
    """The example as the page has it, and as it is now."""
    return SHOWN if request.param == "page" else str(request.getfixturevalue("printed"))


def number_after(text: str, words: str) -> float:
    found = re.search(re.escape(words) + r" *(-?[\d.]+)", text)
    assert found, words
    return float(found[1])


def rows(text: str) -> list[list[float]]:
    """Of each term what it adds, its share of the score, P, ρ, w and w'."""
    found = [line.removesuffix("seed").split() for line in text.splitlines() if re.match(r"\d+ ", line)]
    return [[float(cell) for cell in (*line[1:3], *line[-4:])] for line in found]


def test_each_term_is_the_product_of_its_factors(text: str) -> None:
    assert len(rows(text)) == 4
    for adds, _, *factors in rows(text):
        assert math.prod(factors) == pytest.approx(adds, abs=2e-4)


def test_the_terms_add_up_to_the_evidence_and_that_to_the_score(text: str) -> None:
    evidence = sum(row[0] for row in rows(text))
    assert evidence == pytest.approx(number_after(text, "log(1 + 30 ·"), abs=5e-6)
    summands = re.search(r"^E = (.*)$", text, re.MULTILINE)
    assert summands
    assert [float(one) for one in summands[1].split(" + ")] == [row[0] for row in rows(text)]
    of_evidence = math.log(1 + 30 * evidence) / 3
    assert sum(row[1] for row in rows(text)) == pytest.approx(of_evidence, abs=5e-6)
    cosine = float(re.search(r"([\d.]+) cosine", text)[1])  # type: ignore[index]
    assert of_evidence + cosine == pytest.approx(number_after(text, "score"), abs=5e-6)


def test_the_score_gives_the_probability(text: str) -> None:
    line = re.search(r"P = exp\(([\d.]+) / ([\d.]+) - (-?[\d.]+) - (-?[\d.]+)\) = ([\d.]+)", text)
    assert line
    score, temperature, u, v, assigned = map(float, line.groups())
    assert score == number_after(text, "score")
    assert math.exp(score / temperature - u - v) == pytest.approx(assigned, abs=2e-5)
    odds = number_after(text, "log(P / (1 - P)) =")
    assert odds == pytest.approx(math.log(assigned / (1 - assigned)), abs=0.01)
    line = re.search(r"σ\((-?[\d.]+) \+ ([\d.]+) · (-?[\d.]+) \+ ([\d.]+) · 1\) = ([\d.]+)", text)
    assert line
    one, log_odds, given, mutual, calibrated = map(float, line.groups())
    assert given == odds
    assert 1 / (1 + math.exp(-(one + log_odds * odds + mutual))) == pytest.approx(calibrated, abs=2e-4)
    assert calibrated == number_after(text, "· probability")


def test_the_page_shows_what_is_printed(printed: str) -> None:
    """Its words, and its numbers but for rounding; else `python docs/evidence_example.py` renews it."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", SHOWN).split()
    now, then = ([float(number) for number in NUMBER.findall(text)] for text in (printed, SHOWN))
    assert now == pytest.approx(then, abs=0.02), "to renew the page: python docs/evidence_example.py"


def test_every_setting_of_auto_is_justified() -> None:
    constants = PAGE.partition("## Constants")[2].partition("<!--")[0]
    auto, paper = PRESETS["auto"], PRESETS["iterative"]
    stated = {match[1]: match[2] for match in re.finditer(r"\| `(\w+)`[^|]*\| ([\d.]+)", constants)}
    for name in (
        *("label_width", "sketch_width", "proposals", "temperature", "sinkhorn_iterations", "rounds"),
        *("evidence_rounds", "cosine_weight", "no_match_score", "accept", "hops"),
    ):
        assert float(stated[name]) == getattr(auto, name), name
    of_others = {"candidates", "names", "threshold", "precision", "cardinality", "random_seed", "preset"}
    changed = {name for name in vars(auto) if getattr(auto, name) != getattr(paper, name)}
    assert changed - of_others <= set(stated)


@pytest.mark.parametrize(
    "module", ["rounds", "rehearsal", "evidence", "assignment", "matchability", "calibration"]
)
def test_every_number_of_a_module_stands_in_the_page(module: str) -> None:
    source = (Path(__file__).parent.parent / "src" / "lightea" / f"{module}.py").read_text(encoding="utf-8")
    for name in re.findall(r"^([A-Z_]+) = [\d(]", source, re.MULTILINE):
        assert f"`{name}`" in PAGE, f"{module}.{name}"
