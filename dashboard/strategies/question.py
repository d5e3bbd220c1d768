"""The form for a new comparison, which starts in the background. The address holds its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.strategies.estimate import show_estimate, stop_estimate
from dashboard.strategies.select_comparison import started_designs
from dashboard.widgets import form_address
from dashboard.widgets.address import read_page_question, write_page_question
from dashboard.widgets.address_defaults import write_address_defaults
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.number_field import ask_number
from dashboard.widgets.sheet import show_passage
from engine import games
from engine.errors import GameError
from engine.strategies import built_in_strategies
from pipelines.design.lineups import base_name
from pipelines.design.metrics import METRICS
from pipelines.design.titles import format_ruleset_choice
from pipelines.questions.address import write_address
from pipelines.questions.comparison.question import (
    MAX_STRATEGIES,
    KnownComparisonQuestion,
    NewComparisonQuestion,
    comparable_rulesets,
    resolve_new_comparison,
)
from pipelines.records.ladder import split_by_speed
from pipelines.report.characters import describe_strategies, list_introductions
from pipelines.report.sheet import Passage
from pipelines.service import jobs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from pipelines.design.designs import ComparisonDesign
    from pipelines.runs.library import Library

ADDRESS_SLOT: Final = "strategies-form-address"
RULESET_KEY: Final = "ask-ruleset"
WIDGET_KEYS: Final = {
    "metric": "ask-metric",
    "blocks": "ask-blocks",
    "until_decided": "ask-until",
    "seed": "ask-seed",
}
"""The keys of the widgets by the fields of the question."""


def is_form_asked() -> bool:
    """Return whether the address holds a field of the form."""
    return any(field in st.query_params for field in NewComparisonQuestion.form_fields)


def open_form(library: Library, ruleset: str) -> None:
    """Open the form by writing its defaults for a ruleset into the address."""
    asked, _ = _resolve_question(NewComparisonQuestion(ruleset=ruleset), library.catalogue.rulesets)
    write_page_question(asked)


def ask_new_comparison(library: Library) -> Ruleset:
    """Show the form; start the comparison in the background when the visitor presses Compare. Return its ruleset."""
    rulesets = comparable_rulesets(library.catalogue.rulesets)
    asked, _ = _read_address(rulesets)
    held = _read_shown(asked, rulesets)
    if form_address.must_follow_address(ADDRESS_SLOT, asked, held):
        _fill_fields(asked, rulesets[asked.ruleset])
        held = None
    message_place = st.container()
    ruleset = _ask_ruleset(rulesets, held)
    _ask_strategies(ruleset, held)
    _ask_settings(asked, held)
    shown = _read_shown(asked, rulesets)
    if shown is None:
        raise RuntimeError("The fields of the form have no values although they have been drawn.")
    address = write_address(shown)
    form_address.write_form_address(ADDRESS_SLOT, asked, shown, address, NewComparisonQuestion.form_fields)
    write_address_defaults("strategies", address)
    with message_place:  # a change of a field has corrected the address by now
        form_address.show_address_problems(_read_address(rulesets)[1])
    characters = describe_strategies(ruleset, shown.lineup)
    if characters:
        show_passage(Passage("", list_introductions(characters)))
    try:
        design = shown.design(ruleset)
    except GameError as error:
        if st.button("Compare", type="primary", key="ask-go"):
            st.error(escape_markdown(str(error)))
        return ruleset
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Compare", type="primary", key="ask-go"):
            stop_estimate()
            _start_comparison(library, design)
        show_estimate(design)
    return ruleset


def _resolve_question(
    question: NewComparisonQuestion, rulesets: Mapping[str, Ruleset]
) -> tuple[NewComparisonQuestion, tuple[str, ...]]:
    return resolve_new_comparison(question, rulesets, _offered_strategies)


def _read_address(rulesets: Mapping[str, Ruleset]) -> tuple[NewComparisonQuestion, tuple[str, ...]]:
    """Return the question of the address, and a sentence on each of its values that does not fit."""
    given, unread = read_page_question(NewComparisonQuestion)
    asked, problems = _resolve_question(given, rulesets)
    return asked, (*unread, *problems)


def _offered_strategies(ruleset: Ruleset) -> list[str]:
    """Return the strategies of a game. The first two are the default: the strongest quick one, and greedy."""
    quick, _ = split_by_speed(ruleset)
    known = built_in_strategies(games.find_game(ruleset.game))
    return list(dict.fromkeys([*map(base_name, quick[-1:]), "greedy", *known]))


def _lineup_key(ruleset: Ruleset) -> str:
    """Return the key of the field of the strategies, which is another one for each game."""
    return f"ask-strategies-{ruleset.game}"


def _read_shown(
    asked: NewComparisonQuestion, rulesets: Mapping[str, Ruleset]
) -> NewComparisonQuestion | None:
    """Return the question that the fields hold; None if they were not drawn before."""
    state, name = st.session_state, str(st.session_state.get(RULESET_KEY))
    if name not in rulesets or any(key not in state for key in WIDGET_KEYS.values()):
        return None
    lineup = state.get(_lineup_key(rulesets[name]))
    values = {field: state[key] for field, key in WIDGET_KEYS.items()}
    values |= {"ruleset": name, "blocks": int(values["blocks"])}
    values["lineup"] = tuple(_offered_strategies(rulesets[name])[:2] if lineup is None else lineup)
    return asked.model_copy(update=values)


def _fill_fields(asked: NewComparisonQuestion, ruleset: Ruleset) -> None:
    """Put the values of a question into the fields, before they are drawn."""
    st.session_state[RULESET_KEY] = asked.ruleset
    st.session_state[_lineup_key(ruleset)] = list(asked.lineup)
    for field, value in asked.model_dump(include=set(WIDGET_KEYS)).items():
        st.session_state[WIDGET_KEYS[field]] = value


def _ask_settings(asked: NewComparisonQuestion, held: NewComparisonQuestion | None) -> None:
    """Ask what is compared, over how many blocks and on which luck, in a drawer: its defaults suit most questions.

    The drawer is open if the address asks for something else. `held` is that of `_ask_strategies`.
    """
    is_changed = bool(asked.model_dump(include=set(WIDGET_KEYS), exclude_defaults=True))
    with st.expander("Measure, number of blocks and seed", expanded=is_changed):
        st.selectbox(
            "Compare",
            list(METRICS),
            format_func=lambda name: METRICS[name].title,
            key=WIDGET_KEYS["metric"],
        )
        many, luck = st.columns([3, 2])
        with many:
            ask_number(
                "Blocks",
                held or NewComparisonQuestion,
                "blocks",
                WIDGET_KEYS["blocks"],
                "All games of a block have the same luck. The strategies play every block in every seating.",
            )
        luck.text_input("Seed", key=WIDGET_KEYS["seed"], placeholder="any")
        st.checkbox(
            "Stop as soon as the answer is certain",
            key=WIDGET_KEYS["until_decided"],
            help="Blocks is then the maximum. The stopping rule gives a wrong answer in at most 5 of 100 comparisons, "
            "unless rare large differences that the blocks played do not show outweigh the others.",
        )


def _ask_ruleset(rulesets: Mapping[str, Ruleset], held: NewComparisonQuestion | None) -> Ruleset:
    name = st.selectbox(
        "Ruleset",
        list(rulesets),
        index=list(rulesets).index(held.ruleset) if held else 0,
        key=RULESET_KEY,
        format_func=lambda name: format_ruleset_choice(rulesets[name]),
    )
    return rulesets[name]


def _ask_strategies(ruleset: Ruleset, held: NewComparisonQuestion | None) -> None:
    """Ask for the line-up. `held` is what the fields hold, None if the page has just filled them.

    A browser that is busy may draw a field first when the page is drawn for the second time. It then shows the default of
    the field, which must be what the field holds.
    """
    known, key = _offered_strategies(ruleset), _lineup_key(ruleset)
    is_held = held is not None and key in st.session_state
    st.session_state.setdefault(key, known[:2])
    st.multiselect(
        "Strategies",
        dict.fromkeys([*known, *st.session_state[key]]) if is_held else known,
        default=st.session_state[key] if is_held else None,
        key=key,
        max_selections=MAX_STRATEGIES,
        accept_new_options=True,
        help="Choose two or more. Write parameters after the name: noisy:sigma=3.",
        select_all=False,
    )


def _start_comparison(library: Library, design: ComparisonDesign) -> None:
    """Start a comparison and open its page."""
    job = jobs.start_comparison(library, design)
    started_designs()[job.name] = design
    write_page_question(KnownComparisonQuestion(run=job.name))
    st.rerun()
