"""Simulation: play a design in shards on workers, turn the shards into a run file, and verify run files.

`simulate` coordinates a run and ends a comparison that is decided. Workers (`workers`) call `shards`, which plays blocks
with a compiled game (`compiled_games`) or with the plain rules and the checks of `checked_players`. `verify` checks
finished run files.
"""
