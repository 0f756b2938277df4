"""However the stream is cut, the tokens are the same, and joined they are the stream."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsup.ui.input_bytes import HOLD_LONE, InputBytes, Token

KEYS = [
    b"a", "余é🎉".encode(), b"\r", b"\x03", b"\x00", b"\x1b\r", b"\x1bb", b"\x1b[A", b"\x1bOP",
    b"\x1b[1;5C", b"\x1b[15~",
    b"\x1b[27;2;13~", b"\x1b[13;2u", b"\x1b[97;5:3u", "\x1bü".encode(), b"\x1b\x1b[A",
    b"\x1b]", b"\x1bP", b"\x1b_a", b"\xff",
    b"\x1b[2$", b"\x1b[23$", b"\x1b[2$y", b"\x1b[7^", b"\x1b[8@", b"\x1b[[A", b"\x1bOa",
]  # fmt: skip
OTHERS = [
    b"\x1b[<0;10;5M", b"\x1b[<35;1;1m", b"\x1b[M !!", b"\x1b[I", b"\x1b[O", b"\x1b[?2026;2$y", b"\x1b[?62;4c",
    b"\x1b[?1u", b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", b"\x1b]52;c;YQ==\x07",
    b"\x1bP>|tmux 3.3a\x1b\\", b"\x1b_Gi=1;OK\x1b\\",
    b"\x1b[48;24;80;480;800t", b"\x1b[200~", b"\x1b[201~", b"\x1b[200~a\r\x1b[Ab\xff\x1b[201~",
]  # fmt: skip
streams = st.lists(st.sampled_from(KEYS + OTHERS) | st.binary(max_size=6), max_size=12).map(b"".join)


def tokens(pieces: list[bytes]) -> list[tuple[str, bytes]]:
    """Feed pieces, flush, and join what only the cuts have parted."""
    source = InputBytes()
    found: list[Token] = [token for piece in pieces for token in source.feed(piece)] + source.flush()
    joined: list[tuple[str, bytes]] = []
    for token in found:
        goes_on = joined and (not token.first or (token.kind == "text" and joined[-1][0] == "text"))
        if goes_on:
            joined[-1] = (token.kind, joined[-1][1] + token.data)
        else:
            joined.append((token.kind, token.data))
    return joined


@given(streams, st.data())
def test_cuts_change_nothing(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[a:b] for a, b in itertools.pairwise([0, *cuts, len(stream)])]
    assert tokens(pieces) == tokens([stream])
    assert tokens([bytes([byte]) for byte in stream]) == tokens([stream])


@given(streams)
def test_no_byte_is_lost(stream: bytes) -> None:
    source = InputBytes()
    joined = b""
    for token in [*source.feed(stream), *source.flush()]:
        begins, ends = (b"\x1b[200~", b"\x1b[201~") if token.kind == "paste" else (b"", b"")
        joined += (begins if token.first else b"") + token.data + (ends if token.last else b"")
    # A paste that is still open keeps at most its marker and a beginning of the end marker.
    assert stream.startswith(joined)
    assert len(stream) - len(joined) <= len(b"\x1b[200~") + len(b"\x1b[201") or joined == stream


@pytest.mark.parametrize("key", KEYS)
def test_keys_come_as_they_are(key: bytes) -> None:
    found = tokens([key])
    assert b"".join(data for _, data in found) == key
    assert {kind for kind, _ in found} <= {"text", "key"}


def test_kinds() -> None:
    kinds = [kind for other in OTHERS[:-3] for kind, _ in tokens([other])]
    assert kinds == ["mouse"] * 3 + ["focus"] * 2 + ["reply"] * 8


def test_a_paste_comes_whole_whatever_it_holds() -> None:
    text = bytes(range(256)) * 4096 + b"\x1b[200~ \x1b[201"
    assert tokens([b"x\x1b[200~" + text + b"\x1b[201~y"]) == [("text", b"x"), ("paste", text), ("text", b"y")]


def test_escape_is_held_briefly_and_reports_longer() -> None:
    source = InputBytes()
    assert source.feed(b"\x1b") == []
    assert source.hold == HOLD_LONE <= 0.010
    assert source.flush() == [Token("key", b"\x1b")]
    source.feed(b"\x1b[<0;1")
    assert (source.hold or 0) > 0.1
    assert source.feed(b";1M") == [Token("mouse", b"\x1b[<0;1;1M")]
    assert source.hold is None


def test_an_endless_reply_is_let_go_in_pieces() -> None:
    reply = b"\x1b]52;c;" + b"A" * 200_000 + b"\x07"
    pieces = [reply[at : at + 4096] for at in range(0, len(reply), 4096)]
    assert tokens([*pieces, b"k"]) == [("reply", reply), ("text", b"k")]
