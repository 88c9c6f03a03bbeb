"""What a run directory keeps so that its links can be explained later, without the input files.

Below `evidence/`, all of it columns in Parquet, and nothing that is run when it is read:

    about.json                 format, settings, names of the graphs
    {left,right}_entities      name, in order of the entity number; the same for relations
    {left,right}_triples       head, relation, tail
    seeds, links               left, right (probability)
    {left,right}_attributes    entity, attribute, value, datatype, language: read by `lightea update` only
    searched, answers          who took part: left, no_match, n_candidates; right
    candidates                 column (of `answers`), score, probability: row by row of `searched`, best first
    matches, agreement         what the last round of evidence believed; only where there was one
    {left,right}_names         entity, text: the names that were compared, and in
    similarities               how much alike those of each candidate pair are; only where names were compared

Of each left entity the best `KEPT` candidates are kept, and all that are at all probable. The same alignment
gives the same bytes.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lightea.adjacency import adjacency
from lightea.alignment import Alignment
from lightea.assignment import Assignment, Matches
from lightea.calibration import Calibration
from lightea.candidates import Candidates
from lightea.config import Config
from lightea.errors import LighteaError, ReadError
from lightea.evidence import Beliefs, edge_weights
from lightea.graph import ATTRIBUTE_SCHEMA, KnowledgeGraph
from lightea.names import NameAudit, NamesUsed, NameTable
from lightea.quality import ReliabilityBin
from lightea.relations import RelationAgreement

FOLDER = "evidence"
KEPT = 50
"""Candidates of an entity that are kept: all in the preset `auto`, as a rule, and enough for a "why not"."""
_PROBABLE = 0.001

_FORMAT = 2
_ABOUT = "about.json"
_ROWS_IN_A_GROUP = 1 << 20

_NAMES = {"name": pl.String}
_TRIPLES = {"head": pl.Int32, "relation": pl.Int32, "tail": pl.Int32}
_TABLES: dict[str, dict[str, Any]] = {
    "left_entities": _NAMES,
    "left_relations": _NAMES,
    "left_triples": _TRIPLES,
    "right_entities": _NAMES,
    "right_relations": _NAMES,
    "right_triples": _TRIPLES,
    "seeds": {"left": pl.Int32, "right": pl.Int32},
    "links": {"left": pl.Int32, "right": pl.Int32, "probability": pl.Float32},
    "searched": {"left": pl.Int32, "no_match": pl.Float32, "n_candidates": pl.Int32},
    "answers": {"right": pl.Int32},
    "candidates": {"column": pl.Int32, "score": pl.Float32, "probability": pl.Float32},
}
_BELIEFS: dict[str, dict[str, Any]] = {
    "matches": {"left": pl.Int32, "right": pl.Int32, "probability": pl.Float32},
    "agreement": {"left": pl.Int32, "right": pl.Int32, "agreement": pl.Float32, "support": pl.Float32},
}
_NAME_TABLES: dict[str, dict[str, Any]] = {
    "left_names": {"entity": pl.Int32, "text": pl.String},
    "right_names": {"entity": pl.Int32, "text": pl.String},
    "similarities": {"similarity": pl.Float32},
}

_ATTRIBUTES = ("left_attributes", "right_attributes")

Columns = dict[str, Any]


def stored_files(alignment: Alignment) -> list[str]:
    """The files that `save_alignment` writes, by their path in the run directory."""
    beliefs = [] if alignment.beliefs is None else _BELIEFS
    tables = [*_TABLES, *beliefs, *([] if alignment.names is None else _NAME_TABLES)]
    return [f"{FOLDER}/{_ABOUT}", *(f"{FOLDER}/{name}.parquet" for name in (*tables, *_ATTRIBUTES))]


def save_alignment(alignment: Alignment, run: Path) -> None:
    """Write what explanations need into a run directory that is being made."""
    folder = run / FOLDER
    folder.mkdir()
    columns = _columns(alignment) | ({} if alignment.beliefs is None else _belief_columns(alignment.beliefs))
    if alignment.names is not None:
        columns |= _name_columns(alignment.names, _kept(alignment.assignment))
    for name, schema in (_TABLES | _BELIEFS | _NAME_TABLES).items():
        if name in columns:
            _write_table(pl.DataFrame(columns[name], schema=schema), folder, name)
    for name, graph in zip(_ATTRIBUTES, (alignment.left, alignment.right), strict=True):
        _write_table(graph.attributes.select(*ATTRIBUTE_SCHEMA), folder, name)
    about = json.dumps(_about(alignment), indent=2, ensure_ascii=False) + "\n"
    (folder / _ABOUT).write_bytes(about.encode("utf-8"))


def _write_table(table: pl.DataFrame, folder: Path, name: str) -> None:
    table.rechunk().write_parquet(
        folder / f"{name}.parquet", compression="zstd", statistics=False, row_group_size=_ROWS_IN_A_GROUP
    )


def _about(alignment: Alignment) -> dict[str, Any]:
    assignment = alignment.assignment
    return {
        "format": _FORMAT,
        "left": alignment.left.name,
        "right": alignment.right.name,
        "config": dataclasses.asdict(alignment.config),
        "cosine_weight": None if alignment.beliefs is None else alignment.beliefs.cosine_weight,
        "name_weight": 0.0 if alignment.beliefs is None else alignment.beliefs.name_weight,
        "names": None
        if alignment.names is None
        else {"encoder": alignment.names.encoder, **dataclasses.asdict(alignment.names.audit)},
        "iterations": assignment.iterations,
        "marginal_error": assignment.marginal_error,
        "converged": bool(assignment.converged),
        "calibration": None if alignment.calibration is None else dataclasses.asdict(alignment.calibration),
    }


def _columns(alignment: Alignment) -> dict[str, Columns]:
    candidates, assignment = alignment.assignment.candidates, alignment.assignment
    rows = candidates.rows
    kept = _kept(assignment)
    sides = {"left": alignment.left, "right": alignment.right}
    return {
        **{f"{side}_entities": {"name": graph.entities} for side, graph in sides.items()},
        **{f"{side}_relations": {"name": graph.relations} for side, graph in sides.items()},
        **{
            f"{side}_triples": {"head": graph.heads, "relation": graph.relation_ids, "tail": graph.tails}
            for side, graph in sides.items()
        },
        "seeds": {"left": alignment.seeds[:, 0], "right": alignment.seeds[:, 1]},
        "links": {
            "left": alignment.left_ids,
            "right": alignment.right_ids,
            "probability": alignment.probability,
        },
        "searched": {
            "left": candidates.left,
            "no_match": assignment.no_match,
            "n_candidates": np.bincount(rows[kept], minlength=len(candidates.left)),
        },
        "answers": {"right": candidates.right},
        "candidates": {
            "column": candidates.columns[kept],
            "score": candidates.scores[kept],
            "probability": assignment.probabilities[kept],
        },
    }


def _kept(assignment: Assignment) -> NDArray[np.int64]:
    """The candidates that are kept."""
    candidates = assignment.candidates
    rank = np.arange(len(candidates.columns)) - candidates.indptr[candidates.rows]
    return np.flatnonzero((rank < KEPT) | (assignment.probabilities >= np.float32(_PROBABLE)))


def _name_columns(names: NamesUsed, kept: NDArray[np.int64]) -> dict[str, Columns]:
    sides = {"left_names": names.left, "right_names": names.right}
    tables: dict[str, Columns] = {
        name: {
            "entity": np.repeat(np.arange(table.n_entities, dtype=np.int32), np.diff(table.offsets)),
            "text": table.texts,
        }
        for name, table in sides.items()
    }
    return tables | {"similarities": {"similarity": names.similarity[kept]}}


def _belief_columns(beliefs: Beliefs) -> dict[str, Columns]:
    matches, agreement = beliefs.matches, beliefs.agreement
    relations = np.repeat(np.arange(len(agreement.offsets) - 1), np.diff(agreement.offsets))
    return {
        "matches": {"left": matches.left, "right": matches.right, "probability": matches.probability},
        "agreement": {
            "left": relations,
            "right": agreement.right,
            "agreement": agreement.agreement,
            "support": agreement.support,
        },
    }


# --- reading it again --------------------------------------------------------------------------------


def load_alignment(run: Path | str, *, attributes: bool = False) -> Alignment:
    """The alignment of a run directory, with the best of its candidates, and with `attributes` if wanted."""
    folder = Path(run) / FOLDER
    about = _read_about(Path(run), folder)
    try:
        restored = _restored(about, folder)
        return _with_attributes(restored, folder) if attributes else restored
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise _broken(folder / _ABOUT, f"it does not hold what it should: {problem}") from problem
    except LighteaError as problem:
        if isinstance(problem, ReadError):
            raise
        raise _broken(folder / _ABOUT, problem.message) from problem


def _restored(about: dict[str, Any], folder: Path) -> Alignment:
    tables = {name: _read_table(folder, name, schema) for name, schema in _TABLES.items()}
    left, right = (_graph(about[side], side, tables, folder) for side in ("left", "right"))
    _check_pairs("seeds", tables, left, right, folder)
    _check_pairs("links", tables, left, right, folder)
    links = tables["links"]
    return Alignment(
        left=left,
        right=right,
        seeds=np.ascontiguousarray(np.stack(list(tables["seeds"].values()), axis=1)),
        assignment=_assignment(about, tables, left, right, folder),
        left_ids=links["left"],
        right_ids=links["right"],
        probability=links["probability"],
        config=Config.for_preset(**about["config"]),
        calibration=_calibration(about.get("calibration")),
        names=None if about["names"] is None else _names(about["names"], left, right, tables, folder),
        beliefs=None if about["cosine_weight"] is None else _beliefs(about, left, right, folder),
    )


def _with_attributes(alignment: Alignment, folder: Path) -> Alignment:
    graphs = []
    for name, graph in zip(_ATTRIBUTES, (alignment.left, alignment.right), strict=True):
        path = folder / f"{name}.parquet"
        table = _parquet(path)
        if dict(table.schema) != ATTRIBUTE_SCHEMA:
            raise _broken(path, f"its columns are not {', '.join(ATTRIBUTE_SCHEMA)}")
        _check_ids(table["entity"].to_numpy(), graph.n_entities, path)
        graphs.append(dataclasses.replace(graph, attributes=table))
    return dataclasses.replace(alignment, left=graphs[0], right=graphs[1])


def _calibration(kept: dict[str, Any] | None) -> Calibration | None:
    """The calibration of a run; runs made before it was kept have none."""
    if kept is None:
        return None
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()
    }
    values["reliability"] = tuple(ReliabilityBin(**one) for one in kept["reliability"])
    return Calibration(**values)


def _read_about(run: Path, folder: Path) -> dict[str, Any]:
    path = folder / _ABOUT
    if not path.is_file():
        if not (run / "run.json").is_file():
            raise ReadError(
                run, "is not a run directory of lightea", hint="make one with: lightea align --out"
            )
        raise ReadError(run, "holds nothing to explain links by", hint="make it anew: lightea align --out")
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise _broken(path, str(problem)) from problem
    written = about.get("format") if isinstance(about, dict) else None
    if written != _FORMAT:
        raise ReadError(
            path,
            f"has format {written!r}, and this version of lightea reads format {_FORMAT}",
            hint="make the run anew with: lightea align --out",
        )
    found: dict[str, Any] = about
    return found


def _read_table(folder: Path, name: str, schema: dict[str, Any]) -> Columns:
    """The columns of a table: numbers as arrays of their own, names as a series."""
    path = folder / f"{name}.parquet"
    table = _parquet(path)
    if dict(table.schema) != schema or any(table.null_count().row(0)):
        raise _broken(path, f"its columns are not {', '.join(schema)}, all filled")
    return {
        column: table[column].rechunk() if kind == pl.String else np.array(table[column].to_numpy())
        for column, kind in schema.items()
    }


def _parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(path, use_statistics=False, glob=False)
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise _broken(path, str(problem).splitlines()[0]) from problem


def _graph(name: str, side: str, tables: dict[str, Columns], folder: Path) -> KnowledgeGraph:
    entities, relations = (tables[f"{side}_{kind}"]["name"] for kind in ("entities", "relations"))
    triples = tables[f"{side}_triples"]
    path = folder / f"{side}_triples.parquet"
    for column, size in (("head", len(entities)), ("relation", len(relations)), ("tail", len(entities))):
        _check_ids(triples[column], size, path)
    for kind, names in (("entities", entities), ("relations", relations)):
        if not names.is_sorted():
            raise _broken(folder / f"{side}_{kind}.parquet", "its names are not in order")
    return KnowledgeGraph(
        entities, relations, triples["head"], triples["relation"], triples["tail"], name=str(name)
    )


def _check_pairs(
    name: str, tables: dict[str, Columns], left: KnowledgeGraph, right: KnowledgeGraph, folder: Path
) -> None:
    path = folder / f"{name}.parquet"
    _check_ids(tables[name]["left"], left.n_entities, path)
    _check_ids(tables[name]["right"], right.n_entities, path)


def _assignment(
    about: dict[str, Any],
    tables: dict[str, Columns],
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    folder: Path,
) -> Assignment:
    searched, answers, pairs = tables["searched"], tables["answers"]["right"], tables["candidates"]
    path = folder / "candidates.parquet"
    _check_ids(searched["left"], left.n_entities, folder / "searched.parquet", rising=True)
    _check_ids(answers, right.n_entities, folder / "answers.parquet", rising=True)
    _check_ids(pairs["column"], len(answers), path)
    counts = searched["n_candidates"].astype(np.int64)
    if np.any(counts < 0) or counts.sum() != len(pairs["column"]):
        raise _broken(path, "it does not hold as many pairs as searched.parquet counts")
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return Assignment(
        Candidates(searched["left"], answers, indptr, pairs["column"], pairs["score"]),
        pairs["probability"],
        searched["no_match"],
        (np.zeros(len(searched["left"])), np.zeros(len(answers))),  # not kept: explanations need none
        int(about["iterations"]),
        float(about["marginal_error"]),
        bool(about["converged"]),
    )


def _beliefs(about: dict[str, Any], left: KnowledgeGraph, right: KnowledgeGraph, folder: Path) -> Beliefs:
    matches, agreement = (_read_table(folder, name, schema) for name, schema in _BELIEFS.items())
    edges = adjacency(left, right)
    _check_ids(matches["left"], left.n_entities, folder / "matches.parquet", in_order=True)
    _check_ids(matches["right"], right.n_entities, folder / "matches.parquet")
    _check_ids(agreement["left"], edges.n_relations, folder / "agreement.parquet")
    _check_ids(agreement["right"], edges.n_relations, folder / "agreement.parquet")
    pairs = agreement["left"].astype(np.int64) * edges.n_relations + agreement["right"]
    if np.any(np.diff(pairs) <= 0):
        raise _broken(folder / "agreement.parquet", "its rows are not in order")
    return Beliefs(
        edges,
        edge_weights(edges),
        Matches(
            right.n_entities,
            _offsets(matches["left"], left.n_entities),
            matches["right"],
            matches["probability"],
        ),
        RelationAgreement(
            _offsets(agreement["left"], edges.n_relations),
            agreement["right"],
            agreement["agreement"],
            agreement["support"],
        ),
        float(about["cosine_weight"]),
        float(about["name_weight"]),
    )


def _names(
    about: dict[str, Any],
    left: KnowledgeGraph,
    right: KnowledgeGraph,
    tables: dict[str, Columns],
    folder: Path,
) -> NamesUsed:
    stored = {name: _read_table(folder, name, schema) for name, schema in _NAME_TABLES.items()}
    similarity = stored["similarities"]["similarity"]
    if len(similarity) != len(tables["candidates"]["column"]):
        raise _broken(folder / "similarities.parquet", "it does not hold a number for each candidate")
    sides = []
    for name, graph in (("left_names", left), ("right_names", right)):
        entities = stored[name]["entity"]
        _check_ids(entities, graph.n_entities, folder / f"{name}.parquet", in_order=True)
        sides.append(NameTable(_offsets(entities, graph.n_entities), stored[name]["text"]))
    told = dict(about)
    encoder = str(told.pop("encoder"))
    return NamesUsed(sides[0], sides[1], encoder, NameAudit(**told), similarity)


def _offsets(ordered: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.bincount(ordered, minlength=size))])


def _check_ids(
    ids: NDArray[np.int32], size: int, path: Path, *, in_order: bool = False, rising: bool = False
) -> None:
    """Raise `ReadError` unless all numbers are below the size (and in order, or each above the last)."""
    if len(ids) and not 0 <= ids.min() <= ids.max() < size:
        raise _broken(path, f"it holds a number outside 0 to {size - 1}")
    if (in_order and np.any(ids[1:] < ids[:-1])) or (rising and np.any(ids[1:] <= ids[:-1])):
        raise _broken(path, "its rows are not in order")


def _broken(path: Path, problem: str) -> ReadError:
    return ReadError(path, f"is broken: {problem}", hint="make the run anew with: lightea align --out")
