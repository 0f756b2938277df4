"""Hooks of ours on Codex's command line: beside the person's own, reviewed by the program itself, or not at all."""

from __future__ import annotations

import json
import stat
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from agentsup.agents import codex_hooks
from agentsup.agents.adapter import Place
from agentsup.agents.codex import Codex

HOOK = ("/usr/bin/python 3", "-I", "-S", "/a b/hook_client.py", "codex")
KEYS = codex_hooks.KEYS
PROJECTS = "/project/.codex/hooks.json:pre_tool_use:0:0"
TRUST = json.dumps(dict.fromkeys(KEYS, "sha256:1"))

SERVER = """\
#!{python}
import json, os, sys
home = os.environ["CODEX_HOME"]
mode, keys = open({mode!r}).read(), {keys!r}
with open({log!r}, "a") as log:
    print(json.dumps([sys.argv[1:], home, os.getcwd(), sorted(os.listdir(home))]), file=log)
settings = [sys.argv[n + 1] for n, word in enumerate(sys.argv) if word == "-c"]
trusted = any(setting.startswith("hooks.state=") for setting in settings)
if mode == "dies":
    sys.exit(1)
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("id") == 1:
        print(json.dumps({{"id": 1, "result": {{}}}}), flush=True)
        print(json.dumps({{"method": "configWarning", "params": {{}}}}), flush=True)
    elif asked.get("id") == 2:
        if mode == "hangs":
            continue
        while mode in ("chatters", "floods"):
            sys.stdout.write("{{}}\\n" * (1 if mode == "chatters" else 100_000))
            sys.stdout.flush()
        if mode == "others":
            keys = ("/a:session_start:0:0", "/a:user_prompt_submit:0:0")
        if mode == "garbage":
            print("no json", flush=True)
            continue
        hooks = [
            {{"key": key, "currentHash": "sha256:" + str(number), "source": "sessionFlags",
              "trustStatus": "trusted" if trusted and mode != "stubborn" else "untrusted"}}
            for number, key in enumerate(keys)
        ]
        hooks.append({{"key": "x", "currentHash": "y", "source": "user", "trustStatus": "untrusted"}})
        print(json.dumps({{"id": 2, "result": {{"data": [{{"cwd": home, "hooks": hooks}}]}}}}), flush=True)
"""


class FakeCodex:
    """A program that answers as `codex app-server` does."""

    def __init__(self, folder: Path, mode: str) -> None:
        self.path, self._log = folder / "codex", folder / "log"
        (folder / "mode").write_text(mode)
        text = SERVER.format(python=sys.executable, mode=str(folder / "mode"), log=str(self._log), keys=KEYS)
        self.path.write_text(text)
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def calls(self) -> list[tuple[list[str], str, str, list[str]]]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]


def hooked(*arguments: str, **place: object) -> Place:
    return replace(Place("codex", arguments, hook=HOOK, hook_trust=TRUST), **place)  # type: ignore[arg-type]


def given(words: list[str]) -> dict[str, object]:
    """Return the -c settings of a command line as Codex reads them."""
    settings = [words[number + 1] for number, word in enumerate(words) if word == "-c"]
    return {key: tomllib.loads(f"x={value}")["x"] for key, _, value in (s.partition("=") for s in settings)}


def test_a_launch_carries_them_and_their_review() -> None:
    words = Codex().launch(hooked("-m", "gpt-5.5", "resume", "--last"))
    assert words[:6] == ["codex", "--no-daemon", "-m", "gpt-5.5", "resume", "--last"]
    settings = given(words)
    for event in codex_hooks.EVENTS:
        hook = {
            "type": "command", "timeout": codex_hooks.TIMEOUT, "additionalContextLimit": codex_hooks.CONTEXT_MOST,
            "command": f"'/usr/bin/python 3' -I -S '/a b/hook_client.py' codex {event} || true",
        }  # fmt: skip
        assert settings[f"hooks.{event}"] == [{"hooks": [hook]}]
    assert settings["hooks.state"] == {key: {"trusted_hash": "sha256:1"} for key in KEYS}
    assert Codex().without_hooks(hooked()) == ""
    assert len(Codex().fresh_launch(hooked("x"), "P")) == len(Codex().launch(hooked("x"))) + 1


def test_without_hooks_a_launch_is_as_before() -> None:
    assert Codex().launch(Place("codex", ("x",), hook_trust=TRUST)) == ["codex", "--no-daemon", "x"]
    assert Codex().without_hooks(Place("codex")) == ""


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("-c", "hooks.SessionStart=[]"), "hooks.own"),
        (("-chooks.UserPromptSubmit=[]",), "hooks.own"),
        (("--config=hooks.state={}",), "hooks.own"),
        (("-c", 'hooks.state."x".trusted_hash="y"'), "hooks.own"),
        (("-c", "hooks={}"), "hooks.own"),
        (("--disable", "hooks"), "hooks.off"),
        (("--disable=hooks",), "hooks.off"),
        (("-c", "features.hooks=false"), "hooks.off"),
        (("-c", "hooks.PreToolUse=[]"), ""),
        (("--disable", "web_search"), ""),
        (("-c", "features.hooks=true"), ""),
        (("exec", "x"), "hooks.no-agent"),
        (("--remote", "unix://"), "hooks.no-agent"),
    ],
)
def test_what_the_person_says_on_the_command_line_goes_first(arguments: tuple[str, ...], problem: str) -> None:
    assert Codex().without_hooks(hooked(*arguments)) == problem
    has_ours = any("hook_client" in word for word in Codex().launch(hooked(*arguments)))
    assert has_ours is not bool(problem)


def test_hooks_that_a_file_switches_off_stay_off(tmp_path: Path) -> None:
    place = hooked(environment={"CODEX_HOME": str(tmp_path)}, project=tmp_path)
    (tmp_path / "config.toml").write_text("[features]\nhooks = false\n")
    assert Codex().without_hooks(place) == "hooks.off"
    (tmp_path / "config.toml").write_text("[[hooks.SessionStart]]\nhooks = []\n[features]\nhooks = true\n")
    assert Codex().without_hooks(place) == ""


@pytest.mark.parametrize(
    "trust",
    [
        "", "{}", "[]", "nonsense", json.dumps({KEYS[0]: "sha256:1"}), json.dumps({PROJECTS: "sha256:1"}),
        json.dumps(dict.fromkeys((*KEYS, PROJECTS), "sha256:1")), json.dumps(dict.fromkeys((KEYS[0], PROJECTS), "x")),
    ],
)  # fmt: skip
def test_without_a_review_there_are_none(trust: str) -> None:
    assert Codex().without_hooks(hooked(hook_trust=trust)) == "hooks.not-trusted"
    assert Codex().launch(hooked(hook_trust=trust)) == ["codex", "--no-daemon"]


def test_the_program_reviews_them_in_a_folder_of_its_own(tmp_path: Path) -> None:
    codex = FakeCodex(tmp_path, "answers")
    place = hooked(program=str(codex.path), environment={"CODEX_HOME": "/persons", "HOME": "/persons", "PATH": "/bin"})
    trust = Codex().review_hooks(place)
    assert json.loads(trust) == {KEYS[0]: "sha256:0", KEYS[1]: "sha256:1"}
    first, second = codex.calls()
    ours = codex_hooks.definitions(HOOK)
    assert first[0] == ["app-server", "-c", ours[0], "-c", ours[1]]
    assert second[0][:5] == first[0]
    assert second[0][6].startswith("hooks.state={")
    for _, home, here, entries in (first, second):
        assert home == here != "/persons"
        assert entries == ["config.toml"]
        assert not Path(home).exists()


@pytest.mark.parametrize("mode", ["garbage", "stubborn", "others"])
def test_a_program_that_does_not_review_them_gets_none(tmp_path: Path, mode: str) -> None:
    assert Codex().review_hooks(hooked(program=str(FakeCodex(tmp_path, mode).path))) == ""


def test_a_program_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codex_hooks, "ASK_DEADLINE", 0.5)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        Codex().review_hooks(hooked(program=str(FakeCodex(tmp_path, "hangs").path)))
    assert time.monotonic() - began < 5


def test_nor_is_one_that_never_falls_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codex_hooks, "ASK_DEADLINE", 0.5)
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        Codex().review_hooks(hooked(program=str(FakeCodex(tmp_path, "chatters").path)))
    assert time.monotonic() - began < 10


def test_of_one_that_says_too_much_not_all_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codex_hooks, "ASK_DEADLINE", 600)
    assert Codex().review_hooks(hooked(program=str(FakeCodex(tmp_path, "floods").path))) == ""


def test_a_program_that_ends_or_is_none_has_refused_nothing(tmp_path: Path) -> None:
    for program in (FakeCodex(tmp_path, "dies").path, tmp_path / "none"):
        with pytest.raises((ConnectionError, FileNotFoundError)):
            Codex().review_hooks(hooked(program=str(program)))
