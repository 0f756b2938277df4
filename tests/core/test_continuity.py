"""What has happened in a session's loop: enough to look back on, however often the same happens."""

from __future__ import annotations

from agentsup.core import events as ev
from agentsup.core.continuity import HAPPENED_MOST, Continuity, after
from agentsup.core.occasion import as_written


def test_reasons_for_which_a_text_waits_push_nothing_out() -> None:
    known = after(Continuity(), ev.Compacted(1.0, "w1", 100, 10, "auto"))
    for number in range(HAPPENED_MOST):
        for id in ("bcdfgh", "jkmnpq"):
            for state in ("queued", "held"):
                reason = ("injection.draft", "injection.working")[number % 2]
                known = after(known, ev.InjectionChanged(2.0 + number, id, as_written(f"inject:{id}"), state, reason))
    assert [entry.what for entry in known.happened] == ["auto", "queued", "held", "queued", "held"]
    assert all(entry.time == 1.0 + HAPPENED_MOST for entry in known.happened[1:])


def test_each_end_of_a_text_stays() -> None:
    known = Continuity()
    for state in ("queued", "failed", "queued", "failed", "queued", "confirmed"):
        known = after(known, ev.InjectionChanged(1.0, "bcdfgh", as_written("inject:x"), state))
    assert [entry.what for entry in known.happened] == ["failed", "failed", "queued", "confirmed"]
