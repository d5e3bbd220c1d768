"""Comparisons: reports agree with the tables of the run, and a strategy does not differ from itself."""

from __future__ import annotations

import json
import math
import re
import shutil
import time
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.strategies import COMMON_STRATEGIES
from engine.strategy import Strategy
from pipelines.design.designs import design_comparison, design_simulation, read_as_comparison
from pipelines.design.lineups import side_pairs
from pipelines.design.metrics import METRICS, PARTS_OF_A_WIN
from pipelines.experiments.comparison import (
    compare_outcomes,
    compare_strategies,
    find_first_difference,
    twin_games,
)
from pipelines.experiments.controls import MIRROR_BLOCKS, first_rolls, judge_rolls, mirror_difference
from pipelines.experiments.progressive import play_design_blocks
from pipelines.report.comparison import describe_parting, lead_dots, part_dots, parts_title
from pipelines.report.verdicts import list_consequences, write_comparison
from pipelines.runs.outcomes import (
    Outcomes,
    pair_columns,
    read_outcomes,
)
from pipelines.runs.run import Run
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.shards import play_shard
from pipelines.simulate.simulate import make_stopping_rule, simulate_run
from pipelines.statistics import win_shares
from pipelines.statistics.bounded_means import ValueBounds
from pipelines.viewer.palette import assign_looks
from tests.examples import scale_examples

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from pipelines.design.designs import ComparisonDesign


@pytest.mark.parametrize("ruleset", ["bloxx-3p", "blokus-4p", "blokus-dice-3p", "spexxx-2p"])
@pytest.mark.parametrize("strategy", ["greedy", "random"])
def test_a_strategy_against_itself_differs_by_exactly_zero_in_every_block(
    catalogue: Catalogue, tmp_path: Path, ruleset: str, strategy: str
) -> None:
    planned = design_comparison(catalogue.find_ruleset(ruleset), [strategy, strategy], blocks=12, seed=5)
    run = simulate_run(planned, tmp_path / "mirror.duckdb", workers=1)
    with run.connect() as connection:
        outcomes = read_outcomes(connection, planned)
    assert outcomes.scores.std() > 0
    for metric in METRICS.values():
        a, b = pair_columns(outcomes, (0, 1), metric)
        assert np.array_equal(a, b)
    found = compare_strategies(run)
    (pair,) = found.pairs
    assert pair.difference == (0.0, 0.0, 0.0)
    assert (pair.p, pair.differing.estimate, pair.verdict.kind) == (1.0, 0.0, "identical")
    assert all(part.difference == (0.0, 0.0, 0.0) for part in pair.parts)
    assert (
        write_comparison(found)
        == f"no difference between {strategy} and {strategy} in any of {12 * planned.rotations} games"
    )


def outcomes_of_equal_blocks(design: ComparisonDesign, greedy: int, random: int, blocks: int) -> Outcomes:
    """Return outcomes of a duel in which each strategy has the same score in every game."""
    scores = np.array([[(greedy, random)[side] for side in seating] for seating in design.seatings])
    scores = np.tile(scores, (blocks, 1, 1))
    order = scores if design.rules.lowest_wins else -scores
    ranks = 1 + (order[..., None, :] < order[..., None]).sum(axis=-1)
    wins = np.rint(win_shares(ranks) * PARTS_OF_A_WIN).astype(np.int16)
    return Outcomes(design, np.arange(blocks, dtype=np.uint32), scores, ranks.astype(np.uint8), wins)


@scale_examples(0.3)
@given(
    greedy=st.integers(-60, 60),
    random=st.integers(-60, 60),
    blocks=st.sampled_from([10, 100, 400]),
    metric=st.sampled_from(["score", "margin", "win"]),
    until_decided=st.booleans(),
)
def test_equal_blocks_leave_room_for_others(
    *, greedy: int, random: int, blocks: int, metric: str, until_decided: bool
) -> None:
    """N equal blocks do not prove that the next block is equal, so no interval is a point."""
    design = design_comparison(
        Catalogue().find_ruleset("bloxx-2p"),
        ["greedy", "random"],
        blocks=400,
        until_decided=until_decided,
        metric=metric,
        seed=1,
    )
    found = compare_outcomes(outcomes_of_equal_blocks(design, greedy, random, blocks))
    (pair,) = found.pairs
    if until_decided and blocks < 100:
        assert pair.difference is None
        return
    intervals = [pair.difference, pair.mean_a, pair.mean_b, pair.win_share]
    intervals += [number for side in found.sides for number in (side.score, side.win_share)]
    intervals += [number for edge in found.seats for number in (edge.score, edge.win_share)]
    for interval in intervals:
        assert interval
        assert interval.low < interval.high
    assert pair.difference
    sign = np.sign(greedy - random)
    scale = {"score": greedy - random, "margin": 2 * (greedy - random), "win": sign}[metric]
    assert pair.difference.estimate == pytest.approx(scale)
    if metric == "win":
        assert -1 <= pair.difference.low <= pair.difference.high <= 1
        assert pair.verdict.kind == {1: "more", -1: "fewer", 0: "identical"}[sign]
    assert pair.detectable is None


def test_the_rule_stops_on_the_interval_of_the_report_also_if_all_blocks_are_equal() -> None:
    """A lead of one point in every block may still be chance where scores differ by 80."""
    design = design_comparison(
        Catalogue().find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=400, until_decided=True, seed=1
    )
    rule = make_stopping_rule(design)
    wide = rule.judge_differences(np.ones(100), ValueBounds(-80, 80))
    assert (wide.decision, wide.is_over) == ("undecided", False)
    near = rule.judge_differences(np.ones(100), ValueBounds(-2, 2))
    assert near.decision == "more"
    assert near.interval
    assert 0 < near.interval.low < 1 < near.interval.high < 2
    varied = np.random.default_rng(2).normal(1, 2, 100)
    assert rule.judge_differences(varied, ValueBounds(-80, 80)) == rule.judge_differences(varied)


def test_a_run_that_stops_on_equal_blocks_has_a_width_and_agrees_with_its_rule(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    """Greedy wins every game; the report once said "100 to 100"."""
    planned = design_comparison(
        catalogue.find_ruleset("bloxx-2p"),
        ["greedy", "random"],
        until_decided=True,
        metric="win",
        seed=7,
        log="scores",
    )
    found = compare_strategies(simulate_run(planned, tmp_path / "wins.duckdb", workers=1))
    (pair,) = found.pairs
    assert (found.blocks, pair.decision) == (100, "more")
    assert pair.difference
    assert 0.5 < pair.difference.low < pair.difference.estimate == pair.difference.high == 1
    assert "100 to 100" not in write_comparison(found)


def test_a_part_without_points_has_an_interval(duel_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty.duckdb"
    shutil.copyfile(duel_run.path, path)
    name = "gaps"
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE parts SET points = 0 WHERE part = ?", [name])
    parts = compare_strategies(Run(path), metric="score", with_controls=False).pairs[0].parts
    (empty,) = (part.difference for part in parts if part.part == name)
    assert empty.low < empty.estimate == 0 < empty.high < 0.5
    others = [part for part in parts if part.part != name]
    assert others == [part for part in compare_strategies(duel_run).pairs[0].parts if part.part != name]


def test_the_difference_of_a_duel_is_that_within_each_game(duel_run: Run) -> None:
    """The reference is computed game by game from the table seats."""
    with duel_run.connect() as connection:
        rows = connection.execute("SELECT game_id, strategy, score FROM seats").fetchall()
        found = pair_columns(
            read_outcomes(connection, read_as_comparison(duel_run.design)), (0, 1), METRICS["score"]
        ).differences
    for block in range(12):
        games = []
        for game in range(block * 6, block * 6 + 6):
            own = {
                name: [score for g, n, score in rows if (g, n) == (game, name)]
                for name in ("greedy", "random")
            }
            games.append(np.mean(own["greedy"]) - np.mean(own["random"]))
        assert math.isclose(found[block], np.mean(games), rel_tol=1e-12)


def test_margins_and_win_shares_are_those_of_the_raw_table(duel_run: Run) -> None:
    with duel_run.connect() as connection:
        outcomes = read_outcomes(connection, read_as_comparison(duel_run.design))
        games = connection.execute(
            """
            SELECT game_id // 6 AS block, game_id,
              max(score) FILTER (strategy = 'greedy') - max(score) FILTER (strategy = 'random') AS lead,
              sum(win_share) FILTER (strategy = 'greedy') AS wins
            FROM seats GROUP BY ALL ORDER BY game_id"""
        ).fetchall()
    leads = np.array([lead for _, _, lead, _ in games], float).reshape(12, 6).mean(axis=1)
    wins = np.array([win for *_, win in games]).reshape(12, 6).mean(axis=1)
    assert np.allclose(pair_columns(outcomes, (0, 1), METRICS["margin"]).differences, 2 * leads)
    assert np.allclose(pair_columns(outcomes, (0, 1), METRICS["win"]).differences, 2 * wins - 1)
    share = compare_strategies(duel_run).pairs[0].win_share
    assert share is not None
    assert math.isclose(share.estimate, wins.mean())


@pytest.mark.slow
def test_every_pair_of_a_round_robin_is_its_own_duel(
    catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers of a pair do not depend on the third strategy."""
    first = Strategy("first", "The first legal action.", lambda: lambda state, _: state.actions[0])
    monkeypatch.setattr("engine.strategies.COMMON_STRATEGIES", (*COMMON_STRATEGIES, first))
    ruleset = catalogue.find_ruleset("bloxx-3p")
    sides = ["random", "first", "greedy"]
    whole = simulate_run(
        design_comparison(ruleset, sides, blocks=10, seed=3), tmp_path / "all.duckdb", workers=1
    )
    found = compare_strategies(whole)
    assert [pair.sides for pair in found.pairs] == side_pairs(3)
    assert [rating.strategy for rating in found.ratings] == sides
    for pair in found.pairs:
        alone = design_comparison(ruleset, [pair.a, pair.b], blocks=10, seed=3)
        duel = compare_strategies(simulate_run(alone, tmp_path / f"{pair.a}.duckdb", workers=1)).pairs[0]
        assert pair.difference == duel.difference
        assert pair.win_share == duel.win_share
        assert pair.parts == duel.parts
        assert pair.p == duel.p <= pair.p_holm
    with whole.connect() as connection:
        raw = connection.execute(
            """
            SELECT avg(score) FILTER (strategy = 'greedy') - avg(score) FILTER (strategy = 'first') AS difference
            FROM seats SEMI JOIN (FROM seats WHERE strategy = 'first') USING (game_id)
            SEMI JOIN (FROM seats WHERE strategy = 'greedy') USING (game_id)
            GROUP BY game_id"""
        ).fetchall()
    (between,) = (pair for pair in found.pairs if (pair.a, pair.b) == ("first", "greedy"))
    assert between.difference is not None
    assert len(raw) == 60
    assert math.isclose(between.difference.estimate, -sum(value for (value,) in raw) / 60)
    assert re.fullmatch(
        r"greedy leads: [\d.]+ points ahead of (random|first), [\d.]+ ahead of (random|first) \(60 games each\)",
        write_comparison(found),
    )


def test_parts_add_up_to_the_difference_of_scores(duel_run: Run, opening_run: Run) -> None:
    for run in (duel_run, opening_run):
        (pair,) = compare_strategies(run, metric="score").pairs
        assert pair.difference is not None
        assert math.isclose(sum(part.difference.estimate for part in pair.parts), pair.difference.estimate)
        assert len(pair.parts) == len(run.design.game.parts)


def test_the_largest_part_is_named_only_if_the_verdict_on_the_same_points_agrees(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    """Greedy wins clearly more games than noisy, but its points differ so unevenly that 20 blocks do not settle them."""
    planned = design_comparison(
        catalogue.find_ruleset("blokus-dice-3p"),
        ["greedy", "noisy", "random"],
        metric="win",
        blocks=20,
        seed=5,
    )
    run = simulate_run(planned, tmp_path / "skewed.duckdb", workers=1)
    by_points = compare_strategies(run, metric="score", with_controls=False).pairs
    by_wins = compare_strategies(run, with_controls=False)
    assert write_comparison(by_wins).startswith("greedy leads")
    assert [pair.verdict.kind for pair in by_points] == ["undecided", "fewer", "fewer"]
    assert not any("largest difference" in one for one in list_consequences(by_wins))
    for pair in by_points:
        (squares,) = (part for part in pair.parts if part.part == "squares")
        assert squares.least_blocks == pair.verdict.findings.least_blocks


def test_the_lowest_score_is_better_where_it_wins(catalogue: Catalogue, tmp_path: Path) -> None:
    planned = design_comparison(
        catalogue.find_ruleset("blokus-dice-2p"), ["greedy", "random"], blocks=20, seed=7
    )
    run = simulate_run(planned, tmp_path / "dice.duckdb", workers=1)
    for metric, positive in (("score", False), ("margin", True), ("win", True)):
        (pair,) = compare_strategies(run, metric=metric).pairs
        assert pair.difference is not None
        assert (pair.difference.estimate > 0) == positive
        assert pair.verdict.better == "greedy"
        assert pair.better is not None
        assert pair.better.estimate > 0.5


def test_a_seat_is_compared_with_its_own_game_and_controls_hold(duel_run: Run) -> None:
    found = compare_strategies(duel_run)
    with duel_run.connect() as connection:
        edges = connection.execute(
            "SELECT avg(edge), stddev_samp(edge) / sqrt(count(*)) FROM (SELECT seat, block, avg(score - mean) AS edge FROM "
            "(SELECT *, avg(score) OVER (PARTITION BY game_id) AS mean FROM seats) JOIN games USING (game_id) "
            "GROUP BY ALL) GROUP BY seat ORDER BY seat"
        ).fetchall()
    for seat, (mean, error) in zip(found.seats, edges, strict=True):
        assert seat.score is not None
        half = 2.201 * error  # of Student's distribution with 11 degrees of freedom
        assert seat.score == pytest.approx((mean, mean - half, mean + half), abs=1e-3)
    assert {control.name: control.holds for control in found.controls} == {
        "mirror": True,
        "blocks": True,
        "same luck": True,
        "dice": True,
    }


def test_controls_find_altered_games(duel_run: Run, opening_run: Run, tmp_path: Path) -> None:
    def controls_after(run: Run, sql: str) -> dict[str, bool | None]:
        path = tmp_path / "changed.duckdb"
        path.unlink(missing_ok=True)
        shutil.copyfile(run.path, path)
        with duckdb.connect(path) as connection:
            connection.execute(sql)
        return {control.name: control.holds for control in compare_strategies(Run(path)).controls}

    first = "(SELECT min(action) FROM ply_rows WHERE seat = -1)"
    assert controls_after(duel_run, f"UPDATE ply_rows SET action = {first} WHERE seat = -1")["dice"] is False  # noqa: S608
    assert (
        controls_after(duel_run, "UPDATE ply_rows SET action = action + 1 WHERE ply = 0 AND game_id = 3")[
            "same luck"
        ]
        is False
    )
    assert (
        controls_after(duel_run, "UPDATE seats SET score = seat, win_share = 0, rank = 1")["blocks"] is False
    )
    assert (
        controls_after(opening_run, "UPDATE ply_rows SET action = action + 1 WHERE ply = 2 AND game_id = 3")[
            "same luck"
        ]
        is False
    )
    assert controls_after(opening_run, "SELECT 1")["dice"] is None


@pytest.mark.parametrize(("name", "rolls"), [("spexxx-4p", 160), ("bloxx-2p", 4000)])
def test_the_control_of_the_dice_fails_for_loaded_dice_and_in_no_library_of_fair_ones(
    catalogue: Catalogue, name: str, rolls: int
) -> None:
    """4,000 runs with fair dice: none fails, about one of a thousand is called unusual."""
    found = first_rolls(catalogue.find_ruleset(name))
    assert found is not None
    _, probabilities, every_round = found
    what, fair, random = "round" if every_round else "game", np.array(probabilities), np.random.default_rng(1)
    controls = [judge_rolls(counts, fair, what) for counts in random.multinomial(rolls, fair, 4000)]
    assert all(control.holds for control in controls)
    assert 1 <= sum("no reason to doubt" in control.says for control in controls) <= 20
    loaded = np.where(np.arange(len(fair)) < len(fair) // 2, 1.9, 0.1) * fair
    counts = random.multinomial(rolls, loaded / loaded.sum())
    assert judge_rolls(counts, fair, what).holds is False


def test_the_control_of_the_dice_says_which_rolls_it_tests(catalogue: Catalogue) -> None:
    for name, tested in (
        ("bloxx-2p", "the first rolls of 72 rounds, 36 outcomes: chi"),
        ("blokus-dice-2p", "(later rolls are not tested): chi"),
    ):
        found = first_rolls(catalogue.find_ruleset(name))
        assert found is not None
        counts = np.full(len(found[0]), 2)
        assert tested in judge_rolls(counts, np.array(found[1]), "round" if found[2] else "game").says


def test_a_strategy_that_differs_from_itself_is_reported(
    duel_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.strategies import read_player
    from pipelines.simulate import compiled_games

    planned = read_as_comparison(duel_run.design)
    assert mirror_difference(planned, "greedy")[1] is False
    monkeypatch.setattr(compiled_games, "find_design_kernel", lambda _: None)
    drawn = iter(range(1_000_000))
    real = read_player(planned.game, "random")
    unkeyed = type(real)(
        "random",
        real.strategy,
        real.parameters,
        lambda state, _: state.actions[next(drawn) % len(state.actions)],
    )
    monkeypatch.setattr("pipelines.design.own_strategies.read_player", lambda *_: unkeyed)
    assert mirror_difference(planned, "random")[1] is True


def test_the_mirror_games_do_not_depend_on_how_long_the_first_block_takes(
    duel_run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play_slowly(design: ComparisonDesign, block: range) -> dict[str, pa.Table]:
        time.sleep(0.6)  # as a game that is compiled meanwhile
        monkeypatch.undo()
        return play_design_blocks(design, block)

    planned = read_as_comparison(duel_run.design)
    monkeypatch.setattr("pipelines.experiments.controls.play_design_blocks", play_slowly)
    assert mirror_difference(planned, "greedy") == (MIRROR_BLOCKS, False)
    assert mirror_difference(planned, "rollout:playouts=1,candidates=1") == (1, False)


def test_the_first_roll_of_every_round_is_found_if_all_rounds_begin_alike(catalogue: Catalogue) -> None:
    rolls = first_rolls(catalogue.find_ruleset("bloxx-2p"))
    assert rolls is not None
    assert (len(rolls[0]), math.isclose(sum(rolls[1]), 1), rolls[2]) == (36, True, True)
    assert first_rolls(catalogue.find_ruleset("blokus-duo")) is None


def test_twin_games_are_sorted_by_difference_and_part_where_their_logs_part(duel_run: Run) -> None:
    found = twin_games(duel_run, (0, 1), limit=1000)
    assert len(found) == 12 * 3
    sizes = [abs(twin.difference) for twin in found]
    assert sizes == sorted(sizes, reverse=True)
    for twin in found[:5]:
        a, b = duel_run.list_seats(twin.game_a)[twin.seat], duel_run.list_seats(twin.game_b)[twin.seat]
        assert (a.strategy, b.strategy) == ("greedy", "random")
        assert (a.score, b.score, a.score - b.score) == (twin.score_a, twin.score_b, twin.difference)
        assert duel_run.game(twin.game_a).block == duel_run.game(twin.game_b).block == twin.block
        parted = find_first_difference(duel_run, twin.game_a, twin.game_b)
        assert parted is not None
        one, other = duel_run.actions(twin.game_a), duel_run.actions(twin.game_b)
        assert one[: parted.ply] == other[: parted.ply]
        assert one[parted.ply] != other[parted.ply]
        steps = [duel_run.scene(game)["steps"][parted.ply] for game in (twin.game_a, twin.game_b)]
        for step, words in zip(steps, (parted.step_a, parted.step_b), strict=True):
            assert words is not None
            assert step["caption"].startswith(words.partition(" (")[0])
        assert parted.step_a != parted.step_b
        said = describe_parting(twin, parted, "greedy", "random")
        assert f"in that of greedy, player {steps[0]['seat'] + 1} " in said
        assert said.endswith(f" ends with {twin.score_a} points as greedy and {twin.score_b} as random.")
    assert find_first_difference(duel_run, 3, 3) is None
    with pytest.raises(InvalidError, match="has no pair"):
        twin_games(duel_run, (0, 2))


def test_twin_games_of_an_unfinished_run_have_the_numbers_of_their_blocks(
    duel_run: Run, tmp_path: Path
) -> None:
    planned = duel_run.design.model_copy(update={"shard_blocks": 4})
    partial = begin_run(tmp_path / "run.duckdb", planned, free_name=False)
    play_shard(partial.folder, planned.model_dump_json(), 1)  # another worker still plays the first shard
    whole = twin_games(duel_run, (0, 1), limit=1000)
    assert set(twin_games(partial, (0, 1), limit=1000)) == {twin for twin in whole if 4 <= twin.block < 8}


def test_a_simulation_with_every_strategy_on_every_seat_can_be_compared(
    small_run: Run, catalogue: Catalogue, tmp_path: Path
) -> None:
    found = compare_strategies(small_run)
    assert (found.arrangement, found.pairs[0].a, found.pairs[0].b) == ("rotate", "greedy", "random")
    same = simulate_run(
        design_simulation(catalogue.find_ruleset("bloxx-2p"), ["random", "random"], blocks=2),
        tmp_path / "x.duckdb",
        workers=1,
    )
    with pytest.raises(InvalidError, match="the run is neither a comparison"):
        compare_strategies(same)


def test_a_report_is_json_without_infinities(duel_run: Run) -> None:
    text = json.dumps(compare_strategies(duel_run).as_json(), allow_nan=False)
    read_back = json.loads(text)
    assert read_back["pairs"][0]["difference"]["low"] > 0
    assert read_back["ratings"][0]["elo"].keys() == {"estimate", "low", "high"}


def test_a_run_without_some_results_is_refused_in_one_line(duel_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "lacking.duckdb"
    shutil.copyfile(duel_run.path, path)
    with duckdb.connect(path) as connection:
        connection.execute("DELETE FROM seats WHERE game_id = 4 AND seat = 1")
    with pytest.raises(InvalidError, match="some blocks of the run are incomplete"):
        compare_strategies(Run(path))


def test_charts_of_a_pair_subtract_the_loser_from_the_winner(catalogue: Catalogue, tmp_path: Path) -> None:
    planned = design_comparison(catalogue.find_ruleset("bloxx-2p"), ["random", "greedy"], blocks=12, seed=7)
    comparison = compare_strategies(simulate_run(planned, tmp_path / "turned.duckdb", workers=1))
    (pair,), looks = comparison.pairs, assign_looks(comparison.strategies)
    assert (pair.a, pair.verdict.better) == ("random", "greedy")
    dots = part_dots(comparison, pair, {}, looks)
    assert [dot.mean for dot in dots] == [part.difference.times(-1) for part in pair.parts]
    assert {dot.name for dot in dots} == {"greedy − random"}
    assert parts_title(comparison, pair) == "points of greedy minus those of random"
    (row,) = lead_dots(comparison, looks)
    assert row.at == "ahead of random"
    assert row.mean.low > 0
