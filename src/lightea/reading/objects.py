"""Graphs that other libraries hold in memory: known by what they can do, so that none of them is imported.

tables      pandas, Polars, Arrow, and whatever else hands out Arrow data    a row is a fact
NetworkX    DiGraph, MultiDiGraph                                             an edge is a fact
PyG         HeteroData                                                        an edge is a fact
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from lightea.errors import InputError
from lightea.graph import ATTRIBUTE_SCHEMA, KnowledgeGraph
from lightea.graph_builder import GraphBuilder
from lightea.reading.columns import Columns
from lightea.reading.dialect import TRIPLE
from lightea.reading.fact_tables import add_table
from lightea.reading.tabular import names_in
from lightea.reading.terms import bare_names

_RELATION_KEYS = ("relation", "predicate", "type", "label", "rel", "edge_type", "kind")
"""Attributes of a NetworkX edge that may say which relation it is; the first there is counts."""
_UNNAMED = "related"
"""The relation of edges that name none."""
_NODE_NAMES = ("name", "names", "node_name", "node_names", "uri", "iri", "id", "ids")
"""What a HeteroData store may keep the names of its nodes under."""


def holds_graph(source: object) -> bool:
    """Whether an object holds a graph itself, and is no path to one."""
    return isinstance(source, KnowledgeGraph) or any(
        test(source) for test in (_is_table, _is_networkx, _is_heterodata)
    )


def graph_of_object(source: Any, name: str | None, columns: Columns | None) -> KnowledgeGraph:
    """The graph that an object holds; see the head of this module for which."""
    if isinstance(source, KnowledgeGraph):
        return source
    builder = GraphBuilder()
    if _is_table(source):
        add_table(builder, _facts(source, columns))
    elif _is_networkx(source):
        _add_networkx(builder, source)
    else:
        _add_heterodata(builder, source)
    if builder.is_empty:
        raise InputError(f"the {type(source).__name__} holds no facts", hint="check that it was filled")
    return builder.build(name or "", entity_names=bare_names, relation_names=bare_names)


# --- tables ------------------------------------------------------------------------------------------


def _is_table(source: object) -> bool:
    is_arrow = hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")
    return isinstance(source, (pl.DataFrame, pl.LazyFrame)) or is_arrow or _is_pandas(source)


def _facts(source: Any, columns: Columns | None) -> pl.DataFrame:
    try:
        return names_in("the table", _as_polars(source), TRIPLE, columns)
    except pl.exceptions.PolarsError as problem:
        raise InputError(
            f"the columns of the {type(source).__name__} cannot be used as names: {problem}".partition("\n")[
                0
            ],
            hint="make them text",
        ) from problem


def _is_pandas(source: object) -> bool:
    return hasattr(source, "iloc") and hasattr(source, "columns")


def _as_polars(source: Any) -> pl.DataFrame:
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if _is_pandas(source):
        titles = [str(title) for title in source.columns]
        if len(set(titles)) < len(titles):
            raise InputError("the table has two columns of one title", hint="rename one of them")
        return pl.DataFrame({title: _pandas_texts(source.iloc[:, i]) for i, title in enumerate(titles)})
    try:
        return pl.DataFrame(source)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as problem:
        raise InputError(
            f"the {type(source).__name__} cannot be read as a table: {problem}".partition("\n")[0],
            hint="give a table with columns for head, relation and tail",
        ) from problem


def _pandas_texts(column: Any) -> pl.Series:
    """The cells of a pandas column as text; what pandas counts as missing is null."""
    gaps = column.isna().tolist()
    texts = [
        None if gap else cell if isinstance(cell, str) else str(cell)
        for cell, gap in zip(column.tolist(), gaps, strict=True)
    ]
    return pl.Series(texts, dtype=pl.String)


# --- NetworkX ----------------------------------------------------------------------------------------


def _is_networkx(source: object) -> bool:
    return all(hasattr(source, name) for name in ("is_directed", "is_multigraph", "nodes", "edges"))


def _add_networkx(builder: GraphBuilder, source: Any) -> None:
    """Edges as facts, nodes as entities, their attributes as literals."""
    if not source.is_directed():
        raise InputError(
            "the NetworkX graph is undirected, and facts have a head and a tail",
            hint="give graph.to_directed(), or a DiGraph that says which end is which",
        )
    names = _networkx_names(source.nodes)
    if source.is_multigraph():
        edges = [
            (names[head], _relation(data, key), names[tail])
            for head, tail, key, data in source.edges(keys=True, data=True)
        ]
    else:
        edges = [
            (names[head], _relation(data, None), names[tail]) for head, tail, data in source.edges(data=True)
        ]
    builder.add_triples(pl.DataFrame(edges, schema=dict.fromkeys(TRIPLE, pl.String), orient="row"))
    builder.add_entities(pl.Series(list(names.values()), dtype=pl.String))
    literals = [
        (names[node], str(attribute), text, None, None)
        for node, data in source.nodes(data=True)
        for attribute, value in data.items()
        for text in _texts(value)
    ]
    builder.add_attributes(
        pl.DataFrame(literals, schema=ATTRIBUTE_SCHEMA | {"entity": pl.String}, orient="row")
    )


def _networkx_names(nodes: Iterable[Any]) -> dict[Any, str]:
    names = {node: str(node) for node in nodes}
    taken: dict[str, Any] = {}
    for node, name in names.items():
        if not name.strip():
            raise InputError("a node of the NetworkX graph has a blank name", hint="rename or remove it")
        if name in taken:
            raise InputError(
                f"two nodes of the NetworkX graph are both called {name!r}: {taken[name]!r} and {node!r}",
                hint="rename one of them, for example with networkx.relabel_nodes",
            )
        taken[name] = node
    return names


def _relation(data: Mapping[Any, Any], key: object) -> str:
    """Which relation an edge is: what its attributes say, else its key, unless that is a mere number."""
    told = next((data[name] for name in _RELATION_KEYS if data.get(name) is not None), None)
    if told is not None and str(told).strip():
        return str(told)
    return key if isinstance(key, str) and key.strip() else _UNNAMED


def _texts(value: object) -> list[str]:
    """A value of a node as text: each member of a list by itself, nothing for what is missing or no text."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return sorted(text for member in value for text in _texts(member))
    is_missing = value is None or (isinstance(value, float) and np.isnan(value))
    if is_missing or not isinstance(value, (str, int, float, bool, np.generic)) or not str(value).strip():
        return []
    return [str(value)]


# --- PyTorch Geometric -------------------------------------------------------------------------------


def _is_heterodata(source: object) -> bool:
    return all(hasattr(source, name) for name in ("node_types", "edge_types", "edge_index_dict"))


def _add_heterodata(builder: GraphBuilder, source: Any) -> None:
    """Each edge as a fact of the relation in the middle of its type; node i of a type is `type/i`.

    Unless the store of the type keeps names, of which there must be one for each node.
    """
    names = {kind: _heterodata_names(source, kind) for kind in source.node_types}
    _refuse_shared(names)
    for (head, relation, tail), index in source.edge_index_dict.items():
        ends = _as_array(index)
        if ends.ndim != 2 or ends.shape[0] != 2:
            raise InputError(
                f"the edge_index of {(head, relation, tail)!r} has the shape {ends.shape}, not (2, edges)",
                hint="edges must be two rows: the numbers of heads and of tails",
            )
        facts = {"head": _named(names[head], ends[0], head), "tail": _named(names[tail], ends[1], tail)}
        builder.add_triples(pl.DataFrame(facts).with_columns(relation=pl.lit(str(relation))))
    for nodes in names.values():
        builder.add_entities(nodes)


def _heterodata_names(source: Any, kind: str) -> pl.Series:
    store, count = source[kind], int(source[kind].num_nodes or 0)
    for key in _NODE_NAMES:
        found = store.get(key)
        if found is not None and len(found) == count:
            members = found.tolist() if hasattr(found, "tolist") else list(found)
            texts = [name if isinstance(name, str) else f"{kind}/{name}" for name in members]
            if len(set(texts)) < count:
                raise InputError(
                    f"the {key!r} of the {kind!r} nodes are not all different", hint="give each node its own"
                )
            return pl.Series(texts, dtype=pl.String)
    return pl.Series([f"{kind}/{number}" for number in range(count)], dtype=pl.String)


def _refuse_shared(names: Mapping[str, pl.Series]) -> None:
    """Complain of a name that nodes of two types have, since they would become one entity."""
    owners: dict[str, str] = {}
    for kind, members in names.items():
        for name in members:
            if name in owners:
                raise InputError(
                    f"a {owners[name]!r} and a {kind!r} are both called {name!r}",
                    hint="give each node a name of its own, such as with its type in front",
                )
            owners[name] = kind


def _named(names: pl.Series, numbers: Any, kind: str) -> pl.Series:
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= len(names)):
        raise InputError(
            f"an edge names node {int(numbers.max())} of type {kind!r}, but there are {len(names)}",
            hint="set num_nodes of the type, or mend edge_index",
        )
    return names.gather(numbers)


def _as_array(tensor: Any) -> Any:
    """A tensor, on whatever device, as an array."""
    return np.asarray(tensor.detach().cpu() if hasattr(tensor, "detach") else tensor)
