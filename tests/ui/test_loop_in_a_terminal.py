"""The read-back in a real terminal: shown by two keys, answered by one, and not a byte of it to the agent."""

from __future__ import annotations

from agentsup.protocol.messages import RecitalAnswered
from tests.ui.fake_host import FakeHost
from tests.ui.loop_scenes import WRONG
from tests.ui.outer import Outer

LEADER = b"\x1c"


def test_a_read_back_is_seen_and_answered(host: FakeHost) -> None:
    with Outer(host.path) as outer:
        ready = outer.wait_until_ready()
        host.show(WRONG)
        at = outer.wait_for(b"your memory forbids", after=ready)
        outer.type(LEADER + b"c")
        at = outer.wait_for(b"Read-back of restore #k3f2ab", b"[bold]", after=at)
        outer.type(b"zq\x1b[Bc")  # only the last one is an answer
        host.wait(lambda: RecitalAnswered("k3f2ab", right=False, resend=True) in host.received)
        outer.wait_for(b"\x1b[2 q\x1b[?25h", after=at)
        outer.type(b"hello")
        host.wait_for_keys(5)
    assert host.keys == b"hello"
    assert b"\xe2\x9f\xa81b\xe2\x9f\xa9" in outer.output  # an escape in the agent's words, as what it is
