"""The dice of the random games are pinned: they change only with a major version."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from brade_fast._core import throws

PINNED = Path(__file__).parent / "data" / "throws-seed-1-trial-0.txt"


def test_the_first_thousand_throws_of_a_seed_are_the_pinned_ones():
    pinned = [[int(die) for die in throw] for throw in PINNED.read_text().split()]
    assert len(pinned) == 1000
    assert throws(1, 0, 1000).tolist() == pinned


def test_a_longer_row_of_throws_begins_like_a_shorter_one():
    assert (throws(5, 3, 900)[:100] == throws(5, 3, 100)).all()


def test_seeds_and_trials_have_throws_of_their_own():
    rows = {throws(seed, trial, 50).tobytes() for seed in range(20) for trial in range(20)}
    assert len(rows) == 400


def test_all_thirty_six_throws_are_equally_likely_along_a_trial_and_across_trials():
    along = throws(2, 0, 36_000)
    across = np.concatenate([throws(2, trial, 1) for trial in range(36_000)])
    by_seed = np.concatenate([throws(seed, 0, 1) for seed in range(36_000)])
    for row in (along, across, by_seed):
        counts = np.bincount((row[:, 0] - 1) * 6 + row[:, 1] - 1, minlength=36)
        assert ((counts - 1000) ** 2 / 1000).sum() < 80  # one in 50,000 with 35 degrees


def test_a_throw_says_nothing_about_the_next_one():
    row = throws(3, 7, 72_001)
    total = row.sum(axis=1)
    pairs = np.bincount((total[:-1] - 2) * 11 + total[1:] - 2, minlength=121).reshape(11, 11)
    ways = np.array([1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]) / 36
    expected = 72_000 * np.outer(ways, ways)
    assert ((pairs - expected) ** 2 / expected).sum() < 200  # about 120 is to be expected
