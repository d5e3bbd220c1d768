"""What rules look like that are turned: the sheet of one rule at several values, and that of several rules in all combinations.

Sentences begin with a name or a small letter and have no full stop. None claims more than its interval, which counts blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.wording import name_amount
from pipelines.design.short_names import short_names
from pipelines.design.titles import format_ruleset_for
from pipelines.experiments.rule_dial import DialMeasure, RuleChange, RulesDial
from pipelines.report.charts import Chart, Columns, Estimate, Intervals, Lines, Mark
from pipelines.report.estimates import (
    format_interval,
    format_intervals,
    name_ends,
    write_bound,
    write_length_change,
    write_score_change,
    write_win_change,
)
from pipelines.report.rule_effect import NOT_FINISHED, ONLY_COUNTED, list_blind_players, write_changed_moves
from pipelines.report.ruleset_words import name_rule, name_rule_step
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet
from pipelines.report.table import Table
from pipelines.report.wording import format_count, format_player, join_words
from pipelines.statistics.rounding import split_sign
from pipelines.viewer.palette import CHOSEN_LOOK, SeriesLook

if TYPE_CHECKING:
    from pipelines.design.rule_values import RuleValue, VariedRule
    from pipelines.questions.rule_effect import RulesDialAnswer
    from pipelines.statistics.intervals import Interval

EQUAL_POINTS: Final = 0.5
"""Scores that differ by less are called equal."""
JUDGEMENTS: Final = ("surely", "perhaps", "surely not")


def compose_rules_dial(answer: RulesDialAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of rules that are turned, also of one whose games are still played."""
    words, dial = DialWords(answer), answer.dial
    looks = find_looks(dial.strategies)
    is_one = len(dial.rules) == 1
    verdict = write_dial_verdict(words) if is_one else write_rules_verdict(words)
    consequences = _list_dial_consequences(words) if is_one else _list_rules_consequences(words)
    blind = list_blind_players(dial.base.design, [rule.key for rule in dial.rules])
    ruleset = dial.base.design.rules
    rules = "every rule" if len(dial.rules) > 2 else " and ".join(words.rule(rule) for rule in dial.rules)
    return Sheet(
        kind="effect of a rule",
        title=f"What {rules} {'change' if len(dial.rules) == 2 else 'changes'} in {format_ruleset_for(ruleset)}",
        verdict=f"{'' if answer.is_finished else 'so far, '}{verdict}",
        consequences=(*_list_judgements(words), *consequences, *blind),
        basis=" ".join(
            (
                words.basis,
                "Ranges in brackets are 95 % intervals.",
                *(() if answer.is_finished else (NOT_FINISHED,)),
            )
        ),
        parts=tuple(_list_dial_parts(words, looks) if is_one else _list_rules_parts(words, looks)),
        facts=(
            Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}"),
            Fact("Values", "; ".join(map(str, dial.rules))),
            Fact("Seed", str(answer.question.seed)),
        ),
        commands=(answer.question.command,),
        fields={**dial.as_json(), "is_finished": answer.is_finished},
    )


class DialWords:
    """The words for the rules, values, strategies and measures of an answer."""

    def __init__(self, answer: RulesDialAnswer) -> None:
        self.answer, self.dial = answer, answer.dial
        self._game = self.dial.base.design.rules.game
        self.names = short_names(self.dial.strategies)

    def rule(self, rule: VariedRule) -> str:
        return name_rule(self._game, rule.key)

    def step(self, rule: VariedRule) -> str:
        return name_rule_step(self._game, rule.key)

    def name_values(self, setting: Sequence[RuleValue]) -> str:
        """Return the values of all rules in a combination."""
        return ", ".join(rule.name_value(value) for rule, value in zip(self.dial.rules, setting, strict=True))

    def change(self, rule: VariedRule, value: RuleValue) -> str:
        """Return a value of a rule against that of the ruleset, such as "gap penalty 3 instead of 1"."""
        return f"{self.rule(rule)} {rule.name_value(value)} instead of {rule.name_value(rule.base_value)}"

    def setting(self, place: int) -> str:
        """Return how a combination differs from the ruleset itself."""
        dial = self.dial
        pairs = zip(dial.rules, dial.settings[place], strict=True)
        changes = [self.change(rule, value) for rule, value in pairs if value != rule.base_value]
        return join_words(changes) if changes else "the ruleset itself"

    def who(self, measure: DialMeasure) -> str:
        return (
            format_player(int(measure.of))
            if measure.kind in {"player wins", "edge"}
            else self.names.get(measure.of, "")
        )

    def measure(self, measure: DialMeasure) -> str:
        who = self.who(measure)
        return {
            "score": f"score of {who}",
            "wins": f"wins of {who}",
            "rounds": "rounds",
            "moves": "moves",
            "player wins": f"wins of {who}",
            "edge": f"edge of {who}",
        }[measure.kind]

    @property
    def games(self) -> int:
        """Games under each ruleset."""
        return self.dial.blocks * self.dial.base.design.rotations

    @property
    def best(self) -> DialMeasure | None:
        """The score of the strategy that plays best under the ruleset itself; of one rule, of those with enough blocks; None without one."""
        dial = self.dial
        sign = -1 if dial.base.design.rules.lowest_wins else 1
        scores = [
            measure
            for measure in dial.measures
            if measure.kind == "score" and (len(dial.rules) > 1 or dial.has_enough_blocks(measure))
        ]
        return max(scores, key=lambda measure: sign * dial.base.mean_scores(measure.of).mean(), default=None)

    @property
    def basis(self) -> str:
        """Who played and how often."""
        design = self.dial.base.design
        opening = (
            f"The game has no dice, so every block starts with {design.opening} random moves."
            if design.opening
            else "All rulesets get the same luck."
        )
        lowest = " The lowest score wins." if design.rules.lowest_wins else ""
        players = join_words([self.names[name] for name in design.labels])
        return (
            f"{players} on all seats in turn, {format_count(len(self.dial.effects), 'ruleset')}, "
            f"{format_count(self.dial.blocks, 'block')} of {format_count(design.rotations, 'game')} under each, seed {design.seed}. "
            f"{opening}{lowest}"
        )


def write_dial_verdict(words: DialWords) -> str:
    """Return one sentence on what the values of a rule change in the score of the strategy that plays best."""
    dial, rule, best = words.dial, words.dial.rules[0], words.best
    others = [effect for place, effect in enumerate(dial.effects) if place != dial.base_place]
    span = _write_span(words, rule)
    if not any(effect.differing_share.estimate for effect in others):
        bound = write_bound(others[0].differing_share, "blocks")
        return f"no game ends differently {span} ({format_count(words.games, 'game')} at each{bound and f'; {bound} would'})"
    if best is None:
        return (
            f"not enough games to say how scores change {span} ({format_count(words.games, 'game')} at each)"
        )
    sentence = _write_score(words, best)
    if not any(effect.moved_share.estimate for effect in others):
        return f"{sentence}; {ONLY_COUNTED}"
    return sentence


def _write_span(words: DialWords, rule: VariedRule) -> str:
    """Return from where to where a rule is turned."""
    if rule.is_number:
        return f"with {words.rule(rule)} from {rule.values[0]} to {rule.values[-1]}"
    others = [rule.name_value(value) for value in rule.values if value != rule.base_value]
    return f"with {words.rule(rule)} {' or '.join(others)} instead of {rule.name_value(rule.base_value)}"


def _write_score(words: DialWords, measure: DialMeasure) -> str:
    """Return how a score follows a rule: by its slope if it has one, or else by the value that changes it most."""
    dial, rule, who = words.dial, words.dial.rules[0], words.who(measure)
    if dial.is_equal_within(measure, EQUAL_POINTS):
        return f"the score of {who} is equal within {EQUAL_POINTS} points {_write_span(words, rule)}"
    if (slope := dial.find_slope(measure)) and any(dial.list_clear(measure)):
        step = words.step(rule)
        if slope.right is None:
            if split_sign(slope.left)[0]:
                return f"{step} {_write_step(slope.left, who)}"
        else:
            sign, (later_sign, later) = split_sign(slope.left)[0], split_sign(slope.right)
            rest = f"it {_write_step(slope.right, who)}"
            if sign == later_sign != 0:
                rest = f"{later.estimate} ({later.low} to {later.high})"
            return f"up to {slope.kink}, {step} {_write_step(slope.left, who)}; from {slope.kink} on, {rest}"
    place = _find_clearest(dial, measure)
    if place is None:
        return f"the score of {who} does not clearly change {_write_span(words, rule)}"
    difference = dial.list_changes(measure)[place].difference
    return f"with {words.setting(place)}, {write_score_change(who, difference)}" if difference else ""


def _write_step(slope: Interval, who: str) -> str:
    """Return what a step costs or brings a player."""
    sign, (points, low, high) = split_sign(slope)
    if not sign:
        return f"does not clearly change the score of {who} ({low} to {high} points)"
    verb = "brings" if sign > 0 else "costs"
    return f"{verb} {who} {name_amount(points)} ({name_ends(slope, f'{low} to {high}')})"


def _find_clearest(dial: RulesDial, measure: DialMeasure) -> int | None:
    """Return the combination that changes a number most, of those that change it clearly; None without one."""
    changes, clear = dial.list_changes(measure), dial.list_clear(measure)
    sizes = {
        place: abs(change.difference.estimate)
        for place, (change, is_clear) in enumerate(zip(changes, clear, strict=True))
        if is_clear and change.difference
    }
    return max(sizes, key=sizes.__getitem__, default=None)


def _list_judgements(words: DialWords) -> Iterator[str]:
    """Yield which values meet the target of the question, if it has one."""
    target, dial = words.answer.target, words.dial
    if target is None:
        return
    judgements = dial.judge_target(target)
    names = [
        dial.rules[0].name_value(setting[0]) if len(dial.rules) == 1 else words.setting(place)
        for place, setting in enumerate(dial.settings)
    ]
    texts = []
    for judgement in JUDGEMENTS:
        values = [name for name, judged in zip(names, judgements, strict=True) if judged == judgement]
        if values or judgement == "surely":
            texts.append(f"{judgement} at {', '.join(values) or 'no value'}")
    unit = " of 100 games" if target.measure.is_share else ""
    yield f"the target, {_write_target(words)}{unit}: {'; '.join(texts)}"


def _write_target(words: DialWords) -> str:
    target = words.answer.target
    if target is None:
        return ""
    verbs = {"score": "scores", "wins": "wins", "player wins": "wins"}
    subject = f"{words.who(target.measure)} {verbs.get(target.measure.kind, target.measure.kind)}".strip()
    return f"{subject} {target.low:g} to {target.high:g}"


def _list_dial_consequences(words: DialWords) -> Iterator[str]:
    """Yield what else the values of a rule change: other scores, moves, wins, who is ahead, the length, and player 1."""
    dial, best = words.dial, words.best
    if best is None or not any(effect.differing_share.estimate for effect in dial.effects):
        return
    for measure in dial.measures:
        if measure.kind == "score" and measure != best and dial.has_enough_blocks(measure):
            yield _write_score(words, measure)
    yield from _write_moves(words)
    yield from _write_orders(words)
    unclear = []
    for measure in dial.main_measures:
        if not measure.is_share or measure.of not in {best.of, "0"}:
            continue
        place = _find_clearest(dial, measure)
        difference = dial.list_changes(measure)[place].difference if place is not None else None
        if place is not None and difference:
            yield f"with {words.setting(place)}, {write_win_change(words.who(measure), difference)}"
        else:
            unclear.append(words.who(measure))
    if unclear:
        yield f"how often {' or '.join(unclear)} wins does not clearly change"
    place = _find_clearest(dial, DialMeasure("rounds"))
    length = dial.list_changes(DialMeasure("rounds"))[place].difference if place is not None else None
    if length:
        yield f"with {words.setting(place or 0)}, {write_length_change(length)}"
    elif any((effect.a.rounds != effect.b.rounds).any() for effect in dial.effects):
        yield "the length of games does not clearly change"


def _write_moves(words: DialWords) -> Iterator[str]:
    """Yield in how many games a move changed, at the value that changes most of them."""
    effects = words.dial.effects
    place = max(range(len(effects)), key=lambda number: effects[number].moved_share.estimate)
    if effects[place].first_change is not None:
        yield f"with {words.setting(place)}, {write_changed_moves(effects[place])}"


def _write_orders(words: DialWords) -> Iterator[str]:
    """Yield whether the same strategy is ahead at all values, of each two."""
    dial, names = words.dial, words.names
    for number, base_order in enumerate(dial.effects[dial.base_place].orders):
        if base_order.a is None or base_order.order == "undecided":
            continue
        pair = (base_order.first, base_order.second)
        ahead, behind = pair if base_order.a.estimate > 0 else pair[::-1]
        changes = [effect.orders[number].order for effect in dial.effects]
        reversed_at = [words.setting(place) for place, change in enumerate(changes) if change == "reversed"]
        if reversed_at:
            yield f"{names[behind]} is ahead of {names[ahead]} in points with {' or '.join(reversed_at)}"
        elif {*changes} == {"same"}:
            yield f"{names[ahead]} is ahead of {names[behind]} in points at every value"


def _list_dial_parts(words: DialWords, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    dial = words.dial
    count = format_count(dial.blocks, "block")
    of_target = words.answer.target.measure if words.answer.target else None
    length = of_target if of_target and of_target.kind == "moves" else DialMeasure("rounds")
    seat = of_target if of_target and of_target.kind == "player wins" else DialMeasure("player wins", "0")
    scores, wins = (
        [measure for measure in dial.main_measures if measure.kind == kind] for kind in ("score", "wins")
    )
    for key, title, upright, measures in (
        ("scores", "Scores", "mean score in points", scores),
        ("wins", "Wins", "wins of 100 games", wins),
        ("lengths", "Length", f"{length.kind} of a game", [length]),
        ("seats", f"The seat of {words.who(seat)}", f"wins of {words.who(seat)}, of 100 games", [seat]),
    ):
        if measures:
            chart = _draw_values(words, looks, title, upright, measures)
            yield Part(key, chart, caption=f"Means with their 95 % intervals; {count} at each value.")
    yield Part("values", _tabulate_values(words), "beside")
    yield Part("differences", _tabulate_differences(words), "details")
    if orders := _tabulate_leads(words):
        yield Part("orders", orders, "details")


def _draw_values(
    words: DialWords,
    looks: Mapping[str, SeriesLook],
    title: str,
    upright: str,
    measures: Sequence[DialMeasure],
) -> Chart:
    """Return a number over the values of a rule: a line with a band over numbers, marks over words."""
    dial, rule, target = words.dial, words.dial.rules[0], words.answer.target
    shaded = (target.low, target.high) if target and target.measure in measures else None
    estimates = [
        Estimate(
            value
            if isinstance(value, int)
            else f"{rule.name_value(value)}{' (now)' if value == rule.base_value else ''}",
            "",
            words.who(measure) if len(measures) > 1 else "",
            change.b.times(measure.scale),
            dial.blocks,
            looks.get(measure.of, CHOSEN_LOOK),
        )
        for measure in measures
        for value, change in zip(rule.values, dial.list_changes(measure), strict=True)
        if change.b
    ]
    across = words.rule(rule)
    if not isinstance(rule.base_value, int):
        return Columns(estimates, across, upright, title, "block", shaded=shaded)
    mark = Mark(rule.base_value, "now")
    return Lines(estimates, across, upright, title, "block", has_points=True, place_mark=mark, shaded=shaded)


def _tabulate_values(words: DialWords) -> Table:
    """Return a row for each combination with what the picture shows, and in how many games a move changed."""
    dial = words.dial
    columns: dict[str, Sequence[str | None]] = {
        words.rule(rule): [
            f"{rule.name_value(setting[number])}{' (now)' if setting[number] == rule.base_value else ''}"
            for setting in dial.settings
        ]
        for number, rule in enumerate(dial.rules)
    }
    for measure in dial.main_measures:
        intervals = [change.b for change in dial.list_changes(measure)]
        columns[words.measure(measure)] = format_intervals(intervals, scale=measure.scale)
    columns["games with another move"] = [
        None if place == dial.base_place else format_interval(effect.moved_share, scale=100)
        for place, effect in enumerate(dial.effects)
    ]
    if target := words.answer.target:
        columns[_write_target(words)] = [judgement or None for judgement in dial.judge_target(target)]
    return Table(
        "Every value" if len(dial.rules) == 1 else "Every combination",
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        f"Means with their 95 % intervals from {format_count(dial.blocks, 'block')} of "
        f"{format_count(dial.base.design.rotations, 'game')} each; wins and games with another move are numbers of 100 games. A move is "
        "another one if the game differs from that of the ruleset itself with the same luck.",
    )


def _tabulate_differences(words: DialWords) -> Table:
    """Return the differences from the ruleset itself, a row for each number and each other value."""
    dial = words.dial
    rows = []
    for measure in dial.measures:
        changes, clear, scale = dial.list_changes(measure), dial.list_clear(measure), measure.scale
        texts = format_intervals([change.difference for change in changes], scale=scale, signed=True)
        for place, setting in enumerate(dial.settings):
            if place != dial.base_place:
                value = words.name_values(setting)
                rows.append((words.measure(measure), value, texts[place], "yes" if clear[place] else "no"))
    base = words.name_values([rule.base_value for rule in dial.rules])
    return Table(
        f"The differences from {words.rule(dial.rules[0])} {base}",
        ("of what", "value", "difference", "clear"),
        tuple(rows),
        f"With the same luck; 95 % intervals from {format_count(dial.blocks, 'block')}; wins are numbers of 100 games, the edge of a player is "
        "the score minus the mean score of the game. A difference is clear if it is significant among all values of its number (Holm).",
    )


def _tabulate_leads(words: DialWords) -> Table | None:
    """Return the lead of each strategy over each other one at each value; None with one strategy."""
    dial, names = words.dial, words.names
    if len(names) < 2:
        return None
    rows = []
    for number in range(len(dial.effects[0].orders)):
        orders = [effect.orders[number] for effect in dial.effects]
        leads = format_intervals([order.b for order in orders], signed=True)
        changes = format_intervals([order.difference for order in orders], signed=True)
        for place, (setting, order) in enumerate(zip(dial.settings, orders, strict=True)):
            change = None if place == dial.base_place else changes[place]
            rows.append(
                (
                    f"{names[order.first]} of {names[order.second]}",
                    words.name_values(setting),
                    leads[place],
                    change,
                )
            )
    fewer = " (fewer points are ahead)" if dial.base.design.rules.lowest_wins else ""
    return Table(
        "Who is ahead",
        ("ahead", words.rule(dial.rules[0]), "lead", "change"),
        tuple(rows),
        f"The lead of the first strategy over the second, in points{fewer}, from {format_count(dial.blocks, 'block')}.",
    )


def write_rules_verdict(words: DialWords) -> str:
    """Return one sentence on the rule that changes the score of the strategy that plays best most."""
    dial, best = words.dial, words.best
    count = f"{format_count(words.games, 'game')} under each of {len(dial.effects)} rulesets"
    if best is None:
        return f"not enough games to say how scores change ({count})"
    change = max(
        (change for change in dial.rule_changes if change.is_clear and change.measure == best),
        key=_size_of,
        default=None,
    )
    if change is None or change.interval is None:
        return f"no rule clearly changes the score of {words.who(best)} ({count})"
    return f"with {_name_change(words, change)}, {write_score_change(words.who(best), change.interval, f'; {count}')}"


def _list_rules_consequences(words: DialWords) -> Iterator[str]:
    """Yield what changes wins, length and player 1 most, the rules that change nothing, and the pairs that do together."""
    dial = words.dial
    for measure in dial.main_measures:
        clear = [change for change in dial.rule_changes if change.measure == measure and change.is_clear]
        change = max(clear, key=_size_of, default=None)
        if measure.kind == "score" or (
            measure.kind == "wins" and (words.best is None or measure.of != words.best.of)
        ):
            continue
        if change is None or change.interval is None:
            yield f"no rule clearly changes the {words.measure(measure)}"
        elif measure.kind == "rounds":
            yield f"with {_name_change(words, change)}, {write_length_change(change.interval)}"
        else:
            yield f"with {_name_change(words, change)}, {write_win_change(words.who(measure), change.interval)}"
    idle = [
        words.rule(rule)
        for rule in dial.rules
        if not any(
            change.is_clear and rule in change.rules for change in (*dial.rule_changes, *dial.pair_changes)
        )
    ]
    if idle:
        yield f"{join_words(idle)} clearly {'changes' if len(idle) == 1 else 'change'} none of these numbers"
    pairs = [change for change in dial.pair_changes if change.is_clear]
    names = dict.fromkeys(" and ".join(map(words.rule, change.rules)) for change in pairs)
    if names:
        yield f"what two rules change together is not the sum of both for {'; '.join(names)}"
    else:
        yield "no two rules clearly change more or less together than the sum of both"


def _list_rules_parts(words: DialWords, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    dial = words.dial
    count = format_count(dial.blocks, "block")
    best = words.best or DialMeasure("score", dial.strategies[0])
    scores = [measure for measure in dial.main_measures if measure.kind == "score"]
    wins = [measure for measure in dial.main_measures if measure == DialMeasure("wins", best.of)]
    seat = DialMeasure("player wins", "0")
    for key, title, axis, measures in (
        ("scores", "What changes scores", "change in points", scores),
        ("wins", f"What changes wins of {words.who(best)}", "change in wins of 100 games", wins),
        ("lengths", "What changes the length", "change in rounds", [DialMeasure("rounds")]),
        ("seats", "What changes the seat of player 1", "change in wins of 100 games", [seat]),
    ):
        if measures:
            estimates = _list_tornado(words, looks, measures)
            chart = Intervals(estimates, axis, title, mark=Mark(0), has_legend=len(measures) > 1)
            caption = f"Each rule at its other value, a mean over all values of the other rules; 95 % intervals, {count}."
            yield Part(key, chart, caption=caption)
    yield Part("effects", _tabulate_rule_changes(words, "Every rule", dial.rule_changes), "beside")
    yield Part("pairs", _tabulate_rule_changes(words, "Every two rules", dial.pair_changes), "details")
    yield Part("values", _tabulate_values(words), "details")


def _list_tornado(
    words: DialWords, looks: Mapping[str, SeriesLook], measures: Sequence[DialMeasure]
) -> list[Estimate]:
    """Return the effects of all rules on some numbers, the largest one first."""
    changes = [change for change in words.dial.rule_changes if change.measure in measures and change.interval]
    sizes: dict[str, float] = {}
    for change in changes:
        name = _name_change(words, change)
        sizes[name] = max(sizes.get(name, 0.0), _size_of(change))
    ordered = sorted(changes, key=lambda change: -sizes[_name_change(words, change)])
    return [
        Estimate(
            _name_change(words, change),
            "",
            words.who(change.measure) if len(measures) > 1 else "",
            change.interval.times(change.measure.scale),
            words.dial.blocks,
            looks.get(change.measure.of, CHOSEN_LOOK),
        )
        for change in ordered
        if change.interval
    ]


def _tabulate_rule_changes(words: DialWords, title: str, changes: Sequence[RuleChange]) -> Table:
    """Return a row for each rule or pair, with what it changes in each number; clear changes have a star."""
    rows: dict[str, list[str]] = {}
    for measure in words.dial.main_measures:
        of_measure = [change for change in changes if change.measure == measure]
        texts = format_intervals([change.interval for change in of_measure], scale=measure.scale, signed=True)
        for change, text in zip(of_measure, texts, strict=True):
            rows.setdefault(_name_change(words, change), []).append(
                f"{text}{' *' if change.is_clear else ''}"
            )
    is_pair = bool(changes) and len(changes[0].rules) > 1
    subject = "What both change beyond the sum of both" if is_pair else "What a rule changes"
    return Table(
        title,
        ("rule", *(words.measure(measure) for measure in words.dial.main_measures)),
        tuple((name, *texts) for name, texts in rows.items()),
        f"{subject}, a mean over all values of the other rules; wins are numbers of 100 games; 95 % intervals from {format_count(words.dial.blocks, 'block')}. A star "
        f"marks what is significant among all {len(changes)} numbers of this table (Holm).",
    )


def _name_change(words: DialWords, change: RuleChange) -> str:
    return join_words(
        [words.change(rule, value) for rule, value in zip(change.rules, change.values, strict=True)]
    )


def _size_of(change: RuleChange) -> float:
    return abs(change.interval.estimate) if change.interval else 0.0
