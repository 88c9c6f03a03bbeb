"""What is known of entities besides facts: a label in each language, years, numbers of inhabitants."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.graph import ATTRIBUTE_SCHEMA
from lightea.synthetic.facts import Ints
from lightea.synthetic.naming import Language
from lightea.synthetic.ontology import KINDS

_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATED = ("person", "film", "company", "band", "album", "club", "university", "book", "award")
_INHABITED = ("city", "country")
_KNOWN = 0.8
"""Share of values that a side knows."""
_WRONG = 0.05
"""Share of these that are a little off."""
_WORDS: dict[Language, tuple[str, str, str, str]] = {
    "left": ("en:label", "en:year", "en:population", "en"),
    "right": ("lu:nomo", "lu:jaro", "lu:logantaro", "lu"),
}


class Values(NamedTuple):
    """The year and the number of inhabitants of each entity, whether or not its kind has any."""

    years: Ints
    inhabitants: Ints

    def followed_by(self, others: Values) -> Values:
        """These values, then the others."""
        return Values(*(np.concatenate(columns) for columns in zip(self, others, strict=True)))


def draw_values(count: int, rng: np.random.Generator) -> Values:
    """Values for so many entities; recent years and small towns are the most common."""
    years = 2020 - rng.gamma(2.0, 20.0, count).astype(np.int64)
    return Values(years, np.exp(rng.normal(9.5, 1.8, count)).astype(np.int64) + 1)


def tell_literals(
    names: pl.Series, kinds: Ints, values: Values, language: Language, rng: np.random.Generator
) -> pl.DataFrame:
    """What one side knows, some of it a little off, as rows of `ATTRIBUTE_SCHEMA` with places in `names`."""
    label, year, population, tag = _WORDS[language]
    plain = names.str.replace(r"^\w+:", "").str.replace(r"_\(.*\)$", "").str.replace_all("_", " ")
    off = rng.integers(-2, 3, size=(2, len(kinds))) * (rng.random((2, len(kinds))) < _WRONG)
    years = values.years + off[0]
    inhabitants = values.inhabitants + off[1] * (values.inhabitants // 10)
    return pl.concat(
        [
            _rows(np.arange(len(kinds)), label, plain, None, tag),
            _rows(_knows(kinds, _DATED, rng), year, years, "gYear", None),
            _rows(_knows(kinds, _INHABITED, rng), population, inhabitants, "integer", None),
        ]
    )


def _knows(kinds: Ints, wanted: tuple[str, ...], rng: np.random.Generator) -> Ints:
    """Entities of certain kinds whose value a side knows."""
    has_value = np.array([kind.left in wanted for kind in KINDS])[kinds]
    return np.flatnonzero(has_value & (rng.random(len(kinds)) < _KNOWN))


def _rows(
    entities: Ints,
    attribute: str,
    values: pl.Series | NDArray[np.int64],
    datatype: str | None,
    language: str | None,
) -> pl.DataFrame:
    columns = {
        "entity": entities,
        "attribute": pl.repeat(attribute, len(entities), eager=True),
        "value": pl.Series(values).gather(entities).cast(pl.String),
        "datatype": pl.repeat(datatype and _XSD + datatype, len(entities), dtype=pl.String, eager=True),
        "language": pl.repeat(language, len(entities), dtype=pl.String, eager=True),
    }
    return pl.DataFrame(columns, schema=ATTRIBUTE_SCHEMA)
