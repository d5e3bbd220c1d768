"""The row that says what the page Scores asks: a sentence whose parts are menus, and one button for everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import streamlit as st

from dashboard.scores.filters import ask_several, change_question, show_more_filters
from dashboard.scores.ruleset_menu import ask_rulesets
from dashboard.widgets import focus
from dashboard.widgets.form_address import show_address_problems
from dashboard.widgets.markdown import escape_markdown
from engine.errors import GameError
from pipelines.design.lineups import short_names
from pipelines.questions.address import find_choices
from pipelines.questions.scores.answer import prepare_scores
from pipelines.questions.scores.distributions import list_comparisons
from pipelines.questions.scores.question import MAX_STRATEGIES, ScoresQuestion
from pipelines.questions.scores.scope import (
    choose_named_runs,
    has_subject,
    list_counted_runs,
    list_played_rulesets,
)
from pipelines.questions.scores.squares import list_map_kinds
from pipelines.report.wording import join_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.scores.answer import PreparedScores
    from pipelines.questions.scores.question import Comparison, View
    from pipelines.questions.scores.scope import PlayedRuleset, ScoresScope
    from pipelines.questions.source import QuestionSource

Choices = dict[str, dict[str, Any]]
"""The choices of a menu: what people read, and the fields of the question that it sets."""

MAX_NAMES: Final = 3
"""Strategies or rulesets that the sentence names; of more it says how many there are."""
MENU_KEYS: Final = ("ask-measure", "ask-compared")
_CLEARED: Final = "rulesets-cleared"
"""The slot that says that a visitor has just removed all rulesets; the address keeps them until others are chosen."""


class Words(NamedTuple):
    """The words of the sentence, each before its menu."""

    measure: str
    strategies: str
    rulesets: str
    compared: str = "by"


WORDS: Final[dict[View, Words]] = {
    "Scores": Words("How do", "of", "spread under"),
    "Parts": Words("How do", "of", "add up under"),
    "Course": Words("How do", "of", "grow under"),
    "Players": Words("How do", "of", "differ under"),
    "Length": Words("How do", "with", "spread under", "in"),
    "Squares": Words("Which", "do", "cover under", "and"),
    "Explore": Words("How do", "of", "go together under"),
}
OTHER_MEASURES: Final[dict[View, str]] = {
    "Length": "lengths of games",
    "Squares": "squares",
    "Explore": "all measures",
}
COMPARISONS: Final[dict[Comparison, str]] = {
    "Rulesets": "ruleset",
    "Strategies": "strategy",
    "Players": "player",
    "One by one": "strategy, one by one",
}
OTHER_COMPARISONS: Final[dict[View, str]] = {"Players": "who starts", "Course": "round", "Parts": "part"}
"""How scores are compared in means, beside the ways to compare their distributions."""
MAPS: Final = {"Filled": "how often", "First placement": "which first", "When": "how early"}
"""Other maps are of marks: "with circles"."""


def ask_question(
    asked: ScoresQuestion, source: QuestionSource, problems: Sequence[str]
) -> PreparedScores | None:
    """Ask for all parts of the question of the address; None as long as it is about nothing that was played.

    `problems` are sentences on what is wrong with the address.
    """
    played = list_played_rulesets(list_counted_runs(asked, source))
    prepared = prepare_scores(asked, source)
    question, scope = prepared.question, prepared.scope
    is_known = has_subject(asked.model_copy(update={"runs": ()}), question)
    rulesets = () if st.session_state.pop(_CLEARED, False) or not is_known else question.rulesets
    with st.container(key="asked", horizontal=True, vertical_alignment="center"):
        words = WORDS[question.view]
        _choose_part(words.measure, MENU_KEYS[0], _name_measure(question), _list_measures(scope))
        _ask_strategies(words.strategies, question, scope)
        _ask_rulesets(words.rulesets, asked, played, rulesets)
        comparisons = _list_comparisons(question, scope)
        if comparisons:
            _choose_part(words.compared, MENU_KEYS[1], _name_comparison(question), comparisons)
        show_more_filters(question, scope, source)
    for key in MENU_KEYS:
        focus.show_when_requested(key)
    show_address_problems([*problems, *prepared.problems])
    if not rulesets:
        st.info("Choose a ruleset to see its scores.")
        return None
    if not prepared.has_subject:
        st.button("Show the scores of all runs", on_click=change_question, kwargs={"runs": ()})
        return None
    return prepared


def _name_measure(question: ScoresQuestion) -> str:
    part = f"points of {question.part}" if question.part and question.view == "Scores" else "scores"
    return OTHER_MEASURES.get(question.view, part)


def _list_measures(scope: ScoresScope) -> Choices:
    return {
        "scores": {"view": "Scores", "part": ""},
        **{f"points of {title}": {"view": "Scores", "part": title} for title in scope.part_titles.values()},
        **{name: {"view": view, "part": ""} for view, name in OTHER_MEASURES.items()},
    }


def _name_comparison(question: ScoresQuestion) -> str:
    if question.view == "Scores":
        return COMPARISONS[question.compared]
    if question.view == "Squares":
        return _name_map(question.map)
    return question.length if question.view == "Length" else OTHER_COMPARISONS[question.view]


def _list_comparisons(question: ScoresQuestion, scope: ScoresScope) -> Choices:
    """Return how the measure of a question can be compared; none if there is only one way."""
    if question.view == "Explore":
        return {}
    if question.view == "Length":
        return {unit: {"length": unit} for unit in find_choices(ScoresQuestion, "length")}
    if question.view == "Squares":
        try:
            return {_name_map(kind): {"map": kind} for kind in list_map_kinds(question, scope)}
        except (GameError, OSError):  # the view says why the board cannot be drawn
            return {}
    first, *others = list_comparisons(scope)
    distributions: Choices = {COMPARISONS[first]: {"view": "Scores", "compared": ""}}
    distributions |= {COMPARISONS[way]: {"view": "Scores", "compared": way} for way in others}
    is_part = question.part and question.view == "Scores"
    return distributions | {name: {"view": view} for view, name in OTHER_COMPARISONS.items() if not is_part}


def _name_map(kind: str) -> str:
    return MAPS.get(kind, f"with {kind.lower()}")


def _choose_part(words: str, key: str, current: str, choices: Choices) -> None:
    """Show a part of the sentence whose menu sets fields of the question; the menu then has the keyboard focus again."""

    def choose() -> None:
        change_question(**choices[st.session_state[key]])
        focus.request_focus(key)

    st.markdown(words, width="content")
    st.menu_button(escape_markdown(current), list(choices), key=key, on_click=choose)


def _ask_strategies(words: str, question: ScoresQuestion, scope: ScoresScope) -> None:
    runs = {run.name: run for one in scope.rulesets for run in one.runs}
    named = choose_named_runs(list(runs.values()), question.runs)
    names = short_names(sorted({name for run in named for name in run.summary.strategies}))
    said = _list_names([names[name] for name in question.strategies], "strategies") or "all strategies"
    st.markdown(words, width="content")
    with st.popover(escape_markdown(said), key="ask-strategies"):
        ask_several(
            "Strategies", "strategies", names, question.strategies, "all if none is chosen", MAX_STRATEGIES
        )


def _ask_rulesets(
    words: str, asked: ScoresQuestion, played: dict[str, PlayedRuleset], chosen: Sequence[str]
) -> None:
    def choose_rulesets(labels: tuple[str, ...]) -> None:
        """Ask about other rulesets, and no longer about runs that have none of them."""
        if not labels:
            st.session_state[_CLEARED] = True
            return
        held = {run.name for label in labels for run in played[label].runs}
        change_question(rulesets=labels, runs=tuple(name for name in asked.runs if name in held))

    st.markdown(words, width="content")
    with st.popover(escape_markdown(_list_names(chosen, "rulesets") or "a ruleset"), key="ask-rulesets"):
        ask_rulesets(played, chosen, choose_rulesets)


def _list_names(names: Sequence[str], what: str) -> str:
    """Return names in words, of many only how many they are; empty without names."""
    if len(names) > MAX_NAMES:
        return f"{len(names)} {what}"
    return join_words(names) if names else ""
