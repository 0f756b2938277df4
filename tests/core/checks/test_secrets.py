"""What has the shape of a key is found, and never repeated."""

from __future__ import annotations

import pytest

from agentsup.core.checks.secrets import secrets
from tests.core.checks.examples import found, with_item

# Put together here, so that no scanner takes this file for a leak.
A, N = "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5", "1234567890"

SECRETS = {
    "AWS access key": "AKIA" + "ABCDEFGH23456789",
    "GitHub token": "ghp_" + A,
    "GitHub fine-grained token": "github_pat_" + A,
    "GitLab token": "glpat-" + A[:20],
    "OpenAI key": "sk-" + A,
    "OpenAI project key": "sk-proj-" + A,
    "Anthropic key": "sk-ant-" + "api03-" + A,
    "Slack token": "xoxb-" + N + "-" + A,
    "Slack webhook": "https://hooks.slack.com/services/" + "T0000/B0000/" + A,
    "Google API key": "AIza" + A[:35],
    "JSON web token": "eyJ" + A + ".eyJ" + A + "." + A,
    "private key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "OpenSSH key": "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
    "Stripe key": "sk_live_" + A,
    "npm token": "npm_" + A,
    "PyPI token": "pypi-" + A,
    "Hugging Face token": "hf_" + A,
    "SendGrid key": "SG." + A[:22] + "." + A,
    "password": "password=" + "hunter2hunter2",
    "quoted password": 'DB_PASSWORD: "' + 's3cr3t-value"',
    "Chinese password": "密码：" + "hunter2abc",
    "API key": "api_key = " + A,
    "bearer": "Authorization: Bearer " + A,
    "URL": "postgres://app:" + "s3cret@db:5432/x",
}
HARMLESS = [
    "password: must be hashed", "token = get_token()", "secret: <your secret>", "API_KEY=${API_KEY}",
    "sk-learn is slow", "the token: refresh is missing", "commit 5c0d1e9f2ab34876de01c2ff9b7a6e8d4c3b2a19",
    "password=changeme123", "AKIA is a prefix", "Authorization: Bearer TOKEN", "token: os.environ['TOKEN1']",
    "https://example.org:8080/a@b", "密码：必须加密存储", "npm_config_cache",
    "bearer authentication is tested in test_authentication_2.py", "pypi-publish", "password: docs/secrets2.md",
    "eyJust a word",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_found(secret: str) -> None:
    said = secrets(f"first line\nwith it: {secret} and more\n")
    assert len(said) == 1
    assert said[0].spot.line == 2
    assert said[0].length > 0


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_finding_never_holds_the_secret(secret: str) -> None:
    for finding in found(with_item(f"[Files] a.c {secret}")):
        for _, value in finding.values:
            assert A[:12] not in value
            assert "hunter2" not in value
            assert "s3cr" not in value


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_text_is_left_alone(text: str) -> None:
    assert secrets(text) == ()


def test_its_place_is_its_own() -> None:
    line = "key sk-" + A
    (said,) = secrets(line)
    assert line[said.spot.column - 1 :][: said.length] == "sk-" + A


def test_not_more_than_twenty_are_told() -> None:
    assert len(secrets(f"ghp_{A}\n" * 100)) == 20
