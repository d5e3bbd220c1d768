"""The page Scores offers to review games that are not reviewed, stops on demand, and asks first questions of those that are."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from dashboard.widgets import review_all
from pipelines.design.limits import LESSONS
from pipelines.experiments import lessons
from pipelines.experiments.review_runs import choose_reviewed_games, find_review_kind, review_run
from pipelines.notes.note import NoteContent, place_of_game
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.decisions import DecisionsAnswer
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.source import QuestionSource
from pipelines.runs.library import Library
from pipelines.runs.review_writer import list_reviewed_games
from tests.dashboard.reading import read_html, read_page_links, read_page_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

pytestmark = pytest.mark.slow

DEADLINE_SECONDS = 60.0


@pytest.fixture
def own_library(tmp_path: Path, play_run: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library with a run of 24 games, whose reviews have few playouts."""
    play_run(tmp_path, "plain", "bloxx-2p", "greedy", "random")
    monkeypatch.setattr(review_all, "find_review_kind", partial(find_review_kind, effort=0.1))
    return Library(tmp_path)


def wait_for_end(library: Library) -> None:
    work = review_all.review_works()[library.run("plain").key]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not work.is_over and time.monotonic() < deadline:
        time.sleep(0.05)
    assert work.is_over
    assert not work.error


def test_all_games_are_reviewed_from_the_page(
    open_dashboard_page: Callable[..., AppTest], own_library: Library
) -> None:
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions")
    assert "These games are not reviewed yet" in read_page_text(at)
    at.button(key="review-all-plain").click().run()
    wait_for_end(own_library)
    at.run()
    text = read_page_text(at)
    assert "points a game by its choices" in text
    assert "24 games in 1 run" in text
    assert "review-all-plain" not in [button.key for button in at.button]
    elements = [*at.main]
    presets = at.segmented_control(key="decision-presets")
    assert presets.value == "Where are points lost?", "the current question is marked"
    lessons_button = at.button(key="make-lessons-plain")
    chart = next(element for element in elements if element.type == "plotly_chart")
    places = [elements.index(element) for element in (presets, chart, lessons_button)]
    assert places == sorted(places), "what costs time stands below the picture"
    presets.set_value("Who is lucky?").run()
    assert (at.query_params["measure"], at.query_params["grouped-by"]) == ("luck", "player")
    assert "by player" in read_page_text(at)
    question = ScoresQuestion(runs=("plain",), view="Decisions", measure="luck", grouping="player")
    answer = answer_scores(question, QuestionSource(own_library))
    assert isinstance(answer, DecisionsAnswer)
    links = [link.proto for link in at.get("page_link") if link.proto.label.startswith("Game ")]
    assert [(link.label, parse_qs(link.query_string)) for link in links] == [
        (
            f"Game {game.game_id + 1}, move {game.ply + 1}",
            {
                "run": ["plain"],
                "game-number": [f"{game.game_id + 1}"],
                "move": [f"{game.ply + 1}"],
                "review": ["1"],
            },
        )
        for game in answer.lucky_games[:4]
    ], "the most one-sided games stand on their boards, at the roll that decided"
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions", measure="slips")
    presets = at.segmented_control(key="decision-presets")
    assert presets.value == "Who slips how often?", "slips by round are about the same measure"
    presets.set_value(None).run()
    assert at.query_params["grouped-by"] == "strategy"


def test_lessons_are_made_from_the_page_and_found_in_notes(
    open_dashboard_page: Callable[..., AppTest], own_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons, "LESSON_PLAYOUTS", 80)
    monkeypatch.setattr(review_all, "LESSONS", LESSONS._replace(default=6))
    run = own_library.run("plain")
    for _ in review_run(run, find_review_kind(run, effort=0.1), choose_reviewed_games(run), threads=True):
        pass
    NoteStore(own_library.folder).add(place_of_game(run, 1), NoteContent("My own"))
    notes = open_dashboard_page("notes.py", own_library.folder)
    assert notes.button(key="make-lessons-plain").label.startswith("Make up to 6 lessons: about ")
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions")
    at.button(key="make-lessons-plain").click().run()
    work = review_all.lesson_works()[run.key]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not work.is_over and time.monotonic() < deadline:
        time.sleep(0.05)
    assert work.latest
    assert (work.is_over, work.error, work.latest[:2]) == (True, "", (6, 6))
    at.run()
    assert "make-lessons-plain" not in [button.key for button in at.button]
    assert "BLOXX!: 6 lessons" in read_page_links(at)
    assert "with new luck" not in read_page_text(at)
    notes.run()
    assert "BLOXX!: 6 lessons" not in read_page_links(notes), "they are in the list of lessons, once"
    assert "make-lessons-plain" not in [button.key for button in notes.button]
    work.latest = work.latest._replace(games=8)
    assert "6 lessons of up to 8: the other slips are not clear with new luck." in read_page_text(at.run())
    notes = open_dashboard_page("notes.py", own_library.folder, collection="BLOXX!: 6 lessons")
    assert notes.title[0].value.replace("\\", "") == "BLOXX!: 6 lessons"
    links = read_page_links(notes)
    assert str(links).count(": find a better move than ") == 6
    assert read_page_text(notes).count("· lesson ·") == 6
    assert " of game " not in read_page_text(notes), "the title says which"
    notes = open_dashboard_page("notes.py", own_library.folder)
    assert notes.title[0].value == "Notes"
    assert not [
        title for title in read_page_links(notes) if "find a better move" in title
    ]  # the set is one row
    assert [title for title in read_page_links(notes) if "**" in title] == ["**My own**"]
    notes.button(key="open-lessons-0").click().run()
    assert notes.query_params["collection"] == "BLOXX!: 6 lessons"
    assert str(read_page_links(notes)).count(": find a better move than ") == 6


def test_lessons_are_of_the_chosen_strategy_and_player_and_the_button_says_how_many(
    open_dashboard_page: Callable[..., AppTest], own_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lessons, "LESSON_PLAYOUTS", 80)
    monkeypatch.setattr(review_all, "LESSONS", LESSONS._replace(default=2))
    run = own_library.run("plain")
    for _ in review_run(run, find_review_kind(run, effort=0.1), choose_reviewed_games(run), threads=True):
        pass
    open_page = partial(open_dashboard_page, "scores.py", own_library.folder, runs="plain", view="Decisions")
    at = open_page(strategies="greedy")
    button = at.button(key="make-lessons-plain")
    assert button.label.startswith("Make up to 2 lessons of greedy: about ")
    button.click().run()
    work = review_all.lesson_works()[run.key]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not work.is_over and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (work.is_over, work.error) == (True, "")
    at.run()
    assert "BLOXX!: 2 lessons of greedy" in read_page_links(at)
    assert "make-lessons-plain" not in [button.key for button in at.button]
    notes = NoteStore(own_library.folder).search(NoteFilter(collection="BLOXX!: 2 lessons of greedy")).notes
    assert len(notes) == 2
    assert all("find a better move than greedy" in note.title for note in notes)
    of_all = open_page()
    assert "BLOXX!: 2 lessons of greedy" in read_page_links(of_all)
    assert of_all.button(key="make-lessons-plain").label.startswith("Make up to 2 lessons: about ")
    others = open_page(strategies="random", players="2").button(key="make-lessons-plain")
    assert others.label.startswith("Make up to 2 lessons of random and player 2")


def test_a_long_list_of_decisions_shows_the_rest_on_demand_and_leads_back_to_all_groups(
    open_dashboard_page: Callable[..., AppTest], own_library: Library
) -> None:
    run = own_library.run("plain")
    for _ in review_run(run, find_review_kind(run, effort=0.1), choose_reviewed_games(run), threads=True):
        pass
    at = open_dashboard_page(
        "scores.py",
        own_library.folder,
        runs="plain",
        view="Decisions",
        only="random",
        **{"grouped-by": "strategy"},
    )

    def count_rows() -> int:
        return sum(body.count("&amp;review=1") for body in read_html(at))

    assert count_rows() == 10
    assert at.button(key="more-listed").label == "Show 40 more"
    at.button(key="more-listed").click().run()
    assert count_rows() == 50
    assert at.button(key="all-groups").label == "random"
    at.button(key="all-groups").click().run()
    assert "only" not in at.query_params
    assert count_rows() == 10


def test_a_review_that_is_stopped_keeps_what_is_done(
    open_dashboard_page: Callable[..., AppTest], own_library: Library
) -> None:
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions")
    at.button(key="review-all-plain").click().run()
    work = review_all.review_works()[own_library.run("plain").key]
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not (work.latest and work.latest.done) and time.monotonic() < deadline:
        time.sleep(0.01)
    work.stop()
    wait_for_end(own_library)
    run = own_library.run("plain")
    done = len(list_reviewed_games(run, find_review_kind(run, effort=0.1)))
    assert 1 <= done < 24
    at.run()
    assert at.button(key="review-all-plain").label == f"Review all {24 - done} others"


def test_ten_more_games_are_reviewed_from_the_page(
    open_dashboard_page: Callable[..., AppTest], own_library: Library
) -> None:
    run = own_library.run("plain")
    kind = find_review_kind(run, effort=0.1)
    for _ in review_run(run, kind, [0, 1], threads=True):
        pass
    at = open_dashboard_page("scores.py", own_library.folder, runs="plain", view="Decisions")
    assert "2 games are reviewed; averages need 10 with different luck" in read_page_text(at)
    assert at.button(key="review-few-plain").label == "Review 10 more"
    at.button(key="review-few-plain").click().run()
    wait_for_end(own_library)
    assert len(list_reviewed_games(run, kind)) == 12
    at.run()
    assert "points a game by its choices" in read_page_text(at)
