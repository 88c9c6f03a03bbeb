"""Places where nothing can be put are refused before there is anything to put."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lightea import outputs
from lightea.errors import OutputError


def test_a_mount_point_is_refused_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted = tmp_path / "out"
    mounted.mkdir()
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == mounted)
    with pytest.raises(OutputError, match="is a mount point") as caught:
        outputs.check_directory(mounted, lambda _: None)
    assert caught.value.hint == "name a directory inside it"
    outputs.check_directory(mounted / "run", lambda _: None)


def test_a_file_that_is_mounted_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounted = tmp_path / "figures.json"
    mounted.write_text("")
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == mounted)
    with pytest.raises(OutputError, match="is a mount point"):
        outputs.check_file(mounted)
