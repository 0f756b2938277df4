"""The read-back after a restore: when it is judged, what a person is told, and what is sent then."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.core import events as ev
from agentsup.core.memory.model import Document, Memory
from agentsup.core.occasion import as_written
from agentsup.core.recital import MISSING_NEXT, MISSING_TASK, TABOO
from agentsup.core.session import Agent, Session, apply
from agentsup.core.work import is_ours
from agentsup.host.recitals import BOTH, FORBIDDEN, NEXT, NOTICES, SAID_MOST, Recitals
from agentsup.host.sent_record import SentRecord
from agentsup.locale import restore_frame
from agentsup.protocol.messages import Outcome, RecitalAnswered
from agentsup.store.injection_record import InjectionRecord, Recorded
from tests.host.fake_queue import FakeQueue
from tests.host.set_back import set_back

ENGRAM = """\
[Task] Make invoice rounding exact: round once, at the end
[Progress] Replaced round() by quantize in billing/rounding.py
[Pending] billing/ledger.py: Ledger.close still sums rounded lines
[Taboo] Don't touch billing/tax.py: its figures are audited
[Taboo] Don't rename logo.svg: other sites show it
"""
STATE = "## Next\n1. run the whole suite\n2. compare with last month's export\n"
RIGHT = "I make invoice rounding exact by rounding once. Next I run the whole suite."
ELSEWHERE = "I make invoice rounding exact by rounding once. Next I compare with last month's export."
FORGOTTEN = "How can I help you?"


class Loop(FakeQueue):
    """A session that folds events and tells the part under test of them, as the supervisor does."""

    def __init__(
        self, now: float = 2e9, record: Path = Path("/nowhere/record"), *, has_memory: bool = True
    ) -> None:  # fmt: skip
        """`now`: by default later than any clock, for what is told in a test is no history."""
        super().__init__()
        self.verdicts = SentRecord(InjectionRecord(record))
        self.session = Session("s", "/p", Agent("codex"))
        self.now = now
        self.judged: list[ev.RecitalJudged] = []
        self.caught_up = True
        self.recitals = Recitals(
            self, self.verdicts, language="en", session=lambda: self.session, happened=self.happened,
            is_caught_up=lambda: self.caught_up,
        )  # fmt: skip
        self.happened(ev.AgentStarted(self.tick(), 7))
        self.happened(ev.ConversationIdentified(self.tick(), "c", "/log"))
        if has_memory:
            self.reads_memory()

    def reads_memory(self) -> None:
        """Have memory read."""
        memory = Memory(engram=Document(".agent/engram.md", ENGRAM), state=Document(".agent/STATE.md", STATE))
        self.happened(ev.MemoryRead(self.tick(), memory))

    def catches_up(self) -> None:
        """Have the end of the log reached."""
        self.caught_up = True
        self.recitals.caught_up()

    def tick(self) -> float:
        """Return the next second."""
        self.now += 1
        return self.now

    def happened(self, event: ev.Event) -> None:
        """Fold an event, then tell of it."""
        if isinstance(event, ev.RecitalJudged):
            self.judged.append(event)
        self.session = apply(self.session, event)
        self.recitals.happened(event)

    def arrives(
        self, id: str = "k3f2ab", occasion: str = "compaction:c:1", *, told: bool = True,
        channel: ev.Channel = "stdin", mid_turn: bool = False,
    ) -> None:  # fmt: skip
        """Let a restore arrive; `told`: whether followers hear of it, or find it in the session."""
        self.happened(ev.Compacted(self.tick(), "1", mid_turn=mid_turn))
        event = ev.InjectionChanged(self.tick(), id, as_written(occasion), "confirmed", channel=channel)
        if told:
            self.happened(event)
        else:
            self.session = apply(self.session, event)

    def says(self, *texts: str) -> None:
        """Let the agent say something."""
        for text in texts:
            self.happened(ev.AgentMessageRecorded(self.tick(), text))

    @property
    def verdict(self) -> tuple[str, str, tuple[str, ...]] | None:
        """The newest verdict: of which restore, how, and what is missing."""
        recital = self.session.loop.recital
        return (recital.id, recital.verdict, recital.missing) if recital else None

    @property
    def notices(self) -> list[str]:
        """The notices of read-backs."""
        return [notice.key for notice in self.session.notices if notice.key in NOTICES]


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize(
    ("said", "verdict", "missing", "notice"),
    [
        (RIGHT, "right", (), []),
        (ELSEWHERE, "wrong", (MISSING_NEXT,), [NEXT]),
        (f"{RIGHT} I also change billing/tax.py.", "wrong", (TABOO,), [FORBIDDEN]),
    ],
)
def test_the_first_words_after_a_restore_are_judged(
    loop: Loop, told: bool, said: str, verdict: str, missing: tuple[str, ...], notice: list[str]
) -> None:
    loop.says(FORGOTTEN)
    assert loop.verdict is None
    loop.arrives(told=told)
    assert loop.verdict is None
    loop.says(said, FORGOTTEN, FORGOTTEN)
    assert loop.verdict == ("k3f2ab", verdict, missing)
    assert loop.notices == notice


def test_who_announces_something_first_is_given_time(loop: Loop) -> None:
    loop.arrives()
    loop.says("Let me look at it first.")
    assert loop.verdict is None
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_but_not_for_ever(loop: Loop) -> None:
    loop.arrives()
    loop.says("Let me look.", "Reading.", "Still reading.")
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_TASK, MISSING_NEXT))
    assert loop.notices == [BOTH]
    loop.arrives("other2", "compaction:c:2")
    assert loop.notices == []
    loop.says("Let me look.")
    loop.happened(ev.TurnEnded(loop.tick(), "", "Let me look."))
    assert loop.verdict == ("other2", "wrong", (MISSING_TASK, MISSING_NEXT))


def test_an_agent_whose_log_has_only_its_last_words_is_judged_by_those(loop: Loop) -> None:
    loop.arrives()
    loop.happened(ev.TurnEnded(loop.tick(), ""))
    assert loop.verdict is None
    loop.happened(ev.TurnEnded(loop.tick(), "", RIGHT))
    assert loop.verdict == ("k3f2ab", "right", ())


@pytest.mark.parametrize("occasion", ["start:c", "inject:k3f2ab", "correction:c:0123456789ab", "engram:c:1"])
def test_what_asks_for_no_read_back_gets_none(loop: Loop, occasion: str) -> None:
    loop.arrives(occasion=occasion)
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None


def test_an_interrupted_turn_is_no_answer(loop: Loop) -> None:
    loop.arrives()
    loop.happened(ev.TurnEnded(loop.tick(), "", interrupted=True))
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize(
    "between", [ev.AgentStarted(3e9, 8), ev.ConversationIdentified(3e9, "d", "/other"), ev.AgentExited(3e9, 0, None)]
)
def test_what_another_agent_or_conversation_says_is_no_answer(loop: Loop, between: ev.Event, told: bool) -> None:
    loop.arrives(told=told)
    loop.now = 3e9
    loop.happened(between)
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None


def test_memory_is_held_against_as_it_was_when_it_arrived(loop: Loop) -> None:
    loop.arrives()
    loop.happened(ev.MemoryRead(loop.tick(), Memory(engram=Document(".agent/engram.md", "[Task] Deploy\n"))))
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_a_hook_may_be_quicker_than_the_record_of_its_compaction(loop: Loop) -> None:
    loop.happened(ev.InjectionChanged(loop.tick(), "k3f2ab", as_written("compaction:c:1"), "confirmed", channel="hook"))
    loop.happened(ev.Compacted(loop.tick(), "1"))
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize(
    ("said", "verdict", "missing", "notice"),
    [
        (FORGOTTEN, "unclear", (), []),
        ("Done: I have renamed logo.svg.", "wrong", (TABOO,), [FORBIDDEN]),
        (RIGHT, "right", (), []),
        (ELSEWHERE, "wrong", (MISSING_NEXT,), [NEXT]),
    ],
)
def test_who_was_asked_for_something_beside_the_restore_may_do_just_that(
    loop: Loop, told: bool, said: str, verdict: str, missing: tuple[str, ...], notice: list[str]
) -> None:
    loop.arrives(told=told, channel="hook")
    loop.says(said)
    loop.happened(ev.TurnEnded(loop.tick(), "", said))
    assert loop.verdict == ("k3f2ab", verdict, missing)
    assert loop.notices == notice


def test_who_announces_something_beside_it_is_given_time_too(loop: Loop) -> None:
    loop.arrives(channel="hook")
    loop.says("Let me look at it first.")
    assert loop.verdict is None
    loop.says(ELSEWHERE)
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_NEXT,))


@pytest.mark.parametrize(("channel", "mid_turn"), [("hook", True), ("stdin", False), ("stdin", True)])
def test_who_was_asked_for_nothing_else_reads_back(loop: Loop, channel: ev.Channel, mid_turn: bool) -> None:
    loop.arrives(channel=channel, mid_turn=mid_turn)
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_TASK, MISSING_NEXT))


def test_what_was_answered_before_the_host_began_is_judged_once(tmp_path: Path) -> None:
    for verdict, notices in ((("k3f2ab", "wrong", (MISSING_NEXT,)), [NEXT]), (None, []), (None, [])):
        loop = Loop(1.0, tmp_path / "record")
        loop.caught_up = False
        loop.arrives(told=False)
        loop.says(ELSEWHERE)
        loop.happened(ev.TurnEnded(loop.tick(), "", ELSEWHERE))
        assert loop.judged == []
        loop.catches_up()
        assert (loop.verdict, loop.notices) == (verdict, notices)
        loop.now = 2e9
        loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
        assert loop.verdict == verdict


def test_so_is_what_only_the_end_of_its_turn_says() -> None:
    loop = Loop(1.0)
    loop.arrives(told=False)
    loop.happened(ev.TurnStarted(loop.tick(), ""))
    loop.happened(ev.TurnEnded(loop.tick(), "", ELSEWHERE))
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_NEXT,))


@pytest.mark.parametrize("document", ["engram", "state"])
@pytest.mark.parametrize(("said", "verdict"), [(RIGHT, "right"), (ELSEWHERE, "unclear"), (FORGOTTEN, "unclear")])
def test_what_answers_a_memory_that_is_another_one_by_now_is_not_called_wrong(
    document: str, said: str, verdict: str
) -> None:
    loop = Loop(1.0)
    loop.caught_up = False
    loop.arrives(told=False)
    loop.says(said)
    loop.happened(ev.TurnEnded(loop.tick(), "", said))
    memory = loop.session.memory
    changed = replace(getattr(memory, document), modified=loop.tick())
    loop.happened(ev.MemoryRead(loop.tick(), replace(memory, **{document: changed})))
    loop.catches_up()
    assert loop.verdict == ("k3f2ab", verdict, ())
    assert loop.notices == []


def test_who_had_only_announced_something_is_given_time_by_the_next_host_too() -> None:
    loop = Loop(1.0)
    loop.caught_up = False
    loop.arrives(told=False)
    loop.says("Let me look at it first.")
    loop.catches_up()
    assert loop.verdict is None
    loop.now = 2e9
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_a_host_that_takes_over_waits_for_memory_before_it_judges() -> None:
    loop = Loop(1.0, has_memory=False)
    loop.caught_up = False
    loop.arrives(told=False)
    loop.says(ELSEWHERE)
    loop.catches_up()
    assert loop.verdict is None
    loop.reads_memory()
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_NEXT,))


def test_memory_that_was_read_before_the_read_backs_are_followed_counts() -> None:
    loop = Loop(1.0)
    loop.arrives(told=False)
    # A host that takes over reads memory first, and tells nobody of it later.
    loop.recitals = Recitals(
        loop, loop.verdicts, language="en", session=lambda: loop.session, happened=loop.happened,
        is_caught_up=lambda: loop.caught_up,
    )  # fmt: skip
    loop.says(ELSEWHERE)
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_NEXT,))


def test_what_a_person_is_told_after_silence_is_no_read_back(loop: Loop) -> None:
    loop.arrives()
    loop.happened(ev.TurnEnded(loop.tick(), ""))
    loop.happened(ev.UserMessageRecorded(loop.tick(), "what is 2+2"))
    loop.says("Four.")
    loop.happened(ev.TurnEnded(loop.tick(), "", "Four."))
    assert loop.verdict is None


def test_the_verdict_goes_to_the_turn_of_the_answer() -> None:
    loop = Loop(1.0)
    loop.caught_up = False
    loop.arrives(told=False)
    loop.happened(ev.TurnStarted(loop.tick(), "t1"))
    loop.says(RIGHT)
    loop.happened(ev.TurnEnded(loop.tick(), "t1", RIGHT))
    loop.happened(ev.TurnStarted(loop.tick(), "t2"))
    loop.says(FORGOTTEN)
    loop.catches_up()
    assert loop.judged[-1].turn == "t1"
    assert loop.judged[-1].said == RIGHT


@pytest.mark.parametrize("answered", [False, True])
def test_a_correction_of_a_host_before_this_one_is_answered_too(tmp_path: Path, answered: bool) -> None:
    record = InjectionRecord(tmp_path / "record")
    record.append(Recorded("kkkkk2", as_written("recital:k3f2ab"), "confirmed", 20.0))
    loop = Loop(1.0, tmp_path / "record")
    loop.caught_up = False
    loop.happened(ev.UserMessageRecorded(19.0, "agentsup: read back once more (restore kkkkk2)"))
    loop.now = 30.0
    if answered:
        loop.says(ELSEWHERE)
    loop.catches_up()
    assert loop.verdict == (("kkkkk2", "wrong", (MISSING_NEXT,)) if answered else None)
    loop.now = 2e9
    loop.says(RIGHT)
    assert loop.verdict == ("kkkkk2", "wrong" if answered else "right", (MISSING_NEXT,) if answered else ())


def test_what_arrived_before_the_host_began_may_be_answered_after_it() -> None:
    loop = Loop(1.0)
    loop.happened(ev.Compacted(loop.tick(), "1"))
    event = ev.InjectionChanged(loop.now + 60, "k3f2ab", as_written("compaction:c:1"), "confirmed")
    loop.session = apply(loop.session, event)
    # The turn that was compacted in goes on, and is over before the restore comes.
    loop.says(FORGOTTEN)
    loop.happened(ev.TurnEnded(loop.tick(), "", FORGOTTEN))
    loop.now = 2e9
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_what_was_answered_before_its_record_was_read_is_judged() -> None:
    loop = Loop(1.0)
    loop.happened(ev.Compacted(loop.tick(), "1"))
    event = ev.InjectionChanged(loop.now + 60, "k3f2ab", as_written("compaction:c:1"), "confirmed")
    loop.session = apply(loop.session, event)
    loop.happened(ev.UserMessageRecorded(loop.tick(), "by agentsup (restore k3f2ab)"))
    loop.says(ELSEWHERE)
    loop.now = 2e9
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_NEXT,))


def test_nothing_is_judged_while_the_log_is_read_once_more(loop: Loop) -> None:
    loop.caught_up = False
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    loop.arrives()
    loop.says(RIGHT, FORGOTTEN, FORGOTTEN)
    assert (loop.verdict, loop.notices) == (None, [])
    loop.catches_up()
    assert loop.verdict == ("k3f2ab", "right", ())


@pytest.mark.parametrize(("channel", "beside"), [("hook", True), ("stdin", False)])
def test_what_was_said_before_it_came_is_no_answer(channel: ev.Channel, beside: bool) -> None:
    loop = Loop(1.0)
    loop.caught_up = False
    loop.happened(ev.Compacted(loop.tick(), "1"))
    event = ev.InjectionChanged(loop.now + 60, "k3f2ab", as_written("compaction:c:1"), "confirmed", channel=channel)
    loop.session = apply(loop.session, event)
    loop.says(ELSEWHERE)
    loop.happened(ev.TurnEnded(loop.tick(), "", ELSEWHERE))
    loop.catches_up()
    assert loop.verdict is None
    loop.now = 2e9
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict == ("k3f2ab", "unclear" if beside else "wrong", () if beside else (MISSING_TASK, MISSING_NEXT))


def test_the_next_compaction_ends_the_wait(loop: Loop) -> None:
    loop.arrives()
    loop.now += 60
    loop.happened(ev.Compacted(loop.tick(), "2"))
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None


def test_a_cold_start_is_answered_too(loop: Loop) -> None:
    frame = restore_frame("en")
    text = f"{frame.cold_header}\n\nfacts\n\n{frame.begin}\n\n{frame.trailer}".replace("{id}", "c0ld42")
    loop.happened(ev.UserMessageRecorded(1.0, text))  # history
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None
    assert loop.session.injection is None
    loop.happened(ev.UserMessageRecorded(loop.tick(), text))
    shown = loop.session.injection
    assert shown is not None
    assert (shown.id, shown.occasion.kind, shown.state) == ("c0ld42", "cold", "confirmed")
    loop.says(ELSEWHERE)
    assert loop.verdict == ("c0ld42", "wrong", (MISSING_NEXT,))


def test_secrets_and_long_words_are_not_kept(loop: Loop) -> None:
    loop.arrives()
    loop.says(f"{RIGHT} ghp_{'a1B2' * 9} \x1b[31m {'x' * 9_000}")
    recital = loop.session.loop.recital
    assert recital is not None
    assert "ghp_" not in recital.said
    assert "\x1b" not in recital.said
    assert len(recital.said) <= SAID_MOST


@pytest.mark.parametrize("right", [True, False])
def test_a_person_judges(loop: Loop, right: bool) -> None:
    loop.arrives()
    loop.says(ELSEWHERE)
    assert loop.recitals.answered(RecitalAnswered("k3f2ab", right)) == Outcome(True)
    recital = loop.session.loop.recital
    assert recital is not None
    assert (recital.by, recital.verdict, recital.said) == ("person", "right" if right else "wrong", ELSEWHERE)
    assert (loop.notices, loop.texts) == ([], {})


def test_a_correction_is_sent_once_and_answered(loop: Loop) -> None:
    loop.arrives()
    loop.says(ELSEWHERE)
    answer = RecitalAnswered("k3f2ab", right=False, resend=True)
    assert loop.recitals.answered(answer) == Outcome(True)
    assert loop.recitals.answered(answer) == Outcome(False, "recital.not-sent")
    [(occasion, text)] = loop.texts.items()
    assert occasion == "recital:c:k3f2ab"
    assert is_ours(text)
    for part in (ELSEWHERE, "run the whole suite", "Don't touch billing/tax.py", "kkkkk2"):
        assert part in text
    loop.happened(ev.InjectionChanged(loop.tick(), "kkkkk2", as_written(occasion), "confirmed"))
    loop.says(RIGHT)
    assert loop.verdict == ("kkkkk2", "right", ())


def test_a_correction_that_is_not_taken_is_said(loop: Loop) -> None:
    loop.arrives()
    loop.says(ELSEWHERE)
    loop.refuses = True
    answer = RecitalAnswered("k3f2ab", right=False, resend=True)
    assert loop.recitals.answered(answer) == Outcome(False, "recital.not-sent")


def test_an_older_read_back_is_not_judged_by_a_person_who_saw_it(loop: Loop) -> None:
    assert loop.recitals.answered(RecitalAnswered("k3f2ab", right=True)) == Outcome(False, "recital.gone")
    loop.arrives()
    loop.says(RIGHT)
    assert loop.recitals.answered(RecitalAnswered("other2", right=True)) == Outcome(False, "recital.gone")


def test_what_arrives_together_with_another_text_is_judged(loop: Loop) -> None:
    loop.happened(ev.Compacted(loop.tick(), "1"))
    for id, occasion in (("ccccc2", "inject:x"), ("k3f2ab", "compaction:c:1")):
        event = ev.InjectionChanged(loop.now, id, as_written(occasion), "confirmed", channel="hook")
        loop.session = apply(loop.session, event)
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_a_read_back_after_the_clock_was_set_back_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = Loop(time.time())
    loop.arrives("first1")
    loop.says(RIGHT)
    set_back(monkeypatch, 3600.0)
    loop.now = time.time()
    loop.arrives()
    loop.says(ELSEWHERE)
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_NEXT,))
