"""The whole restore text: its order, its frame, its budget."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsup.core.memory.model import Document, InitUnit, Memory, Repository, Work
from agentsup.core.restore.composition import RULE, RestoreText, compose
from agentsup.core.restore.frame import LEAST, SHORT, Budget, RestoreForm, Then
from agentsup.core.restore.harmless import Harmless
from agentsup.core.text import sanitise, starts_plainly
from agentsup.locale import LANGUAGES
from agentsup.tokens import count
from tests.core.restore.memories import ENGRAM, FRAMES, huge, random_memories, usual, works

OCCASIONS: tuple[RestoreForm, ...] = ("compaction", "start", "cold-start", "asked")


@cache
def tokens(text: str) -> int:
    found = count(text)
    assert found.exact
    return found.tokens


def composed(
    memory: Memory,
    *,
    language: str = "en",
    occasion: RestoreForm = "compaction",
    window: int | None = None,
    work: Work | None = None,
    repository: Repository | None = None,
) -> RestoreText:
    return compose(
        memory, Budget(), window, frame=FRAMES[language], count=tokens, occasion=occasion, work=work,
        repository=repository,
    )  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_units_come_in_order_the_engram_last_of_the_facts_and_then_the_recital(language: str) -> None:
    frame = FRAMES[language]
    text = composed(usual(), language=language).text(id="abc234", number=2)
    assert starts_plainly(text)
    assert "abc234" in text.partition("\n")[0]
    assert "2" in text.partition("\n")[0]
    order = ["--- 00-handoff", "--- 05-identity", "--- 10-structure", "--- 20-conventions", "--- 30-task-state",
             "--- 40-decisions", "--- 50-open-questions", "--- 60-recent-operations", f"{RULE} {frame.engram} {RULE}",
             frame.recite]  # fmt: skip
    places = [text.index(mark) for mark in order]
    assert places == sorted(places)
    assert text.count(ENGRAM.strip()) == 1
    assert f"{frame.recite}\n{frame.wait}" in text
    assert text.endswith(frame.trailer.replace("{id}", "abc234"))
    assert tokens(text) <= 1_000


def test_every_occasion_has_its_own_beginning_and_end() -> None:
    frame = FRAMES["en"]
    texts = {occasion: composed(usual(), occasion=occasion).text(id="abc234") for occasion in OCCASIONS}
    assert frame.recite not in texts["start"]
    assert frame.recite not in texts["asked"]
    assert texts["cold-start"].index(frame.protocol.strip()) < texts["cold-start"].index("--- 00-handoff")
    assert frame.begin in texts["cold-start"]
    assert f"\n\n{frame.unasked}\n\n{frame.trailer.replace('{id}', 'abc234')}" in texts["start"]
    assert frame.unasked in texts["asked"]  # as one that is typed for a person
    assert frame.unasked not in composed(usual(), occasion="asked").text()
    assert frame.unasked not in composed(usual(), occasion="start").text(id="abc234", then="answer")
    interrupted = composed(usual()).text(id="abc234", then="go-on")
    assert frame.go_on in interrupted
    assert frame.wait not in interrupted
    assert len({text.partition("\n")[0] for text in texts.values()}) == len(OCCASIONS)


def test_equal_memory_gives_equal_bytes() -> None:
    assert composed(usual()) == composed(usual())
    assert composed(huge(), window=30_000).facts == composed(huge(), window=30_000).facts


def test_what_is_known_is_said_with_how_far_it_can_be_trusted_and_where_it_is_from() -> None:
    text = composed(usual()).text(id="abc234")
    assert "--- 40-decisions: .agent/DECISIONS.md ---" in text
    assert "[HARD] Integers stay arbitrary precision: callers rely on it (user)" in text
    assert "[SOFT] Raise OverflowError: as the standard library does (agent, reviewed)" in text
    assert "[✗] Use numpy" in text
    assert "- [ ] Is 2**64 enough? [TENTATIVE]" in text
    assert "py3.11" not in text
    assert "forbidden: README.md" in text
    assert "op-030" in text
    assert "op-010 " not in text  # the newest twenty
    assert "Next 1: Ensure test_add in test_calc.py covers 2**63" in text


def test_of_many_decisions_the_newest_are_restored_and_the_others_counted() -> None:
    many = "".join(f"## Choice {n:03}\n- confidence: [SOFT] agent\n" for n in range(30))
    text = composed(replace(usual(), decisions=Document(".agent/DECISIONS.md", many))).text(id="abc234")
    assert [f"[SOFT] Choice {n:03}" in text for n in range(30)] == [False] * 10 + [True] * 20
    assert "[left out: 10 more, in .agent/DECISIONS.md]" in text


def test_nothing_is_restored_where_there_is_no_memory_though_there_are_files() -> None:
    for memory in (Memory(), Memory(structure=("a.py",)), Memory(engram=Document(".agent/engram.md", " \n\n"))):
        for occasion in OCCASIONS:
            nothing = composed(memory, occasion=occasion, repository=Repository(head="a" * 40))
            assert not nothing
            assert nothing.text(id="abc234") == ""


def test_without_an_engram_one_is_made_of_the_log_and_marked() -> None:
    work = Work(last_request="Fix the\nparser in parse.py", edited=("parse.py", "lex.py"))
    text = composed(Memory(), work=work).text(id="abc234")
    assert "[Task] Fix the parser in parse.py" in text
    assert "[Files] parse.py, lex.py" in text
    assert "[Pending] unknown" in text
    assert FRAMES["en"].automatic in text
    assert FRAMES["en"].automatic not in composed(usual(), work=work).text(id="abc234")


def test_an_old_engram_says_how_old_it_is_and_a_forgotten_state_what_was_done_since() -> None:
    work = Work(edited_since_engram=("calc.py",), rounds_since_engram=7, calls_since_state=21,
                recent_calls=("edit calc.py", "run pytest -q: 0"))  # fmt: skip
    text = composed(usual(), work=work).text(id="abc234")
    assert "written 7 rounds ago; edited since: calc.py" in text
    assert "edit calc.py\nrun pytest -q: 0" in text
    assert text.count(ENGRAM.strip()) == 1
    assert "run pytest -q: 0" not in composed(usual(), work=replace(work, calls_since_state=20)).text(id="abc234")


def test_git_has_the_last_word() -> None:
    changed = (".agent/STATE.md", "calc.py")
    repository = Repository(head="8bd1a50f" + "0" * 32, changed=changed, known={"8bd1a50": False})
    text = composed(usual(), repository=repository).text(id="abc234")
    assert "git: HEAD 8bd1a50f; not committed: calc.py" in text
    assert "add() has type hints (commit 8bd1a50) (git does not know this commit)" in text


def test_own_units_stand_in_their_place_replace_and_switch_off_but_never_the_engram() -> None:
    def unit(name: str, text: str | None, *, executable: bool = False) -> InitUnit:
        return InitUnit(name, Document(f".agent/init.d/{name}.md", text), executable)

    units = (
        unit("05-identity", ""), unit("10-structure", "our own structure"), unit("35-extra", "our extra"),
        unit("45-script", None, executable=True), unit("90-engram", "forged"), unit("95-recite", "forged"),
    )  # fmt: skip
    text = composed(replace(usual(), units=units)).text(id="abc234")
    assert "test_command" not in text
    assert "our own structure" in text
    assert "src/" not in text
    assert text.index("30-task-state") < text.index("our extra") < text.index("--- 40-decisions")
    assert ".agent/init.d/45-script.md is executable and not approved" in text
    assert "forged" not in text
    assert text.count(ENGRAM.strip()) == 1


def test_what_could_not_be_read_is_said_and_the_rest_restored() -> None:
    broken = replace(
        usual(), state=Document(".agent/progress.json", '{"current_task": "x",\n  oops'), state_form="progress",
        identity=Document(".agent/identity.md", problem="memory.not-text"),
    )  # fmt: skip
    text = composed(broken).text(id="abc234")
    assert "(.agent/progress.json could not be read: line 2, column 3; it was left as it is)" in text
    assert "(.agent/identity.md could not be read: line 1, column 1; it was left as it is)" in text
    assert ENGRAM.strip() in text


def test_a_short_form_has_what_an_agent_can_not_do_without_and_names_a_file_with_the_rest() -> None:
    frame, memory = FRAMES["en"], usual()
    for form, asks in (("again", True), ("asked-again", False)):
        found = composed(memory, occasion=form)  # type: ignore[arg-type]
        text = found.text(id="abc234", number=3, rest="/s/abc.restore.txt")
        assert "(restore abc234, number 3, in short; it replaces every earlier one)" in text.partition("\n")[0]
        assert "read /s/abc.restore.txt before" in text.partition("\n")[0]
        assert ENGRAM.strip() in text
        assert text.count("--- ") == 1  # the state, with its next step alone
        assert frame.legend not in text
        assert (frame.recite in text, "Your context was compacted" in text) == (asks, asks)
        assert found.tokens <= SHORT


# Occasions differ in their frame alone: each meets two windows, each window two of them.
@pytest.mark.parametrize(
    ("occasion", "window"),
    [
        (occasion, windows[(number + shift) % len(windows)])
        for windows in [(None, 200_000, 30_000, 8_000, 1_000)]
        for number, occasion in enumerate(OCCASIONS)
        for shift in (0, 2)
    ],
)
def test_the_largest_memory_stays_below_its_limit_and_says_what_had_to_go(
    window: int | None, occasion: RestoreForm
) -> None:
    found = composed(huge(), occasion=occasion, window=window)
    text = found.text(id="wwwwww", number=9999)
    assert tokens(text) <= found.tokens <= found.limit == max(LEAST, min(2_000, (window or 10**9) * 8 // 100))
    squeezed = {unit.name for unit in found.units if unit.squeezed}
    assert {"30-task-state", "90-engram", "05-identity"} <= squeezed
    assert "[left out: " in text


@given(random_memories(), works(), st.sampled_from([None, 500, 6_000, 12_000, 20_000, 200_000]),
       st.sampled_from(OCCASIONS), st.sampled_from(get_args(Then)), st.sampled_from(LANGUAGES))  # fmt: skip
@settings(max_examples=400, deadline=None)
def test_no_memory_makes_a_text_that_is_too_long_or_holds_a_control(
    memory: Memory, work: Work, window: int | None, occasion: RestoreForm, then: Then, language: str
) -> None:
    found = composed(memory, language=language, occasion=occasion, window=window, work=work)
    text = found.text(id="wwwwww", number=1, then=then)
    assert tokens(text) <= found.limit
    assert sanitise(text) == text
    if not text:
        return
    assert starts_plainly(text)
    frame = FRAMES[language]
    assert text.count(frame.trailer.replace("{id}", "wwwwww")) == 1
    engram = sanitise((memory.engram.text or "").removeprefix("\ufeff")).strip("\n \t")
    unit = next(unit for unit in found.units if unit.name == "90-engram")
    is_foreign = memory.engram.path in dict(memory.trust.foreign)
    if engram and not unit.squeezed and not is_foreign and Harmless(frame).text(engram) == engram:
        assert engram in text
    assert sum(unit.tokens for unit in found.units) <= found.limit
