"""The replay as people read it, in a browser: names of moves, turns of several throws, points on the board, the wheel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.luck import Luck
from engine.play import play_out
from engine.strategies import read_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from engine.catalogue import Catalogue
    from engine.scene import Scene


def play_scene(catalogue: Catalogue, name: str, strategy: str) -> Scene:
    """Return the scene of a game that is played by the plain rules."""
    ruleset = catalogue.find_ruleset(name)
    game = games.find_game(ruleset.game)
    deciders = [read_player(game, strategy).decide] * ruleset.players
    _, plies = play_out(games.start_state(ruleset), deciders, Luck(3, 0))
    return game.scene(ruleset, [ply.action for ply in plies])


def shown_move(page: Page) -> int:
    return int(page.locator(".place").inner_text().split("move ")[1].split(" ")[0])


def test_moves_are_called_by_shape_and_place_and_players_are_counted_from_1(
    show_scene: Callable[..., Page], catalogue: Catalogue
) -> None:
    scene = play_scene(catalogue, "blokus-duo", "random")
    page = show_scene(scene)
    steps = scene["steps"]
    first = page.locator(".ply").first
    board = scene["boards"][0]
    cells = [int(square[1]) for square in steps[0]["paint"]]
    anchor = min(cells)
    place = (
        board["column_labels"][anchor % board["columns"]] + board["row_labels"][anchor // board["columns"]]
    )
    spent = scene["trays"][steps[0]["spend"][0][0]]["pieces"][steps[0]["spend"][0][1]]
    assert first.locator(".notation").inner_text().strip() == f"{spent['name']} at {place}"
    assert first.locator(".move-shape .cell").count() == len(cells)
    assert steps[0]["notation"] in (first.get_attribute("title") or "")
    assert first.locator(".chip").inner_text() == str(steps[0]["seat"] + 1)
    page.keyboard.press("End")
    assert page.locator(".place").inner_text().startswith(f"Round {steps[-1]['round'] + 1} ")
    assert "eat " not in page.locator(".replay").inner_text()  # neither "Seat 0" nor "seat 1"


def test_several_throws_are_one_turn_and_points_stand_on_the_board(
    show_scene: Callable[..., Page], catalogue: Catalogue
) -> None:
    scene = play_scene(catalogue, "spexxx-2p", "greedy")
    steps = scene["steps"]
    ends = [at for at, step in enumerate(steps) if step["seat"] >= 0 and step["kind"] != "keep"]
    page = show_scene(scene)
    assert page.locator(".ply:visible").count() == len(ends)
    page.keyboard.press("ArrowRight")
    assert page.locator(".ply:visible").count() == len(ends) + ends[0]  # the throws of this turn
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    assert shown_move(page) == ends[1] + 1
    page.keyboard.press("Shift+ArrowLeft")
    assert shown_move(page) == ends[0] + 1

    scoring = next(at for at in ends if steps[at]["glow"])
    seat = steps[scoring]["seat"]
    points = steps[scoring]["scores"][seat] - steps[scoring - 1]["scores"][seat]
    page.get_by_role("slider", name="Move").fill(str(scoring))
    assert page.locator(".board .gain").text_content() == f"+{points}"
    assert f"+{points}" in page.locator(".ply[aria-selected=true]").inner_text()
    page.keyboard.press("ArrowRight")
    assert not page.locator(".board .gain").count()

    # The wheel steps over the board only.
    box = page.locator(".board").bounding_box()
    assert box
    before = shown_move(page)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -120)
    page.wait_for_function(
        "move => document.querySelector('.place').textContent.includes(`move ${move} `)", arg=before - 1
    )
