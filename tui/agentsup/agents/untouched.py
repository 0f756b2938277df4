"""Tell a conversation in which nothing was said yet by its log."""

from __future__ import annotations

import os
import stat

from agentsup.agents.adapter import LogDecoder
from agentsup.core import events as ev

_READ_MOST = 1 << 20
"""Bytes of a log that are looked at: what was said stands before that, or it is no fresh one."""

_SAID = (ev.TurnStarted, ev.UserMessageRecorded, ev.AgentMessageRecorded, ev.Compacted, ev.TokensReported)


def is_untouched(log: str, decoder: LogDecoder) -> bool:
    """Say whether nothing was said in the conversation with this log; `decoder` is a fresh one of the agent's.

    True where there is no log: agents begin it with the first prompt. False where it can't be read.
    """
    if not log:
        return True
    try:
        # O_NONBLOCK: the file may be anything by now, and a FIFO must not stop us.
        with open(os.open(log, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return False
            head = file.read(_READ_MOST)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    if len(head) == _READ_MOST:
        return False
    for line in head.splitlines():
        try:
            said = decoder.decode(line)
        except ValueError:
            continue  # it is being written
        except Exception:  # noqa: BLE001  the border to formats that others change: nobody knows what it says
            return False
        if any(isinstance(event, _SAID) for event in said):
            return False
    return True
