from __future__ import annotations

import numpy as np

from pipelines.statistics import win_shares


def test_winners_share_the_win() -> None:
    ranks = np.array([[1, 2, 3], [1, 1, 3], [1, 1, 1]], dtype=np.uint8)
    assert win_shares(ranks).tolist() == [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]]
    assert win_shares((2, 1)).tolist() == [0.0, 1.0]
    assert np.array_equal(win_shares(ranks.reshape(3, 1, 3)), win_shares(ranks)[:, None])
