"""The options that several commands share, and the settings they make together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from lightea.config import DEFAULT_PRESET, PRESETS, Config, Names
from lightea.machine import available_cores


def _known_preset(preset: str | None) -> str | None:
    if preset is not None and preset not in PRESETS:
        raise typer.BadParameter(f"{preset!r} is not one of {', '.join(PRESETS)}")
    return preset


def _known_names(names: str | None) -> str | None:
    if names is not None and names not in get_args(Names):
        raise typer.BadParameter(f"{names!r} is not one of {', '.join(get_args(Names))}")
    return names


PresetOption = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="|".join(PRESETS),
        callback=_known_preset,
        help=f"The system to run. [default: {DEFAULT_PRESET}]",
        show_default=False,
    ),
]
NamesOption = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="|".join(get_args(Names)),
        callback=_known_names,
        help=f"Whether names of entities are compared, too. [default: {Config().names}]",
        show_default=False,
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE.toml", help="Settings from a file, which names its own preset."),
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
RandomSeedOption = Annotated[
    int | None,
    typer.Option("--random-seed", metavar="N", min=0, help="Same number, same result. [default: 0]"),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", min=1, help="Threads to use. [default: all cores allowed]"),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no warnings, only results and errors.")
]


def settings(
    preset: str | None,
    config_file: Path | None,
    *,
    names: str | None = None,
    threshold: float | None = None,
    random_seed: int | None = None,
) -> Config:
    """The settings of a preset or of a file, with what the command line says on top."""
    config = Config.load(config_file) if config_file else Config.for_preset(preset or DEFAULT_PRESET)
    given = {"names": names, "threshold": threshold, "random_seed": random_seed}
    return config.replace(**{name: value for name, value in given.items() if value is not None})


def refuse_both(first: str, second: str, *, given: bool, why: str) -> None:
    """End with a usage error if two options that exclude each other were both given."""
    if given:
        raise typer.BadParameter(f"{first} and {second} exclude each other: {why}")


def threads_to_use(threads: int | None) -> int:
    """The number asked for, or all cores that this process may use."""
    return available_cores() if threads is None else threads
