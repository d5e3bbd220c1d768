"""What the replay draws of a scene, and scenes that are broken or hostile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from engine.scene import Scene

HOSTILE_TEXT: Final = '<img src=x onerror="alert(1)"></script>'
GLYPH_COUNTS: Final = {"circle": 1, "cross": 1, "gap": 1, "block": 3, "cube": 1}


def test_every_glyph_tray_and_die_is_drawn(show_scene: Callable[..., Page], handmade_scene: Scene) -> None:
    page = show_scene(handmade_scene, "?move=1")
    assert page.locator(".board .squares > rect:not(.metal)").count() == 12  # six of eighteen are missing
    assert page.locator(".metal").count() == 6
    assert [die.get_attribute("aria-label") for die in page.locator(".face").all()] == [
        "Die A: 1",
        "Die B: 5, kept. kept",
        "Die C: V3, taken",
    ]
    assert page.locator(".pip").count() == 6
    assert page.locator(".glow").get_attribute("d")
    page.keyboard.press("End")
    assert {glyph: page.locator(f".mark.{glyph}").count() for glyph in GLYPH_COUNTS} == GLYPH_COUNTS
    assert page.locator(".block .letter").count() == 1  # one per piece
    assert page.locator(".group-name").all_inner_texts() == ["1", "2", "strikes"]
    assert page.locator(".piece.spent").count() == 2
    assert page.get_by_role("img", name="Shapes: 1 of 3 left").is_visible()
    assert page.locator(".rank").all_inner_texts() == ["3rd", "★ shared win", "★ shared win"]
    assert page.locator(".axes .note").count() == 6
    sizes = page.locator(".axes .note").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).fontSize)"
    )
    assert set(sizes) == {"8.5px"}, "larger notes run into each other"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"lowest_wins": True}, ["★ winner", "2nd, shared", "2nd, shared"]),
        ({"ranks": [3, 1, 2]}, ["3rd", "★ winner", "2nd"]),
        ({"ranks": []}, ["", "", ""]),
    ],
)
def test_the_end_names_winners_as_the_game_does(
    show_scene: Callable[..., Page], handmade_scene: Scene, change: dict[str, Any], expected: list[str]
) -> None:
    page = show_scene({**handmade_scene, **change})
    page.keyboard.press("End")
    assert page.locator(".rank").all_inner_texts() == expected
    page.keyboard.press("ArrowLeft")
    assert page.locator(".rank").all_inner_texts() == ["", "", ""]


def test_the_squares_of_the_ply_are_outlined(show_scene: Callable[..., Page], handmade_scene: Scene) -> None:
    page = show_scene(handmade_scene, "?move=2")
    outline = page.locator(".fresh").get_attribute("d") or ""
    assert outline.count("M") == 10  # sides around an L of four squares


def test_hostile_scenes_are_harmless_text(show_scene: Callable[..., Page], bloxx_3p_scene: Scene) -> None:
    scene = json.loads(json.dumps(bloxx_3p_scene))
    scene |= {
        "title": HOSTILE_TEXT,
        "strategies": [HOSTILE_TEXT, {"a": 1}, None],
        "run": HOSTILE_TEXT,
        "game_id": HOSTILE_TEXT,
    }
    scene["marks"] |= {
        "__proto__": {"glyph": "circle", "colour": "ink"},
        "bad": {"glyph": HOSTILE_TEXT},
        "none": None,
    }
    scene["marks"]["x"]["colour"] = 'red" onload="alert(1)'
    board = scene["boards"][0]
    board |= {"name": HOSTILE_TEXT, "column_labels": [HOSTILE_TEXT] * 9, "labels": [HOSTILE_TEXT, 3, None]}
    board["fills"][3] = "url(javascript:alert(1))"
    scene["boards"] += [None, 7, {"columns": 1e9, "rows": -1, "seat": 99}]
    scene["trays"] = [
        {"name": HOSTILE_TEXT, "seat": "x", "pieces": [None, {"cells": [[9999, 0], "a", [0, 0]]}]},
        3,
    ]
    first, second, third = scene["steps"][:3]
    first |= {
        "caption": HOSTILE_TEXT,
        "notation": HOSTILE_TEXT,
        "dice": [None, {"face": HOSTILE_TEXT, "pips": 77}],
    }
    second["paint"] += [[99, 0, "o"], [0, -1, "o"], [0, 1.5, "o"], ["__proto__", 0, "o"], [0, 0, "zzz"], None]
    second |= {"glow": [[0, 999], 4], "spend": [[0, 99], ["constructor", 0], None], "scores": [None, "x"]}
    third |= {"seat": 17, "round": "x", "status": 3, "ply": -5}
    scene["steps"][3:5] = [None, "step"]
    page = show_scene(scene)
    assert page.locator("h1").inner_text() == HOSTILE_TEXT
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert page.locator(".caption").inner_text() == HOSTILE_TEXT
    page.keyboard.press("End")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2


def test_an_invalid_scene_gives_one_sentence(show_scene: Callable[..., Page]) -> None:
    scenes: tuple[object, ...] = ({}, [], None, 3, "scene", {"steps": 3, "boards": "no"})
    for scene in scenes:
        page = show_scene(scene)
        said = page.get_by_role("alert").inner_text()
        assert said == "This game cannot be shown. This scene has neither boards nor plies."
