"""Tables of answers, for all front ends."""
