"""The real Claude Code under agentsup: gauge, window, phases, compactions and conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.conftest import MakeClaudeHome
from tests.real_agents.claude import ClaudeSettings
from tests.real_agents.supervised import SupervisedClaude
from tests.servers.messages import Turn, Usage
from tests.servers.messages_server import MessagesServer

pytestmark = pytest.mark.real_agent

Start = Callable[..., SupervisedClaude]


@pytest.fixture
def start(make_claude_home: MakeClaudeHome) -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = (),
            *,
            settings: ClaudeSettings | None = None,
            size: tuple[int, int] = (120, 40),
            arguments: tuple[str, ...] = (),
            **server: Any,
        ) -> SupervisedClaude:
            model = stack.enter_context(MessagesServer(script, **server))
            supervised = SupervisedClaude(make_claude_home(model, settings), model, size, arguments)
            stack.callback(supervised.close)
            return supervised

        yield begin


def test_the_gauge_is_what_the_server_sent_at_every_step(start: Start) -> None:
    usages = [Usage(3 + n, 500 * n, 20_000 + 1_357 * n, 31 + n) for n in range(4)]
    supervised = start([Turn(f"Answer {n}.", usage=usage) for n, usage in enumerate(usages)])
    for number, usage in enumerate(usages):
        supervised.say(f"question {number}")
        status = supervised.wait_status(
            lambda s, n=number: s["turns"] == n + 1 and s["phase"] == "idle" and not s["turn"],  # type: ignore[misc]
            "the turn is over",
        )
        context = status["context"]
        assert (context["used"], context["window"], context["source"]) == (usage.context, 1_000_000, "exact")
    print(status)
    print(supervised.terminal.text())
