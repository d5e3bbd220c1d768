"""Games and their rules in writing, as targets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .oracle import (
    FIRST_PLIES,
    LARGEST_GAME,
    ROOT,
    Target,
    examples,
    in_a_line,
    plies_of,
    rulesets,
    text_of,
    transcripts,
    tried,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.game import Format
    from engine.ruleset import Ruleset
    from engine.transcript import Transcript


def notation(_: Path) -> Target:
    """Notation of every ruleset: what is read is written so again."""
    from engine.transcript import tidied

    every = list(rulesets().values())

    def once(data: bytes) -> None:
        ruleset, text = every[data[0] % len(every)] if data else every[0], text_of(data[1:])
        tidy = tidied(text)
        assert tidied(tidy) == tidy
        for written in {text, tidy}:
            action = tried(ruleset.read, written)
            if action is not None:
                assert ruleset.action(action).notation == written
        if text.isdecimal() and len(text) < 30:
            tried(ruleset.action, int(text))

    seeds = [
        bytes([number]) + ruleset.action(ply.action).notation.encode()
        for number, ruleset in enumerate(every)
        if ruleset.actions_end < LARGEST_GAME or ruleset in examples().values()
        for ply in plies_of(ruleset, FIRST_PLIES)
    ]
    return Target(once, seeds, 200)


def ruleset(folder: Path) -> Target:
    """A ruleset file: what is read is the same from its document, begins, and is written into a file of the same rules."""
    from engine.catalogue import Catalogue
    from pipelines.design.design import read_ruleset
    from pipelines.runs.ruleset_drafts import toml

    file = folder / "any.toml"

    def once(data: bytes) -> None:
        file.write_bytes(data)
        for found in tried(lambda: list(Catalogue((folder,)).load(file))) or ():
            assert read_ruleset(found.document, "again").sha256 == found.sha256
            assert found.actions_end > LARGEST_GAME or plies_of(found, 2)
            document = {key: value for key, value in found.document.items() if key != "name"}
            file.write_text(toml(document), encoding="utf-8")
            (again,) = Catalogue((folder,)).load(file)
            assert read_ruleset({**again.document, "name": found.name}, "written").sha256 == found.sha256

    seeds = [path.read_bytes() for path in Catalogue().files.values()]
    return Target(once, seeds, 6000)


def _games(kind: Format, seeds: Iterable[str], longest: int) -> Target:
    """Files of games: what is read plays by the rules or is refused, and is written into a file of the same games."""
    from engine.transcript import played
    from pipelines.design.design import read_ruleset
    from pipelines.exchange.import_games import (
        Head,
        _seated,
    )

    def once(data: bytes) -> None:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return  # said by the line, before a format sees it
        for game in tried(kind.read, text) or ():
            rules = rulesets().get(game.ruleset)
            if game.document is not None:
                found = tried(read_ruleset, game.document, "here")
                rules = rules if rules == found else found  # one that is known knows its placements already
            if rules is None:
                continue
            most = FIRST_PLIES if rules.actions_end > LARGEST_GAME else len(game.lines)
            tried(played, rules, replace(game, lines=game.lines[:most]))
            tried(
                _seated, [Head(Path("a"), 0, rules.name, rules.sha256, game.seats, game.block, game.rotation)]
            )
            _written_alike(rules, game)

    def _written_alike(rules: Ruleset, game: Transcript) -> None:
        for plain in kind.read(written) if (written := _as_written(rules, game)) else ():
            assert [line.notation for line in plain.lines] == [line.notation for line in game.lines]
            assert plain.scores == game.scores
            assert plain.seats == tuple(
                name if kind.suffix == "json" else in_a_line(name) for name in game.seats
            )

    def _as_written(rules: Ruleset, game: Transcript) -> str:
        # Only what the rules can read is ever written.
        clean = all(tried(rules.read, line.notation) is not None for line in game.lines)
        return kind.write(rules, game) if clean and kind.suffix != "blksgf" else ""

    return Target(once, [seed.encode() for seed in seeds], longest)


def pentobi(_: Path) -> Target:
    """Files of Pentobi."""
    from engine.games.blokus.blksgf import BLKSGF

    golden = ROOT / "tests" / "engine" / "games" / "blokus" / "golden"
    texts = [path.read_text(encoding="utf-8") for path in sorted(golden.glob("*.blksgf"))]
    short = [f"{text[:900].rpartition(';')[0]})" for text in texts]
    return _games(BLKSGF, [*short, "(;GM[Blokus Duo];B[f5,e6](;W[j10])(;W[j9]))", *texts], 3000)


def log(_: Path) -> Target:
    """Games that a person wrote down."""
    from pipelines.exchange.text import TEXT

    return _games(TEXT, [TEXT.write(ruleset, game) for ruleset, game in transcripts()], 3000)


def document(_: Path) -> Target:
    """Games as JSON."""
    from pipelines.exchange.json_document import DOCUMENT

    return _games(DOCUMENT, [DOCUMENT.write(ruleset, game) for ruleset, game in transcripts()], 8000)
