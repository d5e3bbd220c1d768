"""A wrong value in an address: the page says so in words or refuses the question, whatever the field and the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from pipelines.experiments.review_runs import find_review_kind, review_run
from pipelines.notes.note import NoteContent, NoteListQuestion, place_of_run
from pipelines.notes.store import NoteStore
from pipelines.questions.address import list_keys, read_fields
from pipelines.questions.card import CardQuestion
from pipelines.questions.comparison import KnownComparisonQuestion, NewComparisonQuestion
from pipelines.questions.every_question import QUESTIONS
from pipelines.questions.game import GameQuestion
from pipelines.questions.games import GamesQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.openings import OpeningsQuestion
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import RunListQuestion, SimulationQuestion
from pipelines.questions.sql import SqlQuestion
from pipelines.questions.whatif import ManyGamesQuestion, SavedWhatifQuestion, WhatifQuestion
from pipelines.runs.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

    from pipelines.questions.address import Question

ADDRESSES: Final[dict[type[Question], dict[str, str]]] = {
    CardQuestion: {"ruleset": "bloxx-mini", "part": "card", "strategy": "greedy", "blocks": "10"},
    GameQuestion: {"run": "three", "game-number": "1"},
    GamesQuestion: {},
    HandGameQuestion: {"ruleset": "bloxx-2p", "seats": "me,greedy", "seed": "7"},
    KnownComparisonQuestion: {"run": "two"},
    ManyGamesQuestion: {"run": "three", "many": "all", "continuations": "2", "limit": "2"},
    NewComparisonQuestion: {"ruleset": "bloxx-2p"},
    NoteListQuestion: {},
    OpeningsQuestion: {"ruleset": "blokus-duo", "part": "openings", "first": "move", "blocks": "10"},
    RuleEffectQuestion: {
        "ruleset": "bloxx-2p",
        "part": "effect",
        "against": "bloxx-touch-2p",
        "blocks": "10",
    },
    RulesQuestion: {"ruleset": "bloxx-2p"},
    RunListQuestion: {},
    SavedWhatifQuestion: {"run": "three"},
    ScoresQuestion: {"rulesets": "bloxx-3p"},
    SimulationQuestion: {"play": "bloxx"},
    SqlQuestion: {"sql": "FROM run"},
    WhatifQuestion: {"run": "three", "game-number": "1", "move": "2"},
}
"""For each class of questions an address in which everything is right."""


class Wrong(NamedTuple):
    """A wrong value of a field, and the words that name it."""

    value: str = "nope"
    words: str = "nope"
    others: tuple[tuple[str, str], ...] = ()
    """What else must be in the address, so that the field means something."""


WRONG: Final[dict[tuple[type[Question], str], tuple[Wrong, ...]]] = {
    (GameQuestion, "game-number"): (Wrong(), Wrong("99", "no game 99"), Wrong("0", "not 0")),
    (GameQuestion, "move"): (Wrong(), Wrong("1000", "no move 1,000")),
    (HandGameQuestion, "ruleset"): (Wrong("nope", "no ruleset 'nope'"),),
    (HandGameQuestion, "seats"): (Wrong("me,nope"), Wrong("me", "2 players, not 1")),
    (KnownComparisonQuestion, "pair"): (Wrong(), Wrong("7", "pair 7")),
    (ManyGamesQuestion, "player"): (Wrong(), Wrong("5", "not 5", (("strategy", "random"),))),
    (ManyGamesQuestion, "strategy"): (Wrong(),),
    (ManyGamesQuestion, "option"): (Wrong(), Wrong("nope=3"), Wrong("gap_penalty=nope")),
    (NoteListQuestion, "words"): (Wrong("nope", "No note fits"),),
    (RuleEffectQuestion, "strategies"): (Wrong("nope,random"), Wrong("random", "2 strategies, not 1")),
    (RuleEffectQuestion, "vary"): (
        Wrong(others=(("against", ""),)),
        Wrong("nope=1", "nope", (("against", ""),)),
        Wrong("gap_penalty=0..2", "not both"),
    ),
    (RuleEffectQuestion, "target"): (
        Wrong(others=(("against", ""), ("vary", "gap_penalty=0..2"))),
        Wrong("player 9 wins 1 to 2", "player 1 to player 2"),
    ),
    (RuleEffectQuestion, "against"): (Wrong(), Wrong("spexxx-2p", "different games")),
    (RulesQuestion, "with"): (
        Wrong(others=(("part", "side-by-side"),)),
        Wrong("spexxx-2p", "spexxx-2p", (("part", "side-by-side"),)),
    ),
    (RulesQuestion, "draft"): (
        Wrong("nope", "draft", (("part", "own"),)),
        Wrong("[]", "draft", (("part", "own"),)),
        Wrong('{"nope":1}', "nope", (("part", "own"),)),
        Wrong('{"options":{"nope":1}}', "nope", (("part", "own"),)),
        Wrong('{"players":[77]}', "77", (("part", "own"),)),
    ),
    (ScoresQuestion, "board"): (Wrong(others=(("view", "Squares"),)),),
    (ScoresQuestion, "compare"): (Wrong(), Wrong("Rulesets", "Rulesets")),
    (ScoresQuestion, "length"): (Wrong(others=(("view", "Length"),)),),
    (ScoresQuestion, "map"): (
        Wrong(others=(("view", "Squares"),)),
        Wrong("Cubes", "Cubes", (("view", "Squares"),)),
    ),
    (ScoresQuestion, "only"): (Wrong(others=(("view", "Decisions"),)),),
    (ScoresQuestion, "piece"): (Wrong(others=(("view", "Squares"),)),),
    (ScoresQuestion, "select"): (
        Wrong("nope", "selection", (("view", "Explore"),)),
        Wrong('{"nope":[1,2]}', "nope", (("view", "Explore"),)),
    ),
    (RunListQuestion, "search"): (Wrong("nope", "No run has all of these words"),),
    (SqlQuestion, "sql"): (Wrong("FROM nope"),),
    (SqlQuestion, "set"): (Wrong(), Wrong("nope=3")),
    (SqlQuestion, "type"): (Wrong(), Wrong("n=nope")),
    (SqlQuestion, "x"): (Wrong(others=(("kind", "bar"),)),),
    (SqlQuestion, "y"): (Wrong(others=(("kind", "bar"),)),),
    (WhatifQuestion, "game-number"): (Wrong(), Wrong("99", "no game 99", (("luck", "1"),))),
    (WhatifQuestion, "move"): (Wrong(), Wrong("9999", "not 9999", (("luck", "1"),))),
    (WhatifQuestion, "player"): (Wrong(), Wrong("5", "not 5", (("strategy", "random"),))),
    (WhatifQuestion, "option"): (Wrong(), Wrong("nope=3"), Wrong("gap_penalty=nope")),
}
"""The wrong values of fields for which there are more of them than a word, or for which a word is right."""

KINDS: Final[tuple[type[Question], ...]] = (*QUESTIONS, NoteListQuestion, RunListQuestion)


class Case(NamedTuple):
    """A wrong value of a field of a question."""

    kind: type[Question]
    key: str
    wrong: Wrong

    @property
    def query(self) -> dict[str, list[str]]:
        """The right address with the wrong value."""
        texts = {**ADDRESSES[self.kind], **dict(self.wrong.others), self.key: self.wrong.value}
        return {name: [text] for name, text in texts.items()}

    @property
    def is_found_by_reader(self) -> bool:
        """Whether the reader of addresses says what is wrong; otherwise the page has to find it in the library."""
        return any(self.wrong.words in problem for problem in read_fields(self.kind, self.query)[1])


CASES: Final = [
    Case(kind, key, wrong)
    for kind in KINDS
    for key in list_keys(kind)
    for wrong in WRONG.get((kind, key), (Wrong(),))
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, play_run: Callable[..., None]) -> Library:
    """Two runs, one of them a comparison of two strategies, the other one reviewed, and a note."""
    folder = tmp_path_factory.mktemp("wrong")
    play_run(folder, "three", "bloxx-3p", "greedy", "greedy", "random", games=6)
    play_run(folder, "two", "bloxx-2p", "greedy", "random", games=6)
    library = Library(folder)
    reviewed = library.run("three")
    for _ in review_run(reviewed, find_review_kind(reviewed, effort=0.05), [0], threads=True):
        pass
    NoteStore(folder).add(place_of_run(library.run("two")), NoteContent("Two"))
    return library


def read_messages(at: AppTest) -> str:
    """Return what a page says in its messages, after the work that it has started."""
    for slot in ("sql-work", "replay-whatif-work", "rules-effect-work", "whatif-many"):
        if slot in at.session_state:
            at.session_state[slot][1].wait(60)
            at.run()
    assert not at.exception
    return "\n".join(str(one.value) for one in (*at.warning, *at.error, *at.info)).replace("\\", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [case for case in CASES if not case.is_found_by_reader],
    ids=lambda case: f"{case.kind.__name__}-{case.key}-{case.wrong.value}",
)
def test_a_value_that_does_not_exist_is_said_in_words(
    open_dashboard_page: Callable[..., AppTest], library: Library, case: Case
) -> None:
    at = open_dashboard_page(f"{case.kind.page}.py", library.folder, **case.query)
    for button in at.button:
        if button.key == "answer-address":  # an address with SQL is answered after a click
            at = button.click().run()
            break
    said = read_messages(at)
    assert case.wrong.words in said, said
    assert said.count("no ruleset") < 2, said  # once is enough


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_right_address_has_no_problem_and_everything_in_a_wrong_one_is_said(
    open_dashboard_page: Callable[..., AppTest], library: Library, kind: type[Question]
) -> None:
    page, address = f"{kind.page}.py", ADDRESSES[kind]
    at = open_dashboard_page(page, library.folder, **address)
    assert not at.exception
    assert not at.warning
    assert not at.error
    wrong = {
        case.key: f"{case.wrong.value}-{case.key}"
        for case in CASES
        if case.kind is kind and case.is_found_by_reader and case.wrong == Wrong()
    }
    said = read_messages(open_dashboard_page(page, library.folder, **{**address, **wrong, "nonsense": "1"}))
    assert "field nonsense" in said
    assert not [text for text in wrong.values() if text not in said], said
