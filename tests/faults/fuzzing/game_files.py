"""Targets that read notation, ruleset files and files of games."""

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
    """Notation of every ruleset: an action that is read has this notation."""
    from engine.transcript import tidy_notation

    rulesets = list(shipped_rulesets().values())

    def try_input(data: bytes) -> None:
        ruleset, text = rulesets[data[0] % len(rulesets)] if data else rulesets[0], decode_input(data[1:])
        tidy = tidy_notation(text)
        assert tidy_notation(tidy) == tidy
        for candidate in {text, tidy}:
            action = read_or_refuse(ruleset.read_action, candidate)
            if action is not None:
                assert ruleset.action(action).notation == candidate
        if text.isdecimal() and len(text) < 30:
            read_or_refuse(ruleset.action, int(text))

    seeds = [
        bytes([number]) + ruleset.action(ply.action).notation.encode()
        for number, ruleset in enumerate(rulesets)
        if ruleset.actions_end < MAX_GAME_ACTIONS or ruleset in example_rulesets().values()
        for ply in play_first_plies(ruleset, FIRST_PLIES_PLAYED)
    ]
    return FuzzTarget(try_input, seeds, 200)


def ruleset(folder: Path) -> FuzzTarget:
    """Ruleset files: a ruleset that is read can be played, and equals the ruleset of its document and of its own file."""
    import tomli_w

    from engine.catalogue import Catalogue
    from pipelines.design.design import read_ruleset

    file = folder / "any.toml"

    def try_input(data: bytes) -> None:
        file.write_bytes(data)
        for rules in read_or_refuse(lambda: list(Catalogue((folder,)).read_ruleset_file(file))) or ():
            assert read_ruleset(rules.document, "again").sha256 == rules.sha256
            assert rules.actions_end > MAX_GAME_ACTIONS or play_first_plies(rules, 2)
            document = {key: value for key, value in rules.document.items() if key != "name"}
            file.write_text(tomli_w.dumps(document), encoding="utf-8")
            (again,) = Catalogue((folder,)).read_ruleset_file(file)
            assert read_ruleset({**again.document, "name": rules.name}, "written").sha256 == rules.sha256

    seeds = [path.read_bytes() for path in Catalogue().files.values()]
    return FuzzTarget(try_input, seeds, 6000)


def _games_target(kind: GameFormat, seeds: Iterable[str], longest: int) -> FuzzTarget:
    """Files of games: games that are read are legal or refused, and can be written to a file of the same games."""
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
            return  # the import refuses it before a format reads it
        for game in read_or_refuse(kind.read, text) or ():
            rules = shipped_rulesets().get(game.ruleset)
            if game.document is not None:
                own_rules = read_or_refuse(read_ruleset, game.document, "here")
                rules = rules if rules == own_rules else own_rules  # shipped rulesets have cached placements
            if rules is None:
                continue
            most = FIRST_PLIES_PLAYED if rules.actions_end > MAX_GAME_ACTIONS else len(game.lines)
            read_or_refuse(play_transcript, start_state(rules), replace(game, lines=game.lines[:most]))
            read_or_refuse(
                _arrange_seatings,
                [GameHead(Path("a"), 0, rules.name, rules.sha256, game.seats, game.block, game.rotation)],
            )
            check_written_game(rules, game)

    def check_written_game(rules: Ruleset, game: Transcript) -> None:
        text = write_if_readable(rules, game)
        for again in kind.read(text) if text else ():
            assert [line.notation for line in again.lines] == [line.notation for line in game.lines]
            assert again.scores == game.scores
            assert again.seats == tuple(
                name if kind.suffix == "json" else single_line_name(name) for name in game.seats
            )

    def write_if_readable(rules: Ruleset, game: Transcript) -> str:
        # only games whose notation the rules can read are ever written
        is_readable = all(read_or_refuse(rules.read_action, line.notation) is not None for line in game.lines)
        return kind.write(rules, game) if is_readable and kind.suffix != "blksgf" else ""

    return FuzzTarget(try_input, [seed.encode() for seed in seeds], longest)


def pentobi(_: Path) -> FuzzTarget:
    """Game files of Pentobi."""
    from engine.games.blokus.blksgf import BLKSGF_FORMAT

    golden = PROJECT_ROOT / "tests" / "engine" / "games" / "blokus" / "golden"
    texts = [path.read_text(encoding="utf-8") for path in sorted(golden.glob("*.blksgf"))]
    short = [f"{text[:900].rpartition(';')[0]})" for text in texts]
    return _games_target(BLKSGF_FORMAT, [*short, "(;GM[Blokus Duo];B[f5,e6](;W[j10])(;W[j9]))", *texts], 3000)


def log(_: Path) -> FuzzTarget:
    """Text logs of games, as a person may write them."""
    from pipelines.exchange.game_files import TEXT_FORMAT

    return _games_target(
        TEXT_FORMAT, [TEXT_FORMAT.write(ruleset, game) for ruleset, game in example_transcripts()], 3000
    )


def document(_: Path) -> FuzzTarget:
    """Game files in JSON."""
    from pipelines.exchange.game_files import JSON_FORMAT

    return _games_target(
        JSON_FORMAT, [JSON_FORMAT.write(ruleset, game) for ruleset, game in example_transcripts()], 8000
    )
