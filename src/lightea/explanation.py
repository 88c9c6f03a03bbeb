"""Why two entities are linked, or are not: the records that an explanation consists of.

With evidence (preset `auto`), an explanation is the sum itself: its terms add up to the evidence, and
evidence and cosine to the score. Each term can be opened in turn, down to the seeds. Where sketches alone
decided (`basic`, `iterative`), it is the paper's tracing: which seeds the labels of both have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar, overload

T = TypeVar("T")
Status = Literal["seed", "link", "candidate", "not a candidate"]
Ending = Literal["", "seed", "cycle", "shown above", "too many"]

_MOST_BRANCHES = 1_000


class Lazy(Sequence[T], Generic[T]):
    """A sequence whose items are made when asked for; a hub has more terms than anybody reads."""

    def __init__(self, length: int, make: Callable[[int], T]) -> None:
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        """The item at this place, or a list of those in a slice."""
        if isinstance(place, slice):
            return [self._make(number) for number in range(*place.indices(self._length))]
        if not -self._length <= place < self._length:
            raise IndexError(f"there are {self._length} items, and none at {place}")
        return self._make(place % self._length)


@dataclass(frozen=True)
class Fact:
    """A fact of the entity that is explained, read from it: a relation that leads to a neighbour."""

    relation: str
    inverse: bool
    """Whether the neighbour is the head of the fact and the entity the tail."""
    neighbour: str
    weight: float
    """w(r, t) = (number of entities with this relation to this neighbour)^-¼."""

    @property
    def text(self) -> str:
        """The relation, with `^` before an inverse one, and the neighbour."""
        return f"{'^' if self.inverse else ''}{self.relation} {self.neighbour}"


@dataclass(frozen=True)
class Term:
    """One pair of facts that speaks for the pair of entities: P · ρ · w · w'."""

    left: Fact
    right: Fact
    probability: float
    """P(t, t'): how probable it was, in the last round, that the neighbours are the same."""
    is_seed: bool
    """Whether the neighbours were given as the same."""
    agreement: float
    """ρ(r, r'): how far the relations say the same."""
    contribution: float
    """The product: what the term adds to the evidence."""
    score_share: float
    """Its share of the evidence score; the shares of all terms add up to that."""


@dataclass(frozen=True)
class NameTerm:
    """The names of both entities, and what their likeness adds to the score."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    similarity: float
    """That of their most similar names, 0 to 1."""
    weight: float
    contribution: float
    """The product."""


@dataclass(frozen=True)
class SharedSeed:
    """A seed pair that the labels of both entities contain."""

    left: str
    right: str
    of_left: float
    """Its weight in the label of the left entity, which has length one."""
    of_right: float
    product: float


@dataclass(frozen=True, eq=False)
class Hop:
    """The labels of both entities after some hops, compared."""

    number: int
    cosine: float
    """The sum of all products."""
    seeds: Sequence[SharedSeed]
    """Largest product first."""
    left_out: int
    """Facts, neighbours and relations that are too many to be followed."""


@dataclass(frozen=True)
class Difference:
    """A fact of the entity that two pairs have in common, and what it adds to the evidence of each."""

    fact: Fact
    here: float
    there: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """Another pair that stands against the one explained, with one of its entities in common."""

    explanation: Explanation
    differences: Sequence[Difference]
    """Facts of the common entity, those first in which the other pair has most more."""


@dataclass(frozen=True)
class Branch:
    """A term in the tree of terms, with the terms of its pair of neighbours below it."""

    number: int
    """Its place among the terms of its pair, from 0."""
    term: Term
    ending: Ending
    """Why nothing is below: a seed, a pair that stands on the way here, or one that was opened before."""
    below: tuple[Branch, ...] = ()
    hidden: int = 0
    """Terms of the pair of neighbours that are not below."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """What speaks for a pair of entities, adding up to its score; where it lost, also what it lost to."""

    left: str
    right: str
    status: Status
    probability: float | None
    """That they are the same; none for a pair that was not weighed."""
    no_match: float | None
    """The probability that the left entity has no match; none where it was not searched."""
    score: float | None
    """What the assignment went by: evidence score and cosine part; none for a pair that was not weighed."""
    evidence: float | None
    """E: what the terms add up to; none where sketches alone decided."""
    evidence_score: float | None
    """log(1 + 30·E) / 3."""
    cosine: float | None
    """The rest of the score: the weighted mean cosine of the two sketches."""
    terms: Sequence[Term]
    """The terms of E, largest first; none where sketches alone decided."""
    hops: tuple[Hop, ...]
    """Labels in common; only where sketches alone decided."""
    remarks: tuple[str, ...] = ()
    """Sentences on why it is no link, or what is to be known about it."""
    winner: Comparison | None = None
    """What the left entity is matched with instead."""
    rival: Comparison | None = None
    """What the right entity is matched with instead."""
    names: NameTerm | None = None
    """What their names add to the score; none where names were not compared, or the pair was not weighed."""
    key: tuple[int, int] = field(default=(-1, -1), repr=False)
    """The numbers of the two entities."""
    opener: Callable[[int], Explanation] | None = field(default=None, repr=False)

    def open(self, place: int) -> Explanation:
        """The explanation of the neighbours of the term at this place (from 0), by the same beliefs."""
        if not 0 <= place < len(self.terms) or self.opener is None:
            raise IndexError(f"there are {len(self.terms)} terms, and none at {place}")
        return self.opener(place)

    def tree(self, depth: int, n_terms: int) -> tuple[Branch, ...]:
        """The largest terms, each with those of its neighbours below it, `depth` levels in all.

        Seeds are leaves. A pair that stands on the way to itself, or was opened before, is not opened again.
        """
        return _Grower(n_terms).grow(self, depth, (self.key,))

    def _repr_html_(self) -> str:
        from lightea.notebook import explanation_html  # noqa: PLC0415  (shows these records)

        return explanation_html(self)

    def __str__(self) -> str:
        from lightea.wording import as_text  # noqa: PLC0415  (words are made of these records)

        return as_text(self)


class _Grower:
    """Grows one tree, and remembers what it has opened."""

    def __init__(self, n_terms: int) -> None:
        self._n_terms = n_terms
        self._opened: set[tuple[int, int]] = set()
        self._n_branches = 0

    def grow(self, of: Explanation, depth: int, path: tuple[tuple[int, int], ...]) -> tuple[Branch, ...]:
        self._opened.add(of.key)
        n_shown = min(self._n_terms, len(of.terms))
        self._n_branches += n_shown
        return tuple(self._branch(of, place, depth, path) for place in range(n_shown))

    def _branch(self, of: Explanation, place: int, depth: int, path: tuple[tuple[int, int], ...]) -> Branch:
        term = of.terms[place]
        if term.is_seed:
            return Branch(place, term, "seed")
        if depth <= 1:
            return Branch(place, term, "")
        below = of.open(place)
        if below.key in path:
            return Branch(place, term, "cycle")
        if below.key in self._opened:
            return Branch(place, term, "shown above")
        if self._n_branches >= _MOST_BRANCHES:
            return Branch(place, term, "too many")
        branches = self.grow(below, depth - 1, (*path, below.key))
        return Branch(place, term, "", branches, len(below.terms) - len(branches))
