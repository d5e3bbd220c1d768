"""The answer to a what-if question, while it becomes more precise, and the continuations behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dashboard.replay.component import show_replay
from dashboard.whatif import tables as whatif_tables
from dashboard.whatif.save_run import show_save_form
from dashboard.widgets import charts, tables
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.spreadsheets import write_table_csv
from engine import games
from pipelines.experiments.whatif.whatif import WhatIf, play_whatif, whatif_sentence
from pipelines.viewer.palette import SeriesLook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.whatif.question import Question
    from pipelines.runs.library import Run

BASE_LOOK, CHANGED_LOOK = SeriesLook("#8A8A8A", "dot"), SeriesLook("#1F83C2", "solid")


def show_whatif_report(run: Run, question: Question) -> None:
    """Play both branches and show the answer so far; at the end, offer downloads, saving, and replays."""

    def iter_answers(stopped: Callable[[], bool]) -> Iterator[WhatIf]:
        return play_whatif(question.fork, n=question.n, seed=question.seed, stopped=stopped)

    work = find_or_start_work(
        st.session_state, "whatif", tuple(st.query_params.to_dict().items()), iter_answers
    )
    work.wait(0.6)

    def show_details(answer: WhatIf) -> None:
        tables.show_table(whatif_tables.effects_table(answer), "The change for every seat")
        show_score_distributions(answer, question.fork.seat)

    show_work_progress(
        work,
        at_first="Playing the first continuations …",
        headline=lambda answer: show_whatif_headline(answer, work.seconds),
        progress=lambda answer: (
            answer.n / question.n,
            f"{answer.n:,} of {question.n:,} continuations of each branch",
        ),
        details=show_details,
    )
    if work.is_over and work.latest:
        show_download(work.latest)
        show_save_form(work.latest, run)
        show_continuations(work.latest, run, question.fork.seat)


def show_whatif_headline(answer: WhatIf, seconds: float) -> None:
    """Show the answer as a sentence, and the number of continuations behind it."""
    sentence = whatif_sentence(answer)
    st.markdown(f"## {escape_markdown(sentence[0].upper() + sentence[1:])}.")
    fork = answer.fork
    st.caption(
        escape_markdown(f"What if, from ply {fork.ply} on, {fork.change}? {_format_basis(answer, seconds)}")
    )


def _format_basis(answer: WhatIf, seconds: float) -> str:
    """Return a sentence on the continuations behind the answer."""
    share = answer.differing_share
    return (
        f"{answer.n:,} continuations of each branch with the same luck; ± is half of the 95 % interval. "
        f"{share.estimate:.0%} of the continuations differ ({share.low:.0%} to {share.high:.0%}). {seconds:.1f} s."
    )


def show_score_distributions(answer: WhatIf, seat: int) -> None:
    """Draw the final scores of both branches, and the distribution of their difference."""
    ruleset = answer.fork.ruleset.name
    left, right = st.columns(2)
    both = [
        whatif_tables.make_score_series(ruleset, name, values[:, seat], look)
        for name, values, look in (
            ("original", answer.base_scores, BASE_LOOK),
            ("changed", answer.changed.scores, CHANGED_LOOK),
        )
    ]
    with left:
        st.header(f"Final score of seat {seat}")
        if answer.fork.change:
            st.plotly_chart(
                charts.draw_histograms(both).build_figure(),
                key="whatif-scores",
                alt="Final scores on both branches",
            )
        else:
            figure = (
                charts.draw_histograms(both[1:])
                .mark_value(answer.fork.result[seat], "what happened")
                .build_figure()
            )
            st.plotly_chart(
                figure, key="whatif-scores", alt="Final scores with other luck, and the logged one"
            )
    with right:
        st.header("Difference with the same dice")
        if not answer.differences[:, seat].any():
            st.caption(f"There is none: seat {seat} scores the same in both branches, every time.")
            return
        difference = [
            whatif_tables.make_score_series(
                ruleset, "Changed minus original", answer.differences[:, seat], CHANGED_LOOK
            )
        ]
        st.plotly_chart(
            charts.draw_histograms(difference, "change in score")
            .mark_value(0, "no difference")
            .build_figure(),
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


def show_continuations(answer: WhatIf, run: Run, seat: int) -> None:
    """Show one continuation as two replays, both branches side by side."""
    st.header("Watch one continuation in both branches")
    order = np.argsort(answer.differences[:, seat], kind="stable")
    marks = {
        "largest loss": int(order[0]),
        "in the middle": int(order[len(order) // 2]),
        "largest gain": int(order[-1]),
    }
    # No continuation is selected at first, because two replays take time to draw.
    picked = st.segmented_control("Which", [*marks, "another"], key="whatif-watch", width="content")
    if picked is None:
        st.caption("Select a continuation to replay both branches side by side.")
        return
    number = marks.get(picked, 0)
    if picked == "another":
        number = int(st.number_input("Continuation", 0, answer.n - 1, 0))
    left, right = st.columns(2)
    fork = answer.fork
    both = (
        (left, "Original", fork.base, answer.base),
        (right, "Changed", fork.changed, answer.changed),
    )
    for column, title, branch, ends in both:
        ruleset = branch.state.ruleset
        if title == "Original" and not fork.change:
            scene, names = run.scene(fork.game_id), [player.name for player in branch.seating]
        else:
            scene = games.find_game(ruleset.game).scene(
                ruleset, [*branch.actions, *ends.game_actions(number)]
            )
            names = [player.name for player in branch.seating]
        with column:
            score = ends.scores[number, seat] if title == "Changed" or fork.change else fork.result[seat]
            st.markdown(f"**{title}**: seat {seat} scores {score}")
            show_replay(
                {**scene, "strategies": names},
                key=f"whatif-{title}-{number}",
                ply=fork.ply - 1,
                height=720,
            )
