"""Which right entities are worth comparing with each left entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Candidates:
    """For every searched left entity the right entities found for it, with scores.

    Row i belongs to the entity `left[i]`; its candidates are the entities `right[columns[j]]` with
    `scores[j]` for j in `indptr[i]:indptr[i + 1]`, best first, equal scores in order of the entity number.
    `left` and `right` are sorted entity numbers. A row may be empty.
    """

    left: Ids
    right: Ids
    indptr: NDArray[np.int64]
    columns: Ids
    scores: NDArray[np.float32]
