"""Addresses that nobody would write: the page is drawn with what is nearest to them, or says in a line what is not there."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

    from pipelines.runs.library import Library

HOSTILE_NUMBERS: Final = ("9" * 5_000, "1", "\x00")
HOSTILE_KEYS: Final = {
    "replay.py": ("game", "ply", "review"),
    "whatif.py": ("game", "ply", "seat", "n", "seed"),
    "strategies.py": ("pair", "run"),
    "rules.py": ("blocks", "seed"),
    "scores.py": ("rulesets", "shape"),
    "sql.py": ("x", "kind"),
}
OTHER_ADDRESS_FIELDS: Final = {"rules.py": {"ruleset": "bloxx-3p", "part": "effect"}}


@pytest.mark.parametrize("number", HOSTILE_NUMBERS, ids=lambda text: repr(text[:20]))
@pytest.mark.parametrize("page", HOSTILE_KEYS)
def test_any_number_in_an_address_draws_the_page(
    open_dashboard_page: Callable[..., AppTest], page: str, number: str
) -> None:
    at = open_dashboard_page(
        page, **OTHER_ADDRESS_FIELDS.get(page, {}), **dict.fromkeys(HOSTILE_KEYS[page], number)
    )
    assert not at.exception, at.exception
    assert at.title


@pytest.mark.parametrize("number", HOSTILE_NUMBERS, ids=lambda text: repr(text[:20]))
def test_any_number_in_the_question_of_many_games_draws_the_page(
    open_dashboard_page: Callable[..., AppTest], number: str
) -> None:
    keys = dict.fromkeys(("n", "most", "seed", "seat"), number)
    at = open_dashboard_page("whatif.py", run="three", games=f"lost:{number}", where="last-roll", **keys)
    assert not at.exception, at.exception
    assert at.title


def test_a_run_in_the_address_that_is_a_path_leads_nowhere(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path
) -> None:
    """Neither to a file that is a run, nor to a folder of an unfinished one, nor to what a program has logged."""
    shutil.copy(library.run("three").path, tmp_path / "outside.duckdb")
    (tmp_path / "outside.log").write_text("reroll: seventeen green herons\n", encoding="utf-8")
    for name in (str(tmp_path / "outside"), f"../../{tmp_path.name}/outside", "..", "a/../three"):
        at = open_dashboard_page("strategies.py", run=name)
        assert not at.exception, at.exception
        assert any("There is no comparison" in one.value for one in at.error)
        assert not [one for one in (*at.error, *at.warning, *at.markdown) if "herons" in one.value]
