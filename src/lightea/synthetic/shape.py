"""The parameters of a synthetic pair, their defaults and the presets that imitate known benchmarks."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from lightea.errors import ConfigError

MAX_SHARED = 20_000_000


@dataclass(frozen=True)
class SideShape:
    """What one side knows of the world, and how it says it."""

    relations: int = 1500
    """Distinct relations; never more than the side has facts."""
    kept: float = 0.65
    """Share of the world's facts that this side knows. The lower, the harder the alignment."""
    strays: float = 0.3
    """Entities without counterpart, for each shared entity."""
    facts_per_stray: float = 2.0
    """Mean number of facts drawn for such an entity; a few of them coincide."""
    stray_heads: float = 0.0
    """Share of those facts that start at it; the others point to it."""
    noise: float = 0.03
    """Share of facts whose tail is wrong: any entity at all."""
    renamed: float = 0.15
    """Share of relations that lend half of their facts to the name of a related relation."""


@dataclass(frozen=True)
class SyntheticShape:
    """How a pair of graphs is drawn; every number is relative to its size, so a shape fits any size.

    The defaults imitate DBP15K ZH-EN, also in difficulty: with 30 % of the links as seeds and the other
    targets as candidates, the preset `basic` finds about .76 of 15,000 at rank 1 and .89 up to rank 10. The
    easiest knobs for more or less difficulty are `kept` and `noise` of the two sides.
    """

    left: SideShape = SideShape(relations=1701, kept=0.423, strays=0.29253, facts_per_stray=1.9)
    right: SideShape = SideShape(relations=1323, kept=0.57, strays=0.3048, facts_per_stray=2.25)
    facts: float = 9.9
    """Facts of the world for each shared entity, of which each side keeps its share."""
    echoes: float = 0.45
    """Share of these that follow from others: told again, told backwards, or closing a triangle."""
    degree_exponent: float = 2.08
    """Exponent of the power law of how often an entity is pointed to; lower means larger hubs."""
    activity_spread: float = 0.4
    """Standard deviation of the logarithm of how much an entity has to tell."""
    relation_spread: float = 2.2
    """Standard deviation of the logarithm of relation counts: 2.2 gives Zipf's law with exponent 1.1."""
    community: int = 300
    """Mean number of entities that know mostly each other."""
    locality: float = 0.99
    """Share of facts that stay within a community."""
    patchiness: float = 0.4
    """How much the relation decides whether a side knows a fact."""
    fame: float = 0.0
    """How much the head decides it; the rest is chance."""

    def __post_init__(self) -> None:
        _validate(self, _SHAPE_RANGES, "")
        _validate(self.left, _SIDE_RANGES, "left.")
        _validate(self.right, _SIDE_RANGES, "right.")
        if self.patchiness + self.fame > 1:
            total = self.patchiness + self.fame
            raise ConfigError(f"patchiness and fame add up to {total:g}, but are shares of one whole")

    def replace(self, **changes: Any) -> SyntheticShape:
        """A copy with some parameters changed, validated again."""
        unknown = sorted(set(changes) - {entry.name for entry in dataclasses.fields(self)})
        if unknown:
            known = ", ".join(entry.name for entry in dataclasses.fields(self))
            raise ConfigError(f"unknown parameter {unknown[0]!r}", hint=f"the parameters are: {known}")
        return dataclasses.replace(self, **changes)

    @classmethod
    def for_size(cls, n: int) -> SyntheticShape:
        """The default shape; a pair smaller than DBP15K gets fewer relations, by the root of its size."""
        scale = min(1.0, n / 15_000) ** 0.5
        shape = cls()
        return shape.replace(
            left=dataclasses.replace(shape.left, relations=max(1, round(shape.left.relations * scale))),
            right=dataclasses.replace(shape.right, relations=max(1, round(shape.right.relations * scale))),
        )


_SHAPE_RANGES: dict[str, tuple[float, float]] = {
    "facts": (1.0, 100.0),
    "echoes": (0.0, 0.9),
    "degree_exponent": (2.05, 10.0),
    "activity_spread": (0.0, 3.0),
    "relation_spread": (0.0, 5.0),
    "community": (1, 10_000_000),
    "locality": (0.0, 1.0),
    "patchiness": (0.0, 1.0),
    "fame": (0.0, 1.0),
}
_SIDE_RANGES: dict[str, tuple[float, float]] = {
    "relations": (1, 1_000_000),
    "kept": (0.01, 1.0),
    "strays": (0.0, 100.0),
    "facts_per_stray": (1.0, 100.0),
    "stray_heads": (0.0, 1.0),
    "noise": (0.0, 1.0),
    "renamed": (0.0, 1.0),
}
_WHOLE = {"relations", "community"}


def _validate(record: object, ranges: dict[str, tuple[float, float]], prefix: str) -> None:
    for name, (low, high) in ranges.items():
        value = getattr(record, name)
        if isinstance(value, bool) or not isinstance(value, int if name in _WHOLE else (int, float)):
            kind = "a whole number" if name in _WHOLE else "a number"
            raise ConfigError(f"{prefix}{name} is {value!r}, but must be {kind}")
        if not low <= value <= high:
            raise ConfigError(f"{prefix}{name} is {value}, but must lie between {low} and {high}")


DBP15K = SyntheticShape()
"""For n = 15,000: 19,388 / 19,572 entities, 1,701 / 1,323 relations, about 70,000 / 94,000 triples."""

DBP1M = SyntheticShape(
    left=SideShape(relations=380, kept=0.215, strays=0.365118, facts_per_stray=1.35, stray_heads=0.5),
    right=SideShape(relations=603, kept=0.475, strays=0.877793, facts_per_stray=2.0, stray_heads=0.5),
    facts=11.0,
    locality=0.95,
    patchiness=0.65,
    fame=0.1,
)
"""For n = 1,000,000: 1,365,118 / 1,877,793 entities, 380 / 603 relations, about 3.0 / 7.0 M triples."""

DEMO = SyntheticShape(
    left=SideShape(relations=70, kept=0.85, strays=0.17, stray_heads=0.3, noise=0.02, renamed=0.1),
    right=SideShape(relations=62, kept=0.9, strays=0.25, stray_heads=0.3, noise=0.02, renamed=0.1),
    facts=7.0,
    locality=0.95,
    patchiness=0.3,
    fame=0.1,
)
"""Small and friendly: most of what one side knows the other knows too."""
