"""What would have been: the answer as it narrows, and what lies behind it once it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dashboard.queries import cached
from dashboard.replay.component import replay
from dashboard.whatif import tables as figures
from dashboard.whatif.save_run import keep
from dashboard.widgets import charts, tables
from dashboard.widgets.background_work import live
from dashboard.widgets.follow_work import follow
from dashboard.widgets.palette import Look
from dashboard.widgets.spreadsheets import as_csv
from engine import games
from pipelines.experiments.whatif.whatif import WhatIf, sentence, whatif

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.whatif.question import Question
    from pipelines.runs.library import Run

BASE, CHANGED = Look("#8A8A8A", "dot"), Look("#1F83C2", "solid")


def report(run: Run, question: Question) -> None:
    """Play both branches on, and show what is known so far until all is; then offer to keep it and to look closer."""

    def answers(stopped: Callable[[], bool]) -> Iterator[WhatIf]:
        return whatif(question.fork, n=question.n, seed=question.seed, stopped=stopped)

    work = live(st.session_state, "whatif", tuple(st.query_params.to_dict().items()), answers)
    work.wait(0.6)

    def details(found: WhatIf) -> None:
        tables.show(figures.figures(found), "The effect on every seat")
        spread(found, question.fork.seat)

    follow(
        work,
        at_first="The first continuations are being played …",
        headline=lambda found: headline(found, work.seconds),
        progress=lambda found: (
            found.n / question.n,
            f"{found.n:,} of {question.n:,} continuations of each branch",
        ),
        details=details,
    )
    if work.is_over and work.latest:
        download(work.latest)
        keep(work.latest, run)
        continuations(work.latest, run, question.fork.seat)


def headline(found: WhatIf, seconds: float) -> None:
    """Say the answer and what it rests on."""
    said = sentence(found)
    st.markdown(f"## {cached.escaped(said[0].upper() + said[1:])}.")
    fork = found.fork
    st.caption(
        cached.escaped(f"What if, from ply {fork.ply} on, {fork.change}? {_resting_on(found, seconds)}")
    )


def _resting_on(found: WhatIf, seconds: float) -> str:
    """Say what the figures rest on."""
    share = found.differing
    return (
        f"{found.n:,} continuations of each branch on the same luck, each value with half its 95 % interval; "
        f"{share.estimate:.0%} of them differ ({share.low:.0%} to {share.high:.0%}). {seconds:.1f} s."
    )


def spread(found: WhatIf, seat: int) -> None:
    """Draw how the final score spreads on both branches, and the difference."""
    ruleset = found.fork.ruleset.name
    left, right = st.columns(2)
    both = [
        figures.series(ruleset, name, values[:, seat], look)
        for name, values, look in (
            ("as it was", found.base_scores, BASE),
            ("changed", found.changed.scores, CHANGED),
        )
    ]
    with left:
        st.header(f"Final score of seat {seat}")
        if found.fork.change:
            st.plotly_chart(
                charts.histograms(both).figure(), key="whatif-scores", alt="Final scores on both branches"
            )
        else:
            figure = charts.histograms(both[1:]).marked(found.fork.result[seat], "what happened").figure()
            st.plotly_chart(
                figure, key="whatif-scores", alt="Final scores with other luck, and the logged one"
            )
    with right:
        st.header("Difference, luck for luck")
        if not found.differences[:, seat].any():
            st.caption(f"None: seat {seat} scores the same on both branches, every time.")
            return
        one = [figures.series(ruleset, "changed less as it was", found.differences[:, seat], CHANGED)]
        st.plotly_chart(
            charts.histograms(one, "difference of the score").marked(0, "no difference").figure(),
            key="whatif-difference",
            alt="Distribution of the difference of the final score",
        )


def download(found: WhatIf) -> None:
    """Give the figures away."""
    st.download_button(
        "Download the figures as CSV",
        lambda: as_csv(figures.figures(found)),
        "whatif.csv",
        "text/csv",
        on_click="ignore",
    )


def continuations(found: WhatIf, run: Run, seat: int) -> None:
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
            scene = games.game(ruleset.game).scene(ruleset, [*branch.actions, *ends.game(number)])
            names = [one.name for one in branch.seating]
        with column:
            score = ends.scores[number, seat] if title == "Changed" or fork_.change else fork_.result[seat]
            st.markdown(f"**{title}**: seat {seat} scores {score}")
            replay(
                {**scene, "strategies": names},
                key=f"whatif-{title}-{number}",
                ply=fork_.ply - 1,
                height=720,
            )
