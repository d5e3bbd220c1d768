"""Fixtures for tests of the replay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

    from engine.scene import Scene

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
