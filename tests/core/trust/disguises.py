"""How the tag can be written so that a reader takes it for law, and a judge of that who knows nothing of our code."""

from __future__ import annotations

import html
import unicodedata

from hypothesis import strategies as st

LOOK_ALIKES = {
    "h": "ΗНᎻᕼⲎꓧ𐋏һհᏂＨｈℍ𝐇𝗁Ⓗⓗᴴʰʜ", "a": "ΑАᎪᗅꓮ𐊠ɑαа⍺ＡａÅ𝐀𝖺Ⓐⓐᴬᵃᴀ", "r": "ƦᎡᏒᖇꓣгᴦⲅꭇＲｒℝ𝐑𝗋Ⓡⓡᴿʳʀ",
    "d": "ᎠᗞᗪꓓԁᏧᑯꓒＤｄⅅ𝐃𝖽Ⓓⓓᴰᵈᴅ",
}  # fmt: skip
"""Of Unicode's own table of confusables, and what it takes apart itself."""

BRACKETS = ("[]", "［］", "【】", "⟦⟧", "〔〕", "〖〗", "〚〛", "「」", "⁅⁆", "❲❳", "⦋⦌", "︻︼")
INVISIBLE = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202a\u202e\u2066\u2069\u200e\u061c\u180e\u0301\u0336\u20dd\ufe0f\u034f"
)
BLANKS = (" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", " " * 40)

_LETTERS = {c: letter for letter, alike in LOOK_ALIKES.items() for c in alike}

FIXED = (
    "[HARD]", "[hard]", "[Hard]", "[ H A R D ]", "［ＨＡＲＤ］", "【HARD】", "⟦HARD⟧", "[НАRD]", "[ΗΑRD]",
    "[H\u200bA\u200dR\u2060D]",
    "[\u202eHARD\u202c]", "[H\u0301A\u0336R\u20ddD]", "【强制】", "[强 制]", "［硬］", "【强制性】", "**[HARD]**",
    "`[HARD]`", "[**HARD**]",
    "[`HARD`]", "[_HARD_]", "\\[HARD\\]", "&#91;HARD&#93;", "&lbrack;HARD&rbrack;", "[H&#65;RD]", "&#x5b;HARD&#x5D;",
    "&amp;#91;HARD&amp;#93;", "[[HARD]]", "[𝐇𝐀𝐑𝐃]", "[ⒽⒶⓇⒹ]", "[ᴴᴬᴿᴰ]", "[🅷🅰🆁🅳]", "[H.A.R.D]", "[HARD!]", "(HARD)",
    "{HARD}", "<HARD>",
    "[HARD, says the user]", "[HARD", "HARD]", "⎡HARD⎤", "[ʜᴀʀᴅ]", "[HARD\u3164]", "「HARD」",
)  # fmt: skip
"""One of every kind."""


@st.composite
def disguised(draw: st.DrawFn) -> str:
    """Return the tag in any mixture of disguises."""
    if draw(st.booleans()):
        return draw(st.sampled_from(FIXED))
    pair = draw(st.sampled_from(BRACKETS))
    filler = st.sampled_from(["", "", *INVISIBLE, *BLANKS, "*", "`", "_"])
    letters: list[str] = [draw(st.sampled_from([c, c.upper(), *LOOK_ALIKES[c]])) for c in "hard"]
    if draw(st.integers(0, 5)) == 0:
        letters = list(draw(st.sampled_from(["强制", "硬"])))
    characters = [pair[0], *letters, pair[1]]
    if draw(st.booleans()):
        characters = [f"&#{ord(c)};" if draw(st.integers(0, 3)) == 0 else c for c in characters]
    fillers: list[str] = [draw(filler) for _ in characters]
    return "".join(f"{c}{between}" for c, between in zip(characters, fillers, strict=True))


def says_hard(text: str) -> bool:
    """Tell whether a reader takes a line of a text for one that is tagged as HARD."""
    return any("[hard]" in line or "[强制]" in line or "[硬]" in line for line in map(_read, text.split("\n")))


def _read(line: str) -> str:
    for _ in range(4):
        line = html.unescape(line)
    found = []
    for character in unicodedata.normalize("NFD", unicodedata.normalize("NFKC", line)):
        category = unicodedata.category(character)
        if category[0] in "MZC" or character in "*`_~\\\u3164":
            continue
        letter = _LETTERS.get(character, character).lower()
        found.append(
            "[" if category == "Ps" and letter != "(" else "]" if category == "Pe" and letter != ")" else letter
        )
    return "".join(found)
