"""Names by vectors of a file: the formats that are read, and what is said of those that do not fit."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from lightea.config import Config
from lightea.encoding import encoded_names
from lightea.errors import LighteaError
from lightea.graph import KnowledgeGraph
from lightea.name_space import NameSpace
from lightea.reading import word_vectors
from small_graphs import named_graph

WORDS = {"cat": [1.0, 0.0, 0.5], "chat": [0.9, 0.1, 0.5], "dog": [0.0, 1.0, 0.25], "chien": [0.1, 0.9, 0.25]}
LEFT = named_graph([("cat", "eats", "dog")], name="english")
RIGHT = named_graph([("chat", "mange", "chien")], name="french")


def text(words: dict[str, list[float]], header: str = "") -> str:
    return header + "".join(f"{word} {' '.join(map(str, vector))}\n" for word, vector in words.items())


def binary(words: dict[str, list[float]]) -> bytes:
    rows = b"".join(
        word.encode() + b" " + struct.pack("<3f", *vector) + b"\n" for word, vector in words.items()
    )
    return f"{len(words)} 3\n".encode() + rows


def space(path: Path, left: KnowledgeGraph = LEFT, right: KnowledgeGraph = RIGHT) -> NameSpace:
    found = encoded_names(left, right, Config.for_preset("auto", names=f"vectors:{path}"))
    assert found is not None
    return found.space


def nearest(
    found: NameSpace, graphs: tuple[KnowledgeGraph, KnowledgeGraph] = (LEFT, RIGHT)
) -> dict[str, str]:
    left, right = graphs
    rows = np.arange(left.n_entities, dtype=np.int32)
    indptr, ids = found.nearest(rows, np.ones(right.n_entities, np.bool_), 1, threads=1)
    return {
        left.entities[i]: right.entities[int(ids[indptr[i]])]
        for i in rows.tolist()
        if indptr[i] < indptr[i + 1]
    }


@pytest.mark.parametrize(
    "content",
    [text(WORDS).encode(), text(WORDS, "4 3\n").encode(), binary(WORDS)],
    ids=["GloVe", "fastText", "word2vec binary"],
)
def test_word_vectors_are_read_in_every_format(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "words.vec"
    path.write_bytes(content)
    read = {word: vector.tolist() for word, vector in word_vectors(path, lambda word: word != "dog")}
    assert {word: pytest.approx(vector) for word, vector in WORDS.items() if word != "dog"} == read
    assert nearest(space(path)) == {"cat": "chat", "dog": "chien"}


def test_own_vectors_are_taken_in_the_order_of_the_identifiers(tmp_path: Path) -> None:
    """Sorted: cat, dog; chat, chien."""
    np.save(tmp_path / "own.npy", np.array([[1, 0.1], [0.1, 1], [1, 0], [0, 1]]))
    assert nearest(space(tmp_path / "own.npy")) == {"cat": "chat", "dog": "chien"}


def test_own_vectors_may_name_their_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "own.npy", np.array([[0, 1], [1, 0], [1, 0], [0, 1.0], [0, 0]]))
    (tmp_path / "own.ids").write_text("chien\nchat\ncat\ndog\nnobody\n", encoding="utf-8")
    assert nearest(space(tmp_path / "own.npy")) == {"cat": "chat", "dog": "chien"}


def test_own_vectors_need_no_names(tmp_path: Path) -> None:
    left, right = named_graph([("Q1", "p", "Q2")]), named_graph([("Q8", "p", "Q9")])
    np.save(tmp_path / "own.npy", np.array([[1, 0.1], [0.1, 1], [1, 0], [0, 1]]))
    found = space(tmp_path / "own.npy", left, right)
    assert nearest(found, (left, right)) == {"Q1": "Q8", "Q2": "Q9"}


def test_similarities_and_labels_agree(tmp_path: Path) -> None:
    path = tmp_path / "own.npy"
    vectors = np.random.default_rng(0).standard_normal((4, 50))
    np.save(path, vectors)
    found = space(path)
    rows = np.arange(2, dtype=np.int32)
    given = found.similarities(rows, np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32)).reshape(2, 2)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(given, np.maximum(unit[:2] @ unit[2:].T, 0), atol=0.02)
    codes = found.labels(8192)
    labels = codes.values * codes.inverse_norms[:, None]
    np.testing.assert_allclose(labels[:2] @ labels[2:].T, unit[:2] @ unit[2:].T, atol=0.05)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no word vectors"),
        (b"<html>\n", "these are no word vectors"),
        (text({**WORDS, "bird": [1.0]}).encode(), "the vector of 'bird' has 1 numbers, others have 3"),
        (text({"cat": [1.0, 2.0]}).replace("2.0", "x").encode(), "these are no word vectors"),
        (text(WORDS).replace("0.9", "nan").encode(), "hold NaN or infinity"),
        (binary(WORDS)[:-8], "the file ends after 3 of 4 vectors"),
        (text({"maus": [1.0, 0.0]}).encode(), "none of the 4 words in the names has a vector there"),
    ],
)
def test_what_is_wrong_with_word_vectors_is_said(content: bytes, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "words.vec"
    path.write_bytes(content)
    with pytest.raises(LighteaError, match=problem):
        space(path)


@pytest.mark.parametrize(
    ("matrix", "problem"),
    [
        (np.ones((3, 2)), "there are 3 vectors, but 2 \\+ 2 entities"),
        (np.ones(4), "these are no vectors"),
        (np.full((4, 2), np.nan), "4 of 4 vectors hold NaN or infinity, the first in row 0"),
        (np.array([["a"]]), "these are no vectors"),
        (np.array([{"a": 1}], dtype=object), "the vectors cannot be read"),
    ],
)
def test_what_is_wrong_with_own_vectors_is_said(matrix: np.ndarray, problem: str, tmp_path: Path) -> None:
    np.save(tmp_path / "own.npy", matrix, allow_pickle=True)
    with pytest.raises(LighteaError, match=problem):
        space(tmp_path / "own.npy")


def test_a_list_of_identifiers_must_fit_the_vectors(tmp_path: Path) -> None:
    np.save(tmp_path / "own.npy", np.ones((3, 2)))
    (tmp_path / "own.ids").write_text("cat\nchat\n", encoding="utf-8")
    with pytest.raises(LighteaError, match="3 vectors, but 2 lines in own"):
        space(tmp_path / "own.npy")
    (tmp_path / "own.ids").write_text("cat\ndog\nbird\n", encoding="utf-8")
    with pytest.raises(LighteaError, match="names no entity of one of the graphs"):
        space(tmp_path / "own.npy")


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    for name in ("none.npy", "none.vec"):
        with pytest.raises(LighteaError, match=r"cannot be read|no such file"):
            space(tmp_path / name)
