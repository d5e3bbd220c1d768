"""The dashboard: pages over the library of runs."""
