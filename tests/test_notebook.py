"""What notebooks show: the numbers, the first rows, and names as text, whatever is in them."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser

import pytest

import handmade
from explained import curies
from lightea.calibration import Calibration
from links_to_write import linked
from small_graphs import named_graph

EVIL = "<script>alert('1')</script>&\"\u202e"


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_graph_shows_its_size_and_its_first_facts() -> None:
    page = Reader(
        named_graph([(f"a{number:02}", "r", "b") for number in range(12)], name="mine")._repr_html_()
    )
    assert "KnowledgeGraph mine: 13 entities, 1 relations, 12 facts" in page.text
    assert "a09" in page.text
    assert "a10" not in page.text
    assert "10 of 12 facts are shown." in page.text


def test_an_alignment_shows_its_surest_links_and_its_expected_quality() -> None:
    made = linked()
    page = Reader(made._repr_html_())
    assert "8 links, 2 searched entities without, 0 seeds" in page.text
    assert "not calibrated" in page.text
    assert page.text.index("1.0000") < page.text.index("0.5625")
    fitted = Calibration(100, 0.1, False, (0.0,), (), (), True, 10.0)
    assert (
        "Expected: precision 0.781"
        in Reader(dataclasses.replace(made, calibration=fitted)._repr_html_()).text
    )


def test_an_explanation_shows_what_it_says_as_text() -> None:
    found = curies().explain("Marie_Curie")
    page = Reader(found._repr_html_())
    for word in ("Marie_Curie", "Q7186", "mother", "probability 0.9"):
        assert word in page.text
    assert page.tags.count("table") >= 1


@pytest.mark.parametrize("name", [EVIL, "x" * 10_000, ""])
def test_names_are_text_and_never_markup(name: str) -> None:
    for shown in (
        named_graph([(name, EVIL, "b")], name=EVIL)._repr_html_(),
        linked([name, "a"], [EVIL, "b"])._repr_html_(),
    ):
        page = Reader(shown)
        assert set(page.tags) <= {"div", "p", "b", "bdi", "br", "table", "thead", "tbody", "tr", "th", "td"}
        assert EVIL in page.text
        assert len(shown) < 5_000


def test_nothing_is_shown_as_such() -> None:
    assert "0 links" in Reader(handmade.alignment({})._repr_html_()).text
    assert "3 entities, 0 relations, 0 facts" in Reader(handmade.graph("e", 3)._repr_html_()).text
