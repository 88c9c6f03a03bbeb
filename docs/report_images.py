"""Makes the pictures of docs/report.md anew: python docs/report_images.py (needs chromium: make browser)."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

import lightea
from lightea.synthetic import demo_pair
from lightea.writing import write_run

IMAGES = Path(__file__).parent / "images"
WIDE, PHONE = {"width": 1100, "height": 1500}, {"width": 390, "height": 1500}


def main() -> None:
    """Align a made-up pair, and take the pictures."""
    pair = demo_pair(random_seed=0)
    left = dataclasses.replace(pair.left, name="english")
    right = dataclasses.replace(pair.right, name="lunian")
    seeds, _ = pair.links.split(0.3, random_seed=0)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        run = write_run(lightea.align(left, right, seeds, preset="auto"), Path(folder) / "run")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, scheme, size in (
            ("light", "light", WIDE),
            ("dark", "dark", WIDE),
            ("narrow", "light", PHONE),
        ):
            page = browser.new_context(color_scheme=scheme, viewport=size).new_page()  # type: ignore[arg-type]
            page.goto((run / "report.html").as_uri())
            if name != "light":
                show_evidence(page, name)
            page.screenshot(path=IMAGES / f"report-{name}.png")
        browser.close()


def show_evidence(page: Page, name: str) -> None:
    """Open a pair, and scroll to it."""
    page.locator("td.opener button").nth(1).click()
    target = "#links" if name == "dark" else "tr.pair >> nth=1"
    page.locator(target).evaluate(
        "(one) => window.scrollTo({top: one.getBoundingClientRect().top + scrollY - 60, behavior: 'instant'})"
    )


if __name__ == "__main__":
    main()
