"""The file of `--config`: settings of the method, and any option of the command under its own name.

What the command line says goes before what the file says. Names may be written with `-` or with `_`.
"""

from __future__ import annotations

import dataclasses
import datetime
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from lightea.config import DEFAULT_PRESET, Config
from lightea.errors import ConfigError

SETTINGS = tuple(setting.name for setting in dataclasses.fields(Config))
"""What belongs to the method; the same names as options only overrule the file."""
_NO_KEYS = {"config", "help", "install_completion", "show_completion"}


@dataclass(frozen=True)
class SettingsFile:
    """A settings file as it was read; what is wrong with it is said when its settings are asked for."""

    path: Path
    values: dict[str, Any]
    options: tuple[str, ...] = ()
    """The options of the command that may stand in the file."""
    problem: str | None = None

    def config(self, default_preset: str = DEFAULT_PRESET) -> Config:
        """The settings of the method."""
        if self.problem is not None:
            raise ConfigError(f"{self.path}: {self.problem}")
        unknown = [name for name in self.values if name not in {*SETTINGS, *self.options}]
        if unknown:
            raise ConfigError(
                f"{self.path}: unknown setting {unknown[0]!r}",
                hint=f"the settings are: {', '.join(SETTINGS)}; the options: {', '.join(self.options)}",
            )
        chosen = {name: value for name, value in self.values.items() if name in SETTINGS}
        try:
            return Config.for_preset(chosen.pop("preset", default_preset), **chosen)
        except ConfigError as problem:
            raise ConfigError(f"{self.path}: {problem.message}", hint=problem.hint) from problem


def read_settings_file(path: str) -> SettingsFile:
    """Read a file, or note why it cannot be read."""
    try:
        values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as problem:
        return SettingsFile(Path(path), {}, problem=f"the settings are not valid TOML: {problem}")
    except (OSError, UnicodeDecodeError) as problem:
        return SettingsFile(Path(path), {}, problem=f"the settings cannot be read: {problem}")
    return SettingsFile(Path(path), {name.replace("-", "_"): value for name, value in values.items()})


def option_keys(command: Any) -> dict[str, Any]:
    """The keys that the options and arguments of a command have in a file, each with its parameter."""
    keys: dict[str, Any] = {}
    for parameter in command.params:
        written = [name for name in parameter.opts if name.startswith("--")] or [parameter.name]
        keys[max(written, key=len).lstrip("-").replace("-", "_")] = parameter
    return {key: parameter for key, parameter in keys.items() if key not in _NO_KEYS}


def take_options(context: typer.Context, file: SettingsFile | None) -> SettingsFile | None:
    """Make the options in a file the defaults of the command that is about to run."""
    if file is None:
        return None
    keys = {key: one for key, one in option_keys(context.command).items() if key not in SETTINGS}
    given = {
        keys[key].name: _as_argument(
            value, is_list=keys[key].multiple if keys[key].opts[0][:1] == "-" else False
        )
        for key, value in file.values.items()
        if key in keys
    }
    context.default_map = {**(context.default_map or {}), **given}
    return dataclasses.replace(file, options=tuple(keys))


def _as_argument(value: Any, *, is_list: bool) -> Any:
    """A value of TOML as the command line would have it."""
    if isinstance(value, dict):
        return [f"{name}={one}" for name, one in value.items()]
    if isinstance(value, list) and not is_list:
        return ",".join(str(one) for one in value)
    if is_list and not isinstance(value, list):
        return [str(value)]
    return value.isoformat() if isinstance(value, datetime.date) else value
