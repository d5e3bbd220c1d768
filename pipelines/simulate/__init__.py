"""From a design to a run file: shards are played by workers, then sealed and verified."""
