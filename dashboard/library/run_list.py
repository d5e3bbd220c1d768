"""The list of runs, newest first, with links to their pages and a menu for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

import streamlit as st

from dashboard.widgets import verbatim, words
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError
from pipelines.runs.intake import rename_run

if TYPE_CHECKING:
    from pipelines.runs.library import Library, Run

RUNS_SHOWN_AT_FIRST: Final = 6
MAX_DOWNLOAD_BYTES: Final = 1_000_000_000
"""The largest run file that the page offers for download."""


def format_library_totals(runs: list[Run]) -> str:
    """Return a sentence on the size of the library."""
    summaries = [run.summary for run in runs]
    rulesets = {ruleset.sha256 for summary in summaries for ruleset in summary.rulesets}
    return (
        f"**{words.format_count(sum(summary.games for summary in summaries), 'game')}** in "
        f"**{words.format_count(len(runs), 'run')}** of **{words.format_count(len(rulesets), 'ruleset')}**, "
        f"{words.format_file_size(sum(summary.bytes for summary in summaries))} on disk; "
        f"the newest finished {words.format_time_ago(summaries[0].created_at)}."
    )


def show_run_list(library: Library, runs: list[Run]) -> None:
    """Show the newest runs, or those of the game that is selected."""
    titles = {
        ruleset.game: games.find_game(ruleset.game).title for run in runs for ruleset in run.summary.rulesets
    }
    if len(titles) > 1:
        selected_game = st.pills(
            "Game",
            sorted(titles),
            format_func=titles.__getitem__,
            key="game",
            bind="query-params",
            label_visibility="collapsed",
        )
        runs = [
            run
            for run in runs
            if selected_game is None or any(r.game == selected_game for r in run.summary.rulesets)
        ]
    everything = len(runs) > RUNS_SHOWN_AT_FIRST and st.toggle(
        f"Show all {len(runs):,} runs", key="all", bind="query-params"
    )
    for run in runs if everything else runs[:RUNS_SHOWN_AT_FIRST]:
        show_run_card(library, run)


def show_run_card(library: Library, run: Run) -> None:
    """Show one run with links to its pages."""
    summary = run.summary
    with st.container(border=True, key=f"card-{run.name}"):
        summary_column, links = st.columns([5, 3], vertical_alignment="center")
        about = (
            f"{run.name} · {words.format_count(summary.games, 'game')} · {words.format_line_up(summary.strategies)} · "
            f"seed {summary.seed} · {words.format_time_ago(summary.created_at)} · {words.format_file_size(summary.bytes)}"
        )
        # Two spaces before a line break keep both lines in one paragraph.
        summary_column.markdown(
            f"**{escape_markdown(summary.title)}**  \n:small[:gray[{escape_markdown(about)}]]"
        )
        with links, st.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center"):
            first = summary.rulesets[0].name
            if summary.kind == "compare":
                st.page_link("views/strategies.py", label="Comparison", query_params={"run": run.name})
            if summary.kind != "whatif":  # its games all begin with the same plies
                st.page_link(
                    "views/scores.py", label="Scores", query_params={"rulesets": first, "runs": run.name}
                )
            if summary.log != "scores":
                st.page_link("views/replay.py", label="Replay", query_params={"run": run.name, "game": "0"})
            with st.popover("More", help=f"More about {run.name}"):
                show_run_menu(library, run)


def show_run_menu(library: Library, run: Run) -> None:
    """Show the rarely used actions: copy the command, download, rename, and delete (with a confirmation)."""
    st.caption("This command plays the same games again")
    verbatim.show_verbatim(run.summary.command)
    st.caption(f"{run.path.name}, {words.format_duration(run.summary.seconds)} of computing")
    if run.summary.bytes <= MAX_DOWNLOAD_BYTES:
        st.download_button(
            f"Download ({words.format_file_size(run.summary.bytes)})",
            lambda: open_run_file(run),
            run.path.name,
            "application/octet-stream",
            key=f"download-{run.name}",
            on_click="ignore",
        )
    else:
        st.caption(escape_markdown(f"The file is too large for a download. Copy it from {run.path}."))
    with st.form(f"rename-form-{run.name}", border=False):
        name = st.text_input(
            "Name",
            run.name,
            key=f"name-{run.name}",
            max_chars=80,
            help="Links contain the name of the run: after renaming, old links no longer work.",
        )
        if st.form_submit_button("Rename", key=f"rename-{run.name}"):
            apply_rename(library, run, name.strip())
    is_confirmed = st.checkbox("Delete this run permanently", key=f"sure-{run.name}")
    st.button("Delete", key=f"delete-{run.name}", disabled=not is_confirmed, on_click=delete_run, args=(run,))


def open_run_file(run: Run) -> BinaryIO:
    """Open the file of a run when the download starts."""
    return run.path.open("rb")


def apply_rename(library: Library, run: Run, name: str) -> None:
    """Rename a run; show the error if that fails."""
    if name == run.name:
        return
    try:
        rename_run(library, run, name)
    except (GameError, OSError) as error:
        st.error(escape_markdown(str(error)))
        return
    st.toast(escape_markdown(f"{run.name} is now called {name}."))
    st.rerun()


def delete_run(run: Run) -> None:
    """Delete a run, unless another visitor has already deleted it."""
    run.path.unlink(missing_ok=True)
    st.toast(escape_markdown(f"{run.name} was deleted."))
