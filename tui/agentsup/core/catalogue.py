"""Every text a person reads, by key, in their language.

A missing key or language falls back and never fails: a half-translated release must still run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Catalogue:
    """Messages of one language, and those to fall back on (English)."""

    messages: Mapping[str, str] = field(default_factory=dict)
    fallback: Mapping[str, str] = field(default_factory=dict)
    language: str = "en"

    def text(self, key: str, /, **values: object) -> str:
        """Return the message for `key` with its {named} values filled in; unknown values stay as they are."""
        return filled(self.messages.get(key) or self.fallback.get(key) or key, **values)

    def has(self, key: str) -> bool:
        """Tell whether there is a message for `key` in any language."""
        return key in self.messages or key in self.fallback


def filled(template: str, /, **values: object) -> str:
    """Return a template with its {named} values filled in; unknown names stay as they are."""
    # Not str.format: a template may come from a translator, a value from an agent; neither may raise.
    return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), template)


def placeholders(template: str) -> frozenset[str]:
    """Return the names of the values a message takes."""
    return frozenset(_PLACEHOLDER.findall(template))


def flatten(tables: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """Return nested tables as one dict of dotted keys."""
    flat: dict[str, str] = {}
    for name, value in tables.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = str(value)
    return flat
