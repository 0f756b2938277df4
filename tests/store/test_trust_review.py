"""Approved is exactly what was shown: any change to it afterwards, and it does not hold."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.core.memory.model import Memory
from agentsup.core.problems import Problem, RefusedProblem
from agentsup.core.trust.accepted import as_accepted, never_accepted, not_accepted
from agentsup.core.trust.model import Accepted, Approvals, Trust, UnitOutput
from agentsup.core.trust.untouched import UNTOUCHED
from agentsup.locale import template
from agentsup.store.project_memory import read_project
from agentsup.store.trust_key import trust_folder
from agentsup.store.trust_reading import with_trust
from agentsup.store.trust_record import (
    NewEntry,
    Record,
    add,
    add_doubt,
    approvals,
    folder,
    project_key,
    read_record,
)  # fmt: skip
from agentsup.store.trust_review import Answer, Review, adopt, deny, record_answer, review
from agentsup.store.unit_cache import save_outputs
from tests.store.project import write
from tests.store.test_provenance import MINE, THEIRS, commit, git

SCRIPT = '#!/bin/sh\n# agentsup: include lib/common.sh\n. "$AGENTSUP_INCLUDE_1"\necho hello\n'
FILES = {
    ".agent/init.d/15-hello.sh": SCRIPT,
    ".agent/init.d/16-other.sh": "echo other\n",
    ".agent/init.d/17-notes.md": "Notes of the project.\n",
    ".agent/templates/instructions.md": "Be kind.\n",
    "lib/common.sh": "x=1\n",
    "lib/else.sh": "x=1\n",
    ".agent/TASK.md": "# Task\n\n## Goal\nParse.\n",
    ".agent/DECISIONS.md": "## Keep the parser\n- reason: ours\n- confidence: [HARD] user\n\n"
    "## Use tabs\n- confidence: [TENTATIVE] agent\n",
}
WHO = "terminal /dev/pts/3"


class Project:
    """A project, and the data folder of a person who looks at it."""

    def __init__(self, base: Path) -> None:
        self.root = base / "project"
        self.root.mkdir()
        self.environment = {"XDG_DATA_HOME": str(base / "data")}

    def review(self) -> Review:
        return review(self.root, self.environment)

    def answer(self, shown: Review, answer: Answer) -> None:
        record_answer(self.root, shown, answer, by=WHO, environment=self.environment)

    def approve_all(self) -> None:
        shown = self.review()
        self.answer(shown, everything(shown))

    def memory(self) -> Memory:
        return with_trust(self.root, read_project(self.root), environment=self.environment)

    @property
    def trust(self) -> Trust:
        return self.memory().trust

    def approvals(self) -> Approvals:
        return approvals(self.root, environment=self.environment)


def everything(shown: Review) -> Answer:
    return Answer(
        scripts=bool(shown.scripts),
        contents=tuple(path for path, _ in shown.content_shas),
        rules=tuple(rule.digest for rule in shown.rules),
        revoked=tuple(rule.digest for rule in shown.lost_rules),
        memory=bool(shown.foreign),
    )


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    write(tmp_path / "home", {".gitconfig": f"[user]\n\tname = Me\n\temail = {MINE}\n"})
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    made = Project(tmp_path)
    write(made.root, FILES)
    (made.root / ".agent/init.d/18-link").symlink_to("../../lib/common.sh")
    (made.root / ".agent/init.d/15-hello.sh").chmod(0o755)
    return made


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_fresh_project_has_nothing_approved_and_everything_to_answer(project: Project) -> None:
    shown = project.review()
    assert (shown.open, shown.first, shown.may_run, shown.problem) == (True, True, False, "")
    assert {(each.path, each.state, each.runs) for each in shown.scripts} == {
        (".agent/init.d/15-hello.sh", "new", True), (".agent/init.d/16-other.sh", "new", True),
        (".agent/init.d/17-notes.md", "new", False), (".agent/init.d/18-link", "new", False),
        (".agent/templates/instructions.md", "new", False), ("lib/common.sh", "new", True),
    }  # fmt: skip
    assert [each.path for each in shown.scripts if each.included] == ["lib/common.sh"]
    assert {each.path: each.after for each in shown.scripts}[".agent/init.d/15-hello.sh"] == SCRIPT
    assert [each.path for each in shown.contents] == [".agent/TASK.md", ".agent/init.d/17-notes.md"]
    assert [rule.title for rule in shown.rules] == ["Keep the parser"]
    trust = project.trust
    assert trust == Trust(waiting=trust.waiting)
    assert set(trust.waiting) == {each.path for each in shown.scripts}
    assert not folder(project.environment).exists(), "looking writes nothing"


def test_approving_everything_leaves_nothing_open(project: Project) -> None:
    project.approve_all()
    shown = project.review()
    assert (shown.open, shown.first, shown.may_run) == (False, False, True)
    assert {each.state for each in shown.scripts} == {"same"}
    trust = project.trust
    assert (trust.may_run, trust.answered, trust.waiting, trust.problem) == (True, True, (), "")
    assert [rule.title for rule in trust.rules] == ["Keep the parser"]
    assert Accepted(".agent/TASK.md", sha(FILES[".agent/TASK.md"]), FILES[".agent/TASK.md"]) in trust.contents


def _append(place: str) -> Callable[[Path], object]:
    return lambda root: (root / place).write_text((root / place).read_text() + "#")


def _relink(root: Path) -> None:
    link = root / ".agent/init.d/18-link"
    link.unlink()
    link.symlink_to("../../lib/else.sh")


def _swap(root: Path) -> None:
    one, other = root / ".agent/init.d/15-hello.sh", root / ".agent/init.d/16-other.sh"
    text = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(text)


def _rename(old: str, new: str) -> Callable[[Path], object]:
    return lambda root: (root / old).rename(root / new)


def _for_a_link(root: Path) -> None:
    path = root / ".agent/init.d/16-other.sh"
    path.rename(root / "elsewhere.sh")
    path.symlink_to("../../elsewhere.sh")


def _other_include(root: Path) -> None:
    path = root / ".agent/init.d/15-hello.sh"
    path.write_text(path.read_text().replace("lib/common.sh", "lib/else.sh"))  # the same bytes


def _all_gone(root: Path) -> None:
    for name in (".agent/init.d", ".agent/templates"):
        shutil.rmtree(root / name)


UNIT = ".agent/init.d/16-other.sh"

CHANGES: Mapping[str, Callable[[Path], object]] = {
    "a byte of a script": _append(UNIT),
    "a byte of an include": _append("lib/common.sh"),
    "a byte of a template": _append(".agent/templates/instructions.md"),
    "a byte of a text beside the scripts": _append(".agent/init.d/17-notes.md"),
    "a run bit more": lambda root: (root / ".agent/init.d/17-notes.md").chmod(0o755),
    "a run bit less": lambda root: (root / ".agent/init.d/15-hello.sh").chmod(0o644),
    "a name": _rename(UNIT, ".agent/init.d/16-another.sh"),
    "an order": _rename(UNIT, ".agent/init.d/14-other.sh"),
    "two contents swapped": _swap,
    "a link's target": _relink,
    "a link in place of a file": _for_a_link,
    "a declared include": _other_include,
    "an include gone": lambda root: (root / "lib/common.sh").unlink(),
    "a file more": lambda root: write(root, {".agent/init.d/19-more.sh": "echo more\n"}),
    "a hidden file more": lambda root: write(root, {".agent/init.d/.hidden.sh": "echo more\n"}),
    "a file in a folder more": lambda root: write(root, {".agent/init.d/sub/x": "more\n"}),
    "a template more": lambda root: write(root, {".agent/templates/engram-good.md": "x"}),
    "a file less": lambda root: (root / UNIT).unlink(),
    "all gone": _all_gone,
}


@pytest.mark.parametrize("name", CHANGES)
def test_any_change_asks_for_a_new_approval(project: Project, name: str) -> None:
    project.approve_all()
    assert project.trust.may_run
    shown_before = project.review()
    CHANGES[name](project.root)
    assert not project.trust.may_run
    shown = project.review()
    assert (shown.open, shown.may_run) == (True, False)
    assert any(each.state != "same" for each in shown.scripts)
    with pytest.raises(Problem) as problem:
        project.answer(shown_before, Answer(scripts=True))
    assert problem.value.key == "trust.changed-meanwhile"
    project.approve_all()
    shown = project.review()
    assert not shown.open
    assert shown.may_run == bool(shown.scripts_digest)


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_between_showing_and_the_answer_is_not_approved(project: Project, name: str) -> None:
    shown = project.review()
    CHANGES[name](project.root)
    with pytest.raises(Problem):
        project.answer(shown, Answer(scripts=True))
    assert project.approvals() == Approvals()


def test_a_changed_script_is_shown_beside_what_was_approved(project: Project) -> None:
    project.approve_all()
    write(project.root, {UNIT: "echo evil\n"})
    (changed,) = [each for each in project.review().scripts if each.state != "same"]
    assert (changed.path, changed.state, changed.before, changed.after) == (
        UNIT, "changed", "echo other\n", "echo evil\n",
    )  # fmt: skip


def test_scripts_are_shown_whole_and_nothing_in_them_is_hidden(project: Project) -> None:
    long = "".join(f"echo {number}\n" for number in range(10_000))
    write(
        project.root,
        {UNIT: long, ".agent/init.d/19-odd.sh": "a\rb\x1b[8mc\x00\n", ".agent/init.d/20.sh": "a\rb\x1bc\n"},
    )
    texts = {each.path: each.after for each in project.review().scripts}
    assert texts[UNIT] == long
    assert texts[".agent/init.d/20.sh"] == "a␍b␛c\n"
    assert texts[".agent/init.d/19-odd.sh"].startswith("(10 bytes, SHA-256 ")
    assert texts[".agent/init.d/18-link"] == "-> ../../lib/common.sh"


def test_each_thing_is_approved_by_itself(project: Project) -> None:
    shown = project.review()
    project.answer(shown, Answer(contents=(".agent/TASK.md",)))
    trust = project.trust
    assert (trust.may_run, trust.rules, trust.answered) == (False, (), True)
    assert [each.path for each in trust.contents if each.text is not None] == [".agent/TASK.md"]
    project.answer(project.review(), Answer(rules=(shown.rules[0].digest,)))
    assert project.trust.rules == shown.rules
    assert [each.path for each in project.review().contents] == [".agent/init.d/17-notes.md"]


def test_what_was_not_shown_can_not_be_approved(project: Project) -> None:
    shown = project.review()
    for answer in (
        Answer(contents=(".agent/engram.md",)), Answer(rules=("0" * 64,)), Answer(revoked=(shown.rules[0].digest,)),
    ):  # fmt: skip
        with pytest.raises(Problem):
            project.answer(shown, answer)
    assert project.approvals() == Approvals()


def test_a_guarded_file_or_a_rule_that_changes_before_the_answer_is_not_approved(project: Project) -> None:
    shown = project.review()
    write(project.root, {
        ".agent/TASK.md": "# Task\n\n## Goal\nSteal.\n",
        ".agent/DECISIONS.md": FILES[".agent/DECISIONS.md"].replace("ours", "theirs"),
    })  # fmt: skip
    for answer in (Answer(contents=(".agent/TASK.md",)), Answer(rules=(shown.rules[0].digest,))):
        with pytest.raises(Problem):
            project.answer(shown, answer)
    project.answer(shown, Answer(contents=(".agent/init.d/17-notes.md",)))  # what is the same still is


def test_saying_no_to_everything_is_an_answer_too(project: Project) -> None:
    project.answer(project.review(), Answer())
    shown = project.review()
    assert (shown.first, shown.open, shown.may_run) == (False, True, False)
    before = read_record(project.root, project.environment)
    project.answer(shown, Answer())
    assert read_record(project.root, project.environment) == before, "once is enough"


def test_changed_and_removed_texts_are_shown_with_what_was_accepted(project: Project) -> None:
    project.approve_all()
    write(project.root, {".agent/TASK.md": "new\r\n", ".agent/CONTRACT.md": "made later\n"})
    (project.root / ".agent/init.d/17-notes.md").unlink()
    shown = project.review()
    assert [(each.path, each.state, each.before, each.after) for each in shown.contents] == [
        (".agent/TASK.md", "changed", FILES[".agent/TASK.md"], "new\n"),
        (".agent/CONTRACT.md", "new", "", "made later\n"),
        (".agent/init.d/17-notes.md", "removed", "Notes of the project.\n", ""),
    ]
    project.answer(shown, everything(shown))
    assert not project.review().open
    held = {each.path: each.text for each in project.approvals().contents}
    assert held[".agent/init.d/17-notes.md"] is None
    assert held[".agent/TASK.md"] == "new\r\n"


def test_a_task_that_moves_to_the_root_or_away_is_compared_with_what_was_accepted(project: Project) -> None:
    project.approve_all()
    (project.root / ".agent/TASK.md").rename(project.root / "TASK.md")
    assert project.review().contents == ()
    write(project.root, {"TASK.md": "other\n"})
    (changed,) = project.review().contents
    assert (changed.path, changed.state, changed.before) == ("TASK.md", "changed", FILES[".agent/TASK.md"])
    (project.root / "TASK.md").unlink()
    (gone,) = project.review().contents
    assert (gone.path, gone.state) == (".agent/TASK.md", "removed")
    project.approve_all()
    assert project.review().contents == ()


def test_a_rule_that_the_file_loses_or_weakens_still_holds_until_it_is_revoked(project: Project) -> None:
    project.approve_all()
    write(project.root, {".agent/DECISIONS.md": FILES[".agent/DECISIONS.md"].replace("HARD", "SOFT")})
    shown = project.review()
    assert [rule.title for rule in shown.lost_rules] == ["Keep the parser"]
    assert project.trust.rules == shown.lost_rules
    project.answer(shown, Answer(revoked=(shown.lost_rules[0].digest,)))
    assert project.trust.rules == ()
    assert not project.review().open


def test_a_rule_or_a_text_with_a_secret_in_it_is_held_without_it(project: Project) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6" * 3
    write(project.root, {
        ".agent/DECISIONS.md": FILES[".agent/DECISIONS.md"].replace("ours", f'ours, "token": "{secret}"'),
        ".agent/TASK.md": f"token: {secret}\n",
        UNIT: f"TOKEN='{secret}'\n",
    })  # fmt: skip
    project.approve_all()
    shown = project.review()
    assert not shown.open
    assert shown.may_run
    trust = project.trust
    assert len(trust.rules) == 1
    assert secret not in repr(trust)


def test_deny_takes_everything_back(project: Project) -> None:
    project.approve_all()
    held = project.approvals()
    count = deny(project.root, by=WHO, environment=project.environment)
    assert count == 1 + len(held.rules) + len(held.contents)
    assert project.approvals() == Approvals(answered=True, begun=True)
    shown = project.review()
    assert not shown.may_run
    assert {each.state for each in shown.scripts} == {"new"}
    assert deny(project.root, by=WHO, environment=project.environment) == 0


def test_an_agent_can_neither_approve_nor_deny(project: Project) -> None:
    shown = project.review()
    with pytest.raises(RefusedProblem):
        record_answer(
            project.root, shown, everything(shown), by=WHO, announce=lambda _: False, environment=project.environment
        )
    assert project.approvals() == Approvals()
    project.approve_all()
    held = project.approvals()
    with pytest.raises(RefusedProblem):
        deny(project.root, by=WHO, announce=lambda _: False, environment=project.environment)
    assert project.approvals() == held


def test_a_void_record_is_shown_and_answered_anew(project: Project) -> None:
    project.approve_all()
    (folder(project.environment) / "heads.json").unlink()
    trust = project.trust
    assert trust == Trust(problem="trust.tampered", waiting=trust.waiting)
    shown = project.review()
    assert (shown.problem, shown.open, shown.first, shown.may_run) == ("trust.tampered", True, True, False)
    project.answer(shown, replace(everything(shown), contents=()))
    trust = project.trust
    assert (trust.problem, trust.may_run) == ("", True)
    assert [each for each in trust.contents if each.text is not None] == []


def test_outputs_are_those_of_exactly_the_approved_bytes(project: Project) -> None:
    project.approve_all()
    outputs = (UnitOutput("15-hello", "hello\n"),)
    save_outputs(project.root, project.review().scripts_digest, outputs, project.environment)
    assert project.trust.outputs == outputs
    write(project.root, {UNIT: "echo evil\n"})
    assert not project.trust.outputs
    project.approve_all()
    assert not project.trust.outputs, "they are not of these bytes"


# What was there before the first session.


def test_what_a_person_has_before_the_first_session_is_their_own(project: Project) -> None:
    adopt(project.root, environment=project.environment)
    shown = project.review()
    assert (shown.first, shown.contents, shown.may_run) == (True, (), False)
    trust = project.trust
    assert {each.path for each in trust.contents} == {
        ".agent/TASK.md", ".agent/CONTRACT.md", ".agent/init.d/17-notes.md", ".agent/init.d/20-conventions.md",
    }  # fmt: skip
    assert (trust.answered, trust.rules) == (False, ())


UNSAID = {
    ".agent/TASK.md": "init/TASK.md", ".agent/CONTRACT.md": "init/CONTRACT.md",
    ".agent/init.d/20-conventions.md": "init/20-conventions.md",
}  # fmt: skip
GOAL = "# Task\n\n## Goal\n\nWrite the parser.\n"


def unsaid(language: str) -> dict[str, str]:
    return {path: template(name, language) for path, name in UNSAID.items()}


def test_every_guarded_file_that_init_lays_down_is_known_in_every_language() -> None:
    assert {sha(text) for language in ("en", "zh") for text in unsaid(language).values()} == UNTOUCHED


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_init_lays_down_counts_as_nothing_until_something_is_said_in_it(project: Project, language: str) -> None:
    write(project.root, unsaid(language))
    adopt(project.root, environment=project.environment)
    assert project.review().contents == ()
    assert {each.path for each in project.approvals().contents if each.text is not None} == {
        ".agent/init.d/17-notes.md"
    }  # fmt: skip
    assert never_accepted(project.memory()) == not_accepted(project.memory()) == ()
    write(project.root, {".agent/TASK.md": GOAL})
    assert [(each.path, each.state) for each in project.review().contents] == [(".agent/TASK.md", "new")]
    # Whoever said it: an agent may have.
    assert never_accepted(project.memory()) == (".agent/TASK.md",)
    assert not_accepted(project.memory()) == ()
    project.approve_all()
    assert never_accepted(project.memory()) == ()


def test_nor_does_it_count_in_a_record_that_has_taken_it_for_accepted(project: Project) -> None:
    found = [NewEntry("content", path, sha(text), "allow", "found", text) for path, text in unsaid("en").items()]
    add(project.root, found, environment=project.environment)
    write(project.root, unsaid("en") | {".agent/TASK.md": GOAL})
    (project.root / ".agent/init.d/20-conventions.md").unlink()
    assert never_accepted(project.memory()) == (".agent/TASK.md", ".agent/init.d/17-notes.md")
    assert not_accepted(project.memory()) == ()
    assert {each.path: each.state for each in project.review().contents} == {
        ".agent/TASK.md": "new", ".agent/init.d/17-notes.md": "new",
    }  # fmt: skip


def test_in_the_place_of_an_accepted_text_it_is_a_change(project: Project) -> None:
    project.approve_all()
    write(project.root, unsaid("en"))
    assert [(each.path, each.state) for each in project.review().contents] == [(".agent/TASK.md", "changed")]
    assert as_accepted(project.memory()).task.text == FILES[".agent/TASK.md"]
    assert not_accepted(project.memory()) == (".agent/TASK.md",)
    project.approve_all()
    assert project.review().contents == ()
    write(project.root, {".agent/TASK.md": GOAL})
    assert never_accepted(project.memory()) == (".agent/TASK.md",)


def test_what_comes_later_is_not_adopted(project: Project) -> None:
    adopt(project.root, environment=project.environment)
    before = project.approvals()
    write(project.root, {".agent/TASK.md": "other", ".agent/CONTRACT.md": "x", ".agent/init.d/11-more.md": "x"})
    adopt(project.root, environment=project.environment)
    assert project.approvals() == before
    assert [each.path for each in project.review().contents] == [
        ".agent/TASK.md", ".agent/CONTRACT.md", ".agent/init.d/11-more.md",
    ]  # fmt: skip


@pytest.mark.parametrize("answer", [Answer(), Answer(contents=(".agent/TASK.md",))])
def test_after_a_persons_answer_nothing_is_adopted(project: Project, answer: Answer) -> None:
    project.answer(project.review(), answer)
    before = project.approvals()
    adopt(project.root, environment=project.environment)
    assert project.approvals() == before


def test_a_rule_alone_is_no_look_at_the_files(project: Project) -> None:
    add(project.root, [NewEntry("rule", "d", "d", "allow", WHO, '{"title": "x"}')], environment=project.environment)
    adopt(project.root, environment=project.environment)
    assert project.review().contents == ()


def test_a_record_that_holds_but_a_doubt_adopts_nothing(project: Project) -> None:
    add_doubt(trust_folder(project.environment), project_key(project.root), 0)
    before = read_record(project.root, project.environment)
    assert adopt(project.root, environment=project.environment) == before
    assert project.approvals().contents == ()


def test_a_record_that_was_taken_away_adopts_nothing(project: Project) -> None:
    adopt(project.root, environment=project.environment)
    shutil.rmtree(folder(project.environment))
    assert adopt(project.root, environment=project.environment) == Record(problem="trust.tampered")
    assert project.review().problem == "trust.tampered"


def test_a_void_record_adopts_nothing(project: Project) -> None:
    adopt(project.root, environment=project.environment)
    (folder(project.environment) / "heads.json").unlink()
    adopt(project.root, environment=project.environment)
    assert project.approvals().problem == "trust.tampered"


# Memory that others have committed.


def _clone(project: Project) -> str:
    git(project.root, "init", "-q", "-b", "main")
    return commit(project.root, FILES, by=THEIRS)


def test_memory_of_others_is_foreign_until_a_person_takes_it_for_their_own(project: Project) -> None:
    head = _clone(project)
    adopt(project.root, environment=project.environment)
    shown = project.review()
    assert [path for path, _, _ in shown.foreign] == [
        ".agent/TASK.md", ".agent/DECISIONS.md", ".agent/init.d/17-notes.md",
    ]  # fmt: skip
    assert shown.foreign[0][2] == FILES[".agent/TASK.md"]
    assert [each.path for each in shown.contents] == [".agent/TASK.md", ".agent/init.d/17-notes.md"]
    trust = project.trust
    assert [path for path, _ in trust.foreign] == [path for path, _, _ in shown.foreign]
    assert trust.unseen
    project.answer(shown, Answer(memory=True))
    assert project.approvals().commit == head
    assert not project.trust.foreign
    assert commit(project.root, {".agent/handoff.md": "new\n"}, by=THEIRS) != head
    assert [path for path, _ in project.trust.foreign] == [".agent/handoff.md"]


def test_an_accepted_text_is_not_foreign_while_it_is_the_same(project: Project) -> None:
    _clone(project)
    project.answer(project.review(), Answer(contents=(".agent/TASK.md",)))
    assert ".agent/TASK.md" not in [path for path, _ in project.trust.foreign]
    write(project.root, {".agent/TASK.md": "other\n"})
    assert ".agent/TASK.md" in [path for path, _ in project.trust.foreign]


def test_what_was_seen_and_left_as_data_is_not_news_until_more_comes(project: Project) -> None:
    head = _clone(project)
    project.answer(project.review(), Answer(scripts=True))
    assert project.approvals().seen == head
    trust = project.trust
    assert (bool(trust.foreign), trust.unseen) == (True, False)
    commit(project.root, {"README.md": "x"}, by=THEIRS)
    assert not project.trust.unseen, "nothing of memory"
    commit(project.root, {".agent/handoff.md": "x"}, by=THEIRS)
    assert project.trust.unseen


def test_own_commits_are_adopted_with_the_files(project: Project) -> None:
    git(project.root, "init", "-q", "-b", "main")
    head = commit(project.root, FILES)
    adopt(project.root, environment=project.environment)
    assert project.approvals().commit == head
    assert not project.trust.foreign


def test_memory_that_changes_before_the_answer_is_not_taken(project: Project) -> None:
    _clone(project)
    shown = project.review()
    write(project.root, {".agent/DECISIONS.md": "## x\n"})
    with pytest.raises(Problem):
        project.answer(shown, Answer(memory=True))
    shown = project.review()
    commit(project.root, {".agent/handoff.md": "x"}, by=THEIRS)
    with pytest.raises(Problem):
        project.answer(shown, Answer(memory=True))


def test_a_hostile_layout_is_looked_at_without_harm(project: Project) -> None:
    for place in (".agent/TASK.md", ".agent/DECISIONS.md", UNIT):
        (project.root / place).unlink()
    (project.root / ".agent/TASK.md").symlink_to("/etc/passwd")
    os.mkfifo(project.root / ".agent/DECISIONS.md")
    os.mkfifo(project.root / UNIT)
    shown = project.review()
    assert "root:" not in repr(shown)
    assert {each.path: each.after for each in shown.scripts}[UNIT] == "(FIFO)"
    project.approve_all()
    assert all(each.path != ".agent/TASK.md" or each.text is None for each in project.approvals().contents)
