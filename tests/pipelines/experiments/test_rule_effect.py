"""The effect of a rule: paired differences are correct, and exactly zero between a ruleset and itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue import SHIPPED_RULESETS_FOLDER, Catalogue
from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.experiments.rule_effect import (
    PairOrder,
    QuantityChange,
    RulesEffect,
    RulesetResults,
    play_rules_effect,
)
from pipelines.questions.rule_effect import (
    RuleEffectAnswer,
    RuleEffectQuestion,
    iter_rule_effect_answers,
    order_compared_rulesets,
)
from pipelines.report.rule_effect import (
    list_effect_consequences,
    rules_effect_sentence,
    score_distribution_chart,
    seat_chart,
)
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import Interval, t_interval
from pipelines.statistics.bounded_means import share_change_interval
from pipelines.viewer.palette import OTHER_LOOK
from tests.examples import scale_examples

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.design.design import Design


def last_effect(
    catalogue: Catalogue, a: str, b: str, *lineup: str, blocks: int = 40, seed: int = 3
) -> RulesEffect:
    *_, found = play_rules_effect(
        catalogue.find_ruleset(a), catalogue.find_ruleset(b), lineup, blocks=blocks, seed=seed
    )
    return found


@pytest.mark.parametrize("name", ["bloxx-3p", "blokus-duo", "blokus-dice-2p", "spexxx-2p"])
def test_a_ruleset_against_itself_differs_by_exactly_nothing(catalogue: Catalogue, name: str) -> None:
    lineup = ["greedy", *["random"] * (catalogue.find_ruleset(name).players - 1)]
    found = last_effect(catalogue, name, name, *lineup, blocks=12)
    changes = [one.difference for one in (*found.scores, *found.win_shares, *found.lengths, *found.seats)]
    changes += [one.difference for one in found.orders]
    changes += [*(one.difference for one in found.seat_wins), found.moved_share]
    assert {tuple(difference or ()) for difference in changes} == {(0.0, 0.0, 0.0)}
    assert found.differing_share.estimate == 0
    said = rules_effect_sentence(found)
    assert said.startswith("no game ends differently under")
    assert "at most" not in said


def test_the_share_of_differing_blocks_covers_a_share_near_1(catalogue: Catalogue) -> None:
    """One of 40 blocks does not differ: a true share of 0.999 is possible, and Wilson's interval excludes it."""
    found = last_effect(catalogue, "bloxx-2p", "bloxx-2p", "greedy", "random", blocks=40)
    plies = found.b.plies + 1
    plies[0] -= 1
    share = replace(found, b=replace(found.b, plies=plies)).differing_share
    assert share.estimate == pytest.approx(39 / 40)
    assert share.low < 0.9
    assert share.high > 0.999


def test_the_games_are_those_that_simulate_plays(catalogue: Catalogue, tmp_path: Path) -> None:
    """A run with the same seed has the same games under each ruleset, and so the same means."""
    found = last_effect(
        catalogue, "bloxx-3p", "bloxx-rest-3p", "greedy", "greedy", "random", blocks=14, seed=7
    )
    for name, ends in (("bloxx-3p", found.a), ("bloxx-rest-3p", found.b)):
        settled = design_simulation(
            catalogue.find_ruleset(name), ["greedy", "greedy", "random"], blocks=14, seed=7
        )
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


def test_charts_draw_both_rulesets_as_equals_and_in_the_same_way(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "bloxx-2p", "bloxx-touch-2p", "greedy", "random", blocks=12)
    seats = seat_chart(found)
    assert seats
    lines = [(one.name, one.look) for one in score_distribution_chart(found).series[:2]]
    assert [title for title, _ in lines] == ["BLOXX!", "BLOXX! (shapes may hang)"]
    assert {(one.name, one.look) for one in seats.estimates} == {*lines}
    assert OTHER_LOOK not in {look for _, look in lines}
    assert len({look.colour for _, look in lines}) == len({look.dash for _, look in lines}) == 2


def check_effect_sentences(found: RulesEffect) -> None:
    """Read the numbers of all sentences back and compare them with those behind them."""
    games = found.blocks * found.games_per_block
    best = max(found.scores, key=lambda change: found.a.mean_scores(change.of).mean())
    said = rules_effect_sentence(found)
    matched = re.fullmatch(
        rf"under “.+” instead of “.+”, (\w+) scores ([\d.]+) points (more|fewer) \(95 % interval ([\d.]+) to ([\d.]+); "
        rf"{games:,} games under each\)",
        said,
    )
    assert matched is not None
    assert best.difference is not None
    ends = sorted(abs(end) for end in best.difference[1:])
    assert matched[1] == best.of
    assert matched[3] == ("more" if best.difference.estimate > 0 else "fewer")
    for text, number in zip(matched.group(2, 4, 5), (abs(best.difference.estimate), *ends), strict=True):
        assert float(text) == pytest.approx(number, abs=0.51 * 10 ** -len(text.partition(".")[2]))
    others = {change.of for change in found.scores} - {best.of}
    consequences = list_effect_consequences(found)
    for name in others:
        assert any(re.match(rf"({name} scores|the score of {name} does)", one) for one in consequences)
    rounds = found.lengths[0].difference
    assert rounds is not None
    if rounds.high < 0:
        (length,) = (one for one in consequences if one.startswith("games are"))
        assert f"{-rounds.estimate:.2f} rounds shorter" in length or "rounds shorter" in length


@cache
def sentence_designs(blocks: int) -> tuple[Design, Design]:
    """Return designs of the same blocks under two rulesets; only their line-ups and names matter."""
    rulesets = [Catalogue().find_ruleset(name) for name in ("bloxx-2p", "bloxx-rest-2p")]
    a, b = (design_simulation(ruleset, ["greedy", "random"], blocks=blocks, seed=1) for ruleset in rulesets)
    return a, b


@st.composite
def drawn_effects(draw: st.DrawFn) -> RulesEffect:
    """Return results under two rulesets that need not be possible, with shifts from none to large ones."""
    blocks = draw(st.sampled_from([5, 40, 60]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    shift, spread = draw(st.sampled_from([0, 1, 6])), draw(st.sampled_from([0, 2, 20]))
    sides = []
    base = random.integers(-30, 30, (blocks, 2, 2))
    signs = np.array([[1, -1], [-1, 1]])  # seatings and seats: 1 for greedy, -1 for random
    noise = np.where(signs > 0, 1, draw(st.sampled_from([1, 8])))
    for at, design in enumerate(sentence_designs(blocks)):
        changes = shift * signs + noise * random.integers(-spread, spread + 1, base.shape)
        moved = base + at * changes
        first_wins = moved[:, :, 0] > moved[:, :, 1]
        lengths = 20 + at * random.integers(0, spread + 1, (blocks, 2))
        wins = np.stack([first_wins, ~first_wins], axis=2).astype(np.float64)
        first_changes = np.full_like(lengths, -1 if at == 0 else 5)
        sides.append(RulesetResults(design, moved, wins, lengths, 3 * lengths, first_changes))
    return RulesEffect(sides[0], sides[1], is_over=True)


def change_of(effect: RulesEffect, name: str) -> Interval:
    """Return the paired interval of Student; where all blocks are equal, check that the interval is wider."""
    interval = t_interval(effect.b.mean_scores(name) - effect.a.mean_scores(name))
    (found,) = (change.difference for change in effect.scores if change.of == name)
    assert interval
    assert found
    if interval.half_width:
        assert found == interval
    assert found.low < found.estimate < found.high
    assert found.estimate == pytest.approx(interval.estimate)
    return found


def is_rounded(text: str, number: float) -> bool:
    return abs(float(text) - number) <= 0.501 * 10.0 ** -len(text.partition(".")[2])


@scale_examples(0.6)
@given(drawn_effects())
def test_the_sentence_on_a_rule_is_about_the_strategy_that_plays_best_and_tells_nothing_unclear(
    found: RulesEffect,
) -> None:
    said = rules_effect_sentence(found)
    games = f"{2 * found.blocks:,} games under each"
    is_same = bool((found.a.scores == found.b.scores).all() and (found.a.plies == found.b.plies).all())
    assert is_same == said.startswith("no game ends differently")
    if is_same:
        assert re.search(r"games under each; at most [\d.]+ of 100 blocks would\)$", said)
        assert list_effect_consequences(found) == []
        return
    if "not enough games" in said:
        assert not any(map(found.has_enough_blocks, found.strategies))
        return
    changes = {name: change_of(found, name) for name in found.strategies if found.has_enough_blocks(name)}
    clear = {name: one for name, one in changes.items() if one.low > 0 or one.high < 0}
    means = {name: found.a.mean_scores(name).mean() for name in changes}
    told = re.search(
        r"(?:^.*, |the score of )(\w+) (scores [\d.]+ points? (more|fewer)|does not clearly change)",
        said,
    )
    assert told
    change = changes[told[1]]
    assert games in said
    assert means[told[1]] == pytest.approx(max(means.values()))
    assert (told[3] is not None) == (told[1] in clear)
    if told[3]:
        assert told[3] == ("more" if change.estimate > 0 else "fewer")
        numbers = re.search(r"scores ([\d.]+) points? \w+ \(95 % interval ([\d.]+) to ([\d.]+);", said)
        assert numbers
        ends = sorted(map(abs, change[1:]))
        for text, number in zip(numbers.groups(), (abs(change.estimate), *ends), strict=True):
            assert is_rounded(text, number)
    check_consequences(found, clear)


def check_consequences(found: RulesEffect, clear: dict[str, Interval]) -> None:
    """Check that what follows claims a change, a length or a leader only where its interval excludes zero."""
    consequences = list_effect_consequences(found)
    for one in consequences:
        changed = re.match(r"(\w+) scores ([\d.]+) points? (more|fewer) ", one)
        if changed:
            assert changed[3] == ("more" if clear[changed[1]].estimate > 0 else "fewer")
            assert is_rounded(changed[2], abs(clear[changed[1]].estimate))
        won = re.match(r"(\w+) wins ([\d.]+) of 100 games (more|fewer) ", one)
        if won:
            (wins,) = (change.difference for change in found.win_shares if change.of == won[1])
            assert wins
            differences = found.b.mean_win_shares(won[1]) - found.a.mean_win_shares(won[1])
            assert wins == share_change_interval(differences)
            assert (wins.low > 0, wins.high < 0) == (won[3] == "more", won[3] == "fewer")
            assert is_rounded(won[2], 100 * abs(wins.estimate))
    rounds = found.lengths[0].difference
    assert rounds
    plain = t_interval((found.b.rounds - found.a.rounds).mean(axis=1))
    assert plain
    assert rounds == plain or plain.half_width == 0 < rounds.half_width
    for word, is_true in (("longer", rounds.low > 0), ("shorter", rounds.high < 0)):
        assert any(one.startswith("games are") and f"rounds {word}" in one for one in consequences) == is_true
    leads = [
        t_interval(side.mean_scores("greedy") - side.mean_scores("random")) for side in (found.a, found.b)
    ]
    ahead = [(one.low > 0) - (one.high < 0) for one in leads if one]
    for one in consequences:
        if " is ahead of " in one:
            assert ahead in ([1, 1], [-1, -1])
            assert (
                one
                == f"{'greedy is ahead of random' if ahead[0] > 0 else 'random is ahead of greedy'} in points under both"
            )
        if " is no longer ahead of " in one:
            assert ahead in ([1, -1], [-1, 1])
            assert one.startswith("greedy" if ahead[0] > 0 else "random")


@pytest.mark.parametrize("change", [0, 3])
def test_equal_blocks_leave_room_for_others(change: int) -> None:
    """Both players get three points more in every game, or only the plies differ; the report once said "(3.0 to 3.0)"."""
    a, b = sentence_designs(40)
    scores = np.tile([[20, 10], [10, 20]], (40, 1, 1))
    wins, rounds = np.tile([[1.0, 0.0], [0.0, 1.0]], (40, 1, 1)), np.full((40, 2), 12)
    unchanged = np.full_like(rounds, -1)
    found = RulesEffect(
        RulesetResults(a, scores, wins, rounds, 2 * rounds, unchanged),
        RulesetResults(b, scores + change, wins, rounds, 3 * rounds, unchanged),
        is_over=True,
    )
    changes: list[QuantityChange | PairOrder] = [*found.scores, *found.win_shares, *found.lengths]
    for one in (*changes, *found.seats, *found.orders):
        for interval in (one.a, one.b, one.difference):
            assert interval
            assert interval.low < interval.high
    said = rules_effect_sentence(found)
    clear = r"greedy scores 3\.\d+ points more \(95 % interval 2\.\d+ to 3\.\d+;"
    unclear = r"the score of greedy does not clearly change \(95 % interval -0\.\d+ to 0\.\d+;"
    assert re.search(clear if change else unclear, said)
    assert found.orders[0].order == "same"
    consequences = list_effect_consequences(found)
    assert [one for one in consequences if "does not clearly change" in one and "wins" in one]
    assert not [one for one in consequences if "length of games" in one]


def test_the_difference_is_the_paired_interval_of_block_means(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "bloxx-2p", "bloxx-rest-2p", "greedy", "random")
    greedy = found.scores[0]
    assert greedy.of == "greedy"
    assert greedy.difference == t_interval(found.b.mean_scores("greedy") - found.a.mean_scores("greedy"))
    assert greedy.difference is not None
    assert greedy.difference.high < -20  # with this rule greedy falls from 41 points to -18
    check_effect_sentences(found)
    assert rules_effect_sentence(found).startswith(
        "under “BLOXX! (shapes must rest on shapes)” instead of “BLOXX!”, greedy scores "
    )
    is_same = found.orders[0].order == "same"
    assert ("greedy is ahead of random in points under both" in list_effect_consequences(found)) == is_same


def test_the_effect_of_an_own_rule_is_said_from_the_ruleset_that_it_changes(tmp_path: Path) -> None:
    own = 'title = "BLOXX!, my way"\nplayers = 2\n[options]\ngap_penalty = '
    (tmp_path / "mine.toml").write_text(f'extends = "bloxx"\n{own}5\n')
    (tmp_path / "other.toml").write_text(f'extends = "mine"\n{own}0\nblank_penalty = 3\n')
    catalogue = Catalogue((SHIPPED_RULESETS_FOLDER, tmp_path))
    said = {}
    for a, b in permutations(("bloxx-2p", "bloxx-rest-2p", "mine", "other"), 2):
        question = RuleEffectQuestion(ruleset=a, against=b, lineup="greedy,random", blocks=150, seed=3)
        ordered = [one.name for one in order_compared_rulesets(question, catalogue)]
        assert ordered == sorted((a, b), key=["bloxx-2p", "bloxx-rest-2p", "mine", "other"].index)
        if "bloxx-2p" in {a, b} and "bloxx-rest-2p" not in {a, b}:
            *_, answer = iter_rule_effect_answers(question, catalogue)
            assert isinstance(answer, RuleEffectAnswer)
            said[a, b] = rules_effect_sentence(answer.effect)
    assert said["bloxx-2p", "mine"] == said["mine", "bloxx-2p"]
    assert re.match(
        r"if every gap costs 5 points instead of 1, greedy scores [\d.]+ points fewer",
        said["mine", "bloxx-2p"],
    )
    assert said["other", "bloxx-2p"].startswith("under “BLOXX!, my way” instead of “BLOXX!”, ")


def test_seat_edges_add_up_to_zero(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "bloxx-3p", "bloxx-touch-3p", "greedy", "greedy", "random", blocks=20)
    for side in ("a", "b"):
        assert sum(getattr(seat, side).estimate for seat in found.seats) == pytest.approx(0)


def test_the_order_of_strategies_follows_the_lowest_score_where_it_wins(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "blokus-dice-2p", "blokus-dice-graded-2p", "greedy", "random")
    (pair,) = found.orders
    assert (pair.first, pair.second, pair.order) == ("greedy", "random", "same")
    assert pair.a is not None
    assert pair.a.low > 0


def test_an_undecided_order_is_reported_as_undecided(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "bloxx-2p", "bloxx-rest-2p", "greedy", "random", blocks=5)
    assert {pair.order for pair in found.orders} == {"undecided"}
    assert "not enough games" in rules_effect_sentence(found)


def test_games_without_dice_get_openings_so_that_blocks_differ(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "blokus-2p", "blokus-fixed-2p", "greedy", "greedy", blocks=12)
    assert found.a.design.opening == found.b.design.opening > 0
    assert len(np.unique(found.a.scores.reshape(found.blocks, -1), axis=0)) > 1


def test_results_grow_and_only_the_last_ones_are_over(catalogue: Catalogue) -> None:
    a, b = catalogue.find_ruleset("bloxx-2p"), catalogue.find_ruleset("bloxx-touch-2p")
    looks = list(play_rules_effect(a, b, ["greedy", "random"], blocks=60, seed=1))
    assert [look.blocks for look in looks] == sorted(look.blocks for look in looks)
    assert [look.is_over for look in looks] == [False] * (len(looks) - 1) + [True]
    whole = looks[-1].blocks
    assert whole == 60
    stopped = list(play_rules_effect(a, b, ["greedy", "random"], blocks=60, seed=1, stopped=lambda: True))
    assert [look.blocks for look in stopped] == [10]
    assert np.array_equal(stopped[0].a.scores, looks[-1].a.scores[:10])


def test_the_results_are_json(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "bloxx-2p", "bloxx-touch-2p", "greedy", "random", blocks=10)
    document = json.loads(json.dumps(found.as_json()))
    assert document["blocks"] == 10
    assert document["scores"][0]["difference"]["estimate"] == pytest.approx(
        document["scores"][0]["b"]["estimate"] - document["scores"][0]["a"]["estimate"]
    )


@pytest.mark.parametrize(
    ("a", "b", "lineup", "message"),
    [
        ("bloxx-2p", "spexxx-2p", ["greedy", "random"], "different games"),
        ("bloxx-2p", "bloxx-3p", ["greedy", "random"], "2 seats and bloxx-3p 3"),
        ("bloxx-2p", "bloxx-touch-2p", ["greedy"], "takes 2 strategies"),
        ("bloxx-2p", "bloxx-touch-2p", ["greedy", "gredy"], "did you mean greedy"),
    ],
)
def test_invalid_arguments_are_refused_at_once(
    catalogue: Catalogue, a: str, b: str, lineup: list[str], message: str
) -> None:
    with pytest.raises(InvalidError, match=message):
        play_rules_effect(catalogue.find_ruleset(a), catalogue.find_ruleset(b), lineup, blocks=10)
    with pytest.raises(InvalidError, match="blocks: expected from 2"):
        play_rules_effect(
            catalogue.find_ruleset("bloxx-2p"),
            catalogue.find_ruleset("bloxx-2p"),
            ["greedy", "random"],
            blocks=1,
        )
