"""What if: the questions of the board of a replay in its address, the page for many games, and saved continuations."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

import pytest

import dashboard.whatif
from dashboard import cached
from dashboard.whatif import choose_first_run, suggest_strategy
from dashboard.widgets.components import BoardRoutes
from dashboard.widgets.markdown import write_markdown_sentence
from pipelines.panel import iter_answers
from pipelines.questions.address import split_address, write_path
from pipelines.questions.every_question import read_question
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import WhatifQuestion, answer_saved_whatif
from pipelines.report import wording
from pipelines.report.compose import compose
from pipelines.runs.library import Library
from tests.dashboard.reading import read_page_links, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from engine.catalogue import Catalogue


def wait_for_answer(at: AppTest) -> AppTest:
    """Wait until all continuations are played, and rerun the page."""
    at.session_state["whatif-many"][1].wait(120)
    return at.run()


def read_board(at: AppTest) -> dict[str, Any]:
    """Return what the board of the replay gets."""
    components = (json.loads(one.proto.json) for one in at.get("bidi_component"))
    boards: list[dict[str, Any]] = [data for data in components if "questionKeys" in data]
    (board,) = boards
    return board


def read_asked(at: AppTest) -> WhatifQuestion | None:
    """Return the question that the board asks; None if it asks nothing."""
    query = read_board(at)["question"]
    question, problems = read_question(*split_address(f"/replay?{query}"))
    assert not problems
    return question if query and isinstance(question, WhatifQuestion) else None


def read_address(at: AppTest) -> dict[str, str]:
    return {key: value if isinstance(value, str) else value[0] for key, value in at.query_params.items()}


QUESTION = {
    "run": "three",
    "game-number": "2",
    "move": "21",
    "player": "2",
    "strategy": "random",
    "continuations": "80",
    "seed": "3",
}


def test_the_board_asks_the_question_of_the_address(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BoardRoutes, "base_path", "/games")
    at = open_dashboard_page("replay.py", **QUESTION)
    assert not at.exception
    assert not at.info
    assert not at.warning
    asked = read_asked(at)
    assert asked
    assert (asked.ply, asked.change.strategies, asked.seed, asked.n) == (20, {1: "random"}, 3, 80)
    assert read_board(at)["board"] == "/games"
    assert read_address(at) == QUESTION


def test_a_game_is_reviewed_and_asked_about_at_once(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("replay.py", **QUESTION, review="1", by="points")
    assert not at.exception
    assert not at.warning
    assert read_asked(at)
    assert read_board(at)["isReviewed"]


@pytest.mark.parametrize("address", [QUESTION, {"run": "three", "game-number": "2", "move": "21"}])
def test_an_address_of_0_4_0_leads_to_the_board(
    open_dashboard_page: Callable[..., AppTest], address: dict[str, str]
) -> None:
    """The page What if had a board of its own, on which the panel was always open."""
    at = open_dashboard_page("whatif.py", **address)
    assert not at.exception
    (leading,) = [json.loads(one.proto.json) for one in at.get("bidi_component") if "path" in one.proto.json]
    page, query = split_address(f"/{leading['path']}")
    panel = {} if "strategy" in address else {"whatif": "1"}
    assert (page, {key: text for key, (text,) in query.items()}) == ("replay", {**address, **panel})
    at = open_dashboard_page(f"{page}.py", **{key: text for key, (text,) in query.items()})
    assert not at.exception
    assert not at.warning
    assert (read_asked(at) is not None) == ("strategy" in address)


def test_more_games_than_usual_wait_for_a_click(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("replay.py", **{**QUESTION, "continuations": "5000"})
    assert not at.exception
    assert read_asked(at) is None
    assert "The address asks for 5,000 continuations, more than the usual 1,000." in at.info[0].value
    at.button(key="answer-address").click().run()
    asked = read_asked(at)
    assert asked
    assert asked.n == 5000


def test_without_routes_the_page_says_in_one_sentence_that_its_board_answers_nothing(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit's own server has no routes of ours."""
    monkeypatch.setattr(BoardRoutes, "base_path", None)
    at = open_dashboard_page("replay.py", run="three")
    assert not at.exception
    (said,) = at.info
    assert said.value == "This board answers no questions: start the dashboard with `reroll dashboard`."


def test_places_in_many_games_are_counted_from_one_and_stay_in_the_address(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("whatif.py", run="three", many="all", move="21", limit="2", continuations="5")
    (move,) = [box for box in at.number_input if box.label == "Move"]
    assert move.value == 21
    move.set_value(-1).run()
    assert not at.exception
    question = {
        "many": "all",
        "move": "21",
        "player": "1",
        "strategy": "random",
        "limit": "2",
        "continuations": "10",
    }
    answered = wait_for_answer(open_dashboard_page("whatif.py", run="three", **question))
    titles = [header.value.replace("\\", "") for header in answered.subheader]
    assert any(re.fullmatch(r"(Gained|Lost) most: move 21, player 1.*", title) for title in titles), titles
    at = open_dashboard_page(
        "whatif.py", run="three", many="all", move="round:3", limit="2", continuations="5"
    )
    assert [box.value for box in at.number_input if box.label == "Round"] == [3]


@pytest.mark.parametrize("address", [{"move": "21"}, {"continuations": "40"}])
def test_nothing_is_played_before_the_visitor_asks(
    open_dashboard_page: Callable[..., AppTest], address: dict[str, str]
) -> None:
    """An address without a change is not a question."""
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "2"}, **address)
    assert not at.exception
    assert read_asked(at) is None


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"option": "gap_penalty"}, "Expected KEY=VALUE"),
        ({"action": "zz"}, "is not"),
        ({"many": "lost:7", "luck": "1"}, "There is no choice of games lost:7."),
    ],
)
def test_a_wrong_value_is_said_and_answers_no_other_question(
    open_dashboard_page: Callable[..., AppTest], address: dict[str, str], said: str
) -> None:
    page = "whatif.py" if "many" in address else "replay.py"
    at = open_dashboard_page(page, run="three", **{"game-number": "2", "move": "21"} | address)
    assert not at.exception
    assert said in " ".join(warning.value.replace("\\", "") for warning in at.warning)
    assert "many" in address or read_asked(at) is None
    assert "whatif-many" not in at.session_state


@pytest.mark.slow
def test_a_field_changed_while_the_answer_is_awaited_keeps_its_change_and_follows_links(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    """A browser sends a change for the field that it knows. If the address had made another field, it would be lost."""
    at = open_dashboard_page("whatif.py", run="three", many="all")

    def find_fields() -> tuple[Any, Any, Any]:
        """Return the fields for the strategy, the player and the continuations."""
        strategy, player = (
            next(box for box in at.selectbox if box.label == label)
            for label in ("is then played by", "Player")
        )
        return strategy, player, next(box for box in at.number_input if box.label.startswith("Continuations"))

    for strategy, player, n in (("planner", 1, 70), ("noisy", 0, 80)):
        for field, value in zip(find_fields(), (strategy, player, n), strict=True):
            field.set_value(value)
        if strategy == "planner":
            at.button(key="whatif-ask").click()
        at.run()
        assert not at.exception
        assert [field.value for field in find_fields()] == [strategy, player, n]
        assert read_address(at)["strategy"] == "planner"
    at.button(key="whatif-ask").click().run()
    assert {key: read_address(at)[key] for key in ("strategy", "player", "continuations")} == {
        "strategy": "noisy",
        "player": "1",
        "continuations": "80",
    }
    at.query_params.update(
        {"strategy": "planner", "player": "3", "continuations": "70"}
    )  # as *Back* or a link does
    at.run()
    assert [field.value for field in find_fields()] == ["planner", 2, 70]


def test_the_page_opens_on_the_form_for_the_run_of_the_game_that_was_seen_last(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("whatif.py")
    newest = library.run(str(at.selectbox(key="whatif-run").value))
    assert newest.summary.log == "full"
    assert next(button.label for button in at.button if button.label != "Go to") == "Play it both ways"
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "3"})
    at.query_params.clear()
    at.switch_page("views/whatif.py").run()
    assert not at.exception
    assert at.selectbox(key="whatif-run").value == "three"
    assert "whatif-many" not in at.session_state
    board = next(
        link for label, link in read_page_links(at).items() if "the board of any replay" in label.lower()
    )
    assert board.partition("?")[2] == "run=three&game-number=3&whatif=1"
    at.button(key="whatif-ask").click().run()
    assert {key: read_address(at)[key] for key in ("run", "many", "player")} == {
        "run": "three",
        "many": "all",
        "player": "1",
    }


def test_another_run_is_chosen_in_the_form(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("whatif.py", run="three")
    names = at.selectbox(key="whatif-run").options
    other = next(name.rpartition(" · ")[2] for name in names if not name.endswith(" · three"))
    at.selectbox(key="whatif-run").set_value(other).run()
    assert not at.exception
    assert read_address(at) == {"run": other, "many": "all", "move": "round:5"}, "early enough to matter"
    assert at.selectbox(key="whatif-run").value == other
    assert any(text.value.endswith(" from round 5 on?**") for text in at.markdown)


def test_many_games_are_not_played_before_the_visitor_asks(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("whatif.py", run="three", many="all", move="last-roll")
    assert "whatif-many" not in at.session_state
    at.button(key="whatif-ask").click().run()
    assert "whatif-many" in at.session_state


@pytest.mark.slow
def test_an_answer_on_many_games_is_there_at_once_for_the_next_visitor(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"run": "three", "many": "all", "move": "last-roll", "luck": "1", "continuations": "4"}
    first = wait_for_answer(open_dashboard_page("whatif.py", **query))
    verdict = [line for line in read_page_text(first).splitlines() if line.startswith("## ")]
    assert verdict
    monkeypatch.setattr(dashboard.whatif, "iter_many_games_answers", None)  # nothing is played
    second = open_dashboard_page("whatif.py", **query)
    assert not second.exception
    assert not second.error
    assert verdict[0] in read_page_text(second)
    assert "positions," not in read_page_text(second)


@pytest.mark.parametrize(
    ("name", "played", "suggested"),
    [
        ("spexxx-2p", {"builder", "greedy"}, "learned"),  # not rollout, which is weaker and slow
        ("blokus-2p", {"greedy", "random"}, "mobility"),
        ("bloxx-2p", {"greedy", "planner"}, "random"),
        ("bloxx-2p", {"greedy", "planner:candidates=4"}, "random"),  # not the same planner again
    ],
)
def test_the_strategy_that_is_offered_first_is_quick_and_did_not_play(
    catalogue: Catalogue, name: str, played: set[str], suggested: str
) -> None:
    assert suggest_strategy(catalogue.find_ruleset(name), played) == suggested


def test_the_first_question_is_about_examples_that_answer_in_seconds(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest examples compare strong players, so that only slow players are left, or `random`."""
    run = library.run("three")

    class Example:
        def __init__(self, name: str, strategies: tuple[str, ...], ruleset: str) -> None:
            rulesets = (replace(run.summary.rulesets[0], name=ruleset),)
            self.name = name
            self.summary = replace(run.summary, strategies=strategies, rulesets=rulesets)

    runs: list[Any] = [
        Example("slow", ("greedy", "rollout:playouts=256"), "bloxx-2p"),
        Example("comparison", ("greedy", "planner:candidates=4"), "bloxx-2p"),
        Example("spexxx", ("greedy", "random"), "spexxx-2p"),
        Example("bloxx", ("greedy", "random"), "bloxx-2p"),
    ]
    monkeypatch.setattr(cached, "dashboard_library", lambda: library)
    assert choose_first_run(runs).name == "bloxx"
    assert choose_first_run(runs[2:]).name == "spexxx"  # the newest
    assert choose_first_run(runs[:2]).name == "slow"  # better a slow question than none


def test_many_games_are_not_asked_to_replace_a_strategy_by_itself(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("whatif.py", run="three", many="all", move="last-roll")
    (chosen,) = [box for box in at.selectbox if box.label == "is then played by"]
    assert chosen.value not in library.run("three").summary.strategies


def test_the_title_of_a_what_if_counts_players_and_moves_from_one(library: Library) -> None:
    summary = library.run("three").summary
    asked = replace(summary, kind="whatif", title="What if seat 1 played random? Game 3 of three from ply 20")
    assert wording.format_run_title(asked) == "What if player 2 played random? Move 21 of game 4 of three"
    assert "seat 1" in wording.format_run_title(replace(asked, kind="simulate"))


@pytest.mark.slow
def test_a_saved_run_shows_its_sheet_and_can_still_be_asked_on_the_board(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "three.duckdb").write_bytes((library.runs_folder / "three.duckdb").read_bytes())
    run = Library(tmp_path).run("three")
    question = WhatifQuestion(run="three", game=1, ply=20, seats=(1,), strategies=("random",), n=80, seed=3)
    query = write_path(question).partition("?")[2]
    scene = run.scene(1)
    assert list(iter_answers("save", {"query": query, "name": "mine"}, run, scene)) == [
        {"name": "mine", "games": 160}
    ]
    fresh = open_dashboard_page("whatif.py", tmp_path)
    assert fresh.selectbox(key="whatif-run").value == "three", "whole games come before continuations"
    (listed,) = [one.proto.body for one in fresh.get("html") if "whatif?run=" in one.proto.body]
    assert '<a href="whatif?run=mine" target="_self">What if random played on for player 2?' in listed
    runs_page = open_dashboard_page("runs.py", tmp_path)
    assert "What if random played on for player 2" in read_page_text(runs_page)
    saved = Library(tmp_path).run("mine")
    sheet = compose(answer_saved_whatif(saved, QuestionSource(Library(tmp_path))), lambda _: {})
    kept = open_dashboard_page("whatif.py", tmp_path, run="mine")
    assert not kept.exception
    assert any(one.proto.popover.label == "Give away" for one in kept.get("popover")), "below its sheet"
    assert [one.value for one in kept.markdown if one.value.startswith("## ")] == [
        f"## {write_markdown_sentence(sheet.verdict)}"
    ]
    assert (
        read_page_links(kept)["Replay the continuations"].partition("?")[2]
        == f"run=mine&move={QUESTION['move']}"
    )
    assert escape(sheet.verdict.partition(" ")[2]) in listed.replace("\u00a0", " ")
    page, asked = split_address(f"/{read_page_links(kept)['Ask it on the board']}")
    assert read_question(page, asked).question == question


def test_a_round_that_no_game_has_is_an_error(open_dashboard_page: Callable[..., AppTest]) -> None:
    question = {"many": "all", "move": "round:901", "player": "1", "strategy": "random"}
    at = wait_for_answer(open_dashboard_page("whatif.py", run="three", **question))
    assert not at.exception
    assert "no round 901" in " ".join(str(error.value).replace("\\", "") for error in at.error)
