r"""Alignment → run directory: what was found, what was given, and a manifest that says how.

    links.tsv      header `left`, `right`, `probability`; in order of the left name
    links.sssom.tsv, links.nt   the same links as SSSOM and as owl:sameAs statements; others on request: see
                   `exchange/`
    no_match.tsv   header `left`, `probability`: every searched left entity without a link, and how probable
                   it is that it has none; in order of the left name
    relations.tsv  header `left`, `right`, `agreement`, `support`, `inverse`: which left relation says what
                   which right one says, or its inverse; the most alike first; only with evidence
    seeds.tsv      header `left`, `right`: the pairs that were given; in order of the left name
    evidence/      what `lightea explain` needs; see `run_store.py`
    report.html    all of it to look at in a browser; see `report/`
    diff.tsv, diff.json   after an update: header `change` (added, dropped, changed), `left`, `right`,
                   `probability`, `right_before`, `probability_before`, `reason`; in order of the left name
    run.json       what was run on what, how long it took, and which files belong to the run

The same input, settings and seed give the same bytes everywhere but in `run.json`, where whatever changes
from run to run (times, memory, machine) stands, and in `report.html`, which shows it. Fractions have six
decimals. In the tables a tab, line feed, carriage return and backslash inside a name are written as `\t`,
`\n`, `\r` and `\\`: each row is one line, and putting the four back restores the name.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lightea import outputs, run_store
from lightea._version import __version__
from lightea.alignment import Alignment
from lightea.changes import Changes
from lightea.clock import Progress, nobody
from lightea.errors import OutputError, ReadError
from lightea.exchange import LinkFormat, MappingSet, Publication, chosen_formats
from lightea.exchange.tables import tsv
from lightea.graph import KnowledgeGraph
from lightea.machine import commit, machine_facts, peak_rss_mb, versions
from lightea.report import report_page
from lightea.standing import link_counts

_NO_MATCH, _RELATIONS, _SEEDS = "no_match.tsv", "relations.tsv", "seeds.tsv"
_MANIFEST, _REPORT = "run.json", "report.html"

_DIFF_TABLE, _DIFF = "diff.tsv", "diff.json"
_WRITING, _BUILDING = "writing", "report"

Inputs = Mapping[str, Path | str]


def write_run(
    alignment: Alignment,
    directory: Path | str,
    *,
    also: Sequence[str] = (),
    publication: Publication | None = None,
    inputs: Inputs | None = None,
    reading: Mapping[str, Any] | None = None,
    changes: Changes | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write the run directory, whole or not at all, and return where it is.

    `also` names more formats for the links, such as `oaei`; `publication` says what these tell of the graphs.
    `inputs` names the files that were read (such as `left`, `right`, `seeds`); their hashes are recorded,
    and with them `reading`, how they were read. `changes` are what an update changed.
    An existing directory is replaced only if it is an earlier run without anything added to it.
    """
    tell = progress or nobody
    tell(_WRITING, 0, 3)
    formats, told = chosen_formats(also), publication or Publication()
    manifest = {
        **run_manifest(alignment, inputs=inputs or {}, formats=formats, threads=threads),
        "reading": dict(reading or {}),
        "publication": dataclasses.asdict(told),
        **({} if changes is None else {"update": changes.counts}),
    }
    more = {} if changes is None else diff_files(changes)
    manifest["files"] = sorted([*manifest["files"], *more])
    mappings = MappingSet(alignment, _with_hashes(told, manifest["inputs"]))
    with outputs.new_directory(directory, _refuse_unless_run) as staging:
        for name, data in (_tables(alignment) | more).items():
            (staging / name).write_bytes(data)
        for one in formats:
            with (staging / one.file).open("wb") as file:
                file.writelines(one.pieces(mappings))
        tell(_WRITING, 1, 3)
        run_store.save_alignment(alignment, staging)
        tell(_WRITING, 2, 3)
        (staging / _MANIFEST).write_text(to_json(manifest), encoding="utf-8", newline="\n")
        tell(_BUILDING, 0, 0)
        (staging / _REPORT).write_bytes(report_page(alignment, manifest))
        tell(_BUILDING, 1, 1)
    tell(_WRITING, 3, 3)
    return Path(directory)


def rewrite_report(alignment: Alignment, directory: Path | str) -> Path:
    """Write the report of a run directory anew, and return where it is.

    `alignment` is what `run_store.load_alignment` found in the directory.
    """
    run = Path(directory)
    manifest = read_manifest(run)
    page = report_page(alignment, manifest)
    if _REPORT not in manifest["files"]:  # first, so that the file never counts as foreign
        listed = {**manifest, "files": sorted([*manifest["files"], _REPORT])}
        outputs.write_text(run / _MANIFEST, to_json(listed))
    return outputs.write_text(run / _REPORT, page.decode("utf-8"))


def read_manifest(run: Path) -> dict[str, Any]:
    """The manifest of a run directory."""
    path = run / _MANIFEST
    hint = "make the run anew with: lightea align --out"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ReadError(path, f"cannot be read as the manifest of a run: {problem}", hint=hint) from problem
    if not isinstance(manifest, dict) or not isinstance(manifest.get("files"), list):
        raise ReadError(path, "is not the manifest of a run: it lists no files", hint=hint)
    return manifest


def check_writable(directory: Path | str) -> None:
    """Raise `OutputError` now if `write_run` to this place could not succeed later."""
    outputs.check_directory(directory, _refuse_unless_run)


def links_tsv(alignment: Alignment) -> bytes:
    """The links as a table in order of the left entity: left, right, probability."""
    return tsv(MappingSet(alignment).named)


def seeds_tsv(alignment: Alignment) -> bytes:
    """The pre-aligned pairs as a table in order of the left entity: left, right."""
    seeds = alignment.seeds
    order = np.lexsort((seeds[:, 1], seeds[:, 0]))
    return _tsv(
        left=alignment.left.entities.gather(seeds[order, 0]),
        right=alignment.right.entities.gather(seeds[order, 1]),
    )


def diff_files(changes: Changes) -> dict[str, bytes]:
    """What an update changed, by file name: as a table, and as JSON with counts and the rule."""
    return {
        _DIFF_TABLE: tsv(changes.table.with_columns(pl.col(pl.String).fill_null(""))),
        _DIFF: to_json(changes.document()).encode("utf-8"),
    }


def no_match_tsv(alignment: Alignment) -> bytes:
    """The searched left entities without a link, in their order: left, probability of having no match."""
    table = alignment.no_match
    return _tsv(left=table["left"], probability=table["probability"])


def relations_tsv(alignment: Alignment) -> bytes:
    """Which relations say the same: left, right, agreement, support, inverse; the most alike first.

    Inverse means that the left relation says what the right one says from tail to head.
    """
    if alignment.beliefs is None:
        raise ValueError("relations are compared by evidence only, and this alignment has none")
    agreement, edges = alignment.beliefs.agreement, alignment.beliefs.edges
    n_left, n_forward = alignment.left.n_relations, edges.n_forward_relations
    forward = slice(0, agreement.offsets[n_left])
    right = agreement.right[forward]
    table = pl.DataFrame(
        {
            "left": alignment.left.relations.gather(
                np.repeat(np.arange(n_left), np.diff(agreement.offsets[: n_left + 1]))
            ),
            "right": alignment.right.relations.gather(right % n_forward - n_left),
            "agreement": agreement.agreement[forward],
            "support": agreement.support[forward],
            "inverse": np.where(right < n_forward, "no", "yes"),
        }
    ).sort("agreement", "left", "right", "inverse", descending=[True, False, False, False])
    return _tsv(**{column.name: column for column in table})


def _tables(alignment: Alignment) -> dict[str, bytes]:
    """The tables of a run directory by file name, without those of the links."""
    tables = {_NO_MATCH: no_match_tsv(alignment), _SEEDS: seeds_tsv(alignment)}
    return tables if alignment.beliefs is None else tables | {_RELATIONS: relations_tsv(alignment)}


def _with_hashes(publication: Publication, inputs: Mapping[str, Any]) -> Publication:
    """Where no version was given for a graph, the hash of the file that it was read from."""
    hashes = (inputs.get(side, {}).get("sha256") for side in ("left", "right"))
    return publication.with_versions(*(None if one is None else f"sha256:{one}" for one in hashes))


def _files(alignment: Alignment, formats: Iterable[LinkFormat]) -> list[str]:
    """Every file of a run directory, by its path there."""
    relations = [] if alignment.beliefs is None else [_RELATIONS]
    links = [one.file for one in formats]
    stored = run_store.stored_files(alignment)
    return sorted([*links, _NO_MATCH, _SEEDS, _MANIFEST, _REPORT, *relations, *stored])


def run_manifest(
    alignment: Alignment, *, inputs: Inputs, formats: Iterable[LinkFormat], threads: int | None = None
) -> dict[str, Any]:
    """Everything about a run but its links, ready for JSON."""
    assignment = alignment.assignment
    return {
        "lightea": __version__,
        "commit": commit(),
        "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "files": _files(alignment, formats),
        "config": _plain(dataclasses.asdict(alignment.config)),
        "inputs": {name: input_facts(path) for name, path in inputs.items()},
        "graphs": {"left": _graph_facts(alignment.left), "right": _graph_facts(alignment.right)},
        "counts": link_counts(alignment),
        "names": None
        if alignment.names is None
        else {"encoder": alignment.names.encoder, **dataclasses.asdict(alignment.names.audit)},
        "assignment": {
            "iterations": assignment.iterations,
            "marginal_error": assignment.marginal_error,
            "converged": assignment.converged,
        },
        "calibration": _calibration_facts(alignment),
        "quality": None if alignment.quality is None else dataclasses.asdict(alignment.quality),
        "seconds": alignment.seconds,
        "stage_peak_mb": alignment.stage_peak_mb,
        "peak_rss_mb": peak_rss_mb(),
        "machine": machine_facts(threads),
        "versions": versions(),
    }


def _calibration_facts(alignment: Alignment) -> dict[str, Any] | None:
    """What was learnt from hidden seeds, and how far probabilities kept their promise for these."""
    calibration = alignment.calibration
    if calibration is None:
        return None
    return {
        "hidden_seeds": calibration.n_hidden,
        "expected_links": calibration.expected_links,
        "hidden_share_of_true": calibration.hidden_share_of_true,
        "everybody_has_counterpart": calibration.everybody_has_counterpart,
        "labels_help": calibration.labels_help,
        "threshold": alignment.config.threshold,
        "reliability": [dataclasses.asdict(one) for one in calibration.reliability],
    }


def input_facts(path: Path | str) -> dict[str, Any]:
    """Path, size and SHA-256 of a file, or of all files of a directory with their names.

    Size and hash are null where they cannot be had again, as of a pipe.
    """
    place = Path(path)
    facts: dict[str, Any] = {"path": str(path), "bytes": None, "sha256": None}
    with contextlib.suppress(OSError):
        if place.is_file():
            facts |= {"bytes": place.stat().st_size, "sha256": _file_hash(place)}
        elif place.is_dir():
            facts |= _directory_facts(place)
    return facts


def to_json(document: Mapping[str, Any]) -> str:
    """Indented JSON text; numbers that JSON cannot hold become null."""
    return json.dumps(_plain(document), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _tsv(**columns: pl.Series) -> bytes:
    return tsv(pl.DataFrame(columns))


def _refuse_unless_run(directory: Path) -> None:
    """Let only a directory be replaced that lightea wrote and nobody added to."""
    try:
        manifest = json.loads((directory / _MANIFEST).read_text(encoding="utf-8"))
        _, ours = manifest["lightea"], set(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise OutputError(
            f"{directory} exists and is not a run directory of lightea",
            hint="choose a new directory; only an earlier run is replaced",
        ) from problem
    added = _added(directory, ours)
    if added:
        raise OutputError(
            f"{directory} holds {added[0]!r}, which lightea did not write",
            hint="move it elsewhere or choose a new directory",
        )


def _added(directory: Path, ours: set[str]) -> list[str]:
    """What is in a run directory and not of the run, at any depth, links to elsewhere included."""
    folders = {parent.as_posix() for name in ours for parent in Path(name).parents}
    found = {path.relative_to(directory).as_posix(): path for path in directory.rglob("*")}
    return sorted(
        name
        for name, path in found.items()
        if name not in (folders if path.is_dir() and not path.is_symlink() else ours)
    )


def _graph_facts(graph: KnowledgeGraph) -> dict[str, Any]:
    return {
        "name": graph.name,
        "entities": graph.n_entities,
        "relations": graph.n_relations,
        "triples": graph.n_triples,
        "attributes": len(graph.attributes),
    }


def _file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _directory_facts(directory: Path) -> dict[str, Any]:
    """Size and hash over the files below a directory; names count, the order of listing does not."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(directory).as_posix()}\0{_file_hash(path)}\n".encode())
    return {"bytes": sum(path.stat().st_size for path in files), "sha256": digest.hexdigest()}


def _plain(value: Any) -> Any:
    """The value in the types that JSON has."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
