"""A script is exchanged, again and again and in every way, between the check of its bytes and their run.

Another process swaps a script and a file that it includes for ones that were never approved, and back, as fast as it
can, while approved units are run in a loop. The unapproved ones leave a file behind where they are executed. It also
writes into the sealed files of the running process, by way of /proc, until they are sealed and after it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from agentsup.core.trust.running import UnitsWanted
from agentsup.restoring.units import run as run_approved
from agentsup.store.manifests import read_manifest
from agentsup.store.trust_record import NewEntry, add
from agentsup.store.unit_cache import cached_outputs
from tests.soak.tally import Tally

INIT = ".agent/init.d"
PATIENCE = 1800.0

SCRIPT = '#!/bin/sh\n# agentsup: include lib.sh\necho approved script\n. "$AGENTSUP_INCLUDE_1"\n'
INCLUDE = "echo approved include\n"
PRINTED = "approved script\napproved include\n"

SWAPPER = """
import os, random, signal, sys
canary, pid, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
chance = random.Random(seed)
evil = f"#!/bin/sh\\necho >>{canary} executed\\n"
places = (".agent/init.d/10-script.sh", "lib.sh")
good = {place: open(place).read() for place in places}
ended = []
signal.signal(signal.SIGTERM, lambda *_: ended.append(True))

def put(place, text):
    with open("new", "w") as file:
        file.write(text)
    os.chmod("new", 0o755)
    os.rename("new", place)

def renamed(place):
    put(place, evil)

def written(place):
    with open(place, "r+") as file:
        file.write(evil)
        file.truncate()

def linked(place):
    os.symlink(os.path.abspath("evil.sh"), "new")
    os.rename("new", place)

def moded(place):
    os.chmod(place, chance.choice((0o644, 0o600, 0o700, 0o4755)))

def folder_linked(place):
    folder = os.path.dirname(place)
    if not folder:
        return renamed(place)
    os.rename(folder, "kept")
    os.symlink(os.path.abspath("evil.d"), folder)
    os.unlink(folder)
    os.rename("kept", folder)
    put(place, evil)

def sealed(place):
    for number in 500 * (100, 101):
        try:
            file = os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY)
        except OSError:
            continue
        try:
            os.write(file, evil.encode())
        except OSError:
            pass
        os.close(file)

ways = (renamed, written, linked, moded, folder_linked, sealed)
counts = dict.fromkeys((way.__name__ for way in ways), 0)
with open("evil.sh", "w") as file:
    file.write(evil)
os.chmod("evil.sh", 0o755)
os.makedirs("evil.d", exist_ok=True)
for name in ("10-script.sh", "lib.sh"):
    with open(f"evil.d/{name}", "w") as file:
        file.write(evil)
    os.chmod(f"evil.d/{name}", 0o755)
progress = os.open("progress", os.O_WRONLY)
while not ended:
    place, way = chance.choice(places), chance.choice(ways)
    way(place)
    counts[way.__name__] += 1
    for _ in range(chance.randrange(300)):  # unapproved for a moment
        pass
    put(place, good[place])
    os.pwrite(progress, b"%d" % sum(counts.values()), 0)
    for _ in range(chance.randrange(30_000)):  # and approved for one in which it can be read
        pass
print(", ".join(f"{way} {number:,}" for way, number in counts.items()))
"""


def run(count: int, seed: int, folder: Path) -> Tally:
    """Swap at least so often, while units run at least a twentieth as often."""
    root, canary = folder / "project", folder / "canary"
    environment = {"XDG_DATA_HOME": str(folder / "data")}
    digest = _approved_project(root, environment)
    wanted = UnitsWanted(str(root), None, 20)
    shown: Counter[str] = Counter()
    checks = 0
    command = [sys.executable, "-c", SWAPPER, str(canary), str(os.getpid()), str(seed)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as swapper:
        until = time.monotonic() + PATIENCE
        while (_progress(root) < count or shown.total() < count // 20) and time.monotonic() < until:
            assert swapper.poll() is None
            checks += 1
            if run_approved(wanted, environment).ran:
                (output,) = cached_outputs(root, digest, environment)
                shown[output.problem or output.text] += 1
        swapper.terminate()
        ways = swapper.communicate()[0].strip()
    swaps, runs = _progress(root), shown.total()
    executed = len(canary.read_text().splitlines()) if canary.exists() else 0
    good, altered = shown[PRINTED], shown["unit.altered"]
    held = {
        "no unapproved byte executed": swaps - executed,
        "every run printed what was approved, or was refused": swaps if good + altered == runs else 0,
        "enough ran meanwhile": swaps if good and swaps >= count and runs >= count // 20 else 0,
    }
    note = (
        f"{runs:,} runs in {checks:,} checks, {altered:,} of them refused because somebody wrote into the bytes before"
        f" they were sealed; {ways}"
    )
    return Tally("swaps of a script and of what it includes, between check and run", swaps, held, note)


def _approved_project(root: Path, environment: Mapping[str, str]) -> str:
    """Make a project whose script is approved; return the digest."""
    for place, text in ((f"{INIT}/10-script.sh", SCRIPT), ("lib.sh", INCLUDE), ("progress", "0")):
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    manifest = read_manifest(root)
    assert manifest is not None
    add(root, [NewEntry("scripts", "", manifest.digest, "allow", "soak", manifest.to_text())], environment=environment)
    return manifest.digest


def _progress(root: Path) -> int:
    return int((root / "progress").read_bytes() or b"0")
