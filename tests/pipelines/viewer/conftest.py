"""Fixtures for tests of the replay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.sync_api import Browser

    from engine.scene import Scene

ReviewDocument = dict[str, Any]
REPLAY_FOLDER: Final = Path(assets.__file__).parent
NAME_PATTERN: Final = re.compile(r"^(?:export )?(?:async )?(?:const|function) (\w+)", flags=re.MULTILINE)


@pytest.fixture(scope="module")
def evaluate(browser: Browser) -> Iterator[Callable[..., Any]]:
    """Evaluate an expression with a value `given` and all functions of one module, also those that it does not export."""
    page = browser.new_page()

    def call(module: str, expression: str, given: object = None) -> Any:  # noqa: ANN401 - JSON data
        if not page.evaluate("(name) => name in window", f"${module}"):
            names = NAME_PATTERN.findall((REPLAY_FOLDER / f"{module}.js").read_text(encoding="utf-8"))
            script = assets.join_modules(REPLAY_FOLDER, module)
            page.evaluate(f"window.${module} = (() => {{\n{script}\nreturn {{ {', '.join(names)} }};\n}})()")
        names = page.evaluate("(name) => Object.keys(window[name])", f"${module}")
        used = [name for name in names if re.search(rf"\b{name}\b", expression)]
        return page.evaluate(
            f"(given) => {{ const {{ {', '.join(used)} }} = ${module}; return {expression}; }}", given
        )

    yield call
    page.close()


@pytest.fixture
def handmade_game(evaluate: Callable[..., Any], handmade_scene: Scene) -> dict[str, Any]:
    """The handmade scene as the replay reads it, without what JSON does not have."""
    game: dict[str, Any] = evaluate("scene", "readScene(given)", handmade_scene)
    return game


def with_half_interval(values: Sequence[float], half: float) -> list[list[float]]:
    """Return [value, half width] for every value, with the same half width."""
    return [[value, half] for value in values]


@pytest.fixture
def review() -> ReviewDocument:
    """A review of the handmade game: a roll that was lucky for seat 2, a blunder of seat 1, the best choice of seat 2."""
    shares = [[0.3, 0.3, 0.4], [0.2, 0.25, 0.55], [0.25, 0.0, 0.75], [0.0, 0.5, 0.5]]
    values = [[3.5, 4.0, 4.5], [3.0, 4.0, 6.0], [3.0, 2.0, 6.0], [0.0, 4.0, 4.0]]
    return {
        "policy": "greedy",
        "playouts": 128,
        "duel": 400,
        "candidates": 12,
        "large": 0.1,
        "spread": 12.0,
        "done": 6,
        "steps": 6,
        "error": "",
        "scores": [with_half_interval(row, 0.5) for row in values],
        "wins": [with_half_interval(row, 0.05) for row in shares],
        "decisions": [
            {
                "ply": 1,
                "options": 44,
                "judged": "blunder",
                "judged_by_points": "mistake",
                "nearly_decided": False,
                "better": "I2:c1,c2",
                "board": 0,
                "moves": [
                    {
                        "action": "I2:c1,c2",
                        "piece": "I2",
                        "cells": [2, 8],
                        "wins": [0.42, 0.1],
                        "score": [6, 1],
                    },
                    {"action": "out", "kind": "out", "wins": [0.31, 0.1], "score": [5, 0]},
                    {
                        "action": "I2:a1,a2",
                        "piece": "I2",
                        "cells": [0, 6],
                        "wins": [0.26, 0.05],
                        "score": [3, 1],
                        "behind_by_win": True,
                        "behind_by_points": True,
                    },
                ],
                "points": [3.24, 0.81],
                "wins": [0.16, 0.04],
            },
            {
                "ply": 2,
                "options": 7,
                "judged": "best",
                "judged_by_points": "unclear",
                "nearly_decided": False,
                "better": None,
                "points": [-1, 1],
                "wins": [0, 0],
            },
        ],
        "rolls": [
            {
                "ply": 0,
                "points": with_half_interval([-0.5, 0.0, 1.5], 0.7),
                "wins": with_half_interval([-0.1, -0.05, 0.15], 0.07),
                "large": 2,
            }
        ],
        "ledgers": [
            [*with_half_interval(parts, 0.5), [result, 0]]
            for *parts, result in ([3.5, -0.5, 0, -3, 0], [4, 0, -2, 2, 4], [4.5, 1.5, -2, 0, 4])
        ],
        "win_ledgers": [
            [*with_half_interval(parts, 0.05), [result, 0]]
            for *parts, result in (
                [0.3, -0.1, 0, -0.2, 0],
                [0.3, -0.05, -0.25, 0.5, 0.5],
                [0.4, 0.15, -0.25, 0.2, 0.5],
            )
        ],
    }
