"""The file that a short restore text names: where the whole of it can be read.

It is in the project, for an agent that asks its person before it reads anything elsewhere would stand still where
nobody is there: in a folder of its own that git ignores, and nothing else writes to. Where that can't be, it is beside
the session's record.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from agentsup.core.text import on_one_line
from agentsup.core.work import is_ours
from agentsup.store.atomic import Conflict, Folder, UnsafeFile, token_of
from agentsup.store.opening import open_folder_beneath, open_own, status_beneath

FOLDER = ".agent/restore"

_IGNORE = ".gitignore"
_EVERYTHING = b"*\n"
_LEFT_OVER = ".agentsup"
"""How names end that are under way."""


class RestFile:
    """One session's file; nobody but this session's host writes it, so it takes no lock that others could hold."""

    def __init__(self, beside: Path, root: Path | None = None) -> None:
        """`beside`: where it is outside of the project; `root`: the project's folder."""
        self._beside, self._root = beside, root
        self._inside = root / FOLDER / beside.name if root is not None else beside
        self._refused = False
        self._token = ""
        """Of what this host has written into the project."""

    @property
    def path(self) -> Path:
        """Where the text that is composed now says that it is."""
        if self._root is None or self._refused or on_one_line(str(self._inside)) != str(self._inside):
            return self._beside
        status = status_beneath(self._root, ".agent")
        return self._inside if status is not None and stat.S_ISDIR(status.st_mode) else self._beside

    def is_named(self, text: str) -> bool:
        """Say whether a text names it, wherever it is."""
        return str(self._beside) in text or str(self._inside) in text

    def write(self, named: str, text: str) -> None:
        """Write it where `named` says that it is; raises OSError, and from then on it is outside of the project."""
        if self._root is None or str(self._inside) not in named:
            self._write_beside(text.encode())
            return
        try:
            self._write_inside(self._root, text.encode())
        except OSError:
            self._refused = True
            raise

    def _write_inside(self, root: Path, data: bytes) -> None:
        number = open_folder_beneath(root, FOLDER, make=True)
        try:
            folder = Folder(root / FOLDER, number, os.stat(root).st_uid)
            names = [name for name in folder.names() if not name.endswith(_LEFT_OVER)]
            if not names:
                folder.replace(_IGNORE, _EVERYTHING, token_of(None))
            elif folder.read(_IGNORE).data != _EVERYTHING:
                raise UnsafeFile(errno.EEXIST, "is somebody else's", str(folder.path))
            folder.replace(self._beside.name, data, self._token or self._left(folder), mode=0o600)
            self._token = token_of(data)
        except Conflict as conflict:
            raise OSError(errno.EEXIST, "was changed by another program", str(conflict.path)) from conflict
        finally:
            os.close(number)

    def _left(self, folder: Folder) -> str:
        """Return the token of what a host before this one has left there; of nothing where it is not ours."""
        left = folder.read(self._beside.name)
        return left.token if is_ours((left.data or b"").decode("utf-8", "replace")) else token_of(None)

    def _write_beside(self, data: bytes) -> None:
        temporary = self._beside.with_name(f".{self._beside.name}.new")
        with open(open_own(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, self._beside)
