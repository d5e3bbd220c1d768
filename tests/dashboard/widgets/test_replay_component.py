"""The Python side of the replay: the data sent to a Streamlit page, and the HTML page of a game."""

from __future__ import annotations

import base64
import hashlib
import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from pipelines.viewer.replay.page import replay_page

if TYPE_CHECKING:
    from pathlib import Path

    from engine.scene import Scene

HOSTILE_TEXT = '</script><img src=x onerror="alert(1)"><!--'


class PageElements(HTMLParser):
    """The elements of an HTML page with their texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._is_open = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self.texts.append("")
        self._is_open = True

    def handle_endtag(self, _tag: str) -> None:
        self._is_open = False

    def handle_data(self, data: str) -> None:
        if self._is_open:
            self.texts[-1] += data

    def with_tag(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        """Return the attributes and the text of every element with a tag."""
        return [
            (attributes, text)
            for (name, attributes), text in zip(self.found, self.texts, strict=True)
            if name == tag
        ]


@pytest.mark.parametrize("ply", [None, 17])
def test_the_whole_scene_is_sent_to_the_page_once(
    bloxx_3p_scene: Scene, tmp_path: Path, ply: int | None
) -> None:
    file = tmp_path / "scene.json"
    file.write_text(json.dumps(bloxx_3p_scene))
    at = AppTest.from_string(f"""
import json
from pathlib import Path
from dashboard.widgets.replay_component import show_replay
show_replay(json.loads(Path({str(file)!r}).read_text()), key="replay", ply={ply})
""").run()
    assert not at.exception
    (component,) = at.get("bidi_component")
    assert json.loads(component.proto.json) == {
        "scene": bloxx_3p_scene,
        "ply": ply,
        "review": None,
        "isReviewed": None,
        "whatif": "whatif",
        "play": "play",
        "standings": None,
        "closeness": None,
        "hasNext": False,
        "panel": None,
        "isGuest": False,
    }


def test_a_standalone_page_requests_nothing(bloxx_3p_scene: Scene) -> None:
    page = PageElements(replay_page(bloxx_3p_scene, "A game"))
    addresses = [
        value
        for _, attributes in page.found
        for name, value in attributes.items()
        if name in {"src", "href", "srcset", "action", "data", "style"}
    ]
    assert addresses == ["data:,"]
    ((style, sheet),) = page.with_tag("style")
    assert style == {}
    assert "url(" not in sheet
    assert "@import" not in sheet


def test_a_standalone_page_allows_only_its_own_script_and_style(bloxx_3p_scene: Scene) -> None:
    page = PageElements(replay_page(bloxx_3p_scene, "A game"))
    policy = next(
        attributes["content"] for attributes, _ in page.with_tag("meta") if "http-equiv" in attributes
    ) or pytest.fail("no policy")
    texts = [page.with_tag("script")[1][1], page.with_tag("style")[0][1]]
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src 'sha256-{hashes[0]}'",
        f"style-src 'sha256-{hashes[1]}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_hostile_texts_stay_data_in_a_standalone_page(bloxx_3p_scene: Scene) -> None:
    plain = PageElements(replay_page(bloxx_3p_scene, "A game"))
    scene: Scene = {**bloxx_3p_scene, "title": HOSTILE_TEXT, "run": "\u2028]]>&amp;"}
    page = PageElements(replay_page(scene, HOSTILE_TEXT))
    assert [tag for tag, _ in page.found] == [tag for tag, _ in plain.found]
    assert page.with_tag("title")[0][1] == HOSTILE_TEXT
    assert json.loads(page.with_tag("script")[0][1]) == scene
    reviewed = PageElements(replay_page(scene, "A game", {"policy": HOSTILE_TEXT}))
    assert [text for _, text in reviewed.with_tag("script")][:2] == [
        page.with_tag("script")[0][1],
        json.dumps({"policy": HOSTILE_TEXT}, separators=(",", ":"))
        .replace("<", "\\u003c")
        .replace(">", "\\u003e"),
    ]
