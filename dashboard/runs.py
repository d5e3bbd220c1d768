"""The parts of the page All runs: the list of finished runs, and games from a file."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import streamlit as st

from dashboard.cached import read_run_whatif, write_run_verdict
from dashboard.widgets import markdown
from dashboard.widgets.address import read_query, show_address_problems, show_link
from dashboard.widgets.keep.keep_button import show_run_buttons
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.review_all import offer_review
from engine import games
from engine.errors import GameError
from pipelines.design.limits import MAX_RUN_NAME_CHARACTERS, normal_form
from pipelines.design.short_names import shorten_names
from pipelines.questions.address import find_choices, read_fields
from pipelines.questions.comparison import KnownComparisonQuestion
from pipelines.questions.game import GameQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.simulation import MAX_SEARCH_CHARACTERS, RunListQuestion, SimulationQuestion
from pipelines.report import wording
from pipelines.runs.intake import (
    CHECK_TIMEOUT_SECONDS,
    CHECKED_GAMES,
    MAX_UPLOAD_MEGABYTES,
    Intake,
    rename_run,
    start_intake,
)

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from pipelines.runs.library import Library, Run

RUNS_SHOWN_AT_FIRST: Final = 6
_ORDERS: Final[dict[str, Callable[[Run], Any]]] = {
    "Newest first": lambda run: -run.summary.created_at.timestamp(),
    "Oldest first": lambda run: run.summary.created_at.timestamp(),
    "Most games first": lambda run: -run.summary.games,
    "By name": lambda run: run.name.casefold(),
}
MAX_DOWNLOAD_BYTES: Final = 1_000_000_000
"""The largest run file that the page hands out."""


def format_library_totals(runs: list[Run]) -> str:
    """Return a sentence on the size of the library."""
    summaries = [run.summary for run in runs]
    rulesets = {ruleset.sha256 for summary in summaries for ruleset in summary.rulesets}
    in_whatifs = sum(summary.games for summary in summaries if summary.is_whatif)
    return (
        f"**{wording.format_count(sum(summary.games for summary in summaries), 'game')}**"
        f"{f', {in_whatifs:,} of them in what-ifs,' if in_whatifs else ''} in "
        f"**{wording.format_count(len(runs), 'run')}** of **{wording.format_count(len(rulesets), 'ruleset')}**, "
        f"{wording.format_bytes(sum(summary.bytes for summary in summaries))} on disk; "
        f"the newest finished {wording.format_time_ago(summaries[0].created_at)}."
    )


def show_run_list(library: Library, runs: list[Run]) -> None:
    """Show the newest runs, or those that fit the search and the filters, in an order; what-ifs come after runs of games."""
    with st.container(horizontal=True, vertical_alignment="center", key="run-filters"):
        runs = _ask_run_filters(runs)
    listed = st.container()
    whatifs = sum(run.summary.is_whatif for run in runs)
    among = f", {whatifs:,} of them what-ifs" if whatifs else ""
    everything = len(runs) > RUNS_SHOWN_AT_FIRST and st.toggle(
        f"Show all {len(runs):,} runs{among}", key="all", bind="query-params"
    )
    with listed:
        for run in runs if everything else runs[:RUNS_SHOWN_AT_FIRST]:
            show_run_card(library, run)
    if not runs:
        st.info("No run has all of these words.")


def _ask_run_filters(runs: list[Run]) -> list[Run]:
    """Ask for words, a game and an order; return the runs that fit."""
    words = st.text_input(
        "Search",
        key="search",
        bind="query-params",
        label_visibility="collapsed",
        placeholder="Search names, rulesets",
        max_chars=MAX_SEARCH_CHARACTERS,
        width=250,
    )
    titles = {
        ruleset.game: games.find_game(ruleset.game).title for run in runs for ruleset in run.summary.rulesets
    }
    if len(titles) > 1:
        selected_game = st.pills(
            "Game",
            sorted(titles, key=games.list_order),
            format_func=titles.__getitem__,
            key="kind-of-game",
            bind="query-params",
            label_visibility="collapsed",
        )
        runs = [
            run
            for run in runs
            if selected_game is None or any(r.game == selected_game for r in run.summary.rulesets)
        ]
    _show_filter_problems(titles.values())
    runs = [run for run in runs if has_words(run, words)]
    order = st.selectbox(
        "Order",
        find_choices(RunListQuestion, "order"),
        key="order",
        bind="query-params",
        label_visibility="collapsed",
        width=150,
    )
    runs.sort(key=lambda run: (run.summary.is_whatif, _ORDERS[order](run)))
    return runs


def has_words(run: Run, words: str) -> bool:
    """Return whether all of some words occur in what the list shows of a run."""
    summary = run.summary
    rulesets = [text for ruleset in summary.rulesets for text in (ruleset.name, ruleset.title)]
    texts = [run.name, wording.format_run_title(summary), str(summary.lineup), *rulesets]
    searched = "\n".join(texts).casefold()
    return all(word in searched for word in normal_form(words).casefold().split())


def _show_filter_problems(games: Collection[str]) -> None:
    """Show what is wrong with the filters in the address. `games` are titles."""
    query = read_query()
    if SimulationQuestion.marks & query.keys():  # the form says what is wrong with its own keys
        query = {key: texts for key, texts in query.items() if key in SimulationQuestion.display_keys}
    question, problems = read_fields(RunListQuestion, query)
    show_address_problems([*problems, *question.find_problems(games)])


def show_run_card(library: Library, run: Run) -> None:
    """Show one run with links to its pages."""
    summary = run.summary
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"card-{run.name}"):
        lineup = shorten_names(str(summary.lineup), summary.strategies)
        about = (
            f"{run.name} · {wording.format_count(summary.games, 'game')} · {lineup} · "
            f"{wording.format_time_ago(summary.created_at)}"
        )
        # Two spaces before a line break keep both lines in one paragraph.
        sentence = write_run_verdict(run) if summary.is_comparison or summary.is_whatif else ""
        verdict = f"{write_markdown_sentence(sentence)}  \n" if sentence else ""
        title = wording.format_run_title(summary)
        st.markdown(
            f"**{escape_markdown(title)}**  \n{verdict}:small[:gray[{escape_markdown(about)}]]",
            width="stretch",
        )
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            first = summary.rulesets[0].name
            if summary.is_comparison:
                show_link(KnownComparisonQuestion(run=run.name), "Comparison")
            if summary.is_whatif and (whatif := read_run_whatif(run)):
                show_link(whatif[1], "What if")
            if summary.is_sample:
                show_link(ScoresQuestion(rulesets=(first,), runs=(run.name,)), "Scores")
            if summary.log != "scores":
                show_link(GameQuestion(run=run.name), "Replay")
            menu = st.popover(
                "More", help=f"More about {run.name}", key=f"menu-{run.name}", on_change="rerun"
            )
            if menu.open:  # built when it is opened: closed menus took half of the time of the page
                with menu:
                    show_run_menu(library, run)


def show_run_menu(library: Library, run: Run) -> None:
    """Show the rarely used actions: keep, give away, copy the command, the run file, rename, and delete (with a confirmation)."""
    show_run_buttons(run)
    if run.summary.log != "scores":
        offer_review(run)
    st.caption("This command plays the same games again")
    markdown.show_verbatim(run.summary.command)
    st.caption(
        f"{run.path.name}, seed {run.summary.seed}, {wording.format_duration(run.summary.seconds)} of computing"
    )
    if run.summary.bytes > MAX_DOWNLOAD_BYTES:
        st.caption(escape_markdown(f"The run file is too large to hand out here. Copy it from {run.path}."))
    else:
        st.download_button(
            f"The run file ({wording.format_bytes(run.summary.bytes)})",
            lambda: open_run_file(run),
            run.path.name,
            "application/octet-stream",
            key=f"download-{run.name}",
            on_click="ignore",
        )
    with (
        st.form(f"rename-form-{run.name}", border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        name = st.text_input(
            "Name",
            run.name,
            key=f"name-{run.name}",
            max_chars=MAX_RUN_NAME_CHARACTERS,
            help="Links contain the name of the run: after renaming, old links no longer work.",
        )
        is_renamed = st.form_submit_button("Rename", key=f"rename-{run.name}")
    if is_renamed:
        apply_rename(library, run, name.strip())
    with st.container(horizontal=True, vertical_alignment="center"):
        is_confirmed = st.checkbox("Delete this run permanently", key=f"sure-{run.name}")
        st.button(
            "Delete", key=f"delete-{run.name}", disabled=not is_confirmed, on_click=delete_run, args=(run,)
        )


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


def show_upload(library: Library) -> None:
    """Show the upload field for a run file."""
    st.caption(
        "A run that somebody gave you: a file that ends in .duckdb, of at most "
        f"{MAX_UPLOAD_MEGABYTES} MB. Before it joins your library, it is checked, and about {CHECKED_GAMES} of its games are "
        "replayed by the rules or played again."
    )
    # A new key makes a new, empty widget after a file has been added.
    turn = st.session_state.setdefault("upload-turn", 0)
    file = st.file_uploader(
        "Run file",
        type="duckdb",
        key=f"upload-{turn}",
        max_upload_size=MAX_UPLOAD_MEGABYTES,
        label_visibility="collapsed",
    )
    if file is not None and st.session_state.get("upload-done") != file.file_id:
        _take_in_upload(library, file)
    finished = st.session_state.get("upload-said")
    if finished:
        good, message = finished
        (st.success if good else st.error)(message)


def _take_in_upload(library: Library, file: UploadedFile) -> None:
    st.session_state["upload-said"] = None
    try:
        intake = start_intake(library, file.name, file.getbuffer())
    except (GameError, OSError) as error:
        _finish_upload(file, good=False, message=escape_markdown(str(error)))
        return
    try:  # leaving the page or removing the file ends the check
        with st.status(escape_markdown(f"Checking {file.name} …"), expanded=True) as status:
            place = st.empty()
            while not intake.is_checked:
                place.caption(
                    f"{wording.format_duration(intake.seconds)} of at most {wording.format_duration(CHECK_TIMEOUT_SECONDS)}. Remove the file to stop."
                )
                time.sleep(0.2)
            fault = intake.fault
            status.update(label="Checked", state="error" if fault else "complete", expanded=False)
        if fault:
            _finish_upload(file, good=False, message=escape_markdown(f"{file.name} was not added: {fault}"))
        else:
            _keep_run(file, intake)
    finally:
        intake.discard()
    if not fault:
        st.rerun()


def _keep_run(file: UploadedFile, intake: Intake) -> None:
    message = intake.what_was_checked
    run = intake.add_to_library()
    _finish_upload(file, good=True, message=escape_markdown(f"{run.name} is in the library: {message}."))
    st.session_state["upload-turn"] += 1


def _finish_upload(file: UploadedFile, *, good: bool, message: str) -> None:
    st.session_state["upload-done"] = file.file_id
    st.session_state["upload-said"] = (good, message)
