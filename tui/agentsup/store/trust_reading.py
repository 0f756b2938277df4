"""Read what of a project's memory may run, may be law, and is the person's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from agentsup.core.memory.model import Document, Memory
from agentsup.core.trust.manifest import Manifest
from agentsup.core.trust.model import Approvals, Trust, UnitOutput
from agentsup.store.manifests import read_manifest
from agentsup.store.provenance import Provenance, foreign
from agentsup.store.trust_record import approvals


@dataclass(frozen=True)
class Facts:
    """What the record, the files and git say about a memory."""

    approvals: Approvals
    manifest: Manifest | None
    provenance: Provenance
    """Without the files whose exact bytes a person has accepted."""

    @property
    def may_run(self) -> bool:
        """Whether exactly what is there was approved."""
        return self.manifest is not None and self.manifest.digest == self.approvals.scripts


def with_trust(
    root: Path,
    memory: Memory,
    *,
    witnessed: Collection[str] | None = None,
    outputs_sha: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Memory:
    """Return the memory with what holds of it by the record.

    `witnessed` as in `trust_record.approvals`, `outputs_sha` as in `cached_outputs`.
    """
    facts = read_facts(root, memory, witnessed=witnessed, environment=environment)
    held, manifest, may_run = facts.approvals, facts.manifest, facts.may_run
    outputs: tuple[UnitOutput, ...] = ()
    if may_run:
        from agentsup.store.unit_cache import cached_outputs  # few projects have anything that runs

        outputs = cached_outputs(root, held.scripts, environment, outputs_sha=outputs_sha)
    waits = manifest is not None and not may_run
    trust = Trust(
        rules=held.rules,
        contents=held.contents,
        foreign=facts.provenance.files,
        may_run=may_run,
        outputs=outputs,
        waiting=tuple(file.path for file in manifest.files) if manifest and waits else (),
        answered=held.answered,
        begun=held.begun,
        unseen=_has_unseen(root, facts),
        problem=held.problem,
    )
    return replace(memory, trust=trust)


def read_facts(
    root: Path,
    memory: Memory,
    *,
    witnessed: Collection[str] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Facts:
    """Return what is known about a memory; nothing is raised. Asks git once, where there is a repository."""
    held = approvals(root, witnessed=witnessed, environment=environment)
    accepted = {(each.path, each.sha) for each in held.contents}
    paths = [each.path for each in documents(memory) if each.text is not None and (each.path, each.sha) not in accepted]
    provenance = foreign(root, paths, accepted=held.commit) if paths else Provenance()
    return Facts(held, read_manifest(root), provenance)


def documents(memory: Memory) -> Iterator[Document]:
    """Yield every document of a memory."""
    for field in fields(memory):
        value = getattr(memory, field.name)
        if isinstance(value, Document):
            yield value
    for unit in memory.units:
        if not unit.executable:
            yield unit.document


def _has_unseen(root: Path, facts: Facts) -> bool:
    """Whether anything foreign came after the commit that a person has seen last."""
    provenance, seen = facts.provenance, facts.approvals.seen
    if seen and seen == provenance.head:
        return False
    if not provenance.files or not seen or not provenance.known:
        return bool(provenance.files)
    return bool(foreign(root, [path for path, _ in provenance.files], accepted=seen).files)
