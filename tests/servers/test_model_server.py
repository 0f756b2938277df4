"""The scripted model server itself, asked over real HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.servers.model_server import COMPACTION_OPENING, ModelServer
from tests.servers.responses import Command, Gate, Turn, Usage


def ask(server: ModelServer, text: str, **metadata: str) -> list[dict[str, Any]]:
    """Send one prompt and return the events of the answer."""
    address = urlsplit(server.base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    headers = {"x-codex-turn-metadata": json.dumps(metadata)}
    connection.request("POST", address.path + "/responses", json.dumps({"input": [message]}), headers)
    answer = connection.getresponse().read().decode()
    connection.close()
    return [json.loads(line.removeprefix("data: ")) for line in answer.splitlines() if line.startswith("data")]


def spoken(events: list[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")


def test_the_script_is_played_in_order_and_then_the_default() -> None:
    with ModelServer([Turn("one", usage=Usage(10, output=1)), Turn("two")], default=Turn("more")) as server:
        answers = [ask(server, "go") for _ in range(4)]
        assert [spoken(answer) for answer in answers] == ["one", "two", "more", "more"]
        assert answers[0][-1]["response"]["usage"]["total_tokens"] == 11
        server.wait_for_outcome(server.requests()[-1], "completed")
        assert [sent.usage.input for sent in server.usage_sent] == [10, 1000, 1000, 1000]


def test_titles_and_compactions_do_not_use_up_the_script() -> None:
    with ModelServer([Turn("work")], compaction=Turn("SUMMARY"), title="Name") as server:
        assert json.loads(spoken(ask(server, "hi", thread_source="thread_title"))) == {"title": "Name"}
        assert spoken(ask(server, COMPACTION_OPENING + ". Create a handoff summary")) == "SUMMARY"
        assert spoken(ask(server, "go")) == "work"
        assert [request.kind for request in server.requests()] == ["title", "compaction", "turn"]
        assert server.requests("turn")[0].contains("go")


def test_a_gate_holds_an_answer_open() -> None:
    gate, answers = Gate(), list[list[dict[str, Any]]]()
    with ModelServer([Turn("half and half", (Command("ls"),), hold=gate)]) as server:
        asker = threading.Thread(target=lambda: answers.append(ask(server, "go")))
        asker.start()
        gate.wait_reached()
        assert server.requests()[0].outcome == "streaming"
        assert server.usage_sent == []
        gate.release()
        asker.join(10)
        assert spoken(answers[0]) == "half and half"
        assert answers[0][-1]["response"]["output"][1]["name"] == "exec_command"


def test_a_client_that_goes_away_is_noticed_at_the_gate() -> None:
    gate = Gate()
    with ModelServer([Turn("never", hold=gate, hold_at="start")]) as server:
        address = urlsplit(server.base_url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
        connection.request("POST", address.path + "/responses", json.dumps({"input": []}))
        gate.wait_reached()
        connection.close()
        server.wait_for_outcome(server.wait_for_count("turn", 1), "disconnected", 5)


def test_a_wait_in_vain_lists_what_came() -> None:
    with ModelServer() as server:
        ask(server, "something else")
        with pytest.raises(AssertionError, match="something else"):
            server.wait_for(lambda request: request.contains("never"), 0.1)
