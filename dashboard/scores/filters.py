"""The form over a question about scores: its rulesets, runs, strategies and seats. The address holds all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.queries import cached
from dashboard.scores.lineups import ask_lineup
from dashboard.widgets.baseline import show_pin_choice
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.labels import add_run_labels
from engine import games
from pipelines.design.short_names import short_names
from pipelines.questions.scores.comparable import choose_named_runs
from pipelines.questions.scores.question import MAX_RULESETS, MAX_STRATEGIES
from pipelines.questions.scores.scope import (
    PlayedRuleset,
    ScoresScope,
    find_scope,
    has_subject,
    list_counted_runs,
    list_played_rulesets,
    resolve_scores,
)
from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pipelines.questions.scores.question import ScoresQuestion, View
    from pipelines.questions.source import QuestionSource
    from pipelines.viewer.palette import SeriesLook


@dataclass(frozen=True)
class ShownScores:
    """What the page shows: a question, the results that it counts, and the looks of their strategies."""

    question: ScoresQuestion
    scope: ScoresScope
    source: QuestionSource
    looks: dict[str, SeriesLook]

    def with_question(self, **fields: Any) -> ShownScores:  # noqa: ANN401 - values of fields of the question
        """Return the same with other values of fields of the question."""
        return replace(self, question=self.question.model_copy(update=fields))

    def with_view(self, view: View) -> ShownScores:
        """Return the same in another view, which may count other runs."""
        shown = self.with_question(view=view)
        return replace(shown, scope=find_scope(shown.question, self.source))


def ask_filters(asked: ScoresQuestion, source: QuestionSource, problems: Sequence[str]) -> ShownScores | None:
    """Ask for the filters of the question of the address; None as long as no ruleset is chosen.

    `problems` are sentences on what is wrong with the address.
    """
    played = list_played_rulesets(list_counted_runs(asked, source))
    resolved, unresolved = resolve_scores(asked, source)
    is_possible = has_subject(asked, resolved)
    with st.container(horizontal=True, vertical_alignment="bottom", key="filters"):
        # Streamlit removes a default from the address, so what the address names is none.
        is_named = asked.rulesets and all(name in played for name in asked.rulesets)
        default = list(played)[:1] if is_named else resolved.rulesets
        rulesets = _ask_rulesets(asked, played, default if is_possible else ())
        if not is_possible:
            show_address_problems([*problems, *unresolved])
        if rulesets and not is_possible:
            st.button("Show the scores of all runs", on_click=_forget_runs)
            return None
        count = sum(map(bool, (asked.strategies, asked.seats, asked.runs, asked.lineups)))
        label = wording.format_count(count, "more filter") if count else "More filters"
        with st.container(key="set-filters" if count else "unset-filters", width="content"):
            more = st.popover(label, key="more-filters", icon=":material/filter_alt:")
        pin_place = st.container(key="pin-place", width="content")
    if not rulesets:
        st.info("Choose a ruleset to see its scores.")
        return None
    known = {name for one in played.values() for name in (one.label, one.name)}
    unknown = [name for name in asked.rulesets if name not in known]
    question, unresolved = resolve_scores(
        asked.model_copy(update={"rulesets": (*rulesets, *unknown)}), source
    )
    question = question.model_copy(update={"rulesets": tuple(rulesets)})
    scope = find_scope(question, source)
    runs = {run.name: run for one in scope.rulesets for run in one.runs}
    named = choose_named_runs(list(runs.values()), question.runs)
    names = sorted({name for run in named for name in run.summary.strategies})
    with more:
        labels = add_run_labels({name: name for name in runs}, runs.values())
        _ask_several(
            "Runs", "runs", list(runs), question.runs, labels.__getitem__, "All runs with these rulesets"
        )
        _ask_several(
            "Strategies",
            "strategies",
            names,
            question.strategies,
            short_names(names).__getitem__,
            "All strategies",
            MAX_STRATEGIES,
        )
        players, chosen = list(range(1, scope.players + 1)), [seat + 1 for seat in question.seats]
        _ask_several("Players", "players", players, chosen, "player {}".format, "All players")
        ask_lineup(question.lineups, named)
    show_address_problems([*problems, *unresolved])
    with pin_place:
        show_pin_choice(names, scope.runs)
    return ShownScores(question, scope, source, cached.strategy_looks())


def _forget_runs() -> None:
    """Let the address name no runs."""
    del st.query_params["runs"]


def _ask_rulesets(
    asked: ScoresQuestion, played: dict[str, PlayedRuleset], default: Sequence[str]
) -> list[str]:
    """Ask for the rulesets, at first those of the address, else the default ones."""

    def drop_runs_of_others() -> None:
        """Remove the runs that have none of the chosen rulesets from the address."""
        chosen = [played[name] for name in st.session_state["rulesets"] if name in played]
        held = {run.name for one in chosen for run in one.runs}
        if not held.issuperset(asked.runs):
            st.query_params["runs"] = [name for name in asked.runs if name in held]

    names = st.multiselect(
        "Rulesets",
        list(played),
        label_visibility="collapsed",
        default=list(default),
        max_selections=MAX_RULESETS,
        key="rulesets",
        bind="query-params",
        on_change=drop_runs_of_others,
        placeholder="Choose one or more",
        select_all=False,
    )
    return [name for name in names if name in played]


def _ask_several(  # noqa: PLR0913, PLR0917 - a field with its words
    label: str,
    key: str,
    options: Sequence[Any],
    chosen: Collection[Any],
    format_option: Callable[[Any], str],
    placeholder: str,
    most: int | None = None,
) -> None:
    """Show a field of several values of the question. People read formatted options, the address has the values."""
    st.session_state[key] = [option for option in options if option in chosen]

    def write_address_values() -> None:
        st.query_params[key] = [str(value) for value in st.session_state[key]]
        if key == "players":
            st.query_params.pop("seats", None)  # what older addresses call them

    st.multiselect(
        label,
        options,
        format_func=format_option,
        key=key,
        on_change=write_address_values,
        max_selections=most,
        placeholder=placeholder,
        select_all=False,
    )


def show_data_basis(scope: ScoresScope, results: int, blocks: int) -> None:
    """Show how many results and blocks the numbers rest on, and what limits them."""
    basis = scope.describe_basis(blocks)
    notes = [f" {sentence}" for sentence in basis.left_out if sentence != scope.describe_lineups()]
    notes += [" The lowest score wins."] if any(one.lowest_wins for one in scope.rulesets) else []
    reconstructed = {one.game: one.reconstructed_tables for one in scope.rulesets if one.reconstructed_tables}
    notes += [
        f" Not printed in the rulebook of {games.find_game(game).title}, our reconstruction: {', '.join(tables)}."
        for game, tables in reconstructed.items()
    ]
    st.caption(
        f"{wording.format_count(results, 'result')} from {wording.format_count(len(basis.runs), 'run')}.{''.join(notes)}",
        help=f"Up to {wording.format_count(blocks, 'block')}. The games of a block share their luck, so intervals count blocks, not games.",
    )
