"""What objects show on a console without HTML: a few lines of text, as `repr` returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.errors import GameError
from pipelines.design.metrics import METRICS
from pipelines.report.estimates import format_interval
from pipelines.report.sentences.comparison import describe_basis
from pipelines.report.sentences.whatif import whatif_sentence

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.review.review_results import Review
    from pipelines.experiments.whatif.whatif import WhatIf
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

MAX_RUNS_LISTED: Final = 20


def library_text(library: Library) -> str:
    """Return the folder of a library and its newest runs."""
    runs = library.runs()
    lines = [f"Library {library.folder}: {len(runs) or 'no'} run{'s' * (len(runs) != 1)}"]
    lines += [f"  {run_text(run)}" for run in runs[:MAX_RUNS_LISTED]]
    if len(runs) > MAX_RUNS_LISTED:
        lines.append(f"  and {len(runs) - MAX_RUNS_LISTED} older ones")
    return "\n".join(lines)


def run_text(run: Run) -> str:
    """Return a run in one line."""
    try:
        summary = run.summary
    except GameError as error:
        return f"Run {run.name}: {error}"
    rulesets = ", ".join(ruleset.name for ruleset in summary.rulesets)
    games = f"{summary.games:,} game{'s' * (summary.games != 1)}"
    return f"Run {run.name}: {games} of {rulesets}, {summary.lineup}"


def game_text_line(run: Run, game_id: int) -> str:
    """Return a game and its result in one line."""
    try:
        seats = run.seats(game_id)
    except GameError as error:
        return f"Game {game_id} of {run.name}: {error}"
    return f"Game {game_id} of {run.name}: " + ", ".join(f"{seat.strategy} {seat.score}" for seat in seats)


def comparison_text(comparison: Comparison) -> str:
    """Return the verdict and a line for every pair."""
    metric = METRICS[comparison.metric]
    lines = [
        comparison.verdict,
        *(f"- {sentence}" for sentence in comparison.consequences),
        describe_basis(comparison),
    ]
    lines += [
        f"  {pair.a} minus {pair.b}: {format_interval(pair.difference, scale=metric.scale)} {metric.many}"
        for pair in comparison.pairs
    ]
    if validity := comparison.interval_validity:
        lines.append(validity)
    return "\n".join(lines)


def whatif_text(answer: WhatIf) -> str:
    """Return the question, the answer in a sentence, and a line for every player."""
    fork = answer.fork
    lines = [
        f"Game {fork.game_id}: what if, from ply {fork.ply} on, {fork.change}?",
        whatif_sentence(answer),
    ]
    lines += [
        f"  player {effect.seat + 1}, {fork.changed.seating[effect.seat].label}: "
        f"change of the final score {format_interval(effect.score)}"
        for effect in answer.seat_effects
    ]
    return "\n".join(lines)


def review_text(review: Review) -> str:
    """Return a line for every player: where its result came from, and the classes of its decisions."""
    lines = [
        f"Review of game {review.game_id} of {review.run} ({review.ruleset}), playouts by {review.policy}:"
    ]
    for seat in range(review.scores.shape[1]):
        ledger = review.ledger(seat)
        counts = ", ".join(f"{count} {name}" for name, count in review.class_counts(seat).items() if count)
        lines.append(
            f"  player {seat + 1}: start {ledger.start:.1f}, luck {ledger.luck:+.1f}, own play {ledger.own:+.1f}, "
            f"others {ledger.others:+.1f}, result {ledger.result:g}; decisions: {counts or 'none'}"
        )
    return "\n".join(lines)
