"""The same change in many games: every position counts once, and intervals count the blocks of the games.

The address is `?run=…&games=all|lost:SEAT|won:SEAT&where=last-roll|round:R|PLY`, the change as for one game, the
number of continuations `n` from each position, the largest number of positions `most`, and `seed`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import pandas as pd
import streamlit as st

from dashboard.whatif.tables import (
    change_address_fields,
    format_half_interval,
    positions_table,
)
from dashboard.widgets import number_fields, tables
from dashboard.widgets.address import set_address
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies
from pipelines.experiments.whatif.fork import Change, parse_option, ruleset_with_options
from pipelines.experiments.whatif.many_games import WhatIfPositions, play_every_fork, positions_sentence
from pipelines.experiments.whatif.select_games import iter_forks, select_logged_games

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from engine.ruleset import Ruleset
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.library import Run

GAME_CHOICES: Final = {"all": "all games", "lost": "games that a seat lost", "won": "games that a seat won"}
FORK_PLACES: Final = {
    "last-roll": "just before the last roll",
    "round": "before a round",
    "ply": "before a ply",
}
CHANGE_KINDS: Final = ("Another strategy", "Another rule")
CONTINUATIONS_PER_POSITION: Final = 60
MAX_GAMES: Final = 1000


class ManyGamesProgress(NamedTuple):
    """The results so far and the number of positions."""

    positions: WhatIfPositions
    total: int

    @property
    def positions_done(self) -> int:
        return len(self.positions.played) + len(self.positions.skipped)


def asks_about_many_games() -> bool:
    """Return whether the address asks about many games."""
    return "games" in st.query_params


def show_many_games(run: Run, runs: Mapping[str, Run]) -> None:
    """Show the form for many games, and the answer while it becomes more precise."""
    st.button("Ask about one game", key="many-one", on_click=set_address, kwargs={"run": run.name})
    ruleset = next(iter(run.rulesets.values()))
    with st.container(border=True):
        st.caption(escape_markdown(f"{runs[run.name].summary.title} · {run.name}"))
        which, where = _ask_games(ruleset), _ask_fork_place()
        try:
            change = _ask_change(ruleset, runs[run.name].summary.strategies)
        except GameError as error:
            st.error(escape_markdown(str(error)))
            return
        games_column, continuations_column, seed_column, _ = st.columns(4)
        most = int(
            games_column.number_input(
                "Maximum number of games", 2, MAX_GAMES, _read_address_number("most", 2, MAX_GAMES, 100)
            )
        )
        n = int(
            continuations_column.number_input(
                "Continuations of each game",
                10,
                10_000,
                _read_address_number("n", 10, 10_000, CONTINUATIONS_PER_POSITION),
            )
        )
        seed = int(
            seed_column.number_input(
                "Seed", 0, 10**9, _read_address_number("seed", 0, 10**9, 0), key="many-seed"
            )
        )
    question = {"run": run.name, "games": which, "where": where, **change_address_fields(change)}
    question |= {"n": str(n), "most": str(most), "seed": str(seed)}
    st.query_params.from_dict(question)

    def iter_answers(_stopped: Callable[[], bool]) -> Iterator[ManyGamesProgress]:
        chosen = select_logged_games(run, which, most)
        played: tuple[WhatIf, ...] = ()
        skipped: dict[int, str] = {}
        for answer in play_every_fork(iter_forks(run, chosen, where, change, skipped), n=n, seed=seed):
            played = (*played, answer)
            yield ManyGamesProgress(WhatIfPositions(played, skipped), len(chosen))
        if not played:
            raise InvalidError(next(iter(skipped.values())))

    work = find_or_start_work(st.session_state, "whatif-many", tuple(question.items()), iter_answers)
    work.wait(0.6)

    show_work_progress(
        work,
        at_first="Forking the games …",
        headline=lambda latest: _show_headline(latest.positions, str(change), which, where),
        progress=lambda latest: (
            latest.positions_done / latest.total,
            f"{latest.positions_done:,} of {latest.total:,} positions",
        ),
        details=lambda latest: _show_details(latest.positions),
    )


def _show_headline(positions: WhatIfPositions, change: str, which: str, where: str) -> None:
    sentence = positions_sentence(positions)
    st.markdown(f"## {escape_markdown(sentence[0].upper() + sentence[1:])}.")
    share = positions.differing_share
    differing = (
        f" The change made a difference at {share.estimate:.0%} of the positions ({share.low:.0%} to {share.high:.0%})."
        if share and positions.has_enough_blocks
        else ""
    )
    st.caption(
        escape_markdown(
            f"What if, from {where} on, {change}? Games: {which}. ± is half of the 95 % interval, which counts the "
            f"blocks of {positions.basis}, because games of one block have the same luck.{differing}"
        )
    )


def _show_details(positions: WhatIfPositions) -> None:
    effect = {
        "": ["final score", "share of the win"],
        "change": [
            format_half_interval(interval if positions.has_enough_blocks else None, signed=True)
            for interval in (positions.score, positions.win_share)
        ],
        "positions": [len(positions.played)] * 2,
        "blocks": [positions.blocks] * 2,
    }
    tables.show_table(pd.DataFrame(effect), "The change over all positions")
    if positions.skipped:
        game, reason = next(iter(positions.skipped.items()))
        st.caption(
            escape_markdown(
                f"{len(positions.skipped)} games were left out. The first is game {game}: {reason}"
            )
        )
    st.header("Every position")
    tables.show_table(
        positions_table(positions), "The change position by position", {"game": "d", "block": "d"}
    )


def _read_address_number(key: str, least: int, most: int, otherwise: int) -> int:
    """Return a number from the address, within its bounds."""
    return number_fields.parse_bounded_number(str(st.query_params.get(key, "")), least, most, otherwise)


def _ask_games(ruleset: Ruleset) -> str:
    """Ask which games to fork; return `all`, `lost:SEAT` or `won:SEAT`."""
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
    """Ask before which ply to fork each game."""
    given = str(st.query_params.get("where", "last-roll"))
    matched = re.fullmatch(r"(round:)?(-?[0-9]{1,5})", given)
    kind = "last-roll" if not matched else "round" if matched[1] else "ply"
    left, right = st.columns(2)
    place = left.selectbox(
        "Start from",
        list(FORK_PLACES),
        index=list(FORK_PLACES).index(kind),
        format_func=FORK_PLACES.__getitem__,
    )
    if place == "last-roll":
        return place
    number = int(matched[2]) if matched else 5
    typed = int(
        right.number_input(
            "Number", -10_000, 10_000, number, help="Counted from 0; a negative ply counts from the end."
        )
    )
    return f"round:{max(0, typed)}" if place == "round" else str(typed)


def suggest_strategy(names: Sequence[str], played: Collection[str]) -> str:
    """Return the weakest strategy that did not play and errs neither by design nor by chance; random if all played.

    `names` goes from weak to strong. A strategy that played already would often be replaced by itself.

    >>> suggest_strategy(["random", "greedy", "noisy", "planner", "rollout"], ["greedy", "random"])
    'planner'
    """
    others = [name for name in names if name not in {"random", "noisy", *played}]
    return others[0] if others else names[0]


def _ask_change(ruleset: Ruleset, played: Collection[str]) -> Change:
    """Ask for the change; raise a GameError if it is not possible. `played` are the strategies of the run."""
    way = st.segmented_control(
        "What changes?",
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
        text = right.text_input(f"instead of {now}", value if key == name else str(now))
        changed = Change(options=dict([parse_option(f"{name}={text}")]))
        ruleset_with_options(ruleset, changed.options)  # raises an error if the value is wrong
        return changed
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    seat = left.selectbox(
        "Seat",
        range(ruleset.players),
        index=_read_address_number("seat", 0, ruleset.players - 1, 0),
        key="many-seat",
    )
    given = str(st.query_params.get("strategy", suggest_strategy(names, played)))
    chosen = right.selectbox(
        "is then played by", list(dict.fromkeys([given, *names])), accept_new_options=True
    )
    return Change({int(seat): chosen or given})
