"""The settings of the page Scores beside its sentence: runs, players, line-ups, and what is drawn how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.widgets.address import read_page_question, write_page_question
from dashboard.widgets.labels import add_run_labels
from dashboard.widgets.markdown import escape_markdown
from pipelines.design.lineups import shorten_names
from pipelines.questions.address import find_choices
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.scores.scope import ALL_LINEUPS, choose_named_runs, list_lineup_names
from pipelines.questions.scores.squares import list_pieces
from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run

MAX_SHOWN_VALUES: Final = 40
"""Values that lie open in a menu; more are searched in a list."""


def change_question(**fields: object) -> None:
    """Let the address ask the same question with other values of these fields, in one step of *Back*. For callbacks."""
    question, _ = read_page_question(ScoresQuestion)
    write_page_question(question.model_copy(update=fields))


def show_more_filters(question: ScoresQuestion, scope: ScoresScope, source: QuestionSource) -> None:
    """Show the button with the number of filters that are set, and behind it all settings that the sentence does not hold."""
    runs = {run.name: run for one in scope.rulesets for run in one.runs}
    named = choose_named_runs(list(runs.values()), question.runs)
    count = sum(map(bool, (question.runs, question.seats, question.lineups)))
    label = f"More · {wording.format_count(count, 'filter')}" if count else "More"
    with st.popover(label, key="more-filters", icon=":material/tune:"):
        labels = add_run_labels({name: name for name in runs}, runs.values())
        ask_several("Runs", "runs", labels, question.runs, "All runs with these rulesets")
        players = {seat: wording.format_player(seat) for seat in range(scope.players)}
        ask_several("Players", "seats", players, question.seats, "All players")
        _ask_lineup(question.lineups, named)
        if question.view == "Scores":
            shapes = {shape: shape for shape in find_choices(ScoresQuestion, "shape")}
            _ask_one("Drawn as", "shape", shapes, question.shape)
        if question.view == "Squares":
            if len(scope.rulesets) > 1:
                _ask_one(
                    "Board of", "board", {label: label for label in scope.labels.values()}, question.board
                )
            pieces = [f"by {piece}" for piece in list_pieces(question, scope, source)]
            if pieces:
                titles = {"": "by any piece", **{piece: piece for piece in pieces}}
                _ask_one("Covered", "piece", titles, question.piece)


def _ask_lineup(chosen: str, runs: Sequence[Run]) -> None:
    """Ask which line-up counts, if the runs have several. The address has the name of the line-up."""
    names = list(list_lineup_names(runs).values())
    if len(names) < 2:
        return
    strategies = {name for run in runs for name in run.summary.strategies}
    titles = {"": "The one that compares most", **{name: shorten_names(name, strategies) for name in names}}
    titles[ALL_LINEUPS] = "All, pooled"
    _ask_one("Line-up", "lineups", titles, chosen)


def _ask_one(label: str, key: str, titles: Mapping[str, str], chosen: str) -> None:
    """Show a menu of one field of the question, whose value is `chosen`, or else the first one."""
    st.session_state[key] = chosen if chosen in titles else next(iter(titles))
    st.selectbox(
        label,
        list(titles),
        format_func=titles.__getitem__,
        key=key,
        on_change=lambda: change_question(**{key: st.session_state[key]}),
    )


def ask_several(  # noqa: PLR0913, PLR0917 - a field with its words
    label: str,
    key: str,
    titles: Mapping[Any, str],
    chosen: Collection[Any],
    placeholder: str,
    most: int | None = None,
    choose: Callable[[tuple[Any, ...]], None] | None = None,
) -> None:
    """Show a field of several values of the question. People read the titles of the values, the address has the values.

    `choose` takes the values that were chosen; without it they become the field `key` of the question. A field of at most
    `most` values shows all that it can have, unless they are too many.
    """
    st.session_state[key] = [value for value in chosen if value in titles]

    def write_values() -> None:
        values = limit_values(st.session_state[key], most)
        choose(values) if choose else change_question(**{key: values})

    if most and len(titles) <= MAX_SHOWN_VALUES:
        st.pills(
            f"{label} · {placeholder}",
            list(titles),
            selection_mode="multi",
            format_func=lambda value: escape_markdown(titles[value]),
            key=key,
            on_change=write_values,
            wrap=True,
        )
        return
    st.multiselect(
        label,
        list(titles),
        format_func=titles.__getitem__,
        key=key,
        on_change=write_values,
        max_selections=most,
        placeholder=placeholder,
        select_all=False,
    )


def limit_values(values: Iterable[Any], most: int | None) -> tuple[Any, ...]:
    """Return the first values that were chosen; say so if that leaves some out."""
    every = tuple(values)
    if most and len(every) > most:
        st.toast(f"No more than {most} at once.", icon=":material/info:")
    return every[:most]


def offer_other_lineups(question: ScoresQuestion, scope: ScoresScope) -> None:
    """Offer to pool all line-ups if some are left out, or to leave the others out again."""
    is_pooled = question.lineups == ALL_LINEUPS
    if not (is_pooled or scope.counted.other_lineups):
        return
    label, lineups = ("Count one line-up", "") if is_pooled else ("Pool all line-ups", ALL_LINEUPS)
    with st.container(key="counted-lineups"):
        if st.button(label, key="all-lineups", type="tertiary"):
            change_question(lineups=lineups)
            st.rerun()  # the whole page: some views are fragments, which would be drawn anew with the same games
