"""The command lines for Codex: the person's arguments win, a cold restart keeps the options only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from agentsup.agents.adapter import Conversation, Place
from agentsup.agents.codex import Codex


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["codex", "--no-daemon"]),
        (["fix it"], ["codex", "--no-daemon", "fix it"]),
        (
            ["-m", "gpt-5.5", "resume", "--last"],
            ["codex", "--no-daemon", "-m", "gpt-5.5", "resume", "--last"],
        ),
        (["--no-daemon", "x"], ["codex", "--no-daemon", "x"]),
        (["--remote", "unix://"], ["codex", "--remote", "unix://"]),
        (["exec", "do it"], ["codex", "exec", "do it"]),
        (["-m", "exec"], ["codex", "--no-daemon", "-m", "exec"]),
    ],
)
def test_launch(arguments: list[str], expected: list[str]) -> None:
    assert Codex().launch(Place("codex", tuple(arguments))) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["codex", "--no-daemon", "--", "P"]),
        (["an old prompt"], ["codex", "--no-daemon", "--", "P"]),
        (["resume", "--last", "-m", "gpt-5.5"], ["codex", "--no-daemon", "-m", "gpt-5.5", "--", "P"]),
        (["-c", 'model="x"', "resume", "01a2"], ["codex", "--no-daemon", "-c", 'model="x"', "--", "P"]),
        (["--model=x", "--", "resume"], ["codex", "--no-daemon", "--model=x", "--", "P"]),
    ],
)
def test_cold_restart(arguments: list[str], expected: list[str]) -> None:
    assert Codex().fresh_launch(Place("codex", tuple(arguments)), "P") == expected


def test_a_cold_restart_without_memory_has_no_prompt() -> None:
    assert Codex().fresh_launch(Place("codex", ("hello",)), "") == ["codex", "--no-daemon"]


LOCK = "/h/.codex/thread-writer-locks/01a22968-4cf7-7000-8000-00000000000{}.lock"
ROLLOUT = "/h/.codex/sessions/2026/11/30/rollout-2026-11-30T00-00-00-01a22968-4cf7-7000-8000-00000000000{}.jsonl"
THREAD = "01a22968-4cf7-7000-8000-00000000000{}"


@dataclass(frozen=True)
class Holding:
    """A process that holds these files open."""

    files: tuple[str, ...]
    pid: int = 1

    def written_files(self, *endings: str) -> list[str]:
        return list(self.files)

    def arguments(self) -> list[str]:
        return []


def test_the_newest_thread_is_the_conversation() -> None:
    def found(*files: str) -> Conversation | None:
        return Codex().conversation(Holding(files), Place("codex"))

    assert found("/dev/null", "/h/.codex/state_5.sqlite") is None
    assert found(LOCK.format(1)) == Conversation(THREAD.format(1))
    files = [LOCK.format(1), ROLLOUT.format(1)]
    assert found(*files) == Conversation(THREAD.format(1), ROLLOUT.format(1))
    assert found(LOCK.format(2), *files) == Conversation(THREAD.format(2))
    files = [ROLLOUT.format(2), LOCK.format(2), *files]
    assert found(*files) == Conversation(THREAD.format(2), ROLLOUT.format(2))


@pytest.mark.parametrize(
    ("arguments", "config", "expected"),
    [
        ((), "", 36_000),
        ((), "model_auto_compact_token_limit = 20000\n", 20_000),
        ((), "model_auto_compact_token_limit = 39500\n", 36_000),
        (("-c", "model_auto_compact_token_limit=15000"), "model_auto_compact_token_limit = 20000\n", 15_000),
        (("--config=model_auto_compact_token_limit=15000", "go"), "", 15_000),
        (("-p", "small"), "[profiles.small]\nmodel_auto_compact_token_limit = 9000\n", 9_000),
        ((), 'profile = "small"\n[profiles.small]\nmodel_auto_compact_token_limit = 9000\n', 9_000),
        ((), "no toml at all", 36_000),
        (("-c", "model_auto_compact_token_limit=soon"), "", 36_000),
    ],
)
def test_where_codex_compacts_by_itself(tmp_path: Path, arguments: tuple[str, ...], config: str, expected: int) -> None:
    (tmp_path / "config.toml").write_text(config)
    place = Place("codex", arguments, {"CODEX_HOME": str(tmp_path)})
    assert Codex().compacts_at(38_000, place) == expected


def test_state_reports() -> None:
    codex = Codex()
    report = codex.state({"state": "blocked", "app": "codex", "kind": "permission"}, 5.0)
    assert report is not None
    assert (report.state, report.kind, report.time) == ("blocked", "permission", 5.0)
    assert codex.state({"state": "clear"}, 5.0) is None
