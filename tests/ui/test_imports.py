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
