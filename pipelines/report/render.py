"""Fill the Jinja templates of packages. Every value is escaped unless it is itself the result of a template."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipelines.report.estimates import set_sentence
from pipelines.report.wording import bind_percent_signs
from pipelines.statistics.rounding import set_minus_signs


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
    environment.filters["sentence"] = lambda text: bind_percent_signs(set_sentence(text))
    environment.filters["minus"] = set_minus_signs
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment
