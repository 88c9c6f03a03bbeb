"""The result of a run: links with probabilities, and everything needed to judge and to keep them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.assignment import Assignment
from lightea.calibration import Calibration
from lightea.config import Config
from lightea.evidence import Beliefs
from lightea.graph import Ids, KnowledgeGraph
from lightea.names import NamesUsed
from lightea.quality import Quality, expected_quality

if TYPE_CHECKING:
    from lightea.exchange import Publication
    from lightea.explainer import Explainer
    from lightea.explanation import Explanation


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which left entity is which right entity, and how probable that is.

    `left_ids`, `right_ids` and `probability` are the predicted links without the seeds, in order of the left
    entity number; one-to-one, unless the settings allow several partners. `assignment` keeps every candidate
    pair that was weighed.
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
    stage_peak_mb: dict[str, float] = field(default_factory=dict)
    """The most memory that the process had held by the end of each stage, where somebody counts it."""
    beliefs: Beliefs | None = None
    """What the last round of evidence went by; none where sketches alone decided."""
    names: NamesUsed | None = None
    """The names that were compared; none where none were."""
    calibration: Calibration | None = None
    """How probabilities were fitted; none where they are those of the assignment, as too few seeds were
    given or as in the presets of the paper."""

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

    @property
    def quality(self) -> Quality | None:
        """Precision and recall to be expected of the links.

        None where nothing could be calibrated, or where nobody knows how many partners there are to find.
        """
        if self.calibration is None or self.config.cardinality != "one-to-one":
            return None
        lowest = float(self.probability.min()) if len(self) else 1.0
        threshold = max(lowest, self.config.threshold or 0.0)
        return expected_quality(self.probability, threshold, self.calibration.expected_links)

    @property
    def no_match(self) -> pl.DataFrame:
        """Every searched left entity without a link, in order: left name, probability of having no match."""
        candidates = self.assignment.candidates
        alone = np.flatnonzero(~np.isin(candidates.left, self.left_ids))
        return pl.DataFrame(
            {
                "left": self.left.entities.gather(candidates.left[alone]),
                "probability": self.assignment.no_match[alone],
            }
        )

    def explain(self, left: str, right: str | None = None) -> Explanation:
        """What speaks for a pair of entities, and what it lost to if it is no link; `print` shows it.

        Without `right`, an entity of either graph is compared with its match or its best candidate.
        """
        return self._explainer.explain(left, right)

    @cached_property
    def _explainer(self) -> Explainer:
        from lightea.explainer import Explainer  # noqa: PLC0415  (explains this module's type)

        return Explainer(self)

    def _repr_html_(self) -> str:
        from lightea.notebook import alignment_html  # noqa: PLC0415  (shows this module's type)

        return alignment_html(self)

    def __repr__(self) -> str:
        n_alone = int(np.count_nonzero(~np.isin(self.assignment.candidates.left, self.left_ids)))
        return (
            f"Alignment({self.left.name!r} with {self.right.name!r}: {len(self):,} links, "
            f"{n_alone:,} searched entities without, "
            f"{len(self.seeds):,} seeds)"
        )

    def write(
        self, directory: Path | str, *, also: Sequence[str] = (), publication: Publication | None = None
    ) -> Path:
        """Write the run directory, whole or not at all; see `lightea.writing`.

        `also` names more formats for the links than TSV, SSSOM and N-Triples: `oaei`, `turtle`, `parquet`.
        """
        from lightea.writing import write_run  # noqa: PLC0415  (writing imports this module's types)

        return write_run(self, directory, also=also, publication=publication)
