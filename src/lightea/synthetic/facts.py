"""Facts as three columns, and choices within groups: what the world and its two tellers are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Facts:
    """Heads, relations and tails as numbers."""

    heads: Ids
    relations: Ids
    tails: Ids

    @classmethod
    def of(
        cls, heads: NDArray[np.integer], relations: NDArray[np.integer], tails: NDArray[np.integer]
    ) -> Facts:
        """Facts from columns of any whole-number type."""
        return cls(heads.astype(np.int32), relations.astype(np.int32), tails.astype(np.int32))

    def __len__(self) -> int:
        return len(self.heads)

    def at(self, where: NDArray[np.bool_] | NDArray[np.integer]) -> Facts:
        """The facts at these positions, or where a mask is true."""
        return Facts(self.heads[where], self.relations[where], self.tails[where])

    def plus(self, *others: Facts) -> Facts:
        """These facts followed by others."""
        parts = (self, *others)
        return Facts(
            np.concatenate([part.heads for part in parts]),
            np.concatenate([part.relations for part in parts]),
            np.concatenate([part.tails for part in parts]),
        )

    def distinct(self) -> Facts:
        """Each fact once, in order of head, relation, tail."""
        n_relations, n_tails = _beyond(self.relations), _beyond(self.tails)
        keys = (self.heads.astype(np.int64) * n_relations + self.relations) * n_tails + self.tails
        keys.sort()
        kept = keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys
        rest, tails = np.divmod(kept, n_tails)
        return Facts.of(rest // n_relations, rest % n_relations, tails)

    def thinned(self, size: int, rng: np.random.Generator) -> Facts:
        """At most `size` of the facts, chosen at random, in the same order."""
        if len(self) <= size:
            return self
        return self.at(np.sort(rng.permutation(len(self))[:size]))


def _beyond(numbers: Ids) -> int:
    return int(numbers.max()) + 1 if len(numbers) else 1


class GroupedChoice:
    """Weighted random choice among the items of a group, for many groups at once.

    Items lie in a row, group by group, each as wide as its weight; a choice is a random point of the group.
    """

    def __init__(self, groups: Ints, items: Ints, weights: NDArray[np.float64], n_groups: int) -> None:
        order = np.argsort(groups, kind="stable")
        self._items = items[order]
        self._bounds = np.searchsorted(groups[order], np.arange(n_groups + 1))
        self._heights = np.concatenate([[0.0], np.cumsum(weights[order])])

    def offers(self, groups: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether a group has any item."""
        offered: NDArray[np.bool_] = self._bounds[groups + 1] > self._bounds[groups]
        return offered

    def pick(self, groups: NDArray[np.integer], rng: np.random.Generator) -> Ints:
        """One item for each of these groups, all of which must have some."""
        first, last = self._bounds[groups], self._bounds[groups + 1] - 1
        low, high = self._heights[first], self._heights[last + 1]
        drawn = low + rng.random(len(groups)) * (high - low)
        place = np.clip(np.searchsorted(self._heights, drawn, side="right") - 1, first, last)
        picked: Ints = self._items[place]
        return picked
