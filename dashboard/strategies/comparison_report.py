"""The report of a comparison on the page Strategies: finished, in progress, or the largest one, with its checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.strategies.comparison_choice import latest_pace, started_designs
from dashboard.widgets import address
from dashboard.widgets.background_work import refresh_until
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.sheet import show_basis, show_part, show_parts, show_sheet, show_verdict
from engine.errors import GameError
from pipelines.design.short_names import short_names
from pipelines.experiments.background_work import BackgroundWork, find_or_start_work
from pipelines.experiments.comparison import Comparison, compare_live_run, control_run, preview_comparison
from pipelines.questions.address import write_address
from pipelines.questions.comparison import ComparisonAnswer, KnownComparisonQuestion, answer_comparison
from pipelines.questions.game import GameQuestion
from pipelines.report import wording
from pipelines.service import jobs
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.experiments.controls import Control
    from pipelines.report.sheet import Part, Sheet
    from pipelines.runs.library import Library, Run

ROWS: Final = (("leads", "spread"),)
"""The parts that stand beside each other."""


def show_preview(comparison: Comparison) -> None:
    """Show what the first blocks of a comparison say, and who leads."""
    sheet = cached.compose_sheet(ComparisonAnswer(KnownComparisonQuestion(run=comparison.run), comparison))
    show_verdict(sheet)
    show_parts(sheet.list_parts("main"), ROWS, {})
    show_basis(sheet)


def show_comparison_report(run: Run) -> None:
    """Show the whole report of a finished comparison."""
    question, unread = address.read_page_question(KnownComparisonQuestion)
    address.show_address_problems(unread)
    checks = start_checks(run)
    answer = cached_comparison(*cached.file_version(run), question)
    ask_pair(answer)
    checked = replace(answer.comparison, controls=checks.latest or ())
    answer = _open_chosen_twin(replace(answer, comparison=checked))
    sheet = _compose_sheet(answer)
    show_checks(checks)
    draw = {"parting": lambda part: _show_parting(answer, part)}
    show_sheet(sheet, rows=ROWS, draw=draw, details_key="statistics")


@st.cache_resource(max_entries=32, show_spinner="Comparing …")
def cached_comparison(path: str, changed: int, question: KnownComparisonQuestion) -> ComparisonAnswer:
    """Return the answer of a finished run without its controls. Run files never change, so it is cached."""
    del changed  # part of the key
    run = cached.dashboard_library().run(path)
    source = replace(cached.question_source(), only=(run,))
    return answer_comparison(question.model_copy(update={"run": run.name}), source, with_controls=False)


def ask_pair(answer: ComparisonAnswer) -> None:
    """Ask for the pair that the parts describe, if there are several, and write it into the address."""
    pairs = answer.comparison.pairs
    if len(pairs) == 1:
        return
    names = short_names(answer.comparison.strategies)
    key = f"pair-{answer.comparison.run}"
    st.selectbox(
        "Pair",
        range(len(pairs)),
        index=answer.pair_number,
        format_func=lambda index: f"{names[pairs[index].a]} against {names[pairs[index].b]}",
        key=key,
        on_change=lambda: st.query_params.update(
            write_address(KnownComparisonQuestion(pair=st.session_state[key]))
        ),
    )


def _list_telling_twins(answer: ComparisonAnswer) -> list[int]:
    """Return the indices of the twin games with different scores; others may be identical."""
    return [at for at, twin in enumerate(answer.twins) if twin.difference]


def _name_twin_choice(answer: ComparisonAnswer) -> str:
    return f"twins-{answer.comparison.run}-{answer.pair.sides}"


def _open_chosen_twin(answer: ComparisonAnswer) -> ComparisonAnswer:
    """Return the answer about the twin games that the visitor has chosen in `_show_parting`."""
    chosen = st.session_state.get(_name_twin_choice(answer), 0)
    return answer.open_twin(chosen) if chosen else answer


def _show_parting(answer: ComparisonAnswer, part: Part) -> None:
    """Show where two games with the same luck part, with links to their replays; the visitor chooses the games."""
    names, pair = short_names(answer.comparison.strategies), answer.pair

    def name_twin(index: int) -> str:
        twin = answer.twins[index]
        scores = f"{names[pair.a]} {twin.score_a}, {names[pair.b]} {twin.score_b}"
        place = f"{wording.format_player(twin.seat).lower()} in block {twin.block + 1}"
        return set_minus_signs(f"{scores} ({place})")

    show_part(part)
    if answer.parting is None:
        return
    st.selectbox(
        "The same seat with the same luck, once with each strategy",
        _list_telling_twins(answer),
        format_func=name_twin,
        key=_name_twin_choice(answer),
    )
    twin = answer.twins[answer.opened_twin]
    with st.container(horizontal=True):
        for label, game in ((pair.a, twin.game_a), (pair.b, twin.game_b)):
            question = GameQuestion(run=answer.comparison.run, game=game, ply=answer.parting.ply)
            address.show_link(question, f"Replay the game of {names[label]}")


def show_running_comparison(library: Library, name: str) -> None:
    """Show a comparison in progress and refresh it until it is finished."""
    job = jobs.Job(library, name)
    was_over = job.state in {"stopped", "failed"}
    preview = _play_first_blocks(name)

    def show_latest_blocks() -> None:
        state = job.state
        if preview:
            preview.keep_alive()
        if state == "failed":
            st.error(escape_markdown(f"{name}: {job.last_line.removeprefix('reroll: ')}"))
            return
        comparison = _furthest_comparison(preview, job)
        _show_progress(library, job, state, comparison)
        if comparison:
            show_preview(comparison)

    def is_over() -> bool:
        state = job.state
        if state == "finished" and preview:
            preview.stop()
        return state not in {"starting", "running"}

    refresh_until(is_over, show_latest_blocks, was_over=was_over)


def _play_first_blocks(name: str) -> BackgroundWork[Comparison] | None:
    """Play the first blocks in this process while the workers of the comparison start.

    Return None if another visitor started the comparison.
    """
    design = started_designs().get(name)
    if design is None:
        return None

    first = find_or_start_work(
        st.session_state, "strategies-preview", name, partial(preview_comparison, design)
    )
    first.wait(0.3)
    return first


def _furthest_comparison(first: BackgroundWork[Comparison] | None, job: jobs.Job) -> Comparison | None:
    """Return what is known from the most blocks: those played here first, or the finished shards of the run."""
    seen = first.latest if first else None
    try:
        played = compare_live_run(job.partial)
    except (GameError, OSError):  # nothing is finished yet, or it becomes a run at this moment
        return seen
    if seen and played.blocks < seen.blocks:
        return seen
    if first:
        first.stop()
    return played


def _resume_comparison(library: Library, job: jobs.Job) -> None:
    jobs.resume_job(library, job.partial)


def _show_progress(library: Library, job: jobs.Job, state: str, comparison: Comparison | None) -> None:
    """Show the progress, with a button to stop or to resume. It counts the games of the verdict below it.

    When all of them are played, by the run or here, there is nothing left to stop.
    """
    bar, buttons = st.columns([6, 1], vertical_alignment="center")
    design: Design | None = started_designs().get(job.name)
    saved_games, left = 0, None
    with suppress(GameError):  # it has no folder yet
        design, saved_games, left = job.partial.design, job.partial.games_done, job.partial.seconds_left
    if design is None:
        bar.progress(0.0, "Starting …")
        return
    if state == "stopped":
        counted_games = comparison.games if comparison else saved_games
        saved = (
            f"; {saved_games:,} of them are saved, Resume plays the others again"
            if counted_games > saved_games
            else ""
        )
        played = f"{counted_games:,} of {wording.format_count(design.games, 'game')}"
        bar.progress(saved_games / design.games, f"Stopped after {played}{saved}.")
        buttons.button("Resume", key="strategies-on", on_click=_resume_comparison, args=(library, job))
        return
    done, is_stopping = comparison.games if comparison else 0, job.partial.is_cancelled
    if not is_stopping and max(done, saved_games) >= design.games:
        bar.progress(1.0, wording.describe_finishing(design.games))
        return
    stopping = f"Stopping … {done:,} of {wording.format_count(design.games, 'game')}"
    bar.progress(
        min(1.0, done / design.games), stopping if is_stopping else _format_progress(design, done, left)
    )
    can_stop = state == "running" and not is_stopping
    buttons.button("Stop", key="strategies-stop", on_click=job.cancel, disabled=not can_stop)


def _format_progress(design: Design, done: int, left: float | None) -> str:
    """Return how many games are played, and how long the others take: by the run, or by the estimate of the form."""
    pace = latest_pace(design)
    if left is None and pace:
        left = pace.estimate_seconds(design.games - done)
    words = wording.describe_progress(done, design.games, "game", left)
    return words.replace(" of ", " of at most ", 1) if design.is_played_until_decided else words


def show_first_comparison(run: Run) -> None:
    """Show the verdict of a comparison, by how much its best strategy leads each of several others, and how the scores spread."""
    question = KnownComparisonQuestion(run=run.name)
    address.declare_shown_question(question)
    sheet = _compose_sheet(cached_comparison(*cached.file_version(run), question))
    show_verdict(sheet)
    show_parts(sheet.list_parts("main"), ROWS, {})
    show_basis(sheet)
    st.button(
        "The whole report", key="strategies-report", on_click=address.write_page_question, args=(question,)
    )


def _compose_sheet(answer: ComparisonAnswer) -> Sheet:
    """Return the sheet of a comparison without the picture of a single lead, which stands in the verdict."""
    sheet = cached.compose_sheet(answer)
    if len(answer.comparison.pairs) > 1:
        return sheet
    return replace(sheet, parts=tuple(part for part in sheet.parts if part.key != "leads"))


def start_checks(run: Run) -> BackgroundWork[tuple[Control, ...]]:
    """Start the checks of a comparison, or return those that were started for this visitor."""
    version = cached.file_version(run)

    def iter_answers(_stopped: Callable[[], bool]) -> Iterator[tuple[Control, ...]]:
        yield _cached_controls(*version)

    work = find_or_start_work(st.session_state, "strategies-checks", version, iter_answers)
    work.wait(0.3)
    return work


@lru_cache(maxsize=64)
def _cached_controls(path: str, changed: int) -> tuple[Control, ...]:
    """Return the controls of a run. `st.cache_data` would need the thread of a page."""
    del changed  # part of the key
    return control_run(cached.dashboard_library().run(path))


def show_checks(work: BackgroundWork[tuple[Control, ...]]) -> None:
    """Say that the checks are still computed; the page is drawn anew with their results."""

    def show_state() -> None:
        work.keep_alive()
        if work.error:
            st.error(escape_markdown(work.error))
        elif work.latest is None:
            st.caption("Checking this comparison: the dice, the luck, every strategy against itself …")

    refresh_until(lambda: work.is_over, show_state, was_over=work.is_over)
