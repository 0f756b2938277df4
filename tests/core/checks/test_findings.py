"""Every finding: from a small memory that has it, with its place, how grave it is, and its words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentsup.core.catalogue import Catalogue, placeholders
from agentsup.core.checks.decisions import check_decisions
from agentsup.core.checks.engram import check_engram
from agentsup.core.checks.files import check_files
from agentsup.core.checks.finding import Finding
from agentsup.core.checks.identity import check_identity
from agentsup.core.checks.state import check_state
from agentsup.core.memory.model import Document, Memory, Repository, Spot, Work
from agentsup.locale import LANGUAGES, messages, wording
from tests.core.checks.examples import (
    ENGRAM,
    EXAMPLES,
    GOOD,
    PROGRESS,
    STATE,
    TASK,
    Example,
    engram,
    found,
    state,
    task,
    with_done,
    with_item,
    with_next,
)

TEXTS = {language: messages(language) for language in LANGUAGES}


def codes(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.code for finding in findings]


def test_nothing_is_found_where_nothing_is_wrong() -> None:
    everything = Repository(
        head="8bd1a50", head_time=0.0, known={"8bd1a50": True}, exists={"src/scan.c": True, "src/flex.l": True},
        changed=(".agent/STATE.md", "src/scan.c"), definitions={"scan": ("src/scan.c", "old.c")},
    )  # fmt: skip
    assert found(GOOD) == ()
    assert found(GOOD, repository=everything, work=Work(succeeded=("make test",)), by="agent") == ()


def test_nothing_is_found_where_there_is_no_file() -> None:
    assert found(Memory()) == ()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.code}-{each.spot.column}")
def test_it_is_found(example: Example) -> None:
    findings = found(example.memory, repository=example.repository, work=example.work, by=example.by)
    of_code = [finding for finding in findings if finding.code == example.code]
    assert of_code, codes(findings)
    first = of_code[0]
    assert (first.file, first.spot, first.severity) == (example.file, example.spot, example.severity)
    assert set(example.values) <= set(first.values)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.code}-{each.spot.column}")
def test_nothing_else_is_found(example: Example) -> None:
    findings = found(example.memory, repository=example.repository, work=example.work, by=example.by)
    expected = {example.code} | {
        "file.more": {"state.no-evidence", "core.too-long"},
        "task.more-paths-forbidden": {"task.path-forbidden"},
    }.get(example.code, set())
    assert set(codes(findings)) == expected


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.code}-{each.spot.column}")
def test_it_is_told_in_words(example: Example, language: str) -> None:
    catalogue = Catalogue(TEXTS[language])
    findings = found(example.memory, repository=example.repository, work=example.work, by=example.by)
    for finding in findings:
        values = dict(finding.values)
        for part in ("message", "fix"):
            template = TEXTS[language][f"check.{finding.code}.{part}"]
            assert placeholders(template) <= values.keys()
            words = catalogue.text(f"check.{finding.code}.{part}", **values)
            assert words.strip()
            assert "\n" not in words
            assert all(character.isprintable() for character in words)


def test_every_text_belongs_to_an_example() -> None:
    told = {key.removeprefix("check.").rpartition(".")[0] for key in TEXTS["en"] if key.startswith("check.")}
    assert told == {example.code for example in EXAMPLES}


def test_an_engram_of_a_person_is_only_warned_of_its_words() -> None:
    memory = with_item("[Progress] config work\n[Progress] Made some changes")
    assert {each.severity for each in found(memory, by="person")} == {"warning"}
    assert {each.severity for each in found(memory, by="agent")} == {"error"}


def test_an_item_has_one_fault_of_wording() -> None:
    assert codes(found(with_item("[Pending] finish the rest"))) == ["engram.vague"]
    assert codes(found(with_item("[Progress] config work"))) == ["engram.no-verb"]


@pytest.mark.parametrize("nothing", ["none", "None.", "无", "n/a", "unknown", "没有。"])
def test_a_tag_may_say_that_there_is_nothing(nothing: str) -> None:
    assert found(with_item(f"[Pending] {nothing}\n[Taboo] {nothing}")) == ()


@pytest.mark.parametrize("line", ["[x] done", "[link](https://example.org) to it", "[a][1]", "<!-- [Note] -->"])
def test_a_line_with_brackets_is_not_always_a_tag(line: str) -> None:
    assert set(codes(found(with_item(line)))) <= {"engram.untagged"}


@pytest.mark.parametrize("line", ["# Engram", "<!-- rewritten at the end of every turn -->"])
def test_headings_and_comments_are_for_persons(line: str) -> None:
    assert found(with_item(line), by="person") == ()
    assert codes(found(with_item(line), by="agent")) == ["engram.untagged"]


def test_lines_of_no_item_do_not_make_a_report_endless() -> None:
    findings = found(with_item("Do as it says.\n" * 900), by="agent")
    assert codes(findings) == ["engram.too-long", *["engram.untagged"] * 50]


HIDDEN = "".join(chr(0xE0000 + ord(letter)) for letter in "push")


@pytest.mark.parametrize(
    "text",
    [
        "a\u200b.c",
        f"a.c{HIDDEN}",
        "a\u202e.c",
        "a\u2066.c",
        "a\u00ad.c",
        "⚠\ufe0f\ufe0f",
        "x\u200dy",
        "\u200c中",
        "a\ufeffb",
    ],
)
def test_what_shows_nothing_is_found_in_an_engram(text: str) -> None:
    assert codes(found(with_item(f"[Files] {text}"))) == ["engram.control"]


@pytest.mark.parametrize("text", ["⚠️ a.c", "1️⃣ a.c", "👩‍💻 a.c", "🏳️‍🌈", "می‌خواهم", "全角　空格"])
def test_what_belongs_to_a_sign_does_no_harm(text: str) -> None:
    assert found(with_item(f"[Files] {text}")) == ()


@pytest.mark.parametrize(
    "item",
    [
        "[Progress] Deleted src/b.c",
        "[Progress] 删除 src/b.c 里的旧代码",
        "[Pending] write src/b.c",
        "[Progress] Wrote the notes in b.c and src/*.c",
        "[Progress] Wrote GET /src/b.c",
        "[Taboo] Don't create src/b.c, since the build globs",
    ],
)
def test_a_file_need_not_be_there_that_is_made_or_deleted_or_has_no_folder(item: str) -> None:
    nothing = dict.fromkeys(("src/b.c", "b.c", "src/*.c", "/src/b.c"), False)
    assert "engram.file-missing" not in codes(found(with_item(item), repository=Repository(exists=nothing)))


@pytest.mark.parametrize(
    "item",
    ["[Files] b.c", "[Progress] Wrote the NUL test in `src/b.c`", "[Files] src/b.c:3-4, a.c", "[Files] src/b.c: moved"],
)
def test_a_file_is_missed(item: str) -> None:
    repository = Repository(exists={"src/b.c": False, "b.c": False, "a.c": True})
    assert "engram.file-missing" in codes(found(with_item(item), repository=repository))


@pytest.mark.parametrize(
    ("item", "is_ambiguous"),
    [
        ("[Pending] parse() drops the sign", True),
        ("[Pending] `parse` drops the sign", True),
        ("[Pending] TokenList drops the sign", True),
        ("[Pending] parse() in src/scan.c drops the sign", False),
        ("[Pending] Scanner.parse() drops the sign", False),
        ("[Pending] next_token() drops the sign", False),
        ("[Pending] unheard_of() drops the sign", False),
    ],
)
def test_a_symbol_is_ambiguous_without_a_path(item: str, is_ambiguous: bool) -> None:
    repository = Repository(
        definitions={"parse": ("a.c", "b.c"), "TokenList": ("a.c", "b.c"), "next_token": ("a.c",)}
    )  # fmt: skip
    assert ("engram.ambiguous-symbol" in codes(found(with_item(item), repository=repository))) is is_ambiguous


def test_done_without_evidence_is_only_a_warning_in_json() -> None:
    text = PROGRESS.replace('"completed": []', '"completed": ["Wrote the scanner"]')
    memory = replace(GOOD, state=Document(".agent/progress.json", text), state_form="progress")
    assert [(each.code, each.severity) for each in found(memory)] == [("state.no-evidence", "warning")]


def test_the_state_of_a_json_file_is_judged_like_any_other() -> None:
    text = PROGRESS.replace('"in_progress": "NUL in scan()"', '"in_progress": "going well"').replace(
        ' "blocked": [],', ""
    )
    memory = replace(GOOD, state=Document(".agent/progress.json", text), state_form="progress")
    told = [(each.code, dict(each.values).get("field", "")) for each in found(memory)]
    assert told == [("state.missing-field", "blocked"), ("state.vague", "")]


def test_a_broken_state_is_told_with_its_place_and_reason() -> None:
    memory = Memory(state=Document("progress.json", '{"completed": [\n'), state_form="progress")
    findings = check_state(memory, wording(), Repository(), Work())
    assert codes(findings) == ["file.unparsable"]
    assert dict(findings[0].values)["reason"]


@pytest.mark.parametrize(
    ("updated", "head_time", "is_stale"),
    [
        ("2026-01-02", 1_767_312_000.0 + 86_399, False),  # the same day, UTC
        ("2026-01-02", 1_767_312_000.0 + 86_400, True),
        ("2026-01-02T00:00:00Z", 1_767_312_000.0 + 500, False),  # the commit that holds the state
        ("2026-01-02T00:00:00Z", 1_767_312_000.0 + 700, True),
        ("2026-01-02T08:00:00+08:00", 1_767_312_000.0 + 700, True),
        ("2026-01-02T10:00:00", 1_767_312_000.0 + 86_399, False),  # without a zone only its day counts
        ("session-42", 1_900_000_000.0, False),
        ("2026-13-99", 1_900_000_000.0, False),
        ("2026-01-02", None, False),
        ("2026-01-02", 1e300, False),
    ],
)
def test_a_state_is_stale_where_like_is_newer_than_like(updated: str, head_time: float | None, is_stale: bool) -> None:
    text = PROGRESS.replace("2026-01-02", updated)
    memory = replace(GOOD, state=Document("progress.json", text), state_form="progress")
    assert ("state.stale" in codes(found(memory, repository=Repository(head_time=head_time)))) is is_stale


def test_a_stale_state_is_shown_where_it_says_its_time() -> None:
    memory = replace(GOOD, state=Document("progress.json", PROGRESS), state_form="progress")
    stale = found(memory, repository=Repository(head_time=1_900_000_000.0))[0]
    assert PROGRESS[stale.spot.column - 1 :].startswith("2026-01-02")
    assert stale.length == len("2026-01-02")


def test_a_command_counts_as_seen_within_a_longer_one() -> None:
    memory = with_done("scan() stops (`make  test`)")
    assert codes(found(memory, work=Work(succeeded=("cd x && make test -k",)))) == []
    assert codes(found(memory, work=Work(succeeded=("make",)))) == ["state.unverified-command"]
    assert codes(found(memory)) == []


def test_evidence_of_its_own_section_is_looked_up_too() -> None:
    memory = state(STATE.replace("- 8bd1a50\n", "- 0badf00d: seen\n"))
    repository = Repository(known={"0badf00d": False, "8bd1a50": True})
    assert [(each.code, each.spot) for each in found(memory, repository=repository)] == [
        ("state.unknown-hash", Spot(11, 3))
    ]


def test_a_step_that_says_nothing_is_not_asked_for_its_place() -> None:
    assert codes(found(with_next("Continue"))) == ["state.vague"]


@pytest.mark.parametrize("nothing", ["none", "无", "(none)", "unknown"])
def test_a_section_may_say_that_there_is_nothing(nothing: str) -> None:
    assert found(with_next(nothing)) == ()


def test_memory_may_be_written_wherever_the_task_is() -> None:
    changed = (".agent/STATE.md", ".agent/log/index.jsonl", "STATE.md")
    memory = replace(GOOD, state=replace(GOOD.state, path="STATE.md"))
    assert found(memory, repository=Repository(changed=changed)) == ()
    forbidding = replace(memory, task=Document("TASK.md", TASK.replace("- src/flex.l", "- .agent/")))
    assert [dict(each.values)["path"] for each in found(forbidding, repository=Repository(changed=changed))] == [
        ".agent/STATE.md", ".agent/log/index.jsonl",
    ]  # fmt: skip


def test_a_task_that_allows_nothing_by_name_forbids_only_what_it_names() -> None:
    memory = task(TASK.replace("## Allowed paths\n- src/\n", ""))
    findings = found(memory, repository=Repository(changed=("docs/a.md", "src/flex.l")))
    assert [dict(each.values)["path"] for each in findings] == ["src/flex.l"]


def test_each_forbidden_path_is_told_up_to_twenty() -> None:
    findings = found(GOOD, repository=Repository(changed=tuple(f"docs/{n}.md" for n in range(20))))
    assert codes(findings) == ["task.path-forbidden"] * 20


def test_of_many_findings_the_gravest_are_kept() -> None:
    items = "".join(f"- Wrote part {n} (`make test`)\n" for n in range(120)) + "- Wrote the NUL test\n"
    text = STATE.replace("- Wrote scan() (commit 8bd1a50)\n", items)
    memory = state(text.replace("Ensure scan() in src/scan.c stops at NUL", "Continue"))
    findings = check_state(memory, wording(), Repository(), Work(succeeded=("ls",)))
    assert len(findings) == 101
    assert [each.code for each in findings if each.severity == "error"] == ["state.no-evidence", "state.vague"]
    assert ("file.more", (("count", "22"),)) in [(each.code, each.values) for each in findings]


def test_an_identity_is_measured_only_where_tokens_can_be_counted() -> None:
    document = Document(".agent/identity.md", "convention: " + "w " * 500)
    assert check_identity(document) == ()
    assert codes(check_identity(document, count=len)) == ["identity.too-long"]


def test_control_characters_are_told_once_a_file() -> None:
    memory = Memory(
        handoff=Document("h", "\x00\x1b"), questions=Document("q", "a\u202eb"), engram=Document("e", "\x1b")
    )
    assert [(each.file, each.code) for each in check_files(memory)] == [("h", "file.control"), ("q", "file.control")]


@pytest.mark.parametrize("harmless", ["\ufeffa\r\nb\tc\n", "全角　空格", "👩‍💻"])
def test_harmless_characters_are_left_alone(harmless: str) -> None:
    assert check_files(Memory(handoff=Document("h", harmless))) == ()


def test_an_empty_engram_is_none() -> None:
    assert codes(found(engram(""))) == ["engram.no-block"]
    assert codes(check_engram(Document("e", None), wording(), Repository(), by="agent")) == []


def test_full_width_tags_and_line_ends_do_not_move_a_place() -> None:
    text = "\ufeff" + ENGRAM.replace("\n", "\r\n").replace("[Progress] Wrote", "［进度］：Made some changes. Wrote")
    assert [(each.code, each.spot) for each in found(engram(text))] == [("engram.vague", Spot(2, 6))]


@pytest.mark.parametrize(
    ("item", "has_reason"),
    [
        ("- [SOFT] Use IndexedDB - it is in the bundle already", True),
        ("- [HARD] No service worker: the customer's proxy breaks them", True),
        ("- [SOFT] 不用 pandas——服务器上只有 1.5 版", True),
        ("- [SOFT] Use IndexedDB", False),
        ("- [SOFT] Store: IndexedDB", False),
        ("## Store: IndexedDB in the browser only\n- confidence: [SOFT] person", False),
    ],
)
def test_in_a_list_a_clause_behind_a_decision_is_its_reason(item: str, has_reason: bool) -> None:
    found_codes = codes(check_decisions(Document("DECISIONS.md", f"# Decisions\n\n{item}\n")))
    assert ("decision.no-reason" not in found_codes) is has_reason


@pytest.mark.parametrize(
    ("item", "is_one"),
    [
        ("- [HARD] Never", True), ("* **[SOFT]** Never", True), ("1. 【强制】从不", True),
        ("  - [rejected] Redis", True),
        ("- [x] done", False), ("- [the docs](https://example.org)", False), ("- Never [HARD]", False),
        ("- confidence: [SOFT] user", False), ("[HARD] Never", False), ("```\n- [HARD] Never\n```", False),
    ],
)  # fmt: skip
def test_an_item_with_a_tag_below_a_heading_is_told(item: str, is_one: bool) -> None:
    text = f"## Use TOML\n- reason: r\n- confidence: [SOFT] user\n\n{item}\n"
    findings = check_decisions(Document(".agent/DECISIONS.md", text))
    assert codes(findings) == ["decision.tag-inside"] * is_one


def test_an_item_with_a_tag_that_is_a_decision_is_none_inside_another() -> None:
    text = "- [HARD] Never touch prod because of the data\n- [SOFT] Use TOML because of comments\n"
    text += "\n## Rejected\n- [HARD] No: r\n"
    assert "decision.tag-inside" not in codes(check_decisions(Document(".agent/DECISIONS.md", text)))
