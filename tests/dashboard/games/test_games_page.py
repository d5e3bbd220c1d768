"""The page Games: the list in any order, its filters, the hall of fame, and the ways to a replay."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from dashboard.widgets.board import read_position
from pipelines.design.short_names import name_lineup
from pipelines.experiments.review_runs import find_review_kind, review_run
from pipelines.questions.game import write_replay_link
from pipelines.questions.games import RECORDS, GamesQuestion, answer_games
from pipelines.questions.source import QuestionSource
from pipelines.runs.library import Library
from tests.dashboard.reading import (
    read_linked_games,
    read_page_text,
    read_table_links,
    read_tables,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from engine.scene import Scene
    from pipelines.runs.run import Run


def read_seats(library: Library, sql: str) -> Any:  # noqa: ANN401 - a value of DuckDB
    with library.run("three").connect() as connection:
        return connection.execute(sql).fetchall()


def test_games_are_listed_by_order_winner_and_score(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("games.py", runs="three")
    ((best,),) = read_seats(library, "SELECT max(score) FROM seats")
    assert read_tables(at)[0][0]["score"] == best
    assert "The best score of 24 games: greedy" in read_page_text(at)
    at.selectbox(key="games-winner").select("random").run()
    won = read_seats(
        library, "SELECT DISTINCT game_id + 1 FROM seats WHERE rank = 1 AND strategy = 'random' ORDER BY 1"
    )
    assert sorted(read_linked_games(at)) == [game for (game,) in won]
    at.selectbox(key="games-winner").select("").run()
    at.selectbox(key="games-order").select("Worst score").run()
    assert at.query_params["lowest"] in ("1", ["1"])
    ((lowest,),) = read_seats(library, "SELECT min(score) FROM seats")
    assert lowest < 0
    first = str(read_tables(at)[0][0]["result"])
    assert f"−{-lowest}" in first.split(" : ")
    assert "-" not in first


def test_a_list_of_several_runs_names_the_run_of_each_game_and_marks_its_order(
    open_dashboard_page: Callable[..., AppTest],
    library: Library,
    play_run: Callable[..., None],
    tmp_path: Path,
) -> None:
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    play_run(tmp_path, "alone", "bloxx-2p", "greedy", "random", games=4)
    play_run(tmp_path, "other", "bloxx-2p", "greedy", "planner", games=4)
    at = open_dashboard_page("games.py", tmp_path, runs=["alone", "other"])
    (listed,) = read_tables(at)
    assert list(listed[0]) == ["score", "players", "result", "ruleset", "game", "run"]
    assert {row["run"] for row in listed if "random" in str(row["players"])} == {"alone"}
    assert 'data-of="score" aria-sort="descending"' in str(
        [element.proto for element in at.get("html")]
    ).replace("\\", "")
    assert "run" not in read_tables(open_dashboard_page("games.py", tmp_path, runs=["alone"]))[0][0]


def test_a_condition_that_cannot_be_used_is_said(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("games.py", where="hghest > 3")
    at.button(key="answer-address").click().run()
    assert not at.exception
    assert "hghest" in at.error[0].value
    at.text_input(key="games-where").set_value("highest > 1000000").run()
    assert not at.error
    assert "No game meets the conditions." in read_page_text(at)


def test_the_order_by_luck_offers_to_review_games(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("games.py", rulesets=["bloxx-3p"], sort="luck")
    labels = [button.label for button in at.button if (button.key or "").startswith("review-few-")]
    assert labels == ["Review 10"]
    assert "has a review of its rolls." in read_page_text(at)
    assert "reroll review" not in read_page_text(at)
    undiced = open_dashboard_page("games.py", rulesets=["blokus-duo"], sort="luck")
    assert not [button for button in undiced.button if (button.key or "").startswith("review-")]


@pytest.mark.slow
def test_a_link_above_the_list_by_luck_leads_to_the_buttons_that_review_more(
    open_dashboard_page: Callable[..., AppTest], play_run: Callable[..., None], tmp_path: Path
) -> None:
    play_run(tmp_path, "alone", "bloxx-2p", "greedy", "random", games=4)
    run = Library(tmp_path).run("alone")
    assert list(review_run(run, find_review_kind(run), [0], threads=True))
    at = open_dashboard_page("games.py", tmp_path, sort="luck")
    assert "Only 1 of 4 games have reviewed rolls." in read_page_text(at)
    assert "[Review more games](#review-more)" in [text.value for text in at.markdown]
    assert [heading.proto.anchor for heading in at.subheader if heading.proto.anchor] == ["review-more"]
    assert "Review all 3 others" in [button.label for button in at.button]


@pytest.mark.parametrize(("order", "is_list_first"), [({}, False), ({"sort": "length"}, True)])
def test_the_list_of_another_order_than_the_best_score_stands_above_the_records(
    open_dashboard_page: Callable[..., AppTest], order: dict[str, str], *, is_list_first: bool
) -> None:
    at = open_dashboard_page("games.py", rulesets=["bloxx-3p"], **order)
    drawn = [str(element.proto) for element in at.main]
    heading, table = (
        next(n for n, proto in enumerate(drawn) if words in proto) for words in ('"Records"', "<tr")
    )
    assert (table < heading) is is_list_first


def test_a_row_leads_to_the_replay_of_its_game_at_its_ply(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    at = open_dashboard_page("games.py", runs="three", sort="comeback")
    listed = answer_games(
        GamesQuestion(runs=("three",), sort="comeback", limit=200), QuestionSource(library)
    ).games
    assert read_table_links(at) == [write_replay_link(one.run, one.game_id, one.ply) for one in listed]
    assert any("move=" in link for link in read_table_links(at))
    assert "Choose a row to replay its game." in [one.value for one in at.caption]


def test_a_game_that_was_not_logged_leads_nowhere(open_dashboard_page: Callable[..., AppTest]) -> None:
    at = open_dashboard_page("games.py", runs="scores-only")
    assert read_tables(at)[0]
    assert read_table_links(at) == []
    assert "Games whose moves were not logged cannot be replayed." in read_page_text(at)


def test_a_game_is_chosen_with_all_its_rulesets_at_once(
    open_dashboard_page: Callable[..., AppTest],
    library: Library,
    play_run: Callable[..., None],
    tmp_path: Path,
) -> None:
    shutil.copytree(library.runs_folder, tmp_path / "runs", copy_function=shutil.copyfile)
    play_run(tmp_path, "dice", "blokus-dice-2p", "greedy", "random", games=4)
    at = open_dashboard_page("games.py", tmp_path)
    game = at.segmented_control(key="games-game")
    assert game.value == "bloxx"  # points of different games have nothing in common
    assert game.options == ["BLOXX!", "Blokus Dice"]
    assert "**Closest finish**" in [text.value for text in at.markdown]
    game.set_value("blokus-dice").run()
    assert "The best score of 4 games (fewest points win)" in read_page_text(at)
    (listed,) = read_tables(at)
    assert [row["ruleset"] for row in listed] == ["Blokus Dice, 2 players"] * 4
    at.segmented_control(key="games-game").set_value("bloxx").run()
    assert not at.exception
    assert "**Closest finish**" in [text.value for text in at.markdown]
    rulesets = at.multiselect(key="games-rulesets")
    assert (rulesets.value, rulesets.placeholder) == ([], f"All {len(rulesets.options)} of BLOXX!")
    assert "rulesets" not in at.query_params, "the page chooses this game by itself"
    assert rulesets.options[0] == "BLOXX!, 2 players"
    names = ["bloxx-2p"]
    at.selectbox(key="games-order").set_value("Closest finish").run()
    assert at.segmented_control(key="games-game").value == "bloxx"
    at.multiselect(key="games-rulesets").set_value(names).run()
    assert at.query_params["rulesets"] in (names, *names)
    assert at.segmented_control(key="games-game").value == "bloxx"
    assert at.multiselect(key="games-rulesets").value == names


def test_a_record_shows_the_board_of_its_player_and_leads_to_its_ply(
    open_dashboard_page: Callable[..., AppTest], library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[int, int | None]] = []

    def record_position(run: Run, game: int, *, seat: int | None) -> Scene:
        shown.append((game, seat))
        return read_position(run, game, seat=seat)

    monkeypatch.setattr("dashboard.widgets.board.read_position", record_position)
    at = open_dashboard_page("games.py", rulesets="bloxx-3p")
    first = GamesQuestion(rulesets=("bloxx-3p",), limit=1)
    asked = [
        first.model_copy(update={"sort": sort, "is_lowest": is_lowest})
        for sort, is_lowest in RECORDS
        if sort != "luck"
    ]
    text = read_page_text(at)
    assert all(f"**{question.order_title.capitalize()}**" in text for question in asked)
    records = [answer_games(question, QuestionSource(library)).games[0] for question in asked]
    players = {(one.game_id, one.winners[0] if one.seat is None else one.seat) for one in records}
    assert set(shown) == players
    links = [link.proto.query_string for link in at.get("page_link") if link.proto.label == "Replay"]
    assert [parse_qs(query) for query in links if query] == [
        {"run": [one.run], "game-number": [str(one.game_id + 1)], "move": [str(one.ply + 1)]}
        for one in records
    ]
    assert records[0].ply == records[0].plies - 1  # the record score is reached at the end


def test_a_record_names_its_ruleset_and_its_players(
    open_dashboard_page: Callable[..., AppTest], library: Library
) -> None:
    game = answer_games(GamesQuestion(rulesets=("bloxx-3p",)), QuestionSource(library)).games[0]
    (ruleset,) = library.run(game.run).summary.rulesets
    at = open_dashboard_page("games.py", rulesets="bloxx-3p")
    captions = [one.value.replace("\\", "") for one in at.caption]
    assert f"{ruleset.title}, 3 players  \n{name_lineup(game.strategies)}" in captions
