"""What the verification of a run without a fault has checked, and what it has not, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.simulate.verify import CheckedGames


def agreement_sentence(checked: CheckedGames) -> str:
    """Return what was checked in a run in which no number differs.

    >>> from pipelines.simulate.verify import CheckedGames
    >>> agreement_sentence(CheckedGames(60, 60, 0, 0, None))
    'all 60 games agree with the rules'
    >>> agreement_sentence(CheckedGames(60, 6, 60, 0, None))
    'all 60 games were played again from the seed, with the same results; the moves of 6 games agree with the rules'
    >>> agreement_sentence(CheckedGames(60, 6, 0, 54, "a program may decide otherwise each time"))
    '6 of 60 games agree with the rules; the results of 54 games could not be checked: their moves are not in the file, and \
they cannot be played again, because a program may decide otherwise each time. Only that their numbers fit each other is certain'
    """
    if not checked.played_again and not checked.unchecked:
        return _agree_with_rules(_count_of(checked.replayed, checked.games), checked.replayed)
    parts = []
    if checked.played_again:
        were = "was" if checked.played_again == 1 else "were"
        parts.append(
            f"{_count_of(checked.played_again, checked.games)} {were} played again from the seed, with the same results"
        )
    if checked.replayed:
        which = (
            f"the moves of {format_count(checked.replayed, 'game')}"
            if checked.played_again
            else _count_of(checked.replayed, checked.games)
        )
        parts.append(_agree_with_rules(which, 2 if checked.played_again else checked.replayed))
    if checked.obstacle:
        parts.append(
            f"the results of {format_count(checked.unchecked, 'game')} could not be checked: their moves are not in the file, "
            f"and they cannot be played again, because {checked.obstacle}. Only that their numbers fit each other is certain"
        )
    return "; ".join(parts)


def _agree_with_rules(which: str, number: int) -> str:
    return f"{which} {'agrees' if number == 1 else 'agree'} with the rules"


def _count_of(number: int, games: int) -> str:
    """Return "all 60 games", "30 of 60 games" or, if there is only one, "the game"."""
    if games == 1:
        return "the game"
    return f"all {games:,} games" if number >= games else f"{number:,} of {games:,} games"
