"""Where agentsup keeps its own files: sockets in the runtime folder, lasting records in the data folder.

Every folder is ours alone (0700, our uid, no link): a folder made by somebody else would let them read
the screen or answer for the host, so it is refused.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from agentsup.core.problems import UsageProblem
from agentsup.core.text import ID_LETTERS

SOCKET_PATH_LIMIT = 104
"""Longest path a unix socket can be bound to on every system we know (macOS; Linux has 108)."""

_ID_LENGTH = 5


def own_folder(path: Path) -> Path:
    """Return `path`, made if missing, once it is proven to be ours alone; raises UsageProblem."""
    try:
        _make(path)
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise UsageProblem("folder.foreign", path=path)
        if stat.S_IMODE(status.st_mode) & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        raise UsageProblem("folder.unusable", path=path, reason=error.strerror) from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageProblem("folder.unusable", path=path, reason=os.strerror(13))
    return path


def _make(path: Path) -> None:
    """Make a folder that is missing, and those above it, for us alone whatever the umask; raises OSError."""
    missing = []
    for folder in (path, *path.parents):
        if os.path.lexists(folder):
            break
        missing.append(folder)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)


def runtime_path(environment: Mapping[str, str]) -> tuple[Path, str]:
    """Return where the running sessions are, and why that is not in XDG_RUNTIME_DIR; the folder is not made.

    The reason is empty, `missing`, or `too-long`.
    """
    given = environment.get("XDG_RUNTIME_DIR", "")
    reason = ""
    if given:
        is_short = len(os.fsencode(given)) + len("/agentsup//socket") + _ID_LENGTH < SOCKET_PATH_LIMIT
        reason = "missing" if not Path(given).is_dir() else "" if is_short else "too-long"
    if given and not reason:
        return Path(given) / "agentsup", ""
    return Path(tempfile.gettempdir()) / f"agentsup-{os.getuid()}", reason


def runtime_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return where sessions of ours may run, whatever a terminal's environment says: theirs may say something else."""
    me = os.getuid()
    usual = {"XDG_RUNTIME_DIR": f"/run/user/{me}"}
    found = dict.fromkeys(runtime_path(each)[0] for each in (environment, usual, {}))
    return tuple(
        folder for folder in found if folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == me
    )


def runtime_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of the running sessions; raises UsageProblem where it can't be used safely."""
    return own_folder(runtime_path(environment)[0])


def data_path(environment: Mapping[str, str]) -> Path:
    """Return where the lasting records are; the folder is not made."""
    given = environment.get("XDG_DATA_HOME", "")
    return (Path(given) if given else _home(environment) / ".local" / "share") / "agentsup"


def data_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of lasting records (history, journal, injections); raises UsageProblem."""
    return own_folder(data_path(environment))


def _home(environment: Mapping[str, str]) -> Path:
    """Return the home folder of whose environment it is, which need not be ours."""
    return Path(environment.get("HOME") or Path.home())


def config_file(environment: Mapping[str, str]) -> Path:
    """Return the path of the person's settings; the file need not exist."""
    given = environment.get("XDG_CONFIG_HOME", "")
    base = Path(given) if given else _home(environment) / ".config"
    return base / "agentsup" / "config.toml"


def random_name(length: int) -> str:
    """Return a name that is easy to read out and to type."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(length))


def new_session_folder(runtime: Path) -> Path:
    """Make and return the folder of a new session; its name is the session's id."""
    while True:
        folder = runtime / random_name(_ID_LENGTH)
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise UsageProblem("folder.unusable", path=runtime, reason=error.strerror) from error
        return folder
