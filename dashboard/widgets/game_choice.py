"""The choices of a kind of game, of a run and of one of its games, and the moments that Reroll chooses itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import cached
from dashboard.widgets.address import is_in_address, read_page_question, read_seen_games
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError
from pipelines.experiments.lessons import list_lesson_slips
from pipelines.questions.game import GameQuestion, game_address
from pipelines.questions.games import GamesQuestion
from pipelines.report import wording
from pipelines.runs import game_queries

if TYPE_CHECKING:
    from pipelines.questions.address import Address
    from pipelines.runs.library import Run

PLIES_WATCHED: Final = 16
"""Moves before the end of the best finish, from which it is played."""


def ask_kind_of_game(
    names: Iterable[str], key: str, open_kind: Callable[[], None], *, is_required: bool = True
) -> None:
    """Ask for one of some games, if there are several; the session state holds it under the key."""
    kinds = sorted(set(names), key=games.list_order)
    if len(kinds) > 1:
        st.segmented_control(
            "Game",
            kinds,
            format_func=lambda name: games.find_game(name).title,
            key=key,
            required=is_required,
            label_visibility="collapsed",
            on_change=open_kind,
        )


def ask_which_game(
    runs: Mapping[str, Run], run: Run, game: int, open_game: Callable[[str, int], None]
) -> None:
    """Show the open game and its run, and ask for another one; `open_game` gets the name of its run and its number."""
    titles = {
        name: f"{wording.format_run_title(known_run.summary)} · {name}" for name, known_run in runs.items()
    }
    last = run.summary.games - 1
    run_key, game_key = "replay-run", "replay-game"
    st.session_state[run_key], st.session_state[game_key] = run.name, game + 1
    with st.popover(
        escape_markdown(f"Game {game + 1:,} of {last + 1:,} · {wording.format_run_title(run.summary)}"),
        key="replay-which",
        width="stretch",
        wrap=False,
    ):
        st.selectbox(
            "Run",
            list(runs),
            key=run_key,
            format_func=titles.__getitem__,
            on_change=lambda: open_game(st.session_state[run_key], 0),
        )
        st.number_input(
            f"Game, 1 to {last + 1:,}",
            min_value=1,
            max_value=last + 1,
            step=1,
            key=game_key,
            on_change=lambda: open_game(run.name, min(max(0, st.session_state[game_key] - 1), last)),
        )


def find_best_finish() -> GameQuestion | None:
    """Return the closest finish of all games that can be replayed, some moves before its end; None without one."""
    question = GamesQuestion(sort="margin", is_lowest=True, only_logged=True, limit=1)
    finishes = cached.list_games(question, cached.question_source()).games
    if not finishes:
        return None
    game = finishes[0]
    return GameQuestion(run=game.run, game=game.game_id, ply=max(0, game.plies - 1 - PLIES_WATCHED))


def find_decision(runs: Mapping[str, Run]) -> Address:
    """Return the address of a decision: the one of the game in front, or the next one after a roll.

    Without a game in front it is in the middle of the game that was seen last; else it is the worst slip of the newest run with reviews,
    or in the middle of the closest finish. Empty without logged games.
    """
    question, seen = read_page_question(GameQuestion)[0], read_seen_games()
    known = {name: game for name, game in seen.items() if name in runs}
    ply = None
    if question.run in runs and is_in_address(GameQuestion, "game"):
        name, game, ply = question.run, question.game, question.ply
    elif known:
        name, game = next(iter(known.items()))
    elif slip := _find_worst_slip(runs.values()):
        return slip
    elif best := find_best_finish():
        name, game = best.run, best.game
    else:
        return {}
    log = cached.query_runs(game_queries.read_log, [runs[name]], game)
    decisions = [logged.ply for logged in log if (logged.options or 0) > 1]
    if ply is None:
        ply = len(log) // 2
    return game_address(name, game, next((at for at in decisions if at >= ply), max(decisions, default=None)))


def _find_worst_slip(runs: Iterable[Run]) -> Address:
    for run in runs:
        with suppress(GameError):
            if slips := list_lesson_slips(run):
                return game_address(run.name, *slips[0])
    return {}
