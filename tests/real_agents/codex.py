"""A fresh, sealed home for the real Codex: its configuration, a small project, and how to start it.

Nothing leaves the machine: the only provider is the loopback server, and proxies lead nowhere. First-start
dialogs are answered in the configuration, so that a started Codex stands at its empty composer.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.model_server import ModelServer
from tests.terminals.tmux import Tmux, clean_environment

DEAD_PROXY = "http://127.0.0.1:9"
"""The discard port of this machine: whatever is not loopback fails at once."""

EMPTY_COMPOSER = "› Ask Codex to do anything"
"""The composer row when nothing is typed; the words after `› ` are dim."""

EMPTY_HINT = "? for shortcuts"
"""The hint below the composer that is there only while the composer is empty."""

PROJECT_FILES: Mapping[str, str] = {
    "README.md": "# Demo\n\nA small calculator.\n",
    "calc.py": "def add(a: int, b: int) -> int:\n    return a + b\n",
}


@dataclass(frozen=True, slots=True)
class CodexSettings:
    """What a test may want different in Codex's configuration."""

    context_window: int = 40_000
    auto_compact_limit: int = 20_000
    model: str = "gpt-5.5"
    answer_trust: bool = True
    """Mark the project as trusted, so that the folder dialog does not come."""
    answer_migration: bool = True
    """Mark the newer model as already offered, so that "Meet GPT-6 Sol" does not come."""
    extra: str = ""
    """Further TOML for the top level."""


@dataclass(frozen=True, slots=True)
class CodexHome:
    """A built home: start Codex in it, read what it wrote."""

    program: Path
    home: Path
    codex_home: Path
    project: Path

    @property
    def env(self) -> dict[str, str]:
        """Return the complete environment for Codex or for a supervisor of it."""
        proxies = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), DEAD_PROXY)
        # A temporary folder of its own: Codex shows a warning when CODEX_HOME lies below TMPDIR or /tmp.
        own = {"CODEX_HOME": str(self.codex_home), "TMPDIR": str(self.home / "tmp"), "SCRIPTED_KEY": "unused"}
        local = dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost")
        return clean_environment(self.home) | proxies | local | own

    @property
    def argv(self) -> list[str]:
        """Return the command of a Codex that runs in one process, without its detached daemon."""
        return [str(self.program), "--no-daemon"]

    def rollouts(self) -> list[Path]:
        """Return the session logs, oldest first."""
        return sorted((self.codex_home / "sessions").rglob("rollout-*.jsonl"))

    def records(self) -> list[dict[str, Any]]:
        """Return the complete records of the newest session log, empty when there is none."""
        rollouts = self.rollouts()
        if not rollouts:
            return []
        lines = rollouts[-1].read_text().splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith("\n")]

    def events(self, kind: str) -> list[dict[str, Any]]:
        """Return the payloads of the newest log's `event_msg` records of one kind (`task_complete`)."""
        payloads = (record["payload"] for record in self.records() if record["type"] == "event_msg")
        return [payload for payload in payloads if payload["type"] == kind]

    def start(self, *arguments: str, size: tuple[int, int] = (100, 30)) -> Tmux:
        """Start a bare Codex in a terminal; whoever calls it kills it."""
        return Tmux([*self.argv, *arguments], env=self.env, cwd=self.project, size=size)


def build_home(folder: Path, program: Path, server: ModelServer, settings: CodexSettings | None = None) -> CodexHome:
    """Build home, configuration and a git project named `demo` below `folder`."""
    home, codex_home, project = folder / "home", folder / "codex", folder / "demo"
    for made in (home / "tmp", codex_home, project):
        made.mkdir(parents=True)
    (codex_home / "config.toml").write_text(_configuration(server, project, settings or CodexSettings()))
    for name, content in PROJECT_FILES.items():
        (project / name).write_text(content)
    env = clean_environment(home) | {"GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-q", "-m", "Start"]):
        subprocess.run(["git", *command], cwd=project, env=env, check=True, stdin=subprocess.DEVNULL)
    return CodexHome(program, home, codex_home, project)


def _configuration(server: ModelServer, project: Path, settings: CodexSettings) -> str:
    notice = f'[notice.model_migrations]\n"{settings.model}" = "gpt-6-sol"\n' if settings.answer_migration else ""
    trust = f'[projects."{project}"]\ntrust_level = "trusted"\n' if settings.answer_trust else ""
    return f"""\
model = "{settings.model}"
model_provider = "scripted"
model_context_window = {settings.context_window}
model_auto_compact_token_limit = {settings.auto_compact_limit}
check_for_update_on_startup = false
{settings.extra}
[model_providers.scripted]
name = "scripted"
base_url = "{server.base_url}"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
supports_websockets = false
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[otel]
exporter = "none"
[tui]
screen_reader_detection_done = true
{trust}{notice}"""
