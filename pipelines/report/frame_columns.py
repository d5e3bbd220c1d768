"""What the columns of the data frames of answers mean, in words."""

from __future__ import annotations

import re
from typing import Final

_MEANINGS: Final = {
    "a": "a strategy of the pair; differences are those of a less b",
    "above": "points above the mean of all first moves with the same luck and roll",
    "action": "the action of the move, a number of the game",
    "at": "the place on the axis: a part of the score, a round, a seat, a value or a move",
    "b": "the other strategy of the pair",
    "base": "mean final score as played, without the change",
    "base_win_share": "share of the continuations that the seat wins as played",
    "wins_above": "share of the wins above the mean of all first moves with the same luck and roll",
    "better": "the probability that a does better than b in the same seats with the same luck; ties count half",
    "blocks": "blocks: games with the same luck in all seatings; intervals count blocks, not games",
    "bootstrap": "the difference again, with a bootstrap interval",
    "change": "what another value of a rule changes",
    "changed": "mean final score with the change",
    "changed_win_share": "share of the continuations that the seat wins with the change",
    "correlation": "correlation of the results of a and b within blocks",
    "count": "how often the value was counted",
    "decision": "what the rule of stopping says: more, fewer, equal or undecided; missing if the number of blocks was fixed",
    "definition": "how the measure is defined",
    "detectable": "the smallest true difference that this number of blocks detects with probability 0.8",
    "difference": "a difference of means, with the same luck on both sides",
    "differing": "share of the blocks in which exchanging a and b changed at least one game",
    "elo": "strength in Elo points, 0 is the mean of the strategies",
    "estimate": "the number, in the unit that stands beside it",
    "first_change": "the median of the first plies that differ from the games under the present rules",
    "game_id": "the game in its run, from 0",
    "games": "games",
    "games_per_block": "games of a block",
    "highest": "the highest result",
    "is_logged": "whether all moves of the game are kept",
    "is_separated": "whether a strategy won or lost everything, so that the strength has one finite end only",
    "judged": "the class of the move: best, good, unclear, inaccuracy, mistake or blunder",
    "judged_by_points": "its class by points alone",
    "kind": "what the number is: score, wins, lead, rounds, moves, player wins or edge (of a seat)",
    "line": "the line of the chart",
    "log_strength": "strength in the Bradley-Terry model, natural logarithm",
    "looks": "how often the move was valued again, with more playouts",
    "lost_points": "points that the move lost",
    "lost_wins": "share of the win that the move lost",
    "lowest": "the lowest result",
    "luck": "luck that the reviewed game gave, in points; missing without a review",
    "margin": "lead over the best other seat, with the change less as played",
    "mean": "the mean",
    "mean_a": "mean score of a",
    "mean_b": "mean score of b",
    "mean_n": "what the interval of the mean counts",
    "mean_unit": "the unit of mean_n",
    "mean_rounds": "mean number of rounds",
    "mean_plies": "mean number of moves and rolls",
    "shortest": "the shortest game",
    "longest": "the longest game",
    "measure": "what is measured",
    "moved": "share of the games in which some move differs from the games under the present rules",
    "n": "how many results, blocks or games the number rests on",
    "name": "the name",
    "notation": "the move as people write it",
    "of": "whose number it is: a strategy, or the number of a seat",
    "options": "legal moves",
    "original": "mean final score as played",
    "over": "the strategy over which that of the column `of` leads",
    "p": "two-sided p-value of no difference",
    "p_holm": "the same, adjusted for the number of pairs (Holm)",
    "panel": "the panel of the chart",
    "part": "the part of the score",
    "player": "the player, from 1",
    "plies": "moves and rolls of the game",
    "ply": "the number in the log, from 0",
    "points_behind": "points that the move is behind the best one",
    "rank": "rank, with the change less as played",
    "ranks": "the rank of each seat",
    "results": "results: one for each player of each game",
    "round": "the round, from 1 in answers",
    "rounds": "rounds of the game",
    "rules": "the key of the rule that is turned",
    "ruleset": "the name of the ruleset",
    "ruleset_name": "the title of the ruleset",
    "run": "the name of the run",
    "score": "points; of the seats of a what-if or a comparison, a difference",
    "scores": "the score of each seat",
    "sd": "standard deviation of the results",
    "seat": "the seat, from 0",
    "seats_per_block": "seats that the strategy has in a block",
    "share": "a share of the results",
    "sides": "the index of a strategy of the pair in the line-up",
    "source": "where the measure comes from",
    "square": "the square of the board",
    "strategies": "the strategy of each seat",
    "strategy": "the strategy",
    "style": "the strategy that plays in every seat",
    "title": "what the game is a record of",
    "unit": "the unit of the number",
    "unit_of_n": "what n counts",
    "value": "the number of the order or of the row",
    "values": "its value",
    "variance_ratio": "variance of the difference, divided by the variance with separate luck",
    "verdict_better": "the better strategy by the verdict",
    "verdict_kind": "what the verdict says: more, equal or unclear",
    "verdict_sentence": "the verdict in one sentence",
    "win_difference": "share of the win, with the change less as played",
    "win_nearly_decided": "whether the win was nearly decided, so that the move is judged by points",
    "win_share": "share of the games won, a tie counts in parts; of the seats of a what-if, a difference",
    "wins": "share of the games won; a tie counts in parts",
    "wins_behind": "share of the win that the move is behind the best one",
}


def describe_column(name: str) -> str:
    """Return what a column of a frame means; nothing if its name is one of a table, which says it all.

    >>> describe_column("moved_low")
    'low end of the 95 % interval of moved'
    >>> describe_column("scores_1")
    'the score of each seat (number 1)'
    """
    if end := re.fullmatch(r"(.+)_(low|high)", name):
        return f"{end[2]} end of the 95 % interval of {end[1]}"
    if move := re.fullmatch(r"(chosen|best)_(.+)", name):
        return f"of the {'best move' if move[1] == 'best' else 'move that was played'}: {_MEANINGS.get(move[2], '')}"
    if item := re.fullmatch(r"(.+)_(\d+)", name):
        return f"{_MEANINGS[item[1]]} (number {item[2]})" if item[1] in _MEANINGS else ""
    if share := re.fullmatch(r"(\d+)%", name):
        return f"{share[1]} of 100 results are not above it"
    return _MEANINGS.get(name, "")
