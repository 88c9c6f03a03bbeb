"""The compiled loops over names against their plain twins, and against themselves at other threads."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightea import _name_kernels, _plain_names

Arguments = dict[str, Any]

KERNELS = {
    name: value
    for name, value in vars(_name_kernels).items()
    if isinstance(value, numba.core.dispatcher.Dispatcher)
    and not name.startswith("_")
    and value.py_func.__module__ == _name_kernels.__name__
}
sources = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@st.composite
def text_grams(draw: st.DrawFn) -> Arguments:
    lines = draw(
        st.lists(st.lists(st.tuples(st.integers(50, 54), st.integers(0, 2)), max_size=9), max_size=4)
    )
    cells = [cell for line in lines for cell in (*line, (10, 3))]
    room = 5 * len(cells) + 8
    return {
        "codes": np.array([code for code, _ in cells], np.uint32),
        "classes": np.array([kind for _, kind in cells], np.uint8),
        "mask": draw(st.sampled_from([7, 2**20 - 1])),
        "offsets": np.zeros(len(lines) + 1, np.int64),
        "out_grams": np.zeros(room, np.int32),
        "out_counts": np.zeros(room, np.float32),
    }


def offsets_of(counts: list[int] | np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def owned(rng: np.random.Generator, n_grams: int = 6) -> tuple[np.ndarray, ...]:
    """Up to five entities with up to three names each, of a few grams with weights that add up exactly."""
    names = rng.integers(0, 4, rng.integers(1, 6))
    present = rng.random((names.sum(), n_grams)) < 0.5
    grams = [np.flatnonzero(row) for row in present]
    weights = rng.integers(1, 5, present.sum()) / 4
    all_grams = np.concatenate([np.empty(0, np.int64), *grams])
    return (
        offsets_of(names),
        offsets_of([len(row) for row in grams]),
        all_grams.astype(np.int32),
        weights.astype(np.float32),
    )


@st.composite
def project_grams(draw: st.DrawFn) -> Arguments:
    names = owned(draw(sources))
    width = draw(st.sampled_from([1, 3, 64]))
    return {"owned": names, "width": width, "out": np.ones((len(names[0]) - 1, width), np.float32)}


def pairs(rng: np.random.Generator, n_left: int, n_right: int) -> Arguments:
    rows = rng.permutation(n_left)[: rng.integers(0, n_left + 1)].astype(np.int32)
    counts = rng.integers(0, 4, len(rows))
    ids = rng.integers(0, n_right, counts.sum()).astype(np.int32)
    return {"rows": rows, "indptr": offsets_of(counts), "ids": ids}


@st.composite
def name_similarities(draw: st.DrawFn) -> Arguments:
    rng = draw(sources)
    left, right = owned(rng), owned(rng)
    asked = pairs(rng, len(left[0]) - 1, len(right[0]) - 1)
    return {**asked, "left": left, "right": right, "out": np.full(len(asked["ids"]), 9, np.float32)}


@st.composite
def dense_similarities(draw: st.DrawFn) -> Arguments:
    rng = draw(sources)
    sides = []
    for _ in range(2):
        names = rng.integers(0, 3, rng.integers(1, 5))
        codes = rng.integers(-127, 128, (names.sum(), 5)).astype(np.int8)
        sides.append((offsets_of(names), codes, (rng.integers(0, 3, len(codes)) / 1024).astype(np.float32)))
    asked = pairs(rng, len(sides[0][0]) - 1, len(sides[1][0]) - 1)
    return {**asked, "left": sides[0], "right": sides[1], "out": np.full(len(asked["ids"]), 9, np.float32)}


@st.composite
def nearest_names(draw: st.DrawFn) -> Arguments:
    rng = draw(sources)
    left, right = owned(rng), owned(rng)
    owners = np.repeat(np.arange(len(right[0]) - 1, dtype=np.int32), np.diff(right[0]))
    names = np.repeat(np.arange(len(right[1]) - 1, dtype=np.int32), np.diff(right[1]))
    order = np.argsort(right[2], kind="stable")
    lists = offsets_of(np.bincount(right[2], minlength=6)), names[order], right[3][order]
    rows = np.arange(len(left[0]) - 1, dtype=np.int32)
    n_best = draw(st.integers(1, 4))
    return {
        "rows": rows,
        "left": left,
        "lists": lists,
        "owners": owners,
        "allowed": rng.random(len(right[0]) - 1) < 0.8,
        "budget": draw(st.sampled_from([0, 5, 1000])),
        "n_best": n_best,
        "out_counts": np.zeros(len(rows), np.int64),
        "out_ids": np.zeros(len(rows) * n_best, np.int32),
    }


CASES = {
    "text_grams": text_grams(),
    "project_grams": project_grams(),
    "name_similarities": name_similarities(),
    "dense_similarities": dense_similarities(),
    "nearest_names": nearest_names(),
}


def outcome(function: Callable[..., Any], arguments: Arguments) -> tuple[Any, Arguments]:
    own = copy.deepcopy(arguments)
    return function(*own.values()), own


def test_every_kernel_has_a_case_and_a_twin_of_the_same_signature() -> None:
    assert set(KERNELS) == set(CASES)
    for name, kernel in KERNELS.items():
        assert list(inspect.signature(kernel.py_func).parameters) == list(
            inspect.signature(getattr(_plain_names, name)).parameters
        )


@pytest.mark.parametrize("name", sorted(CASES))
@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_kernel_computes_what_its_twin_says_and_changes_nothing_else(name: str, data: st.DataObject) -> None:
    arguments = data.draw(CASES[name])
    kernel, twin = outcome(KERNELS[name], arguments), outcome(getattr(_plain_names, name), arguments)
    assert kernel[0] == twin[0]
    for part, value in kernel[1].items():
        if part.startswith("out") and np.asarray(value).dtype.kind == "f":
            np.testing.assert_allclose(value, twin[1][part], rtol=1e-5, atol=1e-6, err_msg=part)
        else:
            np.testing.assert_equal(value, twin[1][part], err_msg=part)
        if not part.startswith("out") and part != "offsets":
            np.testing.assert_equal(value, arguments[part], err_msg=part)


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="only one core is allowed to this process")
@pytest.mark.parametrize("name", sorted(CASES))
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_kernels_give_the_same_bits_at_any_number_of_threads(name: str, data: st.DataObject) -> None:
    arguments = data.draw(CASES[name])
    before, found = numba.get_num_threads(), []
    try:
        for threads in (1, 2):
            numba.set_num_threads(threads)
            found.append(outcome(KERNELS[name], arguments))
    finally:
        numba.set_num_threads(before)
    np.testing.assert_equal(found[0][1], found[1][1])
