"""Whose log it is, by its first bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentsup.agents import sniff
from agentsup.agents.adapter import Adapter
from agentsup.agents.registry import KNOWN

DATA = Path(__file__).parent.parent / "data"
AGENTS = [known() for known in KNOWN if known.is_log is not Adapter.is_log]
LOGS = sorted(path for agent in AGENTS for path in (DATA / agent.name / "logs").glob("*.jsonl"))


def name_of(head: bytes) -> str:
    found = sniff.agent_of(head, AGENTS)
    return found.name if found else ""


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_recorded_log_is_told_and_by_one_agent_only(path: Path) -> None:
    head = path.read_bytes()[: sniff.HEAD]
    assert [agent.name for agent in AGENTS if agent.is_log(head)] == [path.parts[-3]]


def test_the_first_line_alone_is_enough() -> None:
    line = b'{"timestamp":"2026-11-29T22:01:48.780Z","ordinal":0,"type":"session_meta","payload":{"id":"'
    assert name_of(line) == name_of(b"\xef\xbb\xbf" + line) == "codex"
    assert name_of(line.replace(b'"ordinal":0,', b"")) == "codex"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_log_that_is_begun_in_its_middle_is_told(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    middle = b"".join(lines[len(lines) // 2 :])
    assert name_of(middle) == path.parts[-3]
    assert name_of(b"the rest of a line\n" + middle) == path.parts[-3]


@pytest.mark.parametrize(
    "head",
    [
        b"", b"\n", b"{", b"{}", b"[]\n", b'{"type":"session_meta"}\n', b"\x00" * 100, b"\x7fELF\x02",
        "# 标题\n".encode(),
        b'{"timestamp":"2026-11-29T22:03:08.053Z","type":"other"}\n',
        b'{"text":"{\\"timestamp\\":\\"2026\\",\\"type\\":\\"event_msg\\"}"}\n',
    ],
)  # fmt: skip
def test_anything_else_is_nobodys(head: bytes) -> None:
    assert name_of(head) == ""


@pytest.mark.parametrize(
    ("head", "seen"),
    [
        (b'{"type":"a"}\n{"type":"b"}\n{"type":"a"}\n{"x":1}\n{"ty', "a, b"),
        (b'\xef\xbb\xbf{"type":"a"}\n', "a"),
        (b"".join(b'{"type":"%d"}\n' % number for number in range(9)), "0, 1, 2, 3, 4"),
        (b'{"type":1}\nplain words', '{"type":1}\nplain words'),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"x" * 500, "x" * 60),
        (b"[" * 100_000, "[" * 60),
    ],
)
def test_what_was_seen_of_it(head: bytes, seen: str) -> None:
    assert sniff.seen(head) == seen
