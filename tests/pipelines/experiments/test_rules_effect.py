"""The effect of a rule: paired differences are correct, and exactly zero between a ruleset and itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.errors import InvalidError
from pipelines.design.design import design_simulation
from pipelines.experiments.rules_effect import RulesEffect, play_rules_effect, rules_effect_sentence
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import t_interval

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue


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
    assert {tuple(difference or ()) for difference in changes} == {(0.0, 0.0, 0.0)}
    assert found.differing_share.estimate == 0
    assert rules_effect_sentence(found).startswith("no game ends differently under")


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


def test_the_difference_is_the_paired_interval_of_block_means(catalogue: Catalogue) -> None:
    found = last_effect(catalogue, "bloxx-2p", "bloxx-rest-2p", "greedy", "random")
    greedy = found.scores[0]
    assert greedy.of == "greedy"
    assert greedy.difference == t_interval(found.b.mean_scores("greedy") - found.a.mean_scores("greedy"))
    assert greedy.difference is not None
    assert greedy.difference.high < -20  # with this rule greedy falls from 41 points to -18
    assert "greedy scores" in rules_effect_sentence(found)
    assert "fewer" in rules_effect_sentence(found)


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
