"""Tools for developers: benchmarks, the ladder of strategies, and the tuning of weights."""
