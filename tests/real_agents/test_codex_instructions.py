"""The real Codex under agentsup: in its model requests our instructions stand once, beside the person's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeCodexHome
from tests.real_agents.codex import CodexHome, CodexSettings
from tests.real_agents.instructions import MINE, assert_told, configure, ours
from tests.real_agents.supervised import Supervised
from tests.servers.model_server import ModelServer, Request
from tests.servers.responses import Command, Turn, Usage

pytestmark = pytest.mark.real_agent

Start = Callable[..., Supervised]
OVER, UNDER = Usage(21_500, output=100), Usage(7_000, output=50)
"""Above and below the limit of 20,000 tokens at which Codex compacts by itself."""

OWN = f"developer_instructions = {json.dumps(MINE)}\n"
OTHER = 'developer_instructions = "Not these: something stronger says otherwise."\n'


@pytest.fixture
def start(make_codex_home: MakeCodexHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (),
            *,
            extra: str = "",
            arguments: Sequence[str] = (),
            prepare: Callable[[CodexHome], None] = lambda home: None,
            answer_trust: bool = True,
            **server: Any,
        ) -> Supervised:
            model = stack.enter_context(ModelServer(script, **{"default": Turn("Fine.", usage=UNDER), **server}))
            home = make_codex_home(model, CodexSettings(extra=extra, answer_trust=answer_trust))
            prepare(home)
            supervised = Supervised(home, model, arguments=arguments)
            stack.callback(supervised.close)
            return supervised

        yield begin


def developer(request: Request) -> str:
    return "\n".join(request.texts("developer"))


def warnings(supervised: Supervised) -> list[str]:
    return [warning["key"] for warning in supervised.status()["warnings"]]


def in_profile(home: CodexHome) -> None:
    (home.codex_home / "verse.config.toml").write_text(OWN)


def in_project(home: CodexHome) -> None:
    (home.project / ".codex").mkdir()
    (home.project / ".codex" / "config.toml").write_text(OWN)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"extra": OWN},
        {"extra": OTHER, "arguments": ("-c", OWN.strip())},
        {"arguments": ("-c", OTHER.strip(), "-c", OWN.strip())},
        {"extra": OTHER, "arguments": ("--profile", "verse"), "prepare": in_profile},
        {"extra": OTHER, "prepare": in_project},
    ],
    ids=["none", "config", "option", "options", "profile", "project"],
)
def test_they_are_there_once_with_the_persons_own_before_and_after_compactions(
    start: Start, given: dict[str, Any]
) -> None:
    def play(request: Request) -> Turn:
        if request.last_user_text() == "work on it" and not request.tool_outputs():
            return Turn("Looking.", (Command("ls"),), usage=OVER)
        return Turn("Done.", usage=UNDER)

    supervised = start(play, **given)
    supervised.say("work on it")
    supervised.wait_restored(1)
    supervised.say("/compact")
    supervised.wait_restored(2)
    triggers = [r.metadata["compaction"]["trigger"] for r in supervised.model.requests("compaction")]
    assert triggers == ["auto", "manual"]
    requests = supervised.model.requests("turn")
    assert len(requests) >= 4
    for request in (*requests, *supervised.model.requests("compaction")):
        assert_told(developer(request), mine=bool(given))
        assert not any("agentsup recall" in text for text in request.texts("user"))
        assert OTHER.split('"')[1] not in developer(request)


def test_switched_off_nothing_is_added(start: Start) -> None:
    def off(home: CodexHome) -> None:
        configure(home.home, "[memory]\ninstructions = 'off'\n")

    supervised = start(extra=OWN, prepare=off)
    supervised.say("hello there")
    request = supervised.model.wait_for_count("turn", 1)
    assert developer(request).count(MINE) == 1
    assert "agentsup" not in developer(request)


def test_the_person_is_told_in_their_language_and_a_project_in_its_own_words(start: Start) -> None:
    def chinese(home: CodexHome) -> None:
        configure(home.home, "[interface]\nlanguage = 'zh-CN'\n")

    supervised = start(prepare=chinese)
    supervised.say("hello there")
    assert_told(developer(supervised.model.wait_for_count("turn", 1)), mine=False, language="zh-CN")
    supervised.command("stop")
    templates = supervised.home.project / ".agent" / "templates"
    templates.mkdir()
    (templates / "instructions.md").write_text("Keep {state}.\r\nAs here:\x1b[201~\n{good}")
    supervised.approve()
    supervised.terminal = supervised.open("codex")
    supervised.say("hello again")
    told = developer(supervised.model.wait_for(lambda request: request.last_user_text() == "hello again"))
    assert told.count("Keep .agent/STATE.md.\nAs here:[201~\n[任务]") == 1
    assert "agentsup recall" not in told


def test_a_resumed_and_a_restarted_conversation_have_them_once(start: Start) -> None:
    supervised = start(extra=OWN)
    supervised.say("hello there")
    first = supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    supervised.command("stop")
    supervised.terminal = supervised.open("codex", "resume", first["conversation"])
    supervised.say("go on")
    resumed = supervised.model.wait_for(lambda request: request.last_user_text() == "go on")
    assert resumed.contains("hello there")
    assert_told(developer(resumed), mine=True)
    second = supervised.wait_status(lambda s: s["turns"] == 2 and s["phase"] == "idle", "the second turn is over")
    assert supervised.command("restart", "--yes").returncode == 0
    supervised.wait_status(
        lambda s: s["conversation"] not in ("", second["conversation"]) and s["turns"] == 1 and s["phase"] == "idle",
        "a fresh agent has done its first turn",
    )
    fresh = supervised.model.requests("turn")[-1]
    assert not fresh.contains("hello there")
    assert_told(developer(fresh), mine=True)


@pytest.mark.parametrize(("length", "fits"), [(120_000, True), (131_000, False)])
def test_long_instructions_of_the_persons_never_stop_the_launch(start: Start, length: int, fits: bool) -> None:
    own = (f"{MINE} " * (length // len(MINE) + 1))[:length]
    supervised = start(extra=f"developer_instructions = {json.dumps(own)}\n")
    supervised.say("hello there")
    told = developer(supervised.model.wait_for_count("turn", 1))
    assert told.count(own.strip()) == 1
    assert told.count(ours()) == (1 if fits else 0)
    assert ("instructions.too-long" in warnings(supervised)) != fits


def test_a_projects_instructions_are_not_lost_at_the_start_at_which_it_is_first_trusted(start: Start) -> None:
    supervised = start(extra=OTHER, prepare=in_project, answer_trust=False)
    supervised.terminal.wait_for("Trust this folder?")
    supervised.terminal.wait_still(0.6)
    supervised.terminal.key("Enter")
    supervised.say("hello there")
    told = developer(supervised.model.wait_for_count("turn", 1))
    assert (told.count(MINE), told.count(ours())) == (1, 0)
    assert "instructions.undecided" in warnings(supervised)
    supervised.command("stop")
    supervised.terminal = supervised.open("codex")
    supervised.say("hello again")
    assert_told(
        developer(supervised.model.wait_for(lambda request: request.last_user_text() == "hello again")), mine=True
    )


def test_the_configuration_is_left_as_it_was(start: Start) -> None:
    supervised = start(extra=OWN)
    supervised.say("hello there")
    supervised.model.wait_for_count("turn", 1)
    assert "agentsup" not in (supervised.codex.codex_home / "config.toml").read_text()
    assert not list(supervised.home.project.rglob("AGENTS.md"))
