"""How likely an entity is to have a counterpart at all, judged by how much and what is said of it.

Where one graph knows more than the other, its little-known entities, and whole kinds of entities, are mostly
missing there. The seeds show it: if they are a random sample of the true links, then among entities of a kind

    share of seeds(kind) = α · P(counterpart | kind),     α = share of the true links that are seeds.

α is the same for every kind and for both sides, and no probability exceeds one: so the largest share seen,
less its uncertainty, is α.

A kind is made of entities that are about as much like seeds. `likeness` is the log-odds of being a seed by
logistic regression on the number of facts, and on the number of facts of each relation; half of the entities
are judged by what was learnt from the other half, since a fit flatters those that it was made of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lightea.adjacency import Adjacency
from lightea.fitting import fit_logistic, predictor
from lightea.graph import Ids

F64 = NDArray[np.float64]

_CAUTION = 5.0
"""Entities with the average share of seeds that are added to each kind, so that a few prove nothing."""
_STANDARD_ERRORS = 2.0
_LEAST = 0.02
_KINDS = 16
_LEAST_HEADS = 20
"""A relation that fewer entities have says nothing of kinds."""
_LEARNT_FROM = 200_000
"""Entities that a fit looks at; more of them say nothing new, and a fit passes over them a hundred times."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
"""An odd number that spreads the lower bits of a hash to the highest."""
_SHRINKAGE = 30.0
"""Penalty on the weights of relations, of which there are many; that on the two of size is one."""


@dataclass(frozen=True, eq=False)
class Matchability:
    """The chance of a counterpart for the searched entities of both sides, in their order."""

    left: F64
    right: F64


def likeness(edges: Adjacency, seeds: Ids) -> F64:
    """How much each entity of the joined graphs is like those in seeds: log-odds, by out-of-sample fits."""
    features = _features(edges)
    shrinkage = np.full(features.shape[1], _SHRINKAGE)
    shrinkage[:3] = 1.0
    is_seed = np.zeros(edges.n_entities, np.bool_)
    is_seed[seeds[:, 0]] = True
    is_seed[seeds[:, 1] + edges.n_left] = True
    is_left = np.arange(edges.n_entities) < edges.n_left
    hashes = _hashes(edges)
    is_first = hashes >> np.uint64(63) == 0
    odds = np.zeros(edges.n_entities)
    for side in (is_left, ~is_left):
        for half in (is_first, ~is_first):
            learnt_from = _at_most(_LEARNT_FROM, np.flatnonzero(side & half), hashes)
            judged = np.flatnonzero(side & ~half)
            weights = fit_logistic(features[learnt_from], is_seed[learnt_from], shrinkage=shrinkage)
            odds[judged] = predictor(features[judged], weights)
    return odds


def matchability(odds: F64, n_left: int, left: Ids, right: Ids, seeds: Ids) -> Matchability:
    """P(counterpart | kind) of the entities `left` and `right`, learnt from the seeds; `odds` is likeness."""
    sides = [(odds[:n_left], left, seeds[:, 0]), (odds[n_left:], right, seeds[:, 1])]
    kinds = [_kinds(*side) for side in sides]
    shares = [_seed_share(kind, ids, known) for kind, (_, ids, known) in zip(kinds, sides, strict=True)]
    alpha = max(lower.max(initial=0.0) for _, lower in shares)
    if alpha <= 0.0:
        return Matchability(np.ones(len(left)), np.ones(len(right)))
    chances = (np.clip(share / alpha, _LEAST, 1.0) for share, _ in shares)
    of_left, of_right = (
        chance[kind[ids]] for chance, kind, (_, ids, _) in zip(chances, kinds, sides, strict=True)
    )
    return Matchability(of_left, of_right)


def staying_alone(chance: F64, no_match: float, temperature: float) -> F64:
    """The score of having no partner: `no_match`, and more where the odds are against a counterpart."""
    return no_match + temperature * np.maximum(0.0, np.log((1.0 - chance + 1e-12) / chance))


def _features(edges: Adjacency) -> sparse.csr_array:
    """For each entity: one, log(1 + facts) and its square, log(1 + facts of r) for each common relation r."""
    n, facts = edges.n_entities, np.diff(edges.offsets)
    heads = np.repeat(np.arange(n, dtype=np.int32), facts)
    counts = sparse.csr_array((np.ones(len(heads)), (heads, edges.relations)), shape=(n, edges.n_relations))
    counts.sum_duplicates()
    common = np.flatnonzero(np.diff(edges.relation_offsets) >= _LEAST_HEADS)
    by_relation = counts[:, common]
    by_relation.data = np.log1p(by_relation.data)
    size = np.log1p(facts)
    return sparse.hstack([np.stack([np.ones(n), size, size**2], axis=1), by_relation], format="csr")


def _at_most(most: int, entities: NDArray[np.int64], hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """So many of the entities, those of the smallest hashes."""
    if len(entities) <= most:
        return entities
    return np.sort(entities[np.argsort(hashes[entities], kind="stable")[:most]])


def _hashes(edges: Adjacency) -> NDArray[np.uint64]:
    """A number for each entity that chooses as if by chance: a hash of its surroundings, three hops wide.

    Entity numbers must not choose: their order may mean something, and other names should change nothing.
    """
    keys = np.random.default_rng(0).integers(0, 2**64, edges.n_relations, np.uint64, endpoint=False)
    hashes = np.diff(edges.offsets).astype(np.uint64)
    for _ in range(3):
        of_edges = (hashes[edges.tails] + np.uint64(1)) * keys[edges.relations]
        total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(of_edges)])  # modulo 2⁶⁴, so in any order
        hashes = (total[edges.offsets[1:]] - total[edges.offsets[:-1]]) * _MIX
        hashes ^= hashes >> np.uint64(32)
    spread: NDArray[np.uint64] = hashes * _MIX
    return spread


def _kinds(odds: F64, searched: Ids, seeds: Ids) -> NDArray[np.int64]:
    """The kind of every entity of a side: those who take part are parted evenly by their likeness."""
    taking_part = np.union1d(searched, seeds)
    if len(taking_part) == 0:
        return np.zeros(len(odds), np.int64)
    return np.searchsorted(np.quantile(odds[taking_part], np.arange(1, _KINDS) / _KINDS), odds)


def _seed_share(kinds: NDArray[np.int64], searched: Ids, seeds: Ids) -> tuple[F64, F64]:
    """For each kind the share of seeds among its entities that take part, and a lower bound of it."""
    known = np.unique(seeds)
    n_seeds = np.bincount(kinds[known], minlength=_KINDS).astype(np.float64)
    n_all = np.bincount(kinds[np.union1d(searched, known)], minlength=_KINDS).astype(np.float64)
    average = n_seeds.sum() / max(n_all.sum(), 1.0)
    share = (n_seeds + _CAUTION * average) / (n_all + _CAUTION)
    error = np.sqrt(share * (1.0 - share) / (n_all + _CAUTION))
    return share, share - _STANDARD_ERRORS * error
