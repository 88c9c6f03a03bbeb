"""Parts of a graph: some of its facts and literals, with the entities that these leave."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.errors import InputError
from lightea.graph import Ids, KnowledgeGraph

logger = logging.getLogger(__name__)

Mask = NDArray[np.bool_]

TYPE_NAMES = frozenset(
    {
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "http://www.wikidata.org/prop/direct/P31",
        "http://www.wikidata.org/entity/P31",
        *("rdf:type", "wdt:P31", "a", "type", "instance of", "instance_of"),
    }
)
"""Relations that say what an entity is an instance of."""
CLASS_ATTRIBUTES = TYPE_NAMES | {":LABEL", "category"}
"""Attributes that say it, among them labels of Neo4j nodes and categories of KGX."""
_SUBCLASS_NAMES = frozenset(
    {
        "http://www.w3.org/2000/01/rdf-schema#subClassOf",
        "http://www.wikidata.org/prop/direct/P279",
        "http://www.wikidata.org/entity/P279",
        *("rdfs:subClassOf", "wdt:P279", "subClassOf", "subclass of", "subclass_of"),
    }
)
_SHOWN = 3


@dataclass(frozen=True)
class Selection:
    """What to keep of a graph.

    `include` and `exclude` are names of relations and attributes, or patterns with `*` for them; where both
    match, the fact goes. `languages` are tags of literals; `en` keeps `en-GB`, too, and text without a tag
    is always kept. Nothing named keeps everything.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether everything is kept."""
        return not (self.include or self.exclude or self.languages)


def select(graph: KnowledgeGraph, selection: Selection) -> KnowledgeGraph:
    """The graph as if the other facts and literals had never been in it.

    Entities of which nothing is left go as well. A pattern that matches nothing is an error.
    """
    if selection.is_whole:
        return graph
    refuse_unknown([graph], selection)
    names, verdicts = _verdicts(graph, selection)
    wanted = pl.DataFrame({"attribute": names, "wanted": verdicts})
    facts = verdicts[names.search_sorted(graph.relations).to_numpy()][graph.relation_ids]
    literals = graph.attributes.select("attribute", "language").join(
        wanted, on="attribute", how="left", maintain_order="left"
    )
    attributes = literals["wanted"].to_numpy() & _in_languages(literals["language"], selection.languages)
    part = kept(graph, facts, attributes, _left_over(graph, facts, attributes))
    if part.n_triples == 0 and len(part.attributes) == 0:
        raise InputError(f"nothing is left of graph {graph.name!r}", hint="ask for more of it")
    _log_selection(graph, part)
    return part


def refuse_unknown(graphs: Sequence[KnowledgeGraph], selection: Selection) -> None:
    """Raise `InputError` for the first pattern that matches no relation and no attribute of any graph."""
    known = pl.concat([_fact_names(graph) for graph in graphs]).unique().sort()
    for pattern in (*selection.include, *selection.exclude):
        if not _matches(known, (pattern,)).any():
            raise InputError(
                f"{pattern!r} matches no relation and no attribute of {_titles(graphs)}",
                hint=f"write it whole, or with * for what may be anything; {_examples(known, pattern)}",
            )


def matched_part(graph: KnowledgeGraph, selection: Selection) -> Selection:
    """The selection without the patterns that match nothing in this graph."""
    known = _fact_names(graph)

    def matching(patterns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(pattern for pattern in patterns if _matches(known, (pattern,)).any())

    return Selection(matching(selection.include), matching(selection.exclude), selection.languages)


def instances_of(graph: KnowledgeGraph, classes: Sequence[str]) -> Ids:
    """The numbers of all entities that are instances of one of the classes, sorted.

    A class is a name, or a pattern with `*`. Instances of its subclasses count. What an entity is an
    instance of is told by rdf:type, by Wikidata's P31, by labels of Neo4j nodes and categories of KGX.
    """
    says_type = graph.relations.is_in(list(TYPE_NAMES)).to_numpy()[graph.relation_ids]
    wanted = _with_subclasses(graph, _matches(graph.entities, tuple(classes)))
    by_fact = graph.heads[says_type & wanted[graph.tails]]
    literals = graph.attributes.filter(pl.col("attribute").is_in(list(CLASS_ATTRIBUTES)))
    values = literals["value"].unique()
    named = values.filter(pl.Series(_matches(values, tuple(classes))))
    by_literal = literals.filter(pl.col("value").is_in(named.implode()))["entity"].to_numpy()
    found: Ids = np.union1d(by_fact, by_literal).astype(np.int32)
    return found


def kept(graph: KnowledgeGraph, facts: Mask, attributes: Mask, entities: Mask) -> KnowledgeGraph:
    """The graph with only the marked facts, literals and entities; relations without facts go."""
    used_relations = np.zeros(graph.n_relations, dtype=np.bool_)
    used_relations[graph.relation_ids[facts]] = True
    numbers, relations = new_numbers(entities), new_numbers(used_relations)
    table = graph.attributes.filter(pl.Series(attributes))
    return KnowledgeGraph(
        graph.entities.filter(pl.Series(entities)),
        graph.relations.filter(pl.Series(used_relations)),
        numbers[graph.heads[facts]],
        relations[graph.relation_ids[facts]],
        numbers[graph.tails[facts]],
        table.with_columns(entity=pl.Series(numbers[table["entity"].to_numpy()])),
        graph.name,
    )


def new_numbers(is_kept: Mask) -> Ids:
    """For each old number the new one, -1 for what is not kept."""
    return np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(np.int32)


def ends_of(graph: KnowledgeGraph, facts: Mask, attributes: Mask) -> Mask:
    """Which entities the marked facts and literals are about."""
    ends = np.zeros(graph.n_entities, dtype=np.bool_)
    ends[graph.heads[facts]] = True
    ends[graph.tails[facts]] = True
    ends[graph.attributes["entity"].to_numpy()[attributes]] = True
    return ends


def _left_over(graph: KnowledgeGraph, facts: Mask, attributes: Mask) -> Mask:
    """The entities that stay: those something is left of, and those that never had any fact."""
    had_any = ends_of(graph, np.ones_like(facts), np.ones_like(attributes))
    return ends_of(graph, facts, attributes) | ~had_any


def _fact_names(graph: KnowledgeGraph) -> pl.Series:
    """Relations and attributes, each once, sorted."""
    return pl.concat([graph.relations, graph.attributes["attribute"].unique()]).unique().sort().alias("name")


def _verdicts(graph: KnowledgeGraph, selection: Selection) -> tuple[pl.Series, Mask]:
    """Each name of a relation or attribute, and whether its facts are kept."""
    names = _fact_names(graph)
    included = _matches(names, selection.include) if selection.include else np.ones(len(names), np.bool_)
    return names, included & ~_matches(names, selection.exclude)


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a name is one of the patterns, letter for letter or as a glob."""
    return any(name == pattern or ("*" in pattern and fnmatchcase(name, pattern)) for pattern in patterns)


def bare(pattern: str) -> str:
    """A pattern without the angle brackets that an IRI may be written in."""
    return pattern[1:-1] if pattern.startswith("<") and pattern.endswith(">") else pattern


def _matches(names: pl.Series, patterns: Sequence[str]) -> Mask:
    """Which names are one of the patterns."""
    plain = [bare(pattern) for pattern in patterns]
    found: Mask = names.is_in([pattern for pattern in plain if "*" not in pattern]).to_numpy()
    if any("*" in pattern for pattern in plain):
        return np.fromiter((matches(name, plain) for name in names), np.bool_, len(names))
    return found


def _in_languages(tags: pl.Series, languages: Sequence[str]) -> Mask:
    if not languages:
        return np.ones(len(tags), dtype=np.bool_)
    wanted = pl.lit(value=False)
    for language in languages:
        tag = language.lower()
        wanted |= (pl.col("tag") == tag) | pl.col("tag").str.starts_with(f"{tag}-")
    marked = tags.alias("tag").to_frame().select(pl.col("tag").is_null() | wanted.fill_null(value=False))
    return marked.to_series().to_numpy()


def _with_subclasses(graph: KnowledgeGraph, classes: Mask) -> Mask:
    """The classes with all that are below them, however deep."""
    says_below = graph.relations.is_in(list(_SUBCLASS_NAMES)).to_numpy()[graph.relation_ids]
    below, above = graph.heads[says_below], graph.tails[says_below]
    found = classes.copy()
    while True:
        coming = below[found[above]]
        if found[coming].all():
            return found
        found[coming] = True


def _log_selection(graph: KnowledgeGraph, part: KnowledgeGraph) -> None:
    logger.info(
        "%s: selected %d of %d facts, %d of %d literals, %d of %d entities",
        *(graph.name, part.n_triples, graph.n_triples, len(part.attributes), len(graph.attributes)),
        *(part.n_entities, graph.n_entities),
    )
    if len(graph.attributes) and not len(part.attributes):
        logger.warning("%s: no literal is left, since none of their attributes was asked for", graph.name)


def _titles(graphs: Sequence[KnowledgeGraph]) -> str:
    return " or ".join(repr(graph.name) for graph in graphs)


def _examples(known: pl.Series, pattern: str) -> str:
    """Names that hold the plain part of the pattern, or any, for a hint."""
    plain = max(pattern.strip("<>").split("*"), key=len).lower()
    ending = max(plain.replace("#", "/").replace(":", "/").split("/"), key=len)
    similar = known.filter(known.str.to_lowercase().str.contains(ending, literal=True)) if ending else known
    shown = (similar if len(similar) else known).head(_SHOWN).to_list()
    return "there is nothing to choose from" if not shown else f"for example {', '.join(map(repr, shown))}"
