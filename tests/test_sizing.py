"""Settings for a size: presets shrink where graphs are large; what somebody chose stays."""

from __future__ import annotations

import logging

import pytest

from lightea.config import PRESETS, Config
from lightea.sizing import settings_for_size


@pytest.mark.parametrize("preset", list(PRESETS))
def test_benchmarks_of_usual_size_are_aligned_as_the_preset_says(preset: str) -> None:
    assert settings_for_size(PRESETS[preset], 100_000, 130_000) == PRESETS[preset]


@pytest.mark.parametrize(("preset", "sketch_width", "proposals"), [("auto", 512, 30), ("basic", 1024, 36)])
def test_millions_get_narrower_labels_and_fewer_candidates(
    preset: str, sketch_width: int, proposals: int
) -> None:
    found = settings_for_size(PRESETS[preset], 1_365_118, 1_877_793)
    assert (found.label_width, found.sketch_width) == (256, sketch_width)
    assert (found.proposals, found.candidates) == (proposals, 36)
    assert found.preset == preset


def test_settings_are_never_smaller_than_what_still_works() -> None:
    found = settings_for_size(PRESETS["basic"], 10**9, 10**9)
    assert (found.label_width, found.proposals, found.candidates) == (128, 20, 20)


def test_what_somebody_chose_stays() -> None:
    chosen = Config.for_preset("basic", label_width=512, candidates=50, proposals=300)
    assert settings_for_size(chosen, 10**7, 10**7) == chosen


def test_it_says_what_it_changes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        settings_for_size(PRESETS["auto"], 2_000_000, 100_000)
    assert "for 2,000,000 and 100,000 entities: label_width 256 instead of 1024" in caplog.text
