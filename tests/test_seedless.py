"""Aligning by names, with seeds or none: from graphs to links, explanations and run directories."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lightea import align, cli, evaluate, read_names
from lightea.alignment import Alignment
from lightea.config import Config
from lightea.errors import SeedError
from lightea.explainer import Explainer
from lightea.run_store import load_alignment
from lightea.synthetic import SyntheticPair, demo_pair
from lightea.wording import as_document

AUTO = Config.for_preset("auto", label_width=256, sketch_width=512, rounds=3)
LITERAL = Config.for_preset("literal", label_width=256, sketch_width=512, candidates=50)


@functools.cache
def pair() -> SyntheticPair:
    """Names that are spelt differently, of people and places that are linked alike."""
    return demo_pair(random_seed=0)


@functools.cache
def run(config: Config, *, share: float = 0.0) -> Alignment:
    seeds, _ = pair().links.split(share, random_seed=0)
    return align(pair().left, pair().right, seeds, config=config, threads=1)


def test_names_are_enough_to_start_from() -> None:
    """No name is spelt the same on both sides, and many tell little: structure has to help."""
    found = run(AUTO)
    assert found.names is not None
    assert found.names.audit.equal < 0.01
    assert len(found.seeds) == 0
    assert evaluate(found, pair().links).hits_at_1 > 0.85
    assert evaluate(run(LITERAL), pair().links).hits_at_1 > 0.5


def test_seeds_make_it_better_than_names_alone_and_names_better_than_seeds() -> None:
    _, hidden = pair().links.split(0.3, random_seed=0)
    both = evaluate(run(AUTO, share=0.3), hidden).hits_at_1
    assert both >= evaluate(run(AUTO), hidden).hits_at_1 - 0.01
    assert both >= evaluate(run(AUTO.replace(names="none"), share=0.3), hidden).hits_at_1


def test_the_same_bytes_at_any_number_of_threads() -> None:
    other = align(pair().left, pair().right, config=AUTO, threads=2)
    for name in ("left_ids", "right_ids", "probability"):
        np.testing.assert_array_equal(getattr(run(AUTO), name), getattr(other, name))
    np.testing.assert_array_equal(run(AUTO).assignment.probabilities, other.assignment.probabilities)


def test_without_names_and_seeds_there_is_nothing_to_start_from() -> None:
    with pytest.raises(SeedError, match="starts from pairs known to be the same"):
        align(pair().left, pair().right, config=AUTO.replace(names="none"))


def assert_adds_up(found: Alignment, explainer: Explainer) -> None:
    candidates = found.assignment.candidates
    for row in range(0, len(candidates.left), 50):
        if candidates.indptr[row] == candidates.indptr[row + 1]:
            continue
        place = candidates.indptr[row]
        told = explainer.pair(int(candidates.left[row]), int(candidates.right[candidates.columns[place]]))
        assert told.names is not None
        assert told.score is not None
        assert told.cosine is not None
        assert told.evidence_score is not None
        assert told.names.contribution == pytest.approx(told.names.similarity * told.names.weight)
        assert told.evidence_score + told.cosine + told.names.contribution == pytest.approx(told.score)
        assert sum(term.contribution for term in told.terms) == pytest.approx(told.evidence, rel=1e-9)
        assert found.beliefs is not None
        assert -1.001 <= told.cosine / found.beliefs.cosine_weight <= 1.001


def test_names_are_terms_of_the_sum_also_from_a_run_directory(tmp_path: Path) -> None:
    found = run(AUTO)
    assert_adds_up(found, Explainer(found))
    kept = load_alignment(found.write(tmp_path / "run"))
    assert_adds_up(found, Explainer(kept, kept_only=True))
    left = found.left.entities[int(found.left_ids[0])]
    assert as_document(Explainer(kept, kept_only=True).explain(left)) == as_document(found.explain(left))
    told = str(found.explain(left))
    assert " names\n" in told
    assert "are alike by" in told
    manifest = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert manifest["names"]["encoder"] == "char"
    assert manifest["names"]["equal"] == 0.0


def test_a_preset_of_the_paper_says_how_alike_the_names_are(tmp_path: Path) -> None:
    found = run(LITERAL)
    kept = load_alignment(found.write(tmp_path / "run"))
    left = found.left.entities[int(found.left_ids[0])]
    told = str(Explainer(kept, kept_only=True).explain(left))
    assert "the mean cosine of the two sketches and of the names" in told


def test_graphs_with_labels_are_aligned_by_the_command_line_without_any_option(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    files = []
    for side, graph in (("a", pair().left), ("b", pair().right)):
        label = "<http://www.w3.org/2000/01/rdf-schema#label>"
        names = {entity: f"<http://{side}.org/{number}>" for number, entity in enumerate(graph.entities)}
        facts = [
            f"{names[graph.entities[h]]} <http://{side}.org/p{r}> {names[graph.entities[t]]} ."
            for h, r, t in zip(
                graph.heads.tolist(), graph.relation_ids.tolist(), graph.tails.tolist(), strict=True
            )
        ]
        facts += [f'{names[e]} {label} "{e.partition(":")[2].replace("_", " ")}"@x-{side} .' for e in names]
        files.append(tmp_path / f"{side}.ttl")
        files[-1].write_text("\n".join(facts) + "\n", encoding="utf-8")
    assert cli.main(["align", *map(str, files), "--out", str(tmp_path / "run")]) == 0
    captured = capfd.readouterr()
    assert "names" in captured.out
    links = pl.read_csv(tmp_path / "run" / "links.tsv", separator="\t")
    answers = dict(pair().links.resolve(pair().left, pair().right).pairs.tolist())
    right = [
        answers.get(int(left.rpartition("/")[2])) == int(other.rpartition("/")[2])
        for left, other, _ in links.iter_rows()
    ]
    assert sum(right) > 0.8 * len(answers)
    assert sum(right) > 0.8 * len(right)


def test_a_file_of_names_takes_the_place_of_those_in_the_graphs(tmp_path: Path) -> None:
    """The left names, given to both sides."""
    links = pair().links
    file = tmp_path / "names.tsv"
    texts = [left[3:].replace("_", " ") for left in links.left]
    lines = [f"{right}\t{text}\n" for right, text in zip(links.right, texts, strict=True)]
    file.write_text("".join(lines), encoding="utf-8")
    found = align(pair().left, pair().right, config=AUTO, names=read_names(file), threads=1)
    assert found.names is not None
    assert found.names.audit.equal > 0.8
    assert evaluate(found, links).hits_at_1 > evaluate(run(AUTO), links).hits_at_1
