"""Benchmark folders of all layouts: whose entity is whose, and which links are for what."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lightea.errors import ConfigError, ReadError
from lightea.graph import KnowledgeGraph, Links
from lightea.reading import read_benchmark

Pairs = list[tuple[str, str]]


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace(" ", "\t"), encoding="utf-8")
    return folder


def pairs(links: Links) -> Pairs:
    return list(zip(links.left, links.right, strict=True))


def facts(graph: KnowledgeGraph) -> list[tuple[str, str, str]]:
    entities, relations = graph.entities.to_list(), graph.relations.to_list()
    columns = zip(graph.heads, graph.relation_ids, graph.tails, strict=True)
    return [(entities[h], relations[r], entities[t]) for h, r, t in columns]


JAPE = {
    "triples_1": "0 0 1\n1 1 2\n2 0 9\n",
    "triples_2": "0 0 5\n5 0 6\n",
    "ent_ids_1": "0 http://l/0\n1 http://l/1\n2 http://l/2\n3 http://l/lonely\n",
    "ent_ids_2": "0 http://r/0\n5 http://r/5\n6 http://r/6\n",
    "sup_ent_ids": "0 0\n",
    "ref_ent_ids": "2 6\n1 5\n",
    "translated_names.json": '[[0, ["zero", "hero"]], [5, ["five"]], [99, ["nobody"]]]',
    "notes": "anything",
}


def test_numbers_of_either_side_get_the_names_of_that_side(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path / "zh_en", JAPE))
    assert data.name == "zh_en"
    assert facts(data.left) == [
        ("http://l/0", "0", "http://l/1"),
        ("http://l/1", "1", "http://l/2"),
        ("http://l/2", "0", "9"),
    ]
    assert facts(data.right) == [("http://r/0", "0", "http://r/5"), ("http://r/5", "0", "http://r/6")]
    assert "http://l/lonely" in data.left.entities


def test_translated_names_become_literals_of_the_entities_they_are_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    apart = {
        "triples_1": "0 0 1\n",
        "triples_2": "5 0 6\n",
        "ent_ids_1": "0 http://l/0\n1 http://l/1\n",
        "ent_ids_2": "5 http://r/5\n6 http://r/6\n",
        "ref_ent_ids": "0 5\n",
        "translated_names.json": '[[0, ["zero", "hero"]], [5, ["five"]], [99, ["nobody"]]]',
    }
    data = read_benchmark(write(tmp_path / "apart", apart))
    left, right = (
        graph.attributes.select("entity", "attribute", "value") for graph in (data.left, data.right)
    )
    assert left.rows() == [(0, "translated_name", "zero hero")]
    assert right.rows() == [(0, "translated_name", "five")]
    assert not caplog.records
    data = read_benchmark(write(tmp_path / "mixed", JAPE))
    assert data.left.attributes.is_empty()
    assert "may be entities of either side" in caplog.text


def test_a_folder_may_bring_its_own_split(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path, JAPE))
    assert pairs(data.train) == [("http://l/0", "http://r/0")]
    assert pairs(data.test) == [("http://l/1", "http://r/5"), ("http://l/2", "http://r/6")]
    assert pairs(data.links) == sorted(pairs(data.train) + pairs(data.test))


def test_a_pair_may_carry_one_number_for_both_sides(tmp_path: Path) -> None:
    files = JAPE | {"triples_2": "0 0 1\n", "ent_ids_2": "1 http://r/1\n", "ref_ent_ids": "1 1\n"}
    data = read_benchmark(write(tmp_path, files))
    assert pairs(data.train) == [("http://l/0", "0")]
    assert facts(data.right) == [("0", "0", "http://r/1")]
    assert data.links.resolve(data.left, data.right).n_unknown == 0


def test_a_benchmark_is_shown_on_one_line(tmp_path: Path) -> None:
    folder = write(tmp_path / "tiny", JAPE)
    assert repr(read_benchmark(folder)) == (
        "Benchmark('tiny': 5 and 3 entities, 3 links, 1 to learn from, 2 to find)"
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"train": "0.3"}, "train is '0.3', but must be a number"),
        ({"fold": 1.5}, "fold is 1.5, but must be a whole number"),
        ({"random_seed": None}, "random_seed is None, but must be a whole number"),
        ({"train": True}, "train is True, but must be a number"),
    ],
)
def test_settings_of_another_type_are_refused(tmp_path: Path, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        read_benchmark(write(tmp_path, JAPE), **options)


def test_relations_get_names_where_the_folder_has_them(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path, JAPE | {"rel_ids_1": "0 http://p/zero\n"}))
    assert data.left.relations.to_list() == ["1", "http://p/zero"]
    assert data.right.relations.to_list() == ["0"]


def test_two_numbers_with_one_name_stay_two_entities(tmp_path: Path) -> None:
    ids = "0 http://l/0\n1 http://l/same\n2 http://l/same\n"
    data = read_benchmark(write(tmp_path, JAPE | {"ent_ids_1": ids}))
    assert data.left.entities.to_list() == ["9", "http://l/0", "http://l/same (1)", "http://l/same (2)"]
    assert pairs(data.test) == [("http://l/same (1)", "http://r/5"), ("http://l/same (2)", "http://r/6")]


OPENEA = {
    "rel_triples_1": "l:a r:p l:b\nl:b r:p l:c\n",
    "rel_triples_2": "r:a r:p r:b\nr:b r:p r:c\n",
    "attr_triples_1": 'l:a p:label "A"@en\nl:d p:text plain text\nl:b p:nothing\n\nl:d p:text x\u2028y\n',
    "ent_links": "l:a r:a\nl:b r:b\nl:c r:c\n",
    "721_5fold/1/train_links": "l:a r:a\n",
    "721_5fold/1/valid_links": "l:b r:b\n",
    "721_5fold/1/test_links": "l:c r:c\n",
    "721_5fold/2/train_links": "l:c r:c\n",
    "721_5fold/2/valid_links": "l:b r:b\n",
    "721_5fold/2/test_links": "l:a r:a\n",
    "20_fold/3/train_links": "l:b r:b\n",
    "20_fold/3/test_links": "l:a r:a\n",
}


def test_a_fold_is_a_split(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path, OPENEA), fold=2)
    assert (pairs(data.train), pairs(data.test)) == ([("l:c", "r:c")], [("l:a", "r:a")])
    assert len(data.links) == 3


def test_without_a_wish_the_first_fold_is_taken(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path, OPENEA))
    assert (pairs(data.train), pairs(data.test)) == ([("l:a", "r:a")], [("l:c", "r:c")])


def test_attributes_are_read_however_they_are_written(tmp_path: Path) -> None:
    left = read_benchmark(write(tmp_path, OPENEA)).left
    assert left.entities.to_list() == ["l:a", "l:b", "l:c", "l:d"]
    assert left.attributes.rows() == [
        (0, "p:label", "A", None, "en"),
        (3, "p:text", "plain\ttext", None, None),
        (3, "p:text", "x\u2028y", None, None),
    ]


def test_links_are_known_from_the_folds_alone(tmp_path: Path) -> None:
    files = {name: text for name, text in OPENEA.items() if name != "ent_links"}
    assert len(read_benchmark(write(tmp_path, files), train=0.0).links) == 3


CONTEA = {
    "base/triples_1": "0 0 1\n",
    "base/triples_2": "0 0 1\n",
    "base/train_links": "0 0\n",
    "base/valid_links": "1 1\n",
    "base/test_links": "7 7\n",
    "batch2/new_triples_1": "1 0 2\n0 0 1\n",
    "batch2/new_triples_2": "1 1 3\n",
    "batch2/all_test_links": "7 7\n2 3\n",
    "batch10/new_triples_1": "2 0 4\n",
    "batch10/new_triples_2": "3 1 4\n",
    "batch10/all_test_links": "2 3\n4 4\n2 3\n",
}


def test_a_growing_graph_is_read_with_all_its_batches(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path, CONTEA))
    assert facts(data.left) == [("0", "0", "1"), ("1", "0", "2"), ("2", "0", "4")]
    assert facts(data.right) == [("0", "0", "1"), ("1", "1", "3"), ("3", "1", "4")]
    assert (pairs(data.train), pairs(data.test)) == ([("0", "0")], [("2", "3"), ("4", "4")])
    assert pairs(data.links) == [("0", "0"), ("1", "1"), ("2", "3"), ("4", "4")]


def numbered(count: int) -> dict[str, str]:
    return {
        "triples_1": "".join(f"{i} 0 {i + 1}\n" for i in range(count)),
        "triples_2": "".join(f"{i} 0 {i + 1}\n" for i in range(count)),
        "ref_ent_ids": "".join(f"{i} {i}\n" for i in range(count)),
    }


def test_a_share_of_all_links_is_drawn_by_the_seed(tmp_path: Path) -> None:
    folder = write(tmp_path, numbered(50))
    one, same, other = (read_benchmark(folder, train=0.25, random_seed=seed) for seed in (1, 1, 2))
    assert (len(one.train), len(one.test)) == (round(0.25 * 50), 50 - round(0.25 * 50))
    assert sorted(pairs(one.train) + pairs(one.test)) == pairs(one.links)
    assert pairs(one.train) == pairs(same.train)
    assert pairs(one.train) != pairs(other.train)


def test_the_order_of_the_files_does_not_change_the_draw(tmp_path: Path) -> None:
    files = numbered(50)
    lines = files["ref_ent_ids"].splitlines(keepends=True)
    turned = files | {"ref_ent_ids": "".join(reversed(lines[20:])), "sup_ent_ids": "".join(lines[:20])}
    one = read_benchmark(write(tmp_path / "one", files), train=0.3)
    other = read_benchmark(write(tmp_path / "other", turned), train=0.3)
    assert pairs(one.train) == pairs(other.train)
    assert pairs(one.test) == pairs(other.test)


def test_without_any_split_three_tenths_are_for_training(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path, numbered(50)))
    assert len(data.train) == 15


def test_no_seeds_may_be_asked_for(tmp_path: Path) -> None:
    data = read_benchmark(write(tmp_path, JAPE), train=0)
    assert (len(data.train), len(data.test)) == (0, 3)


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        ({"train": 1.0}, "train is 1, but must be at least 0 and less than 1"),
        ({"train": -0.1}, "train is -0.1"),
        ({"train": float("nan")}, "train is nan"),
        ({"train": 0.3, "fold": 1}, "cannot both be given"),
        ({"fold": 3}, "has no fold 3\nhint: its folds are: 1, 2"),
        ({"random_seed": -1}, "random_seed is -1"),
    ],
)  # fmt: skip
def test_a_wish_that_cannot_be_met_is_refused(tmp_path: Path, wish: dict[str, float], sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_benchmark(write(tmp_path, OPENEA), **wish)  # type: ignore[arg-type]
    assert sentence in str(caught.value)


def test_a_folder_without_folds_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no folds, but fold 1 was asked for"):
        read_benchmark(write(tmp_path, JAPE), fold=1)


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        (["triples_1"], "the folder holds no graph 1"),
        (["triples_2"], "the folder holds no graph 2"),
        (["ref_ent_ids", "sup_ent_ids"], "the folder holds no links"),
    ],
)
def test_a_folder_that_lacks_a_part_says_which(tmp_path: Path, missing: list[str], sentence: str) -> None:
    files = {name: text for name, text in JAPE.items() if name not in missing}
    with pytest.raises(ReadError, match=sentence):
        read_benchmark(write(tmp_path, files))


def test_a_folder_of_folders_points_to_those_inside(tmp_path: Path) -> None:
    write(tmp_path / "0_3", JAPE)
    with pytest.raises(ReadError) as caught:
        read_benchmark(tmp_path)
    assert caught.value.hint == "perhaps a folder in it is meant: 0_3"


def test_a_path_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="there is no such folder"):
        read_benchmark(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReadError, match="a benchmark is a folder"):
        read_benchmark(tmp_path / "file")


COUNTS = {
    "dbp15k/zh_en": (19_388, 1_701, 70_414, 19_572, 1_323, 95_142, 15_000),
    "dbp15k/ja_en": (19_814, 1_299, 77_214, 19_780, 1_153, 93_484, 15_000),
    "srprs/fr_en": (15_000, 221, 36_508, 15_000, 177, 33_532, 15_000),
    "openea/EN_FR_15K_V1": (15_000, 267, 47_334, 15_000, 210, 40_864, 15_000),
    "contea/zh_en": (84_381, 1_701, 229_383, 132_425, 1_323, 400_306, 30_112),
}


@pytest.mark.data
@pytest.mark.parametrize("folder", COUNTS)
def test_published_folders_hold_what_is_published_of_them(folder: str) -> None:
    if "LIGHTEA_DATA" not in os.environ:
        pytest.skip("needs the benchmark folders: set LIGHTEA_DATA to the folder that holds them")
    data = read_benchmark(Path(os.environ["LIGHTEA_DATA"]) / folder)
    sizes = [(side.n_entities, side.n_relations, side.n_triples) for side in (data.left, data.right)]
    assert (*sizes[0], *sizes[1], len(data.links)) == COUNTS[folder]
    assert data.links.resolve(data.left, data.right).n_unknown == 0


def test_links_that_a_fold_leaves_out_are_unasked(tmp_path: Path) -> None:
    files = {
        "rel_triples_1": "a r b\nb r c\nc r a\n",
        "rel_triples_2": "A r B\nB r C\nC r A\n",
        "ent_links": "a A\nb B\nc C\n",
        "721_5fold/1/train_links": "a A\n",
        "721_5fold/1/valid_links": "b B\n",
        "721_5fold/1/test_links": "c C\n",
    }
    data = read_benchmark(write(tmp_path, files), fold=1)
    assert pairs(data.unasked) == [("b", "B")]
    assert pairs(read_benchmark(tmp_path, train=0.3).unasked) == []
