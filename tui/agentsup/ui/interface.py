"""The interface: a client of the host that draws what it says and sends what the person does."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.screen import Screen

from agentsup.agents.registry import names
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
    HostMessage,
    InjectionChoice,
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
from agentsup.ui import themes
from agentsup.ui.connection import Connection
from agentsup.ui.dialogs import Confirm, KeyList, restart_preview
from agentsup.ui.driver import TapApp, TapDriver
from agentsup.ui.end import InterfaceEnd, end_by, exited
from agentsup.ui.input_messages import (
    BackgroundReported,
    FunctionKeyPressed,
    LeaderPressed,
    RawKey,
    WindowClosed,
    WindowFocused,
)
from agentsup.ui.leader import Leader
from agentsup.ui.menu import exited_choices, exited_words, leader_choices, undecided
from agentsup.ui.notice_bar import NoticeBar
from agentsup.ui.outward import Outward
from agentsup.ui.panels.engram import EngramPanel
from agentsup.ui.panels.gauge import GaugePanel
from agentsup.ui.panels.state import StatePanel
from agentsup.ui.prompt_bar import PromptBar
from agentsup.ui.scroll_mode import ScrollMode
from agentsup.ui.status_bar import StatusBar
from agentsup.ui.terminal import Terminal
from agentsup.ui.window import Window


class Interface(TapApp, inherit_bindings=False):
    """The app. The session is the host's and comes whole with every change; nothing of it is kept beside."""

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
        self._layout_name = layout
        self._catalogue = catalogue
        self._link = Connection(socket_path, self._hello, self)
        self._session: Session | None = None
        self._function_keys_setting = function_keys
        self._own_notices: tuple[Notice, ...] = ()
        self._open_menu: Literal["", "leader", "exited"] = ""
        self._stopping = False
        self._left = False
        self._window = Window(layout)
        self._terminal = Terminal(self._link, id="terminal")
        self._panels = (
            GaugePanel(catalogue, id="gauge"),
            EngramPanel(catalogue, id="engram"),
            StatePanel(catalogue, id="state"),
        )
        self._notices = NoticeBar(catalogue, leader.label, id="notice")
        self._status = StatusBar(catalogue, leader.label, id="status")
        self._prompt = PromptBar(id="prompt")
        self._scroll = ScrollMode(self._terminal, self._prompt, catalogue)
        self._outward = Outward(self._tell_terminal, self._copy_was_cut)

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
        yield self._notices
        yield self._status
        yield self._prompt

    def on_mount(self) -> None:
        """Connect to the host."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._loop_failed)
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                loop.add_signal_handler(number, self._leave, InterfaceEnd("detached"))
        self._terminal.open_tap()
        try:
            self._link.open()
        except OSError:
            self._leave(InterfaceEnd("lost", key="interface.no_host"))

    def on_resize(self) -> None:
        """Bring the notices where there is room for them."""
        self._show_notices()

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
                        self._own_notices += (Notice(message.key, message.values),)
                        self._show_notices()
                case Goodbye():
                    self._leave(end_by(message.key, self._session, stopping=self._stopping))
        self._terminal.paint()

    def host_lost(self) -> None:
        """Say that we are trying to get back."""
        self._status.connected = False

    def host_given_up(self) -> None:
        """End: the host did not come back."""
        self._leave(InterfaceEnd("lost", key="goodbye.lost"))

    def _show_session(self, session: Session) -> None:
        ended = session.phase == "exited"
        self._session = session
        self._status.session = session
        for panel in self._panels:
            panel.show(session)
        self._show_notices()
        if (driver := self.tap_driver) is not None:
            driver.function_keys = self._has_function_keys
        # An open leader menu stays; it closes into what is right then.
        if self._open_menu != "leader" and ended != (self._open_menu == "exited"):
            self._close_menu()

    def _show_notices(self) -> None:
        notices = (*(self._session.notices if self._session else ()), *self._own_notices)
        self._notices.notices = notices
        if bool(notices) != self._window.notice_shown:
            self._window.rearrange(notice_shown=bool(notices))
        self._status.notices = () if self._window.shows_notices else notices

    def _hello(self) -> Hello:
        columns, rows = self._terminal.size
        if not (columns and rows):
            columns, rows = agent_area(*self.size, self._layout_name, self._window.panels_shown)
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

    # The menu

    async def on_event(self, event: events.Event) -> None:
        """Take keys before Textual hands them out: in its widgets' queues they could overtake each other."""
        if not isinstance(event, events.Key) or self.screen is not self._window:
            await super().on_event(event)
        elif self._open_menu == "leader" or (self._open_menu and not self._scroll.active):
            self._choose(self._prompt.chosen(event))
        else:
            self._take_key(event)

    def _take_key(self, event: events.Key) -> None:
        """Take a key that no menu takes: it scrolls, or is the agent's."""
        if self._scroll.active:
            asking = self._scroll.asking
            if self._scroll.take(event):
                if asking and not self._scroll.asking:
                    self._close_menu()
                return
            self._terminal.leave_scrolling()
        if isinstance(event, RawKey) and event.raw and not self._open_menu:
            self._terminal.keys(event.raw)

    def on_leader_pressed(self, event: LeaderPressed) -> None:
        """Open the menu; a second leader is the agent's."""
        if self.screen is not self._window:
            return
        if self._open_menu == "leader":
            self._link.send(Keys(event.data))
            self._close_menu()
            return
        self._open_menu = "leader"
        self._scroll.stop_asking()
        copied = bool(self._outward.selected)
        choices = leader_choices(
            self._session, self._notices.notices, self._catalogue, self.leader.label, copied=copied
        )
        self._terminal.close_tap()
        self._prompt.offer("", choices)

    @property
    def _has_function_keys(self) -> bool:
        setting, session = self._function_keys_setting, self._session
        known = session is not None and session.agent.name in names()
        return known if setting == "auto" else setting == "on"

    def on_function_key_pressed(self, event: FunctionKeyPressed) -> None:
        """Do what the menu would."""
        if self.screen is self._window and not self._open_menu:
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
                title = self._catalogue.text("restart.title", agent=session.agent.name)
                self._ask(title, restart_preview(session, self._catalogue), self._restart)
            case "stop" if session is not None:
                title = self._catalogue.text("stop.title", agent=session.agent.name)
                steps = self._catalogue.text("stop.steps", leader=self.leader.label)
                self._ask(title, Content(steps), self._stop)
            case "keys":
                keys = KeyList(self._catalogue, self.leader.label, function_keys=self._has_function_keys)
                self.push_screen(keys, lambda _: self._close_menu())
            case _:
                self._choose_at_once(action)
                self._close_menu()

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
                self._show_notices()
            case "dismiss":
                self._dismiss_notice()
            case "drop" | "retry" as choice if injection := undecided(self._session):
                self._link.ask(InjectionChoice(injection.id, "drop" if choice == "drop" else "retry"))

    def _dismiss_notice(self) -> None:
        if self._own_notices:
            self._own_notices = self._own_notices[:-1]
            self._show_notices()
        elif self._session is not None and self._session.notices:
            self._link.send(NoticeDismissed(self._session.notices[-1].key))

    def _ask(self, title: str, body: Content, act: Callable[[], None]) -> None:
        def answered(yes: bool | None) -> None:
            if yes:
                act()
            self._close_menu()

        self.push_screen(Confirm(title, body, self._catalogue), answered)

    def _restart(self) -> None:
        self._link.ask(RestartRequest())

    def _stop(self) -> None:
        self._stopping = self._link.ask(StopRequest())

    def _close_menu(self) -> None:
        """Go back to the agent, or to the choices that stay while it has ended."""
        session = self._session
        if session is not None and session.phase == "exited":
            self._open_menu = "exited"
            self._terminal.close_tap()
            if not self._scroll.asking:
                self._prompt.offer(exited_words(session, self._catalogue), exited_choices(self._catalogue))
            return
        self._open_menu = ""
        if not self._scroll.asking:
            self._prompt.display = False
        # Behind the keys that are still on their way through Textual, so that none overtakes another.
        self.call_later(self._open_terminal)

    def _open_terminal(self) -> None:
        if self._open_menu or self.screen is not self._window:
            return
        if self._scroll.active:
            self._terminal.close_tap(pastes=True)
        else:
            self._scroll.left()
            self._terminal.open_tap()

    # Scrolling and copying

    def on_lines_view_scrolled(self) -> None:
        """Take the keys for scrolling, or give them back."""
        self.call_later(self._open_terminal)

    def on_terminal_selected(self, event: Terminal.Selected) -> None:
        """Copy what was selected."""
        self._outward.copy_selected(event.text)

    def _copy_was_cut(self, kilobytes: int) -> None:
        self._own_notices += (Notice("copy.cut", (("kilobytes", str(kilobytes)),)),)
        self._show_notices()

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
