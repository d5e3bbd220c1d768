"""What rules change: contrasts are exact where nothing changes, hold as often as they say, and sentences say no more."""

from __future__ import annotations

import json
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.design.rule_values import VariedRule, compare_rulesets, read_varied_rule, vary_ruleset
from pipelines.experiments.rule_effect import (
    RuleMeasure,
    RulesEffect,
    Target,
    excludes_zero,
    play_rules_effect,
)
from pipelines.experiments.rule_games import RulesetResults
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import Interval, t_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from engine.ruleset import Ruleset

CATALOGUE = Catalogue()
RULESETS = CATALOGUE.rulesets
GREEDY = RuleMeasure("score", "greedy")


def play_dial(name: str, *rules: str, lineup: Sequence[str], blocks: int = 20, seed: int = 3) -> RulesEffect:
    ruleset = RULESETS[name]
    varied = [read_varied_rule(rule, ruleset, RULESETS) for rule in rules]
    *_, dial = play_rules_effect(ruleset, varied, RULESETS, lineup, blocks=blocks, seed=seed)
    return dial


def make_dial(
    rules: Sequence[VariedRule],
    make_scores: Callable[[tuple[int, ...], np.random.Generator], object],
    seed: int,
    blocks: int = 60,
) -> RulesEffect:
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
    return RulesEffect(tuple(rules), tuple(results))


@pytest.mark.parametrize("name", ["bloxx-2p", "spexxx-2p", "blokus-dice-2p", "blokus-duo"])
def test_the_value_of_the_ruleset_itself_differs_by_exactly_nothing(name: str) -> None:
    rule = {"bloxx-2p": "gap_penalty=0,3", "spexxx-2p": "line_bonus=0", "blokus-dice-2p": "side=8"}.get(
        name, "bonus=0"
    )
    dial = play_dial(name, rule, lineup=["greedy", "random"], blocks=12)
    for measure in dial.measures:
        assert dial.list_differences(measure)[dial.base_place] == Interval(0.0, 0.0, 0.0)
    assert dial.moved_share(dial.base_place) == Interval(0.0, 0.0, 0.0)
    assert dial.base.median_change is None


def test_two_rulesets_are_a_rule_with_two_values() -> None:
    """A whole ruleset gives the numbers of the option in which it differs."""
    dial = play_dial("bloxx-2p", "contact=rest", lineup=["greedy", "random"])
    whole = play_dial("bloxx-2p", "ruleset=bloxx-rest-2p", lineup=["greedy", "random"])
    assert [rule.values for rule in whole.rules] == [("bloxx-2p", "bloxx-rest-2p")]
    for measure in dial.measures:
        assert dial.list_means(measure) == whole.list_means(measure)
        assert dial.list_differences(measure) == whole.list_differences(measure)
    assert (dial.results[1].first_changes == whole.results[1].first_changes).all()


def test_the_first_ply_that_differs_is_the_first_one() -> None:
    """The plies before are equal in the logs of both games, and this one is not."""
    from pipelines.experiments.progressive import play_design_blocks

    dial = play_dial("bloxx-2p", "contact=touch", lineup=["greedy", "random"], blocks=6)
    sides = dial.results
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
    moved = dial.moved_share(1)
    assert moved.estimate == 0
    assert moved.high > 0  # the next game may be another one
    assert dial.results[1].median_change is None
    assert (dial.results[0].rounds == dial.results[1].rounds).all()
    difference = dial.list_differences(RuleMeasure("score", "random"))[1]
    assert difference
    assert difference.high < -1


def test_the_slope_of_a_line_is_the_difference_of_the_means_at_its_ends() -> None:
    """A reader who computes it from the table of the means gets the number of the sentence."""
    dial = play_dial("bloxx-2p", "gap_penalty=0..3", lineup=["random", "random"])
    slope = dial.find_slope(RuleMeasure("score", "random"))
    first, last = (dial.results[place].mean_scores("random") for place in (0, -1))
    expected = t_interval((last - first) / 3)
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
    rounds = found[tuple(rules), RuleMeasure("rounds")]
    assert not rounds.is_clear


def test_few_blocks_that_differ_show_nothing() -> None:
    rules = [VariedRule("gap_penalty", (1, 2), 1)]

    def scores(values: tuple[int, ...], _: np.random.Generator) -> object:
        found = np.zeros((60, 1, 2))
        found[:5] = values[0] == 2
        return found

    assert not any(map(excludes_zero, make_dial(rules, scores, 1).list_differences(GREEDY)))


def test_what_is_clear_is_what_the_interval_shows() -> None:
    """Intervals of changes that stand together are wider than that of one of them, and a clear change is one without 0."""
    rules = [VariedRule(key, (1, 2), 1) for key in ("gap_penalty", "blank_penalty", "row_later")]
    dial = make_dial(rules, lambda values, rng: values[0] + rng.normal(0, 4, (60, 1, 2)), 1)
    assert len(dial.rule_changes) == 9
    (alone,) = make_dial(rules[:1], lambda _, rng: rng.normal(0, 4, (60, 1, 2)), 1).list_rule_changes(GREEDY)
    assert alone.interval == t_interval(np.diff(alone_values(rules[:1]), axis=0)[0])
    for change in (*dial.rule_changes, *dial.pair_changes):
        assert change.interval
        assert change.is_clear == (not change.interval.low <= 0 <= change.interval.high)


def alone_values(rules: Sequence[VariedRule]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the scores of greedy by block under both values of a rule that changes nothing."""
    dial = make_dial(rules, lambda _, rng: rng.normal(0, 4, (60, 1, 2)), 1)
    return np.stack([results.mean_scores("greedy") for results in dial.results])


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
        *_, dial = play_rules_effect(
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
        assert (dial.results[2].first_changes >= 0).mean() > 0.5
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
    assert Target(RuleMeasure("player wins", "0"), 45, 55).judge(interval, 1) == judged


def test_a_judgement_holds_for_all_values_together() -> None:
    interval, target = Interval(0.5, 0.46, 0.54), Target(RuleMeasure("player wins", "0"), 45, 55)
    assert [target.judge(interval, count) for count in (1, 5)] == ["surely", "perhaps"]


@pytest.mark.parametrize(
    ("rules", "said"),
    [((), "no rule with two values"), (("gap_penalty=0..5", "row_first=0..9"), "60 rulesets")],
)
def test_what_cannot_be_played_is_refused(rules: tuple[str, ...], said: str) -> None:
    with pytest.raises(InvalidError, match=said):
        play_dial("bloxx-2p", *rules, lineup=["greedy", "random"])


def test_the_games_are_those_that_simulate_plays(tmp_path: Path) -> None:
    """A run with the same seed has the same games under each ruleset, and so the same means."""
    found = play_dial(
        "bloxx-3p", "ruleset=bloxx-rest-3p", lineup=["greedy", "greedy", "random"], blocks=14, seed=7
    )
    for name, ends in zip(("bloxx-3p", "bloxx-rest-3p"), found.results, strict=True):
        settled = design_simulation(RULESETS[name], ["greedy", "greedy", "random"], blocks=14, seed=7)
        run = simulate_run(settled, tmp_path / f"{name}.duckdb", workers=1)
        with run.connect() as connection:
            rows = connection.execute(
                "SELECT avg(score), avg(win_share) FROM seats JOIN games USING (game_id) "
                "WHERE strategy = 'greedy' GROUP BY block ORDER BY block"
            ).fetchall()
            rounds = connection.execute(
                "SELECT avg(rounds) FROM games GROUP BY block ORDER BY block"
            ).fetchall()
        assert ends.mean_scores("greedy") == pytest.approx([row[0] for row in rows])
        assert ends.mean_win_shares("greedy") == pytest.approx([row[1] for row in rows])
        assert ends.rounds.mean(axis=1) == pytest.approx([row[0] for row in rounds])


def test_seat_edges_add_up_to_zero() -> None:
    lineup = ["greedy", "greedy", "random"]
    dial = play_dial("bloxx-3p", "ruleset=bloxx-touch-3p", lineup=lineup)
    edges = [dial.list_means(measure) for measure in dial.measures if measure.kind == "seat effect"]
    for side in zip(*edges, strict=True):
        assert sum(edge.estimate for edge in side if edge) == pytest.approx(0)


def test_the_order_of_strategies_follows_the_lowest_score_where_it_wins() -> None:
    dial = play_dial(
        "blokus-dice-2p", "ruleset=blokus-dice-graded-2p", lineup=["greedy", "random"], blocks=40
    )
    lead = RuleMeasure("lead", "greedy", "random")
    assert [dial.find_leader(lead, place) for place in (0, 1)] == [1, 1]


def test_an_undecided_order_is_reported_as_undecided() -> None:
    dial = play_dial("bloxx-2p", "contact=rest", lineup=["greedy", "random"], blocks=5)
    lead = RuleMeasure("lead", "greedy", "random")
    assert [dial.find_leader(lead, place) for place in (0, 1)] == [0, 0]


def test_games_without_dice_get_openings_so_that_blocks_differ() -> None:
    dial = play_dial("blokus-2p", "ruleset=blokus-fixed-2p", lineup=["greedy", "greedy"], blocks=12)
    assert len({results.design.opening for results in dial.results}) == 1
    assert dial.base.design.opening > 0
    assert len(np.unique(dial.base.scores.reshape(dial.blocks, -1), axis=0)) > 1


def test_results_grow_and_end_when_they_are_stopped() -> None:
    ruleset = RULESETS["bloxx-2p"]
    rules = [compare_rulesets(ruleset, [RULESETS["bloxx-touch-2p"]])]
    play = partial(play_rules_effect, ruleset, rules, RULESETS, ["greedy", "random"], blocks=60, seed=1)
    looks = list(play())
    assert [look.blocks for look in looks] == sorted(look.blocks for look in looks)
    assert looks[-1].blocks == 60
    stopped = list(play(stopped=lambda: True))
    assert [look.blocks for look in stopped] == [10]
    assert np.array_equal(stopped[0].base.scores, looks[-1].base.scores[:10])


def test_the_results_are_json() -> None:
    dial = play_dial("bloxx-2p", "contact=touch", lineup=["greedy", "random"], blocks=40)
    document = json.loads(json.dumps(dial.as_json()))
    assert document["blocks"] == 40
    base, other = document["means"][:2]
    assert (base["contact"], other["contact"]) == ("drop", "touch")
    assert other["difference"]["estimate"] == pytest.approx(
        other["mean"]["estimate"] - base["mean"]["estimate"]
    )


@pytest.mark.parametrize("change", [0, 3])
def test_equal_blocks_leave_room_for_others(change: int) -> None:
    """Both players get three points more in every game, or only the plies differ; the report once said "(3.0 to 3.0)"."""
    ruleset = RULESETS["bloxx-2p"]
    rest = RULESETS["bloxx-rest-2p"]
    a, b = (design_simulation(one, ["greedy", "random"], blocks=40, seed=1) for one in (ruleset, rest))
    scores = np.tile([[20, 10], [10, 20]], (40, 1, 1))
    wins, rounds = np.tile([[1.0, 0.0], [0.0, 1.0]], (40, 1, 1)), np.full((40, 2), 12)
    unchanged = np.full_like(rounds, -1)
    dial = RulesEffect(
        (compare_rulesets(ruleset, [rest]),),
        (
            RulesetResults(a, scores, wins, rounds, 2 * rounds, unchanged),
            RulesetResults(b, scores + change, wins, rounds, 3 * rounds, unchanged),
        ),
    )
    for measure in dial.measures:
        for interval in (*dial.list_means(measure), dial.list_differences(measure)[1]):
            assert interval
            assert interval.low < interval.high
    assert excludes_zero(dial.list_differences(GREEDY)[1]) == bool(change)
    assert dial.find_leader(RuleMeasure("lead", "greedy", "random"), 1) == 1


@pytest.mark.parametrize(
    ("other", "lineup", "message"),
    [
        ("spexxx-2p", ["greedy", "random"], "unknown ruleset"),
        ("bloxx-3p", ["greedy", "random"], "2 seats and bloxx-3p 3"),
        ("bloxx-touch-2p", ["greedy"], "takes 2 strategies"),
        ("bloxx-touch-2p", ["greedy", "gredy"], "did you mean greedy"),
    ],
)
def test_invalid_arguments_are_refused_at_once(other: str, lineup: list[str], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        play_dial("bloxx-2p", f"ruleset={other}", lineup=lineup)


def test_a_strategy_that_cannot_play_a_value_is_refused_before_the_first_game() -> None:
    with pytest.raises(InvalidError, match=r"builder.* cannot play spexxx-2p: .*at most 4 throws"):
        play_dial("spexxx-2p", "throws=3,5", lineup=["greedy", "builder"])


def test_a_number_of_blocks_that_says_nothing_is_refused() -> None:
    with pytest.raises(InvalidError, match="blocks: expected from 2"):
        play_dial("bloxx-2p", "contact=touch", lineup=["greedy", "random"], blocks=1)
