"""The pinned baseline on the pages: what is pinned, the buttons that pin it, and the scores of a pinned run for charts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.short_names import short_names, shorten_names
from pipelines.notes.baseline import Baseline, BaselineStore, run_baseline, strategy_baseline
from pipelines.questions.scores.distributions import read_score_groups
from pipelines.questions.scores.scope import scope_of_run
from pipelines.report import wording
from pipelines.report.scores import make_score_series
from pipelines.viewer.palette import BASELINE_COLOUR, BASELINE_LOOK, SeriesLook

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pipelines.report.charts import ScoreSeries
    from pipelines.runs.library import Run

PIN_LABEL: Final = "Pin as baseline"
PIN_HELP: Final = "Draw it in a style of its own on Scores, Strategies and What if, until you unpin it"


def show_baseline_notice() -> None:
    """Say at the top of the page what is pinned, with a button that unpins it; nothing if nothing is pinned."""
    baseline = cached.read_baseline()
    if baseline is None:
        return
    name = short_names([baseline.name])[baseline.name]
    if baseline.kind == "run":
        run = cached.baseline_run()
        name = f"run {run.name}" if run else f"run {baseline.name}, which is no longer here"
    with st.container(key="baseline-row", horizontal=True, vertical_alignment="center"):
        st.markdown(f":violet-badge[★ Baseline] {escape_markdown(name)}", width="content")
        st.button("Unpin", key="baseline-unpin", type="tertiary", on_click=_change_baseline, args=(None,))


def show_pin_button(key: str, *, strategy: str | None = None, run: Run | None = None) -> None:
    """Show the button that pins a strategy or a run, or unpins it if it is the baseline."""
    baseline = strategy_baseline(strategy) if strategy is not None else run_baseline(run) if run else None
    held = cached.read_baseline()
    is_pinned = bool(held and baseline and (held.run_key or held.name) == (baseline.run_key or baseline.name))
    if is_pinned:
        st.button("Unpin the baseline", key=key, on_click=_change_baseline, args=(None,))
    else:
        st.button(PIN_LABEL, key=key, help=PIN_HELP, on_click=_change_baseline, args=(baseline,))


def ask_baseline(strategies: Sequence[str], runs: Iterable[Run]) -> None:
    """Show a menu in which a strategy or a run is pinned."""
    choices: dict[str, Baseline] = {
        **{f"strategy {name}": strategy_baseline(name) for name in strategies},
        **{f"run {run.name}": run_baseline(run) for run in runs},
    }

    def pin_choice() -> None:
        chosen = st.session_state["baseline-choice"]
        if chosen:
            _change_baseline(choices[chosen])
            st.session_state["baseline-choice"] = None

    st.selectbox(
        PIN_LABEL,
        list(choices),
        format_func=lambda name: shorten_names(name, strategies),
        index=None,
        key="baseline-choice",
        placeholder="Choose a strategy or a run",
        on_change=pin_choice,
        help=PIN_HELP,
    )


def _change_baseline(baseline: Baseline | None) -> None:
    """Pin a strategy or a run, or unpin."""
    store = BaselineStore(cached.dashboard_library().folder)
    try:
        store.unpin() if baseline is None else store.pin(baseline)
    except GameError as error:
        st.toast(escape_markdown(str(error)), icon=":material/error:", duration="long")


def select_baseline_runs(runs: Iterable[Run]) -> list[Run]:
    """Return the runs that are the baseline, or in which the pinned strategy plays."""
    pinned, strategy = cached.baseline_run(), cached.baseline_strategy()
    return [
        run
        for run in runs
        if (pinned is not None and pinned.path == run.path) or strategy in run.summary.strategies
    ]


def read_baseline_series(
    sha256: str, label: str, beside: Collection[str], wanted: str | None = None
) -> list[ScoreSeries]:
    """Return the scores of the baseline under a ruleset, in its look: of a pinned run, or of a pinned strategy `wanted`.

    `label` is the name of the ruleset. The runs with the names `beside` are in the chart already. A pinned strategy has
    scores here only if it is `wanted`: those in the run with the most games, because line-ups cannot be mixed.
    """
    run = cached.baseline_run()
    strategies: tuple[str, ...] = ()
    if wanted is not None and wanted == cached.baseline_strategy():
        played = [one for one in cached.independent_runs() if _has_played(one, sha256, wanted)]
        run, strategies = max(played, key=lambda one: one.summary.games, default=None), (wanted,)
    if run is None or run.name in beside or sha256 not in {one.sha256 for one in run.summary.rulesets}:
        return []
    groups = read_score_groups(scope_of_run(run, sha256, strategies), cached.question_source())
    found = [replace(one, ruleset=label) for one in make_score_series(groups, cached.strategy_looks())]
    return draw_as_baseline(found)


def _has_played(run: Run, sha256: str, strategy: str) -> bool:
    return strategy in run.summary.strategies and any(one.sha256 == sha256 for one in run.summary.rulesets)


def assign_baseline_looks(looks: Mapping[str, SeriesLook]) -> dict[str, SeriesLook]:
    """Return the looks of the lines of the baseline, by name; of several lines, each keeps its dashes to tell them apart."""
    if len(looks) == 1:
        return dict.fromkeys(looks, BASELINE_LOOK)
    return {name: SeriesLook(BASELINE_COLOUR, look.dash) for name, look in looks.items()}


def draw_as_baseline(found: Sequence[ScoreSeries]) -> list[ScoreSeries]:
    """Return series in the look of the baseline."""
    looks = assign_baseline_looks({one.strategy: one.look for one in found})
    return [
        replace(one, line=f"{one.title or one.strategy} (baseline)", look=looks[one.strategy])
        for one in found
    ]


def show_baseline_basis(lines: Sequence[ScoreSeries], about: str = "") -> None:
    """Say what the lines of the baseline rest on; nothing without lines."""
    show_baseline_counts([(one.title or one.strategy, one.scores.n) for one in lines], about)


def show_baseline_counts(results: Sequence[tuple[str, int]], about: str = "") -> None:
    """Say how many results of which run each line of the baseline rests on; nothing without lines."""
    run = cached.baseline_run()
    if results:
        counted = ", ".join(f"{name} {wording.format_count(n, 'result')}" for name, n in results)
        source = (
            f"run {run.name} (line-up {shorten_names(str(run.summary.lineup), run.summary.strategies)})"
            if run
            else "its largest run under these rules"
        )
        st.caption(escape_markdown(f"Baseline, from {source}: {counted}.{about}"))


def put_baseline_first(names: Iterable[str]) -> list[str]:
    """Return names of strategies after the pinned one, if that is one of them, with or without parameters."""
    known, pinned = list(names), cached.baseline_strategy()
    first = [pinned] if pinned is not None and pinned.partition(":")[0] in known else []
    return list(dict.fromkeys([*first, *known]))
