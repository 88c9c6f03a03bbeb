"""Names as hashed character grams: what works for any language that is spelt, with no data but the names.

A gram's weight is √count · log(names / names with it), and rows have length one: rare grams decide.
"""

from __future__ import annotations

import logging
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from lightea import _name_kernels
from lightea.name_space import GramRows, SparseNames
from lightea.names import NameTable
from lightea.spelling import characters, in_latin, plain, scripts_differ

logger = logging.getLogger(__name__)

Transliterate = Literal["auto", "always", "never"]

_BITS = 20
"""Grams are numbers below 2²⁰: of a hundred thousand different ones, a twentieth share theirs."""

I64 = NDArray[np.int64]


def encode_characters(
    left: NameTable, right: NameTable, *, transliterate: Transliterate = "auto"
) -> SparseNames:
    """The names of both graphs as rows of grams."""
    texts = [plain(table.texts.to_list()) for table in (left, right)]
    if transliterate == "always" or (transliterate == "auto" and scripts_differ(*texts)):
        logger.info("names are compared in Latin letters")
        texts = [in_latin(text) for text in texts]
    (left_rows, left_grams, left_counts), (right_rows, right_grams, right_counts) = (
        _counted(text, len(table.texts)) for text, table in zip(texts, (left, right), strict=True)
    )
    used = [np.bincount(grams, minlength=1 << _BITS) for grams in (left_grams, right_grams)]
    number, weight = _numbering(*used, n_names=max(1, len(left.texts) + len(right.texts)))
    return SparseNames(
        _rows(left, left_rows, left_grams, left_counts, number, weight),
        _rows(right, right_rows, right_grams, right_counts, number, weight),
    )


def _counted(text: str, n_names: int) -> tuple[I64, NDArray[np.int32], NDArray[np.float32]]:
    """The grams of each line of a text, and how often each is in it."""
    codes, classes = characters(text)
    room = 3 * len(codes) + 8 + np.count_nonzero(classes == _name_kernels.WORD)
    rows = np.zeros(n_names + 1, np.int64)
    grams, counts = np.empty(room, np.int32), np.empty(room, np.float32)
    n_grams = _name_kernels.text_grams(codes, classes, (1 << _BITS) - 1, rows, grams, counts)
    return rows, grams[:n_grams], counts[:n_grams]


def _numbering(
    left: NDArray[np.int64], right: NDArray[np.int64], *, n_names: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """For each hash its number, from rare to frequent, -1 where only one graph has it; and its weight."""
    names_with = left + right
    weight = np.log(n_names / np.maximum(names_with, 1)).astype(np.float32)
    common = np.flatnonzero((left > 0) & (right > 0))
    number = np.full(len(names_with), -1, np.int32)
    number[common[np.argsort(names_with[common], kind="stable")]] = np.arange(len(common))
    return number, np.maximum(weight, np.float32(1e-3))


def _rows(
    table: NameTable,
    rows: I64,
    grams: NDArray[np.int32],
    counts: NDArray[np.float32],
    number: NDArray[np.int32],
    weight: NDArray[np.float32],
) -> GramRows:
    """Rows of length one, then without the grams that the other graph lacks."""
    n_rows = len(rows) - 1
    owner = np.repeat(np.arange(n_rows), np.diff(rows))
    values = np.sqrt(counts) * weight[grams]
    lengths = np.sqrt(np.bincount(owner, values.astype(np.float64) ** 2, n_rows))
    scaled = (values / lengths[owner]).astype(np.float32)
    numbers = number[grams]
    kept = np.flatnonzero(numbers >= 0)
    order = kept[np.argsort(owner[kept] << _BITS | numbers[kept])]
    return GramRows(
        table.offsets,
        np.concatenate([[0], np.cumsum(np.bincount(owner[kept], minlength=n_rows))]).astype(np.int64),
        numbers[order],
        scaled[order],
    )
