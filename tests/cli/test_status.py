"""What `status` and `ls` say of a session: stable keys for programs, aligned lines for people."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from rich.cells import cell_len

from agentsup.cli.commands.ls import cells
from agentsup.cli.commands.status import as_json, print_lines
from agentsup.core.continuity import Continuity, Hooks, Recital
from agentsup.core.meter import Context
from agentsup.core.occasion import Occasion, as_written
from agentsup.core.session import Injection, Log, Notice, Session
from agentsup.locale import load
from tests.ui.scenes import AT_LEAST, CALM, FRESH, LOG_TROUBLE, STALE, UNKNOWN, WORKING, WRONG_WINDOW

ENGLISH = load("en")


def test_the_keys_are_these() -> None:
    found = as_json(WORKING, 1)
    assert json.loads(json.dumps(found)) == found
    assert {key: set(value) for key, value in found.items() if isinstance(value, dict)} == {
        "agent": {"name", "version", "pid", "code", "signal"},
        "context": {
            "used", "window", "source", "fraction", "at_least", "window_wrong", "compacts_at", "until_compaction",
            "agents_percent_left",
        },
        "spent": {"input", "cached", "output", "at_least"},
        "last_compaction": {"before", "after", "trigger", "mid_turn", "time"},
        "log": {"path", "skipped", "unreadable", "from_middle", "unknown_format"},
        "injection": {"id", "occasion", "state", "reason", "channel"},
        "hooks": {"installed", "heard"},
    }  # fmt: skip
    assert {key for key, value in found.items() if not isinstance(value, dict)} == {
        "session", "project", "started", "phase", "phase_by", "turn", "turns", "compactions", "compactions_failed",
        "conversation", "warnings", "interface", "recital",
    }  # fmt: skip
    assert found.keys() == as_json(FRESH, 0).keys()


def test_the_figures_of_a_session() -> None:
    found = as_json(replace(LOG_TROUBLE, log=replace(LOG_TROUBLE.log, path="/rollout")), 0)
    assert found["context"] == {
        "used": 148_300, "window": 200_000, "source": "exact", "fraction": 148_300 / 200_000, "at_least": False,
        "window_wrong": False, "compacts_at": 180_000, "until_compaction": 31_700, "agents_percent_left": 28,
    }  # fmt: skip
    assert found["spent"] == {
        "input": 1_834_500, "cached": 1_502_000, "output": 61_300, "at_least": False,
    }  # fmt: skip
    assert (found["turns"], found["compactions"], found["compactions_failed"]) == (12, 2, 1)
    assert found["last_compaction"] == {
        "before": 186_000, "after": 24_000, "trigger": "auto", "mid_turn": False, "time": 3.0,
    }  # fmt: skip
    assert found["log"] == {
        "path": "/rollout", "skipped": 3, "unreadable": 2, "from_middle": True, "unknown_format": False,
    }  # fmt: skip
    assert (found["phase"], found["phase_by"], found["interface"]) == ("working", "report", False)


def test_what_nobody_knows_is_null() -> None:
    found = as_json(FRESH, 0)
    assert [found[key] for key in ("spent", "last_compaction", "injection")] == [None, None, None]
    assert found["context"] == {
        "used": None, "window": None, "source": "unknown", "fraction": None, "at_least": False,
        "window_wrong": False, "compacts_at": None, "until_compaction": None, "agents_percent_left": None,
    }  # fmt: skip
    wrong = as_json(WRONG_WINDOW, 0)["context"]
    assert isinstance(wrong, dict)
    assert (wrong["window_wrong"], wrong["fraction"], wrong["used"], wrong["window"]) == (True, None, 212_000, 200_000)


def printed(session: Session, capsys: pytest.CaptureFixture[str], language: str = "en") -> list[str]:
    print_lines(session, 0, load(language))
    return capsys.readouterr().out.splitlines()


def test_the_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    session = replace(LOG_TROUBLE, log=replace(LOG_TROUBLE.log, path="/rollout"))
    assert printed(session, capsys) == [
        "session      s1",
        "agent        codex 0.171.0 (4711)",
        "project      /home/ann/shop",
        "state        working · by its report",
        "context      74 % · 148,300 / 200,000 · exact · compacts in 31,700",
        "own figure   Codex shows 28 % left (it counts without a baseline of 12,000 tokens)",
        "spent        ≥ 1,834,500 in, 1,502,000 cached, 61,300 out",
        "turns        ≥ 12",
        "compactions  ≥ 2 · failed ≥ 1 · last 186,000 → 24,000",
        "log          /rollout · 2 unreadable · 3 too long · from its middle",
        "last sent    –",
        "interface    detached",
    ]


@pytest.mark.parametrize(
    ("context", "words"),
    [
        (Context(), "no figures yet"),
        (Context(148_300, None, "estimate"), "~148,300 tokens · estimate"),
        (Context(None, 200_000, "exact", share=0.5), "50 % · without figures · exact"),
        (AT_LEAST.context, "≥ ~12 % · ≥ ~24,000 / 200,000 · at least · compacts in ≤ ~156,000"),
        (STALE.context, "93 % · 186,000 / 200,000 · stale"),
        (WRONG_WINDOW.context, "212,000 / 200,000 · window wrong"),
    ],
)
def test_the_context_for_people(context: Context, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(replace(CALM, conversation="c", context=context), capsys)
    assert [line for line in lines if line.startswith("context ")] == [f"context      {words}"]


def test_chinese_lines_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(WORKING, capsys, "zh-CN")
    assert {cell_len(line) - cell_len(line.split("  ", 1)[1].lstrip()) for line in lines} == {10}


def test_nothing_that_a_terminal_would_obey_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    nasty = "/a\x1b]0;x\x07\nb"
    session = replace(
        WORKING, project=nasty, log=Log(nasty), injection=Injection("i", Occasion("restore"), "held", nasty),
        notices=(Notice("interface.no_host", (("path", nasty),)),),
    )  # fmt: skip
    assert not any("\x1b" in line or "\x07" in line for line in printed(session, capsys))


@pytest.mark.parametrize(
    ("session", "phase", "context"),
    [
        (WORKING, "working", "74 %"), (AT_LEAST, "working", "≥ ~12 %"), (STALE, "idle", "93 % stale"),
        (UNKNOWN, "running", "?"), (WRONG_WINDOW, "working", "212k / 200k window wrong"),
    ],
)  # fmt: skip
def test_a_row_of_the_list(session: Session, phase: str, context: str) -> None:
    assert cells(session, ENGLISH)[3:5] == (phase, context)


def test_hooks_are_named_where_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(CALM, 1, ENGLISH)
    assert "hooks" not in capsys.readouterr().out
    print_lines(replace(CALM, loop=Continuity(Hooks(installed=True))), 1, ENGLISH)
    assert "installed, not heard yet" in capsys.readouterr().out
    heard = replace(CALM, loop=Continuity(Hooks(5.0, installed=True)))
    print_lines(heard, 1, ENGLISH)
    assert "loaded, last heard at 1970-01-01" in capsys.readouterr().out
    assert as_json(heard, 1)["hooks"] == {"installed": True, "heard": 5.0}
    assert as_json(CALM, 1)["hooks"] == {"installed": False, "heard": None}


def test_what_was_read_back_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    recital = Recital("k3f2ab", "wrong", "I deploy.", missing=("recital.missing.next",))
    found = replace(CALM, loop=Continuity(recital=recital))
    told = {"id": "k3f2ab", "verdict": "wrong", "by": "comparison", "missing": ["next"]}
    assert as_json(found, 1)["recital"] == told
    print_lines(found, 1, ENGLISH)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1)[1] for line in lines if "read-back" in line] == [
        "wrong · The next step is not in it."
    ]


def test_the_two_lines_of_a_notice_are_one_warning(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(replace(CALM, notices=(Notice("engram.not-judged"),)), 1, ENGLISH)
    what, todo = capsys.readouterr().out.splitlines()[-2:]
    assert (what[:2], todo[:2]) == ("! ", "  ")


def test_what_a_hook_will_fetch_is_not_called_held(capsys: pytest.CaptureFixture[str]) -> None:
    waits = Injection("k3f2ab", as_written("start:c"), "held", "injection.waits-for-hook", channel="hook")
    print_lines(replace(CALM, injection=waits, turn=""), 1, ENGLISH)
    out = capsys.readouterr().out
    assert "goes with your next prompt" in out
    assert "held" not in out
