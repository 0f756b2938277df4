"""Two shells that get the same keys, and a folder of files for the programs they start."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.compare.pair import Pair
from tests.terminals.tmux import Tmux, Wanted

SIZE = (100, 30)
PROMPT = "me:work>"
RC = r"""
PS1='\[\e[1;32m\]me\[\e[0m\]:\[\e[4;38;5;75m\]work\[\e[0m\]> '
PS2='\[\e[35m\]more>\[\e[0m\] '
HISTFILE=
unset LESS LS_COLORS MANPAGER PROMPT_COMMAND
bind 'set bell-style none'
printf '\033]2;shell\033\\'
"""
SOURCE = '''\
"""A module for an editor to colour. 你好"""
import os


class Greeter:
    def __init__(self, name: str = "world") -> None:
        self.name = name  # TODO: names of 2 words

    def greet(self, times: int = 3) -> str:
        return f"hello {self.name}\\n" * times


if os.environ.get("HELLO"):
    print(Greeter().greet())
'''


class Shells(Pair):
    """Bash in both panes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        rc = folder / "rc"
        rc.write_text(RC)
        argv = ["bash", "--noprofile", "--rcfile", str(rc), "-i"]
        super().__init__(folder / "place", argv, argv, SIZE)
        self.wait(PROMPT)
        work = self.place.work
        (work / "module.py").write_text(SOURCE)
        (work / "long.txt").write_text("".join(f"line {n} of the long file {'~' * (n // 4)}\n" for n in range(200)))
        coloured = "".join(f"\x1b[3{n % 8}m{n} 彩色\x1b[1m bold\x1b[0m end\n" for n in range(60))
        (work / "coloured.txt").write_text(coloured)

    @property
    def both(self) -> tuple[Tmux, Tmux]:
        """The bare pane and ours."""
        return self.bare, self.ours

    def fresh(self) -> None:
        """Have an empty screen with a prompt in both."""
        if self.host.size != SIZE:
            self.resize(*SIZE)
        self.key("C-e", "C-u")
        self.run("clear")
        for terminal in self.both:
            terminal.wait_for(lambda rows: rows[0] == PROMPT and not any(rows[1:]), timeout=5)

    def type(self, text: str) -> None:
        """Type into both."""
        for terminal in self.both:
            terminal.type(text)

    def key(self, *names: str) -> None:
        """Press keys in both."""
        for terminal in self.both:
            terminal.key(*names)

    def run(self, command: str) -> None:
        """Type a command line into both, and Enter."""
        self.type(command)
        self.key("Enter")

    def wait(self, wanted: Wanted) -> None:
        """Wait until both show something."""
        for terminal in self.both:
            terminal.wait_for(wanted)

    def same(self, wanted: Wanted) -> None:
        """Wait until both show something, and all else is the same."""
        self.wait(wanted)
        self.assert_same()


def needed(*programs: str) -> None:
    """Skip, and say so, where a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"NOT COMPARED: {program} is not installed")
