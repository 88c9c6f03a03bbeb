"""The forecast follows from counts of work; only its direction can be tested, not the machine."""

from __future__ import annotations

import pytest

from lightea import forecast as forecasting
from lightea import paper, rounds
from lightea.config import PRESETS, Config
from lightea.forecast import forecast
from lightea.synthetic import make_pair

SMALL, LARGE = make_pair(50), make_pair(500)


def seconds(config: Config, threads: int = 2) -> list[float]:
    return [forecast(pair.left, pair.right, config, threads).total for pair in (SMALL, LARGE)]


@pytest.mark.parametrize("preset", PRESETS)
def test_more_work_takes_longer_and_more_threads_less(preset: str) -> None:
    config = PRESETS[preset]
    small, large = seconds(config)
    assert small < large
    assert seconds(config, threads=4)[1] < large < seconds(config, threads=1)[1]
    assert seconds(config.replace(label_width=2 * config.label_width))[1] > large


@pytest.mark.parametrize("preset", PRESETS)
def test_larger_graphs_take_more_memory(preset: str) -> None:
    small, large = (forecast(pair.left, pair.right, PRESETS[preset], 2).memory for pair in (SMALL, LARGE))
    assert small < large


def test_the_search_takes_the_time_of_its_products() -> None:
    basic = PRESETS["basic"]
    small, large = (forecast(pair.left, pair.right, basic, 2).seconds["search"] for pair in (SMALL, LARGE))
    n_small, n_large = (pair.left.n_entities * pair.right.n_entities for pair in (SMALL, LARGE))
    assert large / small == pytest.approx(n_large / n_small)


def test_proposals_by_facts_take_the_time_of_the_facts() -> None:
    by_facts = PRESETS["basic"].replace(search="facts")
    small, large = (forecast(pair.left, pair.right, by_facts, 2).seconds["search"] for pair in (SMALL, LARGE))
    n_small, n_large = (pair.left.n_triples + pair.right.n_triples for pair in (SMALL, LARGE))
    assert large / small == pytest.approx(n_large / n_small)


def test_it_knows_from_which_cost_on_facts_propose() -> None:
    assert forecasting._MOST_PRODUCTS == {"exact": paper._AFFORDABLE, "proposing": rounds._AFFORDABLE_AT_MOST}
