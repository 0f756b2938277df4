"""The scripted Messages server itself, asked over real HTTP."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any
from urllib.parse import urlsplit

from tests.servers.messages import OVERLOADED, Command, Turn, Usage
from tests.servers.messages_server import COMPACTION_OPENING, SUBAGENT_MARK, SUGGESTION_OPENING, MessagesServer
from tests.servers.pace import Gate

TOOLS = [{"name": name} for name in ("Agent", "Bash", "Edit", "Read")]


def post(server: MessagesServer, body: dict[str, Any], path: str = "/v1/messages?beta=true") -> tuple[int, str]:
    """Send one request and return the status and the body of the answer."""
    address = urlsplit(server.base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
    connection.request("POST", path, json.dumps(body))
    response = connection.getresponse()
    answer = response.status, response.read().decode()
    connection.close()
    return answer


def prompt(text: str, **more: object) -> dict[str, Any]:
    """Return a request of the main thread."""
    blocks = [{"type": "text", "text": f"<system-reminder>\n{text} is not this\n</system-reminder>"}]
    said = {"role": "user", "content": [*blocks, {"type": "text", "text": text}]}
    return {"model": "m", "stream": True, "tools": TOOLS, "messages": [said], **more}


def ask(server: MessagesServer, text: str, **more: object) -> list[dict[str, Any]]:
    """Send one prompt and return the events of the answer."""
    status, answer = post(server, prompt(text, **more))
    assert status == 200
    return [json.loads(line.removeprefix("data: ")) for line in answer.splitlines() if line.startswith("data")]


def spoken(events: list[dict[str, Any]]) -> str:
    return "".join(e["delta"].get("text", "") for e in events if e["type"] == "content_block_delta")


def test_the_script_is_played_in_order_and_then_the_default() -> None:
    with MessagesServer([Turn("one", usage=Usage(1, 2, 3, 4)), Turn("two")], default=Turn("more")) as server:
        answers = [ask(server, "go") for _ in range(4)]
        assert [spoken(answer) for answer in answers] == ["one", "two", "more", "more"]
        assert answers[0][0]["message"]["usage"]["output_tokens"] == 1
        assert answers[0][-2]["usage"]["output_tokens"] == 4
        server.wait_for_outcome(server.requests()[-1], "completed")
        sent = server.usage_sent
        assert [each.usage.context for each in sent] == [6, 2003, 2003, 2003]
        assert sent[0].message_id == answers[0][0]["message"]["id"] == server.requests()[0].message_id


def test_what_is_not_the_main_thread_does_not_use_up_the_script() -> None:
    with MessagesServer([Turn("work")], compaction=Turn("S"), side=Turn("T"), subagent=Turn("A")) as server:
        assert spoken(ask(server, f"Only text. {COMPACTION_OPENING} of it.")) == "S"
        assert spoken(ask(server, "name it", tools=[])) == "T"
        assert spoken(ask(server, f"{SUGGESTION_OPENING} what next?]")) == "T"
        assert spoken(ask(server, "count", system=[{"type": "text", "text": SUBAGENT_MARK}])) == "A"
        assert spoken(ask(server, "go")) == "work"
        assert [request.kind for request in server.requests()] == ["compaction", "side", "side", "subagent", "turn"]
        server.wait_for_outcome(server.requests()[-1], "completed")
        assert [sent.number for sent in server.usage_sent] == [5]


def test_a_request_tells_what_was_said_and_what_tools_gave_back() -> None:
    results = [{"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "found"}]}]
    with MessagesServer() as server:
        first = prompt("look around")
        first["messages"] += [{"role": "assistant", "content": "Looking."}, {"role": "user", "content": results}]
        post(server, first)
        (request,) = server.requests("turn")
        assert request.last_user_text() == "look around"
        assert request.tool_results() == ["found"]
        assert request.contains("is not this")
        assert not request.contains("Looking.")


def test_a_gate_holds_an_answer_open_and_calls_come_behind_the_text() -> None:
    gate, answers = Gate(), list[list[dict[str, Any]]]()
    with MessagesServer([Turn("half and half", (Command("ls"),), hold=gate)]) as server:
        asker = threading.Thread(target=lambda: answers.append(ask(server, "go")))
        asker.start()
        gate.wait_reached()
        assert server.requests()[0].outcome == "streaming"
        assert server.usage_sent == []
        gate.release()
        asker.join(10)
        assert spoken(answers[0]) == "half and half"
        calls = [event["delta"].get("partial_json") for event in answers[0] if event["type"] == "content_block_delta"]
        assert json.loads(calls[-1])["command"] == "ls"
        assert answers[0][-2]["delta"]["stop_reason"] == "tool_use"


def test_a_client_that_goes_away_is_noticed_at_the_gate() -> None:
    gate = Gate()
    with MessagesServer([Turn("never", hold=gate, hold_at="start")]) as server:
        address = urlsplit(server.base_url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
        connection.request("POST", "/v1/messages", json.dumps(prompt("go")))
        gate.wait_reached()
        connection.close()
        server.wait_for_outcome(server.wait_for_count("turn", 1), "disconnected", 5)


def test_a_failure_is_an_error_response_and_no_usage() -> None:
    with MessagesServer([Turn(failure=OVERLOADED)]) as server:
        status, answer = post(server, prompt("go"))
        assert (status, json.loads(answer)["error"]["type"]) == (529, "overloaded_error")
        server.wait_for_outcome(server.requests()[0], "completed")
        assert server.usage_sent == []


def test_a_client_that_does_not_stream_gets_the_same_in_one_message() -> None:
    with MessagesServer([Turn("All at once.", (Command("ls"),), usage=Usage(1, 2, 3, 4))]) as server:
        _, answer = post(server, prompt("go", stream=False))
        message = json.loads(answer)
        assert [block["type"] for block in message["content"]] == ["text", "tool_use"]
        assert message["content"][0]["text"] == "All at once."
        assert message["content"][1]["input"]["command"] == "ls"
        assert (message["stop_reason"], message["usage"]["output_tokens"]) == ("tool_use", 4)


def test_tokens_are_counted_on_demand() -> None:
    with MessagesServer() as server:
        status, answer = post(server, prompt("x" * 4000), "/v1/messages/count_tokens?beta=true")
        assert status == 200
        assert json.loads(answer)["input_tokens"] > 1000
        assert server.requests() == []
