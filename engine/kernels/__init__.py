"""What all compiled games share: the contract, keyed luck, and the loading, compiling and caching of compiled code.

All kernels use the same names in compiled code: `position` (a position of one game), `tables` (what a ruleset fixes),
`workspace` (room for a decision; nothing is allocated in compiled code), `strategies` (the strategies of all seats of
all seatings), `code` and `settings` (the number of a strategy and its parameters), `luck` (seed, block, counter key,
round and index of a decision's first draw, as `engine.kernels.luck.random_word` takes them), `log` and `row` (the
columns of a log and the row to write next) and `results` (the columns of finished games).
"""
