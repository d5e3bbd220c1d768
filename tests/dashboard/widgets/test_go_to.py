"""The box *Go to* offers every place by what people call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from dashboard.pages import MENU_PAGES
from dashboard.view_names import (
    DECISION_MEASURES,
    EVERYDAY_WORDS,
    MOVE_GROUPINGS,
    ORDERS,
    OTHER_COMPARISONS,
    OTHER_MEASURES,
    PAGE_PARTS,
    VIEWS_OF_DICE,
)
from dashboard.widgets.go_to import PLACES_SLOT, Place, _has_view
from engine.catalogue import Catalogue
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from streamlit.testing.v1 import AppTest


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
    assert EVERYDAY_WORDS.keys() <= {*pages, *views, *MOVE_GROUPINGS, *PAGE_PARTS.values()}


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
        ("3 players bloxx, who starts?", "Who starts, BLOXX!, 3 players scores"),
        ("first player advantage", "Who starts scores"),
        ("comebacks", "Largest comeback replays"),
        ("penalty gap", "What gap penalty changes, BLOXX!, 2 players rules"),
    ):
        field.fill(words)
        expect(options.first).to_have_text(first)
    field.fill("lesson")
    expect(options.first).to_be_visible()
    assert not any("shapes must" in words for words in options.all_inner_texts()[:3])
    field.fill("comeback zebra")
    expect(options).to_have_count(0)
    expect(page.get_by_text("Nothing has all of these words.")).to_be_visible()
    field.fill("largest comeback")
    field.press("ArrowDown")
    field.press("ArrowUp")
    field.press("Enter")
    page.wait_for_url("**/games?sort=comeback")
