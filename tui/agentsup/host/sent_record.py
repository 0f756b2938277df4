"""What was sent, as far as it is on disk: how hosts before this one left it, and what this one adds."""

from __future__ import annotations

from agentsup.core import events as ev
from agentsup.core import injector as inj
from agentsup.store.injection_record import RESET, InjectionRecord, Recorded


class SentRecord:
    """The record of one session's injections."""

    def __init__(self, record: InjectionRecord) -> None:
        self._record = record
        self._earlier = record.read()
        reset = self._earlier.pop(RESET, None)
        self.reset = reset.time if reset is not None else 0.0
        """When a person last let restores go on after a storm of compactions; 0 for never."""
        self._restored = {_compaction(occasion) for occasion, known in self._earlier.items() if _arrived(known)}
        self._typed = {
            known.id: occasion for occasion, known in self._earlier.items()
            if _arrived(known) and known.channel == "stdin"
        }  # fmt: skip
        self.is_whole = True
        """Whether all that was added since somebody set this is on the disk."""

    def earlier(self, occasion: str) -> Recorded | None:
        """Return how a host before this one left it; None where there is nothing of it."""
        return self._earlier.get(occasion)

    def begun(self, conversation: str) -> list[Recorded]:
        """Return what hosts before this one have left in the middle in a conversation, compactions apart."""
        return [
            known for occasion, known in self._earlier.items()
            if known.state in ("writing", "submitted") and not occasion.startswith("compaction:")
            and inj.Order(known.id, occasion, "").is_of(conversation)
        ]  # fmt: skip

    def begun_compactions(self, conversation: str) -> list[Recorded]:
        """Return the restores of compactions that hosts before this one have left in the middle, newest first."""
        prefix = f"compaction:{conversation}:"
        return [
            known for occasion, known in reversed(self._earlier.items())
            if known.state in ("writing", "submitted") and occasion.startswith(prefix)
            and not occasion.startswith(prefix + inj.AHEAD)
        ]  # fmt: skip

    def ahead(self, conversation: str) -> list[tuple[inj.Ahead, Recorded]]:
        """Return the restores that hooks have got from hosts before this one, and whose compaction had no name yet."""
        prefix = f"compaction:{conversation}:"
        named = {
            known.id for occasion, known in self._earlier.items()
            if occasion.startswith(prefix) and not occasion.startswith(prefix + inj.AHEAD)
        }  # fmt: skip
        return [
            (inj.Ahead(known.id, conversation, known.time), known) for occasion, known in self._earlier.items()
            if occasion.startswith(prefix + inj.AHEAD) and known.id not in named
        ]  # fmt: skip

    def was_restored(self, compaction: str) -> bool:
        """Say whether the restore of a compaction has arrived, in whatever conversation: branches hold it once more."""
        return compaction in self._restored

    def numbered(self, conversation: str) -> int:
        """Return how many restores a conversation was given by hosts before this one."""
        prefix = f"compaction:{conversation}:"
        return len({known.id for occasion, known in self._earlier.items() if occasion.startswith(prefix)})

    def typed(self, conversation: str) -> int:
        """Return how many restores were typed into a conversation and have arrived."""
        return sum(occasion.startswith(f"compaction:{conversation}:") for occasion in self._typed.values())

    def append(self, event: ev.InjectionChanged, print: inj.Print) -> None:
        """Add a state that has to survive; `is_whole` is no more where it is not on the disk."""
        try:
            self._record.append(event, print)
        except OSError:
            self.is_whole = False
        if event.state == "confirmed" and event.occasion.startswith("compaction:"):
            self._restored.add(_compaction(event.occasion))
            if event.channel == "stdin":
                self._typed[event.id] = event.occasion

    def write_rest(self, text: str) -> bool:
        """Write the file that a short text names; False where that can't be."""
        try:
            self._record.write_rest(text)
        except OSError:
            return False
        return True

    def breaker_reset(self, when: float) -> bool:
        """Add that restores go on; False where it could not be written."""
        try:
            self._record.breaker_reset(when)
        except OSError:
            return False
        return True


def _arrived(known: Recorded) -> bool:
    return known.state == "confirmed" and known.occasion.startswith("compaction:")


def _compaction(occasion: str) -> str:
    return occasion.rpartition(":")[2]
