"""Fill the Jinja templates of this package. Every value is escaped unless it is itself the result of a template."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipelines.report.estimates import set_sentence
from pipelines.statistics.rounding import set_minus_signs


def render_template(name: str, **values: object) -> Markup:
    """Return a template of the folder `templates`, filled with values.

    Raises ValueError for a number in JSON data that JSON does not have, such as NaN.
    """
    return Markup(_environment().get_template(name).render(values))  # noqa: S704 - the template has escaped the values


@cache
def read_asset(name: str) -> str:
    """Return the text of a style sheet or a script of the folder `templates`."""
    # A checkout may have changed the line ends; they are normalized, because pages contain hashes of these texts.
    return files(__package__).joinpath("templates", name).read_bytes().decode("utf-8").replace("\r\n", "\n")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pipelines.studies"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["sentence"] = set_sentence
    environment.filters["minus"] = set_minus_signs
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment
