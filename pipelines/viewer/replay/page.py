"""A game as a self-contained HTML page: it needs no server, no network and no other file."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from jinja2 import Template

    from engine.scene import Scene


def replay_page(scene: Scene, title: str, review: dict[str, Any] | None = None) -> str:
    """Return the page of a game, with its review as JSON data if there is one.

    Every text of the scene, the title and the review is shown as text: none of it can become markup or script. The page's
    Content-Security-Policy allows exactly the script and the style sheet that stand in it. Raises ValueError for a number
    that JSON does not have, such as NaN.
    """
    style = assets.replay_style("page")
    script = f'"use strict";\n(() => {{\n{assets.replay_script("page")}\n}})();'
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {csp_source(script)}",
            f"style-src {csp_source(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return _page_template().render(
        policy=policy, title=title, style=style, script=script, scene=scene, review=review
    )


@cache
def _page_template() -> Template:
    environment = Environment(
        loader=PackageLoader("pipelines.viewer", "replay"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return environment.get_template("page.html")


def csp_source(text: str) -> str:
    """Return the source expression of a Content-Security-Policy that allows exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
