"""Fill the Jinja templates of this package. Every value is escaped unless it is itself the result of a template."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pipelines.report.charts.svg import chart_style


def render_template(name: str, **values: object) -> Markup:
    """Return a template of the folder `templates`, filled with values."""
    return Markup(_environment().get_template(name).render(values))  # noqa: S704 - the template has escaped the values


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pipelines.notebook"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["chart_style"] = Markup(chart_style())  # noqa: S704 - a file of this project
    return environment
