"""Every option that takes a text has a limit: its help says it, and a longer text is refused in one or two lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from typer import Context
from typer.main import get_command
from typer.testing import CliRunner

from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.design.designs import design_simulation
from pipelines.design.limits import (
    MAX_CONDITION_CHARACTERS,
    MAX_LABEL_CHARACTERS,
    MAX_MOVES_CHARACTERS,
    MAX_RUN_NAME_CHARACTERS,
    MAX_STRATEGY_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_VALUE_CHARACTERS,
)
from pipelines.design.own_strategies import BUILT_IN_ONLY

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue

FREE_TEXTS: Final = {
    "--title": MAX_TITLE_CHARACTERS,
    "--text": MAX_TEXT_CHARACTERS,
    "--collection": MAX_LABEL_CHARACTERS,
    "--name": MAX_RUN_NAME_CHARACTERS,
    "--moves": MAX_MOVES_CHARACTERS,
    "--set": MAX_VALUE_CHARACTERS,
    "--where": MAX_CONDITION_CHARACTERS,
    "--winner": MAX_STRATEGY_CHARACTERS,
    "sql --saved": MAX_TITLE_CHARACTERS,
    "sql --save": MAX_TITLE_CHARACTERS,
    "whatif --save": MAX_RUN_NAME_CHARACTERS,
}
"""The options whose text may say anything. All others take a name, a number or a file that exists already."""
STARTS_WORK: Final = {"bench", "dashboard", "demo"}
"""Commands that begin to measure or to serve; their only texts are paths."""


def text_options() -> list[tuple[str, list[str], str, str]]:
    """Return the command, the words for its arguments, the option and the help of every option that takes a text."""
    commands: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
    found = []
    for name, command in commands.items():
        params = command.get_params(Context(command))
        arguments = [
            "0" if one.metavar == "GAME" else "nothing"
            for one in params
            if one.param_type_name == "argument" and one.required
        ]
        found += [
            (name, arguments, one.opts[0], one.help)
            for one in params
            if one.param_type_name == "option"
            and one.metavar not in {None, "N", "S", "K", "F", "M", "P", "GAME", "SEED"}
            and one.opts[0] != "--data"
            and name not in STARTS_WORK
        ]
    return found


def limit_of(command: str, option: str) -> int | None:
    return FREE_TEXTS.get(f"{command} {option}", FREE_TEXTS.get(option))


def test_the_help_of_every_free_text_says_its_limit() -> None:
    limits = [(help_, limit_of(command, option)) for command, _, option, help_ in text_options()]
    assert len([limit for _, limit in limits if limit]) >= 20
    assert [help_ for help_, limit in limits if limit and f"{limit:,} " not in help_] == []


@pytest.mark.parametrize(("command", "arguments", "option"), [found[:3] for found in text_options()], ids=str)
def test_every_option_refuses_a_text_that_is_too_long(
    command: str, arguments: list[str], option: str, tmp_path: Path
) -> None:
    limit = limit_of(command, option)
    needed = ["--strategies", "greedy"] if command == "simulate" and option != "--strategies" else []
    needed += ["--seats", "me"] if command == "play" and option != "--seats" else []
    long = "x" * (limit + 1 if limit else 100_001)
    result = CliRunner().invoke(
        app, [command, *arguments, *needed, option, long], env={"REROLL_DATA": str(tmp_path)}
    )
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) <= 2
    assert len(result.stderr) < 2000
    if limit:
        assert option in result.stderr
        assert f"{limit:,}" in result.stderr


def test_a_title_at_the_limit_is_allowed(catalogue: Catalogue) -> None:
    rules = catalogue.find_ruleset("bloxx-mini")
    design = design_simulation(rules, ["greedy"] * rules.players, blocks=1, title="x" * MAX_TITLE_CHARACTERS)
    assert len(design.title) == MAX_TITLE_CHARACTERS
    with pytest.raises(InvalidError, match=r"the title has 201 characters; at most 200 are possible"):
        design_simulation(rules, ["greedy"] * rules.players, blocks=1, title="x" * (MAX_TITLE_CHARACTERS + 1))


def test_a_strategy_is_no_longer_than_a_run_file_holds(catalogue: Catalogue) -> None:
    rules = catalogue.find_ruleset("blokus-duo")
    program = f'gtp:command="{"x" * MAX_STRATEGY_CHARACTERS}"'
    with pytest.raises(InvalidError, match=r"the strategy has 2,0\d\d characters; at most 2,000"):
        design_simulation(rules, [program, "greedy"], blocks=1, own_strategies=BUILT_IN_ONLY)
