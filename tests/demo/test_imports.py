"""The demo agent is a program of its own: the standard library, agentsup's core and its texts, and nothing else."""

from __future__ import annotations

import subprocess
import sys


def test_it_imports_nothing_else() -> None:
    code = "import sys, agentsup.demo.__main__; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    bare = subprocess.run(
        [sys.executable, "-I", "-c", "import sys; print(*sys.modules)"], capture_output=True, text=True
    )
    loaded = set(done.stdout.split()) - set(bare.stdout.split())
    ours = {name for name in loaded if name.partition(".")[0] == "agentsup"}
    assert {".".join(name.split(".")[:2]) for name in ours} == {
        "agentsup", "agentsup.core", "agentsup.demo", "agentsup.locale"
    }  # fmt: skip
    assert {name.partition(".")[0] for name in loaded - ours} <= sys.stdlib_module_names
