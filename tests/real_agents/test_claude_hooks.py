"""The real Claude Code with hooks of ours: what was forgotten is in its very next request, once, and never typed."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents import claude_hooks
from tests.conftest import MakeClaudeHome
from tests.real_agents.claude import COMPOSER, ClaudeSettings
from tests.real_agents.supervised import ENGRAM, SupervisedClaude, over
from tests.real_agents.test_claude_supervised import AUTO_COMPACT, FULL, SOME
from tests.servers.messages import Command, Turn
from tests.servers.messages_server import MessagesServer, Request

pytestmark = pytest.mark.real_agent

Start = Callable[..., SupervisedClaude]
HOOKS = {"AGENTSUP_INJECTION_CHANNEL": "hook", "AGENTSUP_INJECTION_BREAKER_COMPACTIONS": "100"}
"""Compactions follow each other quickly here: what is done about that is tested elsewhere."""
HEADER = "Restored from disk by agentsup (restore "


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (), *, arguments: tuple[str, ...] = (), environment: dict[str, str] = HOOKS,
            settings: ClaudeSettings | None = None, **server: Any,
        ) -> SupervisedClaude:  # fmt: skip
            model = stack.enter_context(MessagesServer(script, **server))
            home = make_claude_home(model, settings)
            supervised = SupervisedClaude(home, model, arguments=arguments, environment=environment)
            stack.callback(supervised.close)
            return supervised

        yield begin


def in_context(request: Request, id: str) -> int:
    """Return how often a restore stands in what hooks have added; fails where it was typed."""
    assert not any(text.startswith(HEADER) or "pasted_content" in text for text in request.texts("user"))
    for text in request.texts("system"):
        if f"{HEADER}{id}" in text:
            _, _, own = text.partition(f"{HEADER}{id}")
            own, end, _ = own.partition(f"(end of restore {id})")
            assert end
            assert own.count(ENGRAM.strip()) == 1
    return sum(text.count(f"{HEADER}{id}") for text in request.texts("system", "user", "assistant"))


def assert_next_request_has_it(supervised: SupervisedClaude, id: str) -> list[Request]:
    """The request right after the last compaction has the restore once, and so has every one that follows."""
    compaction = supervised.model.requests("compaction")[-1]
    following = [r for r in supervised.model.requests("turn") if r.number > compaction.number]
    assert following
    assert [in_context(request, id) for request in following] == [1] * len(following)
    return following


def test_in_the_middle_of_a_turn_it_is_in_the_very_next_request(start: Start) -> None:
    looks = [Turn("Looking.", (Command("ls"),), usage=FULL), Turn("Done.", usage=SOME)]
    supervised = start([Turn("Hello."), *looks, *looks, *looks], arguments=AUTO_COMPACT)
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    for number in (1, 2, 3):
        supervised.say(f"work on part {number}")
        id = supervised.wait_restored(number)
        assert_next_request_has_it(supervised, id)
    assert len(supervised.model.requests("turn")) == 7  # nothing was asked for by us
    assert supervised.status()["hooks"]["heard"]


def test_at_the_start_of_a_turn_it_is_in_that_turns_first_request(start: Start) -> None:
    fills = [Turn("Full.", usage=FULL), Turn("Done.", usage=SOME)]
    supervised = start([Turn("Hello."), *fills, *fills, *fills], arguments=AUTO_COMPACT)
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    for number in (1, 2, 3):
        supervised.say(f"fill it {number}")
        supervised.wait_status(over(2 * number), "it is full")
        supervised.say(f"go on {number}")
        id = supervised.wait_restored(number)
        (request,) = assert_next_request_has_it(supervised, id)
        assert any(f"go on {number}" in text for text in request.texts("user"))


def test_after_a_compaction_by_command_it_is_with_the_persons_next_prompt(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=SOME))
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    for number in (1, 2, 3):
        supervised.say("/compact")
        # Its hook runs at once, and the text waits in the context.
        id = supervised.wait_restored(number)
        count = len(supervised.model.requests("turn"))
        supervised.say(f"next {number}")
        supervised.wait_status(lambda s, n=number: s["turns"] == n + 1 and s["phase"] == "idle", "the turn is over")  # type: ignore[misc]
        (request,) = assert_next_request_has_it(supervised, id)
        assert len(supervised.model.requests("turn")) == count + 1
        assert any(f"next {number}" in text for text in request.texts("user"))


@pytest.mark.parametrize("way", ["startup", "clear"])
def test_a_new_session_has_its_memory_in_its_first_request(start: Start, way: str) -> None:
    environment = HOOKS | {"AGENTSUP_MEMORY_START_RESTORE": "on"}
    supervised = start(default=Turn("Fine.", usage=SOME), environment=environment)
    if way == "clear":
        supervised.say("something else")
        supervised.wait_status(over(1), "the first turn is over")
        supervised.say("/clear")
    supervised.say("hello there")
    found = supervised.wait_status(
        lambda s: s["phase"] == "idle" and not s["turn"] and s["injection"]["state"] == "confirmed"
        and any("hello there" in text for r in supervised.model.requests("turn") for text in r.texts("user")),
        "confirmed",
    )["injection"]  # fmt: skip
    assert found["occasion"].startswith("start:")
    request = supervised.model.requests("turn")[-1]
    (text,) = [text for text in request.texts("system") if "by agentsup" in text]
    assert text.count(f"(end of restore {found['id']})") == text.count(ENGRAM.strip()) == 1
    assert len(supervised.model.requests("turn")) == (2 if way == "clear" else 1)


def own_hooks(folder: Path) -> dict[str, object]:
    """Return settings with a hook of the person's own."""
    script = folder / "own.py"
    said = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "THEIR OWN WORDS"}}
    script.write_text(f"print({json.dumps(said)!r})\n")
    hook = {"type": "command", "command": shlex.join([sys.executable, str(script)])}
    return {"hooks": {"SessionStart": [{"hooks": [hook]}]}}


@pytest.mark.parametrize("given", ["none", "inline", "file"])
def test_the_persons_own_hooks_run_as_before_and_nothing_is_written(start: Start, tmp_path: Path, given: str) -> None:
    theirs = own_hooks(tmp_path)
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps(theirs))
    settings = ClaudeSettings(settings=theirs if given == "none" else {})
    arguments = {"none": (), "inline": ("--settings", json.dumps(theirs)), "file": ("--settings", str(mine))}[given]
    supervised = start(default=Turn("Fine.", usage=SOME), settings=settings, arguments=arguments)
    configuration = supervised.claude.config / "settings.json"
    before = configuration.read_bytes()
    supervised.say("hello there")
    supervised.wait_status(over(1), "the first turn is over")
    supervised.say("/compact")
    id = supervised.wait_restored(1)
    supervised.say("next")
    supervised.wait_status(over(2), "the turn is over")
    (request,) = assert_next_request_has_it(supervised, id)
    assert sum(text.count("THEIR OWN WORDS") for text in request.texts("system")) == 1
    assert (configuration.read_bytes(), json.loads(mine.read_bytes())) == (before, theirs)
    assert not list((supervised.claude.config / "plugins").rglob("*agentsup*/*"))


def test_how_long_a_text_may_be_to_arrive_whole(make_claude_home: MakeClaudeHome, tmp_path: Path) -> None:
    whole, cut = "A" + "复" * (claude_hooks.CONTEXT_MOST - 2) + "Z", "B" + "复" * (claude_hooks.CONTEXT_MOST - 1) + "Z"
    script = tmp_path / "hook.py"
    script.write_text(
        "import json, sys\ntext = sys.argv[1][0] + '复' * int(sys.argv[1][1:]) + 'Z'\n"
        "print(json.dumps({'hookSpecificOutput': {'hookEventName': 'SessionStart', 'additionalContext': text}}))\n"
    )
    commands = (shlex.join([sys.executable, str(script), f"{text[0]}{len(text) - 2}"]) for text in (whole, cut))
    groups = [{"hooks": [{"type": "command", "command": command}]} for command in commands]
    with MessagesServer(default=Turn("Fine.", usage=SOME)) as model:
        home = make_claude_home(model)
        terminal = home.start("--settings", json.dumps({"hooks": {"SessionStart": groups}}))
        try:
            terminal.wait_for(COMPOSER)
            terminal.paste("go")
            terminal.key("Enter")
            terminal.wait_until(lambda: bool(home.events("turn_duration")), what="a turn")
            (request,) = model.requests("turn")
            assert sum(text.count(whole) for text in request.texts("system")) == 1
            assert not any(cut in text for text in request.texts("system"))
        finally:
            terminal.kill()
