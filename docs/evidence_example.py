"""Run the example of evidence.md and put what it prints into the page: `python docs/evidence_example.py`."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path

PAGE = Path(__file__).with_name("evidence.md")
EXAMPLE = re.compile(r"(```python\n(.*?)```\n\n```text\n)(.*?)(```)", re.DOTALL)


def printed(code: str) -> str:
    """What the example prints, in a directory of its own."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(out):
        exec(compile(code, PAGE.name, "exec"), {})  # noqa: S102  (a page of our own)
    return out.getvalue()


def main() -> None:
    """Rewrite the page."""
    page = PAGE.read_text(encoding="utf-8")
    new = EXAMPLE.sub(lambda found: found[1] + printed(found[2]) + found[4], page, count=1)
    PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
