"""Addresses and tags as notes of Reroll 0.4.0 and of earlier versions have them, rewritten for today.

Games, moves and players counted from 0 in addresses. Tags are words at the end of the text today. A note is rewritten once: when the file of a library is opened, or when it is
imported. Pages and commands read the keys of today only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from pipelines.design.limits import MAX_TEXT_CHARACTERS
from pipelines.questions.address import LIBRARY_PAGE, Address
from pipelines.questions.comparison import NewComparisonQuestion
from pipelines.questions.every_question import current_page
from pipelines.questions.game import GameQuestion
from pipelines.questions.games import GamesQuestion
from pipelines.questions.hand_game import HandGameQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.questions.scores.question import ScoresQuestion
from pipelines.questions.sql import SqlQuestion
from pipelines.questions.whatif import ManyGamesQuestion


class _FormerKey(NamedTuple):
    """What a former key is called today."""

    key: str
    rewrite: Callable[[str], str] = str
    """Returns a text under the former key as it is written today."""


def rewrite_address(page: str, address: Address) -> tuple[str, dict[str, list[str]]]:
    """Return a page and its address with the keys and values of today; those that have no former ones do not change.

    >>> rewrite_address("whatif", {"run": ["demo"], "game": ["3"], "ply": ["17"], "luck": ["1"]})
    ('replay', {'run': ['demo'], 'game-number': ['4'], 'move': ['18'], 'luck': ['1']})
    >>> rewrite_address("games", {"where": ["rounds < 12"]})
    ('games', {'where': ['rounds < 12']})
    """
    rewritten: dict[str, list[str]] = {}
    for key, texts in address.items():
        former = _FORMER_KEYS.get(page, {}).get(key)
        if former and former.key in address:
            continue  # it says the same
        values = _FORMER_VALUES.get((page, key), {})
        rewrite = former.rewrite if former else str
        rewritten[former.key if former else key] = [values.get(text, rewrite(text)) for text in texts]
    return current_page(page, rewritten), rewritten


def append_tags(text: str, tags: Sequence[str]) -> str:
    r"""Return the text of a note with its tags as the last line, as far as a text may be long.

    >>> append_tags("Too greedy.", ["late", "odd"])
    'Too greedy.\nTags: late, odd'
    >>> append_tags("Too greedy.", [])
    'Too greedy.'
    """
    return f"{text}\nTags: {', '.join(tags)}".strip()[:MAX_TEXT_CHARACTERS] if tags else text


def _add_one(text: str, pattern: str) -> str:
    """Return a text with every integer that a pattern finds increased by 1."""
    return re.sub(pattern, lambda match: str(int(match[0]) + 1), text, flags=re.ASCII)


def _count_number(text: str) -> str:
    return _add_one(text, r"^-?\d{1,10}$")


def _count_players(games: str) -> str:
    """Return which games of a run are asked about.

    >>> _count_players("lost:0"), _count_players("all")
    ('lost:1', 'all')
    """
    return _add_one(games, r"(?<=^lost:)\d{1,2}$|(?<=^won:)\d{1,2}$")


def _count_place(where: str) -> str:
    """Return a place in each of many games; negative moves count from the end.

    >>> _count_place("0"), _count_place("round:2"), _count_place("-1"), _count_place("last-roll")
    ('1', 'round:3', '-1', 'last-roll')
    """
    return _add_one(where, r"^\d{1,7}$|(?<=^round:)\d{1,5}$")


def _count_stand_ins(stand_ins: str) -> str:
    """Return who plays in place of the logged strategies.

    >>> _count_stand_ins("0:greedy,3:noisy:sigma=2,eps=1")
    '1:greedy,4:noisy:sigma=2,eps=1'
    """
    return _add_one(stand_ins, r"(?:^|(?<=,))\d{1,2}(?=:)")


_PLACE_IN_RUN: Final = {
    "game": _FormerKey("game-number", _count_number),
    "ply": _FormerKey("move", _count_number),
}
_FORMER_KEYS: Final[Mapping[str, Mapping[str, _FormerKey]]] = {
    GameQuestion.page: _PLACE_IN_RUN,
    HandGameQuestion.page: _PLACE_IN_RUN,
    ManyGamesQuestion.page: {  # which asked about one game, too
        **_PLACE_IN_RUN,
        "seat": _FormerKey("player", _count_number),
        "substitute": _FormerKey("stand-in", _count_stand_ins),
        "games": _FormerKey("many", _count_players),
        "where": _FormerKey("move", _count_place),
        "n": _FormerKey("continuations"),
        "most": _FormerKey("limit"),
    },
    GamesQuestion.page: {"n": _FormerKey("limit")},
    LIBRARY_PAGE: {"lineup": _FormerKey("strategies")},
    NewComparisonQuestion.page: {"lineup": _FormerKey("strategies"), "until": _FormerKey("until-decided")},
    RulesQuestion.page: {"lineup": _FormerKey("strategies"), "style": _FormerKey("strategy")},
    ScoresQuestion.page: {"seats": _FormerKey("players", _count_number)},
    SqlQuestion.page: {"run": _FormerKey("runs")},
}
"""The former keys of each page."""
_FORMER_VALUES: Final[Mapping[tuple[str, str], Mapping[str, str]]] = {
    (ScoresQuestion.page, "view"): {"Seats": "Players"},
    (ScoresQuestion.page, "of"): {"the score": "", "score": ""},
    (ScoresQuestion.page, "piece"): {"by any piece": ""},
}
"""The former values of a key of a page, with those of today; an empty one is the default."""
