"""Notes on the pages: keeping what a page shows, and the parts of the page Notes."""
