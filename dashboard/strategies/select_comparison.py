"""The choice of the comparison that the page shows: finished, in progress, or new. The address contains it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import words
from dashboard.widgets.address import set_address
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.runs.library import Run
from pipelines.runs.names import is_file_name
from pipelines.service import jobs

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.runs.library import Library, UnfinishedRun

RUN_WIDGET_KEY: Final = "strategies-run"
"""The widget key of the choice."""
MAX_COMPARISONS_LINKED: Final = 6
"""The page links to so many comparisons; the list contains all of them."""


def comparable_runs(library: Library) -> dict[str, Run | UnfinishedRun]:
    """Return the runs that can be compared, by name: comparisons, and simulations with different strategies on all seats."""
    finished: dict[str, Run | UnfinishedRun] = {
        run.name: run
        for run in cached.all_runs()
        if run.summary.kind == "compare"
        or (run.summary.kind == "simulate" and len(run.summary.strategies) == _player_count(run) > 1)
    }
    unfinished = {run.name: run for run in library.unfinished_runs() if _is_comparison(run)}
    return {**unfinished, **finished}


def _is_comparison(partial: UnfinishedRun) -> bool:
    try:
        return partial.design.kind == "compare"
    except GameError:  # the page Library shows what is wrong with it
        return False


def _player_count(run: Run) -> int:
    return run.summary.rulesets[0].players


def started_designs() -> dict[str, Design]:
    """Return the designs of the comparisons that this visitor started, by run; they exist before any file does."""
    designs: dict[str, Design] = st.session_state.setdefault("strategies-started", {})
    return designs


def ask_which_comparison(library: Library, comparisons: dict[str, Run | UnfinishedRun]) -> str | None:
    """Ask which comparison to show; return its name, or None for a new one."""
    asked = st.query_params.get("run")
    if asked and asked not in {*comparisons, *started_designs()} and not _is_begun(library, asked):
        st.error(escape_markdown(f"There is no comparison {asked}."))
        asked = None
    options = ["", *dict.fromkeys([*([asked] if asked else []), *comparisons])]
    if len(options) == 1:
        return None
    titles = {name: f"{_comparison_title(name, comparisons.get(name))} · {name}" for name in options[1:]}
    st.session_state[RUN_WIDGET_KEY] = asked or ""
    st.selectbox(
        "Comparison",
        options,
        key=RUN_WIDGET_KEY,
        format_func={"": "a new comparison", **titles}.__getitem__,
        on_change=_open_comparison,
    )
    return asked


def show_comparison_links(comparisons: dict[str, Run | UnfinishedRun]) -> None:
    """Show links to the newest comparisons."""
    runs = [(name, run) for name, run in comparisons.items() if isinstance(run, Run)][:MAX_COMPARISONS_LINKED]
    if not runs:
        return
    st.header("Earlier comparisons")
    for name, run in runs:
        games = words.format_count(run.summary.games, "game")
        with st.container(horizontal=True, vertical_alignment="center"):
            title = escape_markdown(run.summary.title)
            st.button(title, key=f"strategies-open-{name}", on_click=set_address, kwargs={"run": name})
            st.caption(escape_markdown(f"{name} · {games} · {words.format_time_ago(run.summary.created_at)}"))


def _is_begun(library: Library, name: str) -> bool:
    """Return whether a comparison of this name, which may be any text, has been started."""
    return is_file_name(name) and jobs.Job(library, name).state != "failed"


def _comparison_title(name: str, run: Run | UnfinishedRun | None) -> str:
    """Return the title of a comparison, even before its files exist."""
    if isinstance(run, Run):
        return run.summary.title
    design = run.design if run else started_designs().get(name)
    return design.title if design else "comparison"


def _open_comparison() -> None:
    """Write the chosen comparison into the address, which determines the page."""
    name = st.session_state[RUN_WIDGET_KEY]
    set_address(**({"run": name} if name else {}))
