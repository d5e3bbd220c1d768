"""How long the texts may be that people write, and the one sentence that refuses a longer text.

Commands, pages, notebooks and files have the same limits from here.
"""

from __future__ import annotations

from typing import Final

from engine.errors import InvalidError

MAX_TITLE_CHARACTERS: Final = 200
"""Characters of the title of a run, a note, a study or a site."""
MAX_TEXT_CHARACTERS: Final = 20_000
"""Characters of the text of a note, a study or a site."""
MAX_LABEL_CHARACTERS: Final = 60
"""Characters of a tag, and of the name of a collection."""
MAX_RUN_NAME_CHARACTERS: Final = 80
MAX_STRATEGY_CHARACTERS: Final = 2_000
"""Characters of one strategy with its settings; a run file holds four times as many bytes."""
MAX_VALUE_CHARACTERS: Final = 2_000
"""Characters of the value of a parameter of a question in SQL."""
MAX_CONDITION_CHARACTERS: Final = 2_000
"""Characters of a condition in SQL on games."""
MAX_MOVES_CHARACTERS: Final = 40_000
"""Characters of the moves of a game that people play. The longest games take about 1,500, without undos."""


def check_length(text: str, limit: int, what: str) -> None:
    """Raise InvalidError if a text has more than `limit` characters; `what` names the text in the message.

    >>> check_length("x" * 61, 60, "the tag")
    Traceback (most recent call last):
    engine.errors.InvalidError: the tag has 61 characters; at most 60 are possible: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'...
    """
    if len(text) > limit:
        raise InvalidError(
            f"{what} has {len(text):,} characters; at most {limit:,} are possible: {text[:40]!r}..."
        )


def choose_title(title: str | None, default: str) -> str:
    """Return the title that a person gave, or a default that is cut to the limit; raise InvalidError if it is too long."""
    check_length(title or "", MAX_TITLE_CHARACTERS, "the title")
    return title or default[:MAX_TITLE_CHARACTERS]
