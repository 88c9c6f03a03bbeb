"""Alignments made by hand, for tests of what happens to a finished one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from lightea.alignment import Alignment
from lightea.assignment import Assignment
from lightea.candidates import Candidates
from lightea.config import Config
from lightea.graph import KnowledgeGraph, Links

Row = list[tuple[int, float, float]]
"""Candidates of one left entity: right entity, probability, score."""


def graph(prefix: str, n: int) -> KnowledgeGraph:
    """A graph of n entities, named prefix and number, without facts."""
    empty = np.empty(0, np.int32)
    return KnowledgeGraph(
        pl.Series([f"{prefix}{number:03}" for number in range(n)], dtype=pl.String),
        pl.Series([], dtype=pl.String),
        empty,
        empty,
        empty,
    )


def assigned(candidates: Candidates, probabilities: np.ndarray) -> Assignment:
    """These probabilities as an assignment; what they leave of one in a row is that of no match."""
    chances = np.asarray(probabilities, np.float32)
    taken = np.bincount(candidates.rows, chances, len(candidates.left))
    alone = np.maximum(1.0 - taken, 0.0).astype(np.float32)
    potentials = np.zeros(len(candidates.left)), np.zeros(len(candidates.right))
    return Assignment(candidates, chances, alone, potentials, 1, 0.0, True)


def alignment(
    rows: dict[int, Row],
    links: Sequence[tuple[int, int]] = (),
    *,
    n: int = 30,
    answers: Sequence[int] | None = None,
    left: KnowledgeGraph | None = None,
    right: KnowledgeGraph | None = None,
) -> Alignment:
    """An alignment with these candidates and predicted links. `answers`: who may answer."""
    searched = sorted(rows)
    cells = [(entity, *cell) for entity in searched for cell in rows[entity]]
    columns = sorted({column for _, column, _, _ in cells}) if answers is None else answers
    chances = {(entity, column): chance for entity, column, chance, _ in cells}
    candidates = Candidates(
        left=np.array(searched, np.int32),
        right=np.array(columns, np.int32),
        indptr=np.concatenate(([0], np.cumsum([len(rows[entity]) for entity in searched]))).astype(np.int64),
        columns=np.searchsorted(columns, [column for _, column, _, _ in cells]).astype(np.int32),
        scores=np.array([score for *_, score in cells], np.float32),
    )
    probabilities = np.array([chance for _, _, chance, _ in cells], np.float32)
    pairs = np.array(links, np.int32).reshape(-1, 2)
    return Alignment(
        left=left or graph("l", n),
        right=right or graph("r", n),
        seeds=np.empty((0, 2), np.int32),
        assignment=assigned(candidates, probabilities),
        left_ids=pairs[:, 0],
        right_ids=pairs[:, 1],
        probability=np.array([chances.get(link, 1.0) for link in links], np.float32),
        config=Config(threshold=0.5),
    )


def named(*pairs: tuple[str, str]) -> Links:
    """Links of these names."""
    return Links(
        pl.Series([left for left, _ in pairs], dtype=pl.String),
        pl.Series([right for _, right in pairs], dtype=pl.String),
    )
