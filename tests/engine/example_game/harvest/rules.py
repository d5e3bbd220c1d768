"""Harvest by its rules: clauses HV-1 to HV-6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.actions import CHANCE, ScorePart
from engine.luck import PURPOSE_DICE
from engine.state import State, illegal_action_error

if TYPE_CHECKING:
    from engine.luck import Luck
    from tests.engine.example_game.harvest.ruleset import HarvestRuleset


@dataclass(frozen=True)
class HarvestState(State):
    """A position of Harvest."""

    ruleset: HarvestRuleset
    round: int
    seat: int
    """CHANCE before the roll, else the player."""
    player: int
    """The seat whose turn it is."""
    roll: int
    """The row that the die shows, from 0; -1 before the roll."""
    owners: tuple[int, ...]
    """The seat of every field by cell index; -1 for nobody."""

    @property
    def actions(self) -> tuple[int, ...]:
        ruleset = self.ruleset
        if self.round == ruleset.options.rounds:  # HV-4
            return ()
        if self.seat == CHANCE:
            return tuple(range(ruleset.rows))  # HV-2
        first = self.roll * ruleset.columns
        row = range(first, first + ruleset.columns)
        takes = tuple(ruleset.first_field_action + cell for cell in row if self.owners[cell] < 0)
        return takes or (ruleset.pass_action,)  # HV-3

    def play(self, action: int) -> HarvestState:
        if action not in self.actions:
            raise illegal_action_error(self, action)
        ruleset = self.ruleset
        if self.seat == CHANCE:
            return HarvestState(ruleset, self.round, self.player, self.player, action, self.owners)
        owners = list(self.owners)
        if action != ruleset.pass_action:
            owners[action - ruleset.first_field_action] = self.player
        player = (self.player + 1) % ruleset.players
        round_ = self.round + (player == 0)  # HV-4
        return HarvestState(ruleset, round_, CHANCE, player, -1, tuple(owners))

    def chance_outcome(self, luck: Luck) -> int:
        return luck.below(self.ruleset.rows, PURPOSE_DICE, self.round, self.player, 0)

    @property
    def probabilities(self) -> tuple[float, ...]:
        return (1 / self.ruleset.rows,) * self.ruleset.rows

    def gain(self, cell: int) -> int:
        """HV-5: return what a field would add to the score of the seat that acts."""
        pairs = sum(self.owners[other] == self.seat for other in self.ruleset.neighbours[cell])
        return self.ruleset.values[cell] + self.ruleset.options.pair_points * pairs

    @property
    def parts(self) -> tuple[tuple[ScorePart, ...], ...]:
        """HV-5: the fields and the pairs of every seat."""
        ruleset = self.ruleset
        parts = []
        for seat in range(ruleset.players):
            cells = [cell for cell, owner in enumerate(self.owners) if owner == seat]
            pairs = sum(other in cells for cell in cells for other in ruleset.neighbours[cell]) // 2
            fields = ScorePart("fields", len(cells), sum(ruleset.values[cell] for cell in cells))
            parts.append((fields, ScorePart("pairs", pairs, ruleset.options.pair_points * pairs)))
        return tuple(parts)

    @property
    def scores(self) -> tuple[int, ...]:
        return tuple(sum(part.points for part in parts) for parts in self.parts)

    def __str__(self) -> str:
        """The board from the top row down: the seat of every field, or a dot; then the die."""
        columns = self.ruleset.columns
        marks = "".join("." if owner < 0 else str(owner) for owner in self.owners)
        rows = [marks[first : first + columns] for first in range(0, len(marks), columns)]
        die = "" if self.roll < 0 else f"\nseat {self.seat}: row {self.roll + 1}"
        return "\n".join(reversed(rows)) + die


def start_state(ruleset: HarvestRuleset) -> HarvestState:
    """HV-1: return the position in which no field belongs to anybody."""
    return HarvestState(ruleset, 0, CHANCE, 0, -1, (-1,) * len(ruleset.values))
