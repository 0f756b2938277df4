"""The key events, and the modes a program may have set when they come."""

from __future__ import annotations

from tests.keys.keyboard import ALT, CTRL, RELEASE, REPEAT, SHIFT, SUPER, Key

PUNCTUATION = {
    "COMMA": ",<", "PERIOD": ".>", "SLASH": "/?", "SEMICOLON": ";:", "QUOTE": "'\"", "BRACKET_LEFT": "[{",
    "BRACKET_RIGHT": "]}", "BACKSLASH": "\\|", "MINUS": "-_", "EQUAL": "=+", "BACKQUOTE": "`~",
}  # fmt: skip
DIGITS = {f"DIGIT_{number}": f"{number}{shifted}" for number, shifted in enumerate(")!@#$%^&*(")}
CHARACTERS = {chr(c).upper(): chr(c) + chr(c).upper() for c in range(ord("a"), ord("z") + 1)} | DIGITS | PUNCTUATION
NAMED = (
    "ENTER", "TAB", "BACKSPACE", "ESCAPE", "ARROW_UP", "ARROW_DOWN", "ARROW_LEFT", "ARROW_RIGHT", "HOME", "END",
    "PAGE_UP", "PAGE_DOWN", "INSERT", "DELETE", *(f"F{number}" for number in range(1, 13)),
)  # fmt: skip
COMBINATIONS = (
    0, SHIFT, ALT, CTRL, SHIFT | ALT, SHIFT | CTRL, ALT | CTRL, SHIFT | ALT | CTRL, SUPER, SUPER | SHIFT,
)  # fmt: skip
KEYPAD = {
    **{f"NUMPAD_{number}": str(number) for number in range(10)}, "NUMPAD_ADD": "+", "NUMPAD_SUBTRACT": "-",
    "NUMPAD_MULTIPLY": "*", "NUMPAD_DIVIDE": "/", "NUMPAD_DECIMAL": ".", "NUMPAD_EQUAL": "=", "NUMPAD_ENTER": "\r",
}  # fmt: skip
TEXTS = (
    "余额", "配置文件", "한글", "日本語", "🎉", "👩‍👩‍👧‍👦", "🏳️‍🌈", "é", "e\u0301", "ü", "ñ",
    "Å", "ß", "€", "ا", "\u00a0", "Ω≈ç√",
)  # fmt: skip
"""From input methods and dead keys: text without a key."""


def _characters() -> list[Key]:
    keys = []
    for key, both in CHARACTERS.items():
        plain, shifted = both[0], both[1]
        for modifiers in (0, CTRL, ALT, CTRL | ALT, SUPER):
            keys.append(Key(key, modifiers, plain, plain))
        for modifiers in (SHIFT, CTRL | SHIFT, ALT | SHIFT, CTRL | ALT | SHIFT):
            keys.append(Key(key, modifiers, shifted, plain))
    return keys + [Key("SPACE", modifiers, " ", " ") for modifiers in COMBINATIONS]


EVENTS: tuple[Key, ...] = (
    *_characters(),
    *(Key(key, modifiers) for key in NAMED for modifiers in COMBINATIONS),
    *(Key(key, modifiers, text, text) for key, text in KEYPAD.items() for modifiers in (0, CTRL, ALT)),
    *(Key("UNIDENTIFIED", 0, text) for text in TEXTS),
    *(Key("UNIDENTIFIED", ALT, text) for text in "éü余"),
    *(Key(key, modifiers, action=action) for key in NAMED for modifiers in (0, CTRL) for action in (REPEAT, RELEASE)),
    *(Key(key, 0, key.lower(), key.lower(), action) for key in "AZ" for action in (REPEAT, RELEASE)),
    *(Key(f"{word}_LEFT", modifiers, action=action) for word, modifiers in
      (("SHIFT", SHIFT), ("CONTROL", CTRL), ("ALT", ALT)) for action in (1, RELEASE)),
    Key("CAPS_LOCK"), Key("NUM_LOCK"), Key("PRINT_SCREEN"), Key("PAUSE"), Key("CONTEXT_MENU"),
)  # fmt: skip

MODES: dict[str, bytes] = {
    "normal": b"",
    "application cursor": b"\x1b[?1h",
    "application keypad": b"\x1b=",
    "application keypad as a mode": b"\x1b[?66h",
    "both, as ncurses sets them": b"\x1b[?1h\x1b=",
    "Backspace is BS": b"\x1b[?67h",
    "modifyOtherKeys 1": b"\x1b[>4;1m",
    "modifyOtherKeys 2": b"\x1b[>4;2m",
    "application cursor and modifyOtherKeys 2": b"\x1b[?1h\x1b[>4;2m",
    "bracketed paste, focus, mouse": b"\x1b[?2004h\x1b[?1004h\x1b[?1003h\x1b[?1006h",
    "kitty 1": b"\x1b[>1u",
    "kitty 5, as Claude Code": b"\x1b[?2004h\x1b[?1004h\x1b[>5u\x1b[>4;2m",
    "kitty 7, as Codex": b"\x1b[?2004h\x1b[>7u\x1b[?1004h",
    "kitty 7 in application cursor mode": b"\x1b[?1h\x1b=\x1b[>7u",
    "kitty 15": b"\x1b[>15u",
    "kitty 31": b"\x1b[>31u",
    "kitty on the alternate screen": b"\x1b[?1049h\x1b[>1u\x1b[=8;2u",
    "kitty pushed and popped": b"\x1b[>31u\x1b[>1u\x1b[<2u",
    "the alternate screen left with kitty 7 on it": b"\x1b[?1049h\x1b[>7u\x1b[?1049l",
}
RESET = (
    b"\x1b[<9u\x1b[?1049l\x1b[<9u\x1b[=0;1u\x1b[?1l\x1b>\x1b[?66l\x1b[?67l\x1b[>4m\x1b[?2004l\x1b[?1004l"
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?9l"
)

BURSTS: tuple[tuple[Key, ...], ...] = (
    (Key("ESCAPE"), Key("ESCAPE")),
    (Key("ESCAPE"), Key("BRACKET_LEFT", 0, "[", "["), Key("A", SHIFT, "A", "a")),
    (Key("ESCAPE"), Key("ARROW_UP"), Key("ESCAPE"), Key("O", SHIFT, "O", "o"), Key("P", SHIFT, "P", "p")),
    (Key("BRACKET_LEFT", ALT, "[", "["), Key("I", SHIFT, "J", "j"), Key("DIGIT_1", 0, "1", "1")),
    (Key("BRACKET_RIGHT", ALT, "]", "]"), Key("DIGIT_1", 0, "1", "1"), Key("ENTER")),
    (Key("P", ALT | SHIFT, "P", "p"), Key("DIGIT_2", 0, "2", "2"), Key("TAB")),
    tuple(Key(c.upper(), 0, c, c) for c in "thequickbrownfox"),
    (*(Key("ARROW_DOWN"),) * 40, *(Key("BACKSPACE"),) * 40),
    tuple(Key("UNIDENTIFIED", 0, c) for c in "一二三四五六七八九十"),
)
