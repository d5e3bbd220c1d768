"""The same change in many games: every position counts once, and intervals count the blocks of the games.

The address is `?run=…&games=all|lost:SEAT|won:SEAT&where=last-roll|round:R|PLY`, the change as for one game, the
number of continuations `n` from each position, the largest number of positions `most`, and `seed`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.whatif.question import field_key, follow_address, has_asked, suggest_strategy
from dashboard.whatif.tables import (
    CHANGE_AXIS,
    CHANGED_LOOK,
    format_half_interval,
    make_score_series,
    positions_table,
    scale_to_percent,
)
from dashboard.widgets import charts, number_fields, tables
from dashboard.widgets.address import set_address
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from dashboard.widgets.form_address import check_address_numbers, show_address_problems
from dashboard.widgets.labels import add_label_column, read_game_labels, show_row_filter
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from engine import games
from engine.errors import GameError, InvalidError
from engine.strategies import built_in_strategies
from pipelines.experiments.whatif.change_address import change_address_fields
from pipelines.experiments.whatif.fork import Change, parse_option, ruleset_with_options
from pipelines.experiments.whatif.many_games import WhatIfPositions, play_every_fork, positions_sentence
from pipelines.experiments.whatif.select_games import iter_forks, select_logged_games
from pipelines.questions.address import describe_unknown
from pipelines.report import wording
from pipelines.report.wording import name_players_and_moves

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from engine.ruleset import Ruleset
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.library import Run
    from pipelines.statistics.arrays import Integers

GAME_CHOICES: Final = {
    "all": "all games",
    "lost": "games that a player lost",
    "won": "games that a player won",
}
FORK_PLACES: Final = {
    "last-roll": "just before the last roll",
    "round": "before a round",
    "ply": "before a move",
}
CHANGE_KINDS: Final = ("Player", "Rule")
CONTINUATIONS_PER_POSITION: Final = 60
GAMES_LIMITS: Final = 2, 1000
CONTINUATIONS_LIMITS: Final = 10, 10_000
SEED_LIMITS: Final = 0, 10**9
FORK_PLACE_PATTERN: Final = re.compile(r"(round:)?(-?[0-9]{1,5})")


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
    """Show the form for many games, and the answer once the visitor has asked."""
    ruleset = next(iter(run.rulesets.values()))
    follow_address()
    form_column, answer_column = st.columns([2, 3], gap="large")
    with form_column:
        st.caption(escape_markdown(f"{wording.format_run_title(runs[run.name].summary)} · {run.name}"))
        with st.container(border=True):
            show_address_problems(_find_address_problems(ruleset))
            which, where = _ask_games(ruleset), _ask_fork_place()
            try:
                change = _ask_change(ruleset, runs[run.name].summary.strategies)
            except GameError as error:
                st.error(escape_markdown(name_players_and_moves(str(error))))
                return
            with st.expander("Games, continuations and seed"):
                most, n, seed = _ask_numbers()
            question = {"run": run.name, "games": which, "where": where, **change_address_fields(change)}
            question |= {"n": str(n), "most": str(most), "seed": str(seed)}
            is_asked = has_asked(question)
        st.button(
            "Ask about one game",
            key="many-one",
            type="tertiary",
            icon=":material/looks_one:",
            on_click=set_address,
            kwargs={"run": run.name},
        )
    with answer_column:
        if not is_asked:
            st.markdown("## The same change, in many games")
            st.caption(
                "Every game is played on many times with and without the change, with the same dice. The answer is the "
                "mean effect, and one row for each game."
            )
            return
        with st.container(key="whatif-answer"):
            _show_answer(run, question, change)


def _ask_numbers() -> tuple[int, int, int]:
    """Ask for the number of games, the continuations of each, and the seed."""
    most = st.number_input(
        "Maximum number of games",
        *GAMES_LIMITS,
        _read_address_number("most", *GAMES_LIMITS, 100),
        key=field_key("many-most"),
    )
    n = st.number_input(
        "Continuations of each game",
        *CONTINUATIONS_LIMITS,
        _read_address_number("n", *CONTINUATIONS_LIMITS, CONTINUATIONS_PER_POSITION),
        key=field_key("many-n"),
    )
    seed = st.number_input(
        "Seed",
        *SEED_LIMITS,
        _read_address_number("seed", *SEED_LIMITS, 0),
        key=field_key("many-seed"),
    )
    return int(most), int(n), int(seed)


def _show_answer(run: Run, question: Mapping[str, str], change: Change) -> None:
    """Fork the games in the background and show the answer while it becomes more precise."""
    which, where = question["games"], question["where"]
    most, n, seed = (int(question[key]) for key in ("most", "n", "seed"))

    def iter_answers(stopped: Callable[[], bool]) -> Iterator[ManyGamesProgress]:
        chosen = select_logged_games(run, which, most)
        played: tuple[WhatIf, ...] = ()
        skipped: dict[int, str] = {}
        forks = iter_forks(run, chosen, where, change, skipped)
        for answer in play_every_fork(forks, n=n, seed=seed, stopped=stopped):
            played = (*played, answer)
            yield ManyGamesProgress(WhatIfPositions(played, skipped), len(chosen))
        if not played and skipped:
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
        details=lambda latest: _show_details(latest.positions, run),
    )


def _show_headline(positions: WhatIfPositions, change: str, which: str, where: str) -> None:
    st.markdown(f"## {write_markdown_sentence(positions_sentence(positions))}")
    share = positions.differing_share
    differing = (
        f" The change made a difference at {share.estimate:.0%} of the positions ({share.low:.0%} to {share.high:.0%})."
        if share and positions.has_enough_blocks
        else ""
    )
    st.caption(
        escape_markdown(
            f"What if, {_format_place(where)}, {change}? Games: {_format_choice(which)}. The intervals count the blocks of "
            f"{positions.basis}, because games of one block have the same luck.{differing}"
        )
    )


def _format_place(where: str) -> str:
    """Return in words where the games are forked; `where` is that of the address."""
    if where == "last-roll":
        return "from just before the last roll on"
    kind, _, number = where.rpartition(":")
    if kind:
        return f"from round {int(number) + 1} on"
    return f"from move {int(number) + 1} on" if int(number) >= 0 else f"in the last {-int(number)} moves"


def _format_choice(which: str) -> str:
    """Return in words which games are forked; `which` is that of the address."""
    kind, _, seat = which.partition(":")
    return f"those that {wording.format_player(int(seat))} {kind}" if seat else "all"


def _show_details(positions: WhatIfPositions, run: Run) -> None:
    """Draw the distribution of the change, and show a row for each position with a link to its replay."""
    if positions.has_enough_blocks and (differences := _all_differences(positions)).any():
        ruleset = positions.played[0].fork.ruleset.name
        series = make_score_series(ruleset, "changed minus original", differences, CHANGED_LOOK)
        # The interval counts blocks of games; that of single continuations would be too narrow.
        series = replace(series, mean=positions.score)
        chart = charts.draw_histograms([series], CHANGE_AXIS).mark_value(0, "")
        st.plotly_chart(
            chart.build_figure(), key="many-difference", alt="Distribution of the change in score"
        )
    if positions.skipped:
        game, reason = next(iter(positions.skipped.items()))
        st.caption(
            escape_markdown(
                f"{len(positions.skipped)} games were left out. The first is game {game}: {name_players_and_moves(reason)}"
            )
        )
    st.header("Every position")
    _show_positions(positions, run)
    details = st.expander("For statisticians", key="many-statistics", on_change="rerun")
    if details.open:
        with details:
            tables.show_table(_effects_table(positions), "The change over all positions")


def _show_positions(positions: WhatIfPositions, run: Run) -> None:
    """Show a row for each position with a link to its replay, or for those of games with the labels that are chosen."""
    games_played = [(run.name, position.fork.game_id) for position in positions.played]
    labels = read_game_labels([run])
    stays = show_row_filter(games_played, labels, "positions")
    if not any(stays):
        return
    links = [
        f"replay?{urlencode({'run': run.name, 'game': position.fork.game_id, 'ply': position.fork.ply})}"
        for position in compress(positions.played, stays)
    ]
    tables.show_table(
        add_label_column(positions_table(positions), games_played, labels)[stays],
        "The change position by position",
        {"game": "d", "block": "d"},
        {"game": links},
    )


def _all_differences(positions: WhatIfPositions) -> Integers:
    """Return the differences of the score in all continuations; every position has as many."""
    return np.concatenate([one.differences[:, one.fork.seat] for one in positions.played])


def _effects_table(positions: WhatIfPositions) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "": ["final score", "wins of 100 games"],
            "change, ± half of its 95 % interval": [
                format_half_interval(interval if positions.has_enough_blocks else None, signed=True)
                for interval in (positions.score, scale_to_percent(positions.win_share))
            ],
            "positions": [len(positions.played)] * 2,
            "blocks": [positions.blocks] * 2,
        }
    )


def _find_address_problems(ruleset: Ruleset) -> list[str]:
    """Return a sentence on each value of the address that the form cannot show."""
    seats = (0, ruleset.players - 1)
    limits = {"seat": seats, "most": GAMES_LIMITS, "n": CONTINUATIONS_LIMITS, "seed": SEED_LIMITS}
    given = {key: str(st.query_params.get(key, "")) for key in ("games", "where")}
    kind, _, seat = given["games"].partition(":")
    number = number_fields.parse_whole_number(seat)
    is_known_choice = kind == "all" if not seat else number is not None and number <= seats[1]
    is_known_place = given["where"] in {"", "last-roll"} or FORK_PLACE_PATTERN.fullmatch(given["where"])
    return [
        *check_address_numbers(limits),
        *(
            []
            if kind in GAME_CHOICES and is_known_choice
            else [describe_unknown("choice of games", given["games"])]
        ),
        *([] if is_known_place else [describe_unknown("place", given["where"])]),
    ]


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
        key=field_key("many-which"),
    )
    if kind == "all":
        return "all"
    chosen = number_fields.parse_bounded_number(seat, 0, ruleset.players - 1, 0)
    player = right.selectbox(
        "That player",
        range(ruleset.players),
        index=chosen,
        format_func=wording.format_player,
        key=field_key(f"many-player-{ruleset.players}"),
    )
    return f"{kind}:{player}"


def _ask_fork_place() -> str:
    """Ask before which move to fork each game. People count from 1, the address counts from 0."""
    given = str(st.query_params.get("where", "last-roll"))
    matched = FORK_PLACE_PATTERN.fullmatch(given)
    kind = "last-roll" if not matched else "round" if matched[1] else "ply"
    left, right = st.columns(2)
    place = left.selectbox(
        "Start from",
        list(FORK_PLACES),
        index=list(FORK_PLACES).index(kind),
        format_func=FORK_PLACES.__getitem__,
        key=field_key("many-where"),
    )
    if place == "last-roll":
        return place
    number = int(matched[2]) if matched else 5
    if place == "round":
        start = max(0, number) + 1
        return f"round:{int(right.number_input('Round', 1, 10_000, start, key=field_key('many-round'))) - 1}"
    typed = int(
        right.number_input(
            "Move",
            -10_000,
            10_000,
            number + (number >= 0),
            key=field_key("many-move"),
            help="Counted from 1, throws included; −1 is the last move.",
        )
    )
    return str(typed - (typed > 0))


def _ask_change(ruleset: Ruleset, played: Collection[str]) -> Change:
    """Ask for the change; raise a GameError if it is not possible. `played` are the strategies of the run."""
    way = st.segmented_control(
        "What changes?",
        CHANGE_KINDS,
        default=CHANGE_KINDS["option" in st.query_params],
        required=True,
        key=field_key("many-way"),
    )
    left, right = st.columns(2)
    if way == CHANGE_KINDS[1]:
        options = list(ruleset.document["options"])
        key, _, value = str(st.query_params.get("option", "")).partition("=")
        name = left.selectbox(
            "Option",
            options,
            index=options.index(key) if key in options else 0,
            key=field_key(f"many-option-of-{ruleset.game}"),
        )
        now = ruleset.document["options"][name]
        text = right.text_input(
            f"instead of {now}",
            value if key == name else str(now),
            key=field_key(f"many-option-{ruleset.name}-{name}"),
        )
        changed = Change(options=dict([parse_option(f"{name}={text}")]))
        ruleset_with_options(ruleset, changed.options)  # raises an error if the value is wrong
        return changed
    names = list(built_in_strategies(games.find_game(ruleset.game)))
    seat = left.selectbox(
        "Player",
        range(ruleset.players),
        index=_read_address_number("seat", 0, ruleset.players - 1, 0),
        format_func=wording.format_player,
        key=field_key(f"many-seat-{ruleset.players}"),
    )
    given = str(st.query_params.get("strategy", suggest_strategy(ruleset, played)))
    chosen = right.selectbox(
        "is then played by",
        list(dict.fromkeys([given, *names])),
        accept_new_options=True,
        key=field_key(f"many-strategy-{ruleset.game}-{' '.join(sorted(played))}"),
    )
    return Change({int(seat): chosen or given})
