"""What Jupyter shows of a library, a run, a game, a comparison and a what-if."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from engine.game import GameError
from pipelines.exchange.html import game_page
from pipelines.experiments.compare.verdict import METRIC_WORDINGS
from pipelines.notebook.markup import colour_swatch, format_interval_cell, html_card, html_line, html_table
from pipelines.notebook.plots import IntervalRow, draw_intervals, draw_score_histogram
from pipelines.statistics import share_interval, t_interval
from pipelines.viewer.palette import assign_looks

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.library import Library
    from pipelines.runs.logged_game import LoggedGame
    from pipelines.runs.run import Run

MAX_RUNS_SHOWN: Final = 20
REPLAY_HEIGHT_PIXELS: Final = 860
"""Pixels of a replay: boards, controls and the list of plies in a notebook's column."""


def library_html(library: Library) -> str:
    """Show the runs of a library, newest first."""
    runs, partials = library.runs(), library.unfinished_runs()
    rows = [
        (
            run.name,
            ", ".join(ruleset.name for ruleset in run.summary.rulesets),
            ", ".join(run.summary.strategies),
            run.summary.games,
            f"{run.summary.created_at:%Y-%m-%d %H:%M}",
        )
        for run in runs[:MAX_RUNS_SHOWN]
    ]
    more = (
        [html_line(f"and {len(runs) - MAX_RUNS_SHOWN} more", faint=True)]
        if len(runs) > MAX_RUNS_SHOWN
        else []
    )
    more += [
        html_line(f"{one.name}: {one.games_done:,} of {one.games:,} games", faint=True) for one in partials
    ]
    more += [html_line(str(error), faint=True) for error in library.broken_files().values()]
    there = (
        html_table(("run", "ruleset", "strategies", "games", "made (UTC)"), rows)
        if rows
        else html_line("no runs yet")
    )
    return html_card(f"Library {library.folder}", there, *more)


def run_html(run: Run) -> str:
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
    colours = {name: look.colour for name, look in assign_looks(summary.strategies).items()}
    spread: dict[str, list[tuple[int, int]]] = {}
    for name, score, results in counted:
        spread.setdefault(name, []).append((score, results))
    names, results, scores, wins = (np.asarray(column) for column in rows.values())
    means = [
        (
            name,
            int(results[own].sum()),
            int(own.sum()),
            format_interval_cell(t_interval(scores[own])),
            format_interval_cell(share_interval(wins[own]), 100),
        )
        for name in summary.strategies
        if (own := names == name).any()
    ]
    rulesets = ", ".join(ruleset.title for ruleset in summary.rulesets)
    return html_card(
        summary.title,
        html_line(
            f"{run.name}: {summary.games:,} games of {rulesets}, seed {summary.seed}, log {summary.log}",
            faint=True,
        ),
        f"<div>{''.join(colour_swatch(name, colours[name]) for name in spread)}</div>",
        draw_score_histogram(spread, colours, "How final scores spread"),
        html_table(("strategy", "results", "blocks", "mean score, 95 %", "wins of 100, 95 %"), means),
        html_line(f"again: {summary.command}", faint=True),
    )


def game_html(game: LoggedGame) -> str:
    """Show the replay, in a frame of its own that can reach neither the notebook nor a network."""
    try:
        page = game_page(game.run, game.game_id)
    except GameError as error:
        return html_card(f"{game.run.name}, game {game.game_id}", html_line(str(error)))
    return (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts" title="Replay of game {game.game_id}" '
        f'style="width:100%;height:{REPLAY_HEIGHT_PIXELS}px;border:1px solid rgba(128,128,128,.3);border-radius:6px"></iframe>'
    )


def comparison_html(found: Comparison) -> str:
    """Show the verdict first, then every pair with its interval, then the sides and what the controls say."""
    unit = METRIC_WORDINGS[found.metric]
    colours = {name: look.colour for name, look in assign_looks(found.strategies).items()}
    dots = [
        IntervalRow(
            f"{pair.a} - {pair.b}",
            type(pair.difference)(*(unit.scale * value for value in pair.difference)),
            colours[pair.a],
        )
        for pair in found.pairs
        if pair.difference
    ]
    pairs = [
        (
            pair.a,
            pair.b,
            format_interval_cell(pair.difference, unit.scale),
            f"{pair.p_holm:.2g}",
            format_interval_cell(pair.win_share, 100),
        )
        for pair in found.pairs
    ]
    sides = [
        (side.strategy, format_interval_cell(side.score), format_interval_cell(side.win_share, 100))
        for side in found.sides
    ]
    failed = [control.name for control in found.controls if control.holds is False]
    return html_card(
        found.verdict,
        *([html_line(f"Do not trust it yet: these controls fail: {', '.join(failed)}")] if failed else []),
        html_line(
            f"{found.blocks:,} blocks of {found.games_per_block} games, {found.ruleset}, seed {found.seed}",
            faint=True,
        ),
        html_line(f"compared: {found.estimand}", faint=True),
        draw_intervals(dots, f"Differences in {unit.many}"),
        html_table(("A", "B", f"A - B in {unit.many}, 95 %", "p", "A wins of 100, 95 %"), pairs),
        html_table(("strategy", "score of a seat, 95 %", "wins of 100, 95 %"), sides),
        html_line(f"again: {found.command}", faint=True),
    )


def whatif_html(found: WhatIf) -> str:
    """Show what the change does to every seat."""
    from pipelines.experiments.whatif.whatif import whatif_sentence  # noqa: PLC0415 - it imports this package to show itself

    fork = found.fork
    names = [one.name for one in fork.changed.seating]
    colours = {name: look.colour for name, look in assign_looks(names).items()}
    dots = [
        IntervalRow(f"seat {effect.seat}, {names[effect.seat]}", effect.score, colours[names[effect.seat]])
        for effect in found.seat_effects
        if effect.score
    ]
    rows = [
        (
            effect.seat,
            names[effect.seat],
            format_interval_cell(effect.base),
            format_interval_cell(effect.changed),
            format_interval_cell(effect.score),
            format_interval_cell(effect.win_share, 100),
        )
        for effect in found.seat_effects
    ]
    return html_card(
        f"What if {fork.change}?",
        html_line(whatif_sentence(found)),
        html_line(
            f"game {fork.game_id}, before ply {fork.ply}: {found.n:,} continuations of each branch, seed {found.seed}",
            faint=True,
        ),
        draw_intervals(dots, "Change of the final score"),
        html_table(
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
