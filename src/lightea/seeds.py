"""The pairs known to be the same, as `align` is given them: looked up, and complained about."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from lightea.config import Config
from lightea.errors import SeedError
from lightea.graph import Ids, KnowledgeGraph, Links, ResolvedLinks
from lightea.reading import read_links

logger = logging.getLogger(__name__)

_WAYS = 'give [("left name", "right name"), …], a table with two columns, or the path of a file'
Seeds = Links | pl.DataFrame | Sequence[tuple[str, str]] | Path | str | None
"""Pairs known to be the same, or the file that holds them."""


def known_pairs(
    seeds: Seeds,
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    config: Config,
    *,
    strict: bool,
    needed: bool = True,
) -> Ids:
    """The seeds as pairs of entity numbers, sorted; complains about those that do not fit.

    `needed` says that there is nothing else to start from.
    """
    links = _as_links(seeds)
    if len(links) == 0 and not needed:
        return np.empty((0, 2), np.int32)
    if len(links) == 0:
        raise SeedError(
            f"preset {config.preset!r} starts from pairs known to be the same, and none were given",
            hint="give a file with two columns, left and right entity: --seeds FILE, or seeds=... in Python; "
            "names of entities on both sides will do, too: --names-file FILE, and the preset auto or literal",
        )
    found = links.resolve(left, right)
    if found.n_unknown:
        names = ", ".join(repr(name) for name in found.first_unknown)
        _complain(
            f"{found.n_unknown:,} of {len(links):,} seeds name entities unknown to their graph: {names}",
            _remedy(links, left, right, found),
            refuse=strict or len(found.pairs) == 0,
        )
    if found.n_conflicting:
        _complain(
            f"entities that stand in more than one seed: {found.n_conflicting:,}, for example "
            + repr(_conflicting_name(found.conflicting_left, left, found.conflicting_right, right)),
            "remove the wrong ones, or go without --strict (strict=False in Python), and all are used"
            if strict
            else "all their seeds are used; remove the wrong ones for better results",
            refuse=strict,
        )
    return sorted_pairs(found.pairs)


def _remedy(links: Links, left: KnowledgeGraph, right: KnowledgeGraph, found: ResolvedLinks) -> str:
    """What to do about unknown names; perhaps the columns only stand the wrong way round."""
    if 2 * found.n_unknown > len(links):
        swapped = Links(links.right, links.left).resolve(left, right)
        if 2 * swapped.n_unknown < len(links):
            return (
                "the columns seem to be swapped: the other way round, "
                f"{swapped.n_unknown:,} would be unknown; the name from the left graph comes first"
            )
    return "left names must be entities of the left graph, right names of the right one, letter for letter"


def _as_links(seeds: Seeds) -> Links:
    if seeds is None:
        return Links([], [])
    if isinstance(seeds, Links):
        return seeds
    if isinstance(seeds, pl.DataFrame):
        if seeds.width < 2:
            raise SeedError(f"a table of seeds needs two columns, left and right; it has {seeds.width}")
        return Links(seeds[:, 0], seeds[:, 1])
    if isinstance(seeds, (Path, str)):
        return read_links(seeds)
    return _links_of_pairs(seeds)


def _links_of_pairs(seeds: object) -> Links:
    """Pairs of names that were given one by one."""
    if not isinstance(seeds, Iterable):
        raise SeedError(f"the seeds are {seeds!r}, which are no pairs of names", hint=_WAYS)
    pairs = [_pair(number, pair) for number, pair in enumerate(seeds, start=1)]
    return Links([left for left, _ in pairs], [right for _, right in pairs])


def _pair(number: int, given: object) -> tuple[str, str]:
    names = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else ()
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise SeedError(f"seed {number} is {given!r}, but must be a pair of names", hint=_WAYS)
    return names[0], names[1]


def _complain(problem: str, remedy: str, *, refuse: bool) -> None:
    if refuse:
        raise SeedError(problem, hint=remedy)
    logger.warning("%s (%s)", problem, remedy)


def _conflicting_name(left_ids: Ids, left: KnowledgeGraph, right_ids: Ids, right: KnowledgeGraph) -> str:
    name: str = left.entities[int(left_ids[0])] if len(left_ids) else right.entities[int(right_ids[0])]
    return name


def sorted_pairs(pairs: Ids) -> Ids:
    """Pairs in order of the left, then of the right number."""
    return np.ascontiguousarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])
