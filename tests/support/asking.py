"""How tests ask the program, and what a refusal looks like."""

from __future__ import annotations

from collections.abc import Callable

from support.program import Answer

Ask = Callable[..., Answer]


def assert_one_sentence(answer: Answer, *named: object, code: int = 2) -> None:
    """A command has printed nothing but one sentence, which names all of these."""
    assert (answer.code, answer.out) == (code, ""), answer.err
    assert len(answer.err.splitlines()) == 1, answer.err
    assert answer.err.startswith("error: ")
    for one in named:
        assert str(one) in answer.err
