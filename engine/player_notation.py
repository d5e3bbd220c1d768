"""The notation of players, `name:parameter=number,parameter=number`: splitting it, and reading the settings.

A text parameter stands in double quotes and cannot contain a double quote:
`gtp:command="pentobi-gtp --level 1",seconds=60`. The quotes may be left out if the text has no commas, spaces or quotes.

Every strategy takes the setting `name="..."`: the label by which tables and charts call the player.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.errors import InvalidError, unknown_name_error
from engine.wording import LABEL_KEY, split_at_commas

if TYPE_CHECKING:
    from engine.strategy import Parameter, Strategy, TextParameter

MAX_LABEL_LENGTH: Final = 60


class Settings(NamedTuple):
    """The values of all parameters of a strategy, in the declared order."""

    player_name: str
    """The full name of the player; see `Player.name`."""
    parameters: Mapping[str, float]
    texts: Mapping[str, str]
    """Without the choices that are the default."""


def read_settings(strategy: Strategy, text: str) -> Settings:
    """Read the settings that follow a strategy's name in the text of a player. Missing numbers get their defaults.

    Raises InvalidError for an unknown, repeated or missing parameter, and for a value that is not valid.
    """
    name, _, rest = text.partition(":")
    numbers = {parameter.name: parameter for parameter in strategy.parameters}
    text_parameters = {parameter.name: parameter for parameter in strategy.texts}
    known = [*numbers, *text_parameters, LABEL_KEY]
    values: dict[str, str] = {}
    for setting in split_at_commas(rest) if rest else ():
        key, _, value = setting.partition("=")
        if key not in known:
            raise unknown_name_error(f"parameter of {strategy.name}", key, known)
        if key in values:
            raise InvalidError(f"strategy {text!r}: {key} is given twice")
        values[key] = value
    for key, parameter in text_parameters.items():
        if key not in values and not parameter.choices:
            raise InvalidError(f'strategy {text!r} needs {key}="...": {parameter.title}')
    parameters = {
        key: _read_number(values[key], parameter, text) if key in values else parameter.default
        for key, parameter in numbers.items()
    }
    texts = {
        key: _read_choice(values[key], parameter, text)
        for key, parameter in text_parameters.items()
        if key in values
    }
    texts = {key: value for key, value in texts.items() if value not in text_parameters[key].choices[:1]}
    label = {LABEL_KEY: _read_label(values[LABEL_KEY], text)} if LABEL_KEY in values else {}
    settings = [f'{key}="{value}"' for key, value in texts.items()]
    settings += [
        f"{key}={_format_number(parameters[key])}"
        for key, parameter in numbers.items()
        if not (parameter.is_weight and parameters[key] == parameter.default)
    ]
    settings += [f'{key}="{value}"' for key, value in label.items()]
    return Settings(f"{name}:{','.join(settings)}" if settings else name, parameters, texts)


def _format_number(number: float) -> str:
    """Write a number so that reading it gives the same number: with 15 digits if they suffice, else with 17.

    >>> _format_number(0.1), _format_number(2.0), _format_number(0.1 + 0.2)
    ('0.1', '2', '0.30000000000000004')
    """
    short = f"{number:.15g}"
    return short if float(short) == number else f"{number:.17g}"


def _read_number(value: str, parameter: Parameter, text: str) -> float:
    is_bounded = math.isfinite(parameter.low) or math.isfinite(parameter.high)
    expected = f"{parameter.name} is a number" + f" from {parameter.low:g} to {parameter.high:g}" * is_bounded
    try:
        number = float(value)
    except ValueError:
        raise InvalidError(f"strategy {text!r}: {expected}, not {value!r}") from None
    if not math.isfinite(number) or not parameter.low <= number <= parameter.high:
        raise InvalidError(f"strategy {text!r}: {expected}, not {value}")
    if isinstance(parameter.default, int):
        if not number.is_integer():
            raise InvalidError(f"strategy {text!r}: {parameter.name} is a whole number, not {value}")
        return int(number)
    return number


def _read_label(value: str, text: str) -> str:
    label = _read_text(value, LABEL_KEY, text)
    if len(label) > MAX_LABEL_LENGTH or label != label.strip():
        raise InvalidError(
            f"strategy {text!r}: {LABEL_KEY} has at most {MAX_LABEL_LENGTH} characters and no spaces at its ends"
        )
    return label


def _read_choice(value: str, parameter: TextParameter, text: str) -> str:
    content = _read_text(value, parameter.name, text)
    if parameter.choices and content not in parameter.choices:
        raise InvalidError(
            f"strategy {text!r}: {parameter.name} is {' or '.join(parameter.choices)}, not {content}"
        )
    return content


def _read_text(value: str, key: str, text: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] == '"'
    content = value[1:-1] if is_quoted else value
    if (
        not content
        or '"' in content
        or not content.isprintable()
        or (not is_quoted and re.search(r"[\s,]", content))
    ):
        raise InvalidError(f'strategy {text!r}: {key} is a text in double quotes, such as {key}="..."')
    return content
