"""A project's own words in place of the shipped ones: `.agent/templates/NAME`, once a person has approved them.

What is in them is told to the agent as instructions, so they are held to what holds for executables: the texts are
those very bytes whose hash was approved, and a change of any asks for a new approval.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from agentsup.store.documents import exists
from agentsup.store.manifests import TEMPLATE_FOLDER, read_manifest
from agentsup.store.trust_record import approvals

FOLDER = TEMPLATE_FOLDER

SIZE_LIMIT = 64 << 10
"""Largest template that is used, in bytes."""


def approved_templates(
    root: Path, *, witnessed: Collection[str] | None = None, environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the texts of a project's templates by name; none unless all that runs and instructs is approved.

    `witnessed` as in `trust_record.approvals`. What is no UTF-8 or too long is left out.
    """
    if not exists(root, FOLDER):
        return {}
    manifest = read_manifest(root)
    approved = approvals(root, witnessed=witnessed, environment=environment)
    if manifest is None or not approved.scripts or manifest.digest != approved.scripts:
        return {}
    texts = {}
    for file in manifest.files:
        if file.kind == "template" and len(file.data) <= SIZE_LIMIT:
            try:
                texts[file.path.removeprefix(f"{FOLDER}/")] = file.data.decode("utf-8").removeprefix("\ufeff")
            except UnicodeDecodeError:
                continue
    return texts
