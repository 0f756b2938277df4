"""What a person is shown of what a project brings, and what they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentsup.core.memory.decisions import read_decisions
from agentsup.core.memory.model import Document, Memory
from agentsup.core.problems import Problem
from agentsup.core.trust.changes import ChangeState, FileChange, changes, shown_text
from agentsup.core.trust.folding import FOUND, MISSING, counted, is_of_a_look, newest, rule_text
from agentsup.core.trust.manifest import Manifest
from agentsup.core.trust.model import Accepted, Approvals, Origin, Rule, Verdict
from agentsup.core.trust.rules import is_claim, rule_digest, rule_of
from agentsup.core.trust.untouched import UNTOUCHED, as_said
from agentsup.store.placements import INIT_FOLDER
from agentsup.store.project_memory import read_project
from agentsup.store.trust_reading import Facts, documents, read_facts
from agentsup.store.trust_record import Announce, NewEntry, Record, add, approvals, read_record, stored_text

__all__ = ["Answer", "FileChange", "Review", "adopt", "deny", "guarded", "record_answer", "review"]


@dataclass(frozen=True)
class Review:
    """All that there is to answer in a project."""

    root: str
    problem: str = ""
    """A catalogue key where the record is void."""
    first: bool = False
    """Whether nobody has ever answered here."""
    scripts: tuple[FileChange, ...] = ()
    """All files of the manifest, the same ones too, and those that an approved one had."""
    scripts_digest: str = ""
    may_run: bool = False
    contents: tuple[FileChange, ...] = ()
    """Guarded files that are not as they were accepted."""
    content_shas: tuple[tuple[str, str], ...] = ()
    """By path: what exactly was shown (`missing` for a removed one)."""
    rules: tuple[Rule, ...] = ()
    """HARD decisions of the file that nobody approved."""
    lost_rules: tuple[Rule, ...] = ()
    """Approved ones that the file has no longer, or not so."""
    foreign: tuple[tuple[str, Origin, str], ...] = ()
    """Memory that came from others: path, where from, text."""
    commit: str = ""
    """What accepting the memory would accept: HEAD."""

    @property
    def open(self) -> bool:
        """Whether there is anything that a person should answer."""
        asks = self.contents or self.rules or self.lost_rules or self.foreign
        return bool(self.problem or asks or (self.scripts and not self.may_run))


@dataclass(frozen=True)
class Answer:
    """What a person approves of what they were shown."""

    scripts: bool = False
    contents: tuple[str, ...] = ()
    """Paths."""
    rules: tuple[str, ...] = ()
    """Digests."""
    revoked: tuple[str, ...] = ()
    """Digests of approved rules that shall hold no longer."""
    memory: bool = False
    """Whether memory up to this commit is taken for their own."""


def review(root: Path, environment: Mapping[str, str] | None = None) -> Review:
    """Return what there is to answer in a project; what can't be read is left out, nothing is raised."""
    return _reviewed(root, environment)[0]


def record_answer(
    root: Path,
    shown: Review,
    answer: Answer,
    *,
    by: str,
    announce: Announce | None = None,
    environment: Mapping[str, str] | None = None,
) -> Record:
    """Record what a person approves of exactly what they were shown; nothing is recorded where there is nothing to.

    Raises Problem `trust.changed-meanwhile` where what is answered is no longer so, and as `trust_record.add` does.
    """
    now, facts, memory = _reviewed(root, environment)
    _check_unchanged(shown, now, answer)
    new: list[NewEntry] = []
    if answer.scripts:
        new.append(_scripts_entry(facts.manifest, by))
    texts = {each.path: each.text for each in guarded(memory)}
    # Whoever takes the memory for their own need not be asked once more about the same file.
    owned = {path for path, _, _ in shown.foreign} if answer.memory else set()
    for path, sha in shown.content_shas:
        if path in answer.contents or path in owned:
            new.append(NewEntry("content", path, sha, "allow", by, None if sha == MISSING else texts[path]))
    new += [_rule_entry(rule, "allow", by) for rule in shown.rules if rule.digest in answer.rules]
    new += [_rule_entry(rule, "deny", by) for rule in shown.lost_rules if rule.digest in answer.revoked]
    if answer.memory and shown.commit:
        new.append(NewEntry("history", "", shown.commit, "allow", by))
    elif answer.memory:
        # Git says nothing: no commit can be taken for their own, but these very bytes can.
        found = {each.path: each for each in documents(memory)}
        new += [
            NewEntry("content", path, found[path].sha, "allow", by, found[path].text)
            for path, _, _ in shown.foreign
            if found[path].sha
        ]
    if shown.first:
        # What is made later is then seen to be new.
        known = {each.path for each in facts.approvals.contents}
        none = [each.path for each in guarded(memory) if _sha(each) == MISSING and each.path not in known]
        new += [NewEntry("content", path, MISSING, "allow", by) for path in none]
    left = shown.commit if shown.foreign and not answer.memory else ""
    if (left and left != facts.approvals.seen) or (not new and shown.first):
        new.append(NewEntry("seen", "", left, "allow", by))
    return add(root, new, announce=announce, environment=environment)


def deny(root: Path, *, by: str, announce: Announce | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Take back everything that was approved in a project; returns how many things that were. Raises as `add` does."""
    held = approvals(root, environment=environment)
    new = [NewEntry("scripts", "", held.scripts, "deny", by)] if held.scripts else []
    new += [_rule_entry(rule, "deny", by) for rule in held.rules]
    new += [NewEntry("content", each.path, each.sha, "deny", by) for each in held.contents]
    new += [NewEntry("history", "", held.commit, "deny", by)] if held.commit else []
    add(root, new, announce=announce, environment=environment)
    return len(new)


def adopt(root: Path, *, announce: Announce | None = None, environment: Mapping[str, str] | None = None) -> Record:
    """Take the guarded files that nobody else has brought for the person's own, before the first session.

    Once only: afterwards a new file is one that somebody has made. A void record is left as it is. Raises as
    `trust_record.add` does.
    """
    record = read_record(root, environment)
    if record.problem or any(is_of_a_look(entry) for entry in record.entries):
        return record
    memory = read_project(root)
    facts = read_facts(root, memory, environment=environment)
    others = {path for path, _ in facts.provenance.files}
    new = [
        NewEntry("content", each.path, sha, "allow", FOUND, None if sha == MISSING else each.text)
        for each in guarded(memory)
        if (sha := _sha(each)) and each.path not in others
    ]
    if not others and facts.provenance.known and facts.provenance.head:
        new.append(NewEntry("history", "", facts.provenance.head, "allow", FOUND))
    if not new:
        new.append(NewEntry("seen", "", "", "allow", FOUND))  # so that the next one is not the first
    return add(root, new, announce=announce, environment=environment)


def guarded(memory: Memory) -> tuple[Document, ...]:
    """Return the files that are restored as a person has accepted them: task, contract, and the texts of init.d."""
    units = (unit.document for unit in memory.units if not unit.executable)
    return (memory.task, memory.contract, memory.conventions, *units)


def _reviewed(root: Path, environment: Mapping[str, str] | None) -> tuple[Review, Facts, Memory]:
    memory = read_project(root)
    facts = read_facts(root, memory, environment=environment)
    held, manifest = facts.approvals, facts.manifest
    approved = _approved_manifest(root, held, environment)
    contents, shas = _contents(memory, held.contents)
    rules, lost = _rules(memory, held.rules)
    texts = {each.path: each.text or "" for each in documents(memory)}
    return Review(
        root=str(root),
        problem=held.problem,
        first=not held.answered,
        scripts=changes(approved, manifest),
        scripts_digest=manifest.digest if manifest else "",
        may_run=facts.may_run,
        contents=contents,
        content_shas=shas,
        rules=rules,
        lost_rules=lost,
        foreign=tuple((path, origin, shown_text(texts[path])) for path, origin in facts.provenance.files),
        commit=facts.provenance.head,
    ), facts, memory  # fmt: skip


def _approved_manifest(root: Path, held: Approvals, environment: Mapping[str, str] | None) -> Manifest | None:
    """Return the manifest that was approved last, as far as its texts were kept."""
    if not held.scripts:
        return None
    entry = newest(counted(read_record(root, environment).entries), "scripts")
    text = stored_text(root, entry.text, environment) if entry else None
    try:
        return Manifest.from_text(text) if text else None
    except ValueError:
        return None


def _contents(
    memory: Memory, accepted: Sequence[Accepted]
) -> tuple[tuple[FileChange, ...], tuple[tuple[str, str], ...]]:
    """Return the guarded files that are not as they were accepted, and what they are now."""
    known = {each.path: as_said(each) for each in accepted}
    there = guarded(memory)
    paths = {each.path for each in there}
    gone = [Document(path) for path in known if path.startswith(f"{INIT_FOLDER}/") and path not in paths]
    found, shas = [], []
    for document in (*there, *gone):
        sha, old = _sha(document), _accepted_as(document.path, known)
        if not sha or sha == (old.sha if old else MISSING):
            continue
        path = old.path if old and sha == MISSING else document.path
        before = old.text if old else None
        state: ChangeState = "new" if before is None else "removed" if document.text is None else "changed"
        found.append(FileChange(path, state, False, shown_text(before or ""), shown_text(document.text or "")))
        shas.append((path, sha))
    return tuple(found), tuple(shas)


def _accepted_as(path: str, known: Mapping[str, Accepted]) -> Accepted | None:
    """Return what was accepted of a file; of task and contract also where they stood at the root or in .agent."""
    name = path.removeprefix(".agent/")
    others = (f".agent/{name}", name) if name.endswith(("TASK.md", "CONTRACT.md")) else ()
    return next((known[each] for each in (path, *others) if each in known), None)


def _sha(document: Document) -> str:
    """Return what stands for a guarded file as it is; empty for one that can't be read whole as a text."""
    if document.sha in UNTOUCHED:
        return MISSING
    if document.text is None:
        return "" if document.problem else MISSING
    return document.sha


def _rules(memory: Memory, held: Sequence[Rule]) -> tuple[tuple[Rule, ...], tuple[Rule, ...]]:
    """Return the HARD decisions that are not approved, each once, and the approved ones that the file has lost."""
    claimed = {
        rule_digest(each): each for each in read_decisions(memory.decisions.text or "").decisions if is_claim(each)
    }
    approved = {rule.digest for rule in held}
    new = tuple(rule_of(decision) for digest, decision in claimed.items() if digest not in approved)
    return new, tuple(rule for rule in held if rule.digest not in claimed)


def _rule_entry(rule: Rule, verdict: Verdict, by: str) -> NewEntry:
    return NewEntry("rule", rule.digest, rule.digest, verdict, by, rule_text(rule) if verdict == "allow" else None)


def _scripts_entry(manifest: Manifest | None, by: str) -> NewEntry:
    """Return the approval of a manifest; that there is none any more takes back the one there was."""
    if manifest is None:
        return NewEntry("scripts", "", "", "deny", by)
    return NewEntry("scripts", "", manifest.digest, "allow", by, manifest.to_text())


def _check_unchanged(shown: Review, now: Review, answer: Answer) -> None:
    """Raise Problem where something that is approved is not what was shown, or was not shown at all."""
    is_same = (
        (not answer.scripts or (shown.scripts and shown.scripts_digest == now.scripts_digest))
        and _of(shown.content_shas, answer.contents) == _of(now.content_shas, answer.contents)
        and {path for path, _ in shown.content_shas} >= set(answer.contents)
        and {rule.digest for rule in shown.rules} & {rule.digest for rule in now.rules} >= set(answer.rules)
        and {rule.digest for rule in shown.lost_rules} & {rule.digest for rule in now.lost_rules} >= set(answer.revoked)
        and (not answer.memory or (shown.foreign, shown.commit) == (now.foreign, now.commit))
    )
    if not is_same:
        raise Problem("trust.changed-meanwhile", path=shown.root)


def _of(shas: Sequence[tuple[str, str]], paths: Sequence[str]) -> set[tuple[str, str]]:
    return {(path, sha) for path, sha in shas if path in paths}
