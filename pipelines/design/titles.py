"""What people call a ruleset, a square and a move. Files, addresses and commands use identifiers and notation."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol

from engine import games
from engine.errors import InvalidError
from engine.wording import format_count
from pipelines.design.short_names import name_lineup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.actions import Action
    from engine.ruleset import Ruleset
    from engine.scene import SceneBoard


_IDENTIFIER_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]*")


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

    @property
    def sha256(self) -> str:
        """The hash of its rules and titles."""


def format_ruleset(ruleset: TitledRuleset) -> str:
    """Return the title of a ruleset and its number of players, such as "BLOXX! (shapes may hang), 2 players"."""
    return f"{ruleset.title}, {format_count(ruleset.players, 'player')}"


def format_ruleset_for(ruleset: TitledRuleset) -> str:
    """Return both as part of a sentence or a heading, such as "BLOXX! (shapes may hang) for 2 players"."""
    return f"{ruleset.title} for {format_count(ruleset.players, 'player')}"


def name_rulesets(rulesets: Iterable[TitledRuleset], *, with_players: bool = False) -> list[str]:
    """Return what people call rulesets that stand side by side; the names differ from each other.

    A name is a title, with the number of players if the rulesets differ in it or `with_players`. Only rulesets that are not told
    apart so have their identifiers in brackets, and two versions of one identifier the start of their hashes.

    >>> from engine.catalogue import Catalogue
    >>> two, three, touch = (Catalogue().find_ruleset(name) for name in ("bloxx-2p", "bloxx-3p", "bloxx-touch-2p"))
    >>> name_rulesets([two, touch]), name_rulesets([two, three])
    (['BLOXX!', 'BLOXX! (shapes may hang)'], ['BLOXX!, 2 players', 'BLOXX!, 3 players'])
    """
    listed = list(rulesets)
    with_players = with_players or len({ruleset.players for ruleset in listed}) > 1

    def list_forms(ruleset: TitledRuleset) -> tuple[str, str, str]:
        title = format_ruleset(ruleset) if with_players else ruleset.title
        return title, f"{title} ({ruleset.name})", f"{title} ({ruleset.name}, {ruleset.sha256[:6]})"

    names: list[str] = []
    for ruleset in listed:
        others = [
            list_forms(other)
            for other in listed
            if (other.name, other.sha256) != (ruleset.name, ruleset.sha256)
        ]
        forms = list_forms(ruleset)
        name = next(
            (form for level, form in enumerate(forms) if all(form != other[level] for other in others)),
            forms[-1],
        )
        names.append(f"{name} again" if name in names else name)
    return names


def join_rulesets(rulesets: Sequence[TitledRuleset]) -> str:
    """Return rulesets that stand side by side as part of a sentence; players that all have in common are said once, at the end.

    >>> from engine.catalogue import Catalogue
    >>> join_rulesets([Catalogue().find_ruleset(name) for name in ("bloxx-3p", "bloxx-touch-3p")])
    'BLOXX! and BLOXX! (shapes may hang), 3 players'
    """
    *first, last = name_rulesets(rulesets)
    text = f"{', '.join(first)} and {last}" if first else last
    is_said = len({ruleset.players for ruleset in rulesets}) > 1
    return text if is_said else f"{text}, {format_count(rulesets[0].players, 'player')}"


def list_ruleset_choices(rulesets: Mapping[str, TitledRuleset]) -> dict[str, str]:
    """Return what menus call rulesets, such as "BLOXX! (shapes may hang), 2 players"; by the keys of the rulesets."""
    return dict(zip(rulesets, name_rulesets(rulesets.values(), with_players=True), strict=True))


def spell_rulesets(text: str, rulesets: Mapping[str, TitledRuleset]) -> str:
    """Return a text, such as the title of a question, with what people call rulesets instead of their identifiers.

    >>> from engine.catalogue import Catalogue
    >>> spell_rulesets("Rules of bloxx-2p", Catalogue().rulesets)
    'Rules of BLOXX!, 2 players'
    """
    occurring = [name for name in dict.fromkeys(_IDENTIFIER_PATTERN.findall(text)) if name in rulesets]
    names = list_ruleset_choices({name: rulesets[name] for name in occurring})
    return _IDENTIFIER_PATTERN.sub(lambda match: names.get(match[0], match[0]), text)


def name_match(ruleset: TitledRuleset, strategies: Iterable[str]) -> str:
    """Return what people call the games of a table, whatever the seats of the strategies.

    >>> from engine.catalogue import Catalogue
    >>> name_match(Catalogue().find_ruleset("bloxx-3p"), ["random", "planner:candidates=4", "planner:candidates=4"])
    'BLOXX!, 2 planner against random'
    """
    lineup = name_lineup(sorted(strategies))
    return f"{ruleset.title}{lineup and f', {lineup}'}"


def name_square(board: SceneBoard, cell: int) -> str:
    """Return the name of a square, such as `a1`."""
    row, column = divmod(cell, board["columns"])
    return f"{board['column_labels'][column]}{board['row_labels'][row]}"


def name_action(action: Action, board: SceneBoard) -> str:
    """Return an action as the replay names it: the piece and the leftmost square of its lowest row, or what it does without one."""
    if action.kind == "keep":
        return f"keeps {'nothing' if action.notation == '0' else action.notation}"
    if not action.cells:
        return action.kind
    place = name_square(board, min(action.cells))
    return f"{action.piece} at {place}" if action.piece else place


def name_actions(ruleset: Ruleset, numbers: Iterable[int]) -> dict[int, str]:
    """Return what people call actions, by their numbers; those that would have the same name say more.

    >>> from engine.catalogue import Catalogue
    >>> duo = Catalogue().find_ruleset("blokus-duo")
    >>> list(name_actions(duo, map(duo.read_action, ("b:e10", "b:d10,e10,e11", "b:d10,e10,d11"))).values())
    ['I1 at e10', 'V3 at d10 to e11', 'V3 at d10 to d11']
    """
    board = games.find_game(ruleset.game).scene(ruleset, [])["boards"][0]
    actions = {number: ruleset.action(number) for number in numbers}
    choices = {number: _list_names(action, board) for number, action in actions.items()}
    names: dict[int, str] = {}
    for level in zip(*choices.values(), strict=True):
        counts = Counter(level)
        for number, name in zip(choices, level, strict=True):
            if counts[name] == 1:
                names.setdefault(number, name)
    return {number: names.get(number, listed[-1]) for number, listed in choices.items()}


def _list_names(action: Action, board: SceneBoard) -> tuple[str, ...]:
    """Return names of an action, the shortest first: with its first square, its last one, its die, all squares, its notation."""
    name = name_action(action, board)
    if not (action.piece and action.cells):
        return (name,) * 4 + (f"{name} ({action.notation})",)
    die, _, squares = action.notation.partition(":")
    return (
        name,
        f"{name} to {name_square(board, max(action.cells))}",
        f"{name} ({die})",
        f"{action.piece} at {squares.replace(',', ', ')}",
        f"{name} ({action.notation})",
    )


def tell_choice(ruleset: Ruleset, notation: str) -> str:
    """Return an action or a roll in words that complete the question "what if ..."; one that the rules do not have keeps its notation.

    >>> from engine.catalogue import Catalogue
    >>> blokus, bloxx = (Catalogue().find_ruleset(name) for name in ("blokus-2p", "bloxx-2p"))
    >>> tell_choice(blokus, "y:b1,a2,b2"), tell_choice(bloxx, "O4 L4")
    ('the move was V3 at b1', 'the roll was O4 L4')
    """
    try:
        action = ruleset.action(ruleset.read_action(notation))
    except InvalidError:
        return f"the move was {notation}"
    if action.kind == "keep":
        return "no dice were kept" if action.notation == "0" else f"the dice that were kept were {notation}"
    if action.dice:
        return f"the {action.kind} was {notation}"
    board = games.find_game(ruleset.game).scene(ruleset, [])["boards"][0]  # all boards have the same labels
    return f"the move was {name_action(action, board)}"
