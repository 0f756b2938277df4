"""The review on a real pty with the real record: what a person does is in it, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agentsup.protocol.messages import TrustAnnounced
from agentsup.store.trust_record import folder, project_key, read_record
from agentsup.store.trust_review import review
from agentsup.ui.trust_hands import PAUSE
from tests.ui.fake_host import FakeHost
from tests.ui.outer import Outer
from tests.ui.trust_scenes import FIRST_USE

LEADER = b"\x1c"
RIGHT, TAB, ENTER, ESCAPE = b"\x1b[C", b"\t", b"\r", b"\x1b"


@dataclass
class Place:
    """A project that brings a script and a rule, and a host in it."""

    root: Path
    host: FakeHost

    @property
    def record(self) -> list[tuple[str, str, str]]:
        """What stands in the record: about what, verdict, by whom."""
        found = read_record(self.root)
        assert not found.problem
        return [(entry.subject, entry.verdict, entry.by) for entry in found.entries]

    @property
    def announced(self) -> list[TrustAnnounced]:
        """What the host was told."""
        return [message for message in self.host.received if isinstance(message, TrustAnnounced)]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Lay out a project, with a home, data and running sessions of its own."""
    root, runtime = tmp_path / "shop", tmp_path / "run"
    (root / ".agent/init.d").mkdir(parents=True)
    (root / ".agent/init.d/15-tests.sh").write_text("#!/bin/sh\ntouch canary\n")
    (root / ".agent/DECISIONS.md").write_text(
        "# DECISIONS\n\n## D-1 Amounts are Decimal\n- reason: cents\n- confidence: [HARD] person\n"
    )
    (runtime / "agentsup/s1").mkdir(parents=True, mode=0o700)
    for name, value in (("HOME", tmp_path), ("XDG_DATA_HOME", tmp_path / "data"), ("XDG_RUNTIME_DIR", runtime)):
        monkeypatch.setenv(name, str(value))
    with FakeHost(runtime / "agentsup/s1/socket", replace(FIRST_USE, project=str(root))) as host:
        yield Place(root, host)


def answer(outer: Outer) -> None:
    """Type the y that approves, as late as a person who has read the question."""
    time.sleep(PAUSE + 0.3)
    outer.type(b"y")


def test_a_script_is_read_and_approved_and_stands_in_the_record(place: Place) -> None:
    with Outer(place.host.path) as outer:
        at = outer.wait_for(b"15-tests.sh", b"touch canary", b"Enter approves nothing")
        outer.type_until(RIGHT, b"Enter, then y, approves: run 1 script.")
        outer.type_until(ENTER, b"Type y to approve: run 1 script.")
        assert place.record == []
        answer(outer)
        outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        assert place.record[0] == ("scripts", "allow", "interface")
        assert "rule" not in {subject for subject, _, _ in place.record}
        assert review(place.root).may_run
        (told,) = place.announced
        assert told == TrustAnnounced(project_key(place.root), read_record(place.root).macs)
        outer.type(b"k")
        place.host.wait(lambda: place.host.keys == b"k")
    assert not (place.root / "canary").exists()


def test_what_changed_while_it_was_read_is_not_approved(place: Place) -> None:
    with Outer(place.host.path) as outer:
        outer.wait_for(b"touch canary", b"Enter approves nothing")
        outer.type_until(RIGHT, b"Enter, then y, approves: run 1 script.")
        at = outer.type_until(ENTER, b"Type y to approve: run 1 script.")
        (place.root / ".agent/init.d/15-tests.sh").write_text("#!/bin/sh\ntouch other\n")
        answer(outer)
        outer.wait_for(b"touch other", after=at)
        outer.wait_for(b"Enter approves nothing", after=at)
        assert place.record == []
        assert place.announced == []


def test_keys_typed_as_it_comes_approve_nothing(place: Place) -> None:
    with Outer(place.host.path) as outer:
        outer.wait_for(b"15-tests.sh")
        outer.type(b" y\r" + RIGHT + TAB + RIGHT + ENTER + b"yes\r")
        at = outer.wait_for(b"Rules: 0/1 ")
        outer.type_until(RIGHT, b"Enter, then y, approves: 1 rule.")
        assert place.record == []
        outer.type(ESCAPE)
        outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        assert place.record == []


@pytest.mark.parametrize("text", ["fix the tests please in calc\r", "请 修复 测试\ry\r", "\x1b[200~ \ry\r\x1b[201~"])
def test_text_for_the_agent_takes_back_what_was_chosen(place: Place, text: str) -> None:
    with Outer(place.host.path) as outer:
        outer.wait_for(b"touch canary", b"Enter approves nothing")
        outer.type_until(RIGHT, b"Enter, then y, approves: run 1 script.")
        at = outer.type_until(ENTER, b"Type y to approve: run 1 script.")
        outer.type(text.encode())
        at = outer.wait_for(b"Keys for the agent?", after=at)
        outer.wait_for(b"Enter approves nothing", after=at)
        assert place.record == []
        assert place.announced == []


@pytest.mark.parametrize("way", ["escape", "kill", "hang up"])
def test_leaving_in_any_way_approves_nothing(place: Place, way: str) -> None:
    with Outer(place.host.path) as outer:
        at = outer.wait_for(b"touch canary", b"Enter approves nothing")
        outer.type_until(RIGHT, b"Enter, then y, approves: run 1 script.")
        if way == "escape":
            outer.type(ESCAPE)
            outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        elif way == "kill":
            outer.process.kill()
            outer.process.wait()
        else:
            outer.process.terminate()
            outer.finish()
    assert place.record == []
    assert place.announced == []
    assert not folder().exists()


def test_the_menu_opens_it_again(place: Place) -> None:
    with Outer(place.host.path) as outer:
        at = outer.wait_for(b"touch canary")
        outer.type_until(ESCAPE, b"\x1b[2 q\x1b[?25h")
        outer.type(LEADER)
        outer.wait_for(b"trust", after=at)
        outer.type(b"t")
        outer.wait_for(b"touch canary", after=at)
