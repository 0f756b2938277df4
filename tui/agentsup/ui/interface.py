"""The interface: a client of the host that draws what it says and sends what the person does."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen

from agentsup.core.catalogue import Catalogue
from agentsup.core.layout import Layout, agent_area
from agentsup.core.session import Notice, Session
from agentsup.protocol.messages import (
    VERSION,
    Bell,
    ClipboardWritten,
    Focus,
    Frame,
    Goodbye,
    Hello,
    HookAnswer,
    HostMessage,
    InjectRequest,
    Keys,
    Lines,
    NoticeDismissed,
    Notification,
    Outcome,
    RestartRequest,
    SessionChanged,
    StopRequest,
    Welcome,
)
from agentsup.ui import function_keys, loop_choices, themes
from agentsup.ui.choices import Choices
from agentsup.ui.connection import Connection
from agentsup.ui.dialogs import KeyList, restart_question, stop_question
from agentsup.ui.driver import TapApp, TapDriver
from agentsup.ui.end import InterfaceEnd, end_by, exited
from agentsup.ui.engram_opening import EngramOpening
from agentsup.ui.input_messages import (
    BackgroundReported,
    FunctionKeyPressed,
    LeaderPressed,
    RawKey,
    WindowClosed,
    WindowFocused,
)
from agentsup.ui.key_order import Input, KeyDone, KeyOrder
from agentsup.ui.leader import Leader
from agentsup.ui.looking_back import LookingBack
from agentsup.ui.notice_bar import NoticeBar
from agentsup.ui.notices import Notices
from agentsup.ui.outward import Outward
from agentsup.ui.panels.engram import EngramPanel
from agentsup.ui.panels.gauge import GaugePanel
from agentsup.ui.panels.state import StatePanel
from agentsup.ui.prompt_bar import PromptBar
from agentsup.ui.recital_opening import RecitalOpening
from agentsup.ui.scroll_mode import ScrollMode
from agentsup.ui.status_bar import StatusBar
from agentsup.ui.terminal import Terminal
from agentsup.ui.trust_opening import TrustOpening
from agentsup.ui.window import Window


class Interface(TapApp, inherit_bindings=False):
    """The app. The session is the host's: it comes whole with every change and goes on to all who show it."""

    CSS_PATH = "agentsup.tcss"
    TITLE = "agentsup"
    BINDINGS: ClassVar[list[BindingType]] = []  # all keys are the agent's
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False

    def __init__(
        self,
        socket_path: str,
        *,
        layout: Layout,
        catalogue: Catalogue,
        leader: Leader,
        function_keys: str = "auto",
        theme: str,
    ) -> None:
        self.leader = leader
        # The agent's colours must be the terminal's own, so Textual must not turn them into RGB.
        super().__init__(driver_class=TapDriver, ansi_color=True)
        for found in themes.load().values():
            self.register_theme(found)
        self._theme_by_background = theme == themes.AUTO
        self.theme = theme if theme in self.available_themes else themes.DARK
        self._catalogue = catalogue
        self._link = Connection(socket_path, self._hello, self)
        self._session: Session | None = None
        self._function_keys_setting = function_keys
        self._put_away: frozenset[loop_choices.Waiting] = frozenset()
        """What waits and was seen: the menu offers it, and no line lies over the agent for it."""
        self._stopping = False
        self._left = False
        self._window = Window(layout)
        self._terminal = Terminal(self._link, id="terminal")
        self._panels = (
            GaugePanel(catalogue, id="gauge"),
            EngramPanel(catalogue, id="engram"),
            StatePanel(catalogue, id="state"),
        )
        self._notice_bar = NoticeBar(catalogue, leader.label, id="notice")
        self._status = StatusBar(catalogue, leader.label, id="status")
        self._prompt = PromptBar(id="prompt")
        self._notices = Notices(self._notice_bar, self._status, self._window)
        self._scroll = ScrollMode(self._terminal, self._prompt, catalogue)
        self._choices = Choices(self._terminal, self._prompt, self._scroll, catalogue, leader.label)
        self._trust = TrustOpening(self._terminal, self._choices, catalogue)
        self._engram = EngramOpening(self._choices, self._link.ask, catalogue)
        self._recital = RecitalOpening(self._choices, self._link.ask, catalogue, self._choose)
        self._looking_back = LookingBack(self._choices, catalogue)
        self._outward = Outward(self._tell_terminal, self._copy_was_cut)
        self._order = KeyOrder(self, self._act)

    def get_default_screen(self) -> Screen[None]:
        """Return the window."""
        return self._window

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return our own colours, for themes that do not name them."""
        return themes.load()[themes.DARK].variables

    def compose(self) -> ComposeResult:
        """Hold the terminal, the panels and the bars."""
        yield self._terminal
        yield from self._panels
        yield self._notice_bar
        yield self._status
        yield self._prompt

    def on_mount(self) -> None:
        """Connect to the host."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._loop_failed)
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                loop.add_signal_handler(number, self._leave, InterfaceEnd("detached"))
        self._order.begin()
        self._terminal.open_tap()
        try:
            self._link.open()
        except OSError:
            self._leave(InterfaceEnd("lost", key="interface.no_host"))

    def on_resize(self) -> None:
        """Bring the notices where there is room for them."""
        self._notices.show()

    def on_unmount(self) -> None:
        """Leave the host."""
        self._link.close()

    # What the host says

    def host_said(self, messages: Sequence[HostMessage]) -> None:
        """Take what the host says; one paint for all of it."""
        self._status.connected = True
        for message in messages:
            match message:
                case Frame():
                    self._terminal.show(message)
                case Lines():
                    self._terminal.show_lines(message)
                case SessionChanged():
                    self._show_session(message.session)
                case Bell():
                    self.bell()
                case Notification():
                    self._outward.notify(message.title, message.body)
                case ClipboardWritten():
                    self._outward.copy(message.data, cut=message.cut)
                case Welcome():
                    self._terminal.forget()
                    if message.version != VERSION:
                        self._leave(InterfaceEnd("lost", key="interface.version"))
                case Outcome():
                    if not message.done and message.key:
                        self._notices.add(Notice(message.key, message.values))
                case HookAnswer():
                    pass  # interfaces call no hooks
                case Goodbye():
                    self._leave(end_by(message.key, self._session, stopping=self._stopping))
        self._window.keep_clear_of(self._terminal.cursor_row)
        self._terminal.paint()

    def host_lost(self) -> None:
        """Say that we are trying to get back."""
        self._status.connected = False

    def host_given_up(self) -> None:
        """End: the host did not come back."""
        self._leave(InterfaceEnd("lost", key="goodbye.lost"))

    @property
    def has_agent_ended(self) -> bool:
        """Whether the agent had ended when it was last heard of."""
        return self._session is not None and self._session.phase == "exited"

    def _show_session(self, session: Session) -> None:
        self._session = session
        self._status.session = session
        ours = function_keys.taken(self._function_keys_setting, session)
        for panel in self._panels:
            panel.show(session, function_keys.hint(panel.ACTION, ours, self.leader.label))
        self._show_what_waits()
        self._notices.take(session.notices)
        if (driver := self.tap_driver) is not None:
            driver.function_keys = ours
        self._choices.take_session(session)
        self._trust.take_session(session)
        self._looking_back.take_session(session)
        self._engram.take_session(session)
        self._recital.take_session(session)

    def _show_what_waits(self) -> None:
        session = self._session
        waits = session is not None and bool(loop_choices.what_waits(session) - self._put_away)
        if waits != self._window.waits:
            self._window.rearrange(waits=waits)

    def _hello(self) -> Hello:
        columns, rows = self._terminal.size
        if not (columns and rows):
            columns, rows = agent_area(*self.size, self._window.layout_name, self._window.panels_shown)
        self._terminal.mark_sent(columns, rows)
        return Hello(VERSION, "ui", columns, rows)

    def _leave(self, end: InterfaceEnd) -> None:
        # The first word counts: the host's goodbye may come after the person has closed an ended session.
        if not self._left:
            self._left = True
            self.exit(end)

    def _loop_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            self.fail(error)

    # What the person chooses

    async def on_event(self, event: events.Event) -> None:
        """Take what is new from the terminal before Textual hands it out."""
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            await self._order.take(event)
        else:
            await super().on_event(event)

    async def on_leader_pressed(self, event: LeaderPressed) -> None:
        """Take the leader like any key."""
        await self._order.take(event)

    def on_key_done(self, event: KeyDone) -> None:
        """Go on with the keys behind it."""
        self._order.done(event)

    async def on_keys_wanted(self) -> None:
        """Go on with the keys that have waited for a screen."""
        await self._order.go_on()

    async def _act(self, event: Input) -> None:
        """Do what the person means by a key, or bring it to the dialog that knows."""
        if isinstance(event, RawKey) and (driver := self.tap_driver) is not None:
            driver.key_arrived()
        if isinstance(event, LeaderPressed):
            self._take_leader(event)
        elif not isinstance(event, events.Key) or self.screen is not self._window:
            await super().on_event(event)
        elif self._left:
            pass  # nothing opens any more
        elif (action := self._choices.take_key(event)) is not None:
            self._choose(action)

    def _take_leader(self, event: LeaderPressed) -> None:
        """Open the menu; a second leader is the agent's."""
        if self._left:
            return
        if self.screen is not self._window:
            self._engram.take_leader(self.leader.key)
            return
        if self._choices.open == "leader":
            self._link.send(Keys(event.data))
            self._choices.close()
        else:
            if self._session is not None:
                self._put_away |= loop_choices.what_waits(self._session)
            self._show_what_waits()
            self._choices.open_leader_menu(self._notices.all, copied=bool(self._outward.selected))

    def on_function_key_pressed(self, event: FunctionKeyPressed) -> None:
        """Do what the menu would."""
        if self.screen is self._window and not self._choices.open and not self._left:
            self._terminal.close_tap()
            self._choose(event.action)

    def _choose(self, action: str) -> None:
        session = self._session
        match action:
            case "detach":
                self._leave(InterfaceEnd("detached"))
            case "close":
                self._link.ask(StopRequest())
                self._leave(exited(session) if session is not None else InterfaceEnd("exited"))
            case "restart" if session is not None:
                self._choices.ask(restart_question(session, self._catalogue), self._restart)
            case "stop" if session is not None:
                self._choices.ask(stop_question(session, self._catalogue, self.leader.label), self._stop)
            case "keys":
                ours = function_keys.taken(self._function_keys_setting, session)
                self._choices.show(KeyList(self._catalogue, self.leader.label, function_keys=ours))
            case "trust":
                self._trust.open()
            case "engram":
                self._engram.open()
            case "happened" | "mark":
                self._looking_back.open(action)
            case "recital" if session is not None and session.loop.recital is not None:
                self._recital.open()
            case _:
                self._choose_at_once(action)
                self._choices.close()

    def _choose_at_once(self, action: str) -> None:
        match action:
            case "scroll":
                self._scroll.enter()
            case "search":
                self._scroll.ask()
            case "copy":
                self._outward.copy_selected(self._outward.selected)
            case "panels":
                self._window.rearrange(panels_shown=not self._window.panels_shown)
                self._notices.show()
            case "dismiss":
                if key := self._notices.dismiss():
                    self._link.send(NoticeDismissed(key))
            case "inject":
                self._link.ask(InjectRequest("restore"))
            case _:
                loop_choices.tell(action, self._choices.offered, self._session, self._link.ask)

    def _restart(self) -> None:
        self._link.ask(RestartRequest())

    def _stop(self) -> None:
        self._stopping = self._link.ask(StopRequest())

    # Scrolling and copying

    def on_lines_view_scrolled(self) -> None:
        """Take the keys for scrolling, or give them back."""
        self._choices.give_keys_back()

    def on_terminal_selected(self, event: Terminal.Selected) -> None:
        """Copy what was selected."""
        self._outward.copy_selected(event.text)

    def _copy_was_cut(self, kilobytes: int) -> None:
        self._notices.add(Notice("copy.cut", (("kilobytes", str(kilobytes)),)))

    def _tell_terminal(self, sequence: str) -> None:
        if (driver := self.tap_driver) is not None:
            driver.write(sequence)

    def on_background_reported(self, event: BackgroundReported) -> None:
        """Take the theme for the terminal's ground."""
        if self._theme_by_background:
            self.theme = themes.DARK if event.dark else themes.LIGHT

    def on_window_focused(self, event: WindowFocused) -> None:
        """Tell the host: agents ask for focus reports."""
        self._link.send(Focus(event.focused))

    def on_window_closed(self, event: WindowClosed) -> None:
        """Leave: nobody is there to see anything."""
        self._leave(InterfaceEnd("detached"))
