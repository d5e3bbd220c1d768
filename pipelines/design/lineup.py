"""Line-ups as texts: how people write them, and how titles name them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.player_label import split_at_commas

if TYPE_CHECKING:
    from collections.abc import Sequence


def split_strategies(text: str) -> list[str]:
    """Split a line-up at the commas between strategies, not at commas between parameters or in double quotes.

    >>> split_strategies("greedy,rollout:playouts=64,depth=2,random")
    ['greedy', 'rollout:playouts=64,depth=2', 'random']
    >>> split_strategies('gtp:command="a, b:c=d",seconds=9,random')
    ['gtp:command="a, b:c=d",seconds=9', 'random']
    """
    strategies: list[str] = []
    for piece in split_at_commas(text):
        key, equals, _ = piece.partition("=")
        if strategies and equals and ":" not in key:
            strategies[-1] += f",{piece.strip()}"
        else:
            strategies.append(piece.strip())
    return strategies


def format_lineup(lineup: Sequence[str]) -> str:
    """Return a line-up as text for a title.

    >>> format_lineup(["greedy", "greedy", "random"])
    '2 greedy, random'
    """
    counts = {strategy: list(lineup).count(strategy) for strategy in lineup}
    return ", ".join(f"{count} {strategy}" if count > 1 else strategy for strategy, count in counts.items())
