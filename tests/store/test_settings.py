"""Settings: the example is made of the definitions, files are merged in order, mistakes are named with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.core.problems import UsageProblem
from agentsup.core.settings import SETTINGS, defaults, example
from agentsup.store.settings_files import read_settings

EXAMPLE = Path(__file__).parent.parent.parent / "config.example.toml"


def test_the_example_in_the_repository_is_the_definitions() -> None:
    assert EXAMPLE.read_text() == example()


def test_the_example_itself_is_a_valid_configuration_of_defaults(tmp_path: Path) -> None:
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.toml").write_text(example())
    assert read_settings({"XDG_CONFIG_HOME": str(tmp_path / "none")}, tmp_path).values == defaults()


def test_later_places_win(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / "config" / "agentsup").mkdir(parents=True)
    own = tmp_path / "config" / "agentsup" / "config.toml"
    own.write_text("[interface]\nleader = 'ctrl+a'\nlanguage = 'en'\n[terminal]\nscrollback = 5\n")
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.toml").write_text("interface.leader = 'ctrl+b'\n")
    environment |= {"AGENTSUP_INTERFACE_LANGUAGE": "zh-CN"}
    settings = read_settings(environment, tmp_path, {"interface.layout": "agent", "interface.theme": None})
    assert settings.values == defaults() | {
        "interface.leader": "ctrl+b", "interface.language": "zh-CN", "interface.layout": "agent",
        "terminal.scrollback": 5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[interface]\n\nlayuot = 'auto'\n", "settings.unknown-near", (":3", "interface.layout")),
        ("[interface]\nlayout = 'wide'\n", "settings.bad-value", (":2", "auto | agent")),
        ("[terminal]\nscrollback = true\n", "settings.bad-value", (":2", "1000000")),
        ("zzzz = 1\n", "settings.unknown", (":1", "zzzz")),
        ("[interface\n", "settings.broken", ("config.toml", "line 1")),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, key: str, words: tuple[str, ...]) -> None:
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "config.toml").write_text(text)
    with pytest.raises(UsageProblem) as raised:
        read_settings({"XDG_CONFIG_HOME": str(tmp_path / "none")}, tmp_path)
    assert raised.value.key == key
    said = " ".join(raised.value.values.values())
    assert all(word in said for word in words), said


def test_every_setting_has_a_manual_and_a_section() -> None:
    assert all(setting.manual and setting.key.count(".") == 1 for setting in SETTINGS)


def test_a_project_may_lower_and_not_raise_what_lets_it_do_more(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / ".agent").mkdir()
    own = tmp_path / ".agent" / "config.toml"
    own.write_text("[memory]\nunit_seconds = 3\n")
    assert read_settings(environment, tmp_path).number("memory.unit_seconds") == 3
    own.write_text("[memory]\nunit_seconds = 6\n")
    with pytest.raises(UsageProblem) as raised:
        read_settings(environment, tmp_path)
    assert raised.value.key == "settings.project-raises"
    assert raised.value.values == {"place": f"{own}:2", "key": "memory.unit_seconds", "most": "5"}
    (tmp_path / "config" / "agentsup").mkdir(parents=True)
    (tmp_path / "config" / "agentsup" / "config.toml").write_text("memory.unit_seconds = 20\n")
    assert read_settings(environment, tmp_path).number("memory.unit_seconds") == 6


@pytest.mark.parametrize(("own", "most"), [("hook", "auto"), ("auto", "stdin"), ("hook", "stdin")])
def test_a_project_may_not_choose_hooks_for_the_person(tmp_path: Path, own: str, most: str) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / "config" / "agentsup").mkdir(parents=True)
    (tmp_path / ".agent").mkdir()
    theirs, persons = tmp_path / ".agent" / "config.toml", tmp_path / "config" / "agentsup" / "config.toml"
    persons.write_text(f"injection.channel = '{most}'\n")
    theirs.write_text(f"[injection]\nchannel = '{own}'\n")
    with pytest.raises(UsageProblem) as raised:
        read_settings(environment, tmp_path)
    assert raised.value.key == "settings.project-raises"
    assert raised.value.values == {"place": f"{theirs}:2", "key": "injection.channel", "most": most}
    theirs.write_text(f"[injection]\nchannel = '{most}'\n")
    persons.write_text(f"injection.channel = '{own}'\n")
    assert read_settings(environment, tmp_path).text("injection.channel") == most
    assert read_settings(environment | {"AGENTSUP_INJECTION_CHANNEL": own}, tmp_path).text("injection.channel") == own


@pytest.mark.parametrize(
    ("key", "persons", "strict", "loose"),
    [
        ("injection.breaker_compactions", "3", "2", "4"),
        ("injection.breaker_percent", "20", "30", "19"),
        ("memory.start_restore", "'off'", "'off'", "'on'"),
        ("memory.ask_engram", "70", "80", "60"),
        ("memory.ask_engram", "70", "0", "1"),
        ("memory.ask_engram", "0", "0", "100"),
        ("memory.gate", "'on'", "'on'", "'off'"),
        ("memory.after_recital", "'stop'", "'stop'", "'go-on'"),
        ("memory.restore_tokens", "2000", "400", "2001"),
        ("memory.restore_ceiling", "8", "1", "9"),
        ("memory.instructions", "'off'", "'off'", "'on'"),
    ],
)
def test_a_project_may_only_be_stricter_than_its_person(
    tmp_path: Path, key: str, persons: str, strict: str, loose: str
) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    (tmp_path / "config" / "agentsup").mkdir(parents=True)
    (tmp_path / "config" / "agentsup" / "config.toml").write_text(f"{key} = {persons}\n")
    (tmp_path / ".agent").mkdir()
    theirs = tmp_path / ".agent" / "config.toml"
    theirs.write_text(f"{key} = {strict}\n")
    assert str(read_settings(environment, tmp_path).values[key]) == strict.strip("'")
    theirs.write_text(f"{key} = {loose}\n")
    with pytest.raises(UsageProblem) as raised:
        read_settings(environment, tmp_path)
    assert raised.value.key == "settings.project-raises"
    assert raised.value.values["most"] == persons.strip("'")
