"""Right entities worth comparing with each left entity, where comparing all with all would take hours.

Two entities that are the same share facts about entities that are the same. So, pass by pass:

    matches    ← the seeds, and from the second pass on the probable pairs of the pass before
    candidates ← the right entities that share the strongest evidence by these matches (see `evidence.py`)
    score      ← evidence score + cosine of the sketches

What is found costs about (facts · a few) instead of (left · right · width), and as evidence is free of the
noise of narrow labels, true partners are missed less often than by the nearest in few dimensions. Passes go
on while they reach more entities. Everything is computed row by row in a fixed order, so the proposals are
the same at any number of threads.

Neighbouring buckets of sketches (inverted files) were measured, too: codes of few dimensions hardly form
clusters, and a sixteenth of the work found a half of the nearest.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lightea.adjacency import Adjacency
from lightea.assignment import Matches, assign, believed
from lightea.candidates import Candidates, add_cosines, best_candidates, in_order
from lightea.codes import Codes
from lightea.evidence import Evidence, edge_weights, evidence_score, gather_evidence
from lightea.graph import Ids
from lightea.relations import relation_agreement

_STILL_REACHING = 1.05
"""Passes go on while each reaches this many times the entities of the one before."""
_LEAST_PASSES = 2
_WEIGHED = 10
"""Candidates of an entity that the assignment between two passes looks at."""
_TEMPERATURE, _ALONE, _ITERATIONS = 0.1, 0.2, 10
"""Of that assignment, by scores that are not calibrated: it only has to say where to look next."""
_LEAST_BELIEF, _MOST_PARTNERS = 0.05, 5

Progress = Callable[[int, int], None]


def is_called_for(search: str, products: int, affordable: int) -> bool:
    """Whether facts propose: where that is asked for, or where all with all multiplies too many numbers."""
    return products > affordable if search == "auto" else search == "facts"


def propose_by_facts(
    edges: Adjacency,
    left: Ids,
    right: Ids,
    seeds: Ids,
    codes: tuple[Codes, Codes],
    n_best: int,
    progress: Progress | None = None,
    *,
    most_passes: int = 5,
) -> tuple[NDArray[np.int64], Ids]:
    """At most `n_best` right entities for each left entity, best first, as CSR (indptr, places in `right`).

    `codes` are sketches of the entities `left` and `right`. An entity whose surroundings nobody is known of
    gets no proposal.
    """
    weights = edge_weights(edges)
    column = np.full(edges.n_right, -1, np.int32)
    column[right] = np.arange(len(right), dtype=np.int32)
    matches = believed(seeds, None, edges.n_left, edges.n_right)
    found = Candidates(
        left, right, np.zeros(len(left) + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
    )
    n_reached = 0
    for number in range(most_passes):
        evidence = gather_evidence(
            edges,
            weights,
            matches,
            relation_agreement(edges, matches),
            left,
            (found.indptr, right[found.columns]),
            column >= 0,
            n_new=n_best,
        )
        found = best_candidates(_scored(evidence, column, left, right, codes), n_best)
        if progress is not None:
            progress(number + 1, most_passes)
        n_before, n_reached = n_reached, int(np.count_nonzero(np.diff(found.indptr)))
        if number + 1 >= _LEAST_PASSES and n_reached < _STILL_REACHING * n_before:
            break
        matches = _probable(edges, seeds, found)
    return found.indptr, found.columns


def _scored(evidence: Evidence, column: Ids, left: Ids, right: Ids, codes: tuple[Codes, Codes]) -> Candidates:
    """The pairs that evidence speaks for, by evidence and sketches."""
    columns = column[evidence.ids]
    scores = evidence_score(evidence.values)
    add_cosines(evidence.indptr, columns, *codes, scores)
    return in_order(left, right, evidence.indptr, columns, scores)


def _probable(edges: Adjacency, seeds: Ids, found: Candidates) -> Matches:
    assignment = assign(
        best_candidates(found, _WEIGHED), temperature=_TEMPERATURE, iterations=_ITERATIONS, no_match=_ALONE
    )
    return believed(
        seeds, assignment, edges.n_left, edges.n_right, n_best=_MOST_PARTNERS, least=_LEAST_BELIEF
    )
