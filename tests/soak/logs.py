"""What an agent's log may become: written byte by byte with garbage in it, giant lines, and holes of gigabytes."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from agentsup.host.folder_watch import FolderWatch
from agentsup.host.log_tail import LogTail, Reading
from agentsup.protocol import messages as m
from tests.end_to_end.fake_codex import FakeCodex, line, tokens
from tests.end_to_end.headless import Client, Started, start
from tests.soak.tally import Tally

GARBAGE = 0.01
"""The share of lines that are none."""

GROWTH = 16 << 20
"""Bytes the host may grow by."""

GREW = "grew by < 16 MB"
OPENED_WITHIN = "opened in < 1 s"

BYTEWISE = r"""
import os, sys
data = open(sys.argv[1], "rb").read()
file = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
for place in range(len(data)):
    os.write(file, data[place:place + 1])
"""
"""Writes one file into another, each byte by a call of its own."""


class Followed:
    """A tail in this process, until it has told a certain line."""

    def __init__(self, path: Path, last: bytes) -> None:
        self.lines: list[bytes] = []
        self._last, self._over = last, asyncio.Event()
        self._watch = FolderWatch()
        self.tail = LogTail(path, self._watch, self._take)

    def _take(self, told: bytes) -> None:
        self.lines.append(told)
        if told == self._last:
            self._over.set()

    async def finish(self, seconds: float) -> Reading:
        """Wait for the last line, close, and return the counts."""
        try:
            async with asyncio.timeout(seconds):
                await self._over.wait()
        except TimeoutError:
            print(f"the last line did not come: {self.tail.reading}", file=sys.stderr)
        reading = self.tail.reading
        self.tail.close()
        self._watch.close()
        return reading


def run_bytewise(count: int, seed: int, folder: Path) -> Tally:
    """Write `count` lines in 1-byte writes from another process, one in a hundred of them garbage."""
    good, content = _content(count, random.Random(seed))
    source, log = folder / "source", folder / "log.jsonl"
    source.write_bytes(content)
    began, used = time.monotonic(), time.process_time()
    told = asyncio.run(_bytewise(source, log, good[-1]))
    seconds, used = time.monotonic() - began, time.process_time() - used
    expected = set(good)
    got = [each for each in told if each in expected]
    return Tally(
        "lines of a log in 1-byte writes, 1 % garbage",
        len(good),
        {"told": len(set(got)), "once and in order": len(good) if got == good else 0},
        f"{len(content):,} writes in {seconds:.0f} s, CPU of the reader {used:.1f} s",
    )


async def _bytewise(source: Path, log: Path, last: bytes) -> list[bytes]:
    followed = Followed(log, last)
    writer = subprocess.Popen([sys.executable, "-I", "-S", "-c", BYTEWISE, str(source), str(log)])
    try:
        await followed.finish(600.0)
    finally:
        writer.kill()
        writer.wait()
    return followed.lines


def _content(count: int, chance: random.Random) -> tuple[list[bytes], bytes]:
    """Return the good lines, the last one among them, and the whole content."""
    good, parts = [], []
    for number in range(count):
        text = "".join(chance.choices("añ漢🙂 ", k=chance.randint(0, 20)))
        record = json.dumps({"number": number, "text": text}, ensure_ascii=False).encode()
        if chance.random() < GARBAGE and number < count - 1:
            parts.append(_garbage(record, chance))
        else:
            good.append(record)
            parts.append(record)
    return good, b"\n".join([*parts, b""])


def _garbage(record: bytes, chance: random.Random) -> bytes:
    match chance.choice(("random", "half", "invalid", "nuls", "empty")):
        case "random":
            return chance.randbytes(chance.randint(1, 200))
        case "half":
            return record[: chance.randrange(1, len(record))]
        case "invalid":
            return record[:-2] + b"\xff\xc3" + record[-2:]
        case "nuls":
            # As a crash leaves them: before a record, which is good garbage here.
            return bytes(chance.randint(1, 200)) + record[:-1]
        case _:
            return b"\r"


LONG = {
    "a message": line("event_msg", {"type": "agent_message", "message": ""}).removesuffix(b'"}}\n'),
    "a compaction": line("compacted", {"message": ""}).removesuffix(b'"}}\n'),
    "no record": b"\xff",
}
"""Beginnings of lines, by what they begin."""


def run_long(megabytes: int, folder: Path) -> Tally:
    """Write a line of so many megabytes of every kind into the log of a session, then one that says something."""
    codex = FakeCodex(folder)
    session = start(folder, [str(codex.program)], agent="codex", environment=codex.environment)
    codex.accept()
    client = Client(session.folder)
    held = {GREW: 0, "event of the next line": 0, "same host": 0}
    grown: list[int] = []
    try:
        client.wait_text("new thread")
        codex.log(tokens(1))
        client.wait(lambda: _used(client) == 1, "the log was found")
        host = host_of(session)
        for number, head in enumerate(LONG.values()):
            before = peak = host.memory_info().rss
            codex.begin("long", hex=head.hex(), size=megabytes << 20)
            codex.begin("log", hex=(b'"}}\n' + tokens(number + 2)).hex())
            ended = time.monotonic() + 60.0
            while _used(client) != number + 2 and time.monotonic() < ended:
                client.pump(0.001)
                peak = max(peak, host.memory_info().rss)
            codex.answer()
            codex.answer()
            held[GREW] += peak - before < GROWTH
            held["event of the next line"] += _used(client) == number + 2
            held["same host"] += host_of(session).pid == host.pid
            grown.append(peak - before)
        compactions = 0 if client.session is None else len(client.session.compactions)
    finally:
        client.send(m.StopRequest())
        client.wait(lambda: client.closed, "the session has ended")
        client.close()
        codex.close()
    note = f"{', '.join(LONG)}; the host grew most by {max(grown) / (1 << 20):.1f} MB; compactions seen: {compactions}"
    return Tally(f"a line of {megabytes} MB in a log", len(LONG), held, note)


def host_of(session: Started) -> psutil.Process:
    """Return the host of a session."""
    keeper = psutil.Process(session.keeper_pid)
    return next(process for process in keeper.children() if "agentsup.host" in process.cmdline())


def _used(client: Client) -> int | None:
    return None if client.session is None else client.session.context.used


SHAPES: dict[str, Callable[[bytes], bytes]] = {
    "right behind the hole": lambda good: good,
    "on a line of its own": lambda good: b"\n" + good,
    "behind 10 MB of lines": lambda good: (b"x" * 999 + b"\n") * 10_000 + good,
    "behind a line of 100 MB": lambda good: b"x" * (100 << 20) + b"\n" + good,
}


def run_sparse(gigabytes: int, folder: Path) -> Tally:
    """Open a log with a hole of so many gigabytes and a good line after it."""
    good = b'{"good":1}'
    held = {OPENED_WITHIN: 0, "good line told": 0}
    longest = 0.0
    for number, shape in enumerate(SHAPES.values()):
        path = folder / f"{number}.jsonl"
        with path.open("wb") as file:
            file.truncate(gigabytes << 30)
            file.seek(0, 2)
            file.write(shape(good + b"\n"))

        async def opened(path: Path = path) -> list[bytes]:
            followed = Followed(path, good)
            await followed.finish(10.0)
            return followed.lines

        began = time.monotonic()
        lines = asyncio.run(opened())
        longest = max(longest, seconds := time.monotonic() - began)
        held[OPENED_WITHIN] += seconds < 1.0
        held["good line told"] += lines[-1:] == [good]
        path.unlink()
    note = f"{', '.join(SHAPES)}; longest {longest * 1e3:.0f} ms"
    return Tally(f"a sparse log of {gigabytes} GB is opened", len(SHAPES), held, note)
