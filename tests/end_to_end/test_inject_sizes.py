"""A person's text of any size is with the agent whole, from its first character to its last, or nothing of it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsup.host.own_texts import TEXT_MOST
from agentsup.locale import load
from agentsup.protocol import messages as m
from tests.end_to_end.conftest import Begin
from tests.end_to_end.headless import Client
from tests.end_to_end.place import Place
from tests.end_to_end.test_inject import Scene

HEADER = load("en").text("inject.header", id="abc234")
AROUND = len(HEADER) + 2
"""Bytes of what stands above the text."""

CANONICAL = 4_096
"""Bytes at which a terminal that reads whole lines cuts one."""

SIZES = (1, 80, 1_000 - AROUND, 1_001 - AROUND, CANONICAL - 1, CANONICAL, CANONICAL + 1, 20_000, TEXT_MOST)
"""Around all that changes how it is shown, read or written: rows, placeholders, a line, what a pty takes."""

SCRIPT: dict[str, Any] = {
    "window": 1_000_000,
    "step": [{"prompt": "", "actions": [{"say": "Fine.", "delay": 0}]}],
}


def numbered(size: int, *, line: int = 60) -> str:
    """Return a text of so many bytes in lines, in which no two places look alike."""
    words = (f"{number:06x}" + ("\n" if number % (line // 7) == 0 else " ") for number in range(1, size))
    text = ""
    for word in words:
        if len(text) >= size:
            break
        text += word
    return text[: size - 1] + "E" if size > 1 else "E"


def chinese(size: int) -> str:
    """Return a text of at most so many bytes of which most are Chinese."""
    text = "".join(f"第{number}行：恢复记忆，继续工作。\n" for number in range(size // 20 + 1))
    return text.encode()[: size - 3].decode(errors="ignore").rstrip() + "完"


class Sending:
    """A demo agent without an interface, to which texts are sent."""

    def __init__(self, begin: Begin, folder: Path, size: tuple[int, int] = (80, 24)) -> None:
        project = folder / "project"
        project.mkdir()
        self.home = folder / "demo"
        (folder / "script.json").write_text(json.dumps(SCRIPT))
        session = begin(
            sys.executable, "--script", str(folder / "script.json"), agent="demo", cwd=project, size=size,
            environment={"AGENTSUP_DEMO_HOME": str(self.home), "LC_ALL": "C.UTF-8"},
        )  # fmt: skip
        self.client = Client(session.folder, size=size)
        self.client.wait(lambda: self.client.session is not None and self.client.session.reported == "idle", "idle")

    def send(self, text: str) -> tuple[str, list[tuple[str, str]]]:
        """Send a text; return its id, and the states that it went through with their reasons."""
        seen = len(self.client.messages)
        self.client.send(m.InjectRequest("text", text))

        def answers() -> list[m.Outcome]:
            return [message for message in self.client.messages[seen:] if isinstance(message, m.Outcome)]

        self.client.wait(lambda: bool(answers()), "an answer")
        (answer,) = answers()
        assert answer.done, answer
        id = dict(answer.values)["id"]

        def states() -> list[tuple[str, str]]:
            sessions = [x.session for x in self.client.messages[seen:] if isinstance(x, m.SessionChanged)]
            injections = [x.injection for x in sessions if x.injection is not None and x.injection.id == id]
            return [(x.state, x.reason) for x in injections]

        final = ("confirmed", "failed", "dropped")
        self.client.wait(lambda: any(state in final for state, _ in states()), "its end")
        return id, states()

    def said(self) -> list[str]:
        """Return what has reached the model."""
        (log,) = (self.home / "conversations").glob("*.jsonl")
        records = [json.loads(line) for line in log.read_bytes().splitlines()]
        return [record["text"] for record in records if record["type"] == "user"]


@pytest.fixture
def sending(begin: Begin, tmp_path: Path) -> Sending:
    return Sending(begin, tmp_path)


def assert_whole(sending: Sending, text: str, id: str) -> None:
    """The newest message is all of the text, below its header, and there is no other one of it."""
    assert sending.said()[-1] == f"{HEADER.replace('abc234', id)}\n\n{text}"
    assert sum(id in said for said in sending.said()) == 1


def test_every_size_arrives_whole_and_once(sending: Sending) -> None:
    for count, size in enumerate(SIZES, 1):
        text = numbered(size)
        assert len(text) == size
        id, states = sending.send(text)
        assert states[-1] == ("confirmed", ""), (size, states)
        assert_whole(sending, text, id)
        assert len(sending.said()) == count


def test_so_it_does_where_all_that_is_typed_is_as_long_as_a_line_may_be(sending: Sending) -> None:
    for size in (CANONICAL - 1, CANONICAL, CANONICAL + 1):
        text = numbered(size - AROUND, line=10_000)
        id, states = sending.send(text)
        assert states[-1] == ("confirmed", ""), (size, states)
        assert_whole(sending, text, id)
        assert len(sending.said()[-1]) == size


def test_chinese_is_not_cut_inside_a_character(sending: Sending) -> None:
    for size in (3, CANONICAL - 1, CANONICAL, CANONICAL + 1, TEXT_MOST):
        text = chinese(size)
        assert size - 60 <= len(text.encode()) <= size
        id, states = sending.send(text)
        assert states[-1] == ("confirmed", ""), (size, states)
        assert_whole(sending, text, id)


def test_marks_of_a_paste_inside_a_text_end_no_paste(sending: Sending) -> None:
    id, states = sending.send("before\x1b[201~\rafter\x1b[200~ and \x9b201~ more")
    assert states[-1] == ("confirmed", "")
    assert_whole(sending, "before[201~\nafter[200~ and 201~ more", id)


@pytest.mark.parametrize("size", [(40, 12), (250, 80)])
def test_a_small_and_a_large_window_change_nothing(begin: Begin, tmp_path: Path, size: tuple[int, int]) -> None:
    sending = Sending(begin, tmp_path, size)
    for length in (300, CANONICAL):
        text = numbered(length)
        id, states = sending.send(text)
        assert states[-1] == ("confirmed", ""), states
        assert_whole(sending, text, id)


def test_where_too_little_of_it_can_be_seen_it_is_not_sent(begin: Begin, tmp_path: Path) -> None:
    sending = Sending(begin, tmp_path, (20, 6))
    _, states = sending.send(numbered(300))
    assert states[-1] == ("failed", "injection.not-shown")
    assert sending.said() == []


@pytest.mark.parametrize(("program", "key"), [("cat", "inject.whole-lines"), ("stty raw -echo; cat", "inject.no-log")])
def test_a_program_that_can_not_confirm_it_gets_nothing(begin: Begin, program: str, key: str) -> None:
    session = begin("sh", "-c", f"{program} >&2")
    client = Client(session.folder)
    client.wait(lambda: client.session is not None, "a session")
    # It is answered as the terminal is at that moment: the shell has to have come to its program.
    client.send(m.Keys(b"ready\r"))
    client.wait_text("ready")

    def answers() -> list[m.HostMessage]:
        return [message for message in client.messages if isinstance(message, m.Outcome)]

    for count, size in enumerate((1, CANONICAL - 1, CANONICAL, CANONICAL + 1, TEXT_MOST), 1):
        client.send(m.InjectRequest("text", numbered(size)))
        client.wait(lambda n=count: len(answers()) == n, "an answer")  # type: ignore[misc]
        assert answers()[-1] == m.Outcome(False, key)
    assert client.session is not None
    assert client.session.injection is None
    assert [row for row in client.rows if row] in (["ready"], ["ready", "ready"])


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    place = Place(tmp_path)
    yield Scene(place)
    place.close()


def test_nested_in_a_tmux_of_a_tmux_it_arrives_whole(scene: Scene) -> None:
    inner = ("tmux", "-u", "-S", str(scene.place.runtime / "inner"), "-f", "/dev/null", "new-session", "--")
    scene.place.program = [*inner, *scene.place.program]
    terminal = scene.place.open("demo", "--script", "script.json", size=(100, 30))
    scene.place.program = scene.place.program[len(inner) :]
    scene.wait_idle(terminal)
    for count, size in enumerate((1, CANONICAL, TEXT_MOST), 1):
        text = numbered(size)
        done = scene.inject("-", given=text)
        assert done.returncode == 0, (size, done)
        assert scene.said()[-1].endswith(f"\n\n{text}")
        assert len(scene.said()) == count


def test_a_tmux_that_is_the_program_gets_nothing(scene: Scene) -> None:
    terminal = scene.place.open("--", "tmux", "-S", str(scene.place.runtime / "inner"), "-f", "/dev/null", "new", "cat")
    terminal.wait_for("[0]")
    done = scene.inject("-", given=numbered(CANONICAL))
    assert done.returncode == 1
    assert "nothing was sent" in done.stderr
    assert numbered(CANONICAL)[:20] not in terminal.text()
