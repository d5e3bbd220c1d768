"""Invalid addresses: every page is drawn with the nearest valid values, or with a message that says what does not exist."""

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
    "replay.py": ("game-number", "move", "review", "player", "continuations", "seed"),
    "whatif.py": ("run", "limit"),
    "play.py": ("ruleset", "game-number", "move", "seats", "seed", "moves"),
    "strategies.py": ("pair", "run", "ruleset", "strategies", "metric", "blocks", "until-decided", "seed"),
    "rules.py": ("blocks", "seed"),
    "scores.py": ("rulesets", "shape"),
    "sql.py": ("x", "kind"),
    "library.py": ("ruleset", "strategies", "games", "log", "seed"),
}
OTHER_ADDRESS_FIELDS: Final = {
    "rules.py": {"ruleset": "bloxx-3p", "part": "effect"},
    "library.py": {"play": "bloxx"},
}


@pytest.mark.parametrize("number", HOSTILE_NUMBERS, ids=lambda text: repr(text[:20]))
@pytest.mark.parametrize("page", HOSTILE_KEYS)
def test_an_invalid_number_in_an_address_breaks_no_page(
    open_dashboard_page: Callable[..., AppTest], page: str, number: str
) -> None:
    at = open_dashboard_page(
        page, **OTHER_ADDRESS_FIELDS.get(page, {}), **dict.fromkeys(HOSTILE_KEYS[page], number)
    )
    assert not at.exception, at.exception
    assert at.title


@pytest.mark.parametrize("number", HOSTILE_NUMBERS, ids=lambda text: repr(text[:20]))
def test_an_invalid_number_in_a_question_about_many_games_breaks_no_page(
    open_dashboard_page: Callable[..., AppTest], number: str
) -> None:
    keys = dict.fromkeys(("continuations", "limit", "seed", "player"), number)
    at = open_dashboard_page("whatif.py", run="three", many=f"lost:{number}", move="last-roll", **keys)
    assert not at.exception, at.exception
    assert at.title


def test_a_path_as_the_name_of_a_run_opens_no_file(
    open_dashboard_page: Callable[..., AppTest], library: Library, tmp_path: Path
) -> None:
    """The paths lead to a run file, to the folder of an unfinished run, and to the log of a job."""
    shutil.copyfile(library.run("three").path, tmp_path / "outside.duckdb")
    (tmp_path / "outside.log").write_text("reroll: seventeen green herons\n", encoding="utf-8")
    for name in (str(tmp_path / "outside"), f"../../{tmp_path.name}/outside", "..", "a/../three"):
        at = open_dashboard_page("strategies.py", run=name)
        assert not at.exception, at.exception
        assert any("There is no comparison" in error.value for error in at.error)
        messages = (*at.error, *at.warning, *at.markdown)
        assert not [message for message in messages if "herons" in message.value]
