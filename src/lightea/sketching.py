"""Pairs to start from → labels → propagation → codes of both sides, block by block."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lightea.adjacency import Adjacency
from lightea.clock import Clock
from lightea.codes import Codes
from lightea.config import Config
from lightea.graph import Ids
from lightea.labels import seed_labels
from lightea.propagation import edge_ends, gated_sketch, propagate


def sketch_blocks(
    edges: Adjacency,
    left: Ids,
    right: Ids,
    pairs: Ids,
    config: Config,
    generator: np.random.Generator,
    clock: Clock,
) -> Iterator[tuple[Codes, Codes]]:
    """The codes of the entities `left` and `right` by labels of the pairs, each block made when asked for."""
    with clock.stage("labels"):
        labels = seed_labels(pairs, edges.n_left, edges.n_entities, config.label_width, generator)
    with clock.stage("propagation"):
        ends = edge_ends(edges, propagate(edges, labels, config.hops), generator)
    rows = np.concatenate([left, right + np.int32(edges.n_left)])
    n_blocks = max(1, config.sketch_width // config.label_width)
    for number in range(n_blocks):
        with clock.stage("sketch", number, n_blocks):
            codes = gated_sketch(edges, ends, rows, generator)
        yield codes.rows(slice(0, len(left))), codes.rows(slice(len(left), None))
