"""The real Codex with hooks of ours: what was forgotten is in its very next request, once, and in none as typed."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agentsup.agents import codex_hooks
from agentsup.agents.adapter import Place
from agentsup.agents.codex import Codex
from agentsup.store import remembered
from tests.conftest import MakeCodexHome
from tests.real_agents.codex import EMPTY_HINT, CodexSettings
from tests.real_agents.supervised import ENGRAM, Supervised
from tests.servers.model_server import ModelServer, Request
from tests.servers.responses import Command, Turn, Usage

pytestmark = pytest.mark.real_agent

Start = Callable[..., Supervised]
HOOKS = {"AGENTSUP_INJECTION_CHANNEL": "hook", "AGENTSUP_INJECTION_BREAKER_COMPACTIONS": "100"}
"""Compactions follow each other quickly here: what is done about that is tested elsewhere."""
OVER, UNDER = Usage(21_500, output=100), Usage(7_000, output=50)
"""Above and below the limit of 20,000 tokens at which Codex compacts by itself."""

HEADER = "Restored from disk by agentsup"


@pytest.fixture
def start(make_codex_home: MakeCodexHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (), *, arguments: tuple[str, ...] = (), environment: dict[str, str] = HOOKS,
            settings: CodexSettings | None = None, **server: Any,
        ) -> Supervised:  # fmt: skip
            model = stack.enter_context(ModelServer(script, **server))
            home = make_codex_home(model, settings)
            supervised = Supervised(home, model, arguments=arguments, environment=environment)
            stack.callback(supervised.close)
            return supervised

        yield begin


def restored(request: Request) -> list[str]:
    """Return what of a request hooks of ours have restored; fails where a restore was typed."""
    assert not any(text.startswith(HEADER) for text in request.texts("user"))
    return [text for text in request.texts("developer") if text.startswith(HEADER)]


def by_hook(supervised: Supervised, count: int) -> str:
    """Wait until the `count`-th compaction's restore is confirmed, and return its id."""
    id = supervised.wait_restored(count)
    assert supervised.status()["injection"]["occasion"].startswith("compaction:")
    return id


def assert_next_request_has_it(supervised: Supervised, id: str) -> None:
    """The request right after the last compaction has the restore with the engram as it is, and no other."""
    compaction = supervised.model.requests("compaction")[-1]
    following = [r for r in supervised.model.requests("turn") if r.number > compaction.number]
    (text,) = restored(following[0])
    assert f"(restore {id}" in text.partition("\n")[0]
    assert text.count(ENGRAM.strip()) == 1
    assert text.endswith(f"(end of restore {id})")
    for request in following[1:]:
        assert restored(request) == [text]


def test_in_the_middle_of_a_turn_it_is_in_the_very_next_request(start: Start) -> None:
    def play(request: Request) -> Turn:
        if request.last_user_text().startswith("work on") and not request.tool_outputs():
            return Turn("Looking.", (Command("ls"),), usage=OVER)
        return Turn("Done.", usage=UNDER)

    supervised = start(play)
    for number in (1, 2, 3):
        supervised.say(f"work on part {number}")
        id = by_hook(supervised, number)
        compaction = supervised.model.requests("compaction")
        assert len(compaction) == number
        assert compaction[-1].metadata["compaction"]["phase"] == "mid_turn"
        assert_next_request_has_it(supervised, id)
    assert len(supervised.model.requests("turn")) == 6  # nothing was asked for by us
    assert supervised.status()["hooks"]["heard"]
    hooks = [line for line in supervised.command("doctor", "--json").stdout.splitlines() if "hooks-loaded" in line]
    assert len(hooks) == 1


def test_at_the_start_of_a_turn_it_is_in_that_turns_first_request(start: Start) -> None:
    usages = iter([OVER, UNDER, OVER, UNDER, OVER, UNDER, UNDER])
    supervised = start(lambda request: Turn("Fine.", usage=next(usages)))
    for number in (1, 2, 3):
        supervised.say(f"fill it {number}")
        supervised.wait_status(lambda s, n=number: s["turns"] == 2 * n - 1 and s["phase"] == "idle", "it is full")  # type: ignore[misc]
        supervised.say(f"go on {number}")
        id = by_hook(supervised, number)
        compaction = supervised.model.requests("compaction")[-1]
        assert compaction.metadata["compaction"]["phase"] != "mid_turn"
        assert_next_request_has_it(supervised, id)
        assert supervised.model.requests("turn")[-1].last_user_text() == f"go on {number}"


def test_after_a_compaction_by_command_it_is_with_the_persons_next_prompt(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=UNDER))
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    for number in (1, 2, 3):
        supervised.say("/compact")
        waits = supervised.wait_status(lambda s, n=number: s["compactions"] == n and s["phase"] == "idle", "compacted")  # type: ignore[misc]
        assert (waits["injection"]["state"], waits["injection"]["reason"]) == ("held", "injection.waits-for-hook")
        supervised.say(f"next {number}")
        id = by_hook(supervised, number)
        assert_next_request_has_it(supervised, id)
        assert supervised.model.requests("turn")[-1].last_user_text() == f"next {number}"
    assert len(supervised.model.requests("turn")) == 4


def test_a_new_session_has_its_memory_in_its_first_request(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=UNDER), environment=HOOKS | {"AGENTSUP_MEMORY_START_RESTORE": "on"})
    supervised.say("hello there")
    found = supervised.wait_status(
        lambda s: s["turns"] == 1 and s["phase"] == "idle" and s["injection"]["state"] == "confirmed", "confirmed"
    )["injection"]
    assert found["occasion"].startswith("start:")
    (request,) = supervised.model.requests("turn")
    (text,) = restored(request)
    assert text.count(ENGRAM.strip()) == 1
    assert request.last_user_text() == "hello there"


def test_a_cold_restart_has_its_memory_once(start: Start) -> None:
    supervised = start(default=Turn("Fine.", usage=UNDER), environment=HOOKS | {"AGENTSUP_MEMORY_START_RESTORE": "on"})
    supervised.say("hello there")
    first = supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    supervised.terminal.key("C-\\")
    supervised.terminal.key("r")
    supervised.terminal.wait_for("Make add() in calc.py safe.")
    supervised.terminal.key("y")
    status = supervised.wait_status(
        lambda s: s["agent"]["pid"] != first["agent"]["pid"] and s["turns"] == 1 and s["phase"] == "idle",
        "a fresh agent has done its first turn",
    )
    request = supervised.model.requests("turn")[-1]
    assert sum(text.count(ENGRAM.strip()) for text in request.texts()) == 1
    assert status["hooks"]["heard"] > first["hooks"]["heard"]


def test_the_persons_own_hooks_run_as_before_and_nothing_is_written(
    make_codex_home: MakeCodexHome, tmp_path: Path
) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "import json\nprint(json.dumps({'hookSpecificOutput': {'hookEventName': 'SessionStart', "
        "'additionalContext': 'THEIR OWN WORDS'}}))\n"
    )
    command = shlex.join([sys.executable, str(own)])
    with ModelServer(default=Turn("Fine.", usage=UNDER)) as model:
        home = make_codex_home(model)
        configuration = home.codex_home / "config.toml"
        theirs = f"\n[[hooks.SessionStart]]\nhooks = [{{ type = 'command', command = '''{command}''' }}]\n"
        configuration.write_text(configuration.read_text() + theirs)
        before = configuration.read_text()
        supervised = Supervised(home, model, environment=HOOKS)
        try:
            supervised.terminal.wait_for("need review")  # of theirs, as without agentsup
            supervised.terminal.wait_still(0.6)  # a key in the dialog's first 10 ms Codex throws away, alone, too
            assert "hook_client" not in supervised.terminal.text()
            supervised.terminal.key("2", "Enter")
            supervised.say("hello there")
            supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
            supervised.say("/compact")
            supervised.wait_status(lambda s: s["compactions"] == 1 and s["phase"] == "idle", "compacted")
            supervised.say("next")
            by_hook(supervised, 1)
            after = configuration.read_text()
            request = model.requests("turn")[-1]
            assert request.texts("developer").count("THEIR OWN WORDS") == 1
            assert len(restored(request)) == 1
            written = {line for line in after.splitlines() if line} - set(before.splitlines())
            assert not [line for line in written if "session-flags" in line or "hook_client" in line]
            kept = remembered.recall(supervised.env, "hooks", "codex")
            assert kept == ""  # the setting has answered
        finally:
            supervised.close()


def test_hooks_of_theirs_on_the_command_line_stand_alone(start: Start, tmp_path: Path) -> None:
    theirs = 'hooks.SessionStart=[{hooks=[{type="command",command="true"}]}]'
    supervised = start(
        default=Turn("Fine.", usage=UNDER), arguments=("-c", theirs, "--dangerously-bypass-hook-trust")
    )  # fmt: skip
    supervised.say("hello there")
    status = supervised.wait_status(lambda s: s["turns"] == 1 and s["phase"] == "idle", "the first turn is over")
    assert [warning["key"] for warning in status["warnings"]] == ["hooks.own"]
    assert status["hooks"] == {"installed": False, "heard": None}
    supervised.say("/compact")
    supervised.wait_restored(1)  # typed
    assert any(text.startswith(HEADER) for text in supervised.model.requests("turn")[-1].texts("user"))


def test_64_kib_by_a_hook_arrive_whole(make_codex_home: MakeCodexHome, tmp_path: Path) -> None:
    text = "A" + "恢复 line\n" * 5_900 + "Z"
    assert len(text.encode()) >= 65_536
    script = tmp_path / "hook.py"
    said = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    script.write_text(f"import sys\nif sys.argv[2] == 'SessionStart': print({json.dumps(said)!r})\n")
    with ModelServer(default=Turn("Fine.", usage=UNDER)) as model:
        home = make_codex_home(model)
        hook = (sys.executable, str(script), "codex")
        place = Place(str(home.program), environment=home.env, project=home.project, hook=hook)
        trust = Codex().review_hooks(place)
        words = Codex().launch(Place(**{**vars(place), "hook_trust": trust}))[2:]
        assert len(words) == 2 * (len(codex_hooks.EVENTS) + 1)
        terminal = home.start(*words)
        try:
            terminal.wait_for(EMPTY_HINT)
            terminal.paste("go")
            terminal.key("Enter")
            terminal.wait_for("Worked for")
            assert model.requests("turn")[0].texts("developer").count(text) == 1
        finally:
            terminal.kill()
