"""What `align` and `inspect` are told of their inputs, and the graphs that come of it."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lightea.clock import Progress
from lightea.errors import ConfigError, InputError

if TYPE_CHECKING:
    from lightea.graph import Ids, KnowledgeGraph, Links
    from lightea.identity import Apart
    from lightea.reading.graphs import Reading
    from lightea.selection import Selection

logger = logging.getLogger("lightea.cli")

_STDIN = "-"


def _known_format(asked: str | None) -> str | None:
    if asked is not None:
        from lightea.reading.detect import format_named

        try:
            format_named(asked)
        except ConfigError as problem:
            raise typer.BadParameter(f"{problem.message}; {problem.hint}") from problem
    return asked


def _three_columns(asked: str | None) -> str | None:
    if asked is not None:
        from lightea.reading.columns import as_columns

        try:
            as_columns(asked)
        except ConfigError as problem:
            raise typer.BadParameter(f"{problem.message}; {problem.hint}") from problem
    return asked


SeedsOption = Annotated[
    str | None,
    typer.Option(
        "--seeds",
        metavar="FILE|same-as",
        help="Pairs known to be the same: a table of left and right, SSSOM, an OAEI alignment or RDF; or "
        "same-as: what the graphs say themselves by owl:sameAs.",
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        callback=_known_format,
        help="Format of the graphs: tsv, csv, ntriples, nquads, turtle, trig, n3, rdfxml, jsonld, parquet, "
        "neo4j or kgx. "
        "[default: told by name and content]",
        show_default=False,
    ),
]
MoreLeftOption = Annotated[
    list[Path] | None,
    typer.Option("--more-left", metavar="FILE", help="Another file of the left graph. May be repeated."),
]
MoreRightOption = Annotated[
    list[Path] | None,
    typer.Option("--more-right", metavar="FILE", help="Another file of the right graph. May be repeated."),
]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="H,R,T",
        callback=_three_columns,
        help="Titles (or numbers, from 1) of the columns of tables that hold head, relation and tail.",
    ),
]
IncludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="RELATION",
        help="Use only these relations and attributes; * stands for anything. May be repeated.",
    ),
]
ExcludeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude", metavar="RELATION", help="Leave these relations and attributes out. May be repeated."
    ),
]
LangOption = Annotated[
    list[str] | None,
    typer.Option(
        "--lang",
        metavar="TAG",
        help="Of literals with a language, keep only those in this one. May be repeated.",
    ),
]
TypeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        metavar="CLASS",
        help="Align only instances of these classes; the others stay as context. May be repeated.",
    ),
]
GraphOption = Annotated[
    list[str] | None,
    typer.Option(
        "--graph",
        metavar="NAME",
        help="Of N-Quads, TriG and JSON-LD, read only these named graphs; `default` is the one without "
        "a name. May be repeated.",
    ),
]


@dataclass(frozen=True)
class ReadingOptions:
    """How files are read, the same for all graphs of a command."""

    format: str | None = None
    columns: str | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    languages: Sequence[str] = ()
    graphs: Sequence[str] = ()

    def read(self, files: Sequence[Path]) -> Reading:
        """Read files as one graph, whole."""
        from lightea.reading.columns import as_columns
        from lightea.reading.graphs import read_whole

        columns = None if self.columns is None else as_columns(self.columns)
        return read_whole(list(files), self.format, None, columns, self.graphs)

    def record(self) -> dict[str, Any]:
        """The options as the manifest of a run keeps them."""
        return {
            name: list(value) if isinstance(value, (list, tuple)) else value
            for name, value in dataclasses.asdict(self).items()
        }

    @classmethod
    def recorded(cls, record: Mapping[str, Any]) -> ReadingOptions:
        """The options that a manifest keeps; those that it does not name have their defaults."""
        known = {one.name for one in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in record.items() if name in known})

    @property
    def selection(self) -> Selection:
        """What of the graphs is used."""
        from lightea.selection import Selection

        return Selection(tuple(self.include), tuple(self.exclude), tuple(self.languages))


@dataclass(frozen=True)
class Inputs:
    """The files of a command that aligns, and what of them is wanted."""

    left: Sequence[Path]
    right: Sequence[Path]
    seeds: str | None
    options: ReadingOptions
    classes: Sequence[str] = ()
    names: Path | None = None
    """A file of names of entities."""

    def refuse_two_pipes(self) -> None:
        """End with a usage error if the standard input is to be several things at once."""
        given = [*map(str, self.left), *map(str, self.right), self.seeds]
        if given.count(_STDIN) > 1:
            raise typer.BadParameter("only one input can be the standard input (-)")

    @property
    def seed_file(self) -> str | None:
        """The file of seeds, if they are in one."""
        from lightea.identity import SEEDS_FROM_DATA

        return None if self.seeds == SEEDS_FROM_DATA else self.seeds

    def files(self) -> dict[str, Path]:
        """Every file by what it is: left, left_2, …, right, …, seeds."""
        named: dict[str, Path] = {}
        for side, files in (("left", self.left), ("right", self.right)):
            named |= {side if n == 1 else f"{side}_{n}": file for n, file in enumerate(files, start=1)}
        if self.names is not None:
            named |= {"names": self.names}
        return named if self.seed_file is None else named | {"seeds": Path(self.seed_file)}

    def record(self) -> dict[str, Any]:
        """What was read, and how, as the manifest of a run keeps it."""
        return {
            "left": [str(file) for file in self.left],
            "right": [str(file) for file in self.right],
            "seeds": self.seeds,
            "types": list(self.classes),
            **self.options.record(),
        }

    def read(self, report: Progress) -> Sides:
        """Read everything, small and likely wrong things first, and take what is wanted."""
        from lightea.reading.links import read_links

        report("reading", 0, 2)
        seeds = self.seeds if self.seed_file is None else read_links(self.seed_file)
        left = self.options.read(self.left)
        report("reading", 1, 2)
        right = self.options.read(self.right)
        report("reading", 2, 2)
        return self._wanted(left, right, seeds)

    def _wanted(self, left: Reading, right: Reading, seeds: Links | str | None) -> Sides:
        """What is wanted of graphs; seeds that they tell are taken before anything is left out."""
        from lightea.identity import seeds_from_data, set_apart
        from lightea.selection import refuse_unknown

        refuse_unknown([left.graph, right.graph], self.options.selection)
        self._refuse_unknown_classes(left.graph, right.graph)
        apart = None
        if isinstance(seeds, str):
            apart = set_apart(left.graph, right.graph)
            links: Links | None = seeds_from_data(apart, left.graph, right.graph)
        else:
            links = seeds
        graphs = (left.graph, right.graph) if apart is None else (apart.left, apart.right)
        parts = [self._part(graph, side) for graph, side in zip(graphs, ("left", "right"), strict=True)]
        return Sides(
            readings=(left, right),
            left=parts[0],
            right=parts[1],
            seeds=links,
            apart=apart,
            left_entities=self._instances(left.graph, parts[0], "left"),
            right_entities=self._instances(right.graph, parts[1], "right"),
        )

    def _part(self, graph: KnowledgeGraph, side: str) -> KnowledgeGraph:
        """What is wanted of a graph; one that knows none of the relations to include is left whole."""
        from lightea.selection import matched_part, select

        selection = matched_part(graph, self.options.selection)
        if self.options.include and not selection.include:
            logger.warning(
                "the %s graph has none of the relations to include, so all of its relations are used", side
            )
        return select(graph, selection)

    def _refuse_unknown_classes(self, left: KnowledgeGraph, right: KnowledgeGraph) -> None:
        from lightea.selection import instances_of

        for name in self.classes:
            if not (len(instances_of(left, [name])) or len(instances_of(right, [name]))):
                raise InputError(
                    f"no entity of either graph is an instance of {name!r}",
                    hint="write the class whole, or with * for what may be anything; `lightea inspect` lists "
                    "the classes of a graph",
                )

    def _instances(self, whole: KnowledgeGraph, part: KnowledgeGraph, side: str) -> Ids | None:
        """The entities to align, None for all: where a graph has none of the classes, all are."""
        from lightea.selection import instances_of

        if not self.classes:
            return None
        found = instances_of(whole, self.classes)
        if len(found) == 0:
            logger.warning("the %s graph has no instances of the classes asked for, so all are aligned", side)
            return None
        numbers = part.find(whole.entities.gather(found))
        return numbers[numbers >= 0]


@dataclass(frozen=True, eq=False)
class Sides:
    """Two graphs as they were read, and as they are to be aligned."""

    readings: tuple[Reading, Reading]
    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: Links | None
    apart: Apart | None
    """What the graphs told of each other, if that is what the seeds are."""
    left_entities: Ids | None
    right_entities: Ids | None
