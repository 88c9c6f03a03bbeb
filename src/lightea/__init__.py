"""Entity alignment: which entities of two knowledge graphs are the same, how sure, and why."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lightea._version import __version__

if TYPE_CHECKING:
    from lightea.alignment import Alignment
    from lightea.config import Config
    from lightea.errors import LighteaError
    from lightea.evaluation import Scores, evaluate
    from lightea.exchange import Publication, write_links
    from lightea.graph import KnowledgeGraph, Links
    from lightea.pipeline import align
    from lightea.reading import Benchmark, read, read_benchmark, read_links, read_names
    from lightea.renewal import Update, update

_HOMES = {
    "Alignment": "alignment",
    "Benchmark": "reading",
    "Config": "config",
    "KnowledgeGraph": "graph",
    "LighteaError": "errors",
    "Links": "graph",
    "Publication": "exchange",
    "Scores": "evaluation",
    "Update": "renewal",
    "align": "pipeline",
    "evaluate": "evaluation",
    "read": "reading",
    "read_benchmark": "reading",
    "read_links": "reading",
    "read_names": "reading",
    "update": "renewal",
    "write_links": "exchange",
}

__all__ = [
    "Alignment",
    "Benchmark",
    "Config",
    "KnowledgeGraph",
    "LighteaError",
    "Links",
    "Publication",
    "Scores",
    "Update",
    "__version__",
    "align",
    "evaluate",
    "read",
    "read_benchmark",
    "read_links",
    "read_names",
    "update",
    "write_links",
]


def __getattr__(name: str) -> Any:
    """Import public names on first use, so that `import lightea` itself costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'lightea' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"lightea.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
