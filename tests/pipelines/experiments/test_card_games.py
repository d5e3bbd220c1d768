"""The games behind a card: restricted play, with games of known worth and games that are counted by hand, duels and forks."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from engine import games
from engine.game import Restriction
from engine.games.bloxx.ruleset import face_bit
from engine.games.bloxx.strategies import forbid_faces
from engine.luck import Luck
from engine.play import play_out
from engine.state import State
from engine.strategies import read_player
from engine.strategy import Player, Strategy
from pipelines.design.designs import design_simulation
from pipelines.design.openings import play_opening
from pipelines.experiments.card_games import CardForks, LoggedGame, RestrictedGames, measure_duel
from pipelines.experiments.progressive import play_design_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.catalogue import Catalogue
    from pipelines.design.design import Design

BLOCKS = 20
GOLD, NOTHING, SILVER = 2, 0, 1


class ToyPosition(NamedTuple):
    """What everybody has taken, and who may not take what."""

    taken: tuple[int, ...] = ()
    barred: tuple[tuple[int, int], ...] = ()


class ToyState(State):
    """Two players take gold, which is worth a point, or nothing. Nobody can ever take silver."""

    ruleset = SimpleNamespace(name="toy", game="toy", players=2, lowest_wins=False)  # type: ignore[assignment]
    round = 0

    def __init__(self, position: ToyPosition) -> None:
        self.position = position
        self.seat = len(position.taken)

    @property
    def actions(self) -> Sequence[int]:
        if self.seat == 2:
            return ()
        return (NOTHING,) if (self.seat, GOLD) in self.position.barred else (NOTHING, GOLD)

    def play(self, action: int) -> ToyState:
        return ToyState(self.position._replace(taken=(*self.position.taken, action)))

    def chance_outcome(self, luck: Luck) -> int:
        raise NotImplementedError

    probabilities = parts = ()

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(int(what == GOLD) for what in (*self.position.taken, NOTHING, NOTHING)[:2])

    def __str__(self) -> str:
        return str(self.position)


def bar_action(action: int, state: ToyState, seat: int) -> ToyState:
    return ToyState(state.position._replace(barred=((seat, action),)))


def test_the_only_winning_action_is_worth_everything_and_one_that_is_never_legal_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")
    best = Player("best", Strategy("best", "", None), {}, lambda state, _: max(state.actions))
    monkeypatch.setattr("pipelines.experiments.card_games.read_player", lambda *_: best)
    monkeypatch.setattr(games, "start_state", lambda _: ToyState(ToyPosition()))
    restrictions = [
        Restriction(name, "", partial(bar_action, action))
        for name, action in (("gold", GOLD), ("silver", SILVER))
    ]
    design: Any = SimpleNamespace(
        game=SimpleNamespace(restrictions=lambda _: restrictions),
        rules=ToyState.ruleset,
        lineup=["best"],
        seed=1,
        opening=0,
        seats=2,
    )
    lost = RestrictedGames(design).measure_losses(
        range(BLOCKS), np.full((BLOCKS, 2), 0.5), np.ones((BLOCKS, 2))
    )
    assert lost["worth"].tolist() == [[0.5, 0.0]] * BLOCKS
    assert lost["worth-points"].tolist() == [[1.0, 0.0]] * BLOCKS


def play_free_games(design: Design) -> tuple[Any, Any]:
    """Return the wins and the scores of the games without a restriction, both (blocks, seats)."""
    seats = play_design_blocks(design, range(design.blocks))["seats"]
    return tuple(  # type: ignore[return-value]
        np.asarray(seats[name].to_numpy(), np.float64).reshape(-1, design.seats)
        for name in ("win_share", "score")
    )


@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_shape_on_no_die_is_worth_exactly_nothing(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, *, is_compiled: bool
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", str(int(is_compiled)))
    design = design_simulation(catalogue.find_ruleset("bloxx-mini"), ["noisy"] * 2, blocks=BLOCKS, seed=4)
    restricted = RestrictedGames(design)
    restricted.restrictions = [Restriction("no shape", "", partial(forbid_faces, face_bit(1, 19)))]
    lost = restricted.measure_losses(range(BLOCKS), *play_free_games(design))
    for values in lost.values():
        assert not values.any()


@pytest.mark.parametrize("name", ["blokus-dice-mini", "blokus-duo"])
def test_losses_are_counted_as_by_hand(name: str, catalogue: Catalogue) -> None:
    """The readable rules play the games of some blocks; fewer squares are better in Blokus Dice."""
    ruleset = catalogue.find_ruleset(name)
    game = games.find_game(ruleset.game)
    decide, opening = read_player(game, "greedy").decide, 2 * (name == "blokus-duo")
    design = design_simulation(ruleset, ["greedy"] * 2, blocks=2, seed=9).model_copy(
        update={"opening": opening}
    )
    lost = RestrictedGames(design).measure_losses(range(2), *play_free_games(design))
    sign = -1 if ruleset.lowest_wins else 1
    for place, restriction in list(enumerate(game.restrictions(ruleset)))[:2]:
        for block in range(2):
            luck = Luck(9, block)
            start, _ = play_opening(ruleset, luck, opening)
            free, _ = play_out(start, [decide] * 2, luck)
            wins, points = [], []
            for seat in range(2):
                end, _ = play_out(restriction.restrict(start, seat), [decide] * 2, luck)
                shares = [(one.ranks[seat] == 1) / one.ranks.count(1) for one in (free, end)]
                wins.append(shares[0] - shares[1])
                points.append(sign * (free.scores[seat] - end.scores[seat]))
            assert lost["worth"][block, place] == np.mean(wins)
            assert lost["worth-points"][block, place] == np.mean(points)


def test_a_duel_has_the_wins_of_the_better_strategy_and_the_margin_of_the_first_player(
    catalogue: Catalogue,
) -> None:
    design = design_simulation(
        catalogue.rulesets["bloxx-3p"], ["greedy", "random", "random"], blocks=6, seed=3
    )
    tables = play_design_blocks(design, range(6))
    found, results = measure_duel(design, tables), tables["seats"].to_pylist()
    wins = np.reshape([row["win_share"] for row in results if row["strategy"] == "greedy"], (6, -1))
    scores = np.reshape([row["score"] for row in results], (6, design.rotations, 3))
    assert found["wins"] == pytest.approx(wins.mean(axis=1))
    assert found["margins"] == pytest.approx(scores[:, :, 0] - scores[:, :, 1:].mean(axis=2))


def test_games_go_on_from_the_ends_of_their_parts(catalogue: Catalogue) -> None:
    """From the last position a game goes on to its own result; from earlier ones the compiled game and the rules play alike."""
    ruleset = catalogue.rulesets["bloxx-mini"]
    decide = read_player(games.find_game("bloxx"), "greedy").decide
    end, plies = play_out(games.start_state(ruleset), [decide] * 2, Luck(0, 3))
    columns = [np.array([getattr(ply, name) for ply in plies]) for name in ("action", "round", "seat")]
    long = CardForks(ruleset, "greedy", 0, rounds=1000)
    margins, _ = long.measure_game(LoggedGame(3, *columns))
    assert set(margins.ravel()) == {end.scores[0] - end.scores[1]}
    usual = CardForks(ruleset, "greedy", 0, rounds=plies[-1].round + 1)
    assert list(usual.part_ends) == sorted(usual.part_ends)
    margins, _ = usual.measure_game(LoggedGame(3, *columns))
    assert len(set(margins[0])) > 1
