"""Tokens are counted as OpenAI's vocabulary has them, without a network, and guessed where that can't be."""

from __future__ import annotations

import builtins
import gzip
import importlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiktoken import Encoding

from agentsup import tokens
from agentsup.tokens import Count, count, guess, o200k, pipe


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Load the vocabulary anew in every test that asks for it, as far as it does something to it."""
    yield
    if o200k.load() is None:
        o200k.load.cache_clear()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("hello world", 2), ("你好，世界", 3), ("<|endoftext|>", 7), ("\ud800", 1), ("a  b", 3)],
)
def test_counts(text: str, expected: int) -> None:
    assert count(text) == Count(expected, True)


def test_the_encoding_is_the_one_that_tiktoken_would_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its cache, by the hash of the address: with the file there it has nothing to download.
    (tmp_path / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(gzip.decompress(_ours()))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    theirs = Encoding(**importlib.import_module("tiktoken_ext.openai_public").o200k_base())
    ours = o200k.load()
    assert ours is not None
    for name in ("_pat_str", "_mergeable_ranks", "_special_tokens", "max_token_value"):
        assert getattr(ours, name) == getattr(theirs, name)


_NO_NETWORK = """
import socket
def refused(*arguments, **options):
    raise AssertionError("the network was asked")
socket.socket = socket.create_connection = socket.getaddrinfo = refused
from agentsup.tokens import count
import sys
assert "tiktoken" not in sys.modules, "loaded before it is needed"
print(count("hello world"))
import tiktoken
print(tiktoken.get_encoding("o200k_base").encode("hello world"), tiktoken.encoding_for_model("gpt-5").name)
"""


def test_no_network_is_ever_asked(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "PYTHONPATH")}
    environment = kept | {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", _NO_NETWORK], capture_output=True, text=True, env=environment, check=False
    )  # fmt: skip
    assert done.stdout.splitlines() == ["Count(tokens=2, exact=True)", "[24912, 2375] o200k_base"], done.stderr
    assert list(tmp_path.iterdir()) == []


class Broken:
    """A package folder whose vocabulary is something else."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def joinpath(self, _: str) -> Broken:
        return self

    def read_bytes(self) -> bytes:
        return self._data


def _ours() -> bytes:
    return files(tokens).joinpath("o200k_base.tiktoken.gz").read_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: b"not packed at all",
        lambda data: data[: len(data) // 2],
        lambda data: data[:1000] + b"\0" * 64 + data[1064:],
        lambda data: gzip.compress(gzip.decompress(data)[:-1]),
        lambda data: gzip.compress(gzip.decompress(data).replace(b"IQ== 0", b"IQ== 1", 1)),
    ],
)
def test_a_damaged_vocabulary_is_not_used(damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    o200k.load.cache_clear()
    monkeypatch.setattr(o200k, "files", lambda _: Broken(damage(_ours())))
    assert count("hello world") == Count(3, False)


def test_without_tiktoken_tokens_are_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *arguments: object, **options: object) -> object:
        if name.partition(".")[0] == "tiktoken":
            raise ImportError(name)
        return real(name, *arguments, **options)  # type: ignore[arg-type]

    o200k.load.cache_clear()
    monkeypatch.setattr(builtins, "__import__", refuse)
    assert count("hello world") == Count(3, False)


@given(st.text())
def test_a_guess_is_a_quarter_of_the_bytes(text: str) -> None:
    assert guess(text) * 4 - 3 <= len(text.encode("utf-8", "replace")) <= guess(text) * 4


@given(st.lists(st.builds(Count, st.integers(0, 2**32 - 1), st.booleans())), st.binary(max_size=pipe.COUNT_SIZE - 1))
def test_answers_survive_the_pipe(sent: list[Count], part: bytes) -> None:
    assert pipe.counts(b"".join(map(pipe.pack_count, sent)) + part) == sent


@given(st.binary(max_size=100))
def test_texts_survive_the_pipe(text: bytes) -> None:
    sent = io.BytesIO(pipe.pack_text(text))
    assert sent.read(pipe.length(sent.read(pipe.LENGTH_SIZE))) == text


def test_the_counting_process_answers_in_order_and_ends_with_its_input() -> None:
    texts = ["hello world", "", "你好，世界", "x" * 100_000]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "agentsup.tokens"],
        input=b"".join(pipe.pack_text(text.encode()) for text in texts) + b"\0\0", capture_output=True, check=True,
    )  # fmt: skip
    assert pipe.counts(done.stdout) == [count(text) for text in texts]
    assert done.stderr == b""


def test_the_notice_of_its_makers_ships_with_the_vocabulary() -> None:
    notice = files(tokens).joinpath("NOTICE").read_text()
    assert "MIT License" in notice
    assert "Copyright (c) 2022 OpenAI, Shantanu Jain" in notice
