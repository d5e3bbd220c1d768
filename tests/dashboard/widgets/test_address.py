"""Addresses of pages: filters do not take the fields of links away, and a page does not rewrite the link that opened it."""

from __future__ import annotations

import ast
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import streamlit as st

import dashboard
from dashboard.widgets.address import choose_default_run, write_changed_address

if TYPE_CHECKING:
    from pipelines.runs.library import Run

LINK_FIELDS = {
    "run",
    "game",
    "games",
    "ply",
    "review",
    "action",
    "strategy",
    "seat",
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
        cast("Run", SimpleNamespace(summary=SimpleNamespace(kind=kind, log=log)))
        for kind, log in (("simulate", "scores"), ("whatif", "full"), ("hand", "full"), ("compare", "full"))
    ]
    assert choose_default_run(runs) is runs[2]
    assert choose_default_run(runs[:2]) is runs[1]
    assert choose_default_run(runs[:1]) is runs[0]


def test_no_filter_is_bound_to_a_field_of_a_link_to_another_page() -> None:
    """Streamlit removes the bound fields of a page when a visitor leaves it, also from the link that is followed."""
    sources = Path(dashboard.__file__).parent.rglob("*.py")
    keys = set().union(*[bound_keys(source.read_text(encoding="utf-8")) for source in sources])
    assert "view" in keys
    assert not keys & LINK_FIELDS


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The address in the browser; every change of it would be an entry in the history."""

    class Parameters(dict[str, str]):
        def to_dict(self) -> dict[str, str]:
            return dict(self)

        def from_dict(self, fields: dict[str, str]) -> None:
            self.clear()
            self.update(fields)

    parameters = Parameters(run="three", ply="20")
    monkeypatch.setattr(st, "query_params", parameters)
    monkeypatch.setattr(st, "session_state", {})
    return parameters


def test_the_link_that_opened_a_page_is_not_rewritten(address: dict[str, str]) -> None:
    for _ in range(3):
        write_changed_address("here", {"run": "three", "ply": "20", "n": "1000"})
    assert address == {"run": "three", "ply": "20"}


def test_what_a_visitor_changes_is_written(address: dict[str, str]) -> None:
    write_changed_address("here", {"run": "three", "ply": "20", "n": "1000"})
    write_changed_address("here", {"run": "three", "ply": "20", "n": "2000"})
    assert address == {"run": "three", "ply": "20", "n": "2000"}
    write_changed_address("here", {"run": "three", "ply": "20", "n": "1000"})
    assert address["n"] == "1000"


def test_a_visitor_who_goes_back_stays_there(address: dict[str, str]) -> None:
    write_changed_address("here", {"run": "three", "ply": "20", "n": "1000"})
    write_changed_address("here", {"run": "three", "ply": "20", "n": "2000"})
    address.pop("n")  # the browser is at the first address again
    write_changed_address("here", {"run": "three", "ply": "20", "n": "1000"})
    assert address == {"run": "three", "ply": "20"}
