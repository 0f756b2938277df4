"""`agentsup inject`: a person's text goes the way of every restore, and the command says what became of it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.headless import Started
from tests.end_to_end.place import DEADLINE, Place
from tests.end_to_end.test_host import host_of
from tests.terminals.tmux import Tmux

ENGRAM = "[Task] Ship the parser\n[Progress] Wrote lex().\n[Pending] Write test_lex()\n[Taboo] No regexes: slow\n"

SCRIPT: dict[str, Any] = {
    "window": 200_000,
    "step": [
        {"prompt": "^wait", "actions": [{"sleep": 60_000}]},
        {"prompt": "^ask", "actions": [{"approve": "rm -rf /"}]},
        {"prompt": "^compact", "actions": [{"usage": 9_000}, {"compact": "auto", "takes": 20, "after": 8_000}]},
        {"prompt": "", "actions": [{"say": "Fine.", "delay": 0}]},
    ],
}


class Scene:
    """A demo agent in a real terminal, and the commands that a person runs beside it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.demo = place.runtime / "demo"
        place.env |= {"AGENTSUP_DEMO_HOME": str(self.demo), "AGENTSUP_MEMORY_START_RESTORE": "off"}
        (place.work / ".agent").mkdir()
        (place.work / ".agent" / "engram.md").write_text(ENGRAM)
        (place.work / "script.json").write_text(json.dumps(SCRIPT))

    def open(self, *words: str) -> Tmux:
        """Start the agent, and wait until it is idle."""
        terminal = self.place.open("demo", "--script", "script.json", *words, size=(100, 30))
        self.wait_idle(terminal)
        return terminal

    def wait_idle(self, terminal: Tmux) -> None:
        """Wait until there is a session, and its agent says that it is idle."""
        terminal.wait_until(lambda: bool(self.sessions()), what="a session")
        self.wait_status(lambda status: status["phase"] == "idle", "it is idle")

    def sessions(self) -> list[Path]:
        return list((self.place.runtime / "agentsup").glob("*/session.json"))

    def inject(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run the command to its end."""
        return subprocess.run(
            [*self.place.program, "inject", *words], env=self.place.env, cwd=self.place.work, text=True, input=given,
            capture_output=True, timeout=2 * DEADLINE, check=False,
        )  # fmt: skip

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Run the command beside the test."""
        return subprocess.Popen(
            [*self.place.program, "inject", *words], env=self.place.env, cwd=self.place.work, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def said(self) -> list[str]:
        """Return what has reached the model as a user's message."""
        lines = [
            json.loads(line)
            for path in sorted((self.demo / "conversations").glob("*.jsonl"))
            for line in path.read_bytes().splitlines()
        ]
        return [line["text"] for line in lines if line["type"] == "user"]

    def wait_status(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> None:
        deadline = time.monotonic() + DEADLINE
        while not wanted(self.place.status()):
            assert time.monotonic() < deadline, (what, self.place.status())


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    place = Place(tmp_path)
    yield Scene(place)
    place.close()


def test_a_text_a_pipe_and_the_memory_each_arrive_once_and_the_command_says_so(scene: Scene) -> None:
    scene.open()
    done = scene.inject("--text", "look at calc.py")
    assert (done.returncode, done.stdout.count("\n")) == (0, 1), done
    id = done.stdout.split()[0].removeprefix("#")
    assert scene.said() == [f"agentsup message {id}. Your user sends you this:\n\nlook at calc.py"]
    piped = scene.inject("-", "--json", given="line one\nline two\n")
    assert piped.returncode == 0, piped
    answer = json.loads(piped.stdout)
    assert (answer["state"], answer["reason"]) == ("confirmed", "")
    assert scene.said()[1].endswith("\n\nline one\nline two")
    restored = scene.inject("--restore", "--json", scene.place.status()["session"])
    assert restored.returncode == 0, restored
    text = scene.said()[2]
    assert f"(restore {json.loads(restored.stdout)['id']}, number 1;" in text.partition("\n")[0]
    assert ENGRAM.strip() in text
    assert len(scene.said()) == 3
    assert scene.place.run("restore", "--diff").stdout.strip() == ""


def test_it_waits_for_a_turn_and_says_so_and_is_taken_back_in_time(scene: Scene) -> None:
    terminal = scene.open()
    terminal.type("wait")
    terminal.key("Enter")
    scene.wait_status(lambda s: s["phase"] == "working", "it works")
    done = scene.inject("--text", "never", "--timeout", "1")
    assert done.returncode == 1
    assert "waits: the agent is working" in done.stderr
    assert done.stdout.endswith("not sent within 1 s: the agent is working\n"), done
    late = scene.begin("--text", "later", "--json")
    scene.wait_status(lambda s: (s["injection"] or {}).get("state") == "held", "held")
    terminal.key("Escape")
    out, err = late.communicate(timeout=DEADLINE)
    assert (late.returncode, json.loads(out)["held"][0]) == (0, "injection.working"), err
    assert [text.rpartition("\n")[2] for text in scene.said()] == ["wait", "later"]


def test_a_draft_and_a_question_hold_it(scene: Scene) -> None:
    terminal = scene.open()
    terminal.type("half a thought")
    terminal.wait_for("half a thought")
    waiting = scene.begin("--text", "mine", "--json")
    scene.wait_status(lambda s: (s["injection"] or {}).get("reason") == "injection.draft", "held for the draft")
    terminal.key("C-c")
    out, _ = waiting.communicate(timeout=DEADLINE)
    assert (waiting.returncode, "injection.draft" in json.loads(out)["held"]) == (0, True)
    terminal.type("ask")
    terminal.key("Enter")
    terminal.wait_for("rm -rf /")
    done = scene.inject("--text", "yes", "--timeout", "1", "--json")
    assert (done.returncode, "injection.approval" in json.loads(done.stdout)["held"]) == (1, True)
    assert [text.rpartition("\n")[2] for text in scene.said()] == ["mine", "ask"]


def test_what_can_not_be_proven_to_arrive_is_not_sent(scene: Scene) -> None:
    terminal = scene.place.open("--", "cat", size=(100, 30))
    terminal.wait_until(lambda: bool(scene.sessions()))
    done = scene.inject("--text", "Zq" * 2_500)
    assert done.returncode == 1
    assert "a line is cut at 4,096 bytes: nothing was sent" in done.stderr
    assert "Zq" not in terminal.text()
    for words, code in ((("--text", " "), 1), (("--text", "a", "--restore"), 2), (("a", "b", "--restore"), 2), ((), 2)):
        assert scene.inject(*words).returncode == code, words


def test_the_leader_and_i_restore_at_once(scene: Scene) -> None:
    terminal = scene.open()
    terminal.key("C-\\")
    terminal.type("i")
    scene.wait_status(lambda s: (s["injection"] or {}).get("state") == "confirmed", "restored")
    assert [ENGRAM.strip() in text for text in scene.said()] == [True]


def test_all_restores_of_a_conversation_are_counted_over_the_death_of_a_host(scene: Scene) -> None:
    scene.place.env |= {"AGENTSUP_MEMORY_START_RESTORE": "on"}
    terminal = scene.open()

    def restored(number: int) -> str:
        scene.wait_status(lambda s: s["turns"] == len(scene.said()) == number and s["phase"] == "idle", "a restore")
        return scene.said()[-1].partition("\n")[0]

    assert ", number 1, at the start of this session; it replaces every earlier one)" in restored(1)
    assert scene.inject("--restore").returncode == 0
    assert ", number 2, in short; it replaces every earlier one), because a person asked for it." in restored(2)
    host_of(Started(scene.place.folder(), scene.place.record()["keeper_pid"], 0)).kill()
    scene.wait_idle(terminal)
    terminal.type("compact")
    terminal.key("Enter")
    assert ", number 3, in short; it replaces every earlier one). Your context was compacted." in restored(4)
    assert scene.inject("--restore").returncode == 0
    assert ", number 4, in short;" in restored(5)


def test_a_text_that_its_host_took_along_is_said_to_be_lost(scene: Scene) -> None:
    terminal = scene.open()
    terminal.type("half a thought")
    terminal.wait_for("half a thought")
    waiting = scene.begin("--text", "mine", "--json")
    scene.wait_status(lambda s: (s["injection"] or {}).get("reason") == "injection.draft", "held for the draft")
    host_of(Started(scene.place.folder(), scene.place.record()["keeper_pid"], 0)).kill()
    out, _ = waiting.communicate(timeout=2 * DEADLINE)
    assert (waiting.returncode, json.loads(out)["reason"]) == (1, "inject.lost")
    terminal.key("C-c")
    scene.wait_status(lambda s: s["phase"] == "idle", "it goes on")
    assert scene.said() == []
