"""Files of Pentobi are read, played by the rules, and written again unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games import start_state
from engine.games.blokus.blksgf import UNNAMED_PLAYER, read_blksgf, read_trees, write_blksgf
from engine.transcript import play_transcript

GOLDEN_FOLDER = Path(__file__).parent / "golden"
every_sample = pytest.mark.parametrize("name", ["classic", "classic_2", "duo"])
DUO_GAME = "(;GM[Blokus Duo];B[f9,e10,f10,g10,f11];W[j4,i5,j5,k5,j6])"


def read_sample(name: str) -> str:
    return (GOLDEN_FOLDER / f"sample_{name}.blksgf").read_text(encoding="utf-8")


def pentobi_points(text: str) -> dict[str, int]:
    """Return each colour's points by Pentobi's rule: its area, +15 if all pieces are placed, +5 if the single one was last."""
    points: dict[str, int] = {}
    pieces: dict[str, list[int]] = {}
    for line in text.splitlines():
        colour, _, squares = line.strip(";]").partition("[")
        if line.startswith(";") and len(colour) == 1:
            pieces.setdefault(colour, []).append(squares.count(",") + 1)
    for colour, sizes in pieces.items():
        points[colour] = sum(sizes) + 15 * (len(sizes) == 21) + 5 * (len(sizes) == 21 and sizes[-1] == 1)
    return points


@every_sample
def test_a_file_of_pentobi_is_played_to_the_end_with_the_scores_that_pentobi_gives(name: str) -> None:
    (game,) = read_blksgf(read_sample(name))
    ruleset = Catalogue().find_ruleset(game.ruleset)
    end, plies = play_transcript(start_state(ruleset), game)
    points = list(pentobi_points(read_sample(name)).values())
    seats = [points[0] + points[2], points[1] + points[3]] if name == "classic_2" else points
    colours = len(points) // len(seats)
    assert end.scores == tuple(score - 89 * colours for score in seats)
    assert len(plies) == len(game.lines) + len(points)  # every colour is out once, which files do not contain
    assert game.seats == (UNNAMED_PLAYER,) * ruleset.players


@every_sample
def test_a_file_of_pentobi_is_written_as_it_was_but_for_the_head(name: str) -> None:
    (game,) = read_blksgf(read_sample(name))
    ours = write_blksgf(Catalogue().find_ruleset(game.ruleset), game).splitlines()  # type: ignore[arg-type]  # the catalogue contains rulesets of all games
    theirs = read_sample(name).splitlines()
    assert ours[1].startswith(theirs[1] + "CA[UTF-8]AP[Reroll]")
    assert (ours[0], ours[2:]) == (theirs[0], theirs[2:])


def test_files_of_other_programs_and_people_are_read() -> None:
    """Names, comments, capitals, unordered squares, unknown properties, colours of Pentobi before 0.2."""
    (game,) = read_blksgf(
        "(;GM[Blokus Duo]PB[Anna \\] Lee]PW[Ben]XY[z];B[F11,f10,g10,e10,f9]C[good\n];C[a remark])"
    )
    assert game.seats == ("Anna ] Lee", "Ben")
    assert [(line.place, line.notation) for line in game.lines] == [("line 1", "b:f9,e10,f10,g10,f11")]
    (old,) = read_blksgf("(;GM[Blokus]\n;BLUE[a20][b20]\n;GREEN[a1,a2])")
    assert [line.notation for line in old.lines] == ["b:a20,b20", "g:a1,a2"]


def test_the_main_line_is_read_and_a_note_counts_the_variations() -> None:
    whole, branched = (
        read_blksgf(DUO_GAME),
        read_blksgf(DUO_GAME[:-1].replace(";W", "(;W") + ")(;W[j5](;B[a1])(;B[a2]))(;W[j5]))"),
    )
    assert branched[0].lines == whole[0].lines
    assert branched[0].notes == ("line 1: only the main line is read, without its 2 variations",)
    assert len(read_blksgf(DUO_GAME + DUO_GAME)) == 2


def test_only_files_of_reroll_state_the_ruleset_and_the_place_in_a_run() -> None:
    head = "GM[Blokus Duo]RU[my-duo]RO[block 3, rotation 1]"
    (theirs,) = read_blksgf(f"(;{head};B[f9])")
    (ours,) = read_blksgf(f"(;{head}AP[Reroll];B[f9])")
    assert (theirs.ruleset, theirs.block, theirs.rotation) == ("blokus-duo", None, None)
    assert (ours.ruleset, ours.block, ours.rotation) == ("my-duo", 3, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file contains no game"),
        ("hello", "the file contains no game"),
        ("\n(;GM[Blokus Duo]\n;B[f9]", "line 3: a bracket is not closed"),
        ("(;GM[Blokus Duo];B[f9", "line 1: '[' is not expected here"),
        ("()", "the file contains no game"),
        ("(;GM[Blokus Duo](;B[f9]);W[j5])", "line 1: a node follows after a branch"),
        (
            "(;\nFF[4])",
            "line 1: GM[] is not a game that Reroll plays; expected one of: Blokus, Blokus Two-Player",
        ),
        ("(\n;GM[Blokus Trigon])", "line 2: GM[Blokus Trigon] is not a game that Reroll plays"),
        ("(;GM[Blokus Duo]\n;AB[f9]AW[j5])", "line 2: AB sets up a position"),
        ("(;GM[Blokus Duo]PL[W];W[j5])", "line 1: PL sets up a position"),
        ("(;GM[Blokus Duo]\n;1[a1])", "line 2: 1 is not a colour of Blokus Duo"),
        ("(;GM[Blokus Duo]\n;B[f9]W[j5])", "line 2: two placements in one node: B and W"),
        ("(;GM[Blokus Duo]\n;B[z9])", "line 2: 'z9' is not a square of this board (a1 to n14)"),
    ],
)
def test_an_unreadable_file_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        read_blksgf(text)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_ten_thousand_open_brackets_are_read() -> None:
    assert len(read_trees("(;A[1]" * 10_000 + ")" * 10_000)[0].nodes) == 10_000


def test_a_ruleset_that_pentobi_does_not_have_is_not_written() -> None:
    (game,) = read_blksgf(DUO_GAME)
    with pytest.raises(
        InvalidError, match="blokus-2p: programs play Blokus with fixed corners and all pieces"
    ):
        write_blksgf(Catalogue().find_ruleset("blokus-2p"), game)  # type: ignore[arg-type]  # the catalogue contains rulesets of all games
