"""The page Replays: the hall of fame of a game, and all of its games in an order, each with its replay.

The address is a question of `pipelines.questions.games`: the order (`sort`, `lowest`) and which games count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.view_names import ORDERS
from dashboard.widgets import address
from dashboard.widgets.board import read_position
from dashboard.widgets.board_cards import CARDS_IN_A_ROW, BoardCard, show_board_cards
from dashboard.widgets.game_choice import ask_kind_of_game
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.review_all import offer_review
from dashboard.widgets.sheet import offer_sheet, show_basis, show_parts, show_verdict
from engine import games
from engine.errors import GameError
from pipelines.design.limits import LISTED_GAMES, MAX_CONDITION_CHARACTERS, MAX_RANGE_END
from pipelines.design.openings import has_chance
from pipelines.design.short_names import name_lineup, short_names
from pipelines.design.titles import list_ruleset_choices
from pipelines.questions.address import write_address
from pipelines.questions.game import game_address
from pipelines.questions.game_sorts import CONDITION_COLUMNS
from pipelines.questions.games import GamesAnswer, GamesQuestion, ListedGame, iter_records
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.report.table import Table

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.runs.library import Run

_PREFIX: Final = "games-"
GAMES_LISTED: Final = 50
"""Games of one game that the page lists; a `limit` in the address asks for more."""


def ask_games(question: GamesQuestion, runs: Mapping[str, Run]) -> None:
    """Show the fields of a question, with a menu of the rarer ones.

    A change of a field is written into the address, from which the page is drawn again. The field of the rulesets is empty if
    the question is about all rulesets of a game.
    """
    by_game = _list_rulesets(runs.values())
    game, is_whole_game = _find_game(question.rulesets, by_game)
    rulesets = by_game[game] if game else [name for names in by_game.values() for name in names]
    played = {ruleset.name: ruleset for run in runs.values() for ruleset in run.summary.rulesets}
    titles = list_ruleset_choices(played)
    strategies = sorted({name for run in runs.values() for name in run.summary.strategies})
    names = {"": "anyone", **short_names(strategies)}
    values = {
        "order": question.order_title.capitalize(),
        "rulesets": [] if is_whole_game else [name for name in question.rulesets if name in rulesets],
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
        ask_kind_of_game(by_game, f"{_PREFIX}game", _write_game, is_required=False)
        st.selectbox(
            "Begin with", _list_orders(question), key=f"{_PREFIX}order", on_change=_write_form, width=200
        )
        every = (
            f"All {len(rulesets)} of {games.find_game(game).title}" if game and len(rulesets) > 1 else "All"
        )
        _ask_several("Rulesets", {name: titles[name] for name in rulesets}, "rulesets", every)
        with st.popover("More filters", icon=":material/filter_list:"):
            _ask_rarer(runs, names)


def _list_rulesets(runs: Iterable[Run]) -> dict[str, list[str]]:
    """Return the rulesets that were played, by game, in the order of all lists."""
    played = {ruleset.name: ruleset for run in runs for ruleset in run.summary.rulesets}
    by_game: dict[str, list[str]] = {}
    for ruleset in sorted(
        played.values(), key=lambda ruleset: (games.list_order(ruleset.game), ruleset.title, ruleset.name)
    ):
        by_game.setdefault(ruleset.game, []).append(ruleset.name)
    return by_game


def _find_game(names: Collection[str], by_game: Mapping[str, list[str]]) -> tuple[str | None, bool]:
    """Return the only game of some rulesets, and whether they are all that were played of it; no game if they are of several."""
    played = [game for game, known in by_game.items() if not set(known).isdisjoint(names)]
    game = played[0] if len(played) == 1 else None
    return game, game is not None and len(by_game[game]) == len(set(names))


def _ask_rarer(runs: Mapping[str, Run], names: Mapping[str, str]) -> None:
    """Ask for runs, the winner, a range of scores, a condition, and games with a log. `names` are titles of strategies."""
    _ask_several("Runs", {name: name for name in runs}, "runs")
    st.selectbox(
        "Won by", list(names), format_func=names.__getitem__, key=f"{_PREFIX}winner", on_change=_write_form
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
    values = {
        name: st.session_state[f"{_PREFIX}{name}"]
        for name in ("order", "rulesets", "runs", "winner", "low", "high", "where", "logged")
    }
    game, by_game = st.session_state.get(f"{_PREFIX}game"), _list_rulesets(cached.all_runs())
    is_usual = game == next(iter(by_game)) and not values["runs"]  # those that the page chooses by itself
    every = [] if is_usual else by_game.get(str(game), [])
    sort, is_lowest = ORDERS.get(values["order"], ("game", True))
    address.write_page_question(
        GamesQuestion(
            rulesets=tuple(values["rulesets"] or every),
            runs=tuple(values["runs"]),
            sort=sort,
            is_lowest=is_lowest,
            winner=values["winner"],
            low=values["low"],
            high=values["high"],
            where=values["where"].strip(),
            only_logged=values["logged"],
        )
    )


def show_records(answer: GamesAnswer, table: Table, first: int) -> None:
    """Show records of an answer in a row of cards, from the number `first` on. `table` is the part of its sheet that has their words."""
    cards = []
    for number, (record, row) in enumerate(zip(answer.records, table.rows, strict=True)):
        game, question = record.game, record.question
        title, words, _, ruleset = map(str, row)
        cards.append(
            BoardCard(
                f"{question.sort}-{int(question.is_lowest)}",
                f"**{escape_markdown(title)}**",
                _read_scene(game) if first <= number < first + CARDS_IN_A_ROW else None,
                "The end of the game:",
                [words],
                [ruleset, name_lineup(game.strategies)],
                "Replay",
                game_address(game.run, game.game_id, game.ply) if game.is_logged else {},
            )
        )
    show_board_cards(f"{first}", cards[first:])


def _read_scene(game: ListedGame) -> Scene | None:
    """Return the end of a game on one board: of the player that the record is about, or else of a winner."""
    if not game.is_logged:
        return None
    seat = game.winners[0] if game.seat is None else game.seat
    run = cached.dashboard_library().run(game.run)
    try:
        return read_position(run, game.game_id, seat=seat)
    except GameError:  # the page Replay explains what is wrong with the log
        return None


def _has_logged_rolls(run: Run) -> bool:
    """Return whether the luck of some games of a run can be reviewed."""
    return bool(run.summary.played.logged_blocks) and any(map(has_chance, run.rulesets.values()))


st.title("Replays")
runs = {run.name: run for run in cached.all_runs()}
if not runs:
    address.invite_to_simulate()
    st.stop()
question, problems = address.read_page_question(GamesQuestion)
st.session_state[address.REPLAYS_ADDRESS_SLOT] = write_address(question)
address.show_address_problems(problems)
if not question.rulesets and not question.runs:
    first_game = next(iter(_list_rulesets(runs.values()).values()))
    question = question.model_copy(update={"rulesets": tuple(first_game)})
    address.declare_shown_question(question)
ask_games(question, runs)
source = cached.question_source()
if not address.is_wanted(question):
    address.ask_for_click(question)
    st.stop()
whole_question = question.model_copy(update={"limit": max(question.limit, GAMES_LISTED)})
try:
    answer = cached.list_games(whole_question, source)
    records = (
        tuple(iter_records(answer, lambda record_question: cached.list_games(record_question, source)))
        if len(answer.by_game) == 1
        else ()
    )
except GameError as error:
    st.error(escape_markdown(str(error)))
    st.stop()
if len(answer.by_game) > 1:
    firsts = {name: listed[: LISTED_GAMES.default] for name, listed in answer.by_game.items()}
    answer = replace(answer, by_game=firsts)
answer = replace(answer, records=records)
sheet = cached.compose_sheet(answer)
show_verdict(sheet if answer.games else replace(sheet, consequences=()))  # a button does what they say
show_basis(sheet)
names = [game.run for game in answer.games] or [
    name for name in answer.basis.runs if _has_logged_rolls(runs[name])
]
can_review = question.sort == "luck" and bool(names)
if can_review and 0 < answer.searched < answer.fitting:
    st.markdown("[Review more games](#review-more)")
main = sheet.list_parts("main")
tiles = next((part.content for part in sheet.parts if part.key == "records"), None)
is_best_score = question.sort == "score" and not question.is_lowest
if not is_best_score:  # the list answers; the records stand below it
    show_parts(main, (), {})
if question.sort == "luck":
    for game in answer.games[:1]:
        luck_question = ScoresQuestion(rulesets=(game.ruleset,), view="Decisions", measure="luck")
        address.show_link(luck_question, "Luck in these games", ":material/casino:")
if can_review:
    st.subheader(f"Review games of {escape_markdown(names[0])}", anchor="review-more")
    offer_review(runs[names[0]], has_link=False)
if isinstance(tiles, Table):
    st.subheader(tiles.title, anchor=False)
    show_records(answer, tiles, 0)
if is_best_score:
    show_parts(main, (), {})
if isinstance(tiles, Table) and records[CARDS_IN_A_ROW:]:
    if is_best_score:
        st.subheader("More records", anchor=False)
    show_records(answer, tiles, CARDS_IN_A_ROW)
offer_sheet(sheet)
