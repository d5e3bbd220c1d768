"""Targets that read unfinished runs, strategies, addresses and form fields."""

from __future__ import annotations

import json
import re
from pathlib import Path

from .oracle import FuzzTarget, decode_input, example_rulesets, read_or_refuse, shipped_rulesets


def unfinished(folder: Path) -> FuzzTarget:
    """The two files of an unfinished run, separated by two zero bytes: everything that lists, pages and resume read."""
    from pipelines.design.designs import design_comparison, design_simulation, read_design
    from pipelines.runs.library import Library
    from pipelines.runs.unfinished_run import SHARD_FORMAT, UnfinishedRun

    library = Library(folder)
    run_folder = library.runs_folder / "odd.partial"
    (run_folder / "shards" / "000000").mkdir(parents=True, exist_ok=True)

    def try_input(data: bytes) -> None:
        design_text, _, job = data.partition(b"\0\0")
        (run_folder / "design.json").write_bytes(design_text)
        (run_folder / "format").write_text(str(SHARD_FORMAT), encoding="ascii")
        (run_folder / "job.json").write_bytes(job)
        design = read_or_refuse(lambda: UnfinishedRun(run_folder).design)
        if design is not None:
            assert read_design(design.model_dump_json(), "again") == design
            read_or_refuse(
                lambda: (
                    design.rules,
                    design.game,
                    design.players,
                    design.command,
                    design.strategies_by_seat(0),
                )
            )
        for partial in library.unfinished_runs():
            read_or_refuse(
                lambda partial=partial: (partial.games_done, partial.is_running, partial.seconds_left)
            )
            read_or_refuse(lambda partial=partial: partial.seconds)
            assert (partial.games_done == 0) is not bool(partial.finished_shards)

    small = shipped_rulesets()["bloxx-2p"]
    designs = [
        design_simulation(small, ["greedy", "random"], blocks=24, seed=3),
        design_simulation(small, ["random", "random"], blocks=9, log="sample=0.1"),
        design_comparison(small, ["greedy", "random"], blocks=400, until_decided=True, seed=3),
    ]
    job = json.dumps({"pid": 7, "host": "here", "started": 1e9, "seconds_before": 1.5, "games_before": 2})
    old = json.loads(designs[0].model_dump_json())
    old.pop("seatings")
    texts = [*(design.model_dump_json() for design in designs), json.dumps({**old, "rotations": 2})]
    return FuzzTarget(try_input, [f"{text}\0\0{job}".encode() for text in texts], 6000)


def strategy(_: Path) -> FuzzTarget:
    """Strategies with parameters, and line-ups: the name of a player that is read gives the same player again."""
    from engine import games
    from engine.strategies import built_in_strategies, read_player
    from pipelines.design.design import parse_log_interval
    from pipelines.design.lineups import split_strategies

    all_games = [games.find_game(name) for name in games.game_names()]

    def try_input(data: bytes) -> None:
        game, text = all_games[data[0] % len(all_games)] if data else all_games[0], decode_input(data[1:])
        for name in [text, *split_strategies(text)]:
            player = read_or_refuse(read_player, game, name)
            if player is not None:
                again = read_player(game, player.name)
                assert (again.name, again.parameters, again.texts) == (
                    player.name,
                    player.parameters,
                    player.texts,
                )
        interval = read_or_refuse(parse_log_interval, text)
        assert interval is None or 0 <= interval <= 1_000_000

    seeds = [bytes([0]) + text.encode() for text in ("full", "scores", "sample=0.01", "sample=1e-5")]
    for number, game in enumerate(all_games):
        for name, built_in in built_in_strategies(game).items():
            settings = ",".join(
                f"{parameter.name}={parameter.default:g}" for parameter in built_in.parameters
            )
            seeds += [
                bytes([number]) + text.encode() for text in (name, f"{name}:{settings}", f"{name},{name}")
            ]
    seeds.append(bytes([0]) + b'gtp:command="pentobi-gtp --level 1",seconds=60')
    return FuzzTarget(try_input, seeds, 300)


def address(_: Path) -> FuzzTarget:
    """Addresses of all questions, and names of runs that are made from file names."""
    from pipelines.exchange.import_games import run_name
    from pipelines.experiments.fork import Change, format_option, parse_option
    from pipelines.questions.address import read_fields, split_address, write_address
    from pipelines.questions.every_question import QUESTIONS, read_question
    from pipelines.questions.lineups import parse_seed
    from pipelines.runs.names import check_run_name, default_run_name, run_name_from_text

    def try_input(data: bytes) -> None:
        text = decode_input(data)
        read_or_refuse(lambda path: read_question(*split_address(path)), f"/whatif?{text}")
        for kind in QUESTIONS:
            question, _ = read_fields(kind, {key: [text] for key in [*kind.model_fields, text]})
            assert read_fields(kind, write_address(question)) == (question, ())
        seed = read_or_refuse(parse_seed, text)
        assert seed is None or 0 <= seed < 1 << 64
        option = read_or_refuse(parse_option, text)
        if option is not None:
            key, value = option
            address_text = format_option(key, value)
            assert repr(parse_option(address_text)) == repr((key, value))
            words = str(Change(options={key: value}))
            assert "\n" not in words.replace(key.replace("_", " "), "").replace(text, "")
        assert re.fullmatch(
            r"[a-z0-9][a-z0-9._-]{0,59}", run_name(Path(f"{text}.txt")) if "\0" not in text else "a"
        )
        check_run_name(run_name_from_text(text))
        check_run_name(default_run_name(text))

    texts = [
        "0",
        "17",
        "18446744073709551615",
        "٣",
        "gap_penalty=2",
        "contact=rest",
        'a={"b": [1, null]}',
        "a=1e9",
    ]
    texts += ["my run (1).duckdb", "../../etc/passwd", "Friday's game.blksgf", "bloxx-2p.toml", "..", "a=NaN"]
    return FuzzTarget(try_input, [text.encode() for text in texts], 200)


def form(_: Path) -> FuzzTarget:
    """The fields of the ruleset form: a field reads the text that it shows as the same value."""
    from dashboard.rules.ruleset_form import ruleset_fields, with_value

    fields = [
        (ruleset, field) for ruleset in example_rulesets().values() for field in ruleset_fields(type(ruleset))
    ]

    def try_input(data: bytes) -> None:
        ruleset, field = fields[data[0] % len(fields)] if data else fields[0]
        value = read_or_refuse(field.parse_text, decode_input(data[1:]))
        if value is None:
            return
        complaints = ruleset.errors_by_key(with_value(ruleset.document, field.key, value))
        assert all(complaints.values())
        if not complaints:
            assert field.parse_text(field.format_text(value)) == value

    seeds = [
        bytes([number]) + field.format_text(field.value_in(ruleset.document)).encode()
        for number, (ruleset, field) in enumerate(fields)
    ]
    return FuzzTarget(try_input, seeds, 2000)
