"""Writing the log of a batch in compiled code."""

from __future__ import annotations

from engine.kernels.compiling import jit_merged


@jit_merged
def write_ply(log, row, round_, seat, action, options, score):
    """Write a row of a log; see `engine.kernels.results.PlyLog`."""
    log.round[row] = round_
    log.seat[row] = seat
    log.action[row] = action
    log.options[row] = options
    log.score[row] = score
