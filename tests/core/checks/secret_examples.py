"""One of every kind of secret, made anew by each test run's own chance: nothing here looks like one to a scanner."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

ALNUM = ascii_letters + digits
UPPER = ascii_uppercase + digits
URL = ALNUM + "_-"
BASE64 = ALNUM + "+/"
HEX = digits + "abcdef"
NUMBER = "123456789"


class Example(NamedTuple):
    """A text with a secret, and the parts of it that nobody may see."""

    text: str
    parts: tuple[str, ...]

    def is_seen_in(self, text: str) -> bool:
        """Tell whether any of it stands in a text."""
        return any(part in text for part in self.parts)


class Chance:
    """Letters by chance, the same ones for the same seed."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def __call__(self, length: int, letters: str = ALNUM) -> str:
        return "".join(self._random.choice(letters) for _ in range(length))

    def password(self, length: int = 12) -> str:
        """Return letters and digits, for certain."""
        return f"{self(length - 4)}{self(2, digits)}{self(2, ascii_lowercase)}"

    def uuid(self) -> str:
        return "-".join(self(length, HEX) for length in (8, 4, 4, 4, 12))

    def block(self, label: str, lines: int = 9) -> str:
        """Return a key of several lines."""
        body = "\n".join(self(64, BASE64) for _ in range(lines))
        return f"{'-' * 5}BEGIN {label}{'-' * 5}\n{body}\n{self(22, BASE64)}==\n{'-' * 5}END {label}{'-' * 5}"


_MAKE: dict[str, Callable[[Chance], str]] = {
    "GitHub": lambda c: "gh" + "p_" + c(36),
    "GitHub OAuth": lambda c: "gh" + "o_" + c(36),
    "GitHub server": lambda c: "gh" + "s_" + c(36),
    "GitHub fine-grained": lambda c: "github" + "_pat_" + c(22) + "_" + c(59),
    "GitLab": lambda c: "glp" + "at-" + c(20, URL),
    "GitLab deploy": lambda c: "gld" + "t-" + c(20, URL),
    "GitLab runner": lambda c: "glr" + "t-" + c(20, URL),
    "AWS key id": lambda c: "AK" + "IA" + c(16, ascii_uppercase + "234567"),
    "AWS session key id": lambda c: "AS" + "IA" + c(16, ascii_uppercase + "234567"),
    "Google API": lambda c: "AI" + "za" + c(35, URL),
    "Google client": lambda c: "GOC" + "SPX-" + c(28, URL),
    "Google OAuth": lambda c: "ya" + "29." + c(80, URL),
    "Slack bot": lambda c: "xo" + f"xb-{c(12, NUMBER)}-{c(12, NUMBER)}-{c(24)}",
    "Slack user": lambda c: "xo" + f"xp-{c(12, NUMBER)}-{c(12, NUMBER)}-{c(12, NUMBER)}-{c(32, HEX)}",
    "Slack app": lambda c: "xa" + f"pp-1-A{c(10, UPPER)}-{c(13, NUMBER)}-{c(64, HEX)}",
    "Slack webhook": lambda c: "https://hooks.sla" + f"ck.com/services/T{c(8, UPPER)}/B{c(8, UPPER)}/{c(24)}",
    "Discord bot": lambda c: f"MT{c(22, URL)}.{c(6, URL)}.{c(38, URL)}",
    "Discord webhook": lambda c: f"https://discord.com/api/webhooks/{c(18, NUMBER)}/{c(68, URL)}",
    "Telegram": lambda c: f"{c(10, NUMBER)}:AA{c(33, URL)}",
    "Stripe": lambda c: "sk_" + "live_" + c(24),
    "Stripe restricted": lambda c: "rk_" + "live_" + c(24),
    "Stripe webhook": lambda c: "wh" + "sec_" + c(32),
    "Square": lambda c: "sq0" + "atp-" + c(22, URL),
    "Square secret": lambda c: "sq0" + "csp-" + c(43, URL),
    "Square access": lambda c: "EA" + "AA" + c(60, URL),
    "Braintree": lambda c: "access_" + f"token$production${c(16, ascii_lowercase + digits)}${c(32, HEX)}",
    "Twilio key": lambda c: "S" + "K" + c(32, HEX),
    "SendGrid": lambda c: "S" + f"G.{c(22, URL)}.{c(43, URL)}",
    "Mailgun": lambda c: "ke" + "y-" + c(32, HEX),
    "Mailgun new": lambda c: f"{c(32, HEX)}-{c(8, HEX)}-{c(8, HEX)}",
    "Mailchimp": lambda c: c(32, HEX) + "-us" + "12",
    "npm": lambda c: "np" + "m_" + c(36),
    "PyPI": lambda c: "py" + "pi-AgEIcHlwaS5vcmc" + c(120, URL),
    "RubyGems": lambda c: "ruby" + "gems_" + c(48, HEX),
    "Docker Hub": lambda c: "dckr" + "_pat_" + c(27, URL),
    "Hugging Face": lambda c: "h" + "f_" + c(34, ascii_letters),
    "OpenAI": lambda c: "s" + f"k-{c(20)}T3Blbk" + f"FJ{c(20)}",
    "OpenAI project": lambda c: "s" + f"k-proj-{c(74, URL)}T3Blbk" + f"FJ{c(74, URL)}",
    "OpenAI service": lambda c: "s" + "k-svcacct-" + c(60, URL),
    "Anthropic": lambda c: "s" + f"k-ant-api03-{c(93, URL)}AA",
    "Anthropic admin": lambda c: "s" + f"k-ant-admin01-{c(93, URL)}AA",
    "OpenRouter": lambda c: "s" + "k-or-v1-" + c(64, HEX),
    "DeepSeek": lambda c: "s" + "k-" + c(32, HEX),
    "Groq": lambda c: "gs" + "k_" + c(52),
    "Replicate": lambda c: "r" + "8_" + c(37),
    "Perplexity": lambda c: "ppl" + "x-" + c(48),
    "xAI": lambda c: "xa" + "i-" + c(80),
    "DigitalOcean": lambda c: "dop" + "_v1_" + c(64, HEX),
    "Heroku": lambda c: "HR" + "KU-AA" + c(58, URL),
    "Cloudflare origin": lambda c: "v1" + f".0-{c(24, HEX)}-{c(146, HEX)}",
    "Databricks": lambda c: "da" + "pi" + c(32, HEX),
    "New Relic": lambda c: "NR" + "AK-" + c(27, UPPER),
    "Sentry": lambda c: "sn" + f"trys_eyJ{c(100)}=_{c(43)}",
    "Grafana": lambda c: "gl" + f"sa_{c(32)}_{c(8, HEX)}",
    "Grafana cloud": lambda c: "gl" + "c_eyJ" + c(80),
    "Linear": lambda c: "lin" + "_api_" + c(40),
    "Notion": lambda c: "nt" + "n_" + c(46),
    "Notion old": lambda c: "sec" + "ret_" + c(43),
    "Airtable": lambda c: f"pat{c(14)}.{c(64, HEX)}",
    "Atlassian": lambda c: "ATA" + f"TT3xFfGF0{c(150, URL)}={c(8, HEX.upper())}",
    "Shopify": lambda c: "shp" + "at_" + c(32, HEX),
    "Vault": lambda c: "hv" + "s." + c(90, URL),
    "Terraform": lambda c: f"{c(14)}.atlas" + f"v1.{c(67, URL)}",
    "age": lambda c: "AGE-SEC" + "RET-KEY-1" + c(58, UPPER),
    "Doppler": lambda c: "dp" + ".pt." + c(43),
    "Postman": lambda c: "PM" + f"AK-{c(24, HEX)}-{c(34, HEX)}",
    "Pulumi": lambda c: "pu" + "l-" + c(40, HEX),
    "Supabase": lambda c: "sb" + "p_" + c(40, HEX),
    "Netlify": lambda c: "nf" + "p_" + c(40),
    "Figma": lambda c: "fi" + "gd_" + c(40, URL),
    "Tailscale": lambda c: "tsk" + f"ey-auth-{c(16)}-{c(32)}",
    "SonarQube": lambda c: "sq" + "u_" + c(40, HEX),
    "Alibaba": lambda c: "LT" + "AI" + c(20),
    "JSON web token": lambda c: "ey" + f"J{c(33, URL)}.ey" + f"J{c(80, URL)}.{c(43, URL)}",
}
"""Known by how they begin, wherever they stand; the whole of it is the secret."""

_SAID: dict[str, Callable[[Chance], tuple[str, str]]] = {
    "AWS secret key": lambda c: ("aws_secret_access_key = {}", c(40, BASE64)),
    "AWS secret in JSON": lambda c: ('"SecretAccessKey": "{}"', c(40, BASE64)),
    "AWS secret beside its id": lambda c: ("AK" + f"IA{c(16, UPPER)},{{}}", c(40, BASE64)),
    "Azure storage": lambda c: ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey={}", c(86, BASE64) + "=="),
    "Azure SAS": lambda c: ("https://x.blob.core.windows.net/a?sv=2022-11-02&sig={}", c(40) + "%2B" + c(2) + "%3D"),
    "Twilio auth": lambda c: ("A" + f"C{c(32, HEX)}:{{}}", c(32, HEX)),
    "Heroku UUID": lambda c: ("HEROKU_API_KEY={}", c.uuid()),
    "Cloudflare": lambda c: ("CLOUDFLARE_API_TOKEN={}", c(40, URL)),
    "Fastly": lambda c: ("FASTLY_API_TOKEN: {}", c(32)),
    "Datadog": lambda c: ("DD_API_KEY={}", c(32, HEX)),
    "npmrc": lambda c: ("//registry.npmjs.org/:_authToken={}", c.uuid()),
    "Sentry DSN": lambda c: ("https://{}@o123456.ingest.sentry.io/1234567", c(32, HEX)),
    "bearer": lambda c: ("Authorization: Bearer {}", c.password(40)),
    "basic": lambda c: ("Authorization: Basic {}", c.password(30) + "=="),
    "header in JSON": lambda c: ('{{"Authorization": "Bearer {}"}}', c.password(40)),
    "API key header": lambda c: ("X-Api-Key: {}", c.password(32)),
    "URL": lambda c: ("postgres://app:{}@db:5432/x", c.password()),
    "cookie": lambda c: ("Cookie: theme=dark; sessionid={}", c.password(32)),
    "netrc": lambda c: ("machine api.example.org login bob password {}", c.password()),
    "pgpass": lambda c: ("db.example.org:5432:app:bob:{}", c.password()),
    "curl": lambda c: ("curl -u bob:{} https://example.org", c.password()),
    "option": lambda c: ("mysql --password {} -h db", c.password()),
    "XML": lambda c: ("<password>{}</password>", c.password()),
    "password": lambda c: ("password={}", c.password()),
    "quoted": lambda c: ('DB_PASSWORD: "{}"', f"{c(4)}!{c(4)}{c(3, digits)}"),
    "camel case": lambda c: ("dbPassword: '{}'", c.password()),
    "Chinese": lambda c: ("数据库密码：{}", c.password()),
    "Chinese is": lambda c: ("密码是 {}", c.password()),
    "Chinese word": lambda c: ("口令={}", c.password()),
    "API key": lambda c: ("api_key = {}", c.password(32)),
    "token": lambda c: ("MY_TOKEN={}", c.password(24)),
}
"""Known by what stands beside them."""

_BLOCKS = {
    "RSA": "RSA PRIVATE KEY", "PKCS 8": "PRIVATE KEY", "encrypted": "ENCRYPTED PRIVATE KEY", "EC": "EC PRIVATE KEY",
    "OpenSSH": "OPENSSH PRIVATE KEY", "PGP": "PGP PRIVATE KEY BLOCK",
}  # fmt: skip

NAMES = (*_MAKE, *_SAID, *(f"{name} block" for name in _BLOCKS), "block without an end", "service account")
TOKENS = tuple(_MAKE)
"""Those that may be part of a name, too."""


def example(name: str, seed: int = 0) -> Example:
    """Return one of a kind."""
    chance = Chance(f"{name} {seed}")
    if name in _MAKE:
        text = _MAKE[name](chance)
        return Example(text, (text, text[-12:]))
    if name in _SAID:
        before, secret = _SAID[name](chance)
        return Example(before.format(secret), (secret, secret[:8], secret[-8:]))
    if name == "service account":
        block = chance.block("PRIVATE KEY")
        escaped = block.replace("\n", "\\n")
        return Example(f'{{"type": "service_account", "private_key": "{escaped}\\n"}}', _lines(block))
    block = chance.block(_BLOCKS[name.removesuffix(" block")] if name.endswith(" block") else "RSA PRIVATE KEY")
    if name == "block without an end":
        block = block.rpartition("\n")[0]
    return Example(block, _lines(block))


def _lines(block: str) -> tuple[str, ...]:
    return tuple(re.findall(r"^[A-Za-z0-9+/]{20,}", block, re.MULTILINE))
