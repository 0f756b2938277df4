"""Characters that a reader takes for others: data, for telling a tag or a rule line whatever it is written with."""

from __future__ import annotations

import re
import unicodedata

_LETTERS = {
    "H": "ΗНᎻᕼⲎꓧ𐋏ҢҤӉΉĦⱧꞪⱵ🅗🅷🇭", "A": "ΑАᎪᗅᗩꓮ𐊠𖽀ΛДӐΆȺⱯ∀🅐🅰🇦", "R": "ƦᎡᏒᖇꓣ𐒴𖼵𝈖ЯɌⱤ🅡🆁🇷", "D": "ᎠᗞᗪꓓĐÐƉƊᗫ🅓🅳🇩",
    "h": "һհᏂħћђʜнɦⱨ", "a": "ɑαа⍺ᴀӑάɐⱥλд", "r": "гᴦⲅꭇꭈꮁʀяɼɽɾɍ", "d": "ԁᏧᑯꓒđðɖɗᴅժ",
}  # fmt: skip
"""Beyond those that Unicode itself takes apart: Greek, Cyrillic, Armenian, Cherokee, Lisu, Coptic, small capitals,
strokes and hooks, squared and circled ones."""

_OPENING, _CLOSING = "⊏⊑⎡⎢⎣⌈⌊┌├└┏┣┗╔╠╚╭╰", "⊐⊒⎤⎥⎦⌉⌋┐┤┘┓┫┛╗╣╝╮╯"
"""Signs and frames that stand in for square brackets."""

_ROUND = {"(": "(", ")": ")", "{": "(", "}": ")", "<": "(", ">": ")", "«": "(", "»": ")", "‹": "(", "›": ")"}
"""Brackets that words stand in anyway: only a tag in capitals is one there."""

_DASHES = {
    **dict.fromkeys("‐‑‒–−⁃", "-"), **dict.fromkeys("—―─╌┄┈", "--"), **dict.fromkeys("━═▬▂⸺⸻╍┅┉", "━━"),
}  # fmt: skip
_NOTHING = "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0*_`~\\'\"‚„"
"""Letters and signs that show nothing, marks of Markdown, and quotes."""

_OWN = {
    **{c: letter for letter, alike in _LETTERS.items() for c in alike},
    **dict.fromkeys(_OPENING, "["), **dict.fromkeys(_CLOSING, "]"), **_ROUND, **_DASHES, **dict.fromkeys(_NOTHING, ""),
    "強": "强",
}  # fmt: skip
_INVISIBLE = frozenset({"Mn", "Mc", "Me", "Cf", "Cc", "Cs"})
_AS_ONE = {"Ps": "[", "Pe": "]", "Zs": " ", "Zl": " ", "Zp": " "}


class _Folds(dict[int, str | None]):
    """What each character is taken for, told once."""

    def __missing__(self, code: int) -> str | None:
        # Texts of ASCII are translated thirty times as fast where what is gone is None, and not an empty text.
        self[code] = told = _told(chr(code)) or None
        return told


def _told(character: str) -> str:
    if character in "\n\t":
        return character
    if character in _OWN:
        return _OWN[character]
    plain = [c for c in unicodedata.normalize("NFKD", character) if unicodedata.category(c) not in _INVISIBLE]
    return "".join(_OWN[c] if c in _OWN else c if c.isascii() else _AS_ONE.get(unicodedata.category(c), c)
                   for c in plain)  # fmt: skip


_FOLDS = _Folds()
_PLAIN = "".join(re.escape(chr(code)) for code in range(128) if _told(chr(code)) == chr(code))
_ODD = re.compile(rf"[^{_PLAIN}\u3400-\u4dbf\u4e00-\u5f36\u5f38-\u9fff]+")
"""What is taken for something else, or may be; of the Chinese characters one alone is."""


def folded(text: str) -> str:
    """Return a text as a reader takes it.

    Capitals stay capitals. Square and odd brackets are [ ], round, curly and pointed ones ( ); what can't be seen and
    the marks of Markdown are gone.
    """
    if text.isascii():
        return text.translate(_FOLDS)
    return _ODD.sub(lambda odd: odd[0].translate(_FOLDS), text)
