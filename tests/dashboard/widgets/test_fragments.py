"""Parts of a page that are drawn anew, and their failures."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def draw_page_with_parts_that_fail(is_over: bool) -> None:  # noqa: FBT001 - AppTest passes it
    """The script of a page with two parts that cannot be shown, and a last line."""
    import streamlit as st

    from dashboard.widgets.background_work import refresh_until, show_fragment
    from engine.errors import InvalidError

    def fail() -> None:
        raise InvalidError("no such <seat>")

    show_fragment(fail)
    refresh_until(lambda: False, fail, was_over=is_over)
    st.text("the rest")


@pytest.mark.parametrize("is_over", [False, True])
def test_a_part_that_fails_says_so_in_its_place_and_the_rest_of_the_page_is_shown(is_over: bool) -> None:  # noqa: FBT001
    at = AppTest.from_function(draw_page_with_parts_that_fail, args=(is_over,)).run(timeout=30)
    assert not at.exception
    assert [error.value for error in at.error] == ["This cannot be shown\\: no such \\<seat\\>"] * 2
    assert [text.value for text in at.text] == ["the rest"]


def draw_page_that_ends_meanwhile() -> None:
    """The script of a page whose part is over when it is drawn for the first time."""
    import streamlit as st

    from dashboard.widgets.background_work import refresh_until

    def draw_part() -> None:
        st.text("part")

    st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
    refresh_until(lambda: True, draw_part, was_over=st.session_state["drawn"] > 1)


def test_a_part_that_ends_while_its_page_is_drawn_redraws_the_page() -> None:
    at = AppTest.from_function(draw_page_that_ends_meanwhile).run(timeout=30)
    assert at.session_state["drawn"] == 2
    assert [text.value for text in at.text] == ["part"]
