"""The report as a file: what it says, that it is safe, small and the same each time."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explained import by_sketch, curies
from handmade import alignment as handmade_alignment
from handmade import graph
from lightea import cli
from lightea.alignment import Alignment
from lightea.report import report_page, selection
from lightea.report.cautions import cautions, equal_names
from lightea.report.charts import Axis, ticks
from lightea.report.labels import Names, local, script_json, shortened, shown
from lightea.report.markup import element, html
from lightea.run_store import load_alignment
from lightea.writing import write_run
from reported import HOSTILE, MANIFEST, hostile, large, with_calibration
from small_graphs import named_graph


class Page(HTMLParser):
    """The elements of a page, and the text of its scripts and styles."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: dict[str, list[str]] = {"script": [], "style": []}
        self.attributes: list[tuple[str, str | None]] = []
        self._open: str | None = None
        self.feed(page.decode("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._open = tag
        if tag in self.texts:
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = None

    def handle_data(self, data: str) -> None:
        if self._open in self.texts:
            self.texts[self._open][-1] += data

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.texts["script"][0])
        return found


def words(page: bytes) -> str:
    """What a reader reads, without the data for the script."""
    text = re.sub(r"<(script|style)\b.*?</\1>", "", page.decode("utf-8"), flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


# What it says


def test_terms_and_likeness_add_up_to_the_score_of_each_pair() -> None:
    data = Page(report_page(curies(), MANIFEST)).data
    assert len(data["details"]) > 3
    for row, detail in zip(data["detailed"], data["details"], strict=True):
        total = sum(term[-1] for term in detail["terms"]) + detail.get("more", [0, 0.0])[1] + detail["cosine"]
        assert total == pytest.approx(data["score"][row] / 1e4, abs=2e-4)


def test_terms_beyond_those_shown_are_summed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lightea.report.details.MOST_TERMS", 1)
    data = Page(report_page(curies(), MANIFEST)).data
    assert max(detail["more"][0] for detail in data["details"] if "more" in detail) == 2
    for row, detail in zip(data["detailed"], data["details"], strict=True):
        total = sum(term[-1] for term in detail["terms"]) + detail.get("more", [0, 0.0])[1] + detail["cosine"]
        assert total == pytest.approx(data["score"][row] / 1e4, abs=2e-4)


def test_a_term_names_both_facts_and_says_whether_it_is_a_seed() -> None:
    made = curies()
    data = Page(report_page(made, MANIFEST)).data
    names = data["names"]
    full = [names["beginnings"][of] + rest for of, rest in zip(names["of"], names["rest"], strict=True)]
    row = next(row for row in range(len(data["left"])) if full[data["left"][row]] == "Marie_Curie")
    terms = data["details"][data["detailed"].index(row)]["terms"]
    said = {
        (
            full[term[0] >> 1],
            term[0] % 2,
            full[term[1]],
            full[term[2] >> 1],
            term[2] % 2,
            full[term[3]],
            term[5],
        )
        for term in terms
    }
    assert ("field", 0, "Physics", "discipline", 0, "Fizyka", 1) in said
    assert ("mother", 1, "Irène_Curie", "child", 0, "Q7504", 1) in said
    assert ("spouse", 1, "Pierre_Curie", "husband", 0, "Q37463", 0) in said


def test_neighbours_without_counterpart_are_counted() -> None:
    data = Page(report_page(curies(), MANIFEST)).data
    names = data["names"]["rest"]
    row = next(row for row in range(len(data["left"])) if names[data["left"][row]] == "Marie_Curie")
    detail = data["details"][data["detailed"].index(row)]
    on_the_left = detail["left"]
    assert on_the_left[0] == (len(on_the_left) - 1) // 2
    assert "Warsaw" in [names[number] for number in on_the_left[2::2]]


def test_matched_doubtful_and_unmatched_are_counted() -> None:
    made = handmade_alignment(
        {0: [(0, 0.9, 0.8)], 1: [(1, 0.3, 0.7)], 2: [(2, 0.01, 0.6)], 3: []}, links=[(0, 0)]
    )
    page = report_page(made, MANIFEST)
    assert Page(page).data["kind"] == [0, 1, 2, 2]
    said = words(page)
    assert "matched 1 25.0% of those searched" in said
    assert "unmatched 2 50.0% of those searched" in said


def test_the_estimated_curve_needs_a_calibration() -> None:
    without, with_one = report_page(curies(), MANIFEST), report_page(with_calibration(curies()), MANIFEST)
    assert "its probabilities were not compared with seeds that were held back" in words(without)
    assert 'id="quality-title"' in without.decode()
    assert "Estimated with 900 seeds that were held back; no test link was seen." in words(with_one)
    assert "polyline" in Page(with_one).tags
    assert "polyline" not in Page(without).tags


def test_relations_are_a_map_and_a_table() -> None:
    said = words(report_page(curies(), MANIFEST))
    assert "spouse says what the inverse of husband says" in said
    assert "4 left relations down, 4 right ones across" in said


def test_stages_have_their_time_and_memory() -> None:
    said = words(report_page(curies(), MANIFEST))
    assert "1.75 seconds in all" in said
    assert "evidence 1.500 120" in said
    assert "did not record the time" in words(report_page(curies(), {}))


def test_without_evidence_labels_in_common_are_shown_and_why() -> None:
    made = curies()
    page = report_page(by_sketch(made.left, made.right, made.seeds), MANIFEST)
    data = Page(page).data
    assert not data["by_evidence"]
    assert [hop[0] for hop in data["details"][0]["hops"]] == [0, 1, 2]
    assert "This preset decides by sketches alone" in words(page)
    assert "Relations are compared by evidence, and this preset uses none" in words(page)


@pytest.mark.parametrize("rows", [{}, {0: []}, {0: [(0, 0.01, 0.5)]}])
def test_an_alignment_without_links_has_a_report(rows: dict[int, Any]) -> None:
    page = report_page(handmade_alignment(rows), MANIFEST)
    assert "No pair was probable enough" in words(page)
    assert len(Page(page).data["kind"]) == len(rows)
    report_page(with_calibration(handmade_alignment(rows)), MANIFEST)


def test_graphs_without_facts_and_an_empty_manifest_have_a_report() -> None:
    assert report_page(handmade_alignment({0: [(0, 0.9, 0.5)]}, [(0, 0)]), {}).startswith(b"<!doctype html>")


def test_a_manifest_with_odd_values_does_no_harm() -> None:
    odd = {
        "seconds": [1],
        "machine": None,
        "inputs": {"left": 3},
        "finished": 5,
        "config": "x",
        "versions": 1,
    }
    assert "did not record" in words(report_page(curies(), odd))


# What it warns of


def titles(alignment: Alignment, **manifest: Any) -> list[str]:
    return [one.title for one in cautions(alignment, manifest, equal_names(alignment))]


def test_equal_names_on_both_sides_are_a_leak() -> None:
    facts = [("a", "r", "b"), ("b", "r", "c")]
    same = by_sketch(named_graph(facts), named_graph(facts), np.array([(0, 0), (1, 1)], np.int32))
    audit = equal_names(same)
    assert (audit.n_left, audit.share_of_left, audit.share_of_seeds) == (3, 1.0, 1.0)
    assert "Names give the answer away" in titles(same)
    assert "Names give the answer away" not in titles(curies())


def test_equal_last_parts_of_iris_are_a_leak() -> None:
    left = named_graph([("http://l.org/resource/Paris", "r", "http://l.org/resource/Rome")])
    right = named_graph([("http://r.org/x#Paris", "r", "http://r.org/x#Roma")])
    audit = equal_names(by_sketch(left, right, np.array([(0, 0), (1, 1)], np.int32)))
    assert (audit.n_left, audit.share_of_seeds) == (0, 0.5)


def test_unequal_sides_and_entities_without_facts_are_named() -> None:
    made = handmade_alignment({}, left=graph("l", 10), right=graph("r", 30))
    found = {one.title: one.sentence for one in cautions(made, {}, equal_names(made))}
    assert "at least 67% of the right entities" in found["The sides are of unequal size"]
    assert found["Entities without facts on the left"].startswith("10 of 10 left entities")


def test_an_entity_in_several_seeds_is_named() -> None:
    made = curies()
    doubled = dataclasses.replace(
        made, seeds=np.concatenate([made.seeds, [[made.seeds[0, 0], 0]]]).astype(np.int32)
    )
    found = {one.title: one.sentence for one in cautions(doubled, {}, equal_names(doubled))}
    assert "for example Chemistry" in found["Entities in several seeds"]


def test_probabilities_without_calibration_and_rough_ones_are_told() -> None:
    assert "Probabilities are not calibrated" in titles(curies())
    assert "Estimates are rough" in titles(with_calibration(curies(), n_hidden=20))
    assert "Estimates are rough" not in titles(with_calibration(curies()))
    assert "The assignment was not finished" in titles(curies(), assignment={"converged": False})


# That it is safe


@pytest.mark.parametrize("evidence", [True, False])
def test_names_that_are_code_stay_names(evidence: bool) -> None:
    page = Page(report_page(with_calibration(hostile(evidence=evidence)), MANIFEST))
    assert page.tags.count("script") == 2
    assert page.tags.count("style") == 1
    assert not {"img", "iframe", "b"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert HOSTILE["Marie_Curie"] in page.data["names"]["rest"]


def test_nothing_steers_the_display_and_long_names_are_cut() -> None:
    page = report_page(hostile(), MANIFEST).decode()
    assert not re.search("[\u202e\u2028\u2029\x00\x1b]", page)
    assert "\\\\u202egnp.exe" in page
    assert "(10,000 characters)" in page
    assert len(page) < 200_000


def test_the_policy_allows_the_script_and_style_of_the_page_alone() -> None:
    page = Page(report_page(curies(), MANIFEST))
    policy = next(value for _, value in page.attributes if value and value.startswith("default-src"))
    for kind, text in (("style", page.texts["style"][0]), ("script", page.texts["script"][1])):
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    loaded = [value for name, value in page.attributes if name in ("src", "href")]
    assert all(value is not None and value.startswith(("#", "data:,")) for value in loaded)


@given(st.text())
def test_json_in_a_script_comes_back_and_ends_nothing(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return  # half of a surrogate pair, which no file of text holds
    written = script_json([text])
    assert json.loads(written) == [text]
    assert not re.search("[<>&\u2028\u2029]", written)


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"])),
    st.text(st.characters(exclude_categories=["Cs", "Cc"])),
)
def test_text_and_attributes_are_escaped(text: str, value: str) -> None:
    found: list[Any] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.append((tag, attrs))

        def handle_data(self, data: str) -> None:
            found.append(data)

    reader = Reader()
    reader.feed(html(element("p", text, title=value)))
    reader.close()
    assert found[0] == ("p", [("title", value)])
    assert "".join(found[1:]) == text


# That it is small, and the same each time


def test_the_same_run_gives_the_same_bytes() -> None:
    assert report_page(curies(), MANIFEST) == report_page(curies(), MANIFEST)


def test_of_many_rows_all_doubtful_ones_and_an_even_sample_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "MOST_ROWS", 300)
    row = {number: [(number, 0.9 - number / 2000, 0.5)] for number in range(800)}
    doubtful = {number: [(number, 0.2, 0.3)] for number in range(800, 850)}
    made = handmade_alignment(row | doubtful, [(number, number) for number in range(800)], n=1000)
    page = report_page(made, MANIFEST)
    chances = [
        chance
        for kind, chance in zip(*(Page(page).data[name] for name in ("kind", "probability")), strict=True)
        if kind == 0
    ]
    assert Page(page).data["kind"].count(1) == 50
    assert len(chances) == 250
    assert (max(chances), min(chances)) == (9000, 5005)
    assert "it holds 250 of 800 matched, 50 of 50 doubtful, 0 of 0 unmatched" in words(page)


def test_long_names_that_must_be_escaped_fit_the_budget() -> None:
    page = report_page(large(20_000, long_names=True), MANIFEST)
    assert len(page) < 5_000_000
    assert "To keep this file small" in words(page)


@pytest.mark.slow
def test_a_million_links_fit_five_megabytes() -> None:
    page = report_page(with_calibration(large(1_100_000)), MANIFEST)
    assert len(page) < 5_000_000
    assert len(Page(page).data["kind"]) > 10_000


# Where it stands


@pytest.mark.parametrize("evidence", [True, False])
def test_the_command_writes_the_bytes_that_the_run_wrote(
    evidence: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = with_calibration(curies())
    run = write_run(made if evidence else by_sketch(made.left, made.right, made.seeds), tmp_path / "run")
    before = (run / "report.html").read_bytes()
    (run / "report.html").write_bytes(b"")
    assert cli.main(["report", str(run)]) == 0
    assert f"The report is in {run / 'report.html'}." in capfd.readouterr().out
    assert (run / "report.html").read_bytes() == before


def test_the_calibration_of_a_run_is_kept(tmp_path: Path) -> None:
    made = with_calibration(curies())
    assert load_alignment(write_run(made, tmp_path / "run")).calibration == made.calibration


def test_a_run_made_without_a_report_gets_one_and_can_still_be_replaced(tmp_path: Path) -> None:
    run = write_run(curies(), tmp_path / "run")
    (run / "report.html").unlink()
    manifest = json.loads((run / "run.json").read_text())
    manifest["files"].remove("report.html")
    (run / "run.json").write_text(json.dumps(manifest))
    assert cli.main(["report", str(run)]) == 0
    assert "report.html" in json.loads((run / "run.json").read_text())["files"]
    write_run(curies(), run)


@pytest.mark.parametrize("content", ["{", "[]", '{"files": 3}'])
def test_a_broken_manifest_is_a_sentence(
    content: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run = write_run(curies(), tmp_path / "run")
    (run / "run.json").write_text(content)
    assert cli.main(["report", str(run)]) == 1
    assert "hint: make the run anew with: lightea align --out" in capfd.readouterr().err


def test_what_is_no_run_ends_with_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", str(tmp_path)]) == 1
    assert "is not a run directory of lightea" in capfd.readouterr().err
    assert not list(tmp_path.iterdir())


# Names and numbers


def test_names_are_shown_harmless_short_and_by_their_last_part() -> None:
    assert shown("a\x1b\u202eb") == "a\\x1b\\u202eb"
    assert shown("x" * 500) == "x" * 120 + " … " + "x" * 40 + " (500 characters)"
    assert local("http://dbpedia.org/resource/Paris") == "Paris"
    assert local("a/b") == "a/b"
    assert shortened("http://x.org/#abcdefgh", 5) == "abcd…"
    assert shortened("居里夫人", 5) == "居里…"


def test_a_table_of_names_keeps_each_once_with_its_beginning() -> None:
    names = Names()
    numbers = [names.number(name) for name in ("http://x.org/a", "http://x.org/b", "c", "http://x.org/a")]
    assert numbers == [0, 1, 2, 0]
    assert names.columns() == {"beginnings": ["", "http://x.org/"], "of": [1, 1, 0], "rest": ["a", "b", "c"]}
    written = script_json(names.columns())
    assert abs(len(written) - names.n_bytes) < 60


@given(st.floats(-10, 10), st.floats(0.01, 1e6))
def test_ticks_lie_on_the_axis_and_are_few(low: float, span: float) -> None:
    found = ticks(Axis("", low, low + span))
    assert 2 <= len(found) <= 8
    assert all(low - 1e-6 * span <= tick <= low + span + 1e-6 * span for tick in found)
