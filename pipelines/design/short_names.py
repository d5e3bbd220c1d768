"""Short names of strategies for people: "planner" instead of "planner:candidates=4".

Files, addresses and the command line use the full names. Pages, charts and sentences use these; a short name adds
parameters only if strategies with the same base name stand side by side.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from engine.wording import split_at_commas

_SETTINGS_PATTERN: Final = re.compile(r"([A-Za-z][\w.-]*):([A-Za-z]\w*=.*)", re.DOTALL)


def base_name(label: str) -> str:
    """Return the name of a strategy without its parameters; a label that has none is returned as it is.

    >>> base_name("planner:candidates=4"), base_name("greedy"), base_name("Pentobi: level 1")
    ('planner', 'greedy', 'Pentobi: level 1')
    """
    return _split_label(label)[0]


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Return a short name for each of the strategies that stand side by side, by their full names.

    The short names differ from each other. A name has parameters only if it needs them, and then only those in which
    strategies with the same base name differ.

    >>> list(short_names(["greedy", "planner:candidates=4"]).values())
    ['greedy', 'planner']
    >>> list(short_names(["planner:candidates=1", "planner:candidates=4"]).values())
    ['planner (1 candidate)', 'planner (4 candidates)']
    """
    groups: dict[str, list[str]] = {}
    for label in dict.fromkeys(labels):
        groups.setdefault(base_name(label), []).append(label)
    names = {}
    for base, group in groups.items():
        settings = {label: _split_label(label)[1] for label in group}
        for label, values in settings.items():
            different = [
                _setting_words(key, value)
                for key, value in values.items()
                if any(value != other.get(key) for other in settings.values())
            ]
            names[label] = f"{base} ({', '.join(different)})" if different else base
    given_names = list(names.values())
    return {label: name if given_names.count(name) == 1 else label for label, name in names.items()}


def name_lineup(strategies: Iterable[str]) -> str:
    """Return the strategies of a table as people call them, in the order in which they first occur.

    >>> name_lineup(["greedy", "random"]), name_lineup(["planner:candidates=4", "planner:candidates=4", "greedy"])
    ('greedy against random', '2 planner against greedy')
    """
    counts = Counter(strategies)
    names = short_names(counts)
    texts = [f"{count} {names[label]}" if count > 1 else names[label] for label, count in counts.items()]
    return (" against " if len(texts) == 2 else ", ").join(texts)


def shorten_names(text: str, labels: Iterable[str]) -> str:
    """Return a text, such as the title of a run, with the short names of strategies instead of the full ones.

    >>> shorten_names("BLOXX!: planner:candidates=4 against greedy", ["greedy", "planner:candidates=4"])
    'BLOXX!: planner against greedy'
    """
    names = short_names(labels)
    full = sorted((label for label in names if names[label] != label), key=len, reverse=True)
    if not full:
        return text
    # A name ends where no further setting and no further digit follows: "candidates=1" is not the start of "candidates=16".
    pattern = "|".join(re.escape(label) + r"(?![\w.=])" for label in full)
    return re.sub(pattern, lambda match: names[match[0]], text)


def _split_label(label: str) -> tuple[str, dict[str, str]]:
    """Return the base name and the parameters of a label."""
    matched = _SETTINGS_PATTERN.fullmatch(label)
    if matched is None:
        return label, {}
    settings = {}
    for setting in split_at_commas(matched[2]):
        key, is_setting, value = setting.partition("=")
        if not is_setting:
            return label, {}
        settings[key.strip()] = value
    return matched[1], settings


def _setting_words(key: str, value: str) -> str:
    """Return a parameter in words: a count before its noun, any other value behind its name."""
    words = key.replace("_", " ")
    if not words.endswith("s") or words.endswith("ss") or not value.isdecimal():
        return f"{words} {value}"
    return f"{int(value):,} {words[:-1] if int(value) == 1 else words}"
