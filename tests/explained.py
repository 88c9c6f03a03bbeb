"""Alignments with beliefs, made stage by stage on small graphs: one round of evidence with fixed settings."""

from __future__ import annotations

import numpy as np

from handmade import alignment as handmade_alignment
from lightea.adjacency import adjacency
from lightea.alignment import Alignment
from lightea.assignment import assign, believed
from lightea.candidates import in_order
from lightea.config import Config
from lightea.evidence import Beliefs, edge_weights, evidence_score, gather_evidence
from lightea.graph import Ids, KnowledgeGraph, Links
from lightea.relations import relation_agreement
from lightea.seeds import sorted_pairs
from small_graphs import named_graph

COSINE_WEIGHT = 0.5

LEFT = [
    ("Marie_Curie", "born_in", "Warsaw"),
    ("Marie_Curie", "field", "Physics"),
    ("Pierre_Curie", "born_in", "Paris"),
    ("Pierre_Curie", "field", "Physics"),
    ("Pierre_Curie", "spouse", "Marie_Curie"),
    ("Irène_Curie", "born_in", "Paris"),
    ("Irène_Curie", "field", "Chemistry"),
    ("Irène_Curie", "mother", "Marie_Curie"),
    ("Frédéric_Joliot", "born_in", "Paris"),
    ("Frédéric_Joliot", "field", "Chemistry"),
    ("Frédéric_Joliot", "spouse", "Irène_Curie"),
]
RIGHT = [
    ("Q7186", "birthplace", "Warszawa"),
    ("Q7186", "discipline", "Fizyka"),
    ("Q37463", "birthplace", "Paryż"),
    ("Q37463", "discipline", "Fizyka"),
    ("Q7186", "husband", "Q37463"),
    ("Q7504", "birthplace", "Paryż"),
    ("Q7504", "discipline", "Chemia"),
    ("Q7186", "child", "Q7504"),
    ("Q7505", "birthplace", "Paryż"),
    ("Q7505", "discipline", "Chemia"),
    ("Q7504", "husband", "Q7505"),
]
KNOWN = [("Chemistry", "Chemia"), ("Irène_Curie", "Q7504"), ("Paris", "Paryż"), ("Physics", "Fizyka")]


def curies(n_rounds: int = 2) -> Alignment:
    """A family in two graphs; places, fields and one person are seeds."""
    left, right = named_graph(LEFT, name="english"), named_graph(RIGHT, name="polish")
    names = Links([pair[0] for pair in KNOWN], [pair[1] for pair in KNOWN])
    return by_evidence(left, right, sorted_pairs(names.resolve(left, right).pairs), n_rounds)


def by_evidence(left: KnowledgeGraph, right: KnowledgeGraph, seeds: Ids, n_rounds: int = 1) -> Alignment:
    """Rounds of evidence and assignment; a made-up cosine of 0.2 stands in for the sketches."""
    edges = adjacency(left, right)
    weights = edge_weights(edges)
    searched, answers = (
        np.setdiff1d(np.arange(graph.n_entities, dtype=np.int32), seeds[:, side])
        for side, graph in enumerate((left, right))
    )
    allowed = np.isin(np.arange(right.n_entities), answers)
    known = np.zeros(len(searched) + 1, np.int64), np.empty(0, np.int32)
    assignment = None
    for _ in range(n_rounds):
        matches = believed(seeds, assignment, left.n_entities, right.n_entities, n_best=5, least=0.02)
        agreement = relation_agreement(edges, matches)
        found = gather_evidence(edges, weights, matches, agreement, searched, known, allowed)
        scores = evidence_score(found.values) + np.float32(COSINE_WEIGHT * 0.2)
        columns = np.searchsorted(answers, found.ids).astype(np.int32)
        candidates = in_order(searched, answers, found.indptr, columns, scores)
        assignment = assign(candidates, temperature=0.08, iterations=60, no_match=0.1)
    assert assignment is not None
    probable = np.flatnonzero(assignment.probabilities > 0.5)  # at most one of an entity
    return Alignment(
        left=left,
        right=right,
        seeds=seeds,
        assignment=assignment,
        left_ids=searched[candidates.rows[probable]],
        right_ids=answers[candidates.columns[probable]],
        probability=assignment.probabilities[probable],
        config=Config.for_preset("auto", threshold=0.5),
        beliefs=Beliefs(edges, weights, matches, agreement, COSINE_WEIGHT),
    )


def by_sketch(left: KnowledgeGraph, right: KnowledgeGraph, seeds: Ids) -> Alignment:
    """An alignment of the preset `basic`, with one candidate made by hand."""
    made = handmade_alignment({0: [(0, 0.75, 0.5)]}, [(0, 0)], left=left, right=right)
    made.seeds.resize(0)
    return Alignment(**{**vars(made), "seeds": seeds})
