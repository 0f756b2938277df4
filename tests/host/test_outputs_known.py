"""A host knows what the units that it had run have printed, and asks for no other outputs to be restored."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from agentsup.core.memory.model import Work
from agentsup.core.restore.frame import Budget
from agentsup.core.restore.preparation import Wanted
from agentsup.core.trust.running import UnitsRun
from agentsup.host.restores import Restores
from agentsup.host.unit_runner import UnitRunner
from agentsup.locale import restore_frame


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def run_once(answer: UnitsRun | None, runner: UnitRunner, ran: list[UnitsRun], file: Path) -> None:
    file.write_bytes(b"" if answer is None else msgspec.msgpack.encode(answer))
    before = len(ran)
    runner.ask()
    await until(lambda: len(ran) > before and not runner.unreaped)


async def test_what_the_last_run_has_kept_is_known_and_nothing_before_it(tmp_path: Path) -> None:
    file = tmp_path / "answer"
    code = f"import sys; sys.stdout.buffer.write(open({str(file)!r}, 'rb').read())"
    ran: list[UnitsRun] = []
    command = (sys.executable, "-c", code)
    runner = UnitRunner(str(tmp_path), 5, witnessed=lambda: None, on_run=ran.append, command=command)
    known = [runner.outputs_sha]
    for answer in (UnitsRun(1, (), "a"), None, UnitsRun(), UnitsRun(2, (), "b"), UnitsRun(1)):
        await run_once(answer, runner, ran, file)
        known.append(runner.outputs_sha)
    # A run that failed or that nobody allowed has kept nothing: what was there is as it was.
    assert known == ["", "a", "a", "a", "b", ""]
    runner.close()


async def test_texts_are_asked_for_with_what_is_known_at_that_moment(tmp_path: Path) -> None:
    file = tmp_path / "request"
    code = f"import sys; open({str(file)!r}, 'wb').write(sys.stdin.buffer.read())"
    failed: list[bool] = []
    known = [""]
    restores = Restores(
        str(tmp_path), "en", restore_frame("en"), Budget(), on_ready=lambda _: None,
        on_failed=lambda: failed.append(True), outputs=lambda: known[0], command=(sys.executable, "-c", code),
    )  # fmt: skip
    for expected in ("", "a"):
        known[0] = expected
        failed.clear()
        restores.ask(None, Work())
        await until(lambda: failed and not restores.unreaped)
        assert msgspec.msgpack.decode(file.read_bytes(), type=Wanted).outputs_sha == expected
    restores.close()
