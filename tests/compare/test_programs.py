"""Real programs, driven by the same keys in agentsup in tmux and bare in tmux: the same cells after every step."""

from __future__ import annotations

import re
import sys

from tests.compare.pair import shown
from tests.compare.shells import PROMPT, SIZE, Shells, needed
from tests.terminals.tmux import Wanted


def last_is(text: str) -> Wanted:
    """Return what holds when the last row that has text is this one."""
    return lambda rows: ([row for row in rows if row] or [""])[-1] == text


def begins(text: str) -> Wanted:
    return lambda rows: any(row.startswith(text) for row in rows)


def test_bash_prompts_in_colour_and_edits(shells: Shells) -> None:
    shells.same(PROMPT)
    shells.type("echo one two three 你好")
    shells.same("你好")
    shells.key("C-a", "M-f", "M-f", "C-k")
    shells.same(last_is(f"{PROMPT} echo one"))
    shells.key("C-y", "C-a", "C-d", "C-d")
    shells.same(last_is(f"{PROMPT} ho one two three 你好"))
    shells.key("C-u")
    shells.type("echo " + "long " * 30)
    shells.key("C-a", "C-Right", "BSpace")
    shells.same(begins(f"{PROMPT} ech long"))
    shells.key("C-c")
    shells.same(last_is(PROMPT))
    shells.run("cat <<E")
    shells.same(last_is("more>"))
    shells.run("text")
    shells.run("E")
    shells.same(last_is(PROMPT))


def test_bash_completes_and_searches_its_history(shells: Shells) -> None:
    shells.run("echo first'-'command")
    shells.run("echo second'-'command")
    shells.wait("second-command")
    shells.key("C-r")
    shells.type("fir")
    shells.same("(reverse-i-search)`fir': echo first'-'command")
    shells.key("Enter")
    shells.same(lambda rows: rows.count("first-command") == 2)
    shells.key("Up", "Up")
    shells.same(last_is(f"{PROMPT} echo second'-'command"))
    shells.key("C-u")
    shells.type("cat mod")
    shells.key("Tab")
    shells.same(last_is(f"{PROMPT} cat module.py"))
    shells.key("C-u")
    shells.type("cat ")
    shells.key("Tab", "Tab")
    shells.same("coloured.txt  long.txt      module.py")


def test_bash_stops_and_resumes_jobs(shells: Shells) -> None:
    shells.run("cat")
    shells.type("typed")
    shells.key("Enter")
    shells.same(lambda rows: rows.count("typed") == 2)
    shells.key("C-z")
    shells.same(re.compile(r"\[1\]\+ +Stopped +cat"))
    shells.run("jobs; fg")
    shells.type("again")
    shells.key("Enter")
    shells.same(lambda rows: rows.count("again") == 2)
    shells.key("C-d")
    shells.same(last_is(PROMPT))
    shells.run("sleep 100")
    shells.key("C-c")
    shells.same(last_is(PROMPT))


def test_vim(shells: Shells) -> None:
    needed("vim")
    # Told the background: ours answers vim's question for it, tmux 3.3 without a person's terminal does not.
    shells.run("vim --clean -n -i NONE --cmd 'set background=dark t_RB=' -c 'syntax on' module.py")
    shells.same("class Greeter")
    shells.type("ggOinserted 插入 text")
    shells.same("-- INSERT --")
    shells.key("Escape")
    shells.type("/name")
    shells.same(last_is("/name"))
    shells.key("Enter")
    shells.type(":set hlsearch number cursorline")
    shells.key("Enter")
    shells.same(re.compile(r"^ *1 inserted 插入 text", re.MULTILINE))
    shells.type(":split")
    shells.key("Enter")
    shells.same(lambda rows: sum(row.startswith("module.py") for row in rows) == 2)
    shells.type(":vsplit")
    shells.key("Enter")
    shells.same(lambda rows: any("│" in row or "|" in row for row in rows))
    shells.type("VG")
    shells.same("-- VISUAL LINE --")
    shells.key("Escape")
    shells.resize(90, 26)
    shells.same(lambda rows: len(rows) == 26 and rows[24].startswith("module.py"))
    shells.type(":qa!")
    shells.key("Enter")
    shells.wait(last_is(PROMPT))


def test_less(shells: Shells) -> None:
    needed("less")
    shells.run("less long.txt")
    shells.same("line 28 of")
    shells.key("Space")
    shells.same("line 57 of")
    shells.type("/line 15")
    shells.key("Enter")
    shells.same("line 150 of")
    shells.key("b", "k", "k")
    shells.wait("line 120 of")
    shells.key("G")
    shells.same("(END)")
    shells.resize(80, 20)
    shells.same(lambda rows: len(rows) == 20 and rows[-1] == ":")
    shells.key("q")
    shells.wait(last_is(PROMPT))


def test_less_shows_colours(shells: Shells) -> None:
    needed("less")
    shells.run("less -R coloured.txt")
    shells.same("28 彩色 bold end")
    shells.key("G")
    shells.same("59 彩色 bold end")
    shells.key("q")
    shells.same(last_is(PROMPT))


def test_htop_draws_its_bars_and_takes_its_keys(shells: Shells) -> None:
    """What it measures differs from moment to moment: the head of its table and its keys are compared."""
    needed("htop")
    shells.run("htop -d 50")
    shells.wait("F10Quit")
    for column in ("  PID ", "F10Quit"):
        assert_row(shells, column)
    shells.key("F1")
    shells.same("show this help screen")
    shells.key("Escape")
    shells.wait("F10Quit")
    shells.key("F2")
    shells.wait("Display options")
    assert_row(shells, "F10Done")
    shells.key("F10")
    shells.wait("F10Quit")
    shells.key("F3")
    shells.type("xyz")
    shells.wait("Search: xyz")
    assert_row(shells, "Search: xyz")
    shells.key("Escape", "F10")
    shells.same(last_is(PROMPT))


def test_top_draws_its_table(shells: Shells) -> None:
    needed("top")
    shells.run("top -d 50")
    shells.wait("PID USER")
    # It erases to the end of a full row: of that, xterm and libghostty erase the last cell, tmux nothing.
    assert_row(shells, "PID USER", width=SIZE[0] - 1)
    shells.key("h")
    shells.wait("Help for Interactive Commands")
    shells.key("q")
    shells.wait("PID USER")
    shells.key("q")
    shells.wait(last_is(PROMPT))


def assert_row(shells: Shells, text: str, width: int = SIZE[0]) -> None:
    """The row that has this text is the same in both, colours and all, once both have drawn it."""

    def same() -> bool:
        bare, ours = ([row[:width] for row in screen.rows if text in "".join(cell.text for cell in row)]
                      for screen in (shells.bare_shown(), shown(shells.ours)))  # fmt: skip
        return bool(bare) and bare == ours

    shells.ours.wait_until(same, what=f"the same row of {text}")


def test_python_reads_lines_and_is_interrupted(shells: Shells) -> None:
    shells.run(f"{sys.executable} -q -S")
    shells.same(last_is(">>>"))
    shells.run("'你好 ' * 3")
    shells.same("'你好 你好 你好 '")
    shells.type("for number in range(2):")
    shells.key("Enter")
    shells.wait(re.compile(r"^\.\.\.", re.MULTILINE))
    shells.type("    print('row', number)")
    shells.key("Enter")
    shells.key("Enter")
    shells.same("row 1")
    shells.key("Up", "C-a")
    shells.type("#")
    shells.same(re.compile(r"^>>> #|^\.\.\. #", re.MULTILINE))
    shells.key("C-c")
    shells.same("KeyboardInterrupt")
    shells.run("import time; time.sleep(100)")
    shells.key("C-c")
    shells.same(lambda rows: sum("KeyboardInterrupt" in row for row in rows) == 2)
    shells.key("C-d")
    shells.wait(last_is(PROMPT))


def test_tput_is_obeyed(shells: Shells) -> None:
    needed("tput")
    names = ("bold", "dim", "smul", "rev", "sitm", "setaf 3", "setab 4", "setaf 200", "smso", "blink", "invis")
    shells.run("; ".join(f"tput {name}; printf '%-12s' '{name}'; tput sgr0; echo" for name in names))
    shells.same("smso")
    shells.run("tput cup 20 10; printf there; tput sc; tput home; printf home; tput rc; tput el; echo back")
    shells.same(lambda rows: rows[0].startswith("home") and "thereback" in rows[20])
    shells.run("tput smcup; printf alt; tput civis; read -s; tput cnorm; tput rmcup")
    shells.same(lambda rows: "alt" in "".join(rows))
    shells.key("Enter")
    shells.same(lambda rows: rows[0].startswith("home"))
