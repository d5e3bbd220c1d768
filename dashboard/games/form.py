"""The form of the page Games: which games count, and what they are sorted by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.widgets.address import write_page_question
from dashboard.widgets.labels import add_run_labels
from engine import games
from pipelines.design.limits import MAX_CONDITION_CHARACTERS, MAX_RANGE_END
from pipelines.design.lineups import short_names
from pipelines.design.titles import format_ruleset_choice
from pipelines.questions.games import CONDITION_COLUMNS, SORTS, GamesQuestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamlit.elements.lib.mutable_popover_container import PopoverContainer

    from pipelines.runs.library import Run

ORDERS: Final = {
    title.capitalize(): (sort, is_lowest)
    for sort, titles in SORTS.items()
    if sort != "game"
    for is_lowest, title in ((False, titles.largest), (True, titles.smallest))
}
"""The orders of the menu, by what the first game is."""
_PREFIX: Final = "games-"


def ask_games(question: GamesQuestion, runs: Mapping[str, Run]) -> PopoverContainer:
    """Show the fields of a question, and return the menu of the rarer ones, to which the page adds its own.

    A change of a field is written into the address, from which the page is drawn again. The field of the rulesets is empty if
    the question is about all rulesets of a game.
    """
    by_game = _list_rulesets(runs.values())
    game = next((game for game, held in by_game.items() if sorted(held) == sorted(question.rulesets)), None)
    rulesets = by_game[game] if game else [name for held in by_game.values() for name in held]
    titles = {one.name: format_ruleset_choice(one) for run in runs.values() for one in run.summary.rulesets}
    strategies = sorted({name for run in runs.values() for name in run.summary.strategies})
    names = {"": "anyone", **short_names(strategies)}
    values = {
        "order": question.order_title.capitalize(),
        "rulesets": [] if game else [name for name in question.rulesets if name in rulesets],
        "runs": [name for name in question.runs if name in runs],
        "winner": question.winner if question.winner in names else "",
        "low": question.low,
        "high": question.high,
        "where": question.where,
        "logged": question.only_logged,
        "game": game,
    }
    st.session_state.update({f"{_PREFIX}{name}": value for name, value in values.items()})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(by_game) > 1:
            st.pills(
                "Game",
                list(by_game),
                format_func=lambda game: games.find_game(game).title,
                key=f"{_PREFIX}game",
                on_change=_write_game,
            )
        st.selectbox(
            "Begin with", _list_orders(question), key=f"{_PREFIX}order", on_change=_write_form, width=200
        )
        every = (
            f"All {len(rulesets)} of {games.find_game(game).title}" if game and len(rulesets) > 1 else "All"
        )
        _ask_several("Rulesets", {name: titles[name] for name in rulesets}, "rulesets", every)
        menu = st.popover("More filters", icon=":material/filter_list:")
        with menu:
            _ask_rarer(runs, names)
    return menu


def _list_rulesets(runs: Iterable[Run]) -> dict[str, list[str]]:
    """Return the rulesets that were played, by game, in the order of all lists."""
    played = {one.name: one for run in runs for one in run.summary.rulesets}
    by_game: dict[str, list[str]] = {}
    for one in sorted(played.values(), key=lambda one: (games.list_order(one.game), one.title, one.name)):
        by_game.setdefault(one.game, []).append(one.name)
    return by_game


def _ask_rarer(runs: Mapping[str, Run], names: Mapping[str, str]) -> None:
    """Ask for runs, the winner, a range of scores, a condition, and games with a log. `names` are titles of strategies."""
    _ask_several("Runs", add_run_labels({name: name for name in runs}, runs.values()), "runs")
    st.selectbox(
        "Won by",
        list(names),
        format_func=names.__getitem__,
        key=f"{_PREFIX}winner",
        on_change=_write_form,
    )
    with st.container(horizontal=True):
        for label, name, placeholder in (("A score from", "low", "lowest"), ("to", "high", "highest")):
            st.number_input(
                label,
                value=None,
                step=1,
                min_value=-MAX_RANGE_END,
                max_value=MAX_RANGE_END,
                key=f"{_PREFIX}{name}",
                placeholder=placeholder,
                on_change=_write_form,
            )
    st.text_input(
        "Condition in SQL",
        key=f"{_PREFIX}where",
        placeholder="rounds < 12 AND margin = 1",
        max_chars=MAX_CONDITION_CHARACTERS,
        help=f"Columns: {CONDITION_COLUMNS}",
        on_change=_write_form,
    )
    st.checkbox("Only games that can be replayed", key=f"{_PREFIX}logged", on_change=_write_form)


def _ask_several(label: str, options: Mapping[str, str], name: str, every: str = "All") -> None:
    """Ask for some of the options, which are titles by name; `every` says what counts if none is chosen."""
    st.multiselect(
        label,
        list(options),
        key=f"{_PREFIX}{name}",
        format_func=options.__getitem__,
        placeholder=every,
        on_change=_write_form,
        select_all=False,
        width=370,
    )


def _list_orders(question: GamesQuestion) -> list[str]:
    """Return the orders of the menu, with that of the address."""
    return list(dict.fromkeys([*ORDERS, question.order_title.capitalize()]))


def _write_game() -> None:
    """Choose all rulesets of the game, or all rulesets if none is chosen any more."""
    st.session_state[f"{_PREFIX}rulesets"] = []
    _write_form()


def _write_form() -> None:
    """Write what the fields hold into the address."""
    held = {
        name: st.session_state[f"{_PREFIX}{name}"]
        for name in ("order", "rulesets", "runs", "winner", "low", "high", "where", "logged")
    }
    game = st.session_state.get(f"{_PREFIX}game")
    every = _list_rulesets(cached.all_runs()).get(game, []) if game else []
    sort, is_lowest = ORDERS.get(held["order"], ("game", True))
    write_page_question(
        GamesQuestion(
            rulesets=tuple(held["rulesets"] or every),
            runs=tuple(held["runs"]),
            sort=sort,
            is_lowest=is_lowest,
            winner=held["winner"],
            low=held["low"],
            high=held["high"],
            where=held["where"].strip(),
            only_logged=held["logged"],
        )
    )
