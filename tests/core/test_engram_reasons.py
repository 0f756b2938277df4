"""Why a version of an engram is there is said in the language of its reader, also where it was kept in English."""

from __future__ import annotations

import pytest

from agentsup.core import engram_reasons as reasons
from agentsup.core.engram_reasons import is_seen, is_unwritten, reason_words, restored, words_beside
from agentsup.locale import LANGUAGES, load

OURS = [*(name for key, name in vars(reasons).items() if key.isupper() and key[0] != "_"), restored("abc123" * 9)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_reason_of_ours_is_said_in_both_languages(language: str) -> None:
    assert len(OURS) == 9
    said = [reason_words(reason, load(language)) for reason in OURS]
    assert len(set(said)) == len(said)
    assert all("engram.because" not in each and "{" not in each for each in said)
    assert "abc123abc123" in said[-1]
    assert all(each.isascii() == (language == "en") for each in said)


def test_what_older_histories_say_in_english_is_known() -> None:
    chinese = load("zh-CN")
    for text, reason in reasons._BEFORE.items():
        assert reason_words(text, chinese) == reason_words(reason, chinese)
    assert set(reasons._BEFORE.values()) == set(OURS[:-1]) - {reasons.UNSAVED}
    assert reason_words("restored 0123456789ab", chinese) == reason_words(restored("0123456789ab"), chinese)
    assert is_seen("the file was changed")
    assert is_seen(reasons.SEEN)
    assert not is_seen(reasons.TURN_END)


@pytest.mark.parametrize("reason", ["", "too vague", "restored it by hand", "engram.because.nothing", "engram.faulty"])
def test_a_persons_own_reason_is_told_as_it_is(reason: str) -> None:
    assert reason_words(reason, load("zh-CN")) == reason


def test_that_it_was_found_is_said_once() -> None:
    english = load("en")
    assert words_beside("found", reasons.SEEN, english) == words_beside("found", "the file was changed", english) == ""
    assert words_beside("agent", reasons.SEEN, english) == "found in the file"
    assert words_beside("found", reasons.REPLACED, english) == "replaced by an edit"


def test_what_was_not_saved_has_never_been_in_the_file() -> None:
    assert [each for each in OURS if is_unwritten(each)] == [reasons.STAYS, reasons.REFUSED, reasons.UNSAVED]
