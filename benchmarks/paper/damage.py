"""What goes wrong in real data, in measured doses: wrong seeds, missing facts, missing counterparts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.paper.datasets import Problem
from lightea.graph import Ids, KnowledgeGraph, Links, no_attributes


@dataclass(frozen=True)
class Damage:
    """A kind of damage, and how much of it."""

    kind: str
    share: float
    random_seed: int = 0


def damaged(problem: Problem, damage: Damage | None) -> Problem:
    """The problem after the damage, None for none."""
    if damage is None or damage.share == 0:
        return problem
    return KINDS[damage.kind](problem, damage.share, np.random.default_rng(damage.random_seed))


def with_noisy_seeds(problem: Problem, share: float, generator: np.random.Generator) -> Problem:
    """That share of the seeds is wrong: their right entities have changed places, each to another pair."""
    seeds = problem.seeds
    n_wrong = round(share * len(seeds))
    if n_wrong == 0:
        return problem
    wrong = generator.permutation(len(seeds))[: max(2, n_wrong)]
    right = seeds.right.to_numpy().copy()
    right[wrong] = right[np.roll(wrong, 1)]
    return replace(problem, seeds=Links(seeds.left, right.tolist()))


def with_missing_triples(problem: Problem, share: float, generator: np.random.Generator) -> Problem:
    """Each graph has lost that share of its facts, independently of the other."""
    left, right = (_thinned(graph, share, generator) for graph in (problem.left, problem.right))
    return replace(problem, left=left, right=right)


def with_unmatched(problem: Problem, share: float, generator: np.random.Generator) -> Problem:
    """That share of the searched entities, on each side, has no counterpart in the other graph.

    Of some test pairs the left entity is deleted with its facts, of as many others the right one; whoever is
    left over is searched. With T pairs, d deletions a side leave T − d searched entities and d of them alone:
    d / (T − d) = share.
    """
    n_pairs = len(problem.test)
    n_lost = round(n_pairs * share / (1 + share))
    order = generator.permutation(n_pairs)
    lost_left, lost_right, kept = np.split(order, [n_lost, 2 * n_lost])
    names = problem.test.left, problem.test.right
    left = without(problem.left, problem.left.find(names[0].gather(lost_left)))
    right = without(problem.right, problem.right.find(names[1].gather(lost_right)))
    searched = (
        left.find(names[0].gather(np.sort(np.concatenate([kept, lost_right])))),
        right.find(names[1].gather(np.sort(np.concatenate([kept, lost_left])))),
    )
    test = Links(names[0].gather(np.sort(kept)), names[1].gather(np.sort(kept)))
    return Problem(left, right, problem.seeds, test, searched)


def without(graph: KnowledgeGraph, entities: Ids) -> KnowledgeGraph:
    """The graph without these entities, their facts, and literals of any."""
    stays = np.ones(graph.n_entities, np.bool_)
    stays[entities] = False
    number = (np.cumsum(stays) - 1).astype(np.int32)
    kept = _with_facts(graph, stays[graph.heads] & stays[graph.tails])
    return replace(
        kept,
        entities=graph.entities.filter(stays),
        heads=number[kept.heads],
        tails=number[kept.tails],
    )


def _thinned(graph: KnowledgeGraph, share: float, generator: np.random.Generator) -> KnowledgeGraph:
    return _with_facts(graph, generator.random(graph.n_triples) >= share)


def _with_facts(graph: KnowledgeGraph, kept: NDArray[np.bool_]) -> KnowledgeGraph:
    return replace(
        graph,
        heads=graph.heads[kept],
        relation_ids=graph.relation_ids[kept],
        tails=graph.tails[kept],
        attributes=no_attributes(),
    )


KINDS: dict[str, Callable[[Problem, float, np.random.Generator], Problem]] = {
    "noisy seeds": with_noisy_seeds,
    "missing triples": with_missing_triples,
    "unmatched": with_unmatched,
}
