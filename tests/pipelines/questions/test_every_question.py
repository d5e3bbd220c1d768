"""All questions: an address and a command say the same as the question that writes them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import pytest
import typer
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pipelines.cli import app
from pipelines.design.limits import normal_form
from pipelines.design.lineups import FIRST_LOOK_BLOCKS
from pipelines.questions.address import find_limits, split_address, write_address, write_path
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.every_question import QUESTIONS, read_question
from pipelines.questions.game import GameQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.sql import SqlQuestion
from pipelines.questions.whatif import ManyGamesQuestion, WhatifQuestion

if TYPE_CHECKING:
    from pipelines.questions.address import Question

TEXTS = st.sampled_from(["", "bloxx-2p", "a b", "noisy:sigma=2,eps=1", "ß&=?#%", "-1", "7"]) | st.text(
    max_size=9
)
VALID = {
    "games": st.sampled_from(["lost:1", "won:2"]),
    "where": st.sampled_from(["last-roll", "round:2", "14"]),
    "substitute": st.sampled_from(["", "1:greedy", "1:noisy:sigma=2,eps=1,4:random"]),
    "options": st.just(("gap=1",)),
}
"""Values of fields that take texts of a certain form only."""


def values_of(  # noqa: PLR0911 - one for each kind of field
    kind: type[Question], name: str
) -> st.SearchStrategy[Any]:
    """Return values of a field; its validators may refuse some of them."""
    if kind is ManyGamesQuestion and name in VALID:
        return VALID[name]
    field = kind.model_fields[name]
    annotation = field.annotation
    parts = [part for part in get_args(annotation) if part is not type(None)]
    if get_origin(annotation) is Literal:
        return st.sampled_from(get_args(annotation))
    if get_origin(annotation) is tuple:
        item = get_args(annotation)[0]
        of_numbers = item is int or get_args(item)[:1] == (int,)
        texts = st.sampled_from(["greedy", "n=3", "n=text", "gap=1"]) | st.text(min_size=1, max_size=9).map(
            normal_form
        )
        return st.lists(st.integers(0, 7) if of_numbers else texts, max_size=2).map(tuple)
    if annotation is bool:
        return st.booleans()
    if annotation is int or int in parts:
        limits = find_limits(kind, name)
        return st.integers(limits.minimum, limits.maximum)
    if parts and get_origin(parts[0]) is Literal:
        return st.sampled_from(get_args(parts[0]))
    return TEXTS.map(normal_form)


@st.composite
def questions(draw: st.DrawFn, kind: type[Question]) -> Question:
    """Draw a question of a class: some of its fields, the others with their defaults."""
    fields = kind.model_fields
    marks = [name for name, field in fields.items() if (field.alias or name) in kind.marks]
    names = dict.fromkeys([*marks[:1], *draw(st.lists(st.sampled_from(list(fields)), unique=True))])
    given_values = {name: draw(values_of(kind, name)) for name in names}
    try:
        return kind.model_validate(given_values)
    except ValidationError:
        assume(condition=False)
        raise


@pytest.mark.parametrize("kind", QUESTIONS, ids=lambda kind: kind.__name__)
def test_reading_what_a_question_writes_gives_the_question(kind: type[Question]) -> None:
    seen = 0

    @settings(deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
    @given(questions(kind))
    def check(question: Question) -> None:
        nonlocal seen
        address = write_address(question)
        assume(not kind.marks or kind.marks & address.keys())
        others = {
            mark for one in QUESTIONS if one.page == kind.page and one is not kind for mark in one.marks
        }
        assume(kind.marks or not others & address.keys())
        seen += 1
        assert read_question(kind.page, address) == (question, ())
        assert read_question(*split_address(write_path(question))) == (question, ())
        assert split_address(f"http://127.0.0.1:8600{write_path(question)}") == (kind.page, address)
        assert question.title
        if question.command.startswith("reroll ask "):
            assert read_question(*split_address(shlex.split(question.command)[-1])).question == question

    check()
    assert seen


def parse_command(command: str) -> dict[str, Any]:
    """Return what the command line makes of a command, by the names of its parameters."""
    program, name, *words = shlex.split(command)
    assert program == "reroll"
    group: Any = typer.main.get_command(app)
    with group.make_context("reroll", ["help"]) as context:
        subcommand = group.get_command(context, name)
        values: dict[str, Any] = subcommand.make_context(name, words, parent=context).params
    return {"command": name, **values}


@pytest.mark.parametrize(
    ("question", "parsed"),
    [
        (
            SimulationQuestion(
                play="bloxx",
                ruleset="bloxx-2p",
                strategies=("noisy:sigma=2", "random"),
                games=60,
                log="scores",
                seed="7",
            ),
            {
                "command": "simulate",
                "ruleset": "bloxx-2p",
                "strategies": ["noisy:sigma=2,random"],
                "games": 60,
                "log": "scores",
                "seed": 7,
            },
        ),
        (
            NewComparisonQuestion(
                ruleset="bloxx-2p", strategies=("greedy", "random"), metric="win", blocks=50, seed="3"
            ),
            {
                "command": "compare",
                "ruleset": "bloxx-2p",
                "strategies": ["greedy", "random"],
                "metric": "win",
                "blocks": 50,
                "seed": 3,
            },
        ),
        (
            NewComparisonQuestion(ruleset="blokus-duo", strategies=("a", "b"), until_decided=True, blocks=10),
            {
                "command": "compare",
                "metric": "score",
                "until_decided": True,
                "blocks": FIRST_LOOK_BLOCKS,
                "seed": None,
            },
        ),
        (
            KnownComparisonQuestion(run="my run", metric="win"),
            {"command": "compare", "run": "my run", "metric": "win"},
        ),
        (
            WhatifQuestion(run="my run", game=3, ply=9, seats=(1,), strategies=("greedy",), n=80, seed=5),
            {"command": "whatif", "run": "my run", "game": 4, "move": "10", "seats": [2], "seed": 5},
        ),
        (
            ManyGamesQuestion(
                run="demo", games="lost:1", where="round:2", options=("gap_penalty=0",), limit=12
            ),
            {
                "command": "whatif",
                "run": "demo",
                "games": "lost:1",
                "move": "round:2",
                "options": ["gap_penalty=0"],
            },
        ),
        (
            SqlQuestion(sql="SELECT '$x', $n", settings=("n=a b",), runs=("demo",)),
            {"command": "sql", "query": "SELECT '$x', $n", "settings": ["n=a b"], "run": ["demo"]},
        ),
        (
            HandGameQuestion(run="demo", game=3, ply=17, seats='me:name="Anna, 1",greedy', moves="1a"),
            {
                "command": "play",
                "run": "demo",
                "game": 4,
                "move": 18,
                "seats": ['me:name="Anna, 1",greedy'],
                "moves": "1a",
            },
        ),
        (GameQuestion(run="demo", game=3, ply=17), {"command": "show", "run": "demo", "game": 4, "move": 18}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_command_of_a_question_asks_the_same(question: Question, parsed: dict[str, Any]) -> None:
    values = parse_command(question.command)
    assert {name: values.get(name) for name in parsed} == parsed


def test_every_other_question_has_a_command_that_the_command_line_knows() -> None:
    for kind in QUESTIONS:
        assert parse_command(kind().command.replace("''", "x"))["command"], kind
