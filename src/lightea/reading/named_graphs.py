"""The graphs that statements of N-Quads and TriG stand in, and which of them are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyoxigraph as ox

from lightea.errors import ReadError
from lightea.selection import bare, matches

DEFAULT = "default"
"""What the graph without a name is called."""
_SHOWN = 3


class NamedGraphs:
    """Lets statements of some graphs pass: by name, by a pattern with `*`, or `default`. None: all.

    Documents of formats that know no named graphs pass whole.
    """

    def __init__(self, wanted: Sequence[str]) -> None:
        self._wanted = [bare(name) for name in wanted]
        self._verdicts: dict[str, bool] = {}

    def of(self, quads: Iterable[ox.Quad]) -> Iterator[ox.Quad]:
        """The statements that are in a wanted graph."""
        if not self._wanted:
            return iter(quads)
        return (quad for quad in quads if self._is_wanted(quad))

    def refuse_none(self, path: Path) -> None:
        """Raise `ReadError` if statements were asked about and none was in a wanted graph."""
        if self._verdicts and not any(self._verdicts.values()):
            shown = ", ".join(sorted(self._verdicts)[:_SHOWN])
            raise ReadError(
                path,
                f"no statement is in a graph called {', '.join(self._wanted)}",
                hint=f"its graphs are for example {shown}",
            )

    def _is_wanted(self, quad: ox.Quad) -> bool:
        graph = quad.graph_name
        name = DEFAULT if isinstance(graph, ox.DefaultGraph) else graph.value
        if name not in self._verdicts:
            self._verdicts[name] = matches(name, self._wanted)
        return self._verdicts[name]
