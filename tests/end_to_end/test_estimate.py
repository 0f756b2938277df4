"""A session of an agent without a log: figures from its screen, or a lower bound that another process counts."""

from __future__ import annotations

import contextlib
import sys

import psutil
import pytest

from agentsup.core.meter import Context
from agentsup.protocol import messages as m
from tests.end_to_end.conftest import Begin, wait_until
from tests.end_to_end.headless import Client
from tests.end_to_end.test_host import host_of
from tests.terminals.tmux import is_gone

SAYS = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"\\x1b[2J\\x1b[Hthe quick brown fox jumps over the lazy dog\\r\\n\\r\\n")
while True:
    os.write(1, os.read(0, 4096).replace(b"!", b"\\x1b[2J\\x1b[H  ? for shortcuts   37.6% context used\\r\\n"))
"""


def context(client: Client) -> Context:
    assert client.session is not None
    return client.session.context


def counters(host: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in host.children():
        with contextlib.suppress(psutil.NoSuchProcess):  # and zombies, which have no command line
            if "agentsup.tokens" in child.cmdline():
                found.append(child)
    return found


def test_an_agent_that_tells_nothing_is_estimated_in_another_process_that_ends_with_the_session(begin: Begin) -> None:
    session = begin(sys.executable, "-c", SAYS, agent="gemini")
    client = Client(session.folder)
    client.wait(lambda: client.session is not None and context(client).used == 9, "nine tokens")
    assert (context(client).source, context(client).at_least) == ("estimate", True)
    host = host_of(session)
    (counter,) = counters(host)
    assert not any("tiktoken" in mapped.path for mapped in host.memory_maps())
    assert any("tiktoken" in mapped.path for mapped in counter.memory_maps())
    # Who counts may die: nobody is told, and the next text is counted.
    counter.kill()
    wait_until(lambda: is_gone(counter), "the counting process is gone")
    client.send(m.Keys(b"and it jumps again\r\n\n"))
    client.wait(lambda: (context(client).used or 0) > 9, "more tokens")
    (counter,) = counters(host)
    client.send(m.StopRequest())
    wait_until(lambda: is_gone(host) and is_gone(counter), "host and counting process are gone")


def test_figures_on_the_screen_take_the_place_of_the_estimate(begin: Begin) -> None:
    session = begin(sys.executable, "-c", SAYS, agent="qwen")
    client = Client(session.folder)
    client.wait(lambda: client.session is not None and context(client).used == 9, "nine tokens")
    client.send(m.Keys(b"!"))
    client.wait(lambda: context(client).share == 0.376, "the share that the screen shows")
    assert (context(client).used, context(client).at_least) == (None, False)
    host = host_of(session)
    wait_until(lambda: not counters(host), "nothing is counted any more")


@pytest.mark.parametrize("agent", ["codex", "claude", "sh"])
def test_no_other_program_is_estimated(begin: Begin, agent: str) -> None:
    session = begin(sys.executable, "-c", SAYS, agent=agent)
    gemini = begin(sys.executable, "-c", SAYS, agent="gemini")
    client, other = Client(session.folder), Client(gemini.folder)
    other.wait(lambda: other.session is not None and context(other).used == 9, "nine tokens")
    client.wait(lambda: client.session is not None, "a session")
    assert context(client).used is None
    assert counters(host_of(session)) == []
