"""The test sheet: pages of terminal sequences, each written on an empty screen of 120x40."""

from __future__ import annotations

from itertools import product

ATTRIBUTES = (1, 2, 3, 4, 5, 7, 8, 9, 53)
LINES = "\r\n".join(f"line {number:02}" for number in range(20))


def _combinations() -> str:
    """Every set of the attributes but underline styles, in 512 pairs of letters."""
    shown = []
    for bits in product((0, 1), repeat=len(ATTRIBUTES)):
        chosen = [str(number) for bit, number in zip(bits, ATTRIBUTES, strict=True) if bit]
        shown.append(f"\x1b[0;{';'.join(chosen)}mab" if chosen else "\x1b[0mab")
    return "\x1b[0m ".join(shown)


def _resets() -> str:
    everything = "\x1b[1;2;3;4;5;7;8;9;53;31;44m"
    return "".join(f"{everything}on\x1b[{number}moff\x1b[0m " for number in (22, 23, 24, 25, 27, 28, 29, 55, 39, 49, 0))


def _colours(form: str) -> str:
    return "".join(f"\x1b[{form.format(number)}m{number:4}" for number in range(256)) + "\x1b[0m"


def _rainbow(form: str) -> str:
    return "".join(f"\x1b[{form.format(step, 255 - step, step * 7 % 256)}m=" for step in range(0, 256, 2)) + "\x1b[0m|"


STYLES: dict[str, str] = {
    "all attributes": _combinations(),
    "attributes end": _resets(),
    "underlines": "".join(
        f"\x1b[{code}mline\x1b[0m " for code in ("4", "4:0", "4:1", "4:2", "4:3", "4:4", "4:5", "21")
    ),
    "underline colours": "\x1b[4;58;5;200ma\x1b[58;2;1;2;3mb\x1b[58:2::9:8:7mc\x1b[4:3md\x1b[59me",
    "16 colours": "".join(
        f"\x1b[{fore};{back}mx"
        for fore in (*range(30, 38), *range(90, 98))
        for back in (*range(40, 48), *range(100, 108))
    ),
    "16 bold": "".join(f"\x1b[1;{fore}mbold\x1b[2mdim\x1b[0m " for fore in (*range(30, 38), *range(90, 98))),
    "256 as text": _colours("38;5;{}"),
    "256 as ground": _colours("48;5;{}"),
    "256 with colons": _colours("38:5:{}"),
    "true colour text": _rainbow("38;2;{};{};{}"),
    "true colour ground": _rainbow("48;2;{};{};{}"),
    "true colour with colons": _rainbow("38:2::{}:{}:{}"),
    "true colour in the short form": _rainbow("48:2:{}:{}:{}"),
    "broken sgr": "\x1b[38;5ma\x1b[0;38;2;1;2mb\x1b[0;38;5;300mc\x1b[0;99md\x1b[0;;1me\x1b[0;1;mf\x1b[m\x1b[38;9;1mg",
    "links": "\x1b]8;;https://a.example\x1b\\one\x1b]8;;\x1b\\ two \x1b]8;id=x;file:///y\x07\x1b[4mthree\x1b]8;;\x07",
}

TEXTS: dict[str, str] = {
    "chinese": "你好，世界。\r\n中文 mixed 文字\r\n" + "宽" * 70,
    "japanese": "日本語テキスト ｶﾅ カナ ﾊﾝｶｸ",
    "korean": "한국어 텍스트",
    "korean jamo": "\u1112\u1161\u11ab|",
    "full width": "ＡＢＣ｜１２３￥",
    "wide at the edge": "\x1b[1;119H你好\x1b[3;120H你|\r\n" + "a" * 119 + "你b",
    "half of a wide one overwritten": (
        "你好世界\x1b[1;2Hx\x1b[1;5Hy\x1b[3;1H你好世界\x1b[3;3H界\x1b[4;1H你好\x1b[4;2H好|"
    ),
    "half of a wide one erased": (
        "你好世界\x1b[1;2H\x1b[1X\x1b[2;1H你好世界\x1b[2;2H\x1b[K\x1b[3;1H你好世界\x1b[3;4H\x1b[1K"
    ),
    "half of a wide one deleted": "你好世界\x1b[1;2H\x1b[1P\x1b[2;1H你好世界\x1b[2;2H\x1b[1@z",
    "emoji": "😀🎉🚀✅❌⭐|",
    "emoji in text style": "☺☂✔✖♥❤☀|",
    "emoji by selector": "❤️|☀️|✔️|",
    "keycaps": "1️⃣|#️⃣|",
    "skin tones": "👍🏽|👩🏿|",
    "flags": "🇫🇷|🇩🇪🇯🇵|",
    "zwj": "👩‍👩‍👧|🏳️‍🌈|🧑‍💻|",
    "emoji at the edge": "\x1b[1;120H😀|\x1b[4;119H😀|",
    "combining": "e\u0301 a\u0308\u0323 n\u0303 \u0301x|",
    "many combining": "z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309|",
    "arabic and hebrew": "السلام عليكم|שָׁלוֹם|",
    "devanagari and thai": "नमस्ते|สวัสดี|",
    "zero width": "a\u200bb\u200dc\ufeffd\u2060e|",
    "soft hyphen": "a\u00adb|",
    "ambiguous": "§±×÷°·—…“”→≈αЖ①|",
    "box drawing": "┌─┬─┐\r\n│ │ │\r\n├─┼─┤\r\n╰─╯╔═╗╭╮┏┓\r\n▁▂▃▄▅▆▇█▉▊▋▌▍▎▏░▒▓▖▗▘▝⣿⠿",
    "private use": "\ue0b0\ue0b2\uf113|",
    "astral": "𝒜𝔸𝟘𐍈|",
    "control pictures": "␀␛⌘⏎|",
}

MOVES: dict[str, str] = {
    "tabs": "a\tb\tc\r\n\x1b[5G\x1bH\x1b[1G\tx\x1b[g\r\n\t\t\ty\r\n\x1b[3gno\tstops|",
    "tabs forth and back": "\x1b[3Ia\x1b[2Zb\r\n\x1b[100G\t\t\tend",
    "tabs on a ground": "\x1b[44ma\tb\x1b[0m|",
    "wrap": "x" * 125 + "\r\n" + "y" * 120 + "z",
    "wrap pending": "x" * 120
    + "\ry\x1b[3;1H"
    + "x" * 120
    + "\bz\x1b[5;1H"
    + "x" * 120
    + "\x1b[Kq\x1b[8;1H"
    + "x" * 120
    + "\nw",
    "wrap pending and attributes": "x" * 120 + "\x1b[31mred\x1b[44m" + "b" * 120 + "\x1b[0m",
    "no wrap": "\x1b[?7l" + "abc" * 45 + "\x1b[?7h",
    "no wrap and wide": "\x1b[?7l\x1b[1;119H你好吗\x1b[?7h",
    "wrap at the bottom": "\x1b[40;1H" + "x" * 130,
    "last cell": "\x1b[40;120HX",
    "repeat": "a\x1b[5bb\r\n你\x1b[3b\r\n\x1b[31mr\x1b[200b",
    "cursor moves": (
        "\x1b[10;10Ha\x1b[3Ab\x1b[2Bc\x1b[5Cd\x1b[9De\x1b[2Ef\x1b[1Fg\x1b[20Gh\x1b[7di\x1b[3`j\x1b[2ek\x1b[4al"
    ),
    "cursor moves out of range": "\x1b[999;999Hx\x1b[999A\x1b[999Dy\x1b[0;0Hz\x1b[50;5Hw",
    "next line and index": "a\x1bEb\x1bDc\x1bMd\x1b[1;1H\x1bMe",
    "saved cursor": "\x1b[5;5H\x1b[1;31m\x1b7\x1b[10;10H\x1b[0mx\x1b8y\x1b[0m\x1b[s\x1b[1;1Hz\x1b[uw",
    "backspace": "abc\b\bX\b\b\b\b\bY",
    "controls inside": "ab\x1b[2\nCc\x1b[3\rDd\x00e\x0ef\x0fg\x7fh",
    "line feeds": "a\vb\fc\nd\x1b[20hx\ny\x1b[20l\nz",
    "alignment": "\x1b#8\x1b[5;5Hmiddle",
    "unknown": "a\x1b[5yb\x1b[?9999hc\x1b[>1;2;3xd\x1bQe\x1b]999;x\x07f\x1bP1$zq\x1b\\g\x1b^h\x1b\\i\x1bXj\x1b\\k",
    "cancelled": "a\x1b[3\x18b\x1b]0;t\x18c\x1b[4\x1ad\x1b\x1b[31me",
    "bytes that are no utf-8": "a\udcffb\udcc3(c\udce4\udcbdd\udcf0\udc9f\udc98e|",
    "c1 as utf-8": "a\u0085b\u009b31mc\u0084d|",
}

EDITS: dict[str, str] = {
    "erase line": "\r\n".join(["abcdef"] * 3) + "\x1b[1;3H\x1b[K\x1b[2;3H\x1b[1K\x1b[3;3H\x1b[2K|",
    "erase line on a ground": (
        "\x1b[44mabc\x1b[K\r\n\x1b[2K\r\n\x1b[48;5;99mx\x1b[10G\x1b[1K\x1b[0m\r\n\x1b[7;42mq\x1b[K"
    ),
    "erase display": LINES + "\x1b[10;3H\x1b[J\x1b[5;3H\x1b[1J",
    "erase display on a ground": LINES + "\x1b[41m\x1b[10;3H\x1b[J\x1b[48;2;1;2;3m\x1b[5;3H\x1b[1J\x1b[0m",
    "erase everything on a ground": "\x1b[45m\x1b[2J\x1b[0mtext",
    "characters": "abcdefgh\x1b[1;3H\x1b[2@\r\nabcdefgh\x1b[2;3H\x1b[2P\r\nabcdefgh\x1b[3;3H\x1b[2X",
    "characters on a ground": (
        "abcdefgh\x1b[43m\x1b[1;3H\x1b[2@\r\n\x1b[0mabcdefgh\x1b[43m\x1b[2;3H\x1b[2P\x1b[3;3H\x1b[4X\x1b[0m"
    ),
    "insert mode": "abcdef\x1b[1;3H\x1b[4hXY你\x1b[4lZ",
    "insert to the edge": "a" * 120 + "\x1b[1;1H\x1b[4hXYZ\x1b[4l",
    "lines": LINES + "\x1b[5;1H\x1b[3Lnew\x1b[12;1H\x1b[2Mgone",
    "lines on a ground": LINES + "\x1b[46m\x1b[5;1H\x1b[3L\x1b[12;1H\x1b[2M\x1b[0m",
    "scroll": LINES + "\x1b[3S\x1b[10;1Hup\x1b[2Tdown",
    "scroll region": LINES + "\x1b[5;10r\x1b[10;1Ha\nb\nc\x1b[5;1H\x1bMd\x1b[2Se\x1b[1Tf\x1b[r\x1b[20;1Hg",
    "scroll region on a ground": LINES + "\x1b[44m\x1b[5;10r\x1b[10;1H\n\n\x1b[5;1H\x1bM\x1b[r\x1b[0m",
    "lines in a region": LINES + "\x1b[5;10r\x1b[6;1H\x1b[2L\x1b[8;1H\x1b[1M\x1b[15;1H\x1b[5Lx\x1b[r",
    "region out of range": LINES + "\x1b[10;5rx\x1b[0;99ry\x1b[38;99r\x1b[40;1H\nz\x1b[r",
    "origin": LINES + "\x1b[5;10r\x1b[?6h\x1b[1;1HA\x1b[99;1HB\x1b[3;3HC\x1b[?6l\x1b[1;1HD\x1b[r",
    "origin and saved cursor": "\x1b[5;10r\x1b[?6h\x1b[2;2H\x1b7\x1b[?6l\x1b[r\x1b8X",
    "scrolled off": "\r\n".join(f"{number} \x1b[3{number % 8}mx\x1b[0m" for number in range(90)),
}

SCREENS: dict[str, str] = {
    "alternate": "main\x1b[?1049h\x1b[31malt\x1b[5;5Hthere",
    "alternate and back": "\x1b[3;3Hma\x1b[32min\x1b[?1049h\x1b[2Jalt\x1b[10;10H\x1b[?1049lback",
    "alternate 47": "main\x1b[?47halt\x1b[?47lback",
    "alternate 1047": "main\x1b[?1047halt\x1b[?1047lback",
    "saved cursor 1048": "\x1b[4;4H\x1b[?1048h\x1b[9;9Hx\x1b[?1048ly",
    "alternate twice": "main\x1b[?1049hone\x1b[?1049htwo\x1b[?1049lback\x1b[?1049lagain",
    "full reset": "\x1b[1;31mtext\x1b[?1049h\x1b[5;10r\x1b[?6hx\x1bcafter",
    "soft reset": "\x1b[1;31m\x1b[4h\x1b[?6h\x1b[!pab\x1b[1;1Hc",
    "line drawing": "\x1b(0`abcdefghijklmnopqrstuvwxyz{|}~_ABC\x1b(B `abc",
    "line drawing by shift": "\x1b)0plain\x0elqqk\x0fplain\x0ex x\x0f",
    "line drawing box": "\x1b(0lqqqk\r\nx   x\r\nmqqqj\x1b(B\r\n\x1b[31m\x1b(0tqqu\x1b(B",
    "british": "\x1b(A#$\x1b(B#",
    "saved charset": "\x1b(0\x1b7\x1b(Bq\x1b8q\x1b(B",
    "reverse screen": "\x1b[?5htext\x1b[?5l",
    "cursor shown": "\x1b[?25h\x1b[7;9H",
    "cursor at the edge": "\x1b[?25h" + "x" * 120,
    "cursor hidden": "\x1b[?25h\x1b[7;9H\x1b[?25l",
    "title": "\x1b]0;a title 标题 😀\x07",
    "title by two": "\x1b]2;<b>[bold]x[/bold]</b> {y}\x1b\\",
    "title with controls": "\x1b]2;a\tb\x1b\\",
    "title kept and taken back": "\x1b]2;first\x07\x1b[22;2t\x1b]2;second\x07\x1b[23;2t",
    "application string": "\x1b_Ga=q,i=1;AAAA\x1b\\",
    "synchronized": "\x1b[?2026hheld\x1b[?2026lshown",
    "grapheme mode off": "\x1b[?2027l👩‍👩‍👧|\x1b[?2027h",
    "palette": "\x1b]4;1;rgb:12/34/56\x07\x1b[31mred\x1b]104\x07",
    "markup": "[bold]no[/bold] [/x] [@click=app.quit]press[/] \\[x] [link=https://x]y[/link] {z} &amp; <b>",
}

PAGES: dict[str, str] = STYLES | TEXTS | MOVES | EDITS | SCREENS
