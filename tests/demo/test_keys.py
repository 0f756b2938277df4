"""Keys are the same however their bytes are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.demo.keys import Key, KeyDecoder, Pasted, Pressed, Typed

PARTS = (
    "ab", "語", "é", "\r", "\n", "\t", "\x7f", "\x03", "\x1b[A", "\x1bOB", "\x1b[1;5C", "\x1b[3~", "\x1b[I", "\x1b\r",
    "\x1b[200~two\nlines \x1b[Aé語\x1b[201~", "\x1b[200~\x1b[201~", "\x1b[<0;3;4M", "\x00",
)  # fmt: skip


def merged(keys: list[Key]) -> list[Key]:
    """Join typed text that only the cuts have separated."""
    found: list[Key] = []
    for key in keys:
        if isinstance(key, Typed) and found and isinstance(found[-1], Typed):
            found[-1] = Typed(found[-1].text + key.text)
        else:
            found.append(key)
    return found


@given(st.lists(st.sampled_from(PARTS), max_size=12), st.lists(st.integers(0, 200), max_size=12))
def test_keys_do_not_depend_on_the_cuts(parts: list[str], cuts: list[int]) -> None:
    data = "".join(parts).encode()
    whole = merged(KeyDecoder().feed(data))
    decoder, found, last = KeyDecoder(), [], 0
    for cut in [*sorted(cut for cut in cuts if cut < len(data)), len(data)]:
        found += decoder.feed(data[last:cut])
        last = cut
    assert merged(found) == whole


@given(st.binary(max_size=60))
def test_any_bytes_are_keys(data: bytes) -> None:
    decoder = KeyDecoder()
    keys = [*decoder.feed(data), *decoder.flush()]
    texts = [key.text for key in keys if not isinstance(key, Pressed)]
    assert not any(c != "\n" and c != "\t" and (c < " " or "\x7f" <= c <= "\x9f") for text in texts for c in text)


@pytest.mark.parametrize(
    ("data", "keys"),
    [
        (b"hello\r", [Typed("hello"), Pressed("enter")]),
        (b"\x1b[200~a\r\nb\rc\x1b[201~\r", [Pasted("a\nb\nc"), Pressed("enter")]),
        (b"\x1b[200~\x1b[201\x1b[201~", [Pasted("[201")]),
        (b"\x1b[A\x1bOA\x1b[1;2A", [Pressed("up")] * 3),
        (b"\x1b\x1b[B", [Pressed("escape"), Pressed("down")]),
        (b"\x1b[I\x1b[<35;1;1M\x1b[?62c", []),
        (b"\x1b\r", [Pressed("newline")]),
    ],
)
def test_some_keys(data: bytes, keys: list[Key]) -> None:
    decoder = KeyDecoder()
    assert decoder.feed(data) == keys
    assert not decoder.pending


def test_a_lone_escape_is_a_key_when_nothing_follows() -> None:
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.pending
    assert decoder.flush() == [Pressed("escape")]
    assert decoder.feed(b"\x1b[") == []
    assert decoder.flush() == [Pressed("escape"), Typed("[")]


def test_an_open_paste_is_no_key_that_waits() -> None:
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b[200~half") == []
    assert not decoder.pending
    assert decoder.flush() == []
    assert decoder.feed(b" whole\x1b[201~") == [Pasted("half whole")]
