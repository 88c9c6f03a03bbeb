"""The result of a run: links with probabilities, and everything needed to judge and to keep them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.assignment import Assignment
from lightea.config import Config
from lightea.evidence import Beliefs
from lightea.graph import Ids, KnowledgeGraph


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which left entity is which right entity, and how probable that is.

    `left_ids`, `right_ids` and `probability` are the predicted links, one-to-one, without the seeds,
    in order of the left entity number. `assignment` keeps every candidate pair that was weighed.
    """

    left: KnowledgeGraph
    right: KnowledgeGraph
    seeds: Ids
    """Pre-aligned pairs that were used, one row (left number, right number) each."""
    assignment: Assignment
    left_ids: Ids
    right_ids: Ids
    probability: NDArray[np.float32]
    config: Config
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time of each stage."""
    beliefs: Beliefs | None = None
    """What the last round of evidence went by; none where sketches alone decided."""

    def __len__(self) -> int:
        return len(self.left_ids)

    def above(self, probability: float) -> Alignment:
        """The same alignment with only the links of at least this probability."""
        kept = self.probability >= np.float32(probability)
        return dataclasses.replace(
            self,
            left_ids=self.left_ids[kept],
            right_ids=self.right_ids[kept],
            probability=self.probability[kept],
        )

    def to_polars(self) -> pl.DataFrame:
        """The links as a table: left name, right name, probability."""
        return pl.DataFrame(
            {
                "left": self.left.entities.gather(self.left_ids),
                "right": self.right.entities.gather(self.right_ids),
                "probability": self.probability,
            }
        )

    def write(self, directory: Path | str) -> Path:
        """Write the run directory, whole or not at all; see `lightea.writing`."""
        from lightea.writing import write_run  # noqa: PLC0415  (writing imports this module's types)

        return write_run(self, directory)
