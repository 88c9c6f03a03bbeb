"""Alignments to report on: with names that attack the page, and of any size, straight from arrays."""

from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl

from explained import KNOWN, LEFT, RIGHT, by_evidence, by_sketch
from lightea.alignment import Alignment
from lightea.assignment import Assignment
from lightea.calibration import Calibration
from lightea.candidates import Candidates
from lightea.config import Config
from lightea.graph import KnowledgeGraph, Links
from lightea.quality import ReliabilityBin
from lightea.seeds import sorted_pairs
from small_graphs import named_graph

MANIFEST = {
    "lightea": "0.0.0",
    "finished": "2031-02-03T04:05:06+00:00",
    "files": [],
    "config": {"preset": "auto"},
    "inputs": {"left": {"path": "<script>window.hacked = 1</script>", "bytes": 12, "sha256": "ab"}},
    "assignment": {"iterations": 60, "converged": True},
    "seconds": {"evidence": 1.5, "calibration": 0.25},
    "stage_peak_mb": {"evidence": 120.0, "calibration": 150.0},
    "peak_rss_mb": 151.0,
    "versions": {"python": "3"},
}

HOSTILE = {
    "Marie_Curie": "<script>window.hacked = 1</script>",
    "Pierre_Curie": "</script><script>window.hacked = 1</script><!--",
    "Irène_Curie": "\"'><img src=x onerror='window.hacked = 1'>&amp;{{data}}",
    "Frédéric_Joliot": "http://x.org/\u202egnp.exe\u2028\u2029\x00\x1b[2J",
    "Warsaw": "W" * 10_000,
    "Physics": "javascript:window.hacked=1//" + "\\" * 40,
    "born_in": "<style>*{display:none}</style>",
    "spouse": "<svg onload='window.hacked = 1'>" + "r" * 10_000,
    "mother": "\u202erehtom\x00",
    "Q7186": "<svg/onload=window.hacked=1>",
    "Q37463": "]]><iframe srcdoc='<script>window.hacked=1</script>'>",
    "Warszawa": "<" * 10_000,
    "husband": "${window.hacked=1}`",
}


def hostile(*, evidence: bool = True) -> Alignment:
    """The Curies under names that are code."""
    left, right = (
        named_graph([tuple(HOSTILE.get(name, name) for name in fact) for fact in facts], name=side)  # type: ignore[misc]
        for facts, side in ((LEFT, "<script>window.hacked = 1</script>"), (RIGHT, "right</title><b>"))
    )
    known = [[HOSTILE.get(name, name) for name in pair] for pair in KNOWN]
    links = Links([pair[0] for pair in known], [pair[1] for pair in known])
    seeds = sorted_pairs(links.resolve(left, right).pairs)
    return by_evidence(left, right, seeds, 2) if evidence else by_sketch(left, right, seeds)


def with_calibration(alignment: Alignment, *, n_hidden: int = 900) -> Alignment:
    """The alignment as if seeds had been held back."""
    bins = tuple(
        ReliabilityBin(place / 10, (place + 1) / 10, 10 * place, place / 10 + 0.05, place / 10, 10)
        for place in range(10)
    )
    fitted = Calibration(
        n_hidden=n_hidden,
        hidden_share_of_true=0.2,
        everybody_has_counterpart=True,
        weights=(0.0, 1.0),
        centre=(0.0,),
        scale=(1.0,),
        labels_help=True,
        expected_links=max(1.0, 1.2 * len(alignment)),
        reliability=bins,
    )
    return dataclasses.replace(alignment, calibration=fitted)


def large(n: int, *, long_names: bool = False) -> Alignment:
    """An alignment of n entities a side with three candidates each, nine in ten linked, without evidence."""
    numbers = np.arange(n, dtype=np.int32)
    columns = np.stack([numbers, (numbers + 1) % n, (numbers + 2) % n], axis=1).astype(np.int32)
    sure = np.random.default_rng(0).random(n).astype(np.float32)
    chances = np.stack([sure, np.minimum(0.04, 1 - sure), np.zeros(n, np.float32)], axis=1)
    candidates = Candidates(
        numbers, numbers, np.arange(0, 3 * n + 1, 3), columns.ravel(), np.tile(np.float32([0.9, 0.5, 0.1]), n)
    )
    probabilities = chances.astype(np.float32).ravel()
    alone = 1 - chances.sum(axis=1, dtype=np.float32)
    nothing = np.zeros(n), np.zeros(n)
    assignment = Assignment(candidates, probabilities, alone, nothing, 1, 0.0, True)
    linked = numbers[sure >= 0.1 if not long_names else sure >= 0.5]
    return Alignment(
        left=_chain(n, "left", long_names=long_names),
        right=_chain(n, "right", long_names=long_names),
        seeds=np.stack([numbers[:50], numbers[:50]], axis=1),
        assignment=assignment,
        left_ids=linked,
        right_ids=linked,
        probability=sure[linked],
        config=Config.for_preset("basic", threshold=0.1),
    )


def _chain(n: int, name: str, *, long_names: bool) -> KnowledgeGraph:
    """Entities in a row, each joined with the next; long names are 300 characters that must be escaped."""
    ending = "<&\u2028" * 100 if long_names else ""
    entities = (
        pl.Series([name]).repeat_by(n).explode()
        + pl.Series(np.arange(n)).cast(pl.String).str.zfill(9)
        + ending
    )
    numbers = np.arange(n - 1, dtype=np.int32)
    return KnowledgeGraph(
        entities.rename(""),
        pl.Series(["next"]),
        numbers,
        np.zeros(n - 1, np.int32),
        numbers + 1,
        name=name,
    )
