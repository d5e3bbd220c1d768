"""The design of a comparison: every two sides meet in every seat, on the same luck."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.actions import CHANCE
from engine.errors import InvalidError
from engine.luck import Luck
from pipelines.design.designs import design_comparison, design_simulation, read_as_comparison, read_design
from pipelines.design.lineups import (
    meeting_seatings,
    pair_duel_seatings,
    round_robin_seatings,
    side_pairs,
    twin_seatings,
)
from pipelines.design.openings import opening_plies_needed, play_opening

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_in_a_duel_both_sides_sit_alone_on_every_seat_once(seats: int) -> None:
    seatings = pair_duel_seatings(0, 1, seats)
    assert len(set(seatings)) == len(seatings)
    alone = [
        (seating.index(side), side) for seating in seatings for side in (0, 1) if seating.count(side) == 1
    ]
    assert sorted(alone) == [(seat, side) for seat in range(seats) for side in (0, 1)]
    assert Counter(side for seating in seatings for side in seating) == {
        side: len(seatings) * seats // 2 for side in (0, 1)
    }


def test_in_a_round_robin_every_two_sides_have_their_own_duel() -> None:
    seatings = round_robin_seatings(4, 3)
    assert len(seatings) == 6 * 6
    for pair in side_pairs(4):
        assert tuple(seatings[number] for number in meeting_seatings(seatings, pair)) == pair_duel_seatings(
            *pair, 3
        )


def test_twins_seat_one_side_then_the_other_alone_on_the_same_seat() -> None:
    seatings = round_robin_seatings(3, 4)
    for a, b in side_pairs(3):
        twins = twin_seatings(seatings, (a, b))
        assert [seat for seat, _, _ in twins] == [0, 1, 2, 3]
        for seat, first, second in twins:
            assert seatings[first] == tuple(a if place == seat else b for place in range(4))
            assert seatings[second] == tuple(b if place == seat else a for place in range(4))


def test_two_strategies_meet_in_a_duel_and_more_in_a_round_robin(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("spexxx-2p")
    two = design_comparison(ruleset, ["greedy", "random"], blocks=5, seed=4)
    assert (two.contest.arrangement, two.rotations, two.games) == ("duel", 2, 10)
    rotated = design_comparison(
        catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=5, arrangement="rotate"
    )
    assert rotated.seatings == ((0, 1), (1, 0))


def test_a_strategy_against_itself_is_two_sides(catalogue: Catalogue) -> None:
    mirror = design_comparison(catalogue.find_ruleset("bloxx-3p"), ["greedy", "greedy"], blocks=5)
    assert mirror.rotations == 6
    assert {mirror.strategies_by_seat(rotation) for rotation in range(6)} == {("greedy", "greedy", "greedy")}


def test_a_comparison_reads_back_from_its_document(catalogue: Catalogue) -> None:
    design = design_comparison(
        catalogue.find_ruleset("blokus-duo"),
        ["greedy", "random"],
        blocks=700,
        until_decided=True,
        metric="win",
    )
    assert read_design(design.model_dump_json(), "here") == design
    other = design.model_dump_json().replace("[[0,1],[1,0]]", "[[0,1],[0,1]]")
    with pytest.raises(InvalidError, match="seatings: they do not follow from this line-up"):
        read_design(other, "here")


def test_the_command_of_a_comparison_has_all_its_options(catalogue: Catalogue) -> None:
    design = design_comparison(
        catalogue.find_ruleset("blokus-duo"),
        ["greedy", "random"],
        blocks=700,
        until_decided=True,
        margin=1.5,
        seed=9,
    )
    assert design.command == (
        "reroll compare blokus-duo greedy random --design duel --metric score --margin 1.5 --until-decided "
        "--blocks 700 --opening 2 --seed 9"
    )
    cut = design.model_copy(update={"blocks": 300})
    assert cut.command == design.command


def test_a_design_cut_at_the_end_of_a_shard_has_the_first_of_its_shards(catalogue: Catalogue) -> None:
    whole = design_comparison(
        catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], blocks=5_030, until_decided=True
    )
    for size in (1, 7, 40, 1000):
        shards = whole.model_copy(update={"shard_blocks": size}).shards
        assert [block for shard in shards for block in shard] == list(range(5_030))
        assert {shard.stop for shard in shards} >= set(whole.contest.look_schedule)
        for number in (1, len(shards) // 2, len(shards)):
            cut = whole.model_copy(update={"shard_blocks": size, "blocks": shards[number - 1].stop})
            assert cut.shards == shards[:number]


def test_looks_come_after_a_twentieth_more_blocks(catalogue: Catalogue) -> None:
    contest = design_comparison(
        catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"], until_decided=True
    ).contest
    steps = list(zip(contest.look_schedule, contest.look_schedule[1:], strict=False))
    assert (contest.look_schedule[0], contest.look_schedule[-1]) == (100, 100_000)
    assert all(look % 100 == 0 for look in contest.look_schedule)
    assert all(100 <= after - before <= max(100, before / 20) for before, after in steps)


def test_only_games_without_dice_get_openings(catalogue: Catalogue) -> None:
    wanted = {
        "blokus-4p": 4,
        "blokus-2p": 4,
        "blokus-duo": 2,
        "bloxx-3p": 0,
        "blokus-dice-3p": 0,
        "spexxx-2p": 0,
    }
    assert {name: opening_plies_needed(catalogue.find_ruleset(name)) for name in wanted} == wanted


def test_an_opening_is_legal_depends_on_the_block_and_leaves_the_dice_alone(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("bloxx-2p")
    openings = set()
    for block in range(20):
        state, plies = play_opening(ruleset, Luck(3, block), 5)
        assert (state, plies) == play_opening(ruleset, Luck(3, block), 5)
        assert sum(ply.seat != CHANCE for ply in plies) == 5
        replayed = games.start_state(ruleset)
        for ply in plies:
            assert ply.action in replayed.actions
            if replayed.seat == CHANCE:
                assert ply.action == replayed.chance_outcome(Luck(3, block))
            replayed = replayed.play(ply.action)
        assert replayed == state
        openings.add(tuple(ply.action for ply in plies))
    assert len(openings) == 20


@pytest.mark.parametrize(
    ("strategies", "options", "message"),
    [
        (["greedy"], {}, "a comparison takes from 2 to"),
        (["greedy", "gredy"], {}, "did you mean greedy?"),
        (
            ["greedy", "random"],
            {"arrangement": "cup"},
            "design: expected rotate or duel or round-robin, not 'cup'",
        ),
        (["greedy", "random"], {"arrangement": "rotate"}, "bloxx-3p has 3 seats, so --design rotate takes 3"),
        (["greedy", "random", "greedy"], {}, "greedy is named twice"),
        (["greedy", "random"], {"metric": "elo"}, "metric: expected score or margin or win, not 'elo'"),
        (["greedy", "random"], {"margin": 0.0}, "margin: expected a difference above 0"),
        (["greedy", "random"], {"margin": float("nan")}, "margin: expected a difference above 0"),
        (["greedy", "random"], {"blocks": 0}, "blocks: expected from 1 to"),
        (["greedy", "random"], {"blocks": 99, "until_decided": True}, "blocks: expected from 100 to"),
        (["greedy", "random"], {"blocks": 1 << 32}, "blocks: expected from 1 to"),
        (["greedy", "random"], {"opening": 99}, "opening: expected from 0 to"),
        (["greedy", "random"], {"log": "all"}, "log: expected full, scores or sample=F"),
        (["greedy", "random"], {"seed": -1}, "seed: expected a number from 0"),
    ],
)
def test_an_impossible_comparison_is_refused_in_one_line(
    catalogue: Catalogue, strategies: list[str], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidError) as caught:
        design_comparison(catalogue.find_ruleset("bloxx-3p"), strategies, **options)  # type: ignore[arg-type]  # wrong on purpose
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_simulation_of_different_strategies_on_all_seats_is_a_comparison(ruleset: Ruleset) -> None:
    """Games that were played elsewhere are not blocks: nobody knows whether the games of a block had the same luck."""
    simulated = design_simulation(ruleset, ["greedy", "random"], blocks=4, seed=3)
    compared = read_as_comparison(simulated)
    assert (compared.contest.arrangement, compared.seatings) == ("rotate", simulated.seatings)
    assert read_as_comparison(compared) is compared
    imported = read_design(json.dumps({**json.loads(simulated.run_document), "kind": "import"}), "the file")
    for other in (imported, design_simulation(ruleset, ["greedy", "random"], blocks=4, rotate=False)):
        with pytest.raises(InvalidError, match="the run is neither a comparison"):
            read_as_comparison(other)
