"""What the effect of rules looks like: the sheet of one rule at several values, and that of several rules in all combinations.

Sentences begin with a name or a small letter and have no full stop. None claims more than its interval, which counts blocks; sentences,
pictures and tables of changes have the same intervals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from engine.strategies import reads_rule
from engine.wording import capitalise, name_amount
from pipelines.design.rule_values import MAX_VARIED_RULESETS, WHOLE_RULESET, RuleValue, list_rule_ranges
from pipelines.experiments.rule_effect import ROUNDS, RuleChange, RuleMeasure, excludes_zero
from pipelines.report.charts import Columns, Estimate, Intervals, Lines, Mark
from pipelines.report.estimates import (
    format_intervals,
    name_ends,
    write_bound,
    write_interim,
    write_percent,
    write_score_change,
)
from pipelines.report.rule_differences import draw_differences, explain_differences, tabulate_differences
from pipelines.report.rule_words import RuleWords
from pipelines.report.ruleset_words import find_choice, list_differences, name_rule, name_rule_step
from pipelines.report.sheet import Fact, FindLooks, Part, Role, Sheet
from pipelines.report.table import Table
from pipelines.report.wording import format_count, join_words
from pipelines.statistics.rounding import set_minus_signs, split_sign
from pipelines.viewer.palette import CHOSEN_LOOK, SeriesLook

if TYPE_CHECKING:
    from pipelines.questions.rule_effect import RuleEffectAnswer
    from pipelines.statistics.intervals import Interval

EQUAL_POINTS: Final = 0.5
"""Scores that differ by less are called equal."""
MAX_FINDINGS: Final = 3
"""Sentences below the first one; the pictures and tables show the rest."""
MAX_NAMED_SETTINGS: Final = 4
"""Combinations of several rules that a sentence names."""
JUDGEMENTS: Final = ("surely", "perhaps", "surely not")
NOT_FINISHED: Final = (
    "The intervals are valid for the number of blocks that were asked for. If you stop earlier because the result looks good, more "
    "than 5 of 100 such answers are wrong."
)
ONLY_COUNTED: Final = "nobody changed a move: only the count differs"


def compose_rule_effect(answer: RuleEffectAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of the effect of rules, also of one whose games are still played."""
    words, effect = RuleWords(answer), answer.effect
    named_results = effect.results if words.is_of_rulesets else [effect.base]
    verdict, *findings = (
        words.name_base_once([*_list_judgements(words), _write_verdict(words), *_list_findings(words)])
        if answer.is_finished
        else [write_interim(effect.blocks, answer.question.blocks, _write_means(words))]
    )
    return Sheet(
        kind="effect of a rule",
        title=words.title,
        verdict=verdict,
        consequences=tuple(findings[:MAX_FINDINGS]),
        basis=" ".join((*_list_basis(words), *(() if answer.is_finished else (NOT_FINISHED,)))),
        parts=tuple(_list_parts(words, find_looks(effect.strategies))),
        facts=(
            *(
                Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}")
                for ruleset in (results.design.rules for results in named_results)
            ),
            Fact("Values", "; ".join(map(str, effect.rules))),
            Fact("Seed", str(answer.question.seed)),
        ),
        commands=(answer.question.command,),
        fields={
            **effect.as_json(answer.target if answer.is_finished else None),
            "is_finished": answer.is_finished,
        },
    )


def _list_basis(words: RuleWords) -> Iterator[str]:
    """Yield who played and how often, what was tried, and what the intervals are."""
    effect, design = words.effect, words.effect.base.design
    players = join_words([words.names[name] for name in design.labels])
    yield (
        f"{players} on all seats in turn, {format_count(len(effect.results), 'ruleset')}, "
        f"{format_count(effect.blocks, 'block')} of {format_count(design.rotations, 'game')} under each, seed {design.seed}."
    )
    if design.opening:
        yield f"The game has no dice, so every block starts with {design.opening} random moves."
    else:
        yield "All rulesets get the same luck."
    if design.rules.lowest_wins:
        yield "The lowest score wins."
    yield from _list_blind_players(words)
    if not words.is_of_one_rule:
        tried = [words.change(rule, value) for rule in effect.rules for value in rule.values[1:]]
        yield f"Tried in all combinations: {'; '.join(tried)}."
        if others := _list_other_rules(words):
            yield f"Not tried: other {join_words(others)}."
        count = len(effect.rule_changes)
        yield f"Ranges in brackets are 95 % intervals that hold for all {count} changes of rules at once."
    else:
        yield "Ranges in brackets are 95 % intervals; those of differences hold for all values at once."


def _write_untried_words(words: RuleWords) -> str:
    """Return which words of options have no combination, and whether all would be too many; empty if all were tried."""
    turned, untried, count = {rule.key: rule for rule in words.effect.rules}, [], 1
    for option in list_rule_ranges(words.base):
        if rule := turned.get(option.key):
            others = [word for word in option.choices if word not in rule.values]
            untried += [find_choice(words.base.game, option.key, word) or word for word in others]
            count *= len(rule.values) + len(others)
    why = (
        f", as all words make {count} rulesets, more than {MAX_VARIED_RULESETS}"
        if count > MAX_VARIED_RULESETS
        else ""
    )
    return f" Not tried: {join_words(untried)}{why}." if untried else ""


def _list_other_rules(words: RuleWords) -> list[str]:
    """Return which other options, and which tables, have one value in all combinations."""
    document, heads = words.base.document, {rule.key.partition(".")[0] for rule in words.effect.rules}
    return [
        name_rule(words.base.game, key)
        for key in (*document["options"], *document["tables"])
        if key not in heads
    ]


def _list_blind_players(words: RuleWords) -> Iterator[str]:
    """Yield which strategies do not read some of the rules: they play the same moves at every value.

    A rule that decides which moves there are is read by all.
    """
    design, keys = words.effect.base.design, [rule.key for rule in words.effect.rules]
    if WHOLE_RULESET in keys:
        others = [results.design.rules.document for results in words.effect.results]
        keys = [
            key
            for part in ("options", "tables")
            for key, value in words.base.document[part].items()
            if any(value != other[part].get(key) for other in others)
        ]
    for player in {player.name: player for player in design.players}.values():
        rules = [
            name_rule(words.base.game, key)
            for key in keys
            if reads_rule(design.game, player.strategy, key) is False
        ]
        if rules:
            who = capitalise(words.names[player.name])
            yield f"{who} does not read {join_words(rules)}: its choices take no account of it."


def _write_verdict(words: RuleWords) -> str:
    """Return one sentence on what rules change in the score of the strategy that plays best."""
    effect, best = words.effect, words.best
    if not effect.changes_games:
        bound = write_bound(effect.bound_changed_blocks(), "blocks")
        return f"no game ends differently {_write_span(words)} ({words.games}; {bound} would)"
    if best is None or effect.blocks < 2:
        return f"not enough games to say how scores change {_write_span(words)} ({words.games})"
    sentence = "".join(_write_score(words, best, f"; {words.games}"))
    is_only_counted = all(results.median_change is None for results in effect.results)
    return f"{sentence}; {ONLY_COUNTED}" if is_only_counted else sentence


def _write_means(words: RuleWords) -> str:
    """Return the mean score of the strategy that plays best: at all values of the only rule, or under the ruleset itself."""
    effect, rule = words.effect, words.effect.rules[0]
    measure = words.best or effect.measures[0]
    means = [set_minus_signs(f"{results.mean_scores(measure.of).mean():.1f}") for results in effect.results]
    start = f"{words.who(measure)} scores {{}} points on average with {{}}"
    if words.is_of_one_rule and rule.is_number:
        first = start.format(means[0], f"{words.rule(rule)} {rule.values[0]}")
        others = [f"{mean} with {value}" for mean, value in zip(means[1:], rule.values[1:], strict=True)]
        return ", ".join((first, *others))
    now = start.format(means[effect.base_place], "the rules as they are")
    if not words.is_of_one_rule:
        return now
    conditions = [
        f"{mean} {words.condition([(rule, value)])}"
        for mean, value in zip(means, rule.values, strict=True)
        if value != rule.base_value
    ]
    return ", ".join((now, *conditions))


def _write_span(words: RuleWords) -> str:
    """Return from where to where rules are turned."""
    rule = words.effect.rules[0]
    if not words.is_of_one_rule:
        return f"with any of {len(words.effect.rules)} rules"
    if rule.is_number:
        return f"with {words.rule(rule)} from {rule.values[0]} to {rule.values[-1]}"
    return " or ".join(words.condition([(rule, value)]) for value in rule.values if value != rule.base_value)


def _write_score(words: RuleWords, measure: RuleMeasure, more: str = "") -> tuple[str, str]:
    """Return the opening and the rest of a sentence on how a score follows a rule: by its slope if it has one, or else by the change that is largest.

    Without `more`, which stands behind a single interval, the sentence follows another one, which says what is compared.
    """
    effect, rule, who = words.effect, words.effect.rules[0], words.who(measure)
    span = f" {_write_span(words)}" if more else ""
    if words.is_of_one_rule and effect.is_equal_within(measure, EQUAL_POINTS):
        return "", f"the score of {who} is equal within {EQUAL_POINTS} points{span}"
    changes = effect.list_rule_changes(measure)
    largest = _find_largest(changes)
    slope = effect.find_slope(measure) if largest else None
    if slope and slope.right:
        sign, (later_sign, later) = split_sign(slope.left)[0], split_sign(slope.right)
        step, rest = name_rule_step(words.base.game, rule.key), f"it {_write_step(slope.right, who)}"
        if sign == later_sign != 0:
            rest = f"{later.estimate} ({later.low} to {later.high})"
        return (
            "",
            f"up to {slope.kink}, {step} {_write_step(slope.left, who, more)}; from {slope.kink} on, {rest}",
        )
    if slope and excludes_zero(slope.left):
        return "", f"{name_rule_step(words.base.game, rule.key)} {_write_step(slope.left, who, more)}"
    change = largest or (changes[0] if len(changes) == 1 else None)
    if change is None or change.interval is None:
        return "", f"the score of {who} does not clearly change{span}"
    opening = words.opening(change, is_first=bool(more))
    return opening, write_score_change(who, change.interval, more)


def _write_step(slope: Interval, who: str, more: str = "") -> str:
    """Return what a step costs or brings a player; `more` stands behind a clear interval in the brackets."""
    sign, (points, low, high) = split_sign(slope)
    if not sign:
        return f"does not clearly change the score of {who} ({low} to {high} points)"
    verb = "brings" if sign > 0 else "costs"
    return f"{verb} {who} {name_amount(points)} on average ({name_ends(slope, f'{low} to {high}')}{more})"


def _find_largest(changes: Sequence[RuleChange]) -> RuleChange | None:
    """Return the largest clear change; None without one."""
    clear = [change for change in changes if change.is_clear]
    return max(clear, key=_size_of, default=None)


def _size_of(change: RuleChange) -> float:
    return abs(change.interval.estimate) if change.interval else 0.0


def _list_findings(words: RuleWords) -> Iterator[str]:
    """Yield what else rules change, the most important first, several numbers in a sentence."""
    effect, best = words.effect, words.best
    if best is None or not effect.changes_games:
        return
    sizes = dict.fromkeys("{} x {}".format(*results.design.rules.board_size) for results in effect.results)
    if words.is_of_rulesets and len(sizes) > 1:
        yield f"this is another game and not one rule: the boards have {' and '.join(sizes)} squares"
    if words.is_of_one_rule:
        others = [measure for measure in effect.measures if measure.kind == "score" and measure != best]
        scores = [_write_score(words, measure) for measure in others if effect.has_enough_blocks(measure)]
        findings = [
            [*scores, *_list_orders(words)],
            _list_changes(words, words.wins),
            [*_list_changes(words, [ROUNDS]), *_list_moves(words)],
        ]
    else:
        findings = [
            _list_changes(words, words.wins),
            _list_changes(words, [ROUNDS]),
            _list_idle_rules(words),
        ]
    yield from map(_join_sentences, filter(None, findings))


def _join_sentences(sentences: Sequence[tuple[str, str]]) -> str:
    """Return sentences as one, each with its opening; one that follows another with the same opening has none."""
    openings = ["", *(opening for opening, _ in sentences)]
    return "; ".join(
        text if opening == before else f"{opening}{text}"
        for before, (opening, text) in zip(openings, sentences, strict=False)
    )


def _list_changes(words: RuleWords, measures: Sequence[RuleMeasure]) -> list[tuple[str, str]]:
    """Return the largest clear change of each number, and which numbers do not clearly change."""
    sentences, unclear = [], []
    for measure in measures:
        changes = words.effect.list_rule_changes(measure)
        largest = _find_largest(changes)
        if largest and largest.interval:
            sentences.append((words.opening(largest), words.write_change(measure, largest.interval)))
        elif len(changes) == 1 and measure.is_share and changes[0].interval:
            sentences.append(("", words.write_change(measure, changes[0].interval)))
        else:
            unclear.append("the length of games" if measure == ROUNDS else f"the {words.measure(measure)}")
    if unclear:
        verb = "do" if measures[0].is_share else "does"
        sentences.append(("", f"{join_words(unclear)} {verb} not clearly change"))
    return sentences


def _list_idle_rules(words: RuleWords) -> list[tuple[str, str]]:
    """Return which rules change nothing, and which two change more or less together than the sum of both."""
    effect = words.effect
    changes = (*effect.rule_changes, *effect.pair_changes)
    clear = [change for change in changes if change.is_clear]
    idle = [
        words.rule(rule)
        for rule in effect.rules
        if all(change.interval and not change.is_clear for change in changes if rule in change.rules)
    ]
    pairs = [change for change in clear if len(change.rules) > 1]
    first_by_name = {" and ".join(map(words.rule, change.rules)): change for change in reversed(pairs)}
    sentences = [f"turning {' or '.join(idle)} clearly changes none of these numbers"] if idle else []
    if pairs:
        name, first = next(reversed(first_by_name.items()))
        (text,) = [
            text for change, text in _write_changes(effect.pair_changes, first.measure) if change == first
        ]
        others = format_count(len(first_by_name) - 1, "more pair")
        more = f" (so do {others}: Details)" if len(first_by_name) > 1 else ""
        sentences.append(
            f"{name} together change the {words.measure(first.measure)} by {text} beyond the sum of both{more}"
        )
    return [("", sentence) for sentence in sentences]


def _list_judgements(words: RuleWords) -> Iterator[str]:
    """Yield which values meet the target of the question, if it has one."""
    target, effect = words.answer.target, words.effect
    if target is None:
        return
    judgements = effect.judge_target(target)
    unit = " of 100 games" if target.measure.is_share else ""
    subject = f"the target, {_write_target(words)}{unit}"
    if {*judgements} in ({"surely"}, {"surely not"}):
        result = "met" if "surely" in judgements else "missed"
        yield f"{subject}, is surely {result} at every {'value' if words.is_of_one_rule else 'combination'}"
        return
    texts: list[str] = []
    for judgement in JUDGEMENTS:
        names = [
            words.name_setting(setting)
            for setting, judged in zip(effect.settings, judgements, strict=True)
            if judged == judgement
        ]
        if names:
            listed = ", ".join(names)
            is_short = len(names) <= MAX_NAMED_SETTINGS or words.is_of_one_rule
            rule = (
                f"{words.rule(effect.rules[0])} "
                if words.is_of_one_rule and effect.rules[0].is_number and not texts
                else ""
            )
            texts.append(f"{judgement} at {rule}{listed if is_short else f'{len(names)} combinations'}")
    yield f"{subject}, is met {'; '.join(texts)}"


def _write_target(words: RuleWords) -> str:
    target = words.answer.target
    if target is None:
        return ""
    verbs = {"score": "scores", "wins": "wins", "player wins": "wins"}
    subject = f"{words.who(target.measure)} {verbs.get(target.measure.kind, target.measure.kind)}".strip()
    return f"{subject} {target.low:g} to {target.high:g}"


def _list_moves(words: RuleWords) -> Iterator[tuple[str, str]]:
    """Yield in how many games a move changed, at the value of the only rule that changes most of them."""
    effect, rule = words.effect, words.effect.rules[0]
    place = max(range(len(effect.results)), key=lambda number: effect.moved_share(number).estimate)
    median = effect.results[place].median_change
    if place != effect.base_place and median is not None:
        condition = words.condition([(rule, rule.values[place])])
        share = write_percent(effect.moved_share(place))
        yield (
            f"{condition}, " if len(effect.results) > 2 else "",
            f"somebody changed a move in {share} of the games, in half of these by move {int(median) + 1}",
        )


def _list_orders(words: RuleWords) -> Iterator[tuple[str, str]]:
    """Yield whether the same strategy is ahead at all values of the only rule, of each two."""
    effect, rule = words.effect, words.effect.rules[0]
    for measure in effect.measures:
        if measure.kind != "lead":
            continue
        leaders = [effect.find_leader(measure, place) for place in range(len(effect.results))]
        sign, names = leaders[effect.base_place], [words.names[measure.of], words.names[measure.over]]
        ahead, behind = names if sign > 0 else names[::-1]
        reversed_at = [
            words.condition([(rule, value)])
            for value, leader in zip(rule.values, leaders, strict=True)
            if leader == -sign != 0
        ]
        if reversed_at:
            yield "", f"{behind} is ahead of {ahead} in points {' or '.join(reversed_at)}"
        elif sign and {*leaders} == {sign}:
            both = "under both" if words.is_of_rulesets and len(leaders) == 2 else "at every value"
            yield "", f"{ahead} is ahead of {behind} in points {both}"


def _list_parts(words: RuleWords, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    effect, target = words.effect, words.answer.target
    if words.is_of_rulesets:
        yield Part(
            "differences",
            draw_differences(words),
            caption=explain_differences(words),
            numbers=tabulate_differences(words),
        )
    untried = "" if words.is_of_one_rule else _write_untried_words(words)
    for key, measures in _list_pictures(words).items():
        if measures and (chart := _draw_measures(words, looks, measures)).estimates:
            shaded = None if isinstance(chart, Intervals) else chart.shaded
            band = f"Grey band: the target, {shaded[0]:g} to {shaded[1]:g}. " if shaded else ""
            role: Role = "details" if words.is_of_rulesets and not shaded else "main"
            yield Part(key, chart, role, f"{band}{_write_caption(words)}.{untried}")
            untried = ""
    if words.is_of_rulesets:
        yield Part(
            "rulesets", list_differences(words.base, [results.design.rules for results in effect.results[1:]])
        )
    if words.is_of_one_rule:
        yield Part("values", _tabulate_values(words), "beside")
        if not words.is_of_rulesets:
            yield Part("differences", tabulate_differences(words), "details")
    else:
        yield Part("effects", _tabulate_rule_changes(words, "Every rule", effect.rule_changes), "beside")
        yield Part("pairs", _tabulate_rule_changes(words, "Every two rules", effect.pair_changes), "details")
        yield Part("values", _tabulate_values(words), "beside" if target else "details")


def _list_pictures(words: RuleWords) -> dict[str, list[RuleMeasure]]:
    """Return what each picture shows: scores, wins, the length and a seat; those of the target, which come first, if it is about these."""
    of_target = words.answer.target.measure if words.answer.target else ROUNDS
    main = words.effect.main_measures
    wins = main if words.is_of_one_rule else words.wins
    pictures = {
        "scores": [measure for measure in main if measure.kind == "score"],
        "wins": [measure for measure in wins if measure.kind == "wins"],
        "lengths": [of_target if of_target.kind == "moves" else ROUNDS],
        "seats": [of_target if of_target.kind == "player wins" else main[-1]],
    }
    first = [key for key, measures in pictures.items() if words.answer.target and of_target in measures]
    return {**{key: pictures[key] for key in first}, **pictures}


def _write_caption(words: RuleWords) -> str:
    count = format_count(words.effect.blocks, "block")
    if words.is_of_one_rule:
        return f"Means with their 95 % intervals; {count} {words.under_each}"
    return f"A mean over all values of the other rules; {_say_joint(words, words.effect.rule_changes)}"


def _say_joint(words: RuleWords, changes: Sequence[RuleChange]) -> str:
    """Return what the intervals of changes are."""
    count = format_count(words.effect.blocks, "block")
    return f"95 % intervals from {count} that hold for all {len(changes)} changes at once"


def _draw_measures(
    words: RuleWords, looks: Mapping[str, SeriesLook], measures: Sequence[RuleMeasure]
) -> Columns | Intervals | Lines:
    """Return the picture of some numbers of one kind: their means over the values of one rule, or what several rules change."""
    who, kind = words.who(measures[0]), measures[0].kind
    titles = {"score": "Scores", "wins": f"Wins{f' of {who}' if len(measures) == 1 else ''}"}
    title = titles.get(kind, "Length" if kind in {"rounds", "moves"} else f"Wins of {who}")
    unit = "points" if kind == "score" else "wins of 100 games" if measures[0].is_share else kind
    if words.is_of_one_rule:
        return _draw_values(
            words, looks, title, f"mean score in {unit}" if kind == "score" else unit, measures
        )
    estimates = [
        Estimate(
            words.name_change(change),
            words.who(change.measure) if len(measures) > 1 else "",
            "",
            change.interval.times(change.measure.scale),
            words.effect.blocks,
            looks.get(change.measure.of, CHOSEN_LOOK),
        )
        for change in _sort_changes(
            [change for measure in measures for change in words.effect.list_rule_changes(measure)]
        )
        if change.interval
    ]
    title = f"What changes {title[0].lower()}{title[1:]}"
    return Intervals(estimates, f"change in {unit}", title, mark=Mark(0))


def _sort_changes(changes: Sequence[RuleChange]) -> list[RuleChange]:
    """Return changes by their rules, those of the rule with the largest one first."""
    sizes: dict[tuple[RuleValue, ...], float] = {}
    for change in changes:
        key = (change.rules[0].key, *change.values)
        sizes[key] = max(sizes.get(key, 0.0), _size_of(change))
    return sorted(changes, key=lambda change: -sizes[change.rules[0].key, *change.values])


def _draw_values(
    words: RuleWords,
    looks: Mapping[str, SeriesLook],
    title: str,
    upright: str,
    measures: Sequence[RuleMeasure],
) -> Columns | Lines:
    """Return a number over the values of a rule: a line with a band over numbers, marks over words."""
    effect, rule, target = words.effect, words.effect.rules[0], words.answer.target
    shaded = (target.low, target.high) if target and target.measure in measures else None
    estimates = [
        Estimate(
            value if isinstance(value, int) else words.label(rule, value),
            "",
            words.who(measure) if len(measures) > 1 else "",
            mean.times(measure.scale),
            effect.blocks,
            looks.get(measure.of, CHOSEN_LOOK),
        )
        for measure in measures
        for value, mean in zip(rule.values, effect.list_means(measure), strict=True)
        if mean
    ]
    across = words.rule(rule)
    if not rule.is_number:
        return Columns(estimates, across, upright, title, "block", shaded=shaded)
    mark = Mark(int(rule.base_value), "now")
    return Lines(estimates, across, upright, title, "block", has_points=True, place_mark=mark, shaded=shaded)


def _tabulate_values(words: RuleWords) -> Table:
    """Return a row for each combination with what the picture shows, and in how many games a move changed."""
    effect = words.effect
    columns: dict[str, Sequence[str | None]] = {
        words.rule(rule): [words.label(rule, setting[number]) for setting in effect.settings]
        for number, rule in enumerate(effect.rules)
    }
    for measure in effect.main_measures:
        columns[words.measure(measure)] = format_intervals(effect.list_means(measure), scale=measure.scale)
    shares = [effect.moved_share(place) for place in range(len(effect.results))]
    columns["games with another move"] = [
        None if place == effect.base_place else text
        for place, text in enumerate(format_intervals(shares, scale=100))
    ]
    if target := words.answer.target:
        judgements = effect.judge_target(target)
        columns[_write_target(words)] = [
            (words.answer.is_finished and judgement) or None for judgement in judgements
        ]
    return Table(
        "Every value" if len(effect.rules) == 1 else "Every combination",
        tuple(columns),
        tuple(zip(*columns.values(), strict=True)),
        f"Means with their 95 % intervals from {format_count(effect.blocks, 'block')} of "
        f"{format_count(effect.base.design.rotations, 'game')} each; wins and games with another move are numbers of 100 games. A move is "
        "another one if the game differs from that of the ruleset itself with the same luck."
        + (
            f" The target is judged by wider intervals, which hold for all {len(shares)} means at once."
            if target
            else ""
        ),
    )


def _tabulate_rule_changes(words: RuleWords, title: str, changes: Sequence[RuleChange]) -> Table:
    """Return a row for each rule or pair, with what it changes in each number."""
    rows: dict[str, list[str]] = {}
    for measure in words.effect.main_measures:
        for change, text in _write_changes(changes, measure):
            rows.setdefault(words.name_change(change), []).append(text)
    is_pair = bool(changes) and len(changes[0].rules) > 1
    subject = "What both change beyond the sum of both" if is_pair else "What a rule changes"
    return Table(
        title,
        ("rule", *(words.measure(measure) for measure in words.effect.main_measures)),
        tuple((name, *texts) for name, texts in rows.items()),
        f"{subject}, a mean over all values of the other rules; wins are numbers of 100 games; {_say_joint(words, changes)}: one "
        "without 0 is a clear change.",
    )


def _write_changes(changes: Sequence[RuleChange], measure: RuleMeasure) -> list[tuple[RuleChange, str]]:
    """Return the changes of a measure with their intervals, all with the same decimals."""
    of_measure = [change for change in changes if change.measure == measure]
    texts = format_intervals([change.interval for change in of_measure], scale=measure.scale, signed=True)
    return list(zip(of_measure, texts, strict=True))
