"""LightEA as published: labels → propagation → sketch → candidates → assignment, and that in rounds."""

from __future__ import annotations

import numpy as np

from lightea.adjacency import Adjacency
from lightea.assignment import Assignment, assign
from lightea.candidates import find_candidates
from lightea.clock import Clock
from lightea.confident import with_confident_pairs
from lightea.config import Config
from lightea.graph import Ids
from lightea.sketching import sketch_blocks


def paper_rounds(
    edges: Adjacency, left: Ids, right: Ids, seeds: Ids, config: Config, threads: int, clock: Clock
) -> Assignment:
    """Bi-directional iteration: what a round is sure of, the next one takes for labels; labels are new.

    `left` and `right` take part in the search; what is sketched is their surroundings in the whole graphs.
    """
    generator = np.random.default_rng(config.random_seed)
    assignment: Assignment | None = None
    for number in range(1, config.rounds + 1):
        clock.begin_round(number, config.rounds)
        pairs = seeds if assignment is None else with_confident_pairs(seeds, assignment, config.accept)
        assignment = None  # its memory is needed
        blocks = sketch_blocks(edges, left, right, pairs, config, generator, clock)
        with clock.stage("candidates"):
            candidates = find_candidates(
                left,
                right,
                blocks,
                n_proposals=config.proposals,
                n_best=config.candidates,
                threads=threads,
                progress=clock.report_of("candidates"),
            )
        with clock.stage("assignment"):
            assignment = assign(
                candidates, temperature=config.temperature, iterations=config.sinkhorn_iterations
            )
    assert assignment is not None  # noqa: S101  (there is at least one round)
    return assignment
