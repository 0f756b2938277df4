"""git is asked what it knows, and runs nothing that a repository brings."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from agentsup.core.memory.model import Repository
from agentsup.store.git import repository
from tests.store.project import write

TIME = 1_700_000_000


def git(root: Path, *arguments: str, text: str = "") -> str:
    environment = os.environ | {
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
        "GIT_AUTHOR_DATE": f"{TIME} +0000", "GIT_COMMITTER_DATE": f"{TIME} +0000", "GIT_CONFIG_GLOBAL": "/dev/null",
    }  # fmt: skip
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], env=environment, input=text, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    write(root, {"kept.py": "class Kept: pass\n", "changed.py": "x\n", "old name.py": "long enough to be found\n" * 9})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "first")
    return root


def ends(pid: int) -> bool:
    """Whether a process is gone within a moment, perhaps not yet reaped."""
    deadline = time.monotonic() + 10.0
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
    return False


def test_head_and_its_time_are_told(repo: Path) -> None:
    found = repository(repo)
    assert (found.head, found.head_time) == (git(repo, "rev-parse", "HEAD"), TIME)


def test_a_repository_without_a_commit_has_no_head(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {"new": ""})
    assert repository(tmp_path, ["abcdef1"]) == Repository(known={"abcdef1": False}, changed=("new",))


def test_commits_are_known_by_any_beginning_and_nothing_else_is(repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    tree = git(repo, "rev-parse", "HEAD^{tree}")
    names = [head, head[:7], head[:7].upper(), tree, "deadbee", "HEAD", "--all", "a\nb", "", "f" * 40]
    assert repository(repo, names).known == dict.fromkeys(names, False) | dict.fromkeys(names[:3], True)


def test_a_beginning_of_several_commits_is_known(repo: Path) -> None:
    commits = "".join(
        f"commit refs/heads/many\nmark :{n}\ncommitter a <a@b> {n} +0000\ndata 1\nx\n"
        + (f"from :{n - 1}\n" if n > 1 else "")
        for n in range(1, 1000)
    )
    git(repo, "fast-import", "--quiet", text=commits)
    beginnings = Counter(name[:4] for name in git(repo, "rev-list", "many").split())
    several = next(name for name, count in beginnings.items() if count > 1)
    assert repository(repo, [several]).known == {several: True}


def test_changed_paths_are_those_that_differ_from_head(repo: Path) -> None:
    write(repo, {"changed.py": "y\n", "new folder/new\nfile": "", "完成.md": ""})
    git(repo, "mv", "old name.py", "new name.py")
    (repo / "kept.py").unlink()
    assert repository(repo).changed == (
        "changed.py", "kept.py", "new folder/new\nfile", "new name.py", "old name.py", "完成.md",
    )  # fmt: skip


def test_a_project_in_a_folder_of_a_repository_sees_its_own_paths(repo: Path) -> None:
    write(repo, {"part/a b.py": "def inside(): pass\n", "other.py": "def inside(): pass\n"})
    found = repository(repo / "part", paths=["a b.py", "other.py", "../other.py"], symbols=["inside"])
    assert found.changed == ("a b.py",)
    assert found.exists == {"a b.py": True, "other.py": False}
    assert found.definitions == {"inside": ("a b.py",)}


def test_only_paths_inside_are_looked_at(repo: Path) -> None:
    inside = {"kept.py": True, "./kept.py": True, "gone.py": False, ".": True, str(repo / "kept.py"): True}
    strange = {"a\0b": False, "x" * 5000: False}
    outside = ["/etc/passwd", "../repo2", "~/x/../../../etc", "../repo/../x"]
    assert repository(repo, paths=[*inside, *strange, *outside[:2], outside[3]]).exists == inside | strange


@pytest.mark.parametrize("with_git", [True, False])
def test_definitions_are_found_in_the_common_languages(
    repo: Path, monkeypatch: pytest.MonkeyPatch, with_git: bool
) -> None:
    write(repo, {
        "a.py": "class Ledger:\n    async def post(self): pass\n# post(x)\nledgers = post\n",
        "b.py": "def post(): pass\n", "z.py": "def poster(): pass\nundef post\nmy.class Ledger\n",
        "c.go": "func (l *Ledger) Total(x int) int {}\n", "d.rs": "pub(crate) fn settle<T>() {}\n",
        "e.ts": "export interface Row {}\nexport const ROWS = 1\n", "f.js": "function rows() {}\n",
        "g.h": "struct entry {\n", "node_modules/h.js": "function rows() {}\n", "i.bin": b"\0def post\n",
        ".gitignore": "node_modules\n",
    })  # fmt: skip
    symbols = ["Ledger", "Ledger.post", "post()", "Total", "settle", "Row", "ROWS", "rows", "entry", "none", "def", "+"]
    if not with_git:
        monkeypatch.setenv("PATH", "/nowhere")
    assert repository(repo, symbols=symbols).definitions == {
        "Ledger": ("a.py",), "Ledger.post": ("a.py", "b.py"), "post()": ("a.py", "b.py"), "Total": ("c.go",),
        "settle": ("d.rs",), "Row": ("e.ts",), "ROWS": ("e.ts",), "rows": ("f.js",), "entry": ("g.h",), "none": (),
        "def": (),
    }  # fmt: skip


def test_without_git_or_a_repository_there_are_no_answers_and_no_errors(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "plain", {"x": ""})
    for root in (tmp_path / "plain", tmp_path / "missing"):
        assert repository(root, ["abcdef1"], ["x"]) == Repository(exists={"x": root.name == "plain"})
    monkeypatch.setenv("PATH", "/nowhere")
    assert repository(repo, ["abcdef1"]) == Repository()


def test_a_git_that_does_not_answer_is_ended_with_all_it_started(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"bin/git": f"#!/bin/sh\nsleep 600 &\necho $$ $! > {tmp_path}/pids\nwait\n"})
    (tmp_path / "bin/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    assert repository(repo, ["abcdef1"], patience=0.5) == Repository()
    for pid in (tmp_path / "pids").read_text().split():
        assert ends(int(pid))


def test_what_is_known_stands_when_the_rest_takes_too_long(
    tmp_path: Path, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = shutil.which("git")
    script = f'#!/bin/sh\ncase "$*" in *--porcelain*) exec sleep 600;; esac\nexec {real} "$@"\n'
    write(tmp_path, {"bin/git": script})
    (tmp_path / "bin/git").chmod(0o755)
    write(repo, {"changed.py": "y\n"})
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    found = repository(repo, ["deadbee"], symbols=["Kept"], patience=1.0)
    assert (found.known, found.definitions, found.changed) == ({"deadbee": False}, {"Kept": ("kept.py",)}, ())


def test_a_git_in_the_project_is_not_run(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("git", "bin/git"):
        write(repo, {place: f"#!/bin/sh\ntouch {repo}/was-run\n"})
        (repo / place).chmod(0o755)
    monkeypatch.setenv("PATH", f"{repo}:{repo}/bin:.:bin:{os.environ['PATH']}")
    monkeypatch.chdir(repo)
    assert repository(repo).head
    assert not (repo / "was-run").exists()


@pytest.mark.parametrize("filter_name", ["evil", "a=b"])
def test_nothing_that_the_repository_is_set_up_with_runs(repo: Path, filter_name: str) -> None:
    run = repo.parent / "run"
    write(repo.parent, {"run": f'#!/bin/sh\necho "$0 $@" >> {repo.parent}/was-run\ncat\n'})
    run.chmod(0o755)
    program = str(run)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "diff.external", "gpg.program",
                "credential.helper", "uploadpack.packObjectsHook", f"filter.{filter_name}.clean",
                f"filter.{filter_name}.smudge", f"filter.{filter_name}.process", "diff.evil.textconv",
                "diff.evil.command", "remote.origin.uploadpack", "pager.grep", "pager.status", "pager.rev-list",
                "alias.status", "alias.grep", "trailer.x.command"):  # fmt: skip
        git(repo, "config", key, program)
    for key, value in (("log.showSignature", "true"), (f"filter.{filter_name}.required", "true"),
                       ("core.hooksPath", "hooks"),
                       ("remote.origin.url", str(repo)), ("remote.origin.promisor", "true"),
                       ("extensions.partialClone", "origin"), ("core.repositoryFormatVersion", "1")):  # fmt: skip
        git(repo, "config", key, value)
    write(repo, {".gitattributes": f"* filter={filter_name} diff=evil\n"})
    hooks = ("post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction", "post-checkout")
    for folder in ("hooks", ".git/hooks"):
        write(repo, {f"{folder}/{name}": f"#!/bin/sh\nexec {program} hook\n" for name in hooks})
        for name in hooks:
            (repo / folder / name).chmod(0o755)
    # The same size, another time: git has to read the file, and would filter it.
    write(repo, {"changed.py": "z\n"})
    os.utime(repo / "kept.py", (1, 1))
    found = repository(repo, ["deadbee1"], ["kept.py"], ["Kept"])
    assert not (repo.parent / "was-run").exists()
    assert (found.known, found.definitions) == ({"deadbee1": False}, {"Kept": ("kept.py",)})
    assert ("changed.py" in found.changed) == (filter_name == "evil")
    assert "kept.py" not in found.changed
    # The same setup does run things when git is called as usual.
    subprocess.run(["git", "-C", str(repo), "status"], capture_output=True, check=False, timeout=20)
    assert (repo.parent / "was-run").exists()


def test_a_bare_repository_in_a_folder_is_not_taken_for_one(repo: Path) -> None:
    git(repo, "clone", "-q", "--bare", ".", "inner")
    assert repository(repo / "inner").head is None


def test_what_a_hook_has_set_does_not_lead_elsewhere(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    write(other, {"x": ""})
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert repository(repo).head == subprocess.run(
        ["git", "-C", str(repo), f"--git-dir={repo}/.git", "rev-parse", "HEAD"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip


def test_nothing_is_written_into_the_repository(repo: Path) -> None:
    def stamps() -> dict[str, int]:
        return {str(path): path.lstat().st_mtime_ns for path in (repo / ".git").rglob("*")}

    os.utime(repo / "kept.py", (1, 1))  # the index would be refreshed
    before = stamps()
    repository(repo, ["deadbee"], ["kept.py"], ["Kept"])
    assert stamps() == before


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_nothing_that_surrounds_a_repository_runs(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, ran = tmp_path / "run", tmp_path / "was-run"
    write(tmp_path, {"run": f'#!/bin/sh\necho "$0 $@" >> {ran}\ncat\n'})
    run.chmod(0o755)
    head = git(repo, "rev-parse", "HEAD")
    # A submodule with a configuration of its own, and work in it.
    sub = repo / "sub"
    write(sub, {"inner.py": "class Inner: pass\n"})
    git(sub, "init", "-q")
    git(sub, "add", ".")
    git(sub, "commit", "-q", "-m", "inner")
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./sub", "sub")
    for key in ("core.fsmonitor", "core.pager", "filter.evil.clean", "filter.evil.smudge", "diff.external"):
        git(sub, "config", key, str(run))
    write(sub, {"inner.py": "class Inner: pass  # changed\n", ".gitattributes": "* filter=evil\n"})
    # Settings that come from elsewhere, a partial clone of a hostile remote, and objects that are elsewhere.
    write(repo, {"evil.config": "".join(
        f'[{section}]\n\t{key} = "{run}"\n'
        for section, key in (
            ("core", "fsmonitor"), ("core", "alternateRefsCommand"), ("core", "gitProxy"), ("core", "sshCommand"),
            ("diff", "external"), ('filter "far"', "process"), ("gpg", "program"),
            ('gpg "ssh"', "program"), ("sequence", "editor"), ("interactive", "diffFilter"),
        )
    )})  # fmt: skip
    write(repo, {".gitattributes": "*.py filter=far diff=evil\n"})
    for key, value in (
        ("include.path", "../evil.config"), ("remote.origin.url", f"ext::{run} %S"), ("remote.origin.promisor", "true"),
        ("remote.origin.partialCloneFilter", "blob:none"), ("remote.origin.vcs", "ext"),
        ("extensions.partialClone", "origin"), ("core.repositoryFormatVersion", "1"), ("protocol.ext.allow", "always"),
        ("grep.fallbackToNoIndex", "true"), ("diff.evil.textconv", str(run)), ("grep.textconv", "true"),
    ):  # fmt: skip
        git(repo, "config", key, value)
    write(tmp_path, {"objects/info/none": "", "bin/git-remote-ext": f"#!/bin/sh\nexec {run}\n"})
    (tmp_path / "bin/git-remote-ext").chmod(0o755)
    write(repo, {".git/objects/info/alternates": f"{tmp_path}/objects\n"})
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_PAGER",
                 "GIT_EDITOR", "PAGER", "EDITOR", "SSH_ASKPASS"):  # fmt: skip
        monkeypatch.setenv(name, str(run))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(run))
    monkeypatch.setenv("GIT_TRACE", str(ran))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    os.utime(repo / "kept.py", (1, 1))
    found = repository(repo, [head, "deadbee1"], ["kept.py"], ["Kept", "Inner"])
    assert not ran.exists(), ran.read_text()
    assert (found.head, found.known[head], found.definitions["Kept"]) == (head, True, ("kept.py",))
    subprocess.run(["git", "-C", str(repo), "status"], capture_output=True, check=False, timeout=20)
    assert ran.exists()


@pytest.mark.parametrize("kind", ["core.worktree", "a file", "a link"])
def test_a_git_folder_that_leads_elsewhere_tells_no_names_of_there(
    repo: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    write(other, {"private-name.py": "class Private: pass\n"})
    git(other, "init", "-q")
    git(other, "add", ".")
    if kind == "core.worktree":
        git(repo, "config", "core.worktree", str(other))
        found = repository(repo, paths=["private-name.py"], symbols=["Private"])
        assert (found.head, found.changed, found.definitions) == (None, (), {"Private": ()})
        return
    shutil.rmtree(repo / ".git")
    write(repo, {"run": f"#!/bin/sh\ntouch {tmp_path}/was-run\n"})
    (repo / "run").chmod(0o755)
    git(other, "config", "core.fsmonitor", str(repo / "run"))
    if kind == "a file":
        write(repo, {".git": f"gitdir: {other}/.git\n"})
    else:
        (repo / ".git").symlink_to(other / ".git")
    found = repository(repo, paths=["private-name.py"], symbols=["Private"])
    assert found.definitions == {"Private": ()}
    assert "private-name.py" not in found.changed
    assert not (tmp_path / "was-run").exists()


def test_a_definition_to_which_only_a_link_leads_is_not_found(repo: Path, tmp_path: Path) -> None:
    write(repo, {"folder/inner.py": "class Inside: pass\n"})
    git(repo, "add", ".")
    shutil.rmtree(repo / "folder")
    write(tmp_path, {"outside/inner.py": "class Outside: pass\n"})
    (repo / "folder").symlink_to(tmp_path / "outside")
    assert repository(repo, symbols=["Outside", "Kept"]).definitions == {"Outside": (), "Kept": ("kept.py",)}


@pytest.mark.parametrize("kind", ["worktree", "separate", "submodule"])
def test_work_trees_whose_git_folder_is_elsewhere_for_good_reasons_are_answered(
    repo: Path, tmp_path: Path, kind: str
) -> None:
    root = {"worktree": tmp_path / "linked", "separate": tmp_path / "apart", "submodule": repo / "sub"}[kind]
    if kind == "worktree":
        git(repo, "worktree", "add", "-q", str(root))
    elif kind == "separate":
        git(repo, "clone", "-q", f"--separate-git-dir={tmp_path}/elsewhere", str(repo), str(root))
    else:
        git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repo), "sub")
    write(root, {"new.py": ""})
    found = repository(root, symbols=["Kept"])
    assert (found.head, found.changed) == (git(root, "rev-parse", "HEAD"), ("new.py",))
    assert found.definitions == {"Kept": ("kept.py",)}
