"""What every page of the dashboard has around it: page settings, styles, the menu, *Keep* and *Give away*; and the page itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.cached import prepare_library
from dashboard.pages import FIRST_PAGE, MENU_PAGES, PAGES, Page
from dashboard.widgets.address import VISITS_SLOT, forget_shown_address, is_in_address
from dashboard.widgets.background_work import show_failures, show_fragment
from dashboard.widgets.chart_preload import PAGES_WITH_CHARTS, preload_charts
from dashboard.widgets.focus import show_top_of_page
from dashboard.widgets.go_to import close_box, show_go_to
from dashboard.widgets.keep.give_away import forget_other_forms, show_give_away_button
from dashboard.widgets.keep.keep_button import PAGES_WITH_ANSWERS, show_keep_button
from pipelines.experiments.background_work import leave_all_work
from pipelines.questions.simulation import SimulationQuestion
from pipelines.service.server import watch_open_files

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

LOOPBACK_ADDRESSES: Final = ("127.0.0.1", "localhost", "::1")
PAGE_STYLE: Final = Path(__file__).with_name("page.css")


def show_phone_menu(pages: Mapping[Page, StreamlitPage], current: StreamlitPage) -> None:
    """Show the menu of narrow windows, a list of all pages, which the style hides in wide ones."""
    section = next(page.section for page, streamlit_page in pages.items() if streamlit_page is current)
    with (
        st.container(key="phone-menu"),
        # another key closes it on the next page; the style marks the menu *More* by it
        st.popover(
            f"Menu · {current.title}",
            type="tertiary",
            icon=":material/menu:",
            key=f"phone-pages-{section}-{current.url_path}",
        ),
        st.container(key="phone-pages"),
    ):
        for page in MENU_PAGES:
            st.page_link(pages[page], label=page.title, width="stretch")


def show_page() -> None:
    """Show the page of the address."""
    watch_open_files()
    st.set_page_config(page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
    st.html(PAGE_STYLE)
    pages = {
        page: st.Page(
            f"views/{page.script}.py",
            title=page.title,
            default=page is FIRST_PAGE,
            visibility="visible" if page.is_in_menu else "hidden",
        )
        for page in PAGES
    }
    sections: dict[str, list[StreamlitPage]] = {}
    for page, streamlit_page in pages.items():
        sections.setdefault(page.section, []).append(streamlit_page)
    current_page = st.navigation(sections, position="top")
    st.set_page_config(page_title=f"{current_page.title} · Reroll")
    show_phone_menu(pages, current_page)
    if st.session_state.get("page") != current_page.title:
        leave_all_work(st.session_state)
        close_box()
        st.session_state["page"] = current_page.title
        st.session_state[VISITS_SLOT] = st.session_state.get(VISITS_SLOT, 0) + 1
    has_charts = current_page.url_path in PAGES_WITH_CHARTS
    if has_charts:
        preload_charts(is_urgent=True)
    show_top_of_page(st.session_state[VISITS_SLOT])
    if st.get_option("server.address") not in LOOPBACK_ADDRESSES:
        st.warning(
            "This dashboard can be reached from the network and has no accounts: anyone who opens it can start and delete "
            "runs. Start it with `reroll dashboard` to keep it on this machine."
        )
    show_go_to()
    forget_shown_address()
    forget_other_forms()
    with show_failures():
        prepare_library()
        current_page.run()
        script = current_page.url_path or FIRST_PAGE.script
        is_form_open = script == SimulationQuestion.page and is_in_address(SimulationQuestion, "play")
        if script in PAGES_WITH_ANSWERS or is_form_open:
            with st.container(key="keep-row", horizontal=True):
                show_fragment(partial(show_keep_button, script))
                if not is_form_open:
                    show_give_away_button(script)
    if not has_charts:
        preload_charts(is_urgent=False)
