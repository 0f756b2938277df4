"""Units run from the approved bytes, with nothing but what they are given, and leave nothing running."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentsup.core.trust.model import UnitOutput
from agentsup.store.manifests import read_manifest
from agentsup.store.unit_runs import OUTPUT_MOST, run_units
from tests.store.project import write
from tests.store.units import INIT, in_folder, output, run, script


def test_the_environment_is_the_fixed_one_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/tmp")
    code = "#!/usr/bin/python3 -E\nimport os\nprint(sorted(os.environ.items()), os.getcwd())\n"
    given = [("COLUMNS", "80"), ("LC_ALL", "C.UTF-8"), ("PATH", "/usr/local/bin:/usr/bin:/bin")]
    assert output(tmp_path, code).text == f"{given} {tmp_path}\n"


def test_there_is_no_terminal_and_nothing_to_read(tmp_path: Path) -> None:
    code = (
        "#!/bin/sh\nfor n in 0 1 2; do test -t $n && echo tty; done\n(exec 3</dev/tty) 2>/dev/null && echo tty\ncat\n"
    )
    assert output(tmp_path, code + "echo end\n") == UnitOutput("15-unit", "end\n")


def test_it_has_a_group_and_session_of_its_own_and_default_signals(tmp_path: Path) -> None:
    code = (
        "#!/usr/bin/python3\nimport os, resource, signal\n"
        "print(os.getpgrp() == os.getsid(0) == os.getpid())\n"
        "print([n.name for n in signal.Signals if signal.getsignal(n) == signal.SIG_IGN])\n"
        "print(signal.pthread_sigmask(0, ()), resource.getrlimit(resource.RLIMIT_CORE))\n"
    )
    # Python itself ignores these two.
    assert output(tmp_path, code).text == "True\n['SIGPIPE', 'SIGXFSZ']\nset() (0, 0)\n"


def test_only_needed_descriptors_are_open(tmp_path: Path) -> None:
    write(tmp_path, {"lib.sh": ""})
    code = "#!/bin/sh\n# agentsup: include lib.sh\nfor n in /proc/$$/fd/*; do readlink $n; done\n"
    lines = output(tmp_path, code).text.splitlines()
    memory = "/memfd:agentsup (deleted)"
    # The shell has opened the script once more, by its own number.
    assert [line.partition(":")[0] if "pipe" in line else line for line in lines].count(memory) == 3
    assert {line.partition(":")[0] for line in lines} == {"/dev/null", "pipe", "/memfd"}


@pytest.mark.parametrize(
    ("name", "content", "mode", "text"),
    [
        ("15-a.sh", "echo $0", 0o644, "/proc/self/fd/100"),
        ("15-a.sh", "#!/usr/bin/python3\necho without a run bit a shell runs it", 0o600,
         "without a run bit a shell runs it"),
        ("15-a.sh", "#!/usr/bin/env python3\nprint(1)", 0o755, "1"),
        ("15-a", "#! \t/bin/echo  two words \t \nno shell", 0o755, "two words /proc/self/fd/100"),
        ("15-a.py", "#!/usr/bin/env -S python3 -I\nimport sys; print(sys.flags.isolated)", 0o700, "1"),
        ("15-a.pl", "#!/usr/bin/perl -w\nprint $^W", 0o755, "1"),
        ("15-a.bash", "#!/bin/bash\necho <(:) | cut -c1-5", 0o755, "/dev/"),
    ],
)  # fmt: skip
def test_a_script_is_run_by_what_its_first_line_says(
    tmp_path: Path, name: str, content: str, mode: int, text: str
) -> None:
    found = output(tmp_path, content, name, mode)
    assert (found.text.strip(), found.problem) == (text, "")


def test_a_program_is_run_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"a": "", "b": ""})
    assert output(tmp_path, Path(shutil.which("ls") or "").read_bytes()).text == "a\nb\n"


def test_includes_are_given_in_the_order_of_their_lines(tmp_path: Path) -> None:
    write(tmp_path, {"lib/one.sh": "echo one $1\n", "lib/two.sh": "echo two\n"})
    code = "# agentsup: include lib/two.sh\n. $AGENTSUP_INCLUDE_1\n# agentsup: include lib/one.sh\n"
    code += '. "$AGENTSUP_INCLUDE_2"\nsh $AGENTSUP_INCLUDE_2 again\n'
    script(tmp_path, "20-other.sh", "# agentsup: include lib/one.sh\ncat $AGENTSUP_INCLUDE_1 $AGENTSUP_INCLUDE_2\n")
    script(tmp_path, "15-unit.sh", code)
    assert [each.text for each in run(tmp_path).outputs] == ["two\none\none again\n", "echo one $1\n"]


def test_what_runs_are_the_bytes_that_were_read_and_not_the_files(tmp_path: Path) -> None:
    write(tmp_path, {"lib.sh": "echo approved include\n"})
    path = script(tmp_path, "15-a.sh", "# agentsup: include lib.sh\necho approved\n. $AGENTSUP_INCLUDE_1\n")
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    path.write_text("touch canary")
    write(tmp_path, {"lib.sh": "touch canary\n"})
    assert [each.text for each in run_units(tmp_path, manifest).outputs] == ["approved\napproved include\n"]
    shutil.rmtree(tmp_path / ".agent")
    (tmp_path / "lib.sh").unlink()
    assert [each.text for each in run_units(tmp_path, manifest).outputs] == ["approved\napproved include\n"]
    assert not (tmp_path / "canary").exists()


def test_a_script_cannot_change_its_own_bytes_or_those_it_includes(tmp_path: Path) -> None:
    write(tmp_path, {"lib.sh": "echo include\n"})
    code = "#!/bin/sh\n# agentsup: include lib.sh\n"
    code += "for n in $0 $AGENTSUP_INCLUDE_1; do (echo x >$n) 2>/dev/null || echo no; done"
    assert output(tmp_path, code).text == "no\nno\n"


@pytest.mark.parametrize(
    ("content", "problem", "detail"),
    [
        ("#!/bin/sh\necho out; echo >&2; printf 'a\\033[31m\\terr\\r\\n' >&2; exit 3", "unit.failed", "a[31m err"),
        ("#!/bin/sh\nexit 3", "unit.failed", "exit 3"),
        ("#!/bin/sh\nkill -9 $$", "unit.failed", "SIGKILL"),
        ("#!/bin/sh\nkill -40 $$", "unit.failed", "signal 40"),
        ("#!/bin/sh\r\necho a", "unit.failed", "#!/bin/sh\\x0d: No such file or directory"),
        ("#!/no/such/program\n", "unit.failed", "#!/no/such/program: No such file or directory"),
        ("#!/etc/passwd\n", "unit.failed", "#!/etc/passwd: Permission denied"),
        ("#!/tmp\0/sh\n", "unit.failed", "#!/tmp\\x00/sh: embedded null byte"),
        ("no first line", "unit.failed", f"{INIT}/15-unit: Exec format error"),
        ("#!\n", "unit.failed", "#!: Exec format error"),
        (b"\x7fELF broken", "unit.failed", f"{INIT}/15-unit: Exec format error"),
        ("#!./tool\n", "unit.interpreter", "./tool"),
        ("#!/bin/sh\n# agentsup: include none\n", "unit.include", "none: missing"),
        ("#!/bin/sh\n# agentsup: include ../out\n", "unit.include", "../out: leads out of the project"),
        ("#!/bin/sh\n# agentsup: include link\n", "unit.include", "link: /etc/passwd"),
        ("#!/bin/sh\n" + "echo " + "e" * 300 + " >&2; false", "unit.failed", "e" * 200),
    ],
)  # fmt: skip
def test_one_that_fails_says_why_and_the_others_run(
    tmp_path: Path, content: str | bytes, problem: str, detail: str
) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")
    script(tmp_path, "15-unit", content)
    script(tmp_path, "16-next.sh", "echo next")
    failed, good = run(tmp_path).outputs
    assert (failed.problem, failed.detail) == (problem, detail)
    assert good == UnitOutput("16-next", "next\n")


def test_nothing_of_the_project_is_used_to_run_a_script(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(root, {"tool": "#!/bin/sh\ntouch canary\n"})
    (root / "tool").chmod(0o755)
    (root / "python3").symlink_to("tool")
    (tmp_path / "outside").symlink_to(root / "tool")
    (tmp_path / "real").symlink_to(root)
    for number, first in enumerate(
        [root / "tool", tmp_path / "outside", tmp_path / "real/tool", "/usr/bin/env python3"]
    ):
        script(root, f"1{number}-a", f"#!{first}\n")
    problems = [each.problem for each in run(root).outputs]
    assert problems == ["unit.interpreter", "unit.interpreter", "unit.interpreter", ""]
    assert [each.problem for each in run(tmp_path / "real").outputs] == problems
    assert not (root / "canary").exists()


@pytest.mark.parametrize(
    "first",
    [
        "/proc/self/cwd/tools/run", "/usr/../proc/self/cwd/tools/run", "/proc/self/exe", "/dev/fd/0", "/sys/x",
        "{outside}/cwd/tools/run", "/usr/bin/env -S tools/run", "/usr/bin/env -S ./tools/run",
        "/usr/bin/env tools/run", "/usr/bin/env -Stools/run", "/usr/bin/env -vS tools/run",
        "/usr/bin/env --split-string=tools/run", "/usr/bin/env -S A=1 tools/run",
        "/usr/bin/env -S -i A=1 {root}/tools/run",
        "/usr/bin/env -S /proc/self/cwd/tools/run", "/usr/bin/env -S PATH=tools run", "/usr/bin/env -SPATH=tools run",
        "/usr/bin/env -S -C tools ./run", "/usr/bin/env -S 't'ools/run", "/usr/bin/env -S env tools/run",
        "/usr/bin/env -S {outside}/project/tools/run", "/usr/bin/nice tools/run",
    ],
)  # fmt: skip
def test_no_way_round_leads_to_a_program_of_the_project(tmp_path: Path, first: str) -> None:
    root = tmp_path / "project"
    write(root, {"tools/run": "#!/bin/sh\ntouch canary\n"})
    (root / "tools/run").chmod(0o755)
    (tmp_path / "cwd").symlink_to("/proc/self/cwd")
    line = first.format(root=root, outside=tmp_path)
    found = output(root, f"#!{line}\n")
    assert not (root / "canary").exists()
    assert (found.problem, found.detail) == ("unit.interpreter", line)


@pytest.mark.parametrize(
    "first", ["/usr/bin/env -S LC_ALL=C /bin/cat", "/usr/bin/env -S -i -u A cat", "/usr/bin/env cat", "/bin/cat"]
)
def test_programs_of_the_system_run_also_with_their_path(tmp_path: Path, first: str) -> None:
    assert output(tmp_path, f"#!{first}\n") == UnitOutput("15-unit", f"#!{first}\n")


def test_an_empty_file_is_not_run_and_says_nothing(tmp_path: Path) -> None:
    assert output(tmp_path, " \n", "10-structure.sh", 0o644) == UnitOutput("10-structure", "")


def test_one_that_takes_too_long_is_ended_and_the_others_run(tmp_path: Path) -> None:
    script(tmp_path, "15-slow.sh", "echo some; trap '' TERM HUP INT; while :; do sleep 1; done")
    script(tmp_path, "16-silent.sh", "exec >&- 2>&-; sleep 1000")
    script(tmp_path, "17-next.sh", "echo next")
    assert run(tmp_path, seconds=1).outputs == (
        UnitOutput("15-slow", "", "unit.late"), UnitOutput("16-silent", "", "unit.late"),
        UnitOutput("17-next", "next\n"),
    )  # fmt: skip


def test_all_together_have_a_limit(tmp_path: Path) -> None:
    for number in range(10, 20):
        script(tmp_path, f"{number}-slow.sh", "sleep 1000")
    problems = [each.problem for each in run(tmp_path, seconds=0.3, together=1.5).outputs]
    late = problems.count("unit.late")
    assert 0 < late < 6
    assert problems == ["unit.late"] * late + ["unit.no-time"] * (10 - late)


@pytest.mark.parametrize("flood", ["yes 中文", "yes >&2 & yes 中文", "cat /dev/zero | tr '\\0' x"])
def test_a_flood_of_output_is_cut(tmp_path: Path, flood: str) -> None:
    found = output(tmp_path, f"#!/bin/sh\n{flood}\n")
    assert found.problem == "unit.cut"
    assert OUTPUT_MOST - 4 < len(found.text.encode()) <= OUTPUT_MOST
    assert "\ufffd" not in found.text


def test_just_as_much_as_may_be_is_not_cut(tmp_path: Path) -> None:
    assert len(output(tmp_path, f"#!/bin/sh\nhead -c {OUTPUT_MOST} /dev/zero | tr '\\0' x\n").text) == OUTPUT_MOST
    assert output(tmp_path, f"#!/bin/sh\nhead -c {OUTPUT_MOST + 1} /dev/zero | tr '\\0' x\n").problem == "unit.cut"


def test_output_is_text_without_control_characters(tmp_path: Path) -> None:
    code = "#!/bin/sh\nprintf 'a\\200b\\033[201~\\r\\nc\\0d\\302\\233\\n'\n"
    assert output(tmp_path, code).text == "a\ufffdb[201~\ncd\n"


def test_ten_runs_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path, {f"src/{name}.py": name for name in "cab"})
    script(tmp_path, "15-a.sh", "ls src; echo $0; echo é; echo err >&2; exit 1\n")
    script(tmp_path, "16-b", "#!/usr/bin/env python3\nimport sys\nprint(sys.argv, sys.path, 'x' * 70_000)\n")
    script(tmp_path, "17-c.sh", "while :; do echo x; done")
    assert len({str(run(tmp_path)) for _ in range(10)}) == 1


GONE = """#!/usr/bin/python3
import os, sys, time
open("pids", "w").close()
def note():
    with open("pids", "a") as file: file.write(f"{os.getpid()}\\n")
for kind in range(4):
    if not os.fork():
        if kind: os.setsid()
        note()
        if kind > 1 and os.fork(): os._exit(0)
        if kind > 2:
            import ctypes; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
            if not os.fork(): note(); time.sleep(1000)
        note()
        time.sleep(1000)
while len(open("pids").read().split()) < 7: time.sleep(0.01)
"""


@pytest.mark.parametrize("end", ["print('done')", "time.sleep(1000)", "sys.exit(1)"])
def test_nothing_it_has_started_is_left_wherever_it_forked_to(tmp_path: Path, end: str) -> None:
    script(tmp_path, "15-daemon", GONE + end)
    found = run(tmp_path, seconds=5 if end.startswith("time") else 30)
    assert found.outputs[0].problem == {"p": "", "t": "unit.late", "s": "unit.failed"}[end[0]]
    pids = (tmp_path / "pids").read_text().split()
    assert len(set(pids)) >= 5
    assert not [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
    assert not in_folder(tmp_path)
    assert "pids" in found.changed


def test_what_forks_on_and_on_is_ended_and_its_dead_do_not_pile_up(tmp_path: Path) -> None:
    # Each of five chains is one process at a time, in a session of its own, and never for long the same.
    code = "#!/usr/bin/python3\nimport os, time\nfor _ in range(5):\n    if not os.fork():\n"
    code += "        while True:\n            os.setsid() if os.getpid() != os.getsid(0) else 0\n"
    code += "            if os.fork(): os._exit(0)\n"
    code += "time.sleep(1)\nme = os.getppid()\nfound = []\nfor _ in range(10):\n    time.sleep(0.05)\n"
    code += "    found.append(len(open(f'/proc/{me}/task/{me}/children').read().split()))\nprint(min(found) < 300)\n"
    script(tmp_path, "15-bomb", code)
    script(tmp_path, "16-next.sh", "echo next")
    assert [each.text for each in run(tmp_path).outputs] == ["True\n", "next\n"]
    assert not in_folder(tmp_path)


def test_other_children_of_this_process_are_left_alone(tmp_path: Path) -> None:
    script(tmp_path, "15-a.sh", "echo a")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        manifest = read_manifest(tmp_path)
        assert manifest is not None
        assert run_units(tmp_path, manifest).outputs == (UnitOutput("15-a", "a\n"),)
        assert other.poll() is None
        other.communicate(b"\n")
    assert other.returncode == 0


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    write(tmp_path, {"lib.sh": ""})
    script(tmp_path, "15-a.sh", "# agentsup: include lib.sh\n# agentsup: include none\n")
    script(tmp_path, "16-b.sh", "# agentsup: include lib.sh\n")
    script(tmp_path, "17-c", "#!/none\n")
    manifest = read_manifest(tmp_path)
    assert manifest is not None
    before = set(os.listdir("/proc/self/fd"))
    run_units(tmp_path, manifest)
    assert set(os.listdir("/proc/self/fd")) == before
