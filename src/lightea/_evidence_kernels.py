"""Compiled loops of evidence and relation agreement; the rules and the twins are those of `_kernels.py`.

Both graphs are one set of doubled edges (see `adjacency.py`): right entity j is `n_left + j`, and the inverse
of relation r is r ± n_forward. Edges of an entity are in order of (relation, tail).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lightea._kernels import F32, F64, I32, I64, _parallel, _serial, prange

Edges = tuple[I64, I32, I32]
"""Offsets by head, relations, tails."""
Matches = tuple[I64, I32, F32]
"""Offsets by left entity, right entities, probabilities."""
Agreement = tuple[I64, I32, F32]
"""Offsets by left relation, right relations, agreements."""


@_serial
def _inverse(relation: int, n_forward: int) -> int:
    return relation + n_forward if relation < n_forward else relation - n_forward


@_serial
def _first_at_least(values: I32, low: int, high: int, wanted: int) -> int:
    """The first place in the sorted stretch whose value is not below the wanted one, or its end."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@_serial
def _has_edge(offsets: I64, relations: I32, tails: I32, head: int, relation: int, tail: int) -> bool:
    low = _first_at_least(relations, offsets[head], offsets[head + 1], relation)
    high = _first_at_least(relations, low, offsets[head + 1], relation + 1)
    place = _first_at_least(tails, low, high, tail)
    return place < high and tails[place] == tail


@_parallel
def heads_sharing(offsets: I64, relations: I32, tails: I32, n_forward: int, out: I32) -> None:
    """For each edge (h, r, t) the number of heads that have r and t in common with h, itself included."""
    for h in prange(len(offsets) - 1):
        for j in range(offsets[h], offsets[h + 1]):
            t, back = tails[j], _inverse(relations[j], n_forward)
            low = _first_at_least(relations, offsets[t], offsets[t + 1], back)
            out[j] = _first_at_least(relations, low, offsets[t + 1], back + 1) - low


@_parallel
def push_evidence(
    rows: I32,
    n_left: int,
    n_forward: int,
    edges: Edges,
    weights: F32,
    matches: Matches,
    agreement: Agreement,
    known_offsets: I64,
    known: I32,
    allowed: NDArray[np.bool_],
    hub: int,
    n_new: int,
    out_counts: I64,
    out_ids: I32,
    out_evidence: F32,
) -> None:
    """E(h, h') of each row h with its known candidates and with the `n_new` best others that it reaches.

    E(h, h') = Σ over (h, r, t), (h', r', t') of P(t, t') · ρ(r, r') · w(r, t) · w(r', t'), pushed from h over
    its edges to t, to the matches t' of t, and back over their edges to h'. Where more than `hub` entities
    share (r', t') they are not visited: this would cost the square of the hub's degree and say little. Such
    a pair of edges is added afterwards, to candidates that are there already.

    Known candidates must be allowed. Row i writes to its own stretch of the output, which starts at
    `known_offsets[i] + i · n_new`: the known candidates in their order, then the others, the strongest
    first, smaller numbers first among equals.
    """
    n_right = len(edges[0]) - 1 - n_left
    step = max(256, len(rows) // 64)
    for part in prange((len(rows) + step - 1) // step):
        evidence = np.zeros(n_right, np.float32)
        is_seen = np.zeros(n_right, np.bool_)
        seen = np.empty(n_right, np.int32)
        for i in range(part * step, min((part + 1) * step, len(rows))):
            n_known = known_offsets[i + 1] - known_offsets[i]
            for k in range(n_known):
                seen[k] = known[known_offsets[i] + k]
                is_seen[seen[k]] = True
            h, sizes = rows[i], (n_left, n_forward, hub)
            n_seen, met_hub = n_known, True
            for at_hubs in (False, True):  # hubs come last, when it is known who is a candidate
                if met_hub:
                    n_seen, met_hub = _reach(
                        h,
                        sizes,
                        edges,
                        weights,
                        matches,
                        agreement,
                        allowed,
                        at_hubs,
                        evidence,
                        is_seen,
                        seen,
                        n_seen,
                    )
            start = known_offsets[i] + i * n_new
            for k in range(n_known):
                out_ids[start + k] = seen[k]
                out_evidence[start + k] = evidence[seen[k]]
            new = _strongest_first(evidence, seen[n_known:n_seen])
            n_kept = min(n_new, len(new))
            for k in range(n_kept):
                out_ids[start + n_known + k] = new[k]
                out_evidence[start + n_known + k] = evidence[new[k]]
            out_counts[i] = n_known + n_kept
            for k in range(n_seen):
                evidence[seen[k]] = np.float32(0.0)
                is_seen[seen[k]] = False


@_serial
def _reach(
    h: int,
    sizes: tuple[int, int, int],
    edges: Edges,
    weights: F32,
    matches: Matches,
    agreement: Agreement,
    allowed: NDArray[np.bool_],
    at_hubs: bool,
    evidence: F32,
    is_seen: NDArray[np.bool_],
    seen: I32,
    n_seen: int,
) -> tuple[int, bool]:
    """Add the terms of h at hubs, or all others; returns how many are seen, and if there are hubs."""
    n_left, n_forward, hub = sizes
    offsets, relations, tails = edges
    match_offsets, matched, probabilities = matches
    agreement_offsets, agreeing, agreements = agreement
    met_hub = False
    for j in range(offsets[h], offsets[h + 1]):
        first, last = agreement_offsets[relations[j]], agreement_offsets[relations[j] + 1]
        for m in range(match_offsets[tails[j]], match_offsets[tails[j] + 1]):
            other = n_left + matched[m]
            low, end = offsets[other], offsets[other + 1]
            while low < end:
                high = _first_at_least(relations, low, end, relations[low] + 1)
                towards = _inverse(relations[low], n_forward)
                place = _first_at_least(agreeing, first, last, towards)
                if place < last and agreeing[place] == towards:
                    # all edges of this stretch share (r', t'), so w(r', t') is their number to the power -1/4
                    term = probabilities[m] * agreements[place] * weights[j]
                    term *= np.float32(high - low) ** np.float32(-0.25)
                    is_hub = high - low > hub
                    met_hub = met_hub or is_hub
                    if is_hub and at_hubs:
                        for k in range(n_seen):
                            if _has_edge(offsets, relations, tails, n_left + seen[k], towards, other):
                                evidence[seen[k]] += term
                    elif not (is_hub or at_hubs):
                        for e in range(low, high):
                            head = tails[e] - n_left
                            if allowed[head]:
                                evidence[head] += term
                                if not is_seen[head]:
                                    is_seen[head] = True
                                    seen[n_seen] = head
                                    n_seen += 1
                low = high
    return n_seen, met_hub


@_serial
def _strongest_first(evidence: F32, ids: I32) -> I32:
    """The ids in order of their evidence, smaller numbers first among equals."""
    keys = np.empty(len(ids), np.int64)
    for k in range(len(ids)):
        # evidence is not negative, so its bits are ordered like itself
        bits = evidence[ids[k] : ids[k] + 1].view(np.int32)[0]
        keys[k] = (np.int64(bits) << 32) + (0xFFFFFFFF - ids[k])
    keys.sort()
    ordered = np.empty(len(ids), np.int32)
    for k in range(len(ids)):
        ordered[k] = 0xFFFFFFFF - (keys[len(ids) - 1 - k] & 0xFFFFFFFF)
    return ordered


@_serial
def agreeing_edges(
    n_left: int,
    n_forward: int,
    offsets: I64,
    relations: I32,
    tails: I32,
    partner: I32,
    probability: F32,
    out_left: I32,
    out_right: I32,
    out_weight: F64,
) -> int:
    """Pairs (r, r') of relations that lead between the same matched entities, with P(h, h') · P(t, t').

    For each fact (h, r, t) of the left graph whose ends have partners h' and t', every right relation from h'
    to t' is one pair. `partner` is -1 where an entity has none. Returns how many pairs there are; only as
    many are written as the output holds, so that a first call can count.
    """
    n_pairs = 0
    for h in range(n_left):
        if partner[h] < 0:
            continue
        for j in range(offsets[h], offsets[h + 1]):
            t = tails[j]
            if relations[j] >= n_forward or partner[t] < 0:
                continue
            head, tail = n_left + partner[h], n_left + partner[t]
            from_head = offsets[head + 1] - offsets[head] <= offsets[tail + 1] - offsets[tail]
            near, far = (head, tail) if from_head else (tail, head)
            for e in range(offsets[near], offsets[near + 1]):
                if tails[e] == far:
                    if n_pairs < len(out_left):
                        out_left[n_pairs] = relations[j]
                        out_right[n_pairs] = relations[e] if from_head else _inverse(relations[e], n_forward)
                        out_weight[n_pairs] = probability[h] * probability[t]
                    n_pairs += 1
    return n_pairs


@_serial
def matched_mass(offsets: I64, relations: I32, tails: I32, probability: F32, out: F64) -> None:
    """N(r) = Σ over edges (h, r, t) of P(h) · P(t), with P zero for the unmatched."""
    for h in range(len(offsets) - 1):
        if probability[h] > 0.0:
            for j in range(offsets[h], offsets[h + 1]):
                out[relations[j]] += probability[h] * probability[tails[j]]
