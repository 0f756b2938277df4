"""Claude Code's command line: its options and their values, and what a supervised run adds to them.

By `claude --help` of 2.1.332. An option takes as many words as it may: that is how Claude Code itself reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_ONE = frozenset({
    "--agent", "--agents", "--append-system-prompt", "--append-system-prompt-file", "--autocompact", "--debug-file",
    "--effort", "--environment", "--fallback-model", "--input-format", "--json-schema", "--max-budget-usd", "--model",
    "-n", "--name", "--output-format", "--permission-mode", "--permission-prompts", "--permission-prompt-tool",
    "--plugin-dir", "--plugin-url", "--remote-control-session-name-prefix", "--session-id", "--setting-sources",
    "--settings", "--system-prompt", "--system-prompt-file", "--system-prompt-snapshot", "--max-turns",
})  # fmt: skip
"""Options that take the next word, whatever it is."""

_MANY = frozenset({
    "--add-dir", "--allowedTools", "--allowed-tools", "--betas", "--disallowedTools", "--disallowed-tools", "--file",
    "--mcp-config", "--tools",
})  # fmt: skip
"""Options that take all words up to the next option."""

_PERHAPS = frozenset({
    "--cloud", "-d", "--debug", "--from-pr", "--prompt-suggestions", "--remote-control", "-r", "--resume",
    "--teleport", "-w", "--worktree",
})  # fmt: skip
"""Options that take the next word unless it is an option."""

OF_A_CONVERSATION = frozenset({
    "-c", "--continue", "-r", "--resume", "--fork-session", "--from-pr", "--teleport", "--session-id",
})  # fmt: skip
"""Options that choose a conversation: none is chosen for the person then, and a cold restart drops them."""

WITHOUT_INTERFACE = frozenset({
    "-p", "--print", "-h", "--help", "-v", "--version", "--bg", "--background", "--cloud", "--desktop",
})  # fmt: skip

WITHOUT_HOOKS = frozenset({"--bare", "--safe-mode"})

COMMANDS = frozenset({
    "agents", "attach", "auth", "auto-mode", "doctor", "gateway", "import", "install", "logs", "mcp", "plugin",
    "plugins", "purge", "respawn", "rm", "setup-token", "stop", "kill", "ultrareview", "update", "upgrade",
    "remote-control", "daemon", "self-hosted-runner",
})  # fmt: skip
"""Subcommands, also those that --help does not list: nothing is added to their command line."""


@dataclass(frozen=True)
class Option:
    """An option with its values, or (name empty) other words."""

    name: str
    words: tuple[str, ...]
    """As they stand on the command line, the option itself included."""

    @property
    def value(self) -> str:
        """The first value, empty where there is none."""
        if "=" in self.words[0] and self.words[0].startswith("--"):
            return self.words[0].partition("=")[2]
        return self.words[1] if len(self.words) > 1 else ""


def parse(arguments: Sequence[str]) -> list[Option]:
    """Split a command line into options with their values and other words, in order."""
    parsed: list[Option] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            parsed.append(Option("", (word, *waiting)))
            break
        if not word.startswith("-") or word == "-":
            parsed.append(Option("", (word,)))
            continue
        name, glued, _ = word.partition("=")
        words = [word]
        if not glued:
            if (name in _ONE and waiting) or (name in _PERHAPS and waiting and not waiting[0].startswith("-")):
                words.append(waiting.pop(0))
            elif name in _MANY:
                while waiting and not waiting[0].startswith("-"):
                    words.append(waiting.pop(0))
        parsed.append(Option(name, tuple(words)))
    return parsed


def may_choose(option: Option) -> bool:
    """Say whether an option chooses a conversation, or may do so: short ones can be glued together (-cp, -rID)."""
    glued = len(option.name) > 2 and option.name[1] != "-"
    return option.name in OF_A_CONVERSATION or glued


def words(options: Iterable[Option]) -> list[str]:
    """Return the command line that `parse` reads as these."""
    return [word for option in options for word in option.words]


def last(options: Sequence[Option], name: str) -> str | None:
    """Return the value of the last such option: Claude Code takes no other; None where it is not given."""
    return next((option.value for option in reversed(options) if option.name == name), None)


def is_interactive(options: Sequence[Option]) -> bool:
    """Say whether this command line opens the interface."""
    if any(option.name in WITHOUT_INTERFACE for option in options):
        return False
    first = next((option.words[0] for option in options if not option.name), "")
    return first not in COMMANDS
