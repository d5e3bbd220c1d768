"""Strategies as people meet them: what each one does, its time for a move, where it stands, and how a person did against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from engine import games
from engine.errors import GameError
from engine.strategies import Opponent, built_in_strategies, find_opponent, list_opponents, read_player
from engine.wording import capitalise
from pipelines.design.short_names import base_name, short_names
from pipelines.design.titles import name_legal_actions
from pipelines.records.strategies import LadderRecord, find_distance, find_ladder_record
from pipelines.report.table import Table
from pipelines.report.wording import format_count, format_thinking_time, name_amount
from pipelines.statistics.rounding import format_interval_numbers

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.experiments.review_results import Decision
    from pipelines.questions.comparison import PlayedStrategy
    from pipelines.questions.hand_game import OwnResults


@dataclass(frozen=True)
class StrategyCharacter:
    """A strategy as a page introduces it."""

    label: str
    """Its full name."""
    name: str
    """Its short name among the strategies beside it."""
    title: str
    """What it does, in a sentence."""
    parameters: tuple[tuple[str, str], ...]
    """The meaning and the value of each parameter."""
    time: str
    """Its time for a move, with the source of the number; empty if it was not measured."""
    standing: str
    """Where it stands on the ladder; empty if it has no rung there."""
    distance: str
    """How far it is from perfect play; empty if the ruleset is not solved or the strategy was not measured."""
    opponent: Opponent | None = None
    """The opponent of people that it is on the page Play, if any."""

    @property
    def heading(self) -> str:
        """Its short name with a capital."""
        return capitalise(self.name)

    @property
    def role(self) -> str:
        """Its strength as an opponent of people, such as "hard opponent"; empty if it is not an opponent."""
        return f"{self.opponent.strength} opponent" if self.opponent else ""

    @property
    def introduction(self) -> str:
        """How it plays, for people who know no strategies if there is such a sentence."""
        return self.opponent.plays if self.opponent else self.title

    @property
    def speed(self) -> str:
        """Its time for a move without the source of the number."""
        return self.time.partition(", ")[0]


def describe_strategies(ruleset: Ruleset, labels: Iterable[str]) -> list[StrategyCharacter]:
    """Return the characters of strategies that a visitor has named; those that cannot be read are left out."""
    game = games.find_game(ruleset.game)
    players = {}
    for label in labels:
        try:
            players[label] = read_player(game, label)
        except GameError:
            continue  # the page says so when the visitor presses Compare
    names = short_names(player.label for player in players.values())
    return [
        _make_character(ruleset, player.label, names[player.label], player.strategy.title)
        for player in players.values()
    ]


def describe_played_strategies(
    ruleset: Ruleset, labels: Iterable[str], played: Iterable[PlayedStrategy]
) -> list[StrategyCharacter]:
    """Return the characters of the strategies of a run, with the time for a move that it measured."""
    rows, characters = {row.strategy: row for row in played}, []
    for label, name in short_names(labels).items():
        row, time = rows.get(label), ""
        if row and row.decisions:
            seconds = row.seconds / row.decisions
            time = f"{format_thinking_time(seconds)} a move, measured in this run over {format_count(row.decisions, 'move')}"
        title = (
            f"{row.title} In this run: {row.program}." if row and row.program else row.title if row else ""
        )
        characters.append(_make_character(ruleset, label, name, title, time))
    return characters


def list_introductions(
    characters: Sequence[StrategyCharacter], *, is_brief: bool = False
) -> tuple[tuple[str, str], ...]:
    """Return the name of each strategy, and how it plays, how strong and how fast it is; only how it plays if `is_brief`."""
    return tuple(
        (
            f"{character.heading} ({character.role})" if character.role else character.heading,
            ". ".join(
                capitalise(text).removesuffix(".")
                for text in (character.introduction, character.standing, character.distance, character.speed)[
                    : 1 if is_brief else None
                ]
                if text
            ),
        )
        for character in characters
    )


def introduce_strategies(ruleset: Ruleset, labels: Iterable[str]) -> dict[str, str]:
    """Return how each strategy plays, by its short name, without what decides between equal moves."""
    return {
        character.name: character.introduction.partition(";")[0].removesuffix(".")
        for character in describe_strategies(ruleset, labels)
    }


def tabulate_characters(characters: Sequence[StrategyCharacter]) -> Table:
    """Return how each strategy decides, its parameters, and its full name."""
    return Table(
        "The strategies",
        ("strategy", "what it does", "parameters", "time for a move", "full name"),
        tuple(
            (
                character.name,
                character.title,
                ", ".join(f"{title}: {value}" for title, value in character.parameters) or None,
                character.time or None,
                character.label,
            )
            for character in characters
        ),
    )


def _make_character(ruleset: Ruleset, label: str, name: str, title: str, time: str = "") -> StrategyCharacter:
    record = find_ladder_record(ruleset, label)
    if not time and record and record.microseconds is not None:
        time = f"{format_thinking_time(record.microseconds / 1e6)} a move, measured on {record.processor}"
    return StrategyCharacter(
        label,
        name,
        title,
        _list_parameters(ruleset, label),
        time,
        _format_standing(record) if record else "",
        _format_distance(ruleset, label),
        find_opponent(ruleset.game, label),
    )


def _list_parameters(ruleset: Ruleset, label: str) -> tuple[tuple[str, str], ...]:
    """Return the meaning and the value of the parameters that the full name contains; none if it cannot be read."""
    game = games.find_game(ruleset.game)
    if label.partition(":")[0] not in built_in_strategies(game):
        return ()
    try:
        player = read_player(game, label)
    except GameError:  # a strategy of another version
        return ()
    return tuple(
        (parameter.title, f"{player.parameters[parameter.name]:,g}")
        for parameter in player.strategy.parameters
        if f"{parameter.name}=" in label
    )


def _format_standing(record: LadderRecord) -> str:
    place = f"rung {record.rung} of {record.rungs} on the ladder"
    if record.lead is None:
        return place
    points, low, high = format_interval_numbers(record.lead)
    return f"{place}, {name_amount(points)} above {record.below} (95 % interval {low} to {high}; {format_count(record.games, 'game')})"


def _format_distance(ruleset: Ruleset, label: str) -> str:
    distance = find_distance(ruleset, label)
    if distance is None:
        return ""
    points, low, high = format_interval_numbers(distance.points_behind)
    return f"{name_amount(points)} behind perfect play (95 % interval {low} to {high}; {format_count(distance.games, 'game')})"


def name_opponent(game: str, player: str) -> str:
    """Return what a page calls an opponent, given by its full name: its strength if it has one.

    >>> name_opponent("bloxx", "greedy"), name_opponent("bloxx", "random")
    ('medium (greedy)', 'random')
    """
    opponent = find_opponent(game, player)
    return f"{opponent.strength} ({base_name(player)})" if opponent else player


def write_own_results(results: Iterable[OwnResults], ruleset: Ruleset, players: Iterable[str]) -> str:
    """Return how often a person has won against each of some players, given by their full names; nothing on others.

    Hints and moves that were taken back are help.
    """
    by_opponent = {result.opponent: result for result in results if result.sha256 == ruleset.sha256}
    sentences = []
    for result in (by_opponent[player] for player in dict.fromkeys(players) if player in by_opponent):
        name = name_opponent(ruleset.game, result.opponent)
        shared = f" and shared the win of {result.shared}" if result.shared else ""
        helped = f" ({result.helped} with help)" if result.helped else ""
        sentences.append(
            f"Against {name} you won {result.won}{shared} of {format_count(result.games, 'game')}{helped}."
        )
    return " ".join(sentences)


class HintReason(NamedTuple):
    """What a hint of a strategy is worth, compared with the best other move."""

    reason: str
    """A sentence: in points, or where they say nothing in wins."""
    better: str = ""
    """The notation of the other move if it is clearly worth more, so that it is the hint; else empty."""


def write_hint_reason(decision: Decision, state: State, strategy: str) -> HintReason:
    """Say what the move of a strategy is worth in a position. It claims no more than the intervals of the playouts do."""
    rival = next(move for move in decision.candidates if move.action != decision.chosen.action)
    names = name_legal_actions(state.ruleset, decision.legal)
    hint, other = (re.sub("^keeps ", "to keep ", names[move.action]) for move in (decision.chosen, rival))
    for lost, scale, unit in ((decision.lost_points, 1, "point"), (decision.lost_wins, 100, "win of 100")):
        if lost is None or lost.low <= 0 <= lost.high:
            continue
        gain = -scale * lost.estimate
        number = f"{abs(gain):.0f}" if abs(gain) >= 2 else f"{abs(gain):.1f}"
        noun = unit if number == "1" else unit.replace("point", "points").replace("win ", "wins ")
        if gain > 0:
            return HintReason(f"It is worth about {number} {noun} more than the next best, {other}.")
        if rival.action == decision.best.action:
            text = (
                f"Hint: {other}, worth about {number} {noun} more than {hint}, which {strategy} would play."
            )
            return HintReason(text, rival.notation)
    return HintReason(f"It is about as good as the next best, {other}.")


def write_opponents(ruleset: Ruleset) -> list[str]:
    """Return a line for each opponent of a game: its strategy, its parameters and its time for a move; then the processor."""
    game, lines, processors = games.find_game(ruleset.game), [], []
    for character in list_opponents(ruleset.game):
        player, record = (
            read_player(game, character.strategy),
            find_ladder_record(ruleset, character.strategy),
        )
        parts = [
            f"{capitalise(character.strength)} is {base_name(character.strategy)}: {player.strategy.title}"
        ]
        parts += [
            f"{capitalise(parameter.title)}: {player.parameters[parameter.name]:g}."
            for parameter in player.strategy.parameters
            if not parameter.is_weight
        ]
        if record and record.microseconds is not None:
            parts.append(f"About {format_thinking_time(record.microseconds / 1e6)} a move.")
            processors.append(f"These times were measured on {record.processor}.")
        lines.append(" ".join(parts))
    return [*lines, *dict.fromkeys(processors)]
