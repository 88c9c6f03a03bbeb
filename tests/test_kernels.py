"""Every compiled kernel against its plain twin, and against itself at another number of threads."""

from __future__ import annotations

import copy
import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import _kernels, _plain
from small_graphs import graphs

Arguments = dict[str, Any]
Kernel = Callable[..., Any]

KERNELS: dict[str, Kernel] = {
    name: value
    for name, value in vars(_kernels).items()
    if isinstance(value, numba.core.dispatcher.Dispatcher) and not name.startswith("_")
}
CHANGED = {"out", "codes", "inverse_norms", "kept", "counts", "kept_columns", "kept_scores"}
"""Names of the arguments that kernels write to."""

widths = st.sampled_from([1, 2, 7, 63, 64, 65, 127, 130])
"""Also such as are not a multiple of a block of columns."""
spreads = st.sampled_from([3.0, 21.0, 100.0])
"""With the last one numbers that stand out are clipped."""
sources = st.integers(0, 2**32 - 1).map(np.random.default_rng)


# --- arguments -----------------------------------------------------------------------------------------


def quarters(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers whose sums have no rounding, so that what cancels does so in any order; some rows are zero."""
    values = rng.integers(-8, 9, shape) / 4
    values[rng.random(shape[0]) < 0.2] = 0.0
    return values.astype(np.float32)


def whole(
    rng: np.random.Generator, shape: tuple[int, ...], largest: int, dtype: type = np.int8
) -> np.ndarray:
    """Whole numbers; with small ones many sums are zero, and some rows are zero altogether."""
    most = rng.choice([1, largest])
    values = rng.integers(-most, most + 1, shape)
    values[rng.random(shape[0]) < 0.2] = 0
    return values.astype(dtype)


def scratch(rng: np.random.Generator, shape: tuple[int, ...], dtype: type = np.float32) -> np.ndarray:
    """An output array with something left over in it."""
    return rng.integers(-9, 9, shape).astype(dtype)


@st.composite
def triples(draw: st.DrawFn) -> Arguments:
    graph = draw(graphs())
    return {
        "heads": graph.heads,
        "relations": graph.relation_ids,
        "tails": graph.tails,
        "n_entities": graph.n_entities,
        "n_relations": graph.n_relations,
    }


@st.composite
def doubled(draw: st.DrawFn) -> tuple[Arguments, int]:
    """Doubled edges, and the number of relations with inverses."""
    given_triples = draw(triples())
    edges = zip(("offsets", "relations", "tails"), _plain.double_edges(*given_triples.values()), strict=True)
    return dict(edges), 2 * given_triples["n_relations"]


@st.composite
def heads_of_relations(draw: st.DrawFn) -> Arguments:
    edges, n_relations = draw(doubled())
    return {"offsets": edges["offsets"], "relations": edges["relations"], "n_relations": n_relations}


@st.composite
def labels(draw: st.DrawFn, n: int, width: int) -> Arguments:
    rng, n_labels = draw(sources), draw(st.integers(1, 4))
    place = rng.integers(-1, n_labels, n).astype(np.int32)
    return {"labels": whole(rng, (n_labels, width), 127), "place": place}


@st.composite
def hop_entities(draw: st.DrawFn) -> Arguments:
    (edges, n_relations), width, rng = draw(doubled()), draw(widths), draw(sources)
    n = len(edges["offsets"]) - 1
    return {
        **edges,
        **draw(labels(n, width)),
        "relation_labels": whole(rng, (n_relations, width), 127),
        "spread": draw(spreads),
        "codes": scratch(rng, (n, width), np.int8),
    }


@st.composite
def hop_relations(draw: st.DrawFn) -> Arguments:
    (edges, n_relations), width = draw(doubled()), draw(widths)
    offsets, heads = _plain.heads_of_relations(edges["offsets"], edges["relations"], n_relations)
    return {
        "relation_offsets": offsets,
        "relation_heads": heads,
        **draw(labels(len(edges["offsets"]) - 1, width)),
        "out": scratch(draw(sources), (n_relations, width)),
    }


@st.composite
def add_shifted(draw: st.DrawFn) -> Arguments:
    rng, width, n = draw(sources), draw(widths), draw(st.integers(0, 5))
    made = draw(labels(n, width))
    return {
        "table": made["labels"],
        "place": made["place"],
        "shift": int(rng.integers(0, width)),
        "out": scratch(rng, (n, width), np.int16),
    }


@st.composite
def gate_edges(draw: st.DrawFn) -> Arguments:
    (edges, n_relations), width, rng = draw(doubled()), draw(widths), draw(sources)
    n = len(edges["offsets"]) - 1
    rows = rng.integers(0, n, draw(st.integers(0, 5))).astype(np.int32)
    return {
        "rows": rows,
        **edges,
        "entities": whole(rng, (n, width), 400, np.int16),
        "gates": whole(rng, (n_relations, width), 300, np.int16),
        "spread": draw(spreads),
        "codes": scratch(rng, (len(rows), width), np.int8),
        "inverse_norms": scratch(rng, (len(rows),)),
    }


@st.composite
def quantise_rows(draw: st.DrawFn) -> Arguments:
    rng, shape = draw(sources), (draw(st.integers(0, 5)), draw(widths))
    scale = np.float32(draw(st.sampled_from([1e-3, 1.0, 1e3])))
    return {
        "matrix": quarters(rng, shape) * scale,
        "spread": draw(spreads),
        "codes": scratch(rng, shape, np.int8),
        "inverse_norms": scratch(rng, shape[:1]),
    }


@st.composite
def keep_best(draw: st.DrawFn) -> Arguments:
    """A second tile after a first one of any width; few values, so that many are equal."""
    rng, n_rows, n_best = draw(sources), draw(st.integers(0, 3)), draw(st.integers(1, 12))
    largest = draw(st.sampled_from([1, 5, 2**24]))
    first, second = (
        rng.integers(-largest, largest + 1, (n_rows, draw(st.integers(1, 200)))).astype(np.int32)
        for _ in range(2)
    )
    room = draw(st.sampled_from([n_best + 1, 2 * n_best + 64]))
    kept, counts = np.zeros((n_rows, room), np.int64), np.zeros(n_rows, np.int64)
    _plain.keep_best(first, 0, kept, counts, n_best)
    return {
        "scores": second,
        "first_column": first.shape[1],
        "kept": kept,
        "counts": counts,
        "n_best": n_best,
    }


@st.composite
def pattern(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    """Offsets and columns of a sparse matrix, in no order within a row, and how many columns there are."""
    rng = draw(sources)
    n_rows, n_columns = int(rng.integers(0, 6)), int(rng.integers(1, 7))
    present = rng.random((n_rows, n_columns)) < rng.choice([0.1, 0.4, 1.0])
    columns = [rng.permutation(np.flatnonzero(row)) for row in present]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in columns])]).astype(np.int64)
    return indptr, np.concatenate([np.empty(0, np.int32), *columns]).astype(np.int32), n_columns


@st.composite
def add_cosines(draw: st.DrawFn) -> Arguments:
    (indptr, columns, n_columns), width, rng = draw(pattern()), draw(widths), draw(sources)
    n_rows = len(indptr) - 1
    return {
        "indptr": indptr,
        "columns": columns,
        "left_codes": rng.integers(-127, 128, (n_rows, width)).astype(np.int8),
        "left_inverse": rng.integers(0, 3, n_rows).astype(np.float32) / 1024,
        "right_codes": rng.integers(-127, 128, (n_columns, width)).astype(np.int8),
        "right_inverse": rng.integers(0, 3, n_columns).astype(np.float32) / 1024,
        "out": scratch(rng, (len(columns),)),
    }


@st.composite
def best_of_rows(draw: st.DrawFn) -> Arguments:
    (indptr, columns, _), rng, n_best = draw(pattern()), draw(sources), draw(st.integers(1, 7))
    kept = np.concatenate([[0], np.cumsum(np.minimum(np.diff(indptr), n_best))])
    scores = rng.choice(np.array([-1.5, -0.25, -0.0, 0.0, 1e-30, 0.5], np.float32), len(columns))
    return {
        "indptr": indptr,
        "columns": columns,
        "scores": scores,
        "kept_indptr": kept,
        "kept_columns": scratch(rng, (kept[-1],), np.int32),
        "kept_scores": scratch(rng, (kept[-1],)),
    }


@st.composite
def potentials(draw: st.DrawFn) -> Arguments:
    (indptr, columns, n_columns), rng = draw(pattern()), draw(sources)
    scale = rng.choice([1.0, 1e4])
    return {
        "indptr": indptr,
        "others": columns,
        "logits": scale * rng.standard_normal(len(columns)),
        "other_potentials": scale * rng.standard_normal(n_columns),
        "outside": rng.choice([-np.inf, -2.0, 1.5], len(indptr) - 1),
        "least": float(rng.choice([-np.inf, 0.0])),
        "out": scratch(rng, (len(indptr) - 1,), np.float64),
    }


@st.composite
def scalings(draw: st.DrawFn) -> Arguments:
    (indptr, columns, n_columns), rng = draw(pattern()), draw(sources)
    return {
        "indptr": indptr,
        "others": columns,
        "weights": np.exp(10 * rng.standard_normal(len(columns))),
        "other_scalings": np.exp(10 * rng.standard_normal(n_columns)) * rng.integers(0, 2, n_columns),
        "outside": rng.choice([0.0, 1.5], len(indptr) - 1),
        "most": rng.choice([np.inf, 1.0, 1e-3], len(indptr) - 1),
        "out": scratch(rng, (len(indptr) - 1,), np.float64),
    }


@st.composite
def transpose_pattern(draw: st.DrawFn) -> Arguments:
    indptr, columns, n_columns = draw(pattern())
    return {"indptr": indptr, "columns": columns, "n_columns": n_columns}


CASES: dict[str, st.SearchStrategy[Arguments]] = {
    "double_edges": triples(),
    "heads_of_relations": heads_of_relations(),
    "hop_entities": hop_entities(),
    "hop_relations": hop_relations(),
    "add_shifted": add_shifted(),
    "gate_edges": gate_edges(),
    "quantise_rows": quantise_rows(),
    "keep_best": keep_best(),
    "add_cosines": add_cosines(),
    "best_of_rows": best_of_rows(),
    "potentials": potentials(),
    "scalings": scalings(),
    "transpose_pattern": transpose_pattern(),
}


# --- comparing -----------------------------------------------------------------------------------------


def outcome(function: Kernel, arguments: Arguments) -> Arguments:
    """All arguments after a call on copies of them, and what was returned."""
    copies = copy.deepcopy(arguments)
    returned = function(*copies.values())
    return {**copies, "returned": returned}


def at_threads(n_threads: int, function: Kernel, arguments: Arguments) -> Arguments:
    before = numba.get_num_threads()
    numba.set_num_threads(n_threads)
    try:
        return outcome(function, arguments)
    finally:
        numba.set_num_threads(before)


def assert_close(first: Any, second: Any, what: str) -> None:
    """Equal whole numbers; other numbers up to the rounding of their type."""
    if isinstance(first, tuple):
        for one, other in zip(first, second, strict=True):
            assert_close(one, other, what)
    elif isinstance(first, np.ndarray) and np.issubdtype(first.dtype, np.floating):
        rounding = 1e-5 if first.dtype == np.float32 else 1e-9
        np.testing.assert_allclose(first, second, rtol=rounding, atol=rounding, err_msg=what)
    else:
        np.testing.assert_array_equal(first, second, err_msg=what)


def comparable(name: str, found: Arguments) -> Arguments:
    """What must agree: where a kernel leaves something open, only the rest."""
    if name == "keep_best":  # a buffer keeps its keys in any order, and anything behind them
        rows = zip(found["kept"], found["counts"], strict=True)
        return {**found, "kept": tuple(np.sort(kept[:count]) for kept, count in rows)}
    return found


def settle_halves(name: str, arguments: Arguments, kernel: Arguments, twin: Arguments) -> None:
    """Where rounding decides which way a half goes, take the kernel's code for the twin's, too."""
    if "spread" not in arguments:
        return
    nearly = [arguments | {"spread": arguments["spread"] * factor} for factor in (1 - 1e-5, 1 + 1e-5)]
    lowest, highest = np.sort([outcome(getattr(_plain, name), less)["codes"] for less in nearly], axis=0)
    twin["codes"][:] = np.clip(kernel["codes"], lowest, highest)
    if "inverse_norms" in twin:
        lengths = np.linalg.norm(twin["codes"].astype(np.float64), axis=1)
        twin["inverse_norms"][:] = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


# --- tests ---------------------------------------------------------------------------------------------


def test_every_kernel_has_a_twin_and_a_case() -> None:
    twins = {name for name, _ in inspect.getmembers(_plain, inspect.isfunction) if not name.startswith("_")}
    assert set(KERNELS) == twins == set(CASES)


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_twins_have_the_same_signature(name: str) -> None:
    assert inspect.signature(KERNELS[name].py_func) == inspect.signature(getattr(_plain, name))


@pytest.mark.parametrize("name", sorted(CASES))
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_kernel_computes_what_its_twin_says(name: str, data: st.DataObject) -> None:
    arguments = data.draw(CASES[name])
    kernel, twin = outcome(KERNELS[name], arguments), outcome(getattr(_plain, name), arguments)
    settle_halves(name, arguments, kernel, twin)
    kernel, twin = comparable(name, kernel), comparable(name, twin)
    for part in kernel:
        assert_close(kernel[part], twin[part], f"{name}: {part}")


@pytest.mark.parametrize("name", sorted(CASES))
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_kernels_change_nothing_but_their_outputs(name: str, data: st.DataObject) -> None:
    arguments = data.draw(CASES[name])
    for function in (KERNELS[name], getattr(_plain, name)):
        after = outcome(function, arguments)
        for part in set(arguments) - CHANGED:
            np.testing.assert_equal(after[part], arguments[part], err_msg=f"{name}: {part}")


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="only one core is allowed to this process")
@pytest.mark.parametrize("name", sorted(CASES))
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_kernels_give_the_same_bits_at_any_number_of_threads(name: str, data: st.DataObject) -> None:
    arguments = data.draw(CASES[name])
    one, two = (at_threads(n_threads, KERNELS[name], arguments) for n_threads in (1, 2))
    for part in one:
        np.testing.assert_equal(one[part], two[part], err_msg=f"{name}: {part}")


def test_the_largest_of_many_equal_scores_are_the_first_columns() -> None:
    scores = np.zeros((1, 1000), np.int32)
    kept, counts = np.empty((1, 10), np.int64), np.zeros(1, np.int64)
    _kernels.keep_best(scores, 0, kept, counts, 5)
    assert sorted(0xFFFFFFFF - (kept[0, : counts[0]] & 0xFFFFFFFF)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("order", ["random", "ascending", "descending", "up and down", "few values"])
def test_the_best_of_long_tiles_are_kept_in_whatever_order_they_come(order: str) -> None:
    rng, n_best = np.random.default_rng(0), 150
    scores = np.sort(rng.integers(-(2**24), 2**24, (2, 6000)).astype(np.int32), axis=1)
    shapes = {
        "random": rng.permuted(scores, axis=1),
        "ascending": scores,
        "descending": scores[:, ::-1].copy(),
        "up and down": np.concatenate([scores[:, ::2], scores[:, ::-2]], axis=1),
        "few values": scores // 2**23,
    }
    rows = rng.permuted(shapes[order], axis=1) if order == "few values" else shapes[order]
    kernel, twin = (
        (np.zeros((2, 2 * n_best + 64), np.int64), np.zeros(2, np.int64)) for _ in ("kernel", "twin")
    )
    for first in (0, 3500):
        tile = np.ascontiguousarray(rows[:, first : first + 3500])
        _kernels.keep_best(tile, first, *kernel, n_best)
        _plain.keep_best(tile, first, *twin, n_best)
    for found, expected in zip(kernel[0], twin[0], strict=True):
        assert sorted(found[:n_best]) == sorted(expected[:n_best])
    assert kernel[1].tolist() == twin[1].tolist() == [n_best, n_best]


def test_numbers_that_are_not_finite_do_not_spread() -> None:
    """A row without entries beside one with: fast mathematics must not assume that infinity is absent."""
    indptr, others = np.array([0, 0, 1]), np.array([0], np.int32)
    out = np.empty(2)
    _kernels.potentials(indptr, others, np.array([3.0]), np.array([1.0]), np.full(2, -np.inf), -np.inf, out)
    assert out.tolist() == [0.0, 2.0]


# --- compilation ---------------------------------------------------------------------------------------


def test_without_a_place_for_compiled_code_the_loops_work_and_one_line_says_so() -> None:
    """As in a read-only install run by a user without a home."""
    script = """
import logging
logging.basicConfig(format="%(message)s")
from numba.core import caching
def refuse(self, function):
    raise RuntimeError(f"cannot cache function {function.__name__!r}: no locator available")
caching.FunctionCache.__init__ = refuse
import numpy as np
from lightea import _evidence_kernels, _kernels
out = np.zeros(1)
none = np.zeros(0, np.int32)
_evidence_kernels.matched_mass(np.zeros(2, np.int64), none, none, np.zeros(1, np.float32), out)
print(out)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[0.]\n"
    assert "NUMBA_CACHE_DIR" in done.stderr
    assert len(done.stderr.splitlines()) == 1
