"""Statements such as owl:sameAs that tell which entities of two graphs are the same: set apart, never leaked.

A graph that was linked to the other one before names entities of it in such statements. As facts like others
they would give the answer away, and the named entities would stand in the wrong graph. So whatever crosses
from one graph to the other is taken out of both before anything else happens:

    left:  l sameAs r, r an entity of the right graph and l not     crosses: l = r
    right: r sameAs l, l an entity of the left graph and r not      crosses: l = r
    left:  l sameAs x, right: r sameAs x, x of neither graph        meets:   l = r

An entity is *of* a graph if the graph says anything about it but such statements. What stays within one
graph, or leads from only one of them to a third place, is structure like any other and stays. Blank nodes
are never of the other graph, whatever they are called.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.errors import InputError, SeedError
from lightea.graph import Ids, KnowledgeGraph, Links
from lightea.selection import ends_of, kept, new_numbers

logger = logging.getLogger(__name__)

SEEDS_FROM_DATA = "same-as"
"""What is given in place of seeds to have these statements serve as seeds."""

IDENTITY = frozenset(
    {
        *("http://www.w3.org/2002/07/owl#sameAs", "owl:sameAs"),
        *("http://www.w3.org/2002/07/owl#equivalentClass", "owl:equivalentClass"),
        *("http://www.w3.org/2002/07/owl#equivalentProperty", "owl:equivalentProperty"),
        *("http://www.w3.org/2004/02/skos/core#exactMatch", "skos:exactMatch"),
        *("http://schema.org/sameAs", "https://schema.org/sameAs", "schema:sameAs"),
        *("http://www.wikidata.org/prop/direct/P2888", "wdt:P2888"),
    }
)
"""Relations by which one entity is another."""

Mask = NDArray[np.bool_]
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Apart:
    """Two graphs without what they say about each other, and what that was."""

    left: KnowledgeGraph
    right: KnowledgeGraph
    links: Links
    """The pairs that the statements tell, each once, in order of the names."""
    n_statements: int
    """How many statements were taken out."""
    left_numbers: Ids | None
    """The number in `left` of each entity of the given graph, -1 where it is gone; None: all as before."""
    right_numbers: Ids | None


def set_apart(left: KnowledgeGraph, right: KnowledgeGraph) -> Apart:
    """Take the statements that cross from one graph to the other out of both."""
    sides = _Side(left), _Side(right)
    if not any(side.statements.height for side in sides):
        return Apart(left, right, Links([], []), 0, None, None)
    crossing = [side.crossing(other) for side, other in (sides, sides[::-1])]
    meeting = [side.meeting(other) for side, other in (sides, sides[::-1])]
    pairs = pl.concat(
        [
            crossing[0].select(left="own", right="foreign"),
            crossing[1].select(left="foreign", right="own"),
            _met(*meeting),
        ]
    )
    told = pairs.unique().sort("left", "right")
    taken = [pl.concat(parts) for parts in zip(crossing, meeting, strict=True)]
    parts = [side.without(statements) for side, statements in zip(sides, taken, strict=True)]
    return Apart(
        *(
            parts[0][0],
            parts[1][0],
            Links(told["left"], told["right"]),
            sum(table["row"].n_unique() for table in taken),
        ),
        *(parts[0][1], parts[1][1]),
    )


def identities_set_apart(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function of `left`, `right` and `seeds` see graphs that do not tell the answer.

    Seeds given as "same-as" become what the graphs said. `left_entities` and `right_entities` are numbers of
    the graphs that were given, and are changed to those of the graphs that the function sees.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        given = signature.bind(*args, **kwargs)
        left, right, seeds = given.arguments["left"], given.arguments["right"], given.arguments.get("seeds")
        for side, graph in (("left", left), ("right", right)):
            if not isinstance(graph, KnowledgeGraph):
                raise InputError(
                    f"{side} is {_shown(graph)}, which is no graph",
                    hint=f"read it before: {side} = lightea.read(…)",
                )
        from_data = isinstance(seeds, str) and seeds == SEEDS_FROM_DATA
        apart = set_apart(left, right)
        if from_data:
            given.arguments["seeds"] = seeds_from_data(apart, left, right)
        elif apart.n_statements:
            _warn(apart)
        given.arguments |= {"left": apart.left, "right": apart.right}
        for name, numbers in (
            ("left_entities", apart.left_numbers),
            ("right_entities", apart.right_numbers),
        ):
            if numbers is not None and given.arguments.get(name) is not None:
                given.arguments[name] = _renumbered(given.arguments[name], numbers)
        return function(*given.args, **given.kwargs)

    return wrapper


class _Side:
    """One graph, with its statements of identity in columns row, one, other (names).

    Rows count the facts, then the literals.
    """

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        facts = graph.relations.is_in(list(IDENTITY)).to_numpy()[graph.relation_ids]
        literals = graph.attributes["attribute"].is_in(list(IDENTITY)).to_numpy()
        self.statements = self._table(np.flatnonzero(facts), np.flatnonzero(literals))
        self._stated = facts, literals

    @functools.cached_property
    def _is_own(self) -> Mask:
        """Which entities anything but such statements is said of."""
        facts, literals = self._stated
        return ends_of(self._graph, ~facts, ~literals)

    @functools.cached_property
    def own(self) -> pl.Series:
        """The names of the entities that are of this graph."""
        return self._graph.entities.filter(pl.Series(self._is_own)).alias("name")

    def crossing(self, other: _Side) -> pl.DataFrame:
        """The statements between an entity that is not of the other graph and one that is."""
        table = self._marked(other)
        forward = ~pl.col("one_theirs") & pl.col("other_theirs")
        backward = pl.col("one_theirs") & ~pl.col("other_theirs")
        return pl.concat(
            [
                table.filter(forward).select("row", own="one", foreign="other"),
                table.filter(backward & ~pl.col("is_literal")).select("row", own="other", foreign="one"),
            ]
        )

    def meeting(self, other: _Side) -> pl.DataFrame:
        """The statements that lead to places of neither graph that statements of the other lead to."""
        return self._outward(other).join(other._outward(self).select("foreign").unique(), on="foreign")

    def without(self, taken: pl.DataFrame) -> tuple[KnowledgeGraph, Ids | None]:
        """The graph without some statements, and without what only they named of elsewhere."""
        if len(taken) == 0:
            return self._graph, None
        n_facts = self._graph.n_triples
        stays = np.ones(n_facts + len(self._graph.attributes), dtype=np.bool_)
        stays[taken["row"].to_numpy()] = False
        facts, literals = stays[:n_facts], stays[n_facts:]
        entities = self._is_own | ends_of(self._graph, facts, literals)
        entities |= ~ends_of(self._graph, ~facts, ~literals)
        entities[self._graph.find(taken["own"])] = True  # of this graph, even if it says nothing else of them
        return kept(self._graph, facts, literals, entities), new_numbers(entities)

    def _outward(self, other: _Side) -> pl.DataFrame:
        """Statements from an entity of this graph to what is of neither."""
        table = self._marked(other)
        ours = pl.col("one").is_in(self.own.implode()), pl.col("other").is_in(self.own.implode())
        neither = ~pl.col("one_theirs") & ~pl.col("other_theirs")
        return pl.concat(
            [
                table.filter(neither & ~ours[1]).select("row", own="one", foreign="other"),
                table.filter(neither & ~ours[0] & ours[1]).select("row", own="other", foreign="one"),
            ]
        ).filter(~pl.col("foreign").str.starts_with("_:"))

    def _marked(self, other: _Side) -> pl.DataFrame:
        """The statements, and which of their ends are of the other graph; blank nodes never are."""

        def theirs(end: str) -> pl.Expr:
            is_there = pl.col(end).is_in(other.own.implode()) & ~pl.col(end).str.starts_with("_:")
            return is_there.alias(f"{end}_theirs")

        return self.statements.with_columns(theirs("one"), theirs("other"))

    def _table(self, facts: NDArray[np.int64], literals: NDArray[np.int64]) -> pl.DataFrame:
        graph = self._graph
        described = graph.attributes[literals]
        return pl.concat(
            [
                pl.DataFrame(
                    {
                        "row": facts,
                        "one": graph.entities.gather(graph.heads[facts]),
                        "other": graph.entities.gather(graph.tails[facts]),
                    }
                ).with_columns(is_literal=False),
                pl.DataFrame(
                    {
                        "row": literals + graph.n_triples,
                        "one": graph.entities.gather(described["entity"]),
                        "other": described["value"],
                    }
                ).with_columns(is_literal=True),
            ]
        ).filter(pl.col("one") != pl.col("other"))


def _met(left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    """The pairs that meet at a third place where nobody else does."""
    alone = [
        side.select("own", "foreign").unique().filter(pl.len().over("foreign") == 1) for side in (left, right)
    ]
    return alone[0].join(alone[1], on="foreign", suffix="_right").select(left="own", right="own_right")


def seeds_from_data(apart: Apart, left: KnowledgeGraph, right: KnowledgeGraph) -> Links:
    """The pairs that two graphs tell; raises `SeedError` if there are none."""
    if len(apart.links) == 0:
        n_left, n_right = (_Side(graph).statements.height for graph in (left, right))
        raise SeedError(
            "neither graph says of an entity that it is one of the other graph (owl:sameAs and the like); "
            f"such statements in the left graph: {n_left:,}, in the right one: {n_right:,}",
            hint="give pairs in a file: --seeds FILE, or seeds=… in Python",
        )
    logger.info("seeds from the data: %d pairs by %d statements", len(apart.links), apart.n_statements)
    return apart.links


def _warn(apart: Apart) -> None:
    example = f", for example {apart.links.left[0]} = {apart.links.right[0]}" if len(apart.links) else ""
    logger.warning(
        "the graphs say themselves that some of their entities are the same (owl:sameAs and the like: %d "
        "statements%s); these statements are left aside and not used; to have them serve as seeds: "
        "--seeds same-as, or seeds='same-as' in Python",
        apart.n_statements,
        example,
    )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"a value of type {type(value).__name__}"


def _renumbered(entities: Any, numbers: Ids) -> Any:
    """The new numbers of entities that stayed; what is no number of the graph stays to be complained of."""
    asked = np.asarray(entities)
    if not np.issubdtype(asked.dtype, np.integer):
        return entities
    if len(asked) and (asked.min() < 0 or asked.max() >= len(numbers)):
        return entities
    found = numbers[asked]
    return found[found >= 0]
