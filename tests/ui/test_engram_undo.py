"""What is undone in the editor: also where it makes the text short enough for the window again."""

from __future__ import annotations

from textual import events

from tests.ui.engram_desktop import Desktop, folders, host, running

__all__ = ["folders", "host"]


@running
async def test_a_long_paste_is_undone_and_done_again(at: Desktop) -> None:
    area = await at.open()
    before = area.text
    at.app.post_message(events.Paste("".join(f"[Progress] Wrote x{n}() in a.py\n" for n in range(40))))
    await at.until(lambda: area.document.line_count > 40)
    after = area.text
    await at.press("ctrl+z")
    assert area.text == before
    assert area.cursor_location[0] < area.document.line_count
    await at.press("ctrl+y")
    assert area.text == after
