"""What made the recorded figures: scripts over the functions of the product, run from a checkout, and the records."""
