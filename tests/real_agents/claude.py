"""A fresh, sealed home for the real Claude Code: its configuration, a small project, and how to start it.

Nothing leaves the machine: the model is the loopback server, traffic beside it is switched off, and proxies
lead nowhere. First-start dialogs are answered, so that a started Claude stands at its empty composer.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.real_agents.codex import DEAD_PROXY, PROJECT_FILES
from tests.servers.messages_server import MessagesServer
from tests.terminals.tmux import Tmux, clean_environment

KEY = "sk-ant-api03-scripted-key-that-opens-nothing-0000"
"""An API key as Claude Code accepts one; nobody checks it."""

APPROVED_LENGTH = 20
"""Claude Code remembers an approved key by this many of its last characters."""

QUIET = (
    "DISABLE_TELEMETRY",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
)
"""Switches that keep Claude Code from everything but asking its model."""

TORN = 1.0
"""Seconds in which a write of the live state must have come to its end; a millisecond is usual."""

COMPOSER = "❯\N{NO-BREAK SPACE}"
"""How the composer's first row begins, empty or not."""

EMPTY_HINT = "? for shortcuts"
"""The hint below the composer that is there only while the composer is empty."""


@dataclass(frozen=True, slots=True)
class ClaudeSettings:
    """What a test may want different in Claude Code's configuration."""

    model: str = "claude-opus-5-5"
    permission_mode: str = "default"
    """The mode a session starts in; `default` asks before a command runs."""
    renderer: Literal["fullscreen", "classic"] = "fullscreen"
    answer_trust: bool = True
    """Mark the project as trusted, so that the folder dialog does not come."""
    answer_auto_mode: bool = True
    """Mark automatic permissions as already offered, so that the question about them does not come."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Further keys of the person's own settings.json."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables for Claude Code."""


@dataclass(frozen=True, slots=True)
class ClaudeHome:
    """A built home: start Claude Code in it, read what it wrote."""

    program: Path
    home: Path
    config: Path
    """The folder of CLAUDE_CONFIG_DIR."""
    project: Path
    base_url: str
    settings: ClaudeSettings

    @property
    def env(self) -> dict[str, str]:
        """Return the complete environment for Claude Code or for a supervisor of it."""
        proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), DEAD_PROXY)
        local = dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost")
        own = {
            "CLAUDE_CONFIG_DIR": str(self.config),
            "TMPDIR": str(self.home / "tmp"),
            "ANTHROPIC_BASE_URL": self.base_url,
            "ANTHROPIC_API_KEY": KEY,
            # Said in either case: after a kill Claude Code would choose the other renderer by itself.
            "CLAUDE_CODE_NO_FLICKER": "1" if self.settings.renderer == "fullscreen" else "0",
        }
        quiet = dict.fromkeys(QUIET, "1")
        return clean_environment(self.home) | proxies | local | own | quiet | dict(self.settings.environment)

    @property
    def argv(self) -> list[str]:
        """Return the command of Claude Code."""
        return [str(self.program)]

    def transcripts(self) -> list[Path]:
        """Return the transcripts of all sessions, those of subagents not, the last written one last."""
        found = (self.config / "projects").glob("*/*.jsonl")
        return sorted(found, key=lambda path: path.stat().st_mtime_ns)

    def transcript(self, session_id: str) -> Path | None:
        """Return the transcript of one session, None before its first prompt."""
        return next((path for path in self.transcripts() if path.stem == session_id), None)

    def records(self, session_id: str | None = None) -> list[dict[str, Any]]:
        """Return the complete records of a session, by default the one written last; empty without one."""
        paths = [path for path in self.transcripts() if session_id in (None, path.stem)]
        if not paths:
            return []
        lines = paths[-1].read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def events(self, subtype: str, session_id: str | None = None) -> list[dict[str, Any]]:
        """Return a session's `system` records of one subtype (`turn_duration`, `compact_boundary`)."""
        records = self.records(session_id)
        return [r for r in records if r["type"] == "system" and r.get("subtype") == subtype]

    def session_file(self, pid: int) -> Path:
        """Return where a running Claude Code keeps its live state, whether it is there or not."""
        return self.config / "sessions" / f"{pid}.json"

    def live(self, pid: int) -> dict[str, Any]:
        """Return the live state of a running Claude Code, empty while there is none.

        It is rewritten in place, so that a reader may see it empty or with a rest of the text before: such a
        moment is waited out.
        """
        deadline = time.monotonic() + TORN
        while True:
            try:
                found = json.loads(self.session_file(pid).read_bytes())
            except FileNotFoundError:
                return {}
            except json.JSONDecodeError:
                if time.monotonic() > deadline:
                    raise
            else:
                assert isinstance(found, dict)
                return found

    def start(self, *arguments: str, size: tuple[int, int] = (100, 30)) -> Tmux:
        """Start a bare Claude Code in a terminal; whoever calls it kills it."""
        # `env`, because tmux hands a single word to a shell, and the pane's process would be that shell.
        return Tmux(["env", *self.argv, *arguments], env=self.env, cwd=self.project, size=size)


def build_claude_home(
    folder: Path, program: Path, server: MessagesServer, settings: ClaudeSettings | None = None
) -> ClaudeHome:
    """Build home, configuration and a git project named `demo` below `folder`."""
    home, config, project = folder / "home", folder / "claude", folder / "demo"
    for made in (home / "tmp", config, project):
        made.mkdir(parents=True)
    built = ClaudeHome(program, home, config, project, server.base_url, settings or ClaudeSettings())
    (config / ".claude.json").write_text(json.dumps(_state(built), indent=1))
    (config / "settings.json").write_text(json.dumps(_settings(built.settings), indent=1))
    for name, content in PROJECT_FILES.items():
        (project / name).write_text(content)
    env = clean_environment(home) | {"GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-q", "-m", "Start"]):
        subprocess.run(["git", *command], cwd=project, env=env, check=True, stdin=subprocess.DEVNULL)
    return built


def _state(home: ClaudeHome) -> dict[str, object]:
    """Return what Claude Code would know after a person answered its first questions."""
    project = {"hasTrustDialogAccepted": home.settings.answer_trust, "hasCompletedProjectOnboarding": True}
    return {
        "hasCompletedOnboarding": True,
        "lastOnboardingVersion": "2.1.332",
        "lastReleaseNotesSeen": "2.1.332",
        "theme": "dark",
        "hasSeenAutoDefaultNudge": home.settings.answer_auto_mode,
        "hasSeenAutoDefaultNotice": True,
        "officialMarketplaceAutoInstalled": True,
        "officialMarketplaceAutoInstallAttempted": True,
        "customApiKeyResponses": {"approved": [KEY[-APPROVED_LENGTH:]], "rejected": []},
        "projects": {str(home.project.resolve()): project},
    }


def _settings(settings: ClaudeSettings) -> dict[str, object]:
    own = {"model": settings.model, "permissions": {"defaultMode": settings.permission_mode}}
    return own | dict(settings.settings)
