"""The commands that tell what can be played: rulesets, strategies."""

import math
from typing import Annotated

import typer

from pipelines.cli import completion
from pipelines.cli.output import CodeOption, DataOption, JsonOption, library, print_json, print_table, say


def rulesets(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", autocompletion=completion.rulesets, help="One of them, in full."),
    ] = None,
    *,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the rulesets, or show one in full."""
    catalogue = library(data).catalogue
    if name is not None:
        ruleset = catalogue.find(name)
        document = {**ruleset.document, "sha256": ruleset.sha256}
        if as_json:
            print_json(document)
        else:
            _print_document(document, "")
        return
    for error in catalogue.broken.values():
        say(f"reroll: {error}", err=True)
    found = catalogue.rulesets.values()
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
                for ruleset in found
            ]
        )
        return
    print_table(
        ("ruleset", "game", "players", "title"),
        [(ruleset.name, ruleset.game, ruleset.players, ruleset.title) for ruleset in found],
    )


def _print_document(document: dict[str, object], prefix: str) -> None:
    """Write a document as `key = value` lines, lists of rows one below the other."""
    for key, value in document.items():
        if isinstance(value, dict):
            _print_document(value, f"{prefix}{key}.")
        elif isinstance(value, list) and len(str(value)) > 80:
            say(f"{prefix}{key} =")
            for item in value:
                say(f"    {item}")
        else:
            say(f"{prefix}{key} = {value}")


def strategies(
    game: Annotated[
        str | None,
        typer.Argument(metavar="[GAME]", help="Only those of this game.", autocompletion=completion.games),
    ] = None,
    *,
    code: CodeOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the strategies and their parameters. What is installed is only named: none of its code is run."""
    from engine import games, own_strategies
    from engine.strategies import known
    from pipelines.design.own_strategies import Own

    names = games.names() if game is None else (game,)
    own = Own.named(code or (), programs=True)
    found = [
        (played, strategy)
        for played in map(games.game, names)
        for strategy in (*known(played).values(), *own.strategies(played).values())
    ]
    offered = [
        entry for name, entry in sorted(own_strategies.installed().items()) if name not in own.installed
    ]
    if as_json:
        print_json(
            [
                {
                    "game": played.name,
                    "strategy": strategy.name,
                    "title": strategy.title,
                    "parameters": [
                        {
                            "name": parameter.name,
                            "title": parameter.title,
                            "default": parameter.default,
                            "low": _finite(parameter.low),
                            "high": _finite(parameter.high),
                        }
                        for parameter in strategy.parameters
                    ],
                    "texts": [{"name": text.name, "title": text.title} for text in strategy.texts],
                    "file": strategy.code.file if strategy.code else None,
                }
                for played, strategy in found
            ]
            + [
                {
                    "game": None,
                    "strategy": entry.name,
                    "title": own_strategies.package(entry),
                    "file": entry.module,
                }
                for entry in offered
            ]
        )
        return
    for played, strategy in found:
        say(f"{played.name:<12} {strategy.name:<12} {strategy.title}")
        for text in strategy.texts:
            say(f'{"":<25} {text.name}="..."  {text.title}')
        for parameter in strategy.parameters:
            bounds = f"({parameter.low:g} to {parameter.high:g})" if math.isfinite(parameter.low) else ""
            told = f"{parameter.name}={parameter.default:g}  {parameter.title} {bounds}"
            say(f"{'':<25} {told.rstrip()}")
    for entry in offered:
        say(
            f"{'installed':<12} {entry.name:<12} {own_strategies.package(entry)}; told in full by --code {entry.name}"
        )


def _finite(bound: float) -> float | None:
    return bound if math.isfinite(bound) else None
