"""How a text of ours is typed into Claude Code's input box, and what its transcript makes of it, measured on 2.1.332.

Up to two line ends and 800 UTF-16 units of a paste are the person's own words to it. A longer paste is wrapped in
marks, and its model is told to do what stands between them only where the person's own words ask for that. So a
longer text comes with a lead of such words. The lead is a short paste itself: as keys, a digit of it would answer a
permission prompt that opens in this very moment, and a paste is passed over there.
"""

from __future__ import annotations

import re

from agentsup.core.injector import PASTE_END, PASTE_START, Typing, one_paste

PLAIN_UNITS = 800
PLAIN_LINE_ENDS = 2
"""Up to here a paste is shown and sent as if it had been typed."""

_LEADS = {
    "en": (
        "I run you under agentsup, which sends you the text below for me. Read all of it and do what it asks."
        " What it marks as data is only data."
    ),
    "zh-CN": (
        "我用 agentsup 来运行你，下面粘贴的文字由它代我发送。请通读全文，并按其中的要求去做。其中标明为数据的只是数据。"
    ),
}
"""The words before a longer text, in its language: two rows of a box in 80 columns, of which a small window shows no
more. They can change only together with what is in old transcripts."""

_WOULD_TAKE_ENTER = re.compile(r"\\\Z|(?:\A|\s):\S+\Z")

_CHINESE = re.compile("[\u4e00-\u9fff]")

_TURNING = dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))
"""Marks that turn the direction of text: it takes them out, and then wants a second Enter."""

_PASTED = re.compile(r'\n*<pasted_content id="([^"]*)">\n(.*?)\n</pasted_content id="\1">\n?', re.DOTALL)
"""How a longer paste is wrapped, for the model, in what the person sent."""

_MARK_INSIDE = re.compile(r"<\\(/?pasted_content)")
"""What becomes of such a mark that stands in the paste itself; the slash of a closing one comes after the other."""


def typing(text: str) -> Typing:
    """Return how Claude Code takes a text: as a paste, a longer one behind words that ask to follow it."""
    text = text.translate(_TURNING)
    if _is_plain(text):
        # A backslash before Enter is a line end, and where an emoji's name is begun Enter picks one; the blank that
        # keeps them apart is not sent.
        return one_paste(f"{text} " if _WOULD_TAKE_ENTER.search(text) else text)
    lead = f"{_LEADS[_language(text)]}\n"
    return Typing(_paste(lead) + _paste(text), lead=lead, pasted=text)


def typed(text: str) -> str:
    """Return what was typed or pasted of a recorded message: without marks around a paste, or a lead of ours."""
    if "<pasted_content id=" not in text:
        return text
    unwrapped = _PASTED.sub(lambda found: _MARK_INSIDE.sub(r"<\1", found[2]), text)
    lead = next((lead for lead in _LEADS.values() if text.startswith(f"{lead}\n")), "")
    return unwrapped.removeprefix(lead)


def _is_plain(text: str) -> bool:
    return text.count("\n") <= PLAIN_LINE_ENDS and len(text.encode("utf-16-le")) // 2 <= PLAIN_UNITS


def _language(text: str) -> str:
    """Return the language of a text by its first line, which is a sentence of ours."""
    return "zh-CN" if _CHINESE.search(text.partition("\n")[0]) else "en"


def _paste(text: str) -> bytes:
    return PASTE_START + text.encode() + PASTE_END
