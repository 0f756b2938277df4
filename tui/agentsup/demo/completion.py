"""The popup over the footer that completes `/` commands and `@` files of the made-up project."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agentsup.demo.draft import Draft

COMMANDS = ("/compact", "/editor", "/help", "/model", "/new", "/quit", "/tour")

FILES = (
    "README.md", "src/client.py", "src/retry.py", "src/upload.py", "tests/test_retry.py", "tests/test_upload.py",
)  # fmt: skip
"""The files of the made-up project."""


@dataclass(frozen=True)
class Completion:
    """Choices for the word before the cursor."""

    word: str
    choices: tuple[str, ...]
    selected: int = 0

    @property
    def choice(self) -> str:
        """The choice that Tab takes."""
        return self.choices[self.selected]

    def moved(self, step: int) -> Completion:
        """Select the next or the one before."""
        return replace(self, selected=(self.selected + step) % len(self.choices))

    def applied(self, draft: Draft) -> Draft:
        """Put the choice in the place of the word."""
        return draft.without(draft.cursor - len(self.word), draft.cursor).insert(f"{self.choice} ")


def completion_for(draft: Draft) -> Completion | None:
    """Return what completes the word before the cursor; None where there is nothing."""
    start = draft.word_start
    word = "".join(piece for piece in draft.pieces[start : draft.cursor] if isinstance(piece, str))
    if len(word) != draft.cursor - start:
        return None  # a paste is part of it
    if word.startswith("/") and start == 0:
        choices = tuple(command for command in COMMANDS if command.startswith(word))
    elif word.startswith("@"):
        choices = tuple(f"@{file}" for file in FILES if word[1:].lower() in file.lower())
    else:
        return None
    return Completion(word, choices) if choices else None
