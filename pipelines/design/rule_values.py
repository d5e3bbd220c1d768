"""Rules that are turned: the values of options and tables of a ruleset, the rulesets that differ from it in them alone, or whole rulesets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from engine.errors import InvalidError, unknown_name_error
from engine.kernels.loader import find_kernel_obstacle
from engine.wording import format_count
from pipelines.design.titles import name_rulesets

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

RuleValue: TypeAlias = int | str
"""A number, a word, or the name of the ruleset whose table is taken."""

WHOLE_RULESET: Final = "ruleset"
"""The key of a rule whose values are rulesets themselves."""
MAX_VARIED_RULES: Final = 5
MAX_VARIED_RULESETS: Final = 32
"""Rulesets of one answer: five rules at two values each, or one rule at 32."""
PROPOSED_VALUES: Final = 5
_RANGE: Final = re.compile(r"(-?[0-9]{1,9})(?:\.\.| to )(-?[0-9]{1,9})")
_INTEGER: Final = re.compile(r"-?[0-9]{1,9}")


class RuleRange(NamedTuple):
    """An option with one value of a ruleset, and the values that the game allows."""

    key: str
    """The key within the options, such as `gap_penalty` or `cubes.2`."""
    base_value: RuleValue
    """The value in the ruleset."""
    low: int
    high: int
    choices: tuple[str, ...]
    """The words that are possible; empty for a number."""


class VariedRule(NamedTuple):
    """A rule that is turned, with its values in the order in which they are shown."""

    key: str
    """The key within the options or the tables, or `WHOLE_RULESET`."""
    values: tuple[RuleValue, ...]
    base_value: RuleValue
    """The value of the ruleset itself, which is one of them; of a table and of rulesets, the name of the ruleset."""
    titles: tuple[str, ...] = ()
    """What people call rulesets, also those whose tables are the values: their titles in quotes; empty for numbers and words."""

    def name_value(self, value: RuleValue) -> str:
        """Return what people call a value."""
        return self.titles[self.values.index(value)] if self.titles else str(value)

    @property
    def is_number(self) -> bool:
        return isinstance(self.base_value, int)

    def __str__(self) -> str:
        """Return the text that `read_varied_rule` reads.

        >>> str(VariedRule("gap_penalty", (0, 1, 2), 1)), str(VariedRule("cubes.2", (15, 19, 23), 23))
        ('gap_penalty=0..2', 'cubes.2=15,19,23')
        """
        first, last = self.values[0], self.values[-1]
        is_row = isinstance(first, int) and self.values == tuple(range(first, first + len(self.values)))
        values = f"{first}..{last}" if is_row and len(self.values) > 2 else ",".join(map(str, self.values))
        return f"{self.key}={values}"


def list_rule_ranges(ruleset: Ruleset) -> list[RuleRange]:
    """Return the options of a ruleset that have one value; of a table by numbers of players, that for its players."""
    schema = type(ruleset).model_json_schema()
    options = schema["properties"]["options"]
    properties = schema["$defs"][options["$ref"].rsplit("/", 1)[-1]]["properties"]
    ranges = []
    for name, value in ruleset.document["options"].items():
        key, base_value, limits = name, value, properties[name]
        if isinstance(value, dict):
            key, base_value = f"{name}.{ruleset.players}", value.get(str(ruleset.players))
            limits = next(iter(limits.get("patternProperties", {}).values()), None) or limits.get(
                "additionalProperties", {}
            )
        if isinstance(base_value, int | str) and not isinstance(base_value, bool):
            low, high = limits.get("minimum", 0), limits.get("maximum", 10**9)
            ranges.append(RuleRange(key, base_value, low, high, tuple(limits.get("enum", ()))))
    return ranges


def propose_values(ruleset: Ruleset, option: RuleRange) -> VariedRule:
    """Return the values that a form proposes for a rule: all words, or the own number and those around it.

    Numbers that the game does not allow are left out, and those that its compiled game cannot play if that plays the ruleset.
    """
    if isinstance(option.base_value, str):
        return VariedRule(option.key, (option.base_value, *_list_other_words(option)), option.base_value)
    values = [
        value
        for value in list_near_values(option, option.base_value)
        if value == option.base_value or _is_playable(ruleset, option, value)
    ]
    return VariedRule(option.key, tuple(values), option.base_value)


def list_near_values(option: RuleRange, base_value: int) -> tuple[int, ...]:
    """Return the own number of a rule and those around it, without asking the game whether it allows them."""
    step = max(1, base_value // PROPOSED_VALUES)
    below = min(PROPOSED_VALUES // 2, (base_value - option.low) // step)
    first = base_value - step * below
    return tuple(
        value for value in range(first, first + step * PROPOSED_VALUES, step) if value <= option.high
    )


def propose_varied_rules(ruleset: Ruleset) -> list[VariedRule]:
    """Return the first options of a ruleset, at most `MAX_VARIED_RULES`, each at its own value and another one.

    That is twice as much, 1 for 0, or the next word; if the game does not allow it, or its compiled game cannot play it, 1 more or
    less.
    """
    rules = []
    for option in list_rule_ranges(ruleset):
        others = _list_other_words(option)
        if isinstance(option.base_value, int):
            others = [option.base_value * 2 or 1, option.base_value + 1, option.base_value - 1]
        other = next((value for value in others if _is_playable(ruleset, option, value)), None)
        if other is not None:
            rules.append(VariedRule(option.key, (option.base_value, other), option.base_value))
    return rules[:MAX_VARIED_RULES]


def _list_other_words(option: RuleRange) -> list[RuleValue]:
    """Return the other words of an option, beginning with the next one."""
    place = option.choices.index(str(option.base_value)) if option.choices else 0
    return [*option.choices[place + 1 :], *option.choices[:place]]


def _is_playable(ruleset: Ruleset, option: RuleRange, value: RuleValue) -> bool:
    try:
        varied = vary_ruleset(ruleset, {option.key: value}, {})
    except InvalidError:
        return False
    return not find_kernel_obstacle(varied) or bool(find_kernel_obstacle(ruleset))


def read_varied_rule(text: str, ruleset: Ruleset, rulesets: Mapping[str, Ruleset]) -> VariedRule:
    """Return the rule of a text such as `gap_penalty=0..4`, `contact=drop,rest` or `dice=bloxx-mini`, with its own value.

    An option without values has those that a form proposes. Raises InvalidError for a key that the ruleset lacks and for values that cannot be read.
    """
    key, _, values_text = (part.strip() for part in text.partition("="))
    key, base_value = _find_value(ruleset, key)
    if not values_text:
        option = next((option for option in list_rule_ranges(ruleset) if option.key == key), None)
        if option is None:
            raise InvalidError(f"{key}: expected rulesets, such as {key}={ruleset.name}")
        return propose_values(ruleset, option)
    values: list[RuleValue] = []
    for part in (item.strip() for item in values_text.split(",")):
        values += _read_values(part, key, is_number=isinstance(base_value, int))
    if isinstance(base_value, int):
        return VariedRule(key, tuple(sorted({base_value, *map(int, values)})), base_value)
    if isinstance(base_value, str) and key != WHOLE_RULESET:
        return VariedRule(key, tuple(dict.fromkeys([base_value, *values])), base_value)
    for name in map(str, values):
        if name not in rulesets or rulesets[name].game != ruleset.game:
            subject = "ruleset" if key == WHOLE_RULESET else f"ruleset with another table {key}"
            raise unknown_name_error(subject, name, rulesets)
    return compare_rulesets(ruleset, [rulesets[str(name)] for name in values], key)


def compare_rulesets(ruleset: Ruleset, others: Sequence[Ruleset], key: str = WHOLE_RULESET) -> VariedRule:
    """Return the rule whose values are a ruleset and others, or the table `key` of each."""
    listed = list({other.name: other for other in (ruleset, *others)}.values())
    titles = tuple(f"“{title}”" for title in name_rulesets(listed))
    return VariedRule(key, tuple(other.name for other in listed), ruleset.name, titles)


def _read_values(text: str, key: str, *, is_number: bool) -> Iterable[RuleValue]:
    """Return the values of one text: a range or a number of a rule with numbers, a word of any other rule."""
    if not is_number:
        return [text]
    if match := _RANGE.fullmatch(text):
        low, high = int(match[1]), int(match[2])
        if not 0 <= high - low < MAX_VARIED_RULESETS:
            raise InvalidError(f"{key}: expected from 1 to {MAX_VARIED_RULESETS} values in {text}")
        return range(low, high + 1)
    if _INTEGER.fullmatch(text):
        return [int(text)]
    raise InvalidError(f"{key}: expected whole numbers, such as 0 to 4, or 2, 4, 8, not {text[:40]!r}")


def _find_value(ruleset: Ruleset, key: str) -> tuple[str, Any]:
    """Return a key and the value of a ruleset; raise InvalidError with the nearest key if it lacks the key.

    The key of a table by numbers of players stands for the value for the players of the ruleset.
    """
    if key == WHOLE_RULESET:
        return key, ruleset.name
    known = [option.key for option in list_rule_ranges(ruleset)] + list(ruleset.document["tables"])
    if f"{key}.{ruleset.players}" in known:
        key = f"{key}.{ruleset.players}"
    value: Any = {**ruleset.document["options"], **ruleset.document["tables"]}
    for step in key.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    if value is None or isinstance(value, bool):
        raise unknown_name_error(f"rule of {ruleset.name}", key, known)
    return key, value


def vary_ruleset(
    ruleset: Ruleset, values: Mapping[str, RuleValue], rulesets: Mapping[str, Ruleset]
) -> Ruleset:
    """Return the ruleset, or another one that is a value, with other values of some rules; itself if it has them already.

    Raises InvalidError with the rule and what was expected if the game does not allow the values.
    """
    ruleset = rulesets.get(str(values.get(WHOLE_RULESET)), ruleset)
    document = _change_document(ruleset, values, rulesets)
    if document == ruleset.document:
        return ruleset
    where = ", ".join(f"{key}={value}" for key, value in values.items())
    return type(ruleset).from_document(document, where)


def list_varied_rulesets(
    ruleset: Ruleset, rules: Sequence[VariedRule], rulesets: Mapping[str, Ruleset]
) -> list[Ruleset]:
    """Return the rulesets of all combinations of the values of some rules, those of the last rule changing first.

    Raises InvalidError if they are more than `MAX_VARIED_RULESETS`, and as `vary_ruleset` does.
    """
    if len({rule.key for rule in rules}) < len(rules):
        raise InvalidError("a rule is named twice; give all its values at once")
    count = math.prod(len(rule.values) for rule in rules)
    if not 2 <= count <= MAX_VARIED_RULESETS:
        raise InvalidError(
            f"the values make {format_count(count, 'ruleset')}; expected from 2 to {MAX_VARIED_RULESETS}"
        )
    keys = [rule.key for rule in rules]
    return [
        vary_ruleset(ruleset, dict(zip(keys, values, strict=True)), rulesets)
        for values in product(*(rule.values for rule in rules))
    ]


def _change_document(
    ruleset: Ruleset, values: Mapping[str, RuleValue], rulesets: Mapping[str, Ruleset]
) -> dict[str, Any]:
    document = ruleset.document
    for key, value in values.items():
        if key == WHOLE_RULESET:
            continue
        head = key.partition(".")[0]
        part = "options" if head in document["options"] else "tables"
        is_table = key in document["tables"] and str(value) in rulesets
        new = rulesets[str(value)].document["tables"][key] if is_table else value
        document = {**document, part: _replace_value(document[part], key, new)}
        if part == "tables" and document != ruleset.document:
            origin = rulesets[str(value)].provenance[key] if is_table else "own"
            document["provenance"] = {**document["provenance"], head: origin}
    return document


def _replace_value(values: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - any value
    head, _, rest = key.partition(".")
    return {**values, head: _replace_value(values[head], rest, value) if rest else value}
