"""Two tabs of a browser and the command line change notes at the same time: nothing that was confirmed is lost."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from pipelines.notes.note import NoteContent, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.runs.library import Library
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from pipelines.notes.note import Note
    from tests.processes import RunProcess

COMMANDS: Final = 4
"""So many notes are added, and one note is changed as often, by commands while the tabs save."""


def run_note_command(run_process: RunProcess, folder: Path, *words: str) -> dict[str, Any]:
    """Run `reroll note` in a process of its own; return the note that it confirms."""
    command = [sys.executable, "-m", "pipelines", "note", *words, "--json", "--data", str(folder)]
    done = run_process(command, check=True)
    confirmed: dict[str, Any] = json.loads(done.stdout)
    return confirmed


def write_change(page: Page, note: Note, text: str) -> Locator:
    """Open the fields of a note, write a text, and return the button that saves it."""
    page.get_by_test_id("stPopoverBody").wait_for(state="hidden")  # saving has closed the menu before
    page.locator(f".st-key-note-card-{note.note_id}").get_by_role("button", name="Change").click()
    menu = page.get_by_test_id("stPopoverBody")
    menu.get_by_label("Note", exact=True).first.wait_for()
    wait_until_settled(page)
    menu.get_by_label("Note", exact=True).fill(text)
    menu.get_by_label("Note", exact=True).blur()
    return menu.get_by_role("button", name="Save")


def test_two_tabs_and_the_command_line_lose_no_confirmed_change(
    run_process: RunProcess, dashboard_address: str, copied_data_folder: Path, new_page: Callable[..., Page]
) -> None:
    store = NoteStore(copied_data_folder)
    place = place_of_run(Library(copied_data_folder).run("three"))
    notes = {title: store.add(place, NoteContent(title)) for title in ("Shared", "Left", "Right", "Command")}
    # high enough for all cards: notes that a command adds above one push it and its open fields down
    left, right = (new_page(viewport={"width": 1280, "height": 3000}) for _ in range(2))
    for page in (left, right):
        page.goto(f"{dashboard_address}/notes")
        page.get_by_text("Shared").first.wait_for()

    def run_commands() -> list[dict[str, Any]]:
        confirmed = []
        for number in range(COMMANDS):
            confirmed.append(
                run_note_command(run_process, copied_data_folder, "three", "--title", f"Added {number}")
            )
            change = ("--change", notes["Command"].note_id, "--text", f"Changed {number}")
            confirmed.append(run_note_command(run_process, copied_data_folder, *change))
        return confirmed

    with ThreadPoolExecutor(1) as background:
        commands = background.submit(run_commands)
        # both write the same note: the second learns of it, and sees the text that was not saved
        first, second = (
            write_change(left, notes["Shared"], "from the left"),
            write_change(right, notes["Shared"], "from the right"),
        )
        first.click()
        left.locator("pre, [data-testid='stText']").get_by_text("from the left").wait_for()
        second.click()
        right.get_by_text("was changed elsewhere").wait_for()
        right.get_by_text("from the right").wait_for()
        assert store.find(notes["Shared"].note_id).text == "from the left"
        # each writes a note of its own
        first, second = (
            write_change(left, notes["Left"], "only left"),
            write_change(right, notes["Right"], "only right"),
        )
        first.click()
        second.click()
        for page, text in ((left, "only left"), (right, "only right")):
            page.get_by_test_id("stText").get_by_text(text).wait_for()
        confirmed = commands.result(120)
    # a command has changed a note since a tab has shown it, and changes it again while its fields are open in a tab
    button = write_change(left, notes["Command"], "from an open form")
    confirmed.append(
        run_note_command(
            run_process, copied_data_folder, "--change", notes["Command"].note_id, "--collection", "last"
        )
    )
    button.click()
    left.get_by_text("was changed elsewhere").wait_for()

    held = {note.note_id: note for note in store.search(NoteFilter()).notes}
    texts = {title: held[note.note_id].text for title, note in notes.items()}
    assert texts == {
        "Shared": "from the left",
        "Left": "only left",
        "Right": "only right",
        "Command": f"Changed {COMMANDS - 1}",
    }
    assert held[notes["Command"].note_id].collections == ("last",)
    assert held[notes["Command"].note_id].version == COMMANDS + 2
    assert len(confirmed) == 2 * COMMANDS + 1
    assert len(held) == len(notes) + COMMANDS, "every note that a command confirmed is there"
