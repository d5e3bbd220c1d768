"""Rules that are turned: contrasts are exact where nothing changes, and hold as often as they say."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.design.rule_values import VariedRule, read_varied_rule, vary_ruleset
from pipelines.experiments.rule_dial import DialMeasure, RulesDial, Target, play_rules_dial
from pipelines.experiments.rule_effect import RulesEffect, RulesetResults, play_rules_effect
from pipelines.statistics import Interval, t_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.ruleset import Ruleset

CATALOGUE = Catalogue()
RULESETS = CATALOGUE.rulesets
GREEDY = DialMeasure("score", "greedy")


def play_dial(name: str, *rules: str, lineup: Sequence[str], blocks: int = 20, seed: int = 3) -> RulesDial:
    ruleset = RULESETS[name]
    varied = [read_varied_rule(rule, ruleset, RULESETS) for rule in rules]
    *_, dial = play_rules_dial(ruleset, varied, RULESETS, lineup, blocks=blocks, seed=seed)
    return dial


def make_dial(
    rules: Sequence[VariedRule],
    make_scores: Callable[[tuple[int, ...], np.random.Generator], object],
    seed: int,
    blocks: int = 60,
) -> RulesDial:
    """Return results that need not be possible: `make_scores` returns the scores of a combination, (blocks, 1, 2)."""
    rng = np.random.default_rng(seed)
    ruleset = RULESETS["bloxx-2p"]
    results = []
    for values in product(*(rule.values for rule in rules)):
        varied = vary_ruleset(
            ruleset, {rule.key: value for rule, value in zip(rules, values, strict=True)}, {}
        )
        design = design_simulation(varied, ["greedy", "greedy"], blocks=blocks, seed=1)
        scores = np.asarray(make_scores(tuple(map(int, values)), rng))
        wins = np.stack([scores[:, :, 0] > scores[:, :, 1], scores[:, :, 0] <= scores[:, :, 1]], axis=2)
        lengths = np.full((blocks, 1), 12)
        results.append(RulesetResults(design, scores, wins.astype(float), lengths, 3 * lengths, lengths))
    base = [*product(*(rule.values for rule in rules))].index(tuple(rule.base_value for rule in rules))
    return RulesDial(
        tuple(rules), tuple(RulesEffect(results[base], other, is_over=True) for other in results)
    )


@pytest.mark.parametrize("name", ["bloxx-2p", "spexxx-2p", "blokus-dice-2p", "blokus-duo"])
def test_the_value_of_the_ruleset_itself_differs_by_exactly_nothing(name: str) -> None:
    rule = {"bloxx-2p": "gap_penalty=0,3", "spexxx-2p": "line_bonus=0", "blokus-dice-2p": "side=8"}.get(
        name, "bonus=0"
    )
    dial = play_dial(name, rule, lineup=["greedy", "random"], blocks=12)
    for measure in dial.measures:
        assert dial.list_changes(measure)[dial.base_place].difference == Interval(0.0, 0.0, 0.0)
        assert not dial.list_clear(measure)[dial.base_place]
    base = dial.effects[dial.base_place]
    assert base.moved_share == Interval(0.0, 0.0, 0.0)
    assert base.first_change is None


def test_each_value_is_what_two_finished_rulesets_are() -> None:
    """A dial with one other value gives the numbers of a comparison of two rulesets."""
    dial = play_dial("bloxx-2p", "contact=rest", lineup=["greedy", "random"])
    drop, rest = (vary_ruleset(RULESETS["bloxx-2p"], {"contact": word}, {}) for word in ("drop", "rest"))
    *_, effect = play_rules_effect(drop, rest, ["greedy", "random"], blocks=20, seed=3)
    assert dial.effects[1].scores == effect.scores
    assert dial.effects[1].moved_share == effect.moved_share
    assert (dial.effects[1].b.first_changes == effect.b.first_changes).all()


def test_the_first_ply_that_differs_is_the_first_one() -> None:
    """The plies before are equal in the logs of both games, and this one is not."""
    from pipelines.experiments.progressive import play_design_blocks

    dial = play_dial("bloxx-2p", "contact=touch", lineup=["greedy", "random"], blocks=6)
    sides = [dial.effects[0].a, dial.effects[1].b]
    logs = [play_design_blocks(side.design, range(6), is_logged=True)["plies"].to_pandas() for side in sides]
    games = [[rows["action"].tolist() for _, rows in log.groupby("game_id")] for log in logs]
    changes = sides[1].first_changes.ravel()
    assert len(changes) == len(games[0]) == 12
    assert (changes >= 0).any()
    for before, after, ply in zip(*games, changes.tolist(), strict=True):
        if ply < 0:
            assert before == after
        else:
            assert before[:ply] == after[:ply]
            assert before[ply : ply + 1] != after[ply : ply + 1]


def test_a_rule_that_nobody_reads_changes_no_move_but_the_count() -> None:
    dial = play_dial("bloxx-2p", "gap_penalty=3", lineup=["random", "random"])
    effect = dial.effects[1]
    assert effect.moved_share.estimate == 0
    assert effect.moved_share.high > 0  # the next game may be another one
    assert effect.first_change is None
    assert (effect.a.rounds == effect.b.rounds).all()
    assert effect.scores[0].difference
    assert effect.scores[0].difference.high < -1


def test_a_slope_is_that_of_least_squares() -> None:
    dial = play_dial("bloxx-2p", "gap_penalty=0..3", lineup=["random", "random"])
    slope = dial.find_slope(DialMeasure("score", "random"))
    values = np.stack([effect.b.mean_scores("random") for effect in dial.effects])
    slopes = np.polyfit([0, 1, 2, 3], values, 1)[0]
    expected = t_interval(slopes)
    assert slope is not None
    assert (slope.kink, slope.right) == (None, None)
    assert expected
    assert slope.left == pytest.approx(expected)


def test_a_kink_is_found_where_it_is_and_none_on_a_line() -> None:
    rule = VariedRule("gap_penalty", (0, 1, 2, 3, 4, 5), 1)

    def scores(bend: float) -> Callable[[tuple[int, ...], np.random.Generator], object]:
        return lambda values, rng: (
            30 - 4 * values[0] + bend * max(0, values[0] - 3) + rng.normal(0, 1, (60, 1, 2))
        )

    bent = make_dial([rule], scores(4), 1).find_slope(GREEDY)
    assert bent is not None
    assert bent.kink == 3
    assert bent.right
    assert bent.left.low < -4 < bent.left.high
    assert bent.right.low < 0 < bent.right.high
    kinks = [make_dial([rule], scores(0), seed).find_slope(GREEDY) for seed in range(40)]
    assert sum(slope is None or slope.kink is not None for slope in kinks) <= 4


def test_words_have_no_slope() -> None:
    dial = play_dial("bloxx-2p", "contact=touch,rest", lineup=["greedy", "random"])
    assert dial.find_slope(GREEDY) is None


def test_effects_and_pairs_are_those_of_the_plan() -> None:
    """The effect of a rule is a mean over the values of the others, and a pair is what goes beyond the sum."""
    rules = [VariedRule("gap_penalty", (1, 2), 1), VariedRule("blank_penalty", (1, 3), 1)]
    means: dict[tuple[int, ...], int] = {(1, 1): 10, (2, 1): 16, (1, 3): 9, (2, 3): 21}
    dial = make_dial(rules, lambda values, rng: means[values] + rng.normal(0, 0.1, (60, 1, 2)), 1)
    found = {(change.rules, change.measure): change for change in (*dial.rule_changes, *dial.pair_changes)}
    for place, expected in enumerate((9.0, 2.0)):
        change = found[(rules[place],), GREEDY]
        assert change.interval
        assert change.interval.estimate == pytest.approx(expected, abs=0.1)
        assert change.is_clear
    pair = found[tuple(rules), GREEDY]
    assert pair.interval
    assert pair.interval.estimate == pytest.approx(6, abs=0.2)
    assert pair.is_clear
    rounds = found[tuple(rules), DialMeasure("rounds")]
    assert not rounds.is_clear


def test_few_blocks_that_differ_show_nothing() -> None:
    rules = [VariedRule("gap_penalty", (1, 2), 1)]

    def scores(values: tuple[int, ...], _: np.random.Generator) -> object:
        found = np.zeros((60, 1, 2))
        found[:5] = values[0] == 2
        return found

    assert make_dial(rules, scores, 1).list_clear(GREEDY) == [False, False]


def mirror_numbers(ruleset: Ruleset) -> Ruleset:
    """Return the ruleset with the mirrored sheet: other games, and as every shape may be mirrored, the same means."""
    document = ruleset.document
    numbers = [row[::-1] for row in document["tables"]["numbers"]]
    return type(ruleset).from_document(
        {**document, "name": "mirrored", "tables": {**document["tables"], "numbers": numbers}}, "mirrored"
    )


def count_mirror_misses(experiments: int, blocks: int) -> tuple[int, int, int]:
    """Return how often 0 is outside of the interval of what the mirrored sheet changes, and how often a pair is clear without reason.

    The third number is how many intervals that are.
    """
    misses = wrong = intervals = 0
    ruleset = RULESETS["bloxx-2p"]
    rulesets = {"mirrored": mirror_numbers(ruleset)}
    rules = [
        VariedRule("numbers", ("bloxx-2p", "mirrored"), "bloxx-2p"),
        VariedRule("gap_penalty", (1, 3), 1),
    ]
    for seed in range(experiments):
        *_, dial = play_rules_dial(
            ruleset, rules, {**rulesets, "bloxx-2p": ruleset}, ["greedy", "greedy"], blocks=blocks, seed=seed
        )
        changes = [
            change
            for change in dial.rule_changes
            if change.rules == (rules[0],) and change.measure.kind == "score"
        ]
        misses += sum(
            change.interval is None or not change.interval.low <= 0 <= change.interval.high
            for change in changes
        )
        intervals += len(changes)
        wrong += any(change.is_clear for change in dial.pair_changes)
        assert (dial.effects[2].b.first_changes >= 0).mean() > 0.5
    return misses, wrong, intervals


def test_a_rule_that_changes_games_and_no_mean_is_said_to_change_nothing() -> None:
    misses, wrong, intervals = count_mirror_misses(40, 60)
    assert misses <= 0.07 * intervals + 3
    assert wrong <= 5


@pytest.mark.parametrize(
    ("interval", "judged"),
    [
        (Interval(0.5, 0.46, 0.54), "surely"),
        (Interval(0.5, 0.44, 0.56), "perhaps"),
        (Interval(0.4, 0.36, 0.44), "surely not"),
        (Interval(0.6, 0.52, 0.68), "perhaps"),
        (None, ""),
    ],
)
def test_a_target_is_judged_by_the_interval(interval: Interval | None, judged: str) -> None:
    assert Target(DialMeasure("player wins", "0"), 45, 55).judge(interval, 1) == judged


def test_a_judgement_holds_for_all_values_together() -> None:
    interval, target = Interval(0.5, 0.46, 0.54), Target(DialMeasure("player wins", "0"), 45, 55)
    assert [target.judge(interval, count) for count in (1, 5)] == ["surely", "perhaps"]


@pytest.mark.parametrize(
    ("rules", "said"),
    [((), "no rule with two values"), (("gap_penalty=0..5", "row_first=0..9"), "60 rulesets")],
)
def test_what_cannot_be_played_is_refused(rules: tuple[str, ...], said: str) -> None:
    with pytest.raises(InvalidError, match=said):
        play_dial("bloxx-2p", *rules, lineup=["greedy", "random"])
