"""The same seed gives the same games: the games of every ruleset and strategy are compared with stored hashes.

After an intended change of play, raise the game's `rules_version` and write the hashes again:

    python tests/pipelines/simulate/test_reference_games.py
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.kernels.loader import can_compile_games
from engine.strategies import built_in_strategies as strategies_of
from engine.strategies import list_obstacles
from pipelines.design.designs import design_simulation
from pipelines.simulate import compiled_games
from pipelines.simulate.shard_tables import ShardColumns, shard_schemas
from pipelines.simulate.shards import play_game
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.game import Game
    from engine.ruleset import Ruleset
    from engine.strategy import Strategy
    from pipelines.design.design import Design

RULESETS: Final = Catalogue().rulesets
REFERENCE_BLOCKS: Final = 4
REFERENCE_SEED: Final = 1
MIN_PLAYOUTS: Final = 4
"""Playouts of strategies with a parameter `playouts`, unless its lowest value is greater."""
REWRITE_COMMAND: Final = "python tests/pipelines/simulate/test_reference_games.py"
GAME_TESTS_FOLDER: Final = Path(__file__).parents[2] / "engine" / "games"

ONE_RULESET_PER_GAME: Final = ("bloxx-2p", "spexxx-2p", "blokus-duo", "blokus-dice-2p")
"""One ruleset of each game. Tests over all rulesets would take minutes, so the others are marked slow."""
CHANGED_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "bloxx-2p": {"contact": "touch", "row_first": 9, "row_later": 5, "gap_penalty": 3, "blank_penalty": 2},
    "spexxx-2p": {"cubes": {"2": 12}, "throws": 3, "line_bonus": 9, "block_bonus": 40},
    "blokus-duo": {"corners": "free", "bonus": 40, "bonus_single_last": 5},
    "blokus-dice-2p": {"side": 7, "strikes": 5},
}
"""For a ruleset of each game, other values of all options: other games by them ask for another version of a strategy."""
SLOW_MARK: Final = pytest.mark.slow

every_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)


def reference_file(game: str) -> Path:
    """Return the file with the hashes of a game; it is beside the other tests of the game."""
    return GAME_TESTS_FOLDER / game.replace("-", "_") / "reference_games.json"


def reference_strategies(ruleset: Ruleset) -> dict[str, str]:
    """Return the built-in strategies that can play here, by name, with as few playouts as possible."""
    playable = {
        name: strategy
        for name, strategy in strategies_of(games.find_game(ruleset.game)).items()
        if can_compile_games() or strategy.make is not None
    }
    return {name: name + _playouts_setting(strategy) for name, strategy in playable.items()}


def _playouts_setting(strategy: Strategy) -> str:
    lowest = [parameter.low for parameter in strategy.parameters if parameter.name == "playouts"]
    return f":playouts={max(MIN_PLAYOUTS, *lowest):g}" if lowest else ""


def reference_design(ruleset: Ruleset, strategy: str, blocks: int = REFERENCE_BLOCKS) -> Design:
    """Return a design with one strategy on all seats."""
    return design_simulation(ruleset, [strategy] * ruleset.players, blocks=blocks, seed=REFERENCE_SEED)


def play_by_rules(planned: Design) -> Mapping[str, pa.Table]:
    """Return the tables of a design that the plain rules play."""
    columns = ShardColumns()
    for block in range(planned.blocks):
        for rotation in range(planned.rotations):
            columns.add_game(planned, play_game(planned, block, rotation))
    return {name: columns.build_table(name) for name in shard_schemas()}


def play_tables(planned: Design) -> Mapping[str, pa.Table]:
    """Return the tables of a design that the kernel plays if there is one, else the plain rules."""
    kernel = compiled_games.find_design_kernel(planned)
    return (
        compiled_games.play_blocks(planned, kernel, range(planned.blocks))
        if kernel
        else play_by_rules(planned)
    )


def hash_tables(tables: Mapping[str, pa.Table]) -> str:
    """Return a short hash of the results and plies of games: of every value of every row, in order."""
    values = [tables[name].select(shard_schemas()[name].names).to_pydict() for name in shard_schemas()]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]


def play_hashes(ruleset: Ruleset) -> dict[str, str]:
    """Return the hash of the games of each strategy, as they are played now."""
    return {
        name: hash_tables(play_tables(reference_design(ruleset, text)))
        for name, text in reference_strategies(ruleset).items()
    }


def describe_change(
    game: Game, ruleset: Ruleset, stored: Mapping[str, Any], hashes: Mapping[str, str]
) -> str | None:
    """Return how the games differ from the stored hashes and what to do about it, or None if they are equal."""
    rewrite = f"write the reference games again with: {REWRITE_COMMAND}"
    if stored.get("rules_version") != game.rules_version:
        return (
            f"rules_version of {game.name} is {game.rules_version}, the reference games were played "
            f"by version {stored.get('rules_version')}: {rewrite}"
        )
    expected = stored["rulesets"].get(ruleset.name)
    if expected is None:
        return f"{ruleset.name} has no reference games yet; {rewrite}"
    if expected["sha256"] != ruleset.sha256[:16]:
        return f"{ruleset.name} is not the ruleset that was played; if that is intended, {rewrite}"
    if fresh := sorted(hashes.keys() - expected["games"].keys()):
        return f"{ruleset.name}: no reference games of {', '.join(fresh)} yet; {rewrite}"
    changed = [name for name in hashes if hashes[name] != expected["games"][name]]
    if not changed:
        return None
    what = "the rules or their luck" if "random" in changed else "strategies"
    return (
        f"the same seed gives other games of {ruleset.name} ({', '.join(changed)}: {what} changed), "
        f"but rules_version of {game.name} is still {game.rules_version}. "
        f"If the change is intended, raise it in {game.start.__module__.rpartition('.')[0]}, and {rewrite}"
    )


@every_ruleset
def test_the_same_seed_gives_the_games_that_it_always_gave(ruleset: Ruleset) -> None:
    hashes = play_hashes(ruleset)
    document = json.loads(reference_file(ruleset.game).read_text(encoding="utf-8"))
    if change := describe_change(games.find_game(ruleset.game), ruleset, document, hashes):
        pytest.fail(change, pytrace=False)
    if can_compile_games():
        assert hashes.keys() == read_reference_hashes(ruleset.name).keys()


@pytest.mark.skipif(not can_compile_games(), reason="nothing can be compiled here")
@pytest.mark.parametrize("name", CHANGED_OPTIONS)
def test_a_strategy_that_plays_otherwise_by_other_options_has_another_version(name: str) -> None:
    document = json.loads(reference_file(RULESETS[name].game).read_text(encoding="utf-8"))
    kept, played = document["changed_options"], play_by_changed_options(name)
    changed = [
        strategy
        for strategy, (version, games_hash) in played.items()
        if kept.get(strategy, [0])[0] == version and kept[strategy] != [version, games_hash]
    ]
    assert not changed, f"{name} with other options: increase the version of {', '.join(changed)}"
    assert kept == played, f"write the reference games again with: {REWRITE_COMMAND}"


def play_by_changed_options(name: str) -> dict[str, list[int | str]]:
    """Return the version of each strategy that plays by `CHANGED_OPTIONS`, and the hash of its games."""
    document = RULESETS[name].document
    ruleset = type(RULESETS[name]).from_document(
        {**document, "options": {**document["options"], **CHANGED_OPTIONS[name]}}, name
    )
    strategies, obstacles = strategies_of(games.find_game(ruleset.game)), list_obstacles(ruleset)
    return {
        strategy: [
            strategies[strategy].version,
            hash_tables(play_tables(reference_design(ruleset, text))),
        ]
        for strategy, text in reference_strategies(ruleset).items()
        if not obstacles[strategy]
    }


def test_no_ruleset_is_kept_that_is_not_there() -> None:
    files = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in GAME_TESTS_FOLDER.glob("*/reference_games.json")
    ]
    assert sorted(name for file in files for name in file["rulesets"]) == sorted(RULESETS)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in ONE_RULESET_PER_GAME else SLOW_MARK) for name in RULESETS]
)
def test_the_plain_rules_play_the_very_tables_of_the_kernel(name: str) -> None:
    for strategy in ("random", "greedy", "noisy"):
        design = reference_design(RULESETS[name], strategy, blocks=1)
        kernel = compiled_games.find_design_kernel(design)
        if kernel is None:
            pytest.skip(f"{design.game.name} has no kernel here")
        compiled, plain = compiled_games.play_blocks(design, kernel, range(1)), play_by_rules(design)
        for table in shard_schemas():
            assert plain[table].to_pydict() == compiled[table].to_pydict()


@pytest.mark.parametrize(
    "name", ["bloxx-3p", *(pytest.param(name, marks=SLOW_MARK) for name in ONE_RULESET_PER_GAME)]
)
def test_one_two_and_five_workers_seal_the_very_tables_that_are_kept(name: str, tmp_path: Path) -> None:
    for workers in (1, 2, 5):
        assert (
            hash_sealed_run(reference_design(RULESETS[name], "greedy"), tmp_path, workers)
            == read_reference_hashes(name)["greedy"]
        )


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, pytest.param(1, marks=SLOW_MARK), pytest.param(5, marks=SLOW_MARK)])
def test_processes_that_play_by_the_plain_rules_seal_them_too(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REROLL_KERNELS", "0")
    assert (
        hash_sealed_run(reference_design(RULESETS["bloxx-2p"], "greedy"), tmp_path, workers)
        == read_reference_hashes("bloxx-2p")["greedy"]
    )


def read_reference_hashes(name: str) -> dict[str, str]:
    """Return the stored hashes of the games of a ruleset, by strategy."""
    document = json.loads(reference_file(RULESETS[name].game).read_text(encoding="utf-8"))
    hashes: dict[str, str] = document["rulesets"][name]["games"]
    return hashes


def hash_sealed_run(planned: Design, folder: Path, workers: int) -> str:
    """Return the hash of a simulated run file, as DuckDB reads it."""
    run = simulate_run(planned, folder / "run.duckdb", workers=workers)
    return hash_tables({name: run.arrow(name) for name in shard_schemas()})


class TestChangeDescription:
    """The messages for a developer who changed how a game plays."""

    RULESET: Final = RULESETS["bloxx-2p"]
    GAME: Final = games.find_game("bloxx")
    HASHES: Final = {"random": "a", "greedy": "b"}

    def make_document(self, **changes: object) -> dict[str, Any]:
        entry = {"sha256": self.RULESET.sha256[:16], "games": dict(self.HASHES)} | changes
        return {"rules_version": self.GAME.rules_version, "rulesets": {"bloxx-2p": entry}}

    def describe(self, document: Mapping[str, Any]) -> str:
        return describe_change(self.GAME, self.RULESET, document, self.HASHES) or ""

    def test_nothing_is_said_of_what_is_equal(self) -> None:
        assert self.describe(self.make_document()) == ""

    def test_other_play_asks_for_another_version_of_the_rules(self) -> None:
        said = self.describe(self.make_document(games={"random": "z", "greedy": "z"}))
        assert "(random, greedy: the rules or their luck changed)" in said
        assert f"rules_version of bloxx is still {self.GAME.rules_version}" in said
        assert "raise it in engine.games.bloxx," in said
        assert REWRITE_COMMAND in said

    def test_a_strategy_that_plays_otherwise_is_named(self) -> None:
        said = self.describe(self.make_document(games={"random": "a", "greedy": "z"}))
        assert "(greedy: strategies changed)" in said

    def test_a_raised_version_asks_for_new_hashes_only(self) -> None:
        said = self.describe(self.make_document(games={"random": "z"}) | {"rules_version": 0})
        assert said.startswith("rules_version of bloxx is 1, the reference games were played by version 0")
        assert said.endswith(REWRITE_COMMAND)

    def test_new_rulesets_and_strategies_ask_for_hashes(self) -> None:
        assert "has no reference games yet" in self.describe(self.make_document() | {"rulesets": {}})
        assert "is not the ruleset that was played" in self.describe(self.make_document(sha256="0"))
        assert "no reference games of greedy yet" in self.describe(self.make_document(games={"random": "a"}))


def test_another_seed_or_ply_gives_another_hash() -> None:
    ruleset = RULESETS["bloxx-2p"]
    one = play_tables(reference_design(ruleset, "random"))
    other = play_tables(reference_design(ruleset, "random").model_copy(update={"seed": REFERENCE_SEED + 1}))
    assert hash_tables(one) == hash_tables({name: one[name] for name in sorted(one)}) != hash_tables(other)
    scores = pa.array([*one["plies"]["score"].to_pylist()[:-1], 99], pa.int32())
    place = one["plies"].schema.get_field_index("score")
    assert hash_tables(one) != hash_tables({**one, "plies": one["plies"].set_column(place, "score", scores)})


def write_reference_games(rulesets: Iterable[Ruleset]) -> None:
    """Play all reference games and write the files with their hashes."""
    documents: dict[str, dict[str, Any]] = {}
    for ruleset in rulesets:
        version = games.find_game(ruleset.game).rules_version
        of_game = documents.setdefault(ruleset.game, {"rules_version": version, "rulesets": {}})
        of_game["rulesets"][ruleset.name] = {"sha256": ruleset.sha256[:16], "games": play_hashes(ruleset)}
    for name in CHANGED_OPTIONS:
        documents[RULESETS[name].game]["changed_options"] = play_by_changed_options(name)
    for name, document in documents.items():
        reference_file(name).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        print(f"{reference_file(name)}: {len(document['rulesets'])} rulesets")  # noqa: T201 - a program reports what it did


if __name__ == "__main__":
    if not can_compile_games():
        raise SystemExit(
            "reference games are written where games can be compiled, so that all strategies play"
        )
    write_reference_games(RULESETS.values())
