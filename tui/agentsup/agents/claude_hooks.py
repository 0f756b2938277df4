"""Hooks of ours in a Claude Code, for one launch only: in the --settings of that launch, or as a plugin of its own.

Measured on 2.1.332. Hooks of --settings run beside those of the person's files. Where the person gives a file of theirs
as --settings it stays as it is, and ours come as a plugin, whose folder is the session's: --plugin-dir loads it for
this launch and remembers nothing. Of what a hook says, 10,000 characters reach the model whole; a longer text becomes
the beginning of a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentsup.agents.hook_command import hook_command

EVENTS = ("SessionStart", "UserPromptSubmit")

CONTEXT_MOST = 10_000
"""UTF-16 units of a context that arrives whole."""

TIMEOUT = 5
"""Seconds after which Claude Code ends a hook of ours, which itself gives up earlier."""

PLUGIN = "hooks-plugin"
"""The plugin's folder in that of the session."""


def definitions(hook: Sequence[str]) -> dict[str, list[Any]]:
    """Return our hooks as settings hold them."""
    return {
        event: [{"hooks": [{"type": "command", "command": hook_command(hook, event), "timeout": TIMEOUT}]}]
        for event in EVENTS
    }


def can_join(theirs: object) -> bool:
    """Say whether ours can stand beside what settings have for `hooks`."""
    return theirs is None or (
        isinstance(theirs, dict) and all(isinstance(theirs.get(event, []), list) for event in EVENTS)
    )


def joined(theirs: object, hook: Sequence[str]) -> dict[str, Any]:
    """Return the person's hooks of --settings and ours behind them."""
    known: Mapping[str, Any] = theirs if isinstance(theirs, dict) else {}
    return {**known, **{event: [*known.get(event, []), *own] for event, own in definitions(hook).items()}}


def write_plugin(session_folder: Path, hook: Sequence[str]) -> Path:
    """Write the plugin into the session's folder and return its folder; raises OSError or UnicodeEncodeError."""
    folder = session_folder / PLUGIN
    for name, content in (
        (".claude-plugin/plugin.json", {"name": "agentsup", "version": "1.0.0", "description": "agentsup's hooks"}),
        ("hooks/hooks.json", {"hooks": definitions(hook)}),
    ):
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(json.dumps(content, ensure_ascii=False))
    return folder
