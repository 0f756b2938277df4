"""The encoding o200k_base from the vocabulary that ships with the package.

tiktoken fetches a vocabulary when it is first asked for it. Ours is built from our own file, once its hash is
right, and put where tiktoken keeps what it has built: so whoever asks tiktoken for it gets it without a network.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from base64 import b64decode
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

NAME = "o200k_base"

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Of the unpacked file; tiktoken pins the same."""

_SPECIAL = {"<|endoftext|>": 199_999, "<|endofprompt|>": 200_018}

# tiktoken_ext.openai_public.o200k_base (tiktoken 0.14): how text is cut before its pieces are looked up.
_PATTERN = "|".join((
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
))  # fmt: skip


@cache
def load() -> Encoding | None:
    """Return the encoding; None where tiktoken can't be imported, or the vocabulary is damaged."""
    try:
        import tiktoken
        from tiktoken import registry
    except ImportError:
        return None
    ranks = vocabulary()
    if ranks is None:
        return None
    encoding = tiktoken.Encoding(NAME, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)
    registry.ENCODINGS[NAME] = encoding
    return encoding


def vocabulary() -> dict[bytes, int] | None:
    """Return the rank of every token; None where the file is not what it has to be."""
    try:
        data = gzip.decompress(files(__package__).joinpath(f"{NAME}.tiktoken.gz").read_bytes())
    except (OSError, EOFError, zlib.error):
        return None
    if hashlib.sha256(data).hexdigest() != SHA256:
        return None
    return {b64decode(token): int(rank) for token, _, rank in (line.partition(b" ") for line in data.splitlines())}
