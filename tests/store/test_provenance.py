"""Memory that somebody else has committed is told from the person's own, whatever the repository brings along."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from agentsup.core.trust.model import Origin
from agentsup.store import git_calls, provenance
from agentsup.store.provenance import Provenance, foreign
from tests.store.project import write

TASK, STATE, NOTES = ".agent/TASK.md", ".agent/STATE.md", ".agent/notes.md"
MINE, THEIRS = "me@example.org", "mallory@example.com"
DATE = 1_700_000_000


def git(root: Path, *words: str, by: str = MINE, text: bytes = b"", at: int = DATE) -> str:
    """Run git as this author, with no configuration but the repository's."""
    name = by.partition("@")[0]
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": by, "GIT_AUTHOR_DATE": f"{at} +0000",
        "GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@example.org", "GIT_COMMITTER_DATE": f"{at} +0000",
    }  # fmt: skip
    command = ["git", "-C", str(root), "-c", "protocol.file.allow=always", *words]
    done = subprocess.run(command, env=environment, input=text, capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace").strip()


def commit(root: Path, files: dict[str, str], *, by: str = MINE) -> str:
    write(root, files)
    git(root, "--literal-pathspecs", "add", "-f", "--", *files)
    git(root, "commit", "-q", "-m", "work", by=by)
    return git(root, "rev-parse", "HEAD")


def paths(found: Provenance) -> list[str]:
    return [path for path, _ in found.files]


def origin(found: Provenance, path: str) -> Origin:
    return dict(found.files)[path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person whose address git knows."""
    folder = tmp_path / "home"
    write(folder, {".gitconfig": f"[user]\n\tname = Me\n\temail = {MINE.title()}\n"})
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "EMAIL", "GIT_AUTHOR_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def test_a_file_of_somebody_else_is_told_with_the_newest_of_their_commits(repo: Path) -> None:
    commit(repo, {TASK: "1\n", STATE: "1\n"}, by=THEIRS)
    theirs = commit(repo, {TASK: "2\n"}, by=THEIRS)
    head = commit(repo, {TASK: "3\n", NOTES: "mine\n"})
    found = foreign(repo, [NOTES, STATE, TASK, TASK, ".agent/missing.md"])
    assert (paths(found), found.head, found.known) == ([STATE, TASK], head, True)
    assert origin(found, TASK) == Origin(theirs[:8], f"mallory <{THEIRS}>")


def test_a_file_that_only_the_person_committed_is_their_own_in_any_spelling_of_the_address(repo: Path) -> None:
    head = commit(repo, {TASK: "1\n"}, by=MINE.upper())
    assert foreign(repo, [TASK]) == Provenance((), head)


def test_what_was_accepted_is_the_persons_own_until_somebody_touches_it_again(repo: Path) -> None:
    accepted = commit(repo, {TASK: "1\n", STATE: "1\n"}, by=THEIRS)
    assert foreign(repo, [TASK, STATE], accepted=accepted) == Provenance((), accepted)
    commit(repo, {TASK: "2\n"})
    assert paths(foreign(repo, [TASK, STATE], accepted=accepted)) == []
    commit(repo, {STATE: "2\n"}, by=THEIRS)
    assert paths(foreign(repo, [TASK, STATE], accepted=accepted)) == [STATE]


def test_an_accepted_commit_that_is_no_ancestor_accepts_nothing(repo: Path) -> None:
    commit(repo, {TASK: "1\n"}, by=THEIRS)
    git(repo, "checkout", "-q", "-b", "other")
    elsewhere = commit(repo, {"x": "1\n"})
    git(repo, "checkout", "-q", "main")
    commit(repo, {"y": "1\n"})
    tree = git(repo, "rev-parse", "HEAD^{tree}")
    for accepted in (elsewhere, "f" * 40, tree, "HEAD", "main", "--all", "-n1", "x\0y", elsewhere[:8]):
        assert paths(foreign(repo, [TASK], accepted=accepted)) == [TASK], accepted


def test_what_is_not_committed_is_the_persons_own(repo: Path) -> None:
    write(repo, {TASK: "before the first commit\n"})
    assert foreign(repo, [TASK]) == Provenance()
    git(repo, "add", TASK)
    assert foreign(repo, [TASK]) == Provenance()
    git(repo, "rm", "-q", "--cached", TASK)
    commit(repo, {STATE: "1\n", NOTES: "1\n"}, by=THEIRS)
    git(repo, "rm", "-q", STATE)
    git(repo, "commit", "-q", "-m", "gone", by=THEIRS)
    write(repo, {STATE: "written anew\n"})
    git(repo, "add", TASK)
    assert paths(foreign(repo, [TASK, STATE, NOTES])) == [NOTES]


def test_without_a_repository_everything_is_the_persons_own(tmp_path: Path) -> None:
    write(tmp_path / "plain", {TASK: "x\n"})
    assert foreign(tmp_path / "plain", [TASK]) == Provenance()
    assert foreign(tmp_path / "missing", [TASK]) == Provenance()


def test_a_project_below_the_top_of_its_repository_sees_its_own_files(repo: Path) -> None:
    inside = repo / "ein Ordner" / "部分"
    commit(repo, {TASK: "1\n", f"ein Ordner/部分/{STATE}": "1\n"}, by=THEIRS)
    commit(repo, {f"ein Ordner/部分/{TASK}": "1\n"})
    assert paths(foreign(inside, [TASK, STATE])) == [STATE]
    (repo.parent / "link").symlink_to(inside)
    assert paths(foreign(repo.parent / "link", [TASK, STATE])) == [STATE]


def test_names_are_taken_as_they_are(repo: Path) -> None:
    odd = ["*.md", ":(top)x.md", ":!y.md", "a\nb.md", "-n.md", "ü.md", "/c.md".strip("/"), "[d].md", "q\\u.md"]
    theirs = {f".agent/{name}": "1\n" for name in odd}
    commit(repo, {**theirs, **dict.fromkeys(odd, "1\n")}, by=THEIRS)
    commit(repo, {".agent/x.md": "1\n", ".agent/y.md": "1\n", ".agent/d.md": "1\n"})
    asked = [*theirs, *odd, ".agent/x.md", ".agent/y.md", ".agent/d.md", "", ".", "..", "../x", "/etc/passwd", "a\0b"]
    assert paths(foreign(repo, asked)) == [*theirs, *odd]


def test_both_sides_of_a_merge_and_what_the_merge_itself_changes_count(repo: Path) -> None:
    commit(repo, {TASK: "1\n", STATE: "1\n", NOTES: "1\n"})
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {TASK: "theirs\n"}, by=THEIRS)
    git(repo, "checkout", "-q", "main")
    commit(repo, {NOTES: "2\n"})
    git(repo, "merge", "-q", "--no-ff", "--no-commit", "side")
    assert paths(foreign(repo, [TASK, STATE, NOTES])) == []
    git(repo, "commit", "-q", "-m", "merge")
    assert paths(foreign(repo, [TASK, STATE, NOTES])) == [TASK]
    git(repo, "checkout", "-q", "-b", "again")
    commit(repo, {NOTES: "3\n"})
    git(repo, "checkout", "-q", "main")
    commit(repo, {"x": "1\n"})
    git(repo, "merge", "-q", "--no-ff", "--no-commit", "again")
    write(repo, {STATE: "put in by the merge\n"})
    git(repo, "add", STATE)
    git(repo, "commit", "-q", "-m", "merge", by=THEIRS)
    assert paths(foreign(repo, [TASK, STATE, NOTES])) == [TASK, STATE]


def test_a_renamed_file_is_of_whoever_committed_it_under_its_name(repo: Path) -> None:
    commit(repo, {"docs/task.md": "long enough to be found again\n" * 9, "docs/state.md": "another text\n" * 9})
    git(repo, "rm", "-q", "-r", "--cached", "docs")
    commit(repo, {TASK: "long enough to be found again\n" * 9}, by=THEIRS)
    commit(repo, {STATE: "another text\n" * 9})
    assert paths(foreign(repo, [TASK, STATE])) == [TASK]


@pytest.mark.parametrize("by", [MINE, THEIRS])
def test_whose_memory_is_that_a_shallow_clone_begins_with_is_not_known(repo: Path, tmp_path: Path, by: str) -> None:
    commit(repo, {TASK: "1\n"}, by=THEIRS)
    first = commit(repo, {"x": "1\n"}, by=by)
    clone = tmp_path / "clone"
    git(repo, "clone", "-q", "--depth", "1", f"file://{repo}", str(clone))
    assert foreign(clone, [TASK]).files == ((TASK, Origin(first[:8], "")),)
    commit(clone, {TASK: "2\n", STATE: "mine\n"})
    assert foreign(clone, [TASK, STATE]).files == ((TASK, Origin(first[:8], "")),)
    assert paths(foreign(clone, [TASK, STATE], accepted=first)) == []
    commit(clone, {TASK: "3\n"}, by=THEIRS)
    assert paths(foreign(clone, [TASK, STATE], accepted=first)) == [TASK]


def test_a_whole_clone_of_ones_own_commits_is_ones_own(repo: Path, tmp_path: Path) -> None:
    commit(repo, {TASK: "1\n"})
    git(repo, "clone", "-q", f"file://{repo}", str(tmp_path / "clone"))
    assert paths(foreign(tmp_path / "clone", [TASK])) == []


def test_memory_in_a_submodule_goes_by_the_commit_that_brought_it(repo: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    commit(repo, {"TASK.md": "1\n"})
    git(outer, "submodule", "--quiet", "add", str(repo), ".agent")
    git(outer, "commit", "-q", "-m", "memory", by=THEIRS)
    assert paths(foreign(outer, [TASK, "TASK.md"])) == [TASK]


def test_all_that_git_would_commit_as_is_the_person(
    repo: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repo, {TASK: "1\n"}, by=THEIRS)
    assert paths(foreign(repo, [TASK])) == [TASK]
    for name in ("GIT_AUTHOR_EMAIL", "EMAIL"):
        with monkeypatch.context() as patch:
            patch.setenv(name, THEIRS.upper())
            assert paths(foreign(repo, [TASK])) == [], name
    for name in ("user.email", "author.email"):
        git(repo, "config", name, THEIRS)
        assert paths(foreign(repo, [TASK])) == [], name
        git(repo, "config", "--unset", name)
    git(repo, "config", "extensions.worktreeConfig", "true")
    git(repo, "config", "--worktree", "user.email", THEIRS)
    assert paths(foreign(repo, [TASK])) == []
    git(repo, "clone", "-q", f"file://{repo}", str(tmp_path / "clone"))
    assert paths(foreign(tmp_path / "clone", [TASK])) == [TASK]
    write(home, {".gitconfig": f"[user]\n\temail = old@example.org\n\temail = {THEIRS}\n"})
    assert paths(foreign(tmp_path / "clone", [TASK])) == []


def test_a_person_whom_git_does_not_know_owns_no_commit(repo: Path, home: Path) -> None:
    commit(repo, {TASK: "1\n"})
    nobody = b"tree %s\nauthor nobody <> 1 +0000\ncommitter c <c@d> 1 +0000\n\nx\n"
    made = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", text=nobody % _tree(repo))
    for config in ("", "[user]\n\temail =\n"):
        write(home, {".gitconfig": config})
        git(repo, "update-ref", "HEAD", "main")
        assert paths(foreign(repo, [TASK])) == [TASK]
        git(repo, "update-ref", "HEAD", made)
        assert paths(foreign(repo, [TASK])) == [TASK]


def test_a_listing_that_is_too_long_is_no_answer(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repo, {TASK: "1\n", **{f"0/{'n' * 80}{number}": "" for number in range(30)}}, by=THEIRS)
    # As on a file system that takes .GIT for .git: then all of a commit's files are listed.
    monkeypatch.setattr(provenance, "_folds", lambda top: True)
    assert (paths(foreign(repo, [TASK])), foreign(repo, [TASK]).known) == ([TASK], True)
    monkeypatch.setattr(git_calls, "OUTPUT_MOST", 2000)
    assert foreign(repo, [TASK]) == Provenance(((TASK, Origin("", "")),), git(repo, "rev-parse", "HEAD"), known=False)


def test_neither_mailmap_nor_replacements_nor_grafts_change_an_author(repo: Path) -> None:
    theirs = commit(repo, {TASK: "1\n"}, by=THEIRS)
    git(repo, "commit", "-q", "--amend", "--no-edit", "--reset-author", by=MINE)
    mine = git(repo, "rev-parse", "HEAD")
    git(repo, "reset", "-q", "--hard", theirs)
    head = commit(repo, {"x": "1\n", ".mailmap": f"Me <{MINE}> <{THEIRS}>\n"})
    git(repo, "config", "log.mailmap", "true")
    git(repo, "replace", theirs, mine)
    assert paths(foreign(repo, [TASK])) == [TASK]
    git(repo, "replace", "-d", theirs)
    write(repo, {".git/info/grafts": f"{head}\n"})
    assert paths(foreign(repo, [TASK])) == [TASK]


def test_settings_of_the_repository_hide_nothing_and_run_nothing(repo: Path, tmp_path: Path) -> None:
    commit(repo, {TASK: "1\n", ".gitattributes": "* diff=evil filter=evil\n"}, by=THEIRS)
    script = tmp_path / "evil.sh"
    write(tmp_path, {"evil.sh": f"#!/bin/sh\necho ran >> {tmp_path}/ran\ncat\n"})
    script.chmod(0o755)
    settings = {
        "log.showRoot": "false", "log.follow": "true", "log.showSignature": "true", "gpg.program": script,
        "diff.evil.textconv": script, "diff.evil.command": script, "diff.external": script, "core.pager": script,
        "core.fsmonitor": script, "filter.evil.clean": script, "alias.log": f"!{script}", "alias.ls-tree": f"!{script}",
        "diff.orderFile": "/dev/zero", "diff.relative": "true", "diff.ignoreSubmodules": "all", "diff.noprefix": "true",
        "format.pretty": "oneline", "log.diffMerges": "off", "log.decorate": "full", "core.quotePath": "true",
        "i18n.logOutputEncoding": "UTF-16", "color.ui": "always", "log.date": "format:%n/x", "diff.renames": "copies",
        "extensions.partialClone": "evil", "remote.evil.url": f"ext::{script}", "remote.evil.promisor": "true",
    }  # fmt: skip
    for name, value in settings.items():
        git(repo, "config", name, str(value))
    assert paths(foreign(repo, [TASK, ".gitattributes"])) == [TASK, ".gitattributes"]
    assert not (tmp_path / "ran").exists()


def _tree(repo: Path) -> bytes:
    return git(repo, "rev-parse", "HEAD^{tree}").encode()


@pytest.mark.parametrize("author", [
    b"a\x1b[31m\x07b <x@y>", b"\xff\xfe <\xff@y>", b"n" * 10_000 + b" <" + b"m" * 10_000 + b"@y>",
    b"/x <me@example.org@y>", "a\u202eb\u2028c <x@y>".encode(), b"<>", b" <  >", b"x",
    b"me@example.org <a> <b@c>", b"commit <\t>",
])  # fmt: skip
def test_whatever_an_author_is_called_is_one_short_line_and_no_own_commit(repo: Path, author: bytes) -> None:
    commit(repo, {TASK: "1\n"})
    header = b"tree %s\nauthor %s 1 +0000\ncommitter c <c@d> 1 +0000\n\nx\n" % (_tree(repo), author)
    made = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", text=header)
    git(repo, "update-ref", "HEAD", made)
    found = origin(foreign(repo, [TASK]), TASK)
    assert found.commit == made[:8]
    assert len(found.author) <= 120
    assert found.author.isprintable()


def test_files_in_a_folder_that_was_once_at_a_path_are_no_headers(repo: Path) -> None:
    commit(repo, {f"{TASK}/\n/{'f' * 40}": "1\n", f"{TASK}/x": "1\n"}, by=THEIRS)
    git(repo, "rm", "-q", "-r", ".agent")
    commit(repo, {TASK: "1\n", STATE: "1\n"})
    assert paths(foreign(repo, [TASK, STATE])) == []


@pytest.mark.parametrize("broken", [".git/HEAD", ".git/config", ".git/objects", ".git"])
def test_where_git_gives_no_answer_every_file_is_somebody_elses(repo: Path, broken: str) -> None:
    commit(repo, {TASK: "1\n"})
    write(repo, {NOTES: "not committed\n"})
    path = repo / broken
    if path.is_dir():
        path.rename(repo / "gone")
    if broken != ".git/objects":
        path.write_text("[[[ no such thing\n")
    found = foreign(repo, [TASK, STATE, NOTES])
    assert (found.files, found.known) == (((TASK, Origin("", "")), (NOTES, Origin("", ""))), False)


def test_a_work_tree_that_the_configuration_puts_elsewhere_is_no_answer(repo: Path, tmp_path: Path) -> None:
    commit(repo, {TASK: "1\n"})
    (tmp_path / "elsewhere").mkdir()
    git(repo, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert not foreign(repo, [TASK]).known


def test_without_git_every_file_of_a_repository_is_somebody_elses(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repo, {TASK: "1\n"})
    monkeypatch.setenv("PATH", "/nowhere")
    assert foreign(repo, [TASK, STATE]) == Provenance(((TASK, Origin("", "")),), known=False)


def test_a_git_that_is_too_slow_is_no_answer(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = commit(repo, {TASK: "1\n"}, by=THEIRS)
    commit(repo, {STATE: "1\n"})
    # As the real one until it has printed its first answers; then it does not end.
    real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    write(tmp_path, {"bin/git": f'#!/bin/sh\n{real} "$@"\nend=$?\n'
                                'case "$*" in *" log "*) exec sleep 600;; esac\nexit $end\n'})  # fmt: skip
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    began = time.monotonic()
    found = foreign(repo, [TASK, STATE], patience=1.0)
    assert time.monotonic() - began < 5
    assert not found.known
    assert found.files == ((TASK, Origin(theirs[:8], f"mallory <{THEIRS}>")), (STATE, Origin("", "")))


def test_git_is_ended_as_soon_as_the_newest_foreign_commits_are_known(repo: Path) -> None:
    history(repo, 30_000, [THEIRS])
    began = time.monotonic()
    assert paths(foreign(repo, [TASK, STATE], patience=30)) == [TASK, STATE]
    early = time.monotonic() - began
    began = time.monotonic()
    assert paths(foreign(repo, [TASK, STATE, "first"], patience=30)) == [TASK, STATE]
    assert early < (time.monotonic() - began) / 2


def history(root: Path, count: int, authors: Iterable[str]) -> None:
    """Make so many commits on main, which touch TASK and STATE in turn; only the person's touches `first`."""
    turns = tuple(authors)
    lines = []
    for number in range(1, count + 1):
        by = MINE if number == 1 else turns[number % len(turns)]
        lines.append(f"commit refs/heads/main\nauthor a <{by}> {DATE + number} +0000\n"
                     f"committer a <a@b> {DATE + number} +0000\ndata 1\nx\n")  # fmt: skip
        for path in (TASK, STATE)[number % 2 :][:1] + (("first",) if number == 1 else ()):
            text = f"{number}\n"
            lines.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
    git(root, "fast-import", "--quiet", text="".join(lines).encode())
    git(root, "reset", "-q", "--hard", "main")
