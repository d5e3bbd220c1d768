"""Users' own strategies: which functions are strategies, and messages about files that cannot be used."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from engine import games, own_strategies
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.luck import Luck
from engine.strategies import read_player

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from engine.own_strategies import Plugin

STRATEGY_SOURCE = '''
"""Two strategies and what they need."""
from dataclasses import dataclass
from random import choice

GAMES = ["bloxx", "blokus"]


@dataclass
class Weights:
    size: "float" = 1.0


def far_seeing(state, source, depth=2, *, weight=0.5):
    """Takes the action that its depth says.

    More of it.
    """
    return state.actions[depth % len(state.actions)]


def last(state, source):
    return state.actions[-1]


def helper(state, action):
    return action


def _private(state, source):
    return 0
'''


def load_strategies(path: Path, text: str) -> Mapping[str, Plugin]:
    path.write_text(text, encoding="utf-8")
    return own_strategies.load_strategy_file(path, own_strategies.file_sha256(path))


def test_public_functions_of_state_and_source_are_strategies(tmp_path: Path) -> None:
    strategies = load_strategies(tmp_path / "mine.py", STRATEGY_SOURCE)
    assert list(strategies) == ["far-seeing", "last"]
    far, last = strategies["far-seeing"].strategy, strategies["last"].strategy
    assert (far.title, last.title) == ("Takes the action that its depth says.", "From mine.py.")
    assert [(parameter.name, parameter.default) for parameter in far.parameters] == [
        ("depth", 2),
        ("weight", 0.5),
    ]
    assert far.code is not None
    assert (far.code.file, far.code.sha256) == ("mine.py", own_strategies.file_sha256(tmp_path / "mine.py"))


def test_a_file_declares_the_games_that_it_plays(tmp_path: Path) -> None:
    assert load_strategies(tmp_path / "mine.py", STRATEGY_SOURCE)["last"].plays("blokus")
    assert not load_strategies(tmp_path / "mine.py", STRATEGY_SOURCE)["last"].plays("spexxx")
    assert load_strategies(tmp_path / "any.py", STRATEGY_SOURCE.replace("GAMES", "OTHER"))["last"].plays(
        "spexxx"
    )


def test_parameters_are_read_like_those_of_built_in_strategies(tmp_path: Path) -> None:
    own = {
        name: plugin.strategy
        for name, plugin in load_strategies(tmp_path / "mine.py", STRATEGY_SOURCE).items()
    }
    bloxx = games.find_game("bloxx")
    chosen = read_player(bloxx, "far-seeing:weight=-1e6,depth=7", own)
    assert chosen.name == "far-seeing:depth=7,weight=-1000000"
    state = games.start_state(Catalogue().find_ruleset("bloxx-2p"))
    state = state.play(state.actions[0])
    assert chosen.decide(state, Luck(1, 0).source(0, 0, 0)) == state.actions[7]
    for wrong, message in (
        ("depth=1.5", "depth is a whole number"),
        ("weight=inf", "weight is a number, not inf"),
    ):
        with pytest.raises(InvalidError, match=message):
            read_player(bloxx, f"far-seeing:{wrong}", own)


def test_a_file_may_import_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "beside_mine.py").write_text("FIRST = 0\n")
    strategies = load_strategies(
        tmp_path / "mine.py",
        "def mine(state, source):\n    from beside_mine import FIRST\n    return state.actions[FIRST]\n",
    )
    state = games.start_state(Catalogue().find_ruleset("blokus-2p"))
    decide = strategies["mine"].strategy.make
    assert decide is not None
    assert decide()(state, Luck(1, 0).source(0, 0, 0)) == state.actions[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def mine(state, source)\n    return 0\n", "mine.py line 1: SyntaxError: expected ':'"),
        ("x = 1\nimport no_such_module\n", "mine.py line 2: ModuleNotFoundError: No module named 'no_such_module'"),
        ("def f():\n    return 1 / 0\n\n\nf()\n", "mine.py line 2: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(1)\n", "mine.py line 2: it called sys.exit(1) while it was loaded"),
        ("a = b'\\xff'.decode()\n", "mine.py line 1: UnicodeDecodeError: "),
        ("import json\njson.loads('{')\n", "mine.py line 2: JSONDecodeError: "),
        ("def mine(position, luck):\n    return 0\n", "no strategies: expected a function such as `def mine(state, source)`"),
        ("from engine.games.bloxx.strategies import STRATEGIES\n", "no strategies"),
        ("\ndef greedy(state, source):\n    return 0\n", "mine.py line 2: greedy: Reroll already has a strategy 'greedy'"),
        ("def gtp(state, source):\n    return 0\n", "Reroll already has a strategy 'gtp'"),
        ("def mine(state, source, depth):\n    return 0\n", "mine.py line 1: mine: parameter depth: expected a number"),
        ("def mine(state, source, on=True):\n    return 0\n", "parameter on: expected a number as its default"),
        ("def mine(state, source, *rest):\n    return 0\n", "parameter rest: expected a number as its default"),
        ("GAMES = 'bloxx'\n", 'GAMES: expected a list of games, such as ["bloxx"], not \'bloxx\''),
        ("GAMES = ['blox']\n", "GAMES: unknown game 'blox'; did you mean bloxx"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_rejected_with_one_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)) as caught:
        load_strategies(tmp_path / "mine.py", text)
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_that_has_changed_since_it_was_named_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(STRATEGY_SOURCE, encoding="utf-8")
    before = own_strategies.file_sha256(path)
    path.write_text(f"{STRATEGY_SOURCE}\nraise SystemExit\n", encoding="utf-8")
    with pytest.raises(InvalidError, match=r"mine.py has changed since it was named"):
        own_strategies.load_strategy_file(path, before)
    with pytest.raises(InvalidError, match="No such file or directory"):
        own_strategies.file_sha256(tmp_path / "nowhere.py")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an installed package with a module of strategies, a single function and a module that fails."""
    (tmp_path / "parcel.py").write_text(STRATEGY_SOURCE)
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    information = tmp_path / "parcel-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: parcel\nVersion: 1.2\n")
    (information / "entry_points.txt").write_text(
        "[reroll.strategies]\nfar-seeing = parcel\nfinal = parcel:last\nbroken = broken\nlost = parcel\n"
        "built-wrong = parcel:GAMES\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    own_strategies.load_installed_strategy.cache_clear()
    yield tmp_path
    own_strategies.load_installed_strategy.cache_clear()
    for name in ("parcel", "broken"):
        sys.modules.pop(name, None)


@pytest.mark.usefixtures("package")
def test_installed_strategies_are_listed_without_running_their_code() -> None:
    strategies = own_strategies.installed_strategies()
    assert {"far-seeing", "final", "broken"} <= strategies.keys()
    assert own_strategies.format_package(strategies["final"]) == "parcel 1.2"
    assert "parcel" not in sys.modules


def test_an_installed_strategy_is_a_function_or_in_a_module(package: Path) -> None:
    far, final = (
        own_strategies.load_installed_strategy("far-seeing"),
        own_strategies.load_installed_strategy("final"),
    )
    assert (far.strategy.name, final.strategy.name) == ("far-seeing", "final")
    assert far.games == final.games == ("bloxx", "blokus")
    assert far.strategy.code is not None
    assert (far.strategy.code.file, far.strategy.code.package) == ("far-seeing", "parcel 1.2")
    assert far.strategy.code.sha256 == own_strategies.file_sha256(package / "parcel.py")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "strategy 'broken' of parcel 1.2 cannot be loaded: ModuleNotFoundError: No module named"),
        ("lost", "strategy 'lost' of parcel 1.2: "),
        ("built-wrong", "parcel:GAMES is neither a function nor a module"),
    ],
)
@pytest.mark.usefixtures("package")
def test_an_installed_object_that_is_not_a_strategy_is_rejected(name: str, message: str) -> None:
    with pytest.raises(InvalidError, match=re.escape(message)):
        own_strategies.load_installed_strategy(name)
