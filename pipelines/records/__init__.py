"""What was measured for Reroll and comes with it: the ladder, perfect play, calibration, learning curves, speeds."""
