"""The key with which agentsup knows its own trust record and caches again.

It lies in the data folder, readable to the person only. Their agents run as the same user and can read it too: what
the key proves is that nothing else wrote the record, and that nothing in it was changed by mistake or by half.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from agentsup.core.problems import Problem
from agentsup.store import atomic
from agentsup.store.folders import data_folder, data_path, own_folder
from agentsup.store.opening import open_beneath, read_whole

SIZE = 32

_NAME = "key"


def trust_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return where the key and the records of what persons approved are; the folder is not made."""
    return data_path(os.environ if environment is None else environment) / "trust"


def trust_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return (and make) that folder; raises UsageProblem where it is not ours alone."""
    data_folder(os.environ if environment is None else environment)
    return own_folder(trust_path(environment))


def key(environment: Mapping[str, str] | None = None, *, make: bool) -> bytes | None:
    """Return the key; None where there is none, unless it is to be made.

    Takes the lock of the trust folder to make it. Raises Problem `trust.key-unsafe` where something else is in its
    place (a link, a FIFO, a folder, another user's file, one of another size), `trust.unwritable`, or UsageProblem.
    """
    path = trust_path(environment)
    found = key_in(path)
    if found is not None or not make:
        return found
    try:
        with atomic.writing(trust_folder(environment)) as folder:
            found = key_in(path)
            if found is None:
                found = secrets.token_bytes(SIZE)
                put_key(folder, found)
    except (OSError, atomic.Conflict) as error:
        raise Problem("trust.unwritable", path=path / _NAME, reason=reason_of(error)) from error
    return found


def key_in(folder: Path) -> bytes | None:
    """Return the key of a trust folder; None without one. Raises Problem `trust.key-unsafe`."""
    try:
        opened = open_beneath(folder.parent, f"{folder.name}/{_NAME}")
        if opened is None:
            return None
        if opened[1].st_uid != os.geteuid():
            os.close(opened[0])
            raise PermissionError(1, "belongs to another user")
        found = read_whole(opened[0], opened[1].st_size, SIZE, _NAME)
    except OSError as error:
        raise Problem("trust.key-unsafe", path=folder / _NAME, reason=reason_of(error)) from error
    if len(found) != SIZE:
        raise Problem("trust.key-unsafe", path=folder / _NAME, reason=f"has {len(found)} bytes, not {SIZE}")
    return found


def put_key(folder: atomic.Folder, key: bytes) -> None:
    """Write the key into a trust folder that has none; raises OSError or Conflict."""
    folder.replace(_NAME, key, atomic.token_of(None), mode=0o600)


def mac(key: bytes, *parts: bytes) -> str:
    """Return the HMAC-SHA256 of the parts as hex digits; other parts never give the same, wherever they are split."""
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hmac.digest(key, len(parts).to_bytes(8, "big") + framed, "sha256").hex()


def reason_of(error: Exception) -> str:
    """Return what the system says of an error, for a person."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
