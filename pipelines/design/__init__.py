"""What is to be played: designs of runs and comparisons, seatings, openings. Values only; nothing is played here."""
