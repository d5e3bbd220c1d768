"""What a player of BLOXX! may be forbidden: all shapes of a die, or one shape."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.game import Restriction
from engine.games.bloxx.ruleset import DIE_NAMES, face_bit

if TYPE_CHECKING:
    from engine.games.bloxx.rules import BloxxState
    from engine.games.bloxx.ruleset import BloxxRuleset


def forbid_faces(faces: int, state: BloxxState, seat: int) -> BloxxState:
    """Return the position in which a seat may draw none of some faces; `faces` is a set as in `Sheet.barred`."""
    sheets = list(state.sheets)
    sheets[seat] = sheets[seat]._replace(barred=sheets[seat].barred | faces)
    return replace(state, sheets=tuple(sheets))


def list_restrictions(ruleset: BloxxRuleset) -> list[Restriction]:
    """Return the restrictions to do without a die, and without the smallest and the largest shape of each die."""
    fallback = "A player who could draw nothing else forfeits the turn."
    areas, restrictions = ruleset.piece_areas, []
    for die, names in enumerate(ruleset.face_names):
        whole = sum(face_bit(die, face) for face in range(len(names)))
        restrictions.append(Restriction(f"die {DIE_NAMES[die]}", fallback, partial(forbid_faces, whole)))
        for name in dict.fromkeys(choose(names, key=areas.__getitem__) for choose in (min, max)):
            bit = face_bit(die, names.index(name))
            restrictions.append(Restriction(f"shape {name}", fallback, partial(forbid_faces, bit)))
    return restrictions
