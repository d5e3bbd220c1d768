"""The page What if: questions in the address, answers, and saved continuations."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dashboard.whatif import suggest_strategy
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
from tests.dashboard.reading import read_page_links, read_page_text, read_tables

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
    boards: list[dict[str, Any]] = [data for data in components if "question" in data]
    (board,) = boards
    return board


def read_asked(at: AppTest) -> WhatifQuestion | None:
    """Return the question that the board asks; None if it asks nothing."""
    query = read_board(at)["question"]
    question, problems = read_question(*split_address(f"/whatif?{query}"))
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
    at = open_dashboard_page("whatif.py", **QUESTION)
    assert not at.exception
    assert not at.info
    asked = read_asked(at)
    assert asked
    assert (asked.ply, asked.change.strategies, asked.seed, asked.n) == (20, {1: "random"}, 3, 80)
    assert (read_board(at)["board"], read_board(at)["ply"]) == ("/games", 20)
    assert read_address(at) == QUESTION


@pytest.mark.parametrize("page", ["whatif.py", "replay.py"])
def test_without_routes_the_page_says_in_one_sentence_that_its_board_answers_nothing(
    open_dashboard_page: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    """Streamlit's own server has no routes of ours."""
    monkeypatch.setattr(BoardRoutes, "base_path", None)
    at = open_dashboard_page(page, run="three")
    assert not at.exception
    (said,) = at.info
    assert said.value == "This board answers no questions: start the dashboard with `reroll dashboard`."


def test_without_a_move_the_page_begins_with_a_decision_in_the_middle_of_the_game(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    def read_move(**address: str) -> int:
        at = open_dashboard_page("whatif.py", run="three", **address)
        return int(next(box for box in at.number_input if box.label == "From move").value or 0)

    steps = library.run("three").scene(0)["steps"]
    move = read_move()
    assert steps[move - 1]["seat"] >= 0
    assert move - 1 >= len(steps) // 2
    assert read_move(move="1") == 1


def test_without_a_game_the_page_shows_the_closest_one_of_the_newest_run_and_then_the_one_seen_last(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    def read_game(at: AppTest) -> tuple[str, int]:
        return str(at.selectbox(key="whatif-run").value), int(
            at.number_input(key="whatif-game").value or 0
        ) - 1

    name, game = read_game(open_dashboard_page("whatif.py"))
    run = library.run(name)
    assert run.summary.log == "full"
    with run.connect() as connection:
        rows = connection.execute("SELECT game_id, list(score ORDER BY rank) FROM seats GROUP BY game_id")
        margins = {game_id: scores[0] - scores[1] for game_id, scores in rows.fetchall()}
    assert margins[game] == min(margins.values())
    at = open_dashboard_page("replay.py", run="three", **{"game-number": "3"})
    assert not at.exception
    at.query_params.clear()
    at.switch_page("views/whatif.py").run()
    assert read_game(at) == ("three", 2)


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
    assert {str(row["move"]) for row in read_tables(answered)[-1]} == {"21"}
    at = open_dashboard_page(
        "whatif.py", run="three", many="all", move="round:3", limit="2", continuations="5"
    )
    assert [box.value for box in at.number_input if box.label == "Round"] == [3]


@pytest.mark.parametrize("address", [{"move": "21"}, {"continuations": "40"}])
def test_nothing_is_played_before_the_visitor_asks(
    open_dashboard_page: Callable[..., AppTest], address: dict[str, str]
) -> None:
    """An address without a change is not a question."""
    at = open_dashboard_page("whatif.py", run="three", **{"game-number": "2"}, **address)
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
    at = open_dashboard_page("whatif.py", run="three", **{"game-number": "2", "move": "21"} | address)
    assert not at.exception
    assert said in " ".join(warning.value.replace("\\", "") for warning in at.warning)
    assert "many" in address or read_asked(at) is None
    assert "whatif-many" not in at.session_state


def test_another_rule_and_other_continuations_are_asked_below_the_replay(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("whatif.py", **QUESTION)

    def find_field(label: str) -> Any:  # noqa: ANN401 - fields of several kinds
        return next(
            field for field in (*at.number_input, *at.selectbox, *at.text_input) if field.label == label
        )

    find_field("Continuations of each branch").set_value(70)
    find_field("From move").set_value(23)
    at.button(key="whatif-ask").click().run()
    assert not at.exception
    assert read_address(at) == {**QUESTION, "move": "23", "continuations": "70"}
    assert read_board(at)["ply"] == 22
    asked = read_asked(at)
    assert asked
    assert (asked.ply, asked.n) == (22, 70)
    find_field("Option of the rules").set_value("gap_penalty")
    find_field("its other value").set_value("0")
    at.button(key="whatif-ask").click().run()
    assert read_address(at)["option"] == "gap_penalty=0"
    assert not {"strategy", "player"} & read_address(at).keys()
    asked = read_asked(at)
    assert asked
    assert str(asked.change) == "gap_penalty was 0"


def test_what_the_board_has_asked_meanwhile_is_asked_with_other_continuations(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    """The board writes its question into the address without a word to the server."""
    at = open_dashboard_page("whatif.py", run="three", **{"game-number": "2", "move": "21"})
    next(field for field in at.number_input if field.label == "Continuations of each branch").set_value(70)
    at.query_params.update(QUESTION)
    at.button(key="whatif-ask").click().run()
    assert not at.exception
    assert {key: read_address(at)[key] for key in ("strategy", "player", "continuations")} == {
        "strategy": "random",
        "player": "2",
        "continuations": "70",
    }


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


def test_the_form_for_many_games_is_reached_before_anything_is_asked(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("whatif.py", run="three", **{"game-number": "2", "move": "21"})
    at.button(key="one-many").click().run()
    assert not at.exception
    assert read_address(at) == {"run": "three", "many": "all"}
    assert at.button(key="many-one").label


def test_many_games_are_not_played_before_the_visitor_asks(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("whatif.py", run="three", many="all", move="last-roll")
    assert "whatif-many" not in at.session_state
    at.button(key="whatif-ask").click().run()
    assert "whatif-many" in at.session_state


@pytest.mark.parametrize(
    ("name", "played", "suggested"),
    [
        ("spexxx-2p", {"builder", "greedy"}, "learned"),  # not rollout, which is weaker and slow
        ("blokus-2p", {"greedy", "random"}, "mobility"),
        ("bloxx-2p", {"greedy", "planner"}, "random"),
    ],
)
def test_the_strategy_that_is_offered_first_is_quick_and_did_not_play(
    catalogue: Catalogue, name: str, played: set[str], suggested: str
) -> None:
    assert suggest_strategy(catalogue.find_ruleset(name), played) == suggested


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


def test_a_button_leads_from_many_games_to_one(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("whatif.py", run="three", many="all")
    at.button(key="many-one").click().run()
    assert read_address(at) == {"run": "three"}
    assert not at.exception


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
    assert fresh.selectbox[0].value == "three", "whole games come before continuations"
    runs_page = open_dashboard_page("runs.py", tmp_path)
    assert "What if player 2 played random" in read_page_text(runs_page)
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
    next(one for one in kept.button if one.label == "Ask it on the board").click().run()
    assert read_address(kept) == QUESTION
    first = open_dashboard_page("whatif.py", tmp_path, **{"run": "mine", "game-number": "1"})
    assert first.selectbox[0].value == "mine", "a game of it can still be forked"


def test_a_round_that_no_game_has_is_an_error(open_dashboard_page: Callable[..., AppTest]) -> None:
    question = {"many": "all", "move": "round:901", "player": "1", "strategy": "random"}
    at = wait_for_answer(open_dashboard_page("whatif.py", run="three", **question))
    assert not at.exception
    assert "has no round 901" in " ".join(str(error.value).replace("\\", "") for error in at.error)
