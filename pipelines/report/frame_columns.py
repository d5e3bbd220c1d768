"""What the columns of the data frames of answers mean, in words."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_CLASSES: Final = "best good unclear inaccuracy mistake blunder"
_MEANINGS: Final = {
    **dict.fromkeys(_CLASSES.split(), "moves of this class"),
    "a": "a strategy of the pair; differences are those of a less b",
    "above_mean": "points above the mean of the same strategy on the same seats",
    "action": "the action of the move, a number of the game",
    "at": "the place on the axis across: a part of the score, a round or player as people count them, a seat, a value or a move",
    "axis": "what is measured, with its unit, as the axis of the chart says",
    "b": "the other strategy of the pair",
    "better": "the probability that a does better than b in the same seats with the same luck; ties count half",
    "blocks": "blocks: games with the same luck in all seatings; intervals count blocks, not games",
    "below": "how many of 100 results are lower",
    "base_ruleset": "the ruleset with the present rules",
    "bootstrap": "the difference again, with a bootstrap interval",
    "cells": "the squares that the move covers, counted from a1, row by row upwards",
    "change": "what the question changes",
    "changed": "mean final score with the change",
    "changed_win_share": "share of the continuations that the seat wins with the change",
    "correlation": "correlation of the results of a and b within blocks",
    "count": "how often the value was counted",
    "decision": "what the rule of stopping says: more, fewer, equal or undecided; missing if the number of blocks was fixed",
    "definition": "how the measure is defined",
    "detectable": "the smallest true difference that this number of blocks detects with probability 0.8",
    "difference": "a less b, or with the change less without it, with the same luck on both sides",
    "differing": "share of the blocks in which exchanging a and b changed at least one game",
    "each": "the same for one decision or roll",
    "coverings": "results in which the square was covered",
    "effect": "the score on this seat less the mean score of the game",
    "elo": "strength in Elo points, 0 is the mean of the strategies; missing if it is not finite",
    "equal": "how many of 100 results are equal",
    "estimate": "the number, in the unit that stands beside it; a mean, a median or a share of the variance",
    "first_change": "the median of the first plies that differ from the games under the present rules",
    "first_move": "the first move of the strategy",
    "first_piece": "the first piece of the strategy",
    "game_id": "the game in its run, from 0",
    "games": "games",
    "games_per_block": "games of a block",
    "group": "the group, `all` for all of them",
    "highest": "the highest result",
    "holds": "whether the control holds",
    "is_behind": "whether it clearly does worse than the first one",
    "is_separated": "whether some strategy was never ahead of this one, or this one never ahead of it, not even through others: then its strength is not finite",
    "judged": "the class of the move: best, good (it lost little, and its mean may even be the higher one), unclear, inaccuracy, mistake or blunder",
    "judged_by": "what the class goes by: wins, or points where the win is nearly decided",
    "judged_by_points": "its class by points alone",
    "kind": "what the number is: score, wins, lead, rounds, moves, player wins, or seat effect (points above the mean of the game)",
    "lineup": "the strategies that play on, in the order of the seats",
    "line": "the line of the chart, as the chart names it",
    "logged": "whether all moves of the game are kept",
    "log_strength": "strength in the Plackett-Luce model, natural logarithm; missing if it is not finite",
    "lead_difference": "lead over the best other player, with the change less as played",
    "lost_points": "points that the move lost",
    "lost_wins": "share of the win that the move lost",
    "lowest": "the lowest result",
    "luck": "luck that the reviewed game gave, in points; missing without a review",
    "mean": "the mean, in points",
    "mean_a": "mean score of a",
    "mean_b": "mean score of b",
    "shortest": "the shortest game",
    "longest": "the longest game",
    "measure": "what is measured",
    "metric": "what is compared",
    "moved": "share of the games in which some move differs from the games under the present rules",
    "n": "how many results, blocks or games the number rests on",
    "notation": "the move as people write it",
    "of": "whose number it is; missing for one of the game",
    "options": "legal moves",
    "original": "mean final score as played",
    "original_win_share": "share of the continuations that the seat wins as played",
    "opponent": "the other strategy",
    "opponents": "the strategies of the other seats",
    "others": "what the choices of the other players added",
    "over": "the strategy over which that of the column strategy leads",
    "own": "what the own choices added, compared with the best ones",
    "p": "two-sided p-value of no difference",
    "p_holm": "the same, adjusted for the number of pairs (Holm)",
    "panel": "the heading of the panel of the chart",
    "parameters": "the parameters of the strategy",
    "part": "the part of the score",
    "percentile": "how many of 100 results are lower, and half of those that are equal",
    "place": "the place on the scale, from 0 to 1",
    "played": "the move that was played",
    "plies": "moves and rolls of the game",
    "ply": "the ply, from 0 as in the log",
    "probability": "how likely the roll was",
    "rank": "rank in the game",
    "rank_difference": "rank, with the change less as played",
    "result": "what the game ended with",
    "results": "results: one for each player of each game",
    "round": "the round, from 0",
    "rounds": "rounds of the game",
    "rule": "the key of the rule that is turned",
    "ruleset": "the name of the ruleset",
    "run": "the name of the run",
    "score": "points",
    "says": "what the control says",
    "sd": "standard deviation of the results",
    "seat": "the seat, from 0",
    "seats_per_block": "seats that the strategy has in a block",
    "share": "a share of the results",
    "source": "where the measure comes from",
    "start": "what the player could expect before the first move",
    "square": "the square of the board",
    "strategy": "the strategy",
    "time_for_a_move": "how long a move takes",
    "title": "what the game is a record of",
    "unit": "the unit of the number",
    "unit_of_n": "what n counts",
    "value": "a score that came up, or a change of it",
    "variance_ratio": "variance of the difference, divided by the variance with separate luck",
    "verdict_better": "the better strategy by the verdict",
    "verdict_kind": "what the verdict says of a: more, fewer or equal points, identical results, undecided, or too few blocks",
    "verdict_sentence": "the verdict in one sentence",
    "what_it_does": "how the strategy chooses",
    "win_difference": "share of the win, with the change less as played",
    "win_nearly_decided": "whether the win was nearly decided, so that the move is judged by points",
    "win_share": "share of the games won, a tie counts in parts",
    "continuations": "continuations of each branch",
    "control": "what is controlled",
    "lost_points_per_decision": "points that a decision lost on average",
    "lost_wins_per_decision": "share of the win that a decision lost on average",
    "luck_roll": "the roll of the game that moved the win most",
    "luck_round": "its round, from 0",
    "luck_points": "points that the roll, or all rolls, gave the seat",
    "luck_wins": "share of the win that the roll, or all rolls, gave the seat",
    "meets_target": "whether the rules meet the target: surely, perhaps or surely not",
    "original_strategy": "the strategy that plays on without the change",
    "first": "the first move, or the first piece",
    "roll": "the roll that moved the win most",
    "sort": "the order in which the game comes first",
}
_MEANINGS_IN_TABLES: Final = {
    "effects": {"value": "another value of the rule"},
    "games": {
        "value": "what sorts the games: points of a score, margin, comeback or luck; moves, changes of the lead, or the game",
        "seat": "the seat that scored it, won or had the luck; missing if the number is about no seat",
        "ply": "the ply at which it came about; the last one if it is about the end",
    },
    "ledgers": {"luck": "points that the rolls gave"},
    "lengths": {"value": "a number of rounds or plies"},
    "listed": {
        "better": "the better move",
    },
    "matrix": {"difference": "by how much the strategy leads over its opponent"},
    "players": {"score": "final score", "win_share": "share of the win"},
    "quantiles": {
        "difference": "the quantile of a less that of b; equal ends do not make it exact",
        "share": "share of the games of a strategy that end with less",
    },
    "records": {
        "title": "what the game comes first in, for people",
        "value": "the number by which its order sorts games",
        "seat": "the seat that set it; missing if it is about no seat",
    },
    "seats": {
        "strategy": "the strategy of the seat; of a what-if, the one that plays with the change",
    },
    "numbers": {
        "mean": "the mean; points of a score, or rounds or plies of a game",
        "n": "decisions, or rolls",
        "over": "the strategy that the difference is from; missing for a share",
    },
    "twins": {"difference": "score of a less score of b, in these two games"},
    "values": {"above_mean": "points above the mean of all first moves with the same luck and roll"},
    "win_ledgers": {"luck": "share of the win that the rolls gave"},
}
"""What columns mean in some tables only."""
_OTHERS_IN_TABLES: Final = dict.fromkeys(("means", "settings"), "the value of this rule")
"""What columns mean whose names are those of rules, by their tables."""
_PATTERNS: Final = {
    r"game_id_([ab])": "the game in its run in which {} plays, from 0",
    r"result_([ab])": "the result of {} that this share of its games is below",
    r"rule_([ab])": "the key of a rule that is turned ({})",
    r"score_([ab])": "final score of {}",
    r"value_([ab])": "the value of rule_{}",
    r"percentile_(\d+)": "{} of 100 results are not above it",
}
"""What columns mean whose names hold another name or number."""
_BESIDE: Final = {
    ("difference", "rule"): "what this value of the rule changes, a mean over all values of the others",
    ("difference", "rule_a"): "what both values change together, beyond the sum of both",
    ("mean", "axis"): "the mean, in the unit of the column axis",
    ("mean", "measure"): "the mean of the measure over a game of one player; wins as a share",
    ("mean", "unit"): "the mean, in the unit that stands beside it",
    ("n", "axis"): "how many results, blocks or games the number rests on",
    ("value", "axis"): "a number that came up, in the unit of the column axis",
}
"""What columns mean beside others."""


def describe_column(name: str, table: str = "", beside: Collection[str] = ()) -> str:
    """Return what a column of a frame means that has the columns `beside`, too; nothing if its name says it all.

    >>> describe_column("moved_low")
    'low end of the 95 % interval of moved'
    >>> describe_column("better", "pairs")[:15], describe_column("better", "listed")
    ('the probability', 'the better move')
    """
    of_neighbours = (_BESIDE[name, other] for other in beside if (name, other) in _BESIDE)
    known = _MEANINGS | _MEANINGS_IN_TABLES.get(table, {})
    if meaning := next(of_neighbours, known.get(name)):
        return meaning
    if end := re.fullmatch(r"(.+)_(low|high)", name):
        return f"{end[2]} end of the 95 % interval of {end[1]}"
    if move := re.fullmatch(r"(chosen|best)_(.+)", name):
        return f"of the {'best move' if move[1] == 'best' else 'move that was played'}: {_MEANINGS.get(move[2], '')}"
    for pattern, meaning in _PATTERNS.items():
        if match := re.fullmatch(pattern, name):
            return meaning.format(*(name.replace("player_", "player ") for name in match.groups()))
    return _OTHERS_IN_TABLES.get(table, "")
