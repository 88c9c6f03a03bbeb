"""Graphs that other libraries hold: tables, NetworkX, PyTorch Geometric."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lightea import reading
from lightea.errors import ConfigError, InputError, ReadError
from lightea.graph import KnowledgeGraph
from lightea.graph_builder import graph_from_names

COLUMNS = {
    "source": ["a", "b", "a"],
    "kind": ["r", "r", "label"],
    "target": ["b", "c", '"A"@en'],
    "w": [1, None, 2],
}
CHOSEN = "source,kind,target"


def facts(graph: KnowledgeGraph) -> list[tuple[str, str, str]]:
    ends = graph.entities.gather(graph.heads), graph.entities.gather(graph.tails)
    return list(zip(ends[0], graph.relations.gather(graph.relation_ids), ends[1], strict=True))


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pl.LazyFrame,
        pa.table,
        pa.RecordBatch.from_pydict,
        lambda columns: pd.DataFrame(columns).set_index(pd.Index([7, 7, 7])),
    ],
)
def test_every_table_is_read_alike(make: Any) -> None:
    graph = reading.read(make(COLUMNS), columns=CHOSEN, name="t")
    assert facts(graph) == [("a", "r", "b"), ("b", "r", "c")]
    assert graph.attributes["value"].to_list() == ["A"]
    assert graph.name == "t"


def test_titles_of_a_table_say_what_they_hold() -> None:
    frame = pd.DataFrame({"tail": [2, 3], "head": [1, 2], "relation": ["r", "s"], "more": [0, 0]})
    assert facts(reading.read(frame)) == [("1", "r", "2"), ("2", "s", "3")]
    assert facts(reading.read(pl.DataFrame({"x": ["a"], "y": ["r"], "z": ["b"]}))) == [("a", "r", "b")]


@pytest.mark.parametrize(
    ("table", "columns", "sentence"),
    [
        (pd.DataFrame({"a": ["x"]}), None, "the table: no columns for head, relation, tail among a"),
        (pd.DataFrame({"h": ["x", "y"], "r": ["x", None], "t": ["x", "y"]}), None, "row 2 has no relation"),
        (pd.DataFrame({"h": ["x"], "r": [np.nan], "t": ["x"]}), None, "row 1 has no relation"),
        (pl.DataFrame({"h": ["x"], "r": [" "], "t": ["x"]}), None, "row 1 has no relation"),
        (pl.DataFrame({"h": ["x"], "r": ["r"], "t": ["x"]}), "h,r,q", "there is no column 'q' in the table"),
        (pd.DataFrame([["a", "r", "b"]], columns=["h", "r", "h"]), None, "two columns of one title"),
        (pl.DataFrame({"h": [], "r": [], "t": []}), None, "the DataFrame holds no facts"),
        (pl.DataFrame({"h": [[1]], "r": ["r"], "t": ["x"]}), None, "used as names: cannot cast List"),
        (pa.table({"h": [b"\xff"], "r": ["r"], "t": ["x"]}), None, "cannot be used as names: invalid utf8"),
        (nx.DiGraph(), None, "the DiGraph holds no facts"),
        (nx.Graph([("a", "b")]), None, "the NetworkX graph is undirected"),
        (nx.DiGraph([(1, "1")]), None, "two nodes of the NetworkX graph are both called '1'"),
        (nx.DiGraph([(" ", "1")]), None, "a node of the NetworkX graph has a blank name"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(table: Any, columns: str | None, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as caught:
        reading.read(table, columns=columns)
    assert caught.value.hint


@pytest.mark.parametrize("columns", ["h,r", "h,r,r", "", ["h", "r", 3.5], "h,,t"])
def test_columns_must_be_three(columns: Any) -> None:
    with pytest.raises(ConfigError, match="the columns are"):
        reading.read(pl.DataFrame({"h": ["x"], "r": ["r"], "t": ["x"]}), columns=columns)


def test_networkx_edges_are_facts_and_node_attributes_literals() -> None:
    graph = nx.MultiDiGraph()
    graph.add_node(
        "a", name="A", aliases=["x", "y"], weight=1.5, gap=None, nan=float("nan"), array=np.ones(2)
    )
    graph.add_edge("a", "b", key="knows")
    graph.add_edge("a", "b", relation="likes", since=1999)
    graph.add_edge("b", 3)
    graph.add_node("alone")
    read = reading.read(graph)
    assert facts(read) == [("a", "knows", "b"), ("a", "likes", "b"), ("b", "related", "3")]
    assert read.entities.to_list() == ["3", "a", "alone", "b"]
    assert [(row["attribute"], row["value"]) for row in read.attributes.to_dicts()] == [
        ("aliases", "x"), ("aliases", "y"), ("name", "A"), ("weight", "1.5"),
    ]  # fmt: skip


def test_a_plain_digraph_is_read() -> None:
    graph = nx.DiGraph()
    graph.add_edge("a", "b", type="knows")
    assert facts(reading.read(graph)) == [("a", "knows", "b")]


class Tensor:
    """As much of a tensor as is looked at."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> np.ndarray[Any, Any]:
        return self._values


class Store(dict[str, Any]):
    @property
    def num_nodes(self) -> int:
        return int(self["n"])


class HeteroData:
    """Stands in for torch_geometric.data.HeteroData, by the members that its documentation names."""

    def __init__(self, stores: dict[str, Store], edges: dict[tuple[str, str, str], Any]) -> None:
        self._stores, self.edge_index_dict = stores, edges

    @property
    def node_types(self) -> list[str]:
        return list(self._stores)

    @property
    def edge_types(self) -> list[tuple[str, str, str]]:
        return list(self.edge_index_dict)

    def __getitem__(self, kind: str) -> Store:
        return self._stores[kind]


def test_heterodata_is_read_by_type_and_number_or_by_name() -> None:
    data = HeteroData(
        {"author": Store(n=3), "paper": Store(n=2, name=["P", "Q"])},
        {
            ("author", "writes", "paper"): Tensor([[0, 1], [1, 0]]),
            ("paper", "cites", "paper"): Tensor([[0], [1]]),
        },
    )
    graph = reading.read(data)
    assert facts(graph) == [("P", "cites", "Q"), ("author/0", "writes", "Q"), ("author/1", "writes", "P")]
    assert "author/2" in graph.entities


def test_numbers_of_heterodata_are_told_apart_by_type_and_names_must_be() -> None:
    stores = {"a": Store(n=2, id=Tensor([5, 6]).cpu()), "b": Store(n=2, id=[5, 6])}
    data = HeteroData(stores, {("a", "r", "b"): Tensor([[0], [1]])})
    assert facts(reading.read(data)) == [("a/5", "r", "b/6")]
    named = {kind: Store(n=1, name=["x"]) for kind in "ab"}
    with pytest.raises(InputError, match="a 'a' and a 'b' are both called 'x'"):
        reading.read(HeteroData(named, {}))


@pytest.mark.parametrize(
    ("index", "names", "sentence"),
    [
        ([[0], [5]], None, "an edge names node 5 of type 'a', but there are 2"),
        ([0, 1], None, r"has the shape \(2,\), not \(2, edges\)"),
        ([[0], [1]], ["x", "x"], "are not all different"),
    ],
)
def test_what_is_wrong_with_heterodata_is_told(index: Any, names: Any, sentence: str) -> None:
    store = Store(n=2) if names is None else Store(n=2, name=names)
    with pytest.raises(InputError, match=sentence):
        reading.read(HeteroData({"a": store}, {("a", "r", "a"): Tensor(index)}))


def test_a_graph_is_its_own_reading() -> None:
    graph = graph_from_names(["a"], ["r"], ["b"])
    assert reading.read(graph) is graph


def test_none_of_these_libraries_is_imported() -> None:
    code = (
        "import sys, polars as pl, lightea\n"
        "lightea.read(pl.DataFrame({'h': ['a'], 'r': ['r'], 't': ['b']}))\n"
        "print([name for name in ('pandas', 'networkx', 'pyarrow', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_something_else_is_no_graph() -> None:
    for other in (3.5, {"h": ["a"]}, io.StringIO("a\tr\tb\n")):
        with pytest.raises(InputError, match="is not the path of a file"):
            reading.read(other)
    with pytest.raises(ReadError, match="no such file"):
        reading.read("nothing.tsv")
