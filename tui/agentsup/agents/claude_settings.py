"""The settings of a supervised Claude Code: the person's, and our status line command where it is welcome.

The person's files are read, never written: --settings carries ours for one launch, merged with theirs, for
Claude Code takes only the last --settings there is.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentsup.agents.adapter import Place

STATUS_FILE = "claude-status.json"
"""In the session's folder: what the status line command was told last."""

MANAGED = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
_COMMAND = Path(__file__).with_name("claude_status_line.py")
_READ_MOST = 1 << 20

Settings = dict[str, Any]


def home(environment: Mapping[str, str]) -> Path:
    """Return the folder in which Claude Code keeps its files."""
    given = environment.get("CLAUDE_CONFIG_DIR", "")
    return Path(given) if given else Path(environment.get("HOME", "~")).expanduser() / ".claude"


def merged(given: str | None, place: Place) -> str | None:
    """Return the --settings for a launch whose own is `given`; None where it should stay as it is."""
    theirs = _given(given, place.project)
    if theirs is None or place.status_line == "off":
        return None
    own = own_status_line(theirs, place)
    if own is None:
        line: Settings = {"type": "command", "command": _ours(place)}
    elif place.status_line == "chain" and isinstance(command := own.get("command"), str):
        line = {**own, "command": _ours(place, command)}
    else:
        return None
    return json.dumps({**theirs, "statusLine": line}, ensure_ascii=False)


def own_status_line(theirs: Settings, place: Place) -> Settings | None:
    """Return the person's own status line, as Claude Code would choose it; None where there is none."""
    for settings in (theirs, *_files(place)):
        line = settings.get("statusLine")
        if line is not None:
            return line if isinstance(line, dict) else {}
    return None


def uses_vim_keys(given: str | None, place: Place) -> bool:
    """Say whether the input box takes vim's keys: its normal mode looks like any empty box."""
    state = _read(home(place.environment) / ".claude.json")
    settings = (_given(given, place.project) or {}, *_files(place), state)
    return any(found.get("editorMode") == "vim" for found in settings)


def has_own_status_line(given: str | None, place: Place) -> bool:
    """Say whether the person has a status line of their own."""
    return own_status_line(_given(given, place.project) or {}, place) is not None


def _ours(place: Place, command: str = "") -> str:
    words = [sys.executable, "-I", "-S", str(_COMMAND), str(place.session_folder / STATUS_FILE)]
    return shlex.join([*words, command] if command else words)


def _files(place: Place) -> Iterator[Settings]:
    """Yield the settings files that this launch reads, the strongest first."""
    roots = [place.project, *(folder for folder in place.project.parents if (folder / ".git").exists())]
    for path in MANAGED:
        yield _read(path)
    for root in roots:
        yield _read(root / ".claude" / "settings.local.json")
    for root in roots:
        yield _read(root / ".claude" / "settings.json")
    yield _read(home(place.environment) / "settings.json")


def _read(path: Path) -> Settings:
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(_READ_MOST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _given(given: str | None, project: Path) -> Settings | None:
    """Return what --settings names, a file or JSON; None where that can't be read: Claude Code will say so."""
    if given is None:
        return {}
    if not given.lstrip().startswith("{"):
        return _read(project / given) or None
    try:
        found = json.loads(given)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
