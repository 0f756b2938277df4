"""What the agent knows is read from its log, and an engram with errors goes back twice and no more."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core import engram_texts as texts
from agentsup.core import events as ev
from agentsup.core.checks.engram import check_engram
from agentsup.core.checks.finding import Finding
from agentsup.core.engram_block import engram_block
from agentsup.core.engram_intake import (
    MOST_ATTEMPTS,
    TOLD_MOST,
    Judged,
    Knowledge,
    after,
    brought_back,
    is_due,
    judged,
    knows,
    message_of,
    wrote,
)
from agentsup.core.memory.model import Document, Memory, Repository, Work
from agentsup.core.restore.composition import compose
from agentsup.core.restore.frame import Budget
from agentsup.core.restore.preparation import OCCASIONS
from agentsup.core.text import starts_plainly
from agentsup.core.work import is_ours, requested
from agentsup.locale import LANGUAGES, load, restore_frame, wording
from agentsup.tokens import guess

ENGRAM = "[Task] Make a() faster.\n[Progress] Wrote a() in a.py\n[Pending] b() in b.py\n[Taboo] c.py: shared\n"
FAULTY = Judged("faulty", (Finding("x", Document("x").spot, "error", "engram.vague", (("text", "stuff"),)),))


def heard(*events: ev.Event) -> Knowledge:
    known = Knowledge()
    for event in events:
        known = after(known, event)
    return known


def user(text: str, time: float = 1.0) -> ev.UserMessageRecorded:
    return ev.UserMessageRecorded(time, text)


def turn_end(message: str, time: float = 2.0, *, interrupted: bool = False) -> ev.TurnEnded:
    return ev.TurnEnded(time, "t", message, interrupted)


def test_what_was_there_before_the_conversation_began_is_known() -> None:
    known = Knowledge(started=90.0)
    for event in (ev.TurnStarted(100.0, "t"), user("Do it.", 101.0), ev.TurnStarted(200.0, "u")):
        known = after(known, event)
    assert known.begun == 100.0
    assert knows(known, ENGRAM, 89.0)
    assert not knows(known, ENGRAM, 99.0)  # a person may correct it before the first prompt
    assert not knows(replace(known, started=300.0), ENGRAM, 101.0)  # a conversation that is gone on with
    assert not knows(known, ENGRAM, 0.0)  # nobody knows since when it is there
    assert not knows(Knowledge(), ENGRAM, 1.0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_restore_text_and_a_correction_tell_the_agent_of_an_engram(language: str) -> None:
    state = Document(".agent/STATE.md", "## Next\n- [Task] x\n- write y()\n")
    memory = Memory(engram=Document(".agent/engram.md", f"\ufeff{ENGRAM}\n"), state=state)
    restored = [
        compose(memory, Budget(), None, frame=restore_frame(language), count=guess, occasion=occasion, work=Work())
        for occasion in OCCASIONS
    ]
    corrected = texts.correcting(load(language), "bcd234", ENGRAM)
    for text in (*(each.text(id="bcd234", number=1, then="go-on") for each in restored), corrected):
        for event in (user(text, 50.0), ev.ContextRecorded(50.0, text)):
            known = heard(event)
            assert knows(known, ENGRAM, 50.0)
            assert not knows(known, ENGRAM, 52.0)  # written once more since: that is news
            assert not knows(known, ENGRAM.replace("faster", "slower"), 50.0)
            for cut in range(1, 4):  # a line less is another engram
                lines = ENGRAM.splitlines(keepends=True)
                assert not knows(known, "".join(lines[cut:]), 50.0)
                assert not knows(known, "".join(lines[:-cut]), 50.0)


def test_the_agent_knows_what_it_has_said_read_or_written_itself() -> None:
    said = heard(turn_end(f"Done.\n\n{ENGRAM}", 50.0))
    assert knows(said, ENGRAM, 50.0)
    assert not knows(said, ENGRAM, 52.0)  # a person has brought it back
    assert not knows(said, "".join(ENGRAM.splitlines(keepends=True)[:3]), 50.0)
    read = ev.ToolUsed(60.0, "read", ".agent/engram.md")
    assert knows(heard(read), ENGRAM, 50.0)
    assert not knows(heard(read), ENGRAM, 61.0)
    for tool in (
        replace(read, part=True), replace(read, failed=True), ev.ToolUsed(60.0, "edit", ".agent/engram.md"),
        ev.ToolUsed(60.0, "run", command="cat .agent/engram.md", failed=True),
        ev.ToolUsed(60.0, "read", "engram.md"), ev.ToolUsed(60.0, "read", "/p/.agent/engram.md"),
        ev.ToolUsed(60.0, "read", "lib/.agent/engram.md"), ev.ToolUsed(60.0, "run", command="cat lib/.agent/engram.md"),
        ev.ToolUsed(60.0, "edit", "x.agent/engram.md"),
        ev.ToolUsed(60.0, "run", command="git add .agent/engram.md"), ev.ToolUsed(60.0, "search", command="engram"),
        ev.ToolUsed(60.0, "run", command="ls -la .agent/engram.md"),
    ):  # fmt: skip
        assert not knows(heard(tool), ENGRAM, 50.0, is_found=True)


@pytest.mark.parametrize("command", ["cat .agent/engram.md", "agentsup engram"])
def test_what_a_command_has_shown_counts_only_where_nobody_knows_whose_it_is(command: str) -> None:
    known = heard(ev.ToolUsed(60.0, "run", command=command))
    assert knows(known, ENGRAM, 50.0, is_found=True)
    assert not knows(known, ENGRAM, 61.0, is_found=True)
    assert not knows(known, ENGRAM, 50.0)


WRITING = (
    ev.ToolUsed(60.0, "edit", ".agent/engram.md", content=f"\ufeff{ENGRAM}\n"),
    ev.ToolUsed(60.0, "run", command=f"cat > .agent/engram.md <<'E'\n{ENGRAM}E\ngit add .agent"),
    ev.ToolUsed(60.0, "run", command=f"agentsup engram set - <<E\n{ENGRAM}E"),
)


@pytest.mark.parametrize("tool", WRITING)
def test_the_file_is_the_agents_where_a_tool_was_given_all_of_it(tool: ev.ToolUsed) -> None:
    known = heard(tool, ev.ToolUsed(61.0, "run", command="cat .agent/engram.md"))
    assert wrote(known, ENGRAM, 59.5)
    assert wrote(known, ENGRAM, 60.4)
    assert not wrote(known, ENGRAM, 70.0)  # written later, by somebody else
    assert not wrote(known, ENGRAM, 10.0)
    for other in ("faster", "a.py", "[Taboo] c.py: shared\n"):  # a person has changed another line since
        assert not wrote(known, ENGRAM.replace(other, "x"), 60.0)
    assert not wrote(known, f"{ENGRAM}[Taboo] d.py: theirs\n", 60.0)
    assert not wrote(known, "", 60.0)
    assert not wrote(heard(replace(tool, failed=True)), ENGRAM, 60.0)


@pytest.mark.parametrize(
    "tool",
    [
        ev.ToolUsed(60.0, "read", ".agent/engram.md"),
        ev.ToolUsed(60.0, "edit", ".agent/engram.md"),
        ev.ToolUsed(60.0, "edit", "/p/other.md", content=ENGRAM),
        *(ev.ToolUsed(60.0, "run", command=command) for command in (
            "sed -i s/x/faster/ .agent/engram.md", "cp /tmp/x .agent/engram.md", "echo x > .agent/engram.md",
            "python3 make.py > .agent/engram.md",
        )),
    ],
)  # fmt: skip
def test_what_no_tool_was_given_is_not_the_agents(tool: ev.ToolUsed) -> None:
    assert not wrote(heard(tool), ENGRAM, 60.0)


def test_the_file_is_the_agents_where_it_has_just_said_so() -> None:
    said = heard(turn_end(f"Done.\n\n{ENGRAM}", 60.0))
    assert wrote(said, ENGRAM, 61.0)
    assert not wrote(said, ENGRAM, 100.0)  # a person has brought it back
    assert not wrote(heard(turn_end(ENGRAM, 60.0), turn_end(ENGRAM.replace("a()", "z()"), 60.0)), ENGRAM, 61.0)
    assert not wrote(heard(turn_end(ENGRAM, 60.0, interrupted=True)), ENGRAM, 61.0)


def test_a_git_command_of_the_agents_that_has_not_failed_may_have_brought_a_file_back() -> None:
    stash = ev.ToolUsed(60.0, "run", command="git stash && git switch -c try")
    assert brought_back(heard(stash), 59.0)
    assert not brought_back(heard(stash), 62.0)
    assert not brought_back(heard(stash), 20.0)
    assert not brought_back(heard(replace(stash, failed=True)), 59.0)
    assert not brought_back(heard(replace(stash, command="git add .")), 59.0)


def test_only_the_newest_texts_with_an_engram_are_remembered() -> None:
    told = [user(f"[Task] number {number}\n[Taboo] x") for number in range(TOLD_MOST + 2)]
    known = heard(*told, user("[Task] alone"), user("nothing"), user("Write: [Task] [Pending]"))
    assert [told.lines[0] for told in known.told] == [f"[Task] number {number}" for number in (2, 3, 4)]
    sent_back = texts.sending_back(load("en"), "bcd234", 1, FAULTY.findings)
    assert heard(user(sent_back), user(texts.asking(load("zh-CN"), "bcd234", percent=1, files=1))).told == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_wrong_is_said_in_sentences(language: str) -> None:
    lines = [line for line in texts.sending_back(load(language), "bcd234", 1, FAULTY.findings).splitlines()
             if line.startswith("- ")]  # fmt: skip
    assert len(lines) == len(FAULTY.findings) > 0
    for line, finding in zip(lines, FAULTY.findings, strict=True):
        assert line[-1] in '.!?。！？"”'
        quoted = dict(finding.values).get("text", "")
        assert not quoted or f"{quoted}." in line


def test_a_message_keeps_what_was_known_when_it_was_said() -> None:
    before = heard(user("Do it."))
    message = message_of(turn_end(f"Done.\n{ENGRAM}"), before)
    assert message is not None
    assert (message.block, message.time) == (ENGRAM, 2.0)
    after(before, user(texts.correcting(load("en"), "bcd234", ENGRAM)))
    assert not knows(message.known, ENGRAM, 50.0)
    assert message_of(turn_end("Done."), before) is None
    assert message_of(turn_end(ENGRAM, interrupted=True), before) is None


def test_an_engram_with_errors_goes_back_twice_and_no_more() -> None:
    known, outcomes = Knowledge(), []
    for _ in range(5):
        step = judged(known, FAULTY, 9.0)
        known = step.known
        assert step.event is not None
        outcomes.append((step.event.outcome, step.send_back))
    assert outcomes == [("sent-back", 1), ("sent-back", 2), ("refused", 0), ("refused", 0), ("refused", 0)]
    good = judged(known, Judged("stored"), 10.0)
    assert good.event == ev.EngramTaken(10.0, "stored")
    assert judged(good.known, FAULTY, 11.0).send_back == 1
    assert judged(heard(user("x"), ev.Compacted(3.0, "c")), FAULTY, 11.0).send_back == 1


def test_what_could_not_be_written_changes_nothing() -> None:
    known = replace(Knowledge(), attempts=1)
    step = judged(known, Judged("not-written", reason="No space left"), 9.0)
    assert (step.known, step.event, step.send_back) == (known, None, 0)


@pytest.mark.parametrize("language", LANGUAGES)
def test_after_a_restart_the_log_tells_how_often_it_went_back(language: str) -> None:
    catalogue = load(language)
    known = Knowledge()
    for attempt in range(1, MOST_ATTEMPTS + 1):
        known = after(known, user(texts.sending_back(catalogue, "bcd234", attempt, FAULTY.findings)))
        assert known.attempts == attempt
    assert after(known, user("Go on, please.")).attempts == MOST_ATTEMPTS  # it can't write one
    lead = user("\n" + texts.sending_back(catalogue, "bcd234", 1, FAULTY.findings))
    assert heard(lead).attempts == 1  # as it stands in a log where something was taken off before it
    once = heard(user(texts.sending_back(catalogue, "bcd234", 1, FAULTY.findings)))
    assert after(once, user("Go on, please.")).attempts == 0
    assert after(once, user(texts.asking(catalogue, "bcd234", percent=71, files=2))).attempts == 1
    assert after(once, ev.ContextRecorded(1.0, "x")).attempts == 1


@pytest.mark.parametrize(
    ("fraction", "percent", "edited", "due"),
    [(0.7, 70, True, True), (0.69, 70, True, False), (0.9, 70, False, False), (0.9, 0, True, False),
     (None, 70, True, False), (1.0, 100, True, True)],
)  # fmt: skip
def test_it_is_asked_for_when_the_context_is_that_full_and_files_were_edited(
    fraction: float | None, percent: int, edited: bool, due: bool
) -> None:
    assert is_due(fraction=fraction, percent=percent, edited=edited) is due


@pytest.mark.parametrize(("of_limit", "percent", "due"), [(0.89, 70, False), (0.9, 70, True), (0.9, 0, False)])
def test_it_is_asked_for_before_the_agent_compacts_early(of_limit: float, percent: int, due: bool) -> None:
    assert is_due(fraction=0.5, of_limit=of_limit, percent=percent, edited=True) is due


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_begins_with_its_name_and_is_no_request_of_the_persons(language: str) -> None:
    catalogue = load(language)
    bad = "[Task] a\x1b[2J\n[Progress] made some changes\n[Pending] x\n[Taboo] y\n[Rules] z\n"
    findings = check_engram(Document("x", bad), wording(), Repository(), by="agent")
    assert len(findings) >= 4
    for text in (
        texts.asking(catalogue, "bcd234", percent=80, files=3),
        texts.sending_back(catalogue, "bcd234", 1, findings),
        texts.correcting(catalogue, "bcd234", bad),
    ):
        header = text.partition("\n")[0]
        assert "bcd234" in header
        assert starts_plainly(text)
        assert is_ours(text)
        assert requested(Work(), text) == Work()
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
        assert "{" not in text
        assert engram_block(text) is None  # an agent that repeats it word for word has written none
    back = texts.sending_back(catalogue, "bcd234", 1, findings)
    for finding in findings:
        assert catalogue.text(f"check.{finding.code}.fix", **dict(finding.values)) in back


def test_a_text_that_sends_it_back_is_never_long() -> None:
    findings = tuple(
        Finding("x", Document("x").spot, "error", "engram.vague", (("text", "y" * 4_000),)) for _ in range(400)
    )
    text = texts.sending_back(load("en"), "bcd234", 2, findings)
    assert len(text) < 6_000
    assert "And 388 more." in text


ANY = st.one_of(
    st.builds(
        lambda text, time: user(text, time), st.sampled_from(["Do it.", f"agentsup\n{ENGRAM}", ""]), st.floats(1, 9)
    ),
    st.builds(lambda text: turn_end(text), st.sampled_from(["Done.", ENGRAM, f"{ENGRAM}\nMore?"])),
    st.builds(lambda time: ev.TurnStarted(time, "t"), st.floats(1, 9)),
    st.builds(lambda time: ev.ToolUsed(time, "edit", "/x/.agent/engram.md"), st.floats(1, 9)),
    st.just(ev.Compacted(5.0, "c")),
)


@given(st.lists(st.one_of(ANY, st.sampled_from([FAULTY, Judged("stored"), Judged("not-written")])), max_size=40))
def test_between_two_good_ones_it_never_goes_back_more_than_twice_without_a_persons_word(
    steps: list[ev.Event | Judged],
) -> None:
    known, in_a_row = Knowledge(), 0
    for step in steps:
        if isinstance(step, Judged):
            result = judged(known, step, 1.0)
            known = result.known
            in_a_row = in_a_row + 1 if result.send_back else 0 if step.outcome == "stored" else in_a_row
            assert result.send_back <= MOST_ATTEMPTS
            assert in_a_row <= MOST_ATTEMPTS
        else:
            known = after(known, step)
            if isinstance(step, ev.Compacted | ev.UserMessageRecorded) and known.attempts == 0:
                in_a_row = 0
