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
from dashboard.whatif.tables import address, positions_sentence, positions_table, told
from dashboard.widgets import number_fields, tables
from dashboard.widgets.address import turn_to
from dashboard.widgets.background_work import live
from dashboard.widgets.follow_work import follow
from engine import games
from engine.game import GameError, InvalidError
from engine.strategies import known
from pipelines.experiments.whatif.fork import Change, option, with_options
from pipelines.experiments.whatif.select_games import chosen_games, forked
from pipelines.experiments.whatif.whatif import Positions, WhatIf, everywhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Run

WHICH: Final = {"all": "all games", "lost": "games that a seat lost", "won": "games that a seat won"}
PLACES: Final = {"last-roll": "the last roll", "round": "a round", "ply": "a ply"}
WAYS: Final = ("Another strategy", "Another rule")
CONTINUATIONS: Final = 60
MOST: Final = 1000


class Found(NamedTuple):
    """How far the work is."""

    positions: Positions
    total: int

    @property
    def done(self) -> int:
        return len(self.positions.played) + len(self.positions.skipped)


def is_asked() -> bool:
    """Say whether the address asks about many games."""
    return "games" in st.query_params


def page(run: Run, runs: Mapping[str, Run]) -> None:
    """Ask the question of many games, and show the answer as it narrows."""
    st.button("Ask about one game", key="many-one", on_click=turn_to, kwargs={"run": run.name})
    ruleset = next(iter(run.rulesets.values()))
    with st.container(border=True):
        st.caption(cached.escaped(f"{runs[run.name].summary.title} · {run.name}"))
        which, where = _which(ruleset), _where()
        try:
            change = _change(ruleset)
        except GameError as error:
            st.error(cached.escaped(str(error)))
            return
        a, b, c, _ = st.columns(4)
        most = int(a.number_input("Games at most", 2, MOST, _whole("most", 2, MOST, 100)))
        n = int(b.number_input("Continuations of each", 10, 10_000, _whole("n", 10, 10_000, CONTINUATIONS)))
        seed = int(c.number_input("Seed", 0, 10**9, _whole("seed", 0, 10**9, 0), key="many-seed"))
    question = {"run": run.name, "games": which, "where": where, **address(change)}
    question |= {"n": str(n), "most": str(most), "seed": str(seed)}
    st.query_params.from_dict(question)

    def answers(_stopped: Callable[[], bool]) -> Iterator[Found]:
        chosen = chosen_games(run, which, most)
        played: tuple[WhatIf, ...] = ()
        skipped: dict[int, str] = {}
        for one in everywhere(forked(run, chosen, where, change, skipped), n=n, seed=seed):
            played = (*played, one)
            yield Found(Positions(played, skipped), len(chosen))
        if not played:
            raise InvalidError(next(iter(skipped.values())))

    work = live(st.session_state, "whatif-many", tuple(question.items()), answers)
    work.wait(0.6)

    follow(
        work,
        at_first="Going through the games …",
        headline=lambda found: _headline(found.positions, str(change), which, where),
        progress=lambda found: (found.done / found.total, f"{found.done:,} of {found.total:,} positions"),
        details=lambda found: _details(found.positions),
    )


def _headline(found: Positions, change: str, which: str, where: str) -> None:
    said = positions_sentence(found)
    st.markdown(f"## {cached.escaped(said[0].upper() + said[1:])}.")
    share = found.differing
    st.caption(
        cached.escaped(
            f"What if, from {where} on, {change}? Games: {which}. Half a 95 % interval behind each ±, resting on the "
            f"{len(found.played)} positions, however often each is played on; at {share.estimate:.0%} of them "
            f"({share.low:.0%} to {share.high:.0%}) anything changed."
        )
    )


def _details(found: Positions) -> None:
    effect = {
        "": ["final score", "share of the win"],
        "difference": [told(found.score, signed=True), told(found.win_share, signed=True)],
        "positions": [len(found.played)] * 2,
    }
    tables.show(pd.DataFrame(effect), "The effect over all positions")
    if found.skipped:
        game, why = next(iter(found.skipped.items()))
        st.caption(cached.escaped(f"{len(found.skipped)} games left out, the first: game {game}: {why}"))
    st.header("Position by position")
    tables.show(positions_table(found), "The effect position by position", {"game": "d"})


def _whole(key: str, least: int, most: int, otherwise: int) -> int:
    """Read a number from the address."""
    return number_fields.within(str(st.query_params.get(key, "")), least, most, otherwise)


def _which(ruleset: Ruleset) -> str:
    """Ask which games."""
    how, _, seat = str(st.query_params.get("games", "all")).partition(":")
    left, right = st.columns(2)
    kind = left.selectbox(
        "Which games",
        list(WHICH),
        index=list(WHICH).index(how) if how in WHICH else 0,
        format_func=WHICH.__getitem__,
    )
    if kind == "all":
        return "all"
    chosen = number_fields.within(seat, 0, ruleset.players - 1, 0)
    return f"{kind}:{right.selectbox('That seat', range(ruleset.players), index=chosen)}"


def _where() -> str:
    """Ask from where in each game."""
    given = str(st.query_params.get("where", "last-roll"))
    matched = re.fullmatch(r"(round:)?(-?[0-9]{1,5})", given)
    kind = "last-roll" if not matched else "round" if matched[1] else "ply"
    left, right = st.columns(2)
    place = left.selectbox(
        "From before", list(PLACES), index=list(PLACES).index(kind), format_func=PLACES.__getitem__
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


def _change(ruleset: Ruleset) -> Change:
    """Ask what is different."""
    way = st.segmented_control(
        "What is different?",
        WAYS,
        default=WAYS["option" in st.query_params],
        required=True,
        key="many-way",
    )
    left, right = st.columns(2)
    if way == WAYS[1]:
        options = list(ruleset.document["options"])
        key, _, value = str(st.query_params.get("option", "")).partition("=")
        name = left.selectbox("Option", options, index=options.index(key) if key in options else 0)
        now = ruleset.document["options"][name]
        text = right.text_input(f"in place of {now}", value if key == name else str(now))
        changed = Change(options=dict([option(f"{name}={text}")]))
        with_options(ruleset, changed.options)  # says what is wrong with it
        return changed
    names = list(known(games.game(ruleset.game)))
    seat = left.selectbox(
        "Seat", range(ruleset.players), index=_whole("seat", 0, ruleset.players - 1, 0), key="many-seat"
    )
    given = str(st.query_params.get("strategy", names[-1] if "greedy" not in names else "greedy"))
    chosen = right.selectbox(
        "plays from there on", list(dict.fromkeys([given, *names])), accept_new_options=True
    )
    return Change({int(seat): chosen or given})
