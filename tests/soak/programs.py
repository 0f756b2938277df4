"""A full-screen program for the repetitions: it shows what it got, so that any screen can be foretold.

It sets the modes an agent sets, draws everything anew on SIGWINCH, counts the bytes it read, says whether
the last paste came in brackets, and floods while it is told to (`f` on, `q` off).
"""

from __future__ import annotations

MODES = "\x1b[?1049h\x1b[?1h\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[>7u"

PROGRAM = r"""
import fcntl, os, select, signal, struct, sys, termios, tty
tty.setraw(0)
os.write(1, MODES.encode())
counted, tail, pastes, flood, rounds = 0, b"", 0, False, 0
wake_in, wake_out = os.pipe()
os.set_blocking(wake_out, False)
signal.set_wakeup_fd(wake_out)
signal.signal(signal.SIGWINCH, lambda *_: None)

def draw():
    rows, columns, _, _ = struct.unpack("HHHH", fcntl.ioctl(1, termios.TIOCGWINSZ, b"\0" * 8))
    lines = [f"size {columns} {rows}", f"bytes {counted}", f"pastes {pastes}", f"flood {flood}"]
    body = "".join(f"\x1b[{n};1H\x1b[2K{line}" for n, line in enumerate(lines, 1))
    os.write(1, (f"\x1b[2J{body}\x1b[{rows};1H\x1b[32mbottom\x1b[0m").encode())

draw()
while True:
    ready, _, _ = select.select([0, wake_in], [], [], 0 if flood else None)
    if wake_in in ready:
        os.read(wake_in, 4096)
        draw()
    if 0 in ready:
        data = os.read(0, 65536)
        if not data:
            sys.exit()
        counted += len(data)
        joined = tail + data
        pastes += joined.count(b"\x1b[201~") - tail.count(b"\x1b[201~")
        tail = joined[-5:]
        if data == b"f":
            flood = True
        elif data == b"q":
            flood = False
        draw()
    if flood:
        rounds += 1
        os.write(1, f"\x1b[6;1H\x1b[2Kround {rounds} \x1b[3{rounds % 8}m{'x' * 40}\x1b[0m".encode())
""".replace("MODES", repr(MODES))
