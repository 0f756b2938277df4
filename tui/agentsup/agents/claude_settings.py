"""The settings of a supervised Claude Code: the person's, and our status line command and hooks where they are welcome.

The person's files are read, never written: --settings carries ours for one launch, merged with theirs, for
Claude Code takes only the last --settings there is.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentsup.agents import claude_hooks, claude_options
from agentsup.agents.adapter import Place
from agentsup.agents.json_objects import parsed_object, read_object

STATUS_FILE = "claude-status.json"
"""In the session's folder: what the status line command was told last."""

MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
_HOOKS_OFF = ("disableAllHooks", "allowManagedHooksOnly")
_CURSOR_SHOWN = ("CLAUDE_CODE_NATIVE_CURSOR", "CLAUDE_CODE_ACCESSIBILITY")
_COMMAND = Path(__file__).with_name("claude_status_line.py")
_READ_MOST = 1 << 20

Settings = dict[str, Any]


def home(environment: Mapping[str, str]) -> Path:
    """Return the folder in which Claude Code keeps its files."""
    given = environment.get("CLAUDE_CONFIG_DIR", "")
    return Path(given) if given else Path(environment.get("HOME", "~")).expanduser() / ".claude"


def merged(given: str | None, place: Place) -> str | None:
    """Return the --settings for a launch whose own is `given`; None where it should stay as it is.

    A file of theirs stays as it is: its rules for paths count from its folder, and what is secret in it must
    not show in the list of processes.
    """
    theirs = _inline(given)
    if theirs is None:
        return None
    ours: Settings = {}
    if (line := _status_line(given, place)) is not None:
        ours["statusLine"] = line
    if place.hook:
        ours["hooks"] = claude_hooks.joined(theirs.get("hooks"), place.hook)
    return json.dumps({**theirs, **ours}, ensure_ascii=False) if ours else None


def is_inline(given: str | None) -> bool:
    """Say whether a --settings can carry ours along: there is none, or it holds the settings itself."""
    return _inline(given) is not None


def without_hooks(options: Sequence[claude_options.Option], place: Place) -> str:
    """Return why hooks of ours would not run, as a catalogue key; empty where they would."""
    given = claude_options.last(options, "--settings")
    if not claude_options.is_interactive(options):
        return "hooks.no-agent"
    if any(option.name in claude_options.WITHOUT_HOOKS for option in options):
        return "hooks.off"
    if any(settings.get(key) is True for settings in _all(given, place) for key in _HOOKS_OFF):
        return "hooks.off"
    return "" if claude_hooks.can_join((_inline(given) or {}).get("hooks")) else "hooks.own"


def _status_line(given: str | None, place: Place) -> Settings | None:
    """Return the status line of this launch; None where the person's stays, or none is wanted."""
    if place.status_line == "off":
        return None
    own = setting("statusLine", given, place)
    if own is None:
        return {"type": "command", "command": _ours(place)}
    if place.status_line == "chain" and isinstance(own, dict) and isinstance(command := own.get("command"), str):
        return {**own, "command": _ours(place, command)}
    return None


def setting(key: str, given: str | None, place: Place) -> Any:
    """Return what Claude Code would take for a key in its settings; None where it is set nowhere."""
    return next((settings[key] for settings in _all(given, place) if settings.get(key) is not None), None)


def variables(given: str | None, place: Place) -> dict[str, str]:
    """Return the environment as Claude Code sees it: its settings may add to it."""
    found = dict(place.environment)
    for settings in reversed(list(_all(given, place))):
        env = settings.get("env")
        if isinstance(env, dict):
            found |= {name: value for name, value in env.items() if isinstance(value, str)}
    return found


def compacts_by_itself(given: str | None, place: Place) -> bool:
    """Say whether automatic compaction is on."""
    environment = variables(given, place)
    off = any(
        environment.get(name, "").lower() in ("1", "true", "yes", "on")
        for name in ("DISABLE_AUTO_COMPACT", "DISABLE_COMPACT")
    )
    return not off and setting("autoCompactEnabled", given, place) is not False


def uses_vim_keys(given: str | None, place: Place) -> bool:
    """Say whether the input box takes vim's keys: its normal mode looks like any empty box."""
    return any(settings.get("editorMode") == "vim" for settings in _all(given, place))


def shows_cursor(given: str | None, place: Place) -> bool:
    """Say whether it was asked to show the terminal's own cursor instead of one that it draws."""
    environment = variables(given, place)
    return any(environment.get(name, "") not in ("", "0", "false") for name in _CURSOR_SHOWN)


def _ours(place: Place, command: str = "") -> str:
    words = [sys.executable, "-I", "-S", str(_COMMAND), str(place.session_folder / STATUS_FILE)]
    return shlex.join([*words, command] if command else words)


def _all(given: str | None, place: Place) -> Iterator[Settings]:
    """Yield the settings that this launch reads, the strongest first, and last what it remembers by itself."""
    for path in MANAGED:
        yield _read(path)
    inline = _inline(given)
    yield _read(place.project / given) if inline is None and given else inline or {}
    sources = claude_options.last(claude_options.parse(place.arguments), "--setting-sources")
    allowed = {"user", "project", "local"} if sources is None else {name.strip() for name in sources.split(",")}
    for source, name in (("local", "settings.local.json"), ("project", "settings.json")):
        for root in _roots(place.project) if source in allowed else ():
            yield _read(root / ".claude" / name)
    if "user" in allowed:
        yield _read(home(place.environment) / "settings.json")
    yield _read(_state_file(place.environment))


def _roots(project: Path) -> list[Path]:
    """Return the folder of a project and that of its repository."""
    repository = next((folder for folder in (project, *project.parents) if (folder / ".git").exists()), project)
    return [project] if repository == project else [project, repository]


def _state_file(environment: Mapping[str, str]) -> Path:
    given = environment.get("CLAUDE_CONFIG_DIR", "")
    return (Path(given) if given else Path(environment.get("HOME", "~")).expanduser()) / ".claude.json"


def _read(path: Path) -> Settings:
    return read_object(path, _READ_MOST)


def _inline(given: str | None) -> Settings | None:
    """Return the settings of a --settings that holds them itself; None where it names a file, or is no JSON."""
    if given is None:
        return {}
    if not given.lstrip().startswith("{"):
        return None
    return parsed_object(given)
