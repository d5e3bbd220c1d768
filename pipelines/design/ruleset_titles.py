"""What people call a ruleset: its title and its number of players, since rulesets for other numbers have the same title."""

from __future__ import annotations

from typing import Protocol

from engine.counted_nouns import format_count


class TitledRuleset(Protocol):
    """A ruleset, or the summary of one in a run."""

    @property
    def name(self) -> str:
        """The name by which addresses and commands know it."""

    @property
    def title(self) -> str:
        """The title in its file."""

    @property
    def players(self) -> int:
        """The number of players."""


def format_ruleset(ruleset: TitledRuleset) -> str:
    """Return the title of a ruleset and its number of players, such as "BLOXX! (shapes may hang), 2 players"."""
    return f"{ruleset.title}, {format_count(ruleset.players, 'player')}"


def format_ruleset_for(ruleset: TitledRuleset) -> str:
    """Return both as part of a sentence or a heading, such as "BLOXX! (shapes may hang) for 2 players"."""
    return f"{ruleset.title} for {format_count(ruleset.players, 'player')}"


def format_ruleset_choice(ruleset: TitledRuleset) -> str:
    """Return both and the name, as menus list rulesets, such as "BLOXX! (shapes may hang), 2 players · bloxx-touch-2p"."""
    return f"{format_ruleset(ruleset)} · {ruleset.name}"
