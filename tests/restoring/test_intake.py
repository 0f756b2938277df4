"""An agent's engram is judged and written by a process of its own: a person's version is never lost to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentsup.core import events as ev
from agentsup.core.engram_intake import Judged, Knowledge, Message, Wanted, after
from agentsup.core.engram_reasons import JOINED, REFUSED, SEEN, STAYS, TURN_END, restored
from agentsup.restoring import intake
from agentsup.store import atomic
from agentsup.store.engram_history import Version, history, record, standing, write_engram_file, written_at
from tests.core.checks.secret_examples import NAMES, example

ENGRAM = """\
[Task] Make a() in a.py accept ISO weeks.
[Progress] Wrote a() in a.py
[Pending] b() in b.py
[Taboo] c.py: shared code
"""
PERSONS = ENGRAM.replace("accept", "refuse")
Environment = dict[str, str]


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environment:
    """Return an environment with a data folder of its own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return {"XDG_DATA_HOME": str(tmp_path / "data"), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def message(block: str = ENGRAM, known: Knowledge | None = None, when: float | None = None) -> Message:
    return Message(
        time.time() if when is None else when,
        block,
        known or Knowledge(started=time.time() - 3600, begun=time.time() - 3600),
    )


def judge(root: Path, block: str = ENGRAM, known: Knowledge | None = None, *, last: bool = False) -> Judged:
    return intake.judge(Wanted(str(root), message(block, known), last=last))


def stays(root: Path) -> Judged:
    """Return the answer where the person's stands."""
    return Judged("persons-stays", persons=PERSONS, modified=written_at(file(root).stat()))


def file(root: Path) -> Path:
    return root / ".agent" / "engram.md"


def put(root: Path, text: str) -> None:
    """Write the file as a person's own editor does, or a script, or anybody."""
    file(root).parent.mkdir(exist_ok=True)
    file(root).write_text(text)


def persons(root: Path, text: str = PERSONS) -> Version:
    """Write the file as the panel does."""
    token = atomic.read(file(root), beneath=root).token
    return write_engram_file(root, text, token, "person", "edited")


def commit(root: Path, author: str) -> None:
    """Commit all as somebody, in a repository whose person is `me`."""
    mine = ("-c", f"user.email={author}@example.org", "-c", "user.name=Somebody", "-c", "commit.gpgSign=false")
    for words in (
        ("init", "-q"), ("config", "user.email", "me@example.org"), ("add", "-A"), (*mine, "commit", "-qm", "x"),
    ):  # fmt: skip
        subprocess.run(("git", "-C", str(root), *words), check=True, timeout=20)


def heard(text: str, known: Knowledge | None = None) -> Knowledge:
    """Return what an agent knows that has just been told of an engram."""
    return after(known or Knowledge(), ev.UserMessageRecorded(time.time(), f"agentsup engram bcd234\n\n{text}\n---"))


def long_ago(known: Knowledge) -> Knowledge:
    """Return what an agent knows as if it had been told, and had said it, a minute before."""
    said = None if known.said is None else replace(known.said, time=known.said.time - 60)
    return replace(known, told=tuple(replace(each, time=each.time - 60) for each in known.told), said=said)


def told(versions: tuple[Version, ...]) -> list[tuple[str, str]]:
    return [(version.author, version.text) for version in versions]


def test_the_process_writes_it_and_records_who_when_and_why(root: Path, environment: Environment) -> None:
    command = [sys.executable, "-P", "-m", "agentsup.restoring.intake"]
    request = msgspec.msgpack.encode(Wanted(str(root), message()))
    done = subprocess.run(command, input=request, capture_output=True, env=environment, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert msgspec.msgpack.decode(done.stdout, type=Judged) == Judged("stored")
    assert file(root).read_text() == ENGRAM
    (version,) = history(root, environment)
    assert (version.author, version.text, version.reason) == ("agent", ENGRAM, TURN_END)


def test_the_same_again_is_written_once_and_makes_it_new(root: Path, environment: Environment) -> None:
    assert judge(root).outcome == "stored"
    os.utime(file(root), (1000.0, 1000.0))
    when = time.time() - 5
    same = intake.judge(Wanted(str(root), message(ENGRAM.replace("\n", "\n\n"), when=when)))
    assert same == Judged("same")
    assert file(root).read_text() == ENGRAM
    assert file(root).stat().st_mtime == pytest.approx(when, abs=0.01)
    assert intake.judge(Wanted(str(root), message(when=1.0))) == Judged("same")  # a log that is read once more
    assert file(root).stat().st_mtime == pytest.approx(when, abs=0.01)
    assert len(history(root)) == 1


def test_a_message_that_is_read_once_more_leaves_what_the_agent_has_written_since(
    root: Path, environment: Environment
) -> None:
    now = time.time()
    old = Wanted(str(root), message(when=now - 60))
    assert intake.judge(old) == Judged("stored")
    newer = ENGRAM.replace("b() in b.py", "d() in d.py")
    write_engram_file(root, newer, atomic.read(file(root), beneath=root).token, "agent", "agentsup engram set")
    assert intake.judge(old) == Judged("known")
    assert intake.judge(Wanted(str(root), message(when=now - 59))) == Judged("same")
    assert file(root).read_text() == newer
    assert told(history(root)) == [("agent", ENGRAM), ("agent", newer)]
    assert intake.judge(Wanted(str(root), message(when=now + 60))) == Judged("stored")
    assert file(root).read_text() == ENGRAM


def test_a_message_that_has_waited_for_the_one_before_it_is_newer(root: Path, environment: Environment) -> None:
    now = time.time()
    assert intake.judge(Wanted(str(root), message(when=now - 9))) == Judged("stored")
    newer = ENGRAM.replace("b() in b.py", "d() in d.py")
    assert intake.judge(Wanted(str(root), message(newer, when=now - 7))) == Judged("stored")
    assert intake.judge(Wanted(str(root), message(when=now - 8.5))) == Judged("same")
    assert file(root).read_text() == newer
    assert [version.time for version in history(root)] == [now - 9, now - 7]


def test_errors_are_told_with_the_errors_first_and_nothing_is_written(root: Path, environment: Environment) -> None:
    vague = f"{ENGRAM.splitlines()[0]}\n[Taboo] Leave c.py alone\n[Pending] b() in b.py\n[Progress] made some changes\n"
    answer = judge(root, vague)
    assert answer.outcome == "faulty"
    assert [finding.code for finding in answer.errors] == ["engram.vague"]
    assert [finding.code for finding in answer.findings] == ["engram.vague", "engram.taboo-without-reason"]
    assert not file(root).exists()
    assert history(root) == ()


def test_the_last_valid_one_stands_and_the_refused_one_is_kept(root: Path, environment: Environment) -> None:
    judge(root)
    faulty = ENGRAM.replace("[Taboo] c.py: shared code\n", "")
    assert judge(root, faulty, last=True).outcome == "faulty"
    assert judge(root, faulty, last=True).outcome == "faulty"
    assert file(root).read_text() == ENGRAM
    assert told(history(root)) == [("agent", ENGRAM), ("agent", faulty)]
    assert history(root)[1].reason == REFUSED


def test_a_persons_version_that_the_agent_did_not_know_stands(root: Path, environment: Environment) -> None:
    persons(root)
    assert judge(root) == stays(root)
    assert judge(root) == stays(root)
    assert file(root).read_text() == PERSONS
    # Once; and the person's version is there once, as old as it is.
    assert told(history(root)) == [("person", PERSONS), ("agent", ENGRAM)]
    assert [version.reason for version in history(root)] == ["edited", STAYS]


def test_also_where_what_the_agent_wrote_has_errors(root: Path, environment: Environment) -> None:
    persons(root)
    assert judge(root, "[Task] stuff\n[Progress] things\n").outcome == "persons-stays"


def test_what_the_person_does_not_want_the_agent_told_is_told_nobody(root: Path, environment: Environment) -> None:
    version = persons(root)
    answer = intake.judge(Wanted(str(root), message(), untold=version.sha))
    assert (answer.outcome, answer.persons) == ("persons-stays", "")


@pytest.mark.parametrize("way", ["told", "read", "begun"])
def test_a_persons_version_that_the_agent_knew_is_replaced(root: Path, environment: Environment, way: str) -> None:
    persons(root)
    now = time.time() + 1
    known = {"told": heard(PERSONS), "read": Knowledge(read=now), "begun": Knowledge(started=now, begun=now)}[way]
    assert judge(root, known=known).outcome == "stored"
    assert file(root).read_text() == ENGRAM
    assert told(history(root)) == [("person", PERSONS), ("agent", ENGRAM)]


def test_one_that_a_person_brings_back_is_news_again(root: Path, environment: Environment) -> None:
    persons(root)
    known = after(heard(PERSONS), ev.TurnEnded(time.time(), "t", ENGRAM))
    assert judge(root, known=known).outcome == "stored"
    os.utime(file(root), (time.time() + 5, time.time() + 5))  # as if that were long ago
    known = long_ago(known)
    persons(root)
    assert judge(root, ENGRAM.replace("weeks", "days"), known).outcome == "persons-stays"
    assert judge(root, known=heard(PERSONS)).outcome == "stored"


def test_what_was_only_found_stays_and_nobody_calls_it_a_persons(root: Path, environment: Environment) -> None:
    put(root, PERSONS)
    assert judge(root) == Judged("found-stays")
    assert told(history(root)) == [("found", PERSONS), ("agent", ENGRAM)]
    assert history(root)[0].reason == SEEN
    assert file(root).read_text() == PERSONS


@pytest.mark.parametrize("way", ["found", "saved"])
def test_an_edit_that_comes_with_an_old_time_is_no_older_than_the_edit(
    root: Path, environment: Environment, tmp_path: Path, way: str
) -> None:
    assert judge(root).outcome == "stored"
    backup = tmp_path / "backup.md"
    backup.write_text(PERSONS)
    os.utime(backup, (1000.0, 1000.0))
    shutil.copy2(backup, file(root))
    if way == "saved":
        record(root, PERSONS, "person")  # as the host does
    newer = ENGRAM.replace("b() in b.py", "d() in d.py")
    assert judge(root, newer).outcome == ("persons-stays" if way == "saved" else "found-stays")
    assert file(root).read_text() == PERSONS


def test_a_clone_of_before_the_agents_start_is_no_correction(root: Path, environment: Environment) -> None:
    put(root, PERSONS)
    os.utime(file(root), (1000.0, 1000.0))
    now = time.time() + 1
    assert judge(root, known=Knowledge(started=now, begun=now)).outcome == "stored"


def test_what_a_person_says_is_theirs_is_a_persons_from_then_on(root: Path, environment: Environment) -> None:
    put(root, PERSONS)
    assert judge(root).outcome == "found-stays"
    record(root, PERSONS, "person")  # as the host does
    assert judge(root) == stays(root)


def test_what_was_found_is_kept_too_where_the_agent_says_the_same(root: Path, environment: Environment) -> None:
    put(root, ENGRAM)
    assert judge(root).outcome == "same"
    assert told(history(root)) == [("found", ENGRAM)]


def used(kind: Literal["read", "edit", "run"], **more: Any) -> Knowledge:
    """Return what an agent knows that has just used a tool."""
    path = "" if kind == "run" else ".agent/engram.md"
    return after(Knowledge(), ev.ToolUsed(time.time() + 1, kind, path, **more))


WRITING = f"cat > .agent/engram.md <<'E'\n{PERSONS}E"


@pytest.mark.parametrize(
    "known", [lambda: used("edit", content=PERSONS), lambda: used("run", command=WRITING)], ids=["tool", "command"]
)
def test_what_the_agent_has_written_whole_is_its_own_and_kept(
    root: Path, environment: Environment, known: Callable[[], Knowledge]
) -> None:
    put(root, PERSONS)
    record(root, PERSONS, "found", SEEN)  # as the host does where the log tells of it late
    assert judge(root, known=known()).outcome == "stored"
    assert told(history(root)) == [("found", PERSONS), ("agent", PERSONS), ("agent", ENGRAM)]
    assert file(root).read_text() == ENGRAM


@pytest.mark.parametrize(
    "known",
    [
        lambda: used("run", command=WRITING, failed=True),
        lambda: used("run", command="cat > .agent/engram.md <<'E'\n[Task] x\nE"),
        lambda: used("run", command="sed -i s/Wrote/Typed/ .agent/engram.md"),
        lambda: used("run", command="python3 test_calc.py"),
        lambda: used("run", command="cat .agent/engram.md", failed=True),
        lambda: used("run", command="head -n 1 .agent/engram.md"),
        lambda: used("edit"),
        lambda: used("edit", content=ENGRAM),
        lambda: used("read", part=True),
        lambda: used("read", failed=True),
    ],
    ids=[
        "declined", "another text", "one line by sed", "a script", "declined to look", "one line looked at",
        "one line by tool", "another text by tool", "a part", "refused",
    ],
)  # fmt: skip
@pytest.mark.parametrize("way", ["saved", "found"])
def test_no_tool_that_did_not_write_or_read_the_whole_lets_an_edit_be_lost(
    root: Path, environment: Environment, way: str, known: Callable[[], Knowledge]
) -> None:
    write_engram_file(root, ENGRAM, atomic.read(file(root), beneath=root).token, "agent", TURN_END)
    persons(root) if way == "saved" else put(root, PERSONS)
    newer = ENGRAM.replace("b() in b.py", "d() in d.py")
    assert judge(root, newer, known()).outcome == ("persons-stays" if way == "saved" else "found-stays")
    assert file(root).read_text() == PERSONS
    assert newer in [version.text for version in history(root)]


def test_an_edit_that_the_agent_changed_a_line_of_is_not_its_own(root: Path, environment: Environment) -> None:
    write_engram_file(root, ENGRAM, atomic.read(file(root), beneath=root).token, "agent", TURN_END)
    put(root, PERSONS)
    record(root, PERSONS, "found", SEEN)
    put(root, PERSONS.replace("Wrote", "Typed"))
    assert judge(root, known=used("run", command="sed -i s/Wrote/Typed/ .agent/engram.md")).outcome == "found-stays"
    assert "refuse" in file(root).read_text()


@pytest.mark.parametrize("failed", [False, True])
def test_an_engram_of_its_own_that_the_agents_git_brought_back_is_no_correction(
    root: Path, environment: Environment, failed: bool
) -> None:
    newer, newest = (ENGRAM.replace("b() in b.py", f"{name}() in b.py") for name in "de")
    assert [judge(root, text).outcome for text in (ENGRAM, newer)] == ["stored", "stored"]
    put(root, ENGRAM)
    known = used("run", command="git stash && git switch -c try", failed=failed)
    assert judge(root, newest, known).outcome == ("found-stays" if failed else "stored")
    assert told(history(root))[:3] == [
        ("agent", ENGRAM), ("agent", newer), ("found" if failed else "agent", ENGRAM),
    ]  # fmt: skip
    assert history(root)[2].reason == restored(history(root)[0].sha)


def test_also_by_hand_an_earlier_one_of_the_agents_stays_and_is_known_as_that(
    root: Path, environment: Environment
) -> None:
    newer = ENGRAM.replace("b() in b.py", "d() in b.py")
    assert [judge(root, text).outcome for text in (ENGRAM, newer)] == ["stored", "stored"]
    put(root, ENGRAM)
    assert judge(root, newer) == Judged("found-stays")
    assert file(root).read_text() == ENGRAM
    stands = standing(history(root))
    assert stands is not None
    assert (stands.author, stands.reason) == ("found", restored(history(root)[0].sha))


@pytest.mark.parametrize(
    "command", ["cd x && git add .agent/engram.md", "ls -la .agent/engram.md", "wc -c .agent/engram.md"]
)
@pytest.mark.parametrize("way", ["saved", "edited"])
def test_a_command_that_only_names_the_file_makes_it_neither_known_nor_the_agents(
    root: Path, environment: Environment, way: str, command: str
) -> None:
    persons(root) if way == "saved" else put(root, PERSONS)
    known = after(Knowledge(), ev.ToolUsed(time.time() + 3, "run", command=command))
    assert judge(root, known=known) == (stays(root) if way == "saved" else Judged("found-stays"))
    assert told(history(root))[0] == ("person" if way == "saved" else "found", PERSONS)


def test_a_command_that_shows_the_file_makes_known_what_was_found_and_not_what_was_saved(
    root: Path, environment: Environment
) -> None:
    persons(root)
    known = after(Knowledge(), ev.ToolUsed(time.time() + 3, "run", command="cat .agent/engram.md"))
    assert judge(root, known=known) == stays(root)
    put(root, PERSONS.replace("weeks", "days"))
    assert judge(root, known=known).outcome == "stored"


def test_one_that_somebody_elses_commit_brought_is_data_and_no_correction(root: Path, environment: Environment) -> None:
    put(root, PERSONS)
    commit(root, "other")
    record(root, PERSONS, "found", SEEN)  # as the host finds it there
    assert judge(root).outcome == "stored"
    assert told(history(root)) == [("found", PERSONS), ("agent", ENGRAM)]


def test_one_of_the_persons_own_commits_stands(root: Path, environment: Environment) -> None:
    put(root, PERSONS)
    commit(root, "me")
    assert judge(root).outcome == "found-stays"


def test_a_secret_is_neither_written_nor_told(root: Path, environment: Environment) -> None:
    secret = example(NAMES[0])
    leaking = ENGRAM.replace("shared code", f"shared {secret.text}")
    assert {finding.code for finding in judge(root, leaking).errors} == {"engram.secret"}
    assert not file(root).exists()
    persons(root, leaking)
    answer = judge(root)
    assert answer.outcome == "persons-stays"
    assert not secret.is_seen_in(answer.persons)
    assert judge(root, known=heard(answer.persons)).outcome == "stored"  # what it was told of is known
    assert not any(secret.is_seen_in(version.text) for version in history(root))


def test_too_many_items_are_joined_after_the_agent_could_not(root: Path, environment: Environment) -> None:
    for name in "defgh":
        (root / f"{name}.py").write_text("x = 1\n")
    many = ENGRAM + "".join(f"[Files] {name}.py\n" for name in "defgh")
    assert judge(root, many).outcome == "faulty"
    assert judge(root, many, last=True) == Judged("stored")
    assert file(root).read_text() == ENGRAM + "[Files] d.py, e.py\n[Files] f.py\n[Files] g.py\n[Files] h.py\n"
    assert history(root)[-1].reason == JOINED
    vague = many.replace("Wrote a() in a.py", "going well")
    assert judge(root, vague, last=True).outcome == "faulty"  # there is more that is wrong with it


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\x00\xd8",
        b"[Task] a\0b\n",
        b"<<<<<<< HEAD\n[Task] a\n=======\n[Task] b\n>>>>>>> other\n",
    ],
)
def test_a_file_that_is_no_text_or_half_merged_is_left_alone(root: Path, environment: Environment, data: bytes) -> None:
    put(root, "")
    file(root).write_bytes(data)
    assert judge(root) == Judged("not-written")
    assert file(root).read_bytes() == data


def test_what_can_not_be_written_says_why(root: Path, environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / ".agent").symlink_to(tmp_path / "elsewhere")
    answer = judge(root)
    assert answer.outcome == "not-written"
    assert answer.reason
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_one_that_is_written_and_can_not_be_recorded_is_stored(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").write_text("no folder")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert judge(root).outcome == "stored"
    assert file(root).read_text() == ENGRAM


def test_who_writes_the_file_meanwhile_is_judged_anew(
    root: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile = [PERSONS]

    def raced(*arguments: object, **more: object) -> Version:
        if meanwhile:
            put(root, meanwhile.pop())
        return write_engram_file(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "write_engram_file", raced)
    assert judge(root) == Judged("found-stays")
    assert file(root).read_text() == PERSONS
    assert not list((Path(environment["XDG_DATA_HOME"]) / "agentsup").rglob("*conflict*"))


def test_a_file_that_changes_all_the_time_is_left_alone(
    root: Path, environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(root)

    def conflict(*_: object, **__: object) -> Version:
        raise atomic.Conflict(file(root), b"", None)

    monkeypatch.setattr(intake, "write_engram_file", conflict)
    answer = judge(root, PERSONS)
    assert answer.outcome == "not-written"
    assert answer.reason


def test_a_message_that_was_judged_is_never_judged_again(root: Path, environment: Environment) -> None:
    said = Wanted(str(root), message(when=time.time() - 9))
    assert intake.judge(said) == Judged("stored")
    for text in (PERSONS, PERSONS.replace("weeks", "days")):
        persons(root, text)
    before = history(root)
    assert intake.judge(said) == Judged("known")
    assert intake.judge(replace(said, last=True)) == Judged("known")
    assert history(root) == before
    file(root).unlink()
    assert intake.judge(said) == Judged("known")
    assert not file(root).exists()


def test_a_host_that_did_not_hear_the_verdict_hears_it_and_nothing_is_added(
    root: Path, environment: Environment
) -> None:
    persons(root, PERSONS)
    said = Wanted(str(root), message())
    answer = intake.judge(said)
    assert answer.outcome == "persons-stays"
    before = history(root)
    assert told(before) == [("person", PERSONS), ("agent", ENGRAM)]
    assert intake.judge(said) == answer
    assert history(root) == before
    file(root).unlink()
    assert intake.judge(said) == Judged("known")
    assert not file(root).exists()


SAID = st.sampled_from([ENGRAM.replace("weeks", word) for word in ("days", "months", "years", "hours")])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("agent"), SAID), st.tuples(st.just("saved"), SAID), st.tuples(st.just("edited"), SAID),
        st.tuples(st.just("told"), st.just("")),
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_whatever_comes_first_nothing_is_lost_and_a_persons_word_stands(
    tmp_path_factory: pytest.TempPathFactory, environment: Environment, steps: list[tuple[str, str]]
) -> None:
    root = tmp_path_factory.mktemp("project")
    known, seen, knew, stand = Knowledge(), set[str](), "", ""
    for who, text in steps:
        before = file(root).read_text() if file(root).exists() else ""
        match who:
            case "saved" | "edited":
                if before:
                    record(root, before, "found", SEEN)  # as the host does, a little later
                (persons if who == "saved" else put)(root, text)
                stand = "persons-stays" if who == "saved" else stand if text == before else "found-stays"
                if text != before:
                    knew, known = "", long_ago(known)
            case "told":
                known, knew = heard(before, known), before
            case _:
                answer = judge(root, text, known)
                expected = "same" if text == before else "stored" if knew == before else stand
                assert answer.outcome == expected
                assert file(root).read_text() == (before if expected == stand else text)
                knew = knew if expected == stand else text
                known = after(known, ev.TurnEnded(time.time(), "t", text))
                seen |= {text, before} - {""}
                assert seen <= {version.text for version in history(root)}
                stands = standing(history(root))
                assert stands is not None
                assert stands.text == file(root).read_text()
