"""The replay in a browser, on a page opened from a file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from engine import games
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

    from engine.catalogue import Catalogue
    from engine.scene import Scene


def shown_ply(page: Page) -> int:
    """Return the current ply, -1 for the start."""
    found = re.search(r"move (\d+) of", page.locator(".place").inner_text())
    return int(found[1]) - 1 if found else -1


def test_it_opens_at_the_start_with_title_seats_and_scores(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene)
    assert page.locator("h1").inner_text() == "BLOXX!"
    assert page.locator(".title p").inner_text() == "3 players · run first-look · game 13"
    assert page.locator(".seat .name").all_inner_texts() == ["Player 1", "Player 2", "Player 3"]
    assert page.locator(".seat .strategy").all_inner_texts() == ["greedy", "greedy", "random"]
    assert page.locator(".seat .score").all_inner_texts() == ["\u221270"] * 3
    assert shown_ply(page) == -1
    assert page.locator(".mark").count() == 0


def test_keys_step_through_the_game(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene)
    last = len(bloxx_3p_scene["steps"]) - 1
    rounds = [step["round"] for step in bloxx_3p_scene["steps"]]
    for key, expected in (
        ("ArrowRight", 0),
        ("ArrowRight", 1),
        ("ArrowLeft", 0),
        ("PageDown", rounds.index(1)),
        ("PageDown", rounds.index(2)),
        ("ArrowRight", rounds.index(2) + 1),
        ("PageUp", rounds.index(2)),
        ("PageUp", rounds.index(1)),
        ("End", last),
        ("ArrowRight", last),
        ("Home", -1),
        ("ArrowLeft", -1),
    ):
        page.keyboard.press(key)
        assert shown_ply(page) == expected, key


def test_a_digit_goes_to_the_next_ply_of_a_seat(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene)
    page.keyboard.press("3")
    assert shown_ply(page) == next(step["ply"] for step in bloxx_3p_scene["steps"] if step["seat"] == 2)
    page.keyboard.press("9")
    assert bloxx_3p_scene["steps"][shown_ply(page)]["seat"] == 2


def test_every_ply_is_the_same_forwards_backwards_and_by_a_jump(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene)
    look = "() => [...document.querySelectorAll('.board, .score, .status, .rank, .caption, .die')].map(node => node.getAttribute('aria-label') ?? node.textContent)"
    drawn = "() => [...document.querySelectorAll('.mark')].map(mark => [mark.getAttribute('class').replace(' is-new', ''), mark.getAttribute('transform')].join()).sort()"
    picture = f"() => JSON.stringify([({look})(), ({drawn})()])"
    forwards = []
    for _ in bloxx_3p_scene["steps"]:
        page.keyboard.press("ArrowRight")
        forwards.append(page.evaluate(picture))
    assert len(set(forwards)) > len(bloxx_3p_scene["steps"]) * 0.8
    backwards = []
    for _ in bloxx_3p_scene["steps"]:
        backwards.append(page.evaluate(picture))
        page.keyboard.press("ArrowLeft")
    assert backwards[::-1] == forwards
    for at in (40, 7, 63, 20):
        page.get_by_role("slider", name="Move").fill(str(at))
        assert page.evaluate(picture) == forwards[at]


def test_boards_show_what_the_rules_say(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene)
    page.keyboard.press("End")
    for number in range(len(bloxx_3p_scene["boards"])):
        painted = {
            at[1]: at[2] for step in bloxx_3p_scene["steps"] for at in step["paint"] if at[0] == number
        }
        for mark, glyph in (("o", "circle"), ("x", "cross"), ("gap", "gap")):
            expected = sum(found == mark for found in painted.values())
            assert page.locator(".board").nth(number).locator(f".mark.{glyph}").count() == expected
        label = page.locator(".board").nth(number).get_attribute("aria-label") or ""
        assert label.startswith(f"Player {number + 1}, 7 by 10 squares: ")


def test_buttons_and_slider_step(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene)
    last = len(bloxx_3p_scene["steps"]) - 1
    for name, expected in (
        ("Next move", 0),
        ("Next move", 1),
        ("Previous move", 0),
        ("Last move", last),
        ("First: the start", -1),
    ):
        page.get_by_role("button", name=name, exact=True).click()
        assert shown_ply(page) == expected
    slider = page.get_by_role("slider", name="Move")
    slider.fill("30")
    assert shown_ply(page) == 30
    said = slider.get_attribute("aria-valuetext") or ""
    assert bloxx_3p_scene["steps"][30]["caption"].partition(" draws ")[2] in said
    assert re.match(r"Round \d+ \u00b7 move 31 of 72: Player \d draws ", said)


def test_the_ply_list_jumps_follows_and_filters(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene)
    page.locator(".ply").nth(5).click()
    assert shown_ply(page) == 5
    page.keyboard.press("End")
    last = page.locator(".ply[aria-selected=true]")
    assert last.inner_text().split()[0] == str(len(bloxx_3p_scene["steps"]))
    page.wait_for_function("document.querySelector('.rows').scrollTop > 100")
    page.get_by_role("combobox", name="Show moves of").select_option(label="Player 2")
    own = [step["ply"] for step in bloxx_3p_scene["steps"] if step["seat"] == 1]
    visible = page.locator(".ply:visible .number").all_inner_texts()
    assert [int(number) - 1 for number in visible] == own
    page.locator(".ply:visible").first.click()
    page.get_by_role("listbox").focus()
    page.keyboard.press("ArrowDown")
    assert shown_ply(page) == own[1]
    page.keyboard.press("ArrowUp")
    assert shown_ply(page) == own[0]
    page.get_by_role("combobox", name="Show moves of").select_option(label="all moves")
    assert page.locator(".ply:visible").count() == len(bloxx_3p_scene["steps"])


def test_clicking_and_dragging_on_the_score_course_jumps(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene)
    box = page.locator(".plot").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 40)
    middle = shown_ply(page)
    assert 0.35 < middle / len(bloxx_3p_scene["steps"]) < 0.7
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40)
    page.mouse.up()
    assert shown_ply(page) > middle + 5
    against = page.get_by_role("button", name="against the average")
    edge = "node => getComputedStyle(node).borderTopColor"
    assert against.evaluate(edge) != "rgba(0, 0, 0, 0)"  # it looks like a switch, not like a caption
    against.click()
    assert against.get_attribute("aria-pressed") == "true"


def test_the_address_names_the_ply_and_opens_it(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene, "?move=18&game=3")
    assert shown_ply(page) == 17
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"\?move=19&game=3$"))
    page.reload()
    assert shown_ply(page) == 18
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(r"\?game=3$"))


def test_an_address_that_names_no_ply_opens_the_start(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene)
    address = page.url
    for query in ("?move=x", "?move=", "?move=2e1", "?move=-7", "?move=%00<b>", "?move=0", "?ply=17"):
        page.goto(address + query)
        assert shown_ply(page) == -1, query
    page.goto(f"{address}?move=100000")  # a number beyond the end
    assert shown_ply(page) == len(bloxx_3p_scene["steps"]) - 1


def test_the_link_to_a_ply_is_copied(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("l")
    page.get_by_text("Link copied").wait_for()
    assert str(page.evaluate("navigator.clipboard.readText()")).endswith("game.html?move=4")
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.keyboard.press("l")
    assert page.get_by_role("textbox", name="Link to this move").input_value().endswith("?move=4")


def test_on_a_phone_and_with_zoom_the_row_of_the_player_who_moves_stands_first(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    steps = bloxx_3p_scene["steps"]
    own = next(at for at, step in enumerate(steps) if step["seat"] == 2)
    page = show_scene(bloxx_3p_scene, f"?move={own + 1}", is_phone=True)
    cards = page.locator(".cards > .seat")
    expect(cards.nth(2)).to_have_css("order", "0")
    expect(cards.nth(0)).to_have_css("order", "1")
    page.keyboard.press("Home")  # a roll, and then player 1
    expect(cards.nth(2)).to_have_css("order", "0")
    expect(cards.nth(0)).to_have_css("order", "0")

    # Zoomed, the board of that player is in view, and the way back covers nothing of it.
    page.keyboard.press("End")
    mover = cards.nth(steps[-1]["seat"]).locator(".board")
    for _ in range(3):
        page.get_by_role("button", name="Larger").tap()
    expect(mover).to_be_in_viewport(ratio=0.5)
    page.wait_for_function("document.querySelector('.whole-board').offsetHeight > 40")

    page = show_scene(bloxx_3p_scene, f"?move={own + 1}")
    cards = page.locator(".cards > .seat")
    expect(cards.nth(0)).to_have_css("order", "0")
    for _ in range(5):
        page.keyboard.press("+")
    expect(cards.nth(2)).to_have_css("order", "0")
    expect(cards.nth(0)).to_have_css("order", "1")


def test_swiping_over_the_boards_steps(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene, "?move=11", is_phone=True)
    touch = page.context.new_cdp_session(page)

    def swipe(start: int, end: int) -> None:
        points = [(start + (end - start) * part // 4, 420) for part in range(5)]
        for kind, (x, y) in zip(["touchStart", *["touchMove"] * 4], points, strict=True):
            touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(300, 120)
    page.wait_for_function("document.querySelector('.place').textContent.includes('move 12 of')")
    swipe(120, 300)
    page.wait_for_function("document.querySelector('.place').textContent.includes('move 11 of')")
    assert shown_ply(page) == 10


def test_playing_by_itself_stops_at_the_end_and_begins_again(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    last = len(bloxx_3p_scene["steps"]) - 1
    page = show_scene(bloxx_3p_scene, f"?move={last - 5}")
    for _ in range(4):
        page.keyboard.press(">")
    assert page.get_by_role("combobox", name="Speed").input_value() == "8"
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("button", name="Play", exact=True).wait_for(timeout=5000)
    assert shown_ply(page) == last
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press(" ")
    assert shown_ply(page) < 5


def test_stepping_by_hand_stops_the_play(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene)
    page.keyboard.press(" ")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("button", name="Play", exact=True).is_visible()


def test_help_opens_and_closes_with_its_key(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    assert "previous move, next move" in dialog.inner_text()
    page.set_viewport_size({"width": 1280, "height": 400})
    page.keyboard.press("?")
    page.keyboard.press("?")
    assert dialog.evaluate("node => node.scrollHeight > node.clientHeight && node.scrollTop === 0")
    page.keyboard.press("ArrowRight")
    assert shown_ply(page) == -1
    page.keyboard.press("?")
    dialog.wait_for(state="hidden")
    page.get_by_role("button", name="Help: keys").click()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


def label_positions(page: Page) -> dict[str, tuple[float, float]]:
    """Return the positions of the labels of the first board, by their text."""
    found = page.locator(".board").first.locator(".axes text").all()
    boxes = {text.text_content() or "": text.bounding_box() or pytest.fail("no label") for text in found}
    return {text: (box["x"], box["y"]) for text, box in boxes.items()}


def test_a_shared_board_is_turned_by_quarters_and_its_writing_stays_upright(
    show_scene: Callable[..., Page], handmade_scene: Scene
) -> None:
    page = show_scene(handmade_scene, "?move=3")
    board = page.locator(".board").first
    printed = label_positions(page)
    assert printed["a"][0] < printed["f"][0]
    assert printed["1"][1] > printed["3"][1]
    wide = board.bounding_box() or pytest.fail("no board")
    page.keyboard.press("f")
    turned = label_positions(page)
    assert turned["a"][1] < turned["f"][1]
    assert turned["1"][0] < turned["3"][0]
    high = board.bounding_box() or pytest.fail("no board")
    assert high["height"] > high["width"]
    assert wide["width"] > wide["height"]
    text = board.locator(".labels text").first
    assert abs(sum(float(part) for part in screen_matrix(text)[1:3])) < 1e-6  # no shear, no turn
    assert screen_matrix(text)[0] > 0
    for _ in range(3):
        page.get_by_role("button", name="Turn the board").click()
    assert label_positions(page) == printed


def screen_matrix(text: Locator) -> list[float]:
    """Return the first four numbers of the matrix that draws a text on the screen."""
    return list(text.evaluate("node => { const { a, b, c, d } = node.getScreenCTM(); return [a, b, c, d]; }"))


def test_turning_puts_the_sheet_of_the_next_seat_first(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene)
    page.keyboard.press("f")
    assert page.locator(".seat .name").all_inner_texts() == ["Player 2", "Player 3", "Player 1"]
    assert page.get_by_role("status").inner_text() == "Player 2 is first."
    for _ in range(2):
        page.keyboard.press("F")
    assert page.locator(".seat .name").all_inner_texts() == ["Player 1", "Player 2", "Player 3"]


@pytest.mark.parametrize("scene", ["bloxx_3p_scene", "handmade_scene"])
def test_boards_grow_and_shrink_and_the_page_never_scrolls_sideways(
    show_scene: Callable[..., Page], request: pytest.FixtureRequest, scene: str
) -> None:
    page = show_scene(request.getfixturevalue(scene))

    def square_width() -> float:
        box = page.locator(".squares rect").first.bounding_box() or pytest.fail("no square")
        return float(box["width"])

    plain = square_width()
    sizes = [plain]
    for key in "++++":
        page.keyboard.press(key)
        sizes.append(square_width())
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert sizes == sorted(sizes)
    assert sizes[-1] == pytest.approx(2.5 * plain, rel=0.1)
    assert page.get_by_role("status").inner_text().replace("\u202f", " ") == "Zoom 250 %"
    for _ in range(4):
        page.get_by_role("button", name="Smaller").click()
    assert square_width() == plain
    page.keyboard.press("-")
    assert square_width() == pytest.approx(0.8 * plain, rel=0.1)


def test_a_page_of_its_own_shows_no_standings(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    """Only Streamlit pages pass standings to the replay."""
    page = show_scene(bloxx_3p_scene)
    page.keyboard.press("End")
    assert page.locator(".finish h2").is_visible()
    assert not page.locator(".standing").count()
    assert page.locator(".finish button").all_inner_texts() == ["From the start"]


def test_a_focused_button_keeps_its_space_bar(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene)
    page.get_by_role("button", name="Next move").focus()
    page.keyboard.press(" ")
    assert shown_ply(page) == 0
    assert page.get_by_role("button", name="Play", exact=True).is_visible()


def test_the_page_follows_the_system_theme(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene, color_scheme="light")
    assert page.locator(".replay").get_attribute("data-theme") == "light"
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector(".replay[data-theme=dark]")


def test_a_game_fits_the_screen(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    page = show_scene(bloxx_3p_scene, "?move=31")
    for width, height in ((1280, 800), (1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        wait_until_settled(page)
        across, along = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert across <= width
        assert along <= height or width < 600
        side = page.locator(".squares rect").first.bounding_box()
        assert side
        assert side["width"] >= 14


@pytest.mark.parametrize("name", ["blokus-4p", "blokus-dice-4p"])
def test_in_a_low_frame_of_a_notebook_boards_of_four_players_fit_above_the_controls(
    show_scene: Callable[..., Page], catalogue: Catalogue, name: str
) -> None:
    """They take the width of the list of moves, which then stands below them."""
    ruleset = catalogue.find_ruleset(name)
    game = games.find_game(ruleset.game)
    decide = read_player(game, "random").decide
    _, plies = play_out(games.start_state(ruleset), [decide] * 4, Luck(7, 0))
    page = show_scene(game.scene(ruleset, [ply.action for ply in plies]), "?move=9")
    page.set_viewport_size({"width": 986, "height": 664})
    wait_until_settled(page)
    for part in (".stage", ".controls"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    stage, controls = (page.locator(part).bounding_box() for part in (".stage", ".controls"))
    assert stage
    assert controls
    assert stage["y"] + stage["height"] <= controls["y"]
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(page.locator(".replay")).not_to_have_attribute("data-alone", "")


def test_the_course_uses_the_height_that_narrow_boards_leave_and_else_stands_beside_them(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene, "?move=31")
    for height, place in ((940, ".main"), (680, ".side"), (940, ".main")):
        page.set_viewport_size({"width": 1280, "height": height})
        expect(page.locator(f"{place} > .course .plot")).to_be_in_viewport(ratio=1)
        wait_until_settled(page)
        expect(page.locator(f"{place} > .course .plot")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollHeight") <= height


def test_a_very_long_name_of_a_run_is_shown_in_full(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    name = "a-run-with-the-longest-name-that-somebody-could-think-of-when-it-was-renamed-012"
    page = show_scene({**bloxx_3p_scene, "run": name})
    line = page.locator(".title p")
    assert line.inner_text() == f"3 players · run {name} · game 13"
    assert line.evaluate(
        "node => node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight"
    )
    page.set_viewport_size({"width": 390, "height": 800})
    wait_until_settled(page)
    assert not line.is_visible()  # a phone has no room for it; the page names the run above
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_four_cards_beside_a_board_leave_the_controls_in_the_window(
    show_scene: Callable[..., Page], catalogue: Catalogue
) -> None:
    ruleset = catalogue.find_ruleset("blokus-4p")
    page = show_scene(games.find_game("blokus").scene(ruleset, []), viewport={"width": 1120, "height": 700})
    controls = page.locator(".controls").bounding_box()
    cards = page.locator(".cards").bounding_box()
    assert controls
    assert cards
    assert controls["y"] + controls["height"] <= 700
    assert cards["y"] + cards["height"] <= controls["y"]
    assert page.locator(".seat .name").evaluate_all(
        "names => names.every(name => name.scrollWidth <= name.clientWidth)"
    )


@pytest.mark.parametrize("width", [730, 986, 1140])
def test_names_and_strategies_on_narrow_cards_are_whole(
    show_scene: Callable[..., Page], catalogue: Catalogue, width: int
) -> None:
    scene = games.find_game("bloxx").scene(catalogue.find_ruleset("bloxx-4p"), [])
    strategies = ["planner:candidates=4", "rollout", "random", "greedy"]
    page = show_scene({**scene, "strategies": strategies}, viewport={"width": width, "height": 664})
    assert page.locator(".seat .name").all_inner_texts() == [f"Player {seat}" for seat in range(1, 5)]
    assert page.locator(".seat :is(.name, .strategy)").evaluate_all(
        """texts => texts.every(text => {
            const range = document.createRange();
            range.selectNodeContents(text);
            const words = range.getClientRects().length;
            return words <= text.textContent.split(" ").length && text.scrollWidth <= text.clientWidth;
        })"""
    )


def test_a_step_of_a_large_game_draws_little(show_scene: Callable[..., Page], handmade_scene: Scene) -> None:
    """With 80 pieces of five squares on 400 squares and four trays of 21, a step changes about 50 of 3,800 nodes."""
    step = handmade_scene["steps"][0]
    piece = {"name": "L5", "cells": [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1]], "group": ""}
    scene = {
        **handmade_scene,
        "boards": [
            {**handmade_scene["boards"][0], "columns": 20, "rows": 20, "fills": ["plain"] * 400, "labels": []}
        ],
        "trays": [
            {"name": name, "seat": None, "colour": name, "pieces": [piece] * 21}
            for name in ("blue", "yellow", "red", "green")
        ],
        "steps": [
            {
                **step,
                "ply": ply,
                "seat": ply % 3,
                "round": ply // 4,
                "paint": [[0, 5 * ply + square, "b"] for square in range(5)],
                "spend": [[ply % 4, ply // 4]],
            }
            for ply in range(80)
        ],
    }
    page = show_scene(scene)
    touched = page.evaluate(
        """() => {
            const seen = new MutationObserver(() => {});
            seen.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
            return [...Array(80)].map(() => {
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
                return new Set(seen.takeRecords().flatMap((change) => [change.target, ...change.addedNodes])).size;
            });
        }"""
    )
    assert shown_ply(page) == 79
    assert 5 < max(touched) < 100


def test_no_heading_of_a_round_stays_alone_above_the_next_one(
    show_scene: Callable[..., Page], bloxx_3p_scene: Scene
) -> None:
    page = show_scene(bloxx_3p_scene, viewport={"width": 1280, "height": 700})
    wait_until_settled(page)
    alone = []
    for ply in range(40):
        page.keyboard.press("ArrowRight")
        left = page.evaluate(
            """async () => {
              await new Promise(requestAnimationFrame);
              await new Promise(requestAnimationFrame);
              const list = document.querySelector(".rows");
              return [...list.querySelectorAll(".round")].map((round) => round.offsetTop + round.offsetHeight - list.scrollTop);
            }"""
        )
        alone += [ply for end in left if 1 < end < 50]
    assert page.locator(".rows").evaluate("node => node.scrollTop") > 0
    assert alone == []


def test_the_controls_stay_in_sight_where_the_boards_are_higher_than_the_window(
    show_scene: Callable[..., Page], catalogue: Catalogue
) -> None:
    ruleset = catalogue.find_ruleset("blokus-4p")
    page = show_scene(games.find_game("blokus").scene(ruleset, []), viewport={"width": 700, "height": 560})
    assert page.locator(".cards").evaluate("cards => cards.getBoundingClientRect().bottom") > 560
    expect(page.locator(".buttons button.play")).to_be_in_viewport(ratio=1)
