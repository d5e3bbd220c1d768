"""The run file, the library of run files, and queries over them."""
