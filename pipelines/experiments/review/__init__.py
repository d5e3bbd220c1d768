"""Reviews: the value of every decision and every roll of a logged game, estimated by playouts."""
