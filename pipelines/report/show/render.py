"""Fill the Jinja templates of packages. Every value is escaped unless it is itself the result of a template."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pipelines.report.estimates import set_sentence
from pipelines.report.wording import bind_percent_signs
from pipelines.statistics.rounding import set_minus_signs

_NAME_PATTERN: Final = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)*-[0-9]p\b[.,;:)]*")
"""A name of a ruleset or a run that ends with its number of players, with the punctuation that follows."""


def render_template(package: str, name: str, **values: object) -> Markup:
    """Return a template of the folder `templates` of a package, filled with values.

    Raises ValueError for a number in JSON data that JSON does not have, such as NaN.
    """
    return Markup(_find_environment(package).get_template(name).render(values))  # noqa: S704 - the template has escaped the values


@cache
def read_template(package: str, name: str) -> str:
    """Return the text of a file of the folder `templates` of a package, such as a style sheet."""
    # A checkout may have changed the line ends; they are normalized, because pages contain hashes of these texts.
    return files(package).joinpath("templates", name).read_bytes().decode("utf-8").replace("\r\n", "\n")


@cache
def _find_environment(package: str) -> Environment:
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["sentence"] = lambda text: _bind_names(bind_percent_signs(set_sentence(text)))
    environment.filters["bound"] = _bind_names
    environment.filters["minus"] = set_minus_signs
    environment.filters["percent"] = "{:.1%}".format
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment


def _bind_names(text: str) -> Markup:
    """Return a text in which no line ends inside of a name such as "bloxx-touch-2p", or before its full stop. It can still be copied."""
    return Markup(_NAME_PATTERN.sub(r'<span class="whole">\g<0></span>', str(escape(text))))  # noqa: S704 - the text is escaped
