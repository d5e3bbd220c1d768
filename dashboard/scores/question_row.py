"""The row that says what the page Scores asks: a sentence whose parts are menus, and one button for everything else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import streamlit as st

from dashboard.view_names import COMPARISONS, DECISION_MEASURES, MAPS, OTHER_COMPARISONS, OTHER_MEASURES
from dashboard.widgets import focus
from dashboard.widgets.address import read_page_question, show_address_problems, write_page_question
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError
from pipelines.design.short_names import short_names, shorten_names
from pipelines.design.titles import join_rulesets, list_ruleset_choices, name_rulesets
from pipelines.questions.address import find_choices
from pipelines.questions.scores.answer import PreparedScores, prepare_scores
from pipelines.questions.scores.decisions import list_decision_groupings
from pipelines.questions.scores.distributions import list_comparisons
from pipelines.questions.scores.moves import list_groupings
from pipelines.questions.scores.question import MAX_RULESETS, MAX_STRATEGIES, ScoresQuestion, View
from pipelines.questions.scores.scope import (
    ALL_LINEUPS,
    PlayedRuleset,
    ScoresScope,
    choose_named_runs,
    has_subject,
    list_lineup_names,
)
from pipelines.questions.scores.squares import list_map_kinds, list_pieces
from pipelines.report import wording
from pipelines.report.wording import join_words

if TYPE_CHECKING:
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.run import Run

Choices = dict[str, dict[str, Any]]
"""The choices of a menu: what people read, and the fields of the question that it sets."""

MAX_NAMES: Final = 3
"""Strategies that the sentence names; of more it says how many there are."""
MAX_RULESET_NAMES: Final = 2
"""The same of rulesets, whose names are long and stand in the sentence below."""
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
    "Moves": Words("How do", "of", "differ under"),
    "Decisions": Words("How do", "of", "differ under"),
}


def ask_question(
    address_question: ScoresQuestion,
    played: Mapping[str, PlayedRuleset],
    source: QuestionSource,
    problems: Sequence[str],
) -> PreparedScores | None:
    """Ask for all parts of the question of the address; None as long as it is about nothing that was played.

    `played` are all rulesets that it may count, `problems` are sentences on what is wrong with the address.
    """
    prepared = prepare_scores(address_question, played, source)
    question, scope = prepared.question, prepared.scope
    is_known = has_subject(address_question.model_copy(update={"runs": ()}), question)
    rulesets = () if st.session_state.pop(_CLEARED, False) or not is_known else question.rulesets
    runs = {run.name: run for ruleset in scope.rulesets for run in ruleset.runs}
    named_runs = choose_named_runs(list(runs.values()), question.runs)
    with st.container(key="asked", horizontal=True, vertical_alignment="center"):
        words = WORDS[question.view]
        _choose_part(words.measure, MENU_KEYS[0], _name_measure(question), _list_measures(scope))
        _ask_strategies(words.strategies, question, scope, named_runs)
        _ask_rulesets(words.rulesets, address_question, played, rulesets)
        comparisons = _list_comparisons(question, scope)
        if comparisons:
            _choose_part(words.compared, MENU_KEYS[1], _name_comparison(question), comparisons)
        show_more_filters(prepared, runs, named_runs, source)
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
    if question.view == "Decisions":
        return DECISION_MEASURES[question.measure]
    part = _name_part(question.part) if question.part and question.view == "Scores" else "scores"
    return OTHER_MEASURES.get(question.view, part)


def _name_part(title: str) -> str:
    return f"points of {title[:1].lower()}{title[1:]}"


def _list_measures(scope: ScoresScope) -> Choices:
    return {
        "scores": {"view": "Scores", "part": ""},
        **{_name_part(title): {"view": "Scores", "part": title} for title in scope.part_titles.values()},
        **{name: {"view": view, "part": ""} for view, name in OTHER_MEASURES.items()},
        **{
            name: {"view": "Decisions", "measure": measure, "part": "", "only": ""}
            for measure, name in DECISION_MEASURES.items()
        },
    }


def _name_comparison(question: ScoresQuestion) -> str:
    if question.view == "Scores":
        return COMPARISONS[question.compared]
    if question.view == "Squares":
        return _name_map(question.map)
    if question.view == "Moves":
        return question.by
    if question.view == "Decisions":
        return question.grouping
    return question.length if question.view == "Length" else OTHER_COMPARISONS[question.view]


def _list_comparisons(question: ScoresQuestion, scope: ScoresScope) -> Choices:
    """Return how the measure of a question can be compared; none if there is only one way."""
    if question.view == "Explore":
        return {}
    if question.view == "Length":
        return {unit: {"length": unit} for unit in find_choices(ScoresQuestion, "length")}
    if question.view == "Decisions":
        return {by: {"grouping": by, "only": ""} for by in list_decision_groupings(question)}
    if question.view == "Squares":
        return _list_maps(question, scope)
    first, *ways = list_comparisons(scope)
    distributions: Choices = {COMPARISONS[first]: {"view": "Scores", "compared": ""}}
    distributions |= {COMPARISONS[way]: {"view": "Scores", "compared": way} for way in ways}
    if question.part and question.view == "Scores":
        return distributions
    others: Choices = {name: {"view": view} for view, name in OTHER_COMPARISONS.items()}
    return (
        distributions | others | {by: {"view": "Moves", "by": by} for by in list_groupings(question, scope)}
    )


def _list_maps(question: ScoresQuestion, scope: ScoresScope) -> Choices:
    try:
        return {_name_map(kind): {"map": kind} for kind in list_map_kinds(question, scope)}
    except (GameError, OSError):  # the view says why the board cannot be drawn
        return {}


def _name_map(kind: str) -> str:
    return MAPS.get(kind, f"with {kind.lower()}")


def _choose_part(words: str, key: str, current: str, choices: Choices) -> None:
    """Show a part of the sentence whose menu sets fields of the question; the menu then has the keyboard focus again."""

    def choose() -> None:
        change_question(**choices[st.session_state[key]])
        focus.request_focus(key)

    st.markdown(words, width="content")
    st.menu_button(escape_markdown(current), list(choices), key=key, on_click=choose)


def _ask_strategies(words: str, question: ScoresQuestion, scope: ScoresScope, runs: Sequence[Run]) -> None:
    names = short_names(sorted({name for run in runs for name in run.summary.strategies}))
    counted = question.strategies or (scope.strategies if scope.counted_runs.other_lineups else ())
    label = _list_names([names[name] for name in counted], "strategies") or "all strategies"
    st.markdown(words, width="content")
    with st.popover(escape_markdown(label), key="ask-strategies"):
        ask_several(
            "Strategies", "strategies", names, question.strategies, "all if none is chosen", MAX_STRATEGIES
        )


def _ask_rulesets(
    words: str, question: ScoresQuestion, played: Mapping[str, PlayedRuleset], chosen: Sequence[str]
) -> None:
    def choose_rulesets(labels: tuple[str, ...]) -> None:
        """Ask about other rulesets, and no longer about runs that have none of them."""
        if not labels:
            st.session_state[_CLEARED] = True
            return
        added = [label for label in labels if label not in chosen]
        games_asked = {
            played[label].game for label in added or labels
        }  # points of two games have nothing in common
        labels = tuple(label for label in labels if played[label].game in games_asked)
        run_names = {run.name for label in labels for run in played[label].runs}
        change_question(rulesets=labels, runs=tuple(name for name in question.runs if name in run_names))

    st.markdown(words, width="content")
    names = f"{len(chosen)} rulesets" if len(chosen) > MAX_RULESET_NAMES else ""
    if chosen and not names:
        names = join_rulesets([played[label] for label in chosen])
    with st.popover(escape_markdown(names or "a ruleset"), key="ask-rulesets"):
        ask_rulesets(played, chosen, choose_rulesets)


def _list_names(names: Sequence[str], plural: str) -> str:
    """Return names in words, of many only how many they are; empty without names."""
    if len(names) > MAX_NAMES:
        return f"{len(names)} {plural}"
    return join_words(names) if names else ""


def ask_rulesets(
    played: Mapping[str, PlayedRuleset], chosen: Sequence[str], choose: Callable[[tuple[str, ...]], None]
) -> None:
    """Show the rulesets that were played, game by game; `choose` takes the labels of those that are chosen."""
    rows = _group_by_title(played.values())
    limit_text = f"up to {MAX_RULESETS}"
    if len(rows) > MAX_SHOWN_VALUES:
        titles = list_ruleset_choices({label: played[label] for labels in rows.values() for label in labels})
        ask_several("Rulesets", "rulesets", titles, chosen, limit_text, MAX_RULESETS, choose)
        return

    def write_labels() -> None:
        selected_labels = [label for title in rows for label in st.session_state[_row_key(title)]]
        earlier_labels = [label for label in chosen if label in selected_labels]
        choose(
            limit_values(
                (*earlier_labels, *(label for label in selected_labels if label not in earlier_labels)),
                MAX_RULESETS,
            )
        )

    with st.container(key="ruleset-rows", gap="xsmall"):
        st.caption(f"Rulesets · {limit_text}")
        for title, labels in rows.items():
            st.session_state[_row_key(title)] = [label for label in labels if label in chosen]
            with st.container(key=f"row-{_row_key(title)}", horizontal=True, vertical_alignment="center"):
                st.markdown(escape_markdown(title), width=210)
                names = _name_buttons([played[label] for label in labels])
                st.pills(
                    title,
                    labels,
                    selection_mode="multi",
                    format_func=names.__getitem__,
                    key=_row_key(title),
                    on_change=write_labels,
                    label_visibility="collapsed",
                    wrap=True,
                    width="stretch",
                )


def _group_by_title(rulesets: Iterable[PlayedRuleset]) -> dict[str, list[str]]:
    """Return the labels of rulesets by title, in the order of all lists."""
    rows: dict[str, list[str]] = {}
    for ruleset in sorted(
        rulesets, key=lambda ruleset: (games.list_order(ruleset.game), ruleset.title, ruleset.label)
    ):
        rows.setdefault(ruleset.title, []).append(ruleset.label)
    return rows


def _name_buttons(rulesets: Sequence[PlayedRuleset]) -> dict[str, str]:
    """Return the words of the buttons of rulesets with one title, by label: what tells them apart, which often is the number of players."""
    names = name_rulesets(rulesets, with_players=True)
    return {
        ruleset.label: escape_markdown(name.removeprefix(f"{ruleset.title}, "))
        for ruleset, name in zip(rulesets, names, strict=True)
    }


def _row_key(title: str) -> str:
    return f"rulesets-{title}"


MAX_SHOWN_VALUES: Final = 40
"""Values that lie open in a menu; more are searched in a list."""


def change_question(**fields: object) -> None:
    """Let the address ask the same question with other values of these fields, in one step of *Back*. For callbacks."""
    question, _ = read_page_question(ScoresQuestion)
    write_page_question(question.model_copy(update=fields))


def show_more_filters(
    prepared: PreparedScores, runs: Mapping[str, Run], named_runs: Sequence[Run], source: QuestionSource
) -> None:
    """Show the button with the number of filters that are set, and behind it all settings that the sentence does not hold.

    `runs` are those of the rulesets by name; the question counts only the `named_runs` ones.
    """
    question, scope = prepared.question, prepared.scope
    count = sum(map(bool, (question.runs, question.seats, question.lineups)))
    label = f"More · {wording.format_count(count, 'filter')}" if count else "More"
    with st.popover(label, key="more-filters", icon=":material/tune:"):
        ask_several(
            "Runs", "runs", {name: name for name in runs}, question.runs, "All runs with these rulesets"
        )
        players = {seat: wording.format_player(seat) for seat in range(scope.players)}
        ask_several("Players", "seats", players, question.seats, "All players")
        _ask_lineup(question.lineups, named_runs)
        if question.view == "Scores":
            shapes = {shape: shape for shape in find_choices(ScoresQuestion, "shape")}
            _ask_one("Drawn as", "shape", shapes, question.shape)
        if question.view in {"Squares", "Moves", "Decisions"} and len(scope.rulesets) > 1:
            _ask_one(
                "Board of" if question.view == "Squares" else f"{question.view} of",
                "board",
                dict(zip(scope.labels.values(), scope.ruleset_names.values(), strict=True)),
                question.board,
            )
        if question.view == "Squares":
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
    limit: int | None = None,
    choose: Callable[[tuple[Any, ...]], None] | None = None,
) -> None:
    """Show a field of several values of the question. People read the titles of the values, the address has the values.

    `choose` takes the values that were chosen; without it they become the field `key` of the question. A field of at most
    `limit` values shows all that it can have, unless they are too many.
    """
    st.session_state[key] = [value for value in chosen if value in titles]

    def write_values() -> None:
        values = limit_values(st.session_state[key], limit)
        choose(values) if choose else change_question(**{key: values})

    if limit and len(titles) <= MAX_SHOWN_VALUES:
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
        max_selections=limit,
        placeholder=placeholder,
        select_all=False,
    )


def limit_values(values: Iterable[Any], limit: int | None) -> tuple[Any, ...]:
    """Return the first values that were chosen; say so if that leaves some out."""
    every = tuple(values)
    if limit and len(every) > limit:
        st.toast(f"No more than {limit} at once.", icon=":material/info:")
    return every[:limit]


def offer_other_lineups(question: ScoresQuestion, scope: ScoresScope) -> None:
    """Offer to count all line-ups if some are left out, or to leave the others out again."""
    is_pooled = question.lineups == ALL_LINEUPS
    if not (is_pooled or scope.counted_runs.other_lineups):
        return
    label, lineups = ("Count one line-up only", "") if is_pooled else ("Count all line-ups", ALL_LINEUPS)
    with st.container(key="counted-lineups"):
        if st.button(label, key="all-lineups", type="tertiary"):
            change_question(lineups=lineups)
            st.rerun()  # the whole page: some views are fragments, which would be drawn anew with the same games
