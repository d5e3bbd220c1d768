"""A review in the replay, in a browser: the verdict on every ply, and reviews that are broken or hostile."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import pytest
from playwright.sync_api import expect

from tests.axe import find_faults
from tests.browser import wait_until_settled

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from engine.scene import Scene
    from tests.pipelines.viewer.conftest import ReviewDocument

HOSTILE_TEXT: Final = '<img src=x onerror="alert(1)"></script>'


SAME_SPACE_SCRIPT: Final = """() => {
  const disc = document.querySelector(".review-verdict .rank");
  const find = (text, from, to) => { const range = new Range(); range.setStart(text, from); range.setEnd(text, to); return range.getBoundingClientRect(); };
  const [box, before, after] = [disc.getBoundingClientRect(), find(disc.previousSibling, 0, 1), find(disc.nextSibling, 1, 2)];
  return box.left - before.right > 2 && Math.abs(box.left - before.right - (after.left - box.right)) < 2.5;
}"""
"""A script that returns whether the number of a move in the verdict has the same space on both sides."""


def verdict_text(page: Page) -> str:
    """Return the verdict on the current ply, with plain spaces."""
    return " ".join(page.locator(".verdict-words").inner_text().replace("\u202f", " ").split())


def place_text(page: Page) -> str:
    return page.locator(".place").inner_text().split(" · ")[1]


def test_every_ply_has_its_verdict_and_those_that_matter_a_mark(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, review=review)
    assert verdict_text(page) == "Reviewed: 1 slip (1 blunder). Press M to go to the first."
    marks = page.locator(".ply .ply-mark")
    assert [mark.inner_text().split("\n")[0] for mark in marks.all()] == ["▲3", "??"]
    assert (
        page.locator(".ply")
        .nth(0)
        .get_attribute("title")
        .endswith("(lucky roll for Player 3: +15\u202f% of the win, compared with the average roll)")  # type: ignore[union-attr]
    )
    slips = page.get_by_role("group", name="Slips: inaccuracies, mistakes and blunders")
    assert slips.locator("span").inner_text() == "1 slip"  # the word of the summary
    page.keyboard.press("ArrowRight")
    assert verdict_text(page).startswith("▲ lucky for Player 3. Luck: ")
    assert verdict_text(page).endswith(
        "\u221210 % ±7 · \u22120.5 ±0.7 points 2 Player 2: \u22125 % ±7 · 0.0 ±0.7 points "
        "3 Player 3: +15 % ±7 · +1.5 ±0.7 points"
    )
    page.keyboard.press("ArrowRight")
    expected = "gave away 3.2 ±0.8 points and 16 % ±4 of the win; better: I2 at c1 (1 on the board)"
    assert verdict_text(page) == f"?? blunder {expected}"
    page.wait_for_function(SAME_SPACE_SCRIPT)
    page.keyboard.press("ArrowRight")
    assert verdict_text(page) == "best of 7."


def test_the_better_choice_is_outlined_until_it_is_switched_off(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, "?move=2", review=review)
    tint = page.locator(".ghost[data-rank='1'] .ghost-tint")
    assert tint.get_attribute("d") == "M48 48h24v24h-24zM48 24h24v24h-24z"  # c1 and c2
    page.keyboard.press("g")
    assert not page.locator(".ghost").count()
    switch = page.get_by_role("button", name="on the board")
    assert switch.get_attribute("aria-pressed") == "false"
    switch.click()
    assert tint.get_attribute("d")
    page.keyboard.press("ArrowRight")
    assert not page.locator(".ghost").count()


def test_the_best_moves_stand_in_a_list_and_on_the_board_and_show_each_other(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, "?move=2", review=review)
    rows = page.locator(".best-moves").get_by_role("button", name="win chance")
    assert (
        [row.get_attribute("aria-label") for row in rows.all()]
        == [
            "1: I2 at c1: win chance 42\u202f% ±10, final score 6.0 ±1.0",
            "2: out: win chance 31\u202f% ±10, final score 5.0; not clearly worse than 1",  # a pass has no place on the board
            "3: I2 at a1: win chance 26\u202f% ±5, final score 3.0 ±1.0",
        ]
    )
    expect(page.locator(".best-moves")).to_contain_text(
        "Player 2: win chance if quick players (greedy) play on"
    )
    strong = page.locator(".ghost-badge[data-strong]")
    assert sorted(page.locator(".ghost-badge .rank").all_text_contents()) == ["1", "3"]
    rows.nth(2).hover()
    expect(strong).to_have_attribute("data-rank", "3")
    expect(page.locator(".ghost[data-strong] .ghost-line")).to_be_visible()
    rows.nth(0).focus()
    expect(strong).to_have_attribute("data-rank", "1")
    page.locator(".ghost-badge[data-rank='3']").hover()
    expect(rows.nth(2)).to_have_attribute("data-raised", "")
    expect(rows.nth(0)).not_to_have_attribute("data-raised", "")
    page.mouse.move(0, 0)
    assert find_faults(page) == []

    # By points the order is another one; a file has nobody who plays a move on, so a chosen move is only shown.
    page.get_by_role("group", name="Judge choices by").get_by_role("button", name="points").click()
    assert page.locator(".best-moves .value").all_inner_texts() == ["6.0±1.0", "5.0", "3.0±1.0"]
    assert page.locator(".best-moves .move-name small").all_inner_texts() == ["may be as good"]
    page.locator(".caption").click()
    page.keyboard.press("3")
    assert rows.nth(2).get_attribute("aria-pressed") == "true"
    assert strong.get_attribute("data-rank") == "3"
    page.keyboard.press("4")
    assert place_text(page) == "move 2 of 3"  # there is neither a fourth move nor a fourth player
    page.keyboard.press("Shift+3")
    assert place_text(page) == "move 3 of 3"
    assert "no other legal move" not in page.locator(".best-moves .note").inner_text()


def test_a_move_before_one_that_may_be_as_good_is_not_called_worse(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    moves = review["decisions"][0]["moves"]
    for move, is_behind in zip(moves[1:3], (True, False), strict=True):
        move["behind_by_win"] = is_behind
    page = show_scene(handmade_scene, "?move=2", review=review)
    assert page.locator(".best-moves .move-name small").all_inner_texts() == ["may be as good"] * 2
    assert page.locator(".best-moves .rank[data-behind]").count() == 0


def test_a_click_on_a_number_of_the_board_chooses_the_move_that_the_list_calls_by_it(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    """Also where the number is drawn anew, larger, between press and release."""
    page = show_scene(handmade_scene, "?move=2", review=review)
    rows = page.locator(".best-moves").get_by_role("button", name="win chance")
    box = page.locator(".ghost-badge[data-rank='3'] rect").bounding_box()
    assert box
    page.evaluate("() => { window.requestAnimationFrame = (draw) => setTimeout(draw, 300); }")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(page.locator(".ghost-badge[data-rank='3']")).to_have_attribute("data-strong", "")
    page.mouse.up()
    assert [row.get_attribute("aria-pressed") for row in rows.all()] == ["false", "false", "true"]


def test_a_press_beside_a_number_takes_its_move_and_no_shape_that_is_aimed_at(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, "?move=2", review=review)
    rows = page.locator(".best-moves").get_by_role("button", name="win chance")
    page.locator(".board").evaluate_all(
        "boards => boards.forEach((board) => board.toggleAttribute('data-aim', true))"
    )
    box = page.locator(".ghost-badge[data-rank='3'] rect").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] + 3, box["y"] + box["height"] / 2)
    assert [row.get_attribute("aria-pressed") for row in rows.all()] == ["false", "false", "true"]


def test_the_result_follows_the_last_move_without_a_hole(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    """Elsewhere a move without a choice leaves the room of the best moves, so that nothing moves from ply to ply."""
    page = show_scene(handmade_scene, review={**review, "decisions": review["decisions"][:1]})
    page.keyboard.press("End")
    note = page.locator(".best-moves .note")
    expect(note).to_have_text("There was no other legal move.")
    note_box, moves, finish_box = (
        page.locator(name).bounding_box() for name in (".best-moves .note", ".plies", ".finish")
    )
    assert note_box
    assert moves
    assert finish_box
    assert note_box["height"] < 40
    assert 0 <= moves["y"] - note_box["y"] - note_box["height"] < 40
    assert moves["height"] >= 200, "five rows and the heading"
    assert 0 <= finish_box["y"] - moves["y"] - moves["height"] < 40
    assert page.locator(".finish").evaluate("node => node.scrollHeight <= node.clientHeight")


def test_the_account_stands_above_the_board_and_limits_the_slips_to_one_player(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    """The words are those of the sheet; the keys and the list follow the choice."""
    account: dict[str, Any] = {
        "title": "The account of all sides",
        "columns": ["so far", "blunders", "lost per move"],
        "rows": [["Easy", 0, "0.3 ±0.7"], ["You", 1, "5.4"], [HOSTILE_TEXT, None, None]],
        "caption": "In wins of 100. Slips with the win nearly decided: You 1.",
    }
    accounts = {"win": account, "points": {**account, "rows": [["Easy"]] * 3}}
    page = show_scene(handmade_scene, review={**review, "accounts": accounts, "people": [1], "only": 0})
    expect(page.locator(".account thead th")).to_have_text(account["columns"])
    expect(page.locator(".account .note")).to_have_text(account["caption"])
    rows = page.locator(".account tbody tr")
    cells = [row.locator("td").all_inner_texts() for row in rows.all()]
    assert cells == [["0", "0.3 ±0.7"], ["1", "5.4"], ["\N{EN DASH}", "\N{EN DASH}"]]
    whose = page.get_by_label("Whose slips")
    assert whose.locator("option").all_inner_texts() == [
        "of all players",
        "only player 1\N{RIGHT SINGLE QUOTATION MARK}s",
        "only mine",
        "only player 3\N{RIGHT SINGLE QUOTATION MARK}s",
    ]
    slips = page.get_by_role("group", name="Slips: inaccuracies, mistakes and blunders").locator("span")
    expect(slips).to_have_text("no slips")
    page.keyboard.press("m")
    expect(page.locator(".message")).to_have_text("No later slip.")
    whose.select_option("only mine")
    expect(slips).to_have_text("1 slip")
    page.locator(".caption").click()
    page.keyboard.press("m")
    assert place_text(page).startswith("move 2 of")
    page.get_by_label("Show moves of").select_option("slips")
    assert page.locator(".ply:visible").count() == 1
    page.get_by_role("button", name="points", exact=True).click()
    expect(page.locator(".account")).to_be_hidden()  # it does not fit its columns


def test_a_long_name_is_whole_and_leaves_room_for_the_word_played(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    """The end of a name may be what tells it from another one."""
    played = review["decisions"][0]["moves"][2]
    name = "I2 with a very long name at a1\N{EN DASH}b2, all but b1 (die 2, strike)"
    played |= {"action": handmade_scene["steps"][1]["notation"], "name": name}
    page = show_scene(handmade_scene, "?move=2", review=review)
    row = page.locator(".best-moves li").nth(2)
    expect(row.locator(".move-name span")).to_have_text(name)
    expect(row.locator(".move-name small")).to_have_text("played")
    page.wait_for_function(
        """() => {
          const row = document.querySelectorAll(".best-moves li")[2];
          const [name, word, value] = [".move-name span", "small", ".value"].map((part) => row.querySelector(part));
          const ends = [name, word].map((node) => node.getBoundingClientRect().right);
          return name.scrollWidth <= name.clientWidth + 1 && Math.max(...ends) <= value.getBoundingClientRect().left + 1 && row.scrollHeight <= row.offsetHeight + 1;
        }"""
    )


def test_keys_go_from_mistake_to_mistake_and_from_roll_to_roll(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, review=review)
    for key, expected in (("m", "move 2 of 3"), ("m", "move 2 of 3"), ("End", "move 3 of 3")):
        page.keyboard.press(key)
        assert place_text(page) == expected
    for key, expected in (("Shift+M", "move 2 of 3"), ("Shift+N", "move 1 of 3"), ("n", "move 1 of 3")):
        page.keyboard.press(key)
        assert place_text(page) == expected
    assert page.get_by_role("status").inner_text() == "No later lucky or unlucky roll."
    page.get_by_role("button", name="Next slip (M)").click()
    assert place_text(page) == "move 2 of 3"
    page.keyboard.press("?")
    assert "the next, the previous slip" in page.get_by_role("dialog").inner_text()


def test_the_ledger_adds_up_and_says_what_it_rests_on(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, review=review)
    tables = page.locator(".ledger table").all()
    rows = [
        [cell.inner_text() for cell in table.locator("tbody tr").nth(1).locator("td").all()]
        for table in tables
    ]
    assert rows[0] == ["4.0 ±0.5", "0.0 ±0.5", "\u22122.0 ±0.5", "+2.0 ±0.5", "4"]
    assert [cell.replace("\u202f", " ") for cell in rows[1]] == [
        "30 % ±5",
        "\u22125 % ±5",
        "\u221225 % ±5",
        "+50 % ±5",
        "50 %",
    ]
    assert rows[2] == ["·", "·", "·", "·", "·", "1"]
    unclear = page.locator(".ledger tbody tr:nth-child(2) td[data-unclear]").all_inner_texts()
    assert [cell.replace("\u202f", " ") for cell in unclear] == ["0.0 ±0.5", "\u22125 % ±5"]
    said = page.locator(".ledger").inner_text().replace("\u202f", " ")
    assert "the final score that is expected before the first move if quick players (greedy) play" in said
    assert "128 playouts of every position; up to 400 of every choice" in said
    assert "share of the win by 10 % or more" in said
    assert "start + luck + own choices + others = result. + is good for the player." in said
    assert "at least 5, 10 or 20 % of the win; where no choice lost as much" in said
    assert "at least 2.0, 4.0 or 8.0 points" in said


def test_shares_of_the_win_that_could_be_anything_are_one_sentence(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    wide = [[[value, 1.3 if half else 0] for value, half in row] for row in review["win_ledgers"]]
    ledger = show_scene(handmade_scene, review={**review, "win_ledgers": wide}).locator(".ledger")
    assert ledger.locator("caption").all_inner_texts() == ["Points", "Choices"]
    assert "Share of the win: not clear." in ledger.inner_text()
    assert "130" not in ledger.inner_text()
    noise = [
        [row[0], *([0.04 * value, half or 0.01] for value, half in row[1:-1]), row[-1]]
        for row in review["ledgers"]
    ]
    ledger = show_scene(handmade_scene, review={**review, "ledgers": noise}).locator(".ledger")
    assert ledger.locator("caption").all_inner_texts() == ["Share of the win", "Choices"]
    assert "Points: not clear. What luck and choices added differs clearly" in ledger.inner_text()


def test_the_ledger_of_a_game_where_the_lowest_score_wins_says_what_its_signs_mean(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene({**handmade_scene, "lowest_wins": True}, review=review)
    said = page.locator(".ledger").inner_text()
    assert (
        "start \u2212 luck \u2212 own choices \u2212 others = result, because the lowest score wins" in said
    )
    assert "+ is good for the player everywhere: in points it means fewer of them" in said


def test_a_reader_switches_between_win_chance_and_points(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, review=review)
    page.keyboard.press("m")
    assert verdict_text(page).startswith("?? blunder gave away")
    page.get_by_role("group", name="Judge choices by").get_by_role("button", name="points").click()
    assert verdict_text(page).startswith("? mistake gave away 3.2 ±0.8 points")
    assert page.locator(".ply .ply-mark.mistake").count() == 1
    said = page.locator(".ledger").inner_text()
    assert "at least 2.0, 4.0 or 8.0 points" in said
    assert "of the win;" not in said
    page.keyboard.press("ArrowRight")
    assert verdict_text(page) == "not enough playouts to tell: no better choice found among 7."
    page.wait_for_url(re.compile(r"\?move=3&by=points$"))  # written a moment after the key
    page.reload()
    page.locator(".verdict-words").wait_for()
    assert page.get_by_role("button", name="points", exact=True).get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="win chance", exact=True).click()
    assert verdict_text(page) == "best of 7."


@pytest.mark.parametrize(
    ("lost_wins", "reason"),
    [
        ([0, 0], ", because the win was settled"),  # known without a width: by the rules
        ([0, 0.02], "; nearly decided: 2 % ±3 of 96 playouts won"),
    ],
)
def test_a_choice_that_is_judged_by_points_says_how_far_the_win_was_decided(
    show_scene: Callable[..., Page],
    handmade_scene: Scene,
    review: ReviewDocument,
    lost_wins: list[float],
    reason: str,
) -> None:
    decided = {
        "judged": "mistake",
        "nearly_decided": True,
        "n": 96,
        "won": [0.02, 0.03],
        "wins": lost_wins,
    }
    page = show_scene(
        handmade_scene, "?move=2", review=review | {"decisions": [review["decisions"][0] | decided]}
    )
    expected = f"? mistake (by points{reason}): gave away 3.2 ±0.8 points; better:"
    assert verdict_text(page).startswith(expected)


def test_the_course_shows_score_expectation_or_win_chance(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, review=review)
    assert page.get_by_role("button", name="Win chance", exact=True).get_attribute("aria-pressed") == "true"
    assert page.locator(".plot .band").count() == 3
    assert page.locator(".plot .up").last.text_content() == "100\u202f%"
    assert page.locator(".plot .slip").count() == 1
    page.get_by_role("button", name="Score", exact=True).click()
    assert page.locator(".plot .band").count() == 0
    page.get_by_role("button", name="Expected score").click()
    slip = page.locator(".plot .slip")  # on a line, at the value after the mistake
    point = f"{slip.get_attribute('cx')} {slip.get_attribute('cy')}"
    assert any(point in str(line.get_attribute("d")) for line in page.locator(".plot .score-line").all())
    page.get_by_role("button", name="against the average").click()
    assert page.locator(".plot .band").count() == 3
    box = page.locator(".plot").bounding_box() or pytest.fail("no chart")
    page.mouse.click(box["x"] + box["width"] - 80, box["y"] + 40)
    assert place_text(page) == "move 3 of 3"


def test_without_a_review_no_review_panel_is_shown(
    show_scene: Callable[..., Page], handmade_scene: Scene
) -> None:
    page = show_scene(handmade_scene)
    for part in (".review-verdict", ".ledger", ".kinds"):
        assert not page.locator(part).is_visible()
    for key in "mngw":
        page.keyboard.press(key)
    assert page.locator(".place").inner_text().startswith("Start")
    assert not page.get_by_role("link").count()  # a file has no page What if
    page.keyboard.press("?")
    assert "mistake" not in page.get_by_role("dialog").inner_text()


def test_an_unfinished_review_shows_its_partial_results(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    found = review | {
        "done": 3,
        "wins": [*review["wins"][:2], None, review["wins"][3]],
        "decisions": review["decisions"][:1],
        "rolls": [],
        "ledgers": None,
        "win_ledgers": None,
    }
    page = show_scene(handmade_scene, review=found)
    assert verdict_text(page) == "So far: 1 slip (1 blunder). Press M to go to the first."
    progress = page.get_by_role("progressbar", name="Review")
    assert progress.evaluate("node => [node.value, node.max]") == [3, 6]
    assert page.locator(".progress").inner_text().strip() == "reviewing, 50\u202f%"
    line = page.locator(".plot .score-line").first.get_attribute("d") or ""
    assert (line.count("M"), line.count("L")) == (2, 1)  # the third of four values is missing
    assert (page.locator(".plot .band").first.get_attribute("d") or "").count("Z") == 2
    page.keyboard.press("ArrowRight")
    assert verdict_text(page) == "This roll has no value yet."
    page.keyboard.press("ArrowRight")
    assert verdict_text(page).startswith("?? blunder")
    assert not page.locator(".plot .dot").first.is_visible()
    page.keyboard.press("ArrowRight")
    assert verdict_text(page) == "This move is not judged yet."
    assert page.locator(".ledger table").count() == 1
    assert "appear when all positions have values" in page.locator(".ledger").inner_text()
    page.set_viewport_size({"width": 1120, "height": 800})
    words = page.locator(".verdict-words").bounding_box()
    assert words
    assert words["width"] >= 280  # the tools beside the words do not squeeze them


def test_a_choice_that_the_interval_leaves_open_is_not_judged(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    open_ = review["decisions"][0] | {"judged": "unclear", "wins": [0.08, 0.06]}
    page = show_scene(handmade_scene, "?move=2", review=review | {"decisions": [open_]})
    expected = "perhaps gave away 3.2 ±0.8 points and 8 % ±6 of the win; compared with: I2 at c1"
    assert verdict_text(page).startswith(f"not enough playouts to tell: {expected}")
    assert not page.locator(".ply .ply-mark.unclear").count()
    assert page.locator(".ghost[data-rank='1']").count() == 2  # the shape and its number


def test_a_review_that_broke_off_says_why(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, review=review | {"error": HOSTILE_TEXT})
    assert verdict_text(page) == f"The review failed: {HOSTILE_TEXT}"
    assert not page.locator(".ledger").is_visible()


@pytest.mark.parametrize(
    "change",
    [
        {"scores": []},
        {"wins": [[[0, 0]] * 3] * 3},
        {"wins": [[["x", 0]] * 3] * 4},
        {"scores": [[[1, 2]] * 2] * 4},
        {"ledgers": [[[1, 0]] * 4] * 3},
        {"win_ledgers": [[1, 2, 3, 4, 5]] * 3},
    ],
)
def test_a_review_of_another_game_gives_one_sentence(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument, change: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, review=review | change)
    assert verdict_text(page) == "This review cannot be shown: it does not belong to this game."
    page.keyboard.press("m")
    page.keyboard.press("ArrowRight")
    assert place_text(page) == "move 1 of 3"
    assert not page.locator(".ledger").is_visible()


def test_hostile_reviews_are_harmless_text(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    found: ReviewDocument = json.loads(json.dumps(review))
    found |= {
        "policy": HOSTILE_TEXT,
        "playouts": HOSTILE_TEXT,
        "large": None,
        "counts": [HOSTILE_TEXT, None, {"best": HOSTILE_TEXT}],
    }
    found["decisions"][0] |= {
        "better": HOSTILE_TEXT,
        "board": 0,
        "moves": [
            None,
            {
                "action": HOSTILE_TEXT,
                "piece": HOSTILE_TEXT,
                "cells": [99, -1, None, HOSTILE_TEXT, 2],
                "wins": HOSTILE_TEXT,
            },
            {"action": 7, "cells": {}, "score": [1]},
            *[{}] * 40,
        ],
    }
    found["decisions"][1] |= {
        "judged": "constructor",
        "better": HOSTILE_TEXT,
        "points": HOSTILE_TEXT,
        "wins": [1],
    }
    found["decisions"] += [None, 7, {"ply": 99}, {"ply": "__proto__"}]
    found["rolls"][0] |= {"points": HOSTILE_TEXT, "wins": None, "large": 17}
    page = show_scene(handmade_scene, review=found)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert HOSTILE_TEXT in verdict_text(page)
    page.keyboard.press("ArrowLeft")
    assert HOSTILE_TEXT[:20] in verdict_text(page)  # as the name of a piece, which is cut
    assert page.locator(".ghost-line").get_attribute("d").count("M") == 4  # type: ignore[union-attr]
    assert page.locator(".best-moves li").count() == 5
    assert HOSTILE_TEXT in page.locator(".ledger").inner_text()
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3


def test_in_a_low_window_all_of_a_review_is_in_view_beside_the_boards(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    page = show_scene(handmade_scene, "?move=1", review, viewport={"width": 1280, "height": 800})
    wait_until_settled(page)
    parts = (".course .plot", ".jumps", ".stage", ".controls", ".best-moves", ".moment .verdict-words")
    for name in parts:
        expect(page.locator(name)).to_be_in_viewport(ratio=1)
    stage, jumps, rows = (page.locator(name).bounding_box() for name in (".stage", ".jumps", ".rows"))
    assert stage
    assert jumps
    assert rows
    assert jumps["x"] >= stage["x"] + stage["width"]
    assert 760 <= rows["y"] + rows["height"] <= 800  # the list of moves, although the boards end higher
    page.set_viewport_size({"width": 1280, "height": 560})
    expect(page.locator(".side > .course .plot")).to_have_attribute("height", re.compile(r"1[67]\d"))
    page.set_viewport_size({"width": 800, "height": 900})
    wait_until_settled(page)
    course = page.locator(".course .plot").bounding_box()
    controls = page.locator(".controls").bounding_box()
    assert course
    assert controls
    assert course["y"] > controls["y"]
    assert page.locator(".main > .review-verdict .jumps").count() == 1
    expect(page.locator(".main > .review-verdict .verdict-words")).to_be_visible()


def test_on_a_phone_a_thumb_goes_from_mistake_to_mistake_and_the_chances_come_before_the_best_moves(
    show_scene: Callable[..., Page], handmade_scene: Scene, review: ReviewDocument
) -> None:
    account = {
        "title": "All",
        "columns": ["", "inaccuracies", "mistakes", "blunders", "lost per move"],
        "rows": [["Medium (player 2)", 2, 5, 4, "10.2 ±2.1"]] * 3,
        "caption": "",
    }
    page = show_scene(handmade_scene, "?move=1", {**review, "accounts": {"win": account}}, is_phone=True)
    wait_until_settled(page)
    bar, board, course, moves = (
        page.locator(name).bounding_box() for name in (".controls", ".shared", ".course .plot", ".best-moves")
    )
    assert bar
    assert board
    assert course
    assert moves
    on = page.get_by_role("button", name="Next slip (M)")
    box = on.bounding_box()
    assert box
    assert bar["y"] <= box["y"] <= 844 - box["height"]
    assert box["height"] >= 44
    verdict = page.locator(".verdict-words").bounding_box()
    assert verdict
    assert verdict["y"] + verdict["height"] <= board["y"]  # never behind the buttons
    account_box = page.locator(".main > .account").bounding_box()
    assert account_box
    assert account_box["y"] > moves["y"]
    assert page.locator(".account").evaluate("node => node.scrollWidth <= node.clientWidth")
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 844})
        wait_until_settled(page)
        controls = page.locator(".controls")
        assert controls.evaluate("node => node.scrollWidth <= node.clientWidth && node.clientHeight < 110")
    choice = page.get_by_role("group", name="Judge choices by").bounding_box()
    moves = page.locator(".best-moves").bounding_box()
    assert choice
    assert moves
    assert choice["y"] < moves["y"] < choice["y"] + 60  # beside what it sorts
    assert board["y"] + board["height"] <= bar["y"]
    assert board["y"] < course["y"] < moves["y"]
    on.tap()
    expect(page.locator(".verdict-words")).to_contain_text("better: I2 at c1")
    page.get_by_role("button", name="Start").tap()
    assert verdict_text(page) == "Reviewed: 1 slip (1 blunder). Tap \u203a to go to the first."
