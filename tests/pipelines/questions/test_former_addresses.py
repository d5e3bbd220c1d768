"""Addresses of version 0.3.0, which people have kept: each still asks what it asked, and nothing in it is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipelines.questions.address import (
    CountedFromOne,
    FormerSpelling,
    read_fields,
    split_address,
    write_address,
)
from pipelines.questions.card import CardQuestion
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.every_question import QUESTIONS, read_question
from pipelines.questions.game.question import GameQuestion
from pipelines.questions.hand_game.question import HandGameQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.sql.question import SqlQuestion
from pipelines.questions.whatif.question import ManyGamesQuestion, WhatifQuestion

if TYPE_CHECKING:
    from pipelines.questions.address import Question

ADDRESSES: tuple[tuple[str, type[Question], dict[str, Any]], ...] = (
    ("/?play=bloxx", SimulationQuestion, {"play": "bloxx"}),
    (
        "/?play=bloxx&ruleset=bloxx-2p&lineup=greedy&lineup=random&games=60&log=scores&seed=5",
        SimulationQuestion,
        {"ruleset": "bloxx-2p", "lineup": ("greedy", "random"), "games": 60, "log": "scores", "seed": "5"},
    ),
    ("/scores?rulesets=bloxx-2p", ScoresQuestion, {"rulesets": ("bloxx-2p",)}),
    (
        "/scores?rulesets=bloxx-2p&rulesets=bloxx-touch-2p&runs=a&strategies=greedy&seats=0&view=Seats",
        ScoresQuestion,
        {"rulesets": ("bloxx-2p", "bloxx-touch-2p"), "runs": ("a",), "strategies": ("greedy",), "seats": (0,), "view": "Players"},
    ),
    ("/scores?rulesets=bloxx-2p&view=Explore&select=%7B%22score%22%3A%5B20%2C40%5D%7D", ScoresQuestion, {"view": "Explore"}),
    ("/strategies?run=duel", KnownComparisonQuestion, {"run": "duel"}),
    ("/strategies?run=duel&pair=2&statistics=true", KnownComparisonQuestion, {"run": "duel", "pair": 2}),
    (
        "/strategies?ruleset=bloxx-2p&lineup=greedy&lineup=random&metric=win&blocks=50&until=1&seed=3",
        NewComparisonQuestion,
        {"ruleset": "bloxx-2p", "metric": "win", "blocks": 50, "until_decided": True, "seed": "3"},
    ),
    ("/replay?run=demo&game=3&ply=17&review=1", GameQuestion, {"run": "demo", "game": 3, "ply": 17, "is_reviewed": True}),
    ("/replay?run=demo&game=3&ply=-1&by=points", GameQuestion, {"ply": -1, "measure": "points"}),
    ("/play?ruleset=bloxx-2p&seats=me,greedy&seed=7&moves=1a.4f", HandGameQuestion, {"seats": "me,greedy", "seed": 7, "moves": "1a.4f"}),
    ("/play?run=demo&game=3&ply=17&seats=me,greedy&moves=1a", HandGameQuestion, {"run": "demo", "ply": 17, "seed": None}),
    ("/whatif?run=demo&game=3&ply=9&action=A%3Aa3&n=2000&seed=4", WhatifQuestion, {"action": "A:a3", "n": 2000, "seed": 4}),
    ("/whatif?run=demo&game=3&ply=9&seat=1&strategy=greedy&substitute=0:greedy", WhatifQuestion, {"seats": (1,), "strategies": ("greedy",)}),
    ("/whatif?run=demo&game=3&ply=9&option=gap_penalty%3D3", WhatifQuestion, {"options": ("gap_penalty=3",)}),
    ("/whatif?run=demo&game=3&ply=9&luck=1", WhatifQuestion, {"luck": True}),
    (
        "/whatif?run=demo&games=lost:0&where=round:2&seat=0&strategy=planner&n=60&most=100&seed=1",
        ManyGamesQuestion,
        {"games": "lost:1", "where": "round:3", "seats": (0,), "n": 60, "most": 100},
    ),
    ("/rules?ruleset=bloxx-2p&part=side-by-side&with=bloxx-touch-2p", RulesQuestion, {"part": "side-by-side", "beside": ("bloxx-touch-2p",)}),
    ("/rules?ruleset=bloxx-2p&part=own&draft=%7B%7D", RulesQuestion, {"part": "own", "draft": "{}"}),
    (
        "/rules?ruleset=bloxx-2p&part=effect&against=bloxx-touch-2p&lineup=greedy,random&blocks=400&seed=3",
        RuleEffectQuestion,
        {"against": "bloxx-touch-2p", "strategies": ["greedy", "random"], "blocks": 400, "seed": 3},
    ),
    ("/rules?ruleset=bloxx-2p&part=card&style=greedy&blocks=100&seed=3", CardQuestion, {"style": "greedy", "blocks": 100, "seed": 3}),
    ("/sql?sql=FROM+run&run=demo", SqlQuestion, {"sql": "FROM run", "runs": ("demo",)}),
    ("/sql?sql=SELECT+%24n&set=n%3D3&type=n%3Dtext&runs=demo&kind=bar&x=a&y=b", SqlQuestion, {"texts": {"n": "3"}, "runs": ("demo",), "chart": "bar"}),
)  # fmt: skip


@pytest.mark.parametrize(("path", "kind", "fields"), ADDRESSES, ids=[path for path, _, _ in ADDRESSES])
def test_a_kept_address_asks_what_it_asked(path: str, kind: type[Question], fields: dict[str, Any]) -> None:
    question, problems = read_question(*split_address(path))
    assert type(question) is kind
    assert not problems
    assert {name: getattr(question, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("former", "current"),
    [
        ("/replay?run=demo&game=3&ply=17&review=1", "/replay?run=demo&game-number=4&move=18&review=1"),
        ("/replay?run=demo&game=3&ply=0", "/replay?run=demo&game-number=4&move=1"),
        ("/replay?run=demo&game=3&ply=-1&by=points", "/replay?run=demo&game-number=4&by=points"),
        ("/play?run=demo&game=3&ply=17&seats=me,me", "/play?run=demo&game-number=4&move=18&seats=me%2Cme"),
        (
            "/whatif?run=demo&game=3&ply=9&seat=1&strategy=random&substitute=0:greedy,2:noisy:sigma=2,eps=1",
            "/whatif?run=demo&player=2&strategy=random&stand-in=1:greedy,3:noisy:sigma=2,eps=1&game-number=4&move=10",
        ),
        (
            "/whatif?run=demo&games=lost:0&where=round:2&luck=1",
            "/whatif?run=demo&many=lost:1&move=round:3&luck=1",
        ),
        ("/whatif?run=demo&games=won:1&where=14&luck=1", "/whatif?run=demo&many=won:2&move=15&luck=1"),
        ("/whatif?run=demo&games=all&where=-1&luck=1", "/whatif?run=demo&many=all&move=-1&luck=1"),
        ("/scores?rulesets=a&seats=0&seats=2", "/scores?rulesets=a&players=1&players=3"),
    ],
)
def test_an_address_that_counts_from_0_is_written_as_one_that_counts_from_1(
    former: str, current: str
) -> None:
    question, problems = read_question(*split_address(former))
    assert not problems
    assert write_address(question) == split_address(current)[1]
    assert read_question(*split_address(current)) == (question, ())


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind in QUESTIONS
        for name, field in kind.model_fields.items()
        if any(isinstance(one, CountedFromOne) for one in field.metadata)
    ],
)
def test_no_key_changes_its_meaning_where_the_counting_changes(kind: type[Question], name: str) -> None:
    field = kind.model_fields[name]
    (former,) = (one for one in field.metadata if isinstance(one, FormerSpelling))
    key = field.alias or ""
    assert key not in former.keys
    before, _ = read_fields(kind, {former.keys[0]: ["2"]})
    now, problems = read_fields(kind, {key: ["3"]})
    assert (now, problems) == (before, ())
    assert getattr(now, name) in (2, (2,))
    assert read_fields(kind, {key: ["3"], former.keys[0]: ["2"]}) == (before, ())  # both mean the same
    _, (problem,) = read_fields(kind, {key: ["+x"]})
    assert "expected a whole number from " in problem
    assert problem.endswith("not +x.")
