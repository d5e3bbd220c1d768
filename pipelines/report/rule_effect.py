"""What the effect of a rule looks like: its sheet, its sentences, charts and tables. Intervals count blocks; no sentence exceeds its interval.

Sentences begin with a name or a small letter and have no full stop, so that others can continue them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.strategies import reads_rule
from engine.wording import capitalise
from pipelines.design.short_names import short_names
from pipelines.design.titles import name_rulesets
from pipelines.report.charts import (
    Columns,
    Estimate,
    Histogram,
    Intervals,
    Mark,
    ScoreSeries,
    make_distribution,
)
from pipelines.report.estimates import (
    format_interval,
    share_decimals,
    write_bound,
    write_length_change,
    write_percent,
    write_score_change,
    write_win_change,
)
from pipelines.report.ruleset_words import describe_difference, list_differences, name_rule
from pipelines.report.sheet import Fact, FindLooks, Part, Passage, Sheet
from pipelines.report.table import Table
from pipelines.report.wording import format_count, format_player, join_words
from pipelines.statistics.rounding import set_minus_signs
from pipelines.viewer.palette import SeriesLook, seat_looks

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.experiments.rule_effect import PairOrder, QuantityChange, RulesEffect
    from pipelines.questions.rule_effect import RuleEffectAnswer

MAX_RULE_CHARACTERS: Final = 80
"""A single rule that differs opens the sentence itself up to this length; other rulesets are called by their titles."""
ORDER_WORDS: Final = {
    "same": "the same strategy is ahead",
    "reversed": "reversed",
    "undecided": "not decided",
}
NOT_FINISHED: Final = (
    "The intervals are valid for the number of blocks that were asked for. If you stop earlier because the result looks good, more "
    "than 5 of 100 such answers are wrong."
)

ONLY_COUNTED: Final = "nobody changed a move: only the count differs"
NO_ORDER: Final = Passage(
    "The order of the strategies",
    (("", "all seats play the same strategy; choose two different strategies to see which one is ahead"),),
)


def compose_rule_effect(answer: RuleEffectAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of the effect of a rule, also of one whose games are still played."""
    question, effect = answer.question, answer.effect
    a, b = effect.a.design.rules, effect.b.design.rules
    return Sheet(
        kind="effect of a rule",
        title=" against ".join(name_rulesets([a, b])),
        verdict=f"{'' if answer.is_finished else 'so far, '}{rules_effect_sentence(effect)}",
        consequences=tuple(list_effect_consequences(effect)),
        basis=" ".join(
            (
                write_effect_basis(effect),
                "Ranges in brackets are 95 % intervals.",
                *(() if answer.is_finished else (NOT_FINISHED,)),
            )
        ),
        parts=tuple(_list_parts(effect, find_looks(effect.strategies))),
        facts=(
            Fact("Same luck", write_pairing(effect)),
            Fact("Ruleset 1", f"{a.name}, SHA-256 {a.sha256}"),
            Fact("Ruleset 2", f"{b.name}, SHA-256 {b.sha256}"),
            Fact("Seed", str(question.seed)),
        ),
        commands=(question.command,),
        fields={**effect.as_json(), "is_finished": answer.is_finished},
    )


def _list_parts(effect: RulesEffect, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    count = format_count(effect.blocks, "block")
    yield Part("differences", list_differences(effect.a.design.rules, [effect.b.design.rules]))
    yield Part(
        "changes",
        score_change_chart(effect, looks),
        caption=f"The mean change in the score of each strategy with its 95 % interval; {count}.",
    )
    yield Part(
        "scores",
        score_distribution_chart(effect),
        caption=f"The share of the results with each score. 95 % intervals of the means count blocks; {count}.",
    )
    yield Part("measures", changes_table(effect), "details")
    if seats := seat_chart(effect):
        yield Part(
            "seats",
            seats,
            "details",
            f"The score on each seat minus the mean score of its game, over all strategies; 95 % intervals count blocks; {count}. "
            "Player 1 starts.",
        )
    yield Part("orders", orders_table(effect) if effect.orders else NO_ORDER, "details")


def rules_effect_sentence(effect: RulesEffect) -> str:
    """Return one sentence on what ruleset B changes compared with A, for the strategy that plays best under A."""
    # Titles are anybody's own words, which may have commas.
    a, b = (f"“{title}”" for title in _name_rulesets(effect))
    count = effect.blocks * effect.games_per_block
    games = f"{format_count(count, 'game')} under each"
    if not effect.differing_share.estimate:
        bound = write_bound(effect.differing_share, "blocks")
        return f"no game ends differently under {b} than under {a} ({games}{bound and f'; {bound} would'})"
    best = _change_of_best(effect)
    if best is None or best.difference is None:
        return f"not enough games to say how scores change under {b} compared with {a} ({games})"
    name = short_names(effect.strategies)[best.of]
    rule = describe_difference(effect.a.design.rules, effect.b.design.rules)
    is_clause = rule and len(rule) <= MAX_RULE_CHARACTERS and not {*rule} & {",", ";"}
    condition = f"if {rule}" if is_clause else f"under {b} instead of {a}"
    counted = "" if effect.moved_share.estimate else f"; {ONLY_COUNTED}"
    return f"{condition}, {write_score_change(name, best.difference, f'; {games}')}{counted}"


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
    if effect.moved_share.estimate:
        sentences.append(write_changed_moves(effect))
    sentences += list_blind_players(effect.a.design, _list_differing_keys(effect))
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


def write_changed_moves(effect: RulesEffect) -> str:
    """Return in how many games a move changed, and when at first, of an effect that changed some."""
    first = int(effect.first_change or 0) + 1
    return f"somebody changed a move in {write_percent(effect.moved_share)} of the games, in half of these by move {first}"


def list_blind_players(design: Design, keys: Sequence[str]) -> Iterator[str]:
    """Yield which strategies of a design do not read some rules, by the keys of these: they play the same moves at every value.

    A rule that decides which moves there are is read by all.
    """
    names, game = short_names(dict.fromkeys(design.lineup)), design.game
    for player in {player.name: player for player in design.players}.values():
        rules = [name_rule(game.name, key) for key in keys if reads_rule(game, player.strategy, key) is False]
        if rules:
            yield f"{names[player.name]} does not read {join_words(rules)}: its choices take no account of it"


def _list_differing_keys(effect: RulesEffect) -> list[str]:
    """Return the options and tables that differ between the rulesets."""
    a, b = effect.a.design.rules.document, effect.b.design.rules.document
    return [key for part in ("options", "tables") for key in a[part] if a[part][key] != b[part].get(key)]


def _write_order(order: PairOrder, names: dict[str, str]) -> str:
    """Return who is ahead under both rulesets. Leads are positive if the first strategy is better."""
    if order.a is None or order.b is None:
        raise ValueError("The leads of an order that is decided are known.")
    first, second = names[order.first], names[order.second]
    before = (first, second) if order.a.estimate > 0 else (second, first)
    if order.order == "same":
        return f"{before[0]} is ahead of {before[1]} in points under both"
    return f"{before[0]} is no longer ahead of {before[1]} in points, but behind"


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


def score_change_chart(effect: RulesEffect, looks: Mapping[str, SeriesLook]) -> Intervals:
    """Return the change in the mean score of each strategy; `looks` are those of the strategies by name."""
    names = short_names(effect.strategies)
    dots = [
        Estimate(
            names[change.of],
            "difference in score",
            names[change.of],
            change.difference,
            effect.blocks,
            looks[change.of],
        )
        for change in effect.scores
        if change.difference
    ]
    title = "What changes in the score of each strategy"
    best = _change_of_best(effect)
    if best and best.difference and effect.differing_share.estimate:
        change = write_score_change(names[best.of], best.difference).partition(" (")[0]
        title = f"{capitalise(set_minus_signs(change))} under {_list_lines(effect)[1][0]}"
    return Intervals(dots, "change of the score, in points", title, mark=Mark(0, "no change"))


def score_distribution_chart(effect: RulesEffect) -> Histogram:
    """Return the final scores under both rulesets, in a panel for each strategy."""
    names, lines = short_names(effect.strategies), _list_lines(effect)
    series = [
        ScoreSeries(
            names[change.of],
            title,
            make_distribution(results.strategy_scores(change.of).tolist()),
            results.blocks,
            interval,
            look,
        )
        for change in effect.scores
        for results, interval, (title, look) in zip(
            (effect.a, effect.b), (change.a, change.b), lines, strict=True
        )
    ]
    return Histogram(series, "score in points", "Scores under both rulesets")


def _name_rulesets(effect: RulesEffect) -> list[str]:
    """Return what people call ruleset A, then B. They are called the same in all parts."""
    return name_rulesets([effect.a.design.rules, effect.b.design.rules])


def seat_chart(effect: RulesEffect) -> Columns | None:
    """Return the effect of each seat, first under A, then under B; None if no interval is known."""
    columns = [
        Estimate(int(seat.of) + 1, "effect of the seat", title, edge, effect.blocks, look)
        for is_b, (title, look) in enumerate(_list_lines(effect))
        for seat in effect.seats
        if (edge := seat.b if is_b else seat.a)
    ]
    title = "What each seat is worth under both rulesets"
    return Columns(columns, "player", "mean score in points", title, "block") if columns else None


def _list_lines(effect: RulesEffect) -> list[tuple[str, SeriesLook]]:
    """Return the title and the look of ruleset A, then of B. They are the same in all charts."""
    return [*zip(_name_rulesets(effect), seat_looks(2).values(), strict=True)]


def changes_table(effect: RulesEffect) -> Table:
    """Return all differences, one a row."""
    names = short_names(effect.strategies)

    groups: list[tuple[Sequence[QuantityChange], Callable[[str], str], float]] = [
        (effect.scores, lambda of: f"score of {names[of]}", 1.0),
        (effect.win_shares, lambda of: f"wins of a seat of {names[of]}, of 100 games", 100.0),
        *(([change], lambda of: f"{of} of a game", 1.0) for change in effect.lengths),
        (effect.seats, lambda of: f"effect of the seat of {format_player(int(of))}", 1.0),
    ]
    a, b = _name_rulesets(effect)
    return Table(
        "All differences",
        ("what", a, b, "difference", "blocks"),
        tuple(
            (name(change.of), *texts, effect.blocks)
            for changes, name, scale in groups
            for change, texts in zip(changes, _format_changes(changes, scale), strict=True)
        ),
        f"Values with their 95 % intervals; n = {format_count(effect.blocks, 'block')} of "
        f"{format_count(effect.games_per_block, 'game')} under each ruleset. Seats: score minus the mean score of the game.",
    )


def orders_table(effect: RulesEffect) -> Table:
    """Return a row for every two strategies with the lead under both rulesets."""
    a, b = _name_rulesets(effect)
    names = short_names(effect.strategies)
    fewer = " (fewer points are ahead)" if effect.a.design.rules.lowest_wins else ""
    return Table(
        "The order of the strategies",
        ("ahead", "order", a, b, "change"),
        tuple(
            (
                f"{names[change.first]} of {names[change.second]}",
                ORDER_WORDS[change.order],
                *texts,
            )
            for change, texts in zip(effect.orders, _format_changes(effect.orders, is_lead=True), strict=True)
        ),
        f"The lead of the first strategy over the second, in points{fewer}, from {format_count(effect.blocks, 'block')}. The table names "
        "an order only if both leads are significant.",
    )


def _format_changes(
    changes: Sequence[QuantityChange | PairOrder], scale: float = 1.0, *, is_lead: bool = False
) -> Iterator[tuple[str, ...]]:
    """Yield the values under both rulesets and their difference, all with the same number of decimals; leads are signed."""
    decimals = share_decimals(
        [interval for change in changes for interval in (change.a, change.b, change.difference)], scale=scale
    )
    for change in changes:
        yield tuple(
            format_interval(interval, scale=scale, signed=signed, decimals=decimals)
            for interval, signed in ((change.a, is_lead), (change.b, is_lead), (change.difference, True))
        )
