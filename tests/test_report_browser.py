"""The report in a real browser: nothing runs but its own script, and everything can be done by keyboard."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from explained import by_sketch, curies
from handmade import alignment as handmade_alignment
from lightea.alignment import Alignment
from lightea.report import report_page
from reported import HOSTILE, MANIFEST, hostile, with_calibration

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
]

if CHROMIUM is None and os.environ.get("CI", "").lower() != "true":
    pytest.skip("there is no chromium; install it with: make browser", allow_module_level=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    assert CHROMIUM is not None, (
        "under CI=true the report is tested in chromium; install it with: make browser"
    )
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield started
        started.close()


@dataclass
class Opened:
    """A report in the browser, and all that it did beside being shown."""

    page: sync_api.Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    def focused(self) -> str:
        """What has the focus, by its id, label or text."""
        found: str = self.page.evaluate(
            "(({id, ariaLabel, innerText}) => id || ariaLabel || innerText)(document.activeElement)"
        )
        return found

    def tab_to(self, wanted: str) -> None:
        """Press Tab until something has the focus."""
        for _ in range(80):
            self.page.keyboard.press("Tab")
            if self.focused() == wanted:
                return
        raise AssertionError(f"{wanted} cannot be reached by Tab")

    def column(self, number: int) -> list[str]:
        return self.page.locator(f"tr.pair > td:nth-child({number})").all_inner_texts()

    def colours(self) -> tuple[str, str]:
        style = "(name) => getComputedStyle(document.body)[name]"
        return self.page.evaluate(style, "backgroundColor"), self.page.evaluate(style, "color")


Opener = Callable[..., Opened]


@pytest.fixture
def opened(browser: sync_api.Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens the report of an alignment, and sees to it that it loads nothing and complains of nothing."""
    shown: list[Opened] = []

    def show(alignment: Alignment, **options: object) -> Opened:
        path = tmp_path / "report.html"
        path.write_bytes(report_page(alignment, MANIFEST))
        page = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options}).new_page()
        report = Opened(page)
        page.on("console", lambda message: report.complaints.append(message.text))
        page.on("pageerror", lambda problem: report.complaints.append(str(problem)))
        page.on("dialog", lambda dialog: report.complaints.append(dialog.message))
        page.on("request", lambda request: report.requests.append(request.url))
        page.goto(path.as_uri())
        shown.append(report)
        return report

    yield show
    for report in shown:
        report.page.wait_for_timeout(50)
        assert report.complaints == []
        assert [url for url in report.requests if not url.startswith("data:,")] == [
            (tmp_path / "report.html").as_uri()
        ]
        report.page.context.close()


def many(n: int = 60) -> Alignment:
    """Pairs of falling probability, the last ten of them no links."""
    rows = {number: [(n - 1 - number, 0.95 - number / 100, 1.0 + number / 100)] for number in range(n)}
    return handmade_alignment(rows, [(number, n - 1 - number) for number in range(n - 10)], n=n)


def open_all(report: Opened) -> int:
    buttons = report.page.locator("td.opener button")
    for number in range(buttons.count()):
        buttons.nth(number).click()
    for summary in report.page.locator("summary").all():
        summary.click()
    return buttons.count()


@pytest.mark.parametrize("evidence", [True, False])
def test_names_that_are_code_are_shown_and_never_run(evidence: bool, opened: Opener) -> None:
    report = opened(with_calibration(hostile(evidence=evidence)))
    assert open_all(report) > 0
    report.page.locator("#search").fill("window.hacked")
    assert report.page.evaluate("window.hacked") is None
    assert report.page.evaluate("document.scripts.length") == 2
    assert report.page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    assert HOSTILE["Marie_Curie" if evidence else "Irène_Curie"] in report.text("#rows")


def test_the_policy_of_the_page_stops_what_a_script_would_load(opened: Opener) -> None:
    report = opened(curies())
    refused = report.page.evaluate("fetch('https://example.org/').then(() => 'loaded', () => 'refused')")
    assert refused == "refused"
    assert any("Content Security Policy" in complaint for complaint in report.complaints)
    report.complaints.clear()


def test_searching_by_keyboard_narrows_the_table(opened: Opener) -> None:
    report = opened(many())
    assert report.text("#found") == "60 rows"
    report.tab_to("search")
    report.page.keyboard.type("R05")
    assert report.text("#found") == "10 rows of 60"
    assert report.column(3) == [f"r05{digit}" for digit in range(9, -1, -1)]
    report.page.keyboard.type("7 l002")
    assert report.column(2) == ["l002"]
    report.page.keyboard.type("nothing")
    assert report.text("#found") == "0 rows of 60"
    assert report.page.locator("#found").get_attribute("aria-live") == "polite"


def test_sorting_by_keyboard_says_so(opened: Opener) -> None:
    report = opened(many())
    report.tab_to("Probability")
    heads = report.page.locator("th[aria-sort]")
    assert heads.count() == 0
    report.page.keyboard.press("Enter")
    assert (heads.get_attribute("data-key"), heads.get_attribute("aria-sort")) == (
        "probability",
        "descending",
    )
    assert report.column(4)[:2] == ["0.9500", "0.9400"]
    report.page.keyboard.press("Space")
    assert heads.get_attribute("aria-sort") == "ascending"
    assert report.column(4)[:2] == ["0.3600", "0.3700"]
    report.tab_to("Right")
    report.page.keyboard.press("Enter")
    assert report.column(3)[:3] == ["r000", "r001", "r002"]


def test_pages_are_turned_and_filtered_by_keyboard(opened: Opener) -> None:
    report = opened(many())
    assert report.page.locator("#pages").inner_text().split("\n") == ["Previous", "Page 1 of 3", "Next"]
    report.page.locator("#next").focus()
    report.page.keyboard.press("Enter")
    assert report.column(2)[0] == "l025"
    report.page.locator("#kind").focus()
    report.page.keyboard.press("d")
    assert report.text("#found") == "10 rows of 60"
    assert set(report.column(1)) == {"doubtful"}


def test_evidence_opens_by_keyboard_with_drawings_that_say_what_they_show(opened: Opener) -> None:
    report = opened(curies())
    report.tab_to("Why Marie_Curie and Q7186")
    report.page.keyboard.press("Enter")
    button = report.page.locator("[aria-label='Why Marie_Curie and Q7186']")
    assert button.get_attribute("aria-expanded") == "true"
    detail = report.page.locator("#" + (button.get_attribute("aria-controls") or ""))
    assert detail.is_visible()
    pictures = detail.get_by_role("img")
    assert pictures.count() == 2
    said = [picture.locator("desc").text_content() or "" for picture in pictures.all()]
    assert said[0].endswith("likeness of the sketches 0.1000, in all 1.2524")
    assert "Physics with Fizyka" in said[1]
    assert "Only on the left: Warsaw" in said[1]
    assert detail.locator("path.join.seed").count() == 2
    report.page.keyboard.press("Space")
    assert not detail.is_visible()


def test_what_was_open_stays_open_when_the_table_is_sorted(opened: Opener) -> None:
    report = opened(curies())
    report.page.locator("[aria-label='Why Marie_Curie and Q7186']").click()
    report.page.locator("th button").first.click()
    assert report.page.locator("tr.detail:visible").count() == 1


def test_a_run_without_evidence_lists_labels_in_common(opened: Opener) -> None:
    made = curies()
    report = opened(by_sketch(made.left, made.right, made.seeds))
    assert open_all(report) == 1
    assert "After 1 hop: cosine 1.0000, 2 seeds in common" in report.text("tr.detail")


def test_dark_mode_follows_the_system_and_the_switch(opened: Opener) -> None:
    report = opened(curies())
    light = report.colours()
    report.page.emulate_media(color_scheme="dark")
    dark = report.colours()
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    report.page.locator("#theme-system").focus()
    report.page.keyboard.press("ArrowRight")
    assert report.colours() == light
    report.page.emulate_media(color_scheme="light")
    report.page.keyboard.press("ArrowRight")
    assert report.colours() == dark


@pytest.mark.parametrize("width", [320, 390, 768])
@pytest.mark.parametrize("make", [hostile, lambda: many(30)])
def test_a_narrow_page_does_not_scroll_sideways(
    width: int, make: Callable[[], Alignment], opened: Opener
) -> None:
    report = opened(with_calibration(make()), viewport={"width": width, "height": 800})
    open_all(report)
    assert report.page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_the_page_can_be_read(opened: Opener) -> None:
    report = opened(with_calibration(many()), java_script_enabled=False)
    assert report.page.locator("#rows tbody tr").count() == 50
    assert report.page.locator("noscript").is_visible()
    assert not report.page.locator("#controls").is_visible()
    assert report.page.get_by_role("img", name="Precision and recall to expect").is_visible()
    before = report.page.locator("body").screenshot()
    report.page.locator("#theme-dark").check()
    assert report.page.locator("body").screenshot() != before


def test_on_paper_there_is_nothing_to_click_and_it_is_light(opened: Opener) -> None:
    report = opened(curies(), color_scheme="dark")
    report.page.locator("[aria-label='Why Marie_Curie and Q7186']").click()
    report.page.emulate_media(media="print")
    assert not report.page.locator("nav").is_visible()
    assert not report.page.locator("#controls").is_visible()
    assert report.page.locator("tr.detail svg").first.is_visible()
    assert report.colours()[0] == "rgb(255, 255, 255)"


def test_everything_to_be_used_has_a_name(opened: Opener) -> None:
    report = opened(with_calibration(curies()))
    open_all(report)
    nameless = report.page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, summary, [tabindex="0"], svg')]
            .filter((one) => !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')
                || one.innerText || (one.labels && one.labels.length)))
            .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    dangling = report.page.evaluate(
        """() => [...document.querySelectorAll('[aria-labelledby], [aria-controls]')]
            .flatMap((one) => [one.getAttribute('aria-labelledby'), one.getAttribute('aria-controls')])
            .filter(Boolean).flatMap((ids) => ids.split(' '))
            .filter((id) => !document.getElementById(id))"""
    )
    assert dangling == []
    repeated = report.page.evaluate(
        """() => [...document.querySelectorAll('[id]')].map((one) => one.id)
            .filter((id, place, all) => all.indexOf(id) !== place)"""
    )
    assert repeated == []


def test_an_empty_alignment_opens(opened: Opener) -> None:
    report = opened(handmade_alignment({}))
    assert report.text("#found") == "0 rows"
    assert "No links" in report.text(".cautions")
