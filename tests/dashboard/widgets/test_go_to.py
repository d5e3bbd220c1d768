"""The box *Go to* offers every place by what people call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest


def test_a_ruleset_leads_to_all_that_there_is_of_it(open_dashboard_page: Callable[..., AppTest]) -> None:
    """Only rulesets with games have scores and replays."""
    at = open_dashboard_page("library.py").button(key="go-to").click().run()
    (box,) = [box for box in at.selectbox if box.key == "go-to-name"]
    assert "Scores · page" in box.options
    for kind in ("rules", "play", "scores", "replays"):
        assert f"BLOXX!, 3 players · {kind}" in box.options
    assert "Blokus Duo, 2 players · play" in box.options
    assert "Blokus Duo, 2 players · scores" not in box.options
    assert len(set(box.options)) == len(box.options)
