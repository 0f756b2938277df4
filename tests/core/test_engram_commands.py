"""Only a command that has shown all of the engram's file, or has had git bring files back, counts as one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.core.engram_commands import is_engram, may_be_engram, moves, shows

FILE = ".agent/engram.md"


@pytest.mark.parametrize(
    "command",
    [
        "git stash && npm test",
        "cd /project; git -C . checkout -- .",
        "git switch main 2>/dev/null || git switch -c main",
        "git \\\n  stash pop",
        "git -c core.pager=cat restore .agent",
    ],
)
def test_these_bring_files_back(command: str) -> None:
    assert moves(command)
    assert not shows(command)


@pytest.mark.parametrize(
    "command",
    [
        f"cat {FILE}",
        f"cd /project && cat -A './{FILE}' 2>/dev/null || true",
        f"head -400 {FILE}",
        f"head -n 400 {FILE}; ls",
        f"tail -n400 {FILE}",
        f"sed -n '1,200p' {FILE}",
        f"sed -n '1,$p' {FILE}",
        "agentsup engram",
        "agentsup engram show --json",
    ],
)
def test_these_show_it(command: str) -> None:
    assert shows(command)
    assert not moves(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "pytest -q",
        f"git add {FILE}",
        f"cd /project && git add {FILE} && git commit -m 'x > {FILE}'",
        f"git commit -m 'mend the engram' {FILE}",
        f"ls -la {FILE}",
        f"wc -c {FILE}; pytest",
        f"grep '>' {FILE}",
        f"grep -n x <{FILE} | tee out",
        f"cat {FILE} | wc -l",
        f"cat {FILE} > /tmp/copy",
        f"cp {FILE} /tmp/copy",
        f"head -1 {FILE}",
        f"head -n 40 {FILE}",
        f"cat {FILE} | head -n 1",
        f"cat > {FILE} <<'EOF'\n[Task] don't stop\nEOF\npytest -q",
        f"echo x &> '{FILE}'",
        "git log -1",
        "echo git stash",
        "git commit -m 'merge it'",
        f"sed -n 1p {FILE}",
        f"sed 's/i/j/' {FILE}",
        f"echo x > {FILE}.bak",
        f"echo x > other{FILE}",
        f"make 2> {FILE}",
        f"cat <<EOF > script\ncat {FILE}\necho x > {FILE}\nEOF",
        f"cat <<< {FILE}",
        "agentsup engram check",
        "agentsup engram history",
        "echo agentsup engram setting",
    ],
)
def test_these_do_neither(command: str) -> None:
    assert not moves(command)
    assert not shows(command)


def test_only_the_projects_own_engram_is_it_and_others_may_be_one() -> None:
    assert is_engram(FILE)
    assert is_engram(f"./{FILE}")
    assert may_be_engram(FILE)
    for other in (f"/project/{FILE}", f"lib/{FILE}", f"../{FILE}", f"~/{FILE}"):
        assert not is_engram(other)
        assert may_be_engram(other)
        assert not shows(f"cat {other}")
        assert shows(f"cat {other}", may_be_engram)
    for none in (f"x{FILE}", "engram.md"):
        assert not is_engram(none)
        assert not may_be_engram(none)


@given(st.lists(st.sampled_from(["'", '"', "\\", ">", "<", "<<", "|", ";", "\n", " ", "cat", "x", f" {FILE} "])))
def test_any_command_is_looked_at_without_an_error(parts: list[str]) -> None:
    command = "".join(parts)
    assert moves(command) in (True, False)
    assert shows(command) in (True, False)


@pytest.mark.parametrize("piece", ["'", '"', '"\\"', "<<a\n", "\\", "> ", "a", "cat ", "1,"])
def test_no_command_makes_it_slow(piece: str) -> None:
    before = time.process_time()
    moves("git" + piece * 100_000)
    shows("engram" + piece * 100_000)
    assert time.process_time() - before < 1
