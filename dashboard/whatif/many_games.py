"""The same change in many games, at every position that fits, each position one observation.

The address: `?run=…&games=all|lost:SEAT|won:SEAT&where=last-roll|round:R|PLY`, the change as for one game, `n`
continuations from each position, `most` positions, `seed`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pandas as pd
import streamlit as st

from dashboard.queries import cached
from dashboard.whatif.tables import (
    change_address_fields,
    format_half_interval,
    positions_sentence,
    positions_table,
)
from dashboard.widgets import number_fields, tables
from dashboard.widgets.address import set_address
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from engine import games
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies
from pipelines.experiments.whatif.fork import Change, parse_option, ruleset_with_options
from pipelines.experiments.whatif.select_games import iter_forks, select_logged_games
from pipelines.experiments.whatif.whatif import WhatIf, WhatIfPositions, play_every_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Run

GAME_CHOICES: Final = {"all": "all games", "lost": "games that a seat lost", "won": "games that a seat won"}
FORK_PLACES: Final = {"last-roll": "the last roll", "round": "a round", "ply": "a ply"}
CHANGE_KINDS: Final = ("Another strategy", "Another rule")
CONTINUATIONS_PER_POSITION: Final = 60
MAX_GAMES: Final = 1000


class ManyGamesProgress(NamedTuple):
    """How far the work is."""

    positions: WhatIfPositions
    total: int

    @property
    def positions_done(self) -> int:
        return len(self.positions.played) + len(self.positions.skipped)


def asks_about_many_games() -> bool:
    """Say whether the address asks about many games."""
    return "games" in st.query_params


def show_many_games(run: Run, runs: Mapping[str, Run]) -> None:
    """Ask the question of many games, and show the answer as it narrows."""
    st.button("Ask about one game", key="many-one", on_click=set_address, kwargs={"run": run.name})
    ruleset = next(iter(run.rulesets.values()))
    with st.container(border=True):
        st.caption(cached.escape_markdown(f"{runs[run.name].summary.title} · {run.name}"))
        which, where = _ask_games(ruleset), _ask_fork_place()
        try:
            change = _ask_change(ruleset)
        except GameError as error:
            st.error(cached.escape_markdown(str(error)))
            return
        a, b, c, _ = st.columns(4)
        most = int(
            a.number_input("Games at most", 2, MAX_GAMES, _read_address_number("most", 2, MAX_GAMES, 100))
        )
        n = int(
            b.number_input(
                "Continuations of each",
                10,
                10_000,
                _read_address_number("n", 10, 10_000, CONTINUATIONS_PER_POSITION),
            )
        )
        seed = int(
            c.number_input("Seed", 0, 10**9, _read_address_number("seed", 0, 10**9, 0), key="many-seed")
        )
    question = {"run": run.name, "games": which, "where": where, **change_address_fields(change)}
    question |= {"n": str(n), "most": str(most), "seed": str(seed)}
    st.query_params.from_dict(question)

    def iter_answers(_stopped: Callable[[], bool]) -> Iterator[ManyGamesProgress]:
        chosen = select_logged_games(run, which, most)
        played: tuple[WhatIf, ...] = ()
        skipped: dict[int, str] = {}
        for one in play_every_fork(iter_forks(run, chosen, where, change, skipped), n=n, seed=seed):
            played = (*played, one)
            yield ManyGamesProgress(WhatIfPositions(played, skipped), len(chosen))
        if not played:
            raise InvalidError(next(iter(skipped.values())))

    work = find_or_start_work(st.session_state, "whatif-many", tuple(question.items()), iter_answers)
    work.wait(0.6)

    show_work_progress(
        work,
        at_first="Going through the games …",
        headline=lambda found: _show_headline(found.positions, str(change), which, where),
        progress=lambda found: (
            found.positions_done / found.total,
            f"{found.positions_done:,} of {found.total:,} positions",
        ),
        details=lambda found: _show_details(found.positions),
    )


def _show_headline(found: WhatIfPositions, change: str, which: str, where: str) -> None:
    said = positions_sentence(found)
    st.markdown(f"## {cached.escape_markdown(said[0].upper() + said[1:])}.")
    share = found.differing_share
    st.caption(
        cached.escape_markdown(
            f"What if, from {where} on, {change}? Games: {which}. Half a 95 % interval behind each ±, resting on the "
            f"{len(found.played)} positions, however often each is played on; at {share.estimate:.0%} of them "
            f"({share.low:.0%} to {share.high:.0%}) anything changed."
        )
    )


def _show_details(found: WhatIfPositions) -> None:
    effect = {
        "": ["final score", "share of the win"],
        "difference": [
            format_half_interval(found.score, signed=True),
            format_half_interval(found.win_share, signed=True),
        ],
        "positions": [len(found.played)] * 2,
    }
    tables.show_table(pd.DataFrame(effect), "The effect over all positions")
    if found.skipped:
        game, why = next(iter(found.skipped.items()))
        st.caption(
            cached.escape_markdown(f"{len(found.skipped)} games left out, the first: game {game}: {why}")
        )
    st.header("Position by position")
    tables.show_table(positions_table(found), "The effect position by position", {"game": "d"})


def _read_address_number(key: str, least: int, most: int, otherwise: int) -> int:
    """Read a number from the address."""
    return number_fields.parse_bounded_number(str(st.query_params.get(key, "")), least, most, otherwise)


def _ask_games(ruleset: Ruleset) -> str:
    """Ask which games."""
    how, _, seat = str(st.query_params.get("games", "all")).partition(":")
    left, right = st.columns(2)
    kind = left.selectbox(
        "Which games",
        list(GAME_CHOICES),
        index=list(GAME_CHOICES).index(how) if how in GAME_CHOICES else 0,
        format_func=GAME_CHOICES.__getitem__,
    )
    if kind == "all":
        return "all"
    chosen = number_fields.parse_bounded_number(seat, 0, ruleset.players - 1, 0)
    return f"{kind}:{right.selectbox('That seat', range(ruleset.players), index=chosen)}"


def _ask_fork_place() -> str:
    """Ask from where in each game."""
    given = str(st.query_params.get("where", "last-roll"))
    matched = re.fullmatch(r"(round:)?(-?[0-9]{1,5})", given)
    kind = "last-roll" if not matched else "round" if matched[1] else "ply"
    left, right = st.columns(2)
    place = left.selectbox(
        "From before",
        list(FORK_PLACES),
        index=list(FORK_PLACES).index(kind),
        format_func=FORK_PLACES.__getitem__,
    )
    if place == "last-roll":
        return place
    number = int(matched[2]) if matched else 5
    typed = int(
        right.number_input(
            "which", -10_000, 10_000, number, help="Counted from 0; a negative ply counts from the end."
        )
    )
    return f"round:{max(0, typed)}" if place == "round" else str(typed)


def _ask_change(ruleset: Ruleset) -> Change:
    """Ask what is different."""
    way = st.segmented_control(
        "What is different?",
        CHANGE_KINDS,
        default=CHANGE_KINDS["option" in st.query_params],
        required=True,
        key="many-way",
    )
    left, right = st.columns(2)
    if way == CHANGE_KINDS[1]:
        options = list(ruleset.document["options"])
        key, _, value = str(st.query_params.get("option", "")).partition("=")
        name = left.selectbox("Option", options, index=options.index(key) if key in options else 0)
        now = ruleset.document["options"][name]
        text = right.text_input(f"in place of {now}", value if key == name else str(now))
        changed = Change(options=dict([parse_option(f"{name}={text}")]))
        ruleset_with_options(ruleset, changed.options)  # says what is wrong with it
        return changed
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    seat = left.selectbox(
        "Seat",
        range(ruleset.players),
        index=_read_address_number("seat", 0, ruleset.players - 1, 0),
        key="many-seat",
    )
    given = str(st.query_params.get("strategy", names[-1] if "greedy" not in names else "greedy"))
    chosen = right.selectbox(
        "plays from there on", list(dict.fromkeys([given, *names])), accept_new_options=True
    )
    return Change({int(seat): chosen or given})
