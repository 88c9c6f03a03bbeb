"""The log as lines of JSON, for programs that start lightea and watch it."""

from __future__ import annotations

import datetime
import json
from typing import TextIO


class JsonLog:
    """Writes a line of JSON for each message, and for each stage that begins or ends."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last: tuple[str, bool] | None = None

    def message(self, level: str, message: str, hint: str | None = None) -> None:
        """What would be shown as `level: message`."""
        self._write(level=level, message=message, **({} if hint is None else {"hint": hint}))

    def stage(self, stage: str, done: int, total: int) -> None:
        """Progress of a stage; what lies between its beginning and its end is left out."""
        has_ended = done >= total
        if (done == 0 or has_ended) and self._last != (stage, has_ended):
            self._last = stage, has_ended
            self._write(level="info", message=f"{stage} {'done' if has_ended else 'begins'}", stage=stage)

    def _write(self, **facts: str) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        self._stream.write(json.dumps({"time": now, **facts}) + "\n")
        self._stream.flush()
