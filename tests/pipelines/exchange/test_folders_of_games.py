"""Files as people have them: with marks, in upper case, beside hidden files, behind links, with words around the game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from engine.catalogue import Catalogue
from engine.errors import GameError, IllegalError, InvalidError
from pipelines.cli import app
from pipelines.exchange.import_games import plan_import, play_import
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteFilter, NoteStore

if TYPE_CHECKING:
    from pipelines.runs.library import Library

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
NODES = """
;B[e10,f10,g10,h10,e11]
;W[j4,k4,h5,i5,j5]
;B[f12,g12,h12,g13,g14]
;W[f1,g1,g2,g3,g4]
;B[i8,i9,j9,j10]
;W[e5,e6,f6,g6,g7]
;B[i6,j6,k6,k7,k8]
;W[c8,d8,e8,f8]
;B[m3,l4,m4,n4,l5]
;W[d2,d3,e3,c4,d4]
;B[b11,a12,b12,c12,d12]
;W[j2,k2,l2,l3]
;B[k11,l11,k12,k13,l13]
;W[a6,a7,b7]
;B[l9,m9,n9]
;W[a9,b9,a10,b10]
;B[e13,c14,d14,e14]
;W[a1,b1,c1,a2,a3]
;B[c9,c10]
;W[i1]
;B[h7]
;W[g9,h9]
;B[n11,m12,n12]
;W[i10,i11,j11,i12,j12]
;B[i3,j3,k3,h4,i4]
;W[k10,l10,m10]
;B[m6,n6,m7,n7]
"""
HEAD = "(;GM[Blokus Duo]PB[ann]PW[bob]"
GAME = f"{HEAD}{NODES})"


def import_text(tmp_path: Path, text: str, catalogue: Catalogue) -> list[str]:
    """Import a file of Pentobi and return the remarks on it."""
    path = tmp_path / "game.blksgf"
    path.write_bytes(text.encode())
    plan = plan_import([path], catalogue)
    run = play_import(plan, tmp_path / "runs" / "game.duckdb")
    assert run.summary.games == 1
    return [note.removeprefix(f"{path}: ") for note in plan.notes]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (GAME + "\x0a\x1a", []),
        ("\ufeff" + GAME, []),
        (GAME + "\n;B[a1])", ["line 30: the words outside the brackets of a game are not read"]),
        ("Played (on Friday)\n" + GAME, ["line 1: the words outside the brackets of a game are not read"]),
        (GAME.replace(")", ";B[]\n;W[])"), []),
        (GAME.replace("\n)", "\n;B[ ];W[])"), []),
    ],
    ids=["control-z", "mark", "words-after", "words-before", "passes", "blank-pass"],
)
def test_a_game_of_pentobi_is_read_with_what_stands_around_it(
    tmp_path: Path, catalogue: Catalogue, text: str, notes: list[str]
) -> None:
    assert import_text(tmp_path, text, catalogue) == notes


def test_a_pass_where_moves_exist_is_refused_with_a_move(tmp_path: Path, catalogue: Catalogue) -> None:
    text = GAME.replace(";B[c9,c10]", ";B[]")
    with pytest.raises(IllegalError, match=r"line 20: 'b:out' is a pass, but .* actions, such as b:"):
        import_text(tmp_path, text, catalogue)


def test_a_folder_is_imported_without_hidden_files_and_others_are_named(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name in ("a.blksgf", "B.BLKSGF"):
        (folder / name).write_text(GAME, encoding="utf-8")
    (folder / "._a.blksgf").write_bytes(b"\0\5\26\7")
    (folder / ".~lock.x.txt#").write_text("ann", encoding="utf-8")
    (folder / "README.txt").write_text("About these games\n", encoding="utf-8")
    (folder / "pictures.png").write_bytes(b"\x89PNG")
    (folder / "x.json").mkdir()
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret\n", encoding="utf-8")
    (folder / "linked.txt").symlink_to(secret)
    plan = plan_import([folder], catalogue)
    assert [head.path.name for head in plan.heads] == ["B.BLKSGF", "a.blksgf"]
    reasons = {Path(note.partition(": ")[0]).name: note.partition("left out: ")[2] for note in plan.notes}
    assert reasons.keys() == {"README.txt", "pictures.png", "x.json", "linked.txt"}
    assert reasons["linked.txt"] == "it is a link"
    assert reasons["x.json"] == "it is not a regular file"
    assert "secret" not in " ".join(reasons.values())


def test_a_folder_without_games_says_what_it_left_out(tmp_path: Path, catalogue: Catalogue) -> None:
    (tmp_path / "README.txt").write_text("About these games\n", encoding="utf-8")
    with pytest.raises(InvalidError, match=r"no files of games .*README\.txt: left out: line 1"):
        plan_import([tmp_path], catalogue)


def test_a_ruleset_with_a_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "marked.toml").write_bytes(BYTE_ORDER_MARK + b'extends = "bloxx"\nplayers = 3\n')
    folders = (tmp_path, *Catalogue().folders)
    assert Catalogue(folders).find_ruleset("marked").players == 3


def test_a_broken_ruleset_that_is_asked_for_is_named_with_the_line(library: Library) -> None:
    path = library.folder / "rulesets" / "missing-quote.toml"
    path.parent.mkdir(parents=True)
    path.write_text('extends = "bloxx\nplayers = 3\n', encoding="utf-8")
    for name in ("missing-quote", "missing-quote-3p"):
        result = CliRunner().invoke(app, ["rulesets", name, "--data", str(library.folder)])
        assert result.exit_code == 2
        assert f"{path}: not valid TOML" in result.stderr
        assert "line 1" in result.stderr
    path.write_bytes(b'extends = "bloxx"\ntitle = "caf\xe9"\nplayers = 3\n')
    with pytest.raises(GameError, match=r"missing-quote\.toml: line 2: not UTF-8 text"):
        library.catalogue.find_ruleset("missing-quote")


def test_notes_with_a_mark_are_imported_and_other_bytes_are_refused(library: Library) -> None:
    store = NoteStore(library.folder)
    store.add(NotePlace("question", "sql", {"sql": ["SELECT 1"]}), NoteContent("kept", "Jürgen"))
    data = ("--data", str(library.folder))
    file = library.folder / "notes.json"
    assert CliRunner().invoke(app, ["notes", "--export", str(file), *data]).exit_code == 0
    text = file.read_text(encoding="utf-8")
    file.write_bytes(BYTE_ORDER_MARK + text.encode())
    assert CliRunner().invoke(app, ["notes", "--import", str(file), *data]).exit_code == 0
    document = json.loads(text)
    document["notes"][0]["version"] = 7
    newer = json.dumps(document, ensure_ascii=False, indent=1)
    file.write_bytes(newer.encode("latin-1"))
    result = CliRunner().invoke(app, ["notes", "--import", str(file), *data])
    assert result.exit_code == 2
    assert "not UTF-8 text" in result.stderr
    (note,) = store.search(NoteFilter()).notes
    assert (note.text, note.version) == ("Jürgen", 1)
