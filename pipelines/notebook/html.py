"""What Jupyter shows of a library, a run, a game, a comparison and a what-if."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.game import GameError
from pipelines.exchange.html import game_page
from pipelines.experiments.compare.verdict import METRICS
from pipelines.notebook.markup import card, line, swatch, table, told
from pipelines.notebook.plots import Estimate, histogram, intervals
from pipelines.statistics import share_interval, t_interval
from pipelines.viewer.palette import looks

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.library import Library
    from pipelines.runs.logged_game import LoggedGame
    from pipelines.runs.run import Run

MOST_RUNS: Final = 20
HEIGHT: Final = 860
"""Pixels of a replay: boards, controls and the list of plies in a notebook's column."""


def of_library(library: Library) -> str:
    """Show the runs of a library, newest first."""
    runs, partials = library.runs(), library.partials()
    rows = [
        (
            run.name,
            ", ".join(ruleset.name for ruleset in run.summary.rulesets),
            ", ".join(run.summary.strategies),
            run.summary.games,
            f"{run.summary.created_at:%Y-%m-%d %H:%M}",
        )
        for run in runs[:MOST_RUNS]
    ]
    more = [line(f"and {len(runs) - MOST_RUNS} more", faint=True)] if len(runs) > MOST_RUNS else []
    more += [line(f"{one.name}: {one.games_done:,} of {one.games:,} games", faint=True) for one in partials]
    more += [line(str(error), faint=True) for error in library.broken().values()]
    there = (
        table(("run", "ruleset", "strategies", "games", "made (UTC)"), rows) if rows else line("no runs yet")
    )
    return card(f"Library {library.folder}", there, *more)


def of_run(run: Run) -> str:
    """Show what was played, how scores spread, and each strategy's mean with its interval."""
    summary = run.summary
    with run.connect() as connection:
        rows = connection.execute(
            "SELECT strategy, count(*), avg(score), avg(win_share) FROM seats JOIN games USING (game_id) "
            "GROUP BY strategy, block ORDER BY strategy, block"
        ).fetchnumpy()
        counted = connection.execute(
            "SELECT strategy, score, sum(games)::BIGINT FROM score_histogram GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    colours = {name: look.colour for name, look in looks(summary.strategies).items()}
    spread: dict[str, list[tuple[int, int]]] = {}
    for name, score, results in counted:
        spread.setdefault(name, []).append((score, results))
    names, results, scores, wins = (np.asarray(column) for column in rows.values())
    means = [
        (
            name,
            int(results[own].sum()),
            int(own.sum()),
            told(t_interval(scores[own])),
            told(share_interval(wins[own]), 100),
        )
        for name in summary.strategies
        if (own := names == name).any()
    ]
    rulesets = ", ".join(ruleset.title for ruleset in summary.rulesets)
    return card(
        summary.title,
        line(
            f"{run.name}: {summary.games:,} games of {rulesets}, seed {summary.seed}, log {summary.log}",
            faint=True,
        ),
        f"<div>{''.join(swatch(name, colours[name]) for name in spread)}</div>",
        histogram(spread, colours, "How final scores spread"),
        table(("strategy", "results", "blocks", "mean score, 95 %", "wins of 100, 95 %"), means),
        line(f"again: {summary.command}", faint=True),
    )


def of_game(game: LoggedGame) -> str:
    """Show the replay, in a frame of its own that can reach neither the notebook nor a network."""
    try:
        page = game_page(game.run, game.game_id)
    except GameError as error:
        return card(f"{game.run.name}, game {game.game_id}", line(str(error)))
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="Replay of game {game.game_id}" '
        f'style="width:100%;height:{HEIGHT}px;border:1px solid rgba(128,128,128,.3);border-radius:6px"></iframe>'
    )


def of_comparison(found: Comparison) -> str:
    """Show the verdict first, then every pair with its interval, then the sides and what the controls say."""
    unit = METRICS[found.metric]
    colours = {name: look.colour for name, look in looks(found.strategies).items()}
    dots = [
        Estimate(
            f"{pair.a} - {pair.b}",
            type(pair.difference)(*(unit.scale * value for value in pair.difference)),
            colours[pair.a],
        )
        for pair in found.pairs
        if pair.difference
    ]
    pairs = [
        (pair.a, pair.b, told(pair.difference, unit.scale), f"{pair.p_holm:.2g}", told(pair.win_share, 100))
        for pair in found.pairs
    ]
    sides = [(side.strategy, told(side.score), told(side.win_share, 100)) for side in found.sides]
    failed = [control.name for control in found.controls if control.holds is False]
    return card(
        found.verdict,
        *([line(f"Do not trust it yet: these controls fail: {', '.join(failed)}")] if failed else []),
        line(
            f"{found.blocks:,} blocks of {found.games_per_block} games, {found.ruleset}, seed {found.seed}",
            faint=True,
        ),
        line(f"compared: {found.estimand}", faint=True),
        intervals(dots, f"Differences in {unit.many}"),
        table(("A", "B", f"A - B in {unit.many}, 95 %", "p", "A wins of 100, 95 %"), pairs),
        table(("strategy", "score of a seat, 95 %", "wins of 100, 95 %"), sides),
        line(f"again: {found.command}", faint=True),
    )


def of_whatif(found: WhatIf) -> str:
    """Show what the change does to every seat."""
    from pipelines.experiments.whatif.whatif import sentence  # noqa: PLC0415 - it imports this package to show itself

    fork = found.fork
    names = [one.name for one in fork.changed.seating]
    colours = {name: look.colour for name, look in looks(names).items()}
    dots = [
        Estimate(f"seat {effect.seat}, {names[effect.seat]}", effect.score, colours[names[effect.seat]])
        for effect in found.effects
        if effect.score
    ]
    rows = [
        (
            effect.seat,
            names[effect.seat],
            told(effect.base),
            told(effect.changed),
            told(effect.score),
            told(effect.win_share, 100),
        )
        for effect in found.effects
    ]
    return card(
        f"What if {fork.change}?",
        line(sentence(found)),
        line(
            f"game {fork.game_id}, before ply {fork.ply}: {found.n:,} continuations of each branch, seed {found.seed}",
            faint=True,
        ),
        intervals(dots, "Change of the final score"),
        table(
            (
                "seat",
                "played by",
                "score as it was, 95 %",
                "changed, 95 %",
                "difference, 95 %",
                "wins of 100, 95 %",
            ),
            rows,
        ),
    )
