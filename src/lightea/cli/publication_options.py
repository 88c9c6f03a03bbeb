"""The options of how links are written: in which formats, and what these say of the graphs."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from lightea.exchange import Publication

OPTIONAL_FORMATS = ("turtle", "oaei", "parquet")


def _known_formats(also: str | None) -> str | None:
    for name in split_formats(also):
        if name not in OPTIONAL_FORMATS:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(OPTIONAL_FORMATS)}")
    return also


def _pairs(prefixes: list[str] | None) -> list[str]:
    for given in prefixes or []:
        if "=" not in given:
            raise typer.BadParameter(f"{given!r} is not like HP=http://purl.obolibrary.org/obo/HP_")
    return prefixes or []


def _a_day(date: str | None) -> str | None:
    if date is not None and date != "today":
        try:
            datetime.date.fromisoformat(date)
        except ValueError as problem:
            raise typer.BadParameter(f"{date!r} is neither a day such as 2026-01-31 nor today") from problem
    return date


def _complete_formats(incomplete: str) -> list[str]:
    done, comma, _ = incomplete.rpartition(",")
    return [f"{done}{comma}{name}" for name in OPTIONAL_FORMATS if name not in done.split(",")]


AlsoOption = Annotated[
    str | None,
    typer.Option(
        "--also",
        metavar="FORMAT,…",
        callback=_known_formats,
        autocompletion=_complete_formats,
        help="More formats for the links than TSV, SSSOM and N-Triples: " + ", ".join(OPTIONAL_FORMATS) + ".",
    ),
]
NoTermFoundOption = Annotated[
    bool,
    typer.Option("--no-term-found", help="List left entities without counterpart in SSSOM, too."),
]
PrefixOption = Annotated[
    list[str] | None,
    typer.Option(
        "--prefix",
        metavar="NAME=IRI",
        callback=_pairs,
        help="What a short name stands for, as HP in HP:0001250; can be given several times.",
    ),
]
LeftNamespaceOption = Annotated[
    str | None,
    typer.Option("--left-namespace", metavar="IRI", help="IRI before left names that are no IRIs."),
]
RightNamespaceOption = Annotated[
    str | None, typer.Option("--right-namespace", metavar="IRI", help="The same for right names.")
]
LeftSourceOption = Annotated[
    str | None, typer.Option("--left-source", metavar="IRI", help="IRI of the left graph itself.")
]
RightSourceOption = Annotated[
    str | None, typer.Option("--right-source", metavar="IRI", help="IRI of the right graph itself.")
]
LeftVersionOption = Annotated[
    str | None,
    typer.Option(
        "--left-version",
        metavar="TEXT",
        help="Version of the left graph. [default: hash of its file]",
        show_default=False,
    ),
]
RightVersionOption = Annotated[
    str | None, typer.Option("--right-version", metavar="TEXT", help="Version of the right graph.")
]
LicenseOption = Annotated[
    str | None, typer.Option("--license", metavar="IRI", help="Licence that the links are given away under.")
]
DateOption = Annotated[
    str | None,
    typer.Option(
        "--date",
        metavar="DAY",
        callback=_a_day,
        help="Day to write into the files: 2026-01-31, or today. [default: none, for the same bytes]",
        show_default=False,
    ),
]


def split_formats(also: str | None) -> list[str]:
    """The formats in a list with commas."""
    return [name.strip() for name in (also or "").split(",") if name.strip()]


def publication(
    *, prefix: list[str] | None, date: str | None, no_term_found: bool, **given: str | None
) -> Publication:
    """What the options say of the links; what they leave out has a default."""
    from lightea.exchange import Publication

    pairs = (pair.partition("=") for pair in prefix or [])
    day = datetime.datetime.now(datetime.UTC).date().isoformat() if date == "today" else date
    return Publication(
        prefixes={name: iri for name, _, iri in pairs},
        date=None if day is None else datetime.date.fromisoformat(day),
        no_term_found=no_term_found,
        **{name: value for name, value in given.items() if value is not None},
    )
