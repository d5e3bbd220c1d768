"""The box *Go to* offers every place by what people call it."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from dashboard.pages import MENU_PAGES
from dashboard.view_names import (
    BOARD_VIEWS,
    DECISION_MEASURES,
    EVERYDAY_WORDS,
    MOVE_GROUPINGS,
    ORDERS,
    OTHER_COMPARISONS,
    OTHER_MEASURES,
    PAGE_PARTS,
    VIEWS_OF_DICE,
)
from dashboard.widgets import go_to
from dashboard.widgets.go_to import PLACES_SLOT, Place, _has_view
from engine.catalogue import Catalogue
from pipelines.runs.game_queries import read_log
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library


@pytest.fixture
def places(open_dashboard_page: Callable[..., AppTest]) -> dict[str, Place]:
    """What the box offers, by name."""
    at = open_dashboard_page("library.py").button(key="go-to").click().run()
    offered: list[Place] = at.session_state[PLACES_SLOT]
    by_name = {place.name: place for place in offered}
    assert len(by_name) == len(offered)
    return by_name


def test_a_ruleset_leads_to_all_that_there_is_of_it(places: dict[str, Place]) -> None:
    """Only rulesets with games have scores and replays."""
    assert "Scores · page" in places
    for kind in ("rules", "play", "scores", "replays"):
        assert f"BLOXX!, 3 players · {kind}" in places
    assert "Blokus Duo, 2 players · play" in places
    assert "Blokus Duo, 2 players · scores" not in places


def test_views_have_their_names_and_everyday_words(places: dict[str, Place]) -> None:
    assert places["Who starts, BLOXX!, 3 players · scores"].address == {
        "rulesets": ["bloxx-3p"],
        "view": ["Players"],
    }
    assert "advantage" in places["Who starts · scores"].words
    assert places["Largest comeback · replays"].address == {"sort": ["comeback"]}
    assert places["What gap penalty changes, BLOXX!, 2 players · rules"].address == {
        "ruleset": ["bloxx-2p"],
        "vary": ["gap_penalty"],
    }
    assert places["First moves, Blokus Duo, 2 players · rules"].page == "rules"
    assert "luckiest" in places["Most one-sided rolls, BLOXX!, 3 players · replays"].words


def test_views_without_a_ruleset_are_those_of_the_ruleset_that_is_shown(
    open_dashboard_page: Callable[..., AppTest],
) -> None:
    at = open_dashboard_page("scores.py", rulesets="bloxx-3p").button(key="go-to").click().run()
    offered = {place.name: place for place in at.session_state[PLACES_SLOT]}
    assert offered["Who starts · scores"].address == {"rulesets": ["bloxx-3p"], "view": ["Players"]}
    assert offered["First moves · rules"].address == {"ruleset": ["bloxx-3p"], "part": ["openings"]}
    assert offered["What gap penalty changes, BLOXX!, 3 players · rules"].subject == ""
    assert offered["What gap penalty changes, BLOXX!, 2 players · rules"].subject == "2 2p two"


def test_the_box_stays_open_when_the_page_is_drawn_again(open_dashboard_page: Callable[..., AppTest]) -> None:
    """Work in the background draws the page again when it has ended."""
    at = open_dashboard_page("scores.py").button(key="go-to").click().run()
    for _ in range(2):
        assert len(at.get("dialog")) == 1
        at.run()
    at.session_state["page"] = "Another one"  # a visitor comes from another page
    assert not at.run().get("dialog")


def test_an_identifier_stands_at_each_ruleset_strategy_and_run(places: dict[str, Place]) -> None:
    assert places["BLOXX!, 3 players · rules"].identifier == "bloxx-3p"
    assert places["BLOXX!, 3 players · rules"].subject == "3 3p three"
    assert places["BLOXX!, 2 players · rules"].subject == ""
    runs = [place for place in places.values() if place.name.endswith(" · run")]
    assert all(place.name == f"{place.name.rsplit(' · ', 2)[0]} · {place.identifier} · run" for place in runs)
    assert any(place.games for place in runs)


def test_what_a_board_shows_has_names(places: dict[str, Place]) -> None:
    assert all(places[f"{name} · replay"].is_of_a_decision for name in BOARD_VIEWS)
    assert places["Review of a game · replay"].address == {"review": ["1"]}
    assert places["Best moves · replay"].address == {"whatif": ["1"]}
    assert "shortcuts" in places["Keys of the board: press ? · replay"].words


def test_games_without_dice_have_no_views_of_rolls() -> None:
    names = {*ORDERS, *DECISION_MEASURES.values(), *MOVE_GROUPINGS}
    assert names >= VIEWS_OF_DICE
    duo, bloxx = (Catalogue().find_ruleset(name) for name in ("blokus-duo", "bloxx-3p"))
    assert [name for name in names if not _has_view(duo, name)] == [
        name for name in names if name in VIEWS_OF_DICE
    ]
    assert all(_has_view(bloxx, name) for name in names)


def test_every_name_with_everyday_words_is_that_of_a_page_or_a_view() -> None:
    pages = {page.title for page in MENU_PAGES}
    views = {*ORDERS, *OTHER_COMPARISONS.values(), *OTHER_MEASURES.values(), *DECISION_MEASURES.values()}
    assert EVERYDAY_WORDS.keys() <= {*pages, *views, *MOVE_GROUPINGS, *PAGE_PARTS.values(), *BOARD_VIEWS}


def test_all_words_of_the_field_must_fit_in_any_order(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/notes")
    wait_until_settled(page)
    page.get_by_role("button", name="Go to").click()
    field, options = page.get_by_role("combobox", name="A few words"), page.get_by_role("option")
    expect(field).to_be_focused()
    for words, first in (
        ("who starts", "Who starts scores"),
        ("3 players bloxx, who starts?", "Who starts, BLOXX!, 3 players scores"),
        ("first player advantage", "Who starts scores"),
        ("comebacks", "Largest comeback replays"),
        ("penalty gap", "What gap penalty changes, BLOXX!, 2 players rules"),
        ("bloxx-3p", "BLOXX!, 3 players rules"),
        ("best moves", "Best moves replay"),
        ("shortcuts", "Keys of the board: press ? replay"),
        ("does starting help in bloxx with 3 players", "Who starts, BLOXX!, 3 players scores"),
    ):
        field.fill(words)
        expect(options.first).to_have_text(first)
    field.fill("bloxx")
    expect(options.get_by_text(re.compile(r"^BLOXX!.*rules$"))).to_have_count(1)  # of the usual ruleset
    field.fill("who starts")
    expect(options.get_by_text("Who starts")).to_have_count(1)  # that of a ruleset is there for a word of it
    for words in ("lesson", "lessons"):
        field.fill(words)
        expect(options.first).to_have_text("Make lessons scores")
    field.fill("comeback zebra")
    expect(page.get_by_text("Nothing has zebra. Shown: comeback")).to_be_visible()
    expect(options.first).to_have_text("Largest comeback replays")
    for words, told, first in (
        (
            "comeback largset",
            "largset. Shown: comeback largest",
            "Largest comeback replays",
        ),  # letters have changed places
        ("gredy", "gredy. Shown: greedy", "greedy, games that it won replays"),  # one is missing
        ("whoo starst", "starst. Shown: whoo starts", "Who starts scores"),
        (
            "longest game zebra bloxx",
            "zebra. Shown: longest game bloxx",
            "Longest game, BLOXX!, 2 players replays",
        ),
    ):
        field.fill(words)
        expect(options.first).to_have_text(first)
        expect(page.get_by_text(f"Nothing has {told}")).to_be_visible()
    for words, first in (
        ("does the first player win more", "Who starts scores"),
        ("biggest blunder", "Wins lost by choices scores"),
        ("close games", "Closest finish replays"),
        ("which strategy is best in bloxx", "greedy against random, BLOXX!, 2 players strategies"),
    ):
        field.fill(words)
        expect(options.first).to_have_text(first)
    field.fill("xyzzy")  # nothing is near
    expect(page.get_by_text("Nothing fits. You can look for pages, ")).to_be_visible()
    expect(options.first).to_contain_text("Library")
    field.fill("largest comeback")
    field.press("ArrowDown")
    field.press("ArrowUp")
    field.press("Enter")
    page.wait_for_url("**/games?sort=comeback")


def test_a_number_leads_to_that_game_of_a_run(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/replay")
    page.wait_for_url("**run=*")
    run = page.url.partition("run=")[2].partition("&")[0]
    page.get_by_role("button", name="Go to").click()
    box = page.get_by_role("dialog", name="Go to")
    field, options = box.get_by_role("combobox", name="A few words"), box.get_by_role("option")
    for words in ("2", f"{run} 2", f"game 2 of {run}", "game 2"):
        field.fill(words)
        expect(options.first).to_have_text(re.compile(rf"Game 2 of .* {run} game"))
    games = [words for words in options.all_inner_texts() if words.startswith("Game 2 of ")]
    assert 1 < len(games) <= 6
    assert len(set(games)) == len(games)
    field.press("Enter")
    page.wait_for_url(f"**/replay?run={run}&game-number=2")


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("game 2", "2 more runs have a game 2: add words of one."),
        ("run 2", "2 more runs have a game 2: add words of one."),
        ("game 2 red", "1 more run has a game 2: add words of one."),
        ("game 2 red first", ""),
        ("3 players", ""),
        ("game 6", ""),
    ],
)
def test_a_number_that_more_runs_have_than_are_listed_asks_for_words_of_one(
    new_page: Callable[..., Page], typed: str, hint: str
) -> None:
    page = new_page()
    names = ["run red first", *["run red"] * 6, "run blue"]
    told = call_box(page, "findPlaces", names, typed)["hint"]
    assert told == hint


@pytest.mark.parametrize(
    ("typed", "corrected"),
    [
        ("blokus dise", "blokus dice"),
        ("bloks dise", "blokus dice"),
        ("dise", "distribution"),
        ("scores blokus dise", "scores blokus dice"),
    ],
)
def test_a_wrong_word_stands_for_the_nearest_one_beside_the_others(
    new_page: Callable[..., Page], typed: str, corrected: str
) -> None:
    names = ["blokus dice rules", "blokus rules", "scores distribution", "blokus dice scores"]
    assert call_box(new_page(), "correctWords", names, typed)["corrected"] == corrected


def test_a_number_beyond_the_games_of_a_run_says_how_many_it_has(new_page: Callable[..., Page]) -> None:
    told = call_box(new_page(), "findPlaces", ["run red"], "red 99999")
    assert told["hint"] == "This run has 5 games."
    assert [place["number"] for place in told["found"]] == [0]


def test_a_run_that_is_called_exactly_says_how_many_games_it_has_itself(
    new_page: Callable[..., Page],
) -> None:
    told = call_box(new_page(), "findPlaces", ["run red", "run red long"], "run red 99", identifier="run red")
    assert told["hint"] == "This run has 5 games."
    assert [place["number"] for place in told["found"]] == [0]


def test_words_of_a_view_beside_the_number_of_a_game_open_it_there(new_page: Callable[..., Page]) -> None:
    told = call_box(new_page(), "findPlaces", ["run red", "run blue", "review of a game"], "blue 2 review")
    assert [(place["number"], place["game"], place["view"]) for place in told["found"]] == [(1, 2, 2)]


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("red really", "Nothing has really. Shown: red"),
        ("red blue first", "Nothing has all of these words. Shown: red first"),
        ("really", "Nothing fits."),
        ("red", ""),
    ],
)
def test_words_that_nothing_has_are_left_out(new_page: Callable[..., Page], typed: str, hint: str) -> None:
    told = call_box(new_page(), "seekPlaces", ["run red first", "run blue"], typed)["hint"]
    assert told.partition(" You can ")[0] == hint


def call_box(page: Page, function: str, names: list[str], typed: str, identifier: str = "") -> Any:  # noqa: ANN401 - of a script
    """Call a function of the script of the box with places of these names, runs of 5 games; the last word of a view is "game"."""
    places = [
        {
            "name": name.split(),
            "words": [],
            "subject": [],
            "identifier": identifier.split() if name == identifier else [],
            "games": 0 if name.endswith(" game") else 5,
            "isView": name.endswith(" game"),
        }
        for name in names
    ]
    return page.evaluate(
        f"async ([script, places, typed]) => (await import(`data:text/javascript;base64,${{script}}`)).{function}(places, typed)",
        [encode_script(), places, typed],
    )


def encode_script() -> str:
    """Return the script of the box as a data address takes it."""
    return b64encode((Path(go_to.__file__).parent / "go_to_box.js").read_bytes()).decode()


PLAIN_QUESTIONS = (
    ("who wins more, greedy or random in spexxx", "greedy against random, Spexxx, 2 players · strategies"),
    ("is random better than greedy in blokus", "greedy against random, Blokus, 2 players · strategies"),
    ("which strategy is the strongest", "Strategies · page"),
    ("how long is a game of blokus", "Lengths of games, Blokus, 2 players · scores"),
    ("what is the longest game", "Longest game · replays"),
    ("does the first player win more in duo", "Who starts, Blokus Duo, 2 players · scores"),
    ("how often does the second player win", "Who starts · scores"),
    ("best first piece bloxx", "By first piece, BLOXX!, 2 players · scores"),
    ("what is a good opening in blokus", "First moves, Blokus, 2 players · rules"),
    ("average score in bloxx with three players", "BLOXX!, 3 players · scores"),
    ("where do points come from", "By part · scores"),
    ("which squares are used most", "Squares · scores"),
    ("is it luck or skill in bloxx", "What kind of game, BLOXX!, 2 players · rules"),
    ("is the game balanced", "What kind of game · rules"),
    ("what does gap penalty do", "What gap penalty changes, BLOXX!, 2 players · rules"),
    ("add a new rule", "Make your own · rules"),
    ("compare two rulesets", "Rulesets side by side · rules"),
    ("rules of spexxx", "Spexxx, 2 players · rules"),
    ("how do I play bloxx", "BLOXX!, 2 players · play"),
    ("play against easy", "Play · page"),
    ("how do I load my own games", "All runs · page"),
    ("delete a run", "All runs · page"),
    ("simulate 1000 games", "Library · page"),
    ("export to csv", "SQL · page"),
    ("sql", "SQL · page"),
    ("what if", "What if · page"),
    ("what if player 1 had played another move", "What if: another move · replay"),
    ("learn from my mistakes", "Learn from mistakes · replay"),
    ("practise puzzles", "Learn from mistakes · replay"),
    ("show me the closest game", "Closest finish · replays"),
    ("who wins most at bloxx", "BLOXX!, 2 players · scores"),
)
"""What newcomers, designers, teachers and analysts ask, and the place that stands first."""


def test_plain_questions_lead_first_to_the_place_that_answers_them(
    new_page: Callable[..., Page],
    open_dashboard_page: Callable[..., AppTest],
    play_run: Callable[..., None],
    tmp_path: Path,
) -> None:
    """A question about what does not exist, such as a dark mode, leads nowhere."""
    for ruleset in ("bloxx-2p", "spexxx-2p", "blokus-2p", "blokus-duo"):
        play_run(tmp_path, ruleset, ruleset, "greedy", "random", games=2)
    play_run(tmp_path, "three", "bloxx-3p", "greedy", "greedy", "random", games=2)
    at = open_dashboard_page("library.py", tmp_path).button(key="go-to").click().run()
    places = [place.sent for place in at.session_state[PLACES_SLOT]]
    asked = [*(question for question, _ in PLAIN_QUESTIONS), "dark mode", "documentation"]
    told = new_page().evaluate(
        """async ([script, places, questions]) => {
          const box = await import(`data:text/javascript;base64,${script}`);
          return questions.map((question) => box.seekPlaces(box.foldPlaces(places), question));
        }""",
        [encode_script(), places, asked],
    )
    first = {
        question: places[answer["found"][0]["number"]][0]
        for question, answer in zip(asked, told, strict=True)
    }
    assert [(question, first[question]) for question, _ in PLAIN_QUESTIONS] == [*PLAIN_QUESTIONS]
    pages = [number for number, place in enumerate(places) if place[0].endswith(" · page")]
    assert [answer["number"] for answer in told[-1]["found"][: len(pages)]] == pages, (
        "in the order of the menu"
    )
    assert all(answer["isNothing"] and answer["hint"].startswith("Nothing fits.") for answer in told[-2:])


def test_an_unknown_address_that_is_near_no_place_lists_all_with_one_sentence(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/xyzzy")
    expect(page.get_by_text("There is no page xyzzy.")).to_be_visible()
    expect(page.get_by_role("option").first).to_contain_text("Library")
    expect(page.get_by_role("combobox", name="A few words")).to_have_value("")
    expect(page.get_by_text("Nothing has all of these words")).to_have_count(0)


def test_go_to_looks_for_the_name_in_an_unknown_address(
    new_page: Callable[..., Page], shared_dashboard_address: str
) -> None:
    page = new_page()
    page.goto(f"{shared_dashboard_address}/scors")
    field = page.get_by_role("combobox", name="A few words")
    expect(field).to_have_value("scors")
    expect(field).to_be_focused()
    expect(page.get_by_text("There is no page scors.")).to_be_visible()
    expect(page.get_by_role("option").first).to_have_text("Scores page")
    field.press("Enter")
    page.wait_for_url("**/scores?*")
    expect(page.get_by_text("There is no page scors.")).to_have_count(0)


def test_a_view_of_the_board_opens_at_a_decision(
    new_page: Callable[..., Page], shared_dashboard_address: str, library: Library
) -> None:
    """That of the game in front, or after a roll the next one; else one of a game between strategies."""

    def list_decisions(address: str) -> list[str]:
        asked = dict(part.split("=") for part in address.partition("?")[2].split("&"))
        with library.run(asked["run"]).connect() as connection:
            log = read_log(connection, int(asked["game-number"]) - 1)
        return [str(ply.ply + 1) for ply in log if ply.options and ply.options > 1]

    page = new_page()
    box = page.get_by_role("dialog", name="Go to")

    def open_best_moves() -> str:
        wait_until_settled(page)
        page.keyboard.press("/")
        field = box.get_by_role("combobox", name="A few words")
        field.fill("best moves")
        expect(box.get_by_role("option").first).to_have_text("Best moves replay")
        field.press("Enter")
        page.wait_for_url("**whatif=1")
        return page.url

    page.goto(f"{shared_dashboard_address}/notes")
    address = open_best_moves()
    decisions = list_decisions(address)
    assert address.partition("move=")[2].partition("&")[0] in decisions[len(decisions) // 4 : -1]
    game = f"{shared_dashboard_address}/replay?run=three&game-number=2&move="
    decisions = list_decisions(f"{game}1")
    at = next(number for number in range(1, 60) if str(number) not in decisions)
    after = next(number for number in decisions if int(number) > at)
    for move in (after, str(at)):
        page.goto(game + move)
        page.locator(".replay .seat").first.wait_for()
        assert open_best_moves() == f"{game}{after}&whatif=1"
        expect(page.get_by_text(f"move {after} of")).to_be_visible()
        expect(page.get_by_label("What if", exact=True)).to_be_visible()
        expect(page).to_have_url(f"{game}{after}&whatif=1")


@pytest.mark.parametrize("opening", ["/", "Control+k"])
def test_what_is_typed_before_the_field_is_there_gets_into_it(
    new_page: Callable[..., Page], shared_dashboard_address: str, opening: str
) -> None:
    """The keys of a board, such as b for *Play on*, sleep from the key that opens the box until it is closed."""
    page = new_page()
    page.goto(f"{shared_dashboard_address}/replay")
    page.wait_for_url("**run=*")
    page.locator(".replay .seat").first.wait_for()
    wait_until_settled(page)
    address = page.url
    page.keyboard.press(opening)
    page.keyboard.press("ArrowRight")
    page.keyboard.type("bestx")
    page.keyboard.press("Backspace")
    field = page.get_by_role("combobox", name="A few words")
    expect(field).to_be_focused()
    page.keyboard.type(" moves")
    expect(field).to_have_value("best moves")
    box = page.get_by_role("dialog", name="Go to")
    expect(box.get_by_role("option").first).to_have_text("Best moves replay")
    box.get_by_role("button", name="Close").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.type("?b")
    expect(field).to_have_value("best moves?b")
    assert page.url == address
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**move=1")
