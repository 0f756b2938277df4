"""The headless parts never load the interface's library: commands and hooks must be quick."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "package", ["agentsup.core.session", "agentsup.protocol.wire", "agentsup.host", "agentsup.locale"]
)
def test_textual_is_not_loaded(package: str) -> None:
    program = f"import {package}, sys; sys.exit('textual' in sys.modules or 'rich' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_interface_starts_without_what_only_its_dialogs_need() -> None:
    program = (
        "import agentsup.ui.app, sys;"
        "late = {'agentsup.ui.trust_review', 'agentsup.store.trust_review', 'agentsup.ui.engram_editor',"
        " 'agentsup.ui.engram_desk', 'agentsup.core.checks.engram', 'textual.widgets._text_area'};"
        "sys.exit(str(late & sys.modules.keys() or ''))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stderr.strip() == ""
