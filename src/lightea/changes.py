"""How the links of a run differ from those of an earlier one, and why, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.alignment import Alignment
from lightea.graph import Ids
from lightea.growth import Growth
from lightea.reopening import Opened

RULE = (
    "opened were: entities that new facts name; what they are linked with; entities without a link next to "
    "one that is believed to be such an entity; and what was next to links that went or came. All other "
    "links stayed as they were."
)

Pair = tuple[int, int]
Pairs = NDArray[np.integer]

SCHEMA = {
    "change": pl.String,
    "left": pl.String,
    "right": pl.String,
    "probability": pl.Float32,
    "right_before": pl.String,
    "probability_before": pl.Float32,
    "reason": pl.String,
}


@dataclass(frozen=True, eq=False)
class Changes:
    """What came, went and changed; `table` has the columns of `SCHEMA`, in order of the left name.

    A link that is `changed` has another right entity. Where an entity may have several partners, links are
    added and dropped only.
    """

    table: pl.DataFrame
    counts: dict[str, int]

    @property
    def summary(self) -> str:
        """The counts in one line."""
        return ", ".join(f"{self.counts[kind]:,} {kind}" for kind in ("kept", "added", "dropped", "changed"))

    def document(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {"counts": self.counts, "rule": RULE, "changes": self.table.to_dicts()}


def changes(
    before: Alignment, after: Alignment, grown: tuple[Growth, Growth], opened: Opened, earlier: Ids
) -> Changes:
    """Compare the links of two runs; `earlier` are those of the first by the numbers of the second."""
    width = after.right.n_entities
    now = np.stack([after.left_ids, after.right_ids], axis=1).astype(np.int64)
    keys_now, keys_then = (
        now[:, 0] * width + now[:, 1],
        earlier[:, 0].astype(np.int64) * width + earlier[:, 1],
    )
    came, went = now[~np.isin(keys_now, keys_then)], earlier[~np.isin(keys_then, keys_now)]
    words = _Words(before, after, grown, went)
    rows = [*words.of_came(came, went), *words.of_went(came, went)]
    table = pl.DataFrame(rows, schema=SCHEMA, orient="row").sort("left", "right")
    of_kind = dict(table["change"].value_counts().iter_rows())
    counts = {
        "kept": int(np.isin(keys_now, keys_then).sum()),
        **{kind: of_kind.get(kind, 0) for kind in ("added", "dropped", "changed")},
        "links_before": len(earlier),
        "links": len(now),
        "opened_left": int(np.count_nonzero(opened.left)),
        "opened_links": int(np.count_nonzero(opened.left[earlier[:, 0]])),
    }
    for side, one in zip(("left", "right"), grown, strict=True):
        counts[f"new_{side}_entities"] = one.n_entities
        counts[f"new_{side}_facts"] = one.n_facts
        counts[f"new_{side}_literals"] = one.n_literals
    return Changes(table, counts)


class _Words:
    """Reasons for single changes."""

    def __init__(self, before: Alignment, after: Alignment, grown: tuple[Growth, Growth], went: Ids) -> None:
        self._after, self._grown = after, grown
        self._new = grown[0].is_new, grown[1].is_new
        self._partner = dict(zip(after.left_ids.tolist(), after.right_ids.tolist(), strict=True))
        self._partner_of_right = dict(zip(after.right_ids.tolist(), after.left_ids.tolist(), strict=True))
        self._chance = _by_pair(after.left_ids, after.right_ids, after.probability)
        then = grown[0].numbers[before.left_ids], grown[1].numbers[before.right_ids]
        self._chance_before = _by_pair(*then, before.probability)
        self._one_each = after.config.cardinality == "one-to-one"
        self._threshold = after.config.threshold or 0.5
        self._candidates = _candidates_of(after, went)

    def of_came(self, came: Pairs, went: Pairs) -> list[tuple[Any, ...]]:
        """The links that were not there before; changed where the left entity was linked otherwise."""
        gone = dict(went.tolist()) if self._one_each else {}
        gone_of_right = {right: left for left, right in went.tolist()}
        return [self._one_that_came(left, right, gone, gone_of_right) for left, right in came.tolist()]

    def _one_that_came(
        self, left: int, right: int, gone: dict[int, int], gone_of_right: dict[int, int]
    ) -> tuple[Any, ...]:
        chance = self._chance[left, right]
        facts = self._facts(left, right)
        if left in gone:
            other = gone[left]
            was, now = self._chance_before[left, other], self._candidates.get((left, other), 0.0)
            reason = f"{facts}: this partner is likelier now, the other fell from {was:.2f} to {now:.2f}"
            return ("changed", *self._names(left, right), chance, self._right(other), was, reason)
        freed = gone_of_right.get(right)
        further = "" if freed is None else f"; before, the right entity was linked with {self._left(freed)}"
        return ("added", *self._names(left, right), chance, None, None, f"{facts}{further}")

    def of_went(self, came: Pairs, went: Pairs) -> list[tuple[Any, ...]]:
        """The links that are there no more, without those that changed."""
        changed = {left for left, _ in came.tolist()} if self._one_each else set()
        return [self._one_that_went(left, right) for left, right in went.tolist() if left not in changed]

    def _one_that_went(self, left: int, right: int) -> tuple[Any, ...]:
        was, now = self._chance_before[left, right], self._candidates.get((left, right), 0.0)
        winner = self._partner_of_right.get(right) if self._one_each else None
        facts = self._facts(left, right)
        if winner is not None:
            reason = f"{facts}: {self._left(winner)} is a likelier partner of the right entity"
        elif now < self._threshold:
            reason = f"{facts}: probability fell from {was:.2f} to {now:.2f}, below {self._threshold:.2f}"
        else:
            reason = f"{facts}: another partner is as likely now"
        return ("dropped", *self._names(left, right), None, self._right(right), was, reason)

    def _facts(self, left: int, right: int) -> str:
        """What is new of the two."""
        new = self._new[0][left], self._new[1][right]
        if all(new):
            return "both entities are new"
        counts = [int(one.new_facts[number]) for one, number in zip(self._grown, (left, right), strict=True)]
        if any(new):
            side, other = ("left", "right") if new[0] else ("right", "left")
            n_other = counts[1 if new[0] else 0]
            return f"the {side} entity is new" + (
                f", the {other} one has {_facts(n_other)}" if n_other else ""
            )
        told = [
            f"{_facts(n)} of the {side} entity"
            for n, side in zip(counts, ("left", "right"), strict=True)
            if n
        ]
        return " and ".join(told) if told else "what is believed of their neighbours has changed"

    def _names(self, left: int, right: int) -> tuple[str, str]:
        return self._left(left), self._right(right)

    def _left(self, number: int) -> str:
        name: str = self._after.left.entities[number]
        return name

    def _right(self, number: int) -> str:
        name: str = self._after.right.entities[number]
        return name


def _facts(number: int) -> str:
    return f"{number:,} new fact" + ("" if number == 1 else "s")


def _by_pair(left: Ids, right: Ids, probability: NDArray[np.float32]) -> dict[Pair, float]:
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    return dict(zip(pairs, probability.tolist(), strict=True))


def _candidates_of(alignment: Alignment, pairs: Pairs) -> dict[Pair, float]:
    """How probable these pairs are, of those that are candidates."""
    candidates = alignment.assignment.candidates
    rows = np.flatnonzero(np.isin(candidates.left, pairs[:, 0])[candidates.rows])
    left = candidates.left[candidates.rows[rows]]
    right = candidates.right[candidates.columns[rows]]
    return _by_pair(left, right, alignment.assignment.probabilities[rows])
