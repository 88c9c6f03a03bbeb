"""Small charts as SVG: every one has a title, a description, and colours from the style sheet of the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from lightea.report.labels import shortened, shown, width
from lightea.report.markup import Child, element, extend

Point = tuple[float, float]

_WIDTH, _HEIGHT = 420, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 12, 46
_MOST_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """What an axis measures, and from where to where."""

    label: str
    low: float = 0.0
    high: float = 1.0

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from 0 to 1."""
        return (value - self.low) / ((self.high - self.low) or 1.0)


@dataclass(frozen=True)
class Series:
    """Heights of stacked columns, with the class of their colour."""

    name: str
    kind: str
    heights: Sequence[float]


def picture(name: str, title: str, description: str, size: tuple[float, float], *parts: Child) -> Element:
    """An SVG with a title and a description that screen readers say; `name` is unique on the page."""
    return element(
        "svg",
        element("title", title, id=f"chart-{name}-title"),
        element("desc", description, id=f"chart-{name}-desc"),
        *parts,
        viewBox=f"0 0 {size[0]:g} {size[1]:g}",
        role="img",
        aria_labelledby=f"chart-{name}-title chart-{name}-desc",
        class_="chart",
    )


def text(
    x: float, y: float, words: str, anchor: str = "start", kind: str | None = None, **more: object
) -> Element:
    """A line of text."""
    return element("text", words, x=float(x), y=float(y), text_anchor=anchor, class_=kind, **more)


def line(start: Point, end: Point, kind: str) -> Element:
    """A straight line."""
    ends = {"x1": float(start[0]), "y1": float(start[1]), "x2": float(end[0]), "y2": float(end[1])}
    return element("line", class_=kind, **ends)


def box(x: float, y: float, width: float, height: float, kind: str, *children: Child) -> Element:
    """A filled rectangle; children are its title."""
    return element(
        "rect", *children, x=float(x), y=float(y), width=float(width), height=float(height), class_=kind
    )


def curve(
    name: str,
    title: str,
    description: str,
    axes: tuple[Axis, Axis],
    points: Sequence[Point],
    mark: Point | None,
) -> Element:
    """A line through points, one of them marked."""
    x, y = axes
    path = " ".join(f"{_x(x, a):.1f},{_y(y, b):.1f}" for a, b in points)
    parts: list[Child] = [*_frame(x, y), element("polyline", points=path, class_="curve")]
    if mark is not None:
        parts.append(_dot(x, y, mark, 5.0, "mark", "this run"))
    return picture(name, title, description, (_WIDTH, _HEIGHT), *parts)


def dots(
    name: str,
    title: str,
    description: str,
    axes: tuple[Axis, Axis],
    points: Sequence[tuple[float, float, float, str]],
) -> Element:
    """Points of a given radius with words each, beside the diagonal."""
    x, y = axes
    diagonal = line((_x(x, 0), _y(y, 0)), (_x(x, 1), _y(y, 1)), "diagonal")
    marks = [_dot(x, y, (a, b), radius, "dot", words) for a, b, radius, words in points]
    return picture(name, title, description, (_WIDTH, _HEIGHT), *_frame(x, y), diagonal, *marks)


def columns(name: str, title: str, description: str, axis: Axis, series: Sequence[Series]) -> Element:
    """Stacked columns of equal width along the axis."""
    totals = [sum(heights) for heights in zip(*(one.heights for one in series), strict=True)]
    y = Axis("entities", 0.0, _rounded_up(max([1.0, *totals])))
    step = (axis.high - axis.low) / max(len(totals), 1)
    parts: list[Child] = [*_frame(axis, y)]
    for place, total in enumerate(totals):
        low = 0.0
        start = _x(axis, axis.low + place * step)
        end = _x(axis, axis.low + (place + 1) * step)
        for one in series:
            height = one.heights[place]
            if height:
                bottom, above = _y(y, low), _y(y, low + height)
                words = element("title", f"{one.name}: {height:,.0f} of {total:,.0f}")
                parts.append(
                    box(start + 0.5, above, max(end - start - 1.0, 0.5), bottom - above, one.kind, words)
                )
            low += height
    return picture(name, title, description, (_WIDTH, _HEIGHT), *parts)


def bars(name: str, title: str, description: str, rows: Sequence[tuple[str, float, str]]) -> Element:
    """A horizontal bar for each row: its name, its length, and how that is written."""
    top = max([1e-9, *(value for _, value, _ in rows)])
    height = 26 * len(rows) + 8
    parts: list[Child] = []
    for place, (label, value, written) in enumerate(rows):
        y = 26 * place + 4
        parts.append(text(112, y + 15, label, "end"))
        parts.append(box(120, y + 3, max(220 * value / top, 1.0), 16, "bar"))
        parts.append(text(126 + 220 * value / top, y + 15, written, "start", "quiet"))
    return picture(name, title, description, (_WIDTH, height), *parts)


def heat_map(
    name: str,
    title: str,
    description: str,
    rows: Sequence[str],
    across: Sequence[str],
    cells: Sequence[tuple[int, int, float, bool, str]],
) -> Element:
    """Squares by row and column, the darker the nearer to one; a notch marks those that are inverse."""
    side, most = 26, 24
    left = 14 + 7.2 * max([4, *(min(width(one), most) for one in rows)])
    top = 14 + 5.6 * max([4, *(min(width(one), most) for one in across)])
    size = (left + side * len(across) + 0.55 * top, top + side * len(rows) + 8)
    parts: list[Child] = [
        box(left, top, side * len(across), side * len(rows), "ground"),
        *(_row_label(left - 8, top + side * (place + 0.5) + 4, one, most) for place, one in enumerate(rows)),
        *(_column_label(left + side * (place + 0.5), top - 7, one, most) for place, one in enumerate(across)),
    ]
    for row, column, value, inverse, words in cells:
        x, y = left + side * column, top + side * row
        square = box(x + 1, y + 1, side - 2, side - 2, "heat", element("title", words))
        square.set("fill-opacity", f"{0.06 + 0.94 * min(max(value, 0.0), 1.0):.2f}")
        parts.append(square)
        if inverse:
            parts.append(element("path", d=f"M{x + side - 10:.0f} {y + 1:.0f}h9v9z", class_="notch"))
    made = picture(name, title, description, size, *parts)
    made.set("class", "chart map")
    made.set("width", f"{size[0]:.0f}")
    made.set("height", f"{size[1]:.0f}")
    return made


# --- parts -------------------------------------------------------------------------------------------


def _x(axis: Axis, value: float) -> float:
    return _LEFT + axis.share(value) * (_WIDTH - _LEFT - _RIGHT)


def _y(axis: Axis, value: float) -> float:
    return _HEIGHT - _BOTTOM - axis.share(value) * (_HEIGHT - _TOP - _BOTTOM)


def _dot(x: Axis, y: Axis, point: Point, radius: float, kind: str, words: str) -> Element:
    place = {"cx": float(_x(x, point[0])), "cy": float(_y(y, point[1])), "r": float(radius)}
    return element("circle", element("title", words), class_=kind, **place)


def _frame(x: Axis, y: Axis) -> list[Element]:
    """Grid lines, numbers and names of both axes."""
    end, base = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    middle, height = (_LEFT + end) / 2, (_TOP + base) / 2
    return [
        *(
            line((_LEFT, _y(y, value)), (end, _y(y, value)), "grid" if value > y.low else "axis")
            for value in ticks(y)
        ),
        *(text(_LEFT - 7, _y(y, value) + 4, _number(value, y), "end", "quiet") for value in ticks(y)),
        *(text(_x(x, value), base + 17, _number(value, x), "middle", "quiet") for value in ticks(x)),
        text(middle, _HEIGHT - 8, x.label, "middle"),
        text(0, 0, y.label, "middle", None, transform=f"translate(13 {height:g}) rotate(-90)"),
    ]


def ticks(axis: Axis) -> list[float]:
    """Round numbers along an axis, few enough to be read."""
    step = _step(axis.high - axis.low)
    first = math.ceil(axis.low / step - 1e-9)
    last = math.floor(axis.high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _step(span: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that parts the span into few steps."""
    power = 10.0 ** math.floor(math.log10(max(span, 1e-9) / _MOST_TICKS))
    return next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= _MOST_TICKS + 1e-9)


def _rounded_up(top: float) -> float:
    """A height for a chart of counts that ends at a tick."""
    step = max(1.0, _step(top))
    return step * math.ceil(top / step - 1e-9)


def _number(value: float, axis: Axis) -> str:
    step = _step(axis.high - axis.low)
    if axis.high >= 100_000:
        return f"{value / 1000:,.0f}k"
    return f"{value:,.0f}" if step >= 1 else f"{value:.{max(1, math.ceil(-math.log10(step) - 1e-9))}f}"


def _row_label(x: float, y: float, name: str, most: int) -> Element:
    return extend(text(x, y, shortened(name, most), "end"), [element("title", shown(name))])


def _column_label(x: float, y: float, name: str, most: int) -> Element:
    tilted = f"translate({x + 3:.1f} {y:.1f}) rotate(-50)"
    return extend(
        text(0, 0, shortened(name, most), "start", None, transform=tilted), [element("title", shown(name))]
    )
