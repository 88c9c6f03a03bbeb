"""The options that several commands share, and the settings they make together."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, get_args

import typer

from lightea.cli.settings_file import SettingsFile, read_settings_file, take_options
from lightea.config import DEFAULT_PRESET, NAME_CHOICES, PRESETS, VECTORS, Cardinality, Config
from lightea.errors import ConfigError
from lightea.machine import available_cores


def _known_preset(preset: str | None) -> str | None:
    if preset is not None and preset not in PRESETS:
        raise typer.BadParameter(f"{preset!r} is not one of {', '.join(PRESETS)}")
    return preset


def _known_names(names: str | None) -> str | None:
    if names is not None:
        try:
            Config(names=names)
        except ConfigError as problem:
            raise typer.BadParameter(problem.message) from problem
    return names


def _known_cardinality(cardinality: str | None) -> str | None:
    known = get_args(Cardinality)
    if cardinality is not None and cardinality not in known:
        raise typer.BadParameter(f"{cardinality!r} is not one of {', '.join(known)}")
    return cardinality


_UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_SIZE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([KMGT]?)(I?)B?", re.IGNORECASE)


def bytes_of(size: str | float) -> float:
    """Bytes from a size such as 4GB, 1.5G, 800MB or 2GiB."""
    found = _SIZE.fullmatch(str(size).strip())
    if found is None or float(found[1]) <= 0:
        raise typer.BadParameter(f"{size!r} is not a size of memory such as 4GB or 800MB")
    unit = _UNITS[found[2].upper()]
    return float(found[1]) * (unit if not found[3] else 1024.0 ** list(_UNITS.values()).index(unit))


PresetOption = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="|".join(PRESETS),
        callback=_known_preset,
        autocompletion=lambda: list(PRESETS),
        help=f"The system to run. [default: {DEFAULT_PRESET}]",
        show_default=False,
    ),
]
NamesOption = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="|".join((*NAME_CHOICES, f"{VECTORS}FILE")),
        callback=_known_names,
        autocompletion=lambda: [*NAME_CHOICES, VECTORS],
        help=f"How names of entities are compared, too. [default: {Config().names}]",
        show_default=False,
    ),
]
NamesFileOption = Annotated[
    Path | None,
    typer.Option(
        "--names-file",
        metavar="FILE",
        help="Names of entities: identifier, tab, name on each line; instead of those in the graphs.",
    ),
]
NameIdsOption = Annotated[
    bool,
    typer.Option(
        "--names-from-ids",
        help="Take no names but the readable parts of the identifiers, whatever else the data states.",
    ),
]
ConfigOption = Annotated[
    SettingsFile | None,
    typer.Option(
        "--config",
        metavar="FILE.toml",
        parser=read_settings_file,
        callback=take_options,
        is_eager=True,
        help="Settings and options from a file, which names its own preset.",
    ),
]
ThresholdOption = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="P",
        min=0.0,
        max=1.0,
        help="Report links of at least this probability. [default: chosen by the seeds, or 0.5]",
        show_default=False,
    ),
]
PrecisionOption = Annotated[
    float | None,
    typer.Option(
        "--precision",
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="Report as many links as are estimated to keep this share of right ones.",
    ),
]
CardinalityOption = Annotated[
    str | None,
    typer.Option(
        "--cardinality",
        metavar="|".join(get_args(Cardinality)),
        callback=_known_cardinality,
        autocompletion=lambda: list(get_args(Cardinality)),
        help="How many partners an entity may have. [default: one-to-one]",
        show_default=False,
    ),
]
RandomSeedOption = Annotated[
    int | None,
    typer.Option("--random-seed", metavar="N", min=0, help="Same number, same result. [default: 0]"),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, help="Threads to use. [default: all cores allowed]"),
]
MemoryOption = Annotated[
    float | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=bytes_of,
        help="The most memory to hold, such as 4GB: a run that needs more is refused. [default: no limit, "
        "but a warning]",
        show_default=False,
    ),
]
LogJsonOption = Annotated[
    bool,
    typer.Option("--log-json", help="Write warnings, errors and stages to stderr as lines of JSON."),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no warnings, only results and errors.")
]


def settings(
    preset: str | None,
    file: SettingsFile | None,
    *,
    from_ids: bool = False,
    **given: str | float | None,
) -> Config:
    """The settings of a preset or of a file, with what the command line says on top."""
    config = file.config() if file is not None else Config.for_preset(preset or DEFAULT_PRESET)
    said = {name: value for name, value in given.items() if value is not None}
    if "precision" in said or "threshold" in said:  # each of them overrules both in the file
        config = config.replace(precision=None, threshold=None)
    if from_ids:
        config = config.replace(name_properties=())
    return config.replace(**said)


def refuse_both(first: str, second: str, *, given: bool, why: str) -> None:
    """End with a usage error if two options that exclude each other were both given."""
    if given:
        raise typer.BadParameter(f"{first} and {second} exclude each other: {why}")


def threads_to_use(threads: int | None) -> int:
    """The number asked for, or all cores that this process may use."""
    return available_cores() if threads is None else threads
