"""The loops of `_evidence_kernels.py` in plain Python: same names, same arguments, to compare them with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Edges = tuple[I64, I32, I32]
Csr = tuple[I64, I32, F32]


def _edges_of(offsets: I64, relations: I32, tails: I32, head: int) -> list[tuple[int, int]]:
    stretch = slice(offsets[head], offsets[head + 1])
    return list(zip(relations[stretch].tolist(), tails[stretch].tolist(), strict=True))


def heads_sharing(offsets: I64, relations: I32, tails: I32, n_forward: int, out: I32) -> None:
    """For each edge (h, r, t) the number of heads that have r and t in common with h, itself included."""
    del offsets, n_forward  # with them the compiled loop finds the heads over the inverse edges
    pairs = list(zip(relations.tolist(), tails.tolist(), strict=True))
    out[:] = [pairs.count(pair) for pair in pairs]


def push_evidence(
    rows: I32,
    n_left: int,
    n_forward: int,
    edges: Edges,
    weights: F32,
    matches: Csr,
    agreement: Csr,
    known_offsets: I64,
    known: I32,
    allowed: NDArray[np.bool_],
    hub: int,
    n_new: int,
    out_counts: I64,
    out_ids: I32,
    out_evidence: F32,
) -> None:
    """E(h, h') = Σ over (h, r, t), (h', r', t') of P(t, t') · ρ(r, r') · w(r, t) · w(r', t')."""
    del n_forward  # the compiled loop walks inverse edges
    offsets, relations, tails = edges
    n_right = len(offsets) - 1 - n_left
    believed, agreeing = _as_dict(matches), _as_dict(agreement)
    pairs = list(zip(relations.tolist(), tails.tolist(), strict=True))
    for i, h in enumerate(rows.tolist()):
        evidence, reached = np.zeros(n_right), np.zeros(n_right, bool)
        for other in range(n_right):
            for j in range(offsets[h], offsets[h + 1]):
                for e in range(offsets[n_left + other], offsets[n_left + other + 1]):
                    probability = believed.get((int(tails[j]), int(tails[e]) - n_left), 0.0)
                    rho = agreeing.get((int(relations[j]), int(relations[e])))
                    if probability and rho is not None:
                        evidence[other] += probability * rho * weights[j] * weights[e]
                        reached[other] |= pairs.count(pairs[e]) <= hub
        own = known[known_offsets[i] : known_offsets[i + 1]].tolist()
        new = [other for other in np.flatnonzero(reached & allowed).tolist() if other not in own]
        best = [*own, *sorted(new, key=lambda other: (-np.float32(evidence[other]), other))[:n_new]]
        start = known_offsets[i] + i * n_new
        out_counts[i] = len(best)
        out_ids[start : start + len(best)] = best
        out_evidence[start : start + len(best)] = evidence[best]


def _as_dict(csr: Csr) -> dict[tuple[int, int], float]:
    offsets, ids, values = csr
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)).tolist()
    return dict(zip(zip(rows, ids.tolist(), strict=True), values.tolist(), strict=True))


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
    """Pairs (r, r') of relations that lead between the same matched entities, with P(h, h') · P(t, t')."""
    found = []
    for h in range(n_left):
        for r, t in _edges_of(offsets, relations, tails, h):
            if r < n_forward and partner[h] >= 0 and partner[t] >= 0:
                for r2, t2 in _edges_of(offsets, relations, tails, n_left + partner[h]):
                    if t2 == n_left + partner[t]:
                        found.append((r, r2, float(probability[h]) * float(probability[t])))
    kept = found[: len(out_left)]
    for place, (r, r2, weight) in enumerate(kept):
        out_left[place], out_right[place], out_weight[place] = r, r2, weight
    return len(found)


def matched_mass(offsets: I64, relations: I32, tails: I32, probability: F32, out: F64) -> None:
    """N(r) = Σ over edges (h, r, t) of P(h) · P(t), with P zero for the unmatched."""
    for h in range(len(offsets) - 1):
        for r, t in _edges_of(offsets, relations, tails, h):
            out[r] += float(probability[h]) * float(probability[t])
