"""End quietly when whoever reads our output, such as `head`, has seen enough; say so where it can't be written."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from agentsup.core.problems import Problem

_FAILED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@contextmanager
def until_reader_is_gone() -> Iterator[None]:
    """Write what is written in here, as long as somebody reads it; raises Problem where there is no room for it."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up()
    except OSError as error:
        if error.errno not in _FAILED:
            raise
        _give_up()
        raise Problem("output.failed", reason=error.strerror) from error


def _give_up() -> None:
    """Let what is left in the buffer not be tried again at the exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
