"""Simulation: play a design in shards on workers, turn the shards into a run file, and verify run files.

`simulate` coordinates a run. Workers (`workers`, `cluster`) call `shards`, which plays blocks with a compiled game
(`compiled_games`) or with the plain rules and the checks of `checked_players` and `time_limit`. `stop_rule` ends a
comparison that is decided. `verify` checks finished run files.
"""
