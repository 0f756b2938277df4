"""The real Codex: a person's text of any size in the very next request, and memory at the start of a session."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from agentsup.core.text import squeezed
from agentsup.host.own_texts import TEXT_MOST
from tests.conftest import MakeCodexHome
from tests.end_to_end.test_inject_sizes import CANONICAL, chinese, numbered
from tests.real_agents.supervised import DEADLINE, ENGRAM, Supervised, SupervisedAgent
from tests.servers.model_server import ModelServer
from tests.servers.responses import Turn, Usage

pytestmark = pytest.mark.real_agent

Start = Callable[..., Supervised]
STARTS = {"AGENTSUP_MEMORY_START_RESTORE": "on"}
TEXTS = [
    numbered(1), numbered(800), numbered(801), numbered(1_001), chinese(CANONICAL),
    numbered(CANONICAL - 1), numbered(CANONICAL), numbered(CANONICAL + 1), numbered(20_000), numbered(TEXT_MOST),
]  # fmt: skip
"""Around all that changes how Codex or Claude Code shows or sends it."""


ODD = (
    "caf e\u0301, left\u200eright\u202eturned\u202c, nbsp\u00a0 wide\u3000 zero\u200b \U0001f469\u200d\U0001f467",
    "\ufeff/clear\n!ls\n@README.md\n\n\n\n#memory\u2028\ta\tb\n[Pasted text #1 +3 lines]\n1\nend\\",
    'see <pasted_content id="ab12">\nx\n</pasted_content id="ab12"> there',
)
"""What input boxes, screens and transcripts show or write otherwise."""


@pytest.fixture
def start(make_codex_home: MakeCodexHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(script: Any = (), *, arguments: tuple[str, ...] = (), **environment: str) -> Supervised:
            model = stack.enter_context(ModelServer(script, default=Turn("Fine.", usage=Usage(7_000, output=50))))
            supervised = Supervised(make_codex_home(model), model, arguments=arguments, environment=environment)
            stack.callback(supervised.close)
            wait_session(supervised)
            return supervised

        yield begin


def wait_session(supervised: SupervisedAgent) -> None:
    """Wait until there is a session to ask."""
    folder = supervised.runtime / "agentsup"
    supervised.terminal.wait_until(lambda: any(folder.glob("*/session.json")), what="a session")


def inject(supervised: SupervisedAgent, *words: str, given: str = "") -> dict[str, Any]:
    """Run `agentsup inject`; return what it says at its end."""
    done = subprocess.run(
        [sys.executable, "-m", "agentsup", "inject", *words, "--json"], env=supervised.env,
        cwd=supervised.home.project, input=given, text=True, capture_output=True, timeout=2 * DEADLINE, check=False,
    )  # fmt: skip
    assert done.stdout, done.stderr
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    assert (done.returncode == 0) == (answer["state"] == "confirmed"), (answer, supervised.terminal.text())
    return answer


def is_idle(status: dict[str, Any]) -> bool:
    return status["phase"] == "idle" and not status["turn"]


def starts_by_hook(supervised: SupervisedAgent) -> Iterator[tuple[int, str]]:
    """Begin two sessions; yield the number and the only words of each when it has got its memory by a hook."""
    conversations: list[str] = []
    for number, words in enumerate(("hello there", "hello again"), 1):
        supervised.say(words)
        status = supervised.wait_status(
            lambda s: s["turns"] == 1 and is_idle(s) and s["conversation"] not in conversations
            and (s["injection"] or {}).get("state") == "confirmed", "the first turn of a session is over",
        )  # fmt: skip
        conversations.append(status["conversation"])
        assert status["injection"]["occasion"] == f"start:{status['conversation']}"
        yield number, words
        if number == 1:
            supervised.say("/clear")
            supervised.wait_status(lambda s: s["conversation"] not in conversations, "another conversation")


def test_every_size_is_in_the_next_request_whole_and_once(start: Start) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    for count, text in enumerate(TEXTS, 1):
        answer = inject(supervised, "-", given=text)
        assert answer["state"] == "confirmed", (len(text), answer)
        supervised.wait_status(lambda s, n=count: s["turns"] == n and is_idle(s), "its turn")  # type: ignore[misc]
        requests = supervised.turns_with(answer["id"])
        said = [found for found in requests[0].texts("user") if answer["id"] in found]
        assert len(said) == 1
        assert said[0].endswith(f"\n\n{text}"), len(text)
        assert len(supervised.model.requests("turn")) == count


def test_odd_characters_keep_nothing_from_arriving(start: Start) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    for text in ODD:
        assert inject(supervised, "-", given=text)["state"] == "confirmed", text
        supervised.wait_status(is_idle, "its turn is over")
        assert squeezed(text) in squeezed(supervised.model.requests("turn")[-1].last_user_text())
    assert len(supervised.model.requests("turn")) == len(ODD)


def test_memory_is_sent_when_a_person_asks_for_it(start: Start) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    answer = inject(supervised, "--restore")
    assert answer["state"] == "confirmed"
    (request,) = supervised.turns_with(f"(restore {answer['id']}")
    assert request.last_user_text().count(ENGRAM.strip()) == 1


def test_a_new_session_begins_with_its_memory_once_and_before_the_first_work(start: Start) -> None:
    supervised = start(**STARTS)
    injection = supervised.wait_injection("confirmed")
    assert injection["occasion"].startswith("start:")
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 2 and is_idle(s), "the first turn is over")
    first, second = supervised.model.requests("turn")
    assert f"(restore {injection['id']}" in first.last_user_text().partition("\n")[0]
    assert first.last_user_text().count(ENGRAM.strip()) == 1
    assert "In one sentence each" not in first.last_user_text()
    assert second.last_user_text() == "hello there"
    # Once more in the next one, and in none that is gone on with.
    supervised.say("/clear")
    again = supervised.wait_status(
        lambda s: bool(s["injection"]) and s["injection"]["id"] != injection["id"]
        and s["injection"]["state"] == "confirmed" and is_idle(s), "the next session is restored",
    )["injection"]  # fmt: skip
    assert again["occasion"] != injection["occasion"]
    assert not supervised.model.requests("turn")[-1].contains("hello there")


@pytest.mark.parametrize("word", ["resume", "fork"])
def test_one_that_is_gone_on_with_is_not_restored(start: Start, word: str) -> None:
    supervised = start()
    supervised.say("hello there")
    supervised.wait_status(lambda s: s["turns"] == 1 and is_idle(s), "the first turn is over")
    assert supervised.command("stop").returncode == 0
    supervised.env |= STARTS
    supervised.terminal = supervised.open("codex", word, "--last")
    supervised.say("once more")
    supervised.model.wait_for_count("turn", 2)  # the log of the first turn is read once more, and says that it is over
    status = supervised.wait_status(lambda s: s["turns"] >= 1 and is_idle(s), "a turn is over")
    assert status["injection"] is None
    assert len(supervised.model.requests("turn")) == 2


def test_a_person_who_is_quicker_is_not_kept_waiting(start: Start) -> None:
    supervised = start(arguments=("work on it",), **STARTS)
    status = supervised.wait_status(lambda s: s["turns"] == 1 and is_idle(s), "the first turn is over")
    # Dropped, or never asked for where the work was quicker than the first look at it.
    assert (status["injection"] or {}).get("reason", "injection.work-begun") == "injection.work-begun"
    supervised.say("and more")
    supervised.wait_status(lambda s: s["turns"] == 2 and is_idle(s), "the second turn is over")
    assert not supervised.turns_with("at the start of this session")


def test_a_cold_restart_is_not_restored_twice(start: Start) -> None:
    supervised = start(**STARTS)
    first = supervised.wait_injection("confirmed")
    before = supervised.wait_status(is_idle, "it is idle")
    assert supervised.command("restart", "--yes").returncode == 0
    after = supervised.wait_status(
        lambda s: s["agent"]["pid"] != before["agent"]["pid"] and s["turns"] == 1 and is_idle(s), "a fresh agent"
    )
    assert after["injection"]["id"] != first["id"]
    assert after["injection"]["occasion"] == f"cold:{after['conversation']}"
    assert len(supervised.model.requests("turn")) == 2


def test_by_a_hook_memory_is_in_the_first_request_and_costs_no_turn(start: Start) -> None:
    supervised = start(AGENTSUP_INJECTION_CHANNEL="hook", **STARTS)
    for number, words in starts_by_hook(supervised):
        requests = supervised.model.requests("turn")
        assert len(requests) == number
        assert requests[-1].last_user_text() == words
        texts = [text for text in requests[-1].texts("developer") if "at the start of this session" in text]
        assert [text.count(ENGRAM.strip()) for text in texts] == [1], texts


@pytest.mark.parametrize("key", ["Right", "C-u", "C-k"])
def test_a_key_without_effect_keeps_nothing_waiting(start: Start, key: str) -> None:
    supervised = start()
    supervised.wait_status(lambda s: s["phase"] == "idle", "it is idle")
    supervised.terminal.wait_for(supervised.EMPTY)
    supervised.terminal.key(key)
    answer = inject(supervised, "-", given="hello")
    assert answer["state"] == "confirmed"
    assert supervised.model.requests("turn")[-1].last_user_text().endswith("hello")
