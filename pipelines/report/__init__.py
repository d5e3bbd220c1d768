"""What answers look like, once for all front ends: words, sentences, tables, charts and sections."""
