"""Every version of a project's engram, and the restore text sent last: in the user's data folder."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec

from agentsup.core.engram_intake import Knowledge, brought_back, wrote
from agentsup.core.engram_reasons import SEEN, is_seen, is_unwritten, restored
from agentsup.core.problems import UsageProblem
from agentsup.core.redaction import redacted
from agentsup.store import atomic
from agentsup.store.atomic import Conflict
from agentsup.store.folders import data_folder, data_path, own_folder
from agentsup.store.locks import locked
from agentsup.store.placements import DEFAULTS

Author = Literal["person", "agent", "automatic", "found"]
"""Who wrote a version: "person" only where agentsup saved it for one, "found" where nobody knows."""

_HISTORY = "engram-history.jsonl"
_MOST = 256 << 20
"""Bytes of a history that are read at most: some 100,000 versions."""


@dataclass(frozen=True)
class Version:
    """One version of an engram, without secrets; `time` is Unix seconds, `sha` the SHA-256 of the text in UTF-8.

    `reason` is what a person has said, or a name of ours (`core.engram_reasons`).

    What an agent said is of when it said it: until it is written it may wait for what was said before.
    """

    time: float
    author: Author
    reason: str
    text: str
    sha: str


def project_path(root: Path, environment: Mapping[str, str] | None = None) -> Path:
    """Return where in the user's data folder a project's own folder is; it is not made: reading writes nothing."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
    return user_data(environment) / "projects" / name


def project_folder(root: Path, environment: Mapping[str, str] | None = None) -> Path:
    """Return (and make) the folder in the user's data folder that belongs to a project; raises UsageProblem."""
    path = project_path(root, environment)
    data_folder(os.environ if environment is None else environment)
    own_folder(path.parent)
    return own_folder(path)


def history(root: Path, environment: Mapping[str, str] | None = None) -> tuple[Version, ...]:
    """Return every version, the oldest first; damaged lines are passed over. Raises OSError."""
    data = atomic.read(project_path(root, environment) / _HISTORY, _MOST, beneath=user_data(environment)).data or b""
    return tuple(version for line in data.split(b"\n") if (version := _version(line)))


def written_at(status: os.stat_result) -> float:
    """Return when a file has become what it is.

    Copies, archives and editors may give it an old time of modification; that of its change nobody can set back.
    """
    return max(status.st_mtime, status.st_ctime)


def standing(versions: Sequence[Version]) -> Version | None:
    """Return the newest version that was in the file; None where there is none."""
    return next((each for each in reversed(versions) if not is_unwritten(each.reason)), None)


def record(
    root: Path, text: str, author: Author, reason: str = "", environment: Mapping[str, str] | None = None, *,
    when: float | None = None,
) -> Version:  # fmt: skip
    """Add a version, of now or of `when`, and return it; the newest one again where its text is the same.

    One that was only found is added once more by who knows whose it is. Raises OSError.
    """
    text = redacted(text)
    version = Version(time.time() if when is None else when, author, redacted(reason), text, _sha(text))
    with atomic.writing(project_folder(root, environment), beneath=user_data(environment)) as folder:
        found = filter(None, map(_version, folder.last_lines(_HISTORY)))
        newest = next((each for each in found if not is_unwritten(each.reason)), None)
        is_known = newest is not None and newest.sha == version.sha
        if newest is not None and is_known and (newest.author != "found" or author == "found"):
            return newest
        # A line that a killed writer left torn is ended by this, and passed over when read.
        folder.append(_HISTORY, msgspec.json.encode(version), mode=0o600)
    return version


def record_found(
    root: Path, text: str, modified: float, known: Knowledge, environment: Mapping[str, str] | None = None
) -> Version:  # fmt: skip
    """Add what stands in the file, modified then, with what is known of whose it is; return it. Raises OSError."""
    text = redacted(text)
    versions = tuple(each for each in history(root, environment) if not is_unwritten(each.reason))
    if versions and versions[-1].sha == _sha(text) and versions[-1].author == "found":
        versions = versions[:-1]  # it is looked at once more: the log may have told whose it is
    before = [version for version in versions if version.sha == _sha(text)]
    reason = restored(before[-1].sha) if before else SEEN
    whose = [version.author for version in before if version.author != "found"][-1:]
    # Where it has taken the place of another's, that one is not to be forgotten as well.
    is_own = bool(whose) and {*whose, versions[-1].author} <= {"agent", "automatic"}
    if wrote(known, text, modified) or (is_own and brought_back(known, modified)):
        return record(root, text, "agent", reason, environment)
    return record(root, text, "found", reason, environment)


def keep_unwritten(
    root: Path, text: str, author: Author, reason: str, environment: Mapping[str, str] | None = None
) -> None:
    """Add a version that is not written to the file, `reason` says why; nothing where it was added just before.

    Raises OSError.
    """
    text = redacted(text)
    version = Version(time.time(), author, redacted(reason), text, _sha(text))
    with atomic.writing(project_folder(root, environment), beneath=user_data(environment)) as folder:
        for each in filter(None, map(_version, folder.last_lines(_HISTORY))):
            if each.sha == version.sha:
                return
            if not is_unwritten(each.reason):
                break
        folder.append(_HISTORY, msgspec.json.encode(version), mode=0o600)


def confirm(root: Path, when: float) -> None:
    """Have the engram's file be as new as a moment in which its writer has said the same again; raises OSError."""
    path = root / DEFAULTS["engram"]
    with locked(path.parent, beneath=root) as folder:
        if os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mtime < when:
            os.utime(path.name, (when, when), dir_fd=folder, follow_symlinks=False)


def write_engram_file(
    root: Path, text: str, expected: str, author: Author, reason: str = "",
    environment: Mapping[str, str] | None = None, *, when: float | None = None,
) -> Version:  # fmt: skip
    """Write `.agent/engram.md` and record the version, of now or of `when`.

    `expected` is the token of the file as it was read (`atomic.read`). Raises Conflict, whose `kept` is where this
    text was saved (None where that failed, too), or OSError.
    """
    path = root / DEFAULTS["engram"]
    try:
        atomic.replace(path, text.encode(), expected, beneath=root)
    except Conflict as conflict:
        with suppress(OSError, UsageProblem):  # then it is only in the Conflict
            keep_conflict(root, conflict, environment)
        raise
    return record(root, text, author, reason, environment, when=when)


def restore(root: Path, sha: str, author: Author = "person", environment: Mapping[str, str] | None = None) -> Version:
    """Make an earlier version the engram again: `sha` or a beginning of it; raises KeyError, Conflict or OSError."""
    found = {version.sha: version for version in history(root, environment) if sha and version.sha.startswith(sha)}
    if len(found) != 1:
        raise KeyError(sha)
    (version,) = found.values()
    expected = atomic.read(root / DEFAULTS["engram"], beneath=root).token
    return write_engram_file(root, version.text, expected, author, restored(version.sha), environment)


def keep_conflict(root: Path, conflict: Conflict, environment: Mapping[str, str] | None = None) -> Path:
    """Save the text that was not written as NAME.conflict-N.md in the project's folder; also set in `conflict.kept`."""
    path = project_folder(root, environment)
    with atomic.writing(path, beneath=user_data(environment)) as folder:
        taken = set(folder.names())
        number = 1
        while (name := f"{conflict.path.name}.conflict-{number}.md") in taken:
            number += 1
        folder.replace(name, _without_secrets(conflict.ours), atomic.token_of(None), mode=0o600)
    conflict.kept = path / name
    return conflict.kept


def save_sent(root: Path, text: str, environment: Mapping[str, str] | None = None) -> None:
    """Remember the restore text that was sent; raises OSError."""
    folder = own_folder(project_folder(root, environment) / "sent")
    data = redacted(text).encode()
    atomic.update(folder / "last-restore.txt", lambda _: data, mode=0o600, beneath=user_data(environment))


def last_sent(root: Path, environment: Mapping[str, str] | None = None) -> str | None:
    """Return the restore text that was sent last; None where there is none."""
    path = project_path(root, environment) / "sent" / "last-restore.txt"
    data = atomic.read(path, beneath=user_data(environment)).data
    return None if data is None else data.decode("utf-8", "replace")


def user_data(environment: Mapping[str, str] | None) -> Path:
    """Return the folder above all projects' own: what is beneath it is ours alone, and holds no links."""
    return data_path(os.environ if environment is None else environment)


def _version(line: bytes) -> Version | None:
    try:
        version = msgspec.json.decode(line, type=Version) if line else None
    except msgspec.MsgspecError:
        return None
    if version is not None and version.author == "person" and is_seen(version.reason):
        return replace(version, author="found")  # older histories conclude that it is a person's
    return version


def _without_secrets(data: bytes) -> bytes:
    """Return the bytes of a text without secrets; what is no UTF-8 as it is read."""
    text = data.decode("utf-8", "replace")
    clean = redacted(text)
    return data if clean is text else clean.encode()


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
