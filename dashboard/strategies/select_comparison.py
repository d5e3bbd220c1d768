"""The choice of the comparison that the page shows: finished, in progress, or new. The address contains it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.queries.verdicts import has_verdict, write_run_verdict
from dashboard.widgets.address import read_page_question, write_page_question
from dashboard.widgets.labels import (
    NO_LABELS,
    add_run_labels,
    read_run_labels,
    show_label_filter,
    write_label_badges,
)
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from engine.errors import GameError
from pipelines.design.lineups import shorten_names
from pipelines.questions.comparison.answer import has_different_strategies
from pipelines.questions.comparison.question import KnownComparisonQuestion
from pipelines.report import wording
from pipelines.runs.library import Run
from pipelines.runs.names import is_file_name
from pipelines.service import jobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.design.designs import ComparisonDesign
    from pipelines.runs.library import Library, UnfinishedRun

RUN_WIDGET_KEY: Final = "strategies-run"
"""The widget key of the choice."""
NEW_COMPARISON, ALL_COMPARISONS = "/new", ""
"""Choices beside the names of runs, which contain no slash and are not empty."""
MAX_COMPARISONS_LINKED: Final = 6
"""The page links to so many comparisons; the list contains all of them."""


def comparable_runs(library: Library) -> dict[str, Run | UnfinishedRun]:
    """Return the runs that can be compared, by name: comparisons, and simulations with different strategies on all seats."""
    finished = {run.name: run for run in cached.all_runs() if has_different_strategies(run.summary)}
    unfinished = {run.name: run for run in library.unfinished_runs() if _is_comparison(run)}
    return {**unfinished, **finished}


def _is_comparison(partial: UnfinishedRun) -> bool:
    try:
        return partial.design.is_comparison
    except GameError:  # the page Library shows what is wrong with it
        return False


def started_designs() -> dict[str, ComparisonDesign]:
    """Return the designs of the comparisons that this visitor started, by run; they exist before any file does."""
    designs: dict[str, ComparisonDesign] = st.session_state.setdefault("strategies-started", {})
    return designs


def read_asked_comparison(library: Library, comparisons: dict[str, Run | UnfinishedRun]) -> str | None:
    """Return the name of the comparison that the address asks for, or None; say so if it does not exist."""
    asked = read_page_question(KnownComparisonQuestion)[0].run
    if not asked or asked in {*comparisons, *started_designs()}:
        return asked or None
    state = jobs.Job(library, asked).state if is_file_name(asked) else "failed"
    if state == "failed":
        st.error(escape_markdown(f"There is no comparison {asked}."))
        return None
    if state == "finished" and not has_different_strategies(library.run(asked).summary):
        st.error(
            escape_markdown(
                f"The run {asked} compares nothing: only comparisons do, and simulations with another strategy for every player."
            )
        )
        return None
    return asked


def ask_which_comparison(
    comparisons: dict[str, Run | UnfinishedRun],
    shown: str,
    open_form: Callable[[], None],
    *,
    is_among_all: bool,
) -> None:
    """Ask which comparison to show, beside a button for a new one. A choice changes the address, which determines the page.

    `shown` is the name of a comparison or `NEW_COMPARISON`; `open_form` opens the form of a new one. `is_among_all` says that
    the page links to all others below.
    """
    names = list(dict.fromkeys([*([] if shown == NEW_COMPARISON else [shown]), *comparisons]))
    if not names:
        return
    named = {name: f"{_comparison_title(name, comparisons.get(name))} · {name}" for name in names}
    titles = {
        NEW_COMPARISON: "A new comparison",
        **({} if is_among_all else {ALL_COMPARISONS: f"All comparisons ({len(names)})"}),
        **add_run_labels(named, _finished_runs(comparisons)),
    }

    def open_chosen() -> None:
        name = st.session_state[RUN_WIDGET_KEY]
        if name == NEW_COMPARISON:
            open_form()
        else:
            write_page_question(KnownComparisonQuestion(run=name))

    st.session_state[RUN_WIDGET_KEY] = shown
    with st.container(key="which-comparison", horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            f"One of {len(names)} comparisons" if is_among_all and len(names) > 1 else "Comparison",
            list(titles),
            key=RUN_WIDGET_KEY,
            format_func=titles.__getitem__,
            on_change=open_chosen,
        )
        if shown != NEW_COMPARISON:
            st.button("Compare others", type="primary", key="strategies-new", on_click=open_form)


def newest_comparison(comparisons: dict[str, Run | UnfinishedRun], sha256: str | None = None) -> Run | None:
    """Return the finished comparison to show first: the newest one; None if there is none.

    `sha256` keeps the comparisons under these rules. Simulations come last, and runs that are too small for a verdict, or too
    large to be compared at once, are left out.
    """
    runs = [
        run
        for run in comparisons.values()
        if isinstance(run, Run) and (sha256 is None or run.summary.rulesets[0].sha256 == sha256)
    ]
    runs.sort(key=lambda run: not run.summary.is_comparison)
    return next((run for run in runs if has_verdict(run)), None)


def show_comparison_links(comparisons: dict[str, Run | UnfinishedRun], shown: Run | None = None) -> None:
    """Show links to the newest comparisons but the one that the page shows, or to the newest with the labels that are selected."""
    runs = [(run.name, run) for run in _finished_runs(comparisons) if run is not shown]
    if not runs:
        return
    st.header("Other comparisons" if shown else "Compared already")
    labels = read_run_labels(run for _, run in runs)
    wanted = show_label_filter(labels.values(), "strategies-tags", "strategies-favourites")
    runs = [(name, run) for name, run in runs if wanted.fits(labels.get(name, NO_LABELS))]
    if not runs:
        st.caption("No comparison has all of these labels.")
    if len(runs) > MAX_COMPARISONS_LINKED:
        others = wording.format_count(len(runs), "comparison")
        st.caption(
            f"{MAX_COMPARISONS_LINKED} of {others} are listed here. The menu at the top of the page opens all of them."
        )
    for name, run in runs[:MAX_COMPARISONS_LINKED]:
        games = wording.format_count(run.summary.games, "game")
        sentence = write_run_verdict(run)
        headline = (
            write_markdown_sentence(sentence) if sentence else escape_markdown(_comparison_title(name, run))
        )
        with st.container(border=True, key=f"compared-{name}"):
            title, link = st.columns([6, 1], vertical_alignment="center")
            title.markdown(
                f"**{headline}** {write_label_badges(labels.get(name, NO_LABELS))}  \n:small[:gray[{escape_markdown(_comparison_title(name, run))} · "
                f"{escape_markdown(name)} · {games} · {wording.format_time_ago(run.summary.created_at)}]]"
            )
            with link, st.container(horizontal=True, horizontal_alignment="right"):
                st.button(
                    "Open",
                    key=f"strategies-open-{name}",
                    on_click=write_page_question,
                    args=(KnownComparisonQuestion(run=name),),
                )


def _finished_runs(comparisons: dict[str, Run | UnfinishedRun]) -> list[Run]:
    return [run for run in comparisons.values() if isinstance(run, Run)]


def _comparison_title(name: str, run: Run | UnfinishedRun | None) -> str:
    """Return the title of a comparison, even before its files exist."""
    if isinstance(run, Run):
        return wording.format_run_title(run.summary)
    design = run.design if run else started_designs().get(name)
    return shorten_names(design.title, design.labels) if design else "comparison"
