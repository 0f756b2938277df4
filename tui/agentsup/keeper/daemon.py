"""The keeper of one session: it opens the pty, starts the agent and the host, and outlives the host.

It never reads the pty: O_NONBLOCK is shared through the descriptor, and only the host may read. It stays
small because it must not fail: a native terminal engine can crash, this can't.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pexpect

from agentsup.keeper import tree
from agentsup.protocol import keeper_link
from agentsup.store.opening import open_own

HEARTBEAT_LIMIT = 10.0
"""Seconds without a word from the host after which it is taken for stuck and started again."""

HOST_PAUSES = (0.0, 0.0, 0.2, 1.0, 5.0)
"""Seconds between two starts after so many hosts in a row ended before they were ready; a host that was ready
is replaced at once. It is tried for ever: the agent goes on meanwhile."""

Spec = dict[str, Any]


def main() -> None:
    """Read the spec from stdin, detach, run; the launcher gets one JSON line on stdout."""
    spec: Spec = json.load(sys.stdin)
    report = os.dup(1)
    if _fork_away():
        return
    os.setsid()
    if _fork_away():
        return
    _detach_streams(Path(spec["folder"]) / "keeper.log")
    keeper = Keeper(spec)
    try:
        keeper.open()
    except (OSError, pexpect.ExceptionPexpect) as error:
        _answer(report, {"problem": str(error).strip().splitlines()[0]})
        keeper.remove_folder()
        os._exit(1)
    _answer(report, {"agent_pid": keeper.agent_pid, "keeper_pid": os.getpid()})
    keeper.run()


def _fork_away() -> bool:
    """Fork; True in the parent, which then has only to return."""
    return os.fork() != 0


def _default_signals() -> None:
    """Give the agent what a shell gives its children: what is ignored here would stay ignored there."""
    for number in signal.valid_signals():
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _recorded(argv: list[str], folder: Path) -> list[str]:
    """Return what may be kept of a command line: the program, and our own files on it. The rest is what was typed."""
    ours = re.findall(rf"{re.escape(str(folder))}/[\w.-]+", "\n".join(argv[1:]))
    return [*argv[:1], *dict.fromkeys(ours)]


def _detach_streams(log: Path) -> None:
    null = os.open(os.devnull, os.O_RDONLY)
    out = open_own(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(null, 0)
    os.dup2(out, 1)
    os.dup2(out, 2)


def _answer(report: int, message: dict[str, object]) -> None:
    # The launcher may have been killed meanwhile; the session goes on without it.
    with contextlib.suppress(OSError):
        os.write(report, json.dumps(message).encode() + b"\n")
    os.close(report)


class Keeper:
    """Holds the pty's master, the listening socket, and the children."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.folder = Path(spec["folder"])
        self.agent: pexpect.spawn[bytes] | None = None
        self.agent_pid = 0
        self.agent_started = 0.0
        self.agent_end: tuple[int | None, int | None] | None = None
        self.host: subprocess.Popen[bytes] | None = None
        self.link: socket.socket | None = None
        self.receiver: keeper_link.Receiver | None = None
        self.heard = 0.0
        self.host_started = 0.0
        self.host_ready = False
        self.never_ready = 0
        self.had_host = False
        self.finished = False

    def open(self) -> None:
        """Open the socket, start the agent, start the host; raises OSError or pexpect's error."""
        tree.become_subreaper()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(self.folder / "socket"))
        os.chmod(self.folder / "socket", 0o600)
        self.listener.listen(64)
        self._watch_signals()
        self._start_agent(self.spec["argv"])
        self._write_record()
        self._start_host()

    def run(self) -> None:
        """Serve until the session is over."""
        tree.prepare()
        while not self.finished:
            silent = time.monotonic() - self.heard
            if self.host is not None and silent > HEARTBEAT_LIMIT:
                self._say(f"host silent for {silent:.0f} s: killed")
                self.heard = time.monotonic()
                self._kill_host()
            if self.host is None:
                self._start_host()
            until = self._next_start() - time.monotonic() if self.host is None else HEARTBEAT_LIMIT - silent
            self._wait(max(0.01, until))
        self._end_host()
        self._drop_agent()
        self.remove_folder()
        self._stay_above_the_rest()

    def _stay_above_the_rest(self) -> None:
        """Wait for the end of what the agent has left running: a daemon is a person's to end, and not ours.

        As long as it has a keeper above it, it is known for the agent's, also in sessions to come.
        """
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.listener.close()
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()

    def remove_folder(self) -> None:
        """Remove the session's folder: all that is in it is ours, or was left there for us."""
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- children

    def _watch_signals(self) -> None:
        self.signal_in, signal_out = os.pipe()
        for end in (self.signal_in, signal_out):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(signal_out, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._on_term)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.signal_in, selectors.EVENT_READ, "signal")

    def _on_term(self, *_: object) -> None:
        self.finished = True
        self._end_tree()

    def _start_agent(self, argv: list[str]) -> None:
        size = (self.spec["rows"], self.spec["columns"])
        self.agent = pexpect.spawn(
            argv[0], argv[1:], env=self.spec["env"], cwd=self.spec["cwd"], dimensions=size,
            ignore_sighup=False, echo=True, timeout=None, preexec_fn=_default_signals,
        )  # fmt: skip
        self.agent_pid = self.agent.pid or 0
        self.agent_started = time.time()
        self.agent_end = None
        self.spec["argv"] = argv

    def _start_host(self) -> None:
        now = time.monotonic()
        if now < self._next_start():
            return
        self.host_started, self.host_ready = now, False
        ours, theirs = socket.socketpair()
        log = self._host_log()
        try:
            self.host = subprocess.Popen(
                [sys.executable, "-P", "-m", "agentsup.host", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.spec["host_env"], cwd="/", start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            ours.close()
            self.never_ready += 1
            self._say(f"host not started: {error}")
            return
        finally:
            os.close(log)
            theirs.close()
        self.link, self.receiver, self.heard = ours, keeper_link.Receiver(ours), now
        self.selector.register(ours, selectors.EVENT_READ, "host")
        restored, self.had_host = self.had_host, True
        self._tell({"kind": "spec", "spec": self._host_spec()}, (self.listener.fileno(),))
        if self.agent is not None:
            self._tell_agent(restored=restored)
        if self.agent_end is not None:
            self._tell_exit()

    def _host_log(self) -> int:
        """Return where the host's words go: nowhere, when the folder is gone or the disk is full."""
        try:
            return open_own(self.folder / "host.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        except OSError:
            return os.open(os.devnull, os.O_WRONLY)

    def _next_start(self) -> float:
        return self.host_started + HOST_PAUSES[min(self.never_ready, len(HOST_PAUSES) - 1)]

    def _host_spec(self) -> Spec:
        return {name: value for name, value in self.spec.items() if name not in ("host_env",)}

    def _tell_agent(self, *, restored: bool) -> None:
        assert self.agent is not None
        message = {
            "kind": "agent", "pid": self.agent_pid, "columns": self.spec["columns"],
            "rows": self.spec["rows"], "restored": restored, "started": self.agent_started,
        }  # fmt: skip
        self._tell(message, (self.agent.child_fd,))

    def _tell_exit(self) -> None:
        assert self.agent_end is not None
        code, number = self.agent_end
        self._tell({"kind": "exited", "code": code, "signal": number})

    def _tell(self, message: keeper_link.Message, descriptors: tuple[int, ...] = ()) -> None:
        # A host that is gone is noticed by its end, in _reap.
        with contextlib.suppress(OSError):
            if self.link is not None:
                keeper_link.send(self.link, message, descriptors)

    # --- events

    def _wait(self, seconds: float) -> None:
        for key, _ in self.selector.select(seconds):
            if key.data == "signal":
                with contextlib.suppress(BlockingIOError):
                    os.read(self.signal_in, 4096)
            elif self.receiver is not None:
                messages = self.receiver.receive()
                for message, _descriptors in messages or ():
                    self._handle(message)
                if messages is None:
                    self._close_link()
                    self._kill_host()  # a host that can't be spoken to is of no use
        self._reap()

    def _handle(self, message: keeper_link.Message) -> None:
        self.heard = time.monotonic()
        match message["kind"]:
            case "ready":
                self.host_ready = True
            case "remember":
                # What a host must know that takes over from one that crashed, and that stands in no file.
                self.spec["remembered"] = message["values"]
            case "restart":
                self._restart(message)
            case "stop":
                self._end_tree()
                self.finished = True
            case "finish":
                self.finished = True
            case _:
                pass  # a beat: it was heard

    def _restart(self, message: keeper_link.Message) -> None:
        """End the tree and start afresh; whatever goes wrong, this process and the session go on."""
        argv = message["argv"]
        if not os.access(argv[0], os.X_OK):
            self._tell({"kind": "not-restarted", "reason": f"{argv[0]}: {os.strerror(errno.ENOENT)}"})
            return
        self._end_tree()
        self._reap()
        self._drop_agent()
        self.spec["columns"], self.spec["rows"] = message["columns"], message["rows"]
        try:
            self._start_agent(argv)
        except (OSError, pexpect.ExceptionPexpect) as error:
            self._tell({"kind": "not-restarted", "reason": str(error).strip().splitlines()[0]})
            return
        self._write_record()
        self._tell_agent(restored=False)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.agent_pid and self.agent_end is None:
                code = os.waitstatus_to_exitcode(status)
                self.agent_end = (code, None) if code >= 0 else (None, -code)
                self._tell_exit()
            elif self.host is not None and pid == self.host.pid:
                self.host.returncode = os.waitstatus_to_exitcode(status)
                self._say(f"host ended with {self.host.returncode}")
                self.never_ready = 0 if self.host_ready else self.never_ready + 1
                self._forget_host()

    def _forget_host(self) -> None:
        self.host = None
        self._close_link()

    def _kill_host(self) -> None:
        # Not Popen.kill: it reaps by itself, and _reap would wait for this child for ever.
        if self.host is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.host.pid, signal.SIGKILL)

    def _close_link(self) -> None:
        if self.link is not None:
            self.selector.unregister(self.link)
            self.link.close()
            self.link = None

    def _end_tree(self) -> None:
        spared = [self.host.pid] if self.host is not None else []

        def wait(seconds: float) -> None:
            time.sleep(seconds)
            self._reap()

        left = tree.end(lambda: tree.descendants(os.getpid(), spared=spared), wait)
        if left:
            self._say(f"could not end: {sorted(left)}")

    def _drop_agent(self) -> None:
        if self.agent is None:
            return
        os.close(self.agent.child_fd)
        # Reaped and closed here: without these marks the object's end would signal a pid that may be another's.
        for holder in (self.agent, self.agent.ptyproc):  # type: ignore[attr-defined]  # pexpect's own field
            holder.closed = holder.terminated = True
        self.agent = None

    def _end_host(self) -> None:
        if self.host is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.host.pid, signal.SIGCONT)  # who has stopped it must not keep it from its last look
        self._tell({"kind": "end"})
        self._close_link()
        try:
            self.host.wait(3.0)
        except subprocess.TimeoutExpired:
            self.host.kill()
            self.host.wait()

    def _write_record(self) -> None:
        record = {name: self.spec[name] for name in ("session", "agent", "cwd", "started")}
        record["argv"] = _recorded(self.spec["argv"], self.folder)
        record |= {"keeper_pid": os.getpid(), "agent_pid": self.agent_pid}
        target = self.folder / "session.json"
        fresh = target.with_suffix(".new")
        try:
            with open(open_own(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w") as file:
                json.dump(record, file)
            fresh.rename(target)
        except OSError as error:
            self._say(f"record not written: {error}")

    def _say(self, text: str) -> None:
        with contextlib.suppress(OSError):
            os.write(2, f"{time.strftime('%Y-%m-%dT%H:%M:%S')} keeper: {text}\n".encode())
