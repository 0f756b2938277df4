"""Find what has the shape of a key or a password: it would be restored, committed and sent to a model."""

from __future__ import annotations

import re
from typing import NamedTuple

from agentsup.core.memory.lines import lines
from agentsup.core.memory.model import Spot


class Secret(NamedTuple):
    """Where something stands that looks like a secret; never what it is."""

    kind: str
    spot: Spot
    length: int


_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(shape))
    for kind, shape in (
        ("private key", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
        ("Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{10,200}"),
        ("OpenAI key", r"\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,200}"),
        ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})"),
        ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,100}"),
        ("AWS access key", r"\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b"),
        ("Google API key", r"\bAIza[A-Za-z0-9_-]{35}"),
        ("Slack token", r"\b(?:xox[abposr]-[A-Za-z0-9-]{10,200}|xapp-[0-9]-[A-Za-z0-9-]{10,200})"),
        ("Slack webhook", r"https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,100}"),
        ("Stripe key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}"),
        ("npm token", r"\bnpm_[A-Za-z0-9]{30,100}"),
        ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{16,300}"),
        ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,100}"),
        ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
        ("JSON web token", r"\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}"),
        ("authorization header", r"(?i:\bauthorization\s{0,4}:\s{0,4}\w{5,6}\s{1,4})[A-Za-z0-9+/=._~-]{16,2000}"),
        ("bearer token", r"\b[Bb]earer\s{1,4}(?=[A-Za-z._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{20,2000}"),
        ("password in a URL", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,100}:[^\s/:@{}<>$*]{3,100}@"),
    )
)  # fmt: skip

_ASSIGNED = re.compile(
    r"(?i)(?<![A-Za-z0-9])(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret|密码|口令|密钥)"
    r"[\"']?\s{0,4}[:=：＝]\s{0,4}[\"'`]?([^\s\"'`,;，。；、()（）]{8,200})"
)
_NO_VALUE = re.compile(
    r"[<>{}$*\[\]…]|^(?:x+|\.+|-+)$|/|\(|::|(?i:example|your|placeholder|changeme|redacted|environ|getenv)"
)
"""A place to fill in, a name, a path: not the secret itself."""

MOST = 20
"""Secrets told of one text."""

_LINE_MOST = 20_000
"""Characters of a line that are looked at."""


def secrets(text: str) -> tuple[Secret, ...]:
    """Return what looks like a secret, by place; the same place once."""
    found: list[Secret] = []
    for number, whole in lines(text):
        line = whole[:_LINE_MOST]
        taken: list[tuple[int, int]] = []
        for kind, shape in _SHAPES:
            for match in shape.finditer(line):
                if not any(start < match.end() and match.start() < end for start, end in taken):
                    taken.append(match.span())
                    found.append(Secret(kind, Spot(number, match.start() + 1), match.end() - match.start()))
        for match in _ASSIGNED.finditer(line):
            start, end = match.span(1)
            if _is_value(match[1]) and not any(a < end and start < b for a, b in taken):
                found.append(Secret("password", Spot(number, start + 1), end - start))
        if len(found) >= MOST:
            break
    return tuple(sorted(found[:MOST], key=lambda secret: (secret.spot.line, secret.spot.column)))


def _is_value(text: str) -> bool:
    """Tell whether what is assigned is a secret and no word or placeholder: letters and digits, or marks, mixed."""
    if _NO_VALUE.search(text):
        return False
    letters, digits = any(c.isalpha() for c in text), any(c.isdigit() for c in text)
    return letters and digits and text.isascii()
