"""What-if questions: changes without effect differ by exactly zero, and other changes have the correct effect."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import GameError
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import read_player
from pipelines.experiments.continuations import BlockDealer, Continuations, join_continuations, play_branch
from pipelines.experiments.fork import (
    Change,
    Fork,
    PlayedActions,
    fork_logged_game,
    fork_played_actions,
    parse_option,
    ruleset_with_options,
)
from pipelines.experiments.many_games import WhatIfPositions, play_every_fork
from pipelines.experiments.whatif import PART_SECONDS, play_whatif, score_margins
from pipelines.report.many_games import positions_sentence
from pipelines.report.whatif import whatif_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.experiments.whatif import WhatIf
    from pipelines.runs.library import Run
    from pipelines.statistics import Interval

RULESETS = ("bloxx-3p", "blokus-4p", "blokus-2p", "blokus-dice-2p", "spexxx-2p")
every_game = pytest.mark.parametrize("name", RULESETS)


class PlayedGame(NamedTuple):
    """A game that can be forked."""

    ruleset: Ruleset
    actions: list[int]
    states: list[State]
    seated: list[str]

    def fork(self, ply: int, change: Change) -> Fork:
        return fork_played_actions(PlayedActions(self.ruleset, self.actions, self.seated), ply, change)

    @property
    def middle_decision(self) -> int:
        """The first decision in the second half of the game."""
        return self.next_decision(len(self.actions) // 2)

    def next_decision(self, ply: int) -> int:
        """Return the first ply from `ply` on at which a seat has several legal actions."""
        return next(
            number
            for number in range(ply, len(self.actions))
            if self.states[number].seat != CHANCE and len(self.states[number].actions) > 1
        )

    def action_notation(self, ply: int) -> str:
        return self.ruleset.action(self.actions[ply]).notation


@cache
def play_game_to_fork(name: str, strategy: str = "greedy") -> PlayedGame:
    ruleset = Catalogue().find_ruleset(name)
    game = games.find_game(ruleset.game)
    seated = [strategy] * ruleset.players
    _, plies = play_out(game.start(ruleset), [read_player(game, one).decide for one in seated], Luck(5, 0))
    actions = [ply.action for ply in plies]
    return PlayedGame(ruleset, actions, list(replay_actions(game.start(ruleset), actions)), seated)


def lowest_share_coverage(intervals: Sequence[Interval]) -> float:
    """Return the lowest exact coverage of the intervals for 0 to n of n trials, over shares near 0, near 1 and between."""
    n, near = len(intervals) - 1, np.geomspace(0.0005, 0.2, 80)
    covered = []
    for share in (*near, *np.linspace(0.2, 0.8, 60), *(1 - near)):
        chances = [math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
        hits = [one.low - 1e-12 <= share <= one.high + 1e-12 for one in intervals]
        covered.append(math.fsum(itertools.compress(chances, hits)))
    return min(covered)


def last_answer(one: Fork, n: int = 80, seed: int = 3) -> WhatIf:
    *_, found = play_whatif(one, n=n, seed=seed)
    return found


def test_games_with_equal_actions_and_other_scores_differ() -> None:
    """Another rule can change the score of the same actions."""
    one = Continuations(np.array([2, 2]), np.array([[3], [3]]), np.array([[1], [1]]), np.array([5, 6, 5, 6]))
    assert one.differs_from(replace(one, scores=np.array([[3], [4]]))).tolist() == [False, True]


def check_nothing_differed(found: WhatIf) -> None:
    """Check that nothing differed in the continuations; only where both branches must end in the same way is that exact."""
    assert not found.differences.any()
    assert not found.base.differs_from(found.changed).any()
    assert found.differing_share.estimate == 0
    for effect in found.seat_effects:
        for value in (effect.score, effect.margin, effect.rank, effect.win_share):
            assert value
            assert value.estimate == 0
            assert (value == (0, 0, 0)) == found.fork.is_determined
    assert ("both branches must end in the same way" in whatif_sentence(found)) == found.fork.is_determined


@every_game
def test_the_same_strategies_change_exactly_nothing(name: str) -> None:
    one = play_game_to_fork(name)
    found = last_answer(one.fork(one.middle_decision, Change(dict(enumerate(one.seated)))))
    check_nothing_differed(found)
    assert whatif_sentence(found).startswith("nothing changes: ")
    assert " plays for player 1 anyway, so both branches" in whatif_sentence(found)


@every_game
def test_forcing_the_logged_action_changes_exactly_nothing(name: str) -> None:
    one = play_game_to_fork(name)
    check_nothing_differed(
        last_answer(one.fork(one.middle_decision, Change(action=one.action_notation(one.middle_decision))))
    )


@pytest.mark.parametrize("name", ["bloxx-3p", "blokus-dice-2p", "spexxx-2p"])
def test_forcing_the_logged_roll_changes_exactly_nothing(name: str) -> None:
    one = play_game_to_fork(name)
    roll = next(
        ply for ply in range(len(one.actions) // 2, len(one.actions)) if one.states[ply].seat == CHANCE
    )
    check_nothing_differed(last_answer(one.fork(roll, Change(action=one.action_notation(roll)))))


def test_a_bonus_that_nobody_gets_changes_nothing() -> None:
    """No player places all pieces in these continuations, and greedy does not consider the bonus."""
    one = play_game_to_fork("blokus-4p")
    found = last_answer(
        one.fork(one.middle_decision, Change(options={"bonus": 99, "bonus_single_last": 100}))
    )
    assert one.fork(one.middle_decision, Change(options={"bonus": 99})).changed.state.ruleset != one.ruleset
    check_nothing_differed(found)


@pytest.mark.parametrize(
    ("name", "options", "part"),
    [
        ("bloxx-3p", {"row_first": 9, "row_later": 7}, "rows"),
        ("spexxx-2p", {"line_bonus": 50}, "line-bonus"),
        ("blokus-4p", {"bonus": 99}, "bonus"),
    ],
)
def test_an_option_that_never_applies_changes_nothing(name: str, options: dict[str, int], part: str) -> None:
    """Random play ignores the option, and it never scores in these continuations. Blokus Dice has no such option."""
    one = play_game_to_fork(name, "random")
    found = last_answer(one.fork(len(one.actions) * 19 // 20, Change(options=options)), n=20, seed=9)
    for number in range(found.n):
        *_, end = replay_actions(found.fork.base.state, found.base.game_actions(number))
        assert not sum(held.count for parts in end.parts for held in parts if held.part == part)
    assert any(held.part == part for held in one.states[-1].parts[0])
    check_nothing_differed(found)


def test_a_larger_penalty_changes_only_its_part_of_the_score() -> None:
    """Greedy ignores the penalty for blanks, so the actions stay the same and every blank costs one point more."""
    one = play_game_to_fork("bloxx-3p")
    found = last_answer(one.fork(one.middle_decision, Change(options={"blank_penalty": 2})))
    assert (found.differences <= 0).all()
    assert (found.differences.sum(axis=1) < 0).all()
    assert (found.base.plies == found.changed.plies).all()
    assert (found.base.actions == found.changed.actions).all()


@every_game
def test_a_worse_strategy_has_a_worse_result_also_where_the_lowest_score_wins(name: str) -> None:
    one = play_game_to_fork(name)
    ply = one.next_decision(len(one.actions) // 4)
    seat = one.states[ply].seat
    found = last_answer(one.fork(ply, Change({seat: "random"})), n=200)
    effect = found.seat_effect(seat)
    assert found.fork.seat == seat
    assert effect.score
    assert effect.margin
    assert effect.score.high < 0 or one.ruleset.lowest_wins
    assert effect.score.low > 0 or not one.ruleset.lowest_wins
    assert effect.margin.high < 0
    assert found.differing_share.estimate > 0.9


@every_game
def test_kernel_and_plain_rules_give_the_same_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    one = play_game_to_fork(name)
    forked = one.fork(one.next_decision(len(one.actions) * 3 // 4), Change({0: "random"}))
    compiled = last_answer(forked, n=8)
    monkeypatch.setenv("REROLL_KERNELS", "0")
    plain = last_answer(forked, n=8)
    for a, b in ((compiled.base, plain.base), (compiled.changed, plain.changed)):
        assert not a.differs_from(b).any()
        assert (a.ranks == b.ranks).all()


@pytest.mark.parametrize("name", RULESETS)
def test_the_last_decision_of_a_game_is_valued_exactly(name: str) -> None:
    """If no choice and no luck follows, the rules determine the value of each action."""
    one = play_game_to_fork(name)
    ply = max(
        number
        for number in range(len(one.actions))
        if one.states[number].seat != CHANCE and len(one.states[number].actions) > 1
    )
    state = one.states[ply]
    for action in state.actions[:12]:
        end = state.play(action)
        while not end.is_over and len(end.actions) == 1 and end.seat != CHANCE:
            end = end.play(end.actions[0])
        if not end.is_over:
            continue
        notation = one.ruleset.action(action).notation
        found = last_answer(one.fork(ply, Change(action=notation)), n=4)
        assert (found.changed.scores == end.scores).all()
        assert (found.differences == np.array(end.scores) - np.array(found.base.scores)).all()


def test_luck_alone_is_compared_with_the_logged_result() -> None:
    one = play_game_to_fork("bloxx-3p")
    found = last_answer(one.fork(one.middle_decision, Change()), n=300)
    assert (found.base_scores == one.states[-1].scores).all()
    assert (found.differences == found.changed.scores - np.array(one.states[-1].scores)).all()
    assert found.differences.std() > 1
    assert math.isclose(found.base_win_shares.sum(), 300)


def plain_answer(n: int) -> WhatIf:
    """Return an answer whose continuations all count alike."""
    one = play_game_to_fork("bloxx-3p")
    ply = one.middle_decision
    answer = last_answer(one.fork(ply, Change({one.states[ply].seat: "random"})), n)
    return replace(answer, strata=np.zeros(n, dtype=np.int64), shares=np.ones(1))


def test_the_share_of_differing_continuations_covers_the_truth_near_0_and_1() -> None:
    """The coverage is computed, not drawn; Wilson's interval covers 85 % of some shares near 0 and 1."""
    answer, n = plain_answer(60), 60
    intervals = [replace(answer, differing=np.arange(n) < k).differing_share for k in range(n + 1)]
    assert lowest_share_coverage(intervals) >= 0.93


def test_a_difference_is_no_wider_than_what_the_two_branches_leave_open() -> None:
    answer, n = plain_answer(60), 60
    base = np.tile(np.array([40, 0, 90], dtype=np.int32), (n, 1))
    base[:, 0] += np.arange(n) % 3
    changed = base.copy()
    changed[::20, 0] += 2
    effect = replace(
        answer, base=replace(answer.base, scores=base), changed=replace(answer.changed, scores=changed)
    ).seat_effect(0)
    assert effect.base
    assert effect.changed
    assert effect.score
    assert effect.score.low <= effect.score.estimate <= effect.score.high
    assert effect.score.estimate == pytest.approx(0.1)
    assert effect.score.half_width <= 1.5 * (effect.base.half_width + effect.changed.half_width)


def test_outcomes_of_the_next_roll_have_their_true_proportions() -> None:
    """Each of 36 outcomes occurs 27 or 28 times in 1,000 continuations, and each continuation has the outcome of its stratum."""
    one = play_game_to_fork("bloxx-3p")
    forked = one.fork(one.middle_decision, Change({0: "random"}))
    assert forked.next_roll
    dealer = BlockDealer(forked.next_roll, 3)
    strata = []
    for count in (60, 60, 880):
        blocks, dealt = dealer.deal_blocks(count)
        assert len(set(blocks)) == count
        strata.append(dealt)
        assert [forked.next_roll.chance_outcome(Luck(3, block)) for block in blocks] == dealt.tolist()
    counts = np.bincount(np.concatenate(strata), minlength=36)
    assert counts.sum() == 1000
    assert counts.min() >= 26
    assert counts.max() <= 29


def test_stratified_rolls_make_the_interval_narrower() -> None:
    """Before a roll, the interval of the score is narrower than with independent blocks and still covers the truth."""
    one = play_game_to_fork("bloxx-3p")
    roll = max(ply for ply in range(len(one.actions)) if one.states[ply].seat == CHANCE)
    found = last_answer(one.fork(roll, Change()), n=720)
    even = found.seat_effect(0).changed
    assert even
    plain = 1.96 * found.changed.scores[:, 0].std(ddof=1) / math.sqrt(720)
    assert even.half_width < 0.9 * plain
    exact = 0.0
    for outcome in one.states[roll].actions:
        forced = last_answer(
            one.fork(roll, Change(action=one.ruleset.action(outcome).notation)), n=60, seed=8
        )
        exact += forced.changed.scores[:, 0].mean() / 36
    assert abs(even.estimate - exact) < 4 * even.half_width


def test_rare_outcomes_do_not_delay_the_choice_of_blocks() -> None:
    """A throw of five dice has hundreds of outcomes, some with a probability of 1 / 7,776."""
    one = play_game_to_fork("spexxx-2p")
    dealer = BlockDealer(one.states[0], 1)
    blocks, strata = dealer.deal_blocks(100)
    assert len(blocks) == 100
    assert math.isclose(dealer.shares.sum(), 1)
    assert blocks[-1] < 20_000
    assert len(np.unique(strata)) > 30


def test_every_step_adds_to_the_earlier_continuations() -> None:
    one = play_game_to_fork("bloxx-3p").fork(20, Change({1: "random"}))
    looks = list(play_whatif(one, n=300, seed=1))
    assert [look.n for look in looks] == [60, 120, 240, 300]
    assert [look.is_over for look in looks] == [False, False, False, True]
    for early, late in itertools.pairwise(looks):
        assert late.blocks[: early.n] == early.blocks
        assert (late.changed.scores[: early.n] == early.changed.scores).all()
    assert (
        looks[-1].changed.game_actions(299)
        == looks[-1].changed.actions[-looks[-1].changed.plies[-1] :].tolist()
    )


def test_a_whatif_stops_when_decided() -> None:
    one = play_game_to_fork("bloxx-3p").fork(10, Change({1: "random"}))
    *_, decided = play_whatif(one, n=100_000, until_decided=True)
    assert decided.decision == "fewer"
    assert decided.n < 1000


def tick_clock(monkeypatch: pytest.MonkeyPatch, seconds_of_a_part: float) -> None:
    """Make every part between two questions whether to stop appear to take this long."""
    clock = itertools.chain.from_iterable((0.0, seconds_of_a_part) for _ in itertools.count())
    stub = SimpleNamespace(monotonic=lambda: next(clock))
    monkeypatch.setattr("pipelines.simulate.shards.time", stub)


def test_a_stopped_whatif_does_not_finish_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later steps are long; what was known before stays the answer."""
    tick_clock(monkeypatch, PART_SECONDS)  # every part has one continuation
    one = play_game_to_fork("bloxx-3p").fork(10, Change({1: "random"}))
    questions = itertools.count(1)
    looks = list(play_whatif(one, n=100_000, stopped=lambda: next(questions) > 150))
    assert [look.n for look in looks] == [60, 120, 120]
    assert looks[-1].is_over
    assert (looks[-1].changed.scores == looks[-2].changed.scores).all()


def test_a_slow_whatif_can_be_stopped_after_each_continuation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strategies that play out games need many seconds for the first step."""
    tick_clock(monkeypatch, 100 * PART_SECONDS)
    one = play_game_to_fork("bloxx-3p").fork(10, Change({1: "random"}))
    assert not list(play_whatif(one, n=100_000, stopped=lambda: True))


def test_the_time_that_parts_take_changes_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    one = play_game_to_fork("bloxx-3p").fork(10, Change({1: "random"}))
    together = last_answer(one, n=200)
    tick_clock(monkeypatch, 10 * PART_SECONDS)
    apart = last_answer(one, n=200)
    assert apart.blocks == together.blocks
    assert (apart.changed.actions == together.changed.actions).all()
    assert (apart.differing == together.base.differs_from(together.changed)).all()


def test_a_long_whatif_copies_its_continuations_once_per_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Joining part after part took longer than playing them, and could not be stopped."""
    joined: list[int] = []

    def count_joined(parts: Sequence[Continuations]) -> Continuations:
        joined.append(sum(len(part.plies) for part in parts))
        return join_continuations(parts)

    monkeypatch.setattr("pipelines.experiments.whatif.join_continuations", count_joined)
    tick_clock(monkeypatch, PART_SECONDS)  # every part has one continuation
    last_answer(play_game_to_fork("bloxx-3p").fork(40, Change({1: "random"})), n=240)
    steps = [60, 60, 120]
    so_far = [120, 240]
    assert sum(joined) == 2 * (sum(steps) + sum(so_far))


def forks_of_separate_blocks() -> list[Fork]:
    """Return ten forks, as if each were of another block."""
    one = play_game_to_fork("bloxx-3p")
    return [
        replace(one.fork(ply, Change({one.states[ply].seat: "random"})), block=number)
        for number, ply in enumerate(range(1, 41, 4))
    ]


def test_intervals_over_positions_do_not_count_continuations() -> None:
    """More continuations of the same positions do not make the interval arbitrarily narrow."""
    forks = forks_of_separate_blocks()
    few = WhatIfPositions(tuple(play_every_fork(forks, n=20, seed=1)), {})
    many = WhatIfPositions(tuple(play_every_fork(forks, n=640, seed=1)), {})
    assert few.score
    assert many.score
    assert many.score.high < 0
    assert many.score.half_width > few.score.half_width / 3
    # continuations that begin with equal dice count as one, so a mean of a position weights them
    means = [
        difference.estimate for one in many.played if (difference := one.score_difference(one.fork.seat))
    ]
    assert len(means) == len(forks)
    assert math.isclose(many.score.estimate, float(np.mean(means)))
    plain = [one.differences[:, one.fork.seat].mean() for one in many.played]
    assert many.score.estimate == pytest.approx(float(np.mean(plain)), abs=0.05)
    assert many.differing_share
    assert many.differing_share.estimate > 0.5


def test_positions_of_equal_games_of_a_block_add_nothing() -> None:
    """Every game of these blocks is there twice: the interval is that of one game of each block."""
    played = tuple(play_every_fork(forks_of_separate_blocks(), n=20, seed=1))
    once, twice = WhatIfPositions(played, {}), WhatIfPositions(played * 2, {})
    assert (once.blocks, twice.blocks) == (10, 10)
    assert twice.score == pytest.approx(once.score)
    assert twice.win_share == pytest.approx(once.win_share)
    assert positions_sentence(twice).startswith("over 20 games, the acting player (greedy) ")
    few = WhatIfPositions(played[:9], {})
    assert positions_sentence(few) == (
        "not enough games: 9 positions of 9 blocks, but at least 10 blocks are needed"
    )


def test_continuations_do_not_repeat_the_dice_of_the_logged_games() -> None:
    """The game was played with the luck of block 0 of seed 5; a continuation with the same seed has other dice."""
    one = play_game_to_fork("bloxx-3p")
    found = last_answer(one.fork(1, Change()), n=60, seed=5)
    logged = one.actions[1:]
    assert not any(found.changed.game_actions(number) == logged for number in range(found.n))
    for block in range(3):
        repeated = play_branch(one.fork(1, Change()).base, 5, [block])
        assert (repeated.game_actions(0) == logged) == (block == 0)
    assert found.luck_seed != found.seed


def test_equal_results_of_a_few_continuations_are_not_called_exact() -> None:
    """With ten continuations, one game in ten may still have another winner."""
    one = play_game_to_fork("blokus-2p")
    found = last_answer(one.fork(one.next_decision(len(one.actions) - 12), Change({0: "random"})), n=10)
    assert not found.fork.is_determined
    for effect in found.seat_effects:
        for value, most in ((effect.win_share, 1), (effect.rank, 1), (effect.base_win_share, 1)):
            assert value
            assert value.half_width > 0
            assert -most <= value.low <= value.high <= most
        assert effect.score
        assert effect.score.half_width > 0


def test_a_stopped_whatif_has_intervals_that_are_valid_at_every_look() -> None:
    one = play_game_to_fork("bloxx-3p").fork(10, Change({1: "random"}))
    *_, stopped = play_whatif(one, n=100_000, until_decided=True)
    *_, planned = play_whatif(one, n=stopped.n)
    assert (planned.base.scores == stopped.base.scores).all()
    for valid, plain in zip(stopped.seat_effects, planned.seat_effects, strict=True):
        for name in ("base", "changed", "score", "margin", "rank", "win_share"):
            wide, narrow = getattr(valid, name), getattr(plain, name)
            assert wide.half_width > 1.2 * narrow.half_width or narrow.half_width == 0
    assert stopped.differing_share.half_width > 1.2 * planned.differing_share.half_width
    score = stopped.seat_effect(1).score
    assert score
    assert score.high < 0
    look = stopped.rule.judge_differences(stopped.differences[:, 1].astype(np.float64))
    assert look.interval
    assert score.low <= look.interval.low <= look.interval.high <= score.high < 0
    assert "at every look" in whatif_sentence(stopped)
    assert "at every look" not in whatif_sentence(planned)


def test_a_difference_within_the_margin_is_called_equal() -> None:
    one = play_game_to_fork("bloxx-3p").fork(40, Change({1: "noisy"}))
    *_, found = play_whatif(one, n=2000, until_decided=True, margin=60.0)
    assert found.decision in {"equal", "more", "fewer"}
    assert found.n < 2000
    *_, same = play_whatif(one, n=400, margin=60.0)
    assert (same.decision == "equal") == ("is equal within 60 points" in whatif_sentence(same))
    with pytest.raises(GameError, match="margin: expected a difference above 0, not 0"):
        next(play_whatif(one, n=60, margin=0.0))


def test_a_changed_ply_can_end_the_game() -> None:
    one = play_game_to_fork("bloxx-3p")
    found = last_answer(one.fork(-1, Change(action=one.action_notation(len(one.actions) - 1))), n=5)
    assert (found.changed.scores == one.states[-1].scores).all()
    assert found.changed.game_actions(2) == []


def test_margins_are_leads_over_the_best_other_seat() -> None:
    scores = np.array([[10, 7, 9], [1, 5, 5]])
    assert score_margins(scores, 0).tolist() == [1, -4]
    assert score_margins(scores, 1).tolist() == [-3, 0]
    assert score_margins(scores[:, :1], 0).tolist() == [10, 1]


@pytest.mark.parametrize(
    ("ply", "change", "said"),
    [
        (9999, Change(), r"game 1 has moves 1 to \d+, so it cannot fork before move 10000"),
        (5, Change({7: "greedy"}), "bloxx-3p has players 1 to 3, not 8"),
        (5, Change({0: "gredy"}), "unknown strategy of bloxx 'gredy'; did you mean greedy"),
        (5, Change(action="nonsense"), "'nonsense' is not an action of player 2"),
        (
            5,
            Change(options={"gap_penalti": 2}),
            "unknown option of bloxx-3p 'gap_penalti'; did you mean gap_penalty",
        ),
        (5, Change(options={"gap_penalty": "many"}), "gap_penalty: .*many"),
        (40, Change(options={"contact": "rest"}), "is not legal under these rules"),
    ],
)
def test_an_invalid_fork_is_refused_in_one_line(ply: int, change: Change, said: str) -> None:
    with pytest.raises(GameError, match=said) as refused:
        play_game_to_fork("bloxx-3p", "random").fork(ply, change)
    assert "\n" not in str(refused.value)


def test_an_illegal_action_is_refused_in_one_line() -> None:
    one = play_game_to_fork("bloxx-3p")
    ply = one.middle_decision
    illegal = next(
        one.ruleset.action(action).notation
        for action in one.actions
        if action not in one.states[ply].actions and one.ruleset.action(action).kind != "roll"
    )
    with pytest.raises(GameError, match=rf"action {re.escape(illegal)} is not legal here"):
        one.fork(ply, Change(action=illegal))


def test_options_are_parsed() -> None:
    assert parse_option("gap_penalty=2") == ("gap_penalty", 2)
    assert parse_option("contact=rest") == ("contact", "rest")
    with pytest.raises(GameError, match="expected KEY=VALUE"):
        parse_option("contact")
    ruleset = Catalogue().find_ruleset("bloxx-3p")
    assert ruleset_with_options(ruleset, {"gap_penalty": 1}) == ruleset
    assert ruleset_with_options(ruleset, {"gap_penalty": 2}).name == "bloxx-3p-changed"


def test_a_logged_game_of_a_run_can_be_forked(small_run: Run) -> None:
    one = fork_logged_game(small_run, 3, -1, Change({1: "greedy"}))
    assert one.result == tuple(seat.score for seat in small_run.list_seats(3))
    assert [seated.name for seated in one.base.seating] == [seat.strategy for seat in small_run.list_seats(3)]
    assert len(one.base.actions) == small_run.game(3).plies - 1
    assert play_branch(one.base, 1, range(3)).scores.shape == (3, 2)
