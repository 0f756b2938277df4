"""Take what looks like a secret out of texts, before they are kept, shown or restored: a mark says what was there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from agentsup.core.checks.secrets import spans
from agentsup.core.memory.model import Document, Memory, Work
from agentsup.core.trust.model import Trust

MARK = "[secret removed: {kind}]"


def redacted(text: str) -> str:
    """Return a text with marks in place of secrets, line for line; the same object where there are none."""
    found = spans(text)
    if not found:
        return text
    pieces: list[str] = []
    done = 0
    for span in found:
        pieces.append(text[done : span.start])
        if not span.more:
            pieces.append(MARK.format(kind=span.kind))
        # What stands below stays at its line: findings and commands name it.
        pieces.append("\n" * text.count("\n", span.start, span.end))
        done = span.end
    return "".join((*pieces, text[done:]))


def redacted_all(texts: Sequence[str]) -> tuple[str, ...]:
    """Return texts without secrets, each read by itself."""
    joined = "\n".join(texts)
    # Mostly there is nothing: then one look at all of them is enough.
    return tuple(texts) if redacted(joined) is joined else tuple(map(redacted, texts))


def redacted_value(value: object) -> object:
    """Return what a command prints as JSON with marks in place of secrets."""
    match value:
        case str():
            return redacted(value)
        case dict():
            return {redacted_value(name): redacted_value(each) for name, each in value.items()}
        case list() | tuple():
            return [redacted_value(each) for each in value]
        case _:
            return value


def without_secrets(memory: Memory) -> Memory:
    """Return a memory whose texts have no secrets in them; files keep the names by which they are known."""
    documents = {
        name: without_secrets_in(document)
        for name, document in ((each.name, getattr(memory, each.name)) for each in fields(memory))
        if isinstance(document, Document)
    }
    changed: dict[str, Any] = dict(documents)
    return replace(
        memory,
        **changed,
        units=tuple(replace(unit, document=without_secrets_in(unit.document)) for unit in memory.units),
        structure=redacted_all(memory.structure),
        task_name=redacted(memory.task_name),
        task_names=redacted_all(memory.task_names),
        task_missing=redacted(memory.task_missing),
        task_unusable=redacted_all(memory.task_unusable),
        doubles=tuple((redacted(used), redacted(left)) for used, left in memory.doubles),
        trust=_clean_trust(memory.trust),
    )


def work_without_secrets(work: Work) -> Work:
    """Return what the agent has done without secrets in its words."""
    return replace(
        work,
        last_request=redacted(work.last_request),
        edited=redacted_all(work.edited),
        edited_since_engram=redacted_all(work.edited_since_engram),
        succeeded=redacted_all(work.succeeded),
        recent_calls=redacted_all(work.recent_calls),
    )


def without_secrets_in(document: Document) -> Document:
    """Return a file as it was read, but for secrets."""
    text = None if document.text is None else redacted(document.text)
    return document if text is document.text else replace(document, text=text)


def _clean_trust(trust: Trust) -> Trust:
    return replace(
        trust,
        # The digest is of the words without secrets: `trust.rules.rule_digest`.
        rules=tuple(replace(rule, title=redacted(rule.title), reason=redacted(rule.reason)) for rule in trust.rules),
        contents=tuple(
            replace(each, text=None if each.text is None else redacted(each.text)) for each in trust.contents
        ),
        foreign=tuple((path, replace(origin, author=redacted(origin.author))) for path, origin in trust.foreign),
        outputs=tuple(
            replace(output, text=redacted(output.text), detail=redacted(output.detail)) for output in trust.outputs
        ),
    )
