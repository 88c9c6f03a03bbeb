"""How links are described to those they are handed to: namespaces, sources, licence, date."""

from __future__ import annotations

import dataclasses
import datetime
import re
from dataclasses import dataclass, field

from lightea.errors import ConfigError
from lightea.exchange.iris import is_iri
from lightea.exchange.prefixes import BUILT_IN

UNSPECIFIED_LICENSE = "https://w3id.org/sssom/license/unspecified"
_PREFIX = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


@dataclass(frozen=True)
class Publication:
    """What the files say of the links beside the links; all of it has a default."""

    left_namespace: str = "urn:lightea:left:"
    """What stands before left names that are no IRIs, such as `http://example.org/id/`."""
    right_namespace: str = "urn:lightea:right:"
    left_source: str | None = None
    """An IRI for the left graph; made from its name where none is given."""
    right_source: str | None = None
    left_version: str | None = None
    """The version of the left graph; the hash of its file or of its facts where none is given."""
    right_version: str | None = None
    license: str = UNSPECIFIED_LICENSE
    prefixes: dict[str, str] = field(default_factory=dict)
    """Short names of namespaces: IRIs are written short by them, and short names are spelt out."""
    date: datetime.date | None = None
    """When the links were found. Without one the same links are the same bytes on any day."""
    no_term_found: bool = False
    """Whether SSSOM also lists the left entities that more probably have no counterpart than one."""

    def __post_init__(self) -> None:
        for setting in ("left_namespace", "right_namespace", "left_source", "right_source", "license"):
            value = getattr(self, setting)
            if value is not None and not is_iri(value):
                raise ConfigError(
                    f"{setting} is {value!r}, but must be an IRI such as http://example.org/id/"
                )
        for prefix, namespace in self.prefixes.items():
            _check_prefix(prefix, namespace)

    def with_versions(self, left: str | None, right: str | None) -> Publication:
        """The same with these versions where none was given."""
        return dataclasses.replace(
            self, left_version=self.left_version or left, right_version=self.right_version or right
        )


def _check_prefix(prefix: str, namespace: str) -> None:
    if not _PREFIX.fullmatch(prefix):
        raise ConfigError(
            f"the prefix {prefix!r} is no name", hint="take letters, digits, _ and ., a letter first"
        )
    if not is_iri(namespace):
        raise ConfigError(
            f"the prefix {prefix} stands for {namespace!r}, but must stand for an IRI",
            hint="such as HP=http://purl.obolibrary.org/obo/HP_",
        )
    if BUILT_IN.get(prefix, namespace) != namespace:
        raise ConfigError(f"the prefix {prefix} belongs to {BUILT_IN[prefix]}", hint="choose another name")
