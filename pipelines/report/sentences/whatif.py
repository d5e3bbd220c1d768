"""Sentences on what-if questions: what the change does, in one game and over many, and what the answer rests on.

Sentences begin with a small letter and have no full stop, so that pages can continue them. Players, moves and rounds are counted
from 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.counted_nouns import capitalise
from engine.player_label import player_label
from pipelines.design.short_names import short_names
from pipelines.experiments.whatif.select_games import parse_games, parse_place
from pipelines.report.estimates import write_percent
from pipelines.report.score_sentences import join_words
from pipelines.report.sentences.changes import write_score_change, write_win_change
from pipelines.report.wording import format_count, format_player, name_branches
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.rounding import format_interval_numbers, split_sign
from pipelines.statistics.sequential import MIN_DIFFERING_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.strategy import Player
    from pipelines.experiments.whatif.many_games import WhatIfPositions
    from pipelines.experiments.whatif.whatif import SeatEffect, WhatIf
    from pipelines.statistics import Interval


def whatif_sentence(whatif: WhatIf) -> str:
    """Return one sentence on the effect of the change on its seat; it claims no more than the intervals allow."""
    continuations = format_count(whatif.n, "continuation")
    differing = whatif.differing_share
    if not whatif.differences.any() and not differing.estimate:
        if not differing.high:
            return f"nothing changes in any of {continuations}: both branches must end in the same way"
        return (
            f"nothing changes in any of {continuations}; with 95 % confidence, something changes in at most "
            f"{100 * differing.high:.2g} of 100 games"
        )
    effect = whatif.seat_effect(whatif.fork.seat)
    if effect.score is None or whatif.n < MIN_BLOCKS:
        return f"not enough continuations: {continuations}, but at least {MIN_BLOCKS} are needed"
    fewer_wins = "fewer points win; " if whatif.fork.ruleset.lowest_wins else ""
    at_every_look = " at every look" if whatif.is_sequential else ""
    player = format_player(effect.seat)
    if whatif.decision in {"more", "fewer"}:
        _, (points, low, high) = split_sign(effect.score)
        start = f"{player} scores {points} point{'s' * (points != '1')} {whatif.decision}"
    else:
        _, low, high = format_interval_numbers(effect.score)
        margin = whatif.rule.margin
        start = (
            f"the score of {player} is equal within {margin:g} point{'s' * (margin != 1)}"
            if whatif.decision == "equal" and margin is not None
            else f"the score of {player} does not clearly change"
        )
    interval = f"({fewer_wins}95 % interval {low} to {high}{at_every_look}; {continuations})"
    reason = _undecided_reason(whatif, effect.score)
    return f"{start} {interval}{reason}; {_win_words(whatif, effect, player)}"


def _undecided_reason(whatif: WhatIf, score: Interval) -> str:
    """Return why a difference whose interval excludes zero is not decided: too few continuations differ."""
    if whatif.decision != "undecided" or score.low <= 0 <= score.high:
        return ""
    return f"; a decision needs {MIN_DIFFERING_BLOCKS} continuations in which the score differs"


def _win_words(whatif: WhatIf, effect: SeatEffect, seat: str) -> str:
    """Return how the wins of the seat change, in words that begin with the seat or with "how often"."""
    if effect.win_share is None:
        raise ValueError("The effect on wins of fewer than two continuations is not known.")
    before, after = (shares[:, effect.seat] for shares in (whatif.base_win_shares, whatif.changed.win_shares))
    if (before != after).any():
        return write_win_change(seat, effect.win_share)
    if (before == before[0]).all() and before[0] in {0, 1}:
        return f"{seat} still {'wins' if before[0] else 'loses'} all {format_count(whatif.n, 'game')}"
    return f"{seat} wins the same of the {format_count(whatif.n, 'game')}"


def win_chances_sentence(whatif: WhatIf) -> str:
    """Return how often the seat wins on each branch; empty if that is the same, or if the original branch is what happened."""
    effect = whatif.seat_effect(whatif.fork.seat)
    was, now = effect.base_win_share, effect.changed_win_share
    if not whatif.fork.change or was is None or now is None or was == now:
        return ""
    shares = [
        f"{write_percent(share)} {branch}"
        for share, branch in zip((was, now), name_branches(whatif), strict=True)
    ]
    return f"{format_player(effect.seat)} wins {' and '.join(shares)}"


def positions_sentence(positions: WhatIfPositions) -> str:
    """Return a sentence on the effect over all positions that claims no more than its intervals."""
    score, wins, unchanged = positions.score, positions.win_share, positions.unchanged
    basis = count_positions(positions)
    if unchanged and unchanged == len(positions.played):
        return f"nothing is changed at any of {basis}: both branches have the same rules, moves and players"
    if score is None or wins is None or not positions.has_enough_blocks:
        return f"not enough games: {basis}, but at least {MIN_BLOCKS} blocks are needed"
    seats = sorted({position.fork.seat for position in positions.played})
    who = format_player(seats[0]) if len(seats) == 1 else "the acting player"
    rest = f"; at {unchanged:,} of the positions nothing is changed" if unchanged else ""
    return f"over {basis}, {write_score_change(who, score)}; {write_win_change(who, wins)}{rest}"


def basis_sentence(whatif: WhatIf) -> str:
    """Return a sentence on the continuations behind an answer: how many, how many differ, and who played on for whom."""
    share = whatif.differing_share
    luck = (
        "of each branch with the same luck"
        if whatif.fork.change
        else "with other luck, compared with what happened"
    )
    valid = (
        ". The intervals are valid at every look as long as the continuations played are typical of those to come"
        if whatif.is_sequential
        else ""
    )
    players = [
        f"{player_label(name)} plays as {format_player(seat)}"
        for seat, name in sorted(whatif.fork.change.substitutes.items())
    ]
    on_both = f". On both branches {' and '.join(players)}" if players else ""
    return f"{format_count(whatif.n, 'continuation')} {luck}. {capitalise(_write_share(share))} of them differ{valid}{on_both}"


def positions_basis_sentence(positions: WhatIfPositions, which: str, where: str) -> str:
    """Return a sentence on the positions behind an answer; `which` and `where` are those of the question."""
    n = positions.played[0].n if positions.played else 0
    share = positions.differing_share
    differing = (
        f". The change made a difference at {_write_share(share)} of the positions"
        if share and positions.has_enough_blocks
        else ""
    )
    left_out = (
        f". {format_count(len(positions.skipped), 'game')} could not be forked" if positions.skipped else ""
    )
    return (
        f"{name_games(which)}, from {name_place(where)} on: {format_count(n, 'continuation')} from each of "
        f"{count_positions(positions)}. Intervals count blocks, because games of one block have the same luck{differing}{left_out}"
    )


def _write_share(share: Interval) -> str:
    """Return a share of what was played as the words before "of them"; its interval only if it is neither all nor none."""
    if share.estimate in {0, 1}:
        return "all" if share.estimate else "none"
    return write_percent(share)


def count_positions(positions: WhatIfPositions) -> str:
    """Return the number of positions and of blocks in words."""
    return f"{format_count(len(positions.played), 'position')} of {format_count(positions.blocks, 'block')}"


def name_games(which: str) -> str:
    """Return in words which games of a run are asked about.

    >>> name_games("lost:1"), name_games("all"), name_games("")
    ('the games that player 1 lost', 'all games', 'all games')
    """
    how, seat = parse_games(which or "all")
    return "all games" if how == "all" else f"the games that {format_player(seat)} {how}"


def name_place(where: str) -> str:
    """Return in words where games are forked.

    >>> name_place("round:3"), name_place("last-roll"), name_place("15"), name_place("-1")
    ('round 3', 'just before the last roll', 'move 15', 'the last move')
    """
    kind, number = parse_place(where)
    if kind == "last-roll":
        return "just before the last roll"
    if kind == "round":
        return f"round {number + 1}"
    return (
        f"move {number + 1}"
        if number >= 0
        else "the last move"
        if number == -1
        else f"move {-number} from the end"
    )


def playing_on_sentence(whatif: WhatIf) -> str:
    """Return who plays both branches on, by short names, such as "if greedy and random play on"; empty if a change is who plays."""
    was, now = whatif.fork.base.seating, whatif.fork.changed.seating
    is_change = [player.label for player in was] != [player.label for player in now]
    return "" if is_change else name_players_on(now)


def name_players_on(seating: Sequence[Player]) -> str:
    """Return who plays a game on, by short names, such as "if greedy and random play on"."""
    names = list(short_names(dict.fromkeys(player.label for player in seating)).values())
    return f"if {join_words(names)} {'play' if len(names) > 1 else 'plays'} on"


def name_strategies(whatif: WhatIf, seat: int) -> str:
    """Return who plays a seat, by short names: on both branches, or as played and with the change."""
    branches = (whatif.fork.base, whatif.fork.changed)
    was, now = (branch.seating[seat].label for branch in branches)
    names = short_names((was, now))
    return names[was] if was == now else f"{names[was]} → {names[now]}"
