"""Notes of version 0.4.0 and of earlier ones open: their addresses are rewritten once, and each still asks what it asked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.notes import sidecar
from pipelines.notes.exchange import parse_notes
from pipelines.notes.former_notes import rewrite_address
from pipelines.notes.note import place_of_address
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.address import (
    CountedFromOne,
    read_fields,
    split_address,
    write_address,
)
from pipelines.questions.card import CardQuestion
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.every_question import QUESTIONS, read_question
from pipelines.questions.game import GameQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.sql import SqlQuestion
from pipelines.questions.whatif import ManyGamesQuestion, WhatifQuestion

if TYPE_CHECKING:
    from pipelines.questions.address import Question

ADDRESSES: tuple[tuple[str, type[Question], dict[str, Any]], ...] = (
    ("/?play=bloxx", SimulationQuestion, {"play": "bloxx"}),
    (
        "/?play=bloxx&ruleset=bloxx-2p&lineup=greedy&lineup=random&games=60&log=scores&seed=5",
        SimulationQuestion,
        {"ruleset": "bloxx-2p", "strategies": ("greedy", "random"), "games": 60, "log": "scores", "seed": "5"},
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
        {"ruleset": "bloxx-2p", "strategies": ("greedy", "random"), "metric": "win", "blocks": 50, "until_decided": True, "seed": "3"},
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
        {"games": "lost:1", "where": "round:3", "seats": (0,), "n": 60, "limit": 100},
    ),
    ("/rules?ruleset=bloxx-2p&part=side-by-side&with=bloxx-touch-2p", RulesQuestion, {"part": "side-by-side", "beside": ("bloxx-touch-2p",)}),
    ("/rules?ruleset=bloxx-2p&part=own&draft=%7B%7D", RulesQuestion, {"part": "own", "draft": "{}"}),
    (
        "/rules?ruleset=bloxx-2p&part=effect&against=bloxx-touch-2p&lineup=greedy,random&blocks=400&seed=3",
        RuleEffectQuestion,
        {"against": "bloxx-touch-2p", "strategies": ["greedy", "random"], "blocks": 400, "seed": 3},
    ),
    ("/rules?ruleset=bloxx-2p&part=card&style=greedy&blocks=100&seed=3", CardQuestion, {"strategy": "greedy", "blocks": 100, "seed": 3}),
    ("/sql?sql=FROM+run&run=demo", SqlQuestion, {"sql": "FROM run", "runs": ("demo",)}),
    ("/sql?sql=SELECT+%24n&set=n%3D3&type=n%3Dtext&runs=demo&kind=bar&x=a&y=b", SqlQuestion, {"texts": {"n": "3"}, "runs": ("demo",), "chart": "bar"}),
)  # fmt: skip


@pytest.mark.parametrize(("path", "kind", "fields"), ADDRESSES, ids=[path for path, _, _ in ADDRESSES])
def test_a_kept_address_asks_what_it_asked(path: str, kind: type[Question], fields: dict[str, Any]) -> None:
    page, address = split_address(path)
    question, problems = read_question(*rewrite_address(page, address))
    assert type(question) is kind
    assert not problems
    assert {name: getattr(question, name) for name in fields} == fields
    assert rewrite_address(page, write_address(question)) == (question.page, write_address(question))


@pytest.mark.parametrize(
    ("former", "current"),
    [
        ("/replay?run=demo&game=3&ply=17&review=1", "/replay?run=demo&game-number=4&move=18&review=1"),
        ("/replay?run=demo&game=3&ply=0", "/replay?run=demo&game-number=4&move=1"),
        ("/replay?run=demo&game=3&ply=-1&by=points", "/replay?run=demo&game-number=4&move=0&by=points"),
        ("/replay?run=demo&game=x", "/replay?run=demo&game-number=x"),
        ("/replay?run=demo&game=3&ply=17&move=18", "/replay?run=demo&game-number=4&move=18"),
        ("/play?run=demo&game=3&ply=17&seats=me,me", "/play?run=demo&game-number=4&move=18&seats=me%2Cme"),
        (
            "/whatif?run=demo&game=3&ply=9&seat=1&strategy=random&substitute=0:greedy,2:noisy:sigma=2,eps=1",
            "/replay?run=demo&game-number=4&move=10&player=2&strategy=random&stand-in=1:greedy,3:noisy:sigma=2,eps=1",
        ),
        ("/whatif?run=demo&game=3&ply=9", "/replay?run=demo&game-number=4&move=10"),
        ("/whatif?run=kept", "/whatif?run=kept"),
        (
            "/whatif?run=demo&games=lost:0&where=round:2&luck=1",
            "/whatif?run=demo&many=lost:1&move=round:3&luck=1",
        ),
        ("/whatif?run=demo&games=won:1&where=14&luck=1", "/whatif?run=demo&many=won:2&move=15&luck=1"),
        ("/whatif?run=demo&games=all&where=-1&luck=1", "/whatif?run=demo&many=all&move=-1&luck=1"),
        ("/scores?rulesets=a&seats=0&seats=2", "/scores?rulesets=a&players=1&players=3"),
        ("/scores?of=the+score&piece=by+any+piece&from=-3&to=4", "/scores?of=&piece=&from=-3&to=4"),
        ("/games?rulesets=a&where=rounds+%3C+12&n=5", "/games?rulesets=a&where=rounds+%3C+12&limit=5"),
        (
            "/whatif?run=demo&many=all&luck=1&n=60&most=9",
            "/whatif?run=demo&many=all&luck=1&continuations=60&limit=9",
        ),
        (
            "/library?play=bloxx&lineup=greedy&lineup=random",
            "/library?play=bloxx&strategies=greedy&strategies=random",
        ),
        ("/strategies?lineup=greedy&until=1", "/strategies?strategies=greedy&until-decided=1"),
        (
            "/rules?ruleset=a&against=b&lineup=greedy,random",
            "/rules?ruleset=a&against=b&strategies=greedy%2Crandom",
        ),
        ("/rules?ruleset=a&style=noisy,greedy", "/rules?ruleset=a&strategy=noisy%2Cgreedy"),
    ],
)
def test_former_pages_and_keys_become_those_of_today(former: str, current: str) -> None:
    assert rewrite_address(*split_address(former)) == split_address(current)
    assert rewrite_address(*split_address(current)) == split_address(current)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/replay?run=demo&game=3", "game"),
        ("/replay?run=demo&ply=3", "ply"),
        ("/whatif?run=demo&seat=1&strategy=greedy", "seat"),
        ("/whatif?run=demo&substitute=0:greedy", "substitute"),
        ("/whatif?run=demo&games=lost:0", "games"),
        ("/scores?rulesets=a&seats=0", "seats"),
        ("/sql?sql=FROM+run&run=demo", "run"),
        ("/games?n=5", "n"),
        ("/whatif?run=demo&many=all&luck=1&most=9", "most"),
        ("/rules?ruleset=a&against=b&lineup=greedy,random", "lineup"),
    ],
)
def test_a_page_says_that_a_former_key_means_nothing(path: str, key: str) -> None:
    _, problems = read_question(*split_address(path))
    (problem,) = problems
    assert problem.startswith(f"The address has a field {key} that means nothing here")


def test_every_integer_that_counts_from_0_has_a_key_that_counts_from_1() -> None:
    counted = [
        (kind, name, field.alias or "")
        for kind in QUESTIONS
        for name, field in kind.model_fields.items()
        if any(isinstance(one, CountedFromOne) for one in field.metadata)
    ]
    assert counted
    for kind, name, key in counted:
        question, problems = read_fields(kind, {key: ["3"]})
        assert not problems
        assert getattr(question, name) in (2, (2,))
        _, (problem,) = read_fields(kind, {key: ["+x"]})
        assert "expected a whole number from " in problem
        assert problem.endswith("not +x.")


FORMER_NOTES: Final = Path(__file__).with_name("notes_of_0_4_0.sql")
FORMER_DOCUMENT: Final = Path(__file__).with_name("notes_of_0_4_0.json")
LESSON: Final = NoteFilter(collection="Lesson 1")
REWRITTEN_PATHS: Final = {
    "The other die": "/replay?run=demo&game-number=4&move=18",
    "Planner": "/whatif?run=demo&many=lost%3A1&move=round%3A3&player=1&strategy=planner",
}


@pytest.fixture
def former_store(tmp_path: Path) -> NoteStore:
    """The notes of a library that version 0.4.0 wrote."""
    store = NoteStore(tmp_path)
    with closing(sqlite3.connect(store.path)) as connection:
        connection.executescript(FORMER_NOTES.read_text(encoding="utf-8"))
    return store


def test_notes_of_0_4_0_open_and_are_rewritten_once(former_store: NoteStore) -> None:
    found = former_store.search(LESSON).notes
    assert {note.title: note.path for note in found} == REWRITTEN_PATHS
    assert [note.title for note in found] == ["Planner", "The other die"], "the order of the collection stays"
    assert {note.version for note in found} == {1}
    assert [note.text.splitlines()[-1] for note in found if note.title == "The other die"] == ["Tags: late"]
    assert former_store.collections().keys() == {"Lesson 1"}, "no tag is a collection"
    assert former_store.search(NoteFilter(words="late")).total == 1
    content = former_store.path.read_bytes()
    assert former_store.search(LESSON).notes == found
    assert former_store.path.read_bytes() == content
    changed = former_store.change(found[0], found[0].content)
    assert former_store.find(changed.note_id).path == found[0].path


def test_a_what_if_of_one_game_that_0_4_0_kept_is_found_at_its_replay(former_store: NoteStore) -> None:
    with closing(sqlite3.connect(former_store.path)) as connection:
        address = '{"run": ["demo"], "game": ["3"], "ply": ["17"], "seat": ["1"], "strategy": ["random"]}'
        connection.execute("UPDATE notes SET kind = 'what-if', page = 'whatif', address = ?", [address])
        connection.commit()
    path = "/replay?run=demo&game-number=4&move=18&player=2&strategy=random"
    assert {note.path for note in former_store.search(NoteFilter(page="replay")).notes} == {path}
    place = place_of_address(*split_address(path), ())
    assert place
    assert (place.kind, place.page) == ("what-if", "replay")


def test_notes_of_0_4_0_are_imported_as_those_of_the_library(tmp_path: Path, former_store: NoteStore) -> None:
    notes, orders = parse_notes(FORMER_DOCUMENT.read_text(encoding="utf-8"))
    assert {note.title: note.path for note in notes} == REWRITTEN_PATHS
    assert former_store.merge(notes, orders) == 0, "they are the same notes"
    empty = NoteStore(tmp_path / "other")
    assert empty.merge(notes, orders) == 2
    assert empty.search(LESSON) == former_store.search(LESSON)


def test_notes_of_0_4_0_are_read_where_nobody_can_write(
    former_store: NoteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidecar, "MAX_WAIT_SECONDS", 0.0)
    content = former_store.path.read_bytes()
    with closing(sqlite3.connect(former_store.path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        assert {note.title: note.path for note in former_store.search(LESSON).notes} == REWRITTEN_PATHS
        connection.execute("ROLLBACK")
    assert former_store.path.read_bytes() == content
