"""What of the project may run, is law, and is the person's own; and whether the record that says so is sound."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from agentsup.cli.doctor.finding import Finding
from agentsup.core.problems import Problem
from agentsup.store.project_root import project_root
from agentsup.store.trust_key import key, trust_path
from agentsup.store.trust_record import Record, read_record
from agentsup.store.trust_review import Review, review


def look(environment: Mapping[str, str], project: Path) -> Iterator[Finding]:
    """Look at the record, its key and what waits for an answer; a key that can't be used is a Problem, passed on."""
    root = project_root(project)
    yield from _key(environment)
    record = read_record(root, environment)
    yield judged_record(record)
    yield from judged(review(root, environment))


def judged_record(record: Record) -> Finding:
    """Judge a project's record by what is wrong with it, by how much stands there, and by its last word."""
    if record.problem:
        return Finding("trust.record", "problem", record.problem)
    count = {"count": str(len(record.entries))}
    if record.entries and record.entries[-1].verdict == "doubt":
        return Finding("trust.record", "warning", "trust.doubted", count)
    return Finding("trust.record", "ok", "doctor.trust-record" if record.entries else "doctor.trust-no-record", count)


def judged(shown: Review) -> Iterator[Finding]:
    """Judge what there is to be approved."""
    waiting = [file for file in shown.scripts if file.state != "removed"]
    if shown.may_run or not shown.scripts:
        name = "doctor.trust-may-run" if shown.scripts else "doctor.trust-no-scripts"
        yield Finding("trust.scripts", "ok", name, {"count": str(len(waiting))})
    else:
        values = {"count": str(len(waiting)), "path": shown.scripts[0].path}
        yield Finding("trust.scripts", "warning", "doctor.trust-scripts", values)
    yield _counted("files", [file.path for file in shown.contents])
    yield _counted("hard", [rule.title for rule in shown.rules])
    if shown.lost_rules:
        yield _counted("lost", [rule.title for rule in shown.lost_rules])
    if shown.foreign:
        path, origin, _ = shown.foreign[0]
        values = {"count": str(len(shown.foreign)), "path": path, "author": origin.author or "?"}
        yield Finding("trust.memory", "warning", "doctor.trust-memory", values)
    else:
        yield Finding("trust.memory", "ok", "doctor.trust-memory-own")


def _counted(name: str, found: list[str]) -> Finding:
    """Return the finding of a kind of thing of which there should be none; the first one is named."""
    if not found:
        return Finding(f"trust.{name}", "ok", f"doctor.trust-{name}-none")
    return Finding(f"trust.{name}", "warning", f"doctor.trust-{name}", {"count": str(len(found)), "first": found[0]})


def _key(environment: Mapping[str, str]) -> Iterator[Finding]:
    """Look at the key and its folder: others must not even read them. Raises Problem where it is no key."""
    if key(environment, make=False) is None:
        yield Finding("trust.key", "ok", "doctor.trust-no-key")
        return
    for path in (trust_path(environment), *sorted(trust_path(environment).iterdir())):
        try:
            mode = stat.S_IMODE(path.lstat().st_mode)
        except OSError as error:
            raise Problem("trust.unwritable", path=path, reason=error.strerror) from error
        if mode & 0o077:
            yield Finding("trust.key", "warning", "doctor.trust-open", {"path": str(path), "mode": f"{mode:04o}"})
            return
    yield Finding("trust.key", "ok", "doctor.trust-key")
