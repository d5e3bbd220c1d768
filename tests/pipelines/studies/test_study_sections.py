"""A section says what a person kept, what was found, and how it was made."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from engine.catalogue import Catalogue
from engine.errors import GameError, InvalidError
from engine.wording import format_count
from pipelines.design.designs import design_comparison, design_simulation
from pipelines.design.titles import name_legal_actions
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.experiments.review import start_review
from pipelines.experiments.review_results import BAD_CLASSES
from pipelines.experiments.whatif import play_whatif, saved_run_design
from pipelines.notes.note import NoteContent, NotePlace, place_of_game, place_of_run
from pipelines.notes.store import NoteFilter, NoteStore
from pipelines.questions.comparison import KnownComparisonQuestion, answer_comparison
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence
from pipelines.report.sheet import Continuations, Replay
from pipelines.report.show.html import draw_chart
from pipelines.report.whatif import whatif_sentence
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.study import (
    Section,
    StudySource,
    add_words,
    compose_address,
    describe_note,
    find_items,
    find_note_items,
    iter_sections,
    make_study,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.experiments.review import UnfinishedReview
    from pipelines.runs.run import Run


def only_section(source: StudySource, *names: str) -> Section:
    (section,) = make_study(iter_sections(source, find_items(source, names))).sections
    return section


def test_names_lead_to_runs_games_plies_tags_collections_notes_and_addresses(source: StudySource) -> None:
    store = NoteStore(source.library.folder)
    (lost,) = store.search(NoteFilter(words="lost")).notes
    for names, expected in (
        (["duel"], ["strategies"]),
        (["made"], ["scores"]),
        (["made#4"], ["replay"]),
        (["made#4:8"], ["replay"]),
        (["lesson"], ["replay", "strategies"]),
        (["LESSON", "made"], ["replay", "strategies", "scores"]),
        (["Term 1"], ["strategies"]),
        ([lost.note_id[:8]], ["replay"]),
        (["http://127.0.0.1:8501/rules?ruleset=bloxx-2p"], ["rules"]),
    ):
        assert [item.page for item in find_items(source, names)] == expected, names
    for name, said in (
        ("mad", "mad"),
        ("made#100", "no game 100"),
        ("made:3:7", "there is no run, collection or note 'made:3:7'"),
        ("/nonsense", "/nonsense"),
        ("ffffffff", "ffffffff"),
    ):
        with pytest.raises(InvalidError, match=said):
            find_items(source, [name])


def test_a_note_keeps_its_words_and_opens_at_its_ply(source: StudySource) -> None:
    (note,) = NoteStore(source.library.folder).search(NoteFilter(words="other die")).notes
    section = describe_note(source, note)
    assert (section.sheet.kind, section.sheet.title, section.text) == (
        "move",
        "Why here?",
        "The other die was open.",
    )
    (replay,) = section.sheet.list_contents(Replay)
    assert (replay.ply, replay.scene["steps"][4]["ply"]) == (4, 4)
    assert section.sheet.verdict == replay.scene["steps"][4]["caption"]
    (result,) = section.sheet.consequences
    assert re.fullmatch(r"player \d \(\w+\) wins with .* points?; player \d .*", result)


def test_a_text_that_repeats_the_title_or_the_answer_is_left_out(source: StudySource) -> None:
    section = only_section(source, "Term 1")
    for text in (
        section.sheet.verdict,
        f" {set_sentence(section.sheet.verdict)}\n",
        "A Duel",
        section.sheet.title,
    ):
        assert not add_words(section, "A duel", text).text
    other = f"{set_sentence(section.sheet.verdict)} Why?"
    assert add_words(section, "", other) == replace(section, text=other)


def describe_slips(counts: Sequence[object]) -> str:
    """Return how many inaccuracies, mistakes and blunders a player made."""
    nouns = ("inaccuracy", "mistake", "blunder")
    parts = [format_count(int(str(n)), noun) for n, noun in zip(counts, nouns, strict=True) if n]
    return ", ".join(parts) or "no slip"


@pytest.mark.slow
def test_a_reviewed_game_has_the_tables_and_the_command_of_its_review(
    source: StudySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviewed = start_review(source.library.run("made"), 3, effort=0.1).finish()

    def start_short_review(run: Run, game: int) -> UnfinishedReview:
        return start_review(run, game, effort=0.1)

    monkeypatch.setattr("pipelines.questions.game.start_review", start_short_review)
    items = find_items(source, ["made#4:8", "made"], is_reviewed=True)
    section, whole = make_study(iter_sections(source, items)).sections
    sides, mistakes, account, decisions, rolls = section.sheet.tables
    assert sides.title == "The account of both sides"
    for row, said in zip(sides.rows, section.sheet.verdict.split(" \N{MIDDLE DOT} "), strict=True):
        assert re.sub(r" lost [\d.]+( wins of 100 a move)?| \(\d+ with .*\)", "", said) == (
            f"{row[1]}: {describe_slips(row[2:5])}"
        )
    bad = [one for one in reviewed.decisions if one.judged in BAD_CLASSES]
    scene = source.library.run("made").scene(3)
    (reviewed_rules,) = source.library.run("made").rulesets.values()
    assert [row[:3] for row in mistakes.rows] == [(one.ply + 1, one.seat + 1, one.judged) for one in bad]
    for one, row in zip(bad, mistakes.rows, strict=True):
        assert row[4] == name_legal_actions(reviewed_rules, one.legal)[one.chosen.action]
        assert f" {str(row[4]).split()[0]} " in scene["steps"][one.ply]["caption"]
        assert {one.chosen.notation, one.best.notation}.isdisjoint(map(str, row))
    seats = source.library.run("made").list_seats(3)
    assert [row[:2] for row in account.rows] == [(seat.seat + 1, seat.strategy) for seat in seats]
    assert [row[0] for row in decisions.rows] == [one.ply + 1 for one in reviewed.decisions]
    assert [row[0] for row in rolls.rows] == [one.ply + 1 for one in reviewed.rolls]
    assert (
        f"every position of the game is played on {reviewed.playouts:,} times by quick players ({reviewed.policy})"
        in section.sheet.basis
    )
    assert section.sheet.commands[-1] == "reroll review made --game 4"
    (unreviewed,) = make_study(iter_sections(source, find_items(source, ["made#4:8"]))).sections
    assert unreviewed.sheet.list_contents(Replay)[0].review is None
    assert not whole.sheet.list_contents(Replay), "a run as a whole has no review"


def test_a_comparison_has_its_verdict_every_interval_and_its_command(source: StudySource) -> None:
    section = only_section(source, "Term 1")
    with source.library.run("duel").connect() as connection:
        difference, games = connection.execute(
            "SELECT avg(score) FILTER (strategy = 'greedy') - avg(score) FILTER (strategy = 'random'), "
            "count(DISTINCT game_id) FROM seats"
        ).fetchall()[0]
    assert section.sheet.title == "Greedy against random"
    told = re.search(
        r"greedy beats random by ([\d.]+) points a game \(95 % interval [\d.]+ to [\d.]+; (\d+) games\)",
        section.sheet.verdict,
    )
    assert told
    assert float(told[1]) == pytest.approx(difference, abs=0.06 * difference)
    assert int(told[2]) == games == 60
    assert (
        "the mean score of the seats of greedy minus the mean score of the seats of random in the same game"
        in section.sheet.facts[0].value
    )
    assert "In a block, greedy and random play each other, once with each" in section.sheet.facts[0].value
    assert section.sheet.basis.count("block have the same") == 1
    pairs, sides, *_ = section.sheet.tables
    assert len(pairs.rows) == 1
    assert len(sides.rows) == 2
    assert section.sheet.commands[0].startswith("reroll compare bloxx-2p greedy random")
    assert any(len(re.findall(r"[0-9a-f]{64}", fact.value)) == 1 for fact in section.sheet.facts)


def test_a_comparison_that_stopped_says_which_intervals_allow_for_that(
    ruleset: Ruleset, tmp_path: Path
) -> None:
    library = Library(tmp_path)
    design = design_comparison(ruleset, ["greedy", "random"], until_decided=True, seed=3, log="scores")
    run = simulate_run(design, library.runs_folder / "decided.duckdb", workers=1)
    source = StudySource(library)
    answer = answer_comparison(KnownComparisonQuestion(run=run.name), source)
    section = Section(compose(answer, source.find_looks))
    assert "at every look" in section.sheet.verdict
    assert section.sheet.basis.endswith(
        " Only the intervals of the difference that decides when to stop are valid at every look, as long as the "
        "blocks played are typical of those to come; all others are those of a fixed number of blocks."
    )


def test_a_whatif_is_asked_again_with_players_from_one(source: StudySource) -> None:
    section = only_section(source, "question")
    assert section.sheet.title == "Greedy from move 10 on"
    assert "60 continuations" in section.sheet.verdict
    assert "player 2" in section.sheet.verdict
    assert "seat" not in section.sheet.verdict
    assert (
        section.sheet.commands[-1]
        == "reroll whatif made --game 3 --move 10 --player 2 --strategy greedy --continuations 60 --seed 0"
    )
    assert [table.title for table in section.sheet.tables] == ["The change for every player"]


def test_a_whatif_shows_remarkable_continuations_of_both_branches(source: StudySource) -> None:
    section = only_section(source, "question")
    (watched,) = section.sheet.list_contents(Continuations)
    assert [one.name for one in watched.choices] == ["largest loss", "in the middle", "largest gain"]
    assert watched.choices[watched.opened].name == "in the middle"
    differences = [one.pair["difference"] for one in watched.choices]
    assert differences == sorted(differences)
    for one in watched.choices:
        assert (one.pair["ply"], one.pair["seat"]) == (9, 1)
        assert one.pair["base"]["steps"][:9] == one.pair["changed"]["steps"][:9]
        ends = [one.pair[branch]["steps"][-1]["scores"][1] for branch in ("base", "changed")]
        assert ends[1] - ends[0] == one.pair["difference"]
    (other_luck,) = only_section(
        source, "/replay?run=made&game-number=3&move=10&luck=1&continuations=20"
    ).sheet.list_contents(Continuations)
    assert other_luck.names == ("What happened", "With other luck")
    assert other_luck.choices[0].pair["base"] == source.library.run("made").scene(2)


def test_a_whatif_about_many_games_counts_positions_and_blocks(source: StudySource) -> None:
    address = (
        "/whatif?run=made&many=lost:2&move=last-roll&player=2&strategy=greedy&continuations=4&limit=12&seed=5"
    )
    section = only_section(source, address)
    assert section.sheet.basis.startswith(
        "BLOXX!, greedy against random: the games that player 2 lost, from just before the last roll on: 4 continuations from"
    )
    assert section.sheet.commands[-1] == (
        "reroll whatif made --many lost:2 --move last-roll --player 2 --strategy greedy --continuations 4 --limit 12 --seed 5"
    )
    assert "seat" not in section.sheet.verdict


def test_a_whatif_warns_of_what_its_address_says_in_vain(source: StudySource) -> None:
    section = only_section(source, "/replay?run=made&game-number=x&move=10&luck=1&continuations=20&nope=1")
    assert "Game: expected a whole number" in " ".join(section.sheet.warnings)
    assert "The address has a field nope that means nothing here." in " ".join(section.sheet.warnings)


def test_a_saved_whatif_is_the_question_that_it_answers(studied_library: Library, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(studied_library.run("made").path)
    library = Library(tmp_path)
    fork = fork_logged_game(library.run("made"), 2, 9, Change({1: "greedy"}))
    *_, answer = play_whatif(fork, n=60, seed=4)
    simulate_run(saved_run_design(answer, "made", "kept"), tmp_path / "runs" / "kept.duckdb", workers=1)
    section = only_section(StudySource(library), "kept")
    assert section.sheet.kind == "what-if"
    assert section.sheet.verdict == whatif_sentence(answer)
    (tmp_path / "runs" / "made.duckdb").unlink()
    section = only_section(StudySource(library), "kept")
    assert section.sheet.kind == "run"
    assert section.sheet.charts


def test_an_effect_without_a_lineup_is_that_on_players_that_read_the_rules(source: StudySource) -> None:
    section = only_section(source, "/rules?ruleset=bloxx-2p&part=effect&against=bloxx-touch-2p&blocks=12")
    assert section.sheet.basis.startswith("greedy and planner on all seats in turn, 2 rulesets, 12 blocks")


def test_a_note_whose_run_is_gone_keeps_its_words_and_says_so(source: StudySource) -> None:
    section = only_section(source, "lost")
    assert (section.sheet.title, section.text) == ("Lost", "kept words")
    assert section.problem == "the run of this note is no longer in the library"


def test_an_address_that_shows_nothing_is_refused_with_a_reason(source: StudySource) -> None:
    for page, address, reason in (
        ("replay", {"run": ["made"], "game-number": ["99"]}, "no game 99"),
        (
            "replay",
            {"run": ["made"], "game-number": ["2"], "move": ["10000"]},
            "no move 10,000, only 54 moves",
        ),
        ("whatif", {"run": ["made"]}, "made holds no what-if question"),
        ("whatif", {"run": ["made"], "many": ["all"]}, "names no change"),
        ("whatif", {"run": ["made"], "game-number": ["2"], "option": ["nope=3"]}, "There is no option nope"),
        ("library", {}, "asks nothing; its fields are play"),
        ("rules", {"ruleset": ["none"]}, "none"),
        ("strategies", {"run": ["nowhere"]}, "nowhere"),
    ):
        with pytest.raises(GameError, match=reason):
            compose_address(source, page, address)


def test_no_folder_of_this_machine_is_in_a_section(source: StudySource) -> None:
    store = NoteStore(source.library.folder)
    place = NotePlace("question", "sql", {"sql": ["SELECT '/home/anna/secret/x.py' AS path"]})
    note = store.add(place, NoteContent("A path"))
    try:
        section = describe_note(source, note)
    finally:
        store.remove(note)
    assert section.sheet.tables[0].rows == (("x.py",),)
    assert "anna" not in str(section)


def test_notes_stand_in_the_order_in_which_they_were_made(source: StudySource) -> None:
    items = find_note_items(NoteStore(source.library.folder), NoteFilter())
    times = [item.note.created_at for item in items if item.note]
    assert times == sorted(times)
    assert len(times) == 4


def test_a_selection_without_results_has_no_numbers(source: StudySource) -> None:
    address = {"rulesets": ["bloxx-2p"], "view": ["Explore"], "select": ['{"score": [900, 999]}']}
    sheet = compose_address(source, "scores", address)
    assert sheet.verdict == "Selected: Score from 900 to 999."
    assert not any("of the selected" in table.title for table in sheet.tables)


def test_a_note_that_repeats_the_answer_is_not_said_twice(source: StudySource, tmp_path: Path) -> None:
    place = place_of_run(source.library.run("duel"))
    verdict = compose_address(source, place.page, place.address).verdict
    store = NoteStore(tmp_path)
    repeated, own, added = (
        store.add(place, NoteContent("Duel", text))
        for text in (verdict, f"{verdict} Indeed.", f"Really?\n{verdict}")
    )
    assert describe_note(source, repeated).text == ""
    assert describe_note(source, own).text == f"{verdict} Indeed."
    assert describe_note(source, added).text == "Really?"


def test_the_picture_compares_what_the_question_compares(small_run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(small_run.path)
    other = Catalogue().find_ruleset("bloxx-touch-2p")
    design = design_simulation(other, ["greedy", "random"], games_at_least=20, seed=7)
    simulate_run(design, tmp_path / "runs" / "other.duckdb", workers=1)
    for compared, lines in (
        ("", r": BLOXX!, [^;]*; BLOXX! \(shapes may hang\), [^;]*$"),
        ("Rulesets", r": BLOXX!, [^;]*; BLOXX! \(shapes may hang\), [^;]*$"),
        ("Strategies", r": greedy, [^;]*; random, [^;]*$"),
    ):
        address = {"rulesets": ["bloxx-2p", "bloxx-touch-2p"], "compare": [compared]}
        (picture,) = compose_address(StudySource(Library(tmp_path)), "scores", address).charts
        panels = re.findall(r'aria-label="([^"]*)"', draw_chart(picture))
        assert len(panels) == 2
        assert all(re.search(lines, panel) for panel in panels), panels


def test_the_notes_of_a_collection_stand_in_its_order_with_their_words(
    studied_library: Library, tmp_path: Path
) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(studied_library.run("made").path)
    library, store = Library(tmp_path), NoteStore(tmp_path)
    run = library.run("made")
    places = {"One": place_of_game(run, 1, 4), "Two": place_of_run(run), "Three": place_of_game(run, 2)}
    notes = [
        store.add(place, NoteContent(title, f"on {title}", ("Lesson",))) for title, place in places.items()
    ]
    store.move(notes[2], "Lesson", -2)
    made = make_study(iter_sections(StudySource(library), find_items(StudySource(library), ["lesson"])))
    assert made.title == "Three and 2 more"
    assert [(section.sheet.title, section.text) for section in made.sections] == [
        ("Three", "on Three"),
        ("One", "on One"),
        ("Two", "on Two"),
    ]


def test_a_game_has_the_comments_on_its_moves(studied_library: Library, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "made.duckdb").symlink_to(studied_library.run("made").path)
    library, store = Library(tmp_path), NoteStore(tmp_path)
    run = library.run("made")
    for ply, title, text, is_favourite in (
        (0, "Early", "", True),
        (4, "Move 5 of game 2 of made", "Too greedy.", False),
        (4, "A trap", "Nobody saw it.", False),
        (6, "Move 7 of game 2 of made", "", True),
    ):
        store.add(place_of_game(run, 1, ply), NoteContent(title, text, is_favourite=is_favourite))
    store.add(place_of_game(run, 1), NoteContent("The whole game", "is not a comment on a move"))
    store.add(place_of_game(run, 2, 4), NoteContent("Another game"))

    def read(source: StudySource) -> object:
        (replay,) = only_section(source, "made#2").sheet.list_contents(Replay)
        return replay.comments

    assert read(StudySource(library)) == {0: "Early", 4: "Too greedy.\nA trap\nNobody saw it."}
    assert read(StudySource(library, only_favourites=True)) == {0: "Early"}
    section = only_section(StudySource(library), "made#2:5")
    assert section.sheet.label == "", "its title begins with the word"
    assert replace(section.sheet, title="A trap").label == "move"
    (note,) = store.search(NoteFilter(words="Early")).notes
    assert describe_note(StudySource(library), note).sheet.list_contents(Replay)[0].comments == {
        4: "Too greedy.\nA trap\nNobody saw it."
    }
    (note,) = store.search(NoteFilter(words="trap")).notes
    assert describe_note(StudySource(library), note).sheet.list_contents(Replay)[0].comments == {
        0: "Early",
        4: "Too greedy.",
    }
    store.path.write_bytes(b"no database, but long enough for one " * 30)
    assert read(StudySource(library)) == {}
