"""Which thread is on Codex's screen, from what it holds open: each sequence as Codex 0.171.0 was seen to leave it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentsup.agents.adapter import Conversation, Place
from agentsup.agents.codex import Codex

ALPHA, BETA, GAMMA = (f"01a23012-462b-7443-83ad-00000000000{number}" for number in (1, 2, 3))
"""In the order in which they were begun."""

SEGMENT = "01a23015-2838-7780-a6ca-00000000000{}"
DAY = "sessions/2026/12/01"


@dataclass
class Home:
    """What a Codex has on disk and holds open; every step is a second after the one before."""

    folder: Path
    held: list[str] = field(default_factory=list)
    now: int = 1_796_102_000

    pid = 1

    def written_files(self, *endings: str) -> list[str]:
        return [path for path in self.held if path.endswith(endings)]

    def arguments(self) -> list[str]:
        return []

    def opens(self, thread: str, *, log: bool = True) -> None:
        """The person turns to a thread: its lock is removed and made anew."""
        lock = self.folder / "thread-writer-locks" / f"{thread}.lock"
        lock.unlink(missing_ok=True)
        self._write(lock, "")
        if log:
            self.writes(thread)

    def writes(self, thread: str, *, segment: str = "", line: str = "{}") -> Path:
        """A line is added to a rollout."""
        name = f"rollout-2026-12-01T05-27-13-{thread}{'_' if segment else ''}{segment}.jsonl"
        return self._write(self.folder / DAY / name, line + "\n")

    def prompts(self, thread: str, text: str = "go on", *, end: str = "\n") -> None:
        """A prompt is typed, here or in another Codex."""
        line = json.dumps({"session_id": thread, "ts": self.now, "text": text}, separators=(",", ":"))
        self._write(self.folder / "history.jsonl", line + end, hold=False)

    def current(self, *strangers: str) -> Conversation | None:
        return Codex().conversation(self, Place("codex"), strangers)

    def _write(self, path: Path, text: str, *, hold: bool = True) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(text)
        self.now += 1
        os.utime(path, (self.now, self.now))
        if hold and str(path) not in self.held:
            self.held.append(str(path))
        return path


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def id_of(found: Conversation | None) -> str:
    assert found is not None
    return found.id


def is_certain(found: Conversation | None) -> bool:
    assert found is not None
    return found.certain


def test_a_thread_that_is_resumed_is_current_and_the_one_that_was_left_stays_open(home: Home) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    assert id_of(home.current()) == BETA
    home.opens(ALPHA)
    found = home.current()
    assert found == Conversation(ALPHA, str(home.writes(ALPHA)))
    home.opens(BETA)
    assert id_of(home.current()) == BETA


def test_one_that_a_killed_codex_has_left_is_current_when_it_is_resumed(home: Home) -> None:
    home.opens(ALPHA)
    home.held.clear()
    home.opens(BETA)
    home.opens(ALPHA)
    assert id_of(home.current()) == ALPHA


def test_a_new_thread_is_current_before_its_first_prompt_and_no_more_after_a_resume(home: Home) -> None:
    home.opens(ALPHA)
    home.prompts(ALPHA)
    home.opens(BETA, log=False)
    assert home.current() == Conversation(BETA)
    home.opens(ALPHA)
    assert id_of(home.current()) == ALPHA


def test_a_turn_in_the_background_does_not_lead_back_whoever_has_begun_it(home: Home) -> None:
    home.opens(ALPHA)
    home.prompts(ALPHA)
    home.opens(BETA)
    home.prompts(BETA)
    message = {"type": "event_msg", "payload": {"type": "item_completed", "item": {"type": "UserMessage"}}}
    assert is_certain(home.current())
    home.writes(ALPHA, line=json.dumps(message))  # by `codex queue`: its prompt is in no history
    found = home.current()
    assert id_of(found) == BETA
    assert not is_certain(found), "it may be looked at, which leaves no trace"
    home.prompts(BETA)
    assert is_certain(home.current())


def test_what_is_written_to_the_current_one_alone_leaves_it_certain(home: Home) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    home.writes(ALPHA)
    home.writes(BETA)
    assert is_certain(home.current())
    home.opens(GAMMA)
    home.writes(GAMMA)
    assert is_certain(home.current(GAMMA)), "a sub-agent's turn is none of the person's"


def test_a_prompt_to_one_that_was_at_work_all_the_while_leads_back_to_it(home: Home) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    home.prompts(BETA)
    home.prompts(ALPHA)
    assert id_of(home.current()) == ALPHA
    home.opens(BETA)
    assert id_of(home.current()) == BETA


def test_the_prompts_of_another_codex_and_of_a_stranger_say_nothing(home: Home) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    home.opens(GAMMA)  # a side chat, or a sub-agent's
    home.prompts(GAMMA)
    assert id_of(home.current(GAMMA)) == BETA
    home.prompts(SEGMENT.format(9))
    assert id_of(home.current(GAMMA)) == BETA


@pytest.mark.parametrize("end", ["", "\nnot a line of it\n", '\n{"session_id":"'])
def test_a_history_that_is_being_written_or_is_none_says_nothing(home: Home, end: str) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    home.prompts(ALPHA, end=end)
    assert id_of(home.current()) == BETA


def test_a_history_that_is_no_file_stops_nobody(home: Home) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    os.mkfifo(home.folder / "history.jsonl")
    assert id_of(home.current()) == BETA


def test_a_prompt_as_long_as_a_pasted_file_counts_too(home: Home) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    home.prompts(BETA, "x" * 400_000)
    home.prompts(ALPHA, "y" * 200_000)
    assert id_of(home.current()) == ALPHA


def test_a_thread_that_was_rewound_goes_on_in_its_newest_file(home: Home) -> None:
    home.opens(ALPHA)
    first = home.writes(ALPHA, segment=SEGMENT.format(1))
    assert home.current() == Conversation(ALPHA, str(first))
    home.held.reverse()
    second = home.writes(ALPHA, segment=SEGMENT.format(2))
    home.held.reverse()
    assert home.current() == Conversation(ALPHA, str(second))


def test_a_lock_that_is_just_being_made_anew_is_the_oldest_there_is(home: Home) -> None:
    home.opens(ALPHA)
    home.opens(BETA)
    before = home.current()
    (home.folder / "thread-writer-locks" / f"{BETA}.lock").unlink()
    found = home.current()
    assert before is not None
    assert found is not None
    assert (found.id, found.since < before.since) == (ALPHA, True)
