"""The registry of games."""

from engine import games


def test_all_games_stand_in_the_order_of_their_titles() -> None:
    titles = [game.title for game in games.registered_games()]
    assert titles == sorted(titles)
    assert {game.name for game in games.registered_games()} == set(games.game_names())
