"""The fields of an address that say what changes in a what-if question."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.experiments.whatif.fork import Change


def change_address_fields(change: Change) -> dict[str, str]:
    """Return the address fields of a change."""
    fields: dict[str, str] = {}
    for seat, strategy in change.strategies.items():
        fields |= {"seat": str(seat), "strategy": strategy}
    if change.action:
        fields["action"] = change.action
    for key, value in change.options.items():
        fields["option"] = f"{key}={value if isinstance(value, str) else json.dumps(value)}"
    if not change:
        fields["luck"] = "1"
    if change.substitutes:
        fields["substitute"] = ",".join(f"{seat}:{name}" for seat, name in sorted(change.substitutes.items()))
    return fields


def parse_substitutes(text: str) -> dict[int, str]:
    """Parse the address field `substitute`: by seat, the strategy that plays on for it on both branches.

    Strategies with several parameters cannot be written there. Other text is ignored.

    >>> parse_substitutes("0:greedy,3:noisy:sigma=2"), parse_substitutes("x:greedy,,2")
    ({0: 'greedy', 3: 'noisy:sigma=2'}, {})
    """
    found = re.findall(r"(?:^|,)([0-9]{1,2}):([^,]{1,80})", text)
    return {int(seat): name for seat, name in found}
