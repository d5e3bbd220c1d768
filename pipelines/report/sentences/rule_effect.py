"""The effect of a rule in sentences: on the strategy that plays best first, then what follows. None exceeds its interval.

Sentences begin with a name or a small letter and have no full stop, so that pages can continue them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.design.short_names import short_names
from pipelines.report.estimates import write_percent
from pipelines.report.sentences.changes import write_length_change, write_score_change, write_win_change
from pipelines.report.sentences.ruleset_difference import describe_difference
from pipelines.report.wording import format_count, title_rulesets

if TYPE_CHECKING:
    from pipelines.experiments.rules_effect import PairOrder, QuantityChange, RulesEffect

MAX_RULE_CHARACTERS: Final = 80
"""A single rule that differs opens the sentence itself up to this length; other rulesets are called by their titles."""


def rules_effect_sentence(effect: RulesEffect) -> str:
    """Return one sentence on what ruleset B changes compared with A, for the strategy that plays best under A."""
    # Titles are anybody's own words, which may have commas.
    a, b = (f"“{title}”" for title in title_rulesets(effect.a.design.rules, effect.b.design.rules))
    count = effect.blocks * effect.games_per_block
    games = f"{format_count(count, 'game')} under each"
    if not effect.differing_share.estimate:
        return f"no game ends differently under {b} than under {a} ({games})"
    best = _change_of_best(effect)
    if best is None or best.difference is None:
        return f"not enough games to say how scores change under {b} compared with {a} ({games})"
    name = short_names(effect.strategies)[best.of]
    rule = describe_difference(effect.a.design.rules, effect.b.design.rules)
    is_clause = rule and len(rule) <= MAX_RULE_CHARACTERS and not {*rule} & {",", ";"}
    condition = f"if {rule}" if is_clause else f"under {b} instead of {a}"
    return f"{condition}, {write_score_change(name, best.difference, f'; {games}')}"


def list_effect_consequences(effect: RulesEffect) -> list[str]:
    """Return what else changes: the scores of the other strategies, wins, the length of games, and who is ahead."""
    if not effect.differing_share.estimate:
        return []
    names, best = short_names(effect.strategies), _change_of_best(effect)
    sentences = [
        write_score_change(names[change.of], change.difference)
        for change in effect.scores
        if change is not best and _is_reliable(effect, change) and change.difference
    ]
    if best is not None and len(names) > 1:
        wins = next(change for change in effect.win_shares if change.of == best.of)
        seats = effect.a.design.lineup.count(best.of)
        who = f"a player of {names[best.of]}" if seats > 1 else names[best.of]
        if wins.difference is not None:
            sentences.append(write_win_change(who, wins.difference))
    sentences += [_write_order(order, names) for order in effect.orders if order.order != "undecided"]
    rounds, is_length_equal = effect.lengths[0].difference, (effect.a.rounds == effect.b.rounds).all()
    if rounds is not None and best is not None and not is_length_equal:
        sentences.append(write_length_change(rounds))
    return sentences


def _write_order(order: PairOrder, names: dict[str, str]) -> str:
    """Return who is ahead under both rulesets. Leads are positive if the first strategy is better."""
    if order.a is None or order.b is None:
        raise ValueError("The leads of an order that is decided are known.")
    first, second = names[order.first], names[order.second]
    before = (first, second) if order.a.estimate > 0 else (second, first)
    if order.order == "same":
        return f"{before[0]} is ahead of {before[1]} under both"
    return f"{before[0]} is no longer ahead of {before[1]}, but behind"


def _change_of_best(effect: RulesEffect) -> QuantityChange | None:
    """Return the change of the score of the strategy that plays best under A, of those with enough blocks; None without one."""
    sign = -1 if effect.a.design.rules.lowest_wins else 1
    reliable = [change for change in effect.scores if _is_reliable(effect, change)]
    return max(reliable, key=lambda change: sign * change.a.estimate if change.a else 0.0, default=None)


def _is_reliable(effect: RulesEffect, change: QuantityChange) -> bool:
    return change.difference is not None and effect.has_enough_blocks(change.of)


def write_effect_basis(effect: RulesEffect) -> str:
    """Return who played and how often."""
    names = short_names(effect.strategies)
    opening = (
        f" The game has no dice, so every block starts with {effect.a.design.opening} random moves."
        if effect.a.design.opening
        else " Both rulesets get the same luck."
    )
    lowest = " The lowest score wins." if effect.a.design.rules.lowest_wins else ""
    return (
        f"{', '.join(names[name] for name in effect.a.design.labels)} on all seats in turn, {format_count(effect.blocks, 'block')} of "
        f"{format_count(effect.games_per_block, 'game')} under each ruleset, seed {effect.a.design.seed}.{opening}{lowest}"
    )


def write_pairing(effect: RulesEffect) -> str:
    """Return what the same luck under both rulesets does to the precision."""
    ratio, share = effect.variance_ratio, effect.differing_share
    gain = (
        f" The same luck makes the difference as precise as {1 / ratio:.1f} times as many games with separate luck."
        if ratio and ratio < 1
        else ""
    )
    return f"{write_percent(share)} of the blocks end differently.{gain}"
