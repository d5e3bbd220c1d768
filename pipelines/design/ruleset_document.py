"""The ruleset of a design, read from its document."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from engine import games
from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset


def read_ruleset(document: Mapping[str, Any], where: str) -> Ruleset:
    """Return the ruleset of a document; raise InvalidError that names `where` and the key."""
    game = document.get("game")
    if not isinstance(game, str):
        raise InvalidError(f"{where}: game: expected a text, found {json.dumps(game)[:60]}")
    try:
        model = games.find_game(game).ruleset
    except InvalidError as error:
        raise InvalidError(f"{where}: {error}") from None
    return model.from_document(document, where)


@lru_cache(maxsize=16)
def read_shared_ruleset(document: str) -> Ruleset:
    """Return the ruleset of a JSON document, cached: numbering its actions takes longer than playing a small run."""
    return read_ruleset(json.loads(document), "design")
