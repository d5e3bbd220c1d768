"""Addresses of pages: filters do not take the fields of links away, and a page does not rewrite the link that opened it."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import dashboard
from dashboard.widgets.address import choose_default_run

if TYPE_CHECKING:
    from pipelines.runs.library import Run

LINK_FIELDS = {
    "run",
    "game",
    "game-number",
    "games",
    "many",
    "move",
    "ply",
    "review",
    "action",
    "strategy",
    "seat",
    "player",
    "stand-in",
    "option",
    "luck",
    "n",
    "seed",
}


def bound_keys(source: str) -> set[str]:
    """Return the keys of the widgets that are bound to the address."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    settings = [{word.arg: word.value for word in call.keywords} for call in calls]
    keys = [found["key"] for found in settings if "bind" in found and "key" in found]
    return {str(key.value) for key in keys if isinstance(key, ast.Constant)}


def test_a_page_without_a_named_run_shows_the_newest_one_with_whole_logged_games() -> None:
    runs = [
        cast("Run", SimpleNamespace(summary=SimpleNamespace(is_whatif=is_whatif, log=log)))
        for is_whatif, log in ((False, "scores"), (True, "full"), (False, "full"), (False, "full"))
    ]
    assert choose_default_run(runs) is runs[2]
    assert choose_default_run(runs[:2]) is runs[1]
    assert choose_default_run(runs[:1]) is runs[0]


def test_no_filter_is_bound_to_a_field_of_a_link_to_another_page() -> None:
    """Streamlit removes the bound fields of a page when a visitor leaves it, also from the link that is followed."""
    sources = Path(dashboard.__file__).parent.rglob("*.py")
    keys = set().union(*[bound_keys(source.read_text(encoding="utf-8")) for source in sources])
    assert "kinds" in keys
    assert not keys & LINK_FIELDS
