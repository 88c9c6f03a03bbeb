"""The formats that links can be written in: their names, their files, and which one a path asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lightea import outputs
from lightea.alignment import Alignment
from lightea.errors import ConfigError
from lightea.exchange.mapping_set import MappingSet
from lightea.exchange.oaei import oaei_rdf
from lightea.exchange.publication import Publication
from lightea.exchange.rdf import links_nt, links_turtle
from lightea.exchange.sssom import sssom_tsv
from lightea.exchange.tables import links_parquet, links_tsv


@dataclass(frozen=True)
class LinkFormat:
    """A format for links."""

    name: str
    suffixes: tuple[str, ...]
    """How files of it are called; the first one in a run directory."""
    pieces: Callable[[MappingSet], Iterator[bytes]]
    always: bool = False
    """Whether every run directory has such a file."""

    @property
    def file(self) -> str:
        """Its file in a run directory."""
        return f"links{self.suffixes[0]}"


FORMATS = {
    one.name: one
    for one in (
        LinkFormat("tsv", (".tsv",), links_tsv, always=True),
        LinkFormat("sssom", (".sssom.tsv",), sssom_tsv, always=True),
        LinkFormat("nt", (".nt",), links_nt, always=True),
        LinkFormat("turtle", (".ttl", ".turtle"), links_turtle),
        LinkFormat("oaei", (".rdf", ".xml", ".owl"), oaei_rdf),
        LinkFormat("parquet", (".parquet",), links_parquet),
    )
}
OPTIONAL = tuple(name for name, one in FORMATS.items() if not one.always)


def chosen_formats(also: Iterable[str]) -> list[LinkFormat]:
    """The formats of a run directory: those that it always has, and those asked for."""
    asked = [also] if isinstance(also, str) else list(also)
    for name in asked:
        if name not in FORMATS:
            raise ConfigError(
                f"unknown format {name!r} for links", hint=f"the formats are: {', '.join(FORMATS)}"
            )
    return [one for name, one in FORMATS.items() if one.always or name in asked]


def write_links(
    alignment: Alignment,
    path: Path | str,
    *,
    format: str | None = None,  # noqa: A002  (what users call it)
    publication: Publication | None = None,
) -> Path:
    """Write the links to one file, whole or not at all; its suffix tells the format unless `format` does.

    Suffixes are `.tsv`, `.sssom.tsv`, `.nt`, `.ttl`, `.rdf` (the alignment format of OAEI) and `.parquet`.
    """
    chosen = _format_of(Path(path)) if format is None else chosen_format(format)
    return outputs.write_pieces(path, chosen.pieces(MappingSet(alignment, publication or Publication())))


def chosen_format(name: str) -> LinkFormat:
    """The format of this name."""
    chosen_formats([name])
    return FORMATS[name]


def _format_of(path: Path) -> LinkFormat:
    fitting = [
        (len(suffix), one)
        for one in FORMATS.values()
        for suffix in one.suffixes
        if path.name.lower().endswith(suffix)
    ]
    if not fitting:
        known = ", ".join(suffix for one in FORMATS.values() for suffix in one.suffixes)
        raise ConfigError(
            f"{path}: the name does not tell in which format links are to be written",
            hint=f"let it end with one of {known}, or give format=",
        )
    return max(fitting, key=lambda found: found[0])[1]
