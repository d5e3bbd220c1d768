"""Which comparison the page is about: one that has been or is being played, or a new one. It stands in the address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets import words
from dashboard.widgets.address import turn_to
from engine.game import GameError
from pipelines.runs.library import Run
from pipelines.service import jobs

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.runs.library import Library, Partial

RUN: Final = "strategies-run"
"""The key of the choice."""
OFFERED: Final = 6
"""Comparisons that are led to; the others are in the list to choose from."""


def comparable(library: Library) -> dict[str, Run | Partial]:
    """Return what can be looked at, by name: comparisons, and simulations with a different strategy on every seat."""
    finished: dict[str, Run | Partial] = {
        run.name: run
        for run in cached.runs()
        if run.summary.kind == "compare"
        or (run.summary.kind == "simulate" and len(run.summary.strategies) == _players(run) > 1)
    }
    unfinished = {one.name: one for one in library.partials() if _is_comparison(one)}
    return {**unfinished, **finished}


def _is_comparison(partial: Partial) -> bool:
    try:
        return partial.design.kind == "compare"
    except GameError:  # the page Library says what is wrong with it
        return False


def _players(run: Run) -> int:
    return run.summary.rulesets[0].players


def started() -> dict[str, Design]:
    """Return the designs of the comparisons that this visitor started, by run: known before anything is on disk."""
    designs: dict[str, Design] = st.session_state.setdefault("strategies-started", {})
    return designs


def choose(library: Library, there: dict[str, Run | Partial]) -> str | None:
    """Ask which comparison to look at; None for a new one."""
    asked = st.query_params.get("run")
    if asked and asked not in {*there, *started()} and not _is_begun(library, asked):
        st.error(cached.escaped(f"There is no comparison {asked} here."))
        asked = None
    options = ["", *dict.fromkeys([*([asked] if asked else []), *there])]
    if len(options) == 1:
        return None
    titles = {name: f"{_title(name, there.get(name))} · {name}" for name in options[1:]}
    st.session_state[RUN] = asked or ""
    st.selectbox(
        "Comparison",
        options,
        key=RUN,
        format_func={"": "a new comparison", **titles}.__getitem__,
        on_change=_open,
    )
    return asked


def offer(there: dict[str, Run | Partial]) -> None:
    """Lead to the newest of what has been compared."""
    runs = [(name, run) for name, run in there.items() if isinstance(run, Run)][:OFFERED]
    if not runs:
        return
    st.header("Compared already")
    for name, run in runs:
        games = words.counted(run.summary.games, "game")
        with st.container(horizontal=True, vertical_alignment="center"):
            title = cached.escaped(run.summary.title)
            st.button(title, key=f"strategies-open-{name}", on_click=turn_to, kwargs={"run": name})
            st.caption(cached.escaped(f"{name} · {games} · {words.ago(run.summary.created_at)}"))


def _is_begun(library: Library, name: str) -> bool:
    """Say whether a comparison of this name, which may be any text, is being made or was."""
    return jobs.is_name(name) and jobs.Job(library, name).state != "failed"


def _title(name: str, found: Run | Partial | None) -> str:
    """Return what a comparison is called, also before anything of it is on disk."""
    if isinstance(found, Run):
        return found.summary.title
    design = found.design if found else started().get(name)
    return design.title if design else "comparison"


def _open() -> None:
    """Put the chosen comparison into the address, from which the page is drawn."""
    name = st.session_state[RUN]
    turn_to(**({"run": name} if name else {}))
