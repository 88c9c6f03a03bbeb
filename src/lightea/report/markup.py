"""HTML and SVG as trees of elements, so that all text is escaped by whoever writes the tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from xml.etree.ElementTree import Element, tostring

Child = Element | str | None


def element(tag: str, *children: Child, **attributes: object) -> Element:
    """An element; text becomes text, None nothing.

    Attribute names are written with `_` for `-`, and one at the end is dropped (`class_`). None leaves an
    attribute out.
    """
    names = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    made = Element(tag, {name: _value(value) for name, value in names.items() if value is not None})
    extend(made, children)
    return made


def extend(parent: Element, children: Iterable[Child]) -> Element:
    """Add children to an element, and return it."""
    for child in children:
        if isinstance(child, Element):
            parent.append(child)
        elif child is not None:
            _add_text(parent, child)
    return parent


def html(*parts: Child) -> str:
    """Elements as HTML text."""
    whole = extend(Element("div"), parts)
    return tostring(whole, encoding="unicode", method="html").removeprefix("<div>").removesuffix("</div>")


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Element:
    """A table in a frame that scrolls; a column whose name starts with `<` holds text, others numbers."""
    kinds = ["text" if name.startswith("<") else "number" for name in columns]
    titles = [name.removeprefix("<") for name in columns]
    head = element(
        "tr",
        *(element("th", title, scope="col", class_=kind) for title, kind in zip(titles, kinds, strict=True)),
    )
    body = [
        element("tr", *(element("td", cell, class_=kind) for cell, kind in zip(row, kinds, strict=True)))
        for row in rows
    ]
    made = element("table", element("caption", caption), element("thead", head), element("tbody", *body))
    return scrolled(made, caption)


def scrolled(content: Element, label: str) -> Element:
    """A frame that scrolls sideways by itself where the page is too narrow, by keyboard, too."""
    return element("div", content, class_="scrolled", tabindex=0, role="region", aria_label=label)


def folded(summary: str, *content: Child) -> Element:
    """Something to be opened."""
    return element("details", element("summary", summary), *content)


def _value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _add_text(parent: Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text
