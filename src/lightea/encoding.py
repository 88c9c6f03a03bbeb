"""The names of two graphs as vectors, by the encoder that is asked for, and what is to be said of them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lightea.characters import encode_characters
from lightea.config import OWN_VECTORS, VECTORS, Config
from lightea.errors import ConfigError, InputError
from lightea.graph import KnowledgeGraph
from lightea.name_space import NameSpace
from lightea.names import NameAudit, NameTable, audit, names_of
from lightea.reading import read_names

logger = logging.getLogger(__name__)

GivenNames = pl.DataFrame | Path | str | None
"""Names by entity: a table of two columns, identifier and name, or the file that holds it."""

_LEAST_NAMED = 0.1
"""Share of either side's entities that need a name, for names to be taken without being asked for."""
_LITERALLY_EQUAL = 0.9


@dataclass(frozen=True, eq=False)
class EncodedNames:
    """The names of both graphs, and their vectors."""

    left: NameTable
    right: NameTable
    space: NameSpace
    encoder: str
    audit: NameAudit


def encoded_names(
    left: KnowledgeGraph, right: KnowledgeGraph, config: Config, given: GivenNames = None
) -> EncodedNames | None:
    """The encoded names; none if the settings have no use for them, or `auto` finds too few."""
    if not uses_names(config):
        if given is not None:
            raise ConfigError(
                f"preset {config.preset!r} with names {config.names!r} has no use for names that are given",
                hint="take the preset auto or literal, and names other than none",
            )
        return None
    tables = _tables(left, right, config, given)
    found = audit(left, right, *tables)
    shares = (found.left_named, found.right_named)
    if min(shares) < _LEAST_NAMED and not config.names.endswith(OWN_VECTORS):
        if config.names != "auto" or given is not None:
            _complain_of_few(found, least=min(shares))
        if min(shares) < _LEAST_NAMED and config.names == "auto" and given is None:
            logger.info("names are not used: %.0f %% and %.0f %% of the entities have one", *_percent(shares))
            return None
    _report(found)
    encoder = "char" if config.names == "auto" else config.names
    return EncodedNames(*tables, _space(encoder, *tables, config, (left, right)), encoder, found)


def uses_names(config: Config) -> bool:
    """Whether the settings ask for names, or leave it to a preset that has a use for them."""
    if config.names == "auto":
        return config.evidence_rounds > 0 or config.preset == "literal"
    return config.names != "none"


def _tables(
    left: KnowledgeGraph, right: KnowledgeGraph, config: Config, given: GivenNames
) -> tuple[NameTable, NameTable]:
    rows = _resolved(given, left, right) if given is not None else (None, None)
    own, other = (
        names_of(graph, of_side, config.name_properties, read_ids=config.name_ids)
        for graph, of_side in zip((left, right), rows, strict=True)
    )
    return own, other


def _resolved(
    given: pl.DataFrame | Path | str, left: KnowledgeGraph, right: KnowledgeGraph
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The given names by entity number, for each side; complains of entities that neither graph knows."""
    table = given if isinstance(given, pl.DataFrame) else read_names(given)
    if table.width < 2:
        raise InputError(
            f"a table of names needs two columns, identifier and name; it has {table.width}",
            hint="one line for each name: identifier, tab, name",
        )
    ids, texts = table[:, 0].cast(pl.String), table[:, 1].cast(pl.String)
    numbers = [graph.find(ids) for graph in (left, right)]
    is_unknown = (numbers[0] < 0) & (numbers[1] < 0)
    if is_unknown.any():
        shown = ", ".join(
            repr(one) for one in ids.filter(pl.Series(is_unknown)).unique(maintain_order=True)[:3]
        )
        problem = f"{int(is_unknown.sum()):,} of {len(table):,} names are of entities that neither graph has"
        hint = "the identifiers must be those of the graphs, letter for letter"
        if is_unknown.all():
            raise InputError(f"{problem}: {shown}", hint=hint)
        logger.warning("%s: %s (%s)", problem, shown, hint)
    left_rows, right_rows = (
        pl.DataFrame({"entity": pl.Series(number, dtype=pl.Int32), "text": texts}).filter(
            pl.Series(number >= 0) & texts.is_not_null()
        )
        for number in numbers
    )
    return left_rows, right_rows


def _complain_of_few(found: NameAudit, *, least: float) -> None:
    shares = _percent((found.left_named, found.right_named))
    if least == 0.0:
        raise InputError(
            f"names were asked for, but {shares[0]:.0f} % of the left and {shares[1]:.0f} % of the right "
            "entities have one",
            hint="name the attributes that hold names (name_properties), or give them with --names-file",
        )
    logger.warning("only %.0f %% of the left and %.0f %% of the right entities have a name", *shares)


def _report(found: NameAudit) -> None:
    """Say what equality alone would find, before anything else is claimed."""
    logger.info(
        "names: %.1f %% of the left and %.1f %% of the right entities have one; %.1f %% are equal on both "
        "sides",
        *_percent((found.left_named, found.right_named, found.equal)),
    )
    if found.equal_ids >= _LITERALLY_EQUAL:
        logger.warning(
            "%.1f %% of the identifiers are equal on both sides, so comparing them would do, and scores of "
            "this data say little (leave out names with --names none)",
            100 * found.equal_ids,
        )
    elif found.equal >= _LITERALLY_EQUAL:
        logger.warning(
            "%.1f %% of the names are equal on both sides, letter for letter, so comparing text would nearly "
            "do, and scores of this data say little (leave out names with --names none)",
            100 * found.equal,
        )


def _percent(shares: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(100.0 * share for share in shares)


def _space(
    encoder: str,
    left: NameTable,
    right: NameTable,
    config: Config,
    graphs: tuple[KnowledgeGraph, KnowledgeGraph],
) -> NameSpace:
    if encoder.startswith(VECTORS):
        from lightea.word_vectors import encode_by_vectors  # noqa: PLC0415  (few ask for it)

        return encode_by_vectors(Path(encoder.removeprefix(VECTORS)), left, right, graphs)
    if encoder == "encoder":
        from lightea.sentence_encoder import encode_sentences  # noqa: PLC0415  (an extra)

        return encode_sentences(left, right)
    return encode_characters(left, right, transliterate=config.transliterate)
