"""Players from text: names, parameters, and messages about what cannot be read."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.errors import InvalidError
from engine.game import Game
from engine.games import find_game
from engine.games.blokus.gtp import GTP_STRATEGY
from engine.strategies import built_in_strategies, read_player
from engine.strategy import Parameter, Strategy, TextParameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source
    from engine.state import State


def _make_first(depth: int, sigma: float) -> Callable[[State, Source], int]:
    return lambda state, source: state.actions[min(depth, source.below(1) + int(sigma * 0))]


FIRST_STRATEGY = Strategy(
    "first",
    "The first action.",
    _make_first,
    (Parameter("depth", "how deep", 2, 1, 5), Parameter("sigma", "noise", 0.5, 0, 3)),
)


@pytest.fixture
def toy_game() -> Game:
    """BLOXX! with an additional strategy that has parameters."""
    bloxx = find_game("bloxx")
    return Game(
        bloxx.name,
        bloxx.title,
        1,
        bloxx.ruleset,
        bloxx.start,
        (*bloxx.strategies, FIRST_STRATEGY),
        bloxx.scene,
        bloxx.parts,
    )


def test_a_name_alone_uses_the_defaults_and_the_full_name_contains_them(toy_game: Game) -> None:
    assert read_player(toy_game, "first").name == "first:depth=2,sigma=0.5"
    assert read_player(toy_game, "greedy").name == "greedy"


def test_order_and_spelling_of_parameters_do_not_matter(toy_game: Game) -> None:
    assert (
        read_player(toy_game, "first:sigma=1,depth=3").name
        == read_player(toy_game, "first:depth=3,sigma=1.0").name
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gredy", "unknown strategy of bloxx 'gredy'; did you mean greedy?"),
        ("first:dept=3", "unknown parameter of first 'dept'; did you mean depth?"),
        ("first:depth=9", "depth is a number from 1 to 5, not 9"),
        ("first:depth=1.5", "depth is a whole number, not 1.5"),
        ("first:depth=many", "depth is a number from 1 to 5, not 'many'"),
        ("first:sigma=nan", "sigma is a number from 0 to 3, not nan"),
        ("first:depth=1,depth=2", "depth is given twice"),
        ("greedy:depth=2", "unknown parameter of greedy 'depth'; known: name"),
    ],
)
def test_an_invalid_player_is_rejected_with_one_line(toy_game: Game, text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        read_player(toy_game, text)


def _make_spoken(words: str, speed: float) -> Callable[[State, Source], int]:
    return lambda state, source: state.actions[source.below(1) * (len(words) + int(speed))]


SPOKEN_STRATEGY = Strategy(
    "spoken",
    "Says something.",
    _make_spoken,
    (Parameter("speed", "pace", 1, 0, 9),),
    (TextParameter("words", "what"),),
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("spoken:words=hello", 'spoken:words="hello",speed=1'),
        ('spoken:speed=2,words="a, b: c=d"', 'spoken:words="a, b: c=d",speed=2'),
    ],
)
def test_texts_are_written_in_double_quotes(toy_game: Game, text: str, name: str) -> None:
    player = read_player(toy_game, text, {"spoken": SPOKEN_STRATEGY})
    assert player.name == name
    assert read_player(toy_game, name, {"spoken": SPOKEN_STRATEGY}).texts == player.texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spoken", "strategy 'spoken' needs words=\"...\": what"),
        ("spoken:words=a b", 'words is a text in double quotes, such as words="..."'),
        ('spoken:words="', "words is a text in double quotes"),
        ('spoken:words=""', "words is a text in double quotes"),
        ('spoken:words="a\nb"', "words is a text in double quotes"),
        ('spoken:words="a"b"', "words is a text in double quotes"),
        ("spoken:words=a,words=b", "words is given twice"),
        ("spoken:word=a", "unknown parameter of spoken 'word'; did you mean words?"),
    ],
)
def test_an_invalid_text_is_rejected_with_one_line(toy_game: Game, text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        read_player(toy_game, text, {"spoken": SPOKEN_STRATEGY})


def test_built_in_strategies_cannot_be_replaced(toy_game: Game) -> None:
    assert read_player(toy_game, "greedy", {"greedy": SPOKEN_STRATEGY}).strategy is not SPOKEN_STRATEGY


def test_a_program_is_not_started_unless_the_command_line_names_it() -> None:
    with pytest.raises(
        InvalidError, match="'gtp' starts a program: only a command line that names it may do that"
    ):
        read_player(find_game("blokus"), "gtp:command=true")


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        (name, strategy)
        for name in games.game_names()
        for strategy in built_in_strategies(games.find_game(name))
    ],
)
def test_invalid_values_of_every_parameter_are_rejected_with_one_line(name: str, strategy: str) -> None:
    game = games.find_game(name)
    wrong = [(f"{strategy}:no_such_thing=1", "unknown parameter")]
    for parameter in built_in_strategies(game)[strategy].parameters:
        assert parameter.low <= parameter.default <= parameter.high
        assert math.isfinite(parameter.low)
        assert math.isfinite(parameter.high)
        bounds = f"{parameter.name} is a number from {parameter.low:g} to {parameter.high:g}"
        wrong += [
            (f"{strategy}:{parameter.name}={value}", bounds)
            for value in (parameter.low - 1, parameter.high + 1, "nan", "inf", "", "many")
        ]
        if isinstance(parameter.default, int):
            wrong.append((f"{strategy}:{parameter.name}={parameter.low + 0.5}", "is a whole number"))
    for text, message in wrong:
        with pytest.raises(InvalidError, match=re.escape(message)) as caught:
            read_player(game, text)
        assert len(str(caught.value).splitlines()) == 1


def test_a_choice_is_part_of_a_name_only_where_it_is_not_the_default() -> None:
    """Runs of earlier versions keep the names of their programs."""
    allowed = {"gtp": GTP_STRATEGY}
    blokus = find_game("blokus")
    stopping = read_player(blokus, 'gtp:command="a b",failure=stop', allowed)
    assert (stopping.name, stopping.plays_on) == ('gtp:command="a b",seconds=60', False)
    playing = read_player(blokus, 'gtp:command="a b",failure="random"', allowed)
    assert (playing.name, playing.plays_on) == ('gtp:command="a b",failure="random",seconds=60', True)
    assert read_player(blokus, playing.name, allowed).name == playing.name
    with pytest.raises(InvalidError, match="failure is stop or random, not forfeit"):
        read_player(blokus, "gtp:command=a,failure=forfeit", allowed)
