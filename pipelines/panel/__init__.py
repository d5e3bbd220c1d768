"""The What if panel of a replay: the requests of a browser, and what they are answered with."""
