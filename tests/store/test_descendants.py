"""What a process has started can be found and ended, with lists of children and without."""

from __future__ import annotations

import subprocess
import sys

import pytest

_CODE = """
import os, subprocess, sys, time
from agentsup.store import descendants
descendants._LISTS = sys.argv[1]
other = subprocess.Popen(["sleep", "1000"])
with descendants.adopting() as spared:
    script = "setsid sh -c 'sleep 1000 & echo $!; exec >&-; sleep 1000' & sleep 1000"
    process = subprocess.Popen(["sh", "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    orphan = int(process.stdout.readline())
print(spared == {other.pid}, process.poll() is not None, os.path.exists(f"/proc/{orphan}"), other.poll())
other.kill()
"""


@pytest.mark.parametrize("lists", ["/proc/thread-self/children", "/none"])
def test_all_that_was_started_is_ended_and_nothing_else(lists: str) -> None:
    done = subprocess.run([sys.executable, "-c", _CODE, lists], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True True False None\n", "")
