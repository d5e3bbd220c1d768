"""What would have been: the answer as it narrows, and what lies behind it once it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dashboard.queries import cached
from dashboard.replay.component import show_replay
from dashboard.whatif import tables as figures
from dashboard.whatif.save_run import show_save_form
from dashboard.widgets import charts, tables
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from dashboard.widgets.palette import SeriesLook
from dashboard.widgets.spreadsheets import write_table_csv
from engine import games
from pipelines.experiments.whatif.whatif import WhatIf, play_whatif, whatif_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.whatif.question import Question
    from pipelines.runs.library import Run

BASE_LOOK, CHANGED_LOOK = SeriesLook("#8A8A8A", "dot"), SeriesLook("#1F83C2", "solid")


def show_whatif_report(run: Run, question: Question) -> None:
    """Play both branches on, and show what is known so far until all is; then offer to keep it and to look closer."""

    def iter_answers(stopped: Callable[[], bool]) -> Iterator[WhatIf]:
        return play_whatif(question.fork, n=question.n, seed=question.seed, stopped=stopped)

    work = find_or_start_work(
        st.session_state, "whatif", tuple(st.query_params.to_dict().items()), iter_answers
    )
    work.wait(0.6)

    def show_details(found: WhatIf) -> None:
        tables.show_table(figures.effects_table(found), "The effect on every seat")
        show_score_distributions(found, question.fork.seat)

    show_work_progress(
        work,
        at_first="The first continuations are being played …",
        headline=lambda found: show_whatif_headline(found, work.seconds),
        progress=lambda found: (
            found.n / question.n,
            f"{found.n:,} of {question.n:,} continuations of each branch",
        ),
        details=show_details,
    )
    if work.is_over and work.latest:
        show_download(work.latest)
        show_save_form(work.latest, run)
        show_continuations(work.latest, run, question.fork.seat)


def show_whatif_headline(found: WhatIf, seconds: float) -> None:
    """Say the answer and what it rests on."""
    said = whatif_sentence(found)
    st.markdown(f"## {cached.escape_markdown(said[0].upper() + said[1:])}.")
    fork = found.fork
    st.caption(
        cached.escape_markdown(
            f"What if, from ply {fork.ply} on, {fork.change}? {_format_basis(found, seconds)}"
        )
    )


def _format_basis(found: WhatIf, seconds: float) -> str:
    """Say what the figures rest on."""
    share = found.differing_share
    return (
        f"{found.n:,} continuations of each branch on the same luck, each value with half its 95 % interval; "
        f"{share.estimate:.0%} of them differ ({share.low:.0%} to {share.high:.0%}). {seconds:.1f} s."
    )


def show_score_distributions(found: WhatIf, seat: int) -> None:
    """Draw how the final score spreads on both branches, and the difference."""
    ruleset = found.fork.ruleset.name
    left, right = st.columns(2)
    both = [
        figures.make_score_series(ruleset, name, values[:, seat], look)
        for name, values, look in (
            ("as it was", found.base_scores, BASE_LOOK),
            ("changed", found.changed.scores, CHANGED_LOOK),
        )
    ]
    with left:
        st.header(f"Final score of seat {seat}")
        if found.fork.change:
            st.plotly_chart(
                charts.draw_histograms(both).build_figure(),
                key="whatif-scores",
                alt="Final scores on both branches",
            )
        else:
            figure = (
                charts.draw_histograms(both[1:])
                .mark_value(found.fork.result[seat], "what happened")
                .build_figure()
            )
            st.plotly_chart(
                figure, key="whatif-scores", alt="Final scores with other luck, and the logged one"
            )
    with right:
        st.header("Difference with the same dice")
        if not found.differences[:, seat].any():
            st.caption(f"None: seat {seat} scores the same on both branches, every time.")
            return
        one = [
            figures.make_score_series(
                ruleset, "Changed minus original", found.differences[:, seat], CHANGED_LOOK
            )
        ]
        st.plotly_chart(
            charts.draw_histograms(one, "difference of the score")
            .mark_value(0, "no difference")
            .build_figure(),
            key="whatif-difference",
            alt="Distribution of the difference of the final score",
        )


def show_download(found: WhatIf) -> None:
    """Give the figures away."""
    st.download_button(
        "Download the figures as CSV",
        lambda: write_table_csv(figures.effects_table(found)),
        "whatif.csv",
        "text/csv",
        on_click="ignore",
    )


def show_continuations(found: WhatIf, run: Run, seat: int) -> None:
    """Offer continuations to replay, both branches side by side."""
    st.header("Watch one continuation on both branches")
    order = np.argsort(found.differences[:, seat], kind="stable")
    marks = {
        "largest loss": int(order[0]),
        "in the middle": int(order[len(order) // 2]),
        "largest gain": int(order[-1]),
    }
    # None at first: two whole games are much to draw for who came to read the answer.
    picked = st.segmented_control("Which", [*marks, "another"], key="whatif-watch", width="content")
    if picked is None:
        st.caption("Choose one to replay it twice, side by side.")
        return
    number = marks.get(picked, 0)
    if picked == "another":
        number = int(st.number_input("Continuation", 0, found.n - 1, 0))
    left, right = st.columns(2)
    fork_ = found.fork
    both = (
        (left, "As it was", fork_.base, found.base),
        (right, "Changed", fork_.changed, found.changed),
    )
    for column, title, branch, ends in both:
        ruleset = branch.state.ruleset
        if title == "As it was" and not fork_.change:
            scene, names = run.scene(fork_.game_id), [one.name for one in branch.seating]
        else:
            scene = games.find_game(ruleset.game).scene(
                ruleset, [*branch.actions, *ends.game_actions(number)]
            )
            names = [one.name for one in branch.seating]
        with column:
            score = ends.scores[number, seat] if title == "Changed" or fork_.change else fork_.result[seat]
            st.markdown(f"**{title}**: seat {seat} scores {score}")
            show_replay(
                {**scene, "strategies": names},
                key=f"whatif-{title}-{number}",
                ply=fork_.ply - 1,
                height=720,
            )
