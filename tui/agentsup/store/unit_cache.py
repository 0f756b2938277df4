"""What units have printed, kept with the digest of what was run, so that no restore has to wait for a script."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from agentsup.core.problems import Problem
from agentsup.core.redaction import redacted
from agentsup.core.trust.model import UnitOutput
from agentsup.store import atomic, trust_key
from agentsup.store.engram_history import project_folder, project_path

_NAME = "unit-outputs"

_MOST = 48 << 20
"""Bytes of a cache: as many outputs as a manifest can have files, as long as they can be."""


class _Cache(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    mac: str
    """Over the outputs, the project, and the digest of what was run."""
    outputs: bytes


def save_outputs(
    root: Path, digest: str, outputs: tuple[UnitOutput, ...], environment: Mapping[str, str] | None = None
) -> str:
    """Keep what the units of a manifest have printed in place of what was kept, without what looks like a secret.

    Returns the SHA-256 by which a host knows it again: who has our key could write another. Raises Problem, Conflict
    or OSError.
    """
    clean = [replace(each, text=redacted(each.text), detail=redacted(each.detail)) for each in outputs]
    encoded = msgspec.msgpack.encode(clean)
    key = trust_key.key(environment, make=True)
    if key is None:
        raise ValueError("no key")
    cache = msgspec.msgpack.encode(_Cache(_mac(key, root, digest, encoded), encoded))
    project_folder(root, environment)
    atomic.update(project_path(root, environment) / _NAME, lambda _: cache, _MOST, mode=0o600)
    return _sha(encoded)


def cached_outputs(
    root: Path, digest: str, environment: Mapping[str, str] | None = None, *, outputs_sha: str | None = None
) -> tuple[UnitOutput, ...]:
    """Return what exactly these units have printed last; nothing where there is nothing that fits. Nothing is raised.

    What fits is of this project and of this digest, was written by ourselves, and is what a host had made last where
    it has told (`outputs_sha`).
    """
    try:
        data = atomic.read(project_path(root, environment) / _NAME, _MOST).data
        key = trust_key.key(environment, make=False)
        if data is None or key is None:
            return ()
        cache = msgspec.msgpack.decode(data, type=_Cache)
        fits = hmac.compare_digest(cache.mac.encode(), _mac(key, root, digest, cache.outputs).encode())
        known = outputs_sha is None or outputs_sha == _sha(cache.outputs)
        return msgspec.msgpack.decode(cache.outputs, type=tuple[UnitOutput, ...]) if fits and known else ()
    except (OSError, Problem, msgspec.MsgspecError, ValueError, RecursionError):
        return ()


def _sha(outputs: bytes) -> str:
    return hashlib.sha256(outputs).hexdigest()


def _mac(key: bytes, root: Path, digest: str, outputs: bytes) -> str:
    return trust_key.mac(key, b"unit outputs", os.fsencode(os.path.realpath(root)), digest.encode(), outputs)
