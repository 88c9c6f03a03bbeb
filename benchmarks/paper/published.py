"""Figures that others have published, to stand beside ours: structure only, candidates = test targets.

30 % of the links are seeds; 20 % for OpenEA. `PAPER` holds LightEA's own tables; `REFERENCE` what its
published implementation gives when it is run on two CPU cores, once.
"""

from __future__ import annotations

from typing import NamedTuple


class Figures(NamedTuple):
    """Hits@1, Hits@10 and MRR; None where only the first was published."""

    hits_at_1: float
    hits_at_10: float | None = None
    mrr: float | None = None


PAPER: dict[tuple[str, str], Figures] = {
    ("dbp15k/zh_en", "basic"): Figures(0.756, 0.905, 0.811),
    ("dbp15k/zh_en", "iterative"): Figures(0.812, 0.915, 0.849),
    ("dbp15k/ja_en", "basic"): Figures(0.762, 0.919, 0.819),
    ("dbp15k/ja_en", "iterative"): Figures(0.821, 0.933, 0.864),
    ("dbp15k/fr_en", "basic"): Figures(0.807, 0.943, 0.857),
    ("dbp15k/fr_en", "iterative"): Figures(0.863, 0.959, 0.900),
    ("srprs/fr_en", "basic"): Figures(0.466, 0.746, 0.560),
    ("srprs/fr_en", "iterative"): Figures(0.484, 0.769, 0.570),
    ("srprs/de_en", "basic"): Figures(0.594, 0.814, 0.670),
    ("srprs/de_en", "iterative"): Figures(0.615, 0.817, 0.685),
    ("openea/en_fr_15k_v1", "basic"): Figures(0.607, 0.867, 0.697),
    ("openea/en_fr_15k_v1", "iterative"): Figures(0.670, 0.895, 0.748),
    ("openea/d_w_15k_v2", "basic"): Figures(0.924, 0.990, 0.949),
    ("openea/d_w_15k_v2", "iterative"): Figures(0.951, 0.995, 0.968),
    ("dwy100k/wd", "basic"): Figures(0.861),
    ("dwy100k/wd", "iterative"): Figures(0.907),
    ("dwy100k/yg", "basic"): Figures(0.884),
    ("dwy100k/yg", "iterative"): Figures(0.902),
    ("dbp1m/fr_en", "basic"): Figures(0.262),
    ("dbp1m/fr_en", "iterative"): Figures(0.285),
    ("dbp1m/de_en", "basic"): Figures(0.258),
    ("dbp1m/de_en", "iterative"): Figures(0.289),
}

REFERENCE: dict[tuple[str, str], Figures] = {
    ("dbp15k/zh_en", "basic"): Figures(0.757, 0.909, 0.813),
    ("dbp15k/zh_en", "iterative"): Figures(0.812, 0.916, 0.850),
    ("dbp15k/ja_en", "basic"): Figures(0.752, 0.906, 0.808),
    ("dbp15k/ja_en", "iterative"): Figures(0.817, 0.930, 0.859),
    ("dbp15k/fr_en", "basic"): Figures(0.797, 0.946, 0.851),
    ("dbp15k/fr_en", "iterative"): Figures(0.864, 0.960, 0.900),
    ("srprs/fr_en", "basic"): Figures(0.460, 0.730, 0.550),
    ("srprs/fr_en", "iterative"): Figures(0.477, 0.733, 0.563),
    ("srprs/de_en", "basic"): Figures(0.598, 0.812, 0.672),
    ("srprs/de_en", "iterative"): Figures(0.614, 0.816, 0.684),
    ("openea/en_fr_15k_v1", "basic"): Figures(0.643, 0.894, 0.729),
    ("openea/en_fr_15k_v1", "iterative"): Figures(0.693, 0.910, 0.769),
    ("openea/d_w_15k_v2", "basic"): Figures(0.908, 0.978, 0.934),
    ("openea/d_w_15k_v2", "iterative"): Figures(0.953, 0.994, 0.969),
}

PAPER_SECONDS: dict[tuple[str, str], float] = {
    ("dbp15k", "basic"): 2.8,
    ("dbp15k", "iterative"): 7.1,
    ("srprs", "basic"): 2.2,
    ("srprs", "iterative"): 6.5,
    ("dwy100k", "basic"): 15.4,
    ("dwy100k", "iterative"): 34.5,
    ("dbp1m", "basic"): 97.0,
    ("dbp1m", "iterative"): 228.0,
}
"""On an RTX 3090, for each data set of a family."""

REFERENCE_SECONDS: dict[tuple[str, str], float] = {
    ("dbp15k/zh_en", "basic"): 36.0,
    ("dbp15k/zh_en", "iterative"): 113.0,
    ("srprs/fr_en", "iterative"): 124.0,
}

FEW_SEEDS: dict[tuple[str, float], float] = {
    ("dbp15k/ja_en", 0.01): 0.632,
    ("dbp15k/ja_en", 0.05): 0.733,
    ("dbp15k/ja_en", 0.10): 0.773,
    ("dbp15k/ja_en", 0.20): 0.858,
    ("dbp15k/fr_en", 0.01): 0.737,
}
"""Hits@1 of NeuSymEA (NeurIPS 2025) with that share of seeds. The figure for 20 % did not reproduce: its
published code gave .801 here, on top of LightEA."""

_OTHER_NAMES = {"dbp_wd": "wd", "wd_dbp": "wd", "dbp_yg": "yg", "yg_dbp": "yg"}


def key_of(dataset: str) -> str:
    """The name by which the tables above call a data set: family and pair, in small letters."""
    family, _, pair = dataset.lower().replace("-", "_").rpartition("/")
    plain = _OTHER_NAMES.get(pair, pair)
    if plain.startswith(("en_fr_15k", "d_w_15k", "en_de_15k")):
        return f"openea/{plain}"
    if family.startswith("dwy"):
        return f"dwy100k/{plain}"
    turned = "_".join(reversed(plain.split("_")))
    return f"{family}/{turned if plain.startswith('en_') else plain}"


def family_of(dataset: str) -> str:
    """The collection that a data set belongs to."""
    return key_of(dataset).partition("/")[0]
