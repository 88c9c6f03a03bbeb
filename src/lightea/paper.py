"""LightEA as published: labels → propagation → sketch → candidates → assignment, and that in rounds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from lightea.adjacency import Adjacency
from lightea.assignment import Assignment, assign
from lightea.candidates import Proposals, find_candidates
from lightea.clock import Clock
from lightea.codes import Codes, joined
from lightea.confident import with_confident_pairs
from lightea.config import Config
from lightea.graph import Ids
from lightea.name_space import NameSpace
from lightea.proposing import is_called_for, propose_by_facts
from lightea.sketching import name_blocks, sketch_blocks

_AFFORDABLE = 2**44
"""Products of numbers that an exact search may cost: two to four minutes of two cores."""


def paper_rounds(
    edges: Adjacency,
    left: Ids,
    right: Ids,
    seeds: Ids,
    config: Config,
    threads: int,
    clock: Clock,
    names: NameSpace | None = None,
) -> Assignment:
    """Bi-directional iteration: what a round is sure of, the next one takes for labels; labels are new.

    `left` and `right` take part in the search; what is sketched is their surroundings in the whole graphs.
    Where facts propose candidates, an entity has as many as share facts with it, sometimes a single one that
    is wrong: so it may stay alone in the assignment, and need not take that one from another. Names
    are always compared all with all.
    """
    generator = np.random.default_rng(config.random_seed)
    assignment: Assignment | None = None
    products = len(left) * len(right) * config.label_width
    by_facts = names is None and is_called_for(config.search, products, _AFFORDABLE)
    for number in range(1, config.rounds + 1):
        clock.begin_round(number, config.rounds)
        pairs = seeds if assignment is None else with_confident_pairs(seeds, assignment, config.accept)
        assignment = None  # its memory is needed
        blocks = _blocks(edges, left, right, pairs, config, generator, clock, names)
        with clock.stage("candidates"):
            candidates = find_candidates(
                left,
                right,
                blocks,
                n_proposals=config.proposals,
                n_best=config.candidates,
                threads=threads,
                progress=clock.report_of("candidates"),
                propose=partial(_propose, edges, left, right, pairs, config, clock) if by_facts else None,
            )
        with clock.stage("assignment"):
            assignment = assign(
                candidates,
                temperature=config.temperature,
                iterations=config.sinkhorn_iterations,
                no_match=_noise(config) if by_facts else None,
            )
    assert assignment is not None  # noqa: S101  (there is at least one round)
    return assignment


def _noise(config: Config) -> float:
    """What cosines of sketches come to by chance: a pair that does not beat it twice says nothing."""
    return float(1.5 / np.sqrt(config.sketch_width))


def _propose(
    edges: Adjacency,
    left: Ids,
    right: Ids,
    pairs: Ids,
    config: Config,
    clock: Clock,
    left_codes: Codes,
    right_codes: Codes,
) -> Proposals:
    codes = (left_codes, right_codes)
    told = clock.report_of("candidates")
    return propose_by_facts(edges, left, right, pairs, codes, config.proposals, told)


def _blocks(
    edges: Adjacency,
    left: Ids,
    right: Ids,
    pairs: Ids,
    config: Config,
    generator: np.random.Generator,
    clock: Clock,
    names: NameSpace | None,
) -> Iterator[tuple[Codes, Codes]]:
    """What the entities are compared by: what is around them; with names, first of all their own ones.

    Names, what is around by name, and what is around by pairs stand side by side, so that all count the same.
    """
    by_pairs = sketch_blocks(edges, left, right, pairs, config, generator, clock)
    if names is None:
        yield from by_pairs
        return
    with clock.stage("names"):
        codes = names.labels(config.label_width)
    own = codes.rows(left), codes.rows(right + np.int32(edges.n_left))
    around = name_blocks(edges, left, right, codes, config, generator, clock)
    if len(pairs) == 0:
        yield from (_side_by_side(own, block) for block in around)
    else:
        yield from (_side_by_side(own, *blocks) for blocks in zip(around, by_pairs, strict=True))


def _side_by_side(*parts: tuple[Codes, Codes]) -> tuple[Codes, Codes]:
    left, right = (joined(side) for side in zip(*parts, strict=True))
    return left, right
