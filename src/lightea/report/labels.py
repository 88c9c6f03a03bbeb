"""Names of entities and relations as the report shows them: harmless, of bounded length, each kept once."""

from __future__ import annotations

import json
import re
from typing import Any

MOST = 160
"""Characters of a name that are shown; of longer ones the beginning and the end."""
_END = 40

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
"""Characters that are not seen, or that reorder the text around them."""
_IRI = re.compile(r"([a-z][a-z0-9+.-]*://\S*[/#])([^/#\s]+)")
_RISKY = re.compile("[<>&\u2028\u2029]")
"""Characters that could end a script element, begin a comment, or end a line inside a script."""


def shown(name: str) -> str:
    """The name with characters that steer the display as escapes; a long one without its middle."""
    if len(name) > MOST:
        cut = f"{shown(name[: MOST - _END])} … {shown(name[-_END:])}"
        return f"{cut} ({len(name):,} characters)"
    return _UNSAFE.sub(_escape, name)


def local(name: str) -> str:
    """The last part of an IRI; any other name as it is."""
    found = _IRI.fullmatch(name)
    return name if found is None else found[2]


def shortened(name: str, most: int) -> str:
    """The last part of a name, of about this width; letters of eastern scripts count twice."""
    text = local(shown(name))
    if width(text) <= most:
        return text
    kept, used = [], 0
    for character in text:
        used += width(character)
        if used > most - 1:
            break
        kept.append(character)
    return "".join(kept) + "…"


def width(text: str) -> int:
    """The width of a text in letters, those of eastern scripts counted twice."""
    return sum(2 if character >= "\u1100" else 1 for character in text)


def script_json(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it ends the element or a line of code."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _RISKY.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


class Names:
    """A table of names, each once, the beginnings that many share kept apart; it knows its size."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._beginnings: dict[str, int] = {"": 0}
        self._of: list[int] = []
        self._rest: list[str] = []
        self.n_bytes = 0

    def number(self, name: str) -> int:
        """The number of a name in the table; it is added if it is new."""
        known = self._numbers.get(name)
        if known is not None:
            return known
        found = _IRI.fullmatch(shown(name)) if len(name) <= MOST else None
        beginning, rest = ("", shown(name)) if found is None else (found[1], found[2])
        if beginning not in self._beginnings:
            self._beginnings[beginning] = len(self._beginnings)
            self.n_bytes += _size(beginning) + 1
        self._of.append(self._beginnings[beginning])
        self._rest.append(rest)
        self.n_bytes += _size(rest) + len(str(self._of[-1])) + 2
        self._numbers[name] = len(self._rest) - 1
        return len(self._rest) - 1

    def columns(self) -> dict[str, Any]:
        """The table, ready for JSON."""
        return {"beginnings": list(self._beginnings), "of": self._of, "rest": self._rest}


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _size(text: str) -> int:
    """Bytes of a text as JSON inside a script, with its quotes and a comma."""
    return len(text.encode("utf-8")) + 3 + 5 * len(_RISKY.findall(text)) + text.count('"') + text.count("\\")
