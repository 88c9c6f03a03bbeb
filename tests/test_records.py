"""What a run says of itself: how its inputs were read, how far to trust it, and that it is being written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import lightea
from lightea import cli
from lightea.cli.align_command import estimate
from lightea.cli.inputs import ReadingOptions
from lightea.synthetic import make_pair
from lightea.writing import write_run

HEADED = (
    "who,does,whom\n" + "".join(f"a{i},r,a{i + 1}\na{i},s,a{(i * 7) % 9}\n" for i in range(9)) + "a0,t1,a5\n"
)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("left", "more", "right"):
        (tmp_path / f"{name}.csv").write_text(HEADED)
    (tmp_path / "seeds.tsv").write_text("a0\ta0\na3\ta3\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run" / "run.json").read_text(encoding="utf-8"))
    return found


def test_the_manifest_says_what_was_read_how(files: Path) -> None:
    options = ["--columns", "who,does,whom", "--include", "r", "--include", "s", "--exclude", "t*"]
    options += ["--lang", "en", "--more-left", "more.csv", "--format", "csv"]
    command = ["align", "left.csv", "right.csv", "--seeds", "seeds.tsv", "--preset", "basic", "--out", "run"]
    assert cli.main([*command, *options, "--quiet"]) == 0
    assert manifest(files)["reading"] == {
        "left": ["left.csv", "more.csv"],
        "right": ["right.csv"],
        "seeds": "seeds.tsv",
        "types": [],
        "format": "csv",
        "columns": "who,does,whom",
        "include": ["r", "s"],
        "exclude": ["t*"],
        "languages": ["en"],
        "graphs": [],
    }
    assert set(manifest(files)["inputs"]) == {"left", "left_2", "right", "seeds"}


def test_seeds_from_the_data_and_classes_are_recorded(files: Path) -> None:
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    for side, other in (("l", "r"), ("r", "l")):
        lines = [f"<x:{side}{k}> <x:p> <x:{side}{k + 1}> .\n<x:{side}{k}> {kind} <x:C> .\n" for k in range(5)]
        lines += [f"<x:{side}{k}> {same} <x:{other}{k}> .\n" for k in range(2)]
        (files / f"{side}.nt").write_text("".join(lines))
    command = ["align", "l.nt", "r.nt", "--seeds", "same-as", "--type", "x:C", "--preset", "basic"]
    assert cli.main([*command, "--out", "run", "--quiet"]) == 0
    assert manifest(files)["reading"]["seeds"] == "same-as"
    assert manifest(files)["reading"]["types"] == ["x:C"]
    assert set(manifest(files)["inputs"]) == {"left", "right"}


def test_recorded_options_come_back() -> None:
    options = ReadingOptions("csv", "1,2,3", ["r"], ("s",), ["en"], ["default"])
    back = ReadingOptions.recorded(json.loads(json.dumps(options.record())))
    assert back == ReadingOptions("csv", "1,2,3", ["r"], ["s"], ["en"], ["default"])


@pytest.fixture(scope="module")
def made() -> lightea.Alignment:
    pair = make_pair(300)
    seeds, _ = pair.links.split(0.5, random_seed=0)
    config = lightea.Config.for_preset("auto", label_width=64, sketch_width=256)
    return lightea.align(pair.left, pair.right, seeds, config=config)


def test_the_manifest_holds_calibration_and_quality(made: lightea.Alignment, tmp_path: Path) -> None:
    write_run(made, tmp_path / "run")
    found = manifest(tmp_path)
    assert made.calibration is not None
    assert made.quality is not None
    assert found["quality"] == pytest.approx(
        {
            "threshold": made.quality.threshold,
            "precision": made.quality.precision,
            "recall": made.quality.recall,
            "f1": made.quality.f1,
        }
    )
    kept = found["calibration"]
    assert kept["hidden_seeds"] == made.calibration.n_hidden
    assert kept["threshold"] == made.config.threshold
    assert len(kept["reliability"]) == 10
    assert sum(one["n_links"] for one in kept["reliability"]) > 0


def test_the_summary_says_what_to_expect(made: lightea.Alignment) -> None:
    assert made.quality is not None
    assert f"Estimated precision {made.quality.precision:.3f}" in estimate(made)
    assert "seeds that were held back" in estimate(made)


def test_where_there_is_no_estimate_the_summary_says_why(made: lightea.Alignment) -> None:
    pair = make_pair(100)
    basic = lightea.align(pair.left, pair.right, pair.links, preset="basic")
    few = lightea.align(
        pair.left,
        pair.right,
        pair.links.split(0.2, random_seed=0)[0],
        config=made.config.replace(threshold=0.1),
    )
    assert "there are no links" in estimate(made.above(1.1))
    assert "preset basic are not calibrated" in estimate(basic) or len(basic) == 0
    assert "20 seeds are too few" in estimate(few)


def test_writing_tells_how_far_it_is(made: lightea.Alignment, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    write_run(made, tmp_path / "run", progress=lambda *one: told.append(one))
    assert ("report", 0, 0) in told
    assert told[-1] == ("writing", 3, 3)
