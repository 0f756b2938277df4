"""The editor of the engram: a person says by hand what must survive, and sees at once what is wrong with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import TextArea

from agentsup.core.catalogue import Catalogue
from agentsup.core.engram_reasons import restored
from agentsup.core.memory.engram import read_engram
from agentsup.core.memory.engram_draft import blank_engram, draft_of, tag_at
from agentsup.core.memory.model import Language
from agentsup.core.problems import Problem
from agentsup.store.atomic import Conflict
from agentsup.ui import engram_view
from agentsup.ui.driver import TapApp
from agentsup.ui.engram_area import EngramArea, PasteTap
from agentsup.ui.engram_conflict import EngramConflict
from agentsup.ui.engram_desk import ENGRAM, ChangedMeanwhile, Desk, Opened, Saved
from agentsup.ui.engram_judge import Judge
from agentsup.ui.engram_lines import LOW, Editing, EngramLines
from agentsup.ui.engram_versions import EngramVersionList
from agentsup.ui.engram_view import Chosen, Mode
from agentsup.ui.key_order import KeysWanted

if TYPE_CHECKING:
    from agentsup.core.checks.finding import Finding
    from agentsup.store.engram_history import Version

_COMMANDS = frozenset({"ctrl+s", "ctrl+t", "ctrl+r", "ctrl+n", "ctrl+l", "ctrl+g", "escape"})


class EngramEditor(ModalScreen[None], inherit_bindings=False):
    """Edits the engram of a project."""

    def __init__(
        self,
        desk: Desk,
        tell: Callable[[str, bool], bool],
        catalogue: Catalogue,
        *,
        is_told: Callable[[], bool] = lambda: True,
    ) -> None:
        """`tell` says to the host what was saved: the text's SHA-256, and whether the agent is to be told.

        `is_told`: whether there is an agent that can be told.
        """
        super().__init__()
        self._desk, self._tell, self._catalogue, self._is_told = desk, tell, catalogue, is_told
        self._language: Language = "zh" if catalogue.language.startswith("zh") else "en"
        self._opened: Opened | None = None
        self._begun = ""
        """The text as it was when it was opened or saved last."""
        self._reason = ""
        self._mode: Mode = ""
        self._chosen = Chosen()
        self._busy = False
        self._keys_wait = True
        """There is no text yet, or what a key has begun is not done: what comes now is for what comes of it."""
        self._left = False
        self._area = EngramArea(self._command, id="editor-text")
        self._judge = Judge(self._area, self._check, judged=self._show, failed=self._fail)
        self._lines = EngramLines(self._area, catalogue)
        self._box = Vertical(classes="dialog", id="editor")

    def compose(self) -> ComposeResult:
        """Hold the lengths, the text, what is wrong with it, what was done, the switches and the keys."""
        with self._box as box:
            box.border_title = Content(self._catalogue.text("editor.title", path=ENGRAM))
            yield from self._lines.above
            yield self._area
            yield from self._lines.below

    def on_mount(self) -> None:
        """Read the file, and take pastes."""
        self._area.focus()
        self.take_pastes()
        self._say(Content(self._catalogue.text("editor.reading")))
        self.run_worker(self._read())

    async def on_unmount(self) -> None:
        """Keep what could not be saved: the session may end while somebody writes."""
        if self._is_dirty and not self._left:
            with suppress(OSError, Problem, Conflict):  # the interface ends anyway
                await asyncio.to_thread(self._desk.keep_unsaved, self._area.meant)

    def on_resize(self) -> None:
        """Show as much as fits."""
        self.set_class(self.size.height < LOW, "-low")
        self.call_after_refresh(self._show)

    # What comes from outside

    def take_pastes(self) -> None:
        """Let pastes come here, whoever has had them."""
        if isinstance(self.app, TapApp) and (driver := self.app.tap_driver) is not None:
            driver.paste_tap = PasteTap(driver.process_message)

    def take_leader(self, key: str) -> None:
        """Take the leader for the key that it is: there is no menu here."""
        self._area.post_message(events.Key(key, None))

    @property
    def takes_keys(self) -> bool:
        """Whether what a key means is clear now."""
        return not self._keys_wait

    @property
    def must_wait(self) -> bool:
        """Whether there is nothing yet that a key could act on."""
        return self._keys_wait and self._opened is None

    def takes_always(self, event: Message) -> bool:
        """Say whether it takes a key also as long as there is no text."""
        return self._opened is None and isinstance(event, events.Key) and event.key == "escape"

    def _want_keys(self) -> None:
        self._keys_wait = False
        self.post_message(KeysWanted())

    @property
    def is_judged(self) -> bool:
        """Whether what is wrong with the text, as it is now, is known and shown."""
        return self._judge.text == self._area.meant

    @property
    def _is_dirty(self) -> bool:
        return self._opened is not None and self._area.text != self._begun

    async def _read(self) -> None:
        try:
            opened = await asyncio.to_thread(self._desk.open)
            has_unsaved = await asyncio.to_thread(self._desk.has_unsaved)
        except Exception as error:  # noqa: BLE001 - the border: what stands in a file must not end the interface
            self._fail(error)
            return
        finally:
            self._want_keys()
        self._begin(opened)
        self._say(Content(self._catalogue.text("editor.has_unsaved")) if has_unsaved else None)

    def _begin(self, opened: Opened) -> None:
        """Show a file's text, unchanged so far."""
        self._opened, self._reason = opened, ""
        self._area.show_draft(draft_of(blank_engram(self._language) if opened.text is None else opened.text))
        self._begun = self._area.text
        self._changed()

    def look_again(self) -> None:
        """The file may be another one by now."""
        if self._opened is not None and not self._busy:
            self.run_worker(self._look_again())

    async def _look_again(self) -> None:
        try:
            now = await asyncio.to_thread(self._desk.open)
        except Exception:  # noqa: BLE001 - the border: it is said when it is to be saved
            return
        if self._busy or self._opened is None or now.token == self._opened.token:
            return
        if self._is_dirty:
            self._say(Content.styled(self._catalogue.text("editor.changed_meanwhile"), "bold $warning"))
        else:
            self._begin(now)
            self._say(Content(self._catalogue.text("editor.read_again")))

    # What is shown

    def _say(self, words: Content | None) -> None:
        """Show a line until the text is another, or none."""
        self._lines.say(words)
        self._show()

    def _fail(self, error: Exception) -> None:
        self._say(engram_view.failure(error, self._catalogue))

    def _show(self) -> None:
        if self._box.is_attached and (width := self._box.content_size.width):
            language = read_engram(self._area.text, self._language).language
            editing = Editing(
                self._opened, self._is_dirty, self._mode, self._chosen, language, self._found, self._is_told()
            )  # fmt: skip
            self._lines.show(editing, width, self.size.height)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Judge the text when it rests."""
        event.stop()
        self._lines.text_changed()
        self._changed()

    def on_text_area_selection_changed(self) -> None:
        """Show what is wrong with the line the cursor is on."""
        self._show()

    @property
    def _found(self) -> Sequence[Finding] | None:
        return None if self._judge.text is None else self._judge.findings

    def _changed(self) -> None:
        if self._opened is not None:
            self._judge.changed()
            self._show()

    def _check(self, text: str) -> tuple[Finding, ...]:
        """Judge a text, an agent's own more strictly. Called in a thread."""
        opened = self._opened
        is_agents = opened is not None and opened.author == "agent" and text == opened.text
        return self._desk.check(text, is_agents=is_agents)

    # What the person does

    def _command(self, event: events.Key) -> bool:
        """Take a key that is none for the text."""
        if self._opened is None:
            if event.key == "escape":
                self._leave()
            return True  # there is no text yet
        if self._keys_wait:
            return event.key in _COMMANDS  # it takes long: what is typed now comes behind what is being saved
        if self._mode:
            self._answer(event)
            return True
        match event.key:
            case "ctrl+s":
                self._save()
            case "ctrl+t":
                self._set_mode("tags")
            case "ctrl+r":
                self._keys_wait = True
                self.run_worker(self._list_versions())
            case "ctrl+n":
                self._go_to_next()
            case "ctrl+l" if self._is_told():
                self._chosen = replace(self._chosen, tell=not self._chosen.tell)
            case "ctrl+g":
                self._chosen = replace(self._chosen, example=not self._chosen.teaches(self._found))
            case "escape":
                self._set_mode("leave") if self._is_dirty else self._leave()
            case _:
                return False
        self._show()
        return True

    def _set_mode(self, mode: Mode) -> None:
        self._mode = mode
        self._show()

    def _answer(self, event: events.Key) -> None:
        mode = self._mode
        self._set_mode("")
        key = event.character.lower() if event.is_printable and event.character else event.key
        tag = dict(engram_view.TAG_KEYS).get(key)
        if mode == "tags" and tag is not None:
            self._area.put(tag_at(self._area.text, self._area.cursor_location[0], tag, self._language))
        elif mode == "leave" and key in ("s", "ctrl+s"):
            self._save(leave=True)
        elif mode == "leave" and key == "d":
            self._leave()
        elif key != "escape":
            self._set_mode(mode)  # no answer: it is asked on

    def _go_to_next(self) -> None:
        if found := engram_view.next_finding(self._judge.findings, self._area.cursor_location[0]):
            self._area.move_cursor((found.spot.line - 1, found.spot.column - 1))

    def _leave(self) -> None:
        self._left = True
        self.dismiss(None)

    # Saving

    def _save(self, *, leave: bool = False) -> None:
        if self._opened is not None:
            self._busy = self._keys_wait = True
            self._say(Content(self._catalogue.text("editor.saving")))
            self.run_worker(self._save_text(self._opened, self._area.text, self._area.meant, leave=leave))

    async def _save_text(self, before: Opened, draft: str, text: str, *, leave: bool) -> None:
        reason, teach = self._reason, self._chosen.example
        try:
            saved = await asyncio.to_thread(self._desk.save, text, before, reason=reason, teach=teach)
        except ChangedMeanwhile as changed:
            self._busy = False
            self._say(None)
            self._ask_whose(changed.theirs, text, leave=leave)
        except Exception as error:  # noqa: BLE001 - the border: a file that can't be written must not end us
            self._busy = False
            self._fail(error)
            self._want_keys()
        else:
            self._busy = False
            self._opened, self._reason, self._begun = saved.opened, "", draft
            self._say(self._what_was_done(saved))
            self._changed()
            if leave and saved.is_recorded and self._area.text == draft:  # it takes long: one may have gone on
                self._leave()
            self._want_keys()

    def _what_was_done(self, saved: Saved) -> Content:
        """Tell the host, and return the words for the person."""
        text = self._catalogue.text
        is_told = self._is_told()
        told = self._tell(saved.sha, self._chosen.tell and is_told)
        if not saved.is_recorded:
            return Content.styled(text("editor.not_recorded"), "bold $warning")
        parts = [text("editor.saved")]
        if is_told:
            parts.append(text(f"editor.told.{('yes' if self._chosen.tell else 'no') if told else 'lost'}"))
        if saved.taught:
            parts.append(text(f"editor.taught.{saved.taught}"))
        # Chinese sentences stand beside each other without a blank.
        return Content.styled(("" if self._language == "zh" else " ").join(parts), "$success")

    def _ask_whose(self, theirs: Opened, mine: str, *, leave: bool) -> None:
        """Show both texts; the person chooses one, or goes on."""

        def answered(whose: str | None) -> None:
            self.run_worker(self._take_choice(whose or "", mine, theirs, leave=leave))

        self.app.push_screen(EngramConflict(mine, theirs, self._catalogue), answered)

    async def _take_choice(self, whose: str, mine: str, theirs: Opened, *, leave: bool) -> None:
        try:
            if not whose:
                self._say(Content(self._catalogue.text("editor.changed_meanwhile")))
                return
            await asyncio.to_thread(self._desk.take_over, theirs)
            if whose == "theirs":
                await asyncio.to_thread(self._desk.keep_unsaved, mine)
        except Exception as error:  # noqa: BLE001 - the border: without it in the history it is not replaced
            self._fail(error)
            return
        finally:
            self._want_keys()
        if whose == "mine":
            self._opened = theirs
            self._save(leave=leave)
        else:
            self._area.take(theirs.text or "")
            self._opened, self._reason, self._begun = theirs, "", self._area.text
            self._say(Content(self._catalogue.text("editor.took_theirs")))

    # Versions

    async def _list_versions(self) -> None:
        try:
            versions = await asyncio.to_thread(self._desk.versions)
        except Exception as error:  # noqa: BLE001 - the border: what stands in a history must not end us
            self._fail(error)
            self._want_keys()
            return
        self.app.push_screen(EngramVersionList(versions, self._catalogue), self._take_version)

    def _take_version(self, version: Version | None) -> None:
        if version is not None:
            self._area.take(version.text)
            self._reason = restored(version.sha)
            if version.author == "agent" and self._opened is not None:  # also one that was never in the file
                self._opened = replace(self._opened, corrects=version.text)
            self._say(Content(self._catalogue.text("editor.took_version")))
        self._want_keys()
