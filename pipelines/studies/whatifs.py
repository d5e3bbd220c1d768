"""Sections of a study on what-if questions. The continuations are played again, which gives the same answer."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine.errors import InvalidError
from pipelines.design.short_names import short_names
from pipelines.design.whatif import WhatIfDesign
from pipelines.experiments.whatif.change_address import parse_substitutes
from pipelines.experiments.whatif.fork import Change, fork_logged_game, parse_option
from pipelines.experiments.whatif.many_games import WhatIfPositions, play_every_fork, positions_sentence
from pipelines.experiments.whatif.panel_documents import continuation_document, find_continuation
from pipelines.experiments.whatif.saved_run import command_options
from pipelines.experiments.whatif.select_games import fork_selected_games
from pipelines.experiments.whatif.whatif import DEFAULT_CONTINUATIONS, play_whatif, whatif_sentence
from pipelines.report.estimates import format_interval
from pipelines.report.tables.table import Table
from pipelines.report.wording import format_count
from pipelines.studies.address import read_number
from pipelines.studies.charts import Estimate, ScoreSeries, draw_histogram, draw_intervals, make_distribution
from pipelines.studies.sources import run_facts
from pipelines.studies.study import Chart, Continuation, Continuations, Fact, Section
from pipelines.viewer.palette import SeriesLook, seat_looks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval
    from pipelines.studies.sources import StudySource

BASE_LOOK, CHANGED_LOOK = SeriesLook("#8A8A8A", "dot"), SeriesLook("#1F83C2", "solid")
MAX_CONTINUATIONS: Final = 100_000
DEFAULT_CONTINUATIONS_PER_GAME: Final = 60
DEFAULT_GAMES: Final = 100


def read_change(fields: Mapping[str, str]) -> Change | None:
    """Return the change that an address of the page What if names; None if it names none.

    Raises InvalidError for an option that is not KEY=VALUE.

    >>> read_change({"seat": "1", "strategy": "greedy"})
    Change(strategies={1: 'greedy'}, action=None, options={}, substitutes={})
    """
    substitutes = parse_substitutes(fields.get("substitute", ""))
    if "action" in fields:
        return Change(action=fields["action"], substitutes=substitutes)
    if "option" in fields:
        return Change(options=dict([parse_option(fields["option"])]), substitutes=substitutes)
    if "strategy" in fields:
        return Change({read_number(fields, "seat", 0): fields["strategy"]}, substitutes=substitutes)
    return Change(substitutes=substitutes) if "luck" in fields else None


def describe_whatif(run: Run, fields: Mapping[str, str]) -> Section:
    """Return the section of a question that an address of the page What if asks.

    Raises a GameError if the question is not possible.
    """
    change = read_change(fields)
    if change is None:
        raise InvalidError("the address names no change, so there is no question")
    if "games" in fields:
        return _describe_many_games(run, fields, change)
    game_id = read_number(fields, "game", 0)
    n = min(MAX_CONTINUATIONS, max(2, read_number(fields, "n", DEFAULT_CONTINUATIONS)))
    seed = read_number(fields, "seed", 0)
    fork = fork_logged_game(run, game_id, read_number(fields, "ply", 0), change)
    *_, answer = play_whatif(fork, n=n, seed=seed)
    seat = fork.seat
    share = answer.differing_share
    command = ["reroll", "whatif", run.name, str(game_id), "--ply", str(fork.ply)]
    command += [*map(shlex.quote, command_options(change)), "-n", str(answer.n), "--seed", str(seed)]
    return Section(
        kind="what-if",
        title=f"What if {change}?",
        verdict=whatif_sentence(answer),
        basis=f"Game {game_id} of {run.name}, from move {fork.ply + 1} on: {format_count(answer.n, 'continuation')} of each "
        f"branch with the same luck. {share.estimate:.0%} of them differ ({share.low:.0%} to {share.high:.0%}).",
        charts=tuple(_draw_branches(answer, seat)),
        tables=(_effects_table(answer),),
        continuations=(_choose_continuations(answer, run),),
        facts=(*run_facts(run), Fact("Seed of the continuations", str(seed))),
        commands=(run.summary.command, " ".join(command)),
    )


def _choose_continuations(answer: WhatIf, run: Run) -> Continuations:
    """Return the continuations in which the change lost most and gained most, and one in the middle."""
    fork = answer.fork
    logged: Mapping[str, Any] = {} if fork.change else run.scene(fork.game_id)
    choices = [
        Continuation(name, continuation_document(answer, find_continuation(answer, place), logged))
        for name, place in (("largest loss", "worst"), ("in the middle", "middle"), ("largest gain", "best"))
    ]
    return Continuations(
        title="One continuation on both branches",
        names=("Original" if fork.change else "What happened", "Changed"),
        choices=tuple(choices),
        opened=1,
        caption=f"Of {format_count(answer.n, 'continuation')}: the one in which player {fork.seat + 1} lost most by the "
        "change, one in the middle, and the one in which the gain was largest.",
    )


def describe_saved_whatif(source: StudySource, run: Run) -> Section:
    """Return the section of a run that holds the continuations of a what-if question.

    The question is asked again of the game that it is about. Raises InvalidError if that game is not in the library.
    """
    design = run.design
    if not isinstance(design, WhatIfDesign):
        raise InvalidError(f"{run.name} holds no what-if question")
    fork = design.fork
    parent = source.find_run(fork.run)
    if tuple(parent.actions(fork.game_id)[: fork.ply]) != fork.prefixes[0][: fork.ply]:
        raise InvalidError(
            f"game {fork.game_id} of {fork.run} is no longer the game that the question was about"
        )
    fields = {"game": str(fork.game_id), "ply": str(fork.ply), "n": str(design.blocks), "luck": "1"}
    options = [word for word in fork.asked if word != "--luck"]
    asked = dict(zip(options[::2], options[1::2], strict=True))
    if fork.asked.count("--seat") > 1:
        raise InvalidError("the question changes several players at once")
    fields |= {name.removeprefix("--"): value for name, value in asked.items() if name != "--substitute"}
    if "--substitute" in asked:
        fields["substitute"] = asked["--substitute"].replace("=", ":", 1)
    return describe_whatif(parent, fields)


def _draw_branches(answer: WhatIf, seat: int) -> list[Chart]:
    """Return the scores on both branches, and the change in the score of every player."""
    before, after = answer.base_scores[:, seat], np.asarray(answer.changed.scores[:, seat], dtype=np.int64)
    effect, title = answer.seat_effect(seat), f"Final score of player {seat + 1}"
    first = "original" if answer.fork.change else "what happened"
    charts = [
        Chart(
            title,
            draw_histogram(
                [
                    _make_series(first, before, effect.base, BASE_LOOK),
                    _make_series("changed", after, effect.changed, CHANGED_LOOK),
                ],
                title,
                "final score in points",
                "continuation",
            ),
            f"The share of {format_count(answer.n, 'continuation')} of each branch with each score; 95 % intervals.",
        )
    ]
    looks = seat_looks(answer.fork.ruleset.players)
    estimates = [
        Estimate(f"player {one.seat + 1}", one.score, looks[one.seat])
        for one in answer.seat_effects
        if one.score
    ]
    title = "Change of the final score"
    drawing = draw_intervals(estimates, title, "changed minus original, points")
    caption = (
        f"95 % intervals from {format_count(answer.n, 'continuation')} of each branch with the same luck."
    )
    return [*charts, Chart(title, drawing, caption)]


def _make_series(
    name: str, values: NDArray[np.int64], mean: Interval | None, look: SeriesLook
) -> ScoreSeries:
    return ScoreSeries(name, make_distribution(values.tolist()), mean, look)


def _effects_table(answer: WhatIf) -> Table:
    rows = []
    for effect in answer.seat_effects:
        was = answer.fork.base.seating[effect.seat].label
        now = answer.fork.changed.seating[effect.seat].label
        names = short_names((was, now))
        rows.append(
            (
                str(effect.seat + 1),
                names[was] if was == now else f"{names[was]} → {names[now]}",
                format_interval(effect.base),
                format_interval(effect.changed),
                format_interval(effect.score, signed=True),
                format_interval(effect.win_share, scale=100, signed=True),
            )
        )
    return Table(
        "The change for every player",
        (
            "player",
            "strategy",
            "original score" if answer.fork.change else "logged score",
            "changed score",
            "change in score",
            "change in wins of 100",
        ),
        tuple(rows),
        f"Ranges are 95 % intervals; n = {answer.n:,} continuations of each branch.",
    )


def _describe_many_games(run: Run, fields: Mapping[str, str], change: Change) -> Section:
    """Return the section of a question about many games."""
    which, where = fields["games"], fields.get("where", "last-roll")
    n = min(10_000, max(2, read_number(fields, "n", DEFAULT_CONTINUATIONS_PER_GAME)))
    most = min(1000, max(2, read_number(fields, "most", DEFAULT_GAMES)))
    seed = read_number(fields, "seed", 0)
    forked = fork_selected_games(run, which, where, change, most)
    answers = tuple(play_every_fork(forked.forks, n=n, seed=seed))
    positions = WhatIfPositions(answers, forked.skipped)
    command = ["reroll", "whatif", run.name, shlex.quote(which), "--ply", shlex.quote(where)]
    command += [*map(shlex.quote, command_options(change)), "-n", str(n), "--max-games", str(most)]
    command += ["--seed", str(seed)]
    rows = [
        ("final score", format_interval(positions.score, signed=True)),
        ("wins of 100 games", format_interval(positions.win_share, scale=100, signed=True)),
    ]
    left_out = f" {format_count(len(forked.skipped), 'game')} could not be forked." if forked.skipped else ""
    return Section(
        kind="what-if",
        title=f"What if, in many games, {change}?",
        verdict=positions_sentence(positions),
        basis=f"{_name_games(which)} of {run.name}, from {_name_place(where)} on: {format_count(n, 'continuation')} from "
        f"each of {positions.basis}. Intervals count blocks, whose games share their luck.{left_out}",
        tables=(
            Table(
                "Changed minus original",
                ("quantity", "difference", "positions", "blocks"),
                tuple((*row, f"{len(answers):,}", f"{positions.blocks:,}") for row in rows),
                "Ranges are 95 % intervals.",
            ),
        )
        if positions.has_enough_blocks
        else (),
        facts=(*run_facts(run), Fact("Seed of the continuations", str(seed))),
        commands=(run.summary.command, " ".join(command)),
    )


def _name_games(which: str) -> str:
    """Return in words which games of a run are asked about.

    >>> _name_games("lost:0"), _name_games("all")
    ('the games that player 1 lost', 'all games')
    """
    how, _, seat = which.partition(":")
    return f"the games that player {int(seat) + 1} {how}" if seat.isdecimal() else f"{which} games"


def _name_place(where: str) -> str:
    """Return in words where games are forked.

    >>> _name_place("round:2"), _name_place("last-roll"), _name_place("14")
    ('round 3', 'the last roll', 'move 15')
    """
    number = where.removeprefix("round:")
    if not number.isdecimal():
        return f"the {where.replace('-', ' ')}" if where == "last-roll" else f"ply {where}"
    return f"{'round' if where.startswith('round:') else 'move'} {int(number) + 1}"
