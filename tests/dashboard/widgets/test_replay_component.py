"""A request of a replay that arrives when the visitor has left its page is dropped."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_a_request_of_a_replay_that_is_gone_is_none() -> None:
    def take_request() -> None:
        import streamlit as st

        from dashboard.widgets.replay_component import _take_panel_request, pop_panel_request

        _take_panel_request("whatif-replay")
        st.text(pop_panel_request())

    at = AppTest.from_function(take_request).run()
    assert not at.exception
    assert at.text[0].value == "{}"
