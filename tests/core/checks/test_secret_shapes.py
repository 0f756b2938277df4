"""Every kind of secret is found and taken out, however it stands in a text, and the text around it stays."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsup.core.checks.secrets import secrets, spans
from agentsup.core.redaction import redacted
from tests.core.checks.secret_examples import NAMES, TOKENS, example

EACH = 25
"""Examples of a kind: what is found by chance is not found."""

WAYS: dict[str, Callable[[str], str]] = {
    "alone": lambda secret: secret,
    "in a line": lambda secret: f"the note says {secret} and no more",
    "in JSON": lambda secret: json.dumps({"summary": ["a", secret]}, ensure_ascii=False),
    "behind a line end of JSON": lambda secret: json.dumps(f"first\n{secret}\nlast", ensure_ascii=False),
    "in JSON in JSON": lambda secret: json.dumps(
        {"a": json.dumps({"b": secret}, ensure_ascii=False)}, ensure_ascii=False
    ),
    "in brackets": lambda secret: f"({secret})",
    "in quotes": lambda secret: f"'{secret}'",
    "in backticks": lambda secret: f"`{secret}`",
    "behind a wide colon": lambda secret: f"令牌：{secret}。然后",
    "in a list": lambda secret: "- a\n- " + secret.replace("\n", "\n  ") + "\n- b\n",
    "quoted": lambda secret: "> " + secret.replace("\n", "\n> "),
    "with other line ends": lambda secret: f"a\r\n{secret}\r\n".replace("\n", "\r\n").replace("\r\r", "\r"),
    "assigned": lambda secret: f"VALUE={secret}",
    "coloured": lambda secret: f"\x1b[32m{secret}\x1b[0m",
}


def test_there_are_at_least_forty() -> None:
    assert len(NAMES) >= 40


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
def test_a_secret_is_taken_out(name: str, way: str) -> None:
    for seed in range(EACH):
        secret = example(name, seed)
        text = WAYS[way](secret.text)
        clean = redacted(text)
        assert not secret.is_seen_in(clean), (text, clean)
        assert "[secret removed: " in clean
        assert redacted(clean) == clean, "done again it changes nothing"
        if "JSON" in way:
            json.loads(clean)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_told_where_it_stands(name: str) -> None:
    secret = example(name)
    found = secrets(f"first line\n  here: {secret.text}\n")
    assert found
    assert found[0].spot.line == 2
    assert found[0].spot.column > 8
    assert not any(secret.is_seen_in(each.kind) for each in found)


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_in_the_name_of_a_file(name: str) -> None:
    for seed in range(EACH):
        secret = example(name, seed)
        clean = redacted(f"notes/{secret.text}.txt")
        assert not secret.is_seen_in(clean)
        assert clean.startswith("notes/") or "http" in secret.text


def test_a_key_in_strings_of_its_own_leaves_the_strings() -> None:
    lines = example("RSA block").text.split("\n")
    assert json.loads(redacted(json.dumps(lines))) == ["[secret removed: private key]", *[""] * (len(lines) - 1)]
    code = 'KEY = ("' + '\\n"\n       "'.join(lines) + '\\n")\nnext = 1\n'
    clean = redacted(code)
    assert not example("RSA block").is_seen_in(clean)
    assert clean.endswith("\nnext = 1\n")
    assert clean.count("\n") == code.count("\n")


def test_what_stands_behind_an_open_key_stays() -> None:
    block = example("block without an end")
    clean = redacted(f"before\n{block.text}\n\nThen the work goes on.\n")
    assert clean.startswith("before\n[secret removed: private key]\n")
    assert clean.endswith("\nThen the work goes on.\n")
    assert not block.is_seen_in(clean)


def test_a_text_without_secrets_is_the_same_object() -> None:
    text = "nothing here, not even a password: none\n"
    assert redacted(text) is text


def test_lines_stay_where_they_are() -> None:
    text = f"a\n{example('RSA block').text}\nb\n"
    assert redacted(text).split("\n").index("b") == text.split("\n").index("b")


def spent(text: str) -> float:
    """Return the least processor time of a few looks at a text, in seconds."""
    times = []
    for _ in range(5):
        before = time.process_time()
        spans(text)
        times.append(time.process_time() - before)
    return min(times)


def usual() -> str:
    """Return four megabytes of code and prose: that of agentsup itself."""
    files = sorted((Path(__file__).parents[3] / "tui" / "agentsup").rglob("*.py"))
    text = "".join(file.read_text() for file in files if "secret" not in file.name and "keys" not in file.name)
    return (text * ((4 << 20) // len(text) + 1))[: 4 << 20]


@pytest.mark.parametrize("more", ["", "修复解析器，然后再检查密码字段的校验逻辑。\n"], ids=["en", "zh"])
def test_four_megabytes_without_secrets_are_read_in_a_moment(more: str) -> None:
    text = usual() + more
    assert spans(text) == ()  # and expressions are compiled
    # About 40 ms on a machine that does nothing else; the double where the other half of a core is at work.
    assert spent(text) < 0.15


PIECES = (
    "a", "A1", "_", "-", "=", "/", " ", "\n", "\\n", '"', "'", ":", ".", "://", "://a:", "a:b@", "eyJ", "eyJa.",
    ".eyJ", "-eyJ-", "sk-", "sk-ant-", "ghp_", "AKIA", "AKIA" + "A" * 16 + " ", "key_", "SK", "password", "password=",
    "password: ", "token=a1", "secret ", "api_key: ", "密", "密码：", "口令", "Bearer ", "bearer a1", "authorization: ",
    "cookie: a=", "curl ", "curl -u a:", "~", "sig=", ":5432:", "a:5432:b:c:", "-----BEGIN ",
    "-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5, "PRIVATE KEY",
    "-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5 + "\n" + "A" * 64 + "\n", "-----END ", "PuTTY-User-Key-File-2: ",
    "login a password ", "AC" + "a" * 32 + " ", "xox", "xoxb-", "hvs.", "SG.", "SG.a.", "LS0tLS1CRUdJTi", "is ",
    "password is ", "<password>", "--token ",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_no_line_of_a_megabyte_makes_it_slow(piece: str) -> None:
    # A quarter of it in a sixteenth of that time is enough: only what grew faster than by the square would be slow.
    assert taken(piece, 1 << 18) < 4 / 16 or taken(piece, 1 << 20) < 4


def taken(piece: str, size: int) -> float:
    line = (piece * size)[:size] + "!"
    before = time.process_time()
    redacted(line)
    return time.process_time() - before
