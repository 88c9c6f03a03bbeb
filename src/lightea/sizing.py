"""Settings that follow from the size of the graphs, so that presets made for thousands work for millions.

Only sizes decide, never the machine: the same graphs and settings give the same links anywhere. Settings
that are not those of the preset were chosen by somebody, and are left as they are.

    label width    halved while entities · width would pass 2³⁰ numbers, down to 128; the sketch with it
    candidates     as many as left · candidates stays within 5·10⁷ pairs, but at least 20; proposals, too
"""

from __future__ import annotations

import logging
from typing import Any

from lightea.config import PRESETS, Config

logger = logging.getLogger(__name__)

_MOST_LABEL_NUMBERS = 2**30
_NARROWEST = 128
_MOST_PAIRS = 50_000_000
_FEWEST_CANDIDATES = 20


def settings_for_size(config: Config, n_left: int, n_right: int) -> Config:
    """The settings with what the size of the graphs asks for; says so where that changes anything."""
    preset = PRESETS[config.preset]
    fitting: dict[str, Any] = {}
    if (config.label_width, config.sketch_width) == (preset.label_width, preset.sketch_width):
        narrower = _halvings(config.label_width, n_left + n_right)
        fitting["label_width"] = config.label_width >> narrower
        fitting["sketch_width"] = config.sketch_width >> narrower
    for name in ("candidates", "proposals"):
        if getattr(config, name) == getattr(preset, name):
            most = max(_FEWEST_CANDIDATES, _MOST_PAIRS // max(n_left, 1))
            fitting[name] = min(getattr(config, name), most)
    changed = {name: value for name, value in fitting.items() if value != getattr(config, name)}
    if changed:
        said = ", ".join(
            f"{name} {value} instead of {getattr(config, name)}" for name, value in changed.items()
        )
        logger.info("for %s and %s entities: %s", f"{n_left:,}", f"{n_right:,}", said)
    return config.replace(**changed) if changed else config


def _halvings(width: int, n_entities: int) -> int:
    times = 0
    while width >> (times + 1) >= _NARROWEST and n_entities * (width >> times) > _MOST_LABEL_NUMBERS:
        times += 1
    return times
