"""How names are made comparable before their characters are looked at.

Unicode compatibility forms are resolved (full-width letters, ligatures), case is folded, and accents and
vowel points are taken away, so that "José", "JOSE" and "José" are the same. Marks that are letters in
their scripts, such as vowel signs in Indian ones and the dots of Japanese, stay. Where the two sides are
written in different scripts, both can be put into Latin letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lightea._name_kernels import APART, END, LETTER, WORD

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]

LONGEST = 300
"""Characters of a name that are looked at; what is longer is a description, and its beginning says enough."""

_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]+")
_BREAK = "\n"
_DROPPED = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")
"""Characters that are not seen: soft hyphens, joiners, marks of direction."""
_IDEOGRAPHS = ((0x3400, 0x9FFF), (0x20000, 0x3FFFF))
_N_CODES = 0x110000
_LETTERS = ("L", "M", "N")


def plain(names: Sequence[str]) -> str:
    """All names in plain spelling, each on a line of its own."""
    lines = (" ".join(name[:LONGEST].splitlines()) for name in names)
    text = _DROPPED.sub("", "".join(f"{line}{_BREAK}" for line in lines))
    folded = _ACCENTS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", folded)


def in_latin(text: str) -> str:
    """The text in Latin letters, sound for sound as far as that can be told without knowing the language."""
    from anyascii import anyascii  # noqa: PLC0415  (tables are loaded only where they are needed)

    return anyascii(text).lower()


def characters(text: str) -> tuple[U32, U8]:
    """The character codes of lines and their classes.

    A line without letters and digits is made of its signs: "&" and "!!!" are names, too.
    """
    codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
    distinct = np.flatnonzero(np.bincount(codes, minlength=1))
    table = np.zeros(_N_CODES, np.uint8)
    table[distinct] = [_class_of(code) for code in distinct.tolist()]
    classes = table[codes]
    if len(codes) == 0:
        return codes, classes
    line = np.cumsum(classes == END) - (classes == END)
    has_letters = np.bincount(line, (classes == LETTER) | (classes == WORD)) > 0
    is_sign = (classes == APART) & ~has_letters[line]
    is_sign[is_sign] = [not chr(code).isspace() for code in codes[is_sign].tolist()]
    classes[is_sign] = LETTER
    return codes, classes


def _class_of(code: int) -> int:
    if code == ord(_BREAK):
        return END
    if any(low <= code <= high for low, high in _IDEOGRAPHS):
        return WORD
    return LETTER if unicodedata.category(chr(code))[0] in _LETTERS else APART


def scripts_differ(left: str, right: str) -> bool:
    """Whether most letters of one side are of scripts that the other side hardly writes."""
    shares = [_script_shares(text) for text in (left, right)]
    common = sum(min(share, shares[1].get(script, 0.0)) for script, share in shares[0].items())
    return bool(shares[0] and shares[1]) and common < 0.5


def _script_shares(text: str) -> dict[str, float]:
    """The share of each script in the letters of a text, by the first word of the characters' names."""
    counts = np.bincount(np.frombuffer(text.encode("utf-32-le"), np.uint32), minlength=1)
    codes = np.flatnonzero(counts)
    totals: dict[str, int] = {}
    for code, count in zip(codes.tolist(), counts[codes].tolist(), strict=True):
        if unicodedata.category(chr(code))[0] == "L":
            script = unicodedata.name(chr(code), "?").split()[0]
            totals[script] = totals.get(script, 0) + count
    n_letters = sum(totals.values())
    return {script: count / n_letters for script, count in totals.items()}
