"""The read-back after a restore: when it is judged, what a person is told, and what is sent then."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentsup.core import events as ev
from agentsup.core.memory.model import Document, Memory
from agentsup.core.recital import MISSING_NEXT, MISSING_TASK, TABOO
from agentsup.core.session import Agent, Session, apply
from agentsup.core.work import is_ours
from agentsup.host.recitals import BOTH, FORBIDDEN, NEXT, NOTICES, SAID_MOST, Recitals
from agentsup.locale import restore_frame
from agentsup.protocol.messages import Outcome, RecitalAnswered

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


class Loop:
    """A session that folds events and tells the part under test of them, as the supervisor does."""

    def __init__(self, now: float = 2e9) -> None:
        """`now`: by default later than any clock, for what is told in a test is no history."""
        self.session = Session("s", "/p", Agent("codex"))
        self.sent: dict[str, str] = {}
        self.refuses = False
        self.now = now
        self.caught_up = True
        self.recitals = Recitals(
            self, language="en", session=lambda: self.session, happened=self.happened,
            is_caught_up=lambda: self.caught_up,
        )  # fmt: skip
        self.happened(ev.AgentStarted(self.tick(), 7))
        self.happened(ev.ConversationIdentified(self.tick(), "c", "/log"))
        memory = Memory(engram=Document(".agent/engram.md", ENGRAM), state=Document(".agent/STATE.md", STATE))
        self.happened(ev.MemoryRead(self.tick(), memory))

    def tick(self) -> float:
        """Return the next second."""
        self.now += 1
        return self.now

    def happened(self, event: ev.Event) -> None:
        """Fold an event, then tell of it."""
        self.session = apply(self.session, event)
        self.recitals.happened(event)

    def send(self, occasion: str, compose: Callable[[str], str]) -> str | None:
        """Queue a text, each occasion once."""
        if self.refuses or occasion in self.sent:
            return None
        id = f"kkkkk{len(self.sent) + 2}"
        self.sent[occasion] = compose(id)
        return id

    def restored(
        self, id: str = "k3f2ab", occasion: str = "compaction:c:1", *, told: bool = True,
        channel: ev.Channel = "stdin", mid_turn: bool = False,
    ) -> None:  # fmt: skip
        """Let a restore arrive; `told`: whether followers hear of it, or find it in the session."""
        self.happened(ev.Compacted(self.tick(), "1", mid_turn=mid_turn))
        event = ev.InjectionChanged(self.tick(), id, occasion, "confirmed", channel=channel)
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
    loop.restored(told=told)
    assert loop.verdict is None
    loop.says(said, FORGOTTEN, FORGOTTEN)
    assert loop.verdict == ("k3f2ab", verdict, missing)
    assert loop.notices == notice


def test_who_announces_something_first_is_given_time(loop: Loop) -> None:
    loop.restored()
    loop.says("Let me look at it first.")
    assert loop.verdict is None
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_but_not_for_ever(loop: Loop) -> None:
    loop.restored()
    loop.says("Let me look.", "Reading.", "Still reading.")
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_TASK, MISSING_NEXT))
    assert loop.notices == [BOTH]
    loop.restored("other2", "compaction:c:2")
    assert loop.notices == []
    loop.says("Let me look.")
    loop.happened(ev.TurnEnded(loop.tick(), "", "Let me look."))
    assert loop.verdict == ("other2", "wrong", (MISSING_TASK, MISSING_NEXT))


def test_an_agent_whose_log_has_only_its_last_words_is_judged_by_those(loop: Loop) -> None:
    loop.restored()
    loop.happened(ev.TurnEnded(loop.tick(), ""))
    assert loop.verdict is None
    loop.happened(ev.TurnEnded(loop.tick(), "", RIGHT))
    assert loop.verdict == ("k3f2ab", "right", ())


@pytest.mark.parametrize("occasion", ["start:c", "inject:k3f2ab", "correction:c:0123456789ab", "engram:c:1"])
def test_what_asks_for_no_read_back_gets_none(loop: Loop, occasion: str) -> None:
    loop.restored(occasion=occasion)
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None


def test_an_interrupted_turn_is_no_answer(loop: Loop) -> None:
    loop.restored()
    loop.happened(ev.TurnEnded(loop.tick(), "", interrupted=True))
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize(
    "between", [ev.AgentStarted(3e9, 8), ev.ConversationIdentified(3e9, "d", "/other"), ev.AgentExited(3e9, 0, None)]
)
def test_what_another_agent_or_conversation_says_is_no_answer(loop: Loop, between: ev.Event, told: bool) -> None:
    loop.restored(told=told)
    loop.now = 3e9
    loop.happened(between)
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict is None


def test_memory_is_held_against_as_it_was_when_it_arrived(loop: Loop) -> None:
    loop.restored()
    loop.happened(ev.MemoryRead(loop.tick(), Memory(engram=Document(".agent/engram.md", "[Task] Deploy\n"))))
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_a_hook_may_be_quicker_than_the_record_of_its_compaction(loop: Loop) -> None:
    loop.happened(ev.InjectionChanged(loop.tick(), "k3f2ab", "compaction:c:1", "confirmed", channel="hook"))
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
    loop.restored(told=told, channel="hook")
    loop.says(said)
    loop.happened(ev.TurnEnded(loop.tick(), "", said))
    assert loop.verdict == ("k3f2ab", verdict, missing)
    assert loop.notices == notice


def test_who_announces_something_beside_it_is_given_time_too(loop: Loop) -> None:
    loop.restored(channel="hook")
    loop.says("Let me look at it first.")
    assert loop.verdict is None
    loop.says(ELSEWHERE)
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_NEXT,))


@pytest.mark.parametrize(("channel", "mid_turn"), [("hook", True), ("stdin", False), ("stdin", True)])
def test_who_was_asked_for_nothing_else_reads_back(loop: Loop, channel: ev.Channel, mid_turn: bool) -> None:
    loop.restored(channel=channel, mid_turn=mid_turn)
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert loop.verdict == ("k3f2ab", "wrong", (MISSING_TASK, MISSING_NEXT))


def test_what_was_answered_before_the_host_began_is_not_judged_by_what_memory_says_now() -> None:
    loop = Loop(1.0)
    loop.restored(told=False)
    loop.says(ELSEWHERE)
    loop.happened(ev.TurnEnded(loop.tick(), "", ELSEWHERE))
    loop.now = 2e9
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert (loop.verdict, loop.notices) == (None, [])


def test_nor_is_what_only_the_end_of_its_turn_says() -> None:
    loop = Loop(1.0)
    loop.restored(told=False)
    loop.happened(ev.TurnStarted(loop.tick(), ""))
    loop.happened(ev.TurnEnded(loop.tick(), "", ELSEWHERE))
    assert (loop.verdict, loop.notices) == (None, [])


def test_what_arrived_before_the_host_began_may_be_answered_after_it() -> None:
    loop = Loop(1.0)
    loop.happened(ev.Compacted(loop.tick(), "1"))
    event = ev.InjectionChanged(loop.now + 60, "k3f2ab", "compaction:c:1", "confirmed")
    loop.session = apply(loop.session, event)
    # The turn that was compacted in goes on, and is over before the restore comes.
    loop.says(FORGOTTEN)
    loop.happened(ev.TurnEnded(loop.tick(), "", FORGOTTEN))
    loop.now = 2e9
    loop.says(RIGHT)
    assert loop.verdict == ("k3f2ab", "right", ())


def test_what_was_answered_before_its_record_was_read_is_answered() -> None:
    loop = Loop(1.0)
    loop.happened(ev.Compacted(loop.tick(), "1"))
    event = ev.InjectionChanged(loop.now + 60, "k3f2ab", "compaction:c:1", "confirmed")
    loop.session = apply(loop.session, event)
    loop.happened(ev.UserMessageRecorded(loop.tick(), "by agentsup (restore k3f2ab)"))
    loop.says(ELSEWHERE)
    loop.now = 2e9
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert (loop.verdict, loop.notices) == (None, [])


def test_nothing_is_judged_while_the_log_is_read_once_more(loop: Loop) -> None:
    loop.caught_up = False
    loop.restored()
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    loop.caught_up = True
    loop.says(FORGOTTEN, FORGOTTEN, FORGOTTEN)
    assert (loop.verdict, loop.notices) == (None, [])


def test_the_next_compaction_ends_the_wait(loop: Loop) -> None:
    loop.restored()
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
    loop.happened(ev.UserMessageRecorded(loop.tick(), text))
    loop.says(ELSEWHERE)
    assert loop.verdict == ("c0ld42", "wrong", (MISSING_NEXT,))


def test_secrets_and_long_words_are_not_kept(loop: Loop) -> None:
    loop.restored()
    loop.says(f"{RIGHT} ghp_{'a1B2' * 9} \x1b[31m {'x' * 9_000}")
    recital = loop.session.loop.recital
    assert recital is not None
    assert "ghp_" not in recital.said
    assert "\x1b" not in recital.said
    assert len(recital.said) <= SAID_MOST


@pytest.mark.parametrize("right", [True, False])
def test_a_person_judges(loop: Loop, right: bool) -> None:
    loop.restored()
    loop.says(ELSEWHERE)
    assert loop.recitals.answered(RecitalAnswered("k3f2ab", right)) == Outcome(True)
    recital = loop.session.loop.recital
    assert recital is not None
    assert (recital.by, recital.verdict, recital.said) == ("person", "right" if right else "wrong", ELSEWHERE)
    assert (loop.notices, loop.sent) == ([], {})


def test_a_correction_is_sent_once_and_answered(loop: Loop) -> None:
    loop.restored()
    loop.says(ELSEWHERE)
    answer = RecitalAnswered("k3f2ab", right=False, resend=True)
    assert loop.recitals.answered(answer) == Outcome(True)
    assert loop.recitals.answered(answer) == Outcome(False, "recital.not-sent")
    [(occasion, text)] = loop.sent.items()
    assert occasion == "recital:k3f2ab"
    assert is_ours(text)
    for part in (ELSEWHERE, "run the whole suite", "Don't touch billing/tax.py", "kkkkk2"):
        assert part in text
    loop.happened(ev.InjectionChanged(loop.tick(), "kkkkk2", occasion, "confirmed"))
    loop.says(RIGHT)
    assert loop.verdict == ("kkkkk2", "right", ())


def test_a_correction_that_is_not_taken_is_said(loop: Loop) -> None:
    loop.restored()
    loop.says(ELSEWHERE)
    loop.refuses = True
    answer = RecitalAnswered("k3f2ab", right=False, resend=True)
    assert loop.recitals.answered(answer) == Outcome(False, "recital.not-sent")


def test_an_older_read_back_is_not_judged_by_a_person_who_saw_it(loop: Loop) -> None:
    assert loop.recitals.answered(RecitalAnswered("k3f2ab", right=True)) == Outcome(False, "recital.gone")
    loop.restored()
    loop.says(RIGHT)
    assert loop.recitals.answered(RecitalAnswered("other2", right=True)) == Outcome(False, "recital.gone")
