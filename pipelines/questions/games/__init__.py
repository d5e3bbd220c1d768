"""Which games of the library are remarkable: the record score, the closest finish, the largest comeback and so on."""
