"""Sentences on a comparison beside its verdict: what it rests on, when it stopped, and whether it can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.counted_nouns import capitalise
from pipelines.report.estimates import set_sentence
from pipelines.report.sentences.robustness import describe_pairs_robustness
from pipelines.report.wording import format_count, format_player

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.experiments.compare.comparison import Comparison
    from pipelines.experiments.compare.controls import Control
    from pipelines.experiments.compare.twin_games import FirstDifference, TwinGames


def describe_basis(comparison: Comparison) -> str:
    """Return how many games and blocks were played, what is equal in the games of a block, and what reconstructed tables decide."""
    so_far = "" if comparison.is_finished else " so far"
    luck = "opening" if comparison.opening else "dice"
    lowest = " The lowest score wins." if comparison.lowest_wins else ""
    played = (
        f"{comparison.ruleset}: {format_count(comparison.games, 'game')} in {format_count(comparison.blocks, 'block')}{so_far}. "
        f"The {format_count(comparison.games_per_block, 'game')} of a block have the same {luck} and differ in who plays which "
        f"seat. Seed {comparison.seed}.{lowest}"
    )
    return f"{played} {describe_pairs_robustness(comparison)}".rstrip()


def describe_failed_checks(controls: Iterable[Control]) -> str:
    """Return the warning about the controls that fail; empty if none fails."""
    failed = [control.name for control in controls if control.holds is False]
    return f"Do not trust this result yet. These checks fail: {', '.join(failed)}." if failed else ""


def describe_ranges(comparison: Comparison) -> str:
    """Return what ranges in brackets are, and which of them allow for the decision to stop."""
    return f"Ranges in brackets are 95 % intervals. {set_sentence(comparison.interval_validity)}".rstrip()


def describe_parting(twin: TwinGames, where: FirstDifference, a: str, b: str) -> str:
    """Return where two twin games of the strategies `a` and `b` differ first, and how they end."""
    player = format_player(twin.seat)
    step_a, step_b = (
        f"{step[0].lower()}{step[1:]}" if step else "the game is over"
        for step in (where.step_a, where.step_b)
    )
    return (
        f"{capitalise(player)} is {a} in one game and {b} in the other. The two games part in round {where.round + 1}: in that "
        f"of {a}, {step_a}; in that of {b}, {step_b}. {capitalise(player)} ends with {twin.score_a} points as {a} and "
        f"{twin.score_b} as {b}."
    )


def describe_stopping(comparison: Comparison) -> str:
    """Return when the comparison stops and whether it is decided; empty if its number of blocks was fixed."""
    if not comparison.is_sequential:
        return ""
    equal = f", or equality within {comparison.margin:g}" if comparison.margin is not None else ""
    if all(pair.decision not in {None, "undecided"} for pair in comparison.pairs):
        state = "decided"
    else:
        state = "budget spent" if comparison.blocks == comparison.most_blocks else "open"
    return (
        f"when the sign is settled{equal}, at most {format_count(comparison.most_blocks or comparison.blocks, 'block')}: {state}; "
        "the chance of a wrong answer is at most 5 %, unless rare large differences that the blocks played do not show "
        "outweigh the others"
    )
