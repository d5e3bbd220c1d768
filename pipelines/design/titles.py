"""What people call a ruleset, a square and a move. Files, addresses and commands use identifiers and notation."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final, Protocol

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.wording import format_count
from pipelines.design.short_names import name_lineup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.actions import Action
    from engine.ruleset import Ruleset
    from engine.scene import SceneBoard
    from engine.state import State


_IDENTIFIER_PATTERN: Final = re.compile(r"[a-z0-9][a-z0-9-]*")
_CIRCLE_PATTERN: Final = re.compile(r"([a-x][0-9]+)o(?=,|$)")


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
    return f"{name_ruleset(ruleset)}, {format_count(ruleset.players, 'player')}"


def format_ruleset_for(ruleset: TitledRuleset) -> str:
    """Return both as part of a sentence or a heading, such as "BLOXX! (shapes may hang) for 2 players"."""
    return f"{name_ruleset(ruleset)} for {format_count(ruleset.players, 'player')}"


def name_ruleset(ruleset: TitledRuleset) -> str:
    """Return the title of a ruleset; one that has the title of a ruleset of Reroll and another name has its name in brackets."""
    shipped = Catalogue().rulesets
    takes_title = ruleset.name not in shipped and any(
        (known.title, known.players) == (ruleset.title, ruleset.players) for known in shipped.values()
    )
    return f"{ruleset.title} ({ruleset.name})" if takes_title else ruleset.title


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
        players = f", {format_count(ruleset.players, 'player')}" if with_players else ""
        title = f"{ruleset.title}{players}"
        marked = f"{name_ruleset(ruleset)}{players}"
        return marked, f"{title} ({ruleset.name})", f"{title} ({ruleset.name}, {ruleset.sha256[:6]})"

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
    return f"{name_ruleset(ruleset)}{lineup and f', {lineup}'}"


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
    """Return what people call actions that stand beside each other, by their numbers: equal names get what tells them apart.

    >>> from engine.catalogue import Catalogue
    >>> duo, dice = (Catalogue().find_ruleset(name) for name in ("blokus-duo", "blokus-dice-2p"))
    >>> list(name_actions(duo, map(duo.read_action, ("b:e10", "b:d10,e10,d11", "b:d10,e10,e11", "b:d9,d10,d11"))).values())
    ['I1 at e10', 'V3 at d10\N{EN DASH}e11, all but e11', 'V3 at d10\N{EN DASH}e11, all but d11', 'I3 at d9']
    >>> list(name_actions(dice, map(dice.read_action, ("2yI2:a1,b1", "2yI2:a1,a2", "3!yI2:a1,b1"))).values())
    ['I2 at a1\N{EN DASH}b1 (die 2)', 'I2 at a1\N{EN DASH}a2', 'I2 at a1\N{EN DASH}b1 (die 3, strike)']
    """
    board = _find_labelled_board(ruleset)
    actions = {number: ruleset.action(number) for number in numbers}
    names = {number: name_action(action, board) for number, action in actions.items()}
    for tell in (_tell_span, _tell_squares, _tell_circle, _tell_die, _tell_notation):
        alike: dict[str, dict[int, Action]] = {}
        for number, name in names.items():
            alike.setdefault(name, {})[number] = actions[number]
        for name, group in alike.items():
            longer_names = tell(name, group, board) if len(group) > 1 else {}
            if len(set(longer_names.values())) > 1:
                names |= longer_names
    return names


@lru_cache(maxsize=1024)
def name_legal_actions(ruleset: Ruleset, legal: tuple[int, ...]) -> dict[int, str]:
    """Return what people call the legal actions of a position, each told from all others. It is kept: a growing review is written often."""
    return name_actions(ruleset, legal)


def name_moves(state: State) -> dict[int, str]:
    """Return what people call the moves of a position, by their numbers; none if chance acts."""
    return {} if state.seat == CHANCE else name_legal_actions(state.ruleset, tuple(state.actions))


@lru_cache(maxsize=64)
def _find_labelled_board(ruleset: Ruleset) -> SceneBoard:
    """Return a board of a ruleset; all of its boards have the same labels."""
    return games.find_game(ruleset.game).scene(ruleset, [])["boards"][0]


def _tell_span(name: str, alike: Mapping[int, Action], board: SceneBoard) -> dict[int, str]:
    """Return names with the corners of the rectangle around a shape in place of its square: `I2 at d8` and `d9` is `I2 at d8` to `d9`."""
    return {
        number: f"{action.piece} at {_name_span(action.cells, board)}"
        if action.piece and len(action.cells) > 1
        else name
        for number, action in alike.items()
    }


def _name_span(cells: Iterable[int], board: SceneBoard) -> str:
    rectangle = _list_rectangle(cells, board)
    return f"{name_square(board, min(rectangle))}\N{EN DASH}{name_square(board, max(rectangle))}"


def _tell_squares(name: str, alike: Mapping[int, Action], board: SceneBoard) -> dict[int, str]:
    """Return names with what tells a shape from the others: the one square of its rectangle that it leaves out, or the fewest that it covers."""
    shapes = {number: frozenset(action.cells) for number, action in alike.items()}
    names = {}
    for number, shape in shapes.items():
        others = {other for other in shapes.values() if other != shape}
        left_out = _list_rectangle(shape, board) - shape if others else set()
        if not others:
            names[number] = name
        elif len(left_out) == 1:
            place = f"{alike[number].piece} at {_name_span(shape, board)}"
            names[number] = f"{place}, all but {name_square(board, *left_out)}"
        else:
            squares = next(
                cells
                for size in range(1, len(shape) + 1)
                for cells in combinations(sorted(shape), size)
                if not any(other.issuperset(cells) for other in others)
            )
            names[number] = f"{name} with {', '.join(name_square(board, cell) for cell in squares)}"
    return names


def _list_rectangle(cells: Iterable[int], board: SceneBoard) -> set[int]:
    """Return the squares of the smallest rectangle around some squares."""
    rows, columns = zip(*(divmod(cell, board["columns"]) for cell in cells), strict=True)
    return {
        column + board["columns"] * row
        for row in range(min(rows), max(rows) + 1)
        for column in range(min(columns), max(columns) + 1)
    }


def _tell_circle(name: str, alike: Mapping[int, Action], _: SceneBoard) -> dict[int, str]:
    """Return names with the square of the circle; a notation marks it with an `o`."""
    circles = {number: _CIRCLE_PATTERN.findall(action.notation) for number, action in alike.items()}
    if not any(circles.values()):
        return {}
    return {
        number: f"{name}, circle on {', '.join(squares)}" if squares else f"{name}, no circle"
        for number, squares in circles.items()
    }


def _tell_die(name: str, alike: Mapping[int, Action], _: SceneBoard) -> dict[int, str]:
    """Return names with the die that a move takes, and whether it costs a strike."""
    return {
        number: f"{name} (die {action.die}{', strike' if '!' in action.notation else ''})"
        if action.die
        else name
        for number, action in alike.items()
    }


def _tell_notation(name: str, alike: Mapping[int, Action], _: SceneBoard) -> dict[int, str]:
    """Return names with what stands before the squares of the notation, or else with all of it."""
    heads = {number: action.notation.partition(":")[0] for number, action in alike.items()}
    texts = heads if len(set(heads.values())) == len(heads) else {n: a.notation for n, a in alike.items()}
    return {number: f"{name} ({text})" for number, text in texts.items()}


def tell_choice(ruleset: Ruleset, notation: str, legal: Iterable[int] = ()) -> str:
    """Return an action or a roll in words that complete the question "what if ..."; one that the rules do not have keeps its notation.

    The name of a move tells it from the `legal` ones.

    >>> from engine.catalogue import Catalogue
    >>> blokus, bloxx = (Catalogue().find_ruleset(name) for name in ("blokus-2p", "bloxx-2p"))
    >>> tell_choice(blokus, "y:b1,a2,b2"), tell_choice(bloxx, "O4 L4")
    ('the move was V3 at b1', 'the roll was O4 L4')
    >>> tell_choice(bloxx, "A:d8,e8", [bloxx.read_action("A:d8,d9")])
    'the move was I2 at d8\N{EN DASH}e8'
    """
    try:
        number = ruleset.read_action(notation)
    except InvalidError:
        return f"the move was {notation}"
    action = ruleset.action(number)
    if action.kind == "keep":
        return "no dice were kept" if action.notation == "0" else f"the dice that were kept were {notation}"
    if action.dice:
        return f"the {action.kind} was {notation}"
    return f"the move was {name_actions(ruleset, {number, *legal})[number]}"
