"""The format of a file, told by its name and by its content; where they disagree, the content is right."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path
from typing import Literal, get_args

from lightea.errors import ConfigError, ReadError
from lightea.reading.blocks import BOM
from lightea.reading.compression import SUFFIXES
from lightea.reading.dialect import DELIMITERS, LINK, NAMED_DELIMITERS, QUOTING, TRIPLE, Roles, fit_dialect
from lightea.reading.property_headers import kgx_header, neo4j_header

Format = Literal[
    "tsv", "csv", "ntriples", "nquads", "turtle", "trig", "n3", "rdfxml", "jsonld", "parquet", "neo4j", "kgx"
]

FORMATS: tuple[Format, ...] = get_args(Format)
EXTENSIONS: dict[str, Format] = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".nt": "ntriples",
    ".nq": "nquads",
    ".ttl": "turtle",
    ".trig": "trig",
    ".n3": "n3",
    ".rdf": "rdfxml",
    ".owl": "rdfxml",
    ".xml": "rdfxml",
    ".jsonld": "jsonld",
    ".parquet": "parquet",
    ".pq": "parquet",
}
SAMPLE_SIZE = 1 << 16

_ALIASES: dict[str, Format] = {known: known for known in FORMATS} | {
    extension.removeprefix("."): known for extension, known in EXTENSIONS.items()
}

_INCLUDES: dict[Format, tuple[Format, ...]] = {
    "nquads": ("ntriples",),
    "turtle": ("ntriples",),
    "trig": ("ntriples", "turtle"),
    "n3": ("ntriples", "turtle", "trig"),
}
"""Formats whose documents are documents of the named format as well."""

_XML = re.compile(rb"<(\?xml|!DOCTYPE|!--|[\w.-]+:RDF[\s>])")
_HTML = re.compile(
    rb"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*(?:<!DOCTYPE\s+html|<html[\s>])", re.IGNORECASE | re.DOTALL
)
_JSON_LD = re.compile(rb'"@(?:context|id|graph)"\s*:')
_JSON_TOKENS = re.compile(
    r'(?:[\s\[\]{},:]|"(?:[^"\\]|\\.)*+(?:"|\Z)|-?\d[\d.eE+-]*+|true|false|null|-\Z|[a-z]{1,4}\Z)*+',
    re.DOTALL,
)
"""What a JSON document consists of, also if it is cut off."""
_DIRECTIVE = re.compile(rb"^[ \t]*@?(prefix[ \t]+[^\s:]*:|base)[ \t]*<", re.IGNORECASE | re.MULTILINE)
_AFTER_JSON = re.compile(r"\s*\Z|[^\S\n]*\n\s*[{\[]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_GRAPH = re.compile(rb"^[^\"\n]*\{", re.MULTILINE)
_RESOURCE = r"(?:<[^<>\s]*>|_:[^\s<]+)"
_LITERAL = r'".*"(?:@[\w-]+|\^\^<[^<>\s]*>)?'
_STATEMENT = re.compile(
    rf"{_RESOURCE}\s*<[^<>\s]*>\s*(?:{_RESOURCE}|{_LITERAL})\s*(?P<graph>{_RESOURCE})?\s*\.\s*(?:#.*)?$"
)


def format_of(
    path: Path, sample: bytes, asked: str | None, roles: Roles, *, else_table: bool = False
) -> Format:
    """The format of a file that begins with `sample`; `asked` settles it.

    What is neither known nor seems to be anything else is an error, or with `else_table` a table.
    """
    if asked is not None:
        return format_named(asked)
    named = named_format(path)
    seen = _sniff(path, sample, named, roles)
    if named is not None and (seen is None or seen in _INCLUDES.get(named, ())):
        return named
    if seen is None and not else_table:
        raise _unknown(path, sample, roles)
    return seen or "csv"


def named_format(path: Path) -> Format | None:
    """The format that the name of a file speaks for."""
    inner = Path(path.stem) if path.suffix.lower() in SUFFIXES else path
    return EXTENSIONS.get(inner.suffix.lower())


def sample_lines(sample: bytes) -> list[str]:
    """The first lines that hold something, the last of them left out where the sample cuts it off."""
    lines = sample.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    whole = lines[:-1] if len(sample) >= SAMPLE_SIZE and len(lines) > 1 else lines
    return [line for line in whole if line.strip()][:200]


def format_named(asked: str) -> Format:
    """The format that goes by this name or file ending."""
    if not isinstance(asked, str):
        raise ConfigError(
            f"the format is {asked!r}, but must be a name", hint=f"the formats are: {', '.join(FORMATS)}"
        )
    alias = asked.lower().removeprefix(".")
    if alias not in _ALIASES:
        raise ConfigError(f"unknown format {asked!r}", hint=f"the formats are: {', '.join(FORMATS)}")
    return _ALIASES[alias]


def _sniff(path: Path, sample: bytes, named: Format | None, roles: Roles) -> Format | None:
    """The format that the content speaks for, None where it does not say."""
    if sample.startswith(b"PAR1"):
        return "parquet"
    _refuse_other_encodings(path, sample, roles)
    text = sample.removeprefix(BOM).lstrip()
    _refuse_other_documents(path, text, roles)
    if _XML.match(text):
        return "rdfxml"
    if _JSON_LD.search(text) and _is_json(text.decode("utf-8", errors="replace")):
        return "jsonld"
    if roles is TRIPLE and (header := _sniff_header(sample)) is not None:
        return header
    lines = sample_lines(sample)
    if _DIRECTIVE.search(text):
        return "trig" if _GRAPH.search(text) else "turtle"
    return _sniff_statements(lines, named) or _sniff_table(lines, named, roles)


def _sniff_header(sample: bytes) -> Format | None:
    """Tables of nodes and relationships, which only their headers tell from others."""
    return "neo4j" if neo4j_header(sample) else "kgx" if kgx_header(sample) else None


def _refuse_other_encodings(path: Path, sample: bytes, roles: Roles) -> None:
    if sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise _utf_16(path)
    if b"\0" in sample:
        if _is_utf_16(sample):
            raise _utf_16(path)
        line = 1 + sample.count(b"\n", 0, sample.index(b"\0"))
        problem = "the file is binary, not text (it holds a NUL byte)"
        raise ReadError(path, problem, line=line, hint=_how_to_name_it(roles))


def _utf_16(path: Path) -> ReadError:
    return ReadError(path, "the text is UTF-16, not UTF-8", hint="save the file again as UTF-8")


def _is_utf_16(sample: bytes) -> bool:
    """Whether bytes without a mark in front are UTF-16: lines without control characters, one way round."""
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = codecs.getincrementaldecoder(encoding)().decode(sample)
        except UnicodeDecodeError:
            continue
        if "\n" in text and not _CONTROL.search(text):
            return True
    return False


def _refuse_other_documents(path: Path, text: bytes, roles: Roles) -> None:
    """Web pages and JSON, in which every comma could be taken for the end of a cell."""
    if _HTML.match(text):
        hint = (
            "look at it in a browser: where a download fails, servers send such a page in place of the file"
        )
        raise ReadError(path, "this is an HTML page, not data", hint=hint)
    if _is_json(text.decode("utf-8", errors="replace")) and not _JSON_LD.search(text):
        wanted = "N-Triples, or a table of " + ", ".join(roles)
        raise ReadError(path, "the format is not known: this is JSON", hint=f"convert it to {wanted}")


def _is_json(text: str) -> bool:
    """Whether a text is a JSON object or list, or one on each line; a table with brackets is not."""
    if not text.startswith(("{", "[")):
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return _JSON_TOKENS.fullmatch(text) is not None
    return _AFTER_JSON.match(text, end) is not None


def _sniff_statements(lines: list[str], named: Format | None) -> Format | None:
    """N-Triples or N-Quads if every line is such a statement.

    If only some are, a name that says RDF knows better; without one it is Turtle, or N-Triples with faults.
    """
    statements = [line.strip() for line in lines if not line.lstrip().startswith("#")]
    matches = [_STATEMENT.match(statement) for statement in statements]
    if not matches or matches[0] is None:
        return None
    if all(matches):
        return "nquads" if any(match and match["graph"] for match in matches) else "ntriples"
    if named not in (None, "tsv", "csv"):
        return None
    return "ntriples" if 2 * sum(map(bool, matches)) > len(matches) else "turtle"


def _sniff_table(lines: list[str], named: Format | None, roles: Roles) -> Format | None:
    """A table if at least half of the lines have the same columns."""
    fit = fit_dialect(lines, roles, DELIMITERS if named is None else NAMED_DELIMITERS)
    if fit.share < 0.5:
        return None
    return "csv" if fit.dialect.delimiter in QUOTING else "tsv"


def _unknown(path: Path, sample: bytes, roles: Roles) -> ReadError:
    whole = sample[: sample.rfind(b"\n") + 1] or sample
    try:
        whole.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = 1 + whole.count(b"\n", 0, problem.start)
        return ReadError(path, "the file is not UTF-8 text", line=line, hint=_how_to_name_it(roles))
    first = next(iter(sample_lines(sample)), "")
    shown = first if len(first) <= 60 else f"{first[:60]}…"
    return ReadError(
        path,
        f"the format is not known: the name does not tell it, and {shown!r} is not {', '.join(roles)}",
        line=1,
        hint=_how_to_name_it(roles),
    )


def _how_to_name_it(roles: Roles) -> str:
    """Where the format can be said: the command line asks for that of the graphs only."""
    formats = ", ".join(FORMATS)
    if roles is LINK:
        return f"give the file an ending such as .tsv or .nt, or format=… in Python, one of: {formats}"
    return f"name the format with --format, or format=… in Python, one of: {formats}"
