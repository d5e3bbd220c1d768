"""Integers that a browser cannot hold keep all their digits on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

BEYOND = (1 << 53) + 1
"""The first integer that a browser rounds."""


def test_the_grid_of_a_query_has_all_digits(open_dashboard_page: Callable[..., AppTest]) -> None:
    sql = f"SELECT {BEYOND} AS x, 18446744073709551615::HUGEINT * 3 AS h, 7 AS small, NULL AS nothing"
    at = open_dashboard_page("sql.py", sql=sql)
    at.button(key="answer-address").click().run()
    at.session_state["sql-work"][1].wait(20)
    at.run()
    row = at.dataframe[0].value.iloc[0]
    assert (row["x"], row["h"]) == (str(BEYOND), str(18446744073709551615 * 3))
    assert row["small"] == 7


def test_a_large_seed_stays_when_another_field_changes(open_dashboard_page: Callable[..., AppTest]) -> None:
    address = {"many": "all", "move": "round:3", "luck": "1"}
    at = open_dashboard_page("whatif.py", run="three", seed=str(BEYOND), continuations="30", **address)
    assert not at.exception
    (field,) = (field for field in at.number_input if field.label == "Continuations of each game")
    field.set_value(40).run()
    at.button(key="whatif-ask").click().run()
    asked = {key: text if isinstance(text, str) else text[0] for key, text in at.query_params.items()}
    assert (asked["continuations"], asked["seed"]) == ("40", str(BEYOND))
