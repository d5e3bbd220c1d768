"""What people ask of a library: questions as immutable values, their answers with intervals, and the SQL behind them."""
