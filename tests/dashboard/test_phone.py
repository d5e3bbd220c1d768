"""The dashboard on a phone: a menu that is never in the way, targets for fingers, and nothing wider than the window."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from playwright.sync_api import expect

from dashboard.pages import MENU_PAGES, PAGES
from tests.browser import PHONE_VIEWPORT, find_box, wait_until_settled
from tests.dashboard.test_accessibility import find_lasting_faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

import pytest

WIDTH, HEIGHT = PHONE_VIEWPORT["width"], PHONE_VIEWPORT["height"]
FINGER = 44
SMALL_TARGETS_SCRIPT = """targets => targets.filter(target => target.checkVisibility({ visibilityProperty: true }))
  .filter(target => !/^(Help|Clear value)/.test(target.getAttribute("aria-label") ?? ""))
  .map(target => [target.getBoundingClientRect(), target])
  .filter(([box]) => box.width > 1 && (box.height < 43.5 || box.width < 31.5))
  .map(([box, target]) => `${Math.round(box.width)} x ${Math.round(box.height)}: ${target.outerHTML.slice(0, 120)}`)"""
"""A script that lists targets that are too small for a finger. The room around the icon of a help text is a target, too."""
COVERED_SCRIPT = """() => {
  const found = [];
  const above = (node) => node.parentNode ?? node.host;
  const holds = (outer, inner) => { for (let at = inner; at; at = above(at)) if (at === outer) return true; return false; };
  const topAt = (x, y) => {
    let top = document.elementFromPoint(x, y);
    for (let inner; (inner = top?.shadowRoot?.elementFromPoint(x, y)) && inner !== top;) top = inner;
    return top;
  };
  const isCut = (node, x, y) => {
    for (let at = above(node); at; at = above(at)) {
      if (!(at instanceof Element) || getComputedStyle(at).overflow === "visible") continue;
      const box = at.getBoundingClientRect();
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) return true;
    }
    return x < 0 || x > innerWidth || y < 0 || y > innerHeight;
  };
  const check = (node, points) => {
    for (const [x, y] of points) {
      const top = topAt(x, y);
      if (!top || isCut(node, x, y) || holds(node, top) || holds(top, node)) continue;
      found.push(`${top.outerHTML.slice(0, 150)} lies over ${node.outerHTML.slice(0, 150)}`);
    }
  };
  const read = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) read(node.shadowRoot);
      const isText = node.matches("h1, h2, h3, p, label");
      if (!isText && !node.matches("a[href], button, summary, select, [role=option]")) continue;
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      node.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      const range = document.createRange();
      range.selectNodeContents(node);
      const { left, right, top, bottom, width, height } = (isText ? range : node).getBoundingClientRect();
      if (width < 8 || height < 8) continue;
      check(node, (isText ? [left + 3, (left + right) / 2, right - 3] : [(left + right) / 2]).map((x) => [x, (top + bottom) / 2]));
    }
  };
  read(document);
  return found;
}"""
"""A script that moves each text, link and button into view, and lists what lies over its middle, or over an end of a text."""
PLACES = (
    "",
    "?play=bloxx",
    "runs",
    "scores?rulesets=bloxx-3p&from=0&to=40",
    "strategies?run=scores-only",
    "games?rulesets=bloxx-3p",
    "replay?run=three&game-number=2&move=31",
    "play",
    "replay?run=three&game-number=2&move=21&whatif=1",
    "whatif",
    "rules?ruleset=bloxx-2p",
    "rules?ruleset=bloxx-2p&part=effect",
    "rules?ruleset=bloxx-2p&vary=gap_penalty%3D0..2&strategies=greedy%2Cgreedy&blocks=20",
    "sql",
    "notes",
)
"""Addresses of all pages, of some with what is only there after a choice."""


@pytest.fixture
def phone(new_page: Callable[..., Page]) -> Page:
    return new_page(is_phone=True)


def is_wider_than_window(page: Page) -> bool:
    """Return whether the page, or its main part, which scrolls by itself, can be moved sideways."""
    return bool(
        page.evaluate(
            """[document.documentElement, document.querySelector("[data-testid=stMain]")]
               .some(node => node && node.scrollWidth > innerWidth)"""
        )
    )


def test_one_tap_on_a_bin_lists_its_games_in_view(phone: Page, shared_dashboard_address: str) -> None:
    phone.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p")
    bins = phone.locator(".js-plotly-plot .barlayer .point")
    bins.first.wait_for()
    wait_until_settled(phone)
    bar = find_box(bins.nth(bins.count() // 2))
    phone.touchscreen.tap(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    phone.wait_for_url(re.compile(r"from=.*to="))
    heading = phone.get_by_role("heading", name="Which games were these?")
    expect(heading).to_be_in_viewport()
    wait_until_settled(phone)
    menu, place = find_box(phone.locator(".st-key-phone-menu")), find_box(heading)
    assert place["y"] >= menu["y"] + menu["height"]


def test_the_menu_leads_to_every_page_and_covers_none(phone: Page, shared_dashboard_address: str) -> None:
    phone.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p&rulesets=bloxx-touch-3p")
    menu = phone.locator(".st-key-phone-menu")
    opener = menu.get_by_role("button", name="Menu")
    opener.tap()
    links = phone.get_by_test_id("stPopoverBody").get_by_role("link")
    expect(links).to_have_text([page.title for page in MENU_PAGES])
    wait_until_settled(phone)
    boxes = [find_box(link) for link in links.all()]
    assert len({(box["x"], box["width"], box["height"]) for box in boxes}) == 1  # one list of like rows
    assert min(box["height"] for box in boxes) >= FINGER - 0.5
    assert all(
        after["y"] - before["y"] >= FINGER for before, after in pairwise(boxes)
    )  # no row covers another
    expect(opener).to_have_text(re.compile("Menu · Scores"))
    phone.keyboard.press("Escape")
    phone.locator(".js-plotly-plot").first.wait_for()
    wait_until_settled(phone)
    assert not phone.locator(
        ".js-plotly-plot .modebar-btn"
    ).count()  # they would lie across the title of the chart
    assert not is_wider_than_window(phone)
    picture = find_box(phone.locator(".js-plotly-plot").first)
    assert picture["y"] < 0.7 * HEIGHT  # filters and sentences do not fill the first screen
    phone.get_by_text("Details", exact=True).tap()
    for target in (
        phone.locator(".st-key-ask-compared button"),
        phone.get_by_role("button", name="BLOXX! and BLOXX! (shapes may hang), 3 players", exact=True),
        phone.locator(".st-key-more-filters button"),
        phone.locator(".st-key-give-away button:visible"),
        phone.get_by_role("button", name="Increment").first,
        opener,
    ):
        box = find_box(target)
        assert box["height"] >= FINGER - 0.5
    phone.get_by_role("button", name="BLOXX! and BLOXX! (shapes may hang), 3 players", exact=True).tap()
    choice = find_box(phone.locator(".st-key-rulesets-BLOXX---shapes-may-hang- button", has_text="3 players"))
    assert min(choice["width"], choice["height"]) >= FINGER - 0.5
    phone.keyboard.press("Escape")
    wait_until_settled(phone)  # the list fades above the page
    opener.tap()
    links.filter(has_text="Rules").tap()
    phone.wait_for_url("**/rules*")
    title = phone.locator("h1").first
    expect(title).to_have_text("Rules")
    expect(phone.get_by_test_id("stSidebar")).to_be_hidden()
    wait_until_settled(phone)
    # The uppermost element at the middle of the title is the title: nothing lies over the page.
    assert title.evaluate(
        """node => { const box = node.getBoundingClientRect();
             return node.contains(document.elementFromPoint(box.left + 20, box.top + box.height / 2)); }"""
    )
    assert not is_wider_than_window(phone)


def test_a_finger_beside_a_help_icon_still_hits_it(phone: Page, shared_dashboard_address: str) -> None:
    phone.goto(f"{shared_dashboard_address}/sql")
    help_icon = phone.get_by_role("button", name=re.compile("^Help")).first
    help_icon.wait_for()
    wait_until_settled(phone)
    help_icon.scroll_into_view_if_needed()
    assert help_icon.evaluate(
        """node => { const { left, right, top, bottom } = node.getBoundingClientRect();
             const [x, y] = [(left + right) / 2, (top + bottom) / 2];
             return [[x - 20, y], [x + 20, y], [x, y - 20]].every((at) => node.contains(document.elementFromPoint(...at))); }"""
    )


def test_the_menu_marks_the_current_page_and_its_button_stands_beside_the_others(
    phone: Page, shared_dashboard_address: str
) -> None:
    phone.goto(f"{shared_dashboard_address}/play")
    phone.locator(".st-key-go-to-row button:visible").first.wait_for()
    wait_until_settled(phone)
    menu = phone.locator(".st-key-phone-menu").get_by_role("button", name="Menu")
    boxes = [find_box(menu), find_box(phone.locator(".st-key-go-to-row"))]
    assert boxes[0]["x"] >= 0
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 0.5
    menu.tap()
    links = phone.get_by_test_id("stPopoverBody").get_by_role("link")
    grounds = [link.evaluate("node => getComputedStyle(node).backgroundColor") for link in links.all()]
    current = [page.title for page in MENU_PAGES].index("Play")
    assert grounds.count(grounds[current]) == 1


def test_nothing_of_the_library_and_of_replays_is_cut_at_the_right(
    phone: Page, shared_dashboard_address: str
) -> None:
    for place, key in (("", "game-tile-"), ("games?rulesets=bloxx-3p", "record-")):
        phone.goto(f"{shared_dashboard_address}/{place}")
        tiles = phone.locator(f'[class*="st-key-{key}"]')
        tiles.nth(3).wait_for()
        wait_until_settled(phone)
        assert not is_wider_than_window(phone)
        assert all(box["x"] + box["width"] <= WIDTH for box in map(find_box, tiles.all()))


def test_the_replay_says_which_game_is_open(phone: Page, shared_dashboard_address: str) -> None:
    phone.goto(f"{shared_dashboard_address}/replay?run=three&game-number=2")
    words = phone.locator(".st-key-replay-which button p")
    words.wait_for()
    wait_until_settled(phone)
    shown = words.evaluate(
        """node => { const range = document.createRange(); range.setStart(node.firstChild, 0); range.setEnd(node.firstChild, 12);
             return range.getBoundingClientRect().right <= node.closest("button").getBoundingClientRect().right; }"""
    )
    assert words.inner_text().startswith("Game 2 of 24")
    assert shown


def test_the_first_screen_holds_the_answer_and_not_only_its_filters(
    phone: Page, shared_dashboard_address: str
) -> None:
    def top_of(selector: str) -> float:
        phone.locator(selector).first.wait_for()
        wait_until_settled(phone)
        box = find_box(phone.locator(selector).first)
        return box["y"]

    phone.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p")
    assert top_of(".js-plotly-plot") < 0.45 * HEIGHT
    phone.goto(f"{shared_dashboard_address}/strategies")
    assert top_of(".js-plotly-plot") < 0.6 * HEIGHT
    phone.goto(f"{shared_dashboard_address}/sql")
    assert top_of(".st-key-sql-text") < 0.6 * HEIGHT
    assert top_of(".st-key-sql-answer .js-plotly-plot") > top_of(".st-key-sql-ask")
    assert top_of(".st-key-sql-kind-of-run") == top_of(".st-key-sql-value-run")
    phone.goto(f"{shared_dashboard_address}/")
    assert top_of('[class*="st-key-game-tile-"]') < 0.45 * HEIGHT
    phone.goto(f"{shared_dashboard_address}/runs")
    assert top_of('[class*="st-key-card-"]') < 0.6 * HEIGHT
    assert not is_wider_than_window(phone)


def test_the_views_of_scores_begin_with_their_pictures_and_wide_tables_fade_where_they_go_on(
    phone: Page, shared_dashboard_address: str
) -> None:
    phone.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p&view=Explore")
    picture = phone.locator(".linked .chart > svg").first
    picture.wait_for()
    wait_until_settled(phone)
    box = find_box(picture)
    assert box["y"] + box["height"] < 0.62 * HEIGHT
    last_button = phone.locator(".linked .groups button").last
    last_button.tap()  # the row moves sideways to it
    expect(phone.locator(".linked .status")).to_contain_text("24 of 72 results are selected")
    phone.locator(".linked .chart").last.scroll_into_view_if_needed()
    expect(phone.get_by_role("button", name="Compare")).to_be_in_viewport(ratio=1)
    assert not is_wider_than_window(phone)

    phone.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p&view=Parts")
    phone.get_by_text("Details", exact=True).tap()
    table = phone.get_by_role("region", name="The means by part")
    table.scroll_into_view_if_needed()
    fading_end = re.compile(r"(transparent|rgba\(0, 0, 0, 0\))\)$")
    expect(table).to_have_css("mask-image", fading_end)
    table.evaluate("node => { node.scrollLeft = node.scrollWidth; }")
    expect(table.get_by_role("columnheader").last).to_be_in_viewport(ratio=0.95)
    expect(table).not_to_have_css("mask-image", fading_end)

    phone.goto(f"{shared_dashboard_address}/scores?rulesets=bloxx-3p&rulesets=blokus-duo-for-two")
    expect(phone.get_by_text("You have no games of blokus-duo-for-two.")).to_be_visible()
    expect(phone.locator(".st-key-more-filters button")).to_be_in_viewport(ratio=1)


def test_a_game_is_a_card_that_fits_the_phone_and_opens_its_replay(
    phone: Page, shared_dashboard_address: str
) -> None:
    phone.goto(f"{shared_dashboard_address}/games?runs=three&sort=margin&lowest=1")
    listed = phone.get_by_role("region", name="Closest finish")
    card = listed.locator("tbody tr").first
    card.wait_for()
    wait_until_settled(phone)
    for name in ("margin", "players", "result", "ruleset"):
        expect(card.locator(f'[data-of="{name}"]')).to_be_visible()
    assert listed.evaluate("node => node.scrollWidth <= node.clientWidth")
    margin = listed.locator('th[data-of="margin"]')
    margin.get_by_role("button").tap()
    expect(margin).to_have_attribute("aria-sort", "descending")
    card.tap(position={"x": WIDTH - 60, "y": 12})
    phone.wait_for_url("**/replay?run=three*")


def check_phone_page(page: Page, *, has_known_colours: bool = False) -> None:
    """Check that a page is no wider than the phone, that a finger hits each target, and that axe-core finds nothing.

    A page `has_known_colours` if `test_accessibility` has measured the contrasts of all that it shows.
    """
    wait_until_settled(page)
    assert not is_wider_than_window(page), page.url
    targets = page.locator('button, summary, select, [data-testid="stPageLink-NavLink"]')
    assert targets.evaluate_all(SMALL_TARGETS_SCRIPT) == [], page.url
    assert find_lasting_faults(page, has_known_colours=has_known_colours) == [], page.url


def open_the_menu_of_a_run(phone: Page) -> None:
    phone.locator('[class*="st-key-card-"] [data-testid="stPopoverButton"]:visible').first.tap()
    menu = phone.get_by_test_id("stPopoverBody")
    delete = menu.get_by_role("button", name="Delete", exact=True)
    delete.wait_for()
    wait_until_settled(phone)  # the menu finds its place again when it has grown
    box = find_box(menu)
    assert 0 <= box["x"] <= WIDTH - box["width"]
    assert 0 <= box["y"] <= HEIGHT - box["height"]
    delete.scroll_into_view_if_needed()
    expect(delete).to_be_in_viewport(ratio=1)


def ask_for_all_measures(phone: Page) -> None:
    phone.locator(".st-key-ask-measure button").tap()
    phone.get_by_role("menuitem", name="all measures").tap()
    phone.locator(".linked .chart").first.wait_for()


def step_to_the_next_move(phone: Page) -> None:
    phone.get_by_role("button", name="Next move").tap()
    expect(phone.locator(".place")).to_contain_text("move 32 of")


def ask_an_example(phone: Page) -> None:
    phone.get_by_text("Who scores how much?", exact=True).first.tap()
    phone.locator(".js-plotly-plot").first.wait_for()


STEPS: Final = {
    "runs": open_the_menu_of_a_run,
    "scores?rulesets=bloxx-3p&from=0&to=40": ask_for_all_measures,
    "replay?run=three&game-number=2&move=31": step_to_the_next_move,
    "sql": ask_an_example,
}
"""What a finger does at some of these addresses."""


@pytest.mark.parametrize("place", PLACES)
def test_a_finger_reaches_all_that_a_page_shows(
    phone: Page, shared_dashboard_address: str, place: str
) -> None:
    assert {one.partition("?")[0] for one in PLACES} == {"", *(page.script for page in PAGES[1:])}
    phone.goto(f"{shared_dashboard_address}/{place}")
    phone.get_by_role("heading").first.wait_for()
    # The library shows the menu of all pages, which a computer does not have.
    check_phone_page(phone, has_known_colours=bool(place))
    if place.startswith("whatif"):
        expect(phone.get_by_role("button", name="Play it both ways")).to_be_in_viewport()
    for width in (WIDTH, 360):
        phone.set_viewport_size({"width": width, "height": HEIGHT})
        wait_until_settled(phone)
        assert phone.evaluate(COVERED_SCRIPT) == [], f"{width} pixels"
    if place in STEPS:
        phone.set_viewport_size(PHONE_VIEWPORT)
        STEPS[place](phone)
        check_phone_page(phone, has_known_colours=True)


def test_what_lies_over_something_else_is_found(phone: Page) -> None:
    cover = '<div style="position:absolute;inset:0 0 auto;height:2rem;background:#fff">over</div>'
    phone.set_content(f"<html lang=en><title>t</title>{cover}<p>A hint</p><button>Press</button>")
    found = phone.evaluate(COVERED_SCRIPT)
    assert found
    assert all(re.search("over</div> lies over .*A hint", one) for one in found)
