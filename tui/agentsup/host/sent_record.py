"""What was sent, as far as it is on disk: how hosts before this one left it, and what this one adds."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.core.occasion import BREAKER, COMPACTION, VERDICT, Occasion
from agentsup.core.restore.difference import name_of
from agentsup.core.restore.frame import Frame
from agentsup.host import clock
from agentsup.locale import LANGUAGES, restore_frame
from agentsup.store.injection_record import InjectionRecord, Recorded

_BEGUN = ("writing", "submitted")
_OVER = ("confirmed", "failed", "dropped")


@dataclass(frozen=True)
class _Restore:
    """A restore that was sent, or dropped: the number of it in its conversation, and whether it stands there typed."""

    conversation: str
    number: int
    is_typed: bool


class SentRecord:
    """The record of one session's injections."""

    def __init__(self, record: InjectionRecord) -> None:
        self._record = record
        self._earlier = record.read()
        resets = [each for each in self._earlier if each.kind == BREAKER]
        self._resets = {each.conversation: self._earlier.pop(each).time for each in resets}
        self._newest = dict(self._earlier)
        """The same with what this host has added."""
        self.conversation = ""
        """The one that the agent is in now."""
        self._restored: set[str] = set()
        """Compactions whose restore has arrived, by the agent's own names."""
        self._restores: dict[str, _Restore] = {}
        self._met: dict[str, dict[str, _Restore]] = {}
        """By conversation, what its log held when it was begun: sent by other sessions, or copied from elsewhere."""
        for known in self._earlier.values():
            self._note(known)
        self.is_whole = True
        """Whether all that was added since somebody set this is on the disk."""

    def earlier(self, occasion: Occasion) -> Recorded | None:
        """Return how a host before this one left it; None where there is nothing of it."""
        return self._earlier.get(occasion)

    def arrived(self, conversation: str, texts: Iterable[str]) -> list[Recorded]:
        """Return what is over of a conversation and is in one of these texts."""
        return [
            known for occasion, known in self._newest.items()
            if known.state in _OVER and occasion.kind != VERDICT and occasion.is_of(conversation)
            and known.print is not None and any(inj.arrived(text, known.print) != "no" for text in texts)
        ]  # fmt: skip

    def begun(self, conversation: str) -> list[Recorded]:
        """Return what hosts before this one have left in the middle in a conversation, compactions apart."""
        return [
            known for occasion, known in self._earlier.items()
            if known.state in _BEGUN and occasion.kind != COMPACTION and occasion.is_of(conversation)
        ]  # fmt: skip

    def begun_compactions(self, conversation: str) -> list[Recorded]:
        """Return the restores of compactions that hosts before this one have left in the middle, newest first."""
        known = reversed(self._compactions(conversation))
        return [each for each in known if each.state in _BEGUN and not each.occasion.is_ahead]

    def ahead(self, conversation: str, *, early: bool) -> list[tuple[inj.Ahead, Recorded]]:
        """Return the restores that hooks have got from hosts before this one, and whose compaction had no name yet."""
        known = self._compactions(conversation)
        named = {each.id for each in known if not each.occasion.is_ahead}
        return [
            (inj.Ahead(each.id, conversation, clock.at(each.time), early=early), each) for each in known
            if each.occasion.is_ahead and each.id not in named
        ]  # fmt: skip

    def was_restored(self, compaction: str) -> bool:
        """Say whether the restore of a compaction has arrived, in whatever conversation: branches hold it once more."""
        return compaction in self._restored

    def newest(self, conversation: str, *, but: str = "") -> int:
        """Return the highest number that a restore in a conversation has, leaving one out; 0 where there is none."""
        return max((each.number for id, each in self._in(conversation).items() if id != but), default=0)

    def number(self, id: str) -> int:
        """Return the number of a restore; 0 of any other text."""
        known = self._restores.get(id)
        return known.number if known is not None else 0

    def typed(self, conversation: str) -> int:
        """Return how many restores were typed into a conversation and have arrived."""
        return sum(each.is_typed for each in self._in(conversation).values())

    def met(self, conversation: str, text: str, *, is_typed: bool) -> None:
        """Note a text of ours that the log of a conversation held when it was begun, where it is a restore."""
        for frame in _frames():
            name = name_of(text, frame)
            if name is not None and name.id and name.occasion != "cold-start":
                self._met.setdefault(conversation, {})[name.id] = _Restore(conversation, name.number, is_typed)
                return

    def _in(self, conversation: str) -> dict[str, _Restore]:
        """Return the restores of a conversation by their ids."""
        own = {id: each for id, each in self._restores.items() if each.conversation == conversation}
        return self._met.get(conversation, {}) | own

    def append(self, event: ev.InjectionChanged, print: inj.Print, number: int = 0) -> None:
        """Add a state that has to survive; `is_whole` is no more where it is not on the disk."""
        conversation = ""
        if number and not event.occasion.conversation:
            before = self._restores.get(event.id)
            conversation = self.conversation if before is None or event.state == "writing" else before.conversation
        known = Recorded(
            event.id, event.occasion, event.state, event.time, event.channel, print.at, print.size, print.sha, number,
            conversation,
        )  # fmt: skip
        try:
            self._record.append(known)
        except OSError:
            self.is_whole = False
        self._newest[known.occasion] = known
        self._note(known)

    def unjudged(self) -> list[Recorded]:
        """Return the texts of hosts before this one that have arrived, and after which nothing read back was judged."""
        return [
            known for known in self._earlier.values()
            if known.state == "confirmed" and known.occasion.kind != VERDICT and not self.was_judged(known.id)
        ]  # fmt: skip

    def was_judged(self, id: str) -> bool:
        """Say whether what was read back after a text was judged."""
        return Occasion(VERDICT, name=id) in self._earlier

    def judged(self, id: str, when: float) -> None:
        """Add that it was; where that could not be written, another host may judge it once more."""
        known = Recorded(id, Occasion(VERDICT, name=id), "confirmed", when)
        self._earlier[known.occasion] = known
        with contextlib.suppress(OSError):
            self._record.append(known)

    def write_rest(self, named: str, text: str) -> bool:
        """Write the file that a short text names; False where that can't be."""
        try:
            self._record.rest.write(named, text)
        except OSError:
            return False
        return True

    def reset(self, conversation: str) -> float:
        """Return when a person last let restores go on in a conversation, after a storm; 0 for never."""
        of_an_earlier_version = self._resets.get("", 0.0)
        return max(self._resets.get(conversation, 0.0), of_an_earlier_version)

    def breaker_reset(self, conversation: str, when: float) -> bool:
        """Add that restores go on in a conversation; False where it could not be written."""
        self._resets[conversation] = when
        try:
            self._record.breaker_reset(conversation, when)
        except OSError:
            return False
        return True

    def _compactions(self, conversation: str) -> list[Recorded]:
        return [
            known for occasion, known in self._earlier.items()
            if occasion.kind == COMPACTION and occasion.conversation == conversation
        ]  # fmt: skip

    def _note(self, known: Recorded) -> None:
        """Remember what a restore in this state means for the next ones."""
        occasion, has_arrived = known.occasion, known.state == "confirmed"
        if has_arrived and occasion.kind == COMPACTION:
            self._restored.add(occasion.name)
        if not known.number and not occasion.restores:
            return
        conversation = occasion.conversation or known.conversation
        # Records of an earlier version number none: they hold all of them, in their order.
        number = known.number or self.number(known.id) or self.newest(conversation) + 1
        self._restores[known.id] = _Restore(conversation, number, has_arrived and known.channel == "stdin")


@cache
def _frames() -> tuple[Frame, ...]:
    """Return the sentences of all languages: another session may have spoken another one."""
    return tuple(map(restore_frame, LANGUAGES))
