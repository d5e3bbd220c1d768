"""The sentences of a what-if are read back and compared with the continuations behind them."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from engine.catalogue import Catalogue
from pipelines.design.designs import design_simulation
from pipelines.design.short_names import short_names
from pipelines.experiments.continuations import Continuations
from pipelines.experiments.fork import Change
from pipelines.experiments.many_games import WhatIfPositions, iter_forks, play_every_fork
from pipelines.experiments.whatif import WhatIf
from pipelines.questions.source import QuestionSource
from pipelines.questions.whatif import ManyGamesQuestion, iter_many_games_answers
from pipelines.report.charts import Histogram, Intervals
from pipelines.report.many_games import (
    compose_many_games,
    list_win_sentences,
    position_wins_chart,
    positions_sentence,
    positions_table,
)
from pipelines.report.table import Table
from pipelines.report.whatif import (
    basis_sentence,
    name_quick_players,
    whatif_sentence,
    win_chances_sentence,
)
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import StoppingRule
from pipelines.statistics.planning import MIN_BLOCKS
from tests.examples import scale_examples

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from pipelines.experiments.fork import Fork
    from pipelines.runs.run import Run
    from pipelines.statistics import Interval

NUMBER = r"(-?\d[\d.]*(?:e[+-]?\d+)?)"


def make_branch(scores: NDArray[np.int64], *, lowest_wins: bool) -> Continuations:
    """Return continuations of two players with these final scores, shape (n, 2)."""
    better = scores[:, ::-1] < scores if lowest_wins else scores[:, ::-1] > scores
    plies = np.ones(len(scores), dtype=np.int64)
    return Continuations(
        plies, scores.astype(np.int32), (1 + better).astype(np.uint8), np.zeros(len(scores), dtype=np.int32)
    )


@st.composite
def drawn_whatifs(draw: st.DrawFn, count: int | None = None) -> WhatIf:
    """Return a what-if about two players; the change of player 1 has an effect of any size, or none."""
    n = count or draw(st.sampled_from([300, 40, 5]))
    lowest_wins, seat, block = draw(st.booleans()), draw(st.integers(0, 1)), draw(st.integers(0, 60))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    base = random.integers(-40, 40, (n, 2))
    if draw(st.integers(0, 2)) == 2:
        base[:, seat] += draw(st.sampled_from([-500, 500]))  # the winner is certain
    shift, spread = draw(st.sampled_from([25, -60, 0, 2])), draw(st.sampled_from([3, 30, 0]))
    is_changed = random.random((n, 1)) < draw(st.sampled_from([1, 0.1, 0]))
    changed = base + is_changed * (shift + random.integers(-spread, spread + 1, (n, 2)))
    branches = [make_branch(scores, lowest_wins=lowest_wins) for scores in (base, changed)]
    players = [SimpleNamespace(label=draw(st.sampled_from(["greedy", "random"]))) for _ in range(2)]
    fork = SimpleNamespace(
        seat=seat,
        block=block,
        ruleset=SimpleNamespace(players=2, lowest_wins=lowest_wins),
        change=SimpleNamespace(substitutes={}, quick=False, action=draw(st.sampled_from([None, "pass"]))),
        base=SimpleNamespace(is_determined=False, seating=players),
        changed=SimpleNamespace(is_determined=False),
        is_determined=False,
        next_roll=SimpleNamespace(),
        has_equal_branches=draw(st.booleans()),
        result=(0, 0),
        result_ranks=(1, 1),
    )
    return WhatIf(
        fork=cast("Fork", fork),
        seed=0,
        luck_seed=0,
        rule=StoppingRule(budget=1000, margin=draw(st.sampled_from([None, 4.0]))),
        is_sequential=False,
        blocks=tuple(range(n)),
        strata=np.zeros(n, dtype=np.int64),
        shares=np.ones(1),
        base=branches[0],
        changed=branches[1],
        differing=branches[0].differs_from(branches[1]),
        is_over=True,
    )


def is_rounded(text: str, number: float) -> bool:
    if "e" in text:
        return float(text) == pytest.approx(number, rel=0.01)
    return abs(float(text) - number) <= 0.501 * 10.0 ** -len(text.partition(".")[2])


@scale_examples(0.5)
@given(drawn_whatifs())
def test_a_share_of_all_or_none_is_said_in_words(whatif: WhatIf) -> None:
    said = basis_sentence(whatif)
    number = r"\d+(?:\.\d+)?"
    span = rf"\({number} to {number} %\) of them differ"
    ends = "of them differ" if whatif.fork.is_determined else span
    assert bool(re.search(f"All {ends}", said)) == bool(whatif.differing.all())
    assert bool(re.search(f"None {ends}", said)) == (not whatif.differing.any())
    assert bool(re.search(rf"\d % {span}", said)) == (0 < whatif.differing.mean() < 1)


@scale_examples(0.5)
@given(drawn_whatifs())
def test_the_wins_of_both_branches_are_said_where_they_differ(whatif: WhatIf) -> None:
    said = win_chances_sentence(whatif)
    seat = whatif.fork.seat
    means = [shares[:, seat].mean() for shares in (whatif.base_win_shares, whatif.changed.win_shares)]
    if means[0] != means[1]:
        share = r"(\d+) % \([\d.]+ to [\d.]+ %\)"  # an end beside 0 or 100 has more digits
        found = re.fullmatch(rf"player {seat + 1} wins {share} as played and {share} with the change", said)
        assert found
        assert [float(number) for number in found.groups()] == pytest.approx(
            [100 * mean for mean in means], abs=0.501
        )


def check_score_words(said: str, who: str, change: Interval, margin: float | None) -> None:
    """Check that a change of a score is told if its interval excludes zero, and how."""
    numbers = re.search(rf"95 % interval {NUMBER} to {NUMBER}", said)
    assert numbers
    if change.low <= 0 <= change.high:
        is_equal = margin is not None and -margin <= change.low and change.high <= margin
        start = (
            f"the score of {who} is equal within 4 points"
            if is_equal
            else f"the score of {who} does not clearly change"
        )
        assert start in said
        ends: tuple[float, ...] = change[1:]
    else:
        told = re.search(rf"{who} scores {NUMBER} points? (more|fewer) ", said)
        assert told
        assert is_rounded(told[1], abs(change.estimate))
        assert told[2] == ("more" if change.estimate > 0 else "fewer")
        ends = tuple(sorted(map(abs, change[1:])))
        assert float(numbers[1]) > 0
    assert is_rounded(numbers[1], ends[0])
    assert is_rounded(numbers[2], ends[1])


def check_win_words(said: str, who: str, change: Interval) -> None:
    """Check that a change of wins is told if its interval excludes zero, and how."""
    percent = [100 * end for end in change]
    if change.low <= 0 <= change.high:
        told = re.fullmatch(
            rf"how often {who} wins does not clearly change \({NUMBER} to {NUMBER} of 100 games\)", said
        )
        assert told
        ends = percent[1:]
        texts = told.groups()
    else:
        told = re.fullmatch(rf"{who} wins {NUMBER} of 100 games (more|fewer) \({NUMBER} to {NUMBER}\)", said)
        assert told
        assert is_rounded(told[1], abs(percent[0]))
        assert told[2] == ("more" if percent[0] > 0 else "fewer")
        ends = sorted(map(abs, percent[1:]))
        texts = told.group(3, 4)
    assert all(is_rounded(text, end) for text, end in zip(texts, ends, strict=True))


@given(drawn_whatifs())
def test_the_answer_to_a_whatif_claims_what_its_continuations_show_and_no_more(found: WhatIf) -> None:
    said, seat, n = whatif_sentence(found), found.fork.seat, found.n
    difference = (found.changed.scores - found.base.scores)[:, seat].astype(float)
    if not found.differing.any():
        most = re.fullmatch(
            rf"nothing changes in any of {n} continuations; with 95 % confidence, something changes in at most {NUMBER} of 100 games",
            said,
        )
        assert most
        # Wilson's interval of no success, with Student's t in place of z: its end is t^2 / (n + t^2).
        t_squared = student.ppf(0.975, n - 1) ** 2
        assert float(most[1]) == pytest.approx(100 * t_squared / (n + t_squared), rel=0.05)
        return
    if n < MIN_BLOCKS:
        assert said == f"not enough continuations: {n} continuations, but at least {MIN_BLOCKS} are needed"
        return
    who = f"player {seat + 1}"
    score = found.score_difference(seat)
    assert score
    assert score.estimate == pytest.approx(difference.mean())
    if _is_open_move(found):  # the wins, by which moves are ranked, come first, and the words are the same
        wins_first, _, change_of_score = said.partition(f"; {n} continuations); ")
        said_wins = wins_first.replace("(95 % interval ", "(") + ")"
        points, _, span = change_of_score.rpartition("(")
        said = f"{points}({span}".replace("(", "(95 % interval ").replace(
            "interval fewer points win; ", "interval "
        )
        fewer = "fewer points win; " if "fewer points win" in span else ""
        said = f"{fewer}{said.removesuffix(')')}; {n} continuations); {said_wins}"
    first, _, wins = said.partition(f"; {n} continuations)")
    assert ("fewer points win" in first) == found.fork.ruleset.lowest_wins
    check_score_words(first, who, score, found.rule.margin)
    wins = wins.removeprefix("; ")
    before, after = (branch.win_shares[:, seat] for branch in (found.base, found.changed))
    change = found.seat_effect(seat).win_share
    assert change
    others = r" \(change: \S+ to \S+ of 100\)" if change.half_width else ""
    if (before != after).any():
        assert change.estimate == pytest.approx((after - before).mean())
        check_win_words(wins, who, change)
    elif set(before) in ({0.0}, {1.0}):
        same = f"{who} still {'wins' if before[0] else 'loses'} all {n} games"
        assert re.fullmatch(re.escape(same) + others, wins)
    else:
        assert re.fullmatch(re.escape(f"{who} wins the same of the {n} games") + others, wins)


def _is_open_move(found: WhatIf) -> bool:
    """Return whether another move changes who wins some games, and the win is open after one of the two moves.

    It is not open if the player wins below 5 of 100 games after both moves, or above 95 after the played one.
    """
    before, after = (branch.win_shares[:, found.fork.seat] for branch in (found.base, found.changed))
    is_open = max(before.mean(), after.mean()) >= 0.05 and before.mean() <= 0.95
    return bool(found.fork.change.action) and is_open and not np.array_equal(before, after)


@scale_examples(0.5)
@given(st.lists(drawn_whatifs(count=12), min_size=1, max_size=40))
def test_the_answer_about_many_games_claims_what_its_positions_show_and_no_more(played: list[WhatIf]) -> None:
    found = WhatIfPositions(tuple(played), {})
    said, blocks = positions_sentence(found), len({one.fork.block for one in played})
    basis = f"{len(played)} position{'s' * (len(played) != 1)} of {blocks} block{'s' * (blocks != 1)}"
    if blocks < MIN_BLOCKS:
        assert said == f"not enough games: {basis}, but at least {MIN_BLOCKS} blocks are needed"
        return
    seats = {one.fork.seat for one in played}
    who = f"player {seats.pop() + 1}" if len(seats) == 1 else "the acting player"
    names = list(dict.fromkeys(one.fork.base.seating[one.fork.seat].label for one in played))
    start = f"over {len(played)} games, "
    assert said.startswith(start)
    score, wins = found.score, found.win_share
    assert score
    assert wins
    means = [(one.changed.scores - one.base.scores)[:, one.fork.seat].mean() for one in played]
    assert score.estimate == pytest.approx(np.mean(means))  # a position counts once
    if len(names) > 1:
        check_strategies(said.removeprefix(start), who, found)
        return
    first, _, last = said.removeprefix(start).rpartition("; ")
    check_score_words(first.replace(f" ({names[0]})", ""), who, score, None)
    check_win_words(last, who, wins)
    check_levels("".join(list_win_sentences(found)), who, played)


def check_strategies(said: str, who: str, found: WhatIfPositions) -> None:
    """Check that each strategy which played the seat has the change of its own games, and that no mean mixes them."""
    wins = list(list_win_sentences(found))
    for name, text in zip(short_names(found.by_strategy).values(), said.split("; "), strict=True):
        group = WhatIfPositions(
            tuple(one for one in found.played if one.fork.base.seating[one.fork.seat].label == name), {}
        )
        number = len(group.played)
        whom = f"{who} ({name}, {number} game{'s' * (number != 1)})"
        assert whom in text
        if group.blocks < MIN_BLOCKS:
            assert text.startswith("there are not enough games of ")
            assert not any(whom in sentence for sentence in wins)
            continue
        assert group.score
        assert group.win_share
        check_score_words(text.replace(whom, who), who, group.score, None)
        (sentence,) = [sentence for sentence in wins if whom in sentence]
        check_win_words(sentence.partition(": ")[0].replace(whom, who), who, group.win_share)


def check_levels(said: str, who: str, played: list[WhatIf]) -> None:
    """Check that the wins on both branches are said where they differ, every game as much as another."""
    seats = [one.fork.seat for one in played]
    was = np.mean([one.base.win_shares[:, seat].mean() for one, seat in zip(played, seats, strict=True)])
    now = np.mean([one.changed.win_shares[:, seat].mean() for one, seat in zip(played, seats, strict=True)])
    if not said:
        assert was == pytest.approx(now)
        return
    share = r"([\d.]+) % \([\d.]+ to [\d.]+ %\)"
    found = re.fullmatch(rf"{who} wins {share} as played and {share} with the change", said)
    assert found
    assert [float(number) for number in found.groups()] == pytest.approx([100 * was, 100 * now], abs=0.501)


def test_what_many_games_gain_begins_with_the_largest_gain(small_run: Run) -> None:
    forks = iter_forks(small_run, range(20), "round:2", Change({0: "greedy"}), {})
    positions = WhatIfPositions(tuple(play_every_fork(forks, n=20, seed=1)), {})
    table = positions_table(positions, small_run.name)
    changes = [text.interval.estimate for text in table.list_values("change in score")]
    assert changes == sorted(changes, reverse=True)
    assert set(table.list_values("strategy")) == {"random → greedy"}
    links = [
        f"game-number={game}&move={move}"
        for game, move in zip(table.list_values("game"), table.list_values("move"), strict=True)
    ]
    assert [link.partition("&")[2] for link in table.links] == links
    assert positions_sentence(positions).startswith("over 10 games, player 1 (random) scores ")


def test_many_games_have_a_picture_of_wins_and_a_table_without_what_never_varies(small_run: Run) -> None:
    question = ManyGamesQuestion(
        run="made", seats=(0,), strategies=("greedy",), where="round:2", n=20, limit=20
    )
    *_, answer = iter_many_games_answers(question, small_run)
    wins = position_wins_chart(answer.positions)
    assert [row.at for row in wins.estimates] == ["as played", "with the change"]
    means = [interval.estimate * 100 for interval in answer.positions.measure_wins() if interval]
    assert [row.mean.estimate for row in wins.estimates] == pytest.approx(means)
    sheet = compose_many_games(answer, QuestionSource(only=(small_run,)).find_looks)
    part = next(part for part in sheet.parts if part.key == "gained")
    assert part.title == "Gained most: move 4, player 1, random \N{RIGHTWARDS ARROW} greedy"
    assert {"move", "player", "strategy"}.isdisjoint(part.content.columns)  # type: ignore[union-attr]
    whole = next(part for part in sheet.parts if part.key == "positions").numbers
    assert whole
    assert {"move", "player", "strategy"} <= {*whole.columns}
    assert len(whole.rows) == len(answer.positions.played), "files have gains, losses and what is neither"


def test_a_seat_that_two_strategies_played_has_an_answer_for_each_and_games_that_gained_and_lost(
    tmp_path: Path,
) -> None:
    design = design_simulation(Catalogue().rulesets["bloxx-2p"], ["greedy", "random"], blocks=24, seed=2)
    run = simulate_run(design, tmp_path / "mixed.duckdb", workers=1)
    question = ManyGamesQuestion(run="mixed", seats=(0,), strategies=("noisy",), where="round:5", n=20)
    *_, answer = iter_many_games_answers(question, run)
    assert {name: len(group.played) for name, group in answer.positions.by_strategy.items()} == {
        "greedy": 24,
        "random": 24,
    }
    sheet = compose_many_games(answer, QuestionSource(only=(run,)).find_looks)
    assert "player 1 (greedy, 24 games)" in sheet.verdict
    assert "player 1 (random, 24 games)" in sheet.verdict
    difference, wins = sheet.charts
    assert isinstance(difference, Histogram)
    assert [line.name for line in difference.series] == ["greedy", "random"]
    assert isinstance(wins, Intervals)
    assert [row.panel for row in wins.estimates] == ["greedy, 24 games"] * 2 + ["random, 24 games"] * 2
    gained, lost = (next(part for part in sheet.parts if part.key == key) for key in ("gained", "lost"))
    for part, sign in ((gained, 1), (lost, -1)):
        assert isinstance(part.content, Table)
        changes = [sign * text.interval.estimate for text in part.content.list_values("change in score")]
        assert 0 < len(changes) <= 10
        assert min(changes) > 0
        assert changes == sorted(changes, reverse=True)
    assert {*sheet.fields["strategies"]} == {"greedy", "random"}


def test_a_change_in_few_continuations_of_a_game_is_about_the_same(small_run: Run) -> None:
    """Two wins more in 40 continuations read "+2.8 (−16.7 to 83.2)"."""
    forks = iter_forks(small_run, range(20), "-2", Change({0: "greedy"}), {})
    positions = WhatIfPositions(tuple(play_every_fork(forks, n=12, seed=1)), {})
    table = positions_table(positions, small_run.name)
    by_game = {whatif.fork.game_id + 1: whatif for whatif in positions.played}
    is_same = []
    for game, text in zip(table.list_values("game"), table.list_values("change in wins of 100"), strict=True):
        whatif = by_game[int(game)]
        changed = (whatif.changed.win_shares != whatif.base_win_shares)[:, whatif.fork.seat]
        is_same.append(not whatif.is_single and np.count_nonzero(changed) < 6)
        assert (text == "about the same") == is_same[-1]
    assert any(is_same)


def test_people_do_not_read_the_parameters_of_quick_players() -> None:
    assert name_quick_players("noisy:sigma=0.5") == "if quick players (noisy) play on"


@scale_examples(0.5)
@given(st.lists(drawn_whatifs(count=12), min_size=10, max_size=40))
def test_the_change_of_wins_over_many_games_lies_within_what_its_branches_allow(played: list[WhatIf]) -> None:
    """Each branch at the level of 99 %: where both are known well, so is their difference, also if it was 0 in nearly all games."""
    found = WhatIfPositions(tuple(played), {})
    change, (was, now) = found.win_share, found.measure_wins(0.99)
    if len({one.fork.block for one in played}) < 2:
        assert change is None
        return
    assert change
    assert was
    assert now
    assert change.estimate == pytest.approx(now.estimate - was.estimate)
    assert change.low >= min(change.estimate, now.low - was.high) - 1e-9
    assert change.high <= max(change.estimate, now.high - was.low) + 1e-9
