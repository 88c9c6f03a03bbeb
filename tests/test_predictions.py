"""Other methods' predictions: scored as our own are, and refused in clear sentences where something lacks."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lightea
from handmade import alignment as made
from handmade import graph
from lightea import cli
from lightea.errors import InputError
from lightea.predictions import NEAREST, Task, candidates_tsv, predicted_alignment
from lightea.synthetic import write_pair

PAGE = Path(__file__).parent.parent / "docs" / "your-own-method.md"


def task(n_left: int = 4, n_right: int = 4, size: int = 30) -> Task:
    """Who takes part: the first few of each side."""
    return Task(
        None,
        graph("l", size),
        graph("r", size),
        np.arange(n_left, dtype=np.int32),
        np.arange(n_right, dtype=np.int32),
    )


def table(folder: Path, *rows: str, header: str = "left\tright\tscore") -> Path:
    path = folder / "predictions.tsv"
    path.write_text("\n".join([*([header] if header else []), *rows]) + "\n", encoding="utf-8")
    return path


def vectors(folder: Path, left: object, right: object) -> Path:
    """A directory of vectors for the first entities of each side."""
    place = folder / "vectors"
    place.mkdir(exist_ok=True)
    for side, values in (("left", left), ("right", right)):
        rows = np.asarray(values)
        np.save(place / f"{side}.npy", rows, allow_pickle=True)
        names = "".join(f"{side[0]}{number:03}\n" for number in range(len(rows)))
        (place / f"{side}.txt").write_text(names, encoding="utf-8")
    return place


FULL = ("l000\tr000\t0.9", "l001\tr001\t0.5", "l002\tr002\t3", "l003\tr003\t-1e-3")


def test_pairs_with_scores_rank_the_candidates(tmp_path: Path) -> None:
    file = table(tmp_path, *FULL, "l000\tr001\t0.8", "l001\tr000\t0.7")
    scores = lightea.evaluate(predicted_alignment(file, task()), [(i, i) for i in range(4)])
    assert scores.hits_at_1 == 3 / 4
    assert scores.mrr == (3 + 1 / 2) / 4


def test_equal_scores_are_a_tie_whatever_the_order_of_lines(tmp_path: Path) -> None:
    file = table(tmp_path, *FULL[1:], "l000\tr001\t0.5", "l000\tr000\t0.5")
    scores = lightea.evaluate(predicted_alignment(file, task()), [(0, 0)])
    assert (scores.hits_at_1, scores.mrr) == (0.5, 0.75)


def test_scores_that_single_precision_cannot_tell_apart_are_no_tie(tmp_path: Path) -> None:
    file = table(tmp_path, *FULL[1:], "l000\tr001\t0.10000000000000001", "l000\tr000\t0.1000000000001")
    assert lightea.evaluate(predicted_alignment(file, task()), [(0, 0)]).hits_at_1 == 1


def test_the_score_decides_where_probabilities_are_equal(tmp_path: Path) -> None:
    rows = ("l000\tr000\t0.5\t1", "l000\tr001\t0.5\t2", "l000\tr002\t0.6\t0")
    file = table(tmp_path, *rows, header="left\tright\tprobability\tscore")
    found = predicted_alignment(file, task(n_left=1))
    assert [lightea.evaluate(found, [(0, right)]).mrr for right in (0, 1, 2)] == pytest.approx(
        [1 / 3, 1 / 2, 1]
    )


def test_two_columns_are_links(tmp_path: Path) -> None:
    file = table(tmp_path, "l000\tr000", "l001\tr002", "l002\tr001", "l003\tr003", header="")
    scores = lightea.evaluate(predicted_alignment(file, task()), [(i, i) for i in range(4)])
    assert (scores.hits_at_1, scores.precision, scores.n_predicted) == (0.5, 0.5, 4)


def test_columns_may_stand_in_any_order_and_others_beside_them(tmp_path: Path) -> None:
    file = table(tmp_path, "x\t0.5\tr000\tl000", header="note\tsimilarity\ttarget\tsource")
    found = predicted_alignment(file, task(n_left=1))
    assert lightea.evaluate(found, [(0, 0)]).hits_at_1 == 1


@pytest.mark.parametrize("ending", ["csv", "parquet", "tsv.gz"])
def test_other_formats_of_tables_are_read(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"predictions.{ending}"
    content = pl.DataFrame({"left": ["l000"], "right": ["r001"], "score": [0.5]})
    if ending == "csv":
        content.write_csv(file)
    elif ending == "parquet":
        content.write_parquet(file)
    else:
        file.write_bytes(gzip.compress(content.write_csv(separator="\t").encode()))
    found = predicted_alignment(file, task(n_left=1))
    assert lightea.evaluate(found, [(0, 1)]).hits_at_1 == 1


def test_links_are_each_others_single_best_above_the_threshold(tmp_path: Path) -> None:
    rows = ("l000\tr000\t0.9", "l001\tr000\t0.8", "l002\tr002\t0.3", "l003\tr003\t0.5", "l003\tr001\t0.5")
    file = table(tmp_path, *rows)
    every = predicted_alignment(file, task())
    assert list(zip(every.left_ids.tolist(), every.right_ids.tolist(), strict=True)) == [(0, 0), (2, 2)]
    sure = predicted_alignment(file, task(), threshold=0.5)
    assert sure.left_ids.tolist() == [0]


def test_candidates_that_do_not_take_part_are_left_out(tmp_path: Path) -> None:
    file = table(tmp_path, *FULL, "l000\tr020\t5", "l020\tr000\t5")
    found = predicted_alignment(file, task())
    assert lightea.evaluate(found, [(0, 0)]).hits_at_1 == 1
    assert len(found) == 4


def test_entities_without_candidates_are_misses_and_said_to_be(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = predicted_alignment(table(tmp_path, *FULL[:1]), task())
    assert "no candidates for 3 of the 4 entities" in caplog.text
    assert lightea.evaluate(found, [(i, i) for i in range(4)]).hits_at_1 == 1 / 4


def test_the_assignment_makes_links_one_to_one(tmp_path: Path) -> None:
    """Two entities want the same partner; one of them has another good one."""
    rows = ("l000\tr000\t0.90", "l000\tr001\t0.85", "l001\tr000\t0.89", "l001\tr001\t0.10")
    file, pairs = table(tmp_path, *rows), [(0, 1), (1, 0)]
    who = task(n_left=2, n_right=2)
    assert lightea.evaluate(predicted_alignment(file, who), pairs).hits_at_1 == 0.5
    assert lightea.evaluate(predicted_alignment(file, who, assigned=True), pairs).hits_at_1 == 1


# Vectors


def test_vectors_are_compared_by_cosine(tmp_path: Path) -> None:
    place = vectors(tmp_path, [[1.0, 0], [0, 5], [1, 1]], [[0, 1], [7, 0.1], [2, 2.1]])
    found = predicted_alignment(place, task(n_left=3, n_right=3))
    assert lightea.evaluate(found, [(0, 1), (1, 0), (2, 2)]).hits_at_1 == 1


def test_equal_vectors_are_tied(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    row = generator.random(33)
    found = predicted_alignment(vectors(tmp_path, [row], [row, 3 * row]), task(n_left=1))
    assert lightea.evaluate(found, [(0, 0)]).hits_at_1 == 0.5


def test_vectors_of_zeros_find_nothing_and_are_found_by_nobody(tmp_path: Path) -> None:
    found = predicted_alignment(vectors(tmp_path, [[0, 0], [1, 0]], [[0, 0], [1, 0]]), task())
    candidates = found.assignment.candidates
    assert candidates.left[candidates.rows].tolist() == [1]
    assert candidates.right[candidates.columns].tolist() == [1]


@settings(deadline=None)
@given(st.integers(1, 300), st.integers(1, 8), st.integers(0, 2**32))
def test_the_nearest_are_those_that_sorting_finds(n_right: int, width: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    left, right = generator.normal(size=(3, width)), generator.normal(size=(n_right, width))
    units = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right)]
    expected = np.sort(units[0] @ units[1].T, axis=1)[:, ::-1][:, :NEAREST]
    with TemporaryDirectory() as folder:
        place = vectors(Path(folder), left, right)
        who = task(n_left=3, n_right=n_right, size=max(3, n_right))
        found = predicted_alignment(place, who, assigned=True).assignment.candidates
    assert found.scores.reshape(3, -1) == pytest.approx(expected, abs=1e-5)


# Refusals


@pytest.mark.parametrize(
    ("rows", "header", "problem"),
    [
        (("l000\tr000\tnan",), "left\tright\tscore", "row 1 of the pairs has the score 'nan'"),
        (("l000\tr000\t1", "l001\tr000\thigh"), "left\tright\tscore", "row 2 .* 'high'.*no finite number"),
        (("l000\tr000\tinf",), "left\tright\tscore", "no finite number"),
        (("l000\tr000\t1", "nobody\tr000\t1"), "left\tright\tscore", "1 of 2 names on the left.*'nobody'"),
        (("l000\tr000\t1", "l000\tr000\t2"), "left\tright\tscore", "'l000' and 'r000'.*twice"),
        (("l000\tr000\t1\t2",), "", "4 columns without a header"),
        (("l000\tr000\t1",), "left\tright\trank_of_it", "no column of scores among left, right, rank_of_it"),
        (("l029\tr000\t1",), "left\tright\tscore", "none of its pairs is between entities that take part"),
        (("l000\tr000\t1", "l001"), "left\tright\tscore", "1 column where 3 are expected"),
        ((), "left\tright\tscore", "there are no pairs"),
        (("<http://a> <http://b> <http://c> .",), "", "RDF statements, which have no scores"),
    ],
)
def test_tables_that_cannot_be_meant_are_refused(
    rows: tuple[str, ...], header: str, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=problem):
        predicted_alignment(table(tmp_path, *rows, header=header), task())


def test_swapped_columns_are_called_so(tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        predicted_alignment(table(tmp_path, "r000\tl000\t1"), task())
    assert "swapped" in str(problem.value)


@pytest.mark.parametrize(
    ("left", "right", "problem"),
    [
        ([[1.0, 2]], [[1.0]], "2 numbers, those of right.npy 1"),
        ([[1.0, np.nan]], [[1.0, 2]], "row 1, of 'l000', holds numbers that are not finite"),
        ([1.0, 2], [[1.0, 2]], "float64 of shape"),
        ([["a", "b"]], [[1.0, 2]], "a table of numbers is needed"),
        ([[{}, {}]], [[1.0, 2]], "no NumPy array of numbers"),
    ],
)
def test_vectors_that_cannot_be_meant_are_refused(
    left: object, right: object, problem: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=problem):
        predicted_alignment(vectors(tmp_path, left, right), task())


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("left.txt", "l000\n", "left.npy has 2 rows, but left.txt names 1"),
        ("left.txt", "l000\nl000\n", "left.txt:1: 'l000' stands twice"),
        ("left.txt", "l000\n\n", "left.txt:2: it is empty"),
        ("left.txt", "l000\nnobody\n", "1 of 2 names on the left"),
        ("right.npy", "no array", "no NumPy array"),
        ("left.txt", None, "there is no such file"),
        ("right.npy", None, "there is no such file"),
    ],
)
def test_directories_of_vectors_that_are_not_whole_are_refused(
    file: str, content: str | None, problem: str, tmp_path: Path
) -> None:
    place = vectors(tmp_path, np.eye(2), np.eye(2))
    if content is None:
        (place / file).unlink()
    else:
        (place / file).write_text(content)
    with pytest.raises(InputError, match=problem):
        predicted_alignment(place, task())


# The command line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_pair(tmp_path / "pair", 120, layout="openea")


def figures(capfd: pytest.CaptureFixture[str], file: Path, *arguments: str) -> dict[str, float]:
    """The mean of what `evaluate --json` writes."""
    assert cli.main(["evaluate", *arguments, "--json", str(file)]) == 0, capfd.readouterr().err
    mean: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))["mean"]
    return {name: mean[name] for name in ("hits@1", "hits@10", "mrr", "precision", "recall", "f1")}


@pytest.mark.parametrize("candidates", ["test", "all"])
def test_our_own_candidates_score_as_they_do_without_the_way_over_a_file(
    candidates: str, folder: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    common = [str(folder), "--train", "0.3", "--random-seed", "3", "--candidates", candidates]
    exported = str(tmp_path / "candidates.tsv")
    own = figures(capfd, tmp_path / "own.json", *common, "--preset", "basic", "--export", exported)
    again = figures(capfd, tmp_path / "again.json", *common, "--predictions", exported, "--threshold", "0.5")
    assert again == own
    assert 0 < own["hits@1"] < 1


def test_numbers_of_the_data_set_may_stand_for_its_names(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "jape"
    folder.mkdir()
    for side, first in (("1", 0), ("2", 100)):
        ids = range(first, first + 10)
        (folder / f"ent_ids_{side}").write_text("".join(f"{i}\thttp://{side}.org/{i}\n" for i in ids))
        facts = "".join(f"{i}\t{first}\t{first + (i + 1) % 10}\n" for i in ids)
        (folder / f"triples_{side}").write_text(facts)
    (folder / "ref_ent_ids").write_text("".join(f"{i}\t{100 + i}\n" for i in range(10)))
    rows = [f"{i}\t{100 + i}\t1" for i in range(5)] + [
        f"http://1.org/{i}\t{100 + i}\t1" for i in range(5, 10)
    ]
    file = table(tmp_path, *rows, header="")
    own = figures(capfd, tmp_path / "a.json", str(folder), "--train", "0", "--predictions", str(file))
    assert own["hits@1"] == own["f1"] == 1


def test_names_with_tabs_and_backslashes_survive_the_way_over_a_file(tmp_path: Path) -> None:
    odd = graph("l", 2)
    names = pl.Series(["a\tb\\n", "c\nd"])
    left = type(odd)(names, odd.relations, odd.heads, odd.relation_ids, odd.tails)
    found = made({0: [(0, 0.9, 0.8)], 1: [(1, 0.5, 0.1), (0, 0.5, 0.2)]}, left=left, right=graph("r", 2))
    file = tmp_path / "candidates.tsv"
    file.write_text(candidates_tsv(found), encoding="utf-8")
    everybody = np.arange(2, dtype=np.int32)
    again = predicted_alignment(file, Task(None, left, graph("r", 2), everybody, everybody))
    assert lightea.evaluate(again, [(0, 0), (1, 1)]).mrr == 0.75


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--assign"], "--assign goes with --predictions alone"),
        (["--threshold", "0.5"], "--threshold goes with --predictions alone"),
        (["--predictions", "p.tsv", "--preset", "auto"], "--preset exclude each other"),
        (["--predictions", "p.tsv", "--names", "none"], "--names exclude each other"),
        (["--predictions", "p.tsv", "--config", "c.toml"], "--config exclude each other"),
        (["--predictions", "p.tsv", "--runs", "2"], "--runs exclude each other"),
        (["--predictions", "p.tsv", "--export", "e.tsv"], "--export exclude each other"),
        (["--predictions", "p.tsv", "--threshold", "nan"], "--threshold is no number"),
        (["--export", "e.tsv", "--runs", "2"], "a file holds one run"),
    ],
)
def test_options_that_do_not_go_together_are_a_usage_error(
    arguments: list[str], problem: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["evaluate", "folder", *arguments]) == 2
    assert problem in " ".join(capfd.readouterr().err.replace("│", " ").split())


def test_predictions_that_are_not_there_are_a_sentence(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["evaluate", str(folder), "--predictions", "gone.tsv"]) == 1
    assert capfd.readouterr().err.startswith("error: gone.tsv: there is no such file")


def test_the_page_about_other_methods_runs_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """On a made-up folder, with the answers as predictions."""
    text = PAGE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    folder = write_pair(tmp_path / "DBP15K" / "zh_en", 60, layout="openea")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    subprocess.run([sys.executable, "-c", script], check=True)
    answers = (tmp_path / "test.tsv").read_text(encoding="utf-8")
    assert len(answers.splitlines()) + len((tmp_path / "train.tsv").read_text().splitlines()) == 60
    header = re.findall(r"```text\n(.*?)\n", text)[0]
    scored = answers.replace("\n", "\t0.5\n")
    (tmp_path / "mine.tsv").write_text(f"{header}\n{scored}", encoding="utf-8")
    data = lightea.read_benchmark(folder, train=0.3, random_seed=0)
    (tmp_path / "vectors").mkdir()
    for side, names in (("left", data.test.left), ("right", data.test.right)):
        np.save(tmp_path / "vectors" / f"{side}.npy", np.eye(len(names)))
        (tmp_path / "vectors" / f"{side}.txt").write_text("\n".join(names))
    commands = [line.split()[1:] for line in text.splitlines() if line.startswith("lightea evaluate")]
    assert len(commands) == 2
    for command in commands:
        assert cli.main(command) == 0
        assert capfd.readouterr().out.count("1.0000") == 6
