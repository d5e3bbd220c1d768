"""All SQL of the dashboard, and the cache of its answers."""
