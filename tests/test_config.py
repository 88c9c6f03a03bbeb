"""Settings: checked when made, written and read back as they were, and clear about what is wrong."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightea.config import (
    _RANGES,
    DEFAULT_PRESET,
    NAME_CHOICES,
    NAME_PROPERTIES,
    PRESETS,
    Cardinality,
    Config,
    Search,
)
from lightea.errors import ConfigError

NUMBERS = sorted(_RANGES)
REALS = {name for name in NUMBERS if isinstance(_RANGES[name][0], float)}
OPEN = {"precision", "threshold"}
"""Numbers that may be left to the run."""
CHOICES: dict[str, tuple[Any, ...]] = {
    "cardinality": get_args(Cardinality),
    "search": get_args(Search),
    "names": (*NAME_CHOICES, "vectors:words.vec"),
    "name_properties": ((), ("label",), NAME_PROPERTIES),
    "name_ids": (True, False),
    "transliterate": ("auto", "always", "never"),
}


@st.composite
def configs(draw: st.DrawFn) -> Config:
    """Any settings that are allowed."""
    values: dict[str, Any] = {name: draw(st.sampled_from(choices)) for name, choices in CHOICES.items()}
    for name, (low, high) in _RANGES.items():
        whole = st.integers(int(np.ceil(low)), int(high))
        number = st.floats(low, high) | whole if name in REALS else whole
        values[name] = draw(st.none() | number if name in OPEN else number)
    return Config.for_preset(draw(st.sampled_from(sorted(PRESETS))), **values)


@given(config=configs())
def test_settings_survive_being_written_and_read(config: Config) -> None:
    assert Config.loads(config.dumps()) == config


@given(config=configs())
def test_what_is_written_is_toml_with_every_setting_but_those_left_to_the_run(config: Config) -> None:
    settled = {name: value for name, value in dataclasses.asdict(config).items() if value is not None}
    settled["name_properties"] = list(settled["name_properties"])
    assert tomllib.loads(config.dumps()) == settled
    assert set(dataclasses.asdict(config)) - set(settled) <= OPEN


def test_settings_can_be_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("# mine\nhops = 3\ntemperature = 5e-2\n", encoding="utf-8")
    expected = PRESETS[DEFAULT_PRESET].replace(hops=3, temperature=0.05)
    assert Config.load(file) == Config.load(str(file)) == expected


def test_settings_not_named_are_those_of_the_preset() -> None:
    assert Config.loads("") == PRESETS["auto"]
    assert Config.loads('preset = "iterative"\nhops = 1') == PRESETS["iterative"].replace(hops=1)


def test_presets_are_named_after_themselves() -> None:
    assert list(PRESETS) == ["auto", "basic", "iterative", "literal"]
    assert next(iter(PRESETS)) == DEFAULT_PRESET
    for name, config in PRESETS.items():
        assert config.preset == name
        assert Config.for_preset(name) == config


def test_presets_differ_as_their_names_say() -> None:
    assert Config() == PRESETS["basic"]
    changed = {
        name
        for name, value in dataclasses.asdict(PRESETS["iterative"]).items()
        if value != getattr(PRESETS["basic"], name)
    }
    assert changed == {"preset", "rounds"}
    assert PRESETS["iterative"].rounds > PRESETS["basic"].rounds == 1
    assert PRESETS["auto"].evidence_rounds > 0 == PRESETS["basic"].evidence_rounds


def test_no_preset_decides_in_advance_which_links_are_worth_reporting() -> None:
    assert all(config.threshold is None for config in PRESETS.values())


def test_changed_settings_still_name_the_preset_that_they_started_from() -> None:
    assert PRESETS["auto"].replace(hops=3).preset == "auto"
    assert Config.loads(PRESETS["auto"].replace(hops=3).dumps()).preset == "auto"
    with pytest.raises(ConfigError, match="unknown setting 'preset'"):
        PRESETS["auto"].replace(preset="basic")


@pytest.mark.parametrize("names", CHOICES["names"])
def test_what_is_made_of_names_can_be_set(names: str, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(f'names = "{names}"\n', encoding="utf-8")
    assert Config.load(file) == PRESETS["auto"].replace(names=names)
    assert Config.load(file).names == names


def test_a_preset_can_be_changed_on_the_way() -> None:
    assert Config.for_preset("iterative", rounds=5) == PRESETS["iterative"].replace(rounds=5)


def test_replacing_makes_a_copy() -> None:
    config = Config()
    assert config.replace(hops=3).hops == 3
    assert config == Config()


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().hops = 3  # type: ignore[misc]


# --- what is refused -----------------------------------------------------------------------------------


def test_every_number_has_a_range() -> None:
    assert {field.name for field in dataclasses.fields(Config)} == {"preset", *CHOICES, *NUMBERS}


@pytest.mark.parametrize("name", NUMBERS)
def test_the_ends_of_a_range_are_allowed_and_nothing_beyond(name: str) -> None:
    low, high = _RANGES[name]
    for allowed in (low, high):
        assert getattr(Config().replace(**{name: allowed}), name) == allowed
    for odd in (low - 1, high + 1):
        with pytest.raises(ConfigError, match=rf"{name} is {odd}, but must lie between {low} and {high}"):
            Config().replace(**{name: odd})


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("name", sorted(REALS))
def test_numbers_must_be_finite(name: str, odd: float) -> None:
    with pytest.raises(ConfigError, match=f"{name} is {odd}"):
        Config().replace(**{name: odd})


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        (name, odd)
        for name in NUMBERS
        for odd in ("1", None, True, [1])
        if odd is not None or name not in OPEN
    ],
)
def test_numbers_must_be_numbers(name: str, odd: object) -> None:
    kind = "a number" if name in REALS else "a whole number"
    with pytest.raises(ConfigError) as problem:
        Config().replace(**{name: odd})
    assert problem.value.message == f"{name} is {odd!r}, but must be {kind}"


@pytest.mark.parametrize("name", sorted(set(NUMBERS) - REALS))
def test_whole_numbers_must_be_whole(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is 8.5, but must be a whole number"):
        Config().replace(**{name: 8.5})


@pytest.mark.parametrize("odd", ["all", "", None, True, ["auto"]])
def test_a_choice_that_does_not_exist_is_refused_with_those_that_do(odd: Any) -> None:
    with pytest.raises(ConfigError) as problem:
        Config().replace(names=odd)
    assert (
        problem.value.message
        == f"names is {odd!r}, but must be one of: auto, none, char, encoder, vectors:FILE"
    )


def test_a_setting_that_does_not_exist_is_refused_with_those_that_do() -> None:
    for make in (lambda: Config().replace(hop=3), lambda: Config.loads("hop = 3")):
        with pytest.raises(ConfigError, match="unknown setting 'hop'") as problem:
            make()
        assert "label_width, hops, sketch_width" in str(problem.value.hint)


@pytest.mark.parametrize("preset", ["fast", "", 3, ["basic"], {"name": "basic"}])
def test_a_preset_that_does_not_exist_is_refused_with_those_that_do(preset: Any) -> None:
    with pytest.raises(ConfigError, match="unknown preset") as problem:
        Config.for_preset(preset)
    assert problem.value.hint == "the presets are: auto, basic, iterative, literal"


@pytest.mark.parametrize("text", ['preset = ["basic"]', "[preset]\nname = 'basic'", "preset = 1"])
def test_a_preset_in_a_file_must_be_a_name(text: str) -> None:
    with pytest.raises(ConfigError, match="unknown preset"):
        Config.loads(text)


def test_text_that_is_not_toml_is_refused_with_its_place() -> None:
    with pytest.raises(ConfigError, match=r"not valid TOML: .*line 2"):
        Config.loads("hops = 2\nrounds = = 3\n")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    binary = tmp_path / "settings.toml"
    binary.write_bytes(b"hops = \xff")
    for path in (tmp_path / "missing.toml", tmp_path, binary):
        with pytest.raises(ConfigError, match="the settings cannot be read") as problem:
            Config.load(path)
        assert str(path) in problem.value.message


@pytest.mark.parametrize(
    ("setting", "odd", "problem"),
    [
        ("transliterate", "maybe", "transliterate is 'maybe', but must be one of: auto, always, never"),
        ("name_ids", 1, "name_ids is 1, but must be true or false"),
        ("name_properties", "label", "name_properties is 'label', but must be a list of attributes"),
        (
            "names",
            "vectors:",
            "names is 'vectors:', but must be one of: auto, none, char, encoder, vectors:FILE",
        ),
    ],
)
def test_odd_settings_of_names_are_refused(setting: str, odd: Any, problem: str) -> None:
    with pytest.raises(ConfigError) as found:
        Config().replace(**{setting: odd})
    assert found.value.message == problem
