"""How tokens look: the letters they begin with, and what follows. A list of facts, one row a shape.

From the issuers' own documents and the rules of public scanners. What is called a secret here opens something; mere
names of accounts (a Twilio AC…, a Stripe price) do not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agentsup.core.checks.lazy_pattern import LazyPattern


class Shape(NamedTuple):
    """A kind of token. It begins with one of `starts`, as a word does; or exactly `back` characters before it."""

    kind: str
    starts: tuple[str, ...]
    pattern: LazyPattern
    """Matches the whole token; what its first group matches, where it has one, is the secret itself."""
    back: int | None = None
    wordy: bool = False
    """Whether words with hyphens look like it, too: then it must have a digit, or both cases."""


_HEX, _ALNUM, _URL = "[0-9a-f]", "[A-Za-z0-9]", "[A-Za-z0-9_-]"

_PREFIXED: tuple[tuple[str, str, str], ...] = (
    # kind, beginnings with blanks between, what follows
    ("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_ALNUM}{{20,255}}"),
    ("GitHub token", "github_pat_", "[A-Za-z0-9_]{20,255}"),
    (
        "GitLab token",
        "glpat- gldt- glrt- glrtr- glptt- glft- glsoat- glcbt- glagent- glimt- gloas- glffct- glwt-",
        r"[A-Za-z0-9_.-]{19,299}[A-Za-z0-9_-]",
    ),
    ("GitLab token", "GR1348941", f"{_URL}{{20,60}}"),
    ("AWS access key", "AKIA ASIA AROA AIDA ABIA ACCA", "[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("AWS Bedrock key", "ABSK bedrock-api-key-", "[A-Za-z0-9+/]{60,2000}={0,2}"),
    ("Google API key", "AIza", f"{_URL}{{35}}"),
    ("Google client secret", "GOCSPX-", f"{_URL}{{24,40}}"),
    ("Google OAuth token", "ya29.", r"[A-Za-z0-9_.-]{20,1000}"),
    ("Google OAuth token", "1//0", f"{_URL}{{40,300}}"),
    ("Slack token", "xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxc- xoxe- xoxd- xoxe.", r"[A-Za-z0-9%.+/=_-]{10,300}"),
    ("Slack token", "xapp-", r"[0-9]-[A-Za-z0-9-]{10,300}"),
    ("Slack webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,150}"),
    ("Discord webhook", "api/webhooks/", r"[0-9]{15,22}/[A-Za-z0-9_-]{40,100}"),
    ("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_", f"{_ALNUM}{{16,250}}"),
    ("Stripe webhook secret", "whsec_", r"[A-Za-z0-9+/]{24,100}={0,2}"),
    ("Square token", "sq0atp- sq0csp- sq0idp-", f"{_URL}{{20,60}}"),
    ("Square token", "EAAA", f"{_URL}{{56,70}}"),
    ("Facebook token", "EAA", f"{_ALNUM}{{80,400}}"),
    ("Braintree token", "access_token$", r"(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("SendGrid key", "SG.", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}"),
    ("Mailgun key", "key-", f"{_HEX}{{32}}(?![A-Za-z0-9])"),
    ("Brevo key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("npm token", "npm_", f"{_ALNUM}{{30,100}}"),
    ("PyPI token", "pypi-", f"{_URL}{{30,300}}"),
    ("RubyGems key", "rubygems_", f"{_HEX}{{48}}"),
    ("crates.io token", "cio", f"{_ALNUM}{{32}}(?![A-Za-z0-9])"),
    ("NuGet key", "oy2", "[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("Clojars token", "CLOJARS_", "[a-z0-9]{60}"),
    ("JFrog key", "AKCp", f"{_ALNUM}{{69,73}}"),
    ("Docker Hub token", "dckr_pat_ dckr_oat_", f"{_URL}{{20,64}}"),
    ("Hugging Face token", "hf_ api_org_", f"{_ALNUM}{{30,100}}"),
    ("Anthropic key", "sk-ant-", f"{_URL}{{10,200}}"),
    ("OpenRouter key", "sk-or-v1-", f"{_HEX}{{32,80}}"),
    ("OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", f"{_URL}{{20,250}}"),
    ("OpenAI key", "sk-", f"(?!ant-|or-v1-|proj-|svcacct-|admin-)(?:[a-z0-9]{{1,12}}-){{0,3}}{_ALNUM}{{20,200}}"),
    ("OpenAI key", "sess-", f"{_ALNUM}{{40,60}}"),
    ("Groq key", "gsk_", f"{_ALNUM}{{32,80}}"),
    ("Replicate token", "r8_", f"{_ALNUM}{{30,50}}"),
    ("Perplexity key", "pplx-", f"{_ALNUM}{{32,80}}"),
    ("xAI key", "xai-", f"{_ALNUM}{{40,120}}"),
    ("NVIDIA key", "nvapi-", f"{_URL}{{40,100}}"),
    ("Fireworks key", "fw_", f"{_ALNUM}{{22,40}}(?![A-Za-z0-9_])"),
    ("Cerebras key", "csk-", "[a-z0-9]{40,60}"),
    ("Together key", "tgp_v1_", f"{_URL}{{40,60}}"),
    ("ElevenLabs key", "sk_", f"{_HEX}{{48}}(?![A-Za-z0-9])"),
    ("Jina key", "jina_", f"{_ALNUM}{{40,80}}"),
    ("Tavily key", "tvly-", f"{_URL}{{20,60}}"),
    ("LangSmith key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    ("Cursor key", "key_", f"{_HEX}{{64}}(?![A-Za-z0-9])"),
    ("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", f"{_HEX}{{64}}"),
    ("Heroku key", "HRKU-", f"{_URL}{{30,80}}"),
    ("Cloudflare token", "cfut_ cfat_ cfk_", f"{_ALNUM}{{32,80}}"),
    ("Cloudflare token", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{100,160}"),
    ("Databricks token", "dapi dkea dose", f"{_HEX}{{32}}(?:-[0-9])?(?![A-Za-z0-9])"),
    ("Datadog key", "ddapp_ ddapi_", f"{_ALNUM}{{30,60}}"),
    ("New Relic key", "NRAK-", "[A-Z0-9]{27}"),
    ("New Relic key", "NRJS- NRII- NRIQ- NRSP- NRRA-", f"{_URL}{{15,45}}"),
    ("Sentry token", "sntrys_", r"[A-Za-z0-9+/=_-]{20,500}"),
    ("Sentry token", "sntryu_ sntrya_", f"{_HEX}{{40,80}}"),
    ("Grafana token", "glsa_", r"[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}"),
    ("Grafana token", "glc_", r"[A-Za-z0-9+/]{32,400}={0,3}"),
    ("Linear key", "lin_api_ lin_oauth_", f"{_ALNUM}{{32,80}}"),
    ("Notion token", "ntn_ secret_", f"{_ALNUM}{{40,60}}"),
    ("Atlassian token", "ATATT3 ATCTT3", r"[A-Za-z0-9_=-]{40,400}"),
    ("Bitbucket password", "ATBB", f"{_ALNUM}{{24,40}}"),
    ("Shopify token", "shpat_ shpca_ shppa_ shpss_", "[A-Fa-f0-9]{32}"),
    ("Vault token", "hvs. hvb. hvr.", f"{_URL}{{20,300}}"),
    ("age key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,60}"),
    ("Doppler token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}"),
    ("PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_=.-]{32,64}"),
    ("Postman key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("Pulumi token", "pul-", f"{_HEX}{{40}}"),
    ("Supabase key", "sbp_ sb_secret_", f"{_URL}{{22,80}}"),
    ("Netlify token", "nfp_ nfc_ nfo_", f"{_ALNUM}{{36,60}}"),
    ("Vercel token", "vcp_ vci_ vca_ vck_ vercel_blob_rw_", f"{_URL}{{24,80}}"),
    ("Fly.io token", "fo1_ fm1r_ fm2_", r"[A-Za-z0-9+/_-]{40,2000}={0,2}"),
    ("Figma token", "figd_ figo_ figu_", f"{_URL}{{36,60}}"),
    ("Dropbox token", "sl.", r"(?:u\.)?[A-Za-z0-9_-]{100,1500}"),
    ("Tailscale key", "tskey-", r"[a-z]{2,12}-[A-Za-z0-9]{8,24}-[A-Za-z0-9]{20,48}"),
    ("1Password token", "ops_eyJ", f"{_URL}{{100,1500}}"),
    ("PostHog key", "phx_", f"{_ALNUM}{{36,60}}"),
    ("Sourcegraph token", "sgp_", r"(?:[0-9a-z]{5,16}_)?[0-9a-f]{40}"),
    ("SonarQube token", "squ_ sqp_ sqa_", f"{_HEX}{{40}}"),
    ("CircleCI token", "CCIPAT_", r"[A-Za-z0-9]{16,30}_[0-9a-f]{40}"),
    ("Buildkite token", "bkua_", f"{_HEX}{{40}}"),
    ("Typeform token", "tfp_", r"[A-Za-z0-9_.-]{40,70}"),
    ("Prefect key", "pnu_ pnb_", f"{_ALNUM}{{36}}"),
    ("Contentful token", "CFPAT-", f"{_URL}{{40,50}}"),
    ("Dynatrace token", "dt0c01. dt0s16.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("EasyPost key", "EZAK EZTK", f"{_ALNUM}{{54}}"),
    ("Flutterwave key", "FLWSECK_TEST- FLWSECK-", r"[A-Za-z0-9]{12,40}(?:-X)?"),
    ("Razorpay key", "rzp_live_ rzp_test_", f"{_ALNUM}{{14,24}}"),
    ("Shippo token", "shippo_live_ shippo_test_", f"{_HEX}{{40}}"),
    ("ReadMe key", "rdme_", "[a-z0-9]{70}"),
    ("Alibaba Cloud key", "LTAI", f"{_ALNUM}{{16,24}}(?![A-Za-z0-9])"),
    ("Tencent Cloud key", "AKID", f"{_ALNUM}{{32}}(?![A-Za-z0-9])"),
    ("Mapbox token", "sk.eyJ", r"[A-Za-z0-9_-]{20,300}\.[A-Za-z0-9_-]{20,60}"),
    ("Grafana token", "eyJrIjoi", f"{_ALNUM}{{50,400}}={{0,2}}"),
    ("JSON web token", "eyJ", r"[A-Za-z0-9_-]{8,4000}+\.eyJ[A-Za-z0-9_-]{8,8000}+\.[A-Za-z0-9_-]{10,2000}"),
    ("JSON web token", "eyJ",
     r"[A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{0,1000}+\.[A-Za-z0-9_-]{10,2000}+\.[A-Za-z0-9_.-]{20,2000}"),
)  # fmt: skip

_WORDY = frozenset({
    "OpenAI key", "GitLab token", "PyPI token", "Slack token", "Slack webhook", "NVIDIA key", "Heroku key",
    "Vercel token", "Typeform token", "Tavily key", "Sentry token", "Fly.io token", "Supabase key", "Figma token",
    "Docker Hub token", "Google OAuth token", "Square token", "Fireworks key", "New Relic key", "Atlassian token",
    "crates.io token", "PlanetScale token", "Contentful token", "Flutterwave key", "JFrog key", "NuGet key",
    "Tencent Cloud key", "Alibaba Cloud key", "Datadog key", "Facebook token", "Together key",
})  # fmt: skip
"""Kinds of which a word of a program could be one, but for this: a token has a digit, or letters of both cases."""

SHAPES: tuple[Shape, ...] = (
    *(
        Shape(kind, tuple(starts.split()), LazyPattern(f"(?:{'|'.join(map(re.escape, starts.split()))}){rest}"),
              wordy=kind in _WORDY)
        for kind, starts, rest in _PREFIXED
    ),
    Shape("Telegram bot token", (":AA",), LazyPattern(r"(?<=[0-9]{8}):(AA[A-Za-z0-9_-]{30,35})"), 0),
    Shape("Terraform token", (".atlasv1.",), LazyPattern(r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,80}"), 14),
    Shape("Firebase key", (":APA91b",), LazyPattern(r"[A-Za-z0-9_-]{11}:APA91b[A-Za-z0-9_-]{120,180}"), 11),
    Shape("Azure DevOps token", ("AZDO",), LazyPattern(r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"), 76),
    Shape(
        "private key in base64", ("LS0tLS1CRUdJTi",),
        LazyPattern(r"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJMSUMg)(?:[A-Za-z0-9+/]|\\+n){40,}={0,2}"),
    ),
)  # fmt: skip
"""Looked for where a long word stands: they all are one."""

ANYWHERE: tuple[Shape, ...] = (
    Shape("Azure shared access signature", ("sig=",), LazyPattern(r"(?i:sig)=([A-Za-z0-9%+/]{32,120}={0,2})")),
    Shape("Azure client secret", ("~",), LazyPattern(r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"), 5),
    Shape("database password", (":5432:",), LazyPattern(
        r":[0-9]{2,5}:[^\s:]{1,60}:[^\s:]{1,60}:([^\s:\"'`<>$()\[\]{}\\,;。；，\x00-\x1f]{4,200})"
        r"(?=[\s\"'`,:;)\\。；，\x00-\x1f]|$)"), 0),
)  # fmt: skip
"""Not always a long word; `starts` in small letters, whatever is in the text."""

_HEX_DIGITS = tuple("0123456789abcdef")

RUNS: tuple[Shape, ...] = (
    Shape("Discord token", ("M", "N", "O"),
          LazyPattern(r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{25,40}")),
    Shape("Discord token", (), LazyPattern(r"mfa\.[A-Za-z0-9_-]{80,95}"), 4),
    Shape("Twilio key", ("SK",), LazyPattern(r"SK[0-9a-f]{32}(?![A-Za-z0-9])")),
    Shape("Twilio token", ("AC",), LazyPattern(
        r"AC[0-9a-f]{32}[^0-9A-Za-z][^\n]{0,60}?(?<![0-9A-Za-z])([0-9a-f]{32})(?![0-9A-Za-z])")),
    Shape("Mailgun key", _HEX_DIGITS, LazyPattern(r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])")),
    Shape("Mailchimp key", _HEX_DIGITS, LazyPattern(r"[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])")),
    Shape("New Relic key", _HEX_DIGITS, LazyPattern(r"[0-9a-f]{36}NRAL(?![A-Za-z0-9])")),
    Shape("Resend key", ("re_",), LazyPattern(r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}(?![A-Za-z0-9_])"), wordy=True),
    Shape("Airtable token", (), LazyPattern(r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![A-Za-z0-9])"), 18),
)  # fmt: skip
"""Looked for only at the beginning of a long word, or `back` characters before it where a dot joins them."""
