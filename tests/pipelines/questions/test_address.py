"""The reader and the writer of addresses: what fits is read, and nothing else is passed over in silence."""

from __future__ import annotations

import unicodedata
from typing import Annotated, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, field_validator

from engine.errors import InvalidError
from pipelines.design.limits import NumberLimits
from pipelines.questions.address import (
    Question,
    find_choices,
    find_limits,
    is_address,
    read_fields,
    split_address,
    write_address,
    write_path,
)

Seat = Annotated[int, Field(ge=0, le=7)]


class TrialQuestion(Question):
    """A question with a field of every kind."""

    page: ClassVar[str] = "trial"

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    lineup: Annotated[tuple[str, ...], Field(title="strategies", max_length=3)] = ()
    blocks: Annotated[int, Field(title="blocks", ge=10, le=1_000_000)] = 400
    measure: Annotated[
        Literal["score", "win"],
        Field(title="measure", alias="metric"),
    ] = "score"
    is_decided: Annotated[bool, Field(title="value of until", alias="until")] = False
    seats: Annotated[tuple[Seat, ...], Field(title="player")] = ()
    seed: str = ""

    @property
    def title(self) -> str:
        return "A trial"

    @property
    def command(self) -> str:
        return "reroll help"

    @field_validator("seed")
    @classmethod
    def _check_seed(cls, text: str) -> str:
        if text and not text.isdecimal():
            raise ValueError("the seed must be a whole number")
        return text


def read_one(**query: str | list[str]) -> tuple[TrialQuestion, tuple[str, ...]]:
    return read_fields(
        TrialQuestion, {key: [text] if isinstance(text, str) else text for key, text in query.items()}
    )


def test_an_address_fills_the_fields_of_a_question() -> None:
    question, problems = read_one(
        ruleset="bloxx-2p",
        lineup=["greedy", "random"],
        blocks="50",
        metric="win",
        until="1",
        seats=["0", "2"],
    )
    assert not problems
    assert question == TrialQuestion(
        ruleset="bloxx-2p",
        lineup=("greedy", "random"),
        blocks=50,
        measure="win",
        is_decided=True,
        seats=(0, 2),
    )


def test_what_an_address_leaves_out_has_its_default() -> None:
    assert read_one() == (TrialQuestion(), ())
    assert read_one(ruleset="", lineup="") == (TrialQuestion(), ())


@pytest.mark.parametrize(
    ("query", "asked", "sentence"),
    [
        ({"blocks": "many"}, {}, "Blocks: expected a whole number from 10 to 1,000,000, not many."),
        ({"blocks": "0-10"}, {}, "Blocks: expected a whole number from 10 to 1,000,000, not 0-10."),
        ({"blocks": "3"}, {"blocks": 10}, "Blocks: expected a whole number from 10 to 1,000,000, not 3."),
        (
            {"blocks": "9" * 30},
            {"blocks": 1_000_000},
            "Blocks: expected a whole number from 10 to 1,000,000, not 999999999999999999999999999999.",
        ),
        (
            {"blocks": "9" * 5000},
            {},
            f"Blocks: expected a whole number from 10 to 1,000,000, not {'9' * 60}….",
        ),
        ({"metric": "nope"}, {}, "There is no measure nope; expected score or win."),
        ({"until": "perhaps"}, {}, "There is no value of until perhaps."),
        (
            {"seats": ["0", "x", "1"]},
            {"seats": (0, 1)},
            "Player: expected a whole number from 0 to 7, not x.",
        ),
        (
            {"lineup": ["a", "b", "c", "d"]},
            {"lineup": ("a", "b", "c")},
            "Strategies: at most 3 are possible; the others are left out.",
        ),
        ({"blocks": ["20", "30"]}, {"blocks": 20}, "Blocks: only one is possible, so 20 counts."),
        ({"seed": "x"}, {}, "Seed: The seed must be a whole number."),
        ({"nope": "1"}, {}, "The address has a field nope that means nothing here."),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(
    query: dict[str, str | list[str]], asked: dict[str, object], sentence: str
) -> None:
    question, problems = read_one(**query)
    assert problems == (sentence,)
    assert question == TrialQuestion.model_validate(asked)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    question, problems = read_one(blocks="3", metric="nope", seats=["9", "1"], nope="1")
    assert len(problems) == 4
    assert question == TrialQuestion(blocks=10, seats=(1,))


# An address is read in the normal form of Unicode.
names = st.text(min_size=1, max_size=20).map(lambda text: unicodedata.normalize("NFC", text))
questions = st.builds(
    TrialQuestion,
    ruleset=st.just("") | names,
    lineup=st.lists(names, max_size=3).map(tuple),
    blocks=st.integers(10, 1_000_000),
    measure=st.sampled_from(["score", "win"]),
    is_decided=st.booleans(),
    seats=st.lists(st.integers(0, 7), max_size=4).map(tuple),
    seed=st.sampled_from(["", "0", "17"]),
)


@given(questions)
def test_reading_what_a_question_writes_gives_the_question(question: TrialQuestion) -> None:
    assert read_fields(TrialQuestion, write_address(question)) == (question, ())
    _, query = split_address(write_path(question))
    assert read_fields(TrialQuestion, query) == (question, ())


@given(
    st.dictionaries(
        st.sampled_from([*TrialQuestion.model_fields, "metric", "until", "x"]),
        st.lists(st.text(max_size=9), max_size=3),
    )
)
def test_no_address_breaks_the_reader(query: dict[str, list[str]]) -> None:
    question, _ = read_fields(TrialQuestion, query)
    assert isinstance(question, TrialQuestion)


def test_forms_and_options_learn_their_limits_from_the_fields() -> None:
    assert find_limits(TrialQuestion, "blocks") == NumberLimits(10, 1_000_000, 400)
    assert find_choices(TrialQuestion, "measure") == ("score", "win")


def test_addresses_are_recognised_and_split() -> None:
    assert is_address("/replay?run=demo&game-number=3")
    assert not is_address("demo")
    assert split_address("http://127.0.0.1:8600/?play=bloxx") == ("library", {"play": ["bloxx"]})
    with pytest.raises(InvalidError, match="is not an address"):
        split_address("http://[nope?x=1")
