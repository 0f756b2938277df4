"""The contract with Textual's private parts: this version, these names."""

from __future__ import annotations

from importlib.metadata import version

from textual.app import App
from textual.drivers import linux_driver
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen
from textual.timer import Timer

from agentsup.ui.driver import PRIVATE_NAMES, TEXTUAL_KITTY_PUSH
from agentsup.ui.input_messages import RawKey


def test_textual_is_the_version_we_know() -> None:
    assert tuple(map(int, version("textual").split(".")[:2])) < (8, 3)


def test_the_private_names_exist() -> None:
    assert [(owner, name) for owner, names in PRIVATE_NAMES for name in names if not hasattr(owner, name)] == []


def test_the_private_attributes_exist() -> None:
    used_by = {
        App: {"_driver", "_exception", "_exit_renderables", "_batch_count"},
        Timer: {"_skip"},
        Screen: {"_compositor", "_layout_required"},
        LinuxDriver: {"_file", "_size"},
    }
    for owner, names in used_by.items():
        assigned = {name for base in owner.__mro__ if base is not object for name in _assigned(base)}
        assert names <= assigned, owner
    assert hasattr(Screen, "_compositor_refresh")
    assert {"exit_event", "fileno"} <= _assigned(LinuxDriver)


def test_textual_still_pushes_the_flags_we_replace() -> None:
    flags = (
        linux_driver.KITTY_DISAMBIGUATE_ESCAPE_CODES
        | linux_driver.KITTY_REPORT_ALL_KEYS
        | linux_driver.KITTY_REPORT_ASSOCIATED_TEXT
    )
    assert f"\x1b[>{flags}u" == TEXTUAL_KITTY_PUSH


def test_a_raw_key_is_handled_as_a_key() -> None:
    key = RawKey("enter", "\r", b"\x1b\r")
    assert (key.handler_name, key.key, key.raw) == ("on_key", "enter", b"\x1b\r")


def _assigned(owner: type) -> set[str]:
    code = getattr(vars(owner).get("__init__"), "__code__", None)
    return set(code.co_names) if code is not None else set()
