"""What the answers to what-if questions about one game look like: their sheets, sentences, charts and tables.

Sentences begin with a small letter and have no full stop, so that others can continue them. Players, moves and rounds are
counted from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine import games
from engine.wording import capitalise, player_label
from pipelines.design.short_names import base_name, short_names
from pipelines.experiments.many_games import tell_what_stays
from pipelines.experiments.review_results import is_win_nearly_decided
from pipelines.report.charts import Estimate, Histogram, Intervals, Mark, ScoreSeries, make_distribution
from pipelines.report.estimates import (
    EXACT,
    format_interval,
    format_intervals,
    set_sentence,
    share_decimals,
    split_win_change,
    write_percent,
    write_win_change,
)
from pipelines.report.runs import list_run_facts
from pipelines.report.sheet import Continuation, Continuations, Fact, FindLooks, Part, Sheet
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import format_count, format_player, join_words, name_amount
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign
from pipelines.statistics.sequential import MIN_DIFFERING_BLOCKS
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK, SeriesLook, seat_looks

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.experiments.whatif import SeatEffect, WhatIf
    from pipelines.questions.whatif import WhatifAnswer
    from pipelines.statistics import Interval
    from pipelines.statistics.intervals import Integers

CONTINUATION_PLACES: Final = {"worst": 0.0, "middle": 0.5, "best": 1.0}
"""Continuations that are remarkable, by their place among all, sorted by what the change gained for the seat."""
CHANGE_NAME: Final = "change in score"
NO_CHANGE: Final = Mark(0, "no change")
RANGES: Final = "Ranges are 95 % intervals"
OTHER_PLAYERS: Final = "players who vary, such as quick players or noisy, would give other continuations"


def compose_whatif(answer: WhatifAnswer, _: FindLooks) -> Sheet:
    """Return the sheet of a what-if question about one game, also of one whose continuations are still played."""
    whatif, question, run = answer.whatif, answer.question, answer.run
    chances = win_chances_sentence(whatif) if whatif.has_enough else ""
    return Sheet(
        kind="what-if",
        title=question.describe(run),
        verdict=whatif_sentence(whatif),
        consequences=(chances,) if chances else (OTHER_PLAYERS,) if whatif.is_single else (),
        basis=describe_basis(answer),
        parts=tuple(_list_parts(answer)),
        facts=(*list_run_facts(run, question.game), Fact("Seed of the continuations", str(question.seed))),
        commands=(run.summary.command, question.command),
        fields={"run": question.run, "sentence": whatif_sentence(whatif), **whatif.as_json()},
    )


def _list_parts(answer: WhatifAnswer) -> Iterator[Part]:
    """Yield the scores on both branches, what the change does to every player, and continuations to watch."""
    whatif = answer.whatif
    count = _count_continuations(whatif)
    often = f"How often each score came up in {count}" if not whatif.is_single else capitalise(count)
    weighted = ", weighted by how likely the next roll is" if whatif.weights_rolls else ""
    of_means = "" if whatif.is_single else f" 95 % intervals of the means{weighted}."
    yield Part("branches", branch_scores_chart(whatif), caption=f"{often}.{of_means}")
    if not whatif.is_single:
        yield Part(
            "difference",
            score_difference_chart(whatif),
            caption=f"How often each change came up in {count}. 95 % interval of the mean{weighted}.",
        )
    changes = score_changes_chart(whatif)
    if changes.estimates:
        caption = f"{capitalise(count)}." if whatif.is_single else f"95 % intervals from {count}."
        yield Part("changes", changes, "beside", caption)
    which = (
        f"{capitalise(count)}."
        if whatif.is_single
        else f"Of {format_count(whatif.n, 'continuation')}: the one in which {format_player(whatif.fork.seat)} lost most by the "
        "change, one in the middle, and the one in which the gain was largest."
    )
    yield Part("continuations", choose_continuations(answer), "beside", which)
    yield Part("players", effects_table(whatif), "details")


def describe_basis(answer: WhatifAnswer) -> str:
    """Return which game is played on from where and by whom, how often, and what its intervals count."""
    whatif, question = answer.whatif, answer.question
    playing = f", {condition}" if (condition := playing_on_sentence(whatif)) else ""
    place = f"A game of {question.name_games(answer.run)}, from move {question.ply + 1} on{playing}"
    ranges = "" if whatif.is_single else f" {RANGES}, which count continuations."
    return f"{place}: {set_sentence(basis_sentence(whatif))}{ranges}"


def whatif_sentence(whatif: WhatIf) -> str:  # noqa: PLR0911 - one for each kind of answer
    """Return one sentence on the effect of the change on its seat; it claims no more than the intervals allow.

    Of another move it says first how the wins change, as the best moves are ranked, unless the win is nearly decided.
    """
    is_only = whatif.is_single
    continuations = _count_continuations(whatif) if is_only else format_count(whatif.n, "continuation")
    differing = whatif.differing_share
    if not whatif.differences.any() and not differing.estimate:
        if whatif.fork.is_determined and whatif.fork.has_equal_branches:
            return f"nothing changes: {tell_what_stays(whatif.fork.change)} anyway, so both branches must end in the same way"
        if is_only:
            return f"nothing changes ({continuations})"
        if not differing.high:
            return f"nothing changes in any of {continuations}: both branches must end in the same way"
        return (
            f"nothing changes in any of {continuations}; with 95 % confidence, something changes in at most "
            f"{100 * differing.high:.2g} of 100 games"
        )
    effect = whatif.seat_effect(whatif.fork.seat)
    if effect.score is None or not whatif.has_enough:
        return f"not enough continuations: {continuations}, but at least {MIN_BLOCKS} are needed"
    fewer_wins = "fewer points win; " if whatif.fork.ruleset.lowest_wins else ""
    at_every_look = " at every look" if whatif.is_sequential else ""
    player = format_player(effect.seat)
    if whatif.decision in {"more", "fewer"}:
        _, (_, low, high) = split_sign(effect.score)
        start = _start_score_change(whatif, effect.score)
    else:
        _, low, high = format_interval_numbers(effect.score)
        margin = whatif.rule.margin
        start = (
            f"the score of {player} is equal within {name_amount(f'{margin:g}')}"
            if whatif.decision == "equal" and margin is not None
            else f"the score of {player} does not {'' if is_only else 'clearly '}change"
        )
    condition = " if quick players play on" if whatif.fork.change.quick else ""
    reason = _undecided_reason(whatif, effect.score)
    if effect.win_share and _is_ranked_by_wins(whatif, effect):
        change, span = split_win_change(player, effect.win_share)
        return f"{change}{condition} (95 % interval {span}; {continuations}); {start} ({fewer_wins}{low} to {high}){reason}"
    ends = "" if is_only else f"95 % interval {low} to {high}{at_every_look}; "
    return f"{start}{condition} ({fewer_wins}{ends}{continuations}){reason}; {_win_words(whatif, effect, player)}"


def _is_ranked_by_wins(whatif: WhatIf, effect: SeatEffect) -> bool:
    """Return whether another move changes who wins a game that is still open: reviews rank moves by wins there."""
    shares = effect.base_win_share, effect.changed_win_share
    if not whatif.fork.change.action or whatif.is_single or whatif.is_sequential or None in shares:
        return False
    if np.array_equal(whatif.base_win_shares[:, effect.seat], whatif.changed.win_shares[:, effect.seat]):
        return False
    return not is_win_nearly_decided(*(share.estimate for share in shares if share))


def _start_score_change(whatif: WhatIf, score: Interval) -> str:
    """Return how many points the seat scores more or fewer, if this is decided."""
    _, (points, _, _) = split_sign(score)
    return f"{format_player(whatif.fork.seat)} scores {name_amount(points)} {whatif.decision}"


def _undecided_reason(whatif: WhatIf, score: Interval) -> str:
    """Return why a difference whose interval excludes zero is not decided: too few continuations differ."""
    if whatif.decision != "undecided" or score.low <= 0 <= score.high:
        return ""
    return f"; a decision needs {MIN_DIFFERING_BLOCKS} continuations in which the score differs"


_ONE_RESULT: Final = {
    1: ("wins", "winning"),
    0: ("loses", "losing"),
    0.5: ("shares the win", "sharing the win"),
}
"""What a share of the win of one game is called."""


def _win_words(whatif: WhatIf, effect: SeatEffect, seat: str) -> str:
    """Return how the wins of the seat change, in words that begin with the seat or with "how often"."""
    if effect.win_share is None:
        raise ValueError("The effect on wins of fewer than two continuations is not known.")
    before, after = (shares[:, effect.seat] for shares in (whatif.base_win_shares, whatif.changed.win_shares))
    if whatif.is_single:
        was, now = (_ONE_RESULT.get(share[0], _ONE_RESULT[0.5]) for share in (before, after))
        return f"{seat} still {now[0]}" if was == now else f"{seat} {now[0]} instead of {was[1]}"
    if (before != after).any():
        return write_win_change(seat, effect.win_share)
    _, low, high = format_interval_numbers(effect.win_share.times(100), parts=2)
    others = f" (change: {low} to {high} of 100)" if effect.win_share.half_width else ""
    if (before == before[0]).all() and before[0] in {0, 1}:
        return f"{seat} still {'wins' if before[0] else 'loses'} all {format_count(whatif.n, 'game')}{others}"
    return f"{seat} wins the same of the {format_count(whatif.n, 'game')}{others}"


def win_chances_sentence(whatif: WhatIf) -> str:
    """Return how often the seat wins on each branch; empty if that is the same, or if the original branch is what happened."""
    effect = whatif.seat_effect(whatif.fork.seat)
    if not whatif.fork.change or whatif.is_single:
        return ""
    return write_win_levels(
        whatif, format_player(effect.seat), effect.base_win_share, effect.changed_win_share
    )


def write_win_levels(whatif: WhatIf, who: str, was: Interval | None, now: Interval | None) -> str:
    """Return how often a player wins on each branch; empty if that is the same or not known. `whatif` names the branches."""
    if was is None or now is None or was == now:
        return ""
    shares = [
        f"{write_percent(share)} {branch}"
        for share, branch in zip((was, now), name_branches(whatif), strict=True)
    ]
    return f"{who} wins {' and '.join(shares)}"


def basis_sentence(whatif: WhatIf) -> str:
    """Return a sentence on the continuations behind an answer: how many, how many differ, and who played on for whom."""
    share = whatif.differing_share
    so_far = "" if whatif.is_over else " so far"
    compared = "" if whatif.fork.change else ", compared with what happened"
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
    if whatif.is_single:
        return f"{_count_continuations(whatif)}{compared}{on_both}"
    return f"{_count_continuations(whatif)}{compared}{so_far}. {capitalise(write_share(share))} of them differ{valid}{on_both}"


def _count_continuations(whatif: WhatIf) -> str:
    """Return how many continuations were played, and with which luck."""
    if whatif.is_single:
        return f"{format_count(whatif.n, 'continuation')} with different luck are the same, move by move, so they count as one"
    luck = "of each branch with the same luck" if whatif.fork.change else "with other luck"
    return f"{format_count(whatif.n, 'continuation')} {luck}"


_WHOLE_SHARES: Final = {0.0: "none", 1.0: "all"}


def write_share(share: Interval) -> str:
    """Return a share of what was played as the words before "of them", with its interval."""
    percent, span, ends = write_percent(share).partition(" (")
    return f"{_WHOLE_SHARES.get(share.estimate, percent)}{span}{ends}"


def playing_on_sentence(whatif: WhatIf) -> str:
    """Return who plays both branches on, by short names, such as "if greedy and random play on"; empty if a change is who plays."""
    was, now = whatif.fork.base.seating, whatif.fork.changed.seating
    is_change = [player.label for player in was] != [player.label for player in now]
    if is_change:
        return ""
    names = list(short_names(dict.fromkeys(player.label for player in now)).values())
    if whatif.fork.change.quick:
        return name_quick_players(names[0])
    return f"if {join_words(names)} {'play' if len(names) > 1 else 'plays'} on"


def name_quick_players(strategy: str) -> str:
    """Return the condition under which moves are judged, with the strategy that plays on, without its parameters."""
    return f"if quick players ({base_name(strategy)}) play on"


def name_strategies(whatif: WhatIf, seat: int) -> str:
    """Return who plays a seat, by short names: on both branches, or as played and with the change."""
    branches = (whatif.fork.base, whatif.fork.changed)
    was, now = (branch.seating[seat].label for branch in branches)
    names = short_names((was, now))
    return names[was] if was == now else f"{names[was]} → {names[now]}"


def name_branches(whatif: WhatIf) -> tuple[str, str]:
    """Return what the branches are called wherever they stand beside each other: that without the change, and that with it."""
    return ("as played", "with the change") if whatif.fork.change else ("what happened", "with other luck")


def branch_scores_chart(whatif: WhatIf) -> Histogram:
    """Return the final scores of the changed seat on both branches; for other luck, the new ones and the logged one.

    Means are those of the answer, which weights the continuations.
    """
    fork, effect = whatif.fork, whatif.seat_effect(whatif.fork.seat)
    after = np.asarray(whatif.changed.scores[: whatif.different, fork.seat], dtype=np.int64)
    was, now = name_branches(whatif)
    changed = make_change_series(whatif, now, after, effect.changed)
    title = f"Final score of {format_player(fork.seat)}"
    if not fork.change:
        mark = Mark(fork.result[fork.seat], was)
        return Histogram([changed], "score in points", title, "continuation", mark=mark)
    before = whatif.base_scores[: whatif.different, fork.seat]
    original = make_change_series(whatif, was, before, effect.base, OTHER_LOOK)
    return Histogram([original, changed], "score in points", title, "continuation")


def score_difference_chart(whatif: WhatIf) -> Histogram:
    """Return the distribution of the difference that the change makes in the final score of its seat."""
    seat = whatif.fork.seat
    series = make_change_series(
        whatif, CHANGE_NAME, whatif.differences[:, seat], whatif.score_difference(seat)
    )
    return Histogram([series], CHANGE_NAME, _title_difference(whatif), "continuation", mark=NO_CHANGE)


def _title_difference(whatif: WhatIf) -> str:
    """Return by how much the score of the seat changes, if this is decided; else what the chart shows."""
    player, score = format_player(whatif.fork.seat), whatif.score_difference(whatif.fork.seat)
    if not whatif.differences[:, whatif.fork.seat].any():
        return f"{capitalise(player)} scores the same on both branches in {format_count(whatif.different, 'continuation')}"
    if score and whatif.has_enough and whatif.decision in {"more", "fewer"}:
        return f"{capitalise(set_minus_signs(_start_score_change(whatif, score)))} {name_branches(whatif)[1]}"
    return "Difference with the same luck" if whatif.fork.change else "Difference from what happened"


def score_changes_chart(whatif: WhatIf) -> Intervals:
    """Return the change of the final score of every player."""
    looks, ruleset = seat_looks(whatif.fork.ruleset.players), whatif.fork.ruleset.title
    estimates = [
        Estimate(
            format_player(effect.seat),
            ruleset,
            format_player(effect.seat),
            effect.score,
            whatif.different,
            looks[effect.seat],
        )
        for effect in whatif.seat_effects
        if effect.score
    ]
    title = "Change in the score of every player"
    return Intervals(estimates, f"{CHANGE_NAME}, points", title, "continuation", NO_CHANGE)


def make_change_series(
    whatif: WhatIf, name: str, values: Integers, mean: Interval | None, look: SeriesLook = CHOSEN_LOOK
) -> ScoreSeries:
    """Return the distribution of some scores, or of their changes, with its mean, if it is known."""
    scores = make_distribution(values.tolist())
    return ScoreSeries(whatif.fork.ruleset.title, name, scores, scores.n, mean, look)


def effects_table(whatif: WhatIf) -> Table:
    """Return the change for every player."""
    effects = whatif.seat_effects
    points = share_decimals(
        [
            interval
            for effect in effects
            for interval in (effect.base, effect.changed, effect.score, effect.margin)
        ]
    )
    ranks = format_intervals([effect.rank for effect in effects], signed=True, when_equal=EXACT)
    wins = format_intervals(
        [effect.win_share for effect in effects], scale=100, signed=True, when_equal=EXACT
    )
    was, now = name_branches(whatif)
    rows: list[dict[str, Cell]] = [
        {
            "player": effect.seat + 1,
            "strategy": name_strategies(whatif, effect.seat),
            f"score, {was}": format_interval(effect.base, decimals=points, when_equal=EXACT),
            f"score, {now}": format_interval(effect.changed, decimals=points, when_equal=EXACT),
            "change in score": format_interval(effect.score, signed=True, decimals=points, when_equal=EXACT),
            "change in lead": format_interval(effect.margin, signed=True, decimals=points, when_equal=EXACT),
            "change in rank": rank,
            "change in wins of 100": win,
        }
        for effect, rank, win in zip(effects, ranks, wins, strict=True)
    ]
    caption = (
        f"{capitalise(_count_continuations(whatif))}."
        if whatif.is_single
        else f"{RANGES}; n = {format_count(whatif.n, 'continuation')} of each branch."
    )
    return make_table("The change for every player", rows, caption)


def choose_continuations(answer: WhatifAnswer) -> Continuations:
    """Return the continuations in which the change lost most and gained most, and one in the middle."""
    whatif = answer.whatif
    was, now = name_branches(whatif)
    numbers = {
        name: find_continuation(whatif, place)
        for name, place in (("largest loss", "worst"), ("in the middle", "middle"), ("largest gain", "best"))
    }
    if whatif.is_single:
        numbers = {"the only one": 0}
    choices = [
        Continuation(name, number, partial(continuation_document, whatif, number, answer.logged_scene))
        for name, number in numbers.items()
    ]
    return Continuations(
        "One continuation on both branches",
        (capitalise(was), capitalise(now)),
        tuple(choices),
        opened=len(choices) // 2,
    )


def find_continuation(answer: WhatIf, place: str) -> int:
    """Return the number of a remarkable continuation; `place` is a key of `CONTINUATION_PLACES`."""
    sign = -1 if answer.fork.ruleset.lowest_wins else 1
    order = np.argsort(sign * answer.differences[:, answer.fork.seat], kind="stable")
    return int(order[round(CONTINUATION_PLACES[place] * (len(order) - 1))])


def continuation_document(answer: WhatIf, number: int, logged_scene: Scene | None) -> dict[str, Any]:
    """Return the scenes of one continuation on both branches, from the beginning of the game.

    If only the luck changes, the original branch is the logged game itself, whose scene is `logged_scene`.
    """
    fork = answer.fork
    pairs = []
    for branch, ends in ((fork.base, answer.base), (fork.changed, answer.changed)):
        ruleset = branch.state.ruleset
        names = [player.name for player in branch.seating]
        actions = [*branch.actions, *ends.game_actions(number)]
        pairs.append({**games.find_game(ruleset.game).scene(ruleset, actions), "strategies": names})
    base, changed = pairs
    if not fork.change and logged_scene:
        base = {**logged_scene}
    return {
        "number": number,
        "n": answer.n,
        "seat": fork.seat,
        "ply": fork.ply,
        "names": [capitalise(name) for name in name_branches(answer)],
        "difference": int(answer.differences[number, fork.seat]),
        "base": base,
        "changed": changed,
    }
