"""What new facts touch, and so may be decided anew; everything else stays as it was decided.

    An entity is opened if a new fact names it, or if it is linked to one that is opened;
    an entity without a link also if a neighbour is believed to be one that a new fact names.

The evidence of a pair is made of the facts of its two entities and of what is believed of their neighbours.
So the first rule opens every link whose own facts have changed, and the second every entity that may have a
counterpart among what is new. After the open ones were decided, what changed is what touches: the links
around a link that is gone, and the entities without a link around one that is new, are opened in turn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.assignment import Matches
from lightea.graph import Ids

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Opened:
    """Who is open: left entities to be searched, and right entities that may be an answer."""

    left: Mask
    right: Mask


def opened_by(
    touched: tuple[Mask, Mask], edges: Adjacency, links: Ids, seeds: Ids, matches: Matches
) -> Opened:
    """Who is opened where these left and right entities are touched; seeds never are."""
    touched_left, touched_right = touched
    left = touched_left | _next_to_counterparts(edges, touched_right, matches)
    is_open = touched_left[links[:, 0]] | touched_right[links[:, 1]]
    return _with_links(left, is_open, links, seeds, edges)


def opened_further(before: Opened, gone: Ids, found: Ids, edges: Adjacency, links: Ids, seeds: Ids) -> Opened:
    """Who is open once pairs are linked no more, and others newly are."""
    lost, won = _mask(gone, edges), _mask(found, edges)
    near_lost, near_won = _neighbours(edges, lost), _neighbours(edges, won)
    both = near_lost[: edges.n_left], near_lost[edges.n_left :]
    is_open = both[0][links[:, 0]] & both[1][links[:, 1]]
    is_open |= before.left[links[:, 0]]
    left = before.left | near_won[: edges.n_left] | lost[: edges.n_left]
    return _with_links(left, is_open, links, seeds, edges)


def _with_links(left: Mask, is_open: Mask, links: Ids, seeds: Ids, edges: Adjacency) -> Opened:
    """Who is open, where of the linked ones only those in open links are."""
    open_left, open_right = left.copy(), np.ones(edges.n_right, np.bool_)
    open_left[links[:, 0]] = False
    open_right[links[:, 1]] = False
    open_left[links[is_open, 0]] = True
    open_right[links[is_open, 1]] = True
    open_left[seeds[:, 0]] = False
    open_right[seeds[:, 1]] = False
    return Opened(open_left, open_right)


def _next_to_counterparts(edges: Adjacency, touched_right: Mask, matches: Matches) -> Mask:
    """The left entities with a neighbour that is believed to be a touched right entity."""
    counterparts = np.zeros(edges.n_entities, np.bool_)
    counterparts[matches.left[touched_right[matches.right]]] = True
    near: Mask = _neighbours(edges, counterparts)[: edges.n_left]
    return near


def _neighbours(edges: Adjacency, entities: Mask) -> Mask:
    """Who has a fact with one of these; entities are numbered as in the edges."""
    heads = np.repeat(np.arange(edges.n_entities), np.diff(edges.offsets))
    near = np.zeros(edges.n_entities, np.bool_)
    near[heads[entities[edges.tails]]] = True
    return near


def _mask(pairs: Ids, edges: Adjacency) -> Mask:
    """The entities of pairs, numbered as in the edges."""
    mask = np.zeros(edges.n_entities, np.bool_)
    mask[pairs[:, 0]] = True
    mask[pairs[:, 1] + edges.n_left] = True
    return mask
