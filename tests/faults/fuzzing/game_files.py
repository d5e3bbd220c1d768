"""Games and their rules in writing, as targets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .oracle import (
    FIRST_PLIES_PLAYED,
    MAX_GAME_ACTIONS,
    PROJECT_ROOT,
    FuzzTarget,
    decode_input,
    example_rulesets,
    example_transcripts,
    play_first_plies,
    read_or_refuse,
    shipped_rulesets,
    single_line_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.game import GameFormat
    from engine.ruleset import Ruleset
    from engine.transcript import Transcript


def notation(_: Path) -> FuzzTarget:
    """Notation of every ruleset: what is read is written so again."""
    from engine.transcript import tidy_notation

    every = list(shipped_rulesets().values())

    def try_input(data: bytes) -> None:
        ruleset, text = every[data[0] % len(every)] if data else every[0], decode_input(data[1:])
        tidy = tidy_notation(text)
        assert tidy_notation(tidy) == tidy
        for written in {text, tidy}:
            action = read_or_refuse(ruleset.read_action, written)
            if action is not None:
                assert ruleset.action(action).notation == written
        if text.isdecimal() and len(text) < 30:
            read_or_refuse(ruleset.action, int(text))

    seeds = [
        bytes([number]) + ruleset.action(ply.action).notation.encode()
        for number, ruleset in enumerate(every)
        if ruleset.actions_end < MAX_GAME_ACTIONS or ruleset in example_rulesets().values()
        for ply in play_first_plies(ruleset, FIRST_PLIES_PLAYED)
    ]
    return FuzzTarget(try_input, seeds, 200)


def ruleset(folder: Path) -> FuzzTarget:
    """A ruleset file: what is read is the same from its document, begins, and is written into a file of the same rules."""
    import tomli_w

    from engine.catalogue import Catalogue
    from pipelines.design.design import read_ruleset

    file = folder / "any.toml"

    def try_input(data: bytes) -> None:
        file.write_bytes(data)
        for found in read_or_refuse(lambda: list(Catalogue((folder,)).read_ruleset_file(file))) or ():
            assert read_ruleset(found.document, "again").sha256 == found.sha256
            assert found.actions_end > MAX_GAME_ACTIONS or play_first_plies(found, 2)
            document = {key: value for key, value in found.document.items() if key != "name"}
            file.write_text(tomli_w.dumps(document), encoding="utf-8")
            (again,) = Catalogue((folder,)).read_ruleset_file(file)
            assert read_ruleset({**again.document, "name": found.name}, "written").sha256 == found.sha256

    seeds = [path.read_bytes() for path in Catalogue().files.values()]
    return FuzzTarget(try_input, seeds, 6000)


def _games_target(kind: GameFormat, seeds: Iterable[str], longest: int) -> FuzzTarget:
    """Files of games: what is read plays by the rules or is refused, and is written into a file of the same games."""
    from engine.games import start_state
    from engine.transcript import play_transcript
    from pipelines.design.design import read_ruleset
    from pipelines.exchange.import_games import (
        GameHead,
        _arrange_seatings,
    )

    def try_input(data: bytes) -> None:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return  # said by the line, before a format sees it
        for game in read_or_refuse(kind.read, text) or ():
            rules = shipped_rulesets().get(game.ruleset)
            if game.document is not None:
                found = read_or_refuse(read_ruleset, game.document, "here")
                rules = rules if rules == found else found  # one that is known knows its placements already
            if rules is None:
                continue
            most = FIRST_PLIES_PLAYED if rules.actions_end > MAX_GAME_ACTIONS else len(game.lines)
            read_or_refuse(play_transcript, start_state(rules), replace(game, lines=game.lines[:most]))
            read_or_refuse(
                _arrange_seatings,
                [GameHead(Path("a"), 0, rules.name, rules.sha256, game.seats, game.block, game.rotation)],
            )
            check_written_alike(rules, game)

    def check_written_alike(rules: Ruleset, game: Transcript) -> None:
        for plain in kind.read(written) if (written := write_if_readable(rules, game)) else ():
            assert [line.notation for line in plain.lines] == [line.notation for line in game.lines]
            assert plain.scores == game.scores
            assert plain.seats == tuple(
                name if kind.suffix == "json" else single_line_name(name) for name in game.seats
            )

    def write_if_readable(rules: Ruleset, game: Transcript) -> str:
        # Only what the rules can read is ever written.
        clean = all(read_or_refuse(rules.read_action, line.notation) is not None for line in game.lines)
        return kind.write(rules, game) if clean and kind.suffix != "blksgf" else ""

    return FuzzTarget(try_input, [seed.encode() for seed in seeds], longest)


def pentobi(_: Path) -> FuzzTarget:
    """Files of Pentobi."""
    from engine.games.blokus.blksgf import BLKSGF_FORMAT

    golden = PROJECT_ROOT / "tests" / "engine" / "games" / "blokus" / "golden"
    texts = [path.read_text(encoding="utf-8") for path in sorted(golden.glob("*.blksgf"))]
    short = [f"{text[:900].rpartition(';')[0]})" for text in texts]
    return _games_target(BLKSGF_FORMAT, [*short, "(;GM[Blokus Duo];B[f5,e6](;W[j10])(;W[j9]))", *texts], 3000)


def log(_: Path) -> FuzzTarget:
    """Games that a person wrote down."""
    from pipelines.exchange.text import TEXT_FORMAT

    return _games_target(
        TEXT_FORMAT, [TEXT_FORMAT.write(ruleset, game) for ruleset, game in example_transcripts()], 3000
    )


def document(_: Path) -> FuzzTarget:
    """Games as JSON."""
    from pipelines.exchange.json_document import JSON_FORMAT

    return _games_target(
        JSON_FORMAT, [JSON_FORMAT.write(ruleset, game) for ruleset, game in example_transcripts()], 8000
    )
