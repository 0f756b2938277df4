"""Every setting, with its default and its manual: the one place they are defined.

`config.example.toml` is made of these definitions (`example`), and a test compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

Value = str | int | bool


@dataclass(frozen=True)
class Setting:
    """One setting: dotted key, default, what it does, and what it may be."""

    key: str
    default: Value
    manual: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 1_000_000
    pattern: str = ""
    """What a text has to match, whole; `allowed` says it in words."""
    allowed: str = ""
    trusting: Literal["", "greater", "smaller"] = ""
    """Which numbers let a project do more: its own file may go the other way. Where smaller ones do, 0 is never."""
    ladder: tuple[str, ...] = ()
    """The choices in the order of what they let a project do, the least first: its own file may go down, and not up."""

    @property
    def variable(self) -> str:
        """The environment variable that overrides the files."""
        return "AGENTSUP_" + self.key.replace(".", "_").upper()


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "interface.layout", "auto",
        "auto: gauge, engram and STATE beside the agent where there is room. agent: the agent alone.",
        ("auto", "agent"),
    ),
    Setting("interface.language", "auto", "Language of the texts; auto follows LC_ALL, LC_MESSAGES and LANG.",
            ("auto", "en", "zh-CN")),
    Setting("interface.leader", "ctrl+\\", "Key that opens the menu: ctrl+ and a letter other than i, j and m, or "
            "one of \\ ] ^ _ or space. Pressed twice it goes to the agent.",
            # Ctrl+I, J and M are Tab, line feed and Enter: no terminal can tell them apart.
            pattern=r"(?i:ctrl\+([a-hk-ln-z\\\]^_]|space))",
            allowed="ctrl+ and a letter other than i, j and m, ctrl+\\ ctrl+] ctrl+^ ctrl+_ ctrl+space"),
    Setting("interface.f_keys", "auto", "Function keys as a second way to the menu: F1 shows the keys, F2 edits the "
            "engram, F3 shows the panels. auto: with known agents those that they do not use themselves (F2 stays "
            "with codex and opencode), none with -- CMD. on: all three, whatever runs.",
            ("auto", "on", "off")),
    Setting("interface.theme", "auto", "Colours of the panels: the name of a file in themes/; auto takes the dark "
            "or the light one, as the terminal's background is."),
    Setting("claude.status_line", "auto",
            "Claude Code tells the size of its window only to a status line command. auto: one of ours, which prints "
            "nothing, where you have none. chain: also where you have one; yours is run by ours and shown unchanged. "
            "off: never, and the window stays unknown.",
            ("auto", "chain", "off")),
    Setting("estimate.programs", "agents",
            "Programs whose tokens are estimated from what they show where they tell nothing themselves: a lower "
            "bound. agents: those that agentsup knows. all: also -- CMD. off: none.",
            ("agents", "all", "off")),
    Setting("injection.channel", "auto",
            "How memory comes back. auto: by a hook of the agent's where you have agreed to that and it is proven to "
            "be loaded (in the very next request), else typed when the agent is idle (in the next turn). stdin: always "
            "typed. hook: always by a hook. A project's own settings may not choose a hook.",
            ("auto", "stdin", "hook"), ladder=("stdin", "auto", "hook")),
    Setting("injection.breaker_compactions", 3, "Compactions of the agent's own in a row, each after too little new "
            "work, after which nothing more is sent until you say so. A project's own settings may lower this, and "
            "not raise it.", (), 2, 100, trusting="greater"),
    Setting("injection.breaker_percent", 20, "Percent of the window that is enough new work between two compactions. "
            "A project's own settings may raise this, and not lower it.", (), 1, 90, trusting="smaller"),
    Setting("memory.start_restore", "on", "Restore memory at the start of a new session too, once, before its first "
            "work. off: only after compactions. A project's own settings may switch this off, and not on.",
            ("on", "off"), ladder=("off", "on")),
    Setting("memory.ask_engram", 70, "Percent of the window from which the agent is asked for an engram at the end of "
            "a turn, where its last one is older than its last edit. 0: never. A project's own settings may raise "
            "this or say 0, and not lower it.", (), 0, 100, trusting="smaller"),
    Setting("memory.gate", "off", "on: a restore waits until you have accepted or corrected the engram. A project's "
            "own settings may switch this on, and not off.", ("off", "on"), ladder=("on", "off")),
    Setting("memory.after_recital", "go-on", "What an agent does that was interrupted by a compaction, once it has "
            "read its task back: go-on, or stop and wait for you. In a turn that you have ended it waits. A project's "
            "own settings may choose only stop.",
            ("go-on", "stop"), ladder=("stop", "go-on")),
    Setting("memory.restore_tokens", 2_000, "Tokens of a restore text at most. Shorter beats longer: of a long one "
            "agents read only that. A project's own settings may lower this, and not raise it.",
            (), 400, 20_000, trusting="greater"),
    Setting("memory.restore_ceiling", 8, "Percent of the model's window that no restore text is longer than. A "
            "project's own settings may lower this, and not raise it.", (), 1, 20, trusting="greater"),
    Setting("memory.instructions", "on",
            "Tell Codex and Claude Code, for each launch and beside your own instructions, how to keep the memory: an "
            "engram at the end of a turn, progress when a subtask ends. Nothing is written to their configuration. "
            "The words may be a project's own: .agent/templates/instructions.md. off: tell them nothing. A project's "
            "own settings may switch this off, and not on.", ("on", "off"), ladder=("off", "on")),
    Setting("memory.unit_seconds", 5, "Seconds for which an approved executable of .agent/init.d may run before it is "
            "ended; all of them together have 60. A project's own settings may lower this, and not raise it.",
            (), 1, 60, trusting="greater"),
    Setting("terminal.scrollback", 10_000, "Lines that have scrolled off and are kept.", (), 0, 1_000_000),
)  # fmt: skip

BY_KEY: Mapping[str, Setting] = {setting.key: setting for setting in SETTINGS}


@dataclass(frozen=True)
class Settings:
    """The merged settings."""

    values: Mapping[str, Value]

    def text(self, key: str) -> str:
        """Return a setting that is a text."""
        return str(self.values[key])

    def number(self, key: str) -> int:
        """Return a setting that is a number."""
        return int(self.values[key])


def defaults() -> dict[str, Value]:
    """Return every setting's default."""
    return {setting.key: setting.default for setting in SETTINGS}


class BadSetting(Exception):
    """A setting that does not exist or can't have this value; `nearest` is an existing key that is close."""

    def __init__(self, key: str, reason: str, *, nearest: str = "") -> None:
        super().__init__(key, reason)
        self.key, self.reason, self.nearest = key, reason, nearest


def checked(key: str, value: object) -> Value:
    """Return the value of a setting in its own type; raises BadSetting."""
    setting = BY_KEY.get(key)
    if setting is None:
        near = get_close_matches(key, list(BY_KEY), 1, 0.4) or get_close_matches(
            key.rpartition(".")[2], [known.rpartition(".")[2] for known in BY_KEY], 1, 0.5
        )
        raise BadSetting(key, "unknown", nearest=near[0] if near else "")
    if isinstance(setting.default, int):
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not setting.least <= value <= setting.most:
            raise BadSetting(key, f"{setting.least} – {setting.most}")
        return value
    if (
        not isinstance(value, str)
        or (setting.choices and value not in setting.choices)
        or (setting.pattern and not re.fullmatch(setting.pattern, value))
    ):
        raise BadSetting(key, setting.allowed or " | ".join(setting.choices) or "text")
    return value


def raises(key: str, value: Value, most: Value) -> bool:
    """Say whether a value of a project's own file lets the project do more than the person's settings do."""
    setting = BY_KEY[key]
    if ladder := setting.ladder:
        return ladder.index(str(value)) > ladder.index(str(most))
    if not isinstance(value, int) or not isinstance(most, int) or not setting.trusting:
        return False
    if setting.trusting == "greater":
        return value > most
    return value != 0 and (most == 0 or value < most)


def example() -> str:
    """Return the example configuration: every setting with its manual and default."""
    lines = [
        "# agentsup's settings: every key with its default. Copy what you change into",
        "#   ~/.config/agentsup/config.toml   (yours)   or   .agent/config.toml   (this project's)",
    ]
    section = ""
    for setting in SETTINGS:
        table, _, name = setting.key.partition(".")
        if table != section:
            lines += ["", f"[{table}]"]
            section = table
        lines += ["", *(f"# {line}" for line in _wrapped(setting.manual))]
        lines.append(f"# Environment: {setting.variable}")
        default = f"'{setting.default}'" if isinstance(setting.default, str) else str(setting.default)
        lines.append(f"{name} = {default}")
    return "\n".join(lines) + "\n"


def _wrapped(text: str, width: int = 96) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines
