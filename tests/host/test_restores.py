"""Restore texts composed ahead: the newest is at hand, and nothing that goes wrong with the process matters."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agentsup.agents.adapter import ARGUMENT_MOST
from agentsup.core.memory.model import Document, Memory, Work
from agentsup.core.policy import Policy
from agentsup.core.restore.composition import compose
from agentsup.core.restore.frame import Budget
from agentsup.core.restore.preparation import Prepared, Said
from agentsup.core.session import Agent, Session
from agentsup.host import restores as module
from agentsup.host.injections import Injections
from agentsup.host.restores import COMMAND, Restores
from agentsup.locale import restore_frame
from agentsup.restoring.prepare import tokens
from agentsup.store.injection_record import InjectionRecord
from agentsup.store.trust_review import adopt

ENGRAM = "[Task] a\n[Progress] Wrote b().\n[Pending] c() in a.py\n[Taboo] d: because\n"
Make = Callable[..., Restores]
SEEN = Memory(engram=Document(".agent/engram.md", ENGRAM))


class Heard:
    """What the host is told, and a way to wait for it."""

    def __init__(self) -> None:
        self.ready: list[tuple[Said, ...]] = []
        self.failed = 0
        self._changed = asyncio.Event()

    def on_ready(self, prepared: Prepared) -> None:
        self.ready.append(prepared.notices)
        self._changed.set()

    def on_failed(self) -> None:
        self.failed += 1
        self._changed.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await self._changed.wait()
                self._changed.clear()


@pytest.fixture
async def restores() -> AsyncIterator[Callable[..., Restores]]:
    """Return a function that makes one; at the end all are closed, and their processes reaped."""
    made: list[Restores] = []

    def make(root: Path, heard: Heard, command: tuple[str, ...] = COMMAND) -> Restores:
        made.append(
            Restores(
                str(root), "en", restore_frame("en"), Budget(), on_ready=heard.on_ready, on_failed=heard.on_failed,
                command=command,
            )
        )  # fmt: skip
        return made[-1]

    yield make
    for each in made:
        each.close()
    async with asyncio.timeout(20):
        while any(each.unreaped for each in made):
            await asyncio.sleep(0.01)  # a process that was killed tells nobody when it is gone


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a project with more memory than the host itself reads."""
    (tmp_path / ".agent").mkdir()
    (tmp_path / ".agent" / "engram.md").write_text(ENGRAM)
    (tmp_path / ".agent" / "identity.md").write_text("language: Python\n")
    return tmp_path


def telling(begun: Path) -> tuple[str, ...]:
    """Return a command that composes, and makes a file when it has begun."""
    run = "runpy.run_module('agentsup.restoring', run_name='__main__')"
    return (sys.executable, "-P", "-c", f"import runpy; open({str(begun)!r}, 'w').close(); {run}")


async def test_what_is_on_disk_is_composed_and_what_changed_meanwhile_once_after_it(restores: Make, root: Path) -> None:
    heard = Heard()
    made = restores(root, heard)
    made.ask(200_000, Work())
    assert not made.settled
    await heard.until(lambda: len(heard.ready) == 1)
    assert made.settled
    text = made.of("compaction", SEEN, 200_000, Work()).text(id="abc234")
    assert "language: Python" in text
    assert ENGRAM.strip() in text
    (root / ".agent" / "identity.md").write_text("language: Rust\n")
    for _ in range(50):
        made.ask(200_000, Work())
    await heard.until(lambda: made.settled)
    assert len(heard.ready) == 2
    assert "language: Rust" in made.of("compaction", SEEN, 200_000, Work()).text(id="abc234")


async def test_memory_that_is_about_to_be_written_is_waited_for(restores: Make, root: Path) -> None:
    heard = Heard()
    made = restores(root, heard)
    made.ask(None, Work())
    await heard.until(lambda: made.settled)
    now = asyncio.get_running_loop().time()
    made.awaited_since = lambda: now
    assert not made.settled
    made.awaited_since = lambda: now - module.LONGEST_PATIENCE - 1
    assert made.settled, "however often it is written"
    made.awaited_since = lambda: None
    assert made.settled


async def test_a_host_that_has_just_begun_has_not_read_memory_yet(
    restores: Make, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = restores(root, Heard())
    assert not made.settled
    monkeypatch.setattr(module, "PATIENCE", -1.0)
    assert made.settled, "nothing is waited for for ever"


async def test_equal_work_asks_for_nothing_where_no_file_has_changed(restores: Make, root: Path) -> None:
    heard = Heard()
    made = restores(root, heard)
    made.ask(None, Work())
    await heard.until(lambda: made.settled)
    made.ask(None, Work(), files=False)
    assert made.settled
    made.ask(None, Work(last_request="x"), files=False)
    assert not made.settled


@pytest.mark.parametrize("code", ["", "print('garbage')", "raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)"])
async def test_a_process_that_fails_is_told_and_the_host_composes_itself(restores: Make, root: Path, code: str) -> None:
    heard = Heard()
    made = restores(root, heard, (sys.executable, "-c", code))
    made.ask(None, Work())
    await heard.until(lambda: heard.failed == 1)
    assert made.settled
    text = made.of("compaction", SEEN, None, Work()).text(id="abc234")
    assert ENGRAM.strip() in text


async def test_a_program_that_is_missing_is_told(restores: Make, root: Path) -> None:
    heard = Heard()
    made = restores(root, heard, (str(root / "missing"),))
    made.ask(None, Work())
    await heard.until(lambda: heard.failed == 1)
    assert made.settled


async def test_a_process_that_hangs_is_ended_and_not_waited_for(
    restores: Make, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    monkeypatch.setattr(module, "DEADLINE", 0.5)
    heard = Heard()
    made = restores(root, heard, (sys.executable, "-c", "import time; time.sleep(60)"))
    made.ask(None, Work())
    await heard.until(lambda: heard.failed == 1)
    assert made.settled
    assert ENGRAM.strip() in made.of("compaction", SEEN, None, Work()).text(id="abc234")


async def test_a_smaller_window_is_never_answered_with_a_longer_text(restores: Make, root: Path) -> None:
    heard = Heard()
    made = restores(root, heard)
    made.ask(None, Work())
    await heard.until(lambda: made.settled)
    assert made.of("compaction", SEEN, 6_000, Work()).limit == 480


async def test_after_a_failure_nothing_older_than_what_the_host_has_read_is_taken(
    restores: Make, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = Heard()
    made = restores(root, heard)
    made.ask(None, Work())
    await heard.until(lambda: made.settled)
    monkeypatch.setattr(made._process, "_command", (str(root / "missing"),))
    made.ask(None, Work())
    await heard.until(lambda: heard.failed == 1)
    newer = Memory(engram=Document(".agent/engram.md", "[Task] another one"))
    assert "another one" in made.of("compaction", newer, None, Work()).text(id="abc234")
    made.ask(None, Work(), files=False)
    assert not made.settled  # what is told to be equal was never composed


async def test_a_folder_whose_name_is_no_text_and_an_answer_that_is_none_are_failures(
    restores: Make, root: Path
) -> None:
    heard = Heard()
    restores(root / "\udcff", heard).ask(None, Work())
    await heard.until(lambda: heard.failed == 1)
    code = "import sys; sys.stdout.buffer.write(b'\\x82\\xa5texts\\x91\\x81\\xa5facts\\xa2\\xff\\xff')"
    restores(root, heard, (sys.executable, "-c", code)).ask(None, Work())
    await heard.until(lambda: heard.failed == 2)


async def test_a_cold_restarts_text_is_never_longer_than_a_word_of_a_command_line(
    restores: Make, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = restores(root, Heard())
    rows = "".join(f"[Progress] Wrote {'=' * 1_100}{n}\n" for n in range(400))
    memory = Memory(engram=Document(".agent/engram.md", f"[Task] ship it\n{rows}"))
    long = compose(memory, Budget(20_000), None, frame=restore_frame("en"), count=tokens, occasion="cold-start")
    assert len(long.text(id="abc234").encode()) > ARGUMENT_MOST
    monkeypatch.setattr(made, "of", lambda *_: long)
    session = Session("abcde", str(root), Agent("demo"), memory=memory)
    nothing: Any = SimpleNamespace()
    injections = Injections(
        nothing, made, screen=nothing, writer=nothing, record=InjectionRecord(root / "none"), memory_root=root,
        policy=Policy(), session=lambda: session, fold=lambda _: None, tell=lambda _: None, may_type=lambda: True,
        is_settled=lambda: True, is_caught_up=lambda: True,
    )  # fmt: skip
    prompt = await injections.cold_start_prompt()
    assert len(prompt.encode()) <= ARGUMENT_MOST
    assert "[Task] ship it" in prompt


async def test_what_is_asked_while_one_is_composed_is_waited_for_as_long_as_any(
    restores: Make, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard, begun = Heard(), root / "begun"
    made = restores(root, heard, telling(begun))
    made.ask(None, Work())
    first = made._asked
    async with asyncio.timeout(20):
        while not begun.exists():
            await asyncio.sleep(0.01)
    made.ask(None, Work())
    assert made._asked == first is not None
    await heard.until(lambda: len(heard.ready) == 1)
    assert made._asked is not None
    assert made._asked > first
    assert made._unsettled == first
    monkeypatch.setattr(module, "LONGEST_PATIENCE", 0.0)
    assert made.settled  # however much is written
    monkeypatch.setattr(module, "LONGEST_PATIENCE", 60.0)
    await heard.until(lambda: made.settled)


async def test_a_text_that_nobody_waits_for_is_composed_all_the_same(restores: Make, root: Path) -> None:
    heard = Heard()
    made = restores(root, heard)
    made.ask(None, Work(), awaited=False)
    assert made.settled
    await heard.until(lambda: len(heard.ready) == 1)
    assert made.settled


async def test_what_is_awaited_does_not_wait_for_what_was_asked_after_it_and_is_not(restores: Make, root: Path) -> None:
    heard, begun = Heard(), root / "begun"
    made = restores(root, heard, telling(begun))
    made.ask(None, Work())
    async with asyncio.timeout(20):
        while not begun.exists():
            await asyncio.sleep(0.01)
    made.ask(None, Work(), awaited=False)
    assert not made.settled
    await heard.until(lambda: len(heard.ready) == 1)
    assert made.settled
    made.ask(None, Work(), awaited=False)
    made.ask(None, Work())
    assert not made.settled
    await heard.until(lambda: made.settled)
    assert len(heard.ready) >= 2


async def test_templates_that_nobody_has_filled_in_are_no_memory(
    tmp_path: Path, restores: Callable[..., Restores], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "project").mkdir()
    subprocess.run(
        [sys.executable, "-m", "agentsup", "init"], cwd=tmp_path / "project", check=True, capture_output=True,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    adopt(tmp_path / "project", announce=lambda _: True)
    heard = Heard()
    made = restores(tmp_path / "project", heard)
    made.ask(None, Work())
    await heard.until(lambda: bool(heard.ready))
    assert not made.of("start", Memory(), None, Work())
    assert "was changed or removed" not in made.of("start", SEEN, None, Work()).text(id="abc234")
