"""Make the pictures of the README and of docs/pages.md again: `python -m benchmarks.pictures`.

They show the demo library, which is played into a folder of its own unless `--data` names one that holds it. Beside the pictures
stands what they show in words, by which tests find out that a picture has become old.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from PIL import Image
from playwright.sync_api import sync_playwright

from benchmarks.visits import wait_until_at_rest
from pipelines.runs.library import Library
from pipelines.service.demo import make_demo_runs, missing_demo_runs
from pipelines.service.server import start_dashboard
from tests.browser import CHROMIUM, CHROMIUM_ARGUMENTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PICTURES_FOLDER: Final = Path(__file__).parents[1] / "docs" / "pictures"
TEXTS_FILE: Final = PICTURES_FOLDER / "texts.json"
WIDTH: Final = 1280


class Picture(NamedTuple):
    """A page as a picture."""

    address: str
    height: int
    run: str
    """The run of the demo library that it shows; empty if it shows all."""
    shows: str
    """What can be seen once it is complete, as a selector."""


PICTURES: Final = {
    "library": Picture("/", 1000, "", "h1"),
    "replay": Picture(
        "/replay?run=demo-blokus-4p&game-number=1&move=41&action=b:m6,n6,o6,m7,o7&quick=1",
        860,
        "demo-blokus-4p",
        "text=More games",
    ),
    "scores": Picture("/scores?rulesets=bloxx-3p&runs=demo-bloxx-3p", 908, "demo-bloxx-3p", ".stPlotlyChart"),
}
"""By the names of their files."""
TEXTS_SCRIPT: Final = """height => [...document.querySelectorAll("a, button, h1, h2, h3, summary")]
  .filter(node => node.checkVisibility() && node.getBoundingClientRect().top < height && node.innerText.trim())
  .map(node => node.innerText.trim().replace(/\\s+/g, " "))"""
"""The texts of links, buttons and headings that a window of this height shows."""


def take_picture(browser: Browser, address: str, picture: Picture) -> tuple[bytes, list[str]]:
    """Return the picture of a page at an address of the dashboard as PNG, and the texts that it shows."""
    tab = browser.new_page(
        viewport={"width": WIDTH, "height": picture.height}, reduced_motion="reduce", color_scheme="light"
    )
    tab.goto(address + picture.address)
    wait_until_at_rest(tab)
    tab.locator(picture.shows).first.wait_for(timeout=60_000)
    tab.wait_for_timeout(3_000)  # the board fits itself into the window
    texts: list[str] = tab.evaluate(TEXTS_SCRIPT, picture.height)
    image = tab.screenshot()
    tab.close()
    return image, texts


def write_pictures(folder: Path) -> None:
    """Write all pictures of a library, with few colours because they are committed, and their texts."""
    texts = {}
    with start_dashboard(folder, None, quiet=True) as (_, address), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for name, picture in PICTURES.items():
            image, texts[name] = take_picture(browser, address, picture)
            Image.open(io.BytesIO(image)).convert("RGB").quantize(64).save(
                PICTURES_FOLDER / f"{name}.png", optimize=True
            )
        browser.close()
    TEXTS_FILE.write_text(json.dumps(texts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> int:
    """Make the library if it is missing, and the pictures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pictures", description="Make the pictures of the documentation again."
    )
    parser.add_argument("--data", type=Path, help="data folder with the demo library; else one is made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        library = Library(options.data or made)
        make_demo_runs(missing_demo_runs(library), lambda *_: None)
        write_pictures(library.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
