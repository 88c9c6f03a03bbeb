"""Types of entities and relations between types, in any number: the ontology repeated with variations.

Each kind of the ontology falls into types ("person" into a few sorts of persons). The first relations of the
world are those of the ontology and hold for whole kinds; the further ones are variations of them between two
types only, and rarer.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from lightea.synthetic.facts import GroupedChoice, Ints
from lightea.synthetic.ontology import BASE_RELATIONS, KINDS
from lightea.synthetic.shape import SyntheticShape

_MOST_TYPES = 200
_RESERVE = 1.5
"""Relations for each one wanted, since a side never speaks of the rarest."""
_KIND_NUMBERS = {kind.left: number for number, kind in enumerate(KINDS)}
_DOMAINS = np.array([_KIND_NUMBERS[relation.domain] for relation in BASE_RELATIONS])
_RANGES = np.array([_KIND_NUMBERS[relation.range] for relation in BASE_RELATIONS])


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Types and relations as columns."""

    kind_of_type: Ints
    type_sizes: Ints
    """Shared entities of each type, at least one."""
    base: Ints
    """The relation of the ontology that each relation varies."""
    lap: Ints
    """How many earlier relations vary the same one; those of the first lap are not variations."""
    domain_kind: Ints
    range_kind: Ints
    domain_type: Ints
    range_type: Ints
    weights: NDArray[np.float64]
    """Expected share of the facts."""
    tails_per_head: NDArray[np.float64]

    @property
    def wide(self) -> NDArray[np.bool_]:
        """Whether a relation holds for whole kinds, and not only between two types."""
        wide: NDArray[np.bool_] = self.lap == 0
        return wide

    @property
    def n_relations(self) -> int:
        """How many relations the world has."""
        return len(self.base)

    @property
    def n_types(self) -> int:
        """How many types the world has."""
        return len(self.kind_of_type)

    def uses(self) -> tuple[Ints, Ints, NDArray[np.float64]]:
        """Every pair of a type and a relation that starts at it, with weights, as columns."""
        wide, narrow = np.flatnonzero(self.wide), np.flatnonzero(~self.wide)
        wide_types, places = np.nonzero(self.kind_of_type[:, None] == self.domain_kind[wide])
        types = np.concatenate([wide_types, self.domain_type[narrow]])
        relations = np.concatenate([wide[places], narrow])
        kind_sizes = np.bincount(self.kind_of_type, self.type_sizes, minlength=len(KINDS))
        sizes = np.where(self.wide, kind_sizes[self.domain_kind], self.type_sizes[self.domain_type])
        return types, relations, (self.weights / sizes)[relations]


def draw_vocabulary(n: int, shape: SyntheticShape, rng: np.random.Generator) -> Vocabulary:
    """Types for n entities, and enough relations that each side can keep the number it is asked for."""
    wanted = max(shape.left.relations, shape.right.relations)
    n_relations = wanted if wanted <= len(BASE_RELATIONS) else round(_RESERVE * wanted)
    kind_of_type, type_sizes = _draw_types(n, min(n, n_relations))
    base = _choose_base(n_relations, n_kinds=int(kind_of_type.max()) + 1)
    types = type_choice(kind_of_type, type_sizes)
    excess = np.array([relation.tails - 1 for relation in BASE_RELATIONS])[base]
    lap = _earlier_equals(base)
    return Vocabulary(
        kind_of_type=kind_of_type,
        type_sizes=type_sizes,
        base=base,
        lap=lap,
        domain_kind=_DOMAINS[base],
        range_kind=_RANGES[base],
        domain_type=types.pick(_DOMAINS[base], rng),
        range_type=types.pick(_RANGES[base], rng),
        weights=_lognormal_weights(n_relations, shape.relation_spread),
        tails_per_head=1 + np.where(lap == 0, excess, excess * rng.exponential(size=n_relations)),
    )


def type_choice(kind_of_type: Ints, type_sizes: Ints) -> GroupedChoice:
    """Choice of a type within a kind, large types more often."""
    return GroupedChoice(
        kind_of_type, np.arange(len(kind_of_type)), type_sizes.astype(np.float64), len(KINDS)
    )


def _draw_types(n: int, most_kinds: int) -> tuple[Ints, Ints]:
    """The kind of each type and its number of entities; types of a kind follow Zipf's law."""
    n_kinds = min(len(KINDS), most_kinds)
    n_types = max(n_kinds, min(_MOST_TYPES, round(n**0.5 / 2)))
    shares = np.array([kind.share for kind in KINDS[:n_kinds]])
    types_per_kind = 1 + _apportion(n_types - n_kinds, shares)
    ranks = np.concatenate([np.arange(1, count + 1) for count in types_per_kind])
    kind_of_type = np.repeat(np.arange(n_kinds), types_per_kind)
    within = np.bincount(kind_of_type, 1 / ranks)[kind_of_type]
    return kind_of_type, 1 + _apportion(n - n_types, shares[kind_of_type] / ranks / within)


def _apportion(total: int, shares: NDArray[np.float64]) -> Ints:
    """Whole numbers that add up to `total`, in proportion to the shares."""
    edges = np.round(np.concatenate([[0.0], np.cumsum(shares)]) / shares.sum() * total)
    counts: Ints = np.diff(edges).astype(np.int64)
    return counts


def _choose_base(n_relations: int, n_kinds: int) -> Ints:
    """Relations of the ontology among the first kinds, in order of frequency, again and again.

    Where only a few are wanted, each kind keeps one, so that everything has something to tell.
    """
    usable = np.flatnonzero(np.maximum(_DOMAINS, _RANGES) < n_kinds)
    closed = usable[_RANGES[usable] <= _DOMAINS[usable]]
    needed = closed[np.unique(_DOMAINS[closed], return_index=True)[1]]
    first_lap = np.sort(np.concatenate([needed, np.setdiff1d(usable, needed)])[:n_relations])
    laps: Ints = np.resize(first_lap, n_relations)
    return laps


def _earlier_equals(numbers: Ints) -> Ints:
    """For each number how often it stands before."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    earlier = np.empty(len(numbers), dtype=np.int64)
    earlier[order] = np.arange(len(numbers)) - np.searchsorted(ordered, ordered)
    return earlier


def _lognormal_weights(count: int, spread: float) -> NDArray[np.float64]:
    """Quantiles of a log-normal law, largest first: Zipf's law in the middle, and no endless tail."""
    law = NormalDist()
    heights = np.array([law.inv_cdf(1 - (rank + 0.5) / count) for rank in range(count)])
    weights = np.exp(spread * heights)
    return np.asarray(weights / weights.sum(), dtype=np.float64)
