"""The commands that list what can be played: rulesets, strategies."""

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import GameError, InvalidError, unknown_name_error
from pipelines.cli import completion
from pipelines.cli.options import CodeOption, DataOption, JsonOption, find_ruleset, open_library
from pipelines.cli.output import (
    print_file,
    print_json,
    print_paragraph,
    print_report_table,
    print_sheet,
    print_text,
)

if TYPE_CHECKING:
    from engine.game import Game
    from engine.ruleset import Ruleset
    from engine.strategy import Strategy
    from pipelines.design.own_strategies import OwnStrategies


def rulesets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", autocompletion=completion.complete_rulesets, help="Show this ruleset in full."
        ),
    ] = None,
    *,
    as_toml: Annotated[
        bool,
        typer.Option(
            "--toml", help="Print the file of the ruleset, to be copied into a ruleset of your own."
        ),
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the rulesets, or show one in full."""
    from pipelines.report.rules import tabulate_rulesets

    library = open_library(data)
    catalogue = library.catalogue
    if as_toml:
        if name is None or as_json:
            raise InvalidError("--toml: name one ruleset, and leave out --json")
        print_file(catalogue.find_ruleset_file(name).read_bytes())
        return
    if name is not None:
        ruleset = find_ruleset(library, name)
        if as_json:
            print_json({**ruleset.document, "sha256": ruleset.sha256})
        else:
            _print_ruleset(ruleset)
        return
    for error in catalogue.file_errors.values():
        print_text(f"reroll: {error}", err=True)
    known_rulesets = catalogue.rulesets.values()
    if as_json:
        print_json(
            [
                {
                    "ruleset": ruleset.name,
                    "game": ruleset.game,
                    "players": ruleset.players,
                    "title": ruleset.title,
                    "provenance": ruleset.provenance,
                    "sha256": ruleset.sha256,
                }
                for ruleset in known_rulesets
            ]
        )
        return
    print_report_table(tabulate_rulesets(known_rulesets))
    print_text()
    print_paragraph(
        f"Your own ruleset files belong in {library.folder / 'rulesets'}; reroll rulesets NAME --toml prints one to begin with."
    )


def _print_ruleset(ruleset: "Ruleset") -> None:
    """Print what the page Rules says of a ruleset, and its tables."""
    from engine.kernels.loader import find_kernel_obstacle
    from engine.strategies import list_obstacles
    from pipelines.report.rules import compose_ruleset
    from pipelines.report.ruleset_words import format_value

    print_sheet(replace(compose_ruleset(ruleset), commands=()))
    obstacles = list_obstacles(ruleset)
    print_text(f"\nplayed by: {', '.join(name for name, obstacle in obstacles.items() if not obstacle)}")
    for name, obstacle in obstacles.items():
        if obstacle:
            print_text(f"not played by {name}: {obstacle}")
    obstacle = find_kernel_obstacle(ruleset)
    print_text(f"compiled: {f'no: {obstacle}' if obstacle else 'yes'}")
    for key, value in ruleset.document["tables"].items():
        print_text(f"\ntables.{key}\n{format_value(value)}")


def strategies(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[GAME]",
            help="List only the strategies of this game.",
            autocompletion=completion.complete_games,
        ),
    ] = None,
    chosen: Annotated[
        str | None, typer.Argument(metavar="[STRATEGY]", help="Show this strategy with all its parameters.")
    ] = None,
    *,
    code: CodeOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the strategies and their parameters. Installed strategies are listed without running their code.

    The opponents easy, medium and hard (`reroll play --opponent`) are marked, and so is the pinned strategy of the library
    (`reroll baseline`).
    """
    from engine import own_strategies
    from engine.strategies import find_opponent
    from pipelines.design.own_strategies import OwnStrategies

    own_code = OwnStrategies.from_names(code or (), programs=True)
    playable = _list_playable(game, chosen, own_code)
    pinned = _pinned_strategy(data)
    marked = [_is_player_of(pinned, strategy) for _, strategy in playable]
    installed = [
        entry
        for name, entry in sorted(own_strategies.installed_strategies().items())
        if name not in own_code.installed and chosen is None
    ]
    if as_json:
        print_json(
            [
                {**_describe_strategy(game_rules, strategy), "baseline": pinned if is_pinned else None}
                for (game_rules, strategy), is_pinned in zip(playable, marked, strict=True)
            ]
            + [
                {
                    "game": None,
                    "strategy": entry.name,
                    "title": own_strategies.format_package(entry),
                    "file": entry.module,
                }
                for entry in installed
            ]
        )
        return
    for (game_rules, strategy), is_pinned in zip(playable, marked, strict=True):
        _print_entry(game_rules.name, strategy.name, strategy.title)
        if is_pinned:
            _print_detail(f"* baseline: {pinned}")
        if opponent := find_opponent(game_rules.name, strategy.name):
            _print_detail(f"* {opponent.strength} opponent: {opponent.plays}")
        if chosen is not None or strategy.code:
            _print_parameters(strategy)
    for entry in installed:
        about = f"{own_strategies.format_package(entry)}; for its parameters add --code {entry.name}"
        _print_entry("installed", entry.name, about)
    if chosen is None:
        print_text("\nreroll strategies GAME STRATEGY lists the parameters of a strategy.")


def _list_playable(
    game: str | None, chosen: str | None, own_code: "OwnStrategies"
) -> "list[tuple[Game, Strategy]]":
    """Return the games with their strategies: of one game or of all, one of them or all. Raises InvalidError for unknown names."""
    from engine import games
    from engine.strategies import built_in_strategies

    playable = [
        (game_rules, strategy)
        for game_rules in (games.registered_games() if game is None else [games.find_game(game)])
        for strategy in (
            *built_in_strategies(game_rules).values(),
            *own_code.playable_strategies(game_rules).values(),
        )
    ]
    if chosen is None:
        return playable
    if chosen not in (known := {strategy.name for _, strategy in playable}):
        raise unknown_name_error(f"strategy of {game}", chosen, known)
    return [(game_rules, strategy) for game_rules, strategy in playable if strategy.name == chosen]


def _print_parameters(strategy: "Strategy") -> None:
    for text in strategy.texts:
        value = text.choices[0] if text.choices else '"..."'
        choices = f" ({' or '.join(text.choices)})" if text.choices else ""
        _print_detail(f"{text.name}={value}  {text.title}{choices}")
    for parameter in strategy.parameters:
        bounds = f"({parameter.low:g} to {parameter.high:g})" if math.isfinite(parameter.low) else ""
        _print_detail(f"{parameter.name}={parameter.default:g}  {parameter.title} {bounds}".rstrip())


def _print_entry(game: str, strategy: str, about: str) -> None:
    print_paragraph(f"{game:<12} {strategy:<12} {about}", indent=26)


def _print_detail(text: str) -> None:
    print_paragraph(f"{'':<26}{text}", indent=28)


def _pinned_strategy(data: "Path | None") -> str:
    """Return the full name of the pinned strategy of a library; empty if none is pinned, or if its notes cannot be read."""
    from pipelines.notes.baseline import BaselineStore

    with suppress(GameError):
        baseline = BaselineStore(open_library(data).folder).read_baseline()
        return baseline.name if baseline and baseline.kind == "strategy" else ""
    return ""


def _is_player_of(text: str, strategy: "Strategy") -> bool:
    """Return whether the text of a player is this strategy with all its settings."""
    from engine.player_notation import read_settings

    if text.partition(":")[0] != strategy.name:
        return False
    with suppress(GameError):
        return read_settings(strategy, text).player_name == text
    return False


def _describe_strategy(game: "Game", strategy: "Strategy") -> dict[str, Any]:
    """Return a strategy that can be played as JSON data."""
    from engine.strategies import find_opponent

    opponent = find_opponent(game.name, strategy.name)
    return {
        "game": game.name,
        "strategy": strategy.name,
        "title": strategy.title,
        "opponent": opponent.strength if opponent else None,
        "parameters": [
            {
                "name": parameter.name,
                "title": parameter.title,
                "default": parameter.default,
                "low": _finite_or_none(parameter.low),
                "high": _finite_or_none(parameter.high),
            }
            for parameter in strategy.parameters
        ],
        "texts": [
            {"name": text.name, "title": text.title, "choices": list(text.choices)} for text in strategy.texts
        ],
        "file": strategy.code.file if strategy.code else None,
    }


def _finite_or_none(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
