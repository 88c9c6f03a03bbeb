"""`auto` with a part taken out: that it is that part, and nothing else."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from benchmarks import ablation, growth, sensitivity
from benchmarks.paper.datasets import Problem, asked_for

import lightea
from lightea import rounds
from lightea.alignment import Alignment
from lightea.config import Config
from lightea.synthetic import make_pair

CONFIG = Config.for_preset("auto", names="none", label_width=128, sketch_width=256, rounds=2)


@cache
def problem() -> Problem:
    pair = make_pair(400, random_seed=0)
    seeds, hidden = pair.links.split(0.3, random_seed=0)
    return asked_for(pair.left, pair.right, seeds, hidden)


@cache
def aligned(name: str) -> Alignment:
    return ablation.of_auto(name, problem(), CONFIG, 1)


def test_with_nothing_taken_out_it_is_what_align_does() -> None:
    left, right = problem().searched
    whole = lightea.align(
        problem().left,
        problem().right,
        problem().seeds,
        config=CONFIG,
        left_entities=left,
        right_entities=right,
        threads=1,
    )
    assert aligned("auto").to_polars().equals(whole.to_polars())
    assert aligned("auto").config == whole.config


@pytest.mark.parametrize("name", [name for name in ablation.OF_AUTO if name != "auto"])
def test_each_part_makes_a_difference(name: str) -> None:
    assert not aligned(name).to_polars().equals(aligned("auto").to_polars())


def test_without_labels_nothing_but_evidence_scores() -> None:
    alignment = aligned("without labels")
    found = alignment.explain(alignment.to_polars()["left"][0])
    assert found.cosine == pytest.approx(0.0, abs=1e-6)
    assert found.score == pytest.approx(found.evidence_score, rel=1e-5)


def test_without_evidence_nothing_but_sketches_scores() -> None:
    scores = aligned("without evidence").assignment.candidates.scores
    assert len(scores)
    assert scores.max() <= CONFIG.cosine_weight + 1e-6


def test_without_staying_alone_nobody_does() -> None:
    """Before calibration: so says the sum of what the potentials leave to the candidates."""
    assignment = aligned("without staying alone").assignment
    candidates, (u, v) = assignment.candidates, assignment.potentials
    raw = np.exp(candidates.scores / CONFIG.temperature - u[candidates.rows] - v[candidates.columns])
    sums = np.bincount(candidates.rows, raw, len(candidates.left))
    assert np.median(sums) == pytest.approx(1.0, abs=1e-3)


def test_without_calibration_there_is_none() -> None:
    alignment = aligned("without calibration")
    assert alignment.calibration is None
    assert alignment.config.threshold == 0.5


def test_the_calibration_error_is_that_of_its_bins() -> None:
    alignment = aligned("auto")
    truth = dict(zip(problem().test.left, problem().test.right, strict=True))
    bins: dict[int, list[float]] = {}
    for left, right, chance in alignment.to_polars().iter_rows():
        bins.setdefault(min(int(chance * 10), 9), []).append(chance - (truth.get(left) == right))
    expected = sum(abs(sum(inside)) for inside in bins.values()) / len(alignment)
    assert ablation.calibration_error(alignment, problem()) == pytest.approx(expected)


def test_tables_have_a_row_for_each_variant_and_a_dash_for_what_was_not_run() -> None:
    figures = {"hits@1": 0.5, "f1": 0.4, "calibration_error": 0.01}
    paper = {"hits@1": 0.3, "by_cosine": {"hits@1": 0.2}}
    shown = ablation.table({"a": {"auto": figures, "basic": paper}, "b": {"auto": figures}})
    assert shown.splitlines()[2:] == [
        "| auto | 0.500 / 0.400 / 0.010 | 0.500 / 0.400 / 0.010 |",
        "| basic | 0.300 | – |",
        "| basic, without assignment | 0.200 | – |",
    ]


def test_every_change_of_a_constant_reaches_it_and_is_taken_back() -> None:
    every = list(sensitivity.changes())
    assert len({(change.name, change.module, change.argument_of, change.value) for change in every}) == len(
        every
    )
    for change in every:
        if change.module is not None and not change.argument_of:
            before = getattr(change.module, change.name)
            with change.inside():
                assert getattr(change.module, change.name) == change.value != before
            assert getattr(change.module, change.name) == before
        elif change.module is None:
            assert getattr(change.config(), change.name) == change.value
    assert rounds.believed.__module__ == "lightea.assignment"


def test_a_change_of_a_constant_changes_what_is_found() -> None:
    changed = sensitivity.Change("n_new", 1, rounds, "gather_evidence")
    with changed.inside():
        alignment = ablation.of_auto("auto", problem(), CONFIG, 1)
    before = len(aligned("auto").assignment.candidates.columns)
    assert len(alignment.assignment.candidates.columns) < before


def test_the_exponent_of_a_power_law_is_found() -> None:
    sizes = [10.0, 100.0, 1000.0]
    assert growth.exponent(sizes, [3 * size**1.5 for size in sizes]) == pytest.approx(1.5)


def test_a_small_pair_is_measured_by_stages() -> None:
    measured = growth.measure(2_000, 1)
    assert measured["triples"] == pytest.approx(2_000, rel=0.3)
    stages = measured["cpu_seconds_of_stages"]
    assert {"candidates", "evidence", "assignment", "calibration"} <= set(stages)
    assert sum(stages.values()) <= measured["cpu_seconds"] + 1e-6
