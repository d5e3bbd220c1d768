"""The SQL of the dashboard, and the cache of its answers. No other part of the dashboard executes SQL."""
