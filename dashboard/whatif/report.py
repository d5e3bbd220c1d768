"""The answer to a what-if question, while it becomes more precise, and the continuations behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries import cached
from dashboard.whatif import tables as whatif_tables
from dashboard.whatif.save_run import show_save_form
from dashboard.whatif.tables import BASE_LOOK, CHANGE_AXIS, CHANGED_LOOK
from dashboard.widgets import charts, tables
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from dashboard.widgets.baseline import read_baseline_series, show_baseline_basis
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.replay_component import show_continuation_pair
from dashboard.widgets.spreadsheets import write_table_csv
from pipelines.experiments.whatif.panel_documents import continuation_document, find_continuation
from pipelines.experiments.whatif.whatif import WhatIf, play_whatif, whatif_sentence
from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.whatif.question import Question
    from pipelines.runs.library import Run


def show_whatif_report(run: Run, question: Question) -> None:
    """Play both branches and show the answer so far; at the end, offer downloads, saving, and replays."""

    def iter_answers(stopped: Callable[[], bool]) -> Iterator[WhatIf]:
        return play_whatif(question.fork, n=question.n, seed=question.seed, stopped=stopped)

    work = find_or_start_work(
        st.session_state, "whatif", tuple(st.query_params.to_dict().items()), iter_answers
    )
    work.wait(0.6)

    def show_details(answer: WhatIf) -> None:
        show_score_distributions(answer, question.fork.seat)
        details = st.expander("For statisticians", key="whatif-statistics", on_change="rerun")
        if details.open:
            with details:
                st.caption(escape_markdown(_format_basis(answer, work.seconds)))
                tables.show_table(whatif_tables.effects_table(answer), "The change for every player")

    show_work_progress(
        work,
        at_first="Playing the first continuations …",
        headline=lambda answer: show_whatif_headline(answer, question.move_name),
        progress=lambda answer: (
            answer.n / question.n,
            f"{answer.n:,} of {question.n:,} continuations of each branch",
        ),
        details=show_details,
    )
    if work.is_over and work.latest:
        show_continuations(work.latest, run)
        with st.container(horizontal=True):
            show_save_form(work.latest, run)
            show_download(work.latest)


def show_whatif_headline(answer: WhatIf, move_name: str) -> None:
    """Show the answer as a sentence, and the question below it; `move_name` is the name of the other move, if any."""
    fork = answer.fork
    st.markdown(f"## {write_markdown_sentence(whatif_sentence(answer))}")
    change = str(fork.change)
    if fork.change.action:
        change = change.replace(f"the move was {fork.change.action}", f"the move was {move_name}")
    st.caption(
        escape_markdown(
            f"What if, from move {fork.ply + 1} on, {change}? {wording.format_count(answer.n, 'continuation')} of each branch "
            "with the same luck."
        )
    )


def _format_basis(answer: WhatIf, seconds: float) -> str:
    """Return a sentence on the continuations behind the answer."""
    share = answer.differing_share
    return (
        f"{answer.n:,} continuations of each branch with the same luck; ± is half of the 95 % interval, and wins are of 100 games. "
        f"{share.estimate:.0%} of the continuations differ ({share.low:.0%} to {share.high:.0%}). {seconds:.1f} s."
    )


def show_score_distributions(answer: WhatIf, seat: int) -> None:
    """Draw the final scores of both branches, and the distribution of their difference."""
    ruleset = answer.fork.ruleset.name
    both = [
        whatif_tables.make_score_series(ruleset, name, values[:, seat], look)
        for name, values, look in (
            ("original", answer.base_scores, BASE_LOOK),
            ("changed", answer.changed.scores, CHANGED_LOOK),
        )
    ]
    rules = answer.fork.ruleset
    seated = answer.fork.base.seating[seat].label
    baseline = read_baseline_series(rules.sha256, ruleset, (), cached.baseline_strategy())
    baseline = [one for one in baseline if one.strategy in {seated, cached.baseline_strategy()}]
    st.header(f"Final score of {wording.format_player(seat)}")
    if answer.fork.change:
        figure = charts.draw_histograms([*both, *baseline]).build_figure()
        alt = "Final scores on both branches"
    else:
        chart = charts.draw_histograms([*both[1:], *baseline], "score (dashed: what happened)")
        figure = chart.mark_value(answer.fork.result[seat], "").build_figure()
        alt = "Final scores with other luck, and the logged one"
    st.plotly_chart(figure, key="whatif-scores", alt=alt)
    show_baseline_basis(baseline, " These are whole games, not continuations of this one.")
    st.header("Difference with the same dice")
    if not answer.differences[:, seat].any():
        st.caption(
            f"There is none: {wording.format_player(seat)} scores the same in both branches, every time."
        )
        return
    difference = [
        whatif_tables.make_score_series(
            ruleset, "changed minus original", answer.differences[:, seat], CHANGED_LOOK
        )
    ]
    st.plotly_chart(
        charts.draw_histograms(difference, CHANGE_AXIS).mark_value(0, "").build_figure(),
        key="whatif-difference",
        alt="Distribution of the difference of the final score",
    )


def show_download(answer: WhatIf) -> None:
    """Offer the numbers as a CSV file."""
    st.download_button(
        "Download the numbers as CSV",
        lambda: write_table_csv(whatif_tables.effects_table(answer)),
        "whatif.csv",
        "text/csv",
        on_click="ignore",
    )


def show_continuations(answer: WhatIf, run: Run) -> None:
    """Show one continuation on both branches side by side, stepped by one slider."""
    st.header("Watch one continuation in both branches")
    marks = {
        "largest loss": find_continuation(answer, "worst"),
        "in the middle": find_continuation(answer, "middle"),
        "largest gain": find_continuation(answer, "best"),
    }
    # No continuation is selected at first, because two games take time to draw.
    picked = st.segmented_control("Which", [*marks, "another"], key="whatif-watch", width="content")
    if picked is None:
        st.caption("Select a continuation to replay both branches side by side.")
        return
    number = marks.get(picked, 0)
    if picked == "another":
        number = int(st.number_input("Continuation", 0, answer.n - 1, 0))
    fork = answer.fork
    pair = continuation_document(answer, number, {} if fork.change else run.scene(fork.game_id))
    names = ("Original" if fork.change else "What happened", "Changed")
    show_continuation_pair(pair, names, key="whatif-pair")
