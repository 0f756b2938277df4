"""The editor on a real pty: keys in every form, pastes whole, nothing of it to the agent, nothing lost at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.protocol.messages import Bell, EngramSaved, Goodbye
from agentsup.ui.engram_desk import ENGRAM, Desk
from tests.ui.engram_scenes import VAGUE, project
from tests.ui.fake_host import FakeHost
from tests.ui.outer import Outer

LEADER, ESCAPE, F2 = b"\x1c", b"\x1b", b"\x1bOQ"
SAVE, TAG, VERSIONS = b"\x13", b"\x14", b"\x12"
UP, DOWN, LEFT, HOME, END = b"\x1b[A", b"\x1b[B", b"\x1b[D", b"\x1b[H", b"\x1b[F"
LAST = VAGUE.splitlines()[-1]
CURSOR = b"\x1b[2 q\x1b[?25h"
"""Keys go to the agent."""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHost]:
    """Return the host of a project whose agent, which leaves F2 to us, has written a vague engram."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    session = project(tmp_path, VAGUE)
    with FakeHost(tmp_path / "s", replace(session, agent=replace(session.agent, name="claude"))) as fake:
        yield fake


def written(host: FakeHost) -> str:
    """Return what stands in the file."""
    return (Path(host.session.project) / ENGRAM).read_text()


def opened(outer: Outer, keys: bytes = F2) -> int:
    """Open the editor, once the panel says how."""
    outer.wait_until_ready()
    outer.wait_for(b"F2 edit")
    outer.type(keys)
    return outer.wait_for(b"not begin with a verb")


def test_keys_and_pastes_are_the_editors_until_it_is_left(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        outer.wait_until_ready()
        outer.type(b"a")
        at = opened(outer)
        pasted = " pasted\r\n[Files] a.py \x1b[31m余额".encode()
        outer.type(b"x\x1b[200~" + pasted + b"\x1b[201~y" + TAG + b"2Ran it" + SAVE)
        at = outer.wait_for(b"Saved.", after=at)
        assert written(host) == f"{VAGUE.strip()}x pasted\n[Files] a.py [31m余额y\n[Progress] Ran it\n"
        host.wait(lambda: any(isinstance(message, EngramSaved) for message in host.received))
        outer.type(ESCAPE)
        outer.wait_for(CURSOR, after=at)
        outer.type(b"k")
        host.wait(lambda: host.keys == b"ak")
        assert host.pasted == b""


@pytest.mark.parametrize(
    "keys",
    [
        (b"\x1b[120u", b"\x1b[116;5u", b"\x1b[51u", b"\x1b[115;5u"),
        (b"\x1b[120;1:1u\x1b[120;1:3u", b"\x1b[116;5:1u\x1b[116;5:3u", b"\x1b[51u", b"\x1b[115;5:1u"),
        (b"x", b"\x1b[27;5;116~", b"3", b"\x1b[27;5;115~"),
    ],
    ids=["kitty", "kitty-events", "xterm"],
)
def test_keys_are_known_in_every_form(host: FakeHost, keys: tuple[bytes, ...]) -> None:
    with Outer(host.path) as outer:
        at = opened(outer, LEADER + b"e")
        for key in keys:
            outer.type(key)
        outer.wait_for(b"Saved.", after=at)
        assert written(host) == f"{VAGUE.strip()}x\n[Files] \n"


def test_a_leader_that_is_one_of_its_keys_is_that_key(host: FakeHost) -> None:
    with Outer(host.path, "en", "ctrl+t") as outer:
        at = opened(outer, TAG + b"e")
        outer.type(b"x" + TAG + b"3" + SAVE)
        outer.wait_for(b"Saved.", after=at)
        assert written(host) == f"{VAGUE.strip()}x\n[Files] \n"
        assert host.keys == b""


def test_pastes_still_come_when_the_agent_has_ended(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        at = opened(outer)
        host.show(replace(host.session, phase="exited"))
        host.say(Bell())
        at = outer.wait_for(b"\x07", after=at)
        outer.type(b"\x1b[200~ one\x1b[201~")
        at = outer.wait_for(b"one", after=at)
        outer.type(ESCAPE)
        outer.wait_for(b"discard", after=at)
        outer.type(b"s")
        outer.wait_for(b"claude ended", after=at)
        assert written(host) == f"{VAGUE.strip()} one\n"


@pytest.mark.parametrize(
    ("burst", "last"),
    [
        (b"xx" + HOME + b"B" + END + b"\rE" + SAVE, f"B{LAST}xx\nE\n"),
        (b"\r[Progress] one\rtwo" + UP + HOME + b"\x0b[Files] a.py" + SAVE, f"{LAST}\n[Files] a.py\ntwo\n"),
        (TAG + b"3a.py" + LEFT + b"\x7f\x7fb" + END + b"!" + SAVE, f"{LAST}\n[Files] aby!\n"),
        (b"x\x1b[200~in one\x1b[201~y" + HOME + b"B" + SAVE, f"B{LAST}xin oney\n"),
        (b"x" + SAVE + b"y" + SAVE, f"{LAST}xy\n"),
        (VERSIONS + DOWN + b"\r" + b"!" + SAVE, "[Taboo] none\n!\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "opens with it"])
def test_keys_in_one_burst_act_in_the_order_in_which_they_came(
    host: FakeHost, burst: bytes, last: str, is_open: bool
) -> None:
    saves = burst.count(SAVE)
    with Outer(host.path) as outer:
        if is_open or b"\x1b[200~" in burst:  # a paste is the agent's, or nobody's, until the editor is there
            opened(outer)
            outer.type(burst)
        else:
            outer.wait_until_ready()
            outer.type(F2 + burst)
        host.wait(lambda: sum(isinstance(message, EngramSaved) for message in host.received) == saves)
        assert written(host).endswith(last)
        assert host.keys == b""


def test_what_comes_behind_a_dialog_is_the_agents_in_one_burst_too(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        outer.wait_until_ready()
        outer.type(b"a" + LEADER + b"? k" + LEADER + b"snl" + LEADER + b"lqm")
        host.wait(lambda: host.keys == b"aklm")
        assert outer.process.poll() is None


@pytest.mark.parametrize("way", ["goodbye", "hang up"])
def test_what_was_not_saved_is_kept_when_the_interface_ends(host: FakeHost, way: str) -> None:
    with Outer(host.path) as outer:
        at = opened(outer)
        outer.type(b"x")
        outer.wait_for(b"not saved", after=at)
        if way == "goodbye":
            host.say(Goodbye("goodbye.stopped"))
        else:
            outer.process.terminate()
        outer.finish()
    assert written(host) == VAGUE
    assert Desk(host.session.project).versions()[0].text == f"{VAGUE.strip()}x\n"
