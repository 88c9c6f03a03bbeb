"""All settings of a run in one frozen record: validated when made, kept with the results as TOML."""

from __future__ import annotations

import dataclasses
import numbers
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from lightea.errors import ConfigError

Preset = Literal["basic", "iterative", "literal", "auto"]
Transliterate = Literal["auto", "always", "never"]
Search = Literal["auto", "exact", "facts"]
Cardinality = Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"]

NAME_CHOICES = ("auto", "none", "char", "encoder")
VECTORS = "vectors:"
"""Before the file of vectors that names are looked up in."""
OWN_VECTORS = ".npy"
"""The ending of files that hold vectors of entities, which then need no names."""
NAME_PROPERTIES = (
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "rdfs:label",
    "skos:prefLabel",
    "schema:name",
    "foaf:name",
    "skos:altLabel",
    "label",
    "name",
    "prefLabel",
    "altLabel",
    "translated_name",
)
"""Attributes whose values are names, as they are called in RDF and in tables."""


@dataclass(frozen=True)
class Config:
    """The settings of `align`; the defaults are those of the preset `basic`, see `for_preset`."""

    preset: Preset = field(default="basic", init=False)
    """The preset that the settings started from."""
    label_width: int = 2048
    """Dimensions of the random labels."""
    hops: int = 2
    """Rounds of three-view propagation."""
    sketch_width: int = 8192
    """Dimensions of the gated sketch, in which entities are compared; made in blocks of `label_width`."""
    proposals: int = 200
    """Right entities that the first block of the sketch proposes for each left entity."""
    search: Search = "auto"
    """How candidates are proposed: `exact` compares all with all; `facts` looks at who shares facts about
    matched entities, in a time that grows with the graphs and not with their product; `auto` goes by cost."""
    candidates: int = 100
    """Proposals kept for each left entity once all of the sketch has been compared."""
    temperature: float = 0.02
    """Divides the scores before the Sinkhorn iteration: lower is more decided."""
    sinkhorn_iterations: int = 100
    rounds: int = 1
    """Bi-directional rounds: confident pairs of one round are labels of the next."""
    evidence_rounds: int = 0
    """Rounds of evidence and assignment in each round of labels; without any, sketches alone decide."""
    cosine_weight: float = 1.0
    """What the cosine of two sketches counts beside the evidence of their facts."""
    no_match_score: float = 0.1
    """Score of each side of a pair for staying alone, both of which it has to beat; only with evidence."""
    accept: float = 0.5
    """Probability from which a pair becomes a label of the next round."""
    names: str = "auto"
    """How names become vectors: `char` (character grams), `encoder` (a small language model), `vectors:FILE`
    (word vectors, or vectors of your own), `none`, or `auto`: character grams where the preset has a use for
    names and most entities have one."""
    name_properties: tuple[str, ...] = NAME_PROPERTIES
    """Attributes whose values are names."""
    name_ids: bool = True
    """Whether the readable part of an identifier is the name of an entity that has no other."""
    transliterate: Transliterate = "auto"
    """Whether `char` puts all names into Latin letters; `auto`: where the sides differ in their scripts."""
    name_weight: float = 1.0
    """What the similarity of names counts beside the evidence, before it is fitted."""
    threshold: float | None = None
    """Probability from which a pair is reported as a link; None leaves it to the run: where seeds could be
    held back, the one with the best F1 to be expected, and 0.5 otherwise."""
    precision: float | None = None
    """Share of the links that should be right; chooses the lowest threshold that is estimated to keep it."""
    cardinality: Cardinality = "one-to-one"
    """How many partners an entity may have; one-to-many: left ones several, each right one at most one."""
    random_seed: int = 0

    def __post_init__(self) -> None:
        _validate(self)

    def replace(self, **changes: Any) -> Config:
        """A copy with some settings changed, validated again."""
        known = [setting.name for setting in dataclasses.fields(self) if setting.init]
        unknown = sorted(set(changes) - set(known))
        if unknown:
            raise ConfigError(f"unknown setting {unknown[0]!r}", hint=f"the settings are: {', '.join(known)}")
        changed = dataclasses.replace(self, **changes)
        object.__setattr__(changed, "preset", self.preset)
        return changed

    def dumps(self) -> str:
        """The settings as TOML, without those that are left to the run."""
        settings = dataclasses.asdict(self).items()
        return "".join(f"{name} = {_toml_value(value)}\n" for name, value in settings if value is not None)

    @classmethod
    def for_preset(cls, preset: str, **changes: Any) -> Config:
        """The settings of a preset, with some changed."""
        if preset not in tuple(PRESETS):  # which also holds for what cannot be a key, such as a list
            raise ConfigError(f"unknown preset {preset!r}", hint=f"the presets are: {', '.join(PRESETS)}")
        return PRESETS[preset].replace(**changes)

    @classmethod
    def loads(cls, text: str) -> Config:
        """Settings from TOML; those not named keep the value of the preset that the text names."""
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            raise ConfigError(f"the settings are not valid TOML: {problem}") from problem
        return cls.for_preset(values.pop("preset", DEFAULT_PRESET), **values)

    @classmethod
    def load(cls, path: Path | str) -> Config:
        """Settings from a TOML file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigError(f"{path}: the settings cannot be read: {problem}") from problem
        try:
            return cls.loads(text)
        except ConfigError as problem:
            raise ConfigError(f"{path}: {problem.message}", hint=problem.hint) from problem


def _toml_value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml_value(one) for one in value) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


_RANGES: dict[str, tuple[float, float]] = {
    "label_width": (8, 32768),
    "hops": (1, 10),
    "sketch_width": (8, 65536),
    "proposals": (1, 10_000),
    "candidates": (1, 10_000),
    "temperature": (1e-4, 10.0),
    "sinkhorn_iterations": (1, 10_000),
    "rounds": (1, 100),
    "evidence_rounds": (0, 100),
    "cosine_weight": (0.0, 100.0),
    "name_weight": (0.0, 100.0),
    "no_match_score": (-100.0, 100.0),
    "accept": (0.0, 1.0),
    "threshold": (0.0, 1.0),
    "precision": (0.0, 1.0),
    "random_seed": (0, 2**63 - 1),
}
_LEFT_OPEN = {"threshold", "precision"}
"""Settings that may be none."""


def _validate(config: Config) -> None:
    for name, kind in (("search", Search), ("cardinality", Cardinality)):
        value, known = getattr(config, name), get_args(kind)
        if value not in known:
            raise ConfigError(f"{name} is {value!r}, but must be one of: {', '.join(known)}")
    _validate_names(config)
    for name, (low, high) in _RANGES.items():
        if name in _LEFT_OPEN and getattr(config, name) is None:
            continue
        number = _plain_number(name, getattr(config, name), type(low))
        if not low <= number <= high:
            raise ConfigError(f"{name} is {number}, but must lie between {low} and {high}")
        object.__setattr__(config, name, number)


def _validate_names(config: Config) -> None:
    if not isinstance(config.names, str) or not (
        config.names in NAME_CHOICES or config.names.removeprefix(VECTORS) not in ("", config.names)
    ):
        known = ", ".join(NAME_CHOICES)
        raise ConfigError(f"names is {config.names!r}, but must be one of: {known}, {VECTORS}FILE")
    if config.transliterate not in get_args(Transliterate):
        known = ", ".join(get_args(Transliterate))
        raise ConfigError(f"transliterate is {config.transliterate!r}, but must be one of: {known}")
    if not isinstance(config.name_ids, bool):
        raise ConfigError(f"name_ids is {config.name_ids!r}, but must be true or false")
    given = config.name_properties
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, str) for one in given):
        raise ConfigError(f"name_properties is {given!r}, but must be a list of attributes")
    object.__setattr__(config, "name_properties", tuple(given))


def _plain_number(name: str, value: object, wanted: type) -> int | float:
    """The value as a Python number; NumPy's are welcome, but would not survive as TOML."""
    kind = numbers.Real if wanted is float else numbers.Integral
    if isinstance(value, bool) or not isinstance(value, kind):
        said = "a number" if wanted is float else "a whole number"
        raise ConfigError(f"{name} is {value!r}, but must be {said}")
    number: int | float = wanted(value)
    return number


def _preset(name: Preset, **changes: Any) -> Config:
    settings = Config(**changes)
    object.__setattr__(settings, "preset", name)
    return settings


DEFAULT_PRESET: Preset = "auto"

PRESETS: dict[str, Config] = {
    "auto": _preset(
        "auto",
        label_width=1024,
        sketch_width=2048,
        proposals=30,
        temperature=0.1,
        sinkhorn_iterations=15,
        rounds=10,
        evidence_rounds=3,
        no_match_score=0.2,
        accept=0.9,
    ),
    "basic": _preset("basic"),
    "iterative": _preset("iterative", rounds=3),
    "literal": _preset("literal", label_width=1024, sketch_width=4096, rounds=3),
}
