"""N-Triples, fast: a block of lines at a time.

Nearly all lines of nearly all files look like `<s> <p> <o> .` or `<s> <p> "text"@en .`, in plain characters
and with single blanks. Those are split with whole-column operations, and each name is checked when it is
first met. Every other line goes to pyoxigraph, which accepts it or says what is wrong with it, so the result
is what pyoxigraph alone would give.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl
import pyoxigraph as ox
from numpy.typing import NDArray

from lightea.graph_builder import GraphBuilder
from lightea.reading.blocks import BOM, Block, line_blocks, lone_returns, one_ahead
from lightea.reading.rdf import Facts, facts_of, literal_kind, syntax_error
from lightea.vocabulary import Ids, Vocabulary

Mask = NDArray[np.bool_]

_CHARACTER = (
    r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2}"
    r"|[\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{10000}-\u{1FFFD}\u{20000}-\u{2FFFD}])"
)
_AFTER_SCHEME = rf"(?://[A-Za-z0-9._~-]+(?::[0-9]+)?(?:[/?]{_CHARACTER}*)?|[A-Za-z0-9._~:@-]{_CHARACTER}*)"
_IRI = rf"<[A-Za-z][A-Za-z0-9+.-]*:{_AFTER_SCHEME}(?:#{_CHARACTER}*)?>"
PLAIN_RELATION = rf"^{_IRI}$"
PLAIN_ENTITY = rf"^(?:{_IRI}|_:[A-Za-z0-9_][A-Za-z0-9_-]*)$"
"""Names that are valid beyond doubt; by far not all that are."""

_NEVER_IN_TEXT = b"\x01"
_TABS = re.compile(rb"[^ \n]*\t[^ \n]*\t")


def read_lines(path: Path, stream: BinaryIO, builder: GraphBuilder, blank_prefix: str = "") -> int:
    """Add all statements to the builder; says how many it cannot hold. Blank nodes get the prefix."""
    reader = _LineReader(path, builder, blank_prefix)
    for part in one_ahead(_split(block) for block in line_blocks(stream)):
        if isinstance(part, Block):
            reader.take_document(part)
        else:
            reader.take_lines(part)
    return reader.left_out


@dataclass(frozen=True)
class _Lines:
    """The lines of a block in parts.

    `parts` has columns head, relation, target, is_literal, is_closed. The target is what follows the
    relation, without the dot where `is_closed`. Parts that a line lacks are null.
    """

    parts: pl.DataFrame
    gap: str
    first_line: int

    def texts(self, rows: NDArray[np.int64]) -> list[str]:
        """The lines as they were."""
        parts = self.parts[rows]
        end = pl.when("is_closed").then(pl.lit(".")).otherwise(None)
        whole = pl.concat_str("head", "relation", "target", end, separator=self.gap, ignore_nulls=True)
        return parts.select(whole).to_series().to_list()


class _LineReader:
    """What is known of one file from block to block."""

    def __init__(self, path: Path, builder: GraphBuilder, blank_prefix: str) -> None:
        self.left_out = 0
        self._path = path
        self._builder = builder
        self._blank_prefix = blank_prefix
        self._entities = _CheckedNames(builder.entities, PLAIN_ENTITY)
        self._relations = _CheckedNames(builder.relations, PLAIN_RELATION)
        self._kinds = _LiteralKinds()

    def take_lines(self, lines: _Lines) -> None:
        """Add the statements of lines that are split already."""
        heads, relations, tails, is_plain = self._numbers(lines.parts)
        is_literal = lines.parts["is_literal"].to_numpy()
        is_fact = is_plain & ~is_literal
        if is_fact.all():
            self._builder.add_numbers(heads, relations, tails)
            return
        self._builder.add_numbers(heads[is_fact], relations[is_fact], tails[is_fact])
        is_taken = is_fact | self._take_literals(lines.parts, heads, relations, is_plain & is_literal)
        is_blank = lines.parts["head"].is_null().to_numpy()
        self._take_others(lines, np.flatnonzero(~(is_taken | is_blank)))

    def _numbers(self, parts: pl.DataFrame) -> tuple[Ids, Ids, Ids, Mask]:
        """Head, relation and tail of each line, and whether the line is plain as far as they go.

        A literal is not to become an entity, so in its place the head is repeated: that costs no new name.
        """
        entity, relation = self._builder.entities, self._builder.relations
        tail = pl.when("is_literal").then("head").otherwise("target")
        names = parts.select("head", "relation", tail=tail).with_columns(pl.all().fill_null(""))
        own = names.with_columns(self._apart("head"), self._apart("tail")) if self._blank_prefix else names
        heads, tails = entity.encode(own["head"]), entity.encode(own["tail"])
        relations = relation.encode(own["relation"])
        is_plain = parts["is_closed"].to_numpy() & self._entities.are_plain(heads, own["head"])
        is_plain &= self._relations.are_plain(relations, own["relation"])
        is_plain &= self._entities.are_plain(tails, own["tail"])
        return heads, relations, tails, is_plain

    def _apart(self, column: str) -> pl.Expr:
        """The names of a column, those of blank nodes kept apart from other files'."""
        name = pl.col(column)
        own = pl.concat_str(pl.lit(f"_:{self._blank_prefix}"), name.str.strip_prefix("_:"))
        return pl.when(name.str.starts_with("_:")).then(own).otherwise(name).alias(column)

    def _take_literals(self, parts: pl.DataFrame, heads: Ids, relations: Ids, wanted: Mask) -> Mask:
        """Add the wanted lines as attributes; says which of them were plain enough for that."""
        texts = parts["target"].filter(pl.Series(wanted)).str.splitn('"', 3).struct.unnest()
        values, kinds = texts["field_1"].alias("value"), self._kinds.of(texts["field_2"])
        is_plain = (kinds["is_valid"] & ~values.str.contains("\\", literal=True)).to_numpy()
        rows = np.flatnonzero(wanted)[is_plain]
        literals = kinds.select(values, "datatype", "language").filter(pl.Series(is_plain))
        self._builder.add_literals(heads[rows], relations[rows], literals)
        is_taken = np.zeros(len(wanted), dtype=np.bool_)
        is_taken[rows] = True
        return is_taken

    def _take_others(self, lines: _Lines, rows: NDArray[np.int64]) -> None:
        """Let pyoxigraph read the lines that are not plain."""
        texts = lines.texts(rows)
        try:
            facts = list(facts_of(_parse("\n".join(texts)), self._blank_name))
        except SyntaxError as problem:
            for row, text in zip(rows.tolist(), texts, strict=True):
                self._check_line(text, lines.first_line + row)
            # Each line by itself is right: the parser objects to what they say together, and tells where.
            place = int(rows[(problem.lineno or 1) - 1]) + lines.first_line
            lines_before = place - (problem.lineno or place)
            raise syntax_error(self._path, problem, lines_before=lines_before) from problem
        self._add(facts)

    def _check_line(self, text: str, number: int) -> None:
        try:
            deque(_parse(text), maxlen=0)
        except SyntaxError as problem:
            raise syntax_error(self._path, problem, lines_before=number - 1) from problem

    def take_document(self, block: Block) -> None:
        """Let pyoxigraph read a whole block."""
        try:
            facts = list(facts_of(_parse(block.data), self._blank_name))
        except SyntaxError as problem:
            raise syntax_error(self._path, problem, lines_before=block.first_line - 1) from problem
        self._add(facts)

    def _add(self, batches: Iterable[Facts]) -> None:
        for facts in batches:
            self._builder.add_triples(facts.triples)
            self._builder.add_attributes(facts.attributes)
            self.left_out += facts.left_out

    def _blank_name(self, label: str) -> str:
        return f"_:{self._blank_prefix}{label}"


class _CheckedNames:
    """A vocabulary whose names are compared with a pattern when they are first met."""

    _UNKNOWN, _UNUSUAL, _PLAIN = 0, 1, 2

    def __init__(self, vocabulary: Vocabulary, pattern: str) -> None:
        self._vocabulary = vocabulary
        self._pattern = pattern
        self._states = np.zeros(0, dtype=np.uint8)

    def are_plain(self, numbers: Ids, names: pl.Series) -> Mask:
        """Whether each name matches the pattern; `numbers` are the names' numbers."""
        self._make_room()
        states = self._states[numbers]
        is_new = states == self._UNKNOWN
        if is_new.any():
            matches = names.filter(pl.Series(is_new)).str.contains(self._pattern).to_numpy()
            self._states[numbers[is_new]] = np.where(matches, self._PLAIN, self._UNUSUAL)
            states = self._states[numbers]
        is_plain: Mask = states == self._PLAIN
        return is_plain

    def _make_room(self) -> None:
        missing = self._vocabulary.size - len(self._states)
        if missing > 0:
            room = np.zeros(max(missing, len(self._states)), dtype=np.uint8)
            self._states = np.concatenate([self._states, room])


class _LiteralKinds:
    """What may follow the closing quote of a literal; pyoxigraph judges each case once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str | None, str | None, bool]] = {}

    def of(self, endings: pl.Series) -> pl.DataFrame:
        """Columns datatype, language, is_valid for each ending; a missing ending is not valid."""
        present = endings.unique().drop_nulls().to_list()
        for ending in present:
            if ending not in self._known:
                self._known[ending] = _kind(ending)
        rows = [(ending, *self._known[ending]) for ending in present]
        schema = {"ending": pl.String, "datatype": pl.String, "language": pl.String, "is_valid": pl.Boolean}
        kinds = pl.DataFrame(rows, schema=schema, orient="row")
        found = endings.to_frame("ending").join(kinds, on="ending", how="left", maintain_order="left")
        return found.select("datatype", "language", pl.col("is_valid").fill_null(value=False))


def _kind(ending: str) -> tuple[str | None, str | None, bool]:
    try:
        (quad,) = _parse(f'<a:> <a:> ""{ending} .')
    except SyntaxError:
        return None, None, False
    return (*literal_kind(quad.object), True) if isinstance(quad.object, ox.Literal) else (None, None, False)


def _parse(document: str | bytes) -> Iterator[ox.Quad]:
    return ox.parse(document, format=ox.RdfFormat.N_TRIPLES)


def _split(block: Block) -> _Lines | Block:
    """The lines of a block, or the block itself if it needs a closer look."""
    data = block.data
    if _NEVER_IN_TEXT in data or lone_returns(data) or data.startswith(BOM):
        return block
    gap = "\t" if _TABS.match(data) else " "
    try:
        parts = _split_names(data, gap) if b'"' not in data else _split_lines(data, gap)
    except pl.exceptions.PolarsError:
        return block
    return _Lines(parts, gap, block.first_line)


def _split_names(data: bytes, gap: str) -> pl.DataFrame:
    """The parts of lines that hold no literal, so that every gap parts two names."""
    columns = dict.fromkeys(("head", "relation", "target", "end"), pl.String)
    try:
        parts = _table(data, gap, columns)
    except pl.exceptions.PolarsError:
        return _split_lines(data, gap)
    if not (parts["end"] == ".").all() or parts["end"].null_count():
        return _split_lines(data, gap)
    return parts.select("head", "relation", "target", is_literal=False, is_closed=True)


def _split_lines(data: bytes, gap: str) -> pl.DataFrame:
    """The parts of any lines."""
    lines = _table(data, _NEVER_IN_TEXT.decode(), {"line": pl.String})
    rest, is_closed = pl.col("field_2"), pl.col("is_closed")
    parts = lines.select(pl.col("line").str.splitn(gap, 3)).unnest("line")
    marked = parts.with_columns(is_closed=rest.str.ends_with(f"{gap}.").fill_null(value=False))
    return marked.select(
        "is_closed",
        head="field_0",
        relation="field_1",
        target=pl.when(is_closed).then(rest.str.head(-2)).otherwise(rest),
        is_literal=rest.str.starts_with('"').fill_null(value=False),
    )


def _table(data: bytes, separator: str, schema: dict[str, type[pl.String]]) -> pl.DataFrame:
    return pl.read_csv(data, has_header=False, separator=separator, quote_char=None, schema=schema)
