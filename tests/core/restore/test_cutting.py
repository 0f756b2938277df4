"""What is cut first, what never, and that it is said."""

from __future__ import annotations

from agentsup.core.restore.cutting import Cutter, Fitted
from agentsup.core.restore.parts import CUTTING_ORDER, Kind, Part, Piece, from_end, from_start, kept
from tests.core.restore.memories import FRAMES

FRAME = FRAMES["en"]


def words(text: str) -> int:
    return len(text.split())


def fit(parts: list[Part], room: int, target: int = 2_000) -> dict[str, Fitted]:
    return {fitted.part.name: fitted for fitted in Cutter(FRAME, words).fit(parts, room, target)}


def part(kind: Kind, pieces: tuple[Piece, ...], name: str = "") -> Part:
    return Part(name or f"10-{kind}", kind, f"{kind}.md", pieces)


def texts(count: int, name: str = "line") -> list[str]:
    return [f"{name} number {number} says this" for number in range(count)]


def test_what_fits_is_whole() -> None:
    found = fit([part("operations", from_start(texts(3))), part("state", kept(texts(3)))], 200)
    assert found["10-operations"].lines == tuple(texts(3))
    assert not found["10-operations"].left_out
    assert found["10-state"].tokens == found["10-state"].whole


def test_a_unit_is_cut_to_its_share_and_says_how_much_and_where_the_rest_is() -> None:
    found = fit([part("structure", from_start(texts(100)))], 10_000)["10-structure"]
    assert found.tokens <= 400
    assert found.left_out == 100 - (len(found.lines) - 1)
    assert found.lines[-1] == FRAME.cut.format(count=found.left_out, path="structure.md")
    assert found.lines[-2] == texts(100)[-1]  # the newest one stays


def test_what_others_leave_goes_to_decisions_but_not_to_the_structure() -> None:
    parts = [part("structure", from_end(texts(300))), part("decisions", from_end(texts(150)))]
    found = fit(parts, 1_800)
    assert found["10-decisions"].tokens == found["10-decisions"].whole > 350
    assert found["10-structure"].tokens <= 400


def test_units_are_cut_in_their_order() -> None:
    parts = [part(kind, from_end(texts(20))) for kind in CUTTING_ORDER]
    parts.append(part("state", kept(texts(10))))
    whole = {name: fitted.whole for name, fitted in fit(parts, 100_000, 100_000).items()}
    for index, kind in enumerate(CUTTING_ORDER):
        room = sum(whole.values()) - 1 - sum(whole[f"10-{earlier}"] for earlier in CUTTING_ORDER[:index])
        found = fit(parts, room, 100_000)
        for earlier in CUTTING_ORDER[:index]:
            assert not found[f"10-{earlier}"].lines
        assert found[f"10-{kind}"].left_out
        assert all(not found[f"10-{later}"].left_out for later in CUTTING_ORDER[index + 1 :])
        assert found["10-state"].lines == tuple(texts(10))


def test_what_is_never_cut_stays_where_the_rest_of_its_unit_falls() -> None:
    pieces = (*kept(texts(5, "rule")), *from_end(texts(50)))
    found = fit([part("decisions", pieces), part("identity", kept(texts(5)))], 70)
    assert found["10-decisions"].lines[:5] == tuple(texts(5, "rule"))
    assert not found["10-decisions"].squeezed


def test_too_long_for_anything_the_engram_comes_first_and_each_is_shortened_visibly() -> None:
    long = "a word " * 60
    parts = [
        part("identity", kept([long] * 30)),
        part("state", kept(["short"])),
        part("engram", kept([long] * 4), "90-engram"),
    ]
    found = fit(parts, 200)
    assert sum(fitted.tokens for fitted in found.values()) <= 200
    assert found["10-state"].lines == ("short",)
    assert not found["10-state"].squeezed
    assert found["90-engram"].squeezed
    assert all("characters]" in line for line in found["90-engram"].lines)
    assert found["10-identity"].squeezed
    assert found["10-identity"].left_out
    assert found["10-identity"].lines[-1] == FRAME.cut.format(count=found["10-identity"].left_out, path="identity.md")


def test_a_line_without_end_is_shortened_before_it_is_counted() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return words(text)

    Cutter(FRAME, count).fit([part("handoff", from_end(["x" * 5_000_000]))], 100, 2_000)
    assert max(map(len, counted)) < 2_000


def test_what_will_not_be_in_the_text_is_not_counted() -> None:
    def characters(text: str) -> int:
        return len(text)

    found = Cutter(FRAME, characters).fit([part("own", kept(["a\x81\x1bb" * 100, "c"]))], 2_000, 2_000)[0]
    assert found.lines == ("ab" * 100, "c")
    assert found.tokens == found.whole == len(f"{found.part.heading}\n") + 201 + 2
