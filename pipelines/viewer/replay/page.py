"""A game as a self-contained HTML page: no server, no network, nothing outside the file."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from typing import TYPE_CHECKING, Any, Final

from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from engine.scene import Scene

_JSON_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}

_PAGE_TEMPLATE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<main id="replay"></main>
<noscript>This page shows a game with JavaScript, which is switched off here.</noscript>
<script type="application/json" id="scene">{scene}</script>{review}
<script>{script}</script>
</body>
</html>
"""


_REVIEW_TEMPLATE: Final = '\n<script type="application/json" id="review">{review}</script>'


def replay_page(scene: Scene, title: str, review: dict[str, Any] | None = None) -> str:
    """Return the page of a game, with its review (`dashboard.replay.review_document.build_review_document`) if there is one.

    Whatever the scene, the title and the review hold is shown as text.
    """
    style = assets.replay_style("page")
    script = f'"use strict";\n(() => {{\n{assets.replay_script("page")}\n}})();'
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_csp_source(script)}",
            f"style-src {_csp_source(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return _PAGE_TEMPLATE.format(
        policy=escape(policy),
        title=escape(title),
        style=style,
        script=script,
        scene=_embed_json(scene),
        review=_REVIEW_TEMPLATE.format(review=_embed_json(review)) if review else "",
    )


def _embed_json(data: Scene | dict[str, Any]) -> str:
    """Write data as JSON that cannot end the script element it stands in."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return "".join(_JSON_ESCAPES.get(character, character) for character in text)


def _csp_source(text: str) -> str:
    """Allow exactly this text: a source expression of a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
