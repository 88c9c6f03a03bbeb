"""Pairs to start from → labels → propagation → codes of both sides, block by block."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lightea.adjacency import Adjacency
from lightea.clock import Clock
from lightea.codes import Codes
from lightea.config import Config
from lightea.graph import Ids
from lightea.labels import Labels, seed_labels
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
    yield from _blocks(edges, left, right, labels, config, generator, clock)


def name_blocks(
    edges: Adjacency,
    left: Ids,
    right: Ids,
    names: Codes,
    config: Config,
    generator: np.random.Generator,
    clock: Clock,
) -> Iterator[tuple[Codes, Codes]]:
    """The same with the entities' names for labels: what is around an entity, by name.

    An entity's own name is no part of it.
    """
    place = np.where(names.inverse_norms > 0, np.arange(len(names.values)), -1).astype(np.int32)
    yield from _blocks(edges, left, right, Labels(names.values, place), config, generator, clock)


def _blocks(
    edges: Adjacency,
    left: Ids,
    right: Ids,
    labels: Labels,
    config: Config,
    generator: np.random.Generator,
    clock: Clock,
) -> Iterator[tuple[Codes, Codes]]:
    with clock.stage("propagation"):
        ends = edge_ends(edges, propagate(edges, labels, config.hops), generator)
    rows = np.concatenate([left, right + np.int32(edges.n_left)])
    n_blocks = max(1, config.sketch_width // config.label_width)
    for number in range(n_blocks):
        with clock.stage("sketch", number, n_blocks):
            codes = gated_sketch(edges, ends, rows, generator)
        yield codes.rows(slice(0, len(left))), codes.rows(slice(len(left), None))
