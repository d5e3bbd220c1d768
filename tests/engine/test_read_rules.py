"""Which options and tables each strategy reads: exactly those that it declares change its moves."""

from __future__ import annotations

import copy
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import can_compile_games, find_kernel
from engine.strategies import built_in_strategies, read_player, reads_rule
from tests.engine.playing import read_shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from engine.strategy import Strategy

BLOCKS: Final = (range(2), range(2, 10), range(10, 60))
"""Blocks that are compared; the next ones are played only if all games so far have the same moves."""
PLAYOUTS: Final = 64
SMALL_PIECES: Final = ["I1", "I2", "I3", "V3"]
"""So few pieces that colours often place them all."""


class ChangedRule(NamedTuple):
    """An option or a table, and another value of it under which games are compared."""

    ruleset: str
    rule: str
    value: Any
    others: Mapping[str, Any] = MappingProxyType({})
    """Rules that have other values in both rulesets."""


CHANGED_RULES: Final = [
    ChangedRule("bloxx-2p", "contact", "touch"),
    ChangedRule("bloxx-2p", "row_first", 30),
    ChangedRule("bloxx-2p", "row_later", 30),
    ChangedRule("bloxx-2p", "gap_penalty", 4),
    ChangedRule("bloxx-2p", "blank_penalty", 8),
    ChangedRule("bloxx-2p", "numbers", ["2......", *["......2"] * 8]),
    ChangedRule("bloxx-2p", "coloured_rows", {"green": 1}),
    ChangedRule("bloxx-2p", "dice", {"A": {"I2": "ox"}, "B": {"O4": "ox/xx"}}),
    ChangedRule("spexxx-2p", "cubes", {"2": 12}),
    ChangedRule("spexxx-2p", "throws", 2),
    ChangedRule("spexxx-2p", "line_bonus", 50),
    ChangedRule("spexxx-2p", "block_bonus", 0),
    ChangedRule("spexxx-2p", "board", ["......", "......", "......", "...OOO", "..OOOO", ".OOOOO"]),
    ChangedRule("spexxx-2p", "points", {"red": 1}),
    ChangedRule("blokus-duo", "corners", "free"),
    ChangedRule("blokus-duo", "bonus", 100, {"pieces": SMALL_PIECES}),
    ChangedRule("blokus-duo", "bonus_single_last", 0, {"pieces": SMALL_PIECES}),
    ChangedRule("blokus-duo", "board", {"start": ["a1", "n14"]}),
    ChangedRule("blokus-duo", "pieces", SMALL_PIECES),
    ChangedRule("blokus-dice-2p", "side", 7),
    ChangedRule("blokus-dice-2p", "strikes", 0),
    ChangedRule("blokus-dice-2p", "rows", {"1": ["X5"], "6": ["I4", "N5", "I1", "O4", "P5", "U5"]}),
]


def change_rules(ruleset: Ruleset, **values: object) -> Ruleset:
    """Return a ruleset with other options and tables; the keys of a table that are not given stay as they are."""
    document = copy.deepcopy(ruleset.document)
    for rule, value in values.items():
        part = document["options" if rule in document["options"] else "tables"]
        is_changed_in_part = isinstance(value, dict) and rule != "coloured_rows"
        part[rule] = {**part[rule], **value} if is_changed_in_part and isinstance(value, dict) else value
    return type(ruleset).from_document(document, "changed")


def play_moves(ruleset: Ruleset, strategy: Strategy, blocks: range) -> list[str]:
    """Return the moves of all games that a strategy plays against itself, in writing."""
    has_playouts = any(parameter.name == "playouts" for parameter in strategy.parameters)
    text = f"{strategy.name}:playouts={PLAYOUTS}" if has_playouts else strategy.name
    player = read_player(games.find_game(ruleset.game), text)
    kernel = find_kernel(ruleset, [player])
    assert kernel is not None
    batch = kernel.play([[player] * ruleset.players], 3, blocks, logged=True)
    assert batch.log is not None
    return [ruleset.action(action).notation for action in batch.log.action.tolist()]


@pytest.mark.skipif(not can_compile_games(), reason="nothing can be compiled here")
@pytest.mark.parametrize("changed", CHANGED_RULES, ids=lambda changed: f"{changed.ruleset}-{changed.rule}")
def test_a_changed_rule_changes_the_moves_of_exactly_those_who_read_it(changed: ChangedRule) -> None:
    base = change_rules(read_shipped(changed.ruleset), **changed.others)
    other = change_rules(base, **{changed.rule: changed.value})
    game = games.find_game(base.game)
    for strategy in built_in_strategies(game).values():
        try:
            if strategy.check_ruleset:
                strategy.check_ruleset(other)
        except InvalidError:
            assert strategy.name == "learned"
            continue
        is_changed = any(
            play_moves(base, strategy, blocks) != play_moves(other, strategy, blocks) for blocks in BLOCKS
        )
        assert is_changed == reads_rule(game, strategy, changed.rule), strategy.name


def test_every_option_and_table_is_changed() -> None:
    for name in games.game_names():
        changed = {case.rule for case in CHANGED_RULES if read_shipped(case.ruleset).game == name}
        documents = [ruleset.document for ruleset in Catalogue().rulesets.values() if ruleset.game == name]
        assert changed == {*documents[0]["options"], *documents[0]["tables"]}


def test_every_built_in_strategy_declares_what_it_reads() -> None:
    for name in games.game_names():
        game = games.find_game(name)
        document = next(ruleset.document for ruleset in Catalogue().rulesets.values() if ruleset.game == name)
        rules = {*document["options"], *document["tables"]}
        assert game.move_rules <= rules
        for strategy in built_in_strategies(game).values():
            assert strategy.reads is not None
            assert strategy.reads <= rules - game.move_rules


def tabulate_readers() -> str:
    """Return the table of the page `rulesets.md`: a row for each rule, with the strategies that read it, cannot, and do not play."""
    lines = ["| game | rule | reads it | cannot read it | refuses another value |", "|---|---|---|---|---|"]
    for changed in CHANGED_RULES:
        base = read_shipped(changed.ruleset)
        game, other = games.find_game(base.game), change_rules(base, **{changed.rule: changed.value})
        cells: dict[bool | None, list[str]] = {True: [], False: [], None: []}
        for strategy in built_in_strategies(game).values():
            reads = reads_rule(game, strategy, changed.rule)
            if strategy.check_ruleset:
                try:
                    strategy.check_ruleset(other)
                except InvalidError:
                    reads = None
            cells[reads].append(strategy.name)
        is_met_by_all = changed.rule in game.move_rules and not cells[None]
        readers = "every strategy" if is_met_by_all else ", ".join(cells[True])
        row = (game.title, f"`{changed.rule}`", readers, ", ".join(cells[False]), ", ".join(cells[None]))
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(line.replace("|  ", "| ") for line in lines)


def test_the_docs_say_who_reads_which_rule() -> None:
    text = (Path(__file__).parents[2] / "docs" / "rulesets.md").read_text(encoding="utf-8")
    assert tabulate_readers() in text


def test_what_a_program_reads_is_not_known() -> None:
    game = games.find_game("blokus")
    assert reads_rule(game, game.programs[0], "bonus") is None
    assert reads_rule(game, game.programs[0], "corners") is True
