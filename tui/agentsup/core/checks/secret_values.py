"""Passwords and keys that are known by what stands before them: a name and a sign, a header, a user in a URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from agentsup.core.checks.lazy_pattern import LazyPattern
from agentsup.core.checks.private_keys import Span, places

_URL = LazyPattern(
    r"://([^\s/:@\"'`<>\[\]]{0,100}):((?![0-9]{1,5}/)[^\s/@\"'`<>]{3,200}(?:/[^\s/@\"'`<>]{1,100}){0,2})@(?=[A-Za-z0-9\[])"
)
_DSN = LazyPattern(r"://([0-9a-f]{32}(?::[0-9a-f]{32})?)@[A-Za-z0-9.-]{1,100}(?::[0-9]{1,5})?/[0-9]")
_DUMMY_PASSWORDS = frozenset({
    "password", "passwd", "pass", "passwort", "pwd", "secret", "token", "key", "user", "username", "changeme", "xxx",
    "xxxx", "xxxxx", "xxxxxx", "example", "placeholder", "redacted", "port", "mypassword", "yourpassword", "密码",
})  # fmt: skip

_AUTHORIZATION = LazyPattern(
    r"(?i:(?:proxy-)?authorization)\\{0,3}[\"']?\s{0,4}[:=,]\s{0,4}\\{0,3}[\"']?\s{0,4}"
    r"(?:[A-Za-z][A-Za-z0-9-]{2,15}\s{1,4})?((?:[A-Za-z0-9+/=._~-]|%[0-9A-F]{2}){8,4000})"
)
_BEARER = LazyPattern(r"(?i:bearer)\s{1,4}([A-Za-z0-9._~+/=-]{16,4000})")
_USER = LazyPattern(r"(?<= )(?:-u|--user)[ =]{1,3}[\"']?[^\s:\"'<$]{1,100}:([^\s\"'$<>{}]{3,100})")
_COMMAND = 400
"""Characters of a command in which its option is looked for."""

_COOKIE = LazyPattern(
    r"(?i:(?:set-)?cookie)\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}(?:[^\n]{0,200}?[\s;\"'])?"
    r"(?i:[a-z0-9_.-]{0,40}(?:sess|sid|auth|token|jwt|csrf)[a-z0-9_.-]{0,40})=([A-Za-z0-9%+/=._~-]{12,4000})"
)
_NETRC = LazyPattern(r"(?:login|user)(?:[\s>]|\\+n){1,12}\S{1,100}(?:[\s>]|\\+n){1,12}$")
_OF_NETRC = LazyPattern(r"password\s{1,8}([^\s\"'`\\<>()\[\]{},;]{4,200})")

# Of a name only how it ends; what may stand between it and its sign: a quote, blanks.
_SIGN = r"\\{0,3}[\"'`]?\]?[ \t]{0,8}(?:[:=：＝]{1,2}|=>|:=|是|为)[ \t]{0,8}"
_VALUE = (
    r"(?:\\{0,3}([\"'`])((?:(?!\1)[^\s\\\x00-\x1f]){4,300}+)(?=\\{0,3}\1)"
    r"|\\{0,3}[\"'`“]?([^\s\"'`“”「」,;，。；、()（）\\<>\x00-\x1f]{4,300}))"
)
_AS = r"(?:[_-]?(?:value|prod|production|live|staging|dev|test|[0-9]{1,2}))?"
_PASSWORD = LazyPattern(rf"(?i:pass(?:word|wd|phrase|code|wort)?|pwd|passwd){_AS}{_SIGN}{_VALUE}")
_SECRET = LazyPattern(rf"(?i:secret(?:[_-]?(?:access[_-]?)?key)?(?:[_-]?base)?|token|key){_AS}{_SIGN}{_VALUE}")
_SPOKEN = LazyPattern(
    rf"(?:密码|口令|密钥|令牌|秘钥|密令)[ \t]{{0,4}}(?:[:：=＝是为]{{1,2}}|[\"'`“「])[ \t]{{0,4}}「?{_VALUE}"
)
_OPTION = LazyPattern(
    r"(?:--?[a-z-]{0,20}(?:password|passwd|passphrase|token|secret|api-key))"
    r"[ \t]{1,4}[\"']?([^\s\"'`-][^\s\"'`]{5,200})"
)
_ENGLISH = LazyPattern(r"(?i:pass(?:word|phrase)|token|secret) is:? [\"'`]?([^\s\"'`,;()<>]{6,200})")
_ELEMENT = LazyPattern(r"(?i:[a-z_-]{0,30})>([^\s<>]{6,200})</")
_KEYS_OF = (
    b"api", b"access", b"secret", b"private", b"account", b"auth", b"app", b"application", b"encryption", b"encrypt",
    b"signing", b"client", b"master", b"service", b"storage", b"shared", b"license", b"licence", b"consumer", b"user",
    b"subscription", b"admin", b"deploy", b"webhook", b"session", b"jwt", b"hmac", b"function", b"host", b"ingest",
    b"write", b"org", b"personal", b"ssh", b"fastly", b"datadog", b"openai", b"stripe", b"heroku", b"cloudflare",
    b"aws", b"azure", b"google", b"mailgun", b"sendgrid", b"algolia", b"root", b"server", b"rapidapi", b"bot",
)  # fmt: skip
"""What a key opens something of: `key` alone is mostly that of a table."""

_CAMEL = LazyPattern(r"[a-z0-9][A-Z]$")

_COOKIES = 200
"""Characters of a cookie header that are looked through for the one of a session."""

_NESTED = 4
"""Names in one value that are looked at."""

_NO_VALUE = LazyPattern(
    r"[{}\[\]…]|^[<$%@&!~.]|\$\(|::|\.\.\.|[*]{3}|^(?:x+|\.+|-+)$|->|=>|(?i:example|your|placeholder|changeme|change_me"
    r"|redacted|environ|getenv|process\.env|insert[_-]|replace|<|xxxx|secrets\.|config\.|settings\.|vault:|redact)"
)
"""A place to fill in, a name: not the secret itself."""
_WORDS = LazyPattern(r"[A-Za-z]{2,}[0-9]{0,2}(?:[_./:+-]+(?:[A-Za-z]{1,30}[0-9]{0,2}|[0-9]{1,2}))*")
"""Names of a program: `state2.next_token`, `API_KEY_V2`."""
_DUMMIES = LazyPattern(
    r"(?i)(?:test|dummy|fake|sample|mock|my|foo|bar|todo|none|null|true|false|undefined|string)[_-]?[a-z_-]{0,20}[0-9]{0,4}"
)


def urls(text: str) -> Iterator[Span]:
    """Yield passwords that stand before the host of a URL."""
    at = text.find("://")
    while at >= 0:
        if match := _DSN.match(text, at):
            yield Span("Sentry DSN", *match.span(1))
        elif (match := _URL.match(text, at)) and _is_password_of(match[1], match[2]):
            yield Span("password in a URL", *match.span(2))
        at = text.find("://", at + 3)


def _is_password_of(user: str, password: str) -> bool:
    small = password.lower()
    if small in _DUMMY_PASSWORDS or small == user.lower() or re.match(r"[<{$*[%]", password):
        return False
    return not re.search(r"[{}*$<>]{1,2}|\.\.\.|…", password) or any(c.isdigit() for c in password)


def headers(text: str, small: bytes) -> Iterator[Span]:
    """Yield what proves who asks in the headers of a request."""
    for at in places(small, b"authorization"):
        match = _AUTHORIZATION.match(text, at)
        if match and (_is_credential(match[1], 8) or _is_basic(text, match)):
            yield Span("authorization header", *match.span(1))
    for at in places(small, b"bearer "):
        match = _BEARER.match(text, at)
        if match and _is_credential(match[1], 16):
            yield Span("bearer token", *match.span(1))
    looked = _Looked()
    for at in places(small, b"cookie"):
        if not looked.may(at):
            continue
        looked.upto(at + _COOKIES)
        match = _COOKIE.match(text, at)
        if match and _is_credential(match[1], 12):
            yield Span("session cookie", *match.span(1))
    done = 0
    for at in places(small, b"curl"):
        if at >= done and (match := _USER.search(text, at, at + _COMMAND)):
            done = match.end()
            if not _NO_VALUE.search(match[1]):
                yield Span("password", *match.span(1))
        elif at >= done:
            done = at + _COMMAND // 4


def _is_basic(text: str, match: re.Match[str]) -> bool:
    """Say whether a header has a name and a password in base 64: short, and often without a digit."""
    is_basic = text[match.start() : match.start(1)].rstrip().lower().endswith("basic")
    return is_basic and _is_cased(match[1]) and not _NO_VALUE.search(match[1])


def _is_credential(value: str, least: int) -> bool:
    if len(value) < least or _NO_VALUE.search(value) or _is_words(value):
        return False
    return any(c.isdigit() for c in value) or (len(value) >= 12 and _is_cased(value) and "." not in value)


def assigned(text: str, small: bytes) -> Iterator[Span]:
    """Yield what is said to be a password, a secret, a token or a key of something."""
    for word in (b"pass", b"pwd"):
        looked = _Looked()
        for at in places(small, word):
            if looked.may(at) and (
                _begins_name(text, at) or small.startswith((b"password", b"passwd", b"passphrase"), at)
            ):
                yield from _password(text, at, looked)
    for word in (b"secret", b"token", b"key"):
        looked = _Looked()
        for at in places(small, word):
            if word == b"key" and not small[max(0, at - 16) : at].rstrip(b"_-. ").endswith(_KEYS_OF):
                continue
            if looked.may(at):
                yield from _secret(text, at, looked)
    if not text.isascii():
        # One letter is found much quicker than two.
        for letter in "密令秘":
            at = text.find(letter)
            while at >= 0:
                match = _SPOKEN.match(text, at - (letter == "令" and text[at - 1 : at] == "口"))
                if match and _is_password(_value(match), quoted=True):
                    yield Span("password", *_span(match))
                at = text.find(letter, at + 1)


class _Looked:
    """How often one value was read: names may stand in it, but a line of nothing else is not read a hundred times."""

    def __init__(self) -> None:
        self._end = self._times = 0

    def may(self, at: int) -> bool:
        """Say whether what stands there is worth a look."""
        self._times = self._times + 1 if at < self._end else 0
        return self._times < _NESTED

    def upto(self, end: int) -> None:
        """A value was read to its end."""
        self._end = max(self._end, end)


def _password(text: str, at: int, looked: _Looked) -> Iterator[Span]:
    if match := _PASSWORD.match(text, at):
        looked.upto(match.end())
        sign = text[match.start() : _span(match)[0]]
        if _is_password(_value(match), quoted=bool(match[1]) or " =" not in sign):
            yield Span("password", *_span(match))
            return
    yield from _otherwise(text, at)
    if (match := _OF_NETRC.match(text, at)) and _NETRC.search(text, max(0, at - 120), at):
        yield Span("password", *match.span(1))


def _secret(text: str, at: int, looked: _Looked) -> Iterator[Span]:
    match = _SECRET.match(text, at)
    if match:
        looked.upto(match.end())
    if match and _is_secret(_value(match)):
        yield Span(_kind(text, at), *_span(match))
    else:
        yield from _otherwise(text, at)


def _kind(text: str, at: int) -> str:
    """Return what a value is called by its name: what opens a cloud's storage is no mere secret."""
    name = text[max(0, at - 16) : at].lower()
    if name.endswith(("account", "sharedaccess")) and text[at + 3 : at + 4] == "=":
        return "Azure storage key"
    return "AWS secret key" if "aws" in name or text[at : at + 15] == "SecretAccessKey" else "secret"


def _otherwise(text: str, at: int) -> Iterator[Span]:
    """Yield a value that stands behind an option, in an element, or in a sentence."""
    near = text[at : at + 32]
    if " is" not in near and ">" not in near and text[max(0, at - 20) : at].rfind("-") < 0:
        return
    option = text.rfind("--", max(0, at - 24), at)
    match = _OPTION.match(text, option) if option >= 0 else None
    accepts = partial(_is_password, quoted=True) if text[at : at + 4].lower() == "pass" else _is_secret
    is_one = match is not None and accepts(match[1])
    if not is_one and (match := _ENGLISH.match(text, at)):
        is_one = accepts(match[1].rstrip("."))
    if not is_one and "<" in text[max(0, at - 30) : at] and (match := _ELEMENT.match(text, at)):
        is_one = _is_password(match[1], quoted=True)
    if match is not None and is_one:
        yield Span("password", *match.span(1))


def _value(match: re.Match[str]) -> str:
    return match[2] if match[2] is not None else match[3]


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span(2) if match[2] is not None else match.span(3)


def _begins_name(text: str, at: int) -> bool:
    """Say whether a word of a name begins there: `DB_PASS`, `dbPass`, but not `bypass`."""
    before = text[at - 1 : at]
    return not (before.isascii() and before.isalnum()) or bool(_CAMEL.search(text[max(0, at - 1) : at + 1]))


def _is_cased(text: str) -> bool:
    return any(c.islower() for c in text) and any(c.isupper() for c in text)


def _is_words(value: str) -> bool:
    """Say whether a value is made of words, as names of a program are; letters by chance change their case often."""
    if not _WORDS.fullmatch(value):
        return False
    letters = [c.isupper() for c in value if c.isalpha()]
    changes = sum(a != b for a, b in pairwise(letters))
    return len(letters) < 16 or changes < 0.35 * len(letters)


def _is_value(value: str) -> bool:
    """Tell whether it can be a secret, and is no word, path or place to fill in."""
    if not value.isascii() or _NO_VALUE.search(value) or _DUMMIES.fullmatch(value):
        return False
    if "(" in value and not any(c.isdigit() for c in value):
        return False
    if "/" in value:
        # A path, if it is not as long and as mixed as what is written in base 64.
        return len(value) >= 24 and _is_cased(value) and "." not in value[:-1] and not _is_words(value)
    return True


def _is_password(value: str, *, quoted: bool) -> bool:
    """Tell whether what is assigned is a password: letters and digits, or marks, mixed."""
    if len(value) < 6 or not _is_value(value):
        return False
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    if not letters:
        return digits and len(value) >= 8 and bool(re.search(r"[!#%^&?@]", value))
    if not digits:
        inner = re.search(r"[!@#%^&?~](?=.)", value)
        return bool(inner) and quoted and len(value) >= 8 and _is_cased(value)
    return (quoted or not _is_words(value)) and not _is_name(value)


def _is_name(value: str) -> bool:
    """Say whether a value is a name with a number: `password1`, `user.password2`, `PASSWORD_V2`."""
    return _is_words(value) and (value.isupper() or bool(re.search(r"(?i)passw|secret|token|[._]", value)))


def _is_secret(value: str) -> bool:
    """Tell whether what is assigned is a secret: longer and more mixed than a password has to be."""
    if len(value) < 8 or not _is_value(value) or _is_words(value):
        return False
    digits = sum(c.isdigit() for c in value)
    letters = sum(c.isalpha() for c in value)
    if not digits or not letters:
        return len(value) >= 20 and _is_cased(value) and bool(re.fullmatch(r"[A-Za-z0-9+/=_-]+", value)) and not digits
    return len(value) >= 16 or digits >= 3 or _is_cased(value)
