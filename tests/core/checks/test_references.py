"""What the shell has to ask git about: everything that a check wants to know, as it looks it up."""

from __future__ import annotations

import pytest

from agentsup.core.checks import references
from agentsup.core.memory.model import Document, Memory
from tests.core.checks.examples import EXAMPLES, GOOD, PROGRESS, with_item


def test_the_hashes_of_the_state_are_named_in_every_form() -> None:
    assert references.hashes(GOOD) == ("8bd1a50",)
    text = PROGRESS.replace('"completed": []', '"completed": ["a (commit 4e91c0d)", "b (90bb62f)"]')
    assert references.hashes(Memory(state=Document("p.json", text), state_form="progress")) == ("4e91c0d", "90bb62f")
    assert references.hashes(Memory(state=Document("p.json", "{broken"), state_form="progress")) == ()
    assert references.hashes(Memory()) == ()


@pytest.mark.parametrize(
    ("item", "path"),
    [
        ("[Files] src/a.c:1-20", "src/a.c"),
        ("[Files] src/a.c#L3-L9", "src/a.c"),
        ("[Files] `src/a.c`：解析", "src/a.c"),
        ("[Progress] 修改了src/a.c里的 x()", "src/a.c"),
        ("[Files] (src/a.c),b.c", "b.c"),
        ("[Files] Makefile", "Makefile"),
        ("[Files] ./run.sh.", "./run.sh"),
        ("[Files] src/core/", "src/core/"),
        ("[Files] .gitignore", ".gitignore"),
    ],
)
def test_a_path_is_named_without_its_lines(item: str, path: str) -> None:
    assert path in references.paths(with_item(item))


def test_what_can_be_no_path_is_not_asked_for() -> None:
    said = references.paths(with_item("[Files] https://a.org/b.c src/*.c and/or {id}/x <name>.c"))
    assert not {"https://a.org/b.c", "src/*.c", "{id}/x", "<name>.c"} & set(said)


@pytest.mark.parametrize(
    ("item", "symbol"),
    [
        ("[Pending] parse() drops", "parse"),
        ("[Pending] `main` drops", "main"),
        ("[Pending] TokenList drops", "TokenList"),
        ("[Pending] next_token drops", "next_token"),
        ("[未决] formatPrice() 遇到负数", "formatPrice"),
    ],
)
def test_a_symbol_is_named_without_brackets(item: str, symbol: str) -> None:
    assert symbol in references.symbols(with_item(item))


def test_a_name_that_says_where_it_stands_is_not_asked_for() -> None:
    assert not {"Order.cancel", "cancel", "Order"} & set(
        references.symbols(with_item("[Pending] Order.cancel() drops"))
    )


@pytest.mark.parametrize(
    "example", [each for each in EXAMPLES if each.repository.exists or each.repository.definitions]
)
def test_everything_that_a_check_looks_up_is_asked_for(example: object) -> None:
    from tests.core.checks.examples import Example

    assert isinstance(example, Example)
    wanted = {*example.repository.exists, *example.repository.definitions}
    assert wanted <= {*references.paths(example.memory), *references.symbols(example.memory)}


def test_there_is_an_end_to_what_is_asked() -> None:
    many = "\n".join(f"[Files] src/{n}.c fun_{n}()" for n in range(2000))
    assert len(references.paths(with_item(many))) == references.MOST
    assert len(references.symbols(with_item(many))) == references.MOST
