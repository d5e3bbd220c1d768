"""Tools for developers: the benchmark, the ladder of strategies, and the tuning of weights."""
